"""Events to binary messages and back: the only module that knows the Cap'n Proto library.

The schema is loaded once, by path, when the first event is encoded or decoded; importing this
module is cheap. Only the library calls that are safe on damaged input are used: messages come
framed by `framing`, are read with `read_multiple_bytes` and by cached field, each once. Several
others (`read_multiple`, `as_builder`, `total_size`, `repr`, ...) can end the process and must not
be used here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from xce_sim.errors import ReplayError
from xce_sim.model.event import Event, Header, Held, JobUpdate
from xce_sim.model.job import JOB_UPDATE_FIELDS
from xce_sim.replay.framing import Batch
from xce_sim.replay.messages import BY_CLASS, HEADER, INCREMENTS, JOB, MESSAGES, Message
from xce_sim.replay.packing import Packing
from xce_sim.replay.unpacking import Unpacking

_FIRST_SEGMENT = 64
"""Words of a new message's first segment: enough for most increments."""

_WORD = 8
_NO_WHICH = "Attempted to call which on a non-union type"
"""What the library says of a union whose member is not in the schema."""

_WORDS = re.compile(r"[\])]; ([A-Z].*)", re.DOTALL)
_UPDATABLE = frozenset(JOB_UPDATE_FIELDS)


def encode(event: Event | Header) -> bytes:
    """The framed message of an event; equal events give equal bytes.

    `ReplayError` without a place for a value that has no room in the format.
    """
    return _codec().encode(event)


def decode(batch: Batch) -> Iterator[Event | Header]:
    """The events of whole messages, in order.

    `ReplayError` without a place, at the message that is damaged or of an unknown kind.
    """
    return _codec().decode(batch)


@cache
def _codec() -> _Codec:
    return _Codec()


class _Codec:
    def __init__(self) -> None:
        import capnp  # noqa: PLC0415 - 85 ms that only programs with a binary file should pay

        capnp.remove_import_hook()
        with as_file(files("xce_sim.replay") / "replay.capnp") as path:
            self._schema = capnp.load(str(path))
        self._damage = (capnp.KjException, RuntimeError, UnicodeDecodeError)
        self._misfit = (capnp.KjException, OverflowError, UnicodeEncodeError, KeyError, TypeError)
        self._root = self._schema.Message
        self._members: Mapping[str, Any] = self._root.schema.fields
        self._time = self._members["t"]
        reads, writes = Unpacking(self.fields), Packing(self.fields)
        self._reads: dict[str, Callable[[int, Any], Event | Header]] = {
            message.member: self._reader(message, reads) for message in MESSAGES
        }
        self._writes = {message.make: self._writer(message, writes) for message in MESSAGES}
        self._read_header, self._write_header = reads.struct(HEADER), writes.struct(HEADER)
        self._reads["header"] = lambda _, body: self._read_header(body)

    def fields(self, struct: str) -> Mapping[str, Any]:
        """The schema's fields of a struct by name."""
        found: Mapping[str, Any] = getattr(self._schema, struct).schema.fields
        return found

    # ---- writing ----

    def encode(self, event: Event | Header) -> bytes:
        root = self._root.new_message(_FIRST_SEGMENT)
        try:
            if isinstance(event, Header):
                self._write_header(root._init_by_field(self._members["header"]), event)
            else:
                self._fill(root, event)
        except self._misfit as error:
            name = "header" if isinstance(event, Header) else BY_CLASS[type(event)].name
            raise ReplayError(f"{name} can not be written: {_in_words(error)}") from error
        data: bytes = root.to_bytes()
        return data

    def _fill(self, root: Any, event: Any) -> None:
        root._set_by_field(self._time, event.t)
        member, write = self._writes[type(event)]
        write(root._init_by_field(member), event)

    def _writer(self, message: Message, writes: Packing) -> tuple[Any, Callable[[Any, Any], None]]:
        member = self._members[message.member]
        if message.form == "held":
            inner = self.fields("Held")["event"]
            return member, lambda body, event: self._fill(body._init_by_field(inner), event.event)
        if message.form == "update":
            return member, self._update_writer(writes)
        write = writes.struct(message.body)
        if message.form == "whole":
            return member, lambda body, event: write(body, getattr(event, message.attribute))
        return member, write

    def _update_writer(self, writes: Packing) -> Callable[[Any, JobUpdate], None]:
        known, update = self.fields("JobUpdate"), writes.update(JOB)
        changed, job = known["changed"], known["job"]

        def write(body: Any, event: JobUpdate) -> None:
            mask, fill = update(event.changed)
            body._set_by_field(changed, mask)
            fill(body._init_by_field(job), event.job)

        return write

    # ---- reading ----

    def decode(self, batch: Batch) -> Iterator[Event | Header]:
        words = 2 * batch.largest // _WORD
        messages = self._root.read_multiple_bytes(batch.data, traversal_limit_in_words=words)
        for _ in batch.offsets:
            try:
                event = self._event(next(messages))
            except StopIteration:
                raise ReplayError("damaged message: no content") from None
            except self._damage as error:
                raise _damaged(error) from None
            yield event

    def _event(self, message: Any) -> Event | Header:
        time = message._get_by_field(self._time)
        try:
            member = message._which_str()
        except self._damage:
            raise ReplayError(
                "an event of a kind that this version does not know",
                hint="a newer program wrote this file",
            ) from None
        return self._reads[member](time, message._get_by_field(self._members[member]))

    def _reader(self, message: Message, reads: Unpacking) -> Callable[[int, Any], Event]:
        make = message.make
        if message.form == "held":
            inner = self.fields("Held")["event"]
            return lambda t, body: _held(t, self._event(body._get_by_field(inner)))
        if message.form == "update":
            return self._update_reader(reads)
        if message.form == "whole":
            attribute, whole = message.attribute, reads.struct(message.body)
            return lambda t, body: make(t=t, **{attribute: whole(body)})
        arguments = reads.arguments(message.body)
        return lambda t, body: make(t=t, **arguments(body))

    def _update_reader(self, reads: Unpacking) -> Callable[[int, Any], JobUpdate]:
        known, jobs = self.fields("JobUpdate"), reads.masked(JOB)
        changed, job = known["changed"], known["job"]

        def read(t: int, body: Any) -> JobUpdate:
            mask, spec = body._get_by_field(changed), body._get_by_field(job)
            names = jobs.named(mask)
            odd = (names - _UPDATABLE) | jobs.beyond(mask, spec)
            if odd:
                raise ReplayError(f"job_update can not have {min(odd)}")
            return JobUpdate(t=t, job=jobs.value(spec), changed=names)

        return read


def _held(t: int, event: Any) -> Held:
    if type(event) not in INCREMENTS:
        raise ReplayError("held can only have an increment inside")
    return Held(t=t, event=event)


def _damaged(error: Exception) -> ReplayError:
    if str(error) == _NO_WHICH:
        return ReplayError(
            "a value of a kind that this version does not know",
            hint="a newer program wrote this file",
        )
    return ReplayError(f"damaged message: {_in_words(error)}")


def _in_words(error: Exception) -> str:
    """What the library says in words: without its source line, condition and stack."""
    if isinstance(error, KeyError):
        return f"unknown value {error}"
    text = str(error).partition("\nstack: ")[0].rpartition("failed: ")[2]
    if text.startswith("expected "):
        found = _WORDS.search(text)
        text = found[1] if found else "a text without its end"
    sentence = re.split(r"\.(?=[\s;]|$)", text)[0]
    return " ".join(sentence.split()) or type(error).__name__
