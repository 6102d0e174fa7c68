"""Trying a job's whole requirement: alternatives, compound members, and the allocation.

"**Alternatives** are tried in order; the first that succeeds is taken; an empty one is skipped.
**Compound members** are tried in order; each sees what its predecessors reserved provisionally;
the first failure fails the whole and the rest is not tried."
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xce_sim.core.building import Part, build, merged
from xce_sim.core.classes import SchedulingClass
from xce_sim.core.demand import requested_amounts
from xce_sim.core.faults import cause_of
from xce_sim.core.findings import Findings, combined_body
from xce_sim.core.reservation import Reservation
from xce_sim.core.search import Placement, Search, Task
from xce_sim.core.state import State
from xce_sim.model.job import Allocation
from xce_sim.model.reasons import ReasonBody, Reasons
from xce_sim.resreq.request import Compound, Member, Primary

if TYPE_CHECKING:
    from xce_sim.core.telling import Explainers, Telling
    from xce_sim.trace.entries import ScopeKind
    from xce_sim.trace.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of trying one job: an allocation, or reasons (None if none were found).

    `doubtful` says that an internal error kept hosts from being looked at: the outcome need not
    be that of the next attempt.
    """

    allocation: Allocation | None
    reasons: Reasons | None
    doubtful: bool = False


class Allocator:
    """Tries jobs of one class after another against the state; it never changes the state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._recorder: Recorder | None = None
        self._explainers: Explainers | None = None

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
                return Attempt(placed, None)
            refused.append((number if request.numbered else None, findings))
        if recorder is not None and request.numbered:
            recorder.alternatives_done(0, count)
        doubtful = any(findings.doubtful for _, findings in refused)
        return Attempt(None, self._reasons(refused, eager=doubtful), doubtful)

    def _reasons(
        self, refused: list[tuple[int | None, Findings]], *, eager: bool
    ) -> Reasons | None:
        if not refused:
            return None
        names = self._state.columns.names
        if not eager:
            return Reasons(lambda: _body(refused), names)
        body = combined_body(refused)
        return None if body is None else Reasons(body, names)

    def _alternative(
        self,
        klass: SchedulingClass,
        alternative: Primary | Compound,
        scope: tuple[int, int] | None,
    ) -> tuple[Allocation | None, Findings]:
        if isinstance(alternative, Compound):
            return self._compound(klass, alternative, scope)
        whole = Member(count=klass.max_tasks, primary=alternative)
        if self._recorder is None:
            part, findings = self._primary(klass, whole, klass.min_tasks, Reservation())
            return (None if part is None else part.allocation), findings
        number, of = scope or (1, 1)
        kind: ScopeKind = "alternative" if scope else "single"
        with self._scope(kind, number, of, whole, klass.min_tasks) as end:
            part, findings = self._primary(klass, whole, klass.min_tasks, Reservation())
            end(part is not None, findings if scope else None)
        return (None if part is None else part.allocation), findings

    def _compound(
        self, klass: SchedulingClass, compound: Compound, scope: tuple[int, int] | None
    ) -> tuple[Allocation | None, Findings]:
        members = compound.members
        number, of = scope or (1, 1)
        kind: ScopeKind = "alternative" if scope else "compound"
        reservation = Reservation()
        parts: list[Part] = []
        with self._scope(kind, number, of, members=len(members)) as end_all:
            for at, member in enumerate(members, 1):
                with self._scope("member", at, len(members), member, member.count) as end:
                    part, findings = self._primary(klass, member, member.count, reservation)
                    end(part is not None, findings)
                if part is None:
                    end_all(False, None)
                    return None, findings
                parts.append(part)
                with self._joining(at, len(members)):
                    part.placement.reserve(reservation)
            with self._joining(len(parts), len(members)):
                allocation = merged(parts)
            end_all(True, None)
        return allocation, Findings()

    @contextmanager
    def _joining(self, number: int, of: int) -> Iterator[None]:
        """Join a member with those before it; an error here is that of this member."""
        try:
            yield
        except Exception as error:
            if self._recorder is not None:
                self._recorder.member_failed(number, of, cause_of(error))
            raise

    @contextmanager
    def _scope(
        self,
        kind: ScopeKind,
        number: int,
        of: int,
        member: Member | None = None,
        min_tasks: int = 0,
        *,
        members: int = 0,
    ) -> Iterator[Callable[[bool, Findings | None], None]]:
        """Tell a recorder where a requirement begins and how it ends, an internal error included.

        The function given says whether it was satisfied, and what was found against it.
        """
        tell = self._recorder
        if tell is None:
            yield _ignore
            return
        resources = self._state.resources
        tell.begin_requirement(
            kind,
            number,
            of,
            members=members,
            single=member is not None,
            min_tasks=min_tasks,
            max_tasks=member.count if member else 0,
            requests=requested_amounts(member.primary, resources) if member else (),
        )
        after = of - number if kind == "member" else 0

        def end(satisfied: bool, findings: Findings | None) -> None:
            body = None if satisfied or findings is None else findings.body()
            if body is not None and kind != "member":
                tell.failure_reasons(body.entries)
            tell.end_requirement(
                "satisfied" if satisfied else "not satisfied",
                not_tried_after=0 if satisfied else after,
            )
            if body is not None and kind == "member":
                tell.failure_reasons(body.entries)

        try:
            yield end
        except Exception as error:
            tell.end_requirement("failed", cause=cause_of(error), not_tried_after=after)
            raise

    def _primary(
        self, klass: SchedulingClass, member: Member, min_tasks: int, reservation: Reservation
    ) -> tuple[Part | None, Findings]:
        """Place one single requirement of `min_tasks` up to `member.count` tasks."""
        tell, primary = self._recorder, member.primary
        if primary.unsupported:
            findings = Findings()
            findings.unsupported = primary.unsupported
            if tell is not None:
                tell.declined(primary.unsupported)
            return None, findings
        try:
            search = self._search(klass, member, min_tasks, reservation)
        except Exception as error:
            if tell is not None:
                tell.no_plan(cause_of(error))
                tell.end_search(internal=True)
            raise
        placement = search.run()
        if placement is None:
            return None, search.findings
        part = self._part(placement)
        if tell is not None:
            tell.committed()
            tell.end_search()
        return part, search.findings

    def _search(
        self, klass: SchedulingClass, member: Member, min_tasks: int, reservation: Reservation
    ) -> Search:
        """All that a search for one single requirement looks at, as things stand now."""
        state, primary = self._state, member.primary
        task = Task(
            primary=primary,
            demand=state.demand_of(primary, klass.election),
            min_tasks=min_tasks,
            max_tasks=member.count,
            spread=state.config.params.spread,
            columns=state.columns,
            reservation=reservation,
        )
        lists = (klass.queue_hosts, klass.hosts)
        candidates = state.candidates.of(primary, lists, state.ledger, reservation)
        telling = None if self._recorder is None else self._telling(klass, primary)
        return Search(task, candidates, telling)

    def _part(self, placement: Placement) -> Part:
        try:
            return build(placement, self._state.columns.names)
        except Exception as error:
            if self._recorder is not None:
                self._recorder.build_failed(cause_of(error))
                self._recorder.end_search(internal=True)
            raise

    def _telling(self, klass: SchedulingClass, primary: Primary) -> Telling:
        from xce_sim.core.telling import Explainers, Telling  # noqa: PLC0415  only for traced jobs

        assert self._recorder is not None
        state, select = self._state, primary.select
        others = state.candidates.lists.not_candidates(klass.queue_hosts, klass.hosts)
        if self._explainers is None:
            self._explainers = Explainers()
        explain = self._explainers.of(select, state.evaluator)
        return Telling(self._recorder, others, select, state.evaluator, explain)


def _ignore(_satisfied: bool, _findings: Findings | None) -> None:
    pass


def _body(refused: list[tuple[int | None, Findings]]) -> ReasonBody:
    body = combined_body(refused)
    if body is None:
        raise LookupError("a failed attempt without any finding")
    return body
