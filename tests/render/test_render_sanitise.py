"""Names from outside are shown harmless."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xce_sim.render.sanitise import sanitised


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("alice", "alice"),
        ("", ""),
        ("red \x1b[31mname", "red \\x1b[31mname"),
        ("two\nlines\r\tand\x00", "two\\x0alines\\x0d\\x09and\\x00"),
        ("\x9b31m", "\\x9b31m"),
        ("[bold]x[/bold] :smile:", "[bold]x[/bold] :smile:"),
        ("abc\u202ecba\u200f", "abc\\u202ecba\\u200f"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("lone\ud800", "lone\\ud800"),
        ("Grüße 世界 🙂", "Grüße 世界 🙂"),
        ("x" * 10_000, "x" * 10_000),
    ],
)
def test_names(name: str, shown: str) -> None:
    assert sanitised(name) == shown


def test_every_character_that_is_no_letter_of_anything_is_written_out() -> None:
    """Control, format and surrogate characters, and line ends: all of them, and no others."""
    harmful = {
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    changed = {char for char in map(chr, range(sys.maxunicode + 1)) if sanitised(char) != char}
    assert harmful <= changed
    assert all(unicodedata.category(char) == "Cn" for char in changed - harmful)


@given(st.text(st.characters(), max_size=40))
@settings(deadline=None, max_examples=300, derandomize=True)
def test_what_is_shown_is_one_line_that_can_be_written(name: str) -> None:
    shown = sanitised(name)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert len(shown.splitlines()) <= 1
    assert sanitised(shown) == shown
