"""What a traced attempt tells its recorder.

A `Telling` exists only while a traced job is being tried; it reads what the search has computed
and calls nothing that changes anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from xce_sim.core.candidates import Candidates
from xce_sim.core.plans import Plan, sizes_of
from xce_sim.core.sieve import Sieve
from xce_sim.model.reasons import IndexArray
from xce_sim.model.verdict import Account, HostRows, MismatchPart, NotCandidates, Row, Scan
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.explain import explain_error, explain_mismatch
from xce_sim.resreq.nodes import Node

if TYPE_CHECKING:
    from xce_sim.trace.recorder import Recorder


class Telling:
    """Turns one search into the recorder's calls."""

    def __init__(
        self,
        recorder: Recorder,
        not_candidates: NotCandidates,
        select: Node | None,
        evaluator: RoundEvaluator,
    ) -> None:
        self._recorder = recorder
        self._not_candidates: NotCandidates | None = not_candidates
        self._select = select
        self._evaluator = evaluator

    def cluster_check(self, rows: Sequence[Row], *, passed: bool) -> None:
        """All rows of the cluster-wide check."""
        self._recorder.check_rows(rows, passed=passed)

    def maximum_lowered(self, tasks: int, account: Account) -> None:
        """The maximum number of tasks was lowered because of this account."""
        self._recorder.maximum_lowered(tasks, account)

    def plan_discarded(self, plan: Plan, label: str) -> None:
        """A plan was generated and not tried."""
        self._recorder.plan_discarded(sizes_of(plan), fill=plan.fill, same=label)
        self._account_for_others()

    def begin_plan(self, plan: Plan, label: str) -> None:
        """A plan is going to be tried."""
        self._recorder.begin_plan(sizes_of(plan), fill=plan.fill, same=label)
        self._account_for_others()

    def positions(
        self,
        sieve: Sieve,
        size: int,
        count: int,
        hosts: Sequence[int],
        claims: Sequence[tuple[int, int]],
    ) -> None:
        """Equal positions next to each other, each as the scan that it stands for."""
        rows = sieve.rows(size, first=not claims or not sieve.demand.ordered)
        claimed = {host: number for number, (host, _) in enumerate(claims, 1)}
        place = _places(sieve.candidates)
        for step in range(min(count, len(hosts) + 1)):
            number = len(claims) + step + 1
            accepted = hosts[step] if step < len(hosts) else None
            reached = len(sieve.order) if accepted is None else int(place[accepted]) + 1
            self._recorder.begin_position(number, size)
            self._recorder.end_position(self._scan(sieve, rows, reached, accepted, claimed))
            if accepted is not None:
                claimed[accepted] = number

    def plan_failed(
        self, position: int, claims: Sequence[tuple[int, int]], taken: Sequence[int]
    ) -> None:
        """A position could not be filled; what was claimed before it is released."""
        released = [host for host, _ in claims] + list(taken)
        if released:
            self._recorder.released(released)
        self._recorder.end_plan(position)

    def plan_filled(self) -> None:
        """All positions of the plan are filled."""
        self._recorder.end_plan(None)

    def no_plan_left(self) -> None:
        """No plan could be placed, or none was tried."""
        self._recorder.end_search()

    def _account_for_others(self) -> None:
        if self._not_candidates is not None:
            self._recorder.not_considered(self._not_candidates)
            self._not_candidates = None

    def _scan(
        self,
        sieve: Sieve,
        rows: tuple[HostRows, ...],
        reached: int,
        accepted: int | None,
        claimed: dict[int, int],
    ) -> Scan:
        return Scan(
            order=sieve.order,
            reached=reached,
            accepted=accepted,
            mismatch=sieve.mismatching,
            claimed=claimed,
            rows=rows,
            errors=self._errors(sieve.candidates),
            explain=self._explain,
        )

    def _explain(self, host: int) -> MismatchPart | None:
        return explain_mismatch(self._select, self._evaluator, host)

    def _errors(self, candidates: Candidates) -> dict[int, str]:
        if candidates.failing is None or self._select is None:
            return {}
        causes = {}
        for host in np.flatnonzero(candidates.failing).tolist():
            cause = explain_error(self._select, self._evaluator, host)
            causes[host] = cause or "the select expression has no value"
        return causes


def _places(candidates: Candidates) -> IndexArray:
    """The place in scan order of every candidate, shape `[hosts]`."""
    places = np.zeros(len(candidates.matching), np.int32)
    places[candidates.order] = np.arange(len(candidates.order), dtype=np.int32)
    return places
