"""Names that are referred to, and when they have to exist.

"names that are referred to exist (in a bracket: at its end)". Outside a bracket that is at once,
with two choices: what arrives while a push is expected or under way (between `join` and `push_end`)
may rely on either state, since it is held back and applied to the new one or dropped; and a limit
may name a resource that is defined later at the same instant, since the configuration comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from xce_sim.errors import UserError
from xce_sim.model.resources import ResourceDef, Value, check_value
from xce_sim.model.units import MAX_MILLI
from xce_sim.replay.names import Names

Table = Literal["queue", "host", "resource"]
Place = tuple[int, int]
"""The number of an event and its byte offset."""

Report = Callable[[str, str, Place], None]
"""Takes a rule, what is wrong, and the place of the event that is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A name that some event refers to; `subject` says what referred to it."""

    table: Table
    name: str
    subject: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueReference:
    """A value of a resource that was not defined when it came."""

    name: str
    value: Value
    subject: str
    shared: bool
    place: Place


class References:
    """References that wait for the end of their bracket, each name once."""

    def __init__(self) -> None:
        self._names: dict[tuple[Table, str], Reference] = {}
        self._values: list[ValueReference] = []

    def __bool__(self) -> bool:
        return bool(self._names or self._values)

    def add(self, reference: Reference) -> None:
        """Keep a reference; only the first one to a name counts."""
        self._names.setdefault((reference.table, reference.name), reference)

    def add_value(self, reference: ValueReference) -> None:
        """Keep a value until its resource is defined."""
        self._values.append(reference)

    def settle(self, names: Names, also: Names | None, report: Report) -> None:
        """Report what neither `names` nor `also` has, and forget everything."""
        for reference in self._names.values():
            if not exists(names, reference) and not (also and exists(also, reference)):
                report(reference.table, unknown(reference), reference.place)
        for value in self._values:
            wrong = wrong_value(names.resources, value.name, value.value, shared=value.shared)
            if wrong and also:
                again = wrong_value(also.resources, value.name, value.value, shared=value.shared)
                wrong = again and wrong
            if wrong:
                report(wrong[0], f"{value.subject}: {wrong[1]}", value.place)
        self.clear()

    def clear(self) -> None:
        """Forget everything (a partial push is discarded)."""
        self._names.clear()
        self._values.clear()


def exists(names: Names, reference: Reference) -> bool:
    """Whether the tables have the name."""
    match reference.table:
        case "queue":
            return reference.name in names.queues
        case "host":
            return reference.name in names.hosts
        case "resource":
            return reference.name in names.resources


def unknown(reference: Reference) -> str:
    """The words for a name that does not exist."""
    return f"{reference.subject}: unknown {reference.table} {reference.name!a}"


def wrong_value(
    resources: Mapping[str, ResourceDef], name: str, value: Value, *, shared: bool
) -> tuple[str, str] | None:
    """Rule and words for a value that can not be one of the resource; None if it can."""
    item = resources.get(name)
    if item is None:
        return "resource", f"unknown resource {name!a}"
    if (item.scope == "shared") != shared:
        return "value", f"resource {name} is {'not ' if shared else ''}shared"
    if name == "slots":
        return "value", "resource slots is built in: write slots as a field of the host"
    if type(value) is int and value >= MAX_MILLI:
        return "value", f"resource {name}: an amount out of range"
    try:
        check_value(item, value)
    except UserError as error:
        return "value", error.message
    return None
