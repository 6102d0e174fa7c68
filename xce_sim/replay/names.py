"""What the events so far have introduced, as far as later events refer to it.

Tables for the checks: queues, limits, resources, hosts and jobs by name. They follow the stream,
not a scheduler: memory is that of what is there at one time, not of the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xce_sim.model.clock import SECOND, Micros
from xce_sim.model.ids import JobId, base_of, index_of
from xce_sim.model.job import FINAL_STATES, JobSpec, JobState
from xce_sim.model.resources import SLOTS_DEF, ResourceDef

_LINGER = 60 * SECOND
"""A final job "leaves the tables 60 s of simulated time later"."""


class Jobs:
    """Which jobs are there, and which of them hold an allocation.

    Not `tracked` (in a workload nothing refers to a job but updates, which may be late) every job
    is there, and only allocations are remembered.
    """

    def __init__(self, *, tracked: bool) -> None:
        self._tracked = tracked
        self._plain: set[JobId] = set()
        self._elements: dict[int, set[int]] = {}
        self._arrays: dict[int, range] = {}
        self._gone: dict[int, set[int]] = {}
        self._leaving: dict[JobId, Micros] = {}
        self._holding: set[JobId] = set()

    def __contains__(self, job: JobId) -> bool:
        if job in self._plain or not self._tracked:
            return True
        base, index = base_of(job), index_of(job)
        if not index:
            return base in self._arrays or base in self._elements
        if index in self._elements.get(base, ()):
            return True
        return index in self._arrays.get(base, ()) and index not in self._gone.get(base, ())

    def has_all(self, jobs: Sequence[JobId]) -> bool:
        """Whether all of these are there."""
        return self._plain.issuperset(jobs) or all(job in self for job in jobs)

    def is_array(self, job: JobId) -> bool:
        """Whether the id is the base of elements that are there."""
        return job in self._arrays or job in self._elements

    def holds(self, job: JobId) -> bool:
        """Whether the job has an allocation."""
        return job in self._holding

    def add(self, spec: JobSpec, now: Micros) -> None:
        """A job or array arrives, or is pushed."""
        job = spec.id
        if not self._tracked:
            pass
        elif spec.array is not None:
            self._arrays[base_of(job)] = spec.array.indices()
            self._gone.pop(base_of(job), None)
        elif index_of(job):
            self._elements.setdefault(base_of(job), set()).add(index_of(job))
        else:
            self._plain.add(job)
        if spec.allocs is not None and spec.allocs.hosts:
            self._holding.add(job)
        if spec.state != "pend":
            self.set_state(job, spec.state, now)

    def set_allocation(self, job: JobId, *, held: bool) -> None:
        """The job got an allocation, or has none any more."""
        if held:
            self._holding.add(job)
        else:
            self._holding.discard(job)

    def set_state(self, job: JobId, state: JobState, now: Micros) -> None:
        """A final job leaves later, a pending one holds nothing."""
        if state in FINAL_STATES and self._tracked:
            self._leaving.setdefault(job, now + _LINGER)
        if state not in ("run", "susp"):
            self._holding.discard(job)

    def remove(self, job: JobId) -> None:
        """A job leaves, an array with all its elements."""
        self._plain.discard(job)
        self._leaving.pop(job, None)
        self._holding.discard(job)
        base, index = base_of(job), index_of(job)
        if not index:
            self._elements.pop(base, None)
            self._arrays.pop(base, None)
            self._gone.pop(base, None)
            return
        elements = self._elements.get(base)
        if elements is not None:
            elements.discard(index)
            if not elements:
                del self._elements[base]
        if index in self._arrays.get(base, ()):
            gone = self._gone.setdefault(base, set())
            gone.add(index)
            if len(gone) == len(self._arrays[base]):
                del self._arrays[base], self._gone[base]

    def advance(self, now: Micros) -> None:
        """Time goes on: final jobs leave."""
        while self._leaving:
            job, time = next(iter(self._leaving.items()))
            if time > now:
                return
            self.remove(job)


@dataclass(slots=True)
class Names:
    """Everything that can be referred to, as one full push or the increments have given it."""

    queues: set[str] = field(default_factory=set)
    limits: set[str] = field(default_factory=set)
    resources: dict[str, ResourceDef] = field(default_factory=lambda: {SLOTS_DEF.name: SLOTS_DEF})
    hosts: dict[str, int] = field(default_factory=dict)
    jobs: Jobs = field(default_factory=lambda: Jobs(tracked=True))
