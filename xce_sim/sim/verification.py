"""Comparing what is decided with what was recorded, round by round, while both are at hand.

"per round and in order every decision": each decision is compared with the recorded one about its
job as it is made; what was recorded and not decided, and the order, once the round is over. So a
job that one side has and the other has not is one difference, not one for each job behind it.
Runs of pends with one set are taken whole. "Verification compares a round before any later event
is applied."
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from xce_sim.model.clock import Micros
from xce_sim.model.decision import Decision, Dispatch, NoDecision, Pend, PendRun
from xce_sim.model.event import (
    ReasonSet,
    RecordedDispatch,
    RecordedEntry,
    RecordedPend,
    RecordedPendRun,
    RoundSame,
)
from xce_sim.model.ids import JobId
from xce_sim.model.reasons import Reasons
from xce_sim.sim.comparison import Finding, compare
from xce_sim.sim.difference import Difference, Placed, Waits
from xce_sim.sim.reason_sets import recorded_entries
from xce_sim.sim.recorded_round import InRound, RecordedRound

SHOWN = 20
"""So many differences are kept to be shown; all are counted."""

Item = tuple[tuple[JobId, ...], Placed | Waits]
"""Jobs in order with what was recorded of each of them."""


class Verification:
    """The comparison of a whole play. `first` are the first differences found."""

    def __init__(self) -> None:
        self.rounds = 0
        self.decisions = 0
        self.differences = 0
        self.differing_rounds = 0
        self.first: list[Difference] = []
        self._sets: dict[int, tuple[RecordedEntry, ...]] = {}
        self._recorded = RecordedRound(round=0, contents=(), whole=True, end=0)
        self._items: list[Item] = []
        self._place = 0
        """So many items were decided one after the other just as they were recorded."""
        self._apart = False
        self._expected: dict[JobId, Placed | Waits] = {}
        self._made: list[JobId] = []
        self._before = 0
        self._met: dict[int, tuple[Reasons, Waits]] = {}
        self._met_before: dict[int, tuple[Reasons, Waits]] = {}

    def begin(self, recorded: RecordedRound) -> None:
        """A round is about to be decided that was recorded like this."""
        self._recorded = recorded
        self._before = self.differences
        self._place, self._apart = 0, False
        if not any(isinstance(each, RoundSame) for each in recorded.contents):
            self._items = [item for each in recorded.contents for item in self._items_of(each)]

    def decided(
        self, t: Micros, decision: Decision, hosts: Sequence[str]
    ) -> tuple[Difference, ...]:
        """A decision was made; `hosts` are all names in pushed order. Gives what differs."""
        if isinstance(decision, NoDecision):
            return ()
        jobs = decision.jobs if isinstance(decision, PendRun) else (decision.job,)
        here = self._here(decision)
        self.decisions += len(jobs)
        if not self._apart:
            item = self._items[self._place] if self._place < len(self._items) else None
            if item is not None and item[0] == jobs and compare(here, item[1], hosts) is None:
                self._place += 1
                return ()
            self._take_apart()
        self._made.extend(jobs)
        found = [self._compared(t, job, here, hosts) for job in jobs]
        return tuple([each for each in found if each is not None])

    def end(self, t: Micros) -> tuple[Difference, ...]:
        """The round is over: gives what is missing, and a difference in the order."""
        found: list[Difference] = []
        if self._apart or self._place < len(self._items):
            if not self._apart:
                self._take_apart()
            made = set(self._made)
            found = [
                self._found(t, job, Finding("decision", None, side))
                for job, side in self._expected.items()
                if job not in made
            ]
            found += self._misplaced(t, made)
        self.rounds += 1
        self.differing_rounds += self.differences > self._before
        self._met_before, self._met = self._met, {}
        return tuple(found)

    def _items_of(self, event: InRound) -> Iterator[Item]:
        if isinstance(event, ReasonSet):
            self._sets[event.set] = event.entries
        elif isinstance(event, RecordedDispatch):
            yield (event.job,), Placed(event.allocs, event.reconstructed)
        elif isinstance(event, RecordedPend):
            entries = event.reasons if event.set is None else self._sets[event.set]
            yield (event.job,), Waits(event.main, entries or ())
        elif isinstance(event, RecordedPendRun):
            yield event.jobs, Waits(event.main, self._sets[event.set])

    def _here(self, decision: Dispatch | Pend | PendRun) -> Placed | Waits:
        """The decision as the recording would have it; reasons are looked into once."""
        if isinstance(decision, Dispatch):
            return Placed(decision.allocation, decision.reconstructed)
        reasons = decision.reasons
        key = id(reasons)
        met = self._met.get(key) or self._met_before.get(key)
        if met is None:
            met = (reasons, Waits(reasons.main.value, recorded_entries(reasons)))
        self._met[key] = met
        return met[1]

    def _take_apart(self) -> None:
        """From here on job by job."""
        self._apart = True
        self._expected = {job: side for jobs, side in self._items for job in jobs}
        self._made = [job for jobs, _ in self._items[: self._place] for job in jobs]

    def _compared(
        self, t: Micros, job: JobId, here: Placed | Waits, hosts: Sequence[str]
    ) -> Difference | None:
        recorded = self._expected.get(job)
        if recorded is None and not self._recorded.whole:
            return None
        finding = compare(here, recorded, hosts)
        return None if finding is None else self._found(t, job, finding)

    def _misplaced(self, t: Micros, made: set[JobId]) -> Iterator[Difference]:
        """The first job that stands elsewhere among those that both sides have."""
        order = [job for jobs, _ in self._items for job in jobs]
        ours = [job for job in self._made if job in self._expected]
        theirs = [job for job in order if job in made]
        for here, recorded in zip_longest(ours, theirs):
            if here != recorded:
                job = recorded if here is None else here
                places = [
                    str(jobs.index(job) + 1) if job in jobs else None
                    for jobs in (self._made, order)
                ]
                yield self._found(t, job, Finding("position", *places))
                return

    def _found(self, t: Micros, job: JobId, finding: Finding) -> Difference:
        found = Difference(round=self._recorded.round, t=t, job=job, **finding._asdict())
        self.differences += 1
        if len(self.first) < SHOWN:
            self.first.append(found)
        return found
