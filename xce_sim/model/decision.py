"""What a round decides, one value a decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xce_sim.model.ids import JobId
from xce_sim.model.job import Allocation
from xce_sim.model.reasons import Reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """The job runs; `reconstructed` when a recording said so and nothing was decided here."""

    job: JobId
    allocation: Allocation
    reconstructed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pend:
    """The job waits."""

    job: JobId
    reasons: Reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class PendRun:
    """Neighbours in picking order that wait with the very same reasons.

    "iterates to the same decisions" as they would have made one by one.
    """

    jobs: tuple[JobId, ...]
    reasons: Reasons

    def __iter__(self) -> Iterator[Pend]:
        return (Pend(job=job, reasons=self.reasons) for job in self.jobs)

    def __len__(self) -> int:
        return len(self.jobs)


NoDecisionKind = Literal["not_found", "no_object", "internal_error", "no_reason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDecision:
    """A job was selected and nothing came of it.

    `no_object` is a requirement that does not parse (`cause` has the message of
    `RESREQ_INVALID`), `not_found` a job that left while it was selected, `no_reason` a pend for
    which nothing was found. Not a decision: never recorded, never compared.
    """

    job: JobId
    kind: NoDecisionKind
    cause: str = ""


Decision = Dispatch | Pend | PendRun | NoDecision
