"""The decision trace: switching it on and off, and its state."""

from __future__ import annotations

from typing import Annotated, cast

from xce_sim.commands.arguments import Flag, Jobs, RestOfLine
from xce_sim.commands.kinds import ChoiceKind, NumberKind
from xce_sim.commands.registry import Command, command
from xce_sim.commands.results import Lines
from xce_sim.commands.session import Session
from xce_sim.commands.trace_file import open_copy
from xce_sim.errors import UserError
from xce_sim.trace.recall import status_lines
from xce_sim.trace.settings import (
    DEFAULT_LEVEL,
    DEFAULT_LINES,
    LEVELS,
    MAX_LINES,
    MIN_LINES,
    Level,
    TraceSettings,
)

SECTION = "Trace"
LABEL = "trace"

LevelWord = Annotated[str, ChoiceKind("level", LEVELS)]
LineBound = Annotated[int, NumberKind("lines", MIN_LINES, MAX_LINES)]


@command("trace on", SECTION, label=LABEL)
def trace_on(
    session: Session,
    *,
    all: Flag = False,
    job: Jobs = (),
    level: LevelWord = DEFAULT_LEVEL,
    lines: LineBound = DEFAULT_LINES,
    file: RestOfLine | None = None,
) -> Lines:
    """Explain decisions from the next session on: of all jobs, or of those named.

    Replaces whatever was set before. Jobs need not exist yet; an array's base means all its
    elements. Level full shows every host, summary counts them. `lines` bounds one explanation
    (50 to 100000). `file` appends every explanation that is shown to a file; its path is all
    that is left of the line.

    Usage: trace on all|job JOBSEL… [level summary|full] [lines N] [file PATH]
    Example: trace on job 42 level full
    Example: trace on all lines 200 file why.txt
    """
    if all and job:
        raise UserError("invalid option: all", hint="it stands alone or not at all beside job")
    if not all and not job:
        raise UserError("needs all, or job and one JOBSEL or more")
    copy = None if file is None else open_copy(file, session.guarded)
    session.trace.enable(
        TraceSettings(
            on=True, all=all, selectors=job, level=cast("Level", level), lines=lines, file=copy
        )
    )
    return _status(session)


@command("trace off", SECTION, label=LABEL)
def trace_off(session: Session) -> Lines:
    """Explain nothing from the next session on; what is stored can still be recalled.

    Usage: trace off
    Example: trace off
    """
    session.trace.disable()
    return _status(session)


@command("trace status", SECTION, label=LABEL)
def trace_status(session: Session) -> Lines:
    """Show the settings in effect, those that will replace them, and how much is stored.

    Usage: trace status
    Example: trace status
    """
    return _status(session)


def _status(session: Session) -> Lines:
    control, store = session.trace, session.store
    return Lines(lines=lambda: status_lines(control, store))


COMMANDS: tuple[Command, ...] = (trace_on, trace_off, trace_status)
