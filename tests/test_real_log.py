"""A real log, imported and played by the programs: the first jobs of the KTH SP2.

The log comes from the Parallel Workloads Archive and is not part of the project; without it these
tests are skipped.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xce_sim.cli import main, replay_main
from xce_sim.core.core import Core
from xce_sim.model.resources import SLOTS
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.happening import RoundEnded

LOG = Path(__file__).resolve().parent.parent.parent / "shared/data/swf/KTH-SP2-1996-2.1-cln.swf"
JOBS = 600

pytestmark = pytest.mark.skipif(not LOG.exists(), reason="the log is not here")


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    """The header and the first jobs of the log, imported by the program."""
    lines = LOG.read_text(encoding="latin-1").splitlines(keepends=True)
    jobs = [line for line in lines if line.strip() and not line.startswith(";")]
    part = tmp_path / "kth.swf"
    part.write_text("".join(line for line in lines if line.startswith(";")) + "".join(jobs[:JOBS]))
    assert replay_main(["import", "swf", str(part), "-o", str(tmp_path / "kth.replay")]) == 0
    return tmp_path / "kth.replay"


def test_every_job_finishes_and_two_runs_are_the_same(
    replay: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XCE_SIM_CHECK", "1")
    capsys.readouterr()
    outputs = []
    for _ in range(2):
        assert main(["--sim", str(replay), "--json"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    found = json.loads(outputs[0])
    assert (found["jobs"], found["finished"], found["slots"]) == (JOBS, JOBS, 100)


def test_slots_in_use_are_never_above_the_total(replay: Path) -> None:
    """Given accounts that are checked in each round, then no host holds more than its slot."""
    core = Core(check=True)
    with open_replay(replay) as source:
        for happening in Engine(source, core).happenings():
            if isinstance(happening, RoundEnded):
                in_use = core.state.ledger.resources[SLOTS].in_use
                assert (in_use <= core.state.columns.amounts(SLOTS)).all()
                assert (in_use >= 0).all()
