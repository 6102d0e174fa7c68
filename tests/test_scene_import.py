"""Situation 14, mixed time origins: the log's header says start 0, its submit times are epoch seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from transcript_runner import ROOT

LOG = "tests/scenes/14-mixed-time-origins.swf"


def program(name: str, *arguments: str, folder: Path) -> str:
    """What a program says, with the folder written as `.`."""
    code = f"import sys; from xce_sim.cli import {name} as m; sys.exit(m())"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        cwd=ROOT,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.replace(str(folder), ".")


def test_the_import_notices_and_uses_the_first_submit(tmp_path: Path) -> None:
    target = str(tmp_path / "log.jsonl")
    assert program("replay_main", "import", "swf", LOG, "-o", target, folder=tmp_path) == (
        "[import] ./log.jsonl: 8 lines read, 2 jobs made, 1 skipped\n"
        "[import] skipped 1: no run time, first on line 8\n"
        "[import] notice: submit times are seconds since 1970 although the header says start 0: "
        "taken as they are, beginning with 1791367200\n"
    )
    assert program("main", "--sim", target, folder=tmp_path) == (
        "[sim] summary  rounds 4  jobs 2: finished 2, running 0, pending 0, invalid 0\n"
        "[sim] summary  dispatched 2  mean wait 15.000 s  max wait 30.000 s\n"
        "[sim] summary  slots: used 66.7 % of 8 from 2026-10-07 10:00:00 to 2026-10-07 10:01:30"
        " (slot-seconds run / slots x span)\n"
    )
