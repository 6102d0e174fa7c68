"""Requirements in a replay that can not be used, and the resources that a replay defines.

Such a requirement breaks no rule: the job is kept and gets no decision. It is told because nobody
wants it. Every distinct text is looked at once, with all definitions of the file, since
definitions may come after the jobs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.ids import JobId
from xce_sim.model.job import JobSpec
from xce_sim.model.resources import ResourceTable
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.reader import open_replay
from xce_sim.resreq.errors import RequirementError
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.language import Language

MAX_TEXTS = 10_000
"""So many distinct texts are looked at; a cluster has fewer than a hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A text that can not be used: the first job that has it, its event, and how many have it."""

    error: RequirementError
    job: JobId
    event: int
    jobs: int


class RequirementSurvey:
    """Collects the texts of a replay as its events pass by."""

    def __init__(self) -> None:
        self._resources = ResourceTable()
        self._first: dict[str, tuple[JobId, int]] = {}
        self._counts: dict[str, int] = {}
        self.left_out = 0

    def take(self, item: Numbered) -> None:
        """Look at the next event."""
        event = item.event
        if isinstance(event, ev.ResourceDefs):
            self._define(event)
        elif isinstance(event, ev.JobNew):
            self._job(event.job, item.number)
        elif isinstance(event, ev.JobsPush):
            for job in event.jobs:
                self._job(job, item.number)
        elif isinstance(event, ev.JobUpdate) and "resreq" in event.changed:
            self._job(event.job, item.number)

    def findings(self) -> tuple[Finding, ...]:
        """The texts that can not be used, in the order of the file."""
        language = Language(InternTable())
        found = []
        for text, (job, event) in self._first.items():
            try:
                language.parse(text, self._resources)
            except RequirementError as error:
                jobs = self._counts[text]
                found.append(Finding(error=error, job=job, event=event, jobs=jobs))
        return tuple(found)

    def _define(self, event: ev.ResourceDefs) -> None:
        """Later definitions replace earlier ones of the same name, as a full push may."""
        known = {item.name: item for item in self._resources if item.name != "slots"}
        known |= {item.name: item for item in event.defs if item.name != "slots"}
        try:
            self._resources = self._resources.replaced(known.values())
        except UserError:
            return

    def _job(self, job: JobSpec, event: int) -> None:
        if job.resreq in self._counts:
            self._counts[job.resreq] += 1
        elif len(self._counts) < MAX_TEXTS:
            self._first[job.resreq] = (job.id, event)
            self._counts[job.resreq] = 1
        else:
            self.left_out += 1


def resources_of(path: str | os.PathLike[str]) -> ResourceTable:
    """All resources that a replay defines; `ReplayError` if it can not be read."""
    table = ResourceTable()
    with open_replay(path, checked=False) as replay:
        for _, _, event in replay:
            if isinstance(event, ev.ResourceDefs):
                known = {item.name: item for item in (*table, *event.defs) if item.name != "slots"}
                table = table.replaced(known.values())
    return table
