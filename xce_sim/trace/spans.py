"""Lines as spans: a style's name and a text, joined without anything between.

The console paints the spans and the file joins their texts, "so they can not drift". Texts are
raw: names come from recordings and may hold anything, so whoever shows them makes them harmless
first, the same way for both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Style = Literal["plain", "good", "bad", "dim", "key", "number"]
Span = tuple[Style, str]
Line = tuple[Span, ...]

INDENT = "  "


def indented(depth: int, spans: Line) -> Line:
    """The line `depth` levels in."""
    return (("plain", INDENT * depth), *spans) if depth else spans


def plain_text(line: Line) -> str:
    """The text of one line, without a line end."""
    return "".join([text for _, text in line])


def plain_lines(lines: Iterable[Line]) -> list[str]:
    """The texts of lines."""
    return [plain_text(line) for line in lines]
