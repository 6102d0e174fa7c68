"""The record under construction: its line budget, exact counters and open requirements.

"Stop capturing lines … stating how many lines were omitted": a line is kept while the budget
lasts, afterwards only counted. What is counted does not depend on what is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xce_sim.model.ids import JobId
from xce_sim.model.verdict import Account, NotCandidates
from xce_sim.trace.entries import Entry, PathStep
from xce_sim.trace.records import Counters, Outcome, RecordKind, Selection
from xce_sim.trace.settings import TraceSettings


@dataclass(slots=True, kw_only=True)
class Scope:
    """An open requirement and what is known of its plans.

    `explained`: the lines before the search ends say already why there is no plan.
    """

    step: PathStep
    generated: int = 0
    tried: int = 0
    discarded: int = 0
    not_tried: int = 0
    explained: bool = False
    committed: bool = False
    internal: bool = False
    not_considered: NotCandidates | None = None


@dataclass(slots=True, kw_only=True)
class Draft:
    """One record being built. `room` is the number of lines that may still be kept."""

    job: JobId
    kind: RecordKind
    position: int | None
    settings: TraceSettings
    room: int
    omitted: int = 0
    selection: Selection | None = None
    limits: tuple[Account, ...] | None = None
    outcome: Outcome | None = None
    entries: list[Entry] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    plans_tried: int = 0
    plans_discarded: int = 0
    none_generated: int = 0
    all_discarded: int = 0
    none_placed: int = 0
    evaluations: list[int] = field(default_factory=lambda: [0] * 6)

    def take_line(self) -> bool:
        """Whether one more line may be kept; if not it counts as omitted."""
        if self.room:
            self.room -= 1
            return True
        self.omitted += 1
        return False

    @property
    def depth(self) -> int:
        """The depth of what belongs to the innermost open requirement."""
        return len(self.scopes) + 1

    @property
    def scope(self) -> Scope:
        """The innermost open requirement; `RuntimeError` without one."""
        if not self.scopes:
            raise RuntimeError("no requirement is open")
        return self.scopes[-1]

    def counters(self) -> Counters:
        """The numbers as they stand."""
        return Counters(
            plans_tried=self.plans_tried,
            plans_discarded=self.plans_discarded,
            none_generated=self.none_generated,
            all_discarded=self.all_discarded,
            none_placed=self.none_placed,
            evaluations=tuple(self.evaluations),
            omitted=self.omitted,
        )
