"""Placing one single requirement: the cluster-wide check, the plans, their positions.

The steps are those of "one single requirement or member": cluster-wide check, plans from the
maximum number of tasks down to the minimum, each discarded or tried. How positions are filled is
the business of `filling`. For an untraced job, plans that can leave nothing are not even made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from xce_sim.core.candidates import Candidates, agreeing_sets
from xce_sim.core.demand import Demand
from xce_sim.core.faults import cause_of
from xce_sim.core.filling import claim, fill
from xce_sim.core.findings import Findings
from xce_sim.core.plans import Plan, Planner, planner_for
from xce_sim.core.reservation import Reservation
from xce_sim.core.sieve import Sieve
from xce_sim.model.columns import HostColumns
from xce_sim.model.config import Spread
from xce_sim.model.verdict import Account, Row
from xce_sim.resreq.request import Primary

if TYPE_CHECKING:
    from xce_sim.core.telling import Telling


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


class Search:
    """One attempt to place a single requirement.

    `run` gives the placement or None; `findings` then say why. A recorder is told of everything
    that was computed, and asked nothing. Where a sum shows that nothing can be placed, finding
    out why is left for later, if `defer` allows it.
    """

    def __init__(
        self,
        task: Task,
        candidates: Candidates,
        telling: Telling | None,
        *,
        defer: bool = True,
    ) -> None:
        self._task = task
        plain = not task.demand.ordered and not task.primary.same and task.reservation.empty
        self._defers = defer and plain and telling is None
        self._candidates = candidates
        self._telling = telling
        self._planner: Planner = planner_for(task.primary.span, task.spread)
        self.findings = Findings()
        self.findings.candidates = len(candidates)
        self.findings.doubtful = bool(candidates.cause)

    def run(self) -> Placement | None:
        """Check the cluster, then try plan after plan.

        An internal error outside of a host scan is told and ends the search by being raised.
        """
        try:
            maximum = self._check_cluster()
        except Exception as error:
            if self._telling is not None:
                self._telling.check_ended(cause_of(error))
            raise
        if maximum is None:
            return None
        try:
            return self._try_plans(maximum)
        except Exception as error:
            if self._telling is not None:
                self._telling.search_ended(cause_of(error))
            raise

    def _try_plans(self, maximum: int) -> Placement | None:
        self.findings.no_candidate = not len(self._candidates)
        sieves = [self._sieve(subset) for subset in self._sets()]
        first = True
        for tasks in self._counts(maximum, sieves):
            for plan, sieve in self._plans(tasks, sieves):
                if (plan.fill or not first) and self._gives_up(sieve):
                    return None
                placement = self._consider(plan, sieve, at_minimum=tasks == self._task.min_tasks)
                if placement is not None:
                    return placement
                first = False
        if self._telling is not None:
            self._telling.no_plan_left()
        return None

    def _gives_up(self, sieve: Sieve) -> bool:
        """Whether no plan can be filled; asked before the second plan, when the first has failed.

        A fill plan needs the same sum, so it is asked before the first of these too.
        """
        if not self._defers or self.findings.doubtful:
            return False
        self._defers = False
        if not self._surely_fails(sieve):
            return False
        task = replace(self._task, demand=self._task.demand.standing())
        self.findings.defer(lambda: _findings_of(task, self._candidates))
        return True

    def _surely_fails(self, sieve: Sieve) -> bool:
        """Whether all candidates together can not take the minimum: then no plan can be filled."""
        minimum = self._task.min_tasks
        try:
            return int(np.minimum(sieve.capacity(first=True), minimum).sum()) < minimum
        except Exception:  # noqa: BLE001  the plans will tell
            return False

    def _counts(self, maximum: int, sieves: list[Sieve]) -> Iterator[int]:
        """Numbers of tasks to try, "from the maximum down to the minimum".

        For an untraced job those above what all candidates can take together are passed over:
        none of their plans can be filled, and only plans for the minimum leave reasons.
        """
        minimum = self._task.min_tasks
        if self._telling is None and maximum > minimum and not self._task.demand.ordered:
            maximum = max(min(maximum, self._most(maximum, sieves)), minimum)
        yield from range(maximum, minimum - 1, -1)

    def _most(self, maximum: int, sieves: list[Sieve]) -> int:
        """What all candidates of a set can take together, `maximum` if that is not known."""
        try:
            return max(int(np.minimum(s.capacity(first=True), maximum).sum()) for s in sieves)
        except Exception:  # noqa: BLE001  the plans will tell
            return maximum

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
        return Sieve(task.demand, candidates, task.reservation)

    def _plans(self, tasks: int, sieves: list[Sieve]) -> Iterator[tuple[Plan, Sieve]]:
        for plan in self._planner.fixed_plans(tasks, self._largest(sieves)):
            for sieve in sieves:
                yield plan, sieve
        for sieve in sieves:
            fitted = self._planner.fitted_plan(tasks, sieve)
            if fitted is not None:
                yield fitted, sieve

    def _largest(self, sieves: list[Sieve]) -> int | None:
        """The largest position worth making a plan for; None, all of them, for a traced job.

        The first plan is always made, so that a discarded one is counted.
        """
        if self._telling is not None:
            return None
        return max(sieve.candidates.most_slots for sieve in sieves)

    def _consider(self, plan: Plan, sieve: Sieve, *, at_minimum: bool) -> Placement | None:
        try:
            discarding = self._discarding(plan, sieve.candidates)
        except Exception as error:
            if self._telling is not None:
                self._telling.plan_not_tried(plan, sieve.candidates.label, cause_of(error))
            raise
        if discarding is not None:
            if at_minimum:
                self.findings.discard(discarding)
            if self._telling is not None:
                self._telling.plan_discarded(plan, sieve.candidates.label)
            return None
        if plan.claims and self._telling is None and _claimable(plan, sieve):
            return Placement(self._task.demand, plan, plan.claims)
        if self._telling is not None:
            self._telling.begin_plan(plan, sieve.candidates.label)
        claims = fill(plan, sieve, self.findings if at_minimum else None, self._telling)
        if sieve.doubtful:
            self.findings.doubtful = True
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


def _claimable(plan: Plan, sieve: Sieve) -> bool:
    """Whether a fill plan may have its hosts without a scan: no internal error is in the way."""
    if sieve.doubtful:
        return False
    try:
        claim(sieve, plan.claims, first=True)
    except Exception:  # noqa: BLE001  filling its positions tells at which
        return False
    finally:
        sieve.release()
    return True


def _findings_of(task: Task, candidates: Candidates) -> Findings:
    """What is found against a task that can not be placed."""
    search = Search(task, candidates, None, defer=False)
    if search.run() is not None:
        raise LookupError("a task was placed that could not be placed before")
    return search.findings
