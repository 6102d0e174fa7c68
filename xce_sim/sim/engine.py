"""Playing a replay into a core: what workloads and recordings have in common.

The order in which things happen is that of a `Course`: a workload's (`workload`), where jobs end
by themselves and rounds follow events, or a recording's (`recorded`), which says where its rounds
are. Here is how one event and one round are played, told to the recording, and counted. Whether to
stop is the business of whoever pulls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from xce_sim.core.core import Core
from xce_sim.core.job import Job
from xce_sim.errors import ReplayError, RuleError, UserError
from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision, Dispatch, PendRun
from xce_sim.model.event import Event, Header, Increment, JobUpdate
from xce_sim.model.job import FINAL_STATES
from xce_sim.replay.messages import BY_CLASS
from xce_sim.replay.reader import Numbered, Replay
from xce_sim.sim.difference import Difference
from xce_sim.sim.happening import (
    Completed,
    Decided,
    EventApplied,
    Happening,
    RoundBegins,
    RoundEnded,
)
from xce_sim.sim.recorded import Recorded
from xce_sim.sim.recording import Recording
from xce_sim.sim.tally import Tally
from xce_sim.sim.verification import Verification
from xce_sim.sim.workload import Workload

if TYPE_CHECKING:
    from xce_sim.trace.records import TraceRecord


class Course(Protocol):
    """The order of what happens in one kind of replay."""

    def happenings(self) -> Iterator[Happening]:
        """Everything, up to the end."""


class Engine:
    """A replay, a core, and the clock between them.

    `now`, `round` and `number` tell where it stands; `in_session` is true between the first pull
    of a round's session and its end; `complete` once nothing is left. `damage` is the error that
    ended the replay early, if one did. A `recording` is told of everything that happens.
    A `verification` compares each round with the recorded one; `UserError` for a workload.
    """

    def __init__(
        self,
        replay: Replay,
        core: Core,
        *,
        recording: Recording | None = None,
        verification: Verification | None = None,
    ) -> None:
        self.header: Header = replay.header
        self.core = core
        self.now: Micros = 0
        self.round = 0
        self.number = 0
        self.in_session = False
        self.complete = False
        self.damage: ReplayError | None = None
        self.tally = Tally()
        self.recording = recording
        self.verification = verification
        self.ahead: Numbered | None = None
        self._path = replay.path
        self._events: Iterator[Numbered] = iter(replay)
        workload = self.header.mode == "workload"
        if workload and verification is not None:
            raise UserError(
                f"{replay.path} is a workload: there is nothing to compare with",
                hint="--sim-output makes a recording of it",
            )
        self._course: Course = Workload(self) if workload else Recorded(self)
        self._play = self._played()

    def happenings(self) -> Iterator[Happening]:
        """The one stream of happenings: every call goes on where the last one stood."""
        return self._play

    def _played(self) -> Iterator[Happening]:
        self._look_ahead()
        yield from self._course.happenings()
        self.complete = True
        yield Completed(t=self.now, number=self.number, round=self.round)

    # ---- what courses are made of ----

    def move_to(self, now: Micros) -> None:
        """Move the clock."""
        self.now = now
        self.core.advance(now)

    def take(self) -> Numbered:
        """The event ahead, which is no longer ahead; only while there is one."""
        taken = self.ahead
        if taken is None:
            raise LookupError("no event is ahead")
        self._look_ahead()
        return taken

    def apply(self, numbered: Numbered) -> EventApplied:
        """Play one event: it is recorded, then applied, then counted.

        `RuleError` with its place for one that can not be applied, or not be played yet.
        """
        event = numbered.event
        if not isinstance(event, Increment):
            raise self.refused(numbered)
        if self.recording is not None:
            self.recording.event(event)
        ending = self._ending(event)
        try:
            self.core.apply(event)
        except UserError as error:
            raise self._at(numbered, error.message, error.hint) from error
        self.number = numbered.number
        self.tally.event(event, ended=[job for job in ending if job.final])
        return EventApplied(t=self.now, number=self.number, event=event)

    def refused(self, numbered: Numbered) -> RuleError:
        """The error for a kind of event that can not be played, by its name."""
        name = BY_CLASS[type(numbered.event)].name
        return self._at(numbered, f"{name} can not be played yet")

    def play_round(self, number: int) -> Iterator[Happening]:
        """Play one round up to its last decision; `end_round` ends it."""
        self.round = number
        counts = self.tally.take_counts()
        yield RoundBegins(t=self.now, number=self.number, round=number, counts=counts)
        self.in_session = True
        if self.recording is not None:
            self.recording.round_begins(self.now, number)
        self._dispatched = self._reconstructed = 0
        for decision in self._decisions():
            self._count(decision)
            if self.recording is not None:
                self.recording.decided(self.now, decision)
            yield Decided(
                t=self.now,
                number=self.number,
                round=number,
                decision=decision,
                record=self._record_of(decision),
                differences=self._compared(decision),
            )
        self.in_session = False
        if self.recording is not None:
            self.recording.round_ends(self.now, number)

    def end_round(self) -> RoundEnded:
        """The round that was played is over."""
        verification = self.verification
        return RoundEnded(
            t=self.now,
            number=self.number,
            round=self.round,
            dispatched=self._dispatched,
            reconstructed=self._reconstructed,
            differences=() if verification is None else verification.end(self.now),
        )

    # ---- how ----

    _dispatched = 0
    _reconstructed = 0

    def _count(self, decision: Decision) -> None:
        if isinstance(decision, Dispatch):
            if decision.reconstructed:
                self._reconstructed += 1
            else:
                self._dispatched += 1
                self.tally.dispatched(self.core.state.jobs[decision.job], self.now)

    def _compared(self, decision: Decision) -> tuple[Difference, ...]:
        if self.verification is None:
            return ()
        return self.verification.decided(self.now, decision, self.core.state.columns.names)

    def _decisions(self) -> Iterator[Decision]:
        try:
            yield from self.core.session(self.round)
        except UserError as error:
            raise RuleError(error.message, file=self._path, event=self.number) from error

    def _record_of(self, decision: Decision) -> TraceRecord | None:
        recorder = self.core.trace
        if recorder is None or isinstance(decision, PendRun) or not recorder.wants(decision.job):
            return None
        return recorder.finish()

    def _ending(self, event: Event) -> list[Job]:
        """The jobs that a `job_update` brings to their end."""
        if not isinstance(event, JobUpdate) or "state" not in event.changed:
            return []
        if event.job.state not in FINAL_STATES:
            return []
        jobs = self.core.state.jobs
        return [jobs[job] for job in self.core.members(event.job.id) if not jobs[job].final]

    def _look_ahead(self) -> None:
        """Look at the next event; a cut-off file ends there and says so in `damage`."""
        try:
            self.ahead = next(self._events, None)
        except ReplayError as error:
            self.ahead = None
            self.damage = error

    def _at(self, numbered: Numbered, message: str, hint: str | None = None) -> RuleError:
        return RuleError(
            message, file=self._path, event=numbered.number, offset=numbered.offset, hint=hint
        )
