"""The replays that come with the program are exactly what their script makes, and sound."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from transcript_runner import ROOT

from xce_sim.replay.inspection import check_replay

REPLAYS = ROOT / "replays"
BUNDLED = sorted(path.name for path in REPLAYS.iterdir())


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_replays", ROOT / "scripts" / "make_replays.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replays")
    script.write(folder / "workload", seed=script.SEED, jobs=script.JOBS, hosts=script.HOSTS)
    script.write_binary(REPLAYS / "contention.jsonl", folder)
    return folder


def test_what_is_bundled() -> None:
    assert BUNDLED == [
        "contention.jsonl",
        "contention.replay",
        "workload.jsonl",
        "workload.replay",
    ]


@pytest.mark.parametrize("name", ["contention.replay", "workload.jsonl", "workload.replay"])
def test_a_bundled_replay_is_what_the_script_makes(made: Path, name: str) -> None:
    """If this is meant: run scripts/make_replays.py."""
    same = (made / name).read_bytes() == (REPLAYS / name).read_bytes()
    assert same, f"replays/{name} differs from what scripts/make_replays.py writes"


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_replay_is_sound_and_small(name: str) -> None:
    assert check_replay(REPLAYS / name).sound
    assert (REPLAYS / name).stat().st_size < 400_000


def test_jobs_hosts_and_seed_are_taken(script: ModuleType, tmp_path: Path) -> None:
    def text(seed: int) -> str:
        path, _ = script.write(tmp_path / "small", seed=seed, jobs=30, hosts=5)
        return str(path.read_text())

    one, other = text(1), text(2)
    assert one == text(1)
    assert one != other
    (workers,) = [line for line in one.splitlines() if "workers_push" in line]
    assert workers.count('"name": "n') == 5
    assert '"job_new"' in one


def test_elements_of_arrays_count_as_jobs(script: ModuleType) -> None:
    specs = list(script.job_specs(script.Random(3), 500))
    elements = [1 if spec.array is None else len(spec.array.indices()) for spec in specs]
    assert sum(elements) == 500
    assert max(elements) > 1
