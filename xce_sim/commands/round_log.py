"""What the latest rounds have decided, kept for looking at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xce_sim.commands.inspected import Phase
from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision, Dispatch, Pend, PendRun
from xce_sim.model.ids import JobId
from xce_sim.sim.happening import Decided

KEPT_ROUNDS = 100
"""So many rounds are kept, the latest ones."""


@dataclass(slots=True, kw_only=True)
class RoundLog:
    """What a round has decided so far; `pending` in picking order."""

    round: int = 0
    time: Micros = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    phase: Phase = "before"
    dispatched: int = 0
    reconstructed: int = 0
    decisions: list[Decision] = field(default_factory=list)
    _pending: list[tuple[JobId, ...]] = field(default_factory=list)

    @property
    def pending(self) -> tuple[JobId, ...]:
        """The jobs that it has left waiting."""
        if len(self._pending) != 1:
            self._pending = [tuple([job for jobs in self._pending for job in jobs])]
        return self._pending[0]

    def decided(self, happening: Decided) -> None:
        """Note a decision."""
        decision = happening.decision
        self.decisions.append(decision)
        if isinstance(decision, Dispatch):
            self.dispatched += not decision.reconstructed
            self.reconstructed += decision.reconstructed
        elif isinstance(decision, Pend):
            self._pending.append((decision.job,))
        elif isinstance(decision, PendRun):
            self._pending.append(decision.jobs)


def one_by_one(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Decisions with runs of neighbours taken apart."""
    for decision in decisions:
        if isinstance(decision, PendRun):
            yield from decision
        else:
            yield decision
