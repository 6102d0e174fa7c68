"""Hooks of positions: the hosts looked at for each, and what was released again.

A position is handed over as one finished scan. The counters take all of it; the record takes what
the level asks for and the budget allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from xce_sim.model.verdict import MismatchPart, Scan
from xce_sim.trace.blocks import (
    ClaimedHosts,
    host_block,
    position_summary,
)
from xce_sim.trace.host_entries import NotReached, PositionBegin, PositionEnd, Released
from xce_sim.trace.search_hooks import PlanHooks
from xce_sim.trace.settings import OUTCOME_HOSTS
from xce_sim.trace.verdicts import Verdicts, judge

Explain = Callable[[int], MismatchPart | None]


class MismatchParts:
    """What mismatched on a host, asked once for each host and select expression.

    A select expression is evaluated once in a round, so what an `explain` has answered for a host
    holds as long as the session.
    """

    def __init__(self) -> None:
        self._explain: Explain | None = None
        self._known: dict[int, MismatchPart | None] = {}
        self._by_explain: dict[Explain | None, dict[int, MismatchPart | None]] = {}

    def use(self, explain: Explain | None) -> None:
        """Answer by this function from now on."""
        self._explain = explain
        self._known = self._by_explain.setdefault(explain, {})

    def part_of(self, host: int) -> MismatchPart | None:
        """The part that failed on a host; None when it is not known."""
        known = self._known
        if host in known:
            return known[host]
        part = None if self._explain is None else self._explain(host)
        known[host] = part
        return part


class PositionHooks(PlanHooks):
    """Positions of the plan that is tried."""

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._claimed = ClaimedHosts(0)
        self._parts = MismatchParts()
        self._number = 0

    def begin_plan(self, sizes: Sequence[int], *, fill: bool = False, same: str = "") -> None:
        """See `PlanHooks.begin_plan`; a new plan has claimed no host."""
        self._claimed.reset()
        super().begin_plan(sizes, fill=fill, same=same)

    def begin_position(self, number: int, tasks: int) -> None:
        """A position, counted from 1, is to be filled with so many tasks."""
        draft = self._draft
        self._number = number
        if draft.take_line():
            draft.entries.append(PositionBegin(depth=draft.depth + 1, number=number, tasks=tasks))

    def end_position(self, scan: Scan, *, error: str | None = None) -> None:
        """The complete scan of the position that was begun.

        The position is filled by `scan.accepted` unless an `error` kept the host from being
        claimed. All arrays are read now; none is kept.
        """
        draft = self._draft
        depth = draft.depth + 2
        verdicts = judge(scan, self._claimed.mask(scan.claimed))
        for kind, count in enumerate(verdicts.counts):
            draft.evaluations[kind] += count
        if draft.settings.level == "full":
            self._keep_hosts(scan, verdicts, depth)
        elif draft.take_line():
            draft.entries.append(position_summary(scan, verdicts, self._names, depth=depth))
        if draft.take_line():
            filled = scan.accepted is not None and error is None
            draft.entries.append(
                PositionEnd(
                    depth=depth - 1,
                    number=self._number,
                    host=self._names[scan.accepted]
                    if filled and scan.accepted is not None
                    else None,
                    stopped=scan.stopped,
                    error=error,
                )
            )

    def _keep_hosts(self, scan: Scan, verdicts: Verdicts, depth: int) -> None:
        draft = self._draft
        lines = verdicts.lines
        room = min(lines, draft.room)
        if room:
            self._parts.use(scan.explain)
            block = host_block(scan, verdicts, depth=depth, room=room, part_of=self._parts.part_of)
            draft.entries.append(block)
            draft.room -= room
        draft.omitted += lines - room
        not_reached = len(scan.order) - scan.reached
        if not_reached and draft.take_line():
            last = self._names[int(scan.order[scan.reached - 1])] if scan.reached else None
            draft.entries.append(NotReached(depth=depth, count=not_reached, after=last))

    def released(self, hosts: Sequence[int]) -> None:
        """The hosts claimed for the positions of a failed plan were released, in this order."""
        draft = self._draft
        if not len(hosts):
            return
        if draft.take_line():
            listed = tuple(self._names[int(host)] for host in islice(hosts, OUTCOME_HOSTS))
            draft.entries.append(
                Released(depth=draft.depth + 1, hosts=listed, more=len(hosts) - len(listed))
            )
