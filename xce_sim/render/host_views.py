"""Hosts: `info host` and the rows of `info hosts`.

    host n01  ok  slots 12 of 16  type=linux gpu=1
      mem total 64 GiB in-use 48 GiB
      jobs 42 51[3]

Amounts are what is in use, of what there is.
"""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.inspected import AmountFacts, HostFacts, HostRow
from xce_sim.commands.session import Settings
from xce_sim.render.wording import ids, room_after
from xce_sim.trace.spans import Line, Style


def host(facts: HostFacts, settings: Settings) -> Iterator[Line]:
    """All about one host."""
    width = 0 if facts.whole else settings.width
    values = " ".join(f"{name}={value_text(value)}" for name, value in facts.values)
    yield (*_head(facts.row, settings), ("plain", f"  {values}" if values else ""))
    for amount in facts.row.amounts:
        total, in_use = _shown(amount, settings)
        yield (("plain", f"  {amount.name} total {total} in-use {in_use}"),)
    yield (("plain", f"  jobs {ids(facts.jobs, room_after(width, '  jobs ')) or 'none'}"),)


def row(facts: HostRow, settings: Settings) -> Line:
    """A host in a list."""
    amounts = [(amount.name, *_shown(amount, settings)) for amount in facts.amounts]
    text = "".join(f"  {name} {in_use} of {total}" for name, total, in_use in amounts)
    return (*_head(facts, settings), ("plain", text))


def _head(facts: HostRow, settings: Settings) -> Line:
    total, in_use = _shown(facts.slots, settings)
    style: Style = "good" if facts.status == "ok" else "bad"
    frozen = " (accounts frozen)" if facts.frozen else ""
    return (
        ("key", f"host {facts.name}"),
        (style, f"  {facts.status}"),
        ("plain", f"{frozen}  slots {in_use} of {total}"),
    )


def _shown(amount: AmountFacts, settings: Settings) -> tuple[str, str]:
    display = settings.display
    return display.amount(amount.total, amount.unit), display.amount(amount.in_use, amount.unit)


def value_text(value: float | str | bool) -> str:
    """A boolean as 1 or 0, a number without a needless fraction, a text as it is."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return f"{value:.12g}"
    return value
