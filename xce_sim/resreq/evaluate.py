"""Evaluation over all hosts at once: one column for each node, made on first use and shared.

Decides what is computed and in which order; the meaning of an expression is the same as in
`plain`, which is the oracle, and how long a column stays good is decided in `shelf`. A column is
`numpy.uint8` of shape `[hosts]` in pushed order. "An operand is not evaluated when those before
it already decide for every host." Nothing recurses: chains are as deep as they are long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from xce_sim.model.columns import (
    ABSENT,
    BoolArray,
    ByteArray,
    CodeArray,
    FloatArray,
    HostColumns,
)
from xce_sim.resreq.errors import LanguageMisuse
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.nodes import ARITHMETIC, CHAINS, COMPARISONS, Kind, Node, value_type
from xce_sim.resreq.shelf import UNUSED, Amount, Deps, Shelf, Truth

UNKNOWN = 0
FALSE = 1
TRUE = 2
ERROR = 3
"""Values of a column; `UNKNOWN` is never seen in a finished one."""

MAX_BYTES = 256 << 20
"""Columns beyond so much memory are dropped between rounds."""

_COMPARE: dict[Kind, Callable[[Any, Any], BoolArray]] = {
    Kind.EQ: np.equal,
    Kind.NE: np.not_equal,
    Kind.GT: np.greater,
    Kind.LT: np.less,
    Kind.GE: np.greater_equal,
    Kind.LE: np.less_equal,
}
_COMPUTE: dict[Kind, Callable[[FloatArray, FloatArray], FloatArray]] = {
    Kind.ADD: np.add,
    Kind.SUB: np.subtract,
    Kind.MUL: np.multiply,
    Kind.DIV: np.divide,
}
_NOT = np.array((UNKNOWN, TRUE, FALSE, ERROR), np.uint8)
_NONE: Deps = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectCounters:
    """What `info select` shows: nodes of the table, and what the round did with columns.

    A node is counted as evaluated when its column is computed (literals have none), a column as
    reused each time that it was there already.
    """

    unique_nodes: int
    nodes_evaluated: int
    columns_reused: int


class RoundEvaluator:
    """Evaluates interned nodes over the hosts of one set of columns.

    `table` may be given; otherwise it is that of the first node. `evaluated` and `reused` count
    since the evaluator was made, `counters` since the round began.
    """

    def __init__(
        self,
        columns: HostColumns,
        table: InternTable | None = None,
        *,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.columns = columns
        self.evaluated = 0
        self.reused = 0
        self._shelf = Shelf(columns, table, max_bytes=max_bytes)
        self._round = 0
        self._before = (0, 0)

    def begin_round(self) -> None:
        """Drop what no longer holds, keep memory within its bound, count from zero."""
        self._shelf.refresh()
        self._shelf.limit(self._round)
        self._round += 1
        self._before = (self.evaluated, self.reused)

    def counters(self) -> SelectCounters:
        """The counts of this round."""
        table = self._shelf.table
        return SelectCounters(
            unique_nodes=0 if table is None else table.node_count,
            nodes_evaluated=self.evaluated - self._before[0],
            columns_reused=self.reused - self._before[1],
        )

    def evaluate(self, node: Node | None) -> ByteArray:
        """The column of a condition: `FALSE`, `TRUE` or `ERROR` on every host; read-only.

        None, no select at all, is true everywhere. `LanguageMisuse` for a node that is plain,
        swept, or of another table.
        """
        self._shelf.refresh()
        if node is None:
            return _frozen(np.full(len(self.columns), TRUE, np.uint8))
        self._shelf.own(node)
        return self._truth(node).values

    def known(self, node: Node) -> ByteArray | None:
        """The column if it has been evaluated and still holds; never evaluates anything."""
        self._shelf.refresh()
        found = self._shelf.truths.get(node)
        return None if found is None else found.values

    def _truth(self, root: Node) -> Truth:
        """The column of a condition, operands first."""
        truths = self._shelf.truths
        stack = [root]
        while stack:
            node = stack[-1]
            needed = None if node in truths else self._needed(node)
            if needed is not None:
                stack.append(needed)
                continue
            if node not in truths:
                self.evaluated += 1
                truths[node] = self._compute(node)
            stack.pop()
        return self._use(root)

    def _needed(self, node: Node) -> Node | None:
        """The operand that must be evaluated before the node can be."""
        truths = self._shelf.truths
        if node.kind is Kind.NOT:
            return None if node.left in truths else node.left
        if node.kind not in CHAINS:
            return None
        left = truths.get(node.left)
        if left is None:
            return node.left
        return None if _decides(node.kind, left) or node.right in truths else node.right

    def _use(self, node: Node) -> Truth:
        found = self._shelf.truths[node]
        self.reused += found.used != UNUSED
        found.used = self._round
        return found

    def _compute(self, node: Node) -> Truth:
        if node.kind in CHAINS:
            return self._chain(node)
        if node.kind is Kind.NOT:
            operand = self._use(node.left)
            return _finished(_NOT[operand.values], operand.deps)
        if node.kind in COMPARISONS:
            if "string" in (value_type(node.left), value_type(node.right)):
                return self._words(node)
            return self._numbers(node)
        return self._leaf(node)

    def _leaf(self, node: Node) -> Truth:
        if node.kind in (Kind.TRUE, Kind.FALSE):
            value = TRUE if node.kind is Kind.TRUE else FALSE
            return _finished(np.full(len(self.columns), value, np.uint8), _NONE)
        if node.kind is Kind.DEFINED:
            index = node.left.index
            return _finished(_as_truth(self.columns.present(index)), frozenset((index,)))
        if node.kind is not Kind.RESOURCE or node.resource.type == "string":
            raise LanguageMisuse(f"{node!r} is not a condition")
        amount = self._amount(node)
        return _finished(_as_truth(np.not_equal(amount.values, 0.0)), amount.deps)

    def _chain(self, node: Node) -> Truth:
        """AND "is false if any operand is false, else error if any is an error, else true"."""
        left = self._use(node.left)
        if _decides(node.kind, left):
            return Truth(left.values, left.low, left.high, left.deps)
        right = self._use(node.right)
        conjunction = node.kind is Kind.AND
        join = np.minimum if conjunction else np.maximum
        values = join(left.values, right.values)
        if ERROR in (left.high, right.high):
            decisive = FALSE if conjunction else TRUE
            wrong = (left.values == ERROR) | (right.values == ERROR)
            decided = (left.values == decisive) | (right.values == decisive)
            values[wrong & ~decided] = ERROR
            values[decided] = decisive
        return _finished(values, left.deps | right.deps)

    def _numbers(self, node: Node) -> Truth:
        """A comparison of numbers, 0 and 1 for booleans; an error where one can not be computed."""
        left, right = self._amount(node.left), self._amount(node.right)
        values = _as_truth(_COMPARE[node.kind](left.values, right.values))
        for side, amount in ((node.left, left), (node.right, right)):
            if side.kind in ARITHMETIC:
                values[np.isnan(amount.values)] = ERROR
        return _finished(values, left.deps | right.deps)

    def _words(self, node: Node) -> Truth:
        """A comparison of strings; without a value on a host "`==` false, `!=` true"."""
        left, right = self._codes(node.left), self._codes(node.right)
        equal = np.equal(left, right) & np.not_equal(left, ABSENT)
        sides = (node.left, node.right)
        deps = frozenset(side.index for side in sides if side.kind is Kind.RESOURCE)
        return _finished(_as_truth(equal if node.kind is Kind.EQ else ~equal), deps)

    def _codes(self, node: Node) -> CodeArray | np.int32:
        if node.kind is Kind.RESOURCE:
            return self.columns.codes(node.index)
        return np.int32(self.columns.code_of(node.text))

    def _amount(self, root: Node) -> Amount:
        """The column of a number, operands first."""
        amounts = self._shelf.amounts
        stack = [root]
        while stack:
            node = stack[-1]
            sides = (node.right, node.left) if node.kind in ARITHMETIC else ()
            missing = [side for side in sides if side not in amounts]
            if missing and node not in amounts:
                stack += missing
                continue
            if node not in amounts:
                amounts[node] = self._number(node)
            stack.pop()
        return self._use_amount(root)

    def _use_amount(self, node: Node) -> Amount:
        found = self._shelf.amounts[node]
        self.reused += found.used != UNUSED and node.kind is not Kind.NUMBER
        found.used = self._round
        return found

    def _number(self, node: Node) -> Amount:
        if node.kind is Kind.NUMBER:
            return Amount(np.asarray(node.number, np.float64), _NONE)
        self.evaluated += 1
        if node.kind is Kind.RESOURCE:
            return Amount(self.columns.numbers(node.index), frozenset((node.index,)))
        left, right = self._use_amount(node.left), self._use_amount(node.right)
        with np.errstate(all="ignore"):
            values = np.asarray(_COMPUTE[node.kind](left.values, right.values))
        return Amount(np.where(np.isfinite(values), values, np.nan), left.deps | right.deps)


def _decides(kind: Kind, left: Truth) -> bool:
    """Whether the operand before already decides for every host."""
    decisive = FALSE if kind is Kind.AND else TRUE
    return left.low == left.high == decisive


def _as_truth(mask: BoolArray) -> ByteArray:
    return mask.view(np.uint8) + np.uint8(FALSE)


def _finished(values: ByteArray, deps: Deps) -> Truth:
    low, high = (int(values.min()), int(values.max())) if values.size else (UNKNOWN, UNKNOWN)
    return Truth(_frozen(values), low, high, deps)


def _frozen(values: ByteArray) -> ByteArray:
    values.setflags(write=False)
    return values
