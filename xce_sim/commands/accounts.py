"""Inspection of what is shared out: queues, limits, resources, users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TypeVar

from xce_sim.commands.arguments import Flag, Limit, Queue
from xce_sim.commands.inspected import (
    InstanceFacts,
    LimitFacts,
    LimitRow,
    QueueDetail,
    QueueFacts,
    ResourceRow,
    SharedRow,
    UserRow,
)
from xce_sim.commands.registry import Command, command
from xce_sim.commands.results import Listing
from xce_sim.commands.session import Session
from xce_sim.core.job import Job
from xce_sim.core.limits import ResolvedLimit
from xce_sim.core.state import State
from xce_sim.model import config
from xce_sim.model.ids import order_key
from xce_sim.model.job import JOB_STATES, JobState

SECTION = "State inspection"

Word = TypeVar("Word", bound=str)

_LISTS = (
    "users",
    "per_user",
    "queues",
    "per_queue",
    "projects",
    "per_project",
    "hosts",
    "per_host",
)


@command("info queue", SECTION)
def info_queue(session: Session, queue: Queue, *, all: Flag = False) -> QueueDetail:
    """Show a queue: its settings, its pending jobs in the order of picking, its running jobs.

    Usage: info queue Q [all]
    Example: info queue normal
    """
    state = session.player.engine.core.state
    jobs = [job for job in state.jobs.values() if job.queue == queue]
    return QueueDetail(
        facts=_queue_facts(state.queues[queue], Counter(job.state for job in jobs)),
        pending=_waiting_in(state, queue, jobs),
        running=tuple(sorted((job.id for job in jobs if job.charged), key=order_key)),
        whole=all,
    )


@command("info queues", SECTION)
def info_queues(session: Session, *, all: Flag = False) -> Listing:
    """List queues with their priority and jobs, in the order of the configuration.

    Usage: info queues [all]
    Example: info queues
    """
    state = session.player.engine.core.state
    counts: dict[str, Counter[JobState]] = {name: Counter() for name in state.queues}
    for job in state.jobs.values():
        if job.queue in counts:
            counts[job.queue][job.state] += 1
    return Listing(
        rows=(_queue_facts(queue, counts[queue.name]) for queue in state.queues.values()),
        total=len(counts),
        nothing="queues",
        command="info queues all",
        whole=all,
    )


@command("info limit", SECTION)
def info_limit(session: Session, limit: Limit) -> LimitFacts:
    """Show a limit: its value, and what is used of it by each user, queue, project or host.

    A counter stands here once a job has met it; one that each host has of its own, while it is
    used.

    Usage: info limit NAME
    Example: info limit lim_user
    """
    state = session.player.engine.core.state
    found = next(each for each in state.limits.resolved if each.limit.name == limit)
    return _limit_facts(state, found)


@command("info limits", SECTION)
def info_limits(session: Session, *, all: Flag = False) -> Listing:
    """List limits with the counter that is used most, in the order of the configuration.

    Usage: info limits [all]
    Example: info limits
    """
    state = session.player.engine.core.state
    limits = state.limits.resolved
    return Listing(
        rows=(LimitRow(limit=_limit_facts(state, each)) for each in limits),
        total=len(limits),
        nothing="limits",
        command="info limits all",
        whole=all,
    )


@command("info resources", SECTION)
def info_resources(session: Session, *, all: Flag = False) -> Listing:
    """List the resources that are defined, in the order of their definition.

    Usage: info resources [all]
    Example: info resources
    """
    table = session.player.engine.core.state.resources
    return Listing(
        rows=(ResourceRow(definition=item) for item in table),
        total=len(table),
        nothing="resources",
        command="info resources all",
        whole=all,
    )


@command("info shared", SECTION)
def info_shared(session: Session, *, all: Flag = False) -> Listing:
    """List shared resources: what there is of each, and what is in use.

    Usage: info shared [all]
    Example: info shared
    """
    state = session.player.engine.core.state
    shared = [index for index, item in enumerate(state.resources) if item.scope == "shared"]
    return Listing(
        rows=(_shared_row(state, index) for index in shared),
        total=len(shared),
        nothing="shared resources",
        command="info shared all",
        whole=all,
    )


@command("info users", SECTION)
def info_users(session: Session, *, all: Flag = False) -> Listing:
    """List users with their jobs and the slots that these hold, by name.

    Usage: info users [all]
    Example: info users
    """
    jobs: dict[str, Counter[JobState]] = {}
    slots: Counter[str] = Counter()
    for job in session.player.engine.core.state.jobs.values():
        jobs.setdefault(job.user, Counter())[job.state] += 1
        if job.charged and job.allocation is not None:
            slots[job.user] += sum(share.tasks for share in job.allocation.hosts)
    rows = (
        UserRow(name=name, jobs=ordered(jobs[name], JOB_STATES), slots=slots[name])
        for name in sorted(jobs)
    )
    return Listing(rows=rows, total=len(jobs), nothing="users", command="info users all", whole=all)


def ordered(counts: Mapping[Word, int], order: Iterable[Word]) -> dict[str, int]:
    """The counts that are not 0, in the given order."""
    return {str(word): counts[word] for word in order if counts.get(word)}


def _queue_facts(queue: config.Queue, counts: Mapping[JobState, int]) -> QueueFacts:
    return QueueFacts(
        name=queue.name,
        priority=queue.priority,
        active=queue.active,
        hosts=queue.hosts,
        requirement=queue.resreq,
        jobs=ordered(counts, JOB_STATES),
    )


def _waiting_in(state: State, queue: str, jobs: list[Job]) -> tuple[int, ...]:
    """Pending jobs as they are picked; of an inactive queue, which is not picked from, by id."""
    if state.queues[queue].active:
        return tuple([job.id for job in state.order if job.queue == queue])
    return tuple(sorted((job.id for job in jobs if job.state == "pend"), key=order_key))


def _limit_facts(state: State, found: ResolvedLimit) -> LimitFacts:
    limit = found.limit
    values = asdict(limit)
    return LimitFacts(
        name=limit.name,
        resource=limit.resource,
        unit=found.unit,
        value=limit.value,
        keys=tuple([(key, values[key]) for key in _LISTS if values[key] is not None]),
        instances=tuple(sorted(_instances(state, limit), key=lambda each: each.instance)),
    )


def _instances(state: State, limit: config.Limit) -> Iterator[InstanceFacts]:
    ledger, names = state.ledger, state.columns.names
    for (name, instance), usage in ledger.cluster_limits.items():
        if name == limit.name:
            yield InstanceFacts(instance=instance, usage=usage.in_use)
    for (name, instance), counter in ledger.host_limits.items():
        if name != limit.name:
            continue
        if counter.pooled:
            yield InstanceFacts(instance=instance, usage=counter.pool)
            continue
        for host in counter.in_use.nonzero()[0].tolist():
            where = counter.account.instance_on(names[host])
            yield InstanceFacts(instance=where, usage=int(counter.in_use[host]))


def _shared_row(state: State, index: int) -> SharedRow:
    item = state.resources[index]
    usage = state.ledger.shared.get(index)
    return SharedRow(
        name=item.name,
        unit=item.unit,
        value=state.columns.shared.get(index, 0 if item.consumable else None),
        in_use=None if usage is None else usage.in_use,
    )


COMMANDS: tuple[Command, ...] = (
    info_queue,
    info_queues,
    info_limit,
    info_limits,
    info_resources,
    info_shared,
    info_users,
)
