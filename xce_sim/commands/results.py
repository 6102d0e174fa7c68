"""What commands return or yield: frozen values without any wording.

The renderer turns each into lines. Times are microseconds, amounts thousandths. Lists give their
rows lazily, so that what is not shown is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from xce_sim.commands.help_page import HelpPage
from xce_sim.commands.inspected import (
    BreakpointFacts,
    DecisionRow,
    HostFacts,
    HostRow,
    JobFacts,
    JobRow,
    LimitFacts,
    LimitRow,
    QueueDetail,
    QueueFacts,
    ResourceRow,
    RoundFacts,
    SelectFacts,
    SessionFacts,
    SharedRow,
    UserRow,
)
from xce_sim.errors import ReplayError
from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision
from xce_sim.model.ids import JobId
from xce_sim.sim.difference import Difference
from xce_sim.sim.verification import Verification
from xce_sim.trace.records import TraceRecord
from xce_sim.trace.spans import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the replay stands: the round, simulated time, and the number of the last event."""

    round: int
    time: Micros
    event: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened:
    """A round is due: what happened since the one before."""

    round: int
    time: Micros
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMade:
    """One decision as the driver processes it."""

    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceTaken:
    """A traced decision's explanation.

    `copy` takes the very text that is shown and gives the error of a failed write, the first time
    only; None without a file.
    """

    record: TraceRecord
    copy: Callable[[str], TraceWriteFailed | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceWriteFailed:
    """A trace could not be copied to its file."""

    path: str
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFailed:
    """The recording could not be written; nothing more is written to it."""

    path: str
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A decision differs from the recorded one."""

    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Everything was played and compared."""

    verification: Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClosed:
    """A round's result: `pending` are the jobs that it left waiting, in picking order."""

    round: int
    time: Micros
    dispatched: int
    reconstructed: int
    pending: tuple[JobId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRange:
    """Neighbouring rounds in which nothing was dispatched and the same jobs waited."""

    first: int
    last: int
    begin: Micros
    end: Micros
    pending: tuple[JobId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakpointHit:
    """Why execution stopped: a breakpoint and the words it was asked for with."""

    number: int
    what: str


StopCause = Literal["interrupted"] | int | tuple[BreakpointHit, ...]
"""Ctrl-C, so many rounds done, or the breakpoints that were hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Execution stands still: why and where."""

    cause: StopCause
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayComplete:
    """Nothing is left to happen; `damage` says why the file gave out before its end."""

    place: Place
    damage: ReplayError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakpointSet:
    """A new breakpoint."""

    point: BreakpointFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakpointsDeleted:
    """These are gone."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingShown:
    """The present value of a setting."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines that the trace package worded itself."""

    lines: Callable[[], Iterable[Line]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list: facts about the whole, then rows.

    `total` is the number of rows, known without making them; `whole` when every row was asked
    for, `command` how to ask for every row. `nothing` names what there is none of.
    """

    rows: Iterable[Row]
    total: int
    nothing: str
    command: str
    whole: bool = False
    heading: Heading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """Counts over a whole list: `jobs 28: pend 20, run 8`."""

    what: str
    total: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOverview:
    """All commands by section: (section, ((name, usage, summary), ...))."""

    sections: tuple[tuple[str, tuple[HelpPage, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quit:
    """The sitting ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted:
    """The replay stands at its beginning again."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakpointsChanged:
    """These are as they are now."""

    points: tuple[BreakpointFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpMatches:
    """Commands whose help has a word."""

    word: str
    pages: tuple[HelpPage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Lines that were typed, oldest first, with the number of the first one."""

    lines: tuple[str, ...]
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A file whose lines are to be run now."""

    path: str


Row = (
    JobRow
    | HostRow
    | QueueFacts
    | BreakpointFacts
    | LimitRow
    | ResourceRow
    | SharedRow
    | UserRow
    | DecisionRow
)
Result = (
    RoundOpened
    | DecisionMade
    | TraceTaken
    | TraceWriteFailed
    | OutputFailed
    | Mismatch
    | Verified
    | RoundClosed
    | RoundRange
    | Stopped
    | ReplayComplete
    | BreakpointSet
    | BreakpointsDeleted
    | SettingShown
    | Lines
    | Listing
    | JobFacts
    | HostFacts
    | RoundFacts
    | QueueDetail
    | LimitFacts
    | SelectFacts
    | SessionFacts
    | HelpPage
    | HelpOverview
    | HelpMatches
    | History
    | Script
    | Restarted
    | BreakpointsChanged
    | Quit
)
Results = Iterable[Result] | Result | None
"""A command gives one result, yields several as they come, or has nothing to say."""
