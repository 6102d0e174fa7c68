"""Where messages begin and end, whatever is in them."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xce_sim.errors import ReplayError, TruncatedReplay
from xce_sim.replay import framing
from xce_sim.replay.framing import batches

QUICK = settings(deadline=None, derandomize=True, max_examples=100)


def frame(*segments: bytes) -> bytes:
    """A message of these segments, each a whole number of words."""
    table = struct.pack(f"<I{len(segments)}I", len(segments) - 1, *(len(s) // 8 for s in segments))
    return table.ljust((len(table) + 7) // 8 * 8, b"\0") + b"".join(segments)


class Dribble:
    """Gives one byte at a time, as a slow pipe does."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, 1))


def split(
    data: bytes, source: type = io.BytesIO
) -> tuple[list[tuple[int, bytes]], Exception | None]:
    """All messages with their offsets, and the error at the end."""
    found: list[tuple[int, bytes]] = []
    try:
        for batch in batches(source(data)):
            ends = [*batch.offsets[1:], batch.end]
            for offset, end in zip(batch.offsets, ends, strict=True):
                found.append(
                    (offset, batch.data[offset - batch.offsets[0] : end - batch.offsets[0]])
                )
    except ReplayError as error:
        return found, error
    return found, None


segments = st.binary(max_size=3).map(lambda part: part * 8)
messages = st.lists(segments, min_size=1, max_size=5).map(lambda parts: frame(*parts))


@QUICK
@given(st.lists(messages, max_size=6), st.sampled_from([io.BytesIO, Dribble]))
def test_messages_come_whole_and_with_their_offsets(many, source):
    offsets = [len(b"".join(many[:i])) for i in range(len(many))]
    assert split(b"".join(many), source) == (list(zip(offsets, many, strict=True)), None)


@QUICK
@given(st.lists(messages, min_size=1, max_size=4), st.data())
def test_a_cut_inside_a_message_is_told_after_all_whole_ones(many, data):
    whole = b"".join(many)
    starts = [len(b"".join(many[:i])) for i in range(len(many) + 1)]
    cut = data.draw(st.integers(0, len(whole)).filter(lambda at: at not in starts))
    found, error = split(whole[:cut])
    last = max(start for start in starts if start < cut)
    assert [offset for offset, _ in found] == starts[: len(found)]
    assert len(found) == starts.index(last)
    assert type(error) is TruncatedReplay
    assert str(error) == f"byte {last}: the file ends inside a message"


@pytest.mark.parametrize("block", [1, 7, 8, 9, 64])
def test_blocks_may_end_anywhere(monkeypatch, block):
    monkeypatch.setattr(framing, "BLOCK", block)
    many = [frame(b"a" * 8), frame(b"b" * 80, b"", b"c" * 16), frame(b""), frame(b"d" * 8)]
    found, error = split(b"".join(many))
    assert [message for _, message in found] == many
    assert error is None


def test_nothing_is_no_message():
    assert split(b"") == ([], None)


def test_a_message_larger_than_a_block():
    large = frame(b"x" * (3 << 20))
    found, error = split(frame(b"") + large + frame(b""))
    assert [len(message) for _, message in found] == [8, len(large), 8]
    assert error is None


def test_as_many_segments_as_the_library_takes_and_one_more():
    most = frame(*[b""] * 512)
    assert split(most) == ([(0, most)], None)
    found, error = split(frame(b"") + frame(*[b""] * 513))
    assert [offset for offset, _ in found] == [0]
    assert str(error) == "byte 8: damaged, or not a replay: 513 segments can not begin here"


def test_a_message_beyond_the_limit_is_refused_before_it_is_read():
    claim = struct.pack("<II", 0, framing.MAX_BYTES // 8)
    found, error = split(frame(b"") + claim + b"rest")
    assert (len(found), type(error)) == (1, ReplayError)
    assert str(error) == (
        "byte 8: damaged, or not a replay: a message of 268435464 bytes can not begin here"
    )


def test_the_largest_count_of_segments_does_not_wrap_round():
    _, error = split(b"\xff" * 64)
    assert "4294967296 segments" in str(error)


def test_a_claim_of_much_does_not_take_memory_for_it():
    class Small:
        def __init__(self) -> None:
            self.asked: list[int] = []
            self.parts = [struct.pack("<II", 0, (framing.MAX_BYTES - 8) // 8)]

        def read(self, size: int) -> bytes:
            self.asked.append(size)
            return self.parts.pop() if self.parts else b""

    source = Small()
    with pytest.raises(TruncatedReplay):
        list(batches(source))
    assert max(source.asked) <= 1 << 20
