"""Applying increments: how each event changes the state.

"It takes effect between rounds only": nothing here is called while a round runs. An event that
names something unknown, or asks for what can not be, is a `UserError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xce_sim.core import jobs
from xce_sim.core.derive import add_account, rederive
from xce_sim.core.job import Job
from xce_sim.core.limits import resolve_limits
from xce_sim.core.order import fcfs_key
from xce_sim.core.picker import picker_of
from xce_sim.core.state import State
from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.config import SPREADS, Config
from xce_sim.model.ids import format_id
from xce_sim.model.resources import SLOTS
from xce_sim.model.worker import FROZEN_STATUSES, WORKER_STATUSES


def apply(state: State, event: ev.Increment) -> None:
    """Apply one increment."""
    handler = _HANDLERS.get(type(event))
    if handler is None:
        raise UserError(f"{type(event).__name__} is not an increment")
    handler(state, event)


def _config_push(state: State, event: ev.ConfigPush) -> None:
    config = event.config
    check_config(config)
    queues = {queue.name: queue for queue in config.queues}
    for job in state.jobs.values():
        if job.queue not in queues and not job.final:
            raise UserError(f"queue {job.queue} has left the configuration, job {job} is in it")
    limits = resolve_limits(config.limits, config.groups, state.resources)
    state.config, state.queues, state.limits = config, queues, limits
    rederive(state)
    rebuild_order(state)


def check_config(config: Config) -> None:
    """`UserError` for a name that stands twice, an unknown policy or spread."""
    names = [queue.name for queue in config.queues]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"queue {name} stands twice in the configuration")
    picker_of(config.params.policy)
    if config.params.spread not in SPREADS:
        raise UserError(
            f"unknown spread {config.params.spread!r}", hint="known: " + " ".join(SPREADS)
        )


def rebuild_order(state: State) -> None:
    """Make the picking order anew: priorities or queues have changed."""
    state.order.rebuild(
        (fcfs_key(job, state.queues[job.queue].priority), job)
        for job in state.waiting.values()
        if state.queues[job.queue].active
    )


def _resource_defs(state: State, event: ev.ResourceDefs) -> None:
    before = len(state.resources)
    table = state.resources.extended(event.defs)
    if table is state.resources:
        return
    state.columns.define(table)
    for index in range(before, len(table)):
        add_account(state.ledger, state, index, table[index])
    if state.limits.unresolved:
        config = state.config
        state.limits = resolve_limits(config.limits, config.groups, table)
        rederive(state)
    else:
        state.drop_classes()
        state.ledger.touch()


def _shared(state: State, event: ev.SharedPush | ev.SharedUpdate) -> None:
    for name, value in event.values.items():
        state.columns.set_shared(name, value)
        usage = state.ledger.shared.get(state.resources.index[name])
        if usage is not None:
            usage.total = int(value)
    state.ledger.touch()


def _workers_push(state: State, event: ev.WorkersPush) -> None:
    names = [worker.name for worker in event.workers]
    if len(set(names)) != len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise UserError(f"host {twice} stands twice in one push")
    state.columns.add_workers(event.workers)
    rederive(state)


def _jobs_push(state: State, event: ev.JobsPush) -> None:
    ids = [spec.id for spec in event.jobs]
    if len(set(ids)) != len(ids):
        twice = next(job for i, job in enumerate(ids) if job in ids[:i])
        raise UserError(f"job {format_id(twice)} stands twice in one push")
    for spec in event.jobs:
        jobs.arrive(state, spec, event.t, with_state=True)


def _job_new(state: State, event: ev.JobNew) -> None:
    jobs.arrive(state, event.job, event.t, with_state=False)


def _job_update(state: State, event: ev.JobUpdate) -> None:
    found = jobs.targets(state, event.job.id)
    if not found:
        state.ignored_updates += 1
    for job in found:
        if not job.final:
            _update_job(state, job, event)


_KEY_FIELDS = ("user", "queue", "project", "resreq", "hosts", "min_tasks", "max_tasks")


def _update_job(state: State, job: Job, event: ev.JobUpdate) -> None:
    spec, changed = event.job, event.changed
    values = {
        name: getattr(spec if name in changed else job, name)
        for name in (*_KEY_FIELDS, "priority", "queue_time", "run_time")
    }
    if "min_tasks" in changed and "max_tasks" not in changed:
        values["max_tasks"] = max(job.max_tasks, spec.min_tasks)
    if values["queue_time"] is None:
        values["queue_time"] = event.t
    if values["max_tasks"] is None:
        values["max_tasks"] = values["min_tasks"]
    jobs.check_spec(state, replace(spec, id=job.id, **values))
    limits_before = (job.user, job.queue, job.project)
    for name, value in values.items():
        setattr(job, name, value)
    if changed.intersection(_KEY_FIELDS):
        job.klass = None
    if limits_before != (job.user, job.queue, job.project):
        jobs.recharge(state, job)
    if changed & {"state", "allocs", "start_time", "end_time"}:
        jobs.change_state(
            state,
            job,
            spec.state if "state" in changed else job.state,
            spec.start_time,
            spec.end_time,
            spec.allocs,
            event.t,
        )
    elif "run_time" in changed and job.charged:
        state.arrived.append(job)
    jobs.refile(state, job)


def _job_remove(state: State, event: ev.JobRemove) -> None:
    found = jobs.targets(state, event.id)
    if not found:
        state.ignored_updates += 1
    for job in found:
        jobs.remove(state, job)


def _host(state: State, name: str) -> int:
    host = state.columns.index.get(name)
    if host is None:
        raise UserError(f"unknown host {name!r}")
    return host


def _worker_update(state: State, event: ev.WorkerUpdate) -> None:
    host = _host(state, event.name)
    if event.slots is not None:
        state.columns.set_slots(host, event.slots)
        state.ledger.total_changed(SLOTS)
    if event.status is not None:
        if event.status not in WORKER_STATUSES:
            raise UserError(f"host {event.name}: unknown status {event.status!r}")
        before = state.columns.status_of(host)
        state.columns.set_status(host, event.status)
        if before in FROZEN_STATUSES and event.status not in FROZEN_STATUSES:
            rederive(state)
    state.ledger.touch()


def _values_update(state: State, event: ev.ValuesUpdate) -> None:
    host = _host(state, event.host)
    for name, value in event.values.items():
        state.columns.set_value(host, name, value)
        state.ledger.total_changed(state.resources.index[name])


def _queue_update(state: State, event: ev.QueueUpdate) -> None:
    queue = state.queues.get(event.name)
    if queue is None:
        raise UserError(f"unknown queue {event.name!r}")
    changes: dict[str, Any] = {
        name: value
        for name in ("priority", "active", "resreq", "hosts")
        if (value := getattr(event, name)) is not None
    }
    if event.all_hosts:
        changes["hosts"] = None
    state.queues[event.name] = replace(queue, **changes)
    queues = tuple(state.queues[known.name] for known in state.config.queues)
    state.config = replace(state.config, queues=queues)
    if "hosts" in changes or "resreq" in changes:
        state.drop_classes()
    rebuild_order(state)
    state.ledger.touch()


_HANDLERS: dict[type, Callable[[State, Any], None]] = {
    ev.ConfigPush: _config_push,
    ev.ResourceDefs: _resource_defs,
    ev.SharedPush: _shared,
    ev.SharedUpdate: _shared,
    ev.WorkersPush: _workers_push,
    ev.JobsPush: _jobs_push,
    ev.JobNew: _job_new,
    ev.JobUpdate: _job_update,
    ev.JobRemove: _job_remove,
    ev.WorkerUpdate: _worker_update,
    ev.ValuesUpdate: _values_update,
    ev.QueueUpdate: _queue_update,
}
