"""The guards before the parser: what they let pass, what they refuse and how."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resreq_builders import RESOURCES, World, refused, told

import xce_sim.resreq
from xce_sim.resreq import grammar
from xce_sim.resreq.errors import RequirementError
from xce_sim.resreq.language import parse_plain
from xce_sim.resreq.prescan import MAX_LENGTH, MAX_NESTING, prescan


def test_ast_7_a_text_of_exactly_8192_characters_parses() -> None:
    operands = [f"ut == {number}" for number in range(1000)]
    text = " && ".join(operands)[: MAX_LENGTH - 8]
    text = text[: text.rindex(" && ")]
    text += " " * (MAX_LENGTH - len(text) - len(" && gpu")) + " && gpu"
    assert len(text) == MAX_LENGTH
    world = World()
    assert world.primary(text).select is not None
    message = refused(text + " ").message
    assert message == ("the requirement has 8193 characters, more than 8192, at column 8193")


@pytest.mark.parametrize(
    ("opening", "closing"), [("(", ")"), ("!", ""), ("!(", ")"), ("!!!(", ")")]
)
def test_ast_7_nesting_64_parses_and_65_is_refused(opening: str, closing: str) -> None:
    per_level = len(opening)
    levels = MAX_NESTING // per_level
    text = opening * levels + "gpu" + closing * levels
    assert World().primary(text).select is not None
    deeper = "!" * (MAX_NESTING + 1 - levels * per_level) + text
    error = refused(deeper)
    assert error.what == "nested deeper than 64 levels"
    assert error.hint == "( ! and { each add a level"


def test_ast_7_braces_count_towards_the_nesting() -> None:
    inner = "(" * (MAX_NESTING - 2) + "gpu" + ")" * (MAX_NESTING - 2)
    assert World().parse(f"{{1*{{{inner}}}}} || {{gpu}}").numbered
    assert refused(f"{{1*{{({inner})}}}} || {{gpu}}").what == "nested deeper than 64 levels"


def test_negations_count_only_as_deep_as_they_reach() -> None:
    text = " && ".join(["!gpu"] * 200 + ["!(ssd)"] * 200)
    assert World().primary(text).select is not None


@pytest.mark.parametrize("piece", ["5 * ! + ", "ut == !", "! - "])
def test_negations_can_not_hide_behind_other_operators(piece: str) -> None:
    text = (piece * MAX_LENGTH)[: MAX_LENGTH - 3] + "gpu"
    with pytest.raises(RequirementError):
        prescan(text)


def test_not_equal_and_quoted_brackets_do_not_count() -> None:
    text = " && ".join(f"type != 'a({number}'" for number in range(100))
    assert World().primary(text).select is not None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "!" * 100_000,
        "{" * 100_000,
        "9" * 10_000 + "*{gpu}",
        "mem > " + "9" * 10_000,
        "\x00" * 20_000,
    ],
)
def test_hostile_lengths_never_reach_the_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "_run", lambda *_: pytest.fail("parsed"))
    assert "more than 8192" in refused(text).message


@pytest.mark.parametrize("text", ["(" * 8000, "!" * 8000 + "gpu", "{" * 8000])
def test_hostile_depth_never_reaches_the_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "_run", lambda *_: pytest.fail("parsed"))
    assert refused(text).what == "nested deeper than 64 levels"


@pytest.mark.parametrize(
    "text", ["mem > " + "9" * 8000, "rusage[mem=" + "9" * 8000 + "]", "9" * 8000 + "*{gpu}"]
)
def test_numbers_of_thousands_of_digits_are_refused_and_not_repeated(text: str) -> None:
    error = refused(text)
    assert len(error.message) < 200
    assert "too large" in error.message or "must be a number" in error.message


CARETS = [
    (
        "gpu\x00",
        "gpu\x00\n   ^\nthe character '\\x00' can not stand here at column 4",
    ),
    (
        "type == café",
        "type == café\n           ^\nthe character 'é' can not stand here at column 12\n"
        "anything but plain ASCII belongs in quotes",
    ),
    (
        "type == 'a\x1b[31mb'",
        "type == 'a\x1b[31mb'\n          ^\nthe character '\\x1b' can not stand here at column 11",
    ),
    (
        "type == 'linux",
        "type == 'linux\n        ^\nthe quote ' is never closed at column 9",
    ),
    (
        "select[(gpu]",
        "select[(gpu]\n           ^\n] does not close the ( of column 8 at column 12\nexpected )",
    ),
    ("select[gpu", "select[gpu\n      ^\n[ is never closed at column 7\nadd the missing ]"),
    ("gpu)", "gpu)\n   ^\n) closes nothing at column 4"),
    (
        "${n}*{gpu}",
        "${n}*{gpu}\n^^^^\nthe placeholder '${n}' was never filled in at column 1\n"
        "the shell or the template that makes this text should put a value there",
    ),
    (
        "rusage[mem=$MEM]",
        "rusage[mem=$MEM]\n           ^^^^\nthe placeholder '$MEM' was never filled in at column 12\n"
        "the shell or the template that makes this text should put a value there",
    ),
    (
        "rusage[mem={}]",
        "rusage[mem={}]\n           ^^\nthe placeholder '{}' was never filled in at column 12\n"
        "the shell or the template that makes this text should put a value there",
    ),
    (
        "rusage[mem={{ mem }}]",
        "rusage[mem={{ mem }}]\n           ^^^^^^^^^\n"
        "the placeholder '{{ mem }}' was never filled in at column 12\n"
        "the shell or the template that makes this text should put a value there",
    ),
    (
        "gpu $",
        "gpu $\n    ^\nthe character '$' can not stand here at column 5\n"
        "anything but plain ASCII belongs in quotes",
    ),
]


@pytest.mark.parametrize(("text", "expected"), CARETS)
def test_what_is_wrong_is_named_with_its_place(text: str, expected: str) -> None:
    assert told(text) == expected


@settings(deadline=None, max_examples=300, derandomize=True)
@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused_with_a_place_in_it(text: str) -> None:
    try:
        World().parse(text)
    except RequirementError as error:
        assert error.text == text
        assert error.span is not None
        start, end = error.span
        assert 0 <= start < end <= len(text) + 1
        assert error.message == f"{error.what} at column {start + 1}"
        assert error.message.isprintable()


_PIECES = st.sampled_from(
    [
        "select",
        "rusage",
        "span",
        "order",
        "same",
        "affinity",
        "cu",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "!",
        "!=",
        "==",
        "=",
        ">=",
        "<",
        "&&",
        "||",
        "+",
        "-",
        "*",
        "/",
        ",",
        ":",
        "mem",
        "gpu",
        "type",
        "linux",
        "any",
        "5",
        "0.5",
        "4G",
        "2*",
        "hosts=1",
        "ptile=4",
        "duration=1h",
        "defined(",
        "'",
        '"',
        "",
    ]
)


@settings(deadline=None, max_examples=500, derandomize=True)
@given(st.lists(_PIECES, max_size=25))
def test_any_shuffle_of_the_language_s_own_words_is_parsed_or_refused(pieces: list[str]) -> None:
    text = " ".join(pieces)
    try:
        World().parse(text)
    except RequirementError as error:
        assert error.span is not None
        assert error.span[0] <= len(text)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.binary(max_size=200))
def test_binary_rubbish_is_refused_or_harmless(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    try:
        World().parse(text)
    except RequirementError as error:
        error.message.encode("utf-8")


def test_the_recursion_limit_is_neither_changed_nor_needed() -> None:
    sources = Path(xce_sim.resreq.__file__).parent.glob("*.py")
    assert not [path.name for path in sources if "recursionlimit" in path.read_text("utf-8")]
    deep = "".join(f"(!(ut + {i} > 1 * ({i} - 2)) || " for i in range(20)) + "gpu" + ")" * 20
    widest = " && ".join(["gpu"] * 1000)
    before = sys.getrecursionlimit()
    assert _below(500, lambda: World().primary(deep).select) is not None
    assert _below(500, lambda: parse_plain(deep, RESOURCES)) is not None
    assert _below(500, lambda: World().primary(widest).select) is not None
    assert sys.getrecursionlimit() == before


def _below(frames: int, call):  # type: ignore[no-untyped-def]
    """The call made from deep inside a stack."""
    return call() if frames == 0 else _below(frames - 1, call)


def test_a_prescan_is_linear() -> None:
    visited: list[int] = []

    class Counting(str):
        __slots__ = ()

        def __getitem__(self, key):  # type: ignore[no-untyped-def]
            visited.append(1)
            return str.__getitem__(self, key)

    prescan(Counting("gpu && " * 500 + "gpu"))
    assert len(visited) <= 2 * (7 * 500 + 3)
