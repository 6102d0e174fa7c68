"""Constants: what an expression comes to whatever a host says.

Decides the identity, annihilation and complement laws and `x == any`, `x != any` ("whichever
side `any` stands on"). Works on plain trees and gives plain trees; arithmetic is left alone,
since a division by zero is an error of the host that is asked.
"""

from __future__ import annotations

from xce_sim.resreq.nodes import BINARY, CHAINS, EQUALITIES, Kind, Node, post_order

_CONSTANTS = (Kind.TRUE, Kind.FALSE)


def fold(root: Node) -> Node:
    """The simplest plain tree with the same value on every host."""
    folded: dict[int, Node] = {}
    for node in post_order((root,)):
        folded[id(node)] = _fold_one(node, folded)
    return folded[id(root)]


def _fold_one(node: Node, folded: dict[int, Node]) -> Node:
    if node.kind is Kind.NOT:
        return _fold_not(node, folded[id(node.left)])
    if node.kind not in BINARY:
        return node
    left, right = folded[id(node.left)], folded[id(node.right)]
    if node.kind in EQUALITIES and Kind.ANY in (left.kind, right.kind):
        return Node(Kind.TRUE if node.kind is Kind.EQ else Kind.FALSE)
    if node.kind in CHAINS:
        return _fold_chain(node, left, right)
    return node


def _fold_not(node: Node, operand: Node) -> Node:
    if operand.kind in _CONSTANTS:
        return Node(Kind.FALSE if operand.kind is Kind.TRUE else Kind.TRUE)
    return node if operand is node.left else Node(Kind.NOT, operand)


def _fold_chain(node: Node, left: Node, right: Node) -> Node:
    neutral = Kind.TRUE if node.kind is Kind.AND else Kind.FALSE
    for one, other in ((left, right), (right, left)):
        if one.kind in _CONSTANTS:
            return other if one.kind is neutral else one
    if left is node.left and right is node.right:
        return node
    return Node(node.kind, left, right)
