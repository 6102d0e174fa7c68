"""When jobs of a workload end by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from xce_sim.model.clock import Micros
from xce_sim.model.ids import JobId, order_key


class Agenda:
    """A queue of (time, job), in order of time and then of id.

    An entry may be out of date (the job ended otherwise, or ends later); who takes it asks.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[Micros, int, JobId]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, time: Micros, job: JobId) -> None:
        """Note that a job ends at that time."""
        heappush(self._heap, (time, order_key(job), job))

    def first(self) -> Micros | None:
        """The earliest time noted, None if there is none."""
        return self._heap[0][0] if self._heap else None

    def take(self, now: Micros) -> Iterator[JobId]:
        """Take out all jobs noted up to a time, in order; each at most once for one time."""
        last: JobId | None = None
        while self._heap and self._heap[0][0] <= now:
            job = heappop(self._heap)[2]
            if job != last:
                yield job
            last = job
