"""Names and types: from syntax to a plain tree in which every word means something.

Decides what a word is ("a bare word that names a known resource is that resource; otherwise it is
a string literal"), which operands go together, and what a number with a size unit comes to.
Depth of recursion is that of the text's nesting, which the guard bounds; chains are loops.
"""

from __future__ import annotations

from dataclasses import dataclass

from xce_sim.model.resources import ResourceDef, ResourceTable, ResourceType
from xce_sim.resreq.errors import RequirementError, quote
from xce_sim.resreq.literals import number_of, size_of
from xce_sim.resreq.names import ANY, resolve, suggestion, unknown_resource
from xce_sim.resreq.nodes import EQUALITIES, Kind, Node, value_type
from xce_sim.resreq.slips import CLAUSES
from xce_sim.resreq.syntax import Expression, Leaf, Operation

_COMPARE = {
    "==": Kind.EQ,
    "!=": Kind.NE,
    ">": Kind.GT,
    "<": Kind.LT,
    ">=": Kind.GE,
    "<=": Kind.LE,
}
_CHAIN = {"&&": Kind.AND, "||": Kind.OR}
_ARITHMETIC = {"+": Kind.ADD, "-": Kind.SUB, "*": Kind.MUL, "/": Kind.DIV}
_A_TYPE = {"numeric": "a number", "string": "a string", "boolean": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """Checks the expressions of one text; `bare` while a bracket-free select is checked."""

    text: str
    resources: ResourceTable
    bare: bool = False

    def condition(self, found: Expression) -> Node:
        """The plain tree of an expression that is true or false on a host."""
        if isinstance(found, Leaf):
            return self._alone(found)
        operator = found.operators[0]
        if operator == "!":
            return Node(Kind.NOT, self.condition(found.operands[0]))
        if operator in _COMPARE:
            return self._comparison(found)
        if operator not in _CHAIN:
            raise self._error(
                found, "an amount is not a condition", "compare it, as in mem - swp > 100"
            )
        node = self.condition(found.operands[0])
        for operand in found.operands[1:]:
            node = Node(_CHAIN[operator], node, self.condition(operand))
        return node

    def _alone(self, leaf: Leaf) -> Node:
        """A resource standing alone: "numeric ✓ (non-zero), string error, boolean ✓"."""
        if leaf.kind == "defined":
            return Node(Kind.DEFINED, self._resource(leaf))
        if leaf.kind != "word":
            what = "number" if leaf.kind == "number" else "text"
            raise self._error(
                leaf, f"the {what} {quote(leaf.spelling)} is not a condition", "compare it"
            )
        node = self._resource(leaf)
        if node.resource.type == "string":
            name = leaf.text
            raise self._error(
                leaf,
                f"{name} is a string and can not stand alone",
                f"write {name} == word, or defined({name})",
            )
        return node

    def _comparison(self, found: Operation) -> Node:
        if len(found.operators) > 1:
            raise self._error(
                found, "comparisons can not be chained", "write a < b && b < c instead"
            )
        kind = _COMPARE[found.operators[0]]
        left, right = found.operands
        scope = [item for operand in found.operands for item in self._named(operand)]
        pair = (
            self._side(left, right, kind, scope, is_left=True),
            self._side(right, left, kind, scope, is_left=False),
        )
        if not scope:
            raise self._error(found, "a comparison needs a resource on at least one side", None)
        self._check_types(found, kind, pair)
        return Node(kind, *pair)

    def _named(self, found: Expression) -> list[ResourceDef]:
        """The resources that an operand names."""
        if isinstance(found, Leaf):
            item = self.resources.get(found.text) if found.kind == "word" else None
            return [] if item is None else [item]
        return [item for operand in found.operands for item in self._named(operand)]

    def _side(
        self,
        found: Expression,
        other: Expression,
        kind: Kind,
        scope: list[ResourceDef],
        *,
        is_left: bool,
    ) -> Node:
        """One side of a comparison."""
        if isinstance(found, Operation) or found.kind == "defined":
            return self._amount(found, scope)
        if found.kind == "quoted":
            return Node(Kind.TEXT, found.text)
        if found.kind == "number":
            if self._is_string(other):
                if found.unit:
                    size_of(found, self.text)
                return Node(Kind.TEXT, found.spelling)
            return Node(Kind.NUMBER, number_of(found, self.text, scope))
        self._refuse_clause_word(found)
        if found.text == ANY:
            return self._any(found, other, kind, is_left=is_left)
        if found.text in self.resources.index:
            return self._resource(found)
        if is_left:
            raise self._unknown_left(found, other)
        return Node(Kind.TEXT, found.text)

    def _any(self, leaf: Leaf, other: Expression, kind: Kind, *, is_left: bool) -> Node:
        """`any`, which "stands only on the right of `==` or `!=`", here beside a resource."""
        if is_left or kind not in EQUALITIES:
            raise unknown_resource(leaf, self.text, self.resources)
        if not isinstance(other, Leaf) or other.kind != "word":
            raise self._error(leaf, "any compares with a resource alone", "as in type == any")
        return Node(Kind.ANY)

    def _amount(self, found: Expression, scope: list[ResourceDef]) -> Node:
        """A number, a numeric resource, or arithmetic over these."""
        if isinstance(found, Operation):
            if found.operators[0] not in _ARITHMETIC:
                raise self._error(found, "a condition can not be compared or computed with", None)
            node = self._amount(found.operands[0], scope)
            for operator, operand in zip(found.operators, found.operands[1:], strict=True):
                node = Node(_ARITHMETIC[operator], node, self._amount(operand, scope))
            return node
        if found.kind == "number":
            return Node(Kind.NUMBER, number_of(found, self.text, scope))
        if found.kind == "defined":
            raise self._error(
                found, "defined(..) is a condition and can not be compared", "write it alone"
            )
        if found.kind == "quoted":
            raise self._error(found, f"{found.spelling} is a text, not a number", None)
        node = self._resource(found)
        if node.resource.type != "numeric":
            raise self._error(
                found, f"{found.text} is {_A_TYPE[node.resource.type]}, not a number", None
            )
        return node

    def _check_types(self, found: Operation, kind: Kind, pair: tuple[Node, Node]) -> None:
        """The type table: order is for numbers, equality for like types, 0/1 stands for boolean."""
        types = (value_type(pair[0]), value_type(pair[1]))
        if kind not in EQUALITIES:
            for side, operand, its in zip(pair, found.operands, types, strict=True):
                if its != "numeric":
                    raise self._not_a_number(found, side, operand)
            return
        if None in types or types[0] == types[1] or set(types) == {"boolean", "numeric"}:
            return
        raise self._mismatch(found, pair)

    def _not_a_number(self, found: Operation, side: Node, operand: Expression) -> RequirementError:
        operator = found.operators[0]
        if side.kind is Kind.TEXT and isinstance(operand, Leaf):
            return self._error(
                operand,
                f"{operator} compares numbers, and {quote(operand.spelling)} is a word",
                suggestion(operand.text, self.resources) if operand.kind == "word" else None,
            )
        name, its = side.resource.name, _A_TYPE[side.resource.type]
        hint = f"write {name} or !{name}" if side.resource.type == "boolean" else "use == or !="
        return self._error(operand, f"{operator} compares numbers, and {name} is {its}", hint)

    def _mismatch(self, found: Operation, pair: tuple[Node, Node]) -> RequirementError:
        """`==` between types that do not go together; the second operand gets the blame."""
        types = [value_type(side) for side in pair]
        at = 0 if types[1] == "boolean" and pair[0].kind is Kind.TEXT else 1
        blamed, other = found.operands[at], pair[1 - at]
        said = self._described(pair[at], blamed)
        hint = None
        if other.kind is Kind.RESOURCE and other.resource.type == "boolean":
            name = other.resource.name
            hint = f"write {name} or !{name}, or compare with 1 or 0"
        elif pair[at].kind is Kind.RESOURCE and value_type(other) == "string":
            hint = f"quote it to mean the word: '{pair[at].resource.name}'"
        elif isinstance(blamed, Leaf) and blamed.kind == "word":
            hint = suggestion(blamed.text, self.resources)
        whose = self._described(other, found.operands[1 - at])
        return self._error(blamed, f"{whose} can not be compared with {said}", hint)

    def _described(self, node: Node, found: Expression) -> str:
        if node.kind is Kind.RESOURCE:
            kind: ResourceType = node.resource.type
            return f"{node.resource.name}, which is {_A_TYPE[kind]},"
        if node.kind is Kind.TEXT and isinstance(found, Leaf):
            return f"the word {quote(found.text)}"
        return "a number"

    def _unknown_left(self, leaf: Leaf, other: Expression) -> RequirementError:
        """The error where "an unknown word on the left is an unknown resource"."""
        hint = None
        if isinstance(other, Leaf) and self._named(other):
            hint = f"write the resource first ({other.text} == {leaf.text}), or quote the word"
        return unknown_resource(leaf, self.text, self.resources, hint=hint)

    def _is_string(self, found: Expression) -> bool:
        return isinstance(found, Leaf) and any(item.type == "string" for item in self._named(found))

    def _resource(self, leaf: Leaf) -> Node:
        if leaf.kind == "word":
            self._refuse_clause_word(leaf)
        index = resolve(leaf, self.text, self.resources)
        return Node(Kind.RESOURCE, index, self.resources[index])

    def _refuse_clause_word(self, leaf: Leaf) -> None:
        """Refuse a clause's name in the bracket-free form, naming the explicit one."""
        if self.bare and leaf.text in CLAUSES:
            raise self._error(
                leaf,
                f"{leaf.text} opens a clause and can not stand in a bracket-free select",
                f"write {leaf.text}[..] for the clause, or select[{leaf.text} ..] for a name",
            )

    def _error(self, found: Expression, what: str, hint: str | None) -> RequirementError:
        return RequirementError(what, text=self.text, span=(found.start, found.end), hint=hint)
