"""Placement plans: how T tasks are divided over positions, each filled by one host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

import numpy as np

from xce_sim.core.sieve import Sieve
from xce_sim.model.columns import Int64Array
from xce_sim.model.config import Spread
from xce_sim.model.reasons import IndexArray
from xce_sim.resreq.request import Span


@dataclass(frozen=True, slots=True)
class Plan:
    """Positions in order as runs of equal ones: `((size, count), ...)`."""

    runs: tuple[tuple[int, int], ...]
    fill: bool = False

    @property
    def tasks(self) -> int:
        """All tasks."""
        return sum(size * count for size, count in self.runs)

    @property
    def positions(self) -> int:
        """How many hosts it takes."""
        return sum(count for _, count in self.runs)

    @property
    def largest(self) -> int:
        """The tasks of its largest position."""
        return max(size for size, _ in self.runs)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Tasks of every position."""
        return tuple(size for size, count in self.runs for _ in range(count))


class Planner(Protocol):
    """Makes the plans for T tasks, in the order in which they are to be tried.

    A plan that depends on the hosts is asked of the sieve (of one set of candidates); nothing
    that a planner computes leaves a reason.
    """

    def fixed_plans(self, tasks: int) -> Iterator[Plan]:
        """The plans that do not depend on hosts."""
        ...

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:
        """The plan fitted to what is free, tried after the others, if there is one."""
        ...


def planner_for(span: Span, spread: Spread) -> Planner:
    """The planner of a requirement's span; without one the cluster's `spread` decides."""
    if span.kind == "one_host":
        return OneHost()
    if span.kind == "ptile":
        return Tiles(span.ptile)
    return Even() if spread == "even" else Fill()


class OneHost:
    """`span[hosts=1]`: "one position of T"."""

    def fixed_plans(self, tasks: int) -> Iterator[Plan]:  # noqa: D102
        yield Plan(((tasks, 1),))

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102, ARG002
        return None


class Tiles:
    """`span[ptile=p]`: "positions of p, and one of the remainder if there is one"."""

    def __init__(self, tile: int) -> None:
        self._tile = tile

    def fixed_plans(self, tasks: int) -> Iterator[Plan]:  # noqa: D102
        whole, rest = divmod(tasks, self._tile)
        runs = ((self._tile, whole), (rest, 1))
        yield Plan(tuple((size, count) for size, count in runs if size and count))

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102, ARG002
        return None


class Even:
    """The default.

    "*even* plans on k hosts, k from 1 to T, but only those k whose largest position is smaller
    than that of the plan before; the first `T mod k` positions get one task more. Then one *fill*
    plan".
    """

    def fixed_plans(self, tasks: int) -> Iterator[Plan]:  # noqa: D102
        hosts = 1
        while True:
            size, more = divmod(tasks, hosts)
            runs = ((size + 1, more), (size, hosts - more))
            yield Plan(tuple(run for run in runs if run[1]))
            largest = size + 1 if more else size
            if largest == 1:
                return
            hosts = -(-tasks // (largest - 1))

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102
        sizes = walk(tasks, sieve)
        return fill_plan(sizes) if sum(sizes) == tasks else None


class Fill:
    """`spread: fill`: "the fill plan is the only one for each T".

    "when the walk ends short the rest is one more position".
    """

    def fixed_plans(self, tasks: int) -> Iterator[Plan]:  # noqa: D102, ARG002
        return iter(())

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102
        sizes = walk(tasks, sieve)
        rest = tasks - sum(sizes)
        return fill_plan([*sizes, rest] if rest else sizes)


def fill_plan(sizes: list[int]) -> Plan:
    """A fill plan with these positions."""
    runs = tuple((size, len(list(group))) for size, group in groupby(sizes))
    return Plan(runs, fill=True)


def walk(tasks: int, sieve: Sieve) -> list[int]:
    """Sizes of the fill plan's positions; their sum is less than `tasks` if the walk ends short.

    "walk the matching candidates in scan order and let each take the most tasks that pass the
    check, seeing what earlier ones of the walk have reserved, until T is reached".
    """
    if sieve.demand.ordered:
        return _walk_one_by_one(tasks, sieve)
    able = sieve.capacity(first=False)[sieve.order]
    able = np.minimum(able[able > 0], tasks)
    return _taken(able, tasks)


def _taken(able: Int64Array, tasks: int) -> list[int]:
    filled = np.cumsum(able)
    stop = int(np.searchsorted(filled, tasks))
    if stop >= len(able):
        return [int(size) for size in able.tolist()]
    sizes = [int(size) for size in able[: stop + 1].tolist()]
    sizes[-1] -= int(filled[stop]) - tasks
    return sizes


def _walk_one_by_one(tasks: int, sieve: Sieve) -> list[int]:
    sizes: list[int] = []
    rest, cursor, order = tasks, 0, sieve.order
    try:
        while rest and cursor < len(order):
            able = sieve.capacity(first=not sizes)[order[cursor:]]
            step = _first(able)
            if step is None:
                break
            size = min(int(able[step]), rest)
            sieve.claim(int(order[cursor + step]), size, first=not sizes)
            sizes.append(size)
            rest -= size
            cursor += step + 1
    finally:
        sieve.release()
    return sizes


def _first(able: Int64Array) -> int | None:
    found: IndexArray = np.flatnonzero(able > 0)[:1].astype(np.int32)
    return int(found[0]) if len(found) else None
