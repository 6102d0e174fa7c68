"""Where the parser stopped, turned into a sentence: what was expected, what stands there.

Knows the slips that people make (`and`, `=>`, `**`, a clause that does not exist) and says how to
write what they meant. Decides wording only.
"""

from __future__ import annotations

import re

from xce_sim.resreq.errors import RequirementError, nearest, quote

CLAUSES = ("select", "rusage", "span", "same", "order", "affinity", "cu")
"""The words that open a clause when a `[` follows."""

_FOUND = re.compile(r"[A-Za-z_][\w.]*|[+-]?\d[\w.]*|[&|<>=!*]+|.", re.ASCII | re.DOTALL)
_WORD_BEFORE = re.compile(r"([A-Za-z_][\w.]*)\s*\Z", re.ASCII)
_EXPECTED = {
    "end of text": "an operator, a clause or the end",
    "Unbalanced parentheses or expression syntax error": "an operator or )",
}
_MEANT = {
    "and": "write && instead",
    "or": "write || instead",
    "not": "write ! instead",
    "&": "write && instead",
    "|": "write || instead",
    "=>": "write >= instead",
    "=<": "write <= instead",
    "<>": "write != instead",
    "===": "write == instead",
    "**": "there is no such operator; * multiplies, && joins two conditions",
    "-": "a sign belongs to a number; write 0 - x for the negative of x",
}


def syntax_error(text: str, loc: int, complaint: str) -> RequirementError:
    """The error for text that the parser could not follow beyond column `loc` (0-based)."""
    while loc < len(text) and text[loc].isspace():
        loc += 1
    expected = complaint.removeprefix("Expected ")
    expected = _EXPECTED.get(expected, expected)
    match = _FOUND.match(text, loc)
    if match is None:
        end = len(text.rstrip())
        return RequirementError(
            f"the text ends where {expected} is expected", text=text, span=(end, end + 1)
        )
    found = match[0]
    unknown = _unknown_clause(text, loc) if found == "[" else None
    if unknown is not None:
        return unknown
    return RequirementError(
        f"expected {expected}, found {quote(found)}",
        text=text,
        span=(loc, match.end()),
        hint=_hint(found),
    )


def late_select(text: str, loc: int) -> RequirementError:
    """The error for a bracket-free expression at column `loc` that does not come first."""
    match = _FOUND.match(text, loc)
    end = loc + 1 if match is None else match.end()
    rest = text[end:].lstrip()
    if rest.startswith("["):
        unknown = _unknown_clause(text, text.index("[", end))
        if unknown is not None:
            return unknown
    if not text[:loc].rstrip(" \t\r\n,").endswith("]"):
        return syntax_error(text, loc, "end of text")
    return RequirementError(
        "a bracket-free select must come first",
        text=text,
        span=(loc, end),
        hint="move it to the front, or write select[..]",
    )


def _hint(found: str) -> str | None:
    if found in _MEANT:
        return _MEANT[found]
    if found in CLAUSES:
        return f"the clause is written {found}[..]"
    if found == "{":
        return "braces enclose a member n*{..} or an alternative {..} || {..}"
    return "join conditions with &&" if found == "," else None


def _unknown_clause(text: str, loc: int) -> RequirementError | None:
    before = _WORD_BEFORE.search(text, 0, loc)
    if before is None:
        return None
    word = before[1]
    close = nearest(word, CLAUSES)
    known = "the clauses are " + " ".join(CLAUSES)
    return RequirementError(
        f"unknown clause {quote(word)}",
        text=text,
        span=before.span(1),
        hint=known if close is None else f"did you mean {close}? {known}",
    )
