"""Writing: one whole message at a time, whatever happens in between."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xce_sim.errors import ReplayError
from xce_sim.model.event import Disconnect, Header, Join, SharedUpdate
from xce_sim.replay.codec import encode
from xce_sim.replay.reader import open_replay
from xce_sim.replay.text_format import encode_line
from xce_sim.replay.writer import ReplayWriter

EVENTS = [Disconnect(t=1), Join(t=2)]


class Slips:
    """A file that takes at most three bytes at a time."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> int:
        self.data += data[:3]
        return min(3, len(data))


class Calls(io.BytesIO):
    """A file that remembers what each call brought."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[bytes] = []

    def write(self, data: bytes) -> int:
        self.calls.append(data)
        return super().write(data)


@pytest.mark.parametrize(("form", "one"), [("binary", encode), ("text", encode_line)])
def test_each_message_is_one_write(form, one):
    file = Calls()
    writer = ReplayWriter(file, Header(), form=form)
    sizes = [writer.write(event) for event in EVENTS]
    writer.close()
    assert file.calls == [one(message) for message in (Header(), *EVENTS)]
    assert sizes == [len(one(event)) for event in EVENTS]
    assert writer.size == len(file.getvalue())
    assert not file.closed


def test_a_file_that_takes_little_gets_everything():
    file = Slips()
    with ReplayWriter(file, Header(), form="binary") as writer:
        writer.write(EVENTS[0])
    assert file.data == encode(Header()) + encode(EVENTS[0])


def test_a_path_is_replaced_and_its_suffix_tells_the_form(tmp_path):
    for name, one in (("a.replay", encode), ("a.jsonl", encode_line)):
        path = tmp_path / name
        path.write_text("old" * 1000)
        with ReplayWriter(path, Header()) as writer:
            assert path.read_bytes() == one(Header())
            writer.write(EVENTS[0])
            assert path.read_bytes() == one(Header()) + one(EVENTS[0])


def test_an_event_that_does_not_fit_leaves_no_trace(tmp_path):
    path = tmp_path / "a.replay"
    with ReplayWriter(path, Header()) as writer:
        with pytest.raises(ReplayError):
            writer.write(SharedUpdate(t=0, values={"x": 2**70}))
        writer.write(EVENTS[0])
    with open_replay(path) as replay:
        assert [item.event for item in replay] == EVENTS[:1]


def test_other_names_are_refused_before_anything_is_made(tmp_path):
    for name, reason in (
        ("a.txt", "the suffix does not tell the form of the replay"),
        ("a.replay.gz", "a replay is not written packed"),
    ):
        with pytest.raises(ReplayError) as caught:
            ReplayWriter(tmp_path / name, Header())
        assert caught.value.reason == reason
    assert list(tmp_path.iterdir()) == []


def test_an_open_file_needs_a_form():
    with pytest.raises(ValueError, match="form"):
        ReplayWriter(io.BytesIO(), Header())


def test_errors_of_the_file_pass_through(tmp_path):
    with pytest.raises(FileNotFoundError):
        ReplayWriter(tmp_path / "nowhere" / "a.replay", Header())
    if Path("/dev/full").exists():
        with open("/dev/full", "wb", buffering=0) as full, pytest.raises(OSError, match="space"):
            ReplayWriter(full, Header(), form="binary")


RECORDER = """
import sys
from xce_sim.model.event import Header, SharedUpdate
from xce_sim.replay.writer import ReplayWriter
writer = ReplayWriter(sys.argv[1], Header())
for t in range(10**9):
    writer.write(SharedUpdate(t=t, values={}))
    if t == 10:
        print("begun", flush=True)
"""


@pytest.mark.parametrize("suffix", [".replay", ".jsonl"])
def test_a_killed_recording_plays_up_to_its_last_whole_event(tmp_path, suffix):
    rng = random.Random(3)
    for i in range(3):
        path = tmp_path / f"{i}{suffix}"
        child = subprocess.Popen(
            [sys.executable, "-c", RECORDER, str(path)], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(rng.uniform(0, 0.03))
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        with open_replay(path, allow_truncated=True) as replay:
            times = [item.event.t for item in replay]
        if replay.truncated is not None:
            assert replay.truncated.event == len(times) + 1
        assert times == list(range(len(times)))
        assert len(times) > 10
