"""P6: what the trace costs: off beside hooks removed, every job at level summary, at level full.

A round of 1,000 hosts and many classes that mostly pend, decided by one core and by a copy of it
without hooks; and what 10,000 traced decisions of 1,000 hosts keep of memory.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.benchmarks import hookless
from scripts.benchmarks.measuring import Row
from xce_sim.core.core import Core
from xce_sim.model import event as ev
from xce_sim.model.config import Config, Limit, Queue
from xce_sim.model.decision import Dispatch, Pend, PendRun
from xce_sim.model.job import JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.settings import TraceSettings
from xce_sim.trace.store import TraceStore

HOSTS, JOBS, CLASSES, ROUNDS, TIMES = 1_000, 200, 50, 2, 5
STORED, MEBIBYTE = 10_000, 1 << 20
SUMMARY = TraceSettings(on=True, all=True)
FULL = TraceSettings(on=True, all=True, level="full")


def run() -> list[Row]:
    """All rows of this part."""
    with tempfile.TemporaryDirectory() as folder:
        bare = hookless.load(Path(folder))
        makers: dict[str, tuple[Callable[[], Any], TraceSettings | None]] = {
            "hooks removed": (bare.Core, None),
            "off": (Core, None),
            "all summary": (Core, SUMMARY),
            "all full": (Core, FULL),
        }
        times: dict[str, list[float]] = {name: [] for name in makers}
        for _ in range(TIMES):
            for name, (make, settings) in makers.items():
                times[name].append(seconds(make(), settings))
    least = {name: min(found) for name, found in times.items()}
    rows: list[Row] = [("P6 tracing off", least["off"], "s")]
    rows.append(("P6 off, over hooks removed", least["off"] / least["hooks removed"], "x"))
    rows += [
        (f"P6 {name}, over off", least[name] / least["off"], "x")
        for name in ("all summary", "all full")
    ]
    return rows + memory()


def cluster(core: Any) -> Any:
    """Hosts of four kinds, a limit for each user, and jobs that fill a part and leave the rest."""
    core.apply(
        ev.ConfigPush(
            t=0,
            config=Config(
                queues=(Queue(name="normal"),),
                limits=(Limit(name="user", resource="slots", value=2_000_000, per_user=("all",)),),
            ),
        )
    )
    defs = (
        ResourceDef(name="mem", consumable=True, unit="MiB"),
        ResourceDef(name="type", type="string"),
    )
    core.apply(ev.ResourceDefs(t=0, defs=defs))
    workers = (
        Worker(
            name=f"n{host:04}",
            slots=16,
            values={
                "mem": 1_000_000 * (16 << host % 4),
                "type": "linux" if host % 3 else "windows",
            },
        )
        for host in range(HOSTS)
    )
    core.apply(ev.WorkersPush(t=0, workers=tuple(workers)))
    return core


def seconds(core: Any, settings: TraceSettings | None) -> float:
    """Processor time of some rounds with new jobs, all that is decided looked at."""
    cluster(core)
    began = time.process_time()
    for number in range(1, ROUNDS + 1):
        submit(core, number)
        if settings is not None:
            core.trace = Recorder(settings)
        decide(core, number, TraceStore())
    return time.process_time() - began


def submit(core: Any, number: int) -> None:
    """New jobs of as many requirements; most ask for more than is free."""
    for job in range(JOBS):
        kind = job % CLASSES
        wanted = f"type==linux rusage[mem={60_000 + 1_000 * kind}]"
        tasks = 4 + kind % 8
        spec = JobSpec(
            id=number * JOBS + job,
            user=f"u{kind % 5}",
            queue="normal",
            resreq=wanted,
            min_tasks=tasks,
        )
        core.apply(ev.JobNew(t=0, job=spec))


def decide(core: Any, number: int, store: TraceStore) -> int:
    """Pull all decisions of a round; every record goes to the store."""
    decided = 0
    for decision in core.session(number):
        if isinstance(decision, Pend | PendRun):
            assert decision.reasons.main
            decided += len(decision.jobs) if isinstance(decision, PendRun) else 1
        decided += isinstance(decision, Dispatch)
        if core.trace is not None:
            store.put(core.trace.finish())
    return decided


def memory() -> list[Row]:
    """What 10,000 traced decisions take, each in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        none, _ = pool.apply(keep, (None,))
        rows: list[Row] = []
        for name, settings in (("summary", SUMMARY), ("full", FULL)):
            most, stored = pool.apply(keep, (settings,))
            rows.append((f"P6 10,000 decisions, {name}: store", stored / MEBIBYTE, "MiB"))
            rows.append((f"P6 10,000 decisions, {name}: process more", most - none, "MiB"))
    return rows


def keep(settings: TraceSettings | None) -> tuple[float, int]:
    """Peak memory of the process in MiB and bytes stored, after 10,000 decisions."""
    core, store, decided, number = cluster(Core()), TraceStore(), 0, 0
    while decided < STORED:
        number += 1
        submit(core, number)
        if settings is not None:
            core.trace = Recorder(settings)
        decided += decide(core, number, store)
    return peak(), store.nbytes


def peak() -> float:
    """Peak memory of this process alone in MiB; what its parent had does not count."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
