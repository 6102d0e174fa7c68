"""A round as a recording has it."""

from __future__ import annotations

from dataclasses import dataclass

from xce_sim.model.event import (
    ReasonSet,
    RecordedDispatch,
    RecordedPend,
    RecordedPendRun,
    RoundSame,
)

InRound = RecordedDispatch | RecordedPend | RecordedPendRun | RoundSame | ReasonSet


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRound:
    """A round as it was recorded: `whole` unless the file ends in it; `end` the last event."""

    round: int
    contents: tuple[InRound, ...]
    whole: bool
    end: int
