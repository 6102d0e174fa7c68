"""What parameters of commands are annotated with: a type, and the kind that makes it of a word."""

from __future__ import annotations

from typing import Annotated

from xce_sim.commands.kinds import (
    ChoiceKind,
    CommandKind,
    ExpressionKind,
    FileKind,
    FlagKind,
    NumberKind,
    WordKind,
)
from xce_sim.commands.name_kinds import (
    BreakpointKind,
    HostKind,
    JobKind,
    LimitKind,
    QueueKind,
    UserKind,
)
from xce_sim.model.ids import JobSelector
from xce_sim.model.job import JOB_STATES, JobState
from xce_sim.model.reasons import ReasonCode

Count = Annotated[int, NumberKind()]
Times = Annotated[int, NumberKind("count", 0, metavar="COUNT")]
Round = Annotated[int, NumberKind("round")]
RoundNumber = Annotated[int, NumberKind("round", metavar="ROUND")]
Job = Annotated[JobSelector, JobKind()]
Jobs = Annotated[tuple[JobSelector, ...], JobKind()]
JobStateWord = Annotated[JobState, ChoiceKind("state", JOB_STATES)]
Host = Annotated[str, HostKind()]
AnyHost = Annotated[str, HostKind(any=True)]
Queue = Annotated[str, QueueKind()]
Limit = Annotated[str, LimitKind()]
AnyLimit = Annotated[str, LimitKind(any=True)]
User = Annotated[str, UserKind()]
Breakpoints = Annotated[int, BreakpointKind()]
RestOfLine = Annotated[str, FileKind("PATH", "line")]
File = Annotated[str, FileKind()]
Word = Annotated[str, WordKind()]
Expression = Annotated[str, ExpressionKind()]
ReasonWord = Annotated[str, ChoiceKind("reason", tuple(ReasonCode), "CODE")]
HelpTopic = Annotated[str, CommandKind()]
Flag = Annotated[bool, FlagKind()]
