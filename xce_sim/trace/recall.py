"""What `info trace` and `trace status` say, from the store, the control and the states of jobs.

"Print the most recent stored trace … at the detail level at which it was captured and with
resource amounts shown in the units … in effect" now, also of a job that has left the replay. The
states come from whoever knows the jobs; this reads no job.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xce_sim.model.clock import TimeMode
from xce_sim.model.ids import JobId, JobSelector, format_id, format_ids, index_of
from xce_sim.model.job import JobState
from xce_sim.model.units import UnitsMode
from xce_sim.trace.control import TraceControl
from xce_sim.trace.lines import trace_lines
from xce_sim.trace.settings import TraceSettings
from xce_sim.trace.spans import Line
from xce_sim.trace.store import TraceStore
from xce_sim.trace.wording import counted

JobStates = Sequence[tuple[JobId, JobState]]


def recall_lines(
    store: TraceStore,
    selector: JobSelector,
    states: JobStates,
    *,
    units: UnitsMode = "auto",
    time: TimeMode = "utc",
) -> Iterator[Line]:
    """The stored traces of the jobs that a selector names, by element index.

    `states` are the present states of all jobs that it names, by element index. A job whose trace
    was discarded is marked at its place. Without any stored trace that is said, with the states.
    """
    records = {record.job: record for record in store.matching(selector)}
    discarded = store.discarded(selector)
    for job in sorted((*records, *discarded), key=index_of):
        if job in records:
            yield from trace_lines(records[job], units, time)
        else:
            yield _said(format_id(job), "trace discarded (memory bound)")
    if not records:
        yield from _nothing_stored(selector, states, discarded)


def _nothing_stored(
    selector: JobSelector, states: JobStates, discarded: Sequence[JobId]
) -> Iterator[Line]:
    elements = [(job, state) for job, state in states if index_of(job)]
    many = selector.first != selector.last or selector.first is None
    if many and (elements or any(index_of(job) for job in discarded)):
        text = "no element has a stored trace"
        yield _said(str(selector), f"{text}; {_by_state(elements)}" if elements else text)
    elif discarded:
        return
    elif states:
        yield _said(str(selector), f"no trace available; job is {states[0][1]}")
    else:
        yield _said(str(selector), "unknown job")


def _by_state(states: JobStates) -> str:
    groups: dict[str, list[JobId]] = {}
    for job, state in states:
        groups.setdefault(state, []).append(job)
    return ", ".join(f"{state} {format_ids(jobs)}" for state, jobs in groups.items())


def _said(what: str, text: str) -> Line:
    return (("key", f"[sim] info trace {what}:"), ("plain", f" {text}"))


def status_lines(control: TraceControl, store: TraceStore) -> Iterator[Line]:
    """What is in effect, what will replace it, and how much is stored.

    In a session "in effect" are the settings that it started with; between sessions there are only
    those of the next one.
    """
    if control.current is not None:
        yield _settings("in effect", control.current)
    if control.current is None or control.replacement is not None:
        yield _settings("next session", control.next)
    used, limit = _mebibytes(store.nbytes), _mebibytes(store.limit)
    jobs = counted(len(store), "job")
    stored = f"{used} of {limit}, {jobs}, {store.discarded_count} discarded"
    yield (("key", "[sim] stored traces:"), ("plain", f" {stored}"))


def _settings(when: str, settings: TraceSettings) -> Line:
    head: Line = (("key", f"[sim] trace {when}:"),)
    if not settings.on:
        return (*head, ("dim", " off"))
    named = " ".join(map(str, settings.selectors))
    parts = [
        "on",
        "all jobs" if settings.all else f"jobs {named}",
        f"level {settings.level}",
        f"lines {settings.lines}",
    ]
    if settings.file is not None:
        parts.append(f"file {settings.file.path}")
    return (*head, ("plain", f" {'  '.join(parts)}"))


def _mebibytes(nbytes: int) -> str:
    """Mebibytes, rounded up to a tenth: `1.2 MiB`, `64 MiB`."""
    tenths = -(-nbytes * 10 // (1 << 20))
    return f"{tenths / 10:g} MiB"
