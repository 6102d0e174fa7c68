"""Placing one single requirement: the cluster-wide check, the plans, their positions.

The steps are those of "one single requirement or member": cluster-wide check, plans from the
maximum number of tasks down to the minimum, positions filled in order. Equal positions next to
each other are filled by one look at the columns, which comes to the same as one scan each: a
claim changes nothing on other hosts, unless the demand says that it is `ordered`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from xce_sim.core.candidates import Candidates, agreeing_sets
from xce_sim.core.demand import Demand
from xce_sim.core.findings import Findings, ScanFinding
from xce_sim.core.plans import Plan, Planner, planner_for
from xce_sim.core.reservation import Reservation
from xce_sim.core.sieve import Sieve
from xce_sim.core.telling import Telling
from xce_sim.model.columns import BoolArray, HostColumns
from xce_sim.model.config import Spread
from xce_sim.model.units import Milli
from xce_sim.model.verdict import Account, Row
from xce_sim.resreq.request import Primary


@dataclass(frozen=True, slots=True)
class Placement:
    """A plan whose positions are all filled: `claims` are (host index, tasks) in order."""

    demand: Demand
    plan: Plan
    claims: tuple[tuple[int, int], ...]

    def reserve(self, reservation: Reservation) -> None:
        """Let later members see what this one takes."""
        for number, (host, tasks) in enumerate(self.claims):
            reservation.claim(self.demand, host, tasks, first=number == 0)
        reservation.add_cluster(self.demand, self.plan.tasks, self.plan.positions)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be placed, and the state of the attempt that it is part of."""

    primary: Primary
    demand: Demand
    min_tasks: int
    max_tasks: int
    spread: Spread
    columns: HostColumns
    reservation: Reservation
    cache: dict[tuple[int, Milli], BoolArray]


class Search:
    """One attempt to place a single requirement.

    `run` gives the placement or None; `findings` then say why. A recorder is told of everything
    that was computed, and asked nothing.
    """

    def __init__(self, task: Task, candidates: Candidates, telling: Telling | None) -> None:
        self._task = task
        self._candidates = candidates
        self._telling = telling
        self._planner: Planner = planner_for(task.primary.span, task.spread)
        self.findings = Findings()
        self.findings.candidates = len(candidates)

    def run(self) -> Placement | None:
        """Check the cluster, then try plan after plan."""
        maximum = self._check_cluster()
        if maximum is None:
            return None
        self.findings.no_candidate = not len(self._candidates)
        sieves = [self._sieve(subset) for subset in self._sets()]
        for tasks in range(maximum, self._task.min_tasks - 1, -1):
            for plan, sieve in self._plans(tasks, sieves):
                placement = self._consider(plan, sieve, at_minimum=tasks == self._task.min_tasks)
                if placement is not None:
                    return placement
        if self._telling is not None:
            self._telling.no_plan_left()
        return None

    def _check_cluster(self) -> int | None:
        """The most tasks that the cluster-wide rows allow, None if not even the minimum."""
        task = self._task
        rows = self._rows(task.min_tasks, self._fewest_hosts(task.min_tasks))
        short = tuple(row.account for row in rows if not row.passed)
        if self._telling is not None:
            self._telling.cluster_check(rows, passed=not short)
        if short:
            self.findings.check_failed = short
            return None
        low, high = task.min_tasks, task.max_tasks
        while low < high:
            middle = (low + high + 1) // 2
            if self._short_rows(middle, self._fewest_hosts(middle)):
                high = middle - 1
            else:
                low = middle
        if low < task.max_tasks and self._telling is not None:
            over = self._short_rows(low + 1, self._fewest_hosts(low + 1))
            self._telling.maximum_lowered(low, over[0])
        return low

    def _fewest_hosts(self, tasks: int) -> int:
        """The fewest hosts the span allows: "`ptile=p`: T/p rounded up, else 1"."""
        span = self._task.primary.span
        return -(-tasks // span.ptile) if span.kind == "ptile" else 1

    def _rows(self, tasks: int, hosts: int) -> list[Row]:
        """The cluster-wide rows for T tasks on k hosts; one that asks for nothing is left out."""
        rows = []
        for demand in self._task.demand.in_cluster:
            reserved = self._task.reservation.in_cluster(demand.usage)
            if demand.counts_jobs and reserved:
                continue
            rows.append(
                Row(
                    account=demand.usage.account,
                    total=demand.usage.total,
                    in_use=demand.usage.in_use,
                    reserved=reserved,
                    requested=demand.amount.of(tasks, hosts),
                )
            )
        return rows

    def _short_rows(self, tasks: int, hosts: int) -> tuple[Account, ...]:
        return tuple(row.account for row in self._rows(tasks, hosts) if not row.passed)

    def _sets(self) -> Iterator[Candidates]:
        if self._task.primary.same and len(self._candidates):
            return agreeing_sets(self._candidates, self._task.primary.same, self._task.columns)
        return iter((self._candidates,))

    def _sieve(self, candidates: Candidates) -> Sieve:
        task = self._task
        return Sieve(task.demand, candidates, task.reservation, task.cache)

    def _plans(self, tasks: int, sieves: list[Sieve]) -> Iterator[tuple[Plan, Sieve]]:
        for plan in self._planner.fixed_plans(tasks):
            for sieve in sieves:
                yield plan, sieve
        for sieve in sieves:
            fitted = self._planner.fitted_plan(tasks, sieve)
            if fitted is not None:
                yield fitted, sieve

    def _consider(self, plan: Plan, sieve: Sieve, *, at_minimum: bool) -> Placement | None:
        discarding = self._discarding(plan, sieve.candidates)
        if discarding is not None:
            if at_minimum:
                self.findings.discard(discarding)
            if self._telling is not None:
                self._telling.plan_discarded(plan, sieve.candidates.label)
            return None
        if self._telling is not None:
            self._telling.begin_plan(plan, sieve.candidates.label)
        claims = self._fill(plan, sieve, at_minimum=at_minimum)
        if at_minimum:
            self.findings.tried += 1
        if claims is None:
            return None
        return Placement(self._task.demand, plan, claims)

    def _discarding(self, plan: Plan, candidates: Candidates) -> tuple[Account, ...] | None:
        """None for a plan to try, else the cluster-wide rows that discard it (maybe none)."""
        if plan.positions > len(candidates) or plan.largest > candidates.most_slots:
            return ()
        return self._short_rows(plan.tasks, plan.positions) or None

    def _fill(
        self, plan: Plan, sieve: Sieve, *, at_minimum: bool
    ) -> tuple[tuple[int, int], ...] | None:
        """Claim a host for each position; all or nothing."""
        claims: list[tuple[int, int]] = []
        for size, count in _looks(plan, ordered=sieve.demand.ordered):
            taken = self._look(sieve, size, count, claims, at_minimum=at_minimum)
            if len(taken) < count:
                if self._telling is not None:
                    self._telling.plan_failed(len(claims) + len(taken) + 1, claims, taken)
                if claims or taken:
                    self.findings.accepted |= at_minimum
                sieve.release()
                return None
            if sieve.demand.ordered:
                sieve.claim(taken[0], size, first=not claims)
            claims.extend((host, size) for host in taken)
        sieve.release()
        if self._telling is not None:
            self._telling.plan_filled()
        return tuple(claims)

    def _look(
        self,
        sieve: Sieve,
        size: int,
        count: int,
        claims: list[tuple[int, int]],
        *,
        at_minimum: bool,
    ) -> list[int]:
        """The first `count` hosts in scan order that fit, or all there are."""
        first = not claims or not sieve.demand.ordered
        fits = sieve.fits(size, first=first)
        claimed = np.array([host for host, _ in claims], np.int32)
        if claims:
            fits = fits.copy()
            fits[claimed] = False
        if sieve.candidates.natural:
            hosts: list[int] = np.flatnonzero(fits)[:count].tolist()
        else:
            hosts = sieve.order[fits[sieve.order]][:count].tolist()
        if self._telling is not None:
            self._telling.positions(sieve, size, count, hosts, claims)
        if at_minimum:
            reached = len(sieve.order)
            if len(hosts) == count:
                reached = _place_of(sieve, hosts[-1]) + 1
            self.findings.scan(
                ScanFinding(
                    order=sieve.order,
                    reached=reached,
                    claimed=claimed,
                    mismatching=sieve.mismatching,
                    matching=sieve.matching,
                    failing=sieve.candidates.failing,
                    shorts=sieve.shorts(size, first=first),
                    accounts=tuple(row.usage.account for row in sieve.demand.on_hosts),
                )
            )
        return hosts


def _looks(plan: Plan, *, ordered: bool) -> Iterator[tuple[int, int]]:
    for size, count in plan.runs:
        if ordered:
            yield from ((size, 1) for _ in range(count))
        else:
            yield size, count


def _place_of(sieve: Sieve, host: int) -> int:
    if sieve.candidates.natural:
        return int(np.searchsorted(sieve.order, host))
    return int(np.flatnonzero(sieve.order == host)[0])
