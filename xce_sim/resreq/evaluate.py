"""Evaluation over all hosts at once: one column for each node, made on first use and shared.

Decides what is computed, when, and how long it stays good; the meaning of an expression is the
same as in `plain`, which is the oracle. A column is `numpy.uint8` of shape `[hosts]` in pushed
order. Operands that can not change the outcome on any host are not evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xce_sim.model.columns import ABSENT, BoolArray, ByteArray, CodeArray, HostColumns
from xce_sim.resreq.errors import LanguageMisuse
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.nodes import ARITHMETIC, CHAINS, COMPARISONS, Kind, Node, value_type

UNKNOWN = 0
FALSE = 1
TRUE = 2
ERROR = 3
"""Values of a column; `UNKNOWN` is never seen in a finished one."""

MAX_BYTES = 256 << 20
"""Columns beyond so much memory are dropped between rounds, the unused ones first."""

Floats = NDArray[np.float64] | np.float64
_Deps = frozenset[int]

_COMPARE: dict[Kind, Callable[[Floats, Floats], BoolArray]] = {
    Kind.EQ: np.equal,
    Kind.NE: np.not_equal,
    Kind.GT: np.greater,
    Kind.LT: np.less,
    Kind.GE: np.greater_equal,
    Kind.LE: np.less_equal,
}
_COMPUTE: dict[Kind, Callable[[Floats, Floats], Floats]] = {
    Kind.ADD: np.add,
    Kind.SUB: np.subtract,
    Kind.MUL: np.multiply,
    Kind.DIV: np.divide,
}
_NOT = np.array((UNKNOWN, TRUE, FALSE, ERROR), np.uint8)
_NONE: _Deps = frozenset()


@dataclass(slots=True)
class _Truth:
    """The column of a condition: values, whether one value decides all hosts, what it read."""

    values: ByteArray
    low: int
    high: int
    deps: _Deps
    used: int


@dataclass(slots=True)
class _Amount:
    """The column of a number; NaN where it can not be computed."""

    values: Floats
    deps: _Deps
    used: int


class RoundEvaluator:
    """Evaluates interned nodes over the hosts of one set of columns.

    Columns stay good until a value that they read is pushed anew, hosts are added or a sweep
    removes the node. `evaluated` counts the columns computed, `reused` the times that one was
    there already, both since the evaluator was made; `begin_round` starts the counts of a round.
    """

    def __init__(self, columns: HostColumns, *, max_bytes: int = MAX_BYTES) -> None:
        self.columns = columns
        self.max_bytes = max_bytes
        self.evaluated = 0
        self.reused = 0
        self.rounds = 0
        self._round_start = (0, 0)
        self._table: InternTable | None = None
        self._generation = -1
        self._truths: dict[Node, _Truth] = {}
        self._amounts: dict[Node, _Amount] = {}
        self._seen = (-1, -1)
        self._versions: dict[int, int] = {}

    @property
    def in_round(self) -> tuple[int, int]:
        """Nodes evaluated and columns reused since the round began."""
        return self.evaluated - self._round_start[0], self.reused - self._round_start[1]

    def begin_round(self) -> None:
        """Drop what no longer holds, keep memory within bounds, count from zero."""
        self._refresh()
        self._limit_memory()
        self.rounds += 1
        self._round_start = (self.evaluated, self.reused)

    def evaluate(self, node: Node | None) -> ByteArray:
        """The column of a condition: `FALSE`, `TRUE` or `ERROR` on every host; read-only.

        None, no select at all, is true everywhere. `LanguageMisuse` for a node that is plain,
        swept, or of another table than those before.
        """
        self._refresh()
        if node is None:
            return _frozen(np.full(len(self.columns), TRUE, np.uint8))
        self._own(node)
        return self._truth(node).values

    def known(self, node: Node) -> ByteArray | None:
        """The column if it has been evaluated and still holds; never evaluates anything."""
        self._refresh()
        found = self._truths.get(node)
        return None if found is None else found.values

    def _own(self, node: Node) -> None:
        table = node.table
        if table is None:
            raise LanguageMisuse(f"{node!r} is plain and can only be evaluated for one host")
        if node not in table:
            raise LanguageMisuse(f"{node!r} was removed by a sweep")
        if self._table is None:
            self._table, self._generation = table, table.generation
        if self._table is not table:
            raise LanguageMisuse(f"{node!r} belongs to another table")

    def _truth(self, root: Node) -> _Truth:
        """The column of a condition, operands first; no recursion."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._truths:
                stack.pop()
                continue
            needed = self._needed(node)
            if needed is None:
                self._truths[node] = self._compute(node)
                stack.pop()
            else:
                stack.append(needed)
        return self._use(root)

    def _needed(self, node: Node) -> Node | None:
        """The operand that must be evaluated before the node can be."""
        if node.kind is Kind.NOT:
            return None if node.left in self._truths else node.left
        if node.kind not in CHAINS:
            return None
        left = self._truths.get(node.left)
        if left is None:
            return node.left
        if _decides(node.kind, left) or node.right in self._truths:
            return None
        return node.right

    def _use(self, node: Node) -> _Truth:
        """A column that is there, counted as reused unless this is its first use."""
        found = self._truths[node]
        if found.used < 0:
            found.used = self.rounds
        else:
            found.used = self.rounds
            self.reused += 1
        return found

    def _compute(self, node: Node) -> _Truth:
        self.evaluated += 1
        if node.kind in CHAINS:
            return self._chain(node)
        if node.kind is Kind.NOT:
            operand = self._use(node.left)
            return _finished(_NOT[operand.values], operand.deps)
        if node.kind in COMPARISONS:
            return self._comparison(node)
        return self._leaf(node)

    def _leaf(self, node: Node) -> _Truth:
        hosts = len(self.columns)
        if node.kind is Kind.TRUE:
            return _finished(np.full(hosts, TRUE, np.uint8), _NONE)
        if node.kind is Kind.FALSE:
            return _finished(np.full(hosts, FALSE, np.uint8), _NONE)
        if node.kind is Kind.DEFINED:
            index = node.left.index
            return _finished(_as_truth(self.columns.present(index)), frozenset((index,)))
        if node.kind is not Kind.RESOURCE or node.resource.type == "string":
            raise LanguageMisuse(f"{node!r} is not a condition")
        amount = self._amount(node)
        return _finished(_as_truth(np.not_equal(amount.values, 0.0)), amount.deps)

    def _chain(self, node: Node) -> _Truth:
        """AND "is false if any operand is false, else error if any is an error, else true"."""
        left = self._use(node.left)
        if _decides(node.kind, left):
            return _Truth(left.values, left.low, left.high, left.deps, -1)
        right = self._use(node.right)
        decisive, join = (FALSE, np.minimum) if node.kind is Kind.AND else (TRUE, np.maximum)
        if ERROR in (left.high, right.high):
            values = np.maximum(left.values, right.values)
            if node.kind is Kind.OR:
                values[(left.values == ERROR) | (right.values == ERROR)] = ERROR
            values[(left.values == decisive) | (right.values == decisive)] = decisive
        else:
            values = join(left.values, right.values)
        return _finished(values, left.deps | right.deps)

    def _comparison(self, node: Node) -> _Truth:
        if "string" in (value_type(node.left), value_type(node.right)):
            return self._strings(node)
        left, right = self._amount(node.left), self._amount(node.right)
        values = _as_truth(_COMPARE[node.kind](left.values, right.values))
        for side, amount in ((node.left, left), (node.right, right)):
            if side.kind in ARITHMETIC:
                values[np.isnan(amount.values)] = ERROR
        return _finished(values, left.deps | right.deps)

    def _strings(self, node: Node) -> _Truth:
        """Without a value on a host a string is absent: "`==` false, `!=` true"."""
        left, right = self._codes(node.left), self._codes(node.right)
        equal = np.equal(left, right) & np.not_equal(left, ABSENT)
        sides = (node.left, node.right)
        deps = frozenset(side.index for side in sides if side.kind is Kind.RESOURCE)
        return _finished(_as_truth(equal if node.kind is Kind.EQ else ~equal), deps)

    def _codes(self, node: Node) -> CodeArray | np.int32:
        if node.kind is Kind.RESOURCE:
            return self.columns.codes(node.index)
        return np.int32(self.columns.code_of(node.text))

    def _amount(self, root: Node) -> _Amount:
        """The column of a number, operands first; no recursion."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [
                side
                for side in ((node.right, node.left) if node.kind in ARITHMETIC else ())
                if side not in self._amounts
            ]
            if node in self._amounts or not missing:
                if node not in self._amounts:
                    self._amounts[node] = self._number(node)
                stack.pop()
            else:
                stack += missing
        return self._use_amount(root)

    def _use_amount(self, node: Node) -> _Amount:
        found = self._amounts[node]
        if node.kind is not Kind.NUMBER and found.used >= 0:
            self.reused += 1
        found.used = self.rounds
        return found

    def _number(self, node: Node) -> _Amount:
        if node.kind is Kind.NUMBER:
            return _Amount(np.float64(node.number), _NONE, -1)
        self.evaluated += 1
        if node.kind is Kind.RESOURCE:
            values: Floats = self.columns.numbers(node.index)
            return _Amount(values, frozenset((node.index,)), -1)
        left, right = self._use_amount(node.left), self._use_amount(node.right)
        with np.errstate(all="ignore"):
            values = np.asarray(_COMPUTE[node.kind](left.values, right.values), np.float64)
        values = np.where(np.isfinite(values), values, np.nan)
        return _Amount(values, left.deps | right.deps, -1)

    def _refresh(self) -> None:
        """Drop the columns that a push or a sweep has made worthless."""
        if self._table is not None and self._generation != self._table.generation:
            self._generation = self._table.generation
            self._drop(lambda node, _deps: node not in node.table if node.table else True)
        now = (self.columns.version, len(self.columns))
        if now == self._seen:
            return
        if now[1] != self._seen[1]:
            self._drop(lambda _node, _deps: True)
        versions = self.columns.versions
        changed = {key for key, value in versions.items() if self._versions.get(key) != value}
        if changed:
            self._drop(lambda _node, deps: not changed.isdisjoint(deps))
        self._versions = dict(versions)
        self._seen = now

    def _drop(self, stale: Callable[[Node, _Deps], bool]) -> None:
        self._truths = {n: c for n, c in self._truths.items() if not stale(n, c.deps)}
        self._amounts = {n: c for n, c in self._amounts.items() if not stale(n, c.deps)}

    def _limit_memory(self) -> None:
        """Within the bound: first what the last round did not use goes, then everything."""
        if self._bytes() > self.max_bytes:
            self._truths = {n: c for n, c in self._truths.items() if c.used == self.rounds}
            self._amounts = {n: c for n, c in self._amounts.items() if c.used == self.rounds}
        if self._bytes() > self.max_bytes:
            self._truths, self._amounts = {}, {}

    def _bytes(self) -> int:
        return len(self.columns) * (len(self._truths) + 8 * len(self._amounts))


def _decides(kind: Kind, left: _Truth) -> bool:
    """Whether the operand before already decides for every host."""
    decisive = FALSE if kind is Kind.AND else TRUE
    return left.low == left.high == decisive


def _as_truth(mask: BoolArray) -> ByteArray:
    return mask.view(np.uint8) + np.uint8(FALSE)


def _finished(values: ByteArray, deps: _Deps) -> _Truth:
    low, high = (int(values.min()), int(values.max())) if values.size else (UNKNOWN, UNKNOWN)
    return _Truth(_frozen(values), low, high, deps, -1)


def _frozen(values: ByteArray) -> ByteArray:
    values.setflags(write=False)
    return values
