"""The grammar: text to syntax, by pyparsing, which is imported at the first parse.

Decides what is well formed and nothing about meaning. Text must have passed `prescan`. Every
element has a name that can stand in a message, and `-` commits to what has been recognised, so
that the place and the expectation in an error are those of the very slip.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from xce_sim.resreq.slips import CLAUSES, late_select, syntax_error
from xce_sim.resreq.syntax import (
    CompoundSyntax,
    Entry,
    Expression,
    Key,
    Leaf,
    MemberSyntax,
    Operation,
    OrderClause,
    PrimarySyntax,
    RequirementSyntax,
    SameClause,
    SelectClause,
    TextClause,
    UsageClause,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyparsing import ParserElement, ParseResults

_WORD = r"[A-Za-z_][A-Za-z0-9_.]*"
_NO_CLAUSE = rf"(?!(?:{'|'.join(CLAUSES)})\s*\[)"
_CLAUSE_START = r"[A-Za-z_0-9.'\"(!+-]"
_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z_.][\w.]*)?"
_DEFINED = r"defined\s*\("
_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
_INSIDE = r"(?:'[^']*'|\"[^\"]*\"|[^\[\]'\"])*"

_NUMBER_PARTS = re.compile(_NUMBER, re.ASCII)

OPERAND = "a resource, a number or a word"


def parse_requirement(text: str) -> RequirementSyntax:
    """The syntax of a whole requirement; `RequirementError` where the text does not follow it."""
    found: RequirementSyntax = _run(_requirement_grammar(), text)
    return found


def parse_expression(text: str) -> Expression:
    """The syntax of a select expression alone."""
    found: Expression = _run(_expression_grammar(), text)
    return found


def _run(grammar: ParserElement, text: str) -> Any:
    from pyparsing import ParseBaseException  # noqa: PLC0415 - imported at first use

    try:
        return grammar.parse_string(text, parse_all=True)[0]
    except ParseBaseException as error:
        raise syntax_error(text, error.loc, error.msg) from None


@cache
def _requirement_grammar() -> ParserElement:
    """`alternatives | compound | primary`, then the end of the text."""
    from pyparsing import (  # noqa: PLC0415 - imported at first use
        Empty,
        Regex,
        ZeroOrMore,
    )

    brace, unbrace = _mark("{"), _mark("}")
    clause = _clause_grammar()
    later = clause | _late_select()
    ahead = Regex(rf"(?={_CLAUSE_START})").suppress()
    some = (_bare_select() | clause) + ZeroOrMore(
        ahead + later | _mark(",") - later.set_name("a clause")
    )
    primary = (some | Empty()).set_parse_action(lambda _s, _l, found: PrimarySyntax(tuple(found)))
    count = Regex(r"\d+(?=\s*\*\s*\{)").set_name("a number of tasks")
    count.set_parse_action(_make_leaf)
    member = count + _mark("*") + brace - primary - unbrace
    member.set_parse_action(lambda _s, _l, found: MemberSyntax(*found))
    compound = member + ZeroOrMore(_mark("+") - member.set_name("n*{..}"))
    compound.set_parse_action(lambda _s, _l, found: CompoundSyntax(tuple(found)))
    one = brace - (compound | primary) - unbrace
    bars = _mark("||").set_name("|| and another alternative")
    braced = one - bars - one.set_name("an alternative in braces") + ZeroOrMore(bars - one)
    braced.set_parse_action(lambda _s, _l, found: RequirementSyntax(tuple(found), True))
    plain = (compound | primary).copy()
    plain.set_parse_action(lambda _s, _l, found: RequirementSyntax(tuple(found), False))
    return (braced | plain).parse_with_tabs()


@cache
def _expression_grammar() -> ParserElement:
    return _infix(_operand_grammar("")).copy().parse_with_tabs()


def _bare_select() -> ParserElement:
    """A bracket-free select: what comes first and does not open a clause."""
    from pyparsing import Regex  # noqa: PLC0415 - imported at first use

    start = Regex(rf"{_NO_CLAUSE}(?={_CLAUSE_START})").suppress()
    bare = start - _infix(_operand_grammar(_NO_CLAUSE))
    return bare.set_parse_action(
        lambda _s, _l, found: SelectClause(found[0], True, found[0].start, found[0].end)
    )


def _late_select() -> ParserElement:
    """What could only be a bracket-free select in a place where none may stand."""
    from pyparsing import Regex  # noqa: PLC0415 - imported at first use

    def refuse(text: str, loc: int, _found: ParseResults) -> None:
        raise late_select(text, loc)

    return Regex(rf"{_NO_CLAUSE}(?={_CLAUSE_START})").set_parse_action(refuse)


def _clause_grammar() -> ParserElement:
    """A clause with its word and brackets."""
    name, colon, key = _word("a resource"), _mark(":"), _key_grammar()
    return (
        _bracketed("select", _infix(_operand_grammar("")), "an operator or ]", _make_select)
        | _bracketed("rusage", _usage_grammar(), ", : || or ]", _make_usage)
        | _text_clause("span")
        | _bracketed("order", key - (colon - key)[...], ": or ]", _make_order)
        | _bracketed("same", name - (colon - name)[...], ": or ]", _make_same)
        | _text_clause("affinity")
        | _text_clause("cu")
    )


def _make_select(_text: str, start: int, found: ParseResults) -> SelectClause:
    return SelectClause(found[0], False, start, found[-1])


def _make_usage(_text: str, start: int, found: ParseResults) -> UsageClause:
    return UsageClause(tuple(found[:-1]), start, found[-1])


def _make_same(_text: str, start: int, found: ParseResults) -> SameClause:
    return SameClause(tuple(found[:-1]), start, found[-1])


def _make_order(_text: str, start: int, found: ParseResults) -> OrderClause:
    return OrderClause(tuple(found[:-1]), start, found[-1])


def _bracketed(
    name: str, body: ParserElement, closer: str, make: Callable[[str, int, ParseResults], object]
) -> ParserElement:
    """`name[ body ]`; once the bracket is seen there is no way back."""
    from pyparsing import Regex  # noqa: PLC0415 - imported at first use

    head = Regex(rf"{name}\s*\[").suppress()
    return (head - body - _end_mark("]").set_name(closer)).set_parse_action(make)


def _mark(text: str) -> ParserElement:
    from pyparsing import Suppress  # noqa: PLC0415 - imported at first use

    return Suppress(text).set_name(text)


def _end_mark(text: str) -> ParserElement:
    """An element that gives the column behind it."""
    from pyparsing import Literal  # noqa: PLC0415 - imported at first use

    return Literal(text).set_parse_action(lambda _s, loc, _found: loc + len(text))


def _text_clause(name: str) -> ParserElement:
    from pyparsing import Regex  # noqa: PLC0415 - imported at first use

    def make(text: str, start: int, found: ParseResults) -> TextClause:
        inside = text.index("[", start) + 1
        end = start + len(found[0])
        return TextClause(name, text[inside : end - 1], inside, start, end)

    return Regex(rf"{name}\s*\[{_INSIDE}\]").set_parse_action(make) | (
        Regex(rf"{name}\s*\[") - Regex(rf"{_INSIDE}\]").set_name(f"] at the end of {name}")
    )


def _usage_grammar() -> ParserElement:
    """The inside of `rusage`: entries, `:` inside a group, `,` between groups, `||`."""
    from pyparsing import Group, Optional, Regex  # noqa: PLC0415 - imported at first use

    amount = Regex(_NUMBER).set_name("an amount").set_parse_action(_make_leaf)
    phases = Regex(r"\([^()]*\)").set_name("an amount")
    scope = _mark("/") - Regex(r"(?:task|host|job)\b").set_name("task, host or job")
    entry = (
        _word("a resource")
        - _mark("=")
        - (amount | phases).set_name("an amount")
        - Optional(scope, None)
    )
    entry.set_parse_action(_make_entry)
    group = Group(entry + (_mark(":") - entry)[...])
    groups = Group(Optional(group + (_mark(",") - group)[...]))
    groups.set_parse_action(lambda _s, _l, found: [tuple(map(tuple, found[0]))])
    alternatives: ParserElement = groups + (_mark("||") - groups)[...]
    return alternatives


def _make_entry(_text: str, start: int, found: ParseResults) -> Entry:
    name, amount, scope = found
    if isinstance(amount, Leaf):
        return Entry(name, amount, scope, start, amount.end)
    return Entry(name, None, scope, start, name.end, phases=amount)


def _key_grammar() -> ParserElement:
    from pyparsing import Optional, Regex  # noqa: PLC0415 - imported at first use

    sign = Optional(_mark("!")) + Optional(Regex("-"), "")
    key = sign + _word("a resource")
    return key.set_parse_action(lambda _s, _l, found: Key(found[1], found[0] == "-"))


def _word(name: str) -> ParserElement:
    from pyparsing import Regex  # noqa: PLC0415 - imported at first use

    return Regex(_WORD).set_name(name).set_parse_action(_make_leaf)


def _operand_grammar(guard: str) -> ParserElement:
    """One operand; `guard` is a pattern that a word must also satisfy."""
    from pyparsing import Regex, Suppress  # noqa: PLC0415 - imported at first use

    leaf = Regex(rf"{guard}(?!{_DEFINED}){_WORD}|{_NUMBER}|{_QUOTED}")
    leaf.set_parse_action(_make_leaf)
    defined = Suppress(Regex(_DEFINED)) - _word("a resource") - _end_mark(")").set_name(")")
    defined.set_parse_action(_make_defined)
    return (leaf | defined).set_name(OPERAND)


def _make_defined(_text: str, _start: int, found: ParseResults) -> Leaf:
    name = found[0]
    return Leaf("defined", name.text, name.text, name.start, name.end)


def _infix(operand: ParserElement) -> ParserElement:
    """The operators, the tightest first; `!` covers a whole comparison."""
    from pyparsing import OpAssoc, Regex, infix_notation  # noqa: PLC0415 - imported at first use

    def level(pattern: str, name: str, arity: int, side: OpAssoc) -> tuple[Any, ...]:
        mark = Regex(pattern).set_name(name)
        mark.set_parse_action(lambda _s, loc, found: [(found[0], loc)])
        return mark, arity, side, _operation

    found: ParserElement = infix_notation(  # type: ignore[no-untyped-call]
        operand,
        [
            level(r"\*(?!\*)|/", "* or /", 2, OpAssoc.LEFT),
            level(r"[+-]", "+ or -", 2, OpAssoc.LEFT),
            level(r"[<>=!]=|[<>]|=(?![=<>])", "a comparison", 2, OpAssoc.LEFT),
            level(r"!(?!=)", "!", 1, OpAssoc.RIGHT),
            level(r"&&", "&&", 2, OpAssoc.LEFT),
            level(r"\|\|", "||", 2, OpAssoc.LEFT),
        ],
    )
    return found.set_name("an expression")


def _operation(_text: str, _loc: int, found: ParseResults) -> Operation:
    parts = list(found[0])
    operators = tuple("==" if part[0] == "=" else part[0] for part in parts if _is_mark(part))
    operands = tuple(part for part in parts if not _is_mark(part))
    start = parts[0][1] if _is_mark(parts[0]) else operands[0].start
    return Operation(operators, operands, start, operands[-1].end)


def _is_mark(part: object) -> bool:
    return type(part) is tuple


def _make_leaf(_text: str, start: int, found: ParseResults) -> Leaf:
    """One word, number or quoted text, told apart by its first character."""
    spelling = found[0]
    first, end = spelling[0], start + len(spelling)
    if first.isalpha() or first == "_":
        return Leaf("word", spelling, spelling, start, end)
    if first in "'\"":
        return Leaf("quoted", spelling[1:-1].replace(first * 2, first), spelling, start, end)
    number = _NUMBER_PARTS.fullmatch(spelling)
    digits, unit = (spelling, "") if number is None else (number[1], number[2] or "")
    return Leaf("number", digits, spelling, start, end, unit)
