"""Breakpoints: setting them and taking them away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from xce_sim.commands.arguments import (
    AnyHost,
    AnyLimit,
    Breakpoints,
    Job,
    ReasonWord,
    Round,
    Times,
    Word,
)
from xce_sim.commands.inspected import BreakpointFacts
from xce_sim.commands.kinds import ChoiceKind, NumberKind
from xce_sim.commands.name_kinds import JobKind
from xce_sim.commands.registry import Command, command, planned
from xce_sim.commands.results import BreakpointsChanged, BreakpointsDeleted, BreakpointSet
from xce_sim.commands.session import Session
from xce_sim.errors import UserError
from xce_sim.model.reasons import ReasonCode
from xce_sim.sim.stops import (
    AtDecision,
    AtHost,
    AtJob,
    AtLimit,
    AtReason,
    AtRound,
    Breakpoint,
    StopKind,
)

SECTION = "Breakpoints"

_KINDS = ("round", "job", "dispatch", "pend", "host", "reason", "limit")
BreakKind = Annotated[str, ChoiceKind("breakpoint", _KINDS)]


@command("break round", SECTION)
def break_round(session: Session, number: Round | None = None) -> BreakpointSet:
    """Stop when round N is due, or any round; its session has not begun.

    A `trace on` given there applies to that very round.

    Usage: break round [N]
    Example: break round 12
    """
    return _added(session, _at_round(session, number))


@command("break job", SECTION)
def break_job(session: Session, job: Job) -> BreakpointSet:
    """Stop once an event that names the job has been applied, before the round of that instant.

    The job need not exist yet: its arrival is such an event.

    Usage: break job JOBSEL
    Example: break job 42
    Example: break job 42[1-10]
    """
    return _added(session, AtJob(job))


@command("break dispatch", SECTION)
def break_dispatch(session: Session, job: Job | None = None) -> BreakpointSet:
    """Stop after a dispatch, of a job or of any.

    Usage: break dispatch [JOBSEL]
    Example: break dispatch 42
    """
    return _added(session, AtDecision("dispatch", job))


@command("break pend", SECTION)
def break_pend(session: Session, job: Job | None = None) -> BreakpointSet:
    """Stop after a decision that a job pends, for a job or for any.

    Usage: break pend [JOBSEL]
    Example: break pend 42
    """
    return _added(session, AtDecision("pend", job))


@command("break host", SECTION)
def break_host(session: Session, host: AnyHost) -> BreakpointSet:
    """Stop after a dispatch that takes something of a host; the host need not exist yet.

    Usage: break host NAME
    Example: break host n01
    """
    return _added(session, AtHost(host))


@command("break reason", SECTION)
def break_reason(session: Session, code: ReasonWord) -> BreakpointSet:
    """Stop after a decision that a job pends for a reason, be it the main one or another.

    Usage: break reason CODE
    Example: break reason CLUSTER_LIMIT
    """
    return _added(session, AtReason(ReasonCode(code)))


@command("break limit", SECTION)
def break_limit(session: Session, limit: AnyLimit) -> BreakpointSet:
    """Stop after a decision that a job pends on a limit, whichever of its counters it is.

    Usage: break limit NAME
    Example: break limit lim_user
    """
    return _added(session, AtLimit(limit))


@command("tbreak", SECTION)
def tbreak(session: Session, kind: BreakKind, argument: Word | None = None) -> BreakpointSet:
    """Set a breakpoint of any kind that goes away the first time it stops.

    Usage: tbreak round|job|dispatch|pend|host|reason|limit [WORD]
    Example: tbreak job 42
    Example: tbreak round
    """
    if argument is None and kind not in ("round", "dispatch", "pend"):
        raise UserError(f"{kind} needs one more word")
    return _added(session, _MAKERS[kind](session, argument), temporary=True)


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


@command("enable", SECTION)
def enable(session: Session, *numbers: Breakpoints) -> BreakpointsChanged:
    """Let breakpoints stop again, all of them if none is named.

    Usage: enable [N…]
    Example: enable 2
    """
    return _switched(session, numbers, on=True)


@command("disable", SECTION)
def disable(session: Session, *numbers: Breakpoints) -> BreakpointsChanged:
    """Keep breakpoints without stopping at them, all of them if none is named.

    Usage: disable [N…]
    Example: disable 2
    """
    return _switched(session, numbers, on=False)


@command("ignore", SECTION)
def ignore(session: Session, number: Breakpoints, count: Times) -> BreakpointsChanged:
    """Pass a breakpoint the next COUNT times that it is met; 0 stops at the very next.

    Usage: ignore N COUNT
    Example: ignore 2 10
    """
    point = session.stops.get(number)
    point.ignore = count
    return BreakpointsChanged(points=(facts_of(point),))


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


def _added(session: Session, kind: StopKind, *, temporary: bool = False) -> BreakpointSet:
    return BreakpointSet(point=facts_of(session.stops.add(kind, temporary=temporary)))


def _at_round(session: Session, number: int | None) -> AtRound:
    now = session.player.engine.round
    if number is not None and number <= now:
        raise UserError(f"round {number} is over", hint=f"this is round {now}")
    return AtRound(number)


def _made_at_round(session: Session, word: str | None) -> AtRound:
    return _at_round(session, None if word is None else NumberKind("round").parse(word, session))


def _made_at_decision(verb: str) -> Callable[[Session, str | None], StopKind]:
    return lambda session, word: AtDecision(
        verb, None if word is None else JobKind().parse(word, session)
    )


def _made_at_reason(session: Session, word: str | None) -> AtReason:
    kind = ChoiceKind("reason", tuple(ReasonCode))
    return AtReason(ReasonCode(kind.parse(word or "", session)))


_MAKERS: dict[str, Callable[[Session, str | None], StopKind]] = {
    "round": _made_at_round,
    "job": lambda session, word: AtJob(JobKind().parse(word or "", session)),
    "dispatch": _made_at_decision("dispatch"),
    "pend": _made_at_decision("pend"),
    "host": lambda _, word: AtHost(word or ""),
    "reason": _made_at_reason,
    "limit": lambda _, word: AtLimit(word or ""),
}
"""How `tbreak` makes a breakpoint of a kind from the word behind it."""


def _switched(session: Session, numbers: tuple[int, ...], *, on: bool) -> BreakpointsChanged:
    points = [session.stops.get(number) for number in dict.fromkeys(numbers)]
    points = points or list(session.stops)
    for point in points:
        point.enabled = on
    return BreakpointsChanged(points=tuple([facts_of(point) for point in points]))


COMMANDS: tuple[Command, ...] = (
    break_round,
    break_job,
    break_dispatch,
    break_pend,
    break_host,
    break_reason,
    break_limit,
    planned("break mismatch", SECTION),
    planned("break link", SECTION),
    tbreak,
    delete,
    enable,
    disable,
    ignore,
    planned("condition", SECTION),
    planned("commands", SECTION),
)
