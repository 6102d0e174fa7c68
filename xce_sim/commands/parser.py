"""Splitting a line that was typed: words, quotes, `;;`, comments, and the rest of a line.

"`#` at the start of a line is a comment, `;;` separates commands; neither is special inside a
`trace … file PATH`, which takes the rest of the line". Quotes keep blanks and `;;` together:
`'…'` takes everything as it stands, `"…"` knows `\\"` and `\\\\`. What the words mean is decided
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xce_sim.errors import UserError

_BLANKS = re.compile(r"\s*")
_PIECE = re.compile(
    r"""'(?P<single>[^']*)' | "(?P<double>(?:[^"\\]|\\.)*)" | (?P<quote>['"])
    | (?P<plain>(?:(?!;;)[^\s'"])+)""",
    re.VERBOSE,
)
_SPECIAL = re.compile(r"[\s'\"]|^#")
_ESCAPED = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word without its quotes, and where it stands in the line (0-based columns)."""

    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One command of a line: its words, and the columns between which it stands."""

    line: str
    words: tuple[Word, ...]
    start: int
    end: int

    @property
    def text(self) -> str:
        """The command as it was typed."""
        return self.line[self.start : self.end]

    def rest_from(self, word: int) -> str:
        """Everything from word number `word` on, as it was typed; empty if there is none."""
        return self.line[self.words[word].start : self.end] if word < len(self.words) else ""


TakesRest = Callable[[Sequence[str]], bool]
"""Asked after each word: does whatever follows belong to one last word, up to the line's end?"""


def never_rest(_words: Sequence[str]) -> bool:
    """The answer for commands without such a word."""
    return False


def split_line(line: str, takes_rest: TakesRest = never_rest) -> list[Statement]:
    """The commands of a line, none for a blank one or a comment.

    `UserError` with the column for a quote that is not closed. What stands before the error is
    not given either: a line is run whole or not at all.
    """
    line = line.rstrip("\r\n")
    if line.lstrip().startswith("#"):
        return []
    statements = []
    position = 0
    while position < len(line):
        statement = _statement(line, position, takes_rest)
        if statement.words:
            statements.append(statement)
        position = statement.end + 2
    return statements


def quoted(word: str) -> str:
    """The word as it must be typed to be one word: in quotes where it needs them."""
    if word and ";;" not in word and not _SPECIAL.search(word):
        return word
    if "'" not in word:
        return f"'{word}'"
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _statement(line: str, position: int, takes_rest: TakesRest) -> Statement:
    words: list[Word] = []
    start = position = _skip_blanks(line, position)
    while position < len(line) and not line.startswith(";;", position):
        words.append(_word(line, position))
        position = _skip_blanks(line, words[-1].end)
        if position < len(line) and takes_rest([word.text for word in words]):
            end = len(line.rstrip())
            words.append(Word(text=line[position:end], start=position, end=end, quoted=True))
            return Statement(line=line, words=tuple(words), start=start, end=len(line))
    return Statement(line=line, words=tuple(words), start=start, end=position)


def _word(line: str, start: int) -> Word:
    position = start
    text = ""
    quoted = False
    while (match := _PIECE.match(line, position)) is not None:
        if match["quote"] is not None:
            raise UserError("a quote is not closed", text=line, span=(position, len(line.rstrip())))
        quoted = quoted or match["plain"] is None
        if match["double"] is not None:
            text += _ESCAPED.sub(r"\1", match["double"])
        else:
            text += match["single"] if match["single"] is not None else match["plain"]
        position = match.end()
    return Word(text=text, start=start, end=position, quoted=quoted)


def _skip_blanks(line: str, position: int) -> int:
    match = _BLANKS.match(line, position)
    return match.end() if match is not None else position
