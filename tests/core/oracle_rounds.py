"""The scheduling contract once more: when rounds happen, and what each of them decides."""

from __future__ import annotations

from collections.abc import Iterable

from core.oracle import CHARGED, World
from core.oracle_place import Failure, Placing

from xce_sim.model import event as ev
from xce_sim.model.ids import order_key
from xce_sim.model.job import Allocation

Decision = tuple
Round = tuple[int, int, list[Decision]]
"""Time, number, decisions."""


def simulate(header: ev.Header, events: Iterable[ev.Event]) -> list[Round]:
    """All rounds of a replay."""
    return workload(header, list(events)) if header.mode == "workload" else recorded(events)


def recorded(events: Iterable[ev.Event]) -> list[Round]:
    """Rounds where the recording says so."""
    world, rounds = World(), []
    for event in events:
        world.advance(event.t)
        if isinstance(event, ev.RoundBegin):
            rounds.append((event.t, event.round, decide(world)))
        elif not isinstance(event, ev.RoundEnd):
            world.apply(event)
    return rounds


def workload(header: ev.Header, events: list[ev.Event]) -> list[Round]:
    """At an instant: job ends by id, then events in file order, then one round."""
    world, rounds = World(), []
    due = last = None
    while True:
        ends = {job.id: end_of(world, job) for job in world.jobs.values()}
        times = [end for end in ends.values() if end is not None]
        times += [event.t for event in events[:1]]
        times += [] if due is None else [due]
        if not times:
            return rounds
        now = max(min(times), world.now)
        world.advance(now)
        happened = False
        for job in sorted(ends, key=order_key):
            if ends[job] is not None and ends[job] <= now:
                world.jobs[job].state, world.jobs[job].end_time = "done", now
                happened = True
        while events and events[0].t <= now:
            world.apply(events.pop(0))
            happened = True
        if happened and due is None:
            due = now if last is None else max(now, last + header.interval)
        if due is not None and due <= now:
            due, last = None, now
            rounds.append((now, len(rounds) + 1, decide(world)))


def end_of(world: World, job) -> int | None:
    """When a job ends by itself."""
    if job.state not in CHARGED or job.run_time is None:
        return None
    return job.start_time + job.run_time


def decide(world: World) -> list[Decision]:
    """One round."""
    decisions: list[Decision] = []
    started = [
        job
        for job in world.jobs.values()
        if job.state == "run" and not job.decided and not job.reported
    ]
    for job in sorted(started, key=lambda job: (job.start_time, order_key(job.id))):
        job.reported = True
        decisions.append(("reconstructed", job.id, *plain_allocation(job.allocs)))
    for job in world.picked():
        request = world.request(job)
        if request is None:
            decisions.append(("no_object", job.id))
            continue
        found = Placing(world, job).place(request)
        if isinstance(found, Failure):
            decisions.append(("pend", job.id, found.main, frozenset(found.entries)))
            if world.config.params.policy == "builtin_fcfs_strict":
                break
            continue
        job.state, job.allocs, job.start_time, job.decided = "run", found, world.now, True
        decisions.append(("dispatch", job.id, *plain_allocation(found)))
    return decisions


def plain_allocation(found: Allocation) -> tuple:
    """Hosts in the order in which they were claimed; what is zero is left away."""

    def nonzero(amounts) -> tuple:
        return tuple(sorted((name, n) for name, n in amounts.items() if n))

    hosts = tuple((share.host, share.tasks, nonzero(share.amounts)) for share in found.hosts)
    return hosts, nonzero(found.shared)
