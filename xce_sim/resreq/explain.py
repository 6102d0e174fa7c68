"""Why a host does not match: the part of the expression that failed, and the host's value there.

Reads columns that were evaluated and pushed values, "with nothing evaluated for it that the
scheduler had not evaluated". Decides which part to blame: of a conjunction the first operand that
is false on the host, of anything else the whole.
"""

from __future__ import annotations

from xce_sim.model.columns import HostColumns
from xce_sim.model.resources import SLOTS
from xce_sim.model.units import MAX_MILLI, MILLI, format_milli
from xce_sim.model.verdict import MismatchPart
from xce_sim.resreq.evaluate import ERROR, FALSE, RoundEvaluator
from xce_sim.resreq.format import format_node, format_number
from xce_sim.resreq.nodes import CHAINS, Kind, Node, operands, post_order

ABSENT_VALUE = "-"


def explain_mismatch(
    node: Node | None, evaluator: RoundEvaluator, host: int
) -> MismatchPart | None:
    """The part that failed on the host; None where the expression matched or is not evaluated.

    The value is that of the resource in the part (`64000`, `windows`, `1` and `0` for a boolean,
    `-` for a string that the host has not); with several resources `name=value name=value`.
    """
    if node is None or _at(node, evaluator, host) != FALSE:
        return None
    part = node
    while part.kind is Kind.AND:
        blamed = _first(operands(part), FALSE, evaluator, host)
        if blamed is None:
            break
        part = blamed
    return _part(part, evaluator.columns, host)


def explain_error(node: Node, evaluator: RoundEvaluator, host: int) -> str | None:
    """Why the expression could not be evaluated on the host; None where it could.

    `mem / swp > 2: not a finite number (mem=64000 swp=0)`.
    """
    if _at(node, evaluator, host) != ERROR:
        return None
    part = node
    while part.kind in CHAINS or part.kind is Kind.NOT:
        below = operands(part) if part.kind in CHAINS else [part.left]
        blamed = _first(below, ERROR, evaluator, host)
        if blamed is None:
            break
        part = blamed
    columns = evaluator.columns
    read = " ".join(f"{name}={value}" for name, value in _values(part, columns, host))
    return f"{format_node(part, columns.resources)}: not a finite number ({read})"


def _first(parts: list[Node], outcome: int, evaluator: RoundEvaluator, host: int) -> Node | None:
    """The first part with that outcome; None when its column has been dropped meanwhile."""
    return next((part for part in parts if _at(part, evaluator, host) == outcome), None)


def _at(node: Node, evaluator: RoundEvaluator, host: int) -> int | None:
    column = evaluator.known(node)
    return None if column is None else int(column[host])


def _part(node: Node, columns: HostColumns, host: int) -> MismatchPart:
    text = format_node(node, columns.resources)
    found = _resources(node)
    if len(found) == 1 and node.kind is not Kind.DEFINED:
        item = found[0].resource
        milli = _milli(found[0], columns, host)
        if milli is not None and item.unit:
            return MismatchPart(expression=text, milli=milli, unit=item.unit)
        return MismatchPart(expression=text, value=_value(found[0], columns, host))
    values = _values(node, columns, host)
    if len(values) == 1:
        return MismatchPart(expression=text, value=values[0][1])
    return MismatchPart(
        expression=text, value=" ".join(f"{name}={value}" for name, value in values)
    )


def _resources(node: Node) -> list[Node]:
    """The resources that a part reads, left to right, each once."""
    return [item for item in post_order((node,)) if item.kind is Kind.RESOURCE]


def _values(node: Node, columns: HostColumns, host: int) -> list[tuple[str, str]]:
    return [(item.resource.name, _value(item, columns, host)) for item in _resources(node)]


def _value(node: Node, columns: HostColumns, host: int) -> str:
    """One value as the expression saw it: numbers and booleans default to 0."""
    found = columns.value(node.index, host)
    if node.resource.type == "string":
        return ABSENT_VALUE if found is None else str(found)
    if found is None:
        return "0"
    if node.resource.consumable:
        return format_milli(int(found))
    return str(int(found)) if isinstance(found, bool) else format_number(float(found))


def _milli(node: Node, columns: HostColumns, host: int) -> int | None:
    """The value as thousandths; None for what is no amount with at most three decimals."""
    item = node.resource
    found = columns.value(node.index, host)
    if item.type != "numeric":
        return None
    if item.consumable or node.index == SLOTS:
        return 0 if found is None else int(found)
    milli = 0.0 if found is None else float(found) * MILLI
    return int(milli) if milli.is_integer() and abs(milli) < MAX_MILLI else None
