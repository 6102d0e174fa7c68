"""The guards that stand before the parser: length, nesting, characters, quotes and brackets.

One pass over the text, linear, without recursion. Decides only what can be seen without grammar,
so that hostile text never reaches the parser and the commonest slips (a bracket left open, a
placeholder that nobody filled in) are named for what they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xce_sim.resreq.errors import RequirementError, quote

MAX_LENGTH = 8192
MAX_NESTING = 64

_PLACEHOLDER = re.compile(r"\$(?:\{[^{}]*\}|\([^()]*\)|\w+)?|\{\{.*?\}\}|%\w+%?|\{\w*\}")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_BLANK = " \t\r\n"
_OPERATORS = "+-*/<>="


@dataclass(slots=True)
class _Scan:
    """Where the pass stands: open brackets, the nesting so far, the character before."""

    text: str
    at: int = 0
    open: list[tuple[str, int, int]] = field(default_factory=list)
    depth: int = 0
    negations: int = 0
    before: str = ""


def prescan(text: str) -> None:
    """Refuse text that must not reach the parser with a `RequirementError`.

    "Guards, checked before the parser runs: 8192 characters, nesting 64 (counted over `(`, `!`,
    `{`)": a `!` counts until its operand ends to nest. Quoted text is skipped.
    """
    if len(text) > MAX_LENGTH:
        raise RequirementError(
            f"the requirement has {len(text)} characters, more than {MAX_LENGTH},",
            text=text,
            span=(MAX_LENGTH, MAX_LENGTH + 1),
        )
    scan = _Scan(text)
    while scan.at < len(text):
        _step(scan)
    if scan.open:
        bracket, place, _ = scan.open[-1]
        raise RequirementError(
            f"{bracket} is never closed",
            text=text,
            span=(place, place + 1),
            hint=f"add the missing {_CLOSER[bracket]}",
        )


def _step(scan: _Scan) -> None:
    char = scan.text[scan.at]
    if char in "'\"":
        _skip_quoted(scan)
    elif char in "([{":
        _open(scan, char)
    elif char in ")]}":
        _close(scan, char)
    elif char == "!" and scan.text[scan.at + 1 : scan.at + 2] != "=":
        _negate(scan)
    elif char in "$%":
        _refuse_placeholder(scan)
    elif char not in _BLANK:
        scan.negations = 0
        if not (char.isascii() and char.isprintable()):
            _refuse_character(scan, char)
    if char not in _BLANK:
        scan.before = char
    scan.at += 1


def _negate(scan: _Scan) -> None:
    """A `!`; one that is an operand of arithmetic or of a comparison would nest uncounted."""
    if scan.before and scan.before in _OPERATORS:
        raise RequirementError(
            f"! negates a condition and can not stand behind {scan.before}",
            text=scan.text,
            span=(scan.at, scan.at + 1),
        )
    scan.negations += 1
    _check_depth(scan)


def _open(scan: _Scan, char: str) -> None:
    if char == "{" and _inside_expression(scan):
        _refuse_placeholder(scan)
    added = 0 if char == "[" else scan.negations + 1
    if char != "[":
        scan.negations += 1
        _check_depth(scan)
    scan.open.append((char, scan.at, added))
    scan.depth += added
    scan.negations = 0


def _inside_expression(scan: _Scan) -> bool:
    """Whether a brace here can not open a member or an alternative."""
    before = scan.text[: scan.at].rstrip(_BLANK)
    return bool(scan.open and scan.open[-1][0] != "{") or before.endswith(("=", "<", ">"))


def _close(scan: _Scan, char: str) -> None:
    span = (scan.at, scan.at + 1)
    if not scan.open:
        raise RequirementError(f"{char} closes nothing", text=scan.text, span=span)
    bracket, place, added = scan.open.pop()
    if _CLOSER[bracket] != char:
        raise RequirementError(
            f"{char} does not close the {bracket} of column {place + 1}",
            text=scan.text,
            span=span,
            hint=f"expected {_CLOSER[bracket]}",
        )
    scan.depth -= added
    scan.negations = 0


def _check_depth(scan: _Scan) -> None:
    if scan.depth + scan.negations > MAX_NESTING:
        raise RequirementError(
            f"nested deeper than {MAX_NESTING} levels",
            text=scan.text,
            span=(scan.at, scan.at + 1),
            hint="( ! and { each add a level",
        )


def _skip_quoted(scan: _Scan) -> None:
    mark, start = scan.text[scan.at], scan.at
    end = scan.text.find(mark, start + 1)
    if end < 0:
        raise RequirementError(
            f"the quote {mark} is never closed", text=scan.text, span=(start, start + 1)
        )
    for at in range(start + 1, end):
        if not scan.text[at].isprintable():
            scan.at = at
            _refuse_character(scan, scan.text[at])
    scan.at = end
    scan.negations = 0


def _refuse_character(scan: _Scan, char: str) -> None:
    raise RequirementError(
        f"the character {quote(char)} can not stand here",
        text=scan.text,
        span=(scan.at, scan.at + 1),
        hint="anything but plain ASCII belongs in quotes" if char.isprintable() else None,
    )


def _refuse_placeholder(scan: _Scan) -> None:
    match = _PLACEHOLDER.match(scan.text, scan.at)
    if match is None or match.end() - match.start() < 2:
        _refuse_character(scan, scan.text[scan.at])
        return
    raise RequirementError(
        f"the placeholder {quote(match[0])} was never filled in",
        text=scan.text,
        span=(scan.at, match.end()),
        hint="the shell or the template that makes this text should put a value there",
    )
