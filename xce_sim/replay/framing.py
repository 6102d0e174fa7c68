"""The frames of the binary form: where each message begins and ends.

A message is framed as everywhere in Cap'n Proto: a table (number of segments less one, the size
of each in words, padded to 8 bytes), then the segments. The library's own stream readers end the
process on damaged input, so this module finds the boundaries and hands over whole messages only.
It decides nothing about their content.

Limits: `MAX_SEGMENTS` segments (what the library itself accepts in a stream) and `MAX_BYTES` for a
message, far above what is ever written: a push of 10,000 hosts takes 2 MiB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from xce_sim.errors import ReplayError, TruncatedReplay

MAX_SEGMENTS = 512
MAX_BYTES = 256 << 20
BLOCK = 256 << 10
"""How much is read at a time, bytes."""

_WORD = 8
_TABLE = struct.Struct("<II")


class ByteSource(Protocol):
    """Anything that gives bytes: a file, a pipe, an unpacker."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes, none at the end."""
        ...  # pragma: no cover


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Whole messages that follow each other: their bytes, and where each begins in the stream."""

    data: bytes
    offsets: tuple[int, ...]

    @property
    def end(self) -> int:
        """Where the next message begins in the stream."""
        return self.offsets[0] + len(self.data)

    @property
    def largest(self) -> int:
        """The size of the largest message, bytes."""
        return max(end - start for start, end in pairwise((*self.offsets, self.end)))


def batches(source: ByteSource) -> Iterator[Batch]:
    """Give all whole messages, a block at a time, then raise if something is left.

    `TruncatedReplay` if the stream ends inside a message, `ReplayError` at a segment table that
    can not be one; both with the byte offset of that message. What was whole before it has been
    given already.
    """
    start = missing = 0
    held = b""
    while block := _read(source, missing):
        held = held + block if held else block
        whole, offsets, missing, error = _split(held, start)
        if offsets:
            yield Batch(data=held[:whole], offsets=offsets)
            held = held[whole:]
            start += whole
        if error is not None:
            raise error
    if held:
        raise TruncatedReplay("the file ends inside a message", offset=start)


def _split(data: bytes, start: int) -> tuple[int, tuple[int, ...], int, ReplayError | None]:
    """Bytes in whole messages, their offsets, bytes missing for the next, an error after them."""
    position, end = 0, len(data)
    offsets: list[int] = []
    unpack = _TABLE.unpack_from
    while end - position >= _WORD:
        more, first = unpack(data, position)
        if not more:
            size = _WORD + first * _WORD
        else:
            size, error = _long_table(data, position, more, start)
            if error is not None:
                return position, tuple(offsets), 0, error
        if size > MAX_BYTES:
            error = _refused(f"a message of {size} bytes", start + position)
            return position, tuple(offsets), 0, error
        if position + size > end:
            return position, tuple(offsets), position + size - end, None
        offsets.append(start + position)
        position += size
    return position, tuple(offsets), 0, None


def _long_table(
    data: bytes, position: int, more: int, start: int
) -> tuple[int, ReplayError | None]:
    """Size of a message of several segments, as far as its table is there already."""
    count = more + 1
    if count > MAX_SEGMENTS:
        return 0, _refused(f"{count} segments", start + position)
    table = (4 + 4 * count + 7) // 8 * 8
    if position + table > len(data):
        return table, None
    sizes = struct.unpack_from(f"<{count}I", data, position + 4)
    return table + _WORD * sum(sizes), None


def _refused(what: str, offset: int) -> ReplayError:
    return ReplayError(
        f"damaged, or not a replay: {what} can not begin here",
        offset=offset,
        hint="a file in the JSON Lines form has the suffix .jsonl",
    )


def _read(source: ByteSource, missing: int) -> bytes:
    """A block, or the rest of a large message; grows with what arrives, whatever is claimed."""
    if missing <= BLOCK:
        return source.read(BLOCK)
    parts = []
    while missing > 0:
        part = source.read(min(missing, 1 << 20))
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
