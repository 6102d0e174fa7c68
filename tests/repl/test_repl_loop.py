"""The loop: what is echoed, what an error does, what Enter repeats, how it ends."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from sittings import Sitting, config, hosts, job, write_replay

from xce_sim.commands.playing import Player
from xce_sim.errors import STATUS_ERROR, STATUS_INTERRUPTED, STATUS_OK
from xce_sim.sim.happening import Happening


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    """One host with four slots; jobs a second apart, the second of which never fits."""
    events = (config(), hosts(1), job(1), job(2, 1, min_tasks=9), *(job(i, i) for i in range(3, 9)))
    return write_replay(tmp_path / "small.jsonl", *events)


@pytest.fixture
def sitting(replay: Path) -> Sitting:
    return Sitting(replay)


def test_a_failed_command_does_not_end_a_script_but_its_status_stays(sitting: Sitting) -> None:
    text = sitting.run("show units", "show nothing", "show time")
    assert text == (
        "units auto\n[sim] show: invalid setting: nothing; one of units time width echo\ntime utc\n"
    )
    assert sitting.loop.status == STATUS_ERROR


def test_at_the_first_error_a_batch_stops_and_says_where(sitting: Sitting) -> None:
    text = sitting.run("show units", "show nothing", "show time", stop_at_error=True)
    assert text.splitlines()[-1] == "[sim] script: stopped at the first error, script:2"
    assert "time utc" not in text


def test_what_a_person_gets_wrong_is_no_failure(sitting: Sitting) -> None:
    sitting.type("show nothing", "frobnicate", "info host 'x")
    assert sitting.loop.status == STATUS_OK


def test_enter_repeats_step_and_continue_and_nothing_else(sitting: Sitting) -> None:
    assert sitting.type("step", "").count("round done") == 2
    assert sitting.type("continue 1", "").count("round done") == 2
    assert sitting.type("info round", "", "") == sitting.type("info round")
    assert sitting.type("step", "show units", "").count("round done") == 1
    assert sitting.type("show units ;; step", "").count("round done") == 2
    assert sitting.type("show units ;; step", "").count("units auto") == 1
    assert sitting.type("step ;; frobnicate", "").count("round done") == 1


def test_a_blank_line_in_a_script_does_nothing(replay: Path) -> None:
    assert Sitting(replay).run("step", "", "  ") == Sitting(replay).run("step")


def test_what_is_typed_is_not_echoed_and_what_is_not_is(sitting: Sitting) -> None:
    assert sitting.type("show units") == "units auto\n"
    sitting.run("show\tunits  ")
    assert sitting._stream.getvalue() == "xce> show units\nunits auto\n"


def test_a_script_that_calls_itself_is_stopped(sitting: Sitting, tmp_path: Path) -> None:
    (tmp_path / "itself").write_text(f"source {tmp_path / 'itself'}\nshow units\n")
    text = sitting.run(f"source {tmp_path / 'itself'}")
    assert f"[sim] source: {tmp_path / 'itself'} is the 16th script within another\n" in text
    assert text.count("units auto\n") == 16


def test_an_error_within_a_script_ends_a_batch(sitting: Sitting, tmp_path: Path) -> None:
    (tmp_path / "inner").write_text("show units\nshow nothing\nshow time\n")
    text = sitting.run(f"source {tmp_path / 'inner'}", "show width", stop_at_error=True)
    assert text.endswith(f"[sim] script: stopped at the first error, {tmp_path / 'inner'}:2\n")
    assert "width" not in text.splitlines()[-1]


def test_what_fails_in_a_script_that_a_person_calls_is_no_failure(
    sitting: Sitting, tmp_path: Path
) -> None:
    (tmp_path / "inner").write_text("show nothing\n")
    sitting.type(f"source {tmp_path / 'inner'}")
    assert sitting.loop.status == STATUS_OK
    sitting.run(f"source {tmp_path / 'inner'}")
    assert sitting.loop.status == STATUS_ERROR


def test_nothing_runs_after_quit(sitting: Sitting) -> None:
    assert sitting.run("quit ;; show units", "show units") == ""
    assert sitting.loop.over


def test_a_defect_is_named_logged_and_survived(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Player) -> Happening:
        raise ZeroDivisionError("of \x1b[31mall things")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR, "xce_sim"):
        patch.setattr(Player, "pull", broken)
        text = sitting.run("step", "show units")
    assert text == (
        "[sim] step: internal error: ZeroDivisionError: of \\x1b[31mall things; "
        "its traceback is in the log\n"
        "units auto\n"
    )
    assert sitting.loop.status == STATUS_ERROR
    assert "in broken" in caplog.text


def test_a_defect_inside_the_core_ends_the_replay_and_not_the_sitting(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Iterator[Happening]:
        raise RuntimeError("lost")
        yield

    stream = broken()
    monkeypatch.setattr(sitting.session.player.engine, "happenings", lambda: stream)
    first, second, third = sitting.run("step", "step", "show units").splitlines()
    assert first.startswith("[sim] step: internal error: RuntimeError: lost")
    assert second == "[sim] step: the replay ended in an internal error and can not go on"
    assert third == "units auto"


def test_ctrl_c_ends_a_script_with_its_own_status(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(player: Player, pull: object = Player.pull) -> Happening | None:
        sitting.session.interrupt.requested = True
        return pull(player)  # type: ignore[operator]

    monkeypatch.setattr(Player, "pull", pressed)
    text = sitting.run("continue", "show units")
    assert text == "[sim] stopped: interrupted at round 0, 1970-01-01 00:00:00, event 1\n"
    assert sitting.loop.status == STATUS_INTERRUPTED


def test_ctrl_c_twice_says_that_the_replay_can_not_go_on(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def __next__(self) -> Happening:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sitting.session.player.engine, "happenings", Interrupted)
        assert sitting.type("continue") == "[sim] continue: interrupted\n"
    text = sitting.type("continue", "show units")
    assert text == (
        "[sim] continue: the replay was interrupted in the midst of a decision and can not go on; "
        "quit and start again; one Ctrl-C stops between decisions\n"
        "units auto\n"
    )


def test_a_damaged_replay_plays_up_to_the_damage(replay: Path) -> None:
    replay.write_text(replay.read_text()[:-30])
    sitting = Sitting(replay)
    text = sitting.run("continue", "continue")
    damage, complete = text.splitlines()[-2:]
    assert damage.startswith("[sim] replay cut off: ")
    assert complete.startswith("[sim] replay complete at round 13, 1970-01-01 00:00:23, event 9")
    assert sitting.loop.status == 3


def test_damage_is_not_called_a_cut_and_gives_status_3(tmp_path: Path) -> None:
    path = write_replay(tmp_path / "damaged.jsonl", config(), hosts(1), {"t": 1, "bogus": {}})
    sitting = Sitting(path)
    assert sitting.run("step", "continue").splitlines()[-2:] == [
        f"[sim] replay damaged: {path}: event 3, byte {_line_begins(path, 3)}: unknown event 'bogus'",
        "[sim] replay complete at round 1, 1970-01-01 00:00:00, event 2",
    ]
    assert sitting.loop.status == 3


def _line_begins(path: Path, number: int) -> int:
    return sum(map(len, path.read_bytes().splitlines(keepends=True)[:number]))


def test_info_round_tells_the_time_of_the_round_and_not_of_the_events_after_it(
    tmp_path: Path,
) -> None:
    path = write_replay(tmp_path / "later.jsonl", config(), hosts(1), job(1), job(2, 5))
    sitting = Sitting(path)
    stopped = sitting.run("break job 2", "continue").splitlines()[-1]
    assert stopped == "[sim] stopped: breakpoint 1 (job 2) at round 1, 1970-01-01 00:00:05, event 4"
    assert sitting.run("info round") == (
        "round 1  1970-01-01 00:00:00  event 4  its session is over\n"
        "  events 1 new, 2 pushes\n"
        "  dispatched 1  pending 0\n"
    )


def test_a_person_who_typed_has_seen_the_damage_and_leaves_with_a_good_status(
    replay: Path,
) -> None:
    replay.write_text(replay.read_text()[:-30])
    sitting = Sitting(replay)
    assert "[sim] replay cut off: " in sitting.type("continue")
    assert sitting.loop.status == STATUS_OK


def test_continue_folds_rounds_alike(tmp_path: Path) -> None:
    """Jobs that only finish, and the same job waiting all the time, make one line."""
    events = [config(), hosts(1, 4), job(9, min_tasks=9)]
    events += [job(i, 0, run_time=i) for i in range(1, 5)]
    events += [job(20, 10, min_tasks=9), job(21, 90000, min_tasks=9)]
    text = Sitting(write_replay(tmp_path / "quiet.jsonl", *events)).run("continue")
    assert text == (
        "[sim] round 1  1970-01-01 00:00:00  4 dispatched, 1 pending: 9\n"
        "[sim] rounds 2-5  1970-01-01 00:00:01 - 00:00:04  0 dispatched, 1 pending: 9\n"
        "[sim] round 6  1970-01-01 00:00:10  0 dispatched, 2 pending: 9 20\n"
        "[sim] round 7  1970-01-02 01:00:00  0 dispatched, 3 pending: 9 20-21\n"
        "[sim] replay complete at round 7, 1970-01-02 01:00:00, event 9\n"
    )


def test_a_traced_round_is_never_folded(tmp_path: Path) -> None:
    events = [config(), hosts(1, 4), job(8, min_tasks=9), job(9, min_tasks=9)]
    events += [job(i, 0, run_time=i) for i in range(1, 5)]
    sitting = Sitting(write_replay(tmp_path / "quiet.jsonl", *events))
    text = sitting.run("continue 3", "trace on job 9", "continue 1", "trace off", "continue")
    lines = [line for line in text.splitlines() if not line.startswith(("  ", "[sim] stored"))]
    assert lines == [
        "[sim] round 1  1970-01-01 00:00:00  4 dispatched, 2 pending: 8-9",
        "[sim] rounds 2-3  1970-01-01 00:00:01 - 00:00:02  0 dispatched, 2 pending: 8-9",
        "[sim] stopped: 3 rounds done at round 3, 1970-01-01 00:00:02, event 8",
        "[sim] trace next session: on  jobs 9  level summary  lines 1000",
        "[sim]   pend 9  NO_PLAN",
        "[trace] job 9 session 4 position 2 level summary",
        "[sim] round 4  1970-01-01 00:00:03  0 dispatched, 2 pending: 8-9",
        "[sim] stopped: 1 round done at round 4, 1970-01-01 00:00:03, event 8",
        "[sim] trace next session: off",
        "[sim] round 5  1970-01-01 00:00:04  0 dispatched, 2 pending: 8-9",
        "[sim] replay complete at round 5, 1970-01-01 00:00:04, event 8",
    ]


def test_accounts_agree_before_anything_but_definitions_was_pushed(tmp_path: Path) -> None:
    """The sitting compares the accounts before every round."""
    definitions = {"t": 0, "resource_defs": [{"name": "mem", "consumable": True}]}
    text = Sitting(write_replay(tmp_path / "bare.jsonl", definitions)).run("continue")
    assert text.startswith("[sim] round 1  1970-01-01 00:00:00  idle\n")
