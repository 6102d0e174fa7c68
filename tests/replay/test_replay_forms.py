"""Both forms hold every event, and turn into each other without loss."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import RESOURCES, events, events_by_kind, headers

from xce_sim.model.event import Event, Header, ResourceDefs
from xce_sim.replay.codec import decode, encode
from xce_sim.replay.framing import batches
from xce_sim.replay.messages import BY_NAME
from xce_sim.replay.reader import open_replay
from xce_sim.replay.text_format import encode_line
from xce_sim.replay.text_parse import parse_header, parse_line
from xce_sim.replay.writer import ReplayWriter

FEW = settings(deadline=None, derandomize=True, max_examples=60)


def from_bytes(data: bytes) -> list[Event | Header]:
    return [event for batch in batches(io.BytesIO(data)) for event in decode(batch)]


def test_strategies_cover_every_kind_of_event():
    assert set(events_by_kind) == set(BY_NAME)


@pytest.mark.parametrize("kind", sorted(events_by_kind))
def test_every_kind_survives_the_binary_form(kind):
    @FEW
    @given(events_by_kind[kind])
    def check(event):
        data = encode(event)
        assert from_bytes(data) == [event]
        assert encode(from_bytes(data)[0]) == data

    check()


@pytest.mark.parametrize("kind", sorted(events_by_kind))
def test_every_kind_survives_the_text_form_and_back(kind):
    @FEW
    @given(events_by_kind[kind])
    def check(event):
        line = encode_line(event)
        assert line.count(b"\n") == 1
        again = parse_line(line).event(RESOURCES.get)
        assert again == event
        assert encode(again) == encode(event)
        assert encode_line(again) == line

    check()


@FEW
@given(headers)
def test_headers_survive_both_forms(header):
    assert from_bytes(encode(header)) == [header]
    assert parse_header(encode_line(header)) == header


@FEW
@given(st.lists(events, max_size=8))
def test_a_stream_of_messages_is_the_events_in_order(many):
    assert from_bytes(b"".join(map(encode, many))) == many


UNDEFINED = st.one_of(
    *(
        strategy
        for kind, strategy in events_by_kind.items()
        if kind not in ("resource_defs", "held", "push_begin", "snapshot_begin")
    )
)


@pytest.mark.parametrize(
    "suffixes", [(".replay", ".jsonl", ".replay"), (".jsonl", ".replay", ".jsonl")]
)
def test_a_file_survives_the_other_form_byte_by_byte(tmp_path, suffixes):
    first, second, third = (tmp_path / f"{i}{suffix}" for i, suffix in enumerate(suffixes))

    @FEW
    @given(headers, st.lists(UNDEFINED, max_size=8))
    def check(header, many):
        many = [ResourceDefs(t=0, defs=tuple(RESOURCES.values())), *many]
        with ReplayWriter(first, header) as writer:
            for event in many:
                writer.write(event)
        for source, target in ((first, second), (second, third)):
            with (
                open_replay(source, checked=False) as replay,
                ReplayWriter(target, replay.header) as writer,
            ):
                for _, _, event in replay:
                    writer.write(event)
        assert third.read_bytes() == first.read_bytes()
        with open_replay(third, checked=False) as replay:
            assert [event for _, _, event in replay] == many

    check()
