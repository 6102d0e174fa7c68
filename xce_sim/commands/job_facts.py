"""Facts about jobs, and why a job waits, copied from the core."""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.inspected import Behind, Invalid, JobFacts, JobRow, Pended, Waiting
from xce_sim.core.disclosure import host_charges, shared_charges
from xce_sim.core.job import Job
from xce_sim.model.clock import Micros
from xce_sim.model.ids import JobId
from xce_sim.resreq.request import Compound, Primary, Request
from xce_sim.sim.engine import Engine

STRICT = "builtin_fcfs_strict"
"""The policy that "ends the round's picking at the first job that pends"."""


class Waits:
    """Why jobs wait, as things stand now; made once for a whole list."""

    def __init__(self, engine: Engine) -> None:
        self._state = engine.core.state
        self._round = engine.round
        self._blocker: Job | None = None
        self._ahead: set[JobId] = set()
        if self._state.config.params.policy == STRICT:
            self._find_blocker()

    def why(self, job: Job) -> Waiting | None:
        """Why a job waits, None for one that does not.

        "its last main reason with the round, else queue inactive, held (`psusp`), or no round
        yet"; a requirement that does not parse comes first, since nothing else can be said about
        it, and the job at which a strict policy stopped before the reasons of an earlier round.
        """
        if job.state == "psusp":
            return "held"
        if job.state != "pend":
            return None
        if job.klass is not None and job.klass.request is None:
            return Invalid(message=job.klass.invalid)
        if self._blocker is not None and job.id in self._state.order and job.id not in self._ahead:
            return Behind(job=self._blocker.id, round=self._round)
        if job.reasons is not None:
            return Pended(reasons=job.reasons, round=job.reason_round)
        queue = self._state.queues.get(job.queue)
        return "inactive" if queue is not None and not queue.active else "no_round"

    def _find_blocker(self) -> None:
        for job in self._state.order:
            self._ahead.add(job.id)
            if job.reasons is not None and job.reason_round == self._round:
                self._blocker = job
                return


def job_row(waits: Waits, job: Job) -> JobRow:
    """A job in a list."""
    return JobRow(
        id=job.id,
        state=job.state,
        user=job.user,
        queue=job.queue,
        tasks=(job.min_tasks, job.max_tasks),
        since=_since(job),
        waiting=waits.why(job),
        allocation=job.allocation,
    )


def job_facts(engine: Engine, job: Job, *, whole: bool) -> JobFacts:
    """All about one job."""
    state = engine.core.state
    queue = state.queues.get(job.queue)
    request = None if job.klass is None else job.klass.request
    return JobFacts(
        row=job_row(Waits(engine), job),
        project=job.project,
        priority=job.priority,
        queue_active=queue is None or queue.active,
        requirement=job.resreq,
        allow_list=job.hosts,
        run_time=job.run_time,
        wait=None if job.start_time is None else job.start_time - job.queue_time,
        hosts=host_charges(state, job),
        shared=shared_charges(job),
        not_honoured=tuple(dict.fromkeys(_kept_only(request))),
        whole=whole,
    )


def _since(job: Job) -> Micros:
    if job.final and job.end_time is not None:
        return job.end_time
    if job.charged and job.start_time is not None:
        return job.start_time
    return job.queue_time


def _kept_only(request: Request | None) -> Iterator[str]:
    """Parts of `rusage` that are kept and change nothing: "held for the whole run"."""
    for alternative in () if request is None else request.alternatives:
        primaries: tuple[Primary, ...] = ()
        if isinstance(alternative, Compound):
            primaries = tuple([member.primary for member in alternative.members])
        elif alternative is not None:
            primaries = (alternative,)
        for primary in primaries:
            for item in primary.items:
                if item.duration is not None:
                    yield f"duration={item.duration}"
                if item.decay is not None:
                    yield f"decay={item.decay}"
