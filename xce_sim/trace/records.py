"""The record of one traced selection: frozen, self-contained, independent of any live object.

Decides what a record consists of. It is made by the recorder, kept by the store and turned into
text by the lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xce_sim.model.clock import Micros
from xce_sim.model.decision import NoDecisionKind
from xce_sim.model.ids import JobId
from xce_sim.model.reasons import ReasonCode
from xce_sim.model.verdict import Account, Charge, HostCharges
from xce_sim.trace.entries import Entry, object_bytes, tuple_bytes
from xce_sim.trace.host_entries import HostBlock
from xce_sim.trace.settings import Level

RecordKind = Literal["decision", "no decision", "reconstructed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Why the job was looked at when it was: the policy and its ordering keys at that moment."""

    policy: str
    queue: str
    queue_priority: int
    job_priority: int
    queue_time: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Exact numbers of the whole decision, whatever was kept of it.

    `evaluations` has one number for each verdict kind, in their order; "a host evaluation is one
    host considered for one position of one plan", counted under each kind it matched.
    """

    plans_tried: int = 0
    plans_discarded: int = 0
    none_generated: int = 0
    all_discarded: int = 0
    none_placed: int = 0
    evaluations: tuple[int, ...] = (0,) * 6
    omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchOutcome:
    """The allocation: the first hosts in detail, the others added up.

    `omitted` has the totals of the omitted hosts by resource, and per limit with no instance.
    """

    hosts: tuple[HostCharges, ...]
    shared: tuple[Charge, ...]
    omitted_hosts: int = 0
    omitted: tuple[Charge, ...] = ()

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        charges = sum(len(host.charges) for host in self.hosts)
        charges += len(self.shared) + len(self.omitted)
        hosts = (object_bytes(2) + tuple_bytes(0) + 8) * len(self.hosts)
        return object_bytes(4) + 3 * tuple_bytes(0) + hosts + charges * (object_bytes(3) + 8 + 32)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendEntry:
    """One reason; `places` of its hosts among the listed ones, None for a reason without hosts.

    With `per_host` the limit has a counter of its own on every host.
    """

    code: ReasonCode
    resource: str | None
    limit: str | None
    clause: str | None
    alternative: int | None
    per_host: bool
    places: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PendOutcome:
    """The pend reasons: the first hosts in detail, of the others the entries per code."""

    main: ReasonCode
    hosts: tuple[str, ...]
    entries: tuple[PendEntry, ...]
    omitted_hosts: int = 0
    omitted: tuple[tuple[ReasonCode, int], ...] = ()

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        places = sum(tuple_bytes(len(entry.places or ())) for entry in self.entries)
        entries = (object_bytes(7) + 8) * len(self.entries) + places
        omitted = (tuple_bytes(2) + 8 + 32) * len(self.omitted)
        return object_bytes(5) + 3 * tuple_bytes(len(self.hosts)) + entries + omitted


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDecisionOutcome:
    """Nothing came of the selection, and why."""

    kind: NoDecisionKind
    cause: str

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return object_bytes(2)


Outcome = DispatchOutcome | PendOutcome | NoDecisionOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRecord:
    """All that is kept of one traced selection.

    `round` is the session's number, `position` the job's 1-based place among the jobs selected in
    it (None for a reconstructed dispatch, which was not selected). `selection` and `limits` are
    None where they were unavailable. `host_names` is the table that host blocks point into; it is
    shared by all records of a session, so `nbytes` leaves it out and the store counts it once.
    """

    job: JobId
    kind: RecordKind
    level: Level
    round: int
    position: int | None
    line_bound: int
    selection: Selection | None
    limits: tuple[Account, ...] | None
    entries: tuple[Entry, ...]
    counters: Counters
    outcome: Outcome
    host_names: tuple[str, ...]

    @property
    def line_count(self) -> int:
        """How many lines of the bounded sections are kept; never more than `line_bound`."""
        return sum(entry.lines for entry in self.entries)

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes: objects, arrays and the entries of the record."""
        parts = {
            id(part): part
            for entry in self.entries
            if isinstance(entry, HostBlock)
            for part in entry.parts
            if part is not None
        }
        texts = sum(
            object_bytes(4) + 112 + len(part.expression) + len(part.value)
            for part in parts.values()
        )
        blocks = object_bytes(12) + object_bytes(7) + object_bytes(5) + tuple_bytes(6)
        limits = tuple_bytes(len(self.limits or ()))
        entries = tuple_bytes(len(self.entries)) + sum(entry.nbytes for entry in self.entries)
        return blocks + limits + entries + texts + self.outcome.nbytes
