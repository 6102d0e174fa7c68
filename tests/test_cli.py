"""The programs as a shell sees them: streams, statuses, what is imported, what ends quietly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sittings import config, hosts, job, write_replay

from xce_sim.cli import SimOptions, sim_options

ROOT = Path(__file__).resolve().parent.parent
CONTENTION = ROOT / "replays" / "contention.jsonl"
HEAVY = ("capnp", "pyparsing", "rich", "prompt_toolkit", "numpy")


def code(program: str) -> str:
    return f"import sys; from xce_sim.cli import {program} as m; sys.exit(m())"


def run(
    *arguments: str | Path, program: str = "main", stdin: bytes = b"", cwd: Path = ROOT
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", code(program), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("program", ["main", "replay_main"])
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_needs_no_library(program: str, option: str) -> None:
    script = (
        f"import sys; from xce_sim.cli import {program} as m\n"
        f"try:\n    m([{option!r}])\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, cwd=ROOT, check=True, text=True
    )
    assert done.stderr == "[]\n"
    assert done.stdout.startswith(("usage: xce-", "xce-"))


def test_a_headless_run_needs_no_terminal_library() -> None:
    script = (
        "import sys; from xce_sim.cli import main\n"
        f"status = main(['--sim', {str(CONTENTION)!r}])\n"
        "loaded = [name for name in ('rich', 'prompt_toolkit') if name in sys.modules]\n"
        "print(status, loaded, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, cwd=ROOT, check=True, text=True
    )
    assert done.stderr.endswith("0 []\n")


def test_options() -> None:
    given = ["--sim", "f.replay", "-i", "-e", "step", "-x", "a.txt", "-e", "quit", "--batch"]
    given += ["--sim-output", "o.jsonl"]
    assert sim_options([*given, "--log", "l", "-v", "--allow-truncated"]) == SimOptions(
        replay="f.replay",
        interactive=True,
        prelude=(("command", "step"), ("script", "a.txt"), ("command", "quit")),
        batch=True,
        allow_truncated=True,
        output="o.jsonl",
        log="l",
        verbose=True,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: --sim"),
        (["--sim"], "argument --sim: expected one argument"),
        (["--sim", "f", "-x", "s"], "-x or -e needs -i"),
        (["--sim", "f", "-e", "step"], "-x or -e needs -i"),
        (["--sim", "f", "--batch"], "--batch needs -i"),
        (["--sim", "f", "-i", "--json"], "--json is for headless runs, without -i"),
        (["--sim", "f", "--sim-rejoin"], "--sim-rejoin is not available yet"),
        (["--sim", "f", "--sim-output"], "argument --sim-output: expected one argument"),
        (["--sim", "f", "--from", "3"], "unrecognized arguments: --from 3"),
        (["--sim", "f", "--frobnicate"], "unrecognized arguments: --frobnicate"),
    ],
)
def test_usage_errors(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        sim_options(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr() == ("", f"xce-sim: {message}; xce-sim --help tells more\n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nowhere.jsonl", None, "no such file"),
        ("empty.jsonl", b"", "the file is empty"),
        (
            "text.replay",
            b"some text\n",
            "not a replay of the form that its suffix tells: it is text",
        ),
        ("x.txt", b"some text\n", "the suffix does not tell the form of the replay"),
        ("rubbish.jsonl", b"some text\n", "event 0"),
        (".", None, ""),
    ],
)
@pytest.mark.parametrize("more", [(), ("-i",)])
def test_a_replay_that_can_not_be_read(
    tmp_path: Path, name: str, content: bytes | None, message: str, more: tuple[str, ...]
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    done = run("--sim", path, *more)
    assert (done.returncode, done.stdout) == (3, b"")
    error = done.stderr.decode()
    assert error.startswith(f"xce-sim: {path}: ")
    assert message in error
    assert error.count("\n") == 1


def test_a_cut_off_replay_plays_up_to_there(tmp_path: Path) -> None:
    events = (config(), hosts(1), job(1), job(2, 1), job(3, 2))
    whole = write_replay(tmp_path / "whole.jsonl", *events).read_bytes()
    path = tmp_path / "cut.jsonl"
    path.write_bytes(whole[:-20])
    refused, allowed = run("--sim", path), run("--sim", path, "--allow-truncated")
    assert refused.stdout == allowed.stdout
    assert b"jobs 2: finished 2" in refused.stdout
    assert (refused.returncode, allowed.returncode) == (3, 0)
    assert b"xce-sim: " in refused.stderr
    assert b"played up to there" in allowed.stderr


def test_two_runs_are_byte_identical_and_a_pipe_of_commands_works(tmp_path: Path) -> None:
    script = b"\xef\xbb\xbftrace on all level full\r\ncontinue 4\ninfo jobs\n\xff\nquit\nstep\n"
    first, second = (run("--sim", CONTENTION, "-i", stdin=script) for _ in range(2))
    assert first.stdout == second.stdout
    assert (first.returncode, first.stderr) == (1, b"")
    text = first.stdout.decode()
    assert "xce> trace on all level full\n[sim] trace next session: on  all jobs" in text
    assert "[sim] \\xff: unknown command; help lists the commands\n" in text
    assert text.endswith("xce> quit\n")


def test_the_same_commands_give_the_same_text_piped_from_a_file_and_as_options(
    tmp_path: Path,
) -> None:
    lines = ["break job 46", "continue", "info job 46"]
    script = tmp_path / "script.txt"
    script.write_text("\n".join(lines))
    options = [part for line in lines for part in ("-e", line)]
    piped = run("--sim", CONTENTION, "-i", stdin=script.read_bytes())
    assert "job 46  user alice" in piped.stdout.decode()
    for arguments in (["-x", str(script)], [*options], ["-x", str(script), "--batch"]):
        assert run("--sim", CONTENTION, "-i", *arguments).stdout == piped.stdout


def test_an_error_in_a_script_is_told_with_file_and_line(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("step\n\n# comment\ninfo job 4x\nstep\n")
    done = run("--sim", CONTENTION, "-i", "-x", script, "--batch", stdin=b"step\n")
    assert done.returncode == 1
    assert done.stdout.decode().endswith(
        f"(an array base means all)\n[sim] script: stopped at the first error, {script}:4\n"
    )


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    done = run("--sim", CONTENTION, "-i", "-x", tmp_path / "none", "-e", "step")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"can not be read: No such file or directory" in done.stderr


def test_a_closed_pipe_ends_quietly() -> None:
    """Given a reader that takes three lines and goes, then nobody complains."""
    commands = "trace on all level full;;" * 5 + ";;".join(["continue", "help"] * 300)
    child = subprocess.Popen(
        [sys.executable, "-c", code("main"), "--sim", str(CONTENTION), "-i", "-e", commands],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    assert child.stderr is not None
    for _ in range(3):
        child.stdout.readline()
    child.stdout.close()
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait(timeout=30) == 0


@pytest.mark.parametrize("more", [(), ("-i", "-e", ";;".join(["help"] * 200), "--batch")])
def test_a_full_disk_is_told(more: tuple[str, ...]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", code("main"), "--sim", str(CONTENTION), *more],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert done.returncode == 1
    assert b"xce-sim: standard output: No space left on device\n" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"ignored" not in done.stderr


@pytest.mark.parametrize("mode", ["-i", "--json"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_trouble(closed: str, mode: str) -> None:
    """Given standard streams that the shell has closed, then the program ends as usual."""
    program = f"{sys.executable} -c '{code('main')}' --sim {CONTENTION} {mode} {closed}"
    done = subprocess.run(
        ["bash", "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0
    assert b"Error" not in done.stderr


def test_docstrings_may_be_left_out() -> None:
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "xce_sim", "--sim", str(CONTENTION), "-i", "-e", "help step"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0
    assert b"step\n" in done.stdout


def test_the_summary_as_json() -> None:
    done = run("--sim", CONTENTION, "--json")
    found = json.loads(done.stdout)
    assert found["jobs"] == found["finished"] + found["pending"]
    assert (found["slots"], found["first"]) == (64, 1791367200.0)
    assert b"jobs/s" in done.stderr


def test_the_log_is_a_file_that_is_named_and_no_other(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run("--sim", CONTENTION, "--log", log, "-v", cwd=tmp_path).returncode == 0
    assert "playing" in log.read_text()
    assert list(tmp_path.iterdir()) == [log]
    replay = write_replay(tmp_path / "r.jsonl", config())
    refused = run("--sim", replay, "--log", replay)
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"is the replay being played" in refused.stderr


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "xce_sim", "--version"], capture_output=True, cwd=ROOT, check=True
    )
    assert done.stdout.startswith(b"xce-sim ")


@pytest.mark.parametrize(
    ("interval", "why"),
    [
        ("-1", "'-1' is negative"),
        ("0.0000001", "time 0.0000001 has more than six decimals"),
        ("soon", "'soon' is not a time in seconds"),
    ],
)
def test_an_interval_that_can_not_be_played_is_refused_at_the_import(
    tmp_path: Path, interval: str, why: str
) -> None:
    target = tmp_path / "a.jsonl"
    arguments = ("import", "swf", "log.swf", "-o", target, f"--interval={interval}")
    done = run(*arguments, program="replay_main")
    assert (done.returncode, done.stdout, target.exists()) == (2, b"", False)
    assert done.stderr.decode() == (
        f"xce-replay import swf: argument --interval: {why}; xce-replay import swf --help tells more\n"
    )


def test_a_check_that_could_not_read_on_does_not_praise_the_whole_file(tmp_path: Path) -> None:
    path = write_replay(tmp_path / "damaged.jsonl", config(), hosts(1), {"t": 1, "bogus": {}})
    done = run("check", path, program="replay_main")
    assert done.returncode == 3
    assert done.stdout.decode() == (
        f"[check] {path}: 2 events, no broken rule up to where reading stopped\n"
    )
    assert "unknown event 'bogus'" in done.stderr.decode()


def test_a_log_that_can_not_be_written_is_told_once_and_changes_nothing() -> None:
    told = run("--sim", CONTENTION, "--log", "/dev/full")
    quiet = run("--sim", CONTENTION)
    assert (told.returncode, told.stdout) == (0, quiet.stdout)
    assert [line for line in told.stderr.decode().splitlines() if "played in" not in line] == [
        "xce-sim: log /dev/full can not be written: No space left on device"
    ]


def test_a_log_to_a_pipe_that_nobody_reads_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run("--sim", CONTENTION, "--log", pipe)
    assert (done.returncode, done.stderr.decode()) == (
        1,
        f"xce-sim: log {pipe} can not be opened: No such device or address\n",
    )


def test_a_line_without_end_is_refused_and_not_kept() -> None:
    done = run("--sim", CONTENTION, "-i", stdin=b"step\n" + bytes((1 << 20) + 1))
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "xce-sim: standard input:2: a line of more than 1048576 bytes; this is no script\n"
    )
    assert b"[sim] stopped: 1 round done at round 1" in done.stdout
