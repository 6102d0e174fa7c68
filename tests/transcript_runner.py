"""Sessions as a person sees them: run, compared with what is written down, or written down anew.

A transcript has comments, the command line, and then exactly what the program prints while the
commands after its prompts are piped in:

    # What this session shows.
    $ xce-sim --sim replays/contention.jsonl -i
    [sim] replays/contention.jsonl: workload, cluster demo; help lists the commands
    xce> step
    ...

With `2>&1` behind the command line, standard error follows (without the line that tells how fast
it was). A status other than 0 is shown at the end as a shell would: `$ echo $?`, then the number.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "transcripts"
PROMPT = "xce> "
STATUS = "$ echo $?"
PROGRAMS = {"xce-sim": "main", "xce-replay": "replay_main"}


@dataclass(frozen=True)
class Transcript:
    """The parts of a file: comments, the command line, commands to pipe in."""

    comments: str
    command_line: str
    commands: str


def parse(text: str) -> Transcript:
    """Take a transcript apart."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("$ "))
    commands = [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)]
    if PROMPT.strip() in lines:
        raise ValueError("a prompt without a command")
    words = lines[start].split()
    if {"-x", "-e"} & set(words) and "--batch" not in words:
        raise ValueError("with -x or -e the echo would be piped in again: say --batch")
    return Transcript(
        comments="".join(f"{line}\n" for line in lines[:start]),
        command_line=lines[start].removeprefix("$ "),
        commands="".join(f"{line}\n" for line in commands),
    )


def play(transcript: Transcript) -> str:
    """Run it and give the whole text as it should stand in the file."""
    command_line = transcript.command_line.removesuffix(" 2>&1")
    program, *arguments = shlex.split(command_line)
    code = f"import sys; from xce_sim.cli import {PROGRAMS[program]} as m; sys.exit(m())"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=transcript.commands.encode(),
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **ELSEWHERE},
        timeout=60,
        check=False,
    )
    text = f"{transcript.comments}$ {transcript.command_line}\n{done.stdout.decode()}"
    if command_line != transcript.command_line:
        errors = done.stderr.decode().splitlines(keepends=True)
        text += "".join(line for line in errors if not line.startswith("[sim] played in"))
    return text + (f"{STATUS}\n{done.returncode}\n" if done.returncode else "")


ELSEWHERE = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "XCE_SIM_CHECK": "1", "PYTHONPATH": str(ROOT)}
"""An environment far from the reader's, of which nothing must depend on."""


def main(names: list[str]) -> int:
    """Write the named transcripts (all without a name) down anew; tells which have changed."""
    failed = False
    paths = [Path(name) for name in names] or sorted(FOLDER.glob("*.txt"))
    for path in paths:
        before = path.read_text(encoding="utf-8")
        after = play(parse(before))
        if parse(after).commands != parse(before).commands:
            sys.stderr.write(f"left alone, the program did not get to its end: {path}\n{after}")
            failed = True
        elif after != before:
            path.write_text(after, encoding="utf-8")
            sys.stderr.write(f"changed: {path}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
