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

Claims = tuple[tuple[int, int], ...]
"""(host index, tasks) in the order in which hosts are claimed."""


class Plan(Protocol):
    """Positions in order, as runs of equal ones: `((size, count), ...)`.

    `tasks` counts all tasks, `positions` the hosts it takes, `largest` the tasks of its largest
    position. `claims` are the hosts that a fill plan was fitted to, with the tasks of each, when
    they take all of them: filling its positions comes to these very claims.
    """

    @property
    def tasks(self) -> int: ...  # noqa: D102
    @property
    def positions(self) -> int: ...  # noqa: D102
    @property
    def largest(self) -> int: ...  # noqa: D102
    @property
    def fill(self) -> bool: ...  # noqa: D102
    @property
    def claims(self) -> Claims: ...  # noqa: D102
    @property
    def runs(self) -> tuple[tuple[int, int], ...]: ...  # noqa: D102


def sizes_of(plan: Plan) -> tuple[int, ...]:
    """Tasks of every position."""
    return tuple(size for size, count in plan.runs for _ in range(count))


@dataclass(frozen=True, slots=True)
class FixedPlan:
    """A plan that does not depend on hosts; larger positions come first."""

    runs: tuple[tuple[int, int], ...]
    tasks: int
    positions: int
    fill: bool = False
    claims: Claims = ()

    @property
    def largest(self) -> int:
        """The tasks of its largest position."""
        return self.runs[0][0]


@dataclass(frozen=True, slots=True)
class FillPlan:
    """What a walk over the hosts has found, and one more position for a rest that found none.

    With an `ordered` demand the walk does not tell where positions end up: a host that could not
    be the first, for want of an amount written `/job`, may well be a later one.
    """

    walked: Claims
    rest: int
    tasks: int
    ordered: bool
    fill: bool = True

    @property
    def positions(self) -> int:
        """How many hosts it takes."""
        return len(self.walked) + (self.rest > 0)

    @property
    def largest(self) -> int:
        """The tasks of its largest position."""
        return max([self.rest, *(size for _, size in self.walked)])

    @property
    def claims(self) -> Claims:
        """The hosts walked, when they take all tasks and filling comes to the very same."""
        return () if self.rest or self.ordered else self.walked

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """Equal neighbours together."""
        sizes = [size for _, size in self.walked] + [self.rest] * (self.rest > 0)
        return tuple((size, len(list(group))) for size, group in groupby(sizes))


class Planner(Protocol):
    """Makes the plans for T tasks, in the order in which they are to be tried.

    A plan that depends on the hosts is asked of the sieve (of one set of candidates); nothing
    that a planner computes leaves a reason.
    """

    def fixed_plans(self, tasks: int, largest: int | None) -> Iterator[Plan]:
        """The plans that do not depend on hosts.

        Those with a position over `largest` may be left out, but for the first of all.
        """
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

    def fixed_plans(self, tasks: int, largest: int | None) -> Iterator[Plan]:  # noqa: D102, ARG002
        yield FixedPlan(((tasks, 1),), tasks, 1)

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102, ARG002
        return None


class Tiles:
    """`span[ptile=p]`: "positions of p, and one of the remainder if there is one"."""

    def __init__(self, tile: int) -> None:
        self._tile = tile

    def fixed_plans(self, tasks: int, largest: int | None) -> Iterator[Plan]:  # noqa: D102, ARG002
        whole, rest = divmod(tasks, self._tile)
        runs = ((self._tile, whole), (rest, 1))
        filled = tuple((size, count) for size, count in runs if size and count)
        yield FixedPlan(filled, tasks, whole + (rest > 0))

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102, ARG002
        return None


class Even:
    """The default.

    "*even* plans on k hosts, k from 1 to T, but only those k whose largest position is smaller
    than that of the plan before; the first `T mod k` positions get one task more. Then one *fill*
    plan".
    """

    def fixed_plans(self, tasks: int, largest: int | None) -> Iterator[Plan]:  # noqa: D102
        hosts = 1
        while True:
            size, more = divmod(tasks, hosts)
            runs = ((size + 1, more), (size, hosts - more)) if more else ((size, hosts),)
            yield FixedPlan(runs, tasks, hosts)
            position = size + 1 if more else size
            if position == 1:
                return
            wanted = position - 1 if largest is None else min(position - 1, max(largest, 1))
            hosts = -(-tasks // wanted)

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102
        claims = walk(tasks, sieve)
        rest = tasks - sum([size for _, size in claims])
        return None if rest else FillPlan(claims, 0, tasks, sieve.demand.ordered)


class Fill:
    """`spread: fill`: "the fill plan is the only one for each T".

    "when the walk ends short the rest is one more position".
    """

    def fixed_plans(self, tasks: int, largest: int | None) -> Iterator[Plan]:  # noqa: D102, ARG002
        return iter(())

    def fitted_plan(self, tasks: int, sieve: Sieve) -> Plan | None:  # noqa: D102
        claims = walk(tasks, sieve)
        rest = tasks - sum([size for _, size in claims])
        return FillPlan(claims, rest, tasks, sieve.demand.ordered)


def walk(tasks: int, sieve: Sieve) -> Claims:
    """The fill plan's positions; their sum is less than `tasks` if the walk ends short.

    "walk the matching candidates in scan order and let each take the most tasks that pass the
    check, seeing what earlier ones of the walk have reserved, until T is reached".
    """
    if sieve.demand.ordered:
        return _walk_one_by_one(tasks, sieve)
    able = sieve.capacity(first=True)
    if not sieve.candidates.natural:
        able = able[sieve.order]
    some = np.flatnonzero(able)
    able = np.minimum(able[some], tasks)
    filled = np.cumsum(able)
    stop = int(filled.searchsorted(tasks))
    hosts = some[: stop + 1] if sieve.candidates.natural else sieve.order[some[: stop + 1]]
    sizes: list[int] = able[: stop + 1].tolist()
    if stop < len(able):
        sizes[-1] -= int(filled[stop]) - tasks
    return tuple(zip(hosts.tolist(), sizes, strict=True))


def _walk_one_by_one(tasks: int, sieve: Sieve) -> Claims:
    claims: list[tuple[int, int]] = []
    rest, cursor, order = tasks, 0, sieve.order
    try:
        while rest and cursor < len(order):
            able = sieve.capacity(first=not claims)[order[cursor:]]
            step = _first(able)
            if step is None:
                break
            size = min(int(able[step]), rest)
            host = int(order[cursor + step])
            sieve.claim(host, size, first=not claims)
            claims.append((host, size))
            rest -= size
            cursor += step + 1
    finally:
        sieve.release()
    return tuple(claims)


def _first(able: Int64Array) -> int | None:
    found: IndexArray = np.flatnonzero(able > 0)[:1].astype(np.int32)
    return int(found[0]) if len(found) else None
