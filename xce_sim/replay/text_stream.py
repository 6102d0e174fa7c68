"""The JSON Lines form as a stream of events: lines, and what the kind of a number depends on.

Whether `8` is an amount or a plain number follows from the definition of its resource, and inside
a bracket "names that are referred to exist ... at its end": the definition may come later. A line
whose numbers can not be told yet is kept, with those behind it, until the bracket closes; where
definitions come first, as written by this program, nothing is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from xce_sim.errors import ReplayError, TruncatedReplay
from xce_sim.model.event import (
    Disconnect,
    Event,
    Header,
    Held,
    PushBegin,
    PushEnd,
    ResourceDefs,
    SnapshotBegin,
    SnapshotEnd,
)
from xce_sim.model.resources import SLOTS_DEF, ResourceDef
from xce_sim.replay.framing import BLOCK, MAX_BYTES, ByteSource
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.text_parse import HEADER_HINT, Line, parse_header, parse_line

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_BOM = b"\xef\xbb\xbf"
_BEGINS = (PushBegin, SnapshotBegin)
_ENDS = (PushEnd, SnapshotEnd, Disconnect)


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line with its newline, if it has one, and the byte offset at which it begins."""

    offset: int
    data: bytes


def raw_lines(source: ByteSource) -> Iterator[RawLine]:
    """All lines that are not blank, reading a block at a time.

    `ReplayError` for a line of more than 256 MiB.
    """
    start = 0
    held: list[bytes] = []
    while block := source.read(BLOCK):
        *whole, rest = block.split(b"\n")
        for part in whole:
            held.append(part)
            line = b"".join(held)
            held.clear()
            if line.strip():
                yield RawLine(start, line + b"\n")
            start += len(line) + 1
        if rest:
            held.append(rest)
            if sum(map(len, held)) > MAX_BYTES:
                raise ReplayError(f"a line of more than {MAX_BYTES} bytes", offset=start)
    last = b"".join(held)
    if last.strip():
        yield RawLine(start, last)


def read_header(lines: Iterator[RawLine]) -> Header:
    """The header from the first line; errors carry their place but for the file."""
    line = next(lines, None)
    if line is None:
        raise ReplayError("the file is empty")
    skipped = len(_BOM) if line.data.startswith(_BOM) else 0
    data = line.data[skipped:]
    try:
        return parse_header(data)
    except ReplayError as error:
        if data.startswith(b'{"replay"') and _is_cut_off(data):
            raise TruncatedReplay("the file ends inside its header", event=0, offset=0) from None
        error.hint = error.hint or HEADER_HINT
        raise error.at(file=None, event=0, offset=line.offset) from None


class TextEvents:
    """Events from the lines behind the header, in order, each as soon as its kinds are known."""

    def __init__(self) -> None:
        self._definitions = _Definitions()
        self._waiting: list[tuple[int, RawLine]] = []

    def read(self, lines: Iterator[RawLine]) -> Iterator[Numbered]:
        """Give every event, then raise the first error, if there is one, with its place.

        `TruncatedReplay` for a last line that has no newline and can not be read: "for a last
        line without newline that parses" the file is whole.
        """
        try:
            for number, line in enumerate(lines, 1):
                yield from self._take(number, line)
        except ReplayError:
            yield from self._settle()
            raise
        yield from self._settle()

    def _take(self, number: int, line: RawLine) -> Iterator[Numbered]:
        parsed = _located(number, line)
        kind = parsed.message.make
        if self._waiting:
            if kind not in _ENDS:
                if kind is ResourceDefs:
                    self._definitions.follow(self._event(number, line, parsed))
                self._waiting.append((number, line))
                return
            yield from self._settle()
        event = self._event(number, line, parsed)
        if self._definitions.unsettled():
            self._waiting.append((number, line))
            return
        self._definitions.follow(event)
        yield Numbered(number, line.offset, event)

    def _settle(self) -> Iterator[Numbered]:
        """The events of the kept lines, with all definitions of the bracket."""
        waiting, self._waiting = self._waiting, []
        for number, line in waiting:
            event = self._event(number, line, _located(number, line))
            yield Numbered(number, line.offset, event)

    def _event(self, number: int, line: RawLine, parsed: Line) -> Event:
        self._definitions.missed = False
        try:
            return parsed.event(self._definitions.look_up)
        except ReplayError as error:
            raise error.at(file=None, event=number, offset=line.offset) from None


def _located(number: int, line: RawLine) -> Line:
    try:
        return parse_line(line.data)
    except ReplayError as error:
        if _is_cut_off(line.data):
            raise TruncatedReplay(
                "the file ends inside this line", event=number, offset=line.offset
            ) from None
        raise error.at(file=None, event=number, offset=line.offset) from None


def _is_cut_off(line: bytes) -> bool:
    """Whether an unreadable line is the beginning of one: an object without its end, no newline."""
    if line[-1:] == b"\n" or line.lstrip()[:1] != b"{":
        return False
    outside = _STRING.sub(b"", line)
    depth = sum(map(outside.count, (b"{", b"["))) - sum(map(outside.count, (b"}", b"]")))
    return depth > 0 or b'"' in outside


@dataclass(slots=True)
class _Definitions:
    """The definitions in force and those of an open bracket, for kinds alone.

    `missed` tells that a number was met whose resource the open bracket does not define (yet).
    """

    known: dict[str, ResourceDef] = field(default_factory=lambda: {SLOTS_DEF.name: SLOTS_DEF})
    bracket: dict[str, ResourceDef] | None = None
    missed: bool = False

    def look_up(self, name: str) -> ResourceDef | None:
        if self.bracket is None:
            return self.known.get(name)
        found = self.bracket.get(name)
        if found is None:
            self.missed = True
            found = self.known.get(name)
        return found

    def unsettled(self) -> bool:
        return self.missed and self.bracket is not None

    def follow(self, event: Event) -> None:
        if isinstance(event, Held):
            event = event.event
        if isinstance(event, ResourceDefs):
            table = self.known if self.bracket is None else self.bracket
            table.update((item.name, item) for item in event.defs)
        elif isinstance(event, _BEGINS):
            self.bracket = {SLOTS_DEF.name: SLOTS_DEF}
        elif isinstance(event, _ENDS):
            if self.bracket is not None and not isinstance(event, Disconnect):
                self.known = self.bracket
            self.bracket = None
