"""A recording of what happens while a replay is played, "whatever was played".

Events as they are played, job ends as `job_update`s, rounds with their decisions. Every message is
handed to the system when it is made; an event before it is applied, so that what an event breaks
can be played again.

The bytes follow from what was decided alone: neighbours that pend with the same reasons are one
`pend_run`, whether they came one by one (traced, or waited for by a breakpoint) or together.

Choices: a round that dispatched anything, and one in which nothing was decided, is never
`round_same`; jobs without a decision are not in a recording. Snapshots are not written yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from xce_sim.errors import ReplayError, UserError
from xce_sim.model import event as ev
from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision, Dispatch, Pend, PendRun
from xce_sim.model.ids import JobId
from xce_sim.model.job import JobSpec
from xce_sim.model.reasons import Reasons
from xce_sim.replay.source import Form, reason
from xce_sim.replay.writer import ByteSink, ReplayWriter
from xce_sim.sim.reason_sets import ReasonSets, recorded_entries

PRODUCER = "xce-sim"

Waiting = tuple[tuple[JobId, ...], str, int]
"""Jobs in order, their main reason, the number of their set."""

_ENDED = frozenset(("state", "end_time"))


def header_of(played: ev.Header) -> ev.Header:
    """The header of a recording of something with this header."""
    return ev.Header(
        mode="recorded", cluster=played.cluster, interval=played.interval, producer=PRODUCER
    )


def open_recording(path: str | os.PathLike[str], played: ev.Header) -> Recording:
    """Begin a recording in a file, which is replaced; `UserError` if that is not possible."""
    try:
        return Recording(path, played)
    except ReplayError as error:
        raise UserError(error.message, hint=error.hint) from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: can not be written: {reason(error)}") from None


class Recording:
    """Takes what happens, in order, and writes it.

    `failure` is None until a write fails; it then says why, nothing is written any more, and the
    play goes on. `events` counts the messages written, the header left out.
    """

    def __init__(
        self,
        target: str | os.PathLike[str] | ByteSink,
        played: ev.Header,
        *,
        form: Form | None = None,
    ) -> None:
        self.path = str(target) if isinstance(target, str | os.PathLike) else "the recording"
        self.failure: str | None = None
        self.events = 0
        self._closed = False
        self._writer = ReplayWriter(target, header_of(played), form=form)
        self._sets = ReasonSets()
        self._round = _Round(before=None)
        self._jobs: list[tuple[JobId, ...]] = []
        self._reasons: tuple[str, int] = ("", 0)

    @property
    def size(self) -> int:
        """Bytes written."""
        return self._writer.size

    def event(self, event: ev.Event) -> None:
        """An event is about to be applied."""
        self._write(event)

    def job_ends(self, t: Micros, job: JobId) -> None:
        """A job is about to end by itself."""
        spec = JobSpec(id=job, state="done", end_time=t)
        self._write(ev.JobUpdate(t=t, job=spec, changed=_ENDED))

    def round_begins(self, t: Micros, number: int) -> None:
        """A session is about to begin."""
        self._write(ev.RoundBegin(t=t, round=number))

    def decided(self, t: Micros, decision: Decision) -> None:
        """A decision was made."""
        if isinstance(decision, Pend):
            self._pended(t, (decision.job,), decision.reasons)
        elif isinstance(decision, PendRun):
            self._pended(t, decision.jobs, decision.reasons)
        elif isinstance(decision, Dispatch):
            self._end_run(t)
            self._write_all(t, self._round.differs())
            self._round.dispatches = True
            self._write(
                ev.RecordedDispatch(
                    t=t,
                    job=decision.job,
                    allocs=decision.allocation,
                    reconstructed=decision.reconstructed,
                )
            )

    def round_ends(self, t: Micros, number: int) -> None:
        """The session is over."""
        self._end_run(t)
        if self._round.same:
            self._write(ev.RoundSame(t=t))
        else:
            self._write_all(t, self._round.differs())
        self._write(ev.RoundEnd(t=t, round=number))
        self._round = _Round(before=self._round)
        self._sets.round_ends()

    def close(self) -> None:
        """Whatever was written stays, and nothing more is written."""
        self._closed = True
        try:
            self._writer.close()
        except OSError as error:
            self._failed(error)

    def _pended(self, t: Micros, jobs: tuple[JobId, ...], reasons: Reasons) -> None:
        number, new = self._sets.number_of(reasons)
        key = (reasons.main.value, number)
        if self._jobs and key != self._reasons:
            self._end_run(t)
        if new:
            self._write_all(t, self._round.differs())
            self._write(ev.ReasonSet(t=t, set=number, entries=recorded_entries(reasons)))
        self._jobs.append(jobs)
        self._reasons = key

    def _end_run(self, t: Micros) -> None:
        """Neighbours with the same reasons are complete."""
        if not self._jobs:
            return
        parts, self._jobs = self._jobs, []
        jobs = parts[0] if len(parts) == 1 else tuple([job for part in parts for job in part])
        self._write_all(t, self._round.take((jobs, *self._reasons)))

    def _write_all(self, t: Micros, waiting: Iterable[Waiting]) -> None:
        for jobs, main, number in waiting:
            if len(jobs) == 1:
                self._write(ev.RecordedPend(t=t, job=jobs[0], main=main, set=number))
            else:
                self._write(ev.RecordedPendRun(t=t, jobs=jobs, main=main, set=number))

    def _write(self, event: ev.Event) -> None:
        if self._closed or self.failure is not None:
            return
        try:
            self._writer.write(event)
            self.events += 1
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        self.failure = self.failure or error.strerror or str(error)


class _Round:
    """What a round has decided, held back as long as it may be all that the one before decided."""

    def __init__(self, *, before: _Round | None) -> None:
        self.dispatches: bool = False
        self._waiting: list[Waiting] = []
        self._before: list[Waiting] = []
        self._open = before is not None and not before.dispatches
        if before is not None and self._open:
            self._before = before._waiting

    @property
    def same(self) -> bool:
        """Whether it has decided exactly what the one before did, and that is something."""
        return self._open and bool(self._waiting) and len(self._waiting) == len(self._before)

    def take(self, waiting: Waiting) -> list[Waiting]:
        """One more decision; gives what is to be written now."""
        position = len(self._waiting)
        if self._open and position < len(self._before) and self._before[position] == waiting:
            self._waiting.append(waiting)
            return []
        ready = [*self.differs(), waiting]
        self._waiting.append(waiting)
        return ready

    def differs(self) -> list[Waiting]:
        """It is not as the one before; gives what was held back until now."""
        held = list(self._waiting) if self._open else []
        self._open = False
        return held
