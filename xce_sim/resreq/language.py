"""The language of one core: texts to requests, each distinct text parsed once.

Decides what is remembered and for how long. Syntax depends on the text alone and is kept for the
latest texts, `KEPT_CHARACTERS` in all; requests depend on the resource table too ("a new
definition can change what a word means") and are kept while a live job has them. What a text
means is decided in `check` and `clauses`, what it shares with others in `intern`.
"""

from __future__ import annotations

from collections.abc import Iterable

from xce_sim.model.resources import ResourceTable
from xce_sim.resreq.assemble import Assembler
from xce_sim.resreq.check import Checker
from xce_sim.resreq.errors import RequirementError, TableFull
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.merge import with_queue
from xce_sim.resreq.nodes import Node
from xce_sim.resreq.prescan import prescan
from xce_sim.resreq.request import Request, selects
from xce_sim.resreq.syntax import PrimarySyntax, RequirementSyntax

KEPT_CHARACTERS = 1_000_000

_Place = tuple[str, str | None]


class Language:
    """Parses requirement texts into requests over one intern table.

    `parsed` counts runs of the parser, `reused` requests and errors served as they were.
    """

    def __init__(self, table: InternTable) -> None:
        self.table = table
        self.parsed = 0
        self.reused = 0
        self._syntax: dict[str, RequirementSyntax | RequirementError] = {}
        self._characters = 0
        self._requests: dict[_Place, Request | RequirementError] = {}
        self._resources: ResourceTable | None = None
        self._generation = table.generation

    def parse(self, text: str, resources: ResourceTable) -> Request:
        """The request that a text makes with these definitions.

        The empty text asks for nothing: one empty primary. `RequirementError` says what is wrong,
        with the column; `TableFull` when the table has no room for a new expression.
        """
        return self._remembered((text, None), resources)

    def parse_in_queue(self, text: str, queue_text: str, resources: ResourceTable) -> Request:
        """The same with a queue's requirement merged in (see `merge.with_queue`)."""
        return self._remembered((text, queue_text or None), resources)

    @staticmethod
    def parse_plain(text: str, resources: ResourceTable) -> Node:
        """See the function `parse_plain`."""
        return parse_plain(text, resources)

    def sweep(
        self, live: Iterable[Request], *, resources: ResourceTable, in_round: bool, merged: bool
    ) -> int:
        """Sweep the table down to what live requests reach, forget the other requests.

        Same conditions and result as `InternTable.sweep`.
        """
        kept = list(live)
        roots = [node for request in kept for node in selects(request)]
        gone = self.table.sweep(roots, resources=resources, in_round=in_round, merged=merged)
        alive = {id(request) for request in kept}
        self._requests = {
            place: found for place, found in self._requests.items() if id(found) in alive
        }
        self._generation = self.table.generation
        return gone

    def _remembered(self, place: _Place, resources: ResourceTable) -> Request:
        if resources is not self._resources:
            self._adopt(resources)
        if self._generation != self.table.generation:
            self._forget_swept()
        found = self._requests.get(place)
        if found is None:
            found = self._requests[place] = self._made(place, resources)
        else:
            self.reused += 1
        if isinstance(found, RequirementError):
            raise found.fresh()
        return found

    def _made(self, place: _Place, resources: ResourceTable) -> Request | RequirementError:
        text, queue_text = place
        try:
            if queue_text is None:
                return self._assembled(text, resources)
            request = self._remembered((text, None), resources)
            return with_queue(request, self._remembered((queue_text, None), resources))
        except TableFull:
            raise
        except RequirementError as error:
            return error.fresh()

    def _assembled(self, text: str, resources: ResourceTable) -> Request:
        syntax = self._syntax.get(text)
        if syntax is None:
            syntax = self._parsed(text)
            self._keep(text, syntax)
        if isinstance(syntax, RequirementError):
            raise syntax.fresh()
        assembler = Assembler(text=text, resources=resources, table=self.table)
        return assembler.request(syntax)

    def _keep(self, text: str, syntax: RequirementSyntax | RequirementError) -> None:
        self._syntax[text] = syntax
        self._characters += len(text)
        while self._characters > KEPT_CHARACTERS and len(self._syntax) > 1:
            oldest = next(iter(self._syntax))
            del self._syntax[oldest]
            self._characters -= len(oldest)

    def _parsed(self, text: str) -> RequirementSyntax | RequirementError:
        self.parsed += 1
        try:
            prescan(text)
            return _syntax_of(text)
        except RequirementError as error:
            return error.fresh()

    def _adopt(self, resources: ResourceTable) -> None:
        """Go on with another table; the requests of the one before mean nothing now."""
        before, self._resources = self._resources, resources
        if before is None or before.version != resources.version or before != resources:
            self._requests.clear()

    def _forget_swept(self) -> None:
        """After a sweep that did not go through here: drop what has lost its nodes."""
        self._requests = {
            place: found
            for place, found in self._requests.items()
            if isinstance(found, Request) and all(node in self.table for node in selects(found))
        }
        self._generation = self.table.generation


def parse_plain(text: str, resources: ResourceTable) -> Node:
    """The plain tree of a select expression alone, for one-off questions.

    Neither folded nor shared; `evaluate_plain` answers it. `RequirementError` as for a whole
    requirement; a resource may carry a clause's name here.
    """
    prescan(text)
    from xce_sim.resreq.grammar import parse_expression  # noqa: PLC0415  heavy

    return Checker(text=text, resources=resources).condition(parse_expression(text))


def _syntax_of(text: str) -> RequirementSyntax:
    """Parse; the empty text, which asks for nothing, does not load the grammar."""
    if not text.strip():
        return RequirementSyntax(alternatives=(PrimarySyntax(),), braced=False)
    from xce_sim.resreq.grammar import parse_requirement  # noqa: PLC0415  heavy

    return parse_requirement(text)
