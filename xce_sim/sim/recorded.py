"""The course of a recording: "Recorded replays say where rounds begin", and nothing else happens.

Events are played between the rounds in file order; a recorded round is decided anew, under its
recorded number. What the recording says was decided there is no input: a job dispatched here "runs
until the recording speaks", that is until a `job_update` about it. Run times are ignored.

Choice: a round whose end is cut off has begun, so it is decided too; what the recording has of it
is all that can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_sim.model.event import RoundBegin, RoundEnd
from xce_sim.sim.happening import Happening
from xce_sim.sim.recorded_round import InRound, RecordedRound

if TYPE_CHECKING:
    from xce_sim.sim.engine import Engine


class Recorded:
    """Events and rounds in the order of the file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def happenings(self) -> Iterator[Happening]:
        """Event by event, a round taken as one."""
        engine = self._engine
        while engine.ahead is not None:
            event = engine.ahead.event
            engine.move_to(event.t)
            if isinstance(event, RoundBegin):
                yield from self._round(event)
            else:
                yield engine.apply(engine.take())

    def _round(self, begin: RoundBegin) -> Iterator[Happening]:
        engine = self._engine
        engine.number = engine.take().number
        recorded = self._rest_of(begin)
        if engine.verification is not None:
            engine.verification.begin(recorded)
        yield from engine.play_round(begin.round)
        engine.core.started()
        engine.number = recorded.end
        yield engine.end_round()

    def _rest_of(self, begin: RoundBegin) -> RecordedRound:
        """Take everything up to the end of the round, or of the file."""
        engine = self._engine
        contents: list[InRound] = []
        whole, end = False, engine.number
        while engine.ahead is not None and not whole:
            numbered = engine.take()
            end = numbered.number
            if isinstance(numbered.event, RoundEnd):
                whole = True
            elif isinstance(numbered.event, InRound):
                contents.append(numbered.event)
            else:
                raise engine.refused(numbered)
        return RecordedRound(round=begin.round, contents=tuple(contents), whole=whole, end=end)
