"""What happens while a replay is played, one frozen value each.

The driver pulls them one by one; between two of them everything stands still and can be looked
at. `number` is that of the last event taken from the replay (the header is number 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision
from xce_sim.model.event import Event
from xce_sim.model.ids import JobId
from xce_sim.sim.difference import Difference

if TYPE_CHECKING:
    from xce_sim.trace.records import TraceRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class EventApplied:
    """An event has reached the core; the round of that instant has not begun."""

    t: Micros
    number: int
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnded:
    """A job of a workload has ended by itself."""

    t: Micros
    number: int
    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBegins:
    """A round is due and its session has not begun.

    `counts` says what happened since the last round: `new`, `finished` and the other kinds of
    events by name, in that order, without those that did not occur.
    """

    t: Micros
    number: int
    round: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision (or a selection without one) was made; `record` is its trace, if it has one.

    `differences` are those from the recorded decision, when both are compared.
    """

    t: Micros
    number: int
    round: int
    decision: Decision
    record: TraceRecord | None = None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """The session is over. `dispatched` counts decisions made here, `reconstructed` those not.

    `differences` are those that show only now: what is missing, and the order.
    """

    t: Micros
    number: int
    round: int
    dispatched: int
    reconstructed: int
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """Nothing is left to happen."""

    t: Micros
    number: int
    round: int


Happening = EventApplied | JobEnded | RoundBegins | Decided | RoundEnded | Completed
