"""Recordings made in memory, of small workloads and of random ones."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sittings import write_replay

from xce_sim.core.core import Core
from xce_sim.replay.reader import open_replay
from xce_sim.replay.source import Form
from xce_sim.sim.engine import Engine
from xce_sim.sim.recording import Recording

REPLAYS = Path(__file__).resolve().parent.parent.parent / "replays"
LARGE = 120
"""So many events of the large bundled workload are played."""


def record(path: Path, *, form: Form = "text", prepare: Callable[[Engine], Any] = id) -> bytes:
    """Play a replay to its end; the bytes of its recording."""
    file = io.BytesIO()
    with open_replay(path) as replay:
        recording = Recording(file, replay.header, form=form)
        engine = Engine(replay, Core(check=True), recording=recording)
        prepare(engine)
        for _ in engine.happenings():
            pass
    assert recording.failure is None
    assert recording.size == len(file.getvalue())
    return file.getvalue()


def random_workload(path: Path, seed: int) -> Path:
    """A contended cluster with every kind of limit, changes of hosts, queues and jobs."""
    chance = random.Random(seed)
    limits = [
        {"name": "lim_user", "resource": "slots", "value": chance.randint(2, 9), "per_user": ["all"]},
        {"name": "lim_host", "resource": "jobs", "value": 1, "per_host": ["n02", "n03"]},
        {"name": "lim_mem", "resource": "mem", "value": 20, "per_project": ["all"], "per_host": ["all"]},
        {"name": "lim_all", "resource": "slots", "value": 6, "hosts": ["n01", "n04"]},
    ]  # fmt: skip
    queues = [{"name": "normal", "priority": 5}, {"name": "night", "priority": 3}]
    params = {"spread": chance.choice(("even", "fill"))}
    config = {"queues": queues, "limits": chance.sample(limits, 2), "params": params}
    defs = [
        {"name": "mem", "consumable": True},
        {"name": "lic", "consumable": True, "scope": "shared"},
        {"name": "type", "type": "string"},
    ]
    workers = [
        {
            "name": f"n{i:02d}",
            "slots": chance.randint(1, 4),
            "values": {"mem": chance.randint(4, 16), "type": chance.choice(("linux", "sun"))},
        }
        for i in range(1, chance.randint(3, 8))
    ]
    events: list[dict[str, Any]] = [
        {"t": 0, "config_push": config},
        {"t": 0, "resource_defs": defs},
        {"t": 0, "shared_push": {"lic": 2}},
        {"t": 0, "workers_push": workers},
    ]
    time = 0
    for number in range(1, 40):
        time += chance.choice((0, 0, 1, 3))
        events.append({"t": time, **_something(chance, number, workers)})
    interval = chance.choice((0, 0, 2))
    write_replay(path, *events)
    text = path.read_text().replace('"workload"', f'"workload", "interval": {interval}', 1)
    path.write_text(text)
    return path


_REQUIREMENTS = (
    "", "type==linux", "rusage[mem=3]", "rusage[mem=2/task:lic=1]", "span[hosts=1]",
    "{type==sun rusage[mem=4]} || {rusage[lic=1]}", "order[mem] rusage[mem=1]", "mem>9",
    "1*{type==linux} + 1*{rusage[mem=2]}", "span[ptile=2]", "broken[", "cu[type=rack]",
)  # fmt: skip


def _something(chance: random.Random, number: int, workers: list[dict[str, Any]]) -> dict[str, Any]:
    host = chance.choice(workers)["name"]
    others: list[dict[str, Any]] = [
        {"worker_update": {"name": host, "status": chance.choice(("ok", "ok", "closed", "unavail"))}},
        {"values_update": {"host": host, "values": {"mem": chance.randint(2, 20)}}},
        {"shared_update": {"lic": chance.randint(0, 3)}},
        {"queue_update": {"name": "night", "active": chance.random() < 0.6}},
        {"job_update": {"id": chance.randint(1, number), "priority": chance.randint(0, 3)}},
        {"job_update": {"id": chance.randint(1, number), "state": chance.choice(("pend", "exit"))}},
        {"job_remove": {"id": chance.randint(1, number)}},
    ]  # fmt: skip
    if chance.random() < 0.3:
        return chance.choice(others)
    requirement = chance.choice(_REQUIREMENTS)
    fields = {
        "id": number,
        "user": chance.choice(("alice", "bob")),
        "queue": chance.choice(("normal", "normal", "night")),
        "project": chance.choice(("", "chip")),
        "priority": chance.choice((0, 0, 1)),
        "resreq": requirement,
        "min_tasks": 2 if requirement[:2] == "1*" else chance.choice((1, 1, 2, 3, 7)),
        "run_time": chance.choice((0, 4, 9, 20)),
    }
    if chance.random() < 0.2:
        fields["array"] = {"first": 1, "last": chance.randint(2, 5)}
    return {"job_new": fields}


def workloads(folder: Path, count: int) -> list[Path]:
    """Random workloads, and the bundled ones; of the large one its beginning."""
    made = [random_workload(folder / f"w{seed}.jsonl", seed) for seed in range(count)]
    large = folder / "large.jsonl"
    text = (REPLAYS / "workload.jsonl").read_text().splitlines(keepends=True)
    large.write_text("".join(text[:LARGE]))
    return [*made, REPLAYS / "contention.jsonl", large]


def lines(data: bytes) -> list[dict[str, Any]]:
    """The messages of a recording in the text form."""
    return [json.loads(line) for line in data.splitlines()]
