"""What the README shows is what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_session_in_the_readme_is_a_transcript() -> None:
    """When it changes, paste tests/transcripts/readme.txt (without its comment) anew."""
    transcript = (ROOT / "tests/transcripts/readme.txt").read_text(encoding="utf-8")
    session = transcript.partition("\n")[2]
    assert f"```\n{session}```\n" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_files_that_the_readme_names_are_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:scripts|replays|tests|xce_sim)/[\w./-]*)`", text)
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
