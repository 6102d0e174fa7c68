"""The latest record of each job, within a bound on memory.

"Bound the total memory used by stored traces to 64 MiB and, when the bound is reached, discard the
oldest stored traces first, never discarding the most recently captured trace." A discarded job
keeps a mark until it is captured again; the marks are not counted. Records of one session share
their table of host names, which is counted once for as long as any of them is stored.
"""

from __future__ import annotations

import sys

from xce_sim.model.ids import JobId, JobSelector, make_id, order_key
from xce_sim.trace.marks import JobMarks
from xce_sim.trace.records import TraceRecord
from xce_sim.trace.settings import STORE_BYTES

SLOT_BYTES = 256
"""What keeping a record takes besides the record itself."""


class TraceStore:
    """Records by job, in the order in which they were captured."""

    def __init__(self, limit: int = STORE_BYTES) -> None:
        self.limit = limit
        self._records: dict[JobId, tuple[TraceRecord, int]] = {}
        self._tables: dict[int, list[int]] = {}
        self._discarded = JobMarks()
        self._nbytes = 0

    def __len__(self) -> int:
        return len(self._records)

    @property
    def nbytes(self) -> int:
        """An estimate of the memory that all stored records take."""
        return self._nbytes

    @property
    def discarded_count(self) -> int:
        """How many jobs have no record because theirs was discarded."""
        return len(self._discarded)

    def put(self, record: TraceRecord) -> None:
        """Keep the record in place of the job's previous one; discard the oldest if need be."""
        self._drop(record.job)
        self._discarded.discard(record.job)
        nbytes = record.nbytes + SLOT_BYTES
        self._records[record.job] = (record, nbytes)
        self._nbytes += nbytes + self._hold_table(record.host_names)
        while self._nbytes > self.limit and len(self._records) > 1:
            oldest = next(iter(self._records))
            self._drop(oldest)
            self._discarded.add(oldest)

    def get(self, job: JobId) -> TraceRecord | None:
        """The job's record, or None."""
        found = self._records.get(job)
        return None if found is None else found[0]

    def was_discarded(self, job: JobId) -> bool:
        """Whether the job has no record because it was discarded."""
        return job in self._discarded

    def matching(self, selector: JobSelector) -> list[TraceRecord]:
        """The records of the jobs that a selector names, by element index."""
        if selector.first is not None and selector.first == selector.last:
            found = self.get(make_id(selector.base, selector.first))
            return [] if found is None else [found]
        jobs = [job for job in self._records if selector.matches(job)]
        return [self._records[job][0] for job in sorted(jobs, key=order_key)]

    def discarded(self, selector: JobSelector) -> list[JobId]:
        """The discarded jobs that a selector names, by element index."""
        return sorted(self._discarded.matching(selector), key=order_key)

    def _drop(self, job: JobId) -> None:
        found = self._records.pop(job, None)
        if found is not None:
            record, nbytes = found
            self._nbytes -= nbytes + self._release_table(record.host_names)

    def _hold_table(self, names: tuple[str, ...]) -> int:
        """Count one more user of a table; its size if it is the first."""
        table = self._tables.get(id(names))
        if table is not None:
            table[0] += 1
            return 0
        size = sys.getsizeof(names) + sum(map(sys.getsizeof, names))
        self._tables[id(names)] = [1, size]
        return size

    def _release_table(self, names: tuple[str, ...]) -> int:
        """Count one user less; the table's size if it was the last."""
        table = self._tables[id(names)]
        table[0] -= 1
        if table[0]:
            return 0
        del self._tables[id(names)]
        return table[1]
