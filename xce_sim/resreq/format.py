"""Canonical text of an expression and of a request: "printing a tree and parsing it again gives
the same object".

Decides spelling, quoting and brackets. `TRUE` is `slots==any`, `FALSE` is `slots!=any`; a word
that is also a resource's name, a clause's or a reserved one is quoted; amounts are plain numbers
in the resource's own unit. Written without recursion: chains are as deep as they are long.
"""

from __future__ import annotations

import re

from xce_sim.model.resources import ResourceTable
from xce_sim.model.units import format_milli
from xce_sim.resreq.names import ANY
from xce_sim.resreq.nodes import EQUALITIES, LITERALS, Kind, Node
from xce_sim.resreq.request import Compound, Item, Primary, Request
from xce_sim.resreq.slips import CLAUSES

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*", re.ASCII)
_RESERVED = frozenset((ANY, "defined", *CLAUSES))
_OPERATORS = {
    Kind.OR: " || ",
    Kind.AND: " && ",
    Kind.EQ: " == ",
    Kind.NE: " != ",
    Kind.GT: " > ",
    Kind.LT: " < ",
    Kind.GE: " >= ",
    Kind.LE: " <= ",
    Kind.ADD: " + ",
    Kind.SUB: " - ",
    Kind.MUL: " * ",
    Kind.DIV: " / ",
}
_STRENGTH = {
    Kind.OR: 1,
    Kind.AND: 2,
    Kind.NOT: 3,
    **dict.fromkeys((Kind.EQ, Kind.NE, Kind.GT, Kind.LT, Kind.GE, Kind.LE), 4),
    **dict.fromkeys((Kind.ADD, Kind.SUB), 5),
    **dict.fromkeys((Kind.MUL, Kind.DIV), 6),
}
_CHAIN_RIGHT = 1
"""How much stronger a right operand must bind, since operators associate to the left."""


def format_node(node: Node, resources: ResourceTable) -> str:
    """The expression as text, the same for every order in which it was written."""
    written: list[str] = []
    todo: list[tuple[Node, int] | str] = [(node, 0)]
    while todo:
        top = todo.pop()
        if isinstance(top, str):
            written.append(top)
        else:
            todo += reversed(_pieces(*top, resources))
    return "".join(written)


def _pieces(node: Node, needed: int, resources: ResourceTable) -> list[tuple[Node, int] | str]:
    """One node as text and children, in brackets where it binds more weakly than needed."""
    strength = _STRENGTH.get(node.kind)
    if strength is None:
        return [_leaf(node, resources)]
    if node.kind is Kind.NOT:
        pieces: list[tuple[Node, int] | str] = ["!", (node.left, _not_needs(node.left))]
    else:
        left, right = _in_order(node)
        pieces = [
            (left, strength),
            _OPERATORS[node.kind],
            (right, strength + _CHAIN_RIGHT),
        ]
    return ["(", *pieces, ")"] if strength < needed else pieces


def _not_needs(operand: Node) -> int:
    """Brackets around a comparison too: `!(a == b)` reads as it is meant."""
    return 9 if operand.kind in _STRENGTH and operand.kind is not Kind.NOT else 0


def _in_order(node: Node) -> tuple[Node, Node]:
    """The operands as they are shown: the resource first where the order does not matter."""
    left, right = node.left, node.right
    if node.kind in EQUALITIES and left.kind in LITERALS:
        return right, left
    return left, right


def _leaf(node: Node, resources: ResourceTable) -> str:
    if node.kind is Kind.RESOURCE:
        return node.resource.name
    if node.kind is Kind.DEFINED:
        return f"defined({node.left.resource.name})"
    if node.kind is Kind.NUMBER:
        return format_number(node.number)
    if node.kind is Kind.TEXT:
        return _word(node.text, resources)
    if node.kind is Kind.ANY:
        return ANY
    return "slots==any" if node.kind is Kind.TRUE else "slots!=any"


def format_number(number: float) -> str:
    """The shortest decimal that gives the same float."""
    return repr(number).removesuffix(".0")


def _word(text: str, resources: ResourceTable) -> str:
    plain = _WORD.fullmatch(text) is not None
    if plain and text not in _RESERVED and text not in resources.index:
        return text
    mark = '"' if "'" in text and '"' not in text else "'"
    return mark + text.replace(mark, mark * 2) + mark


def format_request(request: Request, resources: ResourceTable) -> str:
    """The whole requirement as text; alternatives always stand in braces."""
    texts = [_alternative(item, resources) for item in request.alternatives]
    if not request.numbered:
        return texts[0]
    return " || ".join(f"{{{text}}}" for text in texts)


def _alternative(item: Primary | Compound | None, resources: ResourceTable) -> str:
    if item is None:
        return ""
    if isinstance(item, Primary):
        return format_primary(item, resources)
    return " + ".join(
        f"{member.count}*{{{format_primary(member.primary, resources)}}}" for member in item.members
    )


def format_primary(primary: Primary, resources: ResourceTable) -> str:
    """One primary: select, rusage, span, same, order, then what is declined."""
    parts: list[str] = []
    declined = primary.declined
    if primary.select is not None:
        parts.append(f"select[{format_node(primary.select, resources)}]")
    if "rusage" in primary.clauses and "rusage" not in primary.unsupported:
        items = ",".join(format_item(item, resources) for item in primary.items)
        parts.append(f"rusage[{items}]")
    if "span" in primary.clauses and "span" not in primary.unsupported:
        parts.append(f"span[{format_span(primary)}]")
    if primary.same:
        parts.append(f"same[{':'.join(resources[index].name for index in primary.same)}]")
    if primary.order:
        parts.append(f"order[{':'.join(format_keys(primary, resources))}]")
    return " ".join((*parts, *declined))


def format_item(item: Item, resources: ResourceTable) -> str:
    """`mem=8192`, with `/task` and the like where the scope is not the default one."""
    found = resources[item.resource]
    default = "job" if found.scope == "shared" else "host"
    text = f"{found.name}={format_milli(item.amount)}"
    text += "" if item.scope == default else f"/{item.scope}"
    text += "" if item.duration is None else f":duration={item.duration}"
    return text if item.decay is None else f"{text}:decay={item.decay}"


def format_span(primary: Primary) -> str:
    """What stands in the brackets of `span`."""
    span = primary.span
    if span.kind == "ptile":
        return f"ptile={span.ptile}"
    return "hosts=1" if span.kind == "one_host" else "hosts=-1"


def format_keys(primary: Primary, resources: ResourceTable) -> list[str]:
    """The keys of `order`, `-` before a reversed one."""
    keys = []
    for key in primary.order:
        item = resources[key.resource]
        keys.append(item.name if key.largest_first == item.more_is_better else f"-{item.name}")
    return keys
