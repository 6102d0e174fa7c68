"""Rules about the order of events: rounds, brackets, what may stand where.

"rounds are numbered upwards and closed ... brackets are closed and not nested". A state machine
over the kinds of events; what they contain does not matter here.

Choices: a round holds decisions only and decisions stand in rounds only (events are played between
rounds); a `reason_set` may stand in a snapshot too, so that a reader can start there; rounds may go
on while a push arrives ("in REBUILD_PENDING rounds go on over the local copy") but not inside a
snapshot; `disconnect` closes an unfinished push, since it "discards the partial push".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xce_sim.errors import TruncatedReplay
from xce_sim.model import event as ev
from xce_sim.replay.messages import BY_CLASS, INCREMENTS

Fail = Callable[[str, str], None]
"""Reports a broken rule: its name and what is wrong."""

DECISIONS = frozenset((ev.RecordedDispatch, ev.RecordedPend, ev.RecordedPendRun, ev.RoundSame))
ROUNDS = DECISIONS | {ev.RoundBegin, ev.RoundEnd, ev.ReasonSet}
PARTS = frozenset((ev.ConfigPush, ev.ResourceDefs, ev.SharedPush, ev.WorkersPush, ev.JobsPush))
"""The parts of a full push; increments elsewhere."""

_CLOSED_BY = {"push": "push_end", "snapshot": "snapshot_end"}


class Sequence:
    """Where in the order of things the stream is.

    `round` is the number of the open round or None, `bracket` is `push`, `snapshot` or None.
    """

    def __init__(self, mode: ev.Mode, fail: Fail) -> None:
        self._mode = mode
        self._fail = fail
        self._last_round = 0
        self._opened_at = 0
        self._decisions = 0
        self._same = False
        self._rounds = 0
        self.round: int | None = None
        self.bracket: str | None = None
        self._steps: dict[type, Callable[[Any], None]] = {
            ev.RoundBegin: self._round_begin,
            ev.RoundEnd: self._round_end,
            ev.RoundSame: self._decision,
            ev.RecordedDispatch: self._decision,
            ev.RecordedPend: self._decision,
            ev.RecordedPendRun: self._decision,
            ev.ReasonSet: self._reason_set,
            ev.PushBegin: self._open,
            ev.SnapshotBegin: self._open,
            ev.PushEnd: self._close,
            ev.SnapshotEnd: self._close,
            ev.Held: self._held,
        }

    @property
    def inside(self) -> bool:
        """Whether a round or a bracket is open, so that not every increment may come."""
        return self.round is not None or self.bracket is not None

    def follow(self, event: ev.Event, number: int) -> None:
        """Take the next event, `number` for messages about what it opens."""
        kind = type(event)
        if kind in ROUNDS:
            if self._mode == "workload":
                self._fail("mode", f"{_name(event)} in a workload, which has no recorded rounds")
            elif self.bracket == "snapshot" and kind is not ev.ReasonSet:
                self._fail("bracket", f"{_name(event)} inside a snapshot")
        elif self.round is not None:
            self._fail("round", f"{_name(event)} inside round {self.round}: only decisions may be")
        elif self.bracket == "snapshot" and kind in INCREMENTS and kind not in PARTS:
            self._fail(
                "bracket", f"{_name(event)} inside a snapshot: only its parts and held may be"
            )
        if kind in self._steps:
            if kind in _OPENERS:
                self._opened_at = number if self.round is None else self._opened_at
            self._steps[kind](event)
        elif kind in _LINK:
            self._link(event)

    def finish(self) -> None:
        """The stream has ended; `TruncatedReplay` if it did so inside a round or bracket."""
        inside = f"round {self.round}" if self.round is not None else ""
        inside = inside or (f"a {self.bracket}" if self.bracket else "")
        if inside:
            raise TruncatedReplay(
                f"the file ends inside {inside}, begun by event {self._opened_at}"
            )

    def _round_begin(self, event: ev.RoundBegin) -> None:
        if self.round is not None:
            self._fail("round", f"round {event.round} begins inside round {self.round}")
        if event.round <= self._last_round:
            self._fail("round", f"round {event.round} follows round {self._last_round}")
        self.round = self._last_round = event.round
        self._decisions, self._same = 0, False

    def _round_end(self, event: ev.RoundEnd) -> None:
        if self.round is None:
            self._fail("round", f"round {event.round} ends without having begun")
        elif self.round != event.round:
            self._fail("round", f"round {self.round} is closed as round {event.round}")
        self.round = None
        self._rounds += 1

    def _decision(self, event: ev.Event) -> None:
        if self.round is None:
            self._fail("round", f"{_name(event)} outside a round")
        if isinstance(event, ev.RoundSame):
            if not self._rounds:
                self._fail("round", "round_same without a round before")
            self._same = True
        self._decisions += 1
        if self._same and self._decisions > 1:
            self._fail("round", "round_same beside other decisions")

    def _reason_set(self, _: ev.ReasonSet) -> None:
        if self.round is None and self.bracket != "snapshot":
            self._fail("round", "reason_set outside a round")

    def _open(self, event: ev.PushBegin | ev.SnapshotBegin) -> None:
        if self.bracket is not None:
            self._fail("bracket", f"{_name(event)} inside a {self.bracket}")
        self.bracket = "push" if isinstance(event, ev.PushBegin) else "snapshot"
        if isinstance(event, ev.SnapshotBegin):
            if event.round < self._last_round:
                self._fail("round", f"a snapshot of round {event.round} after {self._last_round}")
            self._last_round = max(self._last_round, event.round)

    def _close(self, event: ev.PushEnd | ev.SnapshotEnd) -> None:
        if self.bracket is None or _CLOSED_BY[self.bracket] != _name(event):
            inside = f"inside a {self.bracket}" if self.bracket else "without its beginning"
            self._fail("bracket", f"{_name(event)} {inside}")
        self.bracket = None

    def _held(self, _: ev.Held) -> None:
        if self.bracket != "snapshot":
            self._fail("bracket", "held outside a snapshot")

    def _link(self, event: ev.Event) -> None:
        if self.bracket == "snapshot" or (self.bracket and not isinstance(event, ev.Disconnect)):
            self._fail("bracket", f"{_name(event)} inside a {self.bracket}")
        if isinstance(event, ev.Disconnect):
            self.bracket = None


_OPENERS = frozenset((ev.RoundBegin, ev.PushBegin, ev.SnapshotBegin))
_LINK = frozenset((ev.Disconnect, ev.Join, ev.Rebuilt))


def _name(event: ev.Event) -> str:
    return BY_CLASS[type(event)].name
