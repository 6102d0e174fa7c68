"""The nodes of a select expression, and the ways to walk them without recursion.

Values only: what a node is, not how it comes to be shared (`intern`), folded, evaluated or
printed. A node is *interned* when it belongs to a table, else *plain*, a private tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum, unique
from typing import TYPE_CHECKING, Any, cast

from xce_sim.model.resources import ResourceDef, ResourceType

if TYPE_CHECKING:
    from xce_sim.resreq.intern import InternTable


@unique
class Kind(IntEnum):
    """What a node is. `ANY` never gets past folding."""

    AND = 1
    OR = 2
    NOT = 3
    EQ = 4
    NE = 5
    GT = 6
    LT = 7
    GE = 8
    LE = 9
    ADD = 10
    SUB = 11
    MUL = 12
    DIV = 13
    RESOURCE = 14
    NUMBER = 15
    TEXT = 16
    ANY = 17
    TRUE = 18
    FALSE = 19
    DEFINED = 20


CHAINS = frozenset((Kind.AND, Kind.OR))
EQUALITIES = frozenset((Kind.EQ, Kind.NE))
COMPARISONS = EQUALITIES | {Kind.GT, Kind.LT, Kind.GE, Kind.LE}
ARITHMETIC = frozenset((Kind.ADD, Kind.SUB, Kind.MUL, Kind.DIV))
BINARY = CHAINS | COMPARISONS | ARITHMETIC
UNARY = frozenset((Kind.NOT, Kind.DEFINED))
LITERALS = frozenset((Kind.NUMBER, Kind.TEXT, Kind.ANY))

DEAD = -1
"""The `node_id` of a plain node, and of one that a sweep has removed."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """One node; equality is identity.

    `op1` and `op2` are the children of a binary node, `op1` the child of a unary one. A resource
    has its index and its definition, a number its float, a text its string. `serial` counts the
    creations of the table; `node_id` is dense and "changed by recompaction alone".
    """

    kind: Kind
    op1: Node | float | str | None = None
    op2: Node | ResourceDef | None = None
    table: InternTable | None = None
    serial: int = DEAD
    node_id: int = DEAD

    @property
    def left(self) -> Node:
        """The first child."""
        return cast("Node", self.op1)

    @property
    def right(self) -> Node:
        """The second child."""
        return cast("Node", self.op2)

    @property
    def index(self) -> int:
        """The resource's index."""
        return cast("int", self.op1)

    @property
    def resource(self) -> ResourceDef:
        """The resource's definition."""
        return cast("ResourceDef", self.op2)

    @property
    def number(self) -> float:
        """The number."""
        return cast("float", self.op1)

    @property
    def text(self) -> str:
        """The string."""
        return cast("str", self.op1)

    def __repr__(self) -> str:
        if self.kind is Kind.RESOURCE:
            about = f" {self.resource.name}"
        elif self.kind in LITERALS:
            about = f" {self.op1!r}"
        else:
            about = ""
        return f"<{'plain ' if self.table is None else ''}{self.kind.name}{about} #{self.serial}>"

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Node:
        return self


def children(node: Node) -> tuple[Node, ...]:
    """The direct children, left to right."""
    if node.kind in BINARY:
        return (node.left, node.right)
    return (node.left,) if node.kind in UNARY else ()


def operands(node: Node) -> list[Node]:
    """The operands of a chain, left to right, through nested chains of the same kind."""
    found: list[Node] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if top.kind is node.kind:
            stack += (top.right, top.left)
        else:
            found.append(top)
    return found


def post_order(
    roots: Iterable[Node], below: Callable[[Node], Iterable[Node]] = children
) -> Iterator[Node]:
    """Every node reachable from the roots once, children before their parents."""
    done: set[int] = set()
    for root in roots:
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if id(node) in done:
                continue
            if expanded:
                done.add(id(node))
                yield node
                continue
            stack.append((node, True))
            stack += [(child, False) for child in reversed(tuple(below(node)))]


def value_type(node: Node) -> ResourceType | None:
    """The type of the value that a node has; None for a condition and for `any`."""
    if node.kind is Kind.RESOURCE:
        return node.resource.type
    if node.kind is Kind.NUMBER or node.kind in ARITHMETIC:
        return "numeric"
    return "string" if node.kind is Kind.TEXT else None
