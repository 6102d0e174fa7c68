"""The tasks of a plan's positions, kept as runs of equal neighbours.

A plan may have thousands of positions, nearly all alike. Decides how they are stored; how they
are printed is the business of the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice

MAX_RUNS = 256
"""Longer sequences keep their first runs; of the rest the number of positions is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSizes:
    """`runs` are (tasks, how many positions in a row); `positions` counts all of them.

    `unlisted` positions at the end are not covered by `runs`.
    """

    runs: tuple[tuple[int, int], ...]
    positions: int
    unlisted: int = 0

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return 56 + 56 + 80 * len(self.runs)


def pack_sizes(sizes: Sequence[int]) -> TaskSizes:
    """Runs of a sequence of tasks per position.

    A sequence that has its own `runs`, as (tasks, count) pairs, is not walked through.
    """
    given: Sequence[tuple[int, int]] | None = getattr(sizes, "runs", None)
    if given is not None:
        runs = tuple((int(tasks), int(count)) for tasks, count in given[:MAX_RUNS])
    else:
        groups = ((int(tasks), sum(1 for _ in same)) for tasks, same in groupby(sizes))
        runs = tuple(islice(groups, MAX_RUNS))
    positions = len(sizes)
    return TaskSizes(
        runs=runs, positions=positions, unlisted=positions - sum(count for _, count in runs)
    )
