"""Pulling happenings out of the engine, with what belongs to each pull.

A session of the core begins with the pull after a round has become due, so that "a `trace on`
given there applies to that round": here, and nowhere else, the core gets its recorder. Also kept
here: what the round in progress has decided, and why nothing more can be pulled. When to stop is
not decided here.
"""

from __future__ import annotations

from collections import deque

from xce_sim.commands.results import Place
from xce_sim.commands.round_log import KEPT_ROUNDS, RoundLog
from xce_sim.errors import UserError
from xce_sim.sim.engine import Engine
from xce_sim.sim.happening import Completed, Decided, Happening, RoundBegins, RoundEnded
from xce_sim.sim.stops import Stops
from xce_sim.trace.control import TraceControl
from xce_sim.trace.recorder import Recorder


class Player:
    """An engine and the hooks around each of its steps.

    `log` is the latest round's, `kept` has those of the latest rounds, that one included.
    """

    def __init__(self, engine: Engine, trace: TraceControl, stops: Stops) -> None:
        self.engine = engine
        self.log = RoundLog()
        self.kept: deque[RoundLog] = deque(maxlen=KEPT_ROUNDS)
        self._trace = trace
        self._failure: UserError | None = None
        engine.core.watch = stops.concern

    @property
    def place(self) -> Place:
        """Where the replay stands."""
        engine = self.engine
        return Place(round=engine.round, time=engine.now, event=engine.number)

    def pull(self) -> Happening | None:
        """The next happening, None when the replay is complete.

        `UserError` when the replay can not be played on; asking again gives the same error.
        """
        if self._failure is not None:
            raise self._failure
        if self.engine.complete:
            return None
        if self.log.phase == "due":
            self._begin_session()
        try:
            happening = next(self.engine.happenings())
        except UserError as error:
            self._failure = error
            raise
        except KeyboardInterrupt:
            self._failure = UserError(
                "the replay was interrupted in the midst of a decision and can not go on",
                hint="quit and start again; one Ctrl-C stops between decisions",
            )
            raise
        except Exception:
            self._failure = UserError("the replay ended in an internal error and can not go on")
            raise
        self._note(happening)
        return happening

    def _begin_session(self) -> None:
        settings = self._trace.begin_session()
        self.engine.core.trace = Recorder(settings) if settings.on else None
        self.log.phase = "session"

    def _note(self, happening: Happening) -> None:
        if isinstance(happening, RoundBegins):
            self.log = RoundLog(
                round=happening.round, time=happening.t, counts=happening.counts, phase="due"
            )
            self.kept.append(self.log)
        elif isinstance(happening, Decided):
            self.log.decided(happening)
        elif isinstance(happening, RoundEnded):
            self._end_session()
            self.log.phase = "between"
        elif isinstance(happening, Completed):
            self.log.phase = "complete"

    def _end_session(self) -> None:
        self._trace.end_session()
        self.engine.core.trace = None
