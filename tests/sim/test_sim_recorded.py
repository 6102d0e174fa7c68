"""Playing recordings: rounds where they were, a job runs until the recording speaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sim.recordings import record, workloads
from sittings import config, hosts

from xce_sim.core.core import Core
from xce_sim.errors import UserError
from xce_sim.model.decision import Dispatch, Pend, PendRun
from xce_sim.model.ids import format_id
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.happening import Decided, RoundBegins, RoundEnded
from xce_sim.sim.tally import summarise

ON_N01 = {"hosts": [{"host": "n01", "tasks": 1}]}


def recording(path: Path, *events: dict[str, Any]) -> Path:
    header = {"replay": {"version": 1, "mode": "recorded"}}
    path.write_text("".join(json.dumps(each) + "\n" for each in (header, *events)))
    return path


def round_of(number: int, t: float, *contents: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [{"t": t, **each} for each in contents]
    return [
        {"t": t, "round_begin": {"round": number}}, *inner, {"t": t, "round_end": {"round": number}}
    ]  # fmt: skip


def job(id: int, t: float = 0, **more: Any) -> dict[str, Any]:
    return {"t": t, "job_new": {"id": id, "user": "alice", "queue": "normal", **more}}


def update(id: int, t: float, **fields: Any) -> dict[str, Any]:
    return {"t": t, "job_update": {"id": id, **fields}}


def told(path: Path) -> list[str]:
    """Rounds and decisions, one line each."""
    found = []
    with open_replay(path) as replay:
        for happening in Engine(replay, Core(check=True)).happenings():
            if isinstance(happening, RoundBegins):
                found.append(f"round {happening.round} at {happening.t // 10**6}")
            elif isinstance(happening, Decided):
                made = happening.decision
                if isinstance(made, Dispatch):
                    word = "reconstructed" if made.reconstructed else "dispatch"
                    where = " ".join(share.host for share in made.allocation.hosts)
                    found.append(f"{word} {format_id(made.job)} {where}")
                elif isinstance(made, Pend | PendRun):
                    jobs = made.jobs if isinstance(made, PendRun) else (made.job,)
                    found += [f"pend {format_id(each)}" for each in jobs]
    return found


def test_rounds_are_where_the_recording_has_them_under_its_numbers(tmp_path: Path) -> None:
    path = recording(
        tmp_path / "r.jsonl",
        config(), hosts(1, 1), job(1), job(2, 3), *round_of(7, 5), *round_of(9, 5), job(3, 6),
        *round_of(20, 8),
    )  # fmt: skip
    assert told(path) == [
        "round 7 at 5", "dispatch 1 n01", "pend 2",
        "round 9 at 5", "pend 2",
        "round 20 at 8", "pend 2", "pend 3",
    ]  # fmt: skip


def test_a_job_dispatched_here_runs_until_the_recording_speaks(tmp_path: Path) -> None:
    """Its run time does not end it; another allocation moves it; `pend` frees; an end releases."""
    path = recording(
        tmp_path / "r.jsonl",
        config(), hosts(2, 1), job(1, run_time=1), job(2, hosts=["n01"]), *round_of(1, 0),
        *round_of(2, 50),
        update(1, 60, state="run", allocs={"hosts": [{"host": "n02", "tasks": 1}]}), *round_of(3, 60),
        update(2, 70, state="pend"), update(1, 70, state="pend", priority=9), *round_of(4, 70),
        update(1, 80, state="done"), *round_of(5, 80),
    )  # fmt: skip
    assert told(path) == [
        "round 1 at 0", "dispatch 1 n01", "pend 2",
        "round 2 at 50", "pend 2",
        "round 3 at 60", "dispatch 2 n01",
        "round 4 at 70", "dispatch 1 n01", "pend 2",
        "round 5 at 80", "dispatch 2 n01",
    ]  # fmt: skip


def test_jobs_that_the_recording_runs_are_reported_once_first_and_never_decided(
    tmp_path: Path,
) -> None:
    started = [
        update(3, 5, state="run", start_time=5, allocs=ON_N01),
        update(2, 5, state="run", start_time=4, allocs=ON_N01),
    ]
    path = recording(
        tmp_path / "r.jsonl",
        config(), hosts(1, 3), job(1, 1), job(2, 1), job(3, 1), job(4, 1), *started, *round_of(1, 6),
        *round_of(2, 7), update(2, 8, state="run"), *round_of(3, 8), update(2, 9, state="pend"),
        *round_of(4, 9), update(4, 10, state="run", start_time=10, allocs=ON_N01), *round_of(5, 10),
    )  # fmt: skip
    assert told(path) == [
        "round 1 at 6", "reconstructed 2 n01", "reconstructed 3 n01", "dispatch 1 n01", "pend 4",
        "round 2 at 7", "pend 4",
        "round 3 at 8", "pend 4",
        "round 4 at 9", "dispatch 2 n01", "pend 4",
        "round 5 at 10", "reconstructed 4 n01",
    ]  # fmt: skip


def test_what_was_recorded_as_decided_is_no_input(tmp_path: Path) -> None:
    """Given a recorded dispatch that this core does not make, then the job waits on."""
    wrong = {"dispatch": {"job": 2, "allocs": ON_N01}}
    path = recording(
        tmp_path / "r.jsonl",
        config(), hosts(1, 1), job(1), job(2), *round_of(1, 0, wrong), *round_of(2, 1),
    )  # fmt: skip
    assert told(path) == [
        "round 1 at 0", "dispatch 1 n01", "pend 2", "round 2 at 1", "pend 2"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["push_begin", "disconnect", "join", "rebuilt", "snapshot_begin"],
)
def test_what_can_not_be_played_yet_is_refused_by_name(tmp_path: Path, name: str) -> None:
    content = {"round": 1} if name == "snapshot_begin" else {}
    end = {"push_begin": "push_end", "snapshot_begin": "snapshot_end"}.get(name)
    events = [config(), hosts(1, 1), *round_of(1, 0), {"t": 1, name: content}]
    events += [{"t": 1, end: {}}] if end else []
    path = recording(tmp_path / "r.jsonl", *events)
    with pytest.raises(UserError, match=f"event 5, byte [0-9]+: {name} can not be played yet"):
        told(path)


def test_a_round_whose_end_is_cut_off_is_decided(tmp_path: Path) -> None:
    events = [config(), hosts(1, 1), job(1), job(2), *round_of(1, 0)[:-1]]
    path = recording(tmp_path / "r.jsonl", *events)
    with open_replay(path) as replay:
        engine = Engine(replay, Core())
        ends = [each for each in engine.happenings() if isinstance(each, RoundEnded)]
    assert [(each.round, each.dispatched, each.number) for each in ends] == [(1, 1, 5)]
    assert engine.damage is not None
    assert "ends inside round 1, begun by event 5" in engine.damage.message


def summary_of(path: Path) -> tuple[Any, ...]:
    with open_replay(path) as replay:
        core = Core()
        engine = Engine(replay, core)
        for _ in engine.happenings():
            pass
        found = summarise(engine.tally, core.state, engine.round, engine.now)
    return (
        found.rounds, found.jobs, found.finished, found.running, found.pending, found.held,
        found.invalid, found.dispatched, found.mean_wait, found.max_wait, found.slot_time,
    )  # fmt: skip


def test_a_recording_played_is_what_was_recorded(tmp_path: Path) -> None:
    """Given bundled and random workloads, then the recording of their recording is the same."""
    for path in workloads(tmp_path, 20):
        for form in ("text", "binary"):
            first = record(path, form=form)  # type: ignore[arg-type]
            out = tmp_path / ("out.jsonl" if form == "text" else "out.replay")
            out.write_bytes(first)
            assert record(out, form=form) == first, path  # type: ignore[arg-type]
        assert summary_of(out) == summary_of(path), path
