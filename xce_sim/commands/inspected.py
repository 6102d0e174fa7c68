"""What inspection finds: facts about jobs, hosts, queues, rounds and breakpoints.

Frozen copies of what the core knows at that moment, without any wording. Amounts are thousandths,
times microseconds. `whole` asks for lists that are not cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision
from xce_sim.model.ids import JobId
from xce_sim.model.job import Allocation, JobState
from xce_sim.model.reasons import Reasons
from xce_sim.model.resources import ResourceDef
from xce_sim.model.units import Milli
from xce_sim.model.verdict import Charge, HostCharges
from xce_sim.model.worker import WorkerStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Pended:
    """The reasons of the last round in which the job was tried."""

    reasons: Reasons
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid:
    """The requirement does not parse: the job is selected and gets no decision."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """The policy stopped picking at another job, which pended in that round."""

    job: JobId
    round: int


NotTried = Literal["inactive", "held", "no_round"]
"""The queue is inactive, the job is held (`psusp`), or no round has looked at it yet."""

Waiting = Pended | Invalid | Behind | NotTried


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job in a list; `since` is when it came into its state."""

    id: JobId
    state: JobState
    user: str
    queue: str
    tasks: tuple[int, int]
    since: Micros
    waiting: Waiting | None
    allocation: Allocation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """All about one job.

    `hosts` and `shared` are what it holds now. `not_honoured` are parts of its requirement that
    are kept and have no effect (`duration=60`). `wait` is from queue time to start.
    """

    row: JobRow
    project: str
    priority: int
    queue_active: bool
    requirement: str
    allow_list: tuple[str, ...] | None
    run_time: Micros | None
    wait: Micros | None
    hosts: tuple[HostCharges, ...]
    shared: tuple[Charge, ...]
    not_honoured: tuple[str, ...]
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountFacts:
    """A consumable of a host: what there is and what is in use."""

    name: str
    unit: str
    total: Milli
    in_use: Milli


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """A host in a list; `amounts` has its consumables besides `slots`."""

    name: str
    status: WorkerStatus
    frozen: bool
    slots: AmountFacts
    amounts: tuple[AmountFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFacts:
    """All about one host: `values` are its other resources, `jobs` what runs there, by id."""

    row: HostRow
    values: tuple[tuple[str, float | str | bool], ...]
    jobs: tuple[JobId, ...]
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """A queue and how many of its jobs are in which state."""

    name: str
    priority: int
    active: bool
    hosts: tuple[str, ...] | None
    requirement: str
    jobs: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDetail:
    """A queue with its pending jobs in picking order and its running ones by id."""

    facts: QueueFacts
    pending: tuple[JobId, ...]
    running: tuple[JobId, ...]
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceFacts:
    """One counter of a limit: `u=alice`, `u=alice,h=n03`, `all`."""

    instance: str
    usage: Milli


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFacts:
    """A limit and its counters; `keys` are its lists as configured (`per_user`, ("all",))."""

    name: str
    resource: str
    unit: str
    value: Milli
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    instances: tuple[InstanceFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    """A limit in a list."""

    limit: LimitFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """A resource in a list: its definition."""

    definition: ResourceDef


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRow:
    """A shared resource: its total (a text or number where it is no consumable), and the use."""

    name: str
    unit: str
    value: Milli | float | str | bool | None
    in_use: Milli | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRow:
    """A user: jobs by state, and the slots that they hold."""

    name: str
    jobs: Mapping[str, int]
    slots: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """The sitting as a whole."""

    path: str
    mode: str
    cluster: str
    policy: str
    round: int
    time: Micros
    event: int
    complete: bool
    hosts: int
    jobs: int
    breakpoints: int
    stored_traces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectFacts:
    """Work done for select expressions: nodes there are, evaluated and reused, texts parsed."""

    nodes: int
    evaluated: int
    reused: int
    evaluated_in_round: int
    reused_in_round: int
    parsed: int


Phase = Literal["before", "due", "session", "between", "complete"]
"""Before the first round, before a round's session, within it, between rounds, at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFacts:
    """The round at which the replay stands, with what it has decided so far.

    `time` is the round's own: events of a later instant may have been applied since.
    """

    round: int
    time: Micros
    event: int
    phase: Phase
    counts: Mapping[str, int]
    dispatched: int
    pending: tuple[JobId, ...]
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """One decision of a round, never a run of them."""

    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakpointFacts:
    """One breakpoint; `what` are the words it was asked for with."""

    number: int
    what: str
    enabled: bool
    temporary: bool
    hits: int
    ignore: int
