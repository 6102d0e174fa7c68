"""Rounds and decisions: one line each.

    [sim] round 12  2026-10-07 10:00:01  events: 3 new, 1 finished
    [sim]   dispatch 42  n01:4 n02:4
    [sim]   pend 43  HOST_RESOURCE mem on 3 hosts
    [sim] round 12  2026-10-07 10:00:01  1 dispatched, 1 pending: 43
    [sim] rounds 13-40  2026-10-07 10:00:02 - 10:28:00  idle

Lists inside a line are cut at the width that is set; the line itself is never wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.inspected import DecisionRow, RoundFacts
from xce_sim.commands.results import DecisionMade, RoundClosed, RoundOpened, RoundRange
from xce_sim.commands.session import Settings
from xce_sim.model.clock import format_time
from xce_sim.model.decision import Decision, Dispatch, NoDecision, Pend
from xce_sim.model.ids import JobId, format_id
from xce_sim.model.job import Allocation
from xce_sim.render.wording import counts, cut, ids, reasons_text, room_after, span_of_time
from xce_sim.trace.spans import Line


def opened(result: RoundOpened, settings: Settings) -> Iterator[Line]:
    """A round is due."""
    what = counts(result.counts.items()) or "none"
    moment = format_time(result.time, settings.time)
    yield (("key", f"[sim] round {result.round}"), ("plain", f"  {moment}  events: {what}"))


def decision(result: DecisionMade, settings: Settings) -> Iterator[Line]:
    """One decision of a round."""
    yield _decision(result.decision, settings.width)


def decision_row(row: DecisionRow, settings: Settings) -> Line:
    """A decision in a list."""
    (_, _), *rest = _decision(row.decision, settings.width)
    return (("plain", "  "), *rest)


def closed(result: RoundClosed, settings: Settings) -> Iterator[Line]:
    """A round is over."""
    head = f"[sim] round {result.round}"
    moment = f"  {format_time(result.time, settings.time)}  "
    what = _result(
        result.dispatched, result.reconstructed, result.pending, settings.width, head + moment
    )
    yield (("key", head), ("plain", moment), *what)


def range_of_rounds(result: RoundRange, settings: Settings) -> Iterator[Line]:
    """Neighbouring quiet rounds."""
    many = result.first != result.last
    head = f"[sim] round{'s' if many else ''} {result.first}{f'-{result.last}' if many else ''}"
    time = f"  {span_of_time(result.begin, result.end, settings.time)}  "
    what = _result(0, 0, result.pending, settings.width, head + time)
    yield (("key", head), ("plain", time), *what)


def allocation_text(allocation: Allocation, room: int) -> str:
    """`n01:4 n02:4`, cut after `room` characters."""
    return cut([f"{share.host}:{share.tasks}" for share in allocation.hosts], room)


def facts(result: RoundFacts, settings: Settings) -> Iterator[Line]:
    """`info round`."""
    moment = format_time(result.time, settings.time)
    head = f"round {result.round}"
    yield (("key", head), ("plain", f"  {moment}  event {result.event}  {_PHASES[result.phase]}"))
    if result.phase == "before":
        return
    yield (("plain", f"  events {counts(result.counts.items()) or 'none'}"),)
    text = f"  dispatched {result.dispatched}  pending {len(result.pending)}"
    width = 0 if result.whole else settings.width
    yield (("plain", text + _pending(result.pending, room_after(width, text))),)


_PHASES = {
    "before": "no round has begun yet",
    "due": "its session has not begun",
    "session": "its session is in progress",
    "between": "its session is over",
    "complete": "its session is over, the replay is complete",
}


def _decision(made: Decision, width: int) -> Line:
    if isinstance(made, Dispatch):
        head = f"dispatch {format_id(made.job)}"
        text = allocation_text(made.allocation, room_after(width, f"[sim]   {head}  "))
        note = "  (reconstructed)" if made.reconstructed else ""
        return (("plain", "[sim]   "), ("good", head), ("plain", f"  {text}{note}"))
    if isinstance(made, Pend):
        head = f"pend {format_id(made.job)}"
        text = reasons_text(made.reasons, room_after(width, f"[sim]   {head}  "))
        return (("plain", "[sim]   "), ("bad", head), ("plain", f"  {text}"))
    if isinstance(made, NoDecision):
        head = f"no decision {format_id(made.job)}"
        return (("plain", "[sim]   "), ("bad", head), ("plain", f"  {_no_decision(made)}"))
    raise TypeError(f"{type(made).__name__} is shown one by one")


def _no_decision(made: NoDecision) -> str:
    texts = {
        "not_found": "job not found",
        "no_object": f"RESREQ_INVALID: {made.cause}",
        "internal_error": f"internal error: {made.cause}",
        "no_reason": "pended without any reason",
    }
    return texts[made.kind]


def _result(
    dispatched: int, reconstructed: int, pending: tuple[JobId, ...], width: int, before: str
) -> Line:
    if not (dispatched or reconstructed or pending):
        return (("dim", "idle"),)
    parts = [f"{dispatched} dispatched"]
    if reconstructed:
        parts.append(f"{reconstructed} reconstructed")
    text = f"{', '.join(parts)}, {len(pending)} pending"
    return (("plain", text + _pending(pending, room_after(width, before + text))),)


def _pending(pending: tuple[JobId, ...], room: int) -> str:
    return f": {ids(pending, room)}" if pending else ""
