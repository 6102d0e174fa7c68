"""What Tab offers: the words that could stand where the cursor is."""

from __future__ import annotations

from xce_sim.commands.session import Session
from xce_sim.errors import UserError


def complete(session: Session, text: str) -> tuple[str, list[str]]:
    """The word being typed at the end of a text, and what could stand in its place.

    Names that can not be typed safely (control characters and the like) are not offered; those
    with blanks come in quotes.
    """
    registry = session.registry
    try:
        statements = registry.split(text)
    except UserError:
        return "", []
    words = list(statements[-1].words) if statements and statements[-1].end == len(text) else []
    prefix = ""
    if words and words[-1].end == len(text):
        prefix = text[words.pop().start :]
    found = registry.candidates([word.text for word in words], prefix, session)
    return prefix, [name for name in found if name.isprintable()]
