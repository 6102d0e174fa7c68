"""Counting what was played, for the round's line and the closing summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xce_sim.core.job import Job
from xce_sim.core.state import State
from xce_sim.model import event as ev
from xce_sim.model.clock import Micros
from xce_sim.model.job import CHARGED_STATES
from xce_sim.model.resources import SLOTS
from xce_sim.model.units import MILLI


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The closing summary.

    Jobs by what became of them; times in microseconds (None without a dispatch); `slots` in use
    as slot-microseconds over the span from `first` to `last`.
    """

    rounds: int
    jobs: int
    finished: int
    running: int
    pending: int
    held: int
    invalid: int
    dispatched: int
    mean_wait: float | None
    max_wait: Micros | None
    slot_time: int
    slots: int
    first: Micros
    last: Micros

    @property
    def utilisation(self) -> float | None:
        """Slot-seconds run over slots times span, 0 to 1; None without slots or time."""
        span = (self.last - self.first) * self.slots
        return self.slot_time / span if span > 0 else None


_NAMES: dict[type, str] = {
    ev.JobNew: "new",
    ev.JobUpdate: "updated",
    ev.JobRemove: "removed",
    ev.WorkerUpdate: "host updates",
    ev.ValuesUpdate: "value updates",
    ev.SharedUpdate: "shared updates",
    ev.QueueUpdate: "queue updates",
}
_ORDER = ("new", "finished")


class Tally:
    """Running counts of one play."""

    def __init__(self) -> None:
        self.jobs = 0
        self.finished = 0
        self.dispatches = 0
        self.wait_sum: Micros = 0
        self.wait_max: Micros | None = None
        self.slot_time = 0
        self.first: Micros | None = None
        self._counts: dict[str, int] = {}

    def event(self, event: ev.Event, *, ended: Sequence[Job] = ()) -> None:
        """An event was applied; `ended` are the jobs that have ended by it."""
        if self.first is None:
            self.first = event.t
        arrived = 1
        if isinstance(event, ev.JobNew):
            arrived = 1 if event.job.array is None else len(event.job.array.indices())
            self.jobs += arrived
        elif isinstance(event, ev.JobsPush):
            self.jobs += len(event.jobs)
        for job in ended:
            self.job_ended(job)
        if not ended:
            self._count(_NAMES.get(type(event), "pushes"), arrived)

    def dispatched(self, job: Job, now: Micros) -> None:
        """A job was dispatched here."""
        self.dispatches += 1
        wait = now - job.queue_time
        self.wait_sum += wait
        self.wait_max = wait if self.wait_max is None else max(self.wait_max, wait)

    def job_ended(self, job: Job) -> None:
        """A job has ended; call while it still has its allocation."""
        self.finished += 1
        self.slot_time += slot_time(job, job.end_time or 0)
        self._count("finished", 1)

    def take_counts(self) -> Mapping[str, int]:
        """What happened since the last call, `new` and `finished` first."""
        counts, self._counts = self._counts, {}
        keys = [key for key in _ORDER if key in counts]
        keys += sorted(key for key in counts if key not in _ORDER)
        return {key: counts[key] for key in keys}

    def _count(self, name: str, by: int) -> None:
        self._counts[name] = self._counts.get(name, 0) + by


def slot_time(job: Job, until: Micros) -> int:
    """Slot-microseconds that a job has held up to a time."""
    if job.allocation is None or job.start_time is None:
        return 0
    return sum(share.tasks for share in job.allocation.hosts) * max(0, until - job.start_time)


def summarise(tally: Tally, state: State, rounds: int, now: Micros) -> Summary:
    """The summary as things stand."""
    running = [job for job in state.jobs.values() if job.state in CHARGED_STATES]
    waiting = state.waiting.values()
    invalid = sum(job.klass is not None and job.klass.request is None for job in waiting)
    held = sum(job.state == "psusp" for job in state.jobs.values())
    return Summary(
        rounds=rounds,
        jobs=tally.jobs,
        finished=tally.finished,
        running=len(running),
        pending=len(waiting) - invalid + held,
        held=held,
        invalid=invalid,
        dispatched=tally.dispatches,
        mean_wait=tally.wait_sum / tally.dispatches if tally.dispatches else None,
        max_wait=tally.wait_max,
        slot_time=tally.slot_time + sum(slot_time(job, now) for job in running),
        slots=int(state.columns.amounts(SLOTS).sum()) // MILLI,
        first=now if tally.first is None else tally.first,
        last=now,
    )
