"""What is wrong with a requirement, said with the place in its text.

Decides the form of the message (one line that carries the column, so that it is complete where no
caret can be shown) and how foreign text is quoted in it; not what counts as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from xce_sim.errors import UserError

SHOWN = 40
"""At most so many characters of a requirement are repeated in a message."""


class RequirementError(UserError):
    """A requirement that can not be used.

    `what` says what is wrong without the place; `message` is `what` with the 1-based column,
    `text` the whole requirement and `span` the 0-based start and end of the part meant. `span` is
    None where no single place is to blame (two counts that contradict each other, a full table).
    """

    def __init__(
        self,
        what: str,
        *,
        text: str | None = None,
        span: tuple[int, int] | None = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        message = what if span is None else f"{what} at column {span[0] + 1}"
        super().__init__(message, hint=hint, text=text, span=span)

    def fresh(self) -> RequirementError:
        """An equal error without a traceback, to be raised again."""
        return RequirementError(self.what, text=self.text, span=self.span, hint=self.hint)


class TableFull(RequirementError):
    """A new expression does not fit into the intern table; it may after the next sweep."""


class LanguageMisuse(RuntimeError):
    """The program, not a person, used the language wrongly (a swept node, a sweep in a round)."""


def clip(text: str) -> str:
    """The text as it is, or its beginning when it is long."""
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def quote(text: str) -> str:
    """Text in quotes for a message, on one line and harmless at a terminal."""
    return "'" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in clip(text)) + "'"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that `word` was most likely meant to be; None when none is close."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed to explain an error

    names = list(known)
    for name in names:
        if name.lower() == word.lower():
            return name
    found = get_close_matches(word, names, n=1, cutoff=0.6)
    return found[0] if found else None
