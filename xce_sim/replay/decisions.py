"""Rules about what recorded decisions contain.

Jobs, hosts and resources that they name exist in the state that the recorded scheduler had then;
a `reason_set` "is written once and referred to by number" (a snapshot may write it again, so that a
reader can start there); a pend has its entries either inline or by number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xce_sim.model import event as ev
from xce_sim.model.ids import JobId, format_id
from xce_sim.model.job import Allocation
from xce_sim.model.units import MAX_MILLI
from xce_sim.replay.world import World

CODES = frozenset(
    (
        "CLAUSE_UNSUPPORTED",
        "SHARED_RESOURCE",
        "CLUSTER_LIMIT",
        "NO_CANDIDATE",
        "NO_PLAN",
        "SELECT_MISMATCH",
        "HOST_RESOURCE",
        "HOST_LIMIT",
        "HOST_ERROR",
        "NOT_ENOUGH_HOSTS",
    )
)
"""The pend reason codes; repeated here because their module needs an array library."""


class Decisions:
    """One method for each kind of event of a round that has contents."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.rules: dict[type, Callable[[Any], None]] = {
            ev.RecordedDispatch: self._dispatch,
            ev.ReasonSet: self._reason_set,
            ev.RecordedPend: self._pend,
            ev.RecordedPendRun: self._pend_run,
        }

    def _dispatch(self, event: ev.RecordedDispatch) -> None:
        self._job(event.job, "dispatch")
        self._allocation(event.job, event.allocs)
        if event.allocs.hosts:
            self._world.live.jobs.set_allocation(event.job, held=True)

    def _allocation(self, job: JobId, allocs: Allocation) -> None:
        world, subject = self._world, f"dispatch of job {format_id(job)}"
        lists = [allocs.shared]
        for share in allocs.hosts:
            if not world.knows("hosts", share.host):
                world.fail("host", f"{subject}: unknown host {share.host!a}")
            if share.tasks < 1:
                world.fail("job", f"{subject}: no task on host {share.host}")
            lists.append(share.amounts)
        for amounts in lists:
            for name, milli in amounts.items():
                if not world.knows("resources", name):
                    world.fail("resource", f"{subject}: unknown resource {name!a}")
                if not 0 <= milli < MAX_MILLI:
                    world.fail("value", f"{subject}: amount of {name} is out of range")

    def _reason_set(self, event: ev.ReasonSet) -> None:
        world = self._world
        if event.set in world.sets and world.bracket != "snapshot":
            world.fail("reason", f"reason set {event.set} is written twice")
        world.sets.add(event.set)
        self._entries(event.entries, f"reason set {event.set}")

    def _pend(self, event: ev.RecordedPend) -> None:
        subject = f"pend of job {format_id(event.job)}"
        self._job(event.job, "pend")
        self._main(event.main, subject)
        if (event.set is None) == (event.reasons is None):
            what = "neither a set nor" if event.set is None else "both a set and"
            self._world.fail("reason", f"{subject}: {what} reasons of its own")
        if event.set is not None:
            self._set(event.set, subject)
        if event.reasons is not None:
            self._entries(event.reasons, subject)

    def _pend_run(self, event: ev.RecordedPendRun) -> None:
        if not self._world.live.jobs.has_all(event.jobs):
            for job in event.jobs:
                self._job(job, "pend_run")
        if not event.jobs:
            self._world.fail("job", "pend_run without jobs")
        self._main(event.main, "pend_run")
        self._set(event.set, "pend_run")

    def _job(self, job: JobId, subject: str) -> None:
        if not self._world.knows("jobs", job):
            self._world.fail("job", f"{subject}: unknown job {format_id(job)}")

    def _main(self, code: str, subject: str) -> None:
        if code not in CODES:
            self._world.fail("reason", f"{subject}: unknown reason code {code!a}")

    def _set(self, number: int, subject: str) -> None:
        if number not in self._world.sets:
            self._world.fail("reason", f"{subject}: unknown reason set {number}")

    def _entries(self, entries: tuple[ev.RecordedEntry, ...], subject: str) -> None:
        world = self._world
        for entry in entries:
            self._main(entry.code, subject)
            if entry.resource is not None and not world.knows("resources", entry.resource):
                world.fail("resource", f"{subject}: unknown resource {entry.resource!a}")
            if entry.limit is not None and not world.knows_limit(entry.limit):
                world.fail("limit", f"{subject}: unknown limit {entry.limit!a}")
            for host in entry.hosts or ():
                self._host(host, subject)

    def _host(self, item: str | ev.HostRange, subject: str) -> None:
        world = self._world
        for name in (item,) if isinstance(item, str) else (item.first, item.last):
            if not world.knows("hosts", name):
                world.fail("host", f"{subject}: unknown host {name!a}")
                return
        if isinstance(item, ev.HostRange) and not world.in_order(item.first, item.last):
            world.fail("host", f"{subject}: hosts {item.first} to {item.last} run backwards")
