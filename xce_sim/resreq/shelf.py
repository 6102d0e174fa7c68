"""The columns that have been evaluated, and how long they stay good.

Decides what a push, a sweep or a full memory throws away; not how a column is computed. "A value
push between rounds invalidates exactly the columns that depend on it": a column remembers the
resources that it really read, which for a conjunction decided by its first operand are those of
that operand alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xce_sim.model.columns import ByteArray, FloatArray, HostColumns
from xce_sim.resreq.errors import LanguageMisuse
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.nodes import Node

Deps = frozenset[int]
"""Indices of resources."""

UNUSED = -1


@dataclass(slots=True)
class Truth:
    """The column of a condition: shape `[hosts]`, its least and greatest value, what it read.

    `used` is the last round in which somebody asked for it, `UNUSED` before the first time.
    """

    values: ByteArray
    low: int
    high: int
    deps: Deps
    used: int = UNUSED


@dataclass(slots=True)
class Amount:
    """The column of a number, shape `[hosts]` or none; NaN where it can not be computed."""

    values: FloatArray
    deps: Deps
    used: int = UNUSED


class Shelf:
    """All columns over one set of hosts, for the nodes of one table."""

    def __init__(self, columns: HostColumns, table: InternTable | None, *, max_bytes: int) -> None:
        self.columns = columns
        self.table = table
        self.max_bytes = max_bytes
        self.truths: dict[Node, Truth] = {}
        self.amounts: dict[Node, Amount] = {}
        self._generation = UNUSED if table is None else table.generation
        self._seen = (UNUSED, UNUSED)
        self._versions: dict[int, int] = {}

    def own(self, node: Node) -> None:
        """`LanguageMisuse` unless the node is a live one of the table of those before it."""
        table = node.table
        if table is None:
            raise LanguageMisuse(f"{node!r} is plain and can only be evaluated for one host")
        if node not in table:
            raise LanguageMisuse(f"{node!r} was removed by a sweep")
        if self.table is None:
            self.table, self._generation = table, table.generation
        if self.table is not table:
            raise LanguageMisuse(f"{node!r} belongs to another table")

    def refresh(self) -> None:
        """Drop what a push or a sweep has made worthless; nothing to do when nothing happened."""
        table = self.table
        if table is not None and self._generation != table.generation:
            self._generation = table.generation
            self._drop(lambda node, _deps: node not in table)
        now = (self.columns.version, len(self.columns))
        if now == self._seen:
            return
        versions = self.columns.versions
        changed = {key for key, value in versions.items() if self._versions.get(key) != value}
        if now[1] != self._seen[1]:
            self._drop(lambda _node, _deps: True)
        elif changed:
            self._drop(lambda _node, deps: not changed.isdisjoint(deps))
        self._versions, self._seen = dict(versions), now

    def limit(self, last_round: int) -> None:
        """Stay within `max_bytes`: what the last round did not use goes first, then all."""
        if not self.truths and not self.amounts:
            return
        if self._bytes() > self.max_bytes:
            self.truths = {n: c for n, c in self.truths.items() if c.used == last_round}
            self.amounts = {n: c for n, c in self.amounts.items() if c.used == last_round}
        if self._bytes() > self.max_bytes:
            self.truths, self.amounts = {}, {}

    def _drop(self, stale: Callable[[Node, Deps], bool]) -> None:
        self.truths = {n: c for n, c in self.truths.items() if not stale(n, c.deps)}
        self.amounts = {n: c for n, c in self.amounts.items() if not stale(n, c.deps)}

    def _bytes(self) -> int:
        return len(self.columns) * (len(self.truths) + 8 * len(self.amounts))
