#!/usr/bin/env python3
"""Makes the bundled replays: a seeded workload, and the binary forms of all.

    scripts/make_replays.py                        replays/workload.* and replays/contention.replay
    scripts/make_replays.py --jobs 100000 --hosts 2000 --seed 7 --output /tmp/large

The workload has what a real cluster has: mixed hosts, job sizes spread evenly over their logarithm,
log-normal run times, a daily cycle of arrivals, limits, licences, memory, arrays, hosts that fail
and come back, and a load that lets jobs wait by day. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from xce_sim.model.clock import SECOND, Micros  # noqa: E402
from xce_sim.model.config import Config, Limit, Queue  # noqa: E402
from xce_sim.model.event import (  # noqa: E402
    ConfigPush,
    Event,
    Header,
    JobNew,
    ResourceDefs,
    SharedPush,
    ValuesUpdate,
    WorkersPush,
    WorkerUpdate,
)
from xce_sim.model.job import ArrayRange, JobSpec  # noqa: E402
from xce_sim.model.resources import ResourceDef  # noqa: E402
from xce_sim.model.units import MILLI  # noqa: E402
from xce_sim.model.worker import Worker  # noqa: E402
from xce_sim.replay.convert import convert  # noqa: E402
from xce_sim.replay.writer import ReplayWriter  # noqa: E402

REPLAYS = ROOT / "replays"
SEED, JOBS, HOSTS = 1, 2000, 40

START = 1_791_158_400
"""Monday 2026-10-05 00:00:00 UTC, seconds since the epoch."""
HOUR, DAY = 3600, 86_400
LOAD = 0.75
"""Slot-seconds asked for over slots times the time in which jobs arrive."""
LARGEST = 64
"""Tasks of the largest job."""
MEDIAN_RUN, SPREAD_OF_RUNS, LONGEST_RUN = 2400, 1.2, 12 * HOUR


@dataclass(frozen=True)
class Kind:
    """A kind of host: how many in forty, slots, memory in GiB, and what it is."""

    share: int
    slots: int
    memory: int
    type: str = "linux"
    gpu: bool = False


KINDS = (Kind(20, 16, 64), Kind(10, 32, 128), Kind(4, 64, 512), Kind(4, 16, 128, gpu=True),
         Kind(2, 8, 32, type="windows"))  # fmt: skip

RESOURCES = (
    ResourceDef(name="mem", consumable=True, unit="MiB"),
    ResourceDef(name="type", type="string"),
    ResourceDef(name="gpu", type="boolean"),
    ResourceDef(name="ut"),
    ResourceDef(name="license", scope="shared", consumable=True),
)
USERS = ("alice", "bob", "carol", "dora", "erik", "frida", "gustav", "hanna")
PROJECTS = ("chip7", "chip8", "verify", "layout")


def main(arguments: list[str]) -> None:
    """Write what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=JOBS, help="array elements count as jobs")
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument(
        "--output", type=Path, default=REPLAYS / "workload", help="path without a suffix"
    )
    chosen = parser.parse_args(arguments)
    made = write(chosen.output, seed=chosen.seed, jobs=chosen.jobs, hosts=chosen.hosts)
    if chosen.output == REPLAYS / "workload":
        made += (write_binary(REPLAYS / "contention.jsonl", REPLAYS),)
    for path in made:
        print(f"{path}: {path.stat().st_size} bytes")


def write(output: Path, *, seed: int, jobs: int, hosts: int) -> tuple[Path, ...]:
    """Write `output`.jsonl and, from it, `output`.replay."""
    text = output.with_name(f"{output.name}.jsonl")
    header = Header(mode="workload", cluster="bundled", producer="make_replays")
    with ReplayWriter(text, header) as writer:
        for event in workload(Random(seed), jobs, hosts):
            writer.write(event)
    return (text, write_binary(text, output.parent))


def write_binary(text: Path, folder: Path) -> Path:
    """Write the binary form of a replay into a folder."""
    binary = folder / f"{text.stem}.replay"
    convert(text, binary)
    return binary


def workload(random: Random, jobs: int, hosts: int) -> Iterator[Event]:
    """All events by time: the cluster, then arrivals with failures between them."""
    workers = machine(hosts)
    slots = sum(worker.slots for worker in workers)
    yield from cluster(random, workers, slots)
    specs = list(job_specs(random, jobs))
    work = sum(size_of(spec) * (spec.run_time or 0) for spec in specs) / SECOND
    span = work / (LOAD * slots)
    times = arrivals(random, len(specs), span)
    arrived: list[Event] = [
        JobNew(t=time, job=spec) for time, spec in zip(times, specs, strict=True)
    ]
    yield from sorted([*arrived, *failures(random, workers, span)], key=lambda event: event.t)


def machine(hosts: int) -> tuple[Worker, ...]:
    """The hosts, kind after kind, each kind with its share."""
    bounds, total = [0], 0
    for kind in KINDS:
        total += kind.share
        bounds.append(round(hosts * total / sum(kind.share for kind in KINDS)))
    width = len(str(hosts))
    workers = []
    for kind, first, last in zip(KINDS, bounds, bounds[1:]):
        for number in range(first + 1, last + 1):
            values: dict[str, int | float | str | bool] = {
                "mem": kind.memory * 1024 * MILLI,
                "type": kind.type,
            }
            if kind.gpu:
                values["gpu"] = True
            name = f"n{number:0{width}d}"
            workers.append(Worker(name=name, slots=kind.slots, values=values))
    return tuple(workers)


def cluster(random: Random, workers: tuple[Worker, ...], slots: int) -> Iterator[Event]:
    """Configuration, resources and hosts."""
    t = START * SECOND
    gpu_hosts = tuple(worker.name for worker in workers if worker.values.get("gpu"))
    queues = (
        Queue(name="short", priority=70, resreq="type==linux"),
        Queue(name="gpu", priority=60, hosts=gpu_hosts),
        Queue(name="normal", priority=50, resreq="type==linux"),
        Queue(name="night", priority=20, resreq="type==linux order[mem]"),
        Queue(name="any", priority=30),
    )
    limits = (
        limit("user_slots", "slots", slots * 4 // 10, per_user=("all", "~hanna")),
        limit("chip_slots", "slots", slots * 6 // 10, projects=("chips",)),
        limit("night_jobs", "jobs", max(len(workers), 1), queues=("night",)),
        limit("gpu_jobs", "jobs", 4, per_host=gpu_hosts or ("all",), queues=("gpu",)),
        limit("user_license", "license", 30, per_user=("all",)),
    )
    groups = {"chips": ("chip7", "chip8")}
    yield ConfigPush(t=t, config=Config(queues=queues, limits=limits, groups=groups))
    yield ResourceDefs(t=t, defs=RESOURCES)
    yield SharedPush(t=t, values={"license": max(len(workers) * 2, 4) * MILLI})
    for first in range(0, len(workers), 1000):
        yield WorkersPush(t=t, workers=workers[first : first + 1000])
    for worker in workers[:: max(len(workers) // 8, 1)]:
        values = {"ut": round(random.random(), 2)}
        yield ValuesUpdate(t=t, host=worker.name, values=values)


def limit(name: str, resource: str, value: int, **lists: tuple[str, ...]) -> Limit:
    """A limit of so many."""
    return Limit(name=name, resource=resource, value=value * MILLI, **lists)


def job_specs(random: Random, jobs: int) -> Iterator[JobSpec]:
    """Jobs and arrays, so many elements in all, without times."""
    left, number = jobs, 100
    while left:
        number += 1
        spec = job_spec(random, number, left)
        left -= len(spec.array.indices()) if spec.array else 1
        yield spec


def job_spec(random: Random, number: int, left: int) -> JobSpec:
    """One job or array of at most so many elements."""
    array = None
    if random.random() < 0.01:
        array = ArrayRange(first=1, last=min(random.randrange(5, 41), left))
    tasks = 1 if array else round(math.exp(random.random() * math.log(LARGEST)))
    queue = random.choices(("normal", "short", "night", "gpu", "any"), (55, 15, 15, 8, 7))[0]
    run = math.exp(random.gauss(math.log(MEDIAN_RUN), SPREAD_OF_RUNS))
    if queue == "short":
        run /= 8
    if queue == "gpu":
        tasks = min(tasks, 16)
    resreq, least = requirement(random, queue, tasks)
    return JobSpec(
        id=number,
        user=random.choices(USERS, range(len(USERS), 0, -1))[0],
        queue=queue,
        project=random.choice(PROJECTS),
        priority=10 if random.random() < 0.03 else 0,
        resreq=resreq,
        min_tasks=least,
        max_tasks=tasks if tasks > least else None,
        run_time=max(1, min(round(run), LONGEST_RUN)) * SECOND,
        array=array,
    )


def requirement(random: Random, queue: str, tasks: int) -> tuple[str, int]:
    """A requirement for so many tasks, and the fewest tasks that do."""
    if queue == "gpu":
        return f"gpu rusage[mem={memory(random, 2)}/task] span[hosts=1]", tasks
    if queue == "any":
        return random.choice(("", "type==any", "ut<0.9")), tasks
    dice = random.random()
    if dice < 0.004:
        return f"rusage[mem={memory(random, 700)}]", tasks
    if dice < 0.30:
        return f"rusage[mem={memory(random, 2)}/task]", tasks
    if dice < 0.50:
        return f"rusage[mem={memory(random, 24)}] span[ptile={min(tasks, 8)}]", tasks
    if dice < 0.58 and tasks <= 16:
        return f"rusage[mem={memory(random, 3)}/task] span[hosts=1]", tasks
    if dice < 0.64:
        return f"rusage[mem={memory(random, 8)}:license={random.randrange(1, 5)}]", tasks
    if dice < 0.67:
        return f"{{gpu rusage[mem={memory(random, 4)}]}} || {{select[mem>100000]}}", tasks
    if dice < 0.69 and tasks > 1:
        head = f"1*{{select[mem>=131072] rusage[mem={memory(random, 16)}]}}"
        return f"{head} + {tasks - 1}*{{rusage[mem=512/task]}}", tasks
    if dice < 0.76:
        return "select[ut<0.95] order[ut:slots]", max(1, tasks // 2)
    return "", tasks


def memory(random: Random, middle: int) -> int:
    """An amount of memory around so many GiB, in MiB."""
    return max(64, round(middle * 1024 * math.exp(random.gauss(0, 0.5)) / 64) * 64)


def size_of(spec: JobSpec) -> int:
    """The most tasks of a job, of all elements together."""
    elements = 1 if spec.array is None else len(spec.array.indices())
    return elements * (spec.max_tasks or spec.min_tasks)


def arrivals(random: Random, count: int, span: float) -> list[Micros]:
    """Sorted whole seconds within the span: most in the middle of the day, few at night."""
    times: list[Micros] = []
    while len(times) < count:
        moment = random.random() * span
        busy = 0.5 - 0.45 * math.cos(2 * math.pi * moment / DAY)
        if random.random() < busy:
            times.append((START + math.floor(moment)) * SECOND)
    return sorted(times)


def failures(random: Random, workers: tuple[Worker, ...], span: float) -> Iterator[Event]:
    """Now and then a host is lost for a while and comes back, or is closed for a night."""
    for worker in random.sample(workers, max(len(workers) // 10, 1)):
        gone = START + math.floor(random.random() * span * 0.8)
        back = gone + random.randrange(HOUR // 4, 3 * HOUR)
        yield WorkerUpdate(t=gone * SECOND, name=worker.name, status="unavail")
        yield WorkerUpdate(t=back * SECOND, name=worker.name, status="reconciling")
        yield WorkerUpdate(t=(back + 30) * SECOND, name=worker.name, status="ok")
    for worker in random.sample(workers, max(len(workers) // 20, 1)):
        closed = START + 18 * HOUR + math.floor(random.random() * HOUR)
        yield WorkerUpdate(t=closed * SECOND, name=worker.name, status="closed")
        yield WorkerUpdate(t=(closed + 12 * HOUR) * SECOND, name=worker.name, status="ok")


if __name__ == "__main__":
    main(sys.argv[1:])
