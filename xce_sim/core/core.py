"""The scheduling core as its driver sees it: values in, decisions out.

The core neither reads, prints, logs, nor looks at the wall clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from xce_sim.core import events, jobs
from xce_sim.core.derive import rederive
from xce_sim.core.session import Session, Watch
from xce_sim.core.state import State
from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision
from xce_sim.model.event import Increment
from xce_sim.model.ids import JobId

if TYPE_CHECKING:
    from xce_sim.trace.recorder import Recorder


class Core:
    """A state and what can be done to it.

    `trace` is None or the recorder of the session to come; only the interactive driver sets it.
    `watch` tells which jobs a breakpoint waits for. With `check` every round first compares the
    accounts with their definition.
    """

    def __init__(self, *, check: bool = False) -> None:
        self.state = State()
        rederive(self.state)  # what is built in has an account before anything is pushed
        self.trace: Recorder | None = None
        self.watch: Watch | None = None
        self._check = check

    def advance(self, now: Micros) -> None:
        """Move the clock, and let final jobs leave whose time is up."""
        self.state.now = now
        jobs.depart(self.state, now)

    def apply(self, event: Increment) -> None:
        """Apply one increment; `UserError` for one that can not be applied."""
        events.apply(self.state, event)

    def session(self, number: int) -> Iterator[Decision]:
        """The decisions of one round, one by one as they are pulled."""
        session = Session(
            self.state, number, recorder=self.trace, watch=self.watch, check=self._check
        )
        return session.decisions()

    def end_job(self, job_id: JobId) -> None:
        """A running job of a workload has reached its end."""
        job = self.state.jobs[job_id]
        jobs.end(self.state, job, self.state.now)

    def started(self) -> list[tuple[JobId, Micros]]:
        """Jobs that run since the last call, with the time at which they end by themselves.

        A job without `run_time` "does not end" and is left out.
        """
        arrived, self.state.arrived = self.state.arrived, []
        return [
            (job.id, job.start_time + job.run_time)
            for job in arrived
            if job.charged and job.run_time is not None and job.start_time is not None
        ]

    def ends_at(self, job_id: JobId, time: Micros) -> bool:
        """Whether a job still runs and ends by itself at that time."""
        job = self.state.jobs.get(job_id)
        return (
            job is not None
            and job.charged
            and job.run_time is not None
            and job.start_time is not None
            and job.start_time + job.run_time <= time
        )

    def members(self, job_id: JobId) -> Iterable[JobId]:
        """The jobs that an id means: itself, or all elements of an array's base."""
        return [job.id for job in jobs.targets(self.state, job_id)]
