"""Small clusters and histories with a lot of contention, for comparing two schedulers."""

from __future__ import annotations

from dataclasses import replace

from core.drawing import chance, composite, integers, just, lists, nothing, one_of, sampled

from xce_sim.model import event as ev
from xce_sim.model.config import Config, Limit, Params, Queue
from xce_sim.model.ids import make_id
from xce_sim.model.job import Allocation, ArrayRange, HostShare, JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker

SECOND = 1_000_000
HOSTS = [f"n{i}" for i in range(1, 7)]
USERS = ["alice", "bob", "carol"]
QUEUES = ["normal", "night"]
PROJECTS = ["chip", "", "web"]
GROUPS = {
    "any": ("all",),
    "none": (),
    "dept": ("team", "carol"),
    "team": ("alice", "bob"),
    "rack": ("n1", "n2"),
    "qs": ("normal",),
    "ps": ("chip", "web"),
}
STATUSES = ["ok", "ok", "closed", "unavail", "reconciling"]

DEFS = (
    ResourceDef(name="mem", consumable=True, unit="MiB"),
    ResourceDef(name="license", scope="shared", consumable=True),
    ResourceDef(name="scratch", consumable=True, better="less"),
    ResourceDef(name="ut"),
    ResourceDef(name="rank", better="more"),
    ResourceDef(name="type", type="string"),
    ResourceDef(name="gpu", type="boolean"),
    ResourceDef(name="token", scope="shared", consumable=True),
    ResourceDef(name="phase", scope="shared"),
)
LATE = ResourceDef(name="late", consumable=True)


@composite
def subset(draw, names, *, least=1):
    chosen = draw(lists(sampled(names), least=least, most=3, unique=True))
    return tuple(chosen)


@composite
def scope_list(draw, names, group):
    """`all`, names, a group, all but some, all with exceptions."""
    form = draw(integers(0, 12))
    if form == 12:
        return draw(
            one_of(
                (),
                ("~all",),
                ("all", "~all"),
                ("any",),
                ("any", "~rack"),
                ("none",),
                ("~none",),
                ("~any",),
                ("~alice", "team"),
                ("carol", "~team"),
                ("dept",),
                ("~team", "alice"),
            )
        )
    if form <= 1:
        return ("all",)
    if form == 2:
        return (group,)
    if form == 3:
        return ("~" + draw(sampled([*names, group])),)
    if form == 4:
        return ("all", "~" + draw(sampled([*names, group])))
    return draw(subset(names))


@composite
def limits(draw, number):
    resource = draw(
        one_of("slots", "slots", "slots", "jobs", "jobs", "mem", "license", "scratch", "mem")
    )
    fields = {}
    for key, names, group in (
        ("user", USERS, "team"),
        ("queue", QUEUES, "qs"),
        ("project", PROJECTS, "ps"),
        ("host", HOSTS, "rack"),
    ):
        if key == "host" and resource == "license":
            continue
        form = draw(integers(0, 3))
        if form >= 2:
            fields[f"{key}s" if form == 2 else f"per_{key}"] = draw(scope_list(names, group))
    value = draw(one_of(0, 1, 2, 3, 4, 5, 6, 8, 8, 12, 12))
    if resource in ("mem", "scratch"):
        value *= 60
    return Limit(name=f"lim{number}", resource=resource, value=value * 1000, **fields)


@composite
def queues(draw, name):
    return Queue(
        name=name,
        priority=draw(integers(0, 2)),
        hosts=draw(subset([*HOSTS, "gone"], least=2)) if draw(chance(6)) else None,
        active=not draw(chance(12)),
        resreq=""
        if not draw(chance(4))
        else draw(
            one_of(
                "gpu",
                "type==linux rusage[mem=50]",
                "rusage[license=1]",
                "order[mem]",
                "span[ptile=2]",
                "span[hosts=1]",
                "same[type]",
                "affinity[core]",
                "rusage[mem=30/task:scratch=10]",
                "{gpu} || {mem}",
                "1*{gpu}",
                "mem > ",
                "slots > 1",
                "order[-slots]",
                "same[gpu]",
            )
        ),
    )


@composite
def configs(draw, *, resources=True):
    number = draw(one_of(0, 1, 1, 2, 2, 3, 4))
    return Config(
        queues=tuple(draw(queues(name)) for name in QUEUES),
        limits=tuple(draw(limits(i)) for i in range(number)),
        groups=GROUPS,
        params=Params(
            policy=draw(one_of(*["builtin_fcfs"] * 4, "builtin_fcfs_strict")),
            spread=draw(one_of("even", "even", "fill")),
        ),
    )


@composite
def host_values(draw):
    values = {}
    if not draw(chance(6)):
        values["mem"] = draw(integers(0, 6)) * 60_000
    if draw(chance(2)):
        values["scratch"] = draw(integers(0, 5)) * 60_000
    if draw(chance(2)):
        values["ut"] = draw(one_of(0.0, 1.0, 0.5, -1.0))
    if draw(chance(2)):
        values["rank"] = draw(one_of(0.0, 1.0, 2.0))
    if draw(chance(2)):
        values["type"] = draw(one_of("linux", "windows"))
    if draw(chance(2)):
        values["gpu"] = draw(chance(2))
    return values


@composite
def workers(draw, name):
    status = draw(sampled(STATUSES)) if draw(chance(5)) else "ok"
    slots = draw(one_of(4, 2, 1, 3, 6, 8, 4, 6, 0))
    return Worker(name=name, slots=slots, status=status, values=draw(host_values()))


SELECTS = [
    "", "", "", "", "gpu", "!gpu", "type==linux", "type!=linux", "mem > 100", "mem >= 60 && ut < 1",
    "slots >= 2", "1/ut > 0", "gpu || 1/rank > 1", "defined(type)", "license > 1", "type==any",
    "type!=any", "phase == 0", "!(1/ut > 0) && gpu", "scratch*2 >= mem",
]  # fmt: skip
SCOPES = ["", "", "", "/task", "/host", "/job"]


@composite
def rusages(draw):
    names = draw(lists(one_of("mem", "license", "scratch", "token"), most=2, unique=True))
    items = []
    for name in names:
        amount = draw(
            one_of("1", "2", "0", "0.5")
            if name in ("license", "token")
            else one_of("50", "30", "100", "0")
        )
        items.append(f"{name}={amount}{draw(sampled(SCOPES))}")
    return ":".join(items)


@composite
def primaries(draw, *, inside=False):
    parts = []
    select = draw(sampled(SELECTS)) if draw(chance(2)) else ""
    if select:
        parts.append(f"select[{select}]")
    usage = draw(rusages())
    if usage:
        more = f" || {draw(rusages()) or 'mem=1'}" if draw(chance(8)) else ""
        parts.append(f"rusage[{usage}{more}]")
    if draw(chance(3)):
        parts.append(
            draw(
                one_of(
                    "span[hosts=1]",
                    "span[ptile=1]",
                    "span[ptile=2]",
                    "span[ptile=3]",
                    "span[hosts=-1]",
                )
            )
        )
    if draw(chance(4)):
        keys = lists(
            one_of("mem", "scratch", "ut", "rank", "gpu", "slots", "license"),
            least=1,
            most=2,
            unique=True,
        )
        parts.append(
            "order[" + ":".join(draw(one_of("", "-", "!")) + key for key in draw(keys)) + "]"
        )
    if draw(chance(5)):
        parts.append(
            "same["
            + ":".join(
                draw(
                    lists(
                        one_of("type", "gpu", "rank", "mem", "phase"), least=1, most=2, unique=True
                    )
                )
            )
            + "]"
        )
    if draw(chance(40)):
        parts.append(draw(one_of("affinity[core]", "cu[type=rack]", "span[block=2]")))
        if sum(part.startswith("span") for part in parts) > 1:
            parts.pop()
    return " ".join(parts) or draw(one_of("mem >= 0", "rusage[]"))


@composite
def compounds(draw):
    members = [(draw(integers(1, 3)), draw(primaries())) for _ in range(draw(integers(1, 3)))]
    return " + ".join(f"{n}*{{{primary}}}" for n, primary in members), sum(n for n, _ in members)


BAD = [
    "nonsense",
    "rusage[slots=1]",
    "order[type]",
    "rusage[mem=1:mem=2]",
    "mem >",
    "rusage[gpu=1]",
    "late > 0",
    "rusage[late=1]",
]


@composite
def sized(draw):
    """A requirement and its task counts."""
    form = draw(integers(0, 13))
    if form <= 7:
        text, total = draw(just("") | primaries()), None
    elif form <= 9:
        text, total = draw(compounds())
    elif form <= 12:
        parts = draw(
            lists(
                primaries().map(lambda t: (t, None)) | compounds() | just(("", None)),
                least=2,
                most=3,
            )
        )
        if not any(part for part, _ in parts):
            parts[0] = ("gpu", None)
        text = " || ".join(f"{{{part}}}" for part, _ in parts)
        totals = {total for _, total in parts if total}
        total = totals.pop() if len(totals) == 1 else (0 if totals else None)
    else:
        text, total = draw(sampled(BAD)), None
    if total is not None:
        stated = total > 0 and draw(chance(2))
        low = high = total if stated else 1
        if draw(chance(12)):
            high += 1
        return text, low, high
    low = draw(one_of(1, 1, 2, 3, 4, 6))
    return text, low, draw(one_of(None, None, low, low + 1, low + 3))


@composite
def specs(draw, job_id, *, timed):
    text, low, high = draw(sized())
    run = draw(one_of(1, 2, 0, 3, 10, None)) if timed else None
    return JobSpec(
        id=job_id,
        user=draw(sampled(USERS)),
        queue=draw(sampled(QUEUES)),
        project=draw(sampled(PROJECTS)),
        priority=draw(one_of(0, 0, 0, 1, -1)),
        queue_time=draw(nothing() | integers(0, 5).map(lambda n: n * SECOND)),
        resreq=text,
        min_tasks=low,
        max_tasks=high,
        hosts=draw(subset([*HOSTS, "gone"])) if draw(chance(10)) else None,
        run_time=None if run is None else run * SECOND,
    )


@composite
def allocations(draw, hosts):
    shares = []
    for host in draw(lists(sampled(hosts), least=1, most=3, unique=True)):
        amounts = {}
        if draw(chance(2)):
            amounts["mem"] = draw(one_of(30_000, 50_000, 200_000))
        shares.append(HostShare(host=host, tasks=draw(integers(1, 2)), amounts=amounts))
    shared = {"license": 1000} if draw(chance(2)) else {}
    return Allocation(hosts=tuple(shares), shared=shared)


class History:
    """What has been said so far, so that what follows makes sense."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.timed = mode == "workload"
        self.t = 0
        self.hosts: list[str] = []
        self.plain: list[int] = []
        self.ids: list[int] = []
        self.next = 1
        self.round = 0
        self.most = 30


def _fresh(draw, history):
    if history.plain and draw(chance(1 if len(history.plain) >= history.most else 6)):
        return draw(sampled(history.plain))
    job = history.next
    history.next += 1
    history.plain.append(job)
    history.ids.append(job)
    return job


def job_new(draw, history):
    if draw(chance(5)):
        base = history.next
        history.next += 1
        spec = draw(specs(base, timed=history.timed))
        array = ArrayRange(
            first=draw(one_of(1, 2)), last=draw(one_of(3, 4)), step=draw(one_of(1, 2))
        )
        history.ids += [base, *(make_id(base, index) for index in array.indices())]
        return ev.JobNew(t=history.t, job=replace(spec, array=array))
    return ev.JobNew(t=history.t, job=draw(specs(_fresh(draw, history), timed=history.timed)))


def jobs_push(draw, history):
    jobs = {}
    for _ in range(draw(integers(1, 2))):
        job = _fresh(draw, history)
        spec = draw(specs(job, timed=history.timed))
        state = draw(one_of("run", "run", "pend", "psusp", "susp", "done", "exit"))
        spec = replace(spec, state=state)
        if state in ("run", "susp"):
            start = max(0, history.t - draw(integers(0, 3)) * SECOND)
            spec = replace(spec, start_time=start, allocs=draw(allocations(history.hosts)))
        jobs[job] = spec
    return ev.JobsPush(t=history.t, jobs=tuple(jobs.values()))


def job_update(draw, history):
    if not history.ids:
        return job_new(draw, history)
    job = draw(sampled(history.ids))
    fields = {}
    what = draw(
        one_of(
            "state",
            "priority",
            "user",
            "resreq",
            "queue",
            "hosts",
            "state",
            "run_time",
            "tasks",
            "project",
        )
    )
    if what == "state":
        state = draw(one_of("psusp", "pend", "run", "done", "exit", "susp"))
        fields["state"] = state
        if state in ("run", "susp"):
            if draw(chance(2)):
                fields["start_time"] = history.t
            fields["allocs"] = draw(allocations(history.hosts))
    elif what == "resreq":
        fields["resreq"], fields["min_tasks"], fields["max_tasks"] = draw(sized())
    elif what == "priority":
        fields["priority"] = draw(integers(-1, 2))
    elif what == "run_time":
        fields["run_time"] = draw(one_of(None, 0, 2, 9))
        if fields["run_time"]:
            fields["run_time"] *= SECOND
    elif what == "project":
        fields["project"] = draw(sampled(PROJECTS))
    elif what == "tasks":
        fields["max_tasks"] = 12
    elif what == "user":
        fields["user"] = draw(sampled(USERS))
    elif what == "queue":
        fields["queue"] = draw(sampled(QUEUES))
    else:
        fields["hosts"] = draw(nothing() | subset(HOSTS))
    return ev.JobUpdate(t=history.t, job=JobSpec(id=job, **fields), changed=frozenset(fields))


def job_remove(draw, history):
    if not history.ids:
        return job_new(draw, history)
    return ev.JobRemove(t=history.t, id=draw(sampled(history.ids)))


def worker_update(draw, history):
    slots = draw(nothing() | nothing() | integers(0, 5))
    status = draw(sampled(STATUSES)) if slots is None or draw(chance(2)) else None
    return ev.WorkerUpdate(
        t=history.t, name=draw(sampled(history.hosts)), status=status, slots=slots
    )


def workers_push(draw, history):
    known = draw(lists(sampled(history.hosts), most=2, unique=True))
    new = [HOSTS[len(history.hosts)]] if len(history.hosts) < len(HOSTS) and draw(chance(2)) else []
    if not known and not new:
        known = history.hosts[:1]
    pushed = tuple(draw(workers(name)) for name in [*known, *new])
    history.hosts += new
    return ev.WorkersPush(t=history.t, workers=pushed)


def values_update(draw, history):
    return ev.ValuesUpdate(
        t=history.t, host=draw(sampled(history.hosts)), values=draw(host_values())
    )


def shared_values(draw):
    values = {"license": draw(integers(0, 8)) * 1000, "token": draw(integers(0, 8)) * 500}
    if draw(chance(2)):
        values["phase"] = draw(one_of(0.0, 1.0))
    return values


def shared_update(draw, history):
    return ev.SharedUpdate(t=history.t, values=shared_values(draw))


def queue_update(draw, history):
    hosts = draw(nothing() | subset(HOSTS))
    return ev.QueueUpdate(
        t=history.t,
        name=draw(sampled(QUEUES)),
        priority=draw(nothing() | integers(0, 2)),
        active=draw(one_of(None, True, True, False)),
        resreq=draw(one_of(None, None, "", "gpu", "rusage[mem=30]")),
        hosts=hosts,
        all_hosts=hosts is None and draw(chance(2)),
    )


def config_push(draw, history):
    return ev.ConfigPush(t=history.t, config=draw(configs()))


def resource_defs(draw, history):
    return ev.ResourceDefs(t=history.t, defs=(LATE,))


KINDS = [
    *[job_new] * 12, *[jobs_push] * 2, *[job_update] * 4, job_remove, *[worker_update] * 2,
    workers_push, values_update, shared_update, queue_update, config_push, resource_defs,
]  # fmt: skip


PLACING = [*[job_new] * 12, jobs_push, values_update, shared_update]
"""What fills hosts and changes little else."""
LIVES = [*[job_new] * 3, *[jobs_push] * 3, *[job_update] * 4, job_remove, worker_update]
"""What happens to jobs; with few ids, each of them lives many lives."""


@composite
def worlds(draw, *, modes=("recorded", "workload"), max_events=22, kinds=KINDS, most_jobs=30):
    """A header and a history: resources, hosts, configuration first, then anything."""
    history = History(draw(sampled(modes)))
    history.most = most_jobs
    history.hosts = HOSTS[: draw(integers(2, 6))]
    header = ev.Header(mode=history.mode, interval=draw(one_of(0, 0, 1, 3)) * SECOND)
    events = [
        ev.ResourceDefs(t=0, defs=DEFS),
        ev.ConfigPush(t=0, config=draw(configs())),
        ev.SharedPush(t=0, values=shared_values(draw)),
        ev.WorkersPush(t=0, workers=tuple(draw(workers(name)) for name in history.hosts)),
    ]
    history.hosts = list(history.hosts)
    for _ in range(draw(integers(2, max_events))):
        if draw(chance(2)):
            history.t += draw(one_of(1, 1, 1, 2, 30, 60)) * SECOND
        if history.mode == "recorded" and draw(chance(4)):
            history.round += draw(one_of(1, 1, 2))
            events.append(ev.RoundBegin(t=history.t, round=history.round))
            events.append(ev.RoundEnd(t=history.t, round=history.round))
        else:
            events.append(draw(sampled(kinds))(draw, history))
    if history.mode == "recorded":
        events.append(ev.RoundBegin(t=history.t, round=history.round + 1))
        events.append(ev.RoundEnd(t=history.t, round=history.round + 1))
    return header, events
