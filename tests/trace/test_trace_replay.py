"""The example of the documentation, out of a replay and through the REPL."""

from __future__ import annotations

from pathlib import Path

import pytest
from sittings import Sitting
from test_trace_example import EXAMPLE

REPLAY = Path(__file__).parent / "example.jsonl"
ECHO = "[sim]   dispatch 42  n03:4\n"


def test_r7_6_the_example_comes_out_of_a_replay_line_by_line() -> None:
    text = Sitting(REPLAY).run("step 6", "trace on job 42 level full", "step")

    before, trace, after = text.partition(EXAMPLE)
    assert trace == EXAMPLE
    assert before.endswith(ECHO)
    assert after.startswith("[sim] round 7  2026-10-07 10:00:06  1 dispatched, 2 pending: 40-41\n")


def test_r8_1_the_file_is_the_trace_text_of_the_console_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sitting = Sitting(REPLAY)
    first = sitting.run("step 6", "trace on job 42 level full file why.txt", "step")
    sitting.session.trace.close()

    assert EXAMPLE in first
    assert Path("why.txt").read_bytes() == EXAMPLE.encode()


def test_r8_1_many_traces_are_copied_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sitting = Sitting(REPLAY)
    text = sitting.run("trace on all level full file why.txt", "step 7", "info trace 42")
    sitting.session.trace.close()

    shown, _, recalled = text.rpartition(EXAMPLE)
    assert recalled == ""
    lines = [line for line in (shown).splitlines(keepends=True) if traced(line)]
    assert Path("why.txt").read_bytes() == "".join(lines).encode()
    assert sum(line.startswith("[trace] job") for line in lines) == 16


def traced(line: str) -> bool:
    """Whether a line of the console belongs to a trace."""
    return line.startswith(("[trace] ", "  "))


def test_r7_8_the_example_is_recalled_as_it_was_shown() -> None:
    sitting = Sitting(REPLAY)
    sitting.run("step 6", "trace on job 42 level full", "step")
    assert sitting.run("info trace 42") == EXAMPLE
    sitting.run("continue")
    assert sitting.run("info trace 42") == EXAMPLE
