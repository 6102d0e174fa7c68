"""Hypothesis strategies for values of the model, shared by all test folders.

`events()` gives single events that the format can hold, not meaningful histories: names need not
exist. Texts include what breaks naive programs: quotes, escapes, NUL, right-to-left marks.
"""

from __future__ import annotations

from hypothesis import strategies as st

from xce_sim.model import config, event, job, resources, worker
from xce_sim.model.ids import JobId, make_id
from xce_sim.model.job import JOB_UPDATE_FIELDS

names = st.sampled_from(
    [
        "n01",
        "n02",
        "mem",
        "normal",
        "alice",
        "",
        'q"uo\\te',
        "a\0b",
        "\x1b[31m",
        "\u202ertl",
        "ü🙂",
        "lim/x",
    ]
) | st.text(max_size=8)
texts = st.text(max_size=20) | st.just("type==linux rusage[mem=8192]")
times = st.integers(-(10**12), 10**18) | st.integers(0, 100).map(lambda second: second * 10**6)
amounts = st.integers(0, 2**62 - 1) | st.integers(0, 10**6)
counts = st.integers(0, 2**32 - 1) | st.integers(0, 4)
job_ids = st.builds(make_id, st.integers(1, 2**32 - 1), st.just(0) | st.integers(0, 2**32 - 1))
words = st.lists(names, max_size=3).map(tuple)
reals = st.floats(allow_nan=False, allow_infinity=False)


def optional(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


def by_name(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.dictionaries(names, strategy, max_size=3)


RESOURCES = {
    item.name: item
    for item in (
        resources.ResourceDef(name="mem", consumable=True, unit="MiB"),
        resources.ResourceDef(name='q"\0', consumable=True),
        resources.ResourceDef(name="license", consumable=True, scope="shared"),
        resources.ResourceDef(name="ut"),
        resources.ResourceDef(name="\u202ert", better="more"),
        resources.ResourceDef(name="type", type="string"),
        resources.ResourceDef(name="gpu", type="boolean"),
    )
}
"""The resources whose values are generated; everything else may name anything."""


def _value(name: str) -> st.SearchStrategy:
    item = RESOURCES[name]
    if item.consumable:
        return st.tuples(st.just(name), amounts)
    kinds = {"numeric": reals, "string": names, "boolean": st.booleans()}
    return st.tuples(st.just(name), kinds[item.type])


values = st.lists(
    st.sampled_from(sorted(RESOURCES)).flatmap(_value), max_size=4, unique_by=lambda pair: pair[0]
).map(dict)
milli_by_name = by_name(amounts)
headers = st.builds(
    event.Header,
    version=st.just(event.FORMAT_VERSION),
    mode=st.sampled_from(event.MODES),
    cluster=names,
    interval=st.integers(0, 10**12),
    producer=names,
)
queues = st.builds(
    config.Queue,
    name=names,
    priority=st.integers(-(2**63), 2**63 - 1),
    hosts=optional(words),
    active=st.booleans(),
    resreq=texts,
)
limits = st.builds(
    config.Limit,
    name=names,
    resource=names,
    value=amounts,
    **{
        field: optional(words)
        for key in ("user", "queue", "project", "host")
        for field in (f"{key}s", f"per_{key}")
    },
)
configs = st.builds(
    config.Config,
    queues=st.lists(queues, max_size=2).map(tuple),
    limits=st.lists(limits, max_size=2).map(tuple),
    groups=by_name(words),
    params=st.builds(config.Params, policy=names, spread=st.sampled_from(config.SPREADS)),
)
definitions = st.builds(
    resources.ResourceDef,
    name=names,
    type=st.sampled_from(resources.RESOURCE_TYPES),
    scope=st.sampled_from(resources.RESOURCE_SCOPES),
    consumable=st.booleans(),
    unit=names,
    better=optional(st.sampled_from(["more", "less"])),
)
workers = st.builds(
    worker.Worker,
    name=names,
    slots=counts,
    status=st.sampled_from(worker.WORKER_STATUSES),
    values=values,
    frozen=optional(st.builds(worker.FrozenAccounts, amounts=milli_by_name, limits=milli_by_name)),
)
allocations = st.builds(
    job.Allocation,
    hosts=st.lists(
        st.builds(job.HostShare, host=names, tasks=counts, amounts=milli_by_name), max_size=3
    ).map(tuple),
    shared=milli_by_name,
)
arrays = st.builds(job.ArrayRange, first=counts, last=counts, step=counts)
job_fields = {
    "user": names,
    "queue": names,
    "project": names,
    "priority": st.integers(-(2**63), 2**63 - 1),
    "queue_time": optional(times),
    "resreq": texts,
    "min_tasks": counts,
    "max_tasks": optional(counts),
    "run_time": optional(times),
    "hosts": optional(words),
    "state": st.sampled_from(job.JOB_STATES),
    "start_time": optional(times),
    "end_time": optional(times),
    "allocs": optional(allocations),
}
jobs = st.builds(
    job.JobSpec,
    id=job_ids,
    array=optional(arrays),
    decided=st.booleans(),
    reported=st.booleans(),
    main=optional(names),
    set=optional(counts),
    **job_fields,
)


@st.composite
def job_updates(draw: st.DrawFn) -> event.JobUpdate:
    changed = draw(st.sets(st.sampled_from(JOB_UPDATE_FIELDS)))
    fields = {name: draw(job_fields[name]) for name in sorted(changed)}
    spec = job.JobSpec(id=draw(job_ids), **fields)
    return event.JobUpdate(t=draw(times), job=spec, changed=frozenset(changed))


@st.composite
def queue_updates(draw: st.DrawFn) -> event.QueueUpdate:
    all_hosts = draw(st.booleans())
    return event.QueueUpdate(
        t=draw(times),
        name=draw(names),
        priority=draw(optional(st.integers(-(2**63), 2**63 - 1))),
        active=draw(optional(st.booleans())),
        resreq=draw(optional(texts)),
        hosts=None if all_hosts else draw(optional(words)),
        all_hosts=all_hosts,
    )


def _run(first: JobId, count: int) -> list[JobId]:
    step = 1 << 32 if first >> 32 else 1
    last = 2**64 if first >> 32 else 2**32
    return [job for job in range(first, first + count * step, step) if job < last]


job_lists = st.lists(st.builds(_run, job_ids, st.integers(1, 5)), max_size=3).map(
    lambda runs: tuple(job for run in runs for job in run)
)
entries = st.builds(
    event.RecordedEntry,
    code=names,
    resource=optional(names),
    limit=optional(names),
    clause=optional(names),
    alternative=optional(counts),
    hosts=optional(
        st.lists(names | st.builds(event.HostRange, first=names, last=names), max_size=3).map(tuple)
    ),
)
entry_lists = st.lists(entries, max_size=3).map(tuple)


def _lists(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(strategy, max_size=2).map(tuple)


increments_by_kind = {
    "config_push": st.builds(event.ConfigPush, t=times, config=configs),
    "resource_defs": st.builds(event.ResourceDefs, t=times, defs=_lists(definitions)),
    "shared_push": st.builds(event.SharedPush, t=times, values=values),
    "workers_push": st.builds(event.WorkersPush, t=times, workers=_lists(workers)),
    "jobs_push": st.builds(event.JobsPush, t=times, jobs=_lists(jobs)),
    "job_new": st.builds(event.JobNew, t=times, job=jobs),
    "job_update": job_updates(),
    "job_remove": st.builds(event.JobRemove, t=times, id=job_ids),
    "worker_update": st.builds(
        event.WorkerUpdate,
        t=times,
        name=names,
        status=optional(st.sampled_from(worker.WORKER_STATUSES)),
        slots=optional(counts),
    ),
    "values_update": st.builds(event.ValuesUpdate, t=times, host=names, values=values),
    "shared_update": st.builds(event.SharedUpdate, t=times, values=values),
    "queue_update": queue_updates(),
}
increments = st.one_of(*increments_by_kind.values())
events_by_kind = increments_by_kind | {
    "push_begin": st.builds(event.PushBegin, t=times),
    "push_end": st.builds(event.PushEnd, t=times),
    "disconnect": st.builds(event.Disconnect, t=times),
    "join": st.builds(event.Join, t=times),
    "rebuilt": st.builds(event.Rebuilt, t=times),
    "round_begin": st.builds(event.RoundBegin, t=times, round=counts),
    "dispatch": st.builds(
        event.RecordedDispatch,
        t=times,
        job=job_ids,
        allocs=allocations,
        reconstructed=st.booleans(),
    ),
    "reason_set": st.builds(event.ReasonSet, t=times, set=counts, entries=entry_lists),
    "pend": st.builds(
        event.RecordedPend,
        t=times,
        job=job_ids,
        main=names,
        set=optional(counts),
        reasons=optional(entry_lists),
    ),
    "pend_run": st.builds(event.RecordedPendRun, t=times, jobs=job_lists, main=names, set=counts),
    "round_same": st.builds(event.RoundSame, t=times),
    "round_end": st.builds(event.RoundEnd, t=times, round=counts),
    "snapshot_begin": st.builds(
        event.SnapshotBegin,
        t=times,
        round=counts,
        link=st.sampled_from(event.LINK_STATES),
        next_round=optional(times),
    ),
    "snapshot_end": st.builds(event.SnapshotEnd, t=times),
    "held": st.builds(event.Held, t=times, event=increments),
}
"""A strategy for each kind of event, by its name in the JSON form."""

events = st.one_of(*events_by_kind.values())
