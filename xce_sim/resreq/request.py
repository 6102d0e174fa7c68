"""What a requirement asks for, after parsing: the form that the allocator works on.

Resources are dense indices of the resource table that the text was parsed with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xce_sim.model.units import Milli
from xce_sim.model.verdict import Scope
from xce_sim.resreq.nodes import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One `rusage` item: an amount of a consumable.

    `scope` is complete: a host consumable is per host and a shared one per job unless written
    otherwise. `duration` and `decay` are kept as written; the amount is held for the whole run.
    """

    resource: int
    amount: Milli
    scope: Scope
    duration: str | None = None
    decay: str | None = None


SpanKind = Literal["none", "one_host", "ptile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """How tasks are spread: `ptile` is the tasks of one position when `kind` is ptile."""

    kind: SpanKind = "none"
    ptile: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderKey:
    """One key of `order`, already turned into a direction: larger values first, or smaller."""

    resource: int
    largest_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """One single requirement.

    `unsupported` names the clauses that the allocator declines (`affinity`, `cu`, `span` for
    `block`, `rusage` for alternatives inside a compound member), one entry each, and `declined`
    keeps their text in the same order. `clauses` names everything that was written: it tells
    `span[hosts=-1]`, which keeps a queue's span away, from no span at all.
    """

    select: Node | None = None
    items: tuple[Item, ...] = ()
    span: Span = Span()
    order: tuple[OrderKey, ...] = ()
    same: tuple[int, ...] = ()
    unsupported: tuple[str, ...] = ()
    declined: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member of a compound: exactly `count` tasks of `primary`."""

    count: int
    primary: Primary


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound:
    """`n*{..} + m*{..}`: all members together."""

    members: tuple[Member, ...]

    @property
    def count(self) -> int:
        """The sum of the members' tasks."""
        return sum(member.count for member in self.members)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A whole requirement.

    `alternatives` has one element for a single requirement or compound, with `numbered` False.
    Otherwise they are tried in order and numbered from 1; an empty one (no content) is None.
    """

    text: str
    alternatives: tuple[Primary | Compound | None, ...]
    numbered: bool = False


def primaries(request: Request) -> Iterator[Primary]:
    """Every primary, "through primary, compound and alternatives", in the order of the text."""
    for alternative in request.alternatives:
        if isinstance(alternative, Compound):
            yield from (member.primary for member in alternative.members)
        elif alternative is not None:
            yield alternative


def selects(request: Request) -> Iterator[Node]:
    """Every select expression of a request."""
    for primary in primaries(request):
        if primary.select is not None:
            yield primary.select
