"""Without a recorder there is no trace: nothing of it is loaded, and nothing is decided otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from trace_worlds import play, write_world

from scripts.benchmarks import hookless

ROOT = Path(__file__).parent.parent.parent
REPLAY = ROOT / "replays" / "contention.jsonl"

LOADED = """
import json, sys
from xce_sim.cli import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted(name for name in sys.modules if name.startswith("xce_sim"))]))
"""


def loaded_by(*arguments: str) -> set[str]:
    """The modules of the project that a run loads."""
    run = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        input="continue\n",
    )
    status, names = json.loads(run.stdout.splitlines()[-1])
    assert status == 0
    return set(names)


def test_r11_2_a_headless_run_loads_no_trace_code() -> None:
    loaded = loaded_by("--sim", str(REPLAY))
    assert "xce_sim.core.session" in loaded
    traces = {name for name in loaded if "trace" in name or "telling" in name}
    assert traces <= {"xce_sim.trace", "xce_sim.trace.spans"}, "the form of text alone is shared"


def test_r11_2_nothing_is_told_where_nothing_is_traced() -> None:
    loaded = loaded_by("--sim", str(REPLAY), "-i")
    assert "xce_sim.trace.recorder" in loaded
    assert "xce_sim.core.telling" not in loaded


def test_r11_4_decisions_are_those_of_a_core_without_hooks(tmp_path: Path) -> None:
    bare = hookless.load(tmp_path)
    for number in range(60):
        path = write_world(tmp_path / f"{number}.jsonl", number)
        assert play(path, None, bare.Core(check=True)) == play(path, None)


def test_r11_4_the_core_without_hooks_has_none(tmp_path: Path) -> None:
    """Otherwise the comparison would say nothing: no test for a recorder is left."""
    hookless.load(tmp_path)
    tests = "recorder is not None", "telling is not None", "tell is not None"
    for name in ("allocator", "search", "filling", "session"):
        source = (hookless.CORE / f"{name}.py").read_text(encoding="utf-8")
        copied = (tmp_path / "hookless" / f"{name}.py").read_text(encoding="utf-8")
        assert any(test in source for test in tests)
        assert not any(test in copied for test in tests)


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("if telling is not None:\n    telling.told()", "pass"),
        ("if recorder is None:\n    a()\nelse:\n    b()", "a()"),
        ("if x and self._telling is None and y:\n    a()", "if x and y:\n    a()"),
        ("a = None if tell is None else tell.b()", "a = None"),
        (
            "if recorder is not None and recorder.wants(1):\n    a()\nelif b:\n    c()",
            "if b:\n    c()",
        ),
    ],
)
def test_hooks_are_left_out(source: str, left: str) -> None:
    assert hookless.without_hooks(source) == left
