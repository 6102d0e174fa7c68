"""Trying a job's whole requirement: alternatives, compound members, and the allocation.

"**Alternatives** are tried in order; the first that succeeds is taken; an empty one is skipped.
**Compound members** are tried in order; each sees what its predecessors reserved provisionally;
the first failure fails the whole and the rest is not tried."
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xce_sim.core.candidates import find_candidates
from xce_sim.core.classes import SchedulingClass
from xce_sim.core.demand import demand_of, requested_amounts
from xce_sim.core.findings import Findings, combined_body
from xce_sim.core.reservation import Reservation
from xce_sim.core.search import Placement, Search, Task
from xce_sim.core.state import State
from xce_sim.core.telling import Telling
from xce_sim.model.job import Allocation, HostShare
from xce_sim.model.reasons import ReasonBody, Reasons
from xce_sim.model.units import Milli
from xce_sim.resreq.explain import explain_mismatch
from xce_sim.resreq.request import Compound, Primary
from xce_sim.trace.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of trying one job: an allocation, or reasons (None if none were found)."""

    allocation: Allocation | None
    reasons: Reasons | None


class Allocator:
    """Tries jobs of one class after another against the state; it never changes the state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._recorder: Recorder | None = None

    def attempt(self, klass: SchedulingClass, recorder: Recorder | None) -> Attempt:
        """Try one job of a class; `recorder` is set for a traced job."""
        self._recorder = recorder
        request = klass.request
        assert request is not None
        refused: list[tuple[int | None, Findings]] = []
        count = len(request.alternatives)
        for number, alternative in enumerate(request.alternatives, 1):
            if alternative is None:
                if recorder is not None:
                    recorder.alternative_skipped(number, count)
                continue
            scope = (number, count) if request.numbered else None
            placed, findings = self._alternative(klass, alternative, scope)
            if placed is not None:
                if recorder is not None and request.numbered:
                    recorder.alternatives_done(number, count)
                return Attempt(self._build(placed), None)
            refused.append((number if request.numbered else None, findings))
        if recorder is not None and request.numbered:
            recorder.alternatives_done(0, count)
        return Attempt(None, self._reasons(refused))

    def _reasons(self, refused: list[tuple[int | None, Findings]]) -> Reasons | None:
        if not refused:
            return None
        names = self._state.columns.names
        if self._recorder is None:
            return Reasons(lambda: _body(refused), names)
        body = combined_body(refused)
        return None if body is None else Reasons(body, names)

    def _alternative(
        self,
        klass: SchedulingClass,
        alternative: Primary | Compound,
        scope: tuple[int, int] | None,
    ) -> tuple[list[Placement] | None, Findings]:
        if isinstance(alternative, Compound):
            return self._compound(klass, alternative, scope)
        tell = self._recorder
        if tell is not None:
            number, count = scope or (1, 1)
            tell.begin_requirement(
                "alternative" if scope else "single",
                number,
                count,
                single=True,
                min_tasks=klass.min_tasks,
                max_tasks=klass.max_tasks,
                requests=requested_amounts(alternative, self._state.resources),
            )
        placement, findings = self._primary(
            klass, alternative, klass.min_tasks, klass.max_tasks, Reservation()
        )
        self._end(placement is not None, findings if scope else None)
        return (None if placement is None else [placement]), findings

    def _compound(
        self, klass: SchedulingClass, compound: Compound, scope: tuple[int, int] | None
    ) -> tuple[list[Placement] | None, Findings]:
        tell = self._recorder
        of = len(compound.members)
        if tell is not None:
            number, count = scope or (1, 1)
            kind = "alternative" if scope else "compound"
            tell.begin_requirement(kind, number, count, members=of)
        reservation = Reservation()
        placed: list[Placement] = []
        for number, member in enumerate(compound.members, 1):
            if tell is not None:
                tell.begin_requirement(
                    "member",
                    number,
                    of,
                    single=True,
                    min_tasks=member.count,
                    max_tasks=member.count,
                    requests=requested_amounts(member.primary, self._state.resources),
                )
            placement, findings = self._primary(
                klass, member.primary, member.count, member.count, reservation
            )
            self._end(placement is not None, findings, not_tried_after=of - number)
            if placement is None:
                self._end(False, None)
                return None, findings
            placed.append(placement)
            self._reserve(placement, reservation)
        self._end(True, None)
        return placed, Findings()

    def _primary(
        self,
        klass: SchedulingClass,
        primary: Primary,
        min_tasks: int,
        max_tasks: int,
        reservation: Reservation,
    ) -> tuple[Placement | None, Findings]:
        state, tell = self._state, self._recorder
        if primary.unsupported:
            findings = Findings()
            findings.unsupported = primary.unsupported
            if tell is not None:
                tell.declined(primary.unsupported)
            return None, findings
        ledger = state.ledger
        task = Task(
            primary=primary,
            demand=demand_of(primary, klass.election, ledger, state.resources),
            min_tasks=min_tasks,
            max_tasks=max_tasks,
            spread=state.config.params.spread,
            columns=state.columns,
            reservation=reservation,
            cache=ledger.shorts,
        )
        candidates = find_candidates(
            primary,
            state.host_lists.eligible(klass.queue_hosts, klass.hosts),
            state.columns,
            state.evaluator,
            ledger,
            reservation,
        )
        search = Search(task, candidates, None if tell is None else self._telling(klass, primary))
        placement = search.run()
        if placement is not None and tell is not None:
            tell.committed()
            tell.end_search()
        return placement, search.findings

    def _telling(self, klass: SchedulingClass, primary: Primary) -> Telling:
        assert self._recorder is not None
        state, select = self._state, primary.select
        others = state.host_lists.not_candidates(klass.queue_hosts, klass.hosts)
        if select is None:
            return Telling(self._recorder, others, None)
        return Telling(
            self._recorder, others, lambda host: explain_mismatch(select, state.evaluator, host)
        )

    def _end(self, satisfied: bool, findings: Findings | None, *, not_tried_after: int = 0) -> None:
        tell = self._recorder
        if tell is None:
            return
        if satisfied:
            tell.end_requirement("satisfied")
            return
        tell.end_requirement("not satisfied", not_tried_after=not_tried_after)
        body = None if findings is None else findings.body()
        if body is not None:
            tell.failure_reasons(body.entries)

    @staticmethod
    def _reserve(placement: Placement, reservation: Reservation) -> None:
        """Let later members see what this one takes."""
        for number, (host, tasks) in enumerate(placement.claims):
            reservation.claim(placement.demand, host, tasks, first=number == 0)
        reservation.add_cluster(placement.demand, placement.plan.tasks, placement.plan.positions)

    def _build(self, placed: Iterable[Placement]) -> Allocation:
        """The allocation, hosts "in the order in which they were claimed"."""
        names = self._state.columns.names
        tasks: dict[int, int] = {}
        amounts: dict[int, dict[str, Milli]] = {}
        shared: dict[str, Milli] = {}
        for placement in placed:
            demand, plan = placement.demand, placement.plan
            for name, amount in demand.shared_amounts:
                _add(shared, name, amount.of(plan.tasks, plan.positions))
            for number, (host, size) in enumerate(placement.claims):
                tasks[host] = tasks.get(host, 0) + size
                on_host = amounts.setdefault(host, {})
                for name, amount in demand.host_amounts:
                    once = amount.job if number == 0 else 0
                    _add(on_host, name, amount.task * size + amount.host + once)
        return Allocation(
            hosts=tuple(
                HostShare(host=names[host], tasks=count, amounts=amounts[host])
                for host, count in tasks.items()
            ),
            shared=shared,
        )


def _add(amounts: dict[str, Milli], name: str, amount: Milli) -> None:
    if amount:
        amounts[name] = amounts.get(name, 0) + amount


def _body(refused: list[tuple[int | None, Findings]]) -> ReasonBody:
    body = combined_body(refused)
    if body is None:
        raise LookupError("a failed attempt without any finding")
    return body
