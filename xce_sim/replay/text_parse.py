"""Lines of the JSON Lines form to events.

Decides the form of a line only; the values of fields are read by `text_kinds`, and whether what a
line names exists is for `check`. Numbers stay decimals until their kind is known: "the resource's
definition says which".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xce_sim.errors import ReplayError, RuleError
from xce_sim.model.clock import Micros
from xce_sim.model.event import Event, Header, Held, JobUpdate, QueueUpdate
from xce_sim.model.job import JOB_UPDATE_FIELDS, JobSpec
from xce_sim.replay.messages import BY_NAME, HEADER, INCREMENTS, JOB, MESSAGES, Message
from xce_sim.replay.strict_json import parse_object, wrong
from xce_sim.replay.text_kinds import (
    Definitions,
    arguments_parser,
    inside,
    kind_parser,
    parse_time,
    struct_parser,
    unknown,
)

HEADER_HINT = 'a replay begins with {"replay": {"version": 1, ...}}'

Build = Callable[[Micros, Any, Definitions], Event]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line that has the form of an event; its body is not yet looked at."""

    t: Micros
    message: Message
    body: Any

    def event(self, definitions: Definitions) -> Event:
        """The event; `ReplayError` without a place if the body does not fit."""
        build = _BODIES[self.message.name]
        event: Event = inside(
            self.message.name, lambda raw, known: build(self.t, raw, known), self.body, definitions
        )
        return event


def parse_line(line: bytes) -> Line:
    """Take a line apart; `ReplayError` without a place if it is no event."""
    return _line(parse_object(line))


def parse_header(line: bytes) -> Header:
    """The header from the first line; `ReplayError` without a place if it is none."""
    found = parse_object(line)
    if list(found) != ["replay"]:
        raise ReplayError("the first line is not a header", hint=HEADER_HINT)
    if isinstance(found["replay"], dict) and "version" not in found["replay"]:
        raise ReplayError("replay: version is missing")
    header: Header = inside("replay", _HEADER, found["replay"], _nothing)
    return header


def _nothing(_: str) -> None:
    return None


def _line(found: Any) -> Line:
    if not isinstance(found, dict):
        raise wrong("an event with its time", found)
    if "t" not in found:
        if "replay" in found:
            raise RuleError("a second header", rule="header")
        raise ReplayError("t, the time of the event, is missing")
    names = [name for name in found if name != "t"]
    if len(names) != 1:
        what = f"{len(names)} events" if names else "none"
        raise ReplayError(f"one event is expected beside t, not {what}")
    message = BY_NAME.get(names[0])
    if message is None:
        raise unknown("event", names[0], BY_NAME)
    t: Micros = inside("t", parse_time, found["t"], _nothing)
    return Line(t=t, message=message, body=found[names[0]])


def _held(t: Micros, raw: Any, definitions: Definitions) -> Event:
    line = _line(raw)
    if line.message.make not in INCREMENTS:
        raise ReplayError(f"only an increment can be held back, not {line.message.name}")
    return Held(t=t, event=line.event(definitions))  # type: ignore[arg-type]


def _update(t: Micros, raw: Any, definitions: Definitions) -> Event:
    arguments = _JOB(raw, definitions)
    changed = frozenset(arguments) - {"id"}
    refused = sorted(changed.difference(JOB_UPDATE_FIELDS))
    if refused:
        raise ReplayError(f"job_update can not change {refused[0]}")
    return JobUpdate(t=t, job=JobSpec(**arguments), changed=changed)


def _queue_update(t: Micros, raw: Any, definitions: Definitions) -> Event:
    if isinstance(raw, dict) and "all_hosts" in raw:
        raise ReplayError("unknown field 'all_hosts'", hint='write "hosts": null for all hosts')
    arguments = _QUEUE_UPDATE(raw, definitions)
    if "hosts" in arguments and arguments["hosts"] is None:
        arguments["all_hosts"] = True
    return QueueUpdate(t=t, **arguments)


def _build(message: Message) -> Build:
    make = message.make
    if message.form == "bare":
        (field,) = message.body.fields
        parse, name = kind_parser(field.kind), field.name
        return lambda t, raw, known: make(t=t, **{name: parse(raw, known)})
    if message.form == "whole":
        one, attribute = struct_parser(message.body), message.attribute
        return lambda t, raw, known: make(t=t, **{attribute: one(raw, known)})
    arguments = arguments_parser(message.body.fields)
    return lambda t, raw, known: make(t=t, **arguments(raw, known))


_HEADER = struct_parser(HEADER)
_JOB = arguments_parser(JOB.fields)
_QUEUE_UPDATE = arguments_parser(BY_NAME["queue_update"].body.fields)
_BODIES = {message.name: _build(message) for message in MESSAGES}
_BODIES.update(held=_held, job_update=_update, queue_update=_queue_update)
