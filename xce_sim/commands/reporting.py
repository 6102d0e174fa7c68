"""What is reported of each happening: everything in step mode, one line a round otherwise.

Continue mode "folds neighbouring rounds with the same fingerprint (nothing dispatched, the same
jobs pending) into one range". A traced decision is always reported, with its echo, and a round
that has one is never part of a range. A decision at which a breakpoint stops is shown too: whoever
stops there wants to know which one it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xce_sim.commands.results import (
    DecisionMade,
    Mismatch,
    Result,
    RoundClosed,
    RoundOpened,
    RoundRange,
    TraceTaken,
)
from xce_sim.commands.round_log import RoundLog, one_by_one
from xce_sim.commands.session import Session
from xce_sim.commands.trace_file import CopyFile
from xce_sim.sim.happening import Decided, Happening, RoundBegins, RoundEnded


class Reporter:
    """Step mode: "echoes every decision of the round as the driver processes it"."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def report(self, happening: Happening) -> Iterator[Result]:
        """What there is to show of a happening."""
        if isinstance(happening, RoundBegins):
            yield RoundOpened(round=happening.round, time=happening.t, counts=happening.counts)
        elif isinstance(happening, Decided):
            if self._shows(happening):
                yield from _decisions(happening)
            if happening.record is not None:
                yield self._traced(happening)
            yield from _mismatches(happening)
        elif isinstance(happening, RoundEnded):
            yield from _mismatches(happening)
            yield _closed(self._session.player.log)

    def stopping_at(self, happening: Happening) -> Iterator[Result]:
        """The decision at which a breakpoint stops, unless it was shown with the others."""
        if isinstance(happening, Decided) and not self._shows(happening):
            yield from _decisions(happening)

    def end(self) -> Iterator[Result]:
        """Whatever was held back; called when execution stops."""
        yield from ()

    def _shows(self, happening: Decided) -> bool:
        """Whether a decision is echoed."""
        return self._session.settings.echo == "on" or happening.record is not None

    def _traced(self, happening: Decided) -> TraceTaken:
        record = happening.record
        assert record is not None
        self._session.store.put(record)
        settings = self._session.trace.current
        file = None if settings is None else settings.file
        copy = file.write if isinstance(file, CopyFile) else None
        return TraceTaken(record=record, copy=copy)


class FoldingReporter(Reporter):
    """Continue mode: "one line per round", neighbours alike as one range."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._range: RoundRange | None = None
        self._apart: int | None = None

    def report(self, happening: Happening) -> Iterator[Result]:
        """What there is to show of a happening; quiet rounds are held back."""
        if isinstance(happening, Decided | RoundEnded) and happening.differences:
            yield from self.end()
            self._apart = happening.round
        if isinstance(happening, Decided) and happening.record is not None:
            yield from self.end()
            self._apart = happening.round
            yield DecisionMade(decision=happening.decision)
            yield self._traced(happening)
        if isinstance(happening, Decided | RoundEnded):
            yield from _mismatches(happening)
        if isinstance(happening, RoundEnded):
            closed = _closed(self._session.player.log)
            if closed.dispatched or closed.reconstructed or self._apart == closed.round:
                yield from self.end()
                yield closed
            else:
                yield from self._fold(closed)

    def end(self) -> Iterator[Result]:
        """The range held back, if there is one."""
        held, self._range = self._range, None
        if held is not None:
            yield held

    def _shows(self, happening: Decided) -> bool:
        """Only with its trace."""
        return happening.record is not None

    def _fold(self, closed: RoundClosed) -> Iterator[Result]:
        held = self._range
        if held is not None and held.pending == closed.pending:
            self._range = replace(held, last=closed.round, end=closed.time)
            return
        yield from self.end()
        self._range = RoundRange(
            first=closed.round,
            last=closed.round,
            begin=closed.time,
            end=closed.time,
            pending=closed.pending,
        )


def _mismatches(happening: Decided | RoundEnded) -> Iterator[Result]:
    for difference in happening.differences:
        yield Mismatch(difference=difference)


def _decisions(happening: Decided) -> Iterator[Result]:
    return (DecisionMade(decision=each) for each in one_by_one((happening.decision,)))


def _closed(log: RoundLog) -> RoundClosed:
    return RoundClosed(
        round=log.round,
        time=log.time,
        dispatched=log.dispatched,
        reconstructed=log.reconstructed,
        pending=log.pending,
    )
