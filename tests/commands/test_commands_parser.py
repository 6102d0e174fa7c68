"""Lines as a person types them, split into commands and words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xce_sim.commands.parser import quoted, split_line
from xce_sim.errors import UserError


def words(line: str) -> list[list[str]]:
    return [[word.text for word in s.words] for s in split_line(line, takes_rest)]


def takes_rest(typed: list[str]) -> bool:
    """As for `trace on … file PATH`."""
    return typed[0] == "trace" and typed[-1] == "file"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        (" \t ", []),
        ("step", [["step"]]),
        ("  step   5 \r\n", [["step", "5"]]),
        ("# step", []),
        ("   # step ;; continue", []),
        ("step # 5", [["step", "#", "5"]]),
        ("break job 42[7];;continue", [["break", "job", "42[7]"], ["continue"]]),
        (";; step ;;;; step;;", [["step"], ["step"]]),
        ("step; continue", [["step;", "continue"]]),
        ("info host 'a b;;c'", [["info", "host", "a b;;c"]]),
        (r'info host "a \"b\" \\ \n"', [["info", "host", r'a "b" \ \n']]),
        ("info host ''", [["info", "host", ""]]),
        ('info host a"b c"d', [["info", "host", "ab cd"]]),
        ("trace on 42 file a;;b # c ", [["trace", "on", "42", "file", "a;;b # c"]]),
        ('trace on 42 file "a b"', [["trace", "on", "42", "file", '"a b"']]),
        ("step;;trace on all file x;;y", [["step"], ["trace", "on", "all", "file", "x;;y"]]),
        ("trace on all file", [["trace", "on", "all", "file"]]),
        ("trace on all file ", [["trace", "on", "all", "file"]]),
    ],
)
def test_lines(line: str, expected: list[list[str]]) -> None:
    assert words(line) == expected


def test_an_open_quote_is_shown_where_it_begins() -> None:
    with pytest.raises(UserError) as caught:
        split_line("step ;; info host 'n01")
    assert caught.value.message == "a quote is not closed"
    assert caught.value.span == (18, 22)


def test_the_rest_from_a_word_is_what_was_typed() -> None:
    first, second = split_line("info hosts where type=='a b'  && gpu ;; step")
    assert first.rest_from(3) == "type=='a b'  && gpu "
    assert first.rest_from(9) == ""
    assert (first.text, second.text) == ("info hosts where type=='a b'  && gpu ", "step")


@given(st.text(max_size=20))
@settings(deadline=None, max_examples=300, derandomize=True)
def test_a_quoted_word_is_one_word_again(word: str) -> None:
    if "\n" in word or "\r" in word:
        return
    (statement,) = split_line(f"info host {quoted(word)}")
    assert [each.text for each in statement.words] == ["info", "host", word]


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=300, derandomize=True)
def test_any_line_is_split_or_refused_and_words_stand_where_they_say(line: str) -> None:
    try:
        statements = split_line(line, takes_rest)
    except UserError:
        assert "'" in line or '"' in line
        return
    for statement in statements:
        assert statement.words
        for word in statement.words:
            assert statement.start <= word.start < word.end <= statement.end
            if not word.quoted:
                assert statement.line[word.start : word.end] == word.text
