"""What a traced attempt tells its recorder.

A `Telling` exists only while a traced job is being tried; it reads what the search has computed
and calls nothing that changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from xce_sim.core.candidates import Candidates
from xce_sim.core.plans import Plan, sizes_of
from xce_sim.core.sieve import Sieve
from xce_sim.core.stepping import Scanned
from xce_sim.model.reasons import IndexArray
from xce_sim.model.verdict import Account, HostRows, MismatchPart, NotCandidates, Row, Scan
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.explain import explain_error, explain_mismatch
from xce_sim.resreq.nodes import Node

if TYPE_CHECKING:
    from xce_sim.trace.recorder import Recorder


Explain = Callable[[int], MismatchPart | None]
"""What of a select expression failed on a host."""


class Explainers:
    """One function for each select expression of a round, so that answers can be kept by it."""

    def __init__(self) -> None:
        self._known: dict[Node | None, Explain] = {}

    def of(self, select: Node | None, evaluator: RoundEvaluator) -> Explain:
        """The function of an expression, the same as long as the round lasts."""
        found = self._known.get(select)
        if found is None:
            found = self._known[select] = partial(explain_mismatch, select, evaluator)
        return found


class Telling:
    """Turns one search into the recorder's calls.

    `explain` is the one of the select expression.
    """

    def __init__(
        self,
        recorder: Recorder,
        not_candidates: NotCandidates,
        select: Node | None,
        evaluator: RoundEvaluator,
        explain: Explain,
    ) -> None:
        self._recorder = recorder
        self._not_candidates: NotCandidates | None = not_candidates
        self._select = select
        self._evaluator = evaluator
        self._explain = explain
        self._generated = False

    def check_ended(self, cause: str) -> None:
        """The cluster-wide check ended in an internal error."""
        self._recorder.check_error(cause)

    def cluster_check(self, rows: Sequence[Row], *, passed: bool) -> None:
        """All rows of the cluster-wide check."""
        self._recorder.check_rows(rows, passed=passed)

    def maximum_lowered(self, tasks: int, account: Account) -> None:
        """The maximum number of tasks was lowered because of this account."""
        self._recorder.maximum_lowered(tasks, account)

    def plan_discarded(self, plan: Plan, label: str) -> None:
        """A plan was generated and not tried."""
        self._generated = True
        self._recorder.plan_discarded(sizes_of(plan), fill=plan.fill, same=label)
        self._account_for_others()

    def plan_not_tried(self, plan: Plan, label: str, cause: str) -> None:
        """A plan was generated and can not be tried because of an internal error."""
        self._generated = True
        self._recorder.plan_not_tried(sizes_of(plan), cause, fill=plan.fill, same=label)
        self._account_for_others()

    def begin_plan(self, plan: Plan, label: str) -> None:
        """A plan is going to be tried."""
        self._generated = True
        self._recorder.begin_plan(sizes_of(plan), fill=plan.fill, same=label)
        self._account_for_others()

    def rows(
        self, sieve: Sieve, scanned: Scanned, size: int, *, first: bool
    ) -> tuple[HostRows, ...]:
        """The check with its numbers; none when after an error even these can not be computed."""
        try:
            return sieve.rows(size, first=first, shorts=scanned.shorts)
        except Exception:
            if scanned.shorts is None:
                raise
            return ()

    def positions(
        self,
        sieve: Sieve,
        scanned: Scanned,
        run: tuple[int, int],
        claims: Sequence[tuple[int, int]],
        rows: tuple[HostRows, ...],
        *,
        error: str | None = None,
    ) -> None:
        """Equal positions next to each other, each as the scan that it stands for.

        `run` is their size and number, `rows` the check as it was before the host was claimed,
        `error` is why the host that passed could not be claimed.
        """
        hosts, (size, count) = scanned.hosts, run
        claimed = {host: number for number, (host, _) in enumerate(claims, 1)}
        place = _places(sieve.candidates)
        for step in range(min(count, len(hosts) + 1)):
            number = len(claims) + step + 1
            accepted = hosts[step] if step < len(hosts) else None
            reached = scanned.reached
            if reached is None:
                reached = len(sieve.order) if accepted is None else int(place[accepted]) + 1
            scan = Scan(
                order=sieve.order,
                reached=reached,
                accepted=accepted,
                mismatch=sieve.mismatching,
                claimed=claimed,
                rows=rows,
                errors={**self._errors(sieve.candidates), **scanned.errors},
                stopped=scanned.stopped,
                explain=self._explain,
            )
            self._recorder.begin_position(number, size)
            self._recorder.end_position(scan, error=error)
            if accepted is not None:
                claimed[accepted] = number

    def plan_failed(self, claims: Sequence[tuple[int, int]]) -> None:
        """A position could not be filled; what was claimed before it is released."""
        self._recorder.released([host for host, _ in claims])
        self._recorder.end_plan(len(claims) + 1)

    def plan_ended(self, claims: Sequence[tuple[int, int]], cause: str) -> None:
        """A position could not be claimed because of an internal error; likewise."""
        self._recorder.released([host for host, _ in claims])
        self._recorder.end_plan(len(claims) + 1, error=cause)

    def plan_filled(self) -> None:
        """All positions of the plan are filled."""
        self._recorder.end_plan(None)

    def no_plan_left(self) -> None:
        """No plan could be placed, or none was tried."""
        self._recorder.end_search()

    def search_ended(self, cause: str) -> None:
        """An internal error ended the search, maybe before there was any plan."""
        if not self._generated:
            self._recorder.no_plan(cause)
        self._recorder.end_search(internal=True)

    def _account_for_others(self) -> None:
        if self._not_candidates is not None:
            self._recorder.not_considered(self._not_candidates)
            self._not_candidates = None

    def _errors(self, candidates: Candidates) -> dict[int, str]:
        if candidates.failing is None or self._select is None:
            return {}
        causes = {}
        for host in np.flatnonzero(candidates.failing).tolist():
            cause = candidates.cause or explain_error(self._select, self._evaluator, host)
            causes[host] = cause or "the select expression has no value"
        return causes


def _places(candidates: Candidates) -> IndexArray:
    """The place in scan order of every candidate, shape `[hosts]`."""
    places = np.zeros(len(candidates.matching), np.int32)
    places[candidates.order] = np.arange(len(candidates.order), dtype=np.int32)
    return places
