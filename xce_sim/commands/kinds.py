"""Kinds of arguments: what a word must look like, and what could be typed in its place.

A malformed word is refused as `invalid <what>: <word>`. Kinds that name things of the replay stand
in `name_kinds`; which word goes to which parameter is decided in `binding`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any, Literal, Protocol

from xce_sim.commands.session import Session
from xce_sim.errors import UserError

MAX_CANDIDATES = 200
"""More completions than these are of no use to anybody."""

Takes = Literal["word", "statement", "line"]


class Kind(Protocol):
    """One kind of argument.

    `metavar` stands for it in usage lines; `takes` tells whether it is one word, all that is left
    of the command, or all that is left of the line.
    """

    metavar: str
    takes: Takes

    def parse(self, text: str, session: Session) -> Any:
        """The value of a word; `UserError` that names it otherwise."""

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Words that begin so."""


def nearest(text: str, known: Iterable[str]) -> str | None:
    """`did you mean n01?` for the known word that is most alike, None if none is."""
    found = get_close_matches(text, list(known), n=1, cutoff=0.6)
    return f"did you mean {found[0]}?" if found else None


def beginning(prefix: str, words: Iterable[str]) -> Iterable[str]:
    """The words that begin so, at most `MAX_CANDIDATES`."""
    return islice((word for word in words if word.startswith(prefix)), MAX_CANDIDATES)


@dataclass(frozen=True, slots=True)
class NumberKind:
    """A whole number within bounds."""

    what: str = "number"
    low: int = 1
    high: int = 2**31 - 1
    also: int | None = None
    metavar: str = "N"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> int:  # noqa: ARG002
        """The number."""
        if text.isascii() and text.isdecimal() and len(text) <= 20:
            number = int(text)
            if self.low <= number <= self.high or number == self.also:
                return number
        also = "" if self.also is None else f"{self.also} or "
        raise UserError(
            f"invalid {self.what}: {text}",
            hint=f"{also}a whole number from {self.low} to {self.high}",
        )

    def complete(self, prefix: str, session: Session) -> Iterable[str]:  # noqa: ARG002
        """Nothing to suggest."""
        return ()


@dataclass(frozen=True, slots=True)
class ChoiceKind:
    """One of a few words."""

    what: str
    words: tuple[str, ...]
    name: str = ""
    takes: Takes = "word"

    @property
    def metavar(self) -> str:
        """All of them (`on|off`), or the name given to them."""
        return self.name or "|".join(self.words)

    def parse(self, text: str, session: Session) -> str:  # noqa: ARG002
        """The word."""
        if text not in self.words:
            raise UserError(f"invalid {self.what}: {text}", hint="one of " + " ".join(self.words))
        return text

    def complete(self, prefix: str, session: Session) -> Iterable[str]:  # noqa: ARG002
        """Those that begin so."""
        return beginning(prefix, self.words)


@dataclass(frozen=True, slots=True)
class FileKind:
    """A path; `takes` line for one that needs no quotes since it is all that is left."""

    metavar: str = "FILE"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> str:  # noqa: ARG002
        """The path as it was typed."""
        if not text or "\0" in text:
            raise UserError(f"invalid file: {text}", hint="a path")
        return text

    def complete(self, prefix: str, session: Session) -> Iterable[str]:  # noqa: ARG002
        """Entries of the folder; a folder ends with a slash."""
        folder, name = os.path.split(prefix)
        try:
            with os.scandir(folder or ".") as entries:
                found = sorted(
                    os.path.join(folder, entry.name) + ("/" if entry.is_dir() else "")
                    for entry in entries
                    if entry.name.startswith(name) and (name or not entry.name.startswith("."))
                )
        except (OSError, ValueError):
            return ()
        return found[:MAX_CANDIDATES]


@dataclass(frozen=True, slots=True)
class CommandKind:
    """The name of a command or a section, one word or more."""

    metavar: str = "COMMAND|SECTION"
    takes: Takes = "statement"

    def parse(self, text: str, session: Session) -> str:  # noqa: ARG002
        """The words as they were typed."""
        return " ".join(text.split())

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Commands and sections."""
        registry = session.registry
        return beginning(prefix, (*registry.first_words(), *registry.sections()))


@dataclass(frozen=True, slots=True)
class ExpressionKind:
    """A select expression: all that is left of the command, parsed where it is used."""

    metavar: str = "EXPR"
    takes: Takes = "statement"

    def parse(self, text: str, session: Session) -> str:  # noqa: ARG002
        """The text as it was typed."""
        return text

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Resources."""
        return beginning(prefix, (item.name for item in session.player.engine.core.state.resources))


@dataclass(frozen=True, slots=True)
class WordKind:
    """Any word."""

    metavar: str = "WORD"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> str:  # noqa: ARG002
        """The word."""
        return text

    def complete(self, prefix: str, session: Session) -> Iterable[str]:  # noqa: ARG002
        """Nothing to suggest."""
        return ()


@dataclass(frozen=True, slots=True)
class FlagKind:
    """A word that is there or not."""

    metavar: str = ""
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> bool:  # noqa: ARG002
        """It is there."""
        return True

    def complete(self, prefix: str, session: Session) -> Iterable[str]:  # noqa: ARG002
        """Nothing follows it."""
        return ()
