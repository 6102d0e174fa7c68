"""A set of job ids that stays small when ids come in rows.

A long replay may mark millions of jobs, so 64 neighbours share one number instead of taking a set
entry each.
"""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.model.ids import JobId, JobSelector, base_of, index_of, make_id

_SHIFT = 6
_MASK = (1 << _SHIFT) - 1


class JobMarks:
    """Marked job ids."""

    def __init__(self) -> None:
        self._bits: dict[int, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, job: JobId) -> bool:
        number = _number(job)
        return bool(self._bits.get(number >> _SHIFT, 0) >> (number & _MASK) & 1)

    def add(self, job: JobId) -> None:
        """Mark a job."""
        if job not in self:
            number = _number(job)
            bits = self._bits.get(number >> _SHIFT, 0)
            self._bits[number >> _SHIFT] = bits | 1 << (number & _MASK)
            self._count += 1

    def discard(self, job: JobId) -> None:
        """Take the mark away if there is one."""
        if job in self:
            number = _number(job)
            bits = self._bits[number >> _SHIFT] & ~(1 << (number & _MASK))
            if bits:
                self._bits[number >> _SHIFT] = bits
            else:
                del self._bits[number >> _SHIFT]
            self._count -= 1

    def matching(self, selector: JobSelector) -> Iterator[JobId]:
        """The marked jobs that a selector names, in no particular order."""
        whole = selector.base >> _SHIFT
        for group, bits in self._bits.items():
            if group == whole or group >> (32 - _SHIFT) == selector.base:
                for bit in range(_MASK + 1):
                    if bits >> bit & 1:
                        job = _job(group << _SHIFT | bit)
                        if selector.matches(job):
                            yield job


def _number(job: JobId) -> int:
    """A number in which neighbours are next to each other: plain ids, and elements by array."""
    index = index_of(job)
    return base_of(job) << 32 | index if index else job


def _job(number: int) -> JobId:
    base = number >> 32
    return make_id(base, number & 0xFFFF_FFFF) if base else number
