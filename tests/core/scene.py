"""Scenes for the core: hosts, limits and jobs in short words; rounds as readable lines.

    scene = Scene(host("n1", 4, mem=8), host("n2", 2))
    scene.submit(job(1, "rusage[mem=6]"), job(2, "rusage[mem=6]"))
    scene.round()

gives

    dispatch 1  n1:1(mem=6)
    pend 2  HOST_RESOURCE
      HOST_RESOURCE mem: n1 n2

Times are seconds, amounts plain numbers. Unless told otherwise there are one queue `normal`, the
host consumable `mem` (MiB), `type`, `gpu`, `ut`, and the shared consumable `lic`. Every scene is
played twice, untraced and with everything traced at level full; both must say the same, and the
accounts are compared with their definition at the start of every round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from xce_sim.core.core import Core
from xce_sim.model import event as ev
from xce_sim.model.clock import SECOND
from xce_sim.model.config import Config, Limit, Params, Queue
from xce_sim.model.decision import Decision, Dispatch, NoDecision, Pend, PendRun
from xce_sim.model.ids import JobId, format_id
from xce_sim.model.job import Allocation, ArrayRange, HostShare, JobSpec
from xce_sim.model.reasons import ReasonEntry, Reasons
from xce_sim.model.resources import ResourceDef, Value
from xce_sim.model.units import format_milli, parse_milli
from xce_sim.model.worker import FrozenAccounts, Worker
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.settings import TraceSettings

MEM = ResourceDef(name="mem", consumable=True, unit="MiB")
LIC = ResourceDef(name="lic", scope="shared", consumable=True)
RESOURCES = (
    MEM,
    LIC,
    ResourceDef(name="type", type="string"),
    ResourceDef(name="gpu", type="boolean"),
    ResourceDef(name="ut"),
)
EVERYTHING = TraceSettings(on=True, all=True, level="full")


def milli(number: float | str) -> int:
    return parse_milli(Decimal(str(number)))


def host(
    name: str, slots: int, status: Any = "ok", frozen: FrozenAccounts | None = None, **values: Any
) -> Worker:
    """A host; numbers are amounts where whole, and plain numbers where written as floats."""
    made: dict[str, Value] = {
        key: value if isinstance(value, bool | str | float) else milli(value)
        for key, value in values.items()
    }
    return Worker(name=name, slots=slots, status=status, values=made, frozen=frozen)


def hosts(count: int, slots: int, **values: Any) -> tuple[Worker, ...]:
    """n1, n2, ... alike."""
    return tuple(host(f"n{number}", slots, **values) for number in range(1, count + 1))


def queue(name: str = "normal", **more: Any) -> Queue:
    return Queue(name=name, **more)


def limit(name: str, resource: str, value: float, **lists: str) -> Limit:
    """A limit; lists are words with blanks between them."""
    given = {key: tuple(words.split()) for key, words in lists.items()}
    return Limit(name=name, resource=resource, value=milli(value), **given)


def job(id: int, resreq: str = "", tasks: int = 1, most: int | None = None, **more: Any) -> JobSpec:
    """A job of alice in queue normal; `run` seconds, `array` (first, last), `queued` seconds."""
    if "run" in more:
        more["run_time"] = round(more.pop("run") * SECOND)
    if "queued" in more:
        more["queue_time"] = round(more.pop("queued") * SECOND)
    if "array" in more:
        first, last, *step = more.pop("array")
        more["array"] = ArrayRange(first=first, last=last, step=step[0] if step else 1)
    fields = {"user": "alice", "queue": "normal", **more}
    return JobSpec(id=id, resreq=resreq, min_tasks=tasks, max_tasks=most, **fields)


def takes(text: str, **shared: float) -> Allocation:
    """An allocation: `n1:2 n2:1(mem=4)` and shared amounts."""
    shares = []
    for word in text.split():
        name, _, rest = word.partition(":")
        tasks, _, amounts = rest.rstrip(")").partition("(")
        pairs = [pair.split("=") for pair in amounts.split(",") if pair]
        held = {key: milli(value) for key, value in pairs}
        shares.append(HostShare(host=name, tasks=int(tasks), amounts=held))
    return Allocation(
        hosts=tuple(shares), shared={name: milli(value) for name, value in shared.items()}
    )


def running(id: int, where: Allocation, start: float = 0, **more: Any) -> JobSpec:
    """A job that the controller says is running."""
    state = more.pop("state", "run")
    return job(id, allocs=where, state=state, start_time=round(start * SECOND), **more)


class Scene:
    """Two cores with the same history: one untraced, one with everything traced."""

    def __init__(
        self,
        *workers: Worker,
        queues: Iterable[Queue] = (Queue(name="normal"),),
        limits: Iterable[Limit] = (),
        resources: Iterable[ResourceDef] = RESOURCES,
        shared: dict[str, float] | None = None,
        groups: dict[str, tuple[str, ...]] | None = None,
        policy: str = "builtin_fcfs",
        spread: Any = "even",
    ) -> None:
        self.core = Core(check=True)
        self._traced = Core(check=True)
        self.now = 0
        self._number = 0
        config = Config(
            queues=tuple(queues),
            limits=tuple(limits),
            groups=groups or {},
            params=Params(policy=policy, spread=spread),
        )
        self.apply(
            ev.ResourceDefs(t=0, defs=tuple(resources)),
            ev.ConfigPush(t=0, config=config),
            ev.SharedPush(t=0, values={k: milli(v) for k, v in (shared or {}).items()}),
            ev.WorkersPush(t=0, workers=workers),
        )

    def apply(self, *events: ev.Increment) -> None:
        """Apply events to both cores."""
        for event in events:
            self.core.apply(event)
            self._traced.apply(event)

    def at(self, seconds: float) -> Scene:
        """Move the clock."""
        self.now = round(seconds * SECOND)
        self.core.advance(self.now)
        self._traced.advance(self.now)
        return self

    def submit(self, *jobs: JobSpec) -> None:
        self.apply(*(ev.JobNew(t=self.now, job=spec) for spec in jobs))

    def push(self, *jobs: JobSpec) -> None:
        """The controller pushes jobs with their state."""
        self.apply(ev.JobsPush(t=self.now, jobs=jobs))

    def update(self, id: JobId, **changes: Any) -> None:
        spec = JobSpec(id=id, **changes)
        self.apply(ev.JobUpdate(t=self.now, job=spec, changed=frozenset(changes)))

    def remove(self, id: JobId) -> None:
        self.apply(ev.JobRemove(t=self.now, id=id))

    def end(self, *jobs: JobId) -> None:
        for id in jobs:
            self.core.end_job(id)
            self._traced.end_job(id)

    def status(self, name: str, status: Any) -> None:
        self.apply(ev.WorkerUpdate(t=self.now, name=name, status=status))

    def slots(self, name: str, slots: int) -> None:
        self.apply(ev.WorkerUpdate(t=self.now, name=name, slots=slots))

    def values(self, name: str, **values: Any) -> None:
        self.apply(ev.ValuesUpdate(t=self.now, host=name, values=host(name, 0, **values).values))

    def queue(self, name: str = "normal", **changes: Any) -> None:
        self.apply(ev.QueueUpdate(t=self.now, name=name, **changes))

    def round(self) -> str:
        """Run one round in both cores; the decisions as lines."""
        self._number += 1
        text = "".join(map(told, self.core.session(self._number)))
        recorder = self._traced.trace = Recorder(EVERYTHING)
        traced = ""
        for decision in self._traced.session(self._number):
            traced += told(decision)
            record = recorder.finish() if not isinstance(decision, PendRun) else None
            assert record is not None, f"no trace of {decision}"
        assert traced == text, "traced and untraced rounds differ"
        return text

    def jobs(self) -> str:
        """All jobs with their states: `1 run, 2 pend`."""
        found = self.core.state.jobs.values()
        return ", ".join(f"{each} {each.state}" for each in sorted(found, key=lambda j: j.id))

    def in_use(self) -> str:
        """What is in use, account by account: `n1: mem=6 slots=1; lim u=alice: 1; lic: 1`."""
        ledger, names = self.core.state.ledger, self.core.state.columns.names
        parts = []
        for index, name in enumerate(names):
            held = [
                f"{usage.account.name}={format_milli(int(usage.in_use[index]))}"
                for usage in sorted(ledger.resources.values(), key=lambda u: u.account.name)
                if usage.in_use[index]
            ]
            held += [
                f"{usage.account.name}({usage.account.instance or 'h'})="
                f"{format_milli(int(usage.in_use[index]))}"
                for usage in ledger.host_limits.values()
                if usage.in_use[index]
            ]
            if held:
                parts.append(f"{name}: {' '.join(held)}")
        for total in (*ledger.shared.values(), *ledger.cluster_limits.values()):
            if total.in_use:
                account = total.account
                name = f"{account.name}({account.instance})" if account.instance else account.name
                parts.append(f"{name}: {format_milli(total.in_use)}")
        return "; ".join(parts)


def told(decision: Decision) -> str:
    """A decision as lines."""
    if isinstance(decision, PendRun):
        return "".join(map(told, decision))
    if isinstance(decision, Pend):
        lines = [f"pend {format_id(decision.job)}  {decision.reasons.main}"]
        lines += reason_lines(decision.reasons)
        return "".join(f"{line}\n" for line in lines)
    if isinstance(decision, NoDecision):
        return f"no decision {format_id(decision.job)}  {decision.kind}: {decision.cause}\n"
    assert isinstance(decision, Dispatch)
    note = "reconstructed " if decision.reconstructed else ""
    return f"{note}dispatch {format_id(decision.job)}  {where(decision.allocation)}\n"


def where(allocation: Allocation) -> str:
    """`n1:2(mem=4) n2:1 lic=1`."""
    words = []
    for share in allocation.hosts:
        held = ",".join(f"{name}={format_milli(value)}" for name, value in share.amounts.items())
        words.append(f"{share.host}:{share.tasks}" + (f"({held})" if held else ""))
    words += [f"{name}={format_milli(value)}" for name, value in allocation.shared.items()]
    return " ".join(words)


def reason_lines(reasons: Reasons) -> Iterator[str]:
    """Every entry on a line of its own, its hosts at the end."""
    for entry in reasons.entries:
        yield f"  {_entry(entry, reasons.host_names)}"


def _entry(entry: ReasonEntry, names: Any) -> str:
    words = [str(entry.code), *filter(None, (entry.resource, entry.limit, entry.clause))]
    if entry.per_host:
        words.append("per host")
    if entry.alternative is not None:
        words.append(f"alternative {entry.alternative}")
    text = " ".join(words)
    if entry.hosts is None:
        return text
    return f"{text}: {' '.join(names[index] for index in entry.hosts)}"


def lines(*each: str) -> str:
    """The text that has these lines."""
    return "".join(f"{line}\n" for line in each)
