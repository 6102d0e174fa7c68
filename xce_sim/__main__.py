"""`python -m xce_sim`: the same as the console script `xce-sim`."""

from __future__ import annotations

import sys

from xce_sim.cli import main

if __name__ == "__main__":
    sys.exit(main())
