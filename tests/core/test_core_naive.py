"""The core decides as the naive allocator does: same dispatches, same reasons, job by job.

Small random clusters under contention, several rounds each, with ends, status and value changes
between them. Accounts are compared with their definition at the start of every round.
"""

from __future__ import annotations

import random

import pytest
from core.naive import Running, Wanted, World, attempt

from xce_sim.core.core import Core
from xce_sim.model import event as ev
from xce_sim.model.config import Config, Limit, Params, Queue
from xce_sim.model.decision import Dispatch, NoDecision, Pend, PendRun
from xce_sim.model.ids import JobSelector, order_key
from xce_sim.model.job import JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker
from xce_sim.resreq.format import format_node
from xce_sim.resreq.request import primaries
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.settings import TraceSettings

DEFS = (
    ResourceDef(name="mem", consumable=True, unit="MiB"),
    ResourceDef(name="tmp", consumable=True),
    ResourceDef(name="lic", consumable=True, scope="shared"),
    ResourceDef(name="type", type="string"),
    ResourceDef(name="gpu", type="boolean"),
    ResourceDef(name="ut", type="numeric"),
)
SELECTS = (
    "",
    "",
    "type==linux",
    "gpu",
    "!gpu && mem>4",
    "mem/ut > 2",
    "type!=linux || gpu",
    "ut<0.5",
)
CLAUSES = (
    "", "", "rusage[mem=2]", "rusage[mem=1/task]", "rusage[mem=3/job]", "rusage[lic=1]",
    "rusage[lic=1/task:mem=1]", "rusage[lic=1/host:tmp=0.5/task]", "rusage[mem=2:tmp=1/job]",
)  # fmt: skip
SPANS = ("", "", "", "span[hosts=1]", "span[ptile=2]", "span[ptile=3]")
ORDERS = ("", "", "", "order[mem]", "order[-mem:ut]", "order[ut]", "order[slots:gpu]")
SAMES = ("", "", "", "", "same[type]", "same[type:gpu]")


FOUND = (2464, 2679, 4246, 5086)
"""Seeds that once found a difference (where a fill plan's later positions go with `/job`)."""


class Chance(random.Random):
    """What a random cluster and its jobs are made of."""

    def some(self, items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.sample(items, self.randint(1, len(items))))

    def primary(self, *, declined: bool = True) -> str:
        parts = [self.choice(each) for each in (SELECTS, CLAUSES, SPANS, ORDERS, SAMES)]
        if declined and self.random() < 0.03:
            parts.append("cu[type=rack]")
        return " ".join(part for part in parts if part)

    def requirement(self) -> tuple[str, int]:
        """A text, and the sum of its compound (0 without one)."""
        form = self.random()
        if form < 0.6:
            return self.primary(), 0
        if form < 0.8:
            counts = [self.randint(1, 3) for _ in range(self.randint(1, 3))]
            members = " + ".join(f"{n}*{{{self.braced()}}}" for n in counts)
            return members, sum(counts)
        return " || ".join(f"{{{self.braced()}}}" for _ in range(self.randint(2, 3))), 0

    def braced(self) -> str:
        text = self.primary()
        return text or "type==any"

    def limit(self, number: int) -> Limit:
        resource = self.choice(("slots", "slots", "jobs", "mem", "lic", "tmp"))
        keys: dict[str, tuple[str, ...]] = {}
        lists = {
            "user": (("all",), ("u1",), ("u1", "u2"), ("~u1",), ("team",), ("all", "~u2")),
            "queue": (("all",), ("q1",), ("~q1",)),
            "project": (("all",), ("p1",)),
        }
        for key, choices in lists.items():
            form = self.random()
            if form < 0.5:
                name = f"per_{key}" if form < 0.25 else f"{key}s"
                keys[name] = self.choice(choices)
        if resource != "lic" and self.random() < 0.5:
            hosts = self.choice((("all",), ("n1", "n2"), ("~n1",), ("n3",)))
            keys[self.choice(("hosts", "per_host"))] = hosts
        value = self.choice((0, 1, 2, 3, 4, 6, 8)) * 1000
        return Limit(name=f"lim{number}", resource=resource, value=value, **keys)

    def worker(self, number: int) -> Worker:
        values: dict[str, int | float | str | bool] = {"mem": self.randint(0, 12) * 1000}
        others = {
            "tmp": self.randint(0, 6) * 500,
            "type": self.choice(("linux", "windows")),
            "gpu": self.random() < 0.5,
            "ut": self.choice((0.0, 0.25, 0.5, 0.75)),
        }
        values |= {name: value for name, value in others.items() if self.random() < 0.8}
        status = self.choice(("ok",) * 8 + ("closed", "unavail"))
        return Worker(name=f"n{number}", slots=self.randint(0, 5), status=status, values=values)

    def job(self, number: int) -> JobSpec:
        text, count = self.requirement()
        low = self.choice((1, 1, 1, 2, 3, 4, 6, 9))
        high = low + self.choice((0, 0, 0, 1, 4))
        if count:
            low = high = self.choice((1, count))
        return JobSpec(
            id=number,
            user=self.choice(("u1", "u2", "u3")),
            queue=self.choice(("q1", "q2")),
            project=self.choice(("p1", "p2", "")),
            priority=self.choice((0, 0, 1)),
            resreq=text,
            min_tasks=low,
            max_tasks=high,
            hosts=self.choice((None, None, None, ("n1", "n3", "n9"))),
        )


class Both:
    """The core and the naive allocator on the same cluster."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = Chance(seed)
        self.config = Config(
            queues=(
                Queue(name="q1", priority=chance.randint(0, 2)),
                Queue(name="q2", priority=1, hosts=chance.choice((None, ("n1", "n2", "n4")))),
            ),
            limits=tuple(chance.limit(number) for number in range(chance.randint(0, 4))),
            groups={"team": ("u1", "u3")},
            params=Params(spread=chance.choice(("even", "even", "fill"))),
        )
        self.core = Core(check=True)
        self.apply(ev.ConfigPush(t=0, config=self.config))
        self.apply(ev.ResourceDefs(t=0, defs=DEFS))
        self.apply(ev.SharedPush(t=0, values={"lic": chance.randint(0, 5) * 1000}))
        workers = tuple(chance.worker(n) for n in range(1, chance.randint(1, 6) + 1))
        self.apply(ev.WorkersPush(t=0, workers=workers))
        state = self.core.state
        self.world = World(self.config, state.resources, state.columns, {})
        self.running: dict[int, Running] = {}
        self.specs: dict[int, JobSpec] = {}

    def apply(self, event: ev.Increment) -> None:
        self.core.apply(event)

    def arrive(self, count: int) -> None:
        for _ in range(count):
            spec = self.chance.job(len(self.specs) + 1)
            self.specs[spec.id] = spec
            self.apply(ev.JobNew(t=self.core.state.now, job=spec))

    def change(self) -> None:
        """Some running jobs end, some host changes."""
        for job in self.chance.sample(sorted(self.running), len(self.running) // 2):
            self.core.end_job(job)
            del self.running[job]
        name = self.chance.choice(self.core.state.columns.names)
        if self.chance.random() < 0.4 and not self.frozen():
            status = self.chance.choice(("ok", "ok", "closed"))
            self.apply(ev.WorkerUpdate(t=0, name=name, status=status))
        if self.chance.random() < 0.4:
            amount = self.chance.randint(0, 12) * 1000
            self.apply(ev.ValuesUpdate(t=0, host=name, values={"mem": amount}))

    def frozen(self) -> bool:
        return self.core.state.frozen() is not None

    def expected(self, job: int) -> tuple:
        spec, state = self.specs[job], self.core.state
        queue = next(q for q in self.config.queues if q.name == spec.queue)
        request = state.language.parse_in_queue(spec.resreq, queue.resreq, state.resources)
        selects = {
            id(each): None if each.select is None else format_node(each.select, state.resources)
            for each in primaries(request)
        }
        wanted = Wanted(
            spec.user, spec.queue, spec.project, spec.hosts, spec.min_tasks, spec.max_tasks or 1
        )
        self.world.running = list(self.running.values())
        return attempt(self.world, wanted, request, selects)

    def round(self, number: int) -> int:
        """Compare a round decision by decision; how many were compared."""
        waiting = [job for job in self.core.state.waiting if job in self.specs]
        priority = {queue.name: queue.priority for queue in self.config.queues}
        times = {job: self.core.state.jobs[job].queue_time for job in waiting}
        waiting.sort(
            key=lambda job: (
                -priority[self.specs[job].queue],
                -self.specs[job].priority,
                times[job],
                order_key(job),
            )
        )
        decided = 0
        for decision in self.core.session(number):
            for each in decision if isinstance(decision, PendRun) else (decision,):
                assert each.job == waiting[decided]
                self.compare(each, self.expected(each.job))
                decided += 1
        assert decided == len(waiting)
        return decided

    def compare(self, decision: Dispatch | Pend | NoDecision, expected: tuple) -> None:
        spec = self.specs[decision.job]
        if isinstance(decision, Dispatch):
            got = {
                share.host: (share.tasks, dict(share.amounts))
                for share in decision.allocation.hosts
            }
            shared = dict(decision.allocation.shared)
            mine = ("dispatch", list(got.items()), shared)
            naive = (expected[0], list(expected[1].items()), expected[2])
            assert mine == naive, (spec, mine, naive)
            self.running[spec.id] = Running(spec.user, spec.queue, spec.project, got, shared)
            return
        assert isinstance(decision, Pend), (spec, decision)
        got = ("pend", str(decision.reasons.main), entries(decision))
        assert got == expected, (spec, got, expected)


def entries(pend: Pend) -> frozenset:
    """Entries one by one, with complete limit instances."""
    names = pend.reasons.host_names
    found = []
    for entry in pend.reasons.entries:
        for host in [None] if entry.hosts is None else [names[index] for index in entry.hosts]:
            limit = entry.limit if host is None else entry.limit_on(host)
            what = entry.resource if limit is None else limit
            found.append((str(entry.code), host, what, entry.clause, entry.alternative))
    assert len(found) == len(set(found)), "each distinct entry once"
    return frozenset(found)


@pytest.mark.parametrize("seed", [*range(120), *FOUND])
@pytest.mark.parametrize("traced", [False, True])
def test_the_core_decides_as_the_naive_allocator(seed: int, traced: bool) -> None:
    both = Both(seed)
    decided = 0
    for number in range(1, 4):
        both.core.advance(number * 1_000_000)
        both.arrive(both.chance.randint(1, 8))
        if traced:
            settings = TraceSettings(
                on=True, selectors=(JobSelector(2), JobSelector(3)), level="full"
            )
            both.core.trace = Recorder(settings)
        decided += both.round(number)
        both.change()
    assert decided
