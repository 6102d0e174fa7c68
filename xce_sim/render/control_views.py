"""Stops, breakpoints, settings, and errors.

[sim] stopped: breakpoint 2 (job 42) at round 56, 2026-10-07 10:40:01, event 1180
"""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.inspected import BreakpointFacts, SessionFacts
from xce_sim.commands.results import (
    BreakpointsChanged,
    BreakpointsDeleted,
    BreakpointSet,
    History,
    OutputFailed,
    Place,
    ReplayComplete,
    Restarted,
    SettingShown,
    StopCause,
    Stopped,
    TraceWriteFailed,
)
from xce_sim.commands.session import Settings
from xce_sim.errors import TruncatedReplay, UserError
from xce_sim.model.clock import format_time
from xce_sim.render.program_views import caret
from xce_sim.trace.spans import Line
from xce_sim.trace.wording import counted


def stopped(result: Stopped, settings: Settings) -> Iterator[Line]:
    """Execution stands still."""
    yield (
        ("key", "[sim] stopped:"),
        ("plain", f" {_cause(result.cause)} at {place(result.place, settings)}"),
    )


def complete(result: ReplayComplete, settings: Settings) -> Iterator[Line]:
    """Nothing is left to happen."""
    damage = result.damage
    if damage is not None:
        what = "cut off" if isinstance(damage, TruncatedReplay) else "damaged"
        yield (("bad", f"[sim] replay {what}:"), ("plain", f" {damage.message}"))
    yield (
        ("key", "[sim] replay complete"),
        ("plain", f" at {place(result.place, settings)}"),
    )


def place(where: Place, settings: Settings) -> str:
    """`round 56, 2026-10-07 10:40:01, event 1180`."""
    return f"round {where.round}, {format_time(where.time, settings.time)}, event {where.event}"


def write_failed(result: TraceWriteFailed, _settings: Settings) -> Iterator[Line]:
    """A trace could not be copied."""
    yield (
        ("bad", "[sim] trace:"),
        ("plain", f" write to {result.path} failed: {result.cause}"),
    )


def output_failed(result: OutputFailed, _settings: Settings) -> Iterator[Line]:
    """The recording ends here."""
    yield (
        ("bad", "[sim] output:"),
        ("plain", f" write to {result.path} failed: {result.cause}"),
    )


def breakpoint_set(result: BreakpointSet, _settings: Settings) -> Iterator[Line]:
    """A new breakpoint."""
    yield (
        ("key", f"[sim] breakpoint {result.point.number}:"),
        ("plain", f" {result.point.what}"),
    )


def breakpoints_deleted(result: BreakpointsDeleted, _settings: Settings) -> Iterator[Line]:
    """Breakpoints are gone."""
    numbers = " ".join(map(str, result.numbers))
    yield (
        ("key", "[sim] deleted:"),
        ("plain", f" breakpoint {numbers}" if numbers else " nothing, there is no breakpoint"),
    )


def breakpoint_row(row: BreakpointFacts, _settings: Settings) -> Line:
    """A breakpoint in the list."""
    parts = [row.what, "enabled" if row.enabled else "disabled", f"hits {row.hits}"]
    if row.ignore:
        parts.append(f"ignore {row.ignore}")
    if row.temporary:
        parts.append("temporary")
    return (("key", f"breakpoint {row.number}"), ("plain", f"  {'  '.join(parts)}"))


def breakpoints_changed(result: BreakpointsChanged, settings: Settings) -> Iterator[Line]:
    """Breakpoints as they are now."""
    for point in result.points:
        yield breakpoint_row(point, settings)


def restarted(result: Restarted, _settings: Settings) -> Iterator[Line]:
    """The replay stands at its beginning."""
    yield (("key", "[sim] run:"), ("plain", f" {result.path} from the start"))


def history(result: History, _settings: Settings) -> Iterator[Line]:
    """Numbered lines."""
    for number, text in enumerate(result.lines, start=result.first):
        yield (("dim", f"{number:5} "), ("plain", text))


def session(facts: SessionFacts, settings: Settings) -> Iterator[Line]:
    """`info session`."""
    yield (
        ("key", f"session {facts.path}"),
        ("plain", f"  mode {facts.mode}  cluster {facts.cluster or '-'}  policy {facts.policy}"),
    )
    where = place(Place(round=facts.round, time=facts.time, event=facts.event), settings)
    yield (("plain", f"  at {where}{', complete' if facts.complete else ''}"),)
    yield (("plain", f"  hosts {facts.hosts}  jobs {facts.jobs}"),)
    yield (("plain", f"  breakpoints {facts.breakpoints}  stored traces {facts.stored_traces}"),)
    values = (settings.units, settings.time, settings.width, settings.echo)
    yield (("plain", "  units {}  time {}  width {}  echo {}".format(*values)),)


def setting(result: SettingShown, _settings: Settings) -> Iterator[Line]:
    """The value of a setting."""
    yield (("key", result.name), ("plain", f" {result.value}"))


def error(command: str, problem: UserError) -> Iterator[Line]:
    """What a command could not do: `[sim] <command>: <message>; <hint>`, and a caret."""
    hint = f"; {problem.hint}" if problem.hint else ""
    yield (("bad", f"[sim] {command}:"), ("plain", f" {problem.message}{hint}"))
    if problem.text is not None and problem.span is not None:
        yield from caret(problem.text, problem.span)


def internal_error(command: str, problem: BaseException) -> Iterator[Line]:
    """A defect of the program: named here, its traceback is in the log."""
    text = f"{type(problem).__name__}: {problem}".rstrip(": ")
    yield (
        ("bad", f"[sim] {command}:"),
        ("plain", f" internal error: {text}; its traceback is in the log"),
    )


def _cause(cause: StopCause) -> str:
    if isinstance(cause, int):
        return f"{counted(cause, 'round')} done"
    if isinstance(cause, str):
        return cause
    return ", ".join(f"breakpoint {hit.number} ({hit.what})" for hit in cause)
