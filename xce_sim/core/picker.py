"""Pickers: which pending job comes next, and when a round stops picking.

A picker is a generator that "stands still while the allocator works on its last job": it yields a
job and is sent what became of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Literal

from xce_sim.core.job import Job
from xce_sim.errors import UserError

Outcome = Literal["dispatched", "pended", "none"]
"""`none`: selected without a decision (an invalid requirement, an internal error)."""

Picking = Generator[Job, Outcome, None]
Picker = Callable[[Iterable[Job]], Picking]
"""Takes the pending jobs of active queues in first-come-first-served order."""


def builtin_fcfs(pending: Iterable[Job]) -> Picking:
    """Every pending job of an active queue, in order."""
    yield from pending


def builtin_fcfs_strict(pending: Iterable[Job]) -> Picking:
    """The same order, up to the first job that pends.

    "ends the round's picking at the first job that pends (one without a decision is passed over)"
    """
    for job in pending:
        outcome = yield job
        if outcome == "pended":
            return


PICKERS: dict[str, Picker] = {
    "builtin_fcfs": builtin_fcfs,
    "builtin_fcfs_strict": builtin_fcfs_strict,
}


def picker_of(policy: str) -> Picker:
    """The picker of a policy; `UserError` for an unknown one."""
    picker = PICKERS.get(policy)
    if picker is None:
        raise UserError(
            f"unknown scheduling policy {policy!r}", hint="known: " + " ".join(sorted(PICKERS))
        )
    return picker
