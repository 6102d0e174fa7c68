"""The rules of a replay that follow from the stream alone.

One `Checker` follows the events while a replay is played, and stops at the first broken rule;
`inspection` goes on and lists them. The rules stand in `sequence` (order), `contents` (state and
increments) and `decisions`; here are those about the header and about time.

The names of the rules, which a `RuleError` carries:

    header      comes first, once, with a known version
    time        does not run backwards
    mode        a workload has no recorded rounds and decisions
    round       rounds are numbered upwards and closed, and hold decisions only
    bracket     pushes and snapshots are closed, not nested, and hold what belongs there
    queue, host, resource, limit, reason, job
                what is referred to exists (in a bracket: at its end) and can be
    value       a value fits its definition; a consumable is not negative; no NaN
    definition  a definition is sound, and only a full push changes it
    duplicate   nothing stands twice in one push
    run         a running job has allocations
    snapshot    what only snapshots have stands in snapshots
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xce_sim.errors import RuleError
from xce_sim.model import event as ev
from xce_sim.replay.contents import Contents
from xce_sim.replay.decisions import Decisions
from xce_sim.replay.job_faults import in_range
from xce_sim.replay.messages import INCREMENTS
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.references import Place
from xce_sim.replay.sequence import Sequence
from xce_sim.replay.world import World

RULES = frozenset(
    (
        "header",
        "time",
        "mode",
        "round",
        "bracket",
        "queue",
        "host",
        "resource",
        "limit",
        "reason",
        "job",
        "value",
        "definition",
        "duplicate",
        "run",
        "snapshot",
    )
)
"""The names of all rules."""


def check_header(header: object) -> ev.Header:
    """Give the first message if it is a header of a known version, else `RuleError`."""
    if not isinstance(header, ev.Header):
        raise RuleError("the first message is not a header", rule="header", event=0, offset=0)
    wrong = None
    if header.version != ev.FORMAT_VERSION:
        wrong = f"version {header.version} is not known (known is {ev.FORMAT_VERSION})"
    elif header.interval < 0:
        wrong = "a negative interval between rounds"
    if wrong is not None:
        raise RuleError(wrong, rule="header", event=0, offset=0)
    return header


class Checker:
    """Follows a stream event by event.

    Without `report` the first broken rule is raised; with it, broken rules are given to it and
    the checker goes on as if the event were as intended. Errors have event number and offset.
    """

    def __init__(
        self, header: ev.Header, *, report: Callable[[RuleError], None] | None = None
    ) -> None:
        self._report = report
        self._link: ev.LinkState = "live"
        self._world = World(self._broken, tracked=header.mode == "recorded")
        self._sequence = Sequence(header.mode, self._world.fail)
        self._now: int | None = None
        self._rules: dict[type, Callable[[Any], None]] = {
            **Contents(self._world).rules,
            **Decisions(self._world).rules,
            ev.PushBegin: lambda _: self._world.open("push"),
            ev.SnapshotBegin: self._snapshot_begin,
            ev.PushEnd: lambda _: self._world.close(),
            ev.SnapshotEnd: lambda _: self._snapshot_end(),
            ev.Disconnect: lambda _: self._world.link("broken"),
            ev.Join: lambda _: self._world.link("rebuild_pending"),
            ev.Rebuilt: lambda _: self._world.link("live"),
            ev.RoundBegin: lambda _: self._world.instant_ends(),
        }

    def feed(self, item: Numbered) -> None:
        """Check the next event."""
        event = item[2]
        kind = type(event)
        self._world.item = item
        if event.t != self._now:
            self._advance(event.t)
        if kind not in INCREMENTS or self._sequence.inside:
            self._sequence.follow(event, item[0])
        rule = self._rules.get(kind)
        if rule is not None:
            rule(event)

    def finish(self) -> None:
        """The stream has ended; `TruncatedReplay` if it did so inside a round or bracket."""
        self._world.instant_ends()
        self._sequence.finish()

    def _advance(self, time: int) -> None:
        if self._now is not None and time < self._now:
            self._world.fail("time", "time runs backwards")
            return
        if not in_range(time):
            self._world.fail("time", "a time out of range")
        self._now = time
        self._world.advance(time)

    def _snapshot_begin(self, event: ev.SnapshotBegin) -> None:
        self._world.open("snapshot")
        self._link = event.link

    def _snapshot_end(self) -> None:
        if self._world.bracket is not None:
            self._world.close()
            self._world.expecting = self._link == "rebuild_pending"

    def _broken(self, rule: str, message: str, place: Place) -> None:
        error = RuleError(message, rule=rule, event=place[0], offset=place[1])
        if self._report is None:
            raise error
        self._report(error)
