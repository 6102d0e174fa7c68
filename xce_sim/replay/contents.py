"""Rules about what state events and increments contain.

Names that exist, values that fit their definitions ("a consumable is not negative and has at most
three decimals; NaN and infinities are refused"), "duplicate ids in one push are refused; a `run`
needs allocations".

Choices: the lists of hosts of queues, jobs and limits may name hosts that are not there, as these
lists only narrow a choice. A job resumed to `run` keeps its allocation and need not repeat it.
Parts of one push may come in several pieces; what a bracket names twice is refused over all of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.ids import JobId, format_id
from xce_sim.model.job import Allocation, JobSpec
from xce_sim.model.resources import Value, check_definition
from xce_sim.model.units import MAX_MILLI, format_milli
from xce_sim.model.worker import Worker
from xce_sim.replay.job_faults import job_faults
from xce_sim.replay.world import World


class Contents:
    """One method for each kind of event that changes state."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.rules: dict[type, Callable[[Any], None]] = {
            ev.ConfigPush: self._config,
            ev.ResourceDefs: self._definitions,
            ev.SharedPush: self._shared,
            ev.SharedUpdate: self._shared,
            ev.WorkersPush: self._workers,
            ev.JobsPush: self._jobs,
            ev.JobNew: self._job_new,
            ev.JobUpdate: self._job_update,
            ev.JobRemove: self._job_remove,
            ev.WorkerUpdate: self._worker_update,
            ev.ValuesUpdate: self._values_update,
            ev.QueueUpdate: self._queue_update,
            ev.Held: self._held,
        }

    # ---- configuration and resources ----

    def _config(self, event: ev.ConfigPush) -> None:
        world, config = self._world, event.config
        self._distinct("queue", [queue.name for queue in config.queues])
        self._distinct("limit", [limit.name for limit in config.limits])
        world.names.queues = {queue.name for queue in config.queues}
        world.names.limits = {limit.name for limit in config.limits}
        for limit in config.limits:
            if limit.resource != "jobs":
                world.require_soon("resource", limit.resource, f"limit {limit.name}")
            if not 0 <= limit.value < MAX_MILLI:
                world.fail(
                    "value",
                    f"limit {limit.name}: value {format_milli(limit.value)} is out of range",
                )

    def _definitions(self, event: ev.ResourceDefs) -> None:
        world = self._world
        self._distinct("resource", [item.name for item in event.defs])
        for item in event.defs:
            known = world.names.resources.get(item.name)
            try:
                check_definition(item)
            except UserError as error:
                world.fail("definition", error.message)
            else:
                if known is not None and known != item:
                    world.fail("definition", f"resource {item.name} is already defined differently")
                world.names.resources.setdefault(item.name, item)

    def _shared(self, event: ev.SharedPush | ev.SharedUpdate) -> None:
        part = isinstance(event, ev.SharedPush)
        if part:
            self._distinct("shared resource", event.values)
        self._values("shared", event.values, shared=True, part=part)

    # ---- hosts ----

    def _workers(self, event: ev.WorkersPush) -> None:
        self._distinct("host", [worker.name for worker in event.workers])
        for worker in event.workers:
            self._worker(worker)

    def _worker(self, worker: Worker) -> None:
        hosts = self._world.names.hosts
        hosts.setdefault(worker.name, len(hosts))
        self._values(worker.name, worker.values, shared=False, part=True)
        if worker.frozen is not None:
            if self._world.bracket != "snapshot":
                self._world.fail("snapshot", f"host {worker.name}: frozen outside a snapshot")
            for amounts in (worker.frozen.amounts, worker.frozen.limits):
                self._amounts(f"host {worker.name}", amounts)

    def _worker_update(self, event: ev.WorkerUpdate) -> None:
        self._host(event.name, "worker_update")

    def _values_update(self, event: ev.ValuesUpdate) -> None:
        self._host(event.host, "values_update")
        self._values(event.host, event.values, shared=False, part=False)

    def _queue_update(self, event: ev.QueueUpdate) -> None:
        if event.name not in self._world.names.queues:
            self._world.require("queue", event.name, "queue_update", part=False)
        if event.all_hosts and event.hosts is not None:
            self._world.fail("value", f"queue {event.name}: both a list of hosts and all hosts")

    # ---- jobs ----

    def _jobs(self, event: ev.JobsPush) -> None:
        self._distinct("job", [job.id for job in event.jobs])
        for job in event.jobs:
            self._job(job, part=True)

    def _job_new(self, event: ev.JobNew) -> None:
        self._job(event.job, part=False)

    def _job(self, job: JobSpec, *, part: bool) -> None:
        world = self._world
        if job.queue not in world.names.queues:
            subject = f"job {format_id(job.id)}"
            world.require("queue", job.queue, subject, part=part)
        faults = job_faults(job)
        for wrong in faults:
            world.fail("job", f"job {format_id(job.id)}: {wrong}")
        if job.allocs is not None:
            self.allocation(job.id, job.allocs, part=part)
        if job.state == "run" and (job.allocs is None or not job.allocs.hosts):
            world.fail("run", f"job {format_id(job.id)}: run needs allocations")
        if world.bracket != "snapshot" and (
            job.decided or job.reported or job.main is not None or job.set is not None
        ):
            world.fail("snapshot", f"job {format_id(job.id)}: fields that only a snapshot has")
        if job.set is not None and world.bracket == "snapshot":
            world.wanted_sets.setdefault(job.set, world.item[:2])
        if not faults:
            world.names.jobs.add(job, world.now)

    def _job_update(self, event: ev.JobUpdate) -> None:
        world, job, changed = self._world, event.job, event.changed
        jobs = world.names.jobs
        if "queue" in changed and job.queue not in world.names.queues:
            world.require("queue", job.queue, f"job {format_id(job.id)}", part=False)
        if "allocs" in changed:
            if job.allocs is not None:
                self.allocation(job.id, job.allocs, part=False)
            jobs.set_allocation(job.id, held=bool(job.allocs and job.allocs.hosts))
        if "state" in changed:
            if job.state == "run" and not jobs.holds(job.id) and self._is_single(job.id):
                world.fail("run", f"job {format_id(job.id)}: run needs allocations")
            jobs.set_state(job.id, job.state, world.now)
        for wrong in job_faults(job):
            world.fail("job", f"job {format_id(job.id)}: {wrong}")

    def _is_single(self, job: JobId) -> bool:
        jobs = self._world.names.jobs
        return job in jobs and not jobs.is_array(job)

    def _job_remove(self, event: ev.JobRemove) -> None:
        self._world.names.jobs.remove(event.id)

    def allocation(self, job: JobId, allocs: Allocation, *, part: bool) -> None:
        """Hosts and resources exist, amounts are not negative; slots are implied by tasks."""
        names = self._world.names
        for share in allocs.hosts:
            if share.host not in names.hosts:
                subject = f"job {format_id(job)}"
                self._world.require("host", share.host, subject, part=part)
            if share.tasks < 1:
                self._world.fail("job", f"job {format_id(job)}: no task on host {share.host}")
            if share.amounts:
                self._held_amounts(job, share.amounts, shared=False, part=part)
        if allocs.shared:
            self._held_amounts(job, allocs.shared, shared=True, part=part)

    def _held_amounts(
        self, job: JobId, amounts: Mapping[str, int], *, shared: bool, part: bool
    ) -> None:
        subject = f"job {format_id(job)}"
        for name, milli in amounts.items():
            item = self._world.names.resources.get(name)
            if name == "slots":
                self._world.fail("value", f"{subject}: slots are implied by its tasks")
            elif item is not None and not item.consumable:
                self._world.fail("value", f"{subject}: resource {name} is not consumable")
            else:
                self._world.require_value(name, milli, subject, shared=shared, part=part)

    def _held(self, event: ev.Held) -> None:
        """Its names are not looked for: the push that it waits for may bring or drop them."""
        inner = event.event
        if inner.t > event.t:
            self._world.fail("time", "an event is held back before its time")
        jobs = inner.jobs if isinstance(inner, ev.JobsPush) else ()
        if isinstance(inner, ev.JobNew | ev.JobUpdate):
            jobs = (inner.job,)
        for job in jobs:
            for wrong in job_faults(job):
                self._world.fail("job", f"job {format_id(job.id)}: {wrong}")

    # ---- shared by several ----

    def _host(self, name: str, subject: str) -> None:
        if name not in self._world.names.hosts:
            self._world.require("host", name, subject, part=False)

    def _values(
        self, subject: str, values: Mapping[str, Value], *, shared: bool, part: bool
    ) -> None:
        for name, value in values.items():
            self._world.require_value(name, value, subject, shared=shared, part=part)

    def _amounts(self, subject: str, amounts: Mapping[str, int]) -> None:
        for name, milli in amounts.items():
            if not 0 <= milli < MAX_MILLI:
                self._world.fail("value", f"{subject}: amount of {name} is out of range")

    def _distinct(self, kind: str, names: Iterable[object]) -> None:
        """No name twice in one push, over all its pieces."""
        seen = self._world.pushed.setdefault(kind, set()) if self._world.bracket else set()
        for name in names:
            if name in seen:
                shown = format_id(name) if isinstance(name, int) else name
                self._world.fail("duplicate", f"{kind} {shown} stands twice in one push")
            seen.add(name)
