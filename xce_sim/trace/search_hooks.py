"""Hooks of the search for a placement: the cluster-wide check and the plans of one requirement.

Plans are numbered by counting those generated, whatever became of them. The line that ends a
search and the counters of the decision follow from the calls alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xce_sim.model.verdict import Account, Row
from xce_sim.trace.draft import Scope
from xce_sim.trace.entries import (
    BuildFailed,
    CheckEnd,
    CheckRow,
    Committed,
    MaximumLowered,
    NoPlan,
    Plan,
    PlanEnd,
    PlanFate,
    PlanShape,
    SearchEnd,
    SearchStatement,
)
from xce_sim.trace.requirement_hooks import RequirementHooks
from xce_sim.trace.sizes import pack_sizes


class CheckHooks(RequirementHooks):
    """The cluster-wide check and what keeps a plan from being generated."""

    def declined(self, clauses: Sequence[str]) -> None:
        """The requirement has clauses that are not supported; no plan was generated."""
        self._no_plan(NoPlan(depth=self._draft.depth, clauses=tuple(clauses)))

    def no_plan(self, cause: str) -> None:
        """Generating plans could not even begin because of an internal error."""
        self._no_plan(NoPlan(depth=self._draft.depth, cause=cause))

    def _no_plan(self, entry: NoPlan) -> None:
        draft = self._draft
        draft.none_generated += 1
        draft.scope.explained = True
        if draft.take_line():
            draft.entries.append(entry)

    def check_rows(self, rows: Iterable[Row], *, passed: bool) -> None:
        """All rows of the cluster-wide check and its result."""
        draft = self._draft
        depth = draft.depth
        for row in rows:
            if draft.take_line():
                draft.entries.append(CheckRow(depth=depth, row=row))
        draft.scope.explained = not passed
        if draft.take_line():
            draft.entries.append(CheckEnd(depth=depth, passed=passed))

    def check_error(self, cause: str) -> None:
        """The cluster-wide check ended in an internal error."""
        draft = self._draft
        draft.scope.explained = True
        if draft.take_line():
            draft.entries.append(CheckEnd(depth=draft.depth, passed=False, cause=cause))

    def maximum_lowered(self, tasks: int, account: Account) -> None:
        """A cluster-wide row is short for the maximum, which is lowered to this many tasks."""
        draft = self._draft
        if draft.take_line():
            draft.entries.append(MaximumLowered(depth=draft.depth, tasks=tasks, account=account))


class PlanHooks(CheckHooks):
    """Plans: generated, discarded, tried, committed. Numbers count those generated."""

    def begin_plan(self, sizes: Sequence[int], *, fill: bool = False, same: str = "") -> None:
        """A plan is tried; `sizes` are the tasks of its positions.

        A sequence with an attribute `runs` of (tasks, count) pairs is stored as it is. `fill`
        marks a fill plan, `same` names the set of hosts it is tried on (`type=linux`).
        """
        self._draft.scope.tried += 1
        self._draft.plans_tried += 1
        self._shape(sizes, "tried", fill=fill, same=same)

    def plan_discarded(
        self, sizes: Sequence[int], *, fill: bool = False, same: str = "", cause: str = ""
    ) -> None:
        """A plan is discarded untried, for a `cause` if one is given."""
        self._draft.scope.discarded += 1
        self._draft.plans_discarded += 1
        self._shape(sizes, "discarded", fill=fill, same=same, cause=cause)

    def plan_not_tried(
        self, sizes: Sequence[int], cause: str, *, fill: bool = False, same: str = ""
    ) -> None:
        """A plan can not be tried because of an internal error, which ends the search."""
        scope = self._draft.scope
        scope.not_tried += 1
        scope.internal = True
        self._shape(sizes, "not tried", fill=fill, same=same, cause=cause)

    def _shape(
        self, sizes: Sequence[int], fate: PlanFate, *, fill: bool, same: str, cause: str = ""
    ) -> None:
        draft = self._draft
        scope = draft.scope
        scope.generated += 1
        if draft.take_line():
            plan = Plan(number=scope.generated, sizes=pack_sizes(sizes), fill=fill, same=same)
            draft.entries.append(PlanShape(depth=draft.depth, plan=plan, fate=fate, cause=cause))
        self._say_not_considered(scope)

    def end_plan(self, failed_position: int | None, *, error: str | None = None) -> None:
        """End the plan that is tried: None if every position was filled.

        `error` is an internal error, which ends the search.
        """
        draft = self._draft
        scope = draft.scope
        if error is not None:
            scope.internal = True
        if draft.take_line():
            draft.entries.append(
                PlanEnd(
                    depth=draft.depth,
                    number=scope.generated,
                    failed_position=failed_position,
                    error=error,
                )
            )

    def committed(self) -> None:
        """The allocation of the last plan tried was built."""
        draft = self._draft
        draft.scope.committed = True
        if draft.take_line():
            draft.entries.append(Committed(depth=draft.depth, number=draft.scope.generated))

    def build_failed(self, cause: str) -> None:
        """Building the allocation of the last plan tried ended in an internal error."""
        draft = self._draft
        draft.scope.internal = True
        if draft.take_line():
            draft.entries.append(
                BuildFailed(depth=draft.depth, number=draft.scope.generated, cause=cause)
            )

    def end_search(self, *, internal: bool = False, cause: str = "") -> None:
        """No further plan of this requirement is tried: the line that counts them.

        `internal` says that an internal error ended the search, `cause` why no plan was generated.
        """
        draft = self._draft
        scope = draft.scope
        self._say_not_considered(scope)
        statement = _statement(scope, internal=internal)
        draft.none_generated += statement == "none generated"
        draft.all_discarded += statement == "all discarded"
        draft.none_placed += statement == "none placed"
        if draft.take_line():
            draft.entries.append(
                SearchEnd(
                    depth=draft.depth,
                    generated=scope.generated,
                    tried=scope.tried,
                    discarded=scope.discarded,
                    not_tried=scope.not_tried,
                    statement=statement,
                    cause=cause,
                )
            )


def _statement(scope: Scope, *, internal: bool) -> SearchStatement:
    """At most one statement, none where other lines have said already what happened."""
    if scope.committed or scope.internal or internal or scope.explained:
        return ""
    if not scope.generated:
        return "none generated"
    if scope.discarded == scope.generated:
        return "all discarded"
    return "none placed"
