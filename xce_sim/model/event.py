"""Events of a replay: one frozen value for each kind of message.

Names and meaning follow the replay format; `t` is simulated time in microseconds. Parts of a
full push stand between `PushBegin` and `PushEnd`, the same classes are increments elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from xce_sim.model.clock import Micros
from xce_sim.model.config import Config
from xce_sim.model.ids import JobId
from xce_sim.model.job import Allocation, JobSpec
from xce_sim.model.resources import ResourceDef, Value
from xce_sim.model.worker import Worker, WorkerStatus

Mode = Literal["recorded", "workload"]
MODES: tuple[Mode, ...] = ("recorded", "workload")
LinkState = Literal["live", "broken", "rebuild_pending"]
LINK_STATES: tuple[LinkState, ...] = ("live", "broken", "rebuild_pending")
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first message. `interval` is the least time between two rounds of a workload."""

    version: int = FORMAT_VERSION
    mode: Mode = "recorded"
    cluster: str = ""
    interval: Micros = 0
    producer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed:
    t: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigPush(_Timed):
    """The whole configuration."""

    config: Config


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceDefs(_Timed):
    """Resource definitions (added outside a bracket)."""

    defs: tuple[ResourceDef, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPush(_Timed):
    """Totals of shared resources by name."""

    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkersPush(_Timed):
    """Hosts, in the order in which they are scanned."""

    workers: tuple[Worker, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsPush(_Timed):
    """Jobs in any state."""

    jobs: tuple[JobSpec, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushBegin(_Timed):
    """A full push begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushEnd(_Timed):
    """A full push is complete and replaces everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobNew(_Timed):
    """A job, or an array, arrives."""

    job: JobSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class JobUpdate(_Timed):
    """Fields of a job change.

    Only the fields named in `changed` (a subset of `JOB_UPDATE_FIELDS`) are part of the event;
    `job` has their values and defaults elsewhere. An array's base means all its elements.
    """

    job: JobSpec
    changed: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRemove(_Timed):
    """A job, or an array with all its elements, leaves."""

    id: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerUpdate(_Timed):
    """A host's status or slots change; None leaves them."""

    name: str
    status: WorkerStatus | None = None
    slots: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesUpdate(_Timed):
    """Values of one host change."""

    host: str
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedUpdate(_Timed):
    """Totals of shared resources change."""

    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueUpdate(_Timed):
    """Fields of a queue change; None leaves them.

    `hosts` can be replaced by another list; `all_hosts` true takes the list away.
    """

    name: str
    priority: int | None = None
    active: bool | None = None
    resreq: str | None = None
    hosts: tuple[str, ...] | None = None
    all_hosts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnect(_Timed):
    """The link to the controller is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(_Timed):
    """The link is back and a full push is expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt(_Timed):
    """The recorded scheduler had rebuilt its state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBegin(_Timed):
    """A recorded round begins."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRange:
    """Neighbouring hosts in pushed order, both ends included."""

    first: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEntry:
    """A pend reason entry as recorded, with host names instead of indices."""

    code: str
    resource: str | None = None
    limit: str | None = None
    clause: str | None = None
    alternative: int | None = None
    hosts: tuple[str | HostRange, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDispatch(_Timed):
    """A recorded dispatch."""

    job: JobId
    allocs: Allocation
    reconstructed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonSet(_Timed):
    """Pend reasons, written once and referred to by number."""

    set: int
    entries: tuple[RecordedEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPend(_Timed):
    """A recorded pend: its entries are the set's or stand inline in `reasons`."""

    job: JobId
    main: str
    set: int | None = None
    reasons: tuple[RecordedEntry, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPendRun(_Timed):
    """Recorded pends of several jobs, in order, with one set."""

    jobs: tuple[JobId, ...]
    main: str
    set: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSame(_Timed):
    """The round decided exactly what the one before decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnd(_Timed):
    """A recorded round ends."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotBegin(_Timed):
    """A checkpoint begins: a full push in a bracket of its own.

    `next_round` is the time of a round that waits for the interval, None without one.
    """

    round: int
    link: LinkState = "live"
    next_round: Micros | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotEnd(_Timed):
    """The checkpoint is complete."""


State = ConfigPush | ResourceDefs | SharedPush | WorkersPush | JobsPush
Increment = (
    State
    | JobNew
    | JobUpdate
    | JobRemove
    | WorkerUpdate
    | ValuesUpdate
    | SharedUpdate
    | QueueUpdate
)
Link = Disconnect | Join | Rebuilt
RecordedRound = (
    RoundBegin
    | RecordedDispatch
    | ReasonSet
    | RecordedPend
    | RecordedPendRun
    | RoundSame
    | RoundEnd
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held(_Timed):
    """Inside a snapshot: an increment held back by a pending rebuild."""

    event: Increment


Event = Increment | Link | RecordedRound | PushBegin | PushEnd | SnapshotBegin | SnapshotEnd | Held

__all__ = [
    "FORMAT_VERSION",
    "LINK_STATES",
    "MODES",
    "ConfigPush",
    "Disconnect",
    "Event",
    "Header",
    "Held",
    "HostRange",
    "Increment",
    "JobNew",
    "JobRemove",
    "JobUpdate",
    "JobsPush",
    "Join",
    "Link",
    "LinkState",
    "Mode",
    "PushBegin",
    "PushEnd",
    "QueueUpdate",
    "ReasonSet",
    "Rebuilt",
    "RecordedDispatch",
    "RecordedEntry",
    "RecordedPend",
    "RecordedPendRun",
    "RecordedRound",
    "ResourceDefs",
    "RoundBegin",
    "RoundEnd",
    "RoundSame",
    "SharedPush",
    "SharedUpdate",
    "SnapshotBegin",
    "SnapshotEnd",
    "State",
    "ValuesUpdate",
    "WorkerUpdate",
    "WorkersPush",
]
