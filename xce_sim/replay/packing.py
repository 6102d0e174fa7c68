"""From values to the fields of a binary message, built once from the shapes.

Works on builder objects of the library that `codec` hands in and never imports it. "Bytes depend
on the order in which fields are set: set them in schema order, always" - the shapes are in that
order. What is at its default is not set, so equal content gives equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

from xce_sim.model.event import HostRange
from xce_sim.model.resources import Value
from xce_sim.replay import shapes
from xce_sim.replay.jobruns import id_runs
from xce_sim.replay.shapes import GIVEN, Field, Kind, Shape

Write = Callable[[Any, Any], None]
"""Fills a struct (builder) from a value, or sets one field of a builder."""


Row = tuple[Field, int, Write]
"""A field of a masked struct, its bit (0 if it is required) and what sets it."""


class Packing:
    """Writing functions for shapes; `fields` gives the schema's fields of a struct by name."""

    def __init__(self, fields: Callable[[str], Mapping[str, Any]]) -> None:
        self._fields = fields
        self._structs: dict[str, Write] = {}

    def struct(self, shape: Shape) -> Write:
        """Fill a struct from a value that has the shape's fields as attributes."""
        if shape.struct not in self._structs:
            fill = self._fill(shape, self._rows(shape)) if shape.masked else self._plain(shape)
            self._structs[shape.struct] = fill
        return self._structs[shape.struct]

    def update(self, shape: Shape) -> Callable[[frozenset[str]], tuple[int, Write]]:
        """Give, for the names of fields, their mask and what fills a struct with them alone."""
        rows = self._rows(shape)

        @cache
        def chosen(changed: frozenset[str]) -> tuple[int, Write]:
            named = [row for row in rows if row[0].required or row[0].name in changed]
            return sum(bit for _, bit, _ in named), self._fill(shape, named)

        return chosen

    def _plain(self, shape: Shape) -> Write:
        known = self._fields(shape.struct)
        puts = tuple(
            (attrgetter(field.name), self._put(field.kind, known[field.member]))
            for field in shape.fields
        )

        def write(builder: Any, value: Any) -> None:
            for get, put in puts:
                put(builder, get(value))

        return write

    def _fill(self, shape: Shape, rows: list[Row]) -> Write:
        mask = self._fields(shape.struct)[GIVEN]
        table = tuple((field.default, bit, put) for field, bit, put in rows)
        items = _attributes([field.name for field, _, _ in rows])

        def write(builder: Any, value: Any) -> None:
            given = 0
            chosen = []
            for item, (default, bit, put) in zip(items(value), table):
                if item is not default and item != default:
                    given |= bit
                    chosen.append((put, item))
            builder._set_by_field(mask, given)
            for put, item in chosen:
                put(builder, item)

        return write

    def _rows(self, shape: Shape) -> list[Row]:
        known = self._fields(shape.struct)
        return [
            (
                field,
                0 if field.required else 1 << ordinal,
                self._put(field.kind, known[field.member]),
            )
            for ordinal, field in enumerate(shape.fields, 1)
        ]

    def _put(self, kind: Kind, member: Any) -> Write:
        match kind:
            case shapes.Text():
                return lambda builder, item: builder._set_by_field(member, item) if item else None
            case shapes.Choice(words=words):
                codes = {word: code for code, word in enumerate(words)}
                return lambda builder, item: builder._set_by_field(member, codes[item])
            case shapes.One(shape=shape):
                fill = self.struct(shape)
                return lambda builder, item: fill(builder._init_by_field(member), item)
            case shapes.Many(shape=shape):
                return _list(member, self.struct(shape))
            case shapes.Words():
                return _words(member)
            case shapes.Ids():
                return _list(member, self._pair("JobRun", "first", "last"), id_runs)
            case shapes.Groups():
                return _list(member, self._group(), Mapping.items)
            case shapes.Hosts():
                return _list(member, self._host())
            case shapes.Values():
                return _list(member, self._value(), Mapping.items)
            case shapes.Amounts():
                return _list(member, self._pair("NamedMilli", "name", "milli"), Mapping.items)
            case _:
                return lambda builder, item: builder._set_by_field(member, item)

    def _pair(self, struct: str, first: str, second: str) -> Write:
        known = self._fields(struct)
        one, two = known[first], known[second]

        def write(builder: Any, pair: tuple[Any, Any]) -> None:
            builder._set_by_field(one, pair[0])
            builder._set_by_field(two, pair[1])

        return write

    def _group(self) -> Write:
        known = self._fields("Group")
        name, members = known["name"], _words(known["members"])

        def write(builder: Any, pair: tuple[str, tuple[str, ...]]) -> None:
            builder._set_by_field(name, pair[0])
            members(builder, pair[1])

        return write

    def _host(self) -> Write:
        known = self._fields("HostRun")
        first, last = known["first"], known["last"]

        def write(builder: Any, item: str | HostRange) -> None:
            if isinstance(item, str):
                builder._set_by_field(first, item)
            else:
                builder._set_by_field(first, item.first)
                builder._set_by_field(last, item.last)

        return write

    def _value(self) -> Write:
        known = self._fields("NamedValue")
        name = known["name"]
        members = dict(zip((int, float, str, bool), (known[key] for key in shapes.VALUE_MEMBERS)))

        def write(builder: Any, pair: tuple[str, Value]) -> None:
            builder._set_by_field(name, pair[0])
            builder._set_by_field(members[type(pair[1])], pair[1])

        return write


def _attributes(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) == 1:
        return lambda value: (getattr(value, names[0]),)
    get: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)
    return get


def _words(member: Any) -> Write:
    def write(builder: Any, words: tuple[str, ...]) -> None:
        if words:
            builder._set_by_field(member, list(words))

    return write


def _list(member: Any, fill: Write, items: Callable[[Any], Iterable[Any]] = iter) -> Write:
    def write(builder: Any, value: Any) -> None:
        found = tuple(items(value))
        if found:
            for element, item in zip(builder._init_by_field(member, len(found)), found):
                fill(element, item)

    return write
