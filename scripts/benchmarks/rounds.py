"""P2: one round with 10,000 pending jobs in 100 classes on 10,000 hosts.

All fail; again with nothing changed; 10,000 one-task jobs are placed. Each beside a plain Python
loop over hosts that does the least such a loop must do, measured on a part of the jobs and scaled.
"""

from __future__ import annotations

import time

from scripts.benchmarks.measuring import Row
from xce_sim.core.core import Core
from xce_sim.model import event as ev
from xce_sim.model.config import Config, Queue
from xce_sim.model.decision import Dispatch, Pend, PendRun
from xce_sim.model.job import Allocation, HostShare, JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker

HOSTS, JOBS, CLASSES, SAMPLE, TIMES = 10_000, 10_000, 100, 20, 5


def run() -> list[Row]:
    """All rows of this part."""
    fails, again, places = [], [], []
    for _ in range(TIMES):
        core = cluster()
        submit(core, lambda number: f"rusage[mem={70_000 + number % CLASSES}]")
        fails.append(timed_round(core, 1, dispatched=0))
        again.append(timed_round(core, 2, dispatched=0))
        core = cluster(full=HOSTS // 2)
        submit(core, lambda number: f"rusage[mem={1 + number % CLASSES}]")
        places.append(timed_round(core, 1, dispatched=JOBS))
    rows = [middle(fails), middle(again), middle(places)]
    loop_fail, loop_place = loop(fail=True), loop(fail=False)
    return [
        ("P2 all 10,000 fail", rows[0], "s"),
        ("P2 all fail: times as fast as a loop over hosts", loop_fail / rows[0], "x"),
        ("P2 again, nothing changed", rows[1], "s"),
        ("P2 10,000 one-task jobs placed", rows[2], "s"),
        ("P2 placed: times as fast as a loop over hosts", loop_place / rows[2], "x"),
    ]


def middle(values: list[float]) -> float:
    """The median."""
    return sorted(values)[len(values) // 2]


def cluster(*, full: int = 0) -> Core:
    """10,000 hosts with 16 slots and 64 GiB, the first of them full."""
    core = Core()
    core.apply(ev.ConfigPush(t=0, config=Config(queues=(Queue(name="normal"),))))
    core.apply(ev.ResourceDefs(t=0, defs=(ResourceDef(name="mem", consumable=True, unit="MiB"),)))
    workers = (
        Worker(name=f"n{host:05}", slots=16, values={"mem": 65_536_000}) for host in range(HOSTS)
    )
    core.apply(ev.WorkersPush(t=0, workers=tuple(workers)))
    if full:
        shares = tuple(HostShare(host=f"n{host:05}", tasks=16) for host in range(full))
        running = JobSpec(
            id=JOBS + 1,
            queue="normal",
            min_tasks=16 * full,
            state="run",
            start_time=0,
            allocs=Allocation(hosts=shares),
            reported=True,
        )
        core.apply(ev.JobsPush(t=0, jobs=(running,)))
    return core


def submit(core: Core, requirement: object) -> None:
    """10,000 jobs whose requirements make 100 classes."""
    for number in range(1, JOBS + 1):
        text = requirement(number)  # type: ignore[operator]
        job = JobSpec(id=number, user="u", queue="normal", resreq=text)
        core.apply(ev.JobNew(t=0, job=job))


def timed_round(core: Core, number: int, *, dispatched: int) -> float:
    """Seconds for all decisions of a round, with every main reason looked at."""
    began = time.perf_counter()
    count = pending = 0
    for decision in core.session(number):
        if isinstance(decision, Dispatch):
            count += not decision.reconstructed
        elif isinstance(decision, PendRun | Pend):
            pending += len(decision.jobs) if isinstance(decision, PendRun) else 1
            assert decision.reasons.main
    seconds = time.perf_counter() - began
    assert (count, pending) == (dispatched, JOBS - dispatched)
    return seconds


def loop(*, fail: bool) -> float:
    """Seconds that a plain loop over host objects needs for all jobs, from a sample of them."""
    hosts = [{"slots": 16, "mem": 65_536, "used_slots": 0, "used_mem": 0} for _ in range(HOSTS)]
    for host in hosts[: HOSTS // 2]:
        host["used_slots"] = 0 if fail else 16
    began = time.perf_counter()
    for number in range(SAMPLE):
        wanted = 70_000 + number if fail else 1 + number
        short = []
        for index, host in enumerate(hosts):
            if host["slots"] - host["used_slots"] < 1 or host["mem"] - host["used_mem"] < wanted:
                short.append(index)
                continue
            host["used_slots"] += 1
            host["used_mem"] += wanted
            break
    return (time.perf_counter() - began) * JOBS / SAMPLE
