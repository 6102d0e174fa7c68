"""Converting whole files, and describing them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xce_sim.errors import ReplayError, RuleError, TruncatedReplay, UserError
from xce_sim.model.event import Disconnect, Header, Join
from xce_sim.replay.codec import encode
from xce_sim.replay.convert import Converted, convert
from xce_sim.replay.info import replay_info
from xce_sim.replay.text_format import encode_line
from xce_sim.replay.writer import ReplayWriter

EVERYTHING = Path(__file__).with_name("everything.jsonl")


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.replay"
    path.write_bytes(encode(Header(cluster="demo")) + encode(Disconnect(t=1)) + encode(Join(t=2)))
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_there_and_back_is_the_same_file(tmp_path):
    binary, text, again = (tmp_path / name for name in ("a.replay", "b.jsonl", "c.replay"))
    assert convert(EVERYTHING, binary) == Converted(events=37, bytes=binary.stat().st_size)
    convert(binary, text)
    convert(text, again)
    assert again.read_bytes() == binary.read_bytes()
    assert names(tmp_path) == ["a.replay", "b.jsonl", "c.replay"]


def test_progress_is_told(tmp_path):
    path = tmp_path / "many.replay"
    with ReplayWriter(path, Header()) as writer:
        for t in range(10_000):
            writer.write(Disconnect(t=t))
    seen: list[int] = []
    convert(path, tmp_path / "many.jsonl", progress=seen.append)
    assert seen == [4096, 8192]


def test_a_target_is_replaced_only_at_the_end(tmp_path, small):
    target = tmp_path / "out.jsonl"
    target.write_text("precious")
    small.write_bytes(small.read_bytes() + b"damaged, at the very end")
    with pytest.raises(ReplayError):
        convert(small, target)
    assert target.read_text() == "precious"
    assert names(tmp_path) == ["out.jsonl", "small.replay"]


def test_a_broken_rule_is_no_replay_to_convert(tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_bytes(
        encode_line(Header()) + encode_line(Join(t=2)) + encode_line(Disconnect(t=1))
    )
    with pytest.raises(RuleError, match=r"event 2, byte \d+: time runs backwards"):
        convert(source, tmp_path / "out.replay")
    assert names(tmp_path) == ["in.jsonl"]


def test_a_cut_off_source_is_converted_only_if_that_is_allowed(tmp_path, small):
    small.write_bytes(small.read_bytes()[:-3])
    target = tmp_path / "out.jsonl"
    with pytest.raises(TruncatedReplay):
        convert(small, target)
    assert names(tmp_path) == ["small.replay"]
    done = convert(small, target, allow_truncated=True)
    assert (done.events, type(done.truncated)) == (1, TruncatedReplay)
    assert target.read_bytes() == encode_line(Header(cluster="demo")) + encode_line(Disconnect(t=1))


def refusal(source: Path, target: Path) -> str:
    with pytest.raises(UserError) as caught:
        convert(source, target)
    return caught.value.message


def test_the_source_is_no_target(tmp_path, small):
    data = small.read_bytes()
    link = tmp_path / "link.replay"
    os.link(small, link)
    symbolic = tmp_path / "symbolic.replay"
    symbolic.symlink_to(small)
    for target in (small, link, symbolic, tmp_path / "." / "small.replay"):
        assert refusal(small, target) == f"{target}: is the source itself"
    assert small.read_bytes() == data


def test_targets_that_can_not_be_written(tmp_path, small):
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for target in (folder, pipe):
        assert refusal(small, target) == f"{target}: is not a regular file and can not be replaced"
    nowhere = tmp_path / "nowhere" / "a.jsonl"
    assert refusal(small, nowhere) == f"{nowhere}: there is no folder {nowhere.parent}"
    for name in ("a.txt", "a.jsonl.gz"):
        with pytest.raises(ReplayError):
            convert(small, tmp_path / name)
    assert names(tmp_path) == ["folder.jsonl", "pipe.jsonl", "small.replay"]


def test_a_link_as_target_stays_a_link(tmp_path, small):
    real = tmp_path / "real.jsonl"
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)
    convert(small, link)
    assert link.is_symlink()
    assert real.read_bytes().startswith(b'{"replay"')


def test_a_new_file_has_the_usual_permissions(tmp_path, small):
    before = os.umask(0o027)
    try:
        convert(small, tmp_path / "out.jsonl")
    finally:
        os.umask(before)
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o640


# ---- facts ----


def test_the_facts_of_the_example_of_everything():
    info = replay_info(EVERYTHING)
    assert (info.path, info.form, info.size) == (str(EVERYTHING), "text", EVERYTHING.stat().st_size)
    assert info.header == Header(cluster="demo", producer="xce-sim")
    assert (info.events, info.start, info.end) == (37, 0, 8_000_000)
    assert list(info.kinds.items())[:3] == [
        ("config_push", 3),
        ("resource_defs", 3),
        ("shared_push", 1),
    ]
    assert sum(info.kinds.values()) == 37
    assert (info.hosts, info.slots, info.resources) == (2, 32, ("slots", "mem"))
    assert (info.jobs, info.users) == (214, 2)
    assert info.queues == (("normal", 214),)
    assert (info.rounds, info.first_round, info.last_round) == (2, 12, 13)
    assert (info.missing, info.damage) == ((), None)


def test_facts_say_what_is_missing(tmp_path, small):
    assert replay_info(small).missing == ("no configuration", "no hosts", "no jobs", "no rounds")
    path = tmp_path / "w.jsonl"
    path.write_text(
        '{"replay": {"version": 1, "mode": "workload"}}\n'
        '{"t": 0, "push_begin": {}}\n'
        '{"t": 0, "config_push": {"queues": [{"name": "idle"}, {"name": "q"}]}}\n'
        '{"t": 0, "workers_push": [{"name": "n01", "slots": 4}]}\n'
        '{"t": 0, "push_end": {}}\n'
        '{"t": 0, "worker_update": {"name": "n01", "slots": 8}}\n'
        '{"t": 1, "job_new": {"id": 1, "queue": "q", "array": {"first": 1, "last": 9, "step": 2}}}\n'
        '{"t": 2, "jobs_push": [{"id": 1, "queue": "q"}, {"id": "2[1]", "queue": "r", "run_time": 5}]}\n'
        '{"t": 3, "push_begin": {}}\n'
    )
    info = replay_info(path)
    assert (info.hosts, info.slots, info.jobs) == (1, 8, 6)
    assert info.queues == (("q", 5), ("r", 1), ("idle", 0))
    assert info.missing == (
        "5 jobs without a run time: they never end",
        "a push or snapshot is not closed",
    )


def test_facts_of_a_damaged_file_are_those_before_the_damage(tmp_path, small):
    data = small.read_bytes()
    small.write_bytes(data[:-3])
    info = replay_info(small)
    assert (info.events, type(info.damage)) == (1, TruncatedReplay)
    small.write_bytes(data + b"\xff" * 8)
    info = replay_info(small)
    assert (info.events, type(info.damage)) == (2, ReplayError)
    small.write_bytes(b"")
    with pytest.raises(ReplayError, match="the file is empty"):
        replay_info(small)
