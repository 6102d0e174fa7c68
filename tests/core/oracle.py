"""The scheduling contract once more, word for word and without any speed: what is known.

An oracle for tests. Plain dicts and loops, everything derived anew whenever it is asked for. It
shares with the program the values of `model` and the parser of requirements, nothing else.
`oracle_place` places one job, `oracle_rounds` says when rounds happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.config import Config, Limit, Queue
from xce_sim.model.ids import base_of, index_of, make_id, order_key
from xce_sim.model.job import Allocation, JobSpec
from xce_sim.model.resources import ResourceTable
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.language import Language
from xce_sim.resreq.request import Compound, Request

FINAL = ("done", "exit")
CHARGED = ("run", "susp")
FROZEN = ("unavail", "reconciling")
LEAVES_AFTER = 60_000_000
KEYS = (("user", "u"), ("queue", "q"), ("project", "p"))


@dataclass
class Host:
    name: str
    slots: int = 0
    status: str = "ok"
    values: dict = field(default_factory=dict)
    held: dict | None = None
    """While frozen: what was charged here, by account."""


@dataclass
class Job:
    id: int
    user: str
    queue: str
    project: str
    priority: int
    queue_time: int
    resreq: str
    min_tasks: int
    max_tasks: int
    run_time: int | None
    hosts: tuple | None
    state: str = "pend"
    start_time: int | None = None
    end_time: int | None = None
    allocs: Allocation | None = None
    decided: bool = False
    reported: bool = False


def listed(names: tuple, who: str, groups: dict) -> bool:
    """`all` matches everyone, `~name` excludes, groups expand, `~name` alone is all but these."""

    def means(name: str, above: tuple = ()) -> bool:
        if name in ("all", who):
            return True
        if name in above:
            return False
        return any(means(member, (*above, name)) for member in groups.get(name, ()))

    wanted = [name for name in names if not name.startswith("~")]
    if any(means(name[1:]) for name in names if name.startswith("~")):
        return False
    return any(means(name) for name in wanted) or (bool(names) and not wanted)


class World:
    """Ground truth: what the controller pushed, and what frozen hosts held."""

    def __init__(self) -> None:
        self.now = 0
        self.resources = ResourceTable()
        self.shared: dict[str, int] = {}
        self.hosts: dict[str, Host] = {}
        self.config = Config()
        self.queues: dict[str, Queue] = {}
        self.jobs: dict[int, Job] = {}

    # -- events ---------------------------------------------------------------------------------

    def advance(self, now: int) -> None:
        """Final jobs leave 60 s later, before the events of that instant."""
        self.now = now
        for job in list(self.jobs.values()):
            if job.state in FINAL and job.end_time + LEAVES_AFTER <= now:
                del self.jobs[job.id]

    def apply(self, event: object) -> None:
        getattr(self, "_" + type(event).__name__)(event)

    def _ConfigPush(self, event: ev.ConfigPush) -> None:  # noqa: N802
        self.config = event.config
        self.queues = {queue.name: queue for queue in event.config.queues}

    def _QueueUpdate(self, event: ev.QueueUpdate) -> None:  # noqa: N802
        old = self.queues[event.name]
        hosts = old.hosts if event.hosts is None else event.hosts
        self.queues[event.name] = Queue(
            name=event.name,
            priority=old.priority if event.priority is None else event.priority,
            active=old.active if event.active is None else event.active,
            resreq=old.resreq if event.resreq is None else event.resreq,
            hosts=None if event.all_hosts else hosts,
        )

    def _ResourceDefs(self, event: ev.ResourceDefs) -> None:  # noqa: N802
        self.resources = self.resources.extended(event.defs)

    def _SharedPush(self, event: ev.SharedPush | ev.SharedUpdate) -> None:  # noqa: N802
        self.shared.update(event.values)

    _SharedUpdate = _SharedPush

    def _WorkersPush(self, event: ev.WorkersPush) -> None:  # noqa: N802
        for worker in event.workers:
            if worker.name not in self.hosts:
                host = Host(worker.name, worker.slots, worker.status)
                host.held = {} if worker.status in FROZEN else None
                self.hosts[worker.name] = host
            host = self.hosts[worker.name]
            self._turn(host, worker.status)
            host.slots = worker.slots
            host.values.update(worker.values)

    def _WorkerUpdate(self, event: ev.WorkerUpdate) -> None:  # noqa: N802
        host = self.hosts[event.name]
        if event.status is not None:
            self._turn(host, event.status)
        if event.slots is not None:
            host.slots = event.slots

    def _turn(self, host: Host, status: str) -> None:
        """A host that freezes keeps what it holds; one that thaws is derived anew."""
        if status in FROZEN and host.held is None:
            used = self.usage()
            host.held = {
                account: n
                for account, n in used.items()
                if account[0] in ("host", "part") and account[-1] == host.name
            }
        elif status not in FROZEN:
            host.held = None
        host.status = status

    def _ValuesUpdate(self, event: ev.ValuesUpdate) -> None:  # noqa: N802
        self.hosts[event.host].values.update(event.values)

    def _JobNew(self, event: ev.JobNew) -> None:  # noqa: N802
        spec = event.job
        ids = [spec.id]
        if spec.array is not None:
            ids = [make_id(base_of(spec.id), index) for index in spec.array.indices()]
        for job in ids:
            self._put(job, spec, event.t)

    def _JobsPush(self, event: ev.JobsPush) -> None:  # noqa: N802
        for spec in event.jobs:
            self._put(spec.id, spec, event.t, pushed=True)

    def _put(self, job_id: int, spec: JobSpec, now: int, *, pushed: bool = False) -> None:
        """A job is new, or merges into the one with that id, whose state a `job_new` leaves."""
        known = self.jobs.get(job_id)
        if known is not None and known.state in FINAL:
            return
        fields = {
            "user": spec.user,
            "queue": spec.queue,
            "project": spec.project,
            "priority": spec.priority,
            "queue_time": now if spec.queue_time is None else spec.queue_time,
            "resreq": spec.resreq,
            "min_tasks": spec.min_tasks,
            "max_tasks": spec.min_tasks if spec.max_tasks is None else spec.max_tasks,
            "run_time": spec.run_time,
            "hosts": spec.hosts,
        }
        if known is None:
            self.jobs[job_id] = Job(id=job_id, **fields)
        else:
            for name, value in fields.items():
                setattr(known, name, value)
        if pushed:
            self._become(self.jobs[job_id], spec, {"state", "start_time", "end_time", "allocs"})

    def _JobUpdate(self, event: ev.JobUpdate) -> None:  # noqa: N802
        for job in self.meant(event.job.id):
            if job.state in FINAL:
                continue
            for name in event.changed - {"state", "start_time", "end_time", "allocs"}:
                setattr(job, name, getattr(event.job, name))
            if "queue_time" in event.changed and event.job.queue_time is None:
                job.queue_time = event.t
            if job.max_tasks is None:
                job.max_tasks = job.min_tasks
            self._become(job, event.job, event.changed)

    def _become(self, job: Job, spec: JobSpec, changed: frozenset | set) -> None:
        before = job.state
        for name in ("start_time", "end_time", "allocs"):
            if name in changed and getattr(spec, name) is not None:
                setattr(job, name, getattr(spec, name))
        if "state" not in changed:
            return
        job.state = spec.state
        if job.state in FINAL:
            job.end_time = self.now
        if job.state in ("pend", "psusp"):
            job.allocs = job.start_time = None
            job.decided = job.reported = False
        if job.state in CHARGED and before not in CHARGED and job.start_time is None:
            job.start_time = self.now

    def _JobRemove(self, event: ev.JobRemove) -> None:  # noqa: N802
        for job in self.meant(event.id):
            del self.jobs[job.id]

    def meant(self, job_id: int) -> list[Job]:
        """A job, or all elements of an array's base."""
        if index_of(job_id):
            return [self.jobs[job_id]] if job_id in self.jobs else []
        return [job for job in self.jobs.values() if base_of(job.id) == job_id]

    # -- what follows from it -------------------------------------------------------------------

    def usage(self) -> dict[tuple, int]:
        """In use by account: ("host", resource, host), ("shared", resource),
        ("cluster", limit, instance) and ("part", limit, instance, host)."""
        used: dict[tuple, int] = {}
        for job in self.jobs.values():
            if job.state not in CHARGED or job.allocs is None:
                continue
            for account, amount in self.charges(job, job.allocs):
                host = self.hosts.get(account[-1]) if account[0] in ("host", "part") else None
                if host is None or host.held is None:
                    used[account] = used.get(account, 0) + amount
        for host in self.hosts.values():
            for account, amount in (host.held or {}).items():
                used[account] = used.get(account, 0) + amount
        return used

    def charges(self, job: Job, allocs: Allocation) -> Iterator[tuple[tuple, int]]:
        """Everything that an allocation takes."""
        for share in allocs.hosts:
            yield ("host", "slots", share.host), share.tasks * 1000
            for name, amount in share.amounts.items():
                yield ("host", name, share.host), amount
        for name, amount in allocs.shared.items():
            yield ("shared", name), amount
        for limit in self.config.limits:
            keys = self.instance(limit, job)
            if keys is None:
                continue
            if not limit.host_scoped:
                yield ("cluster", limit.name, text(keys)), self.taken(limit, allocs)
                continue
            counted = False
            for share in allocs.hosts:
                if not self.covers(limit, share.host):
                    continue
                instance = text(keys, share.host if limit.per_host is not None else None)
                amount = share.tasks * 1000
                if limit.resource == "jobs":
                    amount = 0 if counted and limit.hosts is not None else 1000
                elif limit.resource != "slots":
                    amount = share.amounts.get(limit.resource, 0)
                counted = True
                yield ("part", limit.name, instance, share.host), amount

    @staticmethod
    def taken(limit: Limit, allocs: Allocation) -> int:
        if limit.resource == "jobs":
            return 1000
        if limit.resource == "slots":
            return sum(share.tasks * 1000 for share in allocs.hosts)
        on_hosts = sum(share.amounts.get(limit.resource, 0) for share in allocs.hosts)
        return on_hosts + allocs.shared.get(limit.resource, 0)

    def instance(self, limit: Limit, job: Job) -> list[str] | None:
        """The keys of the instance that a job meets, None if the limit is not for it."""
        keys = []
        for name, letter in KEYS:
            plain, per = getattr(limit, name + "s"), getattr(limit, "per_" + name)
            who = getattr(job, name)
            for names in (plain, per):
                if names is not None and not listed(names, who, self.config.groups):
                    return None
            if per is not None:
                keys.append(f"{letter}={who}")
        return keys

    def covers(self, limit: Limit, host: str) -> bool:
        names = limit.per_host if limit.hosts is None else limit.hosts
        return listed(names, host, self.config.groups)

    def picked(self) -> list[Job]:
        """Pending jobs of active queues in picking order."""
        jobs = [
            job
            for job in self.jobs.values()
            if job.state == "pend" and self.queues[job.queue].active
        ]
        return sorted(
            jobs,
            key=lambda job: (
                -self.queues[job.queue].priority,
                -job.priority,
                job.queue_time,
                order_key(job.id),
            ),
        )

    def request(self, job: Job) -> Request | None:
        """The parsed requirement, None if it is invalid."""
        request = parsed(job.resreq, self.resources)
        asked = parsed(self.queues[job.queue].resreq, self.resources)
        if request is None or asked is None:
            return None
        if asked.numbered or isinstance(asked.alternatives[0], Compound):
            return None
        if (job.min_tasks, job.max_tasks) != (1, 1):
            for one in request.alternatives:
                if isinstance(one, Compound) and not (job.min_tasks == job.max_tasks == one.count):
                    return None
        return request


@cache
def parsed(written: str, resources: ResourceTable) -> Request | None:
    """What the parser makes of a text, None if it refuses it."""
    try:
        return Language(InternTable()).parse(written, resources)
    except UserError:
        return None


def text(keys: list[str], host: str | None = None) -> str:
    """`u=alice,q=night,h=n03`; without any key `all`."""
    keys = keys if host is None else [*keys, f"h={host}"]
    return ",".join(keys) or "all"
