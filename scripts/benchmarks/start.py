"""How long until the program answers: start over bare Python, and each `info` on a large cluster.

`run()` gives rows (name, value, unit): medians of several runs, seconds over a bare `python -c ''`.
"""

from __future__ import annotations

import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scripts.benchmarks.measuring import Row

ROOT = Path(__file__).resolve().parent.parent.parent
HOSTS, JOBS, RUNS = 10_000, 100_000, 5
INFO = (
    "info jobs",
    "info jobs pend",
    "info jobs run user u5",
    "info job 5",
    f"info job {JOBS}",
    "info hosts",
    "info host n00077",
    "info queues",
    "info round",
    "trace status",
)


def run() -> list[Row]:
    """All rows of this part."""
    with tempfile.TemporaryDirectory() as folder:
        large = write_large(Path(folder) / "large.jsonl")
        small = ROOT / "replays" / "contention.jsonl"
        bare = median(lambda: start("-c", ""))
        rows = [
            ("P5 --help", median(lambda: start("-m", "xce_sim", "--help")) - bare, "s"),
            ("P5 prompt, small replay", median(lambda: start(*prompt(small))) - bare, "s"),
            (
                "P5 prompt, 10,000 hosts x 100,000 jobs",
                median(lambda: start(*prompt(large))) - bare,
                "s",
            ),
        ]
        return rows + info_rows(large)


def prompt(replay: Path) -> tuple[str, ...]:
    """Arguments that do all that is done before the first prompt at a terminal."""
    code = (
        "from xce_sim.repl import prompt; from xce_sim.cli import main; "
        f"main(['--sim', {str(replay)!r}, '-i', '--batch'])"
    )
    return ("-c", code)


def start(*arguments: str) -> float:
    """Seconds that a start of Python with these arguments takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def median(measured: Callable[[], float]) -> float:
    """The middle one of several measurements."""
    return statistics.median(measured() for _ in range(RUNS))


def write_large(path: Path) -> Path:
    """A workload in which most of 100,000 jobs wait for 10,000 hosts after its first round."""
    values = {"mem": 65536, "type": "linux"}
    workers = [{"name": f"n{i:05d}", "slots": 2, "values": values} for i in range(HOSTS)]
    definitions = [
        {"name": "mem", "consumable": True, "unit": "MiB"},
        {"name": "type", "type": "string"},
    ]
    with path.open("w") as file:
        for event in (
            {"replay": {"version": 1, "mode": "workload"}},
            {"t": 0, "config_push": {"queues": [{"name": "normal"}]}},
            {"t": 0, "resource_defs": definitions},
            {"t": 0, "workers_push": workers},
        ):
            file.write(json.dumps(event) + "\n")
        for i in range(1, JOBS + 1):
            job = {
                "id": i,
                "user": f"u{i % 300}",
                "queue": "normal",
                "resreq": f"type==linux rusage[mem={1024 * (1 + i % 4)}]",
                "run_time": 1000 + i % 7,
            }
            file.write(json.dumps({"t": 0, "job_new": job}) + "\n")
    return path


def info_rows(replay: Path) -> list[Row]:
    """Seconds of each `info`, as at a terminal, after the first round."""
    sys.path.insert(0, str(ROOT / "tests"))
    from sittings import Sitting  # noqa: PLC0415  the sitting of the tests, without checks

    sitting = Sitting(replay, terminal=True, check=False)
    sitting.type("continue 1")
    rows = []
    for command in INFO:
        began = time.perf_counter()
        text = sitting.type(command)
        rows.append((f"{command} ({text.count(chr(10))} lines)", time.perf_counter() - began, "s"))
    return rows


if __name__ == "__main__":
    out = io.StringIO()
    for name, value, unit in run():
        out.write(f"{name:45} {value:8.3f} {unit}\n")
    sys.stdout.write(out.getvalue())
