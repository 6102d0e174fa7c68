"""Files as they are found: whole, cut off, damaged, misnamed, missing."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from xce_sim.errors import ReplayError, RuleError, TruncatedReplay
from xce_sim.model.event import Disconnect, Header, Join, Rebuilt, SharedUpdate, ValuesUpdate
from xce_sim.replay.codec import encode
from xce_sim.replay.info import replay_info
from xce_sim.replay.messages import BY_NAME
from xce_sim.replay.reader import open_replay
from xce_sim.replay.text_format import encode_line
from xce_sim.replay.writer import ReplayWriter

EVENTS = [Disconnect(t=1), Join(t=2), Rebuilt(t=3)]
FORMS = {".replay": encode, ".jsonl": encode_line}


def written(path: Path, events=EVENTS, header: Header | None = None) -> Path:
    with ReplayWriter(path, header or Header()) as writer:
        for event in events:
            writer.write(event)
    return path


def played(path: Path, **options):
    """All events up to the error, and the error."""
    events = []
    try:
        with open_replay(path, **options) as replay:
            for item in replay:
                events.append(item.event)  # noqa: PERF401 - what came before an error counts
    except ReplayError as error:
        return events, error
    return events, None


# ---- whole files ----


@pytest.mark.parametrize("suffix", FORMS)
def test_events_come_with_number_and_offset(tmp_path, suffix):
    path = written(tmp_path / f"a{suffix}")
    sizes = [len(FORMS[suffix](message)) for message in (Header(), *EVENTS)]
    with open_replay(path) as replay:
        assert (replay.path, replay.header) == (str(path), Header())
        assert [tuple(item) for item in replay] == [
            (1, sizes[0], EVENTS[0]),
            (2, sum(sizes[:2]), EVENTS[1]),
            (3, sum(sizes[:3]), EVENTS[2]),
        ]
        assert replay.truncated is None


@pytest.mark.parametrize("suffix", FORMS)
def test_packed_files_are_read(tmp_path, suffix):
    path = written(tmp_path / f"a{suffix}")
    packed = tmp_path / f"b{suffix}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert played(packed) == (EVENTS, None)


def test_a_text_file_may_have_a_mark_blank_lines_and_other_line_ends(tmp_path):
    path = tmp_path / "windows.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"replay": {"version": 1}}\r\n\r\n \t\n{"t": 1, "disconnect": {}}\r\n\n'
    )
    with open_replay(path) as replay:
        assert [(item.number, item.offset) for item in replay] == [(1, 36)]


def test_a_last_line_without_newline_is_whole_if_it_can_be_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"replay": {"version": 1}}\n{"t": 0.000001, "disconnect": {}}')
    assert played(path) == ([Disconnect(t=1)], None)


def test_a_pipe_is_read(tmp_path):
    path = tmp_path / "pipe.replay"
    os.mkfifo(path)
    code = f"import sys; open({str(path)!r}, 'wb').write(bytes.fromhex(sys.argv[1]))"
    data = b"".join(map(encode, (Header(), *EVENTS)))
    child = subprocess.Popen([sys.executable, "-c", code, data.hex()])
    assert played(path) == (EVENTS, None)
    assert child.wait() == 0


# ---- kinds of numbers ----

HEADER = '{"replay": {"version": 1}}\n'
DEFINE = '{"t": 0, "resource_defs": [{"name": "mem", "consumable": true, "scope": "shared"}]}\n'
NUMBER = '{"t": 0, "shared_push": {"mem": 8}}\n'


def values(tmp_path: Path, text: str, **options):
    path = tmp_path / "values.jsonl"
    path.write_text(HEADER + text)
    events, error = played(path, **options)
    numbers = [event.values["mem"] for event in events if hasattr(event, "values")]
    return numbers, error and error.reason


def bracket(*lines: str) -> str:
    return '{"t": 0, "push_begin": {}}\n' + "".join(lines) + '{"t": 0, "push_end": {}}\n'


def test_a_definition_tells_the_kind_of_a_number(tmp_path):
    assert values(tmp_path, DEFINE + NUMBER) == ([8000], None)


def test_in_a_bracket_it_may_come_later(tmp_path):
    assert values(tmp_path, bracket(NUMBER, DEFINE)) == ([8000], None)


def test_in_a_bracket_nothing_overtakes(tmp_path):
    path = tmp_path / "order.jsonl"
    path.write_text(HEADER + bracket(NUMBER, '{"t": 0, "jobs_push": []}\n', DEFINE))
    with open_replay(path) as replay:
        items = list(replay)
    assert [item.number for item in items] == [1, 2, 3, 4, 5]
    assert [item.offset for item in items] == sorted(item.offset for item in items)


def test_outside_a_bracket_it_may_not(tmp_path):
    assert values(tmp_path, NUMBER + DEFINE) == ([], "shared: unknown resource 'mem'")


def test_a_push_may_change_the_kind(tmp_path):
    plain = DEFINE.replace('"consumable": true, ', "")
    text = DEFINE + NUMBER + bracket(NUMBER, plain) + NUMBER
    assert values(tmp_path, text) == ([8000, 8.0, 8.0], None)


def test_a_push_forgets_definitions(tmp_path):
    text = DEFINE + bracket(NUMBER)
    assert values(tmp_path, text) == ([8000], "shared: unknown resource 'mem'")


def test_a_discarded_push_changes_nothing(tmp_path):
    plain = DEFINE.replace('"consumable": true, ', "")
    text = DEFINE + '{"t": 0, "join": {}}\n{"t": 0, "push_begin": {}}\n' + NUMBER + plain
    text += '{"t": 0, "disconnect": {}}\n' + NUMBER
    assert values(tmp_path, text) == ([8.0, 8000], None)


def test_a_file_that_ends_in_a_bracket_gives_all_its_events(tmp_path):
    text = '{"t": 0, "push_begin": {}}\n' + NUMBER + '{"t": 0, "jobs_pu'
    numbers, reason = values(tmp_path, text)
    assert (numbers, reason) == ([8.0], "the file ends inside this line")


def test_an_error_behind_waiting_lines_comes_after_them(tmp_path):
    text = '{"t": 0, "push_begin": {}}\n' + NUMBER + "rubbish\n" + DEFINE
    numbers, reason = values(tmp_path, text)
    assert (numbers, reason) == ([8.0], "not JSON: Expecting value at column 1")


# ---- no replay at all ----


def test_names_without_a_known_suffix(tmp_path):
    for name in ("a", "a.json", "replay", "a.replay.zip", "a.gz", ".replay"):
        path = tmp_path / name
        path.write_bytes(encode(Header()))
        with pytest.raises(ReplayError) as caught:
            open_replay(path)
        assert str(caught.value) == f"{path}: the suffix does not tell the form of the replay"
        assert caught.value.hint == (
            "use .replay (binary) or .jsonl (JSON Lines), each also packed as .gz"
        )
        assert caught.value.status == 3


def refusal(path: Path) -> str:
    with pytest.raises(ReplayError) as caught:
        open_replay(path)
    assert caught.value.status == 3
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("suffix", [*FORMS, ".replay.gz", ".jsonl.gz"])
def test_files_that_can_not_be_opened(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    assert refusal(path) == "no such file"
    path.mkdir()
    assert refusal(path) == "is a directory, not a replay"
    path.rmdir()
    path.touch()
    assert refusal(path) == "the file is empty"


OTHER = "not a replay of the form that its suffix tells: it "


def test_files_of_another_form(tmp_path):
    def saved(name: str, data: bytes) -> Path:
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    text, binary = encode_line(Header()), encode(Header())
    assert refusal(saved("a.replay", text)) == OTHER + "is text"
    assert refusal(saved("a.replay", b"hello")) == OTHER + "is text"
    assert refusal(saved("a.jsonl", binary)) == OTHER + "is binary"
    assert (
        refusal(saved("b.replay", gzip.compress(binary)))
        == OTHER + "is packed, give it the suffix .gz"
    )
    assert (
        refusal(saved("b.jsonl", gzip.compress(text)))
        == OTHER + "is packed, give it the suffix .gz"
    )
    assert refusal(saved("c.replay.gz", binary)) == OTHER + "is not packed"
    assert refusal(saved("d.jsonl", b"hello")) == (
        "event 0, byte 0: not JSON: Expecting value at column 1"
    )
    assert refusal(saved("e.jsonl", b"\n\n")) == "the file is empty"
    assert refusal(saved("f.replay", b"\x00\xff" * 40)) == (
        "event 0, byte 0: damaged, or not a replay: 4278255361 segments can not begin here"
    )
    assert refusal(saved("g.replay", encode(Disconnect(t=0)))) == (
        "event 0, byte 0: the first message is not a header"
    )
    assert refusal(saved("h.jsonl", encode_line(Disconnect(t=0)))) == (
        "event 0, byte 0: the first line is not a header"
    )
    newer = encode_line(Header(version=2))
    assert refusal(saved("i.jsonl", newer)) == (
        "event 0, byte 0: version 2 is not known (known is 1)"
    )
    assert refusal(saved("i.replay", encode(Header(version=2)))) == (
        "event 0, byte 0: version 2 is not known (known is 1)"
    )


@pytest.mark.parametrize("suffix", FORMS)
def test_a_second_header_breaks_a_rule(tmp_path, suffix):
    path = written(tmp_path / f"a{suffix}")
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(FORMS[suffix](Header()))
    events, error = played(path)
    assert events == EVENTS
    assert isinstance(error, RuleError)
    assert (str(error), error.rule) == (f"{path}: event 4, byte {size}: a second header", "header")


# ---- cut off ----


@pytest.mark.parametrize("suffix", FORMS)
def test_cut_at_every_byte_of_the_last_two_messages(tmp_path, suffix):
    path = written(tmp_path / f"whole{suffix}", [*EVENTS, SharedUpdate(t=4, values={})])
    data = path.read_bytes()
    sizes = [len(FORMS[suffix](message)) for message in (Header(), *EVENTS)]
    last_but_one, last = sum(sizes[:3]), sum(sizes)
    cut = tmp_path / f"cut{suffix}"
    for length in range(last_but_one, len(data) + 1):
        cut.write_bytes(data[:length])
        events, error = played(cut)
        expected = 2 + (length >= last) + (length == len(data))
        whole = length in (last_but_one, last, len(data))
        if suffix == ".jsonl" and length in (last - 1, len(data) - 1):
            expected, whole = expected + 1, True
        assert len(events) == expected, length
        assert (error is None) == whole, length
        if error is not None:
            number, offset = (4, last) if length > last else (3, last_but_one)
            what = "this line" if suffix == ".jsonl" else "a message"
            assert type(error) is TruncatedReplay
            assert str(error) == (
                f"{cut}: event {number}, byte {offset}: the file ends inside {what}"
            )
            assert error.status == 3
            with open_replay(cut, allow_truncated=True) as replay:
                assert len(list(replay)) == expected
                assert str(replay.truncated) == str(error)


@pytest.mark.parametrize("suffix", FORMS)
def test_cut_inside_the_header(tmp_path, suffix):
    data = FORMS[suffix](Header(cluster="demo"))
    path = tmp_path / f"a{suffix}"
    for length in range(12, len(data) - 2):
        path.write_bytes(data[:length])
        with pytest.raises(TruncatedReplay) as caught:
            open_replay(path, allow_truncated=True)
        what = "its header" if suffix == ".jsonl" else "a message"
        assert str(caught.value) == f"{path}: event 0, byte 0: the file ends inside {what}"


@pytest.mark.parametrize("suffix", FORMS)
def test_a_cut_package_gives_what_it_has(tmp_path, suffix):
    rng = random.Random(1)
    many = [ValuesUpdate(t=i, host=str(rng.random()), values={}) for i in range(5000)]
    packed = gzip.compress(written(tmp_path / f"a{suffix}", many).read_bytes())
    path = tmp_path / f"cut{suffix}.gz"
    path.write_bytes(packed[: len(packed) // 2])
    events, error = played(path, checked=False)
    assert 1000 < len(events) < 4000
    assert events == many[: len(events)]
    assert type(error) is TruncatedReplay


def test_a_damaged_package_is_refused(tmp_path):
    path = tmp_path / "a.replay.gz"
    packed = bytearray(gzip.compress(b"".join(map(encode, (Header(), *EVENTS)))))
    packed[-6] ^= 1
    path.write_bytes(packed)
    _, error = played(path)
    assert type(error) is ReplayError
    assert "can not be read: CRC check failed" in str(error)


def test_a_line_that_is_complete_is_not_cut_off(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(HEADER + '{"t": 1, "job_new": {"id": 1,}}')
    _, error = played(path)
    assert type(error) is ReplayError
    assert error.reason.startswith("not JSON: ")


# ---- damaged ----

CHILD = """
import random, sys
from xce_sim.errors import ReplayError
from xce_sim.replay.reader import open_replay
path, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
data = open(path, "rb").read()
kinds = {}
for i in range(count):
    rng = random.Random(f"{seed}/{i}")
    broken = bytearray(data)
    broken[rng.randrange(len(data))] = rng.randrange(256)
    name = path.replace("whole", "broken")
    open(name, "wb").write(broken)
    print(i, file=sys.stderr, flush=True)
    try:
        with open_replay(name) as replay:
            for item in replay:
                pass
        kind = "clean"
    except ReplayError as error:
        kind = type(error).__name__
        assert str(error).startswith(name + ": "), error
        assert "\\n" not in str(error), error
    kinds[kind] = kinds.get(kind, 0) + 1
print(kinds)
"""


def history(path: Path) -> Path:
    """One of everything, as text; the same that the example of the format shows."""
    source = Path(__file__).with_name("everything.jsonl")
    target = path.with_name("whole" + path.suffix)
    with open_replay(source) as replay, ReplayWriter(target, replay.header) as writer:
        for item in replay:
            writer.write(item.event)
    return target


@pytest.mark.parametrize("suffix", FORMS)
def test_single_byte_changes_never_crash(tmp_path, suffix):
    """In a child, since a mistake could end the process: it tells how far it came."""
    path = history(tmp_path / f"a{suffix}")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), "1", "400"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    kinds = eval(done.stdout)
    assert sum(kinds.values()) == 400
    assert kinds["ReplayError"] > 20


def test_everything_is_in_the_example():
    assert set(replay_info(Path(__file__).with_name("everything.jsonl")).kinds) == set(BY_NAME)
