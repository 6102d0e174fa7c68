"""Evaluation for one host: a walk over the tree, remembering nothing.

Answers one-off questions and is the oracle for the columns of `evaluate`. The outcome is one of
that module's constants, written here as plain numbers so that a question about one host needs no
arrays. Nested operators recurse as deep as the text nests; chains, which can be thousands of
operands long, are loops.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from xce_sim.model.columns import HostColumns
from xce_sim.model.resources import Value
from xce_sim.model.units import MILLI
from xce_sim.resreq.errors import LanguageMisuse
from xce_sim.resreq.nodes import (
    ARITHMETIC,
    CHAINS,
    COMPARISONS,
    EQUALITIES,
    Kind,
    Node,
    operands,
    value_type,
)

FALSE = 1
TRUE = 2
ERROR = 3

Lookup = Callable[[int], Value | None]
"""The pushed value of a resource index, None where the host has none."""

_COMPARE: dict[Kind, Callable[[float, float], bool]] = {
    Kind.EQ: operator.eq,
    Kind.NE: operator.ne,
    Kind.GT: operator.gt,
    Kind.LT: operator.lt,
    Kind.GE: operator.ge,
    Kind.LE: operator.le,
}
_COMPUTE: dict[Kind, Callable[[float, float], float]] = {
    Kind.ADD: operator.add,
    Kind.SUB: operator.sub,
    Kind.MUL: operator.mul,
    Kind.DIV: operator.truediv,
}


def evaluate_plain(node: Node | None, columns: HostColumns, host: int) -> int:
    """`FALSE`, `TRUE` or `ERROR` of a plain tree on one host; None is true.

    `LanguageMisuse` for an interned node: those are evaluated once for all hosts.
    """
    return evaluate_values(node, lambda resource: columns.value(resource, host))


def evaluate_values(node: Node | None, lookup: Lookup) -> int:
    """The same over any source of values, such as the variables of a breakpoint's condition."""
    if node is None:
        return TRUE
    if node.table is not None:
        raise LanguageMisuse(f"{node!r} is interned and can only be evaluated in columns")
    return _truth(node, lookup)


def _truth(node: Node, lookup: Lookup) -> int:
    if node.kind in CHAINS:
        return _chain(node, lookup)
    if node.kind is Kind.NOT:
        inner = _truth(node.left, lookup)
        return inner if inner == ERROR else _of(inner == FALSE)
    if node.kind in COMPARISONS:
        return _comparison(node, lookup)
    if node.kind in (Kind.TRUE, Kind.FALSE):
        return _of(node.kind is Kind.TRUE)
    if node.kind is Kind.DEFINED:
        return _of(lookup(node.left.index) is not None)
    if node.kind is not Kind.RESOURCE or node.resource.type == "string":
        raise LanguageMisuse(f"{node!r} is not a condition")
    return _of(_number(node, lookup) != 0)


def _chain(node: Node, lookup: Lookup) -> int:
    decisive, outcome = (FALSE, TRUE) if node.kind is Kind.AND else (TRUE, FALSE)
    for part in operands(node):
        found = _truth(part, lookup)
        if found == decisive:
            return decisive
        outcome = ERROR if found == ERROR else outcome
    return outcome


def _comparison(node: Node, lookup: Lookup) -> int:
    left, right = node.left, node.right
    if Kind.ANY in (left.kind, right.kind):
        return _of(node.kind is Kind.EQ)
    if node.kind in EQUALITIES and "string" in (value_type(left), value_type(right)):
        words = (_word(left, lookup), _word(right, lookup))
        equal = words[0] is not None and words[0] == words[1]
        return _of(equal is (node.kind is Kind.EQ))
    numbers = (_amount(left, lookup), _amount(right, lookup))
    if any(math.isnan(number) for number in numbers):
        return ERROR
    return _of(_COMPARE[node.kind](*numbers))


def _word(node: Node, lookup: Lookup) -> str | None:
    if node.kind is Kind.TEXT:
        return node.text
    found = lookup(node.index)
    return None if found is None else str(found)


def _amount(node: Node, lookup: Lookup) -> float:
    """A number; NaN where it can not be computed (a division by zero, an overflow)."""
    rights: list[Node] = []
    while node.kind in ARITHMETIC:
        rights.append(node)
        node = node.left
    value = _number(node, lookup)
    while rights:
        above = rights.pop()
        value = _computed(above.kind, value, _amount(above.right, lookup))
    return value


def _computed(kind: Kind, left: float, right: float) -> float:
    if kind is Kind.DIV and right == 0:
        return math.nan
    result = _COMPUTE[kind](left, right)
    return result if math.isfinite(result) else math.nan


def _number(node: Node, lookup: Lookup) -> float:
    if node.kind is Kind.NUMBER:
        return node.number
    found = lookup(node.index)
    if found is None:
        return 0.0
    if node.resource.consumable:
        return float(found) / MILLI
    return float(found)


def _of(value: bool) -> int:
    return TRUE if value else FALSE
