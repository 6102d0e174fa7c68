"""Breakpoints: setting them and taking them away."""

from __future__ import annotations

from xce_sim.commands.arguments import Breakpoints, Job, Round
from xce_sim.commands.inspected import BreakpointFacts
from xce_sim.commands.registry import Command, command, planned
from xce_sim.commands.results import BreakpointsDeleted, BreakpointSet
from xce_sim.commands.session import Session
from xce_sim.errors import UserError
from xce_sim.sim.stops import AtJob, AtRound, Breakpoint, StopKind

SECTION = "Breakpoints"


@command("break round", SECTION)
def break_round(session: Session, number: Round | None = None) -> BreakpointSet:
    """Stop when round N is due, or any round; its session has not begun.

    A `trace on` given there applies to that very round.

    Usage: break round [N]
    Example: break round 12
    """
    player = session.player
    if number is not None and number <= player.engine.round:
        raise UserError(f"round {number} is over", hint=f"this is round {player.engine.round}")
    return _added(session, AtRound(number))


@command("break job", SECTION)
def break_job(session: Session, job: Job) -> BreakpointSet:
    """Stop once an event that names the job has been applied, before the round of that instant.

    The job need not exist yet: its arrival is such an event.

    Usage: break job JOBSEL
    Example: break job 42
    Example: break job 42[1-10]
    """
    return _added(session, AtJob(job))


@command("delete", SECTION)
def delete(session: Session, *numbers: Breakpoints) -> BreakpointsDeleted:
    """Take breakpoints away, all of them if none is named.

    Usage: delete [N…]
    Example: delete 1 3
    """
    gone = tuple(dict.fromkeys(numbers)) or tuple([point.number for point in session.stops])
    for number in gone:
        session.stops.delete(number)
    return BreakpointsDeleted(numbers=gone)


def facts_of(point: Breakpoint) -> BreakpointFacts:
    """A breakpoint as it is shown."""
    return BreakpointFacts(
        number=point.number,
        what=str(point.kind),
        enabled=point.enabled,
        temporary=point.temporary,
        hits=point.hits,
        ignore=point.ignore,
    )


def _added(session: Session, kind: StopKind) -> BreakpointSet:
    return BreakpointSet(point=facts_of(session.stops.add(kind)))


COMMANDS: tuple[Command, ...] = (
    break_round,
    break_job,
    planned("break dispatch", SECTION),
    planned("break pend", SECTION),
    planned("break host", SECTION),
    planned("break reason", SECTION),
    planned("break limit", SECTION),
    planned("break mismatch", SECTION),
    planned("break link", SECTION),
    planned("tbreak", SECTION),
    delete,
    planned("enable", SECTION),
    planned("disable", SECTION),
    planned("ignore", SECTION),
    planned("condition", SECTION),
    planned("commands", SECTION),
)
