"""`scripts/bench [PART…]`: run the parts one after another and print one table."""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

import numpy as np

from xce_sim import __version__


def parts() -> list[str]:
    """The names of all parts: the modules beside this one that have a `run`."""
    beside = Path(__file__).parent.glob("*.py")
    return sorted(path.stem for path in beside if "\ndef run()" in path.read_text("utf-8"))


def main(wanted: list[str]) -> int:
    """Run the wanted parts, all without any; gives the exit status."""
    unknown = [name for name in wanted if name not in parts()]
    if unknown:
        print(f"bench: unknown part {unknown[0]!r}; there are: {' '.join(parts())}")
        return 2
    print(
        f"xce-sim {__version__}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"{platform.machine()}"
    )
    for name in wanted or parts():
        part = importlib.import_module(f"scripts.benchmarks.{name}")
        for label, value, unit in part.run():
            print(f"{label:<72} {value:>12.4g} {unit}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
