"""The tables that checks look into, through pushes, snapshots and rebuilds.

Decides which tables hold at a moment: the live ones, those of an open bracket ("replace everything
at push_end"), or, until the recorded scheduler has `rebuilt`, the ones before. The rules themselves
are in `contents` and `decisions`.
"""

from __future__ import annotations

from xce_sim.model.clock import Micros
from xce_sim.model.event import LinkState
from xce_sim.model.resources import Value
from xce_sim.replay.names import Jobs, Names
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.references import (
    Place,
    Reference,
    References,
    Report,
    Table,
    ValueReference,
    exists,
    unknown,
    wrong_value,
)


class World:
    """Tables and open references; `item` is the event that is being checked."""

    def __init__(self, report: Report, *, tracked: bool) -> None:
        self._report = report
        self._tracked = tracked
        self.item: Numbered
        self.now: Micros
        self.names = self._fresh()
        """The tables that state events change: the live ones or those of the open bracket."""
        self.live = self.names
        self.before: Names | None = None
        self.bracket: str | None = None
        self.expecting = False
        self.pushed: dict[str, set[object]] = {}
        """What the parts of the open bracket have named so far, by kind."""
        self.sets: set[int] = set()
        """Numbers of the reason sets written so far."""
        self.wanted_sets: dict[int, Place] = {}
        """Numbers that jobs of an open snapshot refer to, with the place of the first."""
        self._strict = References()
        self._loose = References()
        self._instant = References()

    def fail(self, rule: str, message: str) -> None:
        """Report that the current event breaks a rule."""
        self._report(rule, message, self.item[:2])

    def require(self, table: Table, name: str, subject: str, *, part: bool) -> None:
        """A name must exist: now, or where it may still come, by then.

        `part` tells a part of a full push from an increment that arrives meanwhile.
        """
        reference = Reference(table=table, name=name, subject=subject, place=self.item[:2])
        if exists(self.names, reference):
            return
        if part and self.bracket:
            self._strict.add(reference)
        elif self.bracket or self.expecting:
            self._loose.add(reference)
        else:
            self.fail(table, unknown(reference))

    def require_soon(self, table: Table, name: str, subject: str) -> None:
        """A name must exist at the end of the bracket or of this instant."""
        reference = Reference(table=table, name=name, subject=subject, place=self.item[:2])
        if not exists(self.names, reference):
            (self._strict if self.bracket else self._instant).add(reference)

    def require_value(
        self, name: str, value: Value, subject: str, *, shared: bool, part: bool
    ) -> None:
        """A value must be one of its resource: now, or once the resource may be defined."""
        wrong = wrong_value(self.names.resources, name, value, shared=shared)
        if wrong is None:
            return
        if not self.bracket and not self.expecting:
            self.fail(wrong[0], f"{subject}: {wrong[1]}")
            return
        reference = ValueReference(
            name=name, value=value, subject=subject, shared=shared, place=self.item[:2]
        )
        (self._strict if part and self.bracket else self._loose).add_value(reference)

    def instant_ends(self) -> None:
        """What had to exist by the end of the instant is looked for."""
        self._instant.settle(self.live, None, self._report)

    def open(self, bracket: str) -> None:
        """A bracket begins: empty tables beside the live ones."""
        self.instant_ends()
        self.bracket = bracket
        self.names = self._fresh()
        self.pushed = {}

    def close(self) -> None:
        """A bracket ends: its tables are the live ones now, if they were whole."""
        if self.bracket is None:
            return
        push = self.bracket == "push"
        self._strict.settle(self.names, None, self._report)
        if push:
            self._loose.settle(self.names, self.live, self._report)
        for number, place in self.wanted_sets.items():
            if number not in self.sets:
                self._report("reason", f"unknown reason set {number}", place)
        self.wanted_sets = {}
        rebuilding = self.expecting if push else self.before is not None
        self.before = self.live if rebuilding else None
        self.live = self.names
        self.bracket, self.expecting = None, False

    def link(self, state: LinkState) -> None:
        """The link breaks, is rebuilt, or waits for a push; a partial push is dropped."""
        if state == "broken":
            self._strict.clear()
            self._loose.clear()
            self.names, self.bracket = self.live, None
        if state == "live":
            self.before = None
            self._loose.clear()
        self.expecting = state == "rebuild_pending"

    def knows(self, what: str, name: object) -> bool:
        """Whether a decision may refer to a host, resource or job: in the tables it was made by."""
        tables = (self.live,) if self.before is None else (self.live, self.before)
        return any(name in getattr(names, what) for names in tables)

    def knows_limit(self, instance: str) -> bool:
        """Whether `name/instance` is of a known limit (names may contain a slash)."""
        tables = (self.live,) if self.before is None else (self.live, self.before)
        limits = (name for names in tables for name in names.limits)
        return any(instance == name or instance.startswith(f"{name}/") for name in limits)

    def in_order(self, first: str, last: str) -> bool:
        """Whether two known hosts stand in this order."""
        tables = (self.live,) if self.before is None else (self.live, self.before)
        return any(
            names.hosts[first] <= names.hosts[last]
            for names in tables
            if first in names.hosts and last in names.hosts
        )

    def advance(self, now: Micros) -> None:
        """Time goes on."""
        self.now = now
        if self._instant:
            self.instant_ends()
        self.live.jobs.advance(now)

    def _fresh(self) -> Names:
        return Names(jobs=Jobs(tracked=self._tracked))
