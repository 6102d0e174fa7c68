"""What a record keeps of requirements, cluster-wide checks and plans: one entry is one line.

An entry says what happened in names and numbers, with its `depth` in the hierarchy (the
indentation is two spaces for each). No prose: the words are those of the lines. What was seen of
hosts is kept in `host_entries`.

`nbytes` estimates what an entry adds to memory: 32 bytes for an object and 8 for each field, 56
for a tuple and 8 for each element. Names, accounts, rows and requested amounts are immutable
values that other parts of the program hold as well, so only those made for the trace are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xce_sim.model.reasons import ReasonCode
from xce_sim.model.verdict import Account, NotCandidates, RequestedAmount, Row
from xce_sim.trace.sizes import TaskSizes

ScopeKind = Literal["single", "compound", "alternative", "member"]
Outcome = Literal["satisfied", "not satisfied", "failed"]
PathStep = tuple[ScopeKind, int, int]
"""Kind, number and out of how many: `("alternative", 1, 2)`."""


def object_bytes(fields: int) -> int:
    """The size of a slotted object with that many fields."""
    return 32 + 8 * fields


def tuple_bytes(length: int) -> int:
    """The size of a tuple of that length, without its elements."""
    return 56 + 8 * length


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line at `depth`."""

    depth: int

    @property
    def lines(self) -> int:
        """How many lines it renders as."""
        return 1

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return object_bytes(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementBegin(Entry):
    """A requirement is tried; `path` leads to it from the outermost one.

    A container has `members`; anything else has a size and requests, which are sorted: host
    resources by name, `slots`, shared ones by name.
    """

    path: tuple[PathStep, ...]
    members: int
    single: bool
    min_tasks: int
    max_tasks: int
    requests: tuple[RequestedAmount, ...]

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        steps = tuple_bytes(len(self.path)) + tuple_bytes(3) * len(self.path)
        return object_bytes(7) + steps + tuple_bytes(len(self.requests))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementEnd(Entry):
    """It ended; the `not_tried` ones after it are not looked at."""

    step: PathStep
    outcome: Outcome
    cause: str
    not_tried: int

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return object_bytes(5) + tuple_bytes(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberFailed(Entry):
    """A member was placed, but joining it with those before it ended in an internal error."""

    number: int
    of: int
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCount:
    """How often a code stands in a set of reasons and what it names, each name once."""

    code: ReasonCode
    count: int
    resources: tuple[str, ...]
    limits: tuple[str, ...]
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReasons(Entry):
    """The reasons of one failed attempt, counted by code in the order in which they were found."""

    counts: tuple[ReasonCount, ...]

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        names = sum(
            tuple_bytes(len(found)) if found else 0
            for count in self.counts
            for found in (count.resources, count.limits, count.clauses)
        )
        each = object_bytes(5) + 8
        return object_bytes(2) + tuple_bytes(0) + each * len(self.counts) + names


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeSkipped(Entry):
    """An alternative without content."""

    number: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativesDone(Entry):
    """The `chosen` alternative, 0 when all failed."""

    chosen: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow(Entry):
    """One row of the cluster-wide check."""

    row: Row

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes: the entry, the row and its numbers."""
        return object_bytes(2) + object_bytes(5) + 4 * 32


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnd(Entry):
    """The cluster-wide check `passed`, or failed, or ended in an internal error with a `cause`."""

    passed: bool
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPlan(Entry):
    """No plan was generated: declined for the `clauses`, or an internal error with a `cause`."""

    clauses: tuple[str, ...] = ()
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximumLowered(Entry):
    """While a cluster-wide row is short for the maximum it is lowered: here to `tasks`."""

    tasks: int
    account: Account


@dataclass(frozen=True, slots=True, kw_only=True)
class NotConsidered(Entry):
    """Hosts that are no candidates, by cause."""

    counts: NotCandidates

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return object_bytes(2) + object_bytes(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan as generated: number within its requirement, shape, marks."""

    number: int
    sizes: TaskSizes
    fill: bool
    same: str


PlanFate = Literal["tried", "discarded", "not tried"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanShape(Entry):
    """A plan that is tried (what follows says how), discarded, or not tried for a `cause`."""

    plan: Plan
    fate: PlanFate
    cause: str = ""

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return object_bytes(4) + object_bytes(4) + self.plan.sizes.nbytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEnd(Entry):
    """A tried plan succeeded, failed at a position, or ended in an internal error."""

    number: int
    failed_position: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed(Entry):
    """The allocation of this plan was built."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFailed(Entry):
    """All positions were filled but building the allocation ended in an internal error."""

    number: int
    cause: str


SearchStatement = Literal["", "none generated", "all discarded", "none placed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEnd(Entry):
    """The plans of one requirement, counted, with at most one statement about them."""

    generated: int
    tried: int
    discarded: int
    not_tried: int
    statement: SearchStatement
    cause: str = ""
