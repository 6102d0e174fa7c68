"""The one writer: colours, harmless text, a reader who has gone away."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

import pytest

from xce_sim.render.console import Console, OutputClosed, plain_text
from xce_sim.render.theme import codes, colour_wanted
from xce_sim.trace.spans import Line

LINE: Line = (("key", "job 42"), ("plain", "  \x1b[31m "), ("bad", "pend"))


@pytest.mark.parametrize(
    ("terminal", "environment", "wanted"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {}, True),
        (False, {"TERM": "xterm", "FORCE_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, False),
        (True, {"TERM": "xterm", "FORCE_COLOR": "0"}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_whether_to_colour_is_decided_here(
    terminal: bool, environment: dict[str, str], wanted: bool
) -> None:
    assert colour_wanted(terminal=terminal, environment=environment) is wanted


def test_without_colour_only_the_harmless_text_is_written() -> None:
    stream = io.StringIO()
    Console(stream).show([LINE, (), LINE])
    assert stream.getvalue() == "job 42  \\x1b[31m pend\n\njob 42  \\x1b[31m pend\n"


def test_with_colour_texts_are_harmless_between_the_codes() -> None:
    stream = io.StringIO()
    Console(stream, terminal=True, colour=True).show([LINE])
    before, after = codes()["bad"]
    assert before == "\x1b[1;31m"
    assert stream.getvalue() == f"\x1b[1mjob 42\x1b[0m  \\x1b[31m {before}pend{after}\n"


def test_long_answers_begin_before_they_are_complete() -> None:
    stream = io.StringIO()
    seen: list[int] = []

    def lines() -> Iterator[Line]:
        for number in range(2500):
            seen.append(len(stream.getvalue()))
            yield (("plain", str(number)),)

    Console(stream).show(lines())
    assert stream.getvalue() == "".join(f"{number}\n" for number in range(2500))
    assert 0 < seen[-1] < len(stream.getvalue())


def test_a_reader_who_has_gone_away_is_told_once() -> None:
    """Given a pipe nobody reads, then writing says so and closing the stream is quiet."""
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w")
    console = Console(stream)
    console.show([LINE])
    with pytest.raises(OutputClosed):
        console.flush()
    stream.close()


def test_the_text_for_files_is_that_of_the_console() -> None:
    stream = io.StringIO()
    Console(stream).show([LINE])
    assert stream.getvalue() == plain_text(LINE) + "\n"
