"""Sessions at a real pseudo-terminal, seen through a model of its screen."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pexpect.popen_spawn
import pyte
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CONTENTION = "replays/contention.jsonl"
CODE = "import sys; from xce_sim.cli import main; sys.exit(main())"
ROWS, COLUMNS = 40, 120


class Terminal:
    """The program at a terminal: type, and look at the screen."""

    def __init__(self, state: Path, *arguments: str, cwd: Path = ROOT, **environment: str) -> None:
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        env = {
            **os.environ,
            "TERM": "xterm-256color",
            "XDG_STATE_HOME": str(state),
            "PYTHONPATH": str(ROOT),
            **environment,
        }
        self.child = pexpect.spawn(
            sys.executable,
            ["-c", CODE, *arguments],
            env=env,
            cwd=str(cwd),
            dimensions=(ROWS, COLUMNS),
            timeout=20,
        )

    @property
    def text(self) -> str:
        """The screen as it is now, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, what: str | Callable[[str], bool], seconds: float = 20) -> str:
        """Wait until the screen shows something; fails with the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read()
            text = self.text
            if (what in text) if isinstance(what, str) else what(text):
                return text
        pytest.fail(f"never saw {what!r} on:\n{self.text}")

    def wait_end(self) -> int | None:
        """Wait for the end of the program; its status."""
        while True:
            try:
                self.raw += self.child.read_nonblocking(65536, timeout=20)
            except pexpect.EOF:
                break
        self.child.close()
        return self.child.exitstatus

    def text_of_all(self) -> str:
        """The screen after everything that was ever written."""
        screen = pyte.Screen(COLUMNS, ROWS)
        pyte.ByteStream(screen).feed(self.raw)
        return "\n".join(line.rstrip() for line in screen.display)

    def type(self, keys: str) -> None:
        """Type."""
        self.child.send(keys)

    def enter(self, line: str) -> None:
        """Type a line."""
        self.type(line + "\r")

    def _read(self) -> None:
        try:
            data = self.child.read_nonblocking(65536, timeout=0.1)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        # A terminal answers when it is asked where the cursor is.
        for _ in re.findall(rb"\x1b\[6n", data):
            self.child.send(f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R")
        self._stream.feed(data)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """A maker of terminals; those still running at the end are closed."""
    made: list[Terminal] = []

    def make(*arguments: str, **options: str) -> Terminal:
        made.append(Terminal(tmp_path, *arguments, **options))
        return made[-1]

    yield make
    for each in made:
        each.child.close(force=True)


def at_prompt(text: str) -> bool:
    """The last line above the bottom bar is an empty prompt."""
    lines = [line for line in text.splitlines() if line]
    return len(lines) >= 2 and lines[-2] == "xce>"


def test_a_sitting(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    """Prompt and bottom line, a command, Enter repeats, Ctrl-C drops a line, Ctrl-D leaves."""
    sitting = terminal("--sim", CONTENTION, "-i")
    text = sitting.wait(at_prompt)
    assert "[sim] replays/contention.jsonl: workload, cluster demo; help lists the commands" in text
    assert "round 0  not begun  pending 0  running 0  trace off" in text

    sitting.enter("step")
    sitting.wait("stopped: 1 round done at round 1")
    sitting.wait("round 1  2026-10-07 10:00:00  pending 0  running 2  trace off")
    sitting.enter("")
    sitting.wait("stopped: 1 round done at round 2")

    sitting.type("this is no command")
    sitting.wait("this is no command")
    sitting.type("\x03")
    sitting.wait(at_prompt)
    assert "unknown command" not in sitting.text

    sitting.enter("trace on all")
    sitting.wait("trace on all")
    sitting.enter("")
    time.sleep(0.3)
    assert "round 3" not in sitting.text
    sitting.type("\x04")
    assert sitting.wait_end() == 0

    again = terminal("--sim", CONTENTION, "-i")
    again.wait(at_prompt)
    again.type("\x1b[A")
    again.wait("xce> trace on all")
    assert (tmp_path / "xce-sim" / "history").exists()


def test_tab_completes_commands_and_names(terminal: Callable[..., Terminal]) -> None:
    sitting = terminal("--sim", CONTENTION, "-i")
    sitting.wait(at_prompt)
    sitting.enter("step")
    sitting.wait("1 round done")
    sitting.type("info ho\t")
    sitting.wait(lambda text: "hosts" in text.rsplit("xce> info ho", 1)[-1])
    sitting.type("\x03")
    sitting.type("info host n0\t")
    sitting.wait(lambda text: all(f"n0{i}" in text for i in range(1, 6)))
    sitting.type("\x03")
    sitting.type("set units a\t\r")
    sitting.wait("units auto")


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(
    terminal: Callable[..., Terminal], environment: dict[str, str], coloured: bool
) -> None:
    sitting = terminal("--sim", CONTENTION, "-i", "-e", "step", "--batch", **environment)
    assert sitting.wait_end() == 0
    assert b"1 round done" in sitting.raw
    assert (b"\x1b[1m[sim] round 1\x1b[0m" in sitting.raw) is coloured
    assert (b"\x1b" in sitting.raw) is coloured


def long_replay(path: Path, jobs: int = 100_000, run_time: float = 5) -> None:
    """A workload that plays for a long while: one host, and jobs by the hundred thousand."""
    lines = [
        '{"replay": {"version": 1, "mode": "workload"}}',
        '{"t": 0, "config_push": {"queues": [{"name": "normal"}]}}',
        '{"t": 0, "workers_push": [{"name": "n01", "slots": 1}]}',
    ]
    lines += [
        f'{{"t": {t}, "job_new": {{"id": {t}, "user": "u", "queue": "normal", "run_time": {run_time}}}}}'
        for t in range(1, jobs)
    ]
    path.write_text("\n".join(lines) + "\n")


def test_ctrl_c_stops_a_long_continue_and_the_sitting_goes_on(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    long_replay(tmp_path / "long.jsonl")
    sitting = terminal("--sim", str(tmp_path / "long.jsonl"), "-i")
    sitting.wait(at_prompt)
    sitting.enter("continue")
    sitting.wait("1 dispatched")
    time.sleep(0.2)
    sitting.type("\x03")
    text = sitting.wait("stopped: interrupted at round")
    stopped = re.search(r"interrupted at round (\d+)", text)
    assert stopped is not None
    sitting.wait(at_prompt)
    sitting.enter("info round")
    sitting.wait(f"round {stopped[1]}  ")
    sitting.enter("step")
    sitting.wait("1 round done")


def test_ctrl_c_ends_a_script_with_130(tmp_path: Path) -> None:
    long_replay(tmp_path / "long.jsonl")
    child = pexpect.popen_spawn.PopenSpawn(
        [sys.executable, "-c", CODE, "--sim", str(tmp_path / "long.jsonl"), "-i", "-e", "continue"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=30,
    )
    child.expect(b"1 dispatched")
    child.kill(signal.SIGINT)
    child.expect(rb"stopped: interrupted at round \d+, [^\n]*\n")
    child.expect(pexpect.EOF)
    assert child.wait() == 130


def test_lists_stop_at_a_terminal_and_say_so(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    long_replay(tmp_path / "long.jsonl")
    sitting = terminal("--sim", str(tmp_path / "long.jsonl"), "-i", "-e", "continue 100")
    sitting.wait(at_prompt)
    sitting.enter("info jobs pend")
    sitting.wait("more; info jobs pend all shows them")


def test_a_headless_run_shows_how_far_it_is_and_leaves_the_summary(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    """Given a terminal, then a bar with rounds, time and rate moves, and is gone at the end."""
    long_replay(tmp_path / "long.jsonl", 3_000, 0.5)
    watched = terminal("--sim", str(tmp_path / "long.jsonl"))
    watched.wait("jobs/s")
    assert watched.wait_end() == 0
    text = watched.text_of_all()
    assert "playing" not in text
    assert "[sim] summary  rounds " in text


def test_ctrl_c_ends_a_headless_run_with_130(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    long_replay(tmp_path / "long.jsonl")
    watched = terminal("--sim", str(tmp_path / "long.jsonl"))
    watched.wait("jobs/s")
    watched.type("\x03")
    assert watched.wait_end() == 130
    assert "xce-sim: interrupted at round " in watched.text_of_all()


def test_a_resized_terminal_keeps_its_prompt(terminal: Callable[..., Terminal]) -> None:
    sitting = terminal("--sim", CONTENTION, "-i")
    sitting.wait(at_prompt)
    sitting.type("info ro")
    sitting.wait("info ro")
    sitting.child.setwinsize(20, 60)
    sitting.screen.resize(20, 60)
    sitting.enter("und")
    sitting.wait("event 0  no round has begun")
    sitting.wait(at_prompt)
