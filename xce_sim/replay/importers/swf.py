"""Import of Standard Workload Format logs as workloads.

Each usable job becomes a `job_new` at its submit time with its run time; requested processors, else
the allocated ones, are its tasks. Waits, requested times, statuses, partitions and dependencies of
the log are not used: the simulated scheduler decides anew.

The file is read twice: once to find queues, order and what has to be skipped, once to write. Memory
is constant for a log sorted by submit time; for any other, 16 bytes for each job (and the unpacked
text, if it is packed). Sorting is stable: jobs of one instant keep the order of the log.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from xce_sim.errors import ReplayError
from xce_sim.model.clock import SECOND, Micros, format_seconds
from xce_sim.model.config import Config, Params, Policy, Queue, Spread
from xce_sim.model.event import (
    ConfigPush,
    Event,
    Header,
    JobNew,
    ResourceDefs,
    WorkersPush,
)
from xce_sim.model.ids import MAX_PART
from xce_sim.model.job import JobSpec
from xce_sim.model.units import Milli, format_milli
from xce_sim.replay.importers.machine import MEMORY, Machine, machine_of
from xce_sim.replay.importers.report import Imported, ImportReport, Skips
from xce_sim.replay.importers.swf_lines import (
    SwfHeader,
    SwfJob,
    is_record,
    parse_comments,
    parse_record,
)
from xce_sim.replay.importers.textfile import Line, TextFile
from xce_sim.replay.numberset import NumberSet

_EPOCH_LIKE = 10**8 * SECOND
"""Submit times from three years on are seconds since 1970: no log is that long before its first."""

_HOSTS_PER_PUSH = 1000
_LINES_PER_STEP = 1 << 12

Progress = Callable[[int], None]
"""Called now and then with the number of lines read so far, of both passes together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwfOptions:
    """How to read a log.

    `hosts` and `slots` replace what the header says about the machine; `host_memory` is that of
    each host in thousandths of a KiB. `strict` makes a record that can not be used an error.
    """

    hosts: int | None = None
    slots: int | None = None
    host_memory: Milli | None = None
    policy: Policy = "builtin_fcfs"
    spread: Spread = "even"
    interval: Micros = 0
    strict: bool = False


def import_swf(
    path: str | os.PathLike[str],
    options: SwfOptions = SwfOptions(),
    progress: Progress | None = None,
) -> Imported:
    """Read a log, plain or packed with gzip, as a workload.

    `ReplayError` if the file can not be read, says nothing about the machine, or holds no job that
    can be used; with `strict` at the first record that can not.
    """
    file = TextFile(path)
    comments = parse_comments(line for _, _, line in file.lines())
    machine = machine_of(
        hosts=options.hosts,
        slots=options.slots,
        nodes=comments.nodes,
        processors=comments.processors,
        memory=options.host_memory,
        path=str(path),
    )
    survey = _Survey(machine, options, str(path))
    for number, _, line in _watched(file.lines(), progress, 0):
        survey.take(number, line)
    if survey.jobs == 0:
        causes = ", ".join(f"{skip.count} {skip.cause}" for skip in survey.skips.all())
        raise ReplayError("no job that can be used", file=str(path), hint=causes or None)
    origin, notices = _origin(comments, survey.first)
    report = ImportReport(
        lines=survey.lines, jobs=survey.jobs, skips=survey.skips.all(), notices=notices
    )
    header = Header(
        mode="workload",
        cluster=Path(path).name.removesuffix(".gz").removesuffix(".swf"),
        interval=options.interval,
        producer="xce-sim import swf",
    )
    writing = _Writing(
        file=file,
        machine=machine,
        survey=survey,
        origin=origin,
        options=options,
        progress=progress,
    )
    return Imported(header=header, events=writing.events(), report=report)


class _Filter:
    """Which records can be used; a number counts once ("summary line" before its parts)."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._seen = NumberSet()

    def fault(self, job: SwfJob | None) -> str | None:
        """Why a record can not be used, or None."""
        if job is None:
            return "malformed line"
        if not 1 <= job.number <= MAX_PART:
            return "no job number"
        if job.submit < 0:
            return "no submit time"
        if job.run < 0:
            return "no run time"
        if job.processors < 1:
            return "no processors"
        if job.processors > self._machine.processors:
            return "more processors than the machine has"
        if job.processors > self._machine.tasks_with(job.memory):
            return "more memory than the machine has"
        return None if self._seen.add(job.number) else "job number seen before"


class _Survey:
    """The first pass: what there is, before anything is written."""

    def __init__(self, machine: Machine, options: SwfOptions, path: str) -> None:
        self._filter = _Filter(machine)
        self._strict = options.strict
        self._path = path
        self._last: Micros = 0
        self.skips = Skips()
        self.queues: set[int] = set()
        self.lines = self.jobs = 0
        self.first: Micros = 0
        self.ordered = True

    def take(self, number: int, line: bytes) -> None:
        """Look at the next line."""
        self.lines = number
        if not is_record(line):
            return
        job = parse_record(line)
        cause = self._filter.fault(job)
        if job is None or cause is not None:
            self._skip(cause or "", number)
            return
        self.queues.add(job.queue)
        self.first = min(self.first, job.submit) if self.jobs else job.submit
        self.ordered = self.ordered and job.submit >= self._last
        self._last = job.submit
        self.jobs += 1

    def _skip(self, cause: str, number: int) -> None:
        if self._strict:
            raise ReplayError(f"line {number}: {cause}", file=self._path)
        self.skips.add(cause, number)


def _origin(comments: SwfHeader, first: Micros) -> tuple[Micros, tuple[str, ...]]:
    """What is added to submit times, and what has to be said about it."""
    start = (comments.start or 0) * SECOND
    if first < _EPOCH_LIKE:
        return start, ()
    notice = (
        "submit times are seconds since 1970 although the header says start "
        f"{comments.start or 0}: taken as they are, beginning with {format_seconds(first)}"
    )
    return 0, (notice,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    """The second pass: the events."""

    file: TextFile
    machine: Machine
    survey: _Survey
    origin: Micros
    options: SwfOptions
    progress: Progress | None

    def events(self) -> Iterator[Event]:
        yield from self._setup(self.origin + self.survey.first)
        for job in self._jobs():
            yield JobNew(t=self.origin + job.submit, job=self._spec(job))

    def _setup(self, t: Micros) -> Iterator[Event]:
        """Configuration, resources and hosts at the time of the first submit."""
        names = sorted(self.survey.queues)
        queues = dict.fromkeys(_queue_name(number) for number in names)
        params = Params(policy=self.options.policy, spread=self.options.spread)
        config = Config(queues=tuple(Queue(name=name) for name in queues), params=params)
        yield ConfigPush(t=t, config=config)
        if self.machine.memory is not None:
            yield ResourceDefs(t=t, defs=(MEMORY,))
        workers = self.machine.workers()
        while piece := tuple(islice(workers, _HOSTS_PER_PUSH)):
            yield WorkersPush(t=t, workers=piece)

    def _jobs(self) -> Iterator[SwfJob]:
        """All usable jobs by submit time."""
        usable = self._usable()
        if self.survey.ordered:
            for _, _, job in usable:
                yield job
            return
        submits, numbers, offsets = array("q"), array("q"), array("q")
        for number, offset, job in usable:
            submits.append(job.submit)
            numbers.append(number)
            offsets.append(offset)
        order = sorted(range(len(submits)), key=submits.__getitem__)
        for _, _, line in self.file.lines_at((numbers[i], offsets[i]) for i in order):
            again = parse_record(line)
            if again is not None:
                yield again

    def _usable(self) -> Iterator[tuple[int, int, SwfJob]]:
        check = _Filter(self.machine)
        for number, offset, line in _watched(self.file.lines(), self.progress, self.survey.lines):
            if is_record(line):
                job = parse_record(line)
                if job is not None and check.fault(job) is None:
                    yield number, offset, job

    def _spec(self, job: SwfJob) -> JobSpec:
        asked = self.machine.memory is not None and job.memory > 0
        return JobSpec(
            id=job.number,
            user=f"user{job.user}" if job.user >= 0 else "",
            queue=_queue_name(job.queue),
            project=f"group{job.group}" if job.group >= 0 else "",
            resreq=f"rusage[{MEMORY.name}={format_milli(job.memory)}/task]" if asked else "",
            min_tasks=job.processors,
            run_time=job.run,
        )


def _queue_name(number: int) -> str:
    return f"q{number}" if number >= 0 else "default"


def _watched(lines: Iterator[Line], progress: Progress | None, before: int) -> Iterator[Line]:
    for line in lines:
        if progress is not None and line[0] % _LINES_PER_STEP == 0:
            progress(before + line[0])
        yield line
