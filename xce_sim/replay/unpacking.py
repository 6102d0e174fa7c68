"""From the fields of a binary message to values, built once from the shapes.

Works on reader objects of the library that `codec` hands in and never imports it. A field that a
struct's `given` mask leaves out is not even looked at. Raises `ReplayError` without a place for
content that can not be; whatever the library raises passes through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import call
from sys import intern
from typing import Any

from xce_sim.errors import ReplayError
from xce_sim.model.event import HostRange
from xce_sim.model.ids import JobId
from xce_sim.model.resources import Value
from xce_sim.replay import shapes
from xce_sim.replay.jobruns import expand_runs
from xce_sim.replay.masked import Conversions, MaskedReader, Read, slots_of
from xce_sim.replay.shapes import Field, Kind, Shape


class Unpacking:
    """Reading functions for shapes; `fields` gives the schema's fields of a struct by name."""

    def __init__(self, fields: Callable[[str], Mapping[str, Any]]) -> None:
        self._fields = fields
        self._structs: dict[str, Read] = {}
        self._masked: dict[str, MaskedReader] = {}

    def arguments(self, shape: Shape) -> Read:
        """Read a struct as keyword arguments of its class."""
        if shape.masked:
            return self.masked(shape).arguments
        known = self._fields(shape.struct)
        names = tuple(field.name for field in shape.fields)
        members = tuple(known[field.member] for field in shape.fields)
        conversions = self._conversions(shape.fields)

        def read(reader: Any) -> dict[str, Any]:
            values = list(map(reader._get_by_field, members))
            for i, convert in conversions:
                values[i] = convert(values[i])
            return dict(zip(names, values))

        return read

    def masked(self, shape: Shape) -> MaskedReader:
        """Read a struct with a `given` mask."""
        if shape.struct not in self._masked:
            known = self._fields(shape.struct)
            self._masked[shape.struct] = MaskedReader(shape, known, self._conversions)
        return self._masked[shape.struct]

    def struct(self, shape: Shape) -> Read:
        """Read a struct as a value of its class."""
        if shape.masked:
            return self.masked(shape).value
        if shape.struct not in self._structs:
            self._structs[shape.struct] = self._plain(shape)
        return self._structs[shape.struct]

    def _plain(self, shape: Shape) -> Read:
        """Read a struct that has all its fields, and fill its value through its slots."""
        make: Any = shape.make
        known = self._fields(shape.struct)
        members = tuple(known[field.member] for field in shape.fields)
        conversions = self._conversions(shape.fields)
        setters = slots_of(make, shape.fields)
        new = object.__new__

        def read(reader: Any) -> Any:
            values = list(map(reader._get_by_field, members))
            for i, convert in conversions:
                values[i] = convert(values[i])
            filled = new(make)
            any(map(call, setters, repeat(filled), values))
            return filled

        return read

    def _conversions(self, fields: Sequence[Field]) -> Conversions:
        found = ((i, self._of_kind(field.kind)) for i, field in enumerate(fields))
        return tuple((i, convert) for i, convert in found if convert is not None)

    def _of_kind(self, kind: Kind) -> Read | None:
        match kind:
            case shapes.Text(word=True):
                return intern
            case shapes.Choice(words=words):
                return _choice(words)
            case shapes.Ids():
                return self._ids()
            case shapes.Words():
                return _words
            case shapes.Groups():
                return self._groups()
            case shapes.Hosts():
                return self._hosts()
            case shapes.Values():
                return self._values()
            case shapes.Amounts():
                return self._amounts()
            case shapes.One(shape=shape):
                return self.struct(shape)
            case shapes.Many(shape=shape):
                one = self.struct(shape)
                return lambda items: tuple(map(one, items))
            case _:
                return None

    def _ids(self) -> Read:
        known = self._fields("JobRun")
        first, last = known["first"], known["last"]

        def read(items: Any) -> tuple[JobId, ...]:
            gets = (item._get_by_field for item in items)
            return expand_runs([(get(first), get(last)) for get in gets])

        return read

    def _groups(self) -> Read:
        known = self._fields("Group")
        name, members = known["name"], known["members"]

        def read(items: Any) -> dict[str, tuple[str, ...]]:
            gets = [item._get_by_field for item in items]
            return _distinct([(intern(get(name)), _words(get(members))) for get in gets])

        return read

    def _hosts(self) -> Read:
        known = self._fields("HostRun")
        first, last = known["first"], known["last"]

        def one(item: Any) -> Any:
            name = intern(item._get_by_field(first))
            if not item._has_by_field(last):
                return name
            return HostRange(first=name, last=intern(item._get_by_field(last)))

        return lambda items: tuple(map(one, items))

    def _values(self) -> Read:
        known = self._fields("NamedValue")
        name, members = known["name"], {key: known[key] for key in shapes.VALUE_MEMBERS}

        def read(items: Any) -> dict[str, Value]:
            found = []
            for item in items:
                get = item._get_by_field
                found.append((intern(get(name)), get(members[item._which_str()])))
            return _distinct(found)

        return read

    def _amounts(self) -> Read:
        known = self._fields("NamedMilli")
        name, milli = known["name"], known["milli"]

        def read(items: Any) -> dict[str, int]:
            gets = [item._get_by_field for item in items]
            return _distinct([(intern(get(name)), get(milli)) for get in gets])

        return read


def _choice(words: tuple[str, ...]) -> Read:
    def read(value: Any) -> str:
        number: int = value.raw
        if number >= len(words):
            raise ReplayError(f"unknown choice {number} instead of one of: {' '.join(words)}")
        return words[number]

    return read


def _words(items: Any) -> tuple[str, ...]:
    return tuple(map(intern, items))


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ReplayError(f"{twice!a} stands twice in one list")
    return found
