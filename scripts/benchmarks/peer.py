"""P1: whole workloads against AccaSim, both as whole processes, in the same run on the same work.

The same work is `builtin_fcfs_strict` with `spread: fill`; the mean wait must agree to the second,
or the part ends with an error. `builtin_fcfs`, which considers every pending job in every round
and says why it waits, is shown beside it. AccaSim is installed into `.bench` at the root, once.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from scripts.benchmarks.measuring import Row, Run, median_run, run_process, simulate
from scripts.benchmarks.swf_workload import CORES, write_workload

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = ((5_000, 100), (5_000, 1_000), (5_000, 10_000), (50_000, 1_000))
KTH = "XCE_SIM_KTH"
"""Environment variable with the path of the log KTH-SP2-1996-2.1-cln.swf, run too if it is set."""


def run() -> list[Row]:
    """All rows of this part."""
    python = peer_python()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for jobs, hosts in SIZES:
            log = write_workload(folder / f"{jobs}-{hosts}.swf", jobs, hosts)
            rows += compare(python, folder, log, f"{jobs:,} jobs, {hosts:,} hosts", hosts, CORES)
        if os.environ.get(KTH):
            rows += compare(python, folder, Path(os.environ[KTH]), "KTH", 100, 1)
    return rows


def peer_python() -> str:
    """The interpreter of the peer's own environment, made when it is missing."""
    folder = ROOT / ".bench"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = ("accasim==1.1.3", "setuptools<70")
        subprocess.run([str(python), "-m", "pip", "install", "-q", *wanted], check=True)
        (folder / "ready").touch()
    return str(python)


def compare(python: str, folder: Path, log: Path, label: str, hosts: int, slots: int) -> list[Row]:
    """Rows for one log: seconds and MiB of both, and their ratios."""
    machine = ("--hosts", str(hosts), "--slots", str(slots))
    strict = import_log(
        log, folder / "strict.replay", *machine,
        "--policy", "builtin_fcfs_strict", "--spread", "fill",
    )  # fmt: skip
    plain = import_log(log, folder / "plain.replay", *machine)
    times = 3 if hosts > 1_000 or label == "KTH" or label.startswith("50") else 5
    script = str(Path(__file__).with_name("accasim_peer.py"))
    peer = median_run(
        lambda: run_process((python, script, str(log), str(hosts), str(slots))), times
    )
    ours = median_run(lambda: simulate("--sim", str(strict), "--json"), times)
    every = median_run(lambda: simulate("--sim", str(plain), "--json"), 1)
    require_same_wait(label, ours, peer)
    return [
        (f"P1 {label}: AccaSim", peer.seconds, "s"),
        (f"P1 {label}: xce-sim, strict", ours.seconds, "s"),
        (f"P1 {label}: times as fast", peer.seconds / ours.seconds, "x"),
        (f"P1 {label}: memory", ours.peak / peer.peak, "x"),
        (f"P1 {label}: xce-sim, builtin_fcfs", every.seconds, "s"),
    ]


def import_log(log: Path, target: Path, *options: str) -> Path:
    """Import a log with `xce-replay`."""
    code = "import sys; from xce_sim.cli import replay_main; sys.exit(replay_main(sys.argv[1:]))"
    run_process(
        (sys.executable, "-c", code, "import", "swf", str(log), "-o", str(target), *options)
    )
    return target


def require_same_wait(label: str, ours: Run, peer: Run) -> None:
    """Both have dispatched the same jobs with the same mean wait, to the second."""
    mine = json.loads(ours.output)
    found = re.search(r"Avg\. waiting times: ([\d.]+)", peer.output)
    count = re.search(r"dispatched (\d+)", peer.output)
    assert found is not None and count is not None, peer.output
    if int(count[1]) != mine["dispatched"] or abs(float(found[1]) - mine["mean_wait"]) >= 1:
        raise RuntimeError(f"{label}: mean wait {mine['mean_wait']} s, AccaSim's {found[1]} s")
