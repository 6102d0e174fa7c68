"""What a person asked the trace to do: which jobs, how detailed, how long, copied where.

Decides which jobs are wanted and fixes the bounds. Which settings hold for which session is
decided by the control; reading a command line and opening files is not done here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from xce_sim.errors import UserError
from xce_sim.model.ids import JobId, JobSelector, base_of

Level = Literal["summary", "full"]
LEVELS: tuple[Level, ...] = get_args(Level)
DEFAULT_LEVEL: Level = "summary"

MIN_LINES = 50
MAX_LINES = 100_000
DEFAULT_LINES = 1000
"""The line bound of one decision: "a whole number from 50 to 100000, with a default of 1000"."""

MAX_PATH_BYTES = 4095
"""The longest path of a file copy, in bytes as the operating system gets it."""

STORE_BYTES = 64 * 1024 * 1024
"""The bound on all stored traces together."""

OUTCOME_HOSTS = 50
"""How many hosts an outcome lists one by one."""


class TraceFile(Protocol):
    """An open file that traces are copied to.

    Whoever opens it (and knows about devices, pipes and full disks) implements this; the
    settings only keep it and the control only compares and closes it.
    """

    @property
    def path(self) -> str:
        """The path as the person wrote it."""

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode: two paths of one file have the same."""

    def write(self, text: str) -> object:
        """Append whole lines; what comes back tells the caller of a failure, None of success."""

    def close(self) -> None:
        """Write what is still held back and close; called exactly once, and must not raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """One state of the switch: off, or on with all that `trace on` can say.

    `all` traces every decision, otherwise `selectors` name the jobs, existing or not. `lines`
    bounds the requirement, check, plan and host sections of one decision. `file` is open, or None.
    """

    on: bool = False
    all: bool = False
    selectors: tuple[JobSelector, ...] = ()
    level: Level = DEFAULT_LEVEL
    lines: int = DEFAULT_LINES
    file: TraceFile | None = None
    _by_base: Mapping[int, tuple[JobSelector, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UserError(f"level is summary or full, not {self.level!r}")
        check_lines(self.lines)
        by_base: dict[int, tuple[JobSelector, ...]] = {}
        for selector in self.selectors:
            by_base[selector.base] = (*by_base.get(selector.base, ()), selector)
        object.__setattr__(self, "_by_base", by_base)

    def wants(self, job: JobId) -> bool:
        """Whether decisions about this job are traced."""
        if not self.on:
            return False
        if self.all:
            return True
        selectors = self._by_base.get(base_of(job))
        return selectors is not None and any(each.matches(job) for each in selectors)


def check_lines(lines: int) -> None:
    """`UserError` unless it is "a whole number from 50 to 100000"."""
    if not MIN_LINES <= lines <= MAX_LINES:
        raise UserError(f"lines is a whole number from {MIN_LINES} to {MAX_LINES}, not {lines}")


def check_path(path: str) -> None:
    """`UserError` for an empty path and one "longer than 4095 bytes"."""
    if not path:
        raise UserError("a file needs a path")
    size = len(path.encode("utf-8", "surrogateescape"))
    if size > MAX_PATH_BYTES:
        raise UserError(f"the path has {size} bytes", hint=f"at most {MAX_PATH_BYTES} are possible")


OFF = TraceSettings()
"""Nothing is traced."""
