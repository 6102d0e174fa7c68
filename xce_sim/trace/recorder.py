"""The recorder: what the allocator calls while it decides about a traced job.

The core holds None or a recorder; every hook is one test at a seam. A recorder observes only: it
calls nothing that changes the core, keeps nothing that the core may change, and raises only on a
call out of order. One recorder serves one session; one record is built at a time:

    recorder = Recorder(settings)
    recorder.begin_session(7, "builtin_fcfs", host_names)
    if recorder.wants(job):
        recorder.begin_job(job, position)
        ...                                # selection, requirements, checks, plans, positions
        recorder.pend(reasons)             # or dispatch, or no_decision
        record = recorder.finish()
    recorder.end_session()
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xce_sim.model.clock import Micros
from xce_sim.model.decision import NoDecisionKind
from xce_sim.model.ids import JobId
from xce_sim.model.reasons import Reasons
from xce_sim.model.verdict import Account, Charge, HostCharges
from xce_sim.trace.blocks import ClaimedHosts
from xce_sim.trace.draft import Draft
from xce_sim.trace.outcomes import dispatch_outcome, pend_outcome
from xce_sim.trace.position_hooks import MismatchParts, PositionHooks
from xce_sim.trace.records import (
    NoDecisionOutcome,
    PendOutcome,
    RecordKind,
    Selection,
    TraceRecord,
)
from xce_sim.trace.settings import TraceSettings


class Recorder(PositionHooks):
    """Builds the records of one session under the settings it started with."""

    def __init__(self, settings: TraceSettings) -> None:
        super().__init__()
        self.settings = settings
        self._round = 0
        self._policy = ""
        self._pends: dict[int, tuple[Reasons, PendOutcome]] = {}

    def begin_session(self, round: int, policy: str, host_names: Sequence[str]) -> None:
        """A session begins; scans will point into `host_names` (all hosts in pushed order)."""
        self._round = round
        self._policy = policy
        self._names = tuple(host_names)
        self._claimed = ClaimedHosts(len(self._names))
        self._forget()

    def end_session(self) -> None:
        """The session is over; nothing of it is held any longer."""
        self._names = ()
        self._claimed = ClaimedHosts(0)
        self._forget()

    def _forget(self) -> None:
        self._open_draft = None
        self._parts = MismatchParts()
        self._pends = {}

    def wants(self, job: JobId) -> bool:
        """Whether decisions about this job are traced in this session."""
        return self.settings.wants(job)

    def begin_job(self, job: JobId, position: int) -> None:
        """A wanted job is selected as the `position`-th of the session; drops an unfinished one."""
        self._open(job, "decision", position)

    def _open(self, job: JobId, kind: RecordKind, position: int | None) -> Draft:
        self._open_draft = Draft(
            job=job,
            kind=kind,
            position=position,
            settings=self.settings,
            room=self.settings.lines,
        )
        return self._open_draft

    def selection(
        self, *, queue: str, queue_priority: int, job_priority: int, queue_time: Micros
    ) -> None:
        """The job's ordering keys "with the values in effect when the job was selected"."""
        self._draft.selection = Selection(
            policy=self._policy,
            queue=queue,
            queue_priority=queue_priority,
            job_priority=job_priority,
            queue_time=queue_time,
        )

    def cluster_limits(self, limits: Iterable[Account]) -> None:
        """The cluster-wide limits matched to the job, in the order of the configuration."""
        self._draft.limits = tuple(limits)

    def dispatch(self, hosts: Sequence[HostCharges], shared: Sequence[Charge]) -> None:
        """The job runs: what it takes on each host, in the order claimed, and in all."""
        self._draft.outcome = dispatch_outcome(hosts, shared)

    def pend(self, reasons: Reasons) -> None:
        """The job waits; the reasons are those of the decision, copied once if jobs share them."""
        draft = self._draft
        found = self._pends.get(id(reasons))
        if found is None:
            found = self._pends[id(reasons)] = (reasons, pend_outcome(reasons))
        draft.outcome = found[1]

    def no_decision(self, kind: NoDecisionKind, cause: str = "") -> None:
        """Nothing came of the selection; `cause` is the error, or the parser's message."""
        draft = self._draft
        draft.kind = "no decision"
        draft.outcome = NoDecisionOutcome(kind=kind, cause=cause)

    def reconstructed(
        self, job: JobId, hosts: Sequence[HostCharges], shared: Sequence[Charge]
    ) -> None:
        """A whole record for a dispatch that the recording made; `finish` gives it."""
        draft = self._open(job, "reconstructed", None)
        draft.outcome = dispatch_outcome(hosts, shared)

    def finish(self) -> TraceRecord:
        """The finished record, frozen; `RuntimeError` without an outcome."""
        draft = self._draft
        if draft.outcome is None:
            raise RuntimeError(f"the record of job {draft.job} has no outcome")
        self._open_draft = None
        return TraceRecord(
            job=draft.job,
            kind=draft.kind,
            level=draft.settings.level,
            round=self._round,
            position=draft.position,
            line_bound=draft.settings.lines,
            selection=draft.selection,
            limits=draft.limits,
            entries=tuple(draft.entries),
            counters=draft.counters(),
            outcome=draft.outcome,
            host_names=self._names,
        )
