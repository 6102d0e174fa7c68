"""The intern table: within one table equal expressions are the same object.

Decides identity, creation order, dense ids, the cap, and what a sweep keeps. Belongs to a core;
there is no module-level table. Canonical chains are made in `flatten`, through `make`.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterable
from sys import intern as intern_string

from xce_sim.model.resources import ResourceDef, ResourceTable
from xce_sim.resreq.errors import LanguageMisuse, TableFull
from xce_sim.resreq.nodes import BINARY, DEAD, EQUALITIES, UNARY, Kind, Node, post_order

MAX_NODES = 1_000_000

_Key = tuple[Kind, object, object]
_bits = struct.Struct("<d").pack


class InternTable:
    """All nodes of one core, in order of creation.

    `created`, `served` and `swept` count since the table was made; `generation` grows with each
    sweep, so whoever keeps nodes can tell that they must be looked at again.
    """

    def __init__(self, *, max_nodes: int = MAX_NODES, logger: logging.Logger | None = None) -> None:
        self.max_nodes = max_nodes
        self.created = 0
        self.served = 0
        self.swept = 0
        self.generation = 0
        self._nodes: list[Node] = []
        self._by_key: dict[_Key, Node] = {}
        self._full = False
        self._logger = logger or logging.getLogger(__name__)

    @property
    def node_count(self) -> int:
        """How many nodes there are; their ids are 0 to one less."""
        return len(self._nodes)

    def __contains__(self, node: Node) -> bool:
        return node.table is self and node.node_id != DEAD

    def nodes(self) -> tuple[Node, ...]:
        """All nodes by id."""
        return tuple(self._nodes)

    def make(
        self,
        kind: Kind,
        op1: Node | float | str | None = None,
        op2: Node | ResourceDef | None = None,
    ) -> Node:
        """The one node of that kind over those operands.

        "`==` and `!=` order their pair by creation serial"; a chain's node is made as it is
        given. `TableFull` when a new node would exceed the cap, "existing nodes are still
        served"; `LanguageMisuse` for a child that is plain, swept or of another table.
        """
        if kind in EQUALITIES and _serial(op1) > _serial(op2):
            op1, op2 = op2, op1  # type: ignore[assignment]
        key = self._key(kind, op1, op2)
        known = self._by_key.get(key)
        if known is not None:
            self.served += 1
            return known
        if len(self._nodes) >= self.max_nodes:
            self._refuse()
        if kind is Kind.TEXT:
            op1 = intern_string(str(op1))
        node = Node(kind, op1, op2, self, self.created, len(self._nodes))
        self.created += 1
        self._nodes.append(node)
        self._by_key[key] = node
        return node

    def _key(
        self, kind: Kind, op1: Node | float | str | None, op2: Node | ResourceDef | None
    ) -> _Key:
        if kind is Kind.NUMBER and isinstance(op1, float):
            return kind, _bits(op1), None
        if kind in BINARY or kind in UNARY:
            for child in (op1, op2) if kind in BINARY else (op1,):
                if not isinstance(child, Node) or child not in self:
                    raise LanguageMisuse(f"{child!r} is not a live node of this table")
        return kind, op1, op2

    def _refuse(self) -> None:
        """A new node at the cap; the warning is logged once until a sweep makes room."""
        cause = f"the table of select expressions is full ({self.max_nodes} nodes)"
        if not self._full:
            self._logger.warning("%s: new requirements are refused", cause)
            self._full = True
        raise TableFull(cause, hint="it has room again when jobs have finished")

    def sweep(
        self,
        live: Iterable[Node],
        *,
        resources: ResourceTable,
        in_round: bool,
        merged: bool,
    ) -> int:
        """Forget every node that no live root reaches, make ids dense again, count the forgotten.

        Raises `LanguageMisuse`, before anything changes, during a round (`in_round`), while newly
        arrived jobs are not yet parsed (`merged` False), for a root that is not of this table,
        and when a live resource no longer resolves in `resources`.
        """
        if in_round:
            raise LanguageMisuse("a sweep during a round")
        if not merged:
            raise LanguageMisuse("a sweep before newly arrived jobs are merged")
        roots = list(live)
        strange = next((root for root in roots if root not in self), None)
        if strange is not None:
            raise LanguageMisuse(f"{strange!r} is not a live node of this table")
        marked = {id(node) for node in post_order(roots)}
        self._check_resources(marked, resources)
        return self._keep(marked)

    def _check_resources(self, marked: set[int], resources: ResourceTable) -> None:
        for node in self._nodes:
            if node.kind is not Kind.RESOURCE or id(node) not in marked:
                continue
            if node.index >= len(resources) or resources[node.index] != node.resource:
                raise LanguageMisuse(f"resource {node.resource.name} no longer resolves")

    def _keep(self, marked: set[int]) -> int:
        """Recompaction: ids 0 to N-1 over the survivors, "keeping their order"."""
        kept: list[Node] = []
        for node in self._nodes:
            if id(node) in marked:
                object.__setattr__(node, "node_id", len(kept))
                kept.append(node)
            else:
                del self._by_key[self._key_of(node)]
        gone = [node for node in self._nodes if id(node) not in marked]
        for node in gone:
            object.__setattr__(node, "node_id", DEAD)
        self._nodes = kept
        self.swept += len(gone)
        self.generation += 1
        self._full = self._full and len(kept) >= self.max_nodes
        return len(gone)

    @staticmethod
    def _key_of(node: Node) -> _Key:
        if node.kind is Kind.NUMBER:
            return node.kind, _bits(node.number), None
        return node.kind, node.op1, node.op2


def _serial(operand: object) -> int:
    return operand.serial if isinstance(operand, Node) else DEAD
