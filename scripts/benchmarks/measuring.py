"""Measuring whole processes by the operating system's own figures."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Row = tuple[str, float, str]


@dataclass(frozen=True)
class Run:
    """One finished process: seconds of wall clock, peak memory in MiB, standard output."""

    seconds: float
    peak: float
    output: str


def run_process(arguments: Sequence[str]) -> Run:
    """Run a command to its end; an exit status other than 0 is an error."""
    began = time.perf_counter()
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with status {process.returncode}")
    return Run(seconds, usage.ru_maxrss / 1024, output)


def median_run(make: Callable[[], Run], times: int) -> Run:
    """The run with the median of the wall clock."""
    runs = sorted((make() for _ in range(times)), key=lambda run: run.seconds)
    return runs[len(runs) // 2]


def median_seconds(act: Callable[[], object], times: int) -> float:
    """The median time of calling something in this process."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def simulate(*arguments: str) -> Run:
    """`xce-sim` as a process of its own."""
    return run_process((sys.executable, "-m", "xce_sim", *arguments))
