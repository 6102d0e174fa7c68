"""The clauses beside select: from syntax to items, a span, order keys and names.

Decides what `rusage`, `span`, `order` and `same` may say and which forms are declined by name
(kept, and told to the allocator). Amounts are thousandths of the resource's unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from xce_sim.model.resources import SLOTS, ResourceTable
from xce_sim.model.verdict import Scope
from xce_sim.resreq.errors import RequirementError, quote
from xce_sim.resreq.literals import amount_of, count_of
from xce_sim.resreq.names import resolve
from xce_sim.resreq.request import Item, OrderKey, Span
from xce_sim.resreq.syntax import Entry, Group, Key, Leaf, TextClause

_SETTINGS = ("duration", "decay")
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?", re.ASCII)
_SPAN = re.compile(r"\s*(hosts|ptile|block)\s*=\s*(-?\w+)\s*", re.ASCII)
_PER_TYPE = re.compile(r"\s*ptile\s*=.*[:,]", re.ASCII | re.DOTALL)
_SPAN_FORMS = "the forms are hosts=1, hosts=-1, ptile=n and block=n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseReader:
    """Reads the clauses of one text."""

    text: str
    resources: ResourceTable

    def items(self, groups: tuple[Group, ...]) -> tuple[Item, ...]:
        """The items of one `rusage` alternative; a `duration` holds for its group.

        "`slots`, a non-consumable or a name given twice in `rusage` makes the requirement
        invalid."
        """
        found: dict[int, Item] = {}
        for group in groups:
            entries = [entry for entry in group if entry.name.text not in _SETTINGS]
            settings = self._settings([entry for entry in group if entry not in entries])
            if settings and not entries:
                raise self._error(group[0].name, f"{group[0].name.text} without an amount", None)
            for entry in entries:
                item = self._item(entry, settings)
                if item.resource in found:
                    raise self._error(entry.name, f"{entry.name.text} is asked for twice", None)
                found[item.resource] = item
        return tuple(found.values())

    def _settings(self, entries: list[Entry]) -> dict[str, str]:
        found: dict[str, str] = {}
        for entry in entries:
            name = entry.name.text
            if name in found:
                raise self._error(entry.name, f"{name} is given twice", None)
            if entry.amount is None:
                raise self._phases(entry)
            value = entry.amount.spelling
            valid = _DURATION.fullmatch(value) if name == "duration" else value in ("0", "1")
            if not valid or entry.scope is not None:
                form = "a number with s, m, h or d" if name == "duration" else "0 or 1"
                raise self._error(entry.amount, f"{name} must be {form}, not {quote(value)}", None)
            found[name] = value
        return found

    def _item(self, entry: Entry, settings: dict[str, str]) -> Item:
        index = resolve(entry.name, self.text, self.resources)
        item = self.resources[index]
        if index == SLOTS:
            raise self._error(
                entry.name,
                "slots can not stand in rusage",
                "every task takes one; ask for more tasks instead",
            )
        if not item.consumable:
            raise self._error(
                entry.name,
                f"{item.name} is not consumable and can not stand in rusage",
                f"compare it in select, as in select[{item.name}]",
            )
        if entry.amount is None:
            raise self._phases(entry)
        scope = entry.scope or ("job" if item.scope == "shared" else "host")
        return Item(
            resource=index,
            amount=amount_of(entry.amount, self.text, item),
            scope=cast("Scope", scope),
            duration=settings.get("duration"),
            decay=settings.get("decay"),
        )

    def _phases(self, entry: Entry) -> RequirementError:
        start = self.text.index("(", entry.name.end)
        return RequirementError(
            f"{entry.name.text}: an amount in phases, {quote(entry.phases)}, is not supported",
            text=self.text,
            span=(start, start + len(entry.phases)),
            hint="write one amount for the whole run",
        )

    def span(self, clause: TextClause) -> tuple[Span, str | None]:
        """The span, and the clause's text when it is declined (`block`)."""
        match = _SPAN.fullmatch(clause.body)
        if match is None:
            raise self._bad_span(clause)
        form, value = match.groups()
        if form == "hosts":
            if value not in ("1", "-1"):
                raise self._in(clause, f"span[hosts={value}] is not supported", _SPAN_FORMS)
            return Span(kind="one_host" if value == "1" else "none"), None
        count = count_of(value, self.text, self._place(clause), f"the {form} of span")
        if form == "block":
            return Span(), f"span[block={count}]"
        return Span(kind="ptile", ptile=count), None

    def _bad_span(self, clause: TextClause) -> RequirementError:
        if _PER_TYPE.match(clause.body) is not None:
            return self._in(
                clause,
                "span[ptile=..] with a number for each host type or model is not supported",
                "write one number, as in span[ptile=16]",
            )
        what = f"{quote(clause.body.strip())} is not a span" if clause.body.strip() else "no span"
        return self._in(clause, what, _SPAN_FORMS)

    def _in(self, clause: TextClause, what: str, hint: str) -> RequirementError:
        return RequirementError(what, text=self.text, span=self._place(clause), hint=hint)

    @staticmethod
    def _place(clause: TextClause) -> tuple[int, int]:
        return clause.inside, max(clause.inside + 1, clause.end - 1)

    def order(self, keys: tuple[Key, ...]) -> tuple[OrderKey, ...]:
        """The order keys: "the direction of a key comes from the resource", `-` reverses it."""
        found = []
        for key in keys:
            index = resolve(key.name, self.text, self.resources)
            item = self.resources[index]
            if item.type == "string":
                raise self._error(key.name, f"{item.name} is a string and can not order", None)
            largest = item.more_is_better != key.reversed
            found.append(OrderKey(resource=index, largest_first=largest))
        return tuple(found)

    def same(self, names: tuple[Leaf, ...]) -> tuple[int, ...]:
        """The resources that hosts must agree on, each once."""
        return tuple(dict.fromkeys(resolve(name, self.text, self.resources) for name in names))

    def _error(self, leaf: Leaf, what: str, hint: str | None) -> RequirementError:
        return RequirementError(what, text=self.text, span=(leaf.start, leaf.end), hint=hint)
