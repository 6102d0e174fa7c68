"""Jobs as the controller pushes them, and allocations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from xce_sim.model.clock import Micros
from xce_sim.model.ids import JobId
from xce_sim.model.units import Milli

JobState = Literal["pend", "psusp", "run", "susp", "done", "exit"]
JOB_STATES: tuple[JobState, ...] = get_args(JobState)
FINAL_STATES: frozenset[JobState] = frozenset(("done", "exit"))
CHARGED_STATES: frozenset[JobState] = frozenset(("run", "susp"))
"""States in which a job's allocation is charged ("`susp` stays charged")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostShare:
    """What a job holds on one host: whole tasks (= slots), totals by resource in thousandths."""

    host: str
    tasks: int
    amounts: Mapping[str, Milli] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """All a job holds; hosts "in the order in which they were claimed"."""

    hosts: tuple[HostShare, ...] = ()
    shared: Mapping[str, Milli] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayRange:
    """Elements `first`, `first + step`, ... up to `last` of a new array."""

    first: int
    last: int
    step: int = 1

    def indices(self) -> range:
        """The element indices."""
        return range(self.first, self.last + 1, self.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """A job as pushed.

    `queue_time` None means the time of the event; `max_tasks` None means `min_tasks`;
    `run_time` None means that a workload never ends it. `decided`, `reported`, `main` and `set`
    stand in snapshots only: this replay dispatched it; it was reported as reconstructed; its
    last main pend reason and the number of its reason set.
    """

    id: JobId
    user: str = ""
    queue: str = ""
    project: str = ""
    priority: int = 0
    queue_time: Micros | None = None
    resreq: str = ""
    min_tasks: int = 1
    max_tasks: int | None = None
    run_time: Micros | None = None
    hosts: tuple[str, ...] | None = None
    array: ArrayRange | None = None
    state: JobState = "pend"
    start_time: Micros | None = None
    end_time: Micros | None = None
    allocs: Allocation | None = None
    decided: bool = False
    reported: bool = False
    main: str | None = None
    set: int | None = None


JOB_UPDATE_FIELDS = (
    "user",
    "queue",
    "project",
    "priority",
    "queue_time",
    "resreq",
    "min_tasks",
    "max_tasks",
    "run_time",
    "hosts",
    "state",
    "start_time",
    "end_time",
    "allocs",
)
"""What a `job_update` may change, in the order in which it is written."""
