"""Counting what goes by in a replay, without judging it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from xce_sim.model import event as ev
from xce_sim.model.clock import Micros
from xce_sim.model.ids import JobId, base_of, index_of
from xce_sim.model.job import JobSpec
from xce_sim.replay.numberset import NumberSet


class State:
    """What a full push replaces: hosts with their slots, resources, queues in order."""

    def __init__(self) -> None:
        self.hosts: dict[str, int] = {}
        self.resources: dict[str, None] = {"slots": None}
        self.queues: tuple[str, ...] = ()
        self.configured = False


class Tally:
    """Counts and extremes of the events taken so far.

    `jobs` are distinct ones, each element of an array; `endless` those of them without a run time.
    """

    def __init__(self) -> None:
        self.kinds: Counter[type] = Counter()
        self.state = State()
        self.bracket: State | None = None
        self.start: Micros | None = None
        self.end: Micros | None = None
        self.jobs = 0
        self.endless = 0
        self.users: set[str] = set()
        self.first_round: int | None = None
        self.last_round: int | None = None
        self.open_round: int | None = None
        self._by_queue: Counter[str] = Counter()
        self._numbers = NumberSet()
        self._elements: set[JobId] = set()
        self._steps: dict[type, Callable[[Any], None]] = {
            ev.ConfigPush: self._config,
            ev.ResourceDefs: self._definitions,
            ev.WorkersPush: self._workers,
            ev.WorkerUpdate: self._worker,
            ev.JobsPush: self._jobs,
            ev.JobNew: self._job_new,
            ev.RoundBegin: self._round_begin,
            ev.RoundEnd: self._round_end,
            ev.PushBegin: self._open,
            ev.SnapshotBegin: self._open,
            ev.PushEnd: self._close,
            ev.SnapshotEnd: self._close,
            ev.Disconnect: self._discard,
        }

    def take(self, event: ev.Event) -> None:
        """Count the next event."""
        kind = type(event)
        self.kinds[kind] += 1
        if self.start is None:
            self.start = event.t
        self.end = event.t
        step = self._steps.get(kind)
        if step is not None:
            step(event)

    def busiest(self) -> tuple[tuple[str, int], ...]:
        """Queues with their jobs, busiest first; those without jobs in configured order."""
        counts = Counter(self._by_queue)
        counts.update(dict.fromkeys(self.state.queues, 0))
        return tuple(counts.most_common())

    def _target(self) -> State:
        return self.state if self.bracket is None else self.bracket

    def _config(self, event: ev.ConfigPush) -> None:
        state = self._target()
        state.queues = tuple(queue.name for queue in event.config.queues)
        state.configured = True

    def _definitions(self, event: ev.ResourceDefs) -> None:
        self._target().resources.update((item.name, None) for item in event.defs)

    def _workers(self, event: ev.WorkersPush) -> None:
        self._target().hosts.update((worker.name, worker.slots) for worker in event.workers)

    def _worker(self, event: ev.WorkerUpdate) -> None:
        hosts = self._target().hosts
        if event.slots is not None and event.name in hosts:
            hosts[event.name] = event.slots

    def _jobs(self, event: ev.JobsPush) -> None:
        for job in event.jobs:
            self._job(job)

    def _job_new(self, event: ev.JobNew) -> None:
        self._job(event.job)

    def _job(self, job: JobSpec) -> None:
        if index_of(job.id):
            new = job.id not in self._elements
            self._elements.add(job.id)
        else:
            new = self._numbers.add(base_of(job.id))
        if not new:
            return
        count = 1 if job.array is None or job.array.step < 1 else len(job.array.indices())
        self.jobs += count
        self.endless += count if job.run_time is None else 0
        self.users.add(job.user)
        self._by_queue[job.queue] += count

    def _round_begin(self, event: ev.RoundBegin) -> None:
        if self.first_round is None:
            self.first_round = event.round
        self.last_round = self.open_round = event.round

    def _round_end(self, _: ev.RoundEnd) -> None:
        self.open_round = None

    def _open(self, _: ev.PushBegin | ev.SnapshotBegin) -> None:
        self.bracket = State()

    def _close(self, _: ev.PushEnd | ev.SnapshotEnd) -> None:
        if self.bracket is not None:
            self.state, self.bracket = self.bracket, None

    def _discard(self, _: ev.Disconnect) -> None:
        self.bracket = None
