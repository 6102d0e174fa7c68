"""A job inside the core: what was pushed, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xce_sim.model.clock import Micros
from xce_sim.model.ids import JobId, format_id
from xce_sim.model.job import CHARGED_STATES, FINAL_STATES, Allocation, JobState
from xce_sim.model.reasons import Reasons

if TYPE_CHECKING:
    from xce_sim.core.classes import SchedulingClass
    from xce_sim.core.ledger import Charges


@dataclass(slots=True)
class PendStamp:
    """The number of the last round that decided what it decided; all its pending jobs share it."""

    round: int


@dataclass(slots=True, kw_only=True, eq=False)
class Job:
    """One job or array element.

    `decided` is true while it runs because this replay dispatched it, `reported` once it was
    reported as a reconstructed dispatch. `reasons` and `pended` are those of its last pend; only
    the session writes them. `charges` is what it holds in the ledger, None when it holds
    nothing. `klass` is its scheduling class, None until it is picked for the first time and again
    whenever something that the class depends on has changed.
    """

    id: JobId
    user: str
    queue: str
    project: str
    priority: int
    queue_time: Micros
    resreq: str
    min_tasks: int
    max_tasks: int
    run_time: Micros | None = None
    hosts: tuple[str, ...] | None = None
    state: JobState = "pend"
    start_time: Micros | None = None
    end_time: Micros | None = None
    allocation: Allocation | None = None
    decided: bool = False
    reported: bool = False
    reasons: Reasons | None = None
    pended: PendStamp | None = field(default=None, repr=False)
    klass: SchedulingClass | None = field(default=None, repr=False)
    charges: Charges | None = field(default=None, repr=False)

    @property
    def reason_round(self) -> int:
        """The round of its last pend, 0 without one."""
        return 0 if self.pended is None else self.pended.round

    @property
    def charged(self) -> bool:
        """Whether its allocation counts ("`susp` stays charged")."""
        return self.state in CHARGED_STATES

    @property
    def final(self) -> bool:
        """Whether it has ended."""
        return self.state in FINAL_STATES

    def __str__(self) -> str:
        return format_id(self.id)
