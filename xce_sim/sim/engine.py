"""Playing a replay into a core: what happens next, and when.

"At an instant: job ends (by id), then events in file order, then one round, numbered even if
nothing is pending. With an `interval` a round that is due sooner than that after the one before
waits until then." The engine decides in which order things happen; whether to stop is the
business of whoever pulls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_sim.core.core import Core
from xce_sim.errors import ReplayError, RuleError, UserError
from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision, Dispatch, PendRun
from xce_sim.model.event import Header, Increment
from xce_sim.replay.reader import Numbered, Replay
from xce_sim.sim.agenda import Agenda
from xce_sim.sim.happening import (
    Completed,
    Decided,
    EventApplied,
    Happening,
    JobEnded,
    RoundBegins,
    RoundEnded,
)
from xce_sim.sim.recording import Recording
from xce_sim.sim.tally import Tally

if TYPE_CHECKING:
    from xce_sim.trace.records import TraceRecord


class Engine:
    """A replay, a core, and the clock between them.

    `now`, `round` and `number` tell where it stands; `in_session` is true between the first pull
    of a round's session and its end; `complete` once nothing is left. `damage` is the error that
    ended the replay early, if one did. A `recording` is told of everything that happens.
    """

    def __init__(self, replay: Replay, core: Core, *, recording: Recording | None = None) -> None:
        self.header: Header = replay.header
        if self.header.mode != "workload":
            raise ReplayError(
                f"mode {self.header.mode!r} can not be played: only workloads can",
                file=replay.path,
                event=0,
            )
        self.core = core
        self.now: Micros = 0
        self.round = 0
        self.number = 0
        self.in_session = False
        self.complete = False
        self.damage: ReplayError | None = None
        self.tally = Tally()
        self.recording = recording
        self._path = replay.path
        self._events: Iterator[Numbered] = iter(replay)
        self._next: Numbered | None = None
        self._agenda = Agenda()
        self._due: Micros | None = None
        self._last_round: Micros | None = None
        self._play = self._played()

    def happenings(self) -> Iterator[Happening]:
        """The one stream of happenings: every call goes on where the last one stood."""
        return self._play

    def _played(self) -> Iterator[Happening]:
        self._fetch()
        while (now := self._next_instant()) is not None:
            self.now = now
            self.core.advance(now)
            yield from self._job_ends()
            yield from self._file_events()
            if self._due is not None and self._due <= now:
                yield from self._round()
        self.complete = True
        yield Completed(t=self.now, number=self.number, round=self.round)

    def _next_instant(self) -> Micros | None:
        """The earliest of: a job's end, an event of the file, a round that waits."""
        event = None if self._next is None else self._next.event.t
        times = [time for time in (self._agenda.first(), event, self._due) if time is not None]
        return min(times, default=None)

    def _job_ends(self) -> Iterator[Happening]:
        for job in self._agenda.take(self.now):
            if self.core.ends_at(job, self.now):
                if self.recording is not None:
                    self.recording.job_ends(self.now, job)
                self.core.end_job(job)
                self.tally.job_ended(self.core.state.jobs[job])
                self._ask_for_round()
                yield JobEnded(t=self.now, number=self.number, job=job)

    def _file_events(self) -> Iterator[Happening]:
        while self._next is not None and self._next.event.t <= self.now:
            numbered = self._next
            event = numbered.event
            if not isinstance(event, Increment):
                raise self._at(numbered, f"{type(event).__name__} can not be played in a workload")
            if self.recording is not None:
                self.recording.event(event)
            try:
                self.core.apply(event)
            except UserError as error:
                raise self._at(numbered, error.message, error.hint) from error
            self.number = numbered.number
            self.tally.event(event)
            self._ask_for_round()
            self._schedule_ends()
            self._fetch()
            yield EventApplied(t=self.now, number=self.number, event=event)

    def _round(self) -> Iterator[Happening]:
        self._due = None
        self._last_round = self.now
        self.round += 1
        counts = self.tally.take_counts()
        yield RoundBegins(t=self.now, number=self.number, round=self.round, counts=counts)
        dispatched = reconstructed = 0
        self.in_session = True
        if self.recording is not None:
            self.recording.round_begins(self.now, self.round)
        for decision in self._decisions():
            if isinstance(decision, Dispatch):
                if decision.reconstructed:
                    reconstructed += 1
                else:
                    dispatched += 1
                    self.tally.dispatched(self.core.state.jobs[decision.job], self.now)
            if self.recording is not None:
                self.recording.decided(self.now, decision)
            record = self._record_of(decision)
            yield Decided(
                t=self.now,
                number=self.number,
                round=self.round,
                decision=decision,
                record=record,
            )
        self.in_session = False
        if self.recording is not None:
            self.recording.round_ends(self.now, self.round)
        self._schedule_ends()
        yield RoundEnded(
            t=self.now,
            number=self.number,
            round=self.round,
            dispatched=dispatched,
            reconstructed=reconstructed,
        )

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

    def _ask_for_round(self) -> None:
        """Something happened: a round is due, now or when the interval is over."""
        if self._due is None:
            earliest = self.now
            if self._last_round is not None:
                earliest = max(earliest, self._last_round + self.header.interval)
            self._due = earliest

    def _schedule_ends(self) -> None:
        for job, end in self.core.started():
            self._agenda.add(max(end, self.now), job)

    def _fetch(self) -> None:
        """Look at the next event; a cut-off file ends there and says so in `damage`."""
        try:
            self._next = next(self._events, None)
        except ReplayError as error:
            self._next = None
            self.damage = error

    def _at(self, numbered: Numbered, message: str, hint: str | None = None) -> RuleError:
        return RuleError(
            message, file=self._path, event=numbered.number, offset=numbered.offset, hint=hint
        )
