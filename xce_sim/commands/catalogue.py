"""The list of all commands, in the order in which help shows them."""

from __future__ import annotations

from xce_sim.commands import breakpoints, execution, helping, inspection, settings, tracing
from xce_sim.commands.registry import Registry, planned


def standard_registry() -> Registry:
    """Every command of the program."""
    return Registry(
        (
            *execution.COMMANDS,
            *breakpoints.COMMANDS,
            *inspection.COMMANDS,
            *tracing.COMMANDS,
            *settings.COMMANDS,
            planned("snapshot", "Snapshot"),
            planned("restore", "Snapshot"),
            *helping.COMMANDS,
        )
    )
