"""Resources that a text seems to mean, for looking at a requirement without its cluster.

"`--assume-resources` takes unknown words in a resource's place as resources, typed by their
use": asked for in `rusage`, a consumable; computed with, ordered by or compared with a number,
numeric; compared with a word, a string; standing alone or only `defined(..)`, boolean. Where uses
differ the earlier of this list wins. A size makes it MiB.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from xce_sim.model.resources import ResourceDef, ResourceTable
from xce_sim.model.units import size_of_suffix
from xce_sim.resreq.grammar import parse_requirement
from xce_sim.resreq.names import ANY
from xce_sim.resreq.prescan import prescan
from xce_sim.resreq.syntax import (
    Clause,
    CompoundSyntax,
    Expression,
    Leaf,
    Operation,
    OrderClause,
    RequirementSyntax,
    SameClause,
    SelectClause,
    UsageClause,
)


class _Use(IntEnum):
    ALONE = 0
    WORD = 1
    NUMBER = 2
    ASKED = 3


_Found = tuple[str, _Use, bool]
"""A name, how it is used, whether a size stands beside it."""

_LOGIC = ("&&", "||", "!")
_ORDERING = (">", "<", ">=", "<=")
_EQUAL = ("==", "!=")


def assume_resources(text: str, resources: ResourceTable) -> ResourceTable:
    """The table with a definition for every unknown word in a resource's place.

    `RequirementError` where the text does not follow the grammar.
    """
    prescan(text)
    uses: dict[str, tuple[_Use, bool]] = {}
    for name, use, sized in _requirement(parse_requirement(text)):
        if name not in resources.index and name != ANY:
            before = uses.get(name, (use, sized))
            uses[name] = max(use, before[0]), sized or before[1]
    return resources.extended(_definition(name, *found) for name, found in uses.items())


def _definition(name: str, use: _Use, sized: bool) -> ResourceDef:
    unit = "MiB" if sized and use >= _Use.NUMBER else ""
    if use is _Use.ASKED:
        return ResourceDef(name=name, consumable=True, unit=unit)
    if use is _Use.NUMBER:
        return ResourceDef(name=name, unit=unit)
    return ResourceDef(name=name, type="string" if use is _Use.WORD else "boolean")


def _requirement(found: RequirementSyntax) -> Iterator[_Found]:
    for alternative in found.alternatives:
        primaries = (
            [member.primary for member in alternative.members]
            if isinstance(alternative, CompoundSyntax)
            else [alternative]
        )
        for primary in primaries:
            for clause in primary.clauses:
                yield from _clause(clause)


def _clause(clause: Clause) -> Iterator[_Found]:
    if isinstance(clause, SelectClause):
        yield from _condition(clause.expression)
    elif isinstance(clause, UsageClause):
        for entry in (e for groups in clause.alternatives for group in groups for e in group):
            if entry.name.text not in ("duration", "decay"):
                sized = entry.amount is not None and _is_size(entry.amount)
                yield entry.name.text, _Use.ASKED, sized
    elif isinstance(clause, OrderClause):
        yield from ((key.name.text, _Use.NUMBER, False) for key in clause.keys)
    elif isinstance(clause, SameClause):
        yield from ((name.text, _Use.WORD, False) for name in clause.names)


def _condition(found: Expression) -> Iterator[_Found]:
    if isinstance(found, Leaf):
        if found.kind in ("word", "defined"):
            yield found.text, _Use.ALONE, False
    elif found.operators[0] in _LOGIC:
        for operand in found.operands:
            yield from _condition(operand)
    elif found.operators[0] in (*_ORDERING, *_EQUAL):
        yield from _comparison(found)


def _comparison(found: Operation) -> Iterator[_Found]:
    """The left side is a resource; a bare word on the right of `==` is not."""
    left, right = found.operands[0], found.operands[-1]
    sized = any(_has_size(operand) for operand in found.operands)
    wordy = isinstance(right, Leaf) and right.kind in ("word", "quoted")
    equal = found.operators[0] in _EQUAL
    for operand in found.operands:
        if isinstance(operand, Operation):
            yield from ((name, _Use.NUMBER, sized) for name in _words(operand))
    if isinstance(left, Leaf) and left.kind == "word":
        yield left.text, _Use.WORD if equal and wordy else _Use.NUMBER, sized
    elif isinstance(right, Leaf) and right.kind == "word" and right.text != ANY:
        quoted = isinstance(left, Leaf) and left.kind == "quoted"
        yield right.text, _Use.WORD if quoted else _Use.NUMBER, sized


def _words(found: Expression) -> Iterator[str]:
    if isinstance(found, Leaf):
        if found.kind == "word":
            yield found.text
        return
    for operand in found.operands:
        yield from _words(operand)


def _has_size(found: Expression) -> bool:
    if isinstance(found, Leaf):
        return _is_size(found)
    return any(_has_size(operand) for operand in found.operands)


def _is_size(leaf: Leaf) -> bool:
    return leaf.kind == "number" and bool(leaf.unit) and size_of_suffix(leaf.unit) is not None
