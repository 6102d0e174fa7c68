"""What the parser found, before any name means anything: words, operators and their places.

Values only. `start` and `end` are 0-based columns of the text. Chains of `&&`, of `||`, of sums
and of products are one `Operation` with many operands, so depth is bounded by the nesting guard.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LeafKind = Literal["word", "number", "quoted", "defined"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A word, a number, a quoted text or `defined(word)`.

    `text` is the word, the digits without unit, or what stands between the quotes; `spelling` is
    the very source; `unit` whatever followed a number without a blank.
    """

    kind: LeafKind
    text: str
    spelling: str
    start: int
    end: int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """Operands with the operators before (`!`) or between them; all operators of one precedence."""

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]
    start: int
    end: int


Expression = Leaf | Operation


@dataclass(frozen=True, slots=True)
class SelectClause:
    """`select[..]`, or the same without word and brackets (`bare`)."""

    expression: Expression
    bare: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """`name=amount/scope` of `rusage`; `duration=` and `decay=` have the same form.

    `phases` is the source of an amount in parentheses, where `amount` is None.
    """

    name: Leaf
    amount: Leaf | None
    scope: str | None
    start: int
    end: int
    phases: str = ""


Group = tuple[Entry, ...]
"""Entries between two commas: a `duration` holds for all of them."""


@dataclass(frozen=True, slots=True)
class UsageClause:
    """`rusage[..]`: one tuple of groups for each part between `||`."""

    alternatives: tuple[tuple[Group, ...], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Key:
    """One key of `order`."""

    name: Leaf
    reversed: bool


@dataclass(frozen=True, slots=True)
class OrderClause:
    """`order[..]`."""

    keys: tuple[Key, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SameClause:
    """`same[..]`."""

    names: tuple[Leaf, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextClause:
    """`span`, `affinity` or `cu`: what stands in the brackets, as it is, from column `inside`."""

    name: str
    body: str
    inside: int
    start: int
    end: int


Clause = SelectClause | UsageClause | OrderClause | SameClause | TextClause


@dataclass(frozen=True, slots=True)
class PrimarySyntax:
    """The clauses of one primary, in the order of the text."""

    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberSyntax:
    """`n*{..}`."""

    count: Leaf
    primary: PrimarySyntax


@dataclass(frozen=True, slots=True)
class CompoundSyntax:
    """`n*{..} + m*{..}`."""

    members: tuple[MemberSyntax, ...]


@dataclass(frozen=True, slots=True)
class RequirementSyntax:
    """All of a text; `braced` when it is written as alternatives."""

    alternatives: tuple[PrimarySyntax | CompoundSyntax, ...]
    braced: bool
