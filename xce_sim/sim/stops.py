"""Breakpoints: when to stop. What to say about it is decided elsewhere.

Asked with each happening, in order. "A round breakpoint stops before its session begins";
"`break job J` stops once an event that names J has been applied"; the others stop after the
decision that concerns them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from xce_sim.errors import UserError
from xce_sim.model.decision import Dispatch, Pend, PendRun
from xce_sim.model.event import (
    Event,
    JobNew,
    JobRemove,
    JobsPush,
    JobUpdate,
    PushBegin,
    PushEnd,
    SnapshotBegin,
    SnapshotEnd,
)
from xce_sim.model.ids import JobId, JobSelector, base_of, index_of
from xce_sim.model.job import JobSpec
from xce_sim.model.reasons import ReasonCode, ReasonEntry
from xce_sim.sim.happening import (
    Decided,
    EventApplied,
    Happening,
    JobEnded,
    RoundBegins,
    RoundEnded,
)


class StopKind(Protocol):
    """What a breakpoint waits for; `str()` gives the words it was asked for with."""

    def met_by(self, happening: Happening) -> bool:
        """Whether this happening is the one."""

    def concerns(self, job: JobId) -> bool:
        """Whether a decision about the job must be seen alone, never inside a run of pends."""


@dataclass(frozen=True, slots=True)
class AtRound:
    """A round is due: that one, or any."""

    round: int | None = None

    def __str__(self) -> str:
        return "round" if self.round is None else f"round {self.round}"

    def met_by(self, happening: Happening) -> bool:
        """At the begin of the round."""
        return isinstance(happening, RoundBegins) and self.round in (None, happening.round)

    def concerns(self, job: JobId) -> bool:  # noqa: ARG002
        """No decision is waited for."""
        return False


@dataclass(frozen=True, slots=True)
class AtJob:
    """An event names the job: it arrives, changes, ends, leaves."""

    selector: JobSelector

    def __str__(self) -> str:
        return f"job {self.selector}"

    def met_by(self, happening: Happening) -> bool:
        """After the event."""
        if isinstance(happening, JobEnded):
            return self.selector.matches(happening.job)
        return isinstance(happening, EventApplied) and names(happening.event, self.selector)

    def concerns(self, job: JobId) -> bool:  # noqa: ARG002
        """No decision is waited for."""
        return False


@dataclass(frozen=True, slots=True)
class AtDecision:
    """A dispatch or a pend, of some job or of any."""

    verb: str
    selector: JobSelector | None = None

    def __str__(self) -> str:
        return self.verb if self.selector is None else f"{self.verb} {self.selector}"

    def met_by(self, happening: Happening) -> bool:
        """After the decision."""
        if not isinstance(happening, Decided):
            return False
        decision = happening.decision
        if isinstance(decision, Dispatch):
            return self.verb == "dispatch" and self.concerns(decision.job)
        if isinstance(decision, Pend):
            return self.verb == "pend" and self.concerns(decision.job)
        if isinstance(decision, PendRun):
            return self.verb == "pend" and any(self.concerns(job) for job in decision.jobs)
        return False

    def concerns(self, job: JobId) -> bool:
        """Whether the decision about this job is waited for."""
        return self.selector is None or self.selector.matches(job)


@dataclass(frozen=True, slots=True)
class AtHost:
    """A dispatch takes something of the host."""

    host: str

    def __str__(self) -> str:
        return f"host {self.host}"

    def met_by(self, happening: Happening) -> bool:
        """After the decision."""
        if not isinstance(happening, Decided) or not isinstance(happening.decision, Dispatch):
            return False
        return any(share.host == self.host for share in happening.decision.allocation.hosts)

    def concerns(self, job: JobId) -> bool:  # noqa: ARG002
        """A dispatch is never inside a run."""
        return False


@dataclass(frozen=True, slots=True)
class AtReason:
    """A job pends for the reason, be it the main one or another."""

    code: ReasonCode

    def __str__(self) -> str:
        return f"reason {self.code}"

    def met_by(self, happening: Happening) -> bool:
        """After the decision."""
        entries = _reasons_of(happening)
        return any(entry.code == self.code for entry in entries)

    def concerns(self, job: JobId) -> bool:  # noqa: ARG002
        """Any job may pend for it."""
        return True


@dataclass(frozen=True, slots=True)
class AtLimit:
    """A job pends on the limit, whichever of its counters it is."""

    limit: str

    def __str__(self) -> str:
        return f"limit {self.limit}"

    def met_by(self, happening: Happening) -> bool:
        """After the decision."""
        names = (entry.limit for entry in _reasons_of(happening) if entry.limit is not None)
        return any(name.partition("/")[0] == self.limit for name in names)

    def concerns(self, job: JobId) -> bool:  # noqa: ARG002
        """Any job may pend on it."""
        return True


@dataclass(frozen=True, slots=True)
class AtMismatch:
    """A decision differs from the recorded one; for what is missing or misplaced, the round's end.

    Pends in a run are compared together, so the stop comes after the whole run.
    """

    def __str__(self) -> str:
        return "mismatch"

    def met_by(self, happening: Happening) -> bool:
        """After the decision, or the round."""
        return isinstance(happening, Decided | RoundEnded) and bool(happening.differences)

    def concerns(self, job: JobId) -> bool:  # noqa: ARG002
        """Runs are compared whole."""
        return False


def _reasons_of(happening: Happening) -> tuple[ReasonEntry, ...]:
    if isinstance(happening, Decided) and isinstance(happening.decision, Pend | PendRun):
        return happening.decision.reasons.entries
    return ()


@dataclass(slots=True, kw_only=True)
class Breakpoint:
    """One breakpoint. `ignore` hits pass without a stop; a temporary one goes at its first stop."""

    number: int
    kind: StopKind
    enabled: bool = True
    temporary: bool = False
    hits: int = 0
    ignore: int = 0


class Stops:
    """The numbered breakpoints of a session; numbers are never used twice."""

    def __init__(self) -> None:
        self._all: dict[int, Breakpoint] = {}
        self._last = 0
        self._bracket: list[Event] | None = None

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(self._all.values())

    def __len__(self) -> int:
        return len(self._all)

    def add(self, kind: StopKind, *, temporary: bool = False) -> Breakpoint:
        """A new breakpoint with the next number."""
        self._last += 1
        added = Breakpoint(number=self._last, kind=kind, temporary=temporary)
        self._all[added.number] = added
        return added

    def get(self, number: int) -> Breakpoint:
        """The breakpoint of that number; `UserError` if there is none."""
        found = self._all.get(number)
        if found is None:
            raise UserError(f"no breakpoint {number}", hint="info breakpoints lists them")
        return found

    def delete(self, number: int) -> Breakpoint:
        """Take a breakpoint away."""
        gone = self.get(number)
        del self._all[number]
        return gone

    def concern(self, job: JobId) -> bool:
        """Whether an enabled breakpoint waits for a decision about the job."""
        return any(b.enabled and b.kind.concerns(job) for b in self._all.values())

    def hit_by(self, happening: Happening) -> tuple[Breakpoint, ...]:
        """The breakpoints at which to stop now, by number; each hit is counted.

        Jobs in a full push are named when the push is applied as a whole, at its end.
        """
        seen: tuple[Happening, ...] = (happening,)
        if isinstance(happening, EventApplied):
            seen = self._applied(happening)
        return tuple([b for b in tuple(self._all.values()) if self._stops(b, seen)])

    def _applied(self, happening: EventApplied) -> tuple[Happening, ...]:
        event = happening.event
        if isinstance(event, PushBegin | SnapshotBegin):
            self._bracket = []
        elif self._bracket is None:
            return (happening,)
        elif isinstance(event, PushEnd | SnapshotEnd):
            pushed, self._bracket = self._bracket, None
            if isinstance(event, PushEnd):
                return tuple([EventApplied(t=e.t, number=0, event=e) for e in pushed])
        elif isinstance(event, JobsPush):
            self._bracket.append(event)
        return ()

    def _stops(self, point: Breakpoint, seen: tuple[Happening, ...]) -> bool:
        if not point.enabled or not any(point.kind.met_by(happening) for happening in seen):
            return False
        point.hits += 1
        if point.ignore:
            point.ignore -= 1
            return False
        if point.temporary:
            del self._all[point.number]
        return True


def names(event: Event, selector: JobSelector) -> bool:
    """Whether an event names a job that the selector means; an array's base names all elements."""
    if isinstance(event, JobNew):
        return _means(selector, event.job)
    if isinstance(event, JobsPush):
        return any(_means(selector, job) for job in event.jobs)
    if isinstance(event, JobUpdate):
        return _touches(selector, event.job.id)
    if isinstance(event, JobRemove):
        return _touches(selector, event.id)
    return False


def _means(selector: JobSelector, job: JobSpec) -> bool:
    if job.array is None or base_of(job.id) != selector.base:
        return selector.matches(job.id)
    if selector.first is None or selector.last is None:
        return True
    return any(selector.first <= index <= selector.last for index in job.array.indices())


def _touches(selector: JobSelector, job: JobId) -> bool:
    return base_of(job) == selector.base and (index_of(job) == 0 or selector.matches(job))
