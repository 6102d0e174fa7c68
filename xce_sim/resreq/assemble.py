"""Syntax to request: which clauses a primary has, and how alternatives are numbered.

Decides what may stand together ("each clause at most once, `select[..]` anywhere, bracket-free
only first") and that "`rusage[a || b]` means alternatives that differ in rusage only, numbered
through with braced ones"; inside a compound member those are declined. "One bad clause rejects
the whole requirement."
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xce_sim.model.resources import ResourceTable
from xce_sim.resreq.check import Checker
from xce_sim.resreq.clauses import ClauseReader
from xce_sim.resreq.errors import RequirementError
from xce_sim.resreq.flatten import intern
from xce_sim.resreq.fold import fold
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.literals import count_of
from xce_sim.resreq.request import Compound, Member, Primary, Request
from xce_sim.resreq.slips import CLAUSES
from xce_sim.resreq.syntax import (
    Clause,
    CompoundSyntax,
    MemberSyntax,
    OrderClause,
    PrimarySyntax,
    RequirementSyntax,
    SameClause,
    SelectClause,
    TextClause,
    UsageClause,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembler:
    """Makes the request of one text, its expressions interned in `table`."""

    text: str
    resources: ResourceTable
    table: InternTable

    def request(self, found: RequirementSyntax) -> Request:
        """The whole request."""
        alternatives: list[Primary | Compound | None] = []
        for syntax in found.alternatives:
            if isinstance(syntax, CompoundSyntax):
                alternatives.append(self._compound(syntax))
            elif found.braced and not syntax.clauses:
                alternatives.append(None)
            else:
                alternatives += self._primary(syntax)
        if not any(item is not None for item in alternatives):
            raise RequirementError(
                "every alternative is empty",
                text=self.text,
                span=(0, max(1, len(self.text))),
                hint="put a requirement into one of the braces, or leave them all away",
            )
        numbered = found.braced or len(alternatives) > 1
        return Request(text=self.text, alternatives=tuple(alternatives), numbered=numbered)

    def _compound(self, found: CompoundSyntax) -> Compound:
        return Compound(members=tuple(self._member(member) for member in found.members))

    def _member(self, found: MemberSyntax) -> Member:
        leaf = found.count
        span = (leaf.start, leaf.end)
        count = count_of(leaf.text, self.text, span, "the tasks of a member")
        primaries = self._primary(found.primary)
        if len(primaries) == 1:
            return Member(count=count, primary=primaries[0])
        usage = next(item for item in found.primary.clauses if isinstance(item, UsageClause))
        primary = replace(
            primaries[0],
            items=(),
            unsupported=(*primaries[0].unsupported, "rusage"),
            declined=(*primaries[0].declined, self.text[usage.start : usage.end]),
        )
        return Member(count=count, primary=primary)

    def _primary(self, found: PrimarySyntax) -> list[Primary]:
        """One primary for each alternative of its `rusage`."""
        written = self._written(found.clauses)
        primary, usage = Primary(clauses=written), None
        for clause in found.clauses:
            primary = self._add(primary, clause)
            usage = clause if isinstance(clause, UsageClause) else usage
        if usage is None:
            return [primary]
        reader = ClauseReader(text=self.text, resources=self.resources)
        return [replace(primary, items=reader.items(groups)) for groups in usage.alternatives]

    def _written(self, clauses: tuple[Clause, ...]) -> tuple[str, ...]:
        """The names of the clauses, which must be able to stand together."""
        names: list[str] = []
        for clause in clauses:
            name = _name_of(clause)
            if name in names:
                raise self._repeated(clause, name, bare=clauses[0])
            names.append(name)
        return tuple(sorted(names, key=CLAUSES.index))

    def _add(self, primary: Primary, clause: Clause) -> Primary:
        reader = ClauseReader(text=self.text, resources=self.resources)
        if isinstance(clause, SelectClause):
            checker = Checker(text=self.text, resources=self.resources, bare=clause.bare)
            plain = checker.condition(clause.expression)
            return replace(primary, select=intern(self.table, fold(plain)))
        if isinstance(clause, OrderClause):
            return replace(primary, order=reader.order(clause.keys))
        if isinstance(clause, SameClause):
            return replace(primary, same=reader.same(clause.names))
        if not isinstance(clause, TextClause):
            return primary
        if clause.name == "span":
            span, declined = reader.span(clause)
            primary = replace(primary, span=span)
        else:
            declined = f"{clause.name}[{clause.body.strip()}]"
        if declined is None:
            return primary
        return replace(
            primary,
            unsupported=(*primary.unsupported, clause.name),
            declined=(*primary.declined, declined),
        )

    def _repeated(self, clause: Clause, name: str, bare: Clause) -> RequirementError:
        hint = None
        if isinstance(clause, SelectClause) and isinstance(bare, SelectClause) and bare.bare:
            hint = "a bracket-free expression is a select too: join the two with &&"
        return RequirementError(
            f"{name} is given twice", text=self.text, span=(clause.start, clause.end), hint=hint
        )


def _name_of(clause: Clause) -> str:
    names = {
        SelectClause: "select",
        UsageClause: "rusage",
        OrderClause: "order",
        SameClause: "same",
    }
    return clause.name if isinstance(clause, TextClause) else names[type(clause)]
