"""A recording played against itself has no difference; altered by hand, each is found and named."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sim.recordings import lines, record, workloads
from sittings import config, hosts, job, write_replay

from xce_sim.cli import main
from xce_sim.core.core import Core
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.recording import Recording
from xce_sim.sim.verification import Verification
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.settings import TraceSettings

Messages = list[dict[str, Any]]


def verified(
    path: Path, prepare: Callable[[Engine], Any] = id, allow_truncated: bool = False
) -> tuple[Verification, bytes]:
    """A recording compared with what is decided, and recorded again."""
    file, found = io.BytesIO(), Verification()
    with open_replay(path, allow_truncated=allow_truncated) as replay:
        again = Recording(file, replay.header, form=replay.form)
        engine = Engine(replay, Core(), recording=again, verification=found)
        prepare(engine)
        for _ in engine.happenings():
            pass
    return found, file.getvalue()


def traced(engine: Engine) -> None:
    engine.core.trace = Recorder(TraceSettings(on=True, all=True, level="summary"))


def test_a_recording_verifies_and_is_recorded_again_byte_by_byte(tmp_path: Path) -> None:
    for path in workloads(tmp_path, 100):
        data = record(path, form="binary")
        out = tmp_path / "out.replay"
        out.write_bytes(data)
        found, again = verified(out)
        assert (found.differences, found.first, again == data) == (0, [], True), path
        assert found.rounds > 5
        assert found.decisions > 5


def test_r10_2_verification_is_the_same_traced_or_not(tmp_path: Path) -> None:
    for path in workloads(tmp_path, 8):
        out = tmp_path / "out.jsonl"
        out.write_bytes(record(path))
        plain, same = verified(out)
        found, again = verified(out, traced)
        assert (found.decisions, found.differences) == (plain.decisions, 0)
        assert again == same


@pytest.fixture
def messages(tmp_path: Path) -> Messages:
    """Round 1 dispatches 1 to both hosts, and 2; 3 and 4 wait, each for its own reasons."""
    defs = {"t": 0, "resource_defs": [{"name": "mem", "consumable": True}]}
    path = write_replay(
        tmp_path / "w.jsonl",
        config(), defs, hosts(3, 2, values={"mem": 8}),
        job(1, min_tasks=2, resreq="span[ptile=1] rusage[mem=3]"), job(2, resreq="rusage[mem=4]"),
        job(3, min_tasks=5), job(4, resreq="rusage[mem=8]", hosts=["n01", "n02"]), job(5, 1),
    )  # fmt: skip
    return lines(record(path))


def altered(messages: Messages, folder: Path, change: Callable[[Messages], Any]) -> Path:
    change(messages)
    path = folder / "altered.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in messages))
    return path


def nth(messages: Messages, kind: str, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = [each[kind] for each in messages if kind in each][number]
    return found


def swap(messages: Messages, kind: str, first: int, second: int) -> None:
    places = [place for place, each in enumerate(messages) if kind in each]
    one, other = places[first], places[second]
    messages[one], messages[other] = messages[other], messages[one]


def drop(messages: Messages, kind: str, number: int) -> None:
    messages.pop([place for place, each in enumerate(messages) if kind in each][number])


def hosts_of(messages: Messages) -> Messages:
    found: Messages = nth(messages, "dispatch")["allocs"]["hosts"]
    return found


def to_pend(messages: Messages) -> None:
    place = next(place for place, each in enumerate(messages) if "dispatch" in each)
    inline = [{"code": "NO_CANDIDATE"}]
    messages[place] = {"t": 0, "pend": {"job": 1, "main": "NO_CANDIDATE", "reasons": inline}}


ALTERED = {
    "amount": (
        lambda m: hosts_of(m)[1].update(amounts={"mem": 2.5}),
        "job 1  amount mem on n02: here 3, recorded 2.5",
    ),
    "tasks": (lambda m: hosts_of(m)[0].update(tasks=2), "job 1  tasks on n01: here 1, recorded 2"),
    "order of hosts": (
        lambda m: hosts_of(m).reverse(),
        "job 1  hosts: here n01:1 n02:1, recorded n02:1 n01:1",
    ),
    "another host": (
        lambda m: hosts_of(m)[1].update(host="n03"),
        "job 1  hosts: here n01:1 n02:1, recorded n01:1 n03:1",
    ),
    "reconstructed": (
        lambda m: nth(m, "dispatch").update(reconstructed=True),
        "job 1  decision: here dispatch n01:1 n02:1, recorded dispatch n01:1 n02:1 (reconstructed)",
    ),
    "kind": (
        to_pend,
        "job 1  decision: here dispatch n01:1 n02:1, recorded pend NO_CANDIDATE with NO_CANDIDATE",
    ),
    "main": (
        lambda m: nth(m, "pend", 1).update(main="HOST_LIMIT"),
        "job 4  main: here HOST_RESOURCE, recorded HOST_LIMIT",
    ),
    "reason": (
        lambda m: nth(m, "reason_set", 1)["entries"][0].update(hosts=["n02", "n03"]),
        "job 4  reasons: here only HOST_RESOURCE mem on n01, recorded only HOST_RESOURCE mem on n03",
    ),
    "order": (lambda m: swap(m, "dispatch", 0, 1), "job 1  position: here 1, recorded 2"),
    "missing there": (
        lambda m: drop(m, "dispatch", 1),
        "job 2  decision: here dispatch n01:1, recorded nothing",
    ),
}


@pytest.mark.parametrize("name", list(ALTERED))
def test_what_was_altered_is_found_and_named(messages, tmp_path: Path, capsys, name: str) -> None:
    change, line = ALTERED[name]
    path = altered(messages, tmp_path, change)
    assert main(["--sim", str(path), "--sim-verify"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert "[sim] verify  round 1, 1970-01-01 00:00:00  " + line in out
    assert out[3].startswith("[sim] verify  rounds ")
    counts = "differences 2 in 2 rounds" if name == "reason" else "differences 1 in 1 round"
    assert out[3].endswith(counts)  # the altered set is met again in round 2


def test_a_recorded_decision_that_is_not_made_here(messages, tmp_path: Path, capsys) -> None:
    first = next(place for place, each in enumerate(messages) if "round_end" in each)
    arrival = next(place for place, each in enumerate(messages) if "job_new" in each)
    late = {"t": 0, "job_new": {"id": 9, "user": "alice", "queue": "normal", "state": "pend"}}
    late["job_new"].pop("state")
    messages.insert(first, {"t": 0, "pend": {"job": 9, "main": "NO_PLAN", "set": 1}})
    messages.insert(arrival, {"t": 0, "queue_update": {"name": "shut"}})
    messages.insert(arrival, late | {"job_new": late["job_new"] | {"queue": "shut"}})
    queues = nth(messages, "config_push")["queues"]
    queues.append({"name": "shut", "active": False})
    path = altered(messages, tmp_path, id)
    assert main(["--sim", str(path), "--sim-verify"]) == 1
    out = capsys.readouterr().out
    assert "job 9  decision: here nothing, recorded pend NO_PLAN with HOST_RESOURCE" in out
    assert "differences 1 in 1 round" in out


def test_entries_are_compared_as_a_set(messages, tmp_path: Path, capsys) -> None:
    def spread(messages: Messages) -> None:
        entries = nth(messages, "reason_set", 1)["entries"]
        hosts = {"hosts": ["n02"]}
        entries[:] = [entries[0] | hosts, *entries[1:], entries[0] | {"hosts": ["n01"]}]

    assert nth(messages, "reason_set", 1)["entries"][0]["hosts"] == [{"from": "n01", "to": "n02"}]
    path = altered(messages, tmp_path, spread)
    assert main(["--sim", str(path), "--sim-verify"]) == 0
    assert "decisions 10  no difference" in capsys.readouterr().out


def test_the_report_as_json(messages, tmp_path: Path, capsys) -> None:
    path = altered(messages, tmp_path, ALTERED["amount"][0])
    assert main(["--sim", str(path), "--sim-verify", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["verification"]
    assert found["first"] == [
        {
            "round": 1, "time": 0.0, "job": "1", "what": "amount", "host": "n02", "resource": "mem",
            "here": "3", "recorded": "2.5",
        }
    ]  # fmt: skip
    assert (found["differences"], found["differing_rounds"]) == (1, 1)


def test_a_workload_has_nothing_to_compare_with(tmp_path: Path, capsys) -> None:
    path = write_replay(tmp_path / "w.jsonl", config(), hosts(1), job(1))
    assert main(["--sim", str(path), "--sim-verify"]) == 1
    assert "is a workload: there is nothing to compare with" in capsys.readouterr().err


def test_a_cut_off_round_is_compared_as_far_as_it_goes(messages, tmp_path: Path) -> None:
    second = [place for place, each in enumerate(messages) if "dispatch" in each][1]
    path = altered(messages[:second], tmp_path, id)
    found, _ = verified(path, allow_truncated=True)
    assert (found.rounds, found.differences) == (1, 0)


def test_break_mismatch_stops_at_the_first_one(messages, tmp_path: Path, capsys) -> None:
    path = altered(messages, tmp_path, ALTERED["amount"][0])
    commands = ["break mismatch", "trace on job 1 level summary", "continue", "continue"]
    words = [word for each in commands for word in ("-e", each)]
    assert main(["--sim", str(path), "-i", "--batch", "--sim-verify", *words]) == 1
    out = capsys.readouterr().out
    difference = "job 1  amount mem on n02: here 3, recorded 2.5"
    before, _, after = out.partition(difference)
    assert "[sim]   dispatch 1  n01:1 n02:1\n" in before
    assert "  outcome: DISPATCH\n" in before
    assert after.startswith("\n[sim] stopped: breakpoint 1 (mismatch) at round 1, ")
    assert "[sim] verify  rounds 6  decisions 10  differences 1 in 1 round" in after


def test_break_mismatch_needs_a_comparison(tmp_path: Path, capsys) -> None:
    path = write_replay(tmp_path / "w.jsonl", config(), hosts(1), job(1))
    assert main(["--sim", str(path), "-i", "--batch", "-e", "tbreak mismatch"]) == 1
    assert "start with --sim-verify" in capsys.readouterr().out
