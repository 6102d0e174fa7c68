"""Runs of neighbouring job ids: how a recording writes many jobs in one message.

A run is `(first, last)`: plain jobs that follow each other, or elements of one array. The number
of jobs in one message is bounded, so a damaged file can not ask for all of memory.
"""

from __future__ import annotations

from collections.abc import Iterable

from xce_sim.errors import ReplayError
from xce_sim.model.ids import JobId, base_of, format_id, id_runs, index_of, make_id

MAX_JOBS = 1 << 22
"""The most jobs in one message: four times what is ever pending."""

_ELEMENT = make_id(1, 1) - 1

__all__ = ["MAX_JOBS", "expand_runs", "id_runs"]


def expand_runs(runs: Iterable[tuple[JobId, JobId]]) -> tuple[JobId, ...]:
    """All jobs of the runs, in order; `ReplayError` for a backward or absurd run."""
    jobs: list[JobId] = []
    for first, last in runs:
        if first == last:
            jobs.append(first)
            continue
        step = _ELEMENT if index_of(first) else 1
        alike = base_of(first) == base_of(last) if index_of(first) else not index_of(last)
        if not alike or last < first:
            raise ReplayError(f"{format_id(first)} to {format_id(last)} is no run of jobs")
        if len(jobs) + (last - first) // step >= MAX_JOBS:
            raise ReplayError(f"more than {MAX_JOBS} jobs in one message")
        jobs.extend(range(first, last + 1, step))
    return tuple(jobs)
