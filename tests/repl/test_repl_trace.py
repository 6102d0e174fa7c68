"""The decision trace at the REPL: the criteria that only a whole sitting can show.

Each test bears the number of its criterion in the requirements of the decision trace.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sittings import Sitting, config, hosts, job, write_replay

import xce_sim
from xce_sim.cli import main
from xce_sim.commands.playing import Player
from xce_sim.trace.recorder import Recorder

PACKAGE = Path(xce_sim.__file__).parent
LOOKS = ["info jobs", "info job 4", "info hosts", "info host n01", "info queues", "info round"]


@pytest.fixture
def replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two hosts with four slots; job 4 never fits, job 5 asks for what there is not."""
    monkeypatch.chdir(tmp_path)
    array = {"first": 1, "last": 3}
    events = (
        config(),
        hosts(2),
        job(1, 0, min_tasks=4),
        job(2, 0, min_tasks=4, run_time=3),
        job(4, 0, min_tasks=9),
        job(5, 0, resreq="rusage[nothing=1]"),
        job(6, 1, array=array),
        job(7, 20),
        job(8, 21),
    )
    return write_replay(tmp_path / "small.jsonl", *events)


def lines_of(text: str) -> list[str]:
    """The lines with traces cut down to their headers."""
    return [line for line in text.splitlines() if not line.startswith("  ")]


def without_traces(text: str) -> str:
    """What is left when every trace is taken out."""
    return re.sub(r"^\[trace\] .*\n(?:  .*\n)*", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("on sideways", "unexpected argument: sideways"),
        ("on job 4x", "invalid job: 4x; "),
        ("on job 4 42[0]", "invalid job: 42[0]; "),
        ("on all level medium", "invalid level: medium; "),
        ("on all lines 49", "invalid lines: 49; a whole number from 50 to 100000"),
        ("on all lines 100001", "invalid lines: 100001; "),
        ("on all lines 5e2", "invalid lines: 5e2; "),
        ("on all lines 60 lines 70", "lines stands twice"),
        (f"on all file {'x/' * 2048}", "the path has 4096 bytes; "),
        ("on", "needs all, or job and one JOBSEL or more"),
        ("on all job 4", "invalid option: all; "),
        ("off 42", "unexpected argument: 42"),
        ("status 42", "unexpected argument: 42"),
        ("of all", "unexpected argument: all"),
    ],
)
def test_r1_9_an_invalid_argument_is_named_and_changes_nothing(
    replay: Path, arguments: str, error: str
) -> None:
    sitting = Sitting(replay)
    before = sitting.run("trace on job 4 level full lines 60 file why.txt")
    text = sitting.run(f"trace {arguments}", "trace status")
    assert text.startswith(f"[sim] trace: {error}")
    assert text.endswith(before)


def test_r1_11_help_lists_the_trace_section_and_info_trace(replay: Path) -> None:
    text = Sitting(replay).run("help")
    sections = dict(re.findall(r"^(\S.*)\n((?:  .*\n)+)", text, flags=re.MULTILINE))
    assert re.findall(r"^  (trace \w+)", sections["Trace"], flags=re.MULTILINE) == [
        "trace on",
        "trace off",
        "trace status",
    ]
    assert "  info trace JOBSEL" in sections["State inspection"]


def test_r1_12_any_number_of_jobs_and_a_long_path_fit_on_one_line(replay: Path) -> None:
    jobs = [str(number) for number in range(1, 5001)]
    path = "./" * 2045 + "w.txt"
    assert len(path) == 4095
    sitting = Sitting(replay)
    text = sitting.run(f"trace on job {' '.join(jobs)} file {path}", "step")
    assert f"on  jobs {' '.join(jobs)}  level summary  lines 1000  file {path}\n" in text
    assert Path("w.txt").read_text().count("[trace] job") == text.count("[trace] job") == 4


def test_r7_1_in_step_mode_a_trace_follows_its_echo_line(replay: Path) -> None:
    assert lines_of(Sitting(replay).run("trace on job 1 4", "step"))[2:] == [
        "[sim] round 1  1970-01-01 00:00:00  events: 4 new, 2 pushes",
        "[sim]   dispatch 1  n01:4",
        "[trace] job 1 session 1 position 1 level summary",
        "[sim]   dispatch 2  n02:4",
        "[sim]   pend 4  NO_PLAN",
        "[trace] job 4 session 1 position 3 level summary",
        line_of_job_5(replay),
        "[sim] round 1  1970-01-01 00:00:00  2 dispatched, 1 pending: 4",
        "[sim] stopped: 1 round done at round 1, 1970-01-01 00:00:00, event 6",
    ]


def line_of_job_5(replay: Path) -> str:
    """How the job without a decision is echoed."""
    (line,) = re.findall(r"^.*no decision 5  .*$", Sitting(replay).run("step"), flags=re.MULTILINE)
    return str(line)


def test_r7_2_in_step_mode_a_selection_without_decision_has_its_trace_in_place(
    replay: Path,
) -> None:
    text = Sitting(replay).run("trace on job 5", "step")
    before, after = text.split("[trace] job 5 session 1 position 4 level summary\n")
    assert before.splitlines()[-1] == line_of_job_5(replay)
    assert line_of_job_5(replay).startswith("[sim]   no decision 5  RESREQ_INVALID: ")
    assert "  no decision: no scheduling object (RESREQ_INVALID: " in after


def test_r7_3_in_continue_mode_a_trace_ends_the_range_and_follows_its_echo(replay: Path) -> None:
    text = Sitting(replay).run("trace on job 7 5", "continue")
    assert "no decision 5  RESREQ_INVALID" in text
    text = Sitting(replay).run("trace on job 7 8", "continue")
    assert lines_of(text)[2:] == [
        "[sim] round 1  1970-01-01 00:00:00  2 dispatched, 1 pending: 4",
        "[sim] round 2  1970-01-01 00:00:01  0 dispatched, 4 pending: 4 6[1-3]",
        "[sim] round 3  1970-01-01 00:00:03  3 dispatched, 1 pending: 4",
        "[sim] rounds 4-5  1970-01-01 00:00:10 - 00:00:13  0 dispatched, 1 pending: 4",
        "[sim]   dispatch 7  n01:1",
        "[trace] job 7 session 6 position 3 level summary",
        "[sim] round 6  1970-01-01 00:00:20  1 dispatched, 1 pending: 4",
        "[sim]   dispatch 8  n01:1",
        "[trace] job 8 session 7 position 3 level summary",
        "[sim] round 7  1970-01-01 00:00:21  1 dispatched, 1 pending: 4",
        "[sim] rounds 8-9  1970-01-01 00:00:30 - 00:00:31  0 dispatched, 1 pending: 4",
        "[sim] replay complete at round 9, 1970-01-01 00:00:31, event 9",
    ]


def test_r7_4_in_continue_mode_a_round_with_a_trace_is_never_in_a_range(replay: Path) -> None:
    for traced in ("4", "5"):
        text = Sitting(replay).run(f"trace on job {traced}", "continue")
        assert "[sim] rounds " not in text
        assert text.count("[trace] job") == 9


def test_r7_5_at_a_breakpoint_what_was_printed_is_stored_and_nothing_later(replay: Path) -> None:
    """Given a stop before a round's session, then its traces are neither printed nor stored."""
    sitting = Sitting(replay)
    text = sitting.run("trace on job 4", "break round 2", "continue")
    assert text.count("[trace] job 4 ") == 1
    assert "[trace] job 4 session 1 " in sitting.run("info trace 4")
    assert "[trace] job 4 session 2 " in sitting.run("step")
    assert "[trace] job 4 session 2 " in sitting.run("info trace 4")


def test_r1_4_a_round_breakpoint_is_before_the_session(replay: Path) -> None:
    sitting = Sitting(replay)
    sitting.run("break round 2", "continue")
    assert "[trace] job 4 session 2 " in sitting.run("trace on job 4", "step")


def test_r8_1_the_file_has_what_was_printed_inline_and_nothing_recalled(replay: Path) -> None:
    sitting = Sitting(replay)
    shown = sitting.run("trace on all level full file why.txt", "step", "continue")
    sitting.run("info trace 4", "quit")
    traces = re.findall(r"^\[trace\] .*\n(?:  .*\n)*", shown, flags=re.MULTILINE)
    assert len(traces) == 28
    assert Path("why.txt").read_text() == "".join(traces)


def test_r8_2_a_file_that_can_not_be_opened_leaves_the_settings_alone(replay: Path) -> None:
    sitting = Sitting(replay)
    before = sitting.run("trace on job 4 lines 60 file why.txt")
    text = sitting.run("trace on all file no/such/file.txt", "trace status")
    assert text == (
        f"[sim] trace: no/such/file.txt can not be opened: No such file or directory\n{before}"
    )


def test_r8_3_the_log_is_refused_as_a_trace_file(tmp_path: Path, replay: Path) -> None:
    (tmp_path / "alias").symlink_to("the.log")
    arguments = ["--sim", str(replay), "-i", "--log", "the.log", "--batch"]
    assert main([*arguments, "-e", "trace on all file alias"]) == 1
    assert "[trace]" not in (tmp_path / "the.log").read_text()


def test_r8_6_and_r8_7_at_the_end_of_input_the_file_is_whole_and_the_log_has_none(
    tmp_path: Path, replay: Path
) -> None:
    arguments = ["--sim", str(replay), "-i", "--log", "the.log", "-v", "--batch"]
    assert main([*arguments, "-e", "trace on all file why.txt", "-e", "continue"]) == 0
    text = Path("why.txt").read_text()
    assert text.count("[trace] job") == 28
    assert text.endswith("\n")
    assert "[trace]" not in Path("the.log").read_text()


def test_r10_4_with_tracing_off_nothing_is_different(replay: Path) -> None:
    plain = Sitting(replay).run("step 3", "continue")
    sitting = Sitting(replay)
    sitting.run("trace on all level full", "trace off")
    assert sitting.run("step 3", "continue") == plain


def test_r10_5_with_tracing_on_only_traces_come_in(replay: Path) -> None:
    """Given the same commands, then what is shown without the traces is the same."""
    plain, traced = Sitting(replay), Sitting(replay)
    traced.run("trace on all level full")
    for command in ["step", *LOOKS, "step 2", *LOOKS, "show", "info breakpoints", "step 9", *LOOKS]:
        text = traced.run(command)
        assert without_traces(text) == plain.run(command)
    assert traced.run("help") == plain.run("help")


def test_r11_1_one_place_alone_sets_the_recorder() -> None:
    """A scan of the source: the core's `trace` is None, or set in the hook of the REPL."""
    assignment = re.compile(r"\b(\w+)\.trace(?::[^=]*)? = (.*)")
    found = {
        (str(path.relative_to(PACKAGE)), *match.groups())
        for path in PACKAGE.rglob("*.py")
        for match in assignment.finditer(path.read_text(encoding="utf-8"))
    }
    assert {(path, value) for path, owner, value in found if owner in ("core", "self")} == {
        ("core/core.py", "None"),
        ("commands/playing.py", "None"),
        ("commands/playing.py", "Recorder(settings) if settings.on else None"),
    }
    makers = [path for path in PACKAGE.rglob("*.py") if "Recorder(" in path.read_text("utf-8")]
    assert {str(path.relative_to(PACKAGE)) for path in makers} == {
        "commands/playing.py",
        "trace/recorder.py",
    }


def test_r11_3_a_headless_run_never_makes_a_recorder(
    replay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a recorder was made")

    monkeypatch.setattr(Recorder, "__init__", refuse)
    monkeypatch.setattr(Player, "__init__", refuse)
    assert main(["--sim", str(replay)]) == 0
