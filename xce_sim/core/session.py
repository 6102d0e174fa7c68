"""One round: a generator of decisions.

"the driver pulls one decision, deals with it, pulls the next"; nothing runs ahead. Neighbours in
picking order that pend with the very same reasons come as one `PendRun`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING

from xce_sim.core import jobs
from xce_sim.core.allocator import Allocator, Attempt
from xce_sim.core.classes import SchedulingClass
from xce_sim.core.derive import first_difference
from xce_sim.core.disclosure import host_charges, shared_charges
from xce_sim.core.faults import cause_of
from xce_sim.core.job import Job, PendStamp
from xce_sim.core.picker import Outcome, picker_of
from xce_sim.core.state import Repeat, State
from xce_sim.model.decision import Decision, Dispatch, NoDecision, Pend, PendRun
from xce_sim.model.ids import JobId, order_key
from xce_sim.model.job import Allocation
from xce_sim.model.reasons import Reasons

if TYPE_CHECKING:
    from xce_sim.trace.recorder import Recorder

Watch = Callable[[JobId], bool]
"""Whether a breakpoint waits for a job, so that its pend must not be inside a run."""


class AccountsDiffer(Exception):
    """The kept accounts disagree with the derived ones: a defect of the program."""


class Session:
    """A round over a state. Its number is only passed on."""

    def __init__(
        self,
        state: State,
        number: int,
        *,
        recorder: Recorder | None = None,
        watch: Watch | None = None,
        check: bool = False,
    ) -> None:
        self._state = state
        self._number = number
        self._recorder = recorder
        self._watch = watch
        self._check = check
        self._allocator = Allocator(state)
        self._run: list[JobId] = []
        self._run_reasons: Reasons | None = None
        self._stamp = PendStamp(number)
        self._failed = False

    def decisions(self) -> Iterator[Decision]:
        """Begin the round, report reconstructed dispatches, then pick and try jobs."""
        state, recorder = self._state, self._recorder
        state.limits.require_all()
        if self._may_repeat():
            yield from self._repeated()
            return
        if self._check:
            difference = first_difference(state)
            if difference is not None:
                raise AccountsDiffer(f"round {self._number}: {difference}")
        state.evaluator.begin_round()
        state.tidy()
        if recorder is not None:
            recorder.begin_session(self._number, state.config.params.policy, state.columns.names)
        yield from self._reconstructed()
        state.repeat = None
        before = (state.ledger.version, state.order.version)
        decisions: list[Decision] = []
        for decision in self._picked():
            yield decision
            decisions.append(decision)
        if before == (state.ledger.version, state.order.version) and not self._failed:
            self._remember(decisions)
        if recorder is not None:
            recorder.end_session()

    def _may_repeat(self) -> bool:
        """Whether nothing has changed since a round without dispatches: it would decide the same.

        "a round in which nothing has changed costs nothing per job"
        """
        state, repeat = self._state, self._state.repeat
        return (
            repeat is not None
            and repeat.ledger_version == state.ledger.version
            and repeat.order_version == state.order.version
            and not (self._recorder or self._watch or self._check or state.unreported)
        )

    def _repeated(self) -> Iterator[Decision]:
        repeat = self._state.repeat
        assert repeat is not None
        repeat.stamp.round = self._number
        yield from repeat.decisions

    def _remember(self, decisions: list[Decision]) -> None:
        """Keep a whole round that changed nothing and whose jobs all pended (or have no object)."""
        state = self._state
        state.repeat = Repeat(
            state.ledger.version, state.order.version, tuple(decisions), self._stamp
        )

    def _reconstructed(self) -> Iterator[Decision]:
        """Running jobs that were not decided here, "by (start time, id), once"."""
        state = self._state
        found = sorted(
            state.unreported.values(), key=lambda job: (job.start_time or 0, order_key(job.id))
        )
        for job in found:
            job.reported = True
            assert job.allocation is not None
            if self._recorder is not None and self._recorder.wants(job.id):
                self._recorder.reconstructed(job.id, host_charges(state, job), shared_charges(job))
            yield Dispatch(job=job.id, allocation=job.allocation, reconstructed=True)
        state.unreported.clear()

    def _picked(self) -> Iterator[Decision]:
        state = self._state
        picking = picker_of(state.config.params.policy)(state.order)
        position = 0
        job = next(picking, None)
        while job is not None:
            position += 1
            klass = job.klass or self._class_of(job)
            outcome: Outcome
            decision: Decision
            if isinstance(klass, NoDecision):
                yield from self._flush()
                outcome, decision = "none", self._unreached(klass, position)
                yield decision
            elif self._recorder is not None and self._recorder.wants(job.id):
                yield from self._flush()
                outcome, decision = self._traced(self._recorder, job, klass, position)
                yield decision
            elif klass.failed_version != state.ledger.version:
                outcome = yield from self._try(job, klass)
            else:
                outcome = "pended"
                if klass.failed is not self._run_reasons:
                    yield from self._flush()
                yield from self._pended(job, klass)
            try:
                job = picking.send(outcome)
            except StopIteration:
                job = None
        yield from self._flush()

    def _class_of(self, job: Job) -> SchedulingClass | NoDecision:
        """The class of a job that has none yet; no decision if the job is not there any more.

        A job that leaves loses its class, so this is asked for each job that may have left.
        """
        state = self._state
        try:
            if state.job(job.id) is not job:
                return NoDecision(job=job.id, kind="not_found")
            return state.class_of(job)
        except Exception as error:  # noqa: BLE001  "internal error: no decision"
            return NoDecision(job=job.id, kind="internal_error", cause=cause_of(error))

    def _unreached(self, decision: NoDecision, position: int) -> NoDecision:
        """A selected job that the allocator does not come to, with its trace if it is wanted."""
        self._failed = True
        recorder = self._recorder
        if recorder is not None and recorder.wants(decision.job):
            recorder.begin_job(decision.job, position)
            job = self._state.job(decision.job) if decision.kind != "not_found" else None
            if job is not None:
                self._tell_selection(recorder, job)
            recorder.no_decision(decision.kind, decision.cause)
        return decision

    def _tell_selection(self, recorder: Recorder, job: Job) -> None:
        recorder.selection(
            queue=job.queue,
            queue_priority=self._state.queues[job.queue].priority,
            job_priority=job.priority,
            queue_time=job.queue_time,
        )

    def _try(self, job: Job, klass: SchedulingClass) -> Generator[Decision, None, Outcome]:
        """Try an untraced job whose class is not known to fail as things stand."""
        if klass.request is None:
            yield from self._flush()
            yield NoDecision(job=job.id, kind="no_object", cause=klass.invalid)
            return "none"
        try:
            attempt = self._allocator.attempt(klass, None)
        except Exception as error:  # noqa: BLE001  "internal error: no decision"
            yield from self._flush()
            self._failed = True
            yield NoDecision(job=job.id, kind="internal_error", cause=cause_of(error))
            return "none"
        if attempt.allocation is not None:
            yield from self._flush()
            committed = self._dispatch(job, attempt.allocation)
            yield committed
            return "dispatched" if isinstance(committed, Dispatch) else "none"
        if attempt.reasons is None:
            yield from self._flush()
            yield NoDecision(job=job.id, kind="no_reason")
            return "none"
        self._remember_failure(klass, attempt.reasons, attempt)
        yield from self._flush()
        yield from self._pended(job, klass)
        return "pended"

    def _remember_failure(self, klass: SchedulingClass, reasons: Reasons, attempt: Attempt) -> None:
        """What one member was refused for holds for the others, as long as no account changes."""
        klass.failed, klass.failed_version = reasons, self._state.ledger.version
        if attempt.doubtful:
            self._failed = True
            klass.failed_version = -1

    def _pended(self, job: Job, klass: SchedulingClass) -> Iterable[Decision]:
        """A job waits for its class's reasons: it joins the run of neighbours, or stands alone."""
        reasons = klass.failed
        assert reasons is not None
        self._pend(job, reasons)
        if self._watch is not None and self._watch(job.id):
            return (*self._flush(), Pend(job=job.id, reasons=reasons))
        self._run_reasons = reasons
        self._run.append(job.id)
        return ()

    def _traced(
        self, recorder: Recorder, job: Job, klass: SchedulingClass, position: int
    ) -> tuple[Outcome, Decision]:
        """Try a traced job on the full road, telling the recorder."""
        state = self._state
        recorder.begin_job(job.id, position)
        self._tell_selection(recorder, job)
        if klass.request is None:
            recorder.no_decision("no_object", klass.invalid)
            return "none", NoDecision(job=job.id, kind="no_object", cause=klass.invalid)
        recorder.cluster_limits([usage.account for usage in klass.election.cluster_limits])
        try:
            attempt = self._allocator.attempt(klass, recorder)
        except Exception as error:  # noqa: BLE001  "internal error: no decision"
            self._failed = True
            recorder.no_decision("internal_error", cause_of(error))
            return "none", NoDecision(job=job.id, kind="internal_error", cause=cause_of(error))
        if attempt.allocation is not None:
            committed = self._dispatch(job, attempt.allocation)
            if isinstance(committed, NoDecision):
                recorder.no_decision(committed.kind, committed.cause)
                return "none", committed
            recorder.dispatch(host_charges(state, job), shared_charges(job))
            return "dispatched", committed
        reasons = attempt.reasons
        if reasons is None:
            recorder.no_decision("no_reason", "")
            return "none", NoDecision(job=job.id, kind="no_reason")
        if klass.failed is not None and klass.failed_version == state.ledger.version:
            reasons = klass.failed
        self._remember_failure(klass, reasons, attempt)
        self._pend(job, reasons)
        recorder.pend(reasons)
        return "pended", Pend(job=job.id, reasons=reasons)

    def _dispatch(self, job: Job, allocation: Allocation) -> Dispatch | NoDecision:
        """Commit: "a dispatch charges everything at once and the job is `run`"."""
        try:
            jobs.dispatch(self._state, job, allocation)
        except Exception as error:  # noqa: BLE001  "internal error: no decision"
            self._failed = True
            return NoDecision(job=job.id, kind="internal_error", cause=cause_of(error))
        return Dispatch(job=job.id, allocation=allocation)

    def _pend(self, job: Job, reasons: Reasons) -> None:
        """Commit: "a pend stores its reasons"; the only place that assigns them."""
        job.reasons = reasons
        job.pended = self._stamp

    def _flush(self) -> Iterator[Decision]:
        """Hand out the run of neighbours that has come together."""
        run, reasons = self._run, self._run_reasons
        self._run, self._run_reasons = [], None
        if not run:
            return
        assert reasons is not None
        if len(run) == 1:
            yield Pend(job=run[0], reasons=reasons)
        else:
            yield PendRun(jobs=tuple(run), reasons=reasons)
