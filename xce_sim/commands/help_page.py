"""What is known about a command from its docstring: the page that `help` shows.

A docstring has a summary line, paragraphs, and lines `Usage: …` and `Example: …`, all taken as
they stand.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPage:
    """One command: `repeats` when Enter runs it again."""

    name: str
    section: str
    summary: str
    usage: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    short: str
    repeats: bool


def help_page(
    name: str, section: str, docstring: str | None, *, short: str, repeats: bool
) -> HelpPage:
    """The page of a command; `ValueError` for a docstring without summary, usage or example.

    Where Python was told to leave docstrings out (`-OO`) the page has the name alone.
    """
    if docstring is None and sys.flags.optimize >= 2:
        docstring = f"{name}\n\nUsage: {name}\nExample: {name}"
    summary, _, rest = inspect.cleandoc(docstring or "").partition("\n")
    paragraphs: list[str] = []
    usage: list[str] = []
    examples: list[str] = []
    for block in rest.split("\n\n"):
        prose: list[str] = []
        for line in block.strip().splitlines():
            if line.startswith("Usage: "):
                usage.append(line.removeprefix("Usage: "))
            elif line.startswith("Example: "):
                examples.append(line.removeprefix("Example: "))
            else:
                prose.append(line)
        if prose:
            paragraphs.append(" ".join(prose))
    if not summary or len(usage) != 1 or not examples:
        raise ValueError(f"the docstring of {name} needs a summary, one usage and an example")
    return HelpPage(
        name=name,
        section=section,
        summary=summary,
        usage=usage[0],
        paragraphs=tuple(paragraphs),
        examples=tuple(examples),
        short=short,
        repeats=repeats,
    )
