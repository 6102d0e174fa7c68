"""Styles as terminal codes, made once; and whether colour is wanted at all.

Whether to colour is decided here and not by a library: only at a terminal that can, and never
when `NO_COLOR` is set, empty or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from xce_sim.trace.spans import Style

_STYLES: dict[Style, str] = {
    "plain": "",
    "good": "green",
    "bad": "bold red",
    "dim": "dim",
    "key": "bold",
    "number": "cyan",
}


def colour_wanted(*, terminal: bool, environment: Mapping[str, str]) -> bool:
    """Whether to paint: at a terminal, unless it is dumb or the person said no."""
    return terminal and "NO_COLOR" not in environment and environment.get("TERM", "") != "dumb"


@cache
def codes() -> dict[Style, tuple[str, str]]:
    """What goes before and after a text in each style."""
    from rich.color import ColorSystem  # noqa: PLC0415  heavy: only where colour is wanted
    from rich.style import Style as RichStyle  # noqa: PLC0415

    made: dict[Style, tuple[str, str]] = {}
    for name, definition in _STYLES.items():
        text = RichStyle.parse(definition or "none").render("|", color_system=ColorSystem.STANDARD)
        before, _, after = text.partition("|")
        made[name] = (before, after)
    return made
