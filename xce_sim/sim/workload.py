"""The course of a workload: jobs end by themselves, and rounds follow what happens.

"At an instant: job ends (by id), then events in file order, then one round, numbered even if
nothing is pending. With an `interval` a round that is due sooner than that after the one before
waits until then."
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_sim.model.clock import Micros
from xce_sim.sim.agenda import Agenda
from xce_sim.sim.happening import Happening, JobEnded

if TYPE_CHECKING:
    from xce_sim.sim.engine import Engine


class Workload:
    """When jobs end and when rounds are due, beside the events of the file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._agenda = Agenda()
        self._due: Micros | None = None
        self._last_round: Micros | None = None

    def happenings(self) -> Iterator[Happening]:
        """Instant by instant."""
        engine = self._engine
        while (now := self._next_instant()) is not None:
            engine.move_to(now)
            yield from self._job_ends()
            yield from self._file_events()
            if self._due is not None and self._due <= now:
                yield from self._round()

    def _next_instant(self) -> Micros | None:
        """The earliest of: a job's end, an event of the file, a round that waits."""
        ahead = self._engine.ahead
        event = None if ahead is None else ahead.event.t
        times = [time for time in (self._agenda.first(), event, self._due) if time is not None]
        return min(times, default=None)

    def _job_ends(self) -> Iterator[Happening]:
        engine = self._engine
        for job in self._agenda.take(engine.now):
            if engine.core.ends_at(job, engine.now):
                if engine.recording is not None:
                    engine.recording.job_ends(engine.now, job)
                engine.core.end_job(job)
                engine.tally.job_ended(engine.core.state.jobs[job])
                self._ask_for_round()
                yield JobEnded(t=engine.now, number=engine.number, job=job)

    def _file_events(self) -> Iterator[Happening]:
        engine = self._engine
        while engine.ahead is not None and engine.ahead.event.t <= engine.now:
            applied = engine.apply(engine.take())
            self._ask_for_round()
            self._schedule_ends()
            yield applied

    def _round(self) -> Iterator[Happening]:
        self._due = None
        self._last_round = self._engine.now
        yield from self._engine.play_round(self._engine.round + 1)
        self._schedule_ends()
        yield self._engine.end_round()

    def _ask_for_round(self) -> None:
        """Something happened: a round is due, now or when the interval is over."""
        if self._due is None:
            now = self._engine.now
            earliest = now
            if self._last_round is not None:
                earliest = max(now, self._last_round + self._engine.header.interval)
            self._due = earliest

    def _schedule_ends(self) -> None:
        for job, end in self._engine.core.started():
            self._agenda.add(max(end, self._engine.now), job)
