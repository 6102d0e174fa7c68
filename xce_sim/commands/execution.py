"""Execution: playing on, until something says stop."""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.arguments import Count
from xce_sim.commands.playing import Player
from xce_sim.commands.registry import Command, command, planned
from xce_sim.commands.reporting import FoldingReporter, Reporter
from xce_sim.commands.results import (
    BreakpointHit,
    Quit,
    ReplayComplete,
    Restarted,
    Result,
    Stopped,
    Verified,
)
from xce_sim.commands.session import Session
from xce_sim.errors import UserError
from xce_sim.sim.happening import Completed, RoundEnded

SECTION = "Execution"


@command("step", SECTION, repeats=True)
def step(session: Session, count: Count = 1) -> Iterator[Result]:
    """Play through the next N round ends, showing every decision.

    Each round begins with a line that says what has happened since the last one, and ends with
    a line that says what it decided. Inside a round, goes on to its end. Stops at breakpoints.

    Usage: step [N]
    Example: step
    Example: step 5
    """
    return _play(session, Reporter(session), count)


@command("continue", SECTION, repeats=True)
def continue_(session: Session, count: Count | None = None) -> Iterator[Result]:
    """Play to the end, or through the next N round ends, with one line for each round.

    Neighbouring rounds in which nothing is dispatched and the same jobs wait are one line.
    Stops at breakpoints. Ctrl-C stops between two decisions and says where.

    Usage: continue [N]
    Example: continue
    Example: continue 100
    """
    return _play(session, FoldingReporter(session), count)


@command("run", SECTION)
def run(session: Session) -> Iterator[Result]:
    """Play from the start, to the end or a breakpoint, with one line for each round.

    Breakpoints, settings and stored traces stay, and trace files stay open.

    Usage: run
    Example: run
    """
    session.trace.end_session()
    session.player.close()
    session.player = session.restart()
    yield Restarted(path=session.path)
    yield from _play(session, FoldingReporter(session), None)


@command("quit", SECTION)
def quit_(session: Session) -> Quit:
    """Leave the program; trace files are written out and closed.

    Usage: quit
    Example: quit
    """
    session.trace.close()
    return Quit()


def _play(session: Session, reporter: Reporter, rounds: int | None) -> Iterator[Result]:
    """Pull happenings until something stops it; whatever was held back is shown first."""
    player, done = session.player, 0
    with session.interrupt.watched():
        while True:
            try:
                happening = player.pull()
            except UserError:
                yield from reporter.end()
                raise
            if (failed := player.output_failed()) is not None:
                yield failed
            if happening is None or isinstance(happening, Completed):
                yield from reporter.end()
                yield _completed(player)
                if player.engine.verification is not None:
                    yield Verified(verification=player.engine.verification)
                return
            yield from reporter.report(happening)
            done += isinstance(happening, RoundEnded)
            hits = session.stops.hit_by(happening)
            stop: Stopped | None = None
            if hits:
                causes = tuple([BreakpointHit(number=b.number, what=str(b.kind)) for b in hits])
                stop = Stopped(cause=causes, place=player.place)
            elif done == rounds:
                stop = Stopped(cause=done, place=player.place)
            elif session.interrupt.requested:
                stop = Stopped(cause="interrupted", place=player.place)
            if stop is not None:
                yield from reporter.end()
                if hits:
                    yield from reporter.stopping_at(happening)
                yield stop
                return


def _completed(player: Player) -> ReplayComplete:
    return ReplayComplete(place=player.place, damage=player.engine.damage)


COMMANDS: tuple[Command, ...] = (
    step,
    continue_,
    planned("until", SECTION),
    run,
    quit_,
)
