"""What the README shows is what the program prints."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_session_in_the_readme_is_what_the_program_prints():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    session = re.search(r"```\n(\[sim\] .*?)```", text, re.S)[1]
    typed = "".join(f"{line}\n" for line in re.findall(r"^xce> (.*)$", session, re.M))
    program = (sys.executable, "-m", "xce_sim", "--sim", "replays/contention.jsonl", "-i")
    done = subprocess.run(program, input=typed, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == session
    assert (done.returncode, done.stderr) == (0, "")


def test_files_that_the_readme_names_are_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:scripts|replays|tests|xce_sim)/[\w./-]*)`", text)
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
