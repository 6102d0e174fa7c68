"""AccaSim 1.1.3 on a Standard Workload Format log: first in, first out, first fit.

Run by the interpreter of an environment of its own: `accasim_peer.py LOG HOSTS CORES`. Its
results go to a temporary folder; printed are the jobs dispatched and their mean wait in seconds.
"""

import collections
import collections.abc
import glob
import json
import os
import sys
import tempfile

collections.Mapping = collections.abc.Mapping  # the package still imports the name of Python 3.9

from accasim.base.allocator_class import FirstFit  # noqa: E402
from accasim.base.scheduler_class import FirstInFirstOut  # noqa: E402
from accasim.base.simulator_class import Simulator  # noqa: E402


def main(log: str, hosts: str, cores: str) -> None:
    """Simulate and print."""
    with tempfile.TemporaryDirectory() as folder:
        system = os.path.join(folder, "system.json")
        with open(system, "w") as file:
            json.dump(
                {
                    "system_name": "bench",
                    "start_time": 0,
                    "equivalence": {"processor": {"core": 1}},
                    "groups": {"g0": {"core": int(cores)}},
                    "resources": {"g0": int(hosts)},
                },
                file,
            )
        simulator = Simulator(
            log,
            system,
            FirstInFirstOut(FirstFit()),
            RESULTS_FOLDER_PATH=folder,
            scheduling_output=True,
            statistics_output=True,
        )
        simulator.start_simulation()
        print("dispatched", simulator.dispatched_jobs)
        for name in glob.glob(os.path.join(folder, "**", "stats-*"), recursive=True):
            with open(name) as file:
                print(file.read())


main(*sys.argv[1:4])
