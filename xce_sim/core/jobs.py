"""How jobs come, change, run, end and leave.

Every change of a job's state passes through here, so that the accounts, the picking order and the
tables stay in step.
"""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.core.charging import charges_of, refuse_uncountable
from xce_sim.core.job import Job
from xce_sim.core.order import fcfs_key
from xce_sim.core.state import LINGER, State
from xce_sim.errors import UserError
from xce_sim.model.clock import Micros
from xce_sim.model.ids import JobId, base_of, format_id, index_of, make_id
from xce_sim.model.job import CHARGED_STATES, FINAL_STATES, Allocation, JobSpec, JobState


def targets(state: State, job: JobId) -> list[Job]:
    """The jobs that an id means: itself, or all elements of an array's base."""
    if not index_of(job) and job in state.arrays:
        return [state.jobs[element] for element in state.arrays[job]]
    found = state.jobs.get(job)
    return [] if found is None else [found]


def expand(spec: JobSpec) -> Iterator[JobId]:
    """The ids that an arriving job or array brings."""
    if spec.array is None:
        yield spec.id
        return
    if index_of(spec.id):
        raise UserError(f"array {format_id(spec.id)}: the id of an array has no element index")
    array = spec.array
    if not 1 <= array.first <= array.last or array.step < 1:
        raise UserError(
            f"array {spec.id}: bad range {array.first}-{array.last} step {array.step}",
            hint="elements count from 1 upwards",
        )
    for index in array.indices():
        yield make_id(spec.id, index)


def arrive(state: State, spec: JobSpec, t: Micros, *, with_state: bool) -> None:
    """A job (or array) is new, or merges into the one with that id.

    `with_state` is true for pushed jobs, which carry their state. "job_new of a known id merges
    into the job; no second job, no dropped data"; a final job stays as it is.
    """
    check_spec(state, spec)
    for job_id in expand(spec):
        job = state.jobs.get(job_id)
        if job is None:
            job = _create(state, spec, job_id, t)
        elif job.final:
            continue
        else:
            keys = (job.user, job.queue, job.project)
            _assign(job, spec, t)
            if keys != (job.user, job.queue, job.project):
                recharge(state, job)
            if job.charged:
                state.arrived.append(job)
        if with_state:
            change_state(state, job, spec.state, spec.start_time, spec.end_time, spec.allocs, t)
            if spec.decided or spec.reported:
                job.decided, job.reported = spec.decided, spec.reported
                state.unreported.pop(job.id, None)
        refile(state, job)


def check_spec(state: State, spec: JobSpec) -> None:
    """`UserError` that names the job for what can not be: an unknown queue, bad counts.

    A list of hosts may name hosts that are not there (any more): it matches none of them.
    """
    name = f"job {format_id(spec.id)}"
    if spec.queue not in state.queues:
        raise UserError(f"{name}: unknown queue {spec.queue!r}")
    most = spec.min_tasks if spec.max_tasks is None else spec.max_tasks
    if not 1 <= spec.min_tasks <= most < 2**31:
        raise UserError(f"{name}: bad number of tasks {spec.min_tasks}..{most}")
    if spec.run_time is not None and spec.run_time < 0:
        raise UserError(f"{name}: negative run_time")


def _create(state: State, spec: JobSpec, job_id: JobId, t: Micros) -> Job:
    job = Job(
        id=job_id,
        user=spec.user,
        queue=spec.queue,
        project=spec.project,
        priority=spec.priority,
        queue_time=t if spec.queue_time is None else spec.queue_time,
        resreq=spec.resreq,
        min_tasks=spec.min_tasks,
        max_tasks=spec.min_tasks if spec.max_tasks is None else spec.max_tasks,
        run_time=spec.run_time,
        hosts=spec.hosts,
    )
    state.jobs[job_id] = job
    if index_of(job_id):
        state.arrays.setdefault(base_of(job_id), {})[job_id] = None
    return job


def _assign(job: Job, spec: JobSpec, t: Micros) -> None:
    job.user, job.queue, job.project = spec.user, spec.queue, spec.project
    job.priority, job.resreq, job.hosts = spec.priority, spec.resreq, spec.hosts
    job.queue_time = t if spec.queue_time is None else spec.queue_time
    job.min_tasks = spec.min_tasks
    job.max_tasks = spec.min_tasks if spec.max_tasks is None else spec.max_tasks
    job.run_time = spec.run_time
    job.klass = None


def change_state(
    state: State,
    job: Job,
    new: JobState,
    start: Micros | None,
    end: Micros | None,
    allocation: Allocation | None,
    t: Micros,
) -> None:
    """Bring a job to a state; "the controller wins, also backwards", but never out of a final one.

    `UserError` for a job that runs without an allocation, or with one beyond all counting.
    """
    if job.final:
        return
    if new in CHARGED_STATES:
        allocation = allocation or job.allocation
        if allocation is None or not allocation.hosts:
            raise UserError(f"job {job}: state {new} without allocations")
        started = not job.charged
        _hold(state, job, allocation, told=True)
        job.state = new
        if start is not None or started:
            job.start_time = t if start is None else start
        if started:
            job.decided = job.reported = False
        if new != "run":
            state.unreported.pop(job.id, None)
        elif not job.decided and not job.reported:
            state.unreported[job.id] = job
        state.arrived.append(job)
        return
    _let_go(state, job)
    job.state = new
    if new in FINAL_STATES:
        finish(state, job, t if end is None else end)
    else:
        job.allocation = job.start_time = job.end_time = None
        job.decided = job.reported = False


def finish(state: State, job: Job, end: Micros) -> None:
    """Note the end of a job that holds nothing any more; it leaves the tables a while later."""
    job.end_time = end
    state.departures.append((state.now + LINGER, job))


def dispatch(state: State, job: Job, allocation: Allocation) -> None:
    """A pending job was dispatched here: it runs, and holds its allocation.

    Nothing has changed if charging the allocation raises.
    """
    _hold(state, job, allocation)
    job.state = "run"
    job.klass = None
    job.start_time = state.now
    job.decided = True
    job.reported = False
    state.arrived.append(job)
    refile(state, job)


def end(state: State, job: Job, t: Micros) -> None:
    """A running job ends by itself."""
    _let_go(state, job)
    job.state = "done"
    finish(state, job, t)


def refile(state: State, job: Job) -> None:
    """Put a job where its state, queue and keys want it in the tables of pending jobs."""
    if job.state != "pend":
        state.waiting.pop(job.id, None)
        state.order.remove(job.id)
        return
    state.waiting[job.id] = job
    queue = state.queues[job.queue]
    if queue.active:
        state.order.add(fcfs_key(job, queue.priority), job)
    else:
        state.order.remove(job.id)


def recharge(state: State, job: Job) -> None:
    """Charge a running job anew: something that its limits depend on has changed."""
    if job.charged and job.allocation is not None:
        allocation = job.allocation
        _release(state, job)
        _hold(state, job, allocation)


def remove(state: State, job: Job) -> None:
    """Take a job out of all tables."""
    _let_go(state, job)
    job.klass = None
    del state.jobs[job.id]
    state.waiting.pop(job.id, None)
    state.unreported.pop(job.id, None)
    state.order.remove(job.id)
    siblings = state.arrays.get(base_of(job.id))
    if siblings is not None:
        siblings.pop(job.id, None)
        if not siblings:
            del state.arrays[base_of(job.id)]


def depart(state: State, now: Micros) -> None:
    """Take out final jobs whose time is up.

    "leaves the tables 60 s of simulated time later, before the events of that instant"; one that
    was removed before, and whose id another job may have by now, has left already.
    """
    departures = state.departures
    while departures and departures[0][0] <= now:
        _, job = departures.popleft()
        if state.jobs.get(job.id) is job:
            remove(state, job)


def _hold(state: State, job: Job, allocation: Allocation, *, told: bool = False) -> None:
    """Charge an allocation in place of the one that is held; `told` for one from outside."""
    if job.charges is not None and job.allocation == allocation:
        return
    election = state.elector.elect(job.user, job.queue, job.project)
    charges = charges_of(allocation, election, state.columns, state.ledger)
    if told:
        refuse_uncountable(job.id, charges, state.columns)
    _release(state, job)
    job.allocation, job.charges = allocation, charges
    state.ledger.charge(charges, state.frozen())


def _let_go(state: State, job: Job) -> None:
    _release(state, job)
    state.unreported.pop(job.id, None)


def _release(state: State, job: Job) -> None:
    if job.charges is not None:
        state.ledger.release(job.charges, state.frozen())
        job.charges = None
