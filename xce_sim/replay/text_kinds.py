"""JSON values to the values of fields, built once from the shapes.

Strict, because people write these files: unknown fields, other kinds, numbers out of range are
refused by name. Errors are `ReplayError`s without a place whose message begins with the path of
the field. Whether a name exists is for `check`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from xce_sim.errors import ReplayError, UserError
from xce_sim.model.clock import Micros, parse_seconds
from xce_sim.model.event import HostRange
from xce_sim.model.ids import JobId, make_id, parse_id, parse_runs
from xce_sim.model.resources import ResourceDef, Value
from xce_sim.model.units import parse_milli
from xce_sim.replay import shapes
from xce_sim.replay.jobruns import expand_runs
from xce_sim.replay.shapes import Field, Kind, Shape
from xce_sim.replay.strict_json import show, wrong

Definitions = Callable[[str], ResourceDef | None]
"""Looks up the definition of a resource."""

Parse = Callable[[Any, Definitions], Any]


def inside(name: str, parse: Parse, raw: Any, definitions: Definitions) -> Any:
    """Parse what stands in field `name`, which then begins the message of any error."""
    try:
        return parse(raw, definitions)
    except ReplayError as error:
        raise ReplayError(f"{name}: {error.reason}", hint=error.hint) from None
    except UserError as error:
        raise ReplayError(f"{name}: {error.message}", hint=error.hint) from None


def unknown(what: str, name: str, known: Iterable[str]) -> ReplayError:
    """The error for a name that does not exist, with the nearest one that does."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed to help

    names = list(known)
    near = get_close_matches(name, names, 1)
    if near:
        hint = f"did you mean {near[0]}?"
    else:
        hint = f"known are: {' '.join(names)}" if names else "it has no fields"
    return ReplayError(f"unknown {what} {show(name)}", hint=hint)


def _text(raw: Any, _: Definitions) -> str:
    if not isinstance(raw, str):
        raise wrong("a text", raw)
    return raw


def _flag(raw: Any, _: Definitions) -> bool:
    if not isinstance(raw, bool):
        raise wrong("true or false", raw)
    return raw


def _number(raw: Any) -> int | Decimal:
    if isinstance(raw, bool) or not isinstance(raw, int | Decimal):
        raise wrong("a number", raw)
    return raw


def parse_time(raw: Any, _: Definitions) -> Micros:
    """Microseconds from decimal seconds."""
    return parse_seconds(_number(raw))


def _amount(raw: Any, _: Definitions) -> int:
    return parse_milli(_number(raw))


def _whole(kind: shapes.Whole) -> Parse:
    def parse(raw: Any, _: Definitions) -> int:
        if isinstance(raw, bool) or not isinstance(raw, int):
            raise wrong("a whole number", raw)
        if not kind.low <= raw <= kind.high:
            raise ReplayError(f"{show(raw)} is not between {kind.low} and {kind.high}")
        return raw

    return parse


def _choice(words: tuple[str, ...]) -> Parse:
    def parse(raw: Any, _: Definitions) -> str:
        if not isinstance(raw, str) or raw not in words:
            raise wrong(f"one of {' '.join(words)}", raw)
        return raw

    return parse


def _id(raw: Any, _: Definitions) -> JobId:
    if isinstance(raw, str):
        return parse_id(raw)
    if isinstance(raw, bool) or not isinstance(raw, int):
        raise wrong('a job id (42 or "42[7]")', raw)
    return make_id(raw)


def _ids(raw: Any, _: Definitions) -> tuple[JobId, ...]:
    items = [str(item) if type(item) is int else _text(item, _) for item in _many(raw)]
    return expand_runs(parse_runs(items))


def _many(raw: Any) -> list[Any]:
    if not isinstance(raw, list):
        raise wrong("a list", raw)
    return raw


def _map(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise wrong("an object", raw)
    return raw


def _words(raw: Any, definitions: Definitions) -> tuple[str, ...]:
    return tuple(_text(item, definitions) for item in _many(raw))


def _mapping(parse: Parse) -> Parse:
    def mapping(raw: Any, definitions: Definitions) -> dict[str, Any]:
        return {
            name: inside(ascii(name)[1:-1], parse, item, definitions)
            for name, item in _map(raw).items()
        }

    return mapping


def _hosts(raw: Any, definitions: Definitions) -> tuple[str | HostRange, ...]:
    hosts: list[str | HostRange] = []
    for item in _many(raw):
        if isinstance(item, dict):
            if sorted(item) != ["from", "to"]:
                raise ReplayError("a range of hosts has from and to, nothing else")
            first, last = (_text(item[key], definitions) for key in ("from", "to"))
            hosts.append(HostRange(first=first, last=last))
        else:
            hosts.append(_text(item, definitions))
    return tuple(hosts)


def _values(raw: Any, definitions: Definitions) -> dict[str, Value]:
    """Values by the definitions; what does not fit one keeps the kind that it looks like."""
    found = {}
    for name, item in _map(raw).items():
        try:
            found[name] = _value(item, name, definitions)
        except UserError as error:
            raise ReplayError(f"{ascii(name)[1:-1]}: {error.message}") from None
    return found


def _value(raw: Any, name: str, definitions: Definitions) -> Value:
    if isinstance(raw, str | bool):
        return raw
    number = _number(raw)
    known = definitions(name)
    if known is not None and known.consumable:
        return parse_milli(number)
    try:
        real = float(number)
    except OverflowError:
        real = math.inf
    if not math.isfinite(real):
        raise ReplayError(f"{show(raw)} is too large")
    return real


def kind_parser(kind: Kind) -> Parse:  # noqa: C901, PLR0912 - one flat table
    """What reads a value of a kind."""
    match kind:
        case shapes.Text():
            return _text
        case shapes.Flag():
            return _flag
        case shapes.Whole():
            return _whole(kind)
        case shapes.Time():
            return parse_time
        case shapes.Amount():
            return _amount
        case shapes.Choice(words=words):
            return _choice(words)
        case shapes.Id():
            return _id
        case shapes.Ids():
            return _ids
        case shapes.Words():
            return _words
        case shapes.Groups():
            return _mapping(_words)
        case shapes.Hosts():
            return _hosts
        case shapes.Values():
            return _values
        case shapes.Amounts():
            return _mapping(_amount)
        case shapes.One(shape=shape):
            return struct_parser(shape)
        case shapes.Many(shape=shape):
            return _structs(shape)


def _structs(shape: Shape) -> Parse:
    one = struct_parser(shape)

    def parse(raw: Any, definitions: Definitions) -> tuple[Any, ...]:
        return tuple(
            inside(f"entry {i}", one, item, definitions) for i, item in enumerate(_many(raw), 1)
        )

    return parse


def struct_parser(shape: Shape) -> Parse:
    """What reads an object as a value of the shape's class."""
    arguments, make = arguments_parser(shape.fields), shape.make
    return lambda raw, definitions: make(**arguments(raw, definitions))


def arguments_parser(fields: tuple[Field, ...]) -> Parse:
    """Keyword arguments for the fields that are there; null is the same as left out."""
    parsers = {field.name: (kind_parser(field.kind), field.default is None) for field in fields}
    required = [field.name for field in fields if field.required]

    def parse(raw: Any, definitions: Definitions) -> dict[str, Any]:
        found = {}
        for name, item in _map(raw).items():
            if name not in parsers:
                raise unknown("field", name, list(parsers))
            parser, nullable = parsers[name]
            empty = item is None and nullable
            found[name] = None if empty else inside(name, parser, item, definitions)
        for name in required:
            if name not in found:
                raise ReplayError(f"{name} is missing")
        return found

    return parse
