"""What is in a recording: events as played, job ends, rounds, decisions, reason sets once."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from sim.recordings import lines, random_workload, record
from sittings import config, hosts, job, write_replay

from xce_sim.cli import main
from xce_sim.core.core import Core
from xce_sim.errors import UserError
from xce_sim.model.decision import Dispatch, Pend, PendRun
from xce_sim.model.event import Header
from xce_sim.model.job import Allocation
from xce_sim.model.reasons import HostSet, ReasonBody, ReasonCode, ReasonEntry, Reasons
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.recording import Recording, open_recording
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.settings import TraceSettings

NAMES = tuple(f"n{i:02d}" for i in range(1, 9))


def reasons(*entries: ReasonEntry, main: ReasonCode = ReasonCode.HOST_RESOURCE) -> Reasons:
    return Reasons(ReasonBody(main, entries), NAMES)


def mem_on(*hosts: int) -> ReasonEntry:
    return ReasonEntry(code=ReasonCode.HOST_RESOURCE, resource="mem", hosts=HostSet(hosts))


def told(*rounds: list[Dispatch | Pend | PendRun]) -> list[str]:
    """The messages of rounds with these decisions, without the header and times."""
    file = io.BytesIO()
    recording = Recording(file, Header(), form="text")
    for number, decisions in enumerate(rounds, 1):
        recording.round_begins(0, number)
        for decision in decisions:
            recording.decided(0, decision)
        recording.round_ends(0, number)
    messages = [{k: v for k, v in line.items() if k != "t"} for line in lines(file.getvalue())]
    return [json.dumps(each) for each in messages[1:]]


def kinds(*rounds: list[Dispatch | Pend | PendRun]) -> list[str]:
    return [next(iter(json.loads(each))) for each in told(*rounds)]


def test_a_whole_recording(tmp_path: Path) -> None:
    """Two jobs on one slot: the second waits, the first ends, the second runs."""
    limit = {"name": "lim", "resource": "jobs", "value": 1, "per_host": ["n01"]}
    events = (
        config(limits=[limit]),
        hosts(1, 1),
        job(1, run_time=5),
        job(2, run_time=5),
        job(3, 1),
    )
    path = write_replay(tmp_path / "w.jsonl", *events)
    played = path.read_text().splitlines()[1:]
    made = record(path).decode().splitlines()
    assert json.loads(made[0]) == {
        "replay": {"version": 1, "mode": "recorded", "producer": "xce-sim"}
    }
    assert [json.loads(each) for each in made[1:5]] == [json.loads(each) for each in played[:4]]
    allocs = {"hosts": [{"host": "n01", "tasks": 1}]}
    entries = [
        {"code": "HOST_RESOURCE", "resource": "slots", "hosts": ["n01"]},
        {"code": "HOST_LIMIT", "limit": "lim/h=n01", "hosts": ["n01"]},
    ]
    assert [json.loads(each) for each in made[5:]] == [
        {"t": 0, "round_begin": {"round": 1}},
        {"t": 0, "dispatch": {"job": 1, "allocs": allocs}},
        {"t": 0, "reason_set": {"set": 1, "entries": entries}},
        {"t": 0, "pend": {"job": 2, "main": "HOST_RESOURCE", "set": 1}},
        {"t": 0, "round_end": {"round": 1}},
        json.loads(played[4]),
        {"t": 1, "round_begin": {"round": 2}},
        {"t": 1, "pend_run": {"jobs": ["2-3"], "main": "HOST_RESOURCE", "set": 1}},
        {"t": 1, "round_end": {"round": 2}},
        {"t": 5, "job_update": {"id": 1, "state": "done", "end_time": 5}},
        {"t": 5, "round_begin": {"round": 3}},
        {"t": 5, "dispatch": {"job": 2, "allocs": allocs}},
        {"t": 5, "pend": {"job": 3, "main": "HOST_RESOURCE", "set": 1}},
        {"t": 5, "round_end": {"round": 3}},
        {"t": 10, "job_update": {"id": 2, "state": "done", "end_time": 10}},
        {"t": 10, "round_begin": {"round": 4}},
        {"t": 10, "dispatch": {"job": 3, "allocs": allocs}},
        {"t": 10, "round_end": {"round": 4}},
        {"t": 20, "job_update": {"id": 3, "state": "done", "end_time": 20}},
        {"t": 20, "round_begin": {"round": 5}},
        {"t": 20, "round_end": {"round": 5}},
    ]


def test_neighbouring_hosts_are_a_range_and_an_instance_of_each_host_is_complete() -> None:
    limited = ReasonEntry(
        code=ReasonCode.HOST_LIMIT, limit="lim/u=a", hosts=HostSet([1, 2]), per_host=True
    )
    found = reasons(mem_on(0, 2, 3, 4, 7), limited)
    assert json.loads(told([Pend(job=1, reasons=found)])[1])["reason_set"]["entries"] == [
        {
            "code": "HOST_RESOURCE",
            "resource": "mem",
            "hosts": ["n01", {"from": "n03", "to": "n05"}, "n08"],
        },
        {"code": "HOST_LIMIT", "limit": "lim/u=a,h=n02", "hosts": ["n02"]},
        {"code": "HOST_LIMIT", "limit": "lim/u=a,h=n03", "hosts": ["n03"]},
    ]


def test_a_set_is_written_once_whoever_says_it() -> None:
    first, again, other = reasons(mem_on(1)), reasons(mem_on(1)), reasons(mem_on(2))
    decisions = [Pend(job=n, reasons=each) for n, each in enumerate((first, again, other, first))]
    assert [each for each in told(decisions) if "round_" not in each] == [
        '{"reason_set": {"set": 1, "entries": [{"code": "HOST_RESOURCE", "resource": "mem", "hosts": ["n02"]}]}}',
        '{"pend_run": {"jobs": ["0-1"], "main": "HOST_RESOURCE", "set": 1}}',
        '{"reason_set": {"set": 2, "entries": [{"code": "HOST_RESOURCE", "resource": "mem", "hosts": ["n03"]}]}}',
        '{"pend": {"job": 2, "main": "HOST_RESOURCE", "set": 2}}',
        '{"pend": {"job": 3, "main": "HOST_RESOURCE", "set": 1}}',
    ]


def test_reasons_are_found_once_for_each_object() -> None:
    built = []

    def build() -> ReasonBody:
        built.append(1)
        return ReasonBody(ReasonCode.HOST_RESOURCE, (mem_on(1),))

    found = Reasons(build, NAMES)
    told(*[[Pend(job=1, reasons=found), Pend(job=2, reasons=found)]] * 4)
    assert built == [1]


def test_a_round_that_decides_the_same_says_so_however_it_comes() -> None:
    a, b = reasons(mem_on(1)), reasons(mem_on(2))
    whole = [PendRun(jobs=(1, 2, 3), reasons=a), Pend(job=4, reasons=b)]
    single = [*whole[0], *whole[1:]]
    first = ["round_begin", "reason_set", "pend_run", "reason_set", "pend", "round_end"]
    same = ["round_begin", "round_same", "round_end"]
    assert kinds(whole, whole, single, whole) == first + same * 3
    assert told(single, whole) == told(whole, single)


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: whole[:1],
        lambda whole: [*whole, Pend(job=9, reasons=whole[0].reasons)],
        lambda whole: whole[::-1],
        lambda whole: [whole[0], Pend(job=5, reasons=whole[1].reasons)],
        lambda whole: [whole[0], Pend(job=4, reasons=whole[0].reasons)],
    ],
)
def test_a_round_that_differs_is_written_out(change) -> None:
    whole = [Pend(job=1, reasons=reasons(mem_on(1))), Pend(job=4, reasons=reasons(mem_on(2)))]
    assert "round_same" not in kinds(whole, change(whole))


def test_a_dispatch_and_nothing_are_never_the_same() -> None:
    made = Dispatch(job=1, allocation=Allocation())
    assert kinds([made], [made]) == ["round_begin", "dispatch", "round_end"] * 2
    waits = Pend(job=2, reasons=reasons(mem_on(1)))
    assert "round_same" not in kinds([made, waits], [waits], [], [])
    assert kinds([waits], [waits, made])[4:] == ["round_begin", "pend", "dispatch", "round_end"]


@pytest.mark.parametrize("seed", range(6))
def test_r10_2_a_recording_is_the_same_traced_or_not(tmp_path: Path, seed: int) -> None:
    path = random_workload(tmp_path / "w.jsonl", seed)

    def traced(engine: Engine) -> None:
        engine.core.trace = Recorder(TraceSettings(on=True, all=True, level="full"))

    def watched(engine: Engine) -> None:
        engine.core.watch = lambda job: job % 2 == 0

    plain = record(path)
    assert record(path, prepare=traced) == plain
    assert record(path, prepare=watched) == plain


def test_an_event_is_recorded_before_it_is_applied(tmp_path: Path) -> None:
    """Given an event that can not be applied, then it is the last one of the recording."""
    again = {"t": 0, "config_push": {"queues": [{"name": "other"}]}}
    path = write_replay(tmp_path / "w.jsonl", config(), job(1, resreq="x"), again)
    out = tmp_path / "out.jsonl"
    assert main(["--sim", str(path), "--sim-output", str(out)]) == 3
    assert lines(out.read_bytes())[-1]["config_push"]["queues"][0]["name"] == "other"


def test_the_program_writes_it_and_again_from_the_start(tmp_path: Path, capsys) -> None:
    path = write_replay(tmp_path / "w.jsonl", config(), hosts(1, 1), job(1), job(2))
    out = tmp_path / "out.jsonl"
    out.write_text("something else")
    assert main(["--sim", str(path), "--sim-output", str(out)]) == 0
    assert out.read_bytes() == record(path)
    steps = ["step", "trace on all", "run"]
    words = [word for step in steps for word in ("-e", step)]
    assert main(["--sim", str(path), "-i", "--batch", *words, "--sim-output", str(out)]) == 0
    assert out.read_bytes() == record(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("w.jsonl", "w.jsonl is the replay being played; name another file"),
        ("log.jsonl", "log.jsonl is the log; name another file"),
        ("out.txt", "the suffix does not tell the form of the replay"),
        ("out.jsonl.gz", "a replay is not written packed; pack it afterwards"),
        ("nowhere/out.jsonl", "nowhere/out.jsonl: can not be written: no such file"),
    ],
)
@pytest.mark.parametrize("more", [(), ("-i", "--batch", "-e", "step")])
def test_files_that_can_not_be_the_output(tmp_path: Path, capsys, name, message, more) -> None:
    path = write_replay(tmp_path / "w.jsonl", config(), hosts(1, 1), job(1))
    before = path.read_bytes()
    log = tmp_path / "log.jsonl"
    given = ["--sim", str(path), "--sim-output", str(tmp_path / name), "--log", str(log), *more]
    assert main(given) == 1
    assert message in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_trace_is_not_written_into_the_output(tmp_path: Path, capsys) -> None:
    path = write_replay(tmp_path / "w.jsonl", config(), hosts(1, 1), job(1))
    out = tmp_path / "out.jsonl"
    command = f"trace on all file {out}"
    assert main(["--sim", str(path), "-i", "--sim-output", str(out), "--batch", "-e", command]) == 1
    assert f"[sim] trace: {out} is the output" in capsys.readouterr().out


class Full(io.BytesIO):
    """A file that takes the first so many writes."""

    def __init__(self, writes: int) -> None:
        super().__init__()
        self.writes = writes

    def write(self, data: bytes) -> int:
        self.writes -= 1
        if self.writes < 0:
            raise OSError(28, os.strerror(28))
        return super().write(data)


def test_a_full_disk_ends_the_recording_and_not_the_play(tmp_path: Path) -> None:
    path = random_workload(tmp_path / "w.jsonl", 1)
    file = Full(20)
    with open_replay(path) as replay:
        recording = Recording(file, replay.header, form="text")
        engine = Engine(replay, Core(), recording=recording)
        for _ in engine.happenings():
            pass
    assert engine.complete
    assert recording.failure == "No space left on device"
    assert record(path).startswith(file.getvalue())
    assert (recording.events, file.writes) == (19, -1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").symlink_to("/dev/full")
    with pytest.raises(UserError, match="can not be written: No space left on device"):
        open_recording(tmp_path / "out.jsonl", Header())


@pytest.mark.parametrize("more", [(), ("-i", "--batch", "-e", "continue", "-e", "info session")])
def test_a_failure_is_said_once_and_counts(tmp_path: Path, capsys, monkeypatch, more) -> None:
    path = write_replay(tmp_path / "w.jsonl", config(), hosts(1, 1), job(1), job(2))
    monkeypatch.setattr(
        "xce_sim.headless.open_recording",
        lambda path, header: Recording(Full(4), header, form="text"),
    )
    assert main(["--sim", str(path), "--sim-output", "out.jsonl", *more]) == 1
    said = "".join(capsys.readouterr())
    assert said.count("output: write to the recording failed: No space left on device") == 1
