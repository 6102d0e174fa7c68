"""The picking order, kept incrementally.

Entries are sorted by a policy's key; insertion and removal find their place by bisection.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from xce_sim.core.job import Job
from xce_sim.model.ids import JobId, order_key

SortKey = tuple[int, int, int, int]


def fcfs_key(job: Job, queue_priority: int) -> SortKey:
    """First come, first served.

    "queue priority (descending), job priority (descending), `queue_time`, id"
    """
    return (-queue_priority, -job.priority, job.queue_time, order_key(job.id))


class PickingOrder:
    """Pending jobs of active queues in the order in which they are picked.

    While a round walks along, jobs may be removed and nothing may be added. `version` changes
    whenever the order does.
    """

    def __init__(self) -> None:
        self._keys: list[SortKey] = []
        self._jobs: dict[SortKey, Job] = {}
        self._key_of: dict[JobId, SortKey] = {}
        self.version = 0

    def __len__(self) -> int:
        return len(self._key_of)

    def __iter__(self) -> Iterator[Job]:
        """Walk along; a job that is removed meanwhile is not met again."""
        for key in tuple(self._keys):
            job = self._jobs.get(key)
            if job is not None:
                yield job

    def __contains__(self, job: JobId) -> bool:
        return job in self._key_of

    def rebuild(self, jobs: Iterable[tuple[SortKey, Job]]) -> None:
        """Start anew with these jobs."""
        self.version += 1
        self._jobs = dict(jobs)
        self._key_of = {job.id: key for key, job in self._jobs.items()}
        self._keys = sorted(self._jobs)

    def add(self, key: SortKey, job: Job) -> None:
        """Add a job, or move it if it is there."""
        self.remove(job.id)
        self.version += 1
        self._key_of[job.id] = key
        self._jobs[key] = job
        if not self._keys or key > self._keys[-1]:
            self._keys.append(key)
        else:
            insort(self._keys, key)

    def remove(self, job: JobId) -> None:
        """Take a job out; one that is not there is no error."""
        key = self._key_of.pop(job, None)
        if key is not None:
            self.version += 1
            del self._jobs[key]
            del self._keys[bisect_left(self._keys, key)]
