"""Hooks of requirements: where each begins and ends, how it failed, which alternative was chosen.

The calls nest as the allocator works: `begin_requirement` … `end_requirement` around members and
around the search for a plan. Each call that is a line keeps one entry as long as the budget lasts.
Nothing here reads the core; what is needed is handed over.
"""

from __future__ import annotations

from collections.abc import Sequence

from xce_sim.model.reasons import ReasonEntry
from xce_sim.model.verdict import NotCandidates, RequestedAmount
from xce_sim.trace.draft import Draft, Scope
from xce_sim.trace.entries import (
    AlternativesDone,
    AlternativeSkipped,
    FailureReasons,
    MemberFailed,
    NotConsidered,
    Outcome,
    RequirementBegin,
    RequirementEnd,
    ScopeKind,
)
from xce_sim.trace.outcomes import count_reasons
from xce_sim.trace.wording import resource_order


class DraftHooks:
    """What all hooks share: the record being built."""

    def __init__(self) -> None:
        self._open_draft: Draft | None = None

    @property
    def _draft(self) -> Draft:
        if self._open_draft is None:
            raise RuntimeError("no record is being built: begin_job comes first")
        return self._open_draft


class RequirementHooks(DraftHooks):
    """Requirements, their alternatives and members, and how each ended."""

    def begin_requirement(
        self,
        kind: ScopeKind,
        number: int,
        of: int,
        *,
        members: int = 0,
        single: bool = False,
        min_tasks: int = 0,
        max_tasks: int = 0,
        requests: Sequence[RequestedAmount] = (),
    ) -> None:
        """Begin a requirement inside the one that is open.

        A container (a compound, an alternative that is one) has `members`. Any other has its
        tasks and requests; `single` marks an alternative that is a single requirement.
        """
        draft = self._draft
        depth = draft.depth
        draft.scopes.append(Scope(step=(kind, number, of)))
        if draft.take_line():
            draft.entries.append(
                RequirementBegin(
                    depth=depth,
                    path=tuple(scope.step for scope in draft.scopes),
                    members=members,
                    single=single,
                    min_tasks=min_tasks,
                    max_tasks=max_tasks,
                    requests=tuple(sorted(requests, key=_place)),
                )
            )

    def end_requirement(
        self, outcome: Outcome, *, cause: str = "", not_tried_after: int = 0
    ) -> None:
        """End the innermost requirement.

        `cause` tells about the internal error of a failed one, `not_tried_after` how many of its
        kind after it are not looked at any more.
        """
        draft = self._draft
        scope = draft.scope
        draft.scopes.pop()
        if draft.take_line():
            draft.entries.append(
                RequirementEnd(
                    depth=draft.depth,
                    step=scope.step,
                    outcome=outcome,
                    cause=cause,
                    not_tried=not_tried_after,
                )
            )

    def failure_reasons(self, reasons: Sequence[ReasonEntry]) -> None:
        """Why the attempt that is open failed: the reasons it leaves."""
        draft = self._draft
        if draft.take_line():
            draft.entries.append(FailureReasons(depth=draft.depth, counts=count_reasons(reasons)))

    def alternative_skipped(self, number: int, of: int) -> None:
        """An alternative without content was passed over."""
        draft = self._draft
        if draft.take_line():
            draft.entries.append(AlternativeSkipped(depth=draft.depth, number=number, of=of))

    def alternatives_done(self, chosen: int, of: int) -> None:
        """The alternatives are through: the number of the chosen one, 0 when all failed."""
        draft = self._draft
        if draft.take_line():
            draft.entries.append(AlternativesDone(depth=draft.depth, chosen=chosen, of=of))

    def member_failed(self, number: int, of: int, cause: str) -> None:
        """A satisfied member could not be joined with those before it (an internal error)."""
        draft = self._draft
        if draft.take_line():
            draft.entries.append(MemberFailed(depth=draft.depth, number=number, of=of, cause=cause))

    def not_considered(self, counts: NotCandidates) -> None:
        """The hosts that are no candidates; shown under the first plan of the requirement.

        All zero is nothing to say. When no plan was generated it stands where the search ends,
        and nowhere when there was no search.
        """
        scope = self._draft.scope
        if counts != NotCandidates():
            scope.not_considered = counts
            if scope.generated:
                self._say_not_considered(scope)

    def _say_not_considered(self, scope: Scope) -> None:
        counts = scope.not_considered
        if counts is None:
            return
        scope.not_considered = None
        draft = self._draft
        if draft.take_line():
            draft.entries.append(NotConsidered(depth=draft.depth, counts=counts))


def _place(request: RequestedAmount) -> tuple[int, str]:
    return resource_order(request.kind, request.name)
