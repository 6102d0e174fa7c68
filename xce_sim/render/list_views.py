"""Lists: a line of counts, the rows, and how many were not shown.

"Lists stop at 50 rows at a terminal with a line that says how many more there are; `info … all`
and scripts show every row."
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from xce_sim.commands.results import Heading, Listing, Row
from xce_sim.commands.session import Settings
from xce_sim.trace.spans import Line

MAX_ROWS = 50


def listing(
    result: Listing,
    settings: Settings,
    row_view: Callable[[Row, Settings], Line],
    *,
    terminal: bool,
) -> Iterator[Line]:
    """Heading, rows, and what is left out."""
    if not result.total:
        yield (("plain", f"no {result.nothing}"),)
        return
    if result.heading is not None:
        yield _heading(result.heading)
    if result.whole:
        settings = replace(settings, width=0)
    stop = MAX_ROWS if terminal and not result.whole else None
    for row in islice(result.rows, stop):
        yield row_view(row, settings)
    if stop is not None and result.total > stop:
        more = f"... {result.total - stop} more; {result.command} shows them"
        yield (("dim", more),)


def _heading(heading: Heading) -> Line:
    counts = ", ".join(f"{word} {count}" for word, count in heading.counts.items())
    return (("key", f"{heading.what} {heading.total}:"), ("plain", f" {counts}"))
