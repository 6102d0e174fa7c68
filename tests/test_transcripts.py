"""Every session in tests/transcripts is what the program prints today."""

from __future__ import annotations

from pathlib import Path

import pytest
from transcript_runner import FOLDER, parse, play

TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path) -> None:
    """A difference that is meant: scripts/update-transcripts, then read it in the diff."""
    text = path.read_text(encoding="utf-8")
    assert play(parse(text)) == text
