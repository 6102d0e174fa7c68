"""Canonical chains: one form for every order and bracketing of `&&` and of `||`.

"A chain is collected whole, its operands sorted by serial, equal ones kept once, and rebuilt
left-associatively; the prefix always stands left."
"""

from __future__ import annotations

from collections.abc import Iterable

from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.nodes import BINARY, CHAINS, UNARY, Kind, Node, children, operands, post_order


def chain(table: InternTable, kind: Kind, parts: Iterable[Node]) -> Node:
    """The canonical chain over interned parts (at least one); chains among them are opened."""
    found: dict[int, Node] = {}
    for part in parts:
        for operand in operands(part) if part.kind is kind else (part,):
            found[operand.serial] = operand
    ordered = [found[serial] for serial in sorted(found)]
    node = ordered[0]
    for operand in ordered[1:]:
        node = table.make(kind, node, operand)
    return node


def intern(table: InternTable, root: Node) -> Node:
    """The interned form of a folded plain tree."""
    made: dict[int, Node] = {}
    for node in post_order((root,), _below):
        if node.kind in CHAINS:
            parts = [made[id(part)] for part in operands(node)]
            made[id(node)] = chain(table, node.kind, parts)
        elif node.kind in BINARY:
            made[id(node)] = table.make(node.kind, made[id(node.left)], made[id(node.right)])
        elif node.kind in UNARY:
            made[id(node)] = table.make(node.kind, made[id(node.left)])
        else:
            made[id(node)] = table.make(node.kind, node.op1, node.op2)
    return made[id(root)]


def _below(node: Node) -> Iterable[Node]:
    """Children, where those of a chain are all its operands, so that no prefix is interned."""
    return operands(node) if node.kind in CHAINS else children(node)
