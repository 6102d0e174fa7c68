"""Events as lines of the JSON Lines form.

One canonical text for each event: keys in the order of the shapes, fields at their default left
out (a header always says version and mode), decimals exact. Non-ASCII text is written as it is,
control characters are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any

from xce_sim.errors import ReplayError
from xce_sim.model.clock import format_seconds
from xce_sim.model.event import Event, Header, HostRange, JobUpdate, QueueUpdate
from xce_sim.model.ids import JobId, compress_ids, format_id, index_of
from xce_sim.model.resources import Value
from xce_sim.model.units import format_milli
from xce_sim.replay import shapes
from xce_sim.replay.messages import BY_CLASS, HEADER, JOB, MESSAGES, Message
from xce_sim.replay.shapes import Kind, Shape

Format = Callable[[Any], str]


def format_event(event: Event | Header) -> str:
    """The line of an event, without the newline.

    `ReplayError` without a place for a value that has no text (NaN, half a surrogate pair).
    """
    if isinstance(event, Header):
        return f'{{"replay": {_HEADER(event)}}}'
    return _line(event)


def _line(event: Any) -> str:
    message = BY_CLASS[type(event)]
    body = _BODIES[message.name](event)
    return f'{{"t": {format_seconds(event.t)}, "{message.name}": {body}}}'


def encode_line(event: Event | Header) -> bytes:
    """The line of an event in UTF-8, with its newline."""
    try:
        return (format_event(event) + "\n").encode()
    except UnicodeEncodeError as error:
        raise ReplayError(f"a text that is no Unicode: {error.object[:40]!a}") from None


def _text(value: str) -> str:
    return encode_basestring(value)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _id(job: JobId) -> str:
    return f'"{format_id(job)}"' if index_of(job) else str(job)


def _list(items: list[str]) -> str:
    return f"[{', '.join(items)}]"


def _object(items: list[str]) -> str:
    return f"{{{', '.join(items)}}}"


def _words(words: tuple[str, ...]) -> str:
    return _list([_text(word) for word in words])


def _groups(groups: Mapping[str, tuple[str, ...]]) -> str:
    return _object([f"{_text(name)}: {_words(words)}" for name, words in groups.items()])


def _host(item: str | HostRange) -> str:
    if isinstance(item, str):
        return _text(item)
    return f'{{"from": {_text(item.first)}, "to": {_text(item.last)}}}'


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return _flag(value)
    if isinstance(value, int):
        return format_milli(value)
    if isinstance(value, str):
        return _text(value)
    if not math.isfinite(value):
        raise ReplayError(f"{value} is not a finite number")
    return repr(value)


def _values(values: Mapping[str, Value]) -> str:
    return _object([f"{_text(name)}: {_value(value)}" for name, value in values.items()])


def _formatter(kind: Kind) -> Format:  # noqa: C901, PLR0912 - one flat table
    match kind:
        case shapes.Text() | shapes.Choice():
            return _text
        case shapes.Flag():
            return _flag
        case shapes.Whole():
            return str
        case shapes.Time():
            return format_seconds
        case shapes.Amount():
            return format_milli
        case shapes.Id():
            return _id
        case shapes.Ids():
            return lambda jobs: _words(tuple(compress_ids(jobs)))
        case shapes.Words():
            return _words
        case shapes.Groups():
            return _groups
        case shapes.Hosts():
            return lambda hosts: _list([_host(host) for host in hosts])
        case shapes.Values() | shapes.Amounts():
            return _values
        case shapes.One(shape=shape):
            return _struct(shape)
        case shapes.Many(shape=shape):
            one = _struct(shape)
            return lambda items: _list([one(item) for item in items])


def _struct(shape: Shape, always: frozenset[str] = frozenset()) -> Format:
    rows = [(field.name, field.default, _formatter(field.kind)) for field in shape.fields]

    def text(value: Any) -> str:
        parts = []
        for name, default, form in rows:
            item = getattr(value, name)
            if item != default or name in always:
                parts.append(f'"{name}": {form(item)}')
        return _object(parts)

    return text


def _update() -> Format:
    rows = [(field.name, field.required, _formatter(field.kind)) for field in JOB.fields]

    def text(event: JobUpdate) -> str:
        parts = []
        for name, required, form in rows:
            if required or name in event.changed:
                item = getattr(event.job, name)
                parts.append(f'"{name}": {"null" if item is None else form(item)}')
        return _object(parts)

    return text


def _queue_update(form: Format) -> Format:
    def text(event: QueueUpdate) -> str:
        if event.all_hosts and event.hosts is not None:
            raise ReplayError(f"queue {event.name}: both a list of hosts and all hosts")
        body = form(event)
        return body.replace('"all_hosts": true}', '"hosts": null}') if event.all_hosts else body

    return text


def _body(message: Message) -> Format:
    if message.form == "held":
        return lambda event: _line(event.event)
    if message.form == "update":
        return _update()
    if message.form == "bare":
        (field,) = message.body.fields
        form, name = _formatter(field.kind), field.name
        return lambda event: form(getattr(event, name))
    struct = _struct(message.body)
    if message.form == "whole":
        return lambda event: struct(getattr(event, message.attribute))
    return _queue_update(struct) if message.make is QueueUpdate else struct


_HEADER = _struct(HEADER, frozenset(("version", "mode")))
_BODIES = {message.name: _body(message) for message in MESSAGES}
