"""What an import did, for people: lines, jobs, what was skipped and why, what was noticed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xce_sim.model.event import Event, Header


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Records that could not be used for one cause; `line` is the first of them, from 1."""

    cause: str
    count: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """`lines` read in all, `jobs` made, skips in the order of their first line, notices."""

    lines: int
    jobs: int
    skips: tuple[Skip, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A replay to be: its header, its events (to be iterated once), and the report."""

    header: Header
    events: Iterator[Event]
    report: ImportReport


class Skips:
    """Counts skips by cause while an import runs."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, int]] = {}

    def add(self, cause: str, line: int) -> None:
        """One more record that can not be used."""
        count, first = self._found.get(cause, (0, line))
        self._found[cause] = (count + 1, first)

    def all(self) -> tuple[Skip, ...]:
        """All causes, in the order in which they were met."""
        return tuple(
            Skip(cause=cause, count=count, line=line)
            for cause, (count, line) in self._found.items()
        )
