"""Checking a whole replay: every broken rule, not only the first one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from xce_sim.errors import ReplayError, RuleError
from xce_sim.model.event import Header
from xce_sim.replay.check import Checker
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.reader import Replay
from xce_sim.replay.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check found.

    `broken` are the first broken rules, `broken_count` is how many there are; `end` is why reading
    stopped before the end of the file: damage, or a file that is cut off.
    """

    path: str
    events: int
    broken: tuple[RuleError, ...] = ()
    broken_count: int = 0
    end: ReplayError | None = None

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.broken_count and self.end is None


def check_replay(
    path: str | os.PathLike[str],
    *,
    limit: int = 20,
    allow_truncated: bool = False,
    follow: Callable[[Numbered], None] | None = None,
) -> CheckReport:
    """Read a replay to its end, or to where it is damaged, and report every broken rule.

    At most `limit` of them are kept. `follow` is called with each event, for checks that need more
    than the stream (requirements). `ReplayError` if there is no header to begin with.
    """
    broken: list[RuleError] = []
    count = 0

    def report(error: RuleError) -> None:
        nonlocal count
        count += 1
        if len(broken) < limit:
            broken.append(error)

    def checker(header: Header) -> Checker:
        return Checker(header, report=report)

    number = 0
    end: ReplayError | None = None
    source = Source(path)
    with Replay(source, allow_truncated=allow_truncated, checker=checker) as replay:
        try:
            for item in replay:
                number = item.number
                if follow is not None:
                    follow(item)
        except ReplayError as error:
            end = error
    return CheckReport(
        path=source.name,
        events=number,
        broken=tuple(_named(error, source.name) for error in broken),
        broken_count=count,
        end=end,
    )


def _named(error: RuleError, path: str) -> RuleError:
    return error.at(file=path, event=None, offset=None)
