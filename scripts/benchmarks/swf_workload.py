"""The synthetic workload of the comparison with other simulators, a Standard Workload Format log.

Poisson arrivals, sizes uniform from 1 to 64 processors, exponential run times of an hour in the
mean, at 90 % offered load on hosts of 16 slots; the requested time is the run time.
"""

from __future__ import annotations

import random
from pathlib import Path

CORES, LARGEST, MEAN_RUN, LOAD = 16, 64, 3600.0, 0.90


def write_workload(path: Path, jobs: int, hosts: int, *, seed: int = 1) -> Path:
    """Write the log for so many jobs and hosts."""
    chance = random.Random(seed)
    total = hosts * CORES
    gap = (1 + LARGEST) / 2 * MEAN_RUN / (LOAD * total)
    lines = [
        "; Version: 2.2",
        "; Computer: synthetic",
        "; UnixStartTime: 0",
        f"; MaxNodes: {hosts}",
        f"; MaxProcs: {total}",
    ]
    submit = 0.0
    for job in range(1, jobs + 1):
        submit += chance.expovariate(1.0 / gap)
        run = max(1, int(chance.expovariate(1.0 / MEAN_RUN)))
        size = chance.randint(1, LARGEST)
        user, program = chance.randint(1, 50), chance.randint(1, 20)
        fields = (job, int(submit), -1, run, size, -1, -1, size, run, -1, 1, user, 1, program, 1)
        lines.append(" ".join(map(str, (*fields, 1, -1, -1))))
    path.write_text("\n".join(lines) + "\n")
    return path
