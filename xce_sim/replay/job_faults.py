"""What can not be about a job by itself, whatever else is in a replay."""

from __future__ import annotations

from xce_sim.model.clock import Micros
from xce_sim.model.ids import JobId, base_of, index_of
from xce_sim.model.job import ArrayRange, JobSpec

MAX_ELEMENTS = 1_000_000
"""The largest array that is accepted; a typing error must not take all of memory."""

MAX_TASKS = 2**31 - 1
"""The most tasks of a job."""

_BOUND = 2**62


def job_faults(job: JobSpec) -> list[str]:
    """The words for everything that is wrong with a job, in order."""
    low, high, run_time = job.min_tasks, job.max_tasks, job.run_time
    faults = []
    if not base_of(job.id):
        faults.append("its number is 0")
    if low < 1:
        faults.append("fewer than one task")
    if high is not None and high < low:
        faults.append(f"at most {high} tasks but at least {low}")
    if max(low, high or 0) > MAX_TASKS:
        faults.append(f"more than {MAX_TASKS} tasks")
    if run_time is not None and run_time < 0:
        faults.append("a negative run time")
    if job.array is not None:
        faults += _array_faults(job.id, job.array)
    for time in (job.queue_time, job.start_time, job.end_time):
        if time is not None and not -_BOUND < time < _BOUND:
            faults.append("a time out of range")
    return faults


def in_range(time: Micros) -> bool:
    """Whether a time can be written as text."""
    return -_BOUND < time < _BOUND


def _array_faults(job: JobId, array: ArrayRange) -> list[str]:
    if index_of(job):
        return ["an element can not be an array"]
    if not 1 <= array.first <= array.last or array.step < 1:
        return ["its array has no elements"]
    count = len(array.indices())
    return [f"an array of {count} elements"] if count > MAX_ELEMENTS else []
