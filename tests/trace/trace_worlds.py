"""Small generated workloads with everything that a round can meet, and what comes of playing one.

A world follows from its number alone. Hosts are few and busy, so that most jobs pend in some
round, plans fail at later positions, limits are met and alternatives matter.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sittings import config, write_replay

from xce_sim.commands.playing import Player
from xce_sim.core.core import Core
from xce_sim.core.state import State
from xce_sim.model.decision import Decision, Dispatch, NoDecision, PendRun
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.happening import Decided
from xce_sim.sim.stops import Stops
from xce_sim.trace.control import TraceControl
from xce_sim.trace.records import TraceRecord
from xce_sim.trace.settings import TraceSettings

ROUNDS = 200
"""How many rounds are played of a long replay."""

USERS = ("alice", "bob", "carol")
QUEUES = ("normal", "night", "gpu")
PROJECTS = ("", "chip7", "chip8")
RESOURCES = [
    {"name": "mem", "consumable": True, "unit": "MiB"},
    {"name": "tmp", "consumable": True, "unit": "GiB"},
    {"name": "license", "scope": "shared", "consumable": True},
    {"name": "swp"},
    {"name": "type", "type": "string"},
    {"name": "gpu", "type": "boolean"},
]
LIMITS = [
    {"resource": "slots", "value": 9, "per_user": ["all"]},
    {"resource": "jobs", "value": 3, "users": ["alice", "bob"]},
    {"resource": "slots", "value": 4, "per_host": ["all"], "per_user": ["~carol"]},
    {"resource": "jobs", "value": 2, "per_host": ["n02", "n04"]},
    {"resource": "mem", "value": 9000, "per_project": ["all"]},
    {"resource": "slots", "value": 7, "hosts": ["n01", "n02", "n03"], "per_queue": ["all"]},
    {"resource": "jobs", "value": 2, "hosts": ["n03", "n05"]},
    {"resource": "license", "value": 3, "queues": ["normal", "night"]},
]
SELECTS = (
    "",
    "type==linux",
    "mem > 3000",
    "mem/swp > 2",
    "gpu",
    "!gpu && type==linux",
    "type!=vms",
)
RUSAGES = (
    "",
    "mem=1024",
    "mem=2000/task",
    "mem=6000",
    "mem=9000/job",
    "tmp=3:mem=1000",
    "license=1",
    "license=1/task",
    "license=2/host:mem=512",
)
SPANS = ("", "", "", "span[hosts=1]", "span[ptile=2]", "span[ptile=3]")
REST = ("", "", "", "order[mem]", "order[-slots:tmp]", "same[type]", "same[gpu]")
ODD = ("rusage[nonsense=1]", "affinity[core(2)]", "select[", "cu[type=rack] rusage[mem=1]")


def write_world(path: Path, number: int) -> Path:
    """A world as a replay."""
    return write_replay(path, *world(number))


def world(number: int) -> list[dict[str, Any]]:
    """The events of one workload."""
    chance = random.Random(number)
    limits = chance.sample(LIMITS, chance.randint(0, 4))
    params = {
        "spread": chance.choice(["even", "even", "fill"]),
        "policy": chance.choice(["builtin_fcfs"] * 4 + ["builtin_fcfs_strict"]),
    }
    queues = [
        {"name": "normal", "priority": 50},
        {"name": "night", "priority": 20, "resreq": chance.choice(["", "mem > 2000"])},
        {"name": "gpu", "priority": 60, "hosts": ["n01", "n02", "n06"]},
    ]
    named = [{"name": f"lim{place}", **limit} for place, limit in enumerate(limits)]
    return [
        config(queues=queues, limits=named, params=params),
        {"t": 0, "resource_defs": RESOURCES},
        {"t": 0, "shared_push": {"license": chance.randint(1, 4)}},
        {"t": 0, "workers_push": list(_workers(chance))},
        *_jobs(chance),
    ]


def _workers(chance: random.Random) -> Iterator[dict[str, Any]]:
    for host in range(1, chance.randint(4, 8)):
        values: dict[str, Any] = {
            "mem": chance.choice([1000, 4000, 8192]),
            "tmp": chance.randint(0, 8),
            "swp": chance.choice([0, 1000, 4000]),
            "gpu": chance.random() < 0.4,
        }
        if chance.random() < 0.8:
            values["type"] = chance.choice(["linux", "linux", "windows"])
        status = chance.choice(["ok"] * 8 + ["closed", "unavail"])
        yield {
            "name": f"n{host:02}",
            "slots": chance.choice([1, 2, 4, 4]),
            "status": status,
            "values": values,
        }


def _jobs(chance: random.Random) -> Iterator[dict[str, Any]]:
    time = 0
    for job in range(1, chance.randint(6, 11)):
        time += chance.choice([0, 0, 0, 3])
        fields: dict[str, Any] = {
            "id": job,
            "user": chance.choice(USERS),
            "queue": chance.choice(QUEUES),
            "project": chance.choice(PROJECTS),
            "priority": chance.choice([0, 0, 5]),
            "run_time": chance.randint(1, 9),
        }
        fields.update(_requirement(chance))
        if chance.random() < 0.2:
            fields["hosts"] = chance.sample(["n01", "n02", "n03", "n04"], 2)
        if chance.random() < 0.15:
            fields["array"] = {"first": 1, "last": 3}
        yield {"t": time, "job_new": fields}
        if chance.random() < 0.1:
            status = chance.choice(["ok", "closed", "unavail"])
            yield {"t": time, "worker_update": {"name": "n02", "status": status}}


def _requirement(chance: random.Random) -> dict[str, Any]:
    kind = chance.random()
    if kind < 0.08:
        return {"resreq": chance.choice(ODD)}
    if kind < 0.25:
        counts = [chance.randint(1, 3) for _ in range(chance.randint(1, 3))]
        members = " + ".join(f"{count}*{{{_primary(chance)}}}" for count in counts)
        return {"resreq": members, "min_tasks": sum(counts)}
    few = chance.randint(1, 6)
    tasks = {"min_tasks": few, "max_tasks": few + chance.choice([0, 0, 1, 5])}
    if kind < 0.5:
        parts = [chance.choice(["", _primary(chance)]) for _ in range(2)]
        alternatives = " || ".join(f"{{{part}}}" for part in [*parts, _primary(chance)])
        return {"resreq": alternatives, **tasks}
    return {"resreq": _primary(chance), **tasks}


def _primary(chance: random.Random) -> str:
    select, rusage = chance.choice(SELECTS), chance.choice(RUSAGES)
    parts = [f"select[{select}]" if select else "", f"rusage[{rusage}]" if rusage else ""]
    parts += [chance.choice(SPANS), chance.choice(REST)]
    return " ".join(filter(None, parts)) or "slots > 0"


class Outcome(NamedTuple):
    """Every decision of a replay, all accounts after each decision, and the jobs at the end."""

    decisions: list[tuple[Any, ...]]
    accounts: list[dict[str, Any]]
    jobs: list[tuple[Any, ...]]


def play(
    path: Path, settings: TraceSettings | None, core: Core | None = None
) -> tuple[Outcome, list[TraceRecord]]:
    """Play so many rounds, traced as the settings say (None for not at all), with the records."""
    control = TraceControl()
    if settings is not None:
        control.enable(settings)
    core = core or Core(check=True)
    player = Player(Engine(open_replay(path), core), control, Stops())
    outcome, records = Outcome([], [], []), []
    while player.engine.round < ROUNDS and (happening := player.pull()) is not None:
        if isinstance(happening, Decided):
            parts = list(_plain(happening.decision))
            outcome.decisions.extend((happening.round, *part) for part in parts)
            if happening.record is not None:
                records.append(happening.record)
            outcome.accounts.extend([accounts(core.state)] * len(parts))
    outcome.jobs.extend(
        (job.id, job.state, job.start_time, job.end_time, job.allocation, job.reason_round)
        for job in core.state.jobs.values()
    )
    return outcome, records


def _plain(decision: Decision) -> Iterator[tuple[Any, ...]]:
    if isinstance(decision, PendRun):
        for each in decision:
            yield from _plain(each)
    elif isinstance(decision, Dispatch):
        yield ("dispatch", decision.job, decision.allocation, decision.reconstructed)
    elif isinstance(decision, NoDecision):
        yield ("none", decision.job, decision.kind, decision.cause)
    else:
        yield ("pend", decision.job, decision.reasons.body)


def accounts(state: State) -> dict[str, Any]:
    """What is in use of every account of which anything is.

    An instance of a limit is made when the first job meets it, which may be a job further on.
    """
    ledger = state.ledger
    hosts = {**ledger.resources, **ledger.host_limits}
    cluster = {**ledger.shared, **ledger.cluster_limits}
    parts = {f"host {key}": usage.in_use.tolist() for key, usage in hosts.items()}
    return {
        **{key: usage for key, usage in parts.items() if any(usage)},
        **{f"pool {key}": usage.pool for key, usage in hosts.items() if usage.pool},
        **{f"cluster {key}": usage.in_use for key, usage in cluster.items() if usage.in_use},
    }
