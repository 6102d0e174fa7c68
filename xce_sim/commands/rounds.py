"""State inspection: rounds and what they decided."""

from __future__ import annotations

from xce_sim.commands.accounts import SECTION
from xce_sim.commands.arguments import Flag, RoundNumber
from xce_sim.commands.inspected import DecisionRow, RoundFacts
from xce_sim.commands.registry import Command, command
from xce_sim.commands.results import Heading, Listing
from xce_sim.commands.round_log import KEPT_ROUNDS, RoundLog, one_by_one
from xce_sim.commands.session import Session
from xce_sim.errors import UserError


@command("info round", SECTION)
def info_round(session: Session, *, all: Flag = False) -> RoundFacts:
    """Show the round at which the replay stands, and what it has decided so far.

    Usage: info round [all]
    Example: info round
    """
    log, place = session.player.log, session.player.place
    return RoundFacts(
        round=log.round,
        time=log.time,
        event=place.event,
        phase=log.phase,
        counts=log.counts,
        dispatched=log.dispatched,
        pending=log.pending,
        whole=all,
    )


@command("info decisions", SECTION)
def info_decisions(
    session: Session, round: RoundNumber | None = None, *, all: Flag = False
) -> Listing:
    """Show every decision of a round, a line each, in the order in which they were made.

    Without a number of the round at which the replay stands, so far. The latest 100 rounds are
    kept; at a terminal the first 50 decisions are shown, `all` shows the rest.

    Usage: info decisions [ROUND] [all]
    Example: info decisions
    Example: info decisions 12
    """
    log = session.player.log if round is None else _kept(session, round)
    pending = len(log.pending)
    counts = {"dispatched": log.dispatched, "reconstructed": log.reconstructed, "pending": pending}
    total = sum(1 for _ in one_by_one(log.decisions))
    counts["without decision"] = total - sum(counts.values())
    return Listing(
        rows=(DecisionRow(decision=each) for each in one_by_one(log.decisions)),
        total=total,
        nothing=f"decisions in round {log.round}" if log.round else "decisions",
        command=f"info decisions {log.round} all",
        whole=all,
        heading=Heading(
            what=f"round {log.round} decisions",
            total=total,
            counts={word: count for word, count in counts.items() if count},
        ),
    )


def _kept(session: Session, number: int) -> RoundLog:
    kept = session.player.kept
    for log in kept:
        if log.round == number:
            return log
    if not kept:
        raise UserError(f"invalid round: {number}", hint="no round has begun yet")
    raise UserError(
        f"invalid round: {number}",
        hint=f"rounds {kept[0].round} to {kept[-1].round} are kept, {KEPT_ROUNDS} at the most",
    )


COMMANDS: tuple[Command, ...] = (info_round, info_decisions)
