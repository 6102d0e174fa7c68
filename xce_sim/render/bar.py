"""The bottom line at a terminal: where the replay stands, at a glance."""

from __future__ import annotations

from xce_sim.commands.session import Session
from xce_sim.model.clock import format_time
from xce_sim.trace.wording import counted


def bar_text(session: Session) -> str:
    """`round 12  2026-10-07 10:00:01  pending 3  running 5  trace off`."""
    player = session.player
    engine = player.engine
    state = engine.core.state
    running = sum(job.charged for job in state.jobs.values())
    parts = [
        f"round {engine.round}",
        format_time(engine.now, session.settings.time) if engine.number else "not begun",
        f"pending {len(state.waiting)}",
        f"running {running}",
        f"trace {_trace(session)}",
    ]
    if engine.complete:
        parts.append("complete")
    return "  ".join(parts)


def _trace(session: Session) -> str:
    settings = session.trace.next
    if not settings.on:
        return "off"
    return "on all" if settings.all else f"on {counted(len(settings.selectors), 'job')}"
