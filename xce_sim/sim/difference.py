"""What a verification found: values that say where two decisions differ, without any wording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xce_sim.model.clock import Micros
from xce_sim.model.event import RecordedEntry
from xce_sim.model.ids import JobId
from xce_sim.model.job import Allocation


@dataclass(frozen=True, slots=True)
class Placed:
    """A dispatch as one side has it."""

    allocation: Allocation
    reconstructed: bool


@dataclass(frozen=True, slots=True)
class Waits:
    """A pend as one side has it."""

    main: str
    entries: tuple[RecordedEntry, ...]


Side = Placed | Waits | tuple[RecordedEntry, ...] | int | str | None
"""A decision, the entries that only this side has, an amount in thousandths or a number of tasks,
a word; None where a side has nothing."""

What = Literal["decision", "hosts", "tasks", "amount", "main", "reasons", "position"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A job of a round that was decided otherwise than it was recorded.

    `decision`: another kind, or one side has none; `hosts`: other hosts, or another order of them;
    `tasks` and `amount` on `host` (None: of a shared `resource`); `main` and `reasons` of a pend;
    `position`: the first job of the round that stands elsewhere among those that both have.
    """

    round: int
    t: Micros
    job: JobId
    what: What
    here: Side
    recorded: Side
    host: str | None = None
    resource: str | None = None
