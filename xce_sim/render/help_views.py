"""Help: the overview and the page of a command."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from xce_sim.commands.help_page import HelpPage
from xce_sim.commands.results import HelpMatches, HelpOverview
from xce_sim.commands.session import DEFAULT_WIDTH, Settings
from xce_sim.trace.spans import Line

_COLUMN = 36
"""Where summaries begin; a longer usage has its summary on the line below."""


def overview(result: HelpOverview, settings: Settings) -> Iterator[Line]:
    """Commands by section, each with its usage and what it does."""
    for number, (section, pages) in enumerate(result.sections):
        if number:
            yield ()
        yield (("key", section),)
        for page in pages:
            yield from _entry(page, settings.width or DEFAULT_WIDTH)
    if len(result.sections) > 1:
        yield ()
        yield (("plain", "help COMMAND explains one, help SECTION lists a part."),)
        yield (
            ("plain", "Words may be cut short while they stay unique: i t 42 is info trace 42."),
        )
        yield (("plain", "JOBSEL is 42, an element 42[7] or 42[1-10]; 42 names a whole array."),)
        yield (("plain", ";; separates commands; a line that begins with # is a comment."),)


def matches(result: HelpMatches, settings: Settings) -> Iterator[Line]:
    """Commands whose help has a word."""
    for each in result.pages:
        yield from _entry(each, settings.width or DEFAULT_WIDTH)
    if not result.pages:
        yield (("plain", f"nothing is said about {result.word}"),)


def page(result: HelpPage, settings: Settings) -> Iterator[Line]:
    """All about one command."""
    yield (("key", result.usage),)
    for text in (result.summary, *result.paragraphs):
        width = settings.width or DEFAULT_WIDTH
        for line in textwrap.wrap(text, width - 2, break_on_hyphens=False):
            yield (("plain", f"  {line}"),)
    for example in result.examples:
        yield (("plain", "  example: "), ("number", example))
    if result.short:
        yield (("plain", f"  short form: {result.short}"),)
    yield (("plain", f"  Enter {'repeats it' if result.repeats else 'does not repeat it'}"),)


def _entry(each: HelpPage, width: int) -> Iterator[Line]:
    usage = f"  {each.usage}"
    short = f" ({each.short})" if each.short else ""
    summary = textwrap.wrap(f"{each.summary}{short}", max(width - _COLUMN, 30))
    if len(usage) < _COLUMN - 1:
        yield (("number", usage.ljust(_COLUMN)), ("plain", summary.pop(0)))
    else:
        yield (("number", usage),)
    for text in summary:
        yield (("plain", " " * _COLUMN + text),)
