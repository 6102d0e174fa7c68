"""Tracing observes only: every situation decides the same with it off, on, full, or for a few jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from core.scene import told
from transcript_runner import ROOT

from xce_sim.core.core import Core
from xce_sim.model.ids import JobSelector
from xce_sim.model.units import format_milli
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.happening import Decided, RoundBegins, RoundEnded
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.settings import OFF, TraceSettings

SITUATIONS = [
    *sorted((ROOT / "tests" / "scenes").glob("*.jsonl")),
    ROOT / "replays/contention.jsonl",
]
EVERY_THIRD = tuple(JobSelector(base=number) for number in range(0, 300, 3))
SETTINGS = {
    "all summary": TraceSettings(on=True, all=True),
    "all full": TraceSettings(on=True, all=True, level="full"),
    "all full, few lines": TraceSettings(on=True, all=True, level="full", lines=50),
    "some": TraceSettings(on=True, selectors=EVERY_THIRD, level="full"),
}


def played(path: Path, settings: TraceSettings) -> tuple[str, int]:
    """Decisions with their reasons and all accounts after each round; and how many were traced."""
    core = Core(check=True)
    text, records = "", 0
    for happening in Engine(open_replay(path), core).happenings():
        if isinstance(happening, RoundBegins):
            core.trace = Recorder(settings) if settings.on else None
        elif isinstance(happening, Decided):
            text += told(happening.decision)
            records += happening.record is not None
        elif isinstance(happening, RoundEnded):
            text += f"-- round {happening.round}\n" + "".join(accounts(core))
    return text, records


def accounts(core: Core) -> Iterator[str]:
    ledger = core.state.ledger
    for usage in (*ledger.resources.values(), *ledger.host_limits.values()):
        yield f"{usage.account.name}({usage.account.instance}) {usage.in_use.tolist()}\n"
    for total in (*ledger.shared.values(), *ledger.cluster_limits.values()):
        yield f"{total.account.name}({total.account.instance}) {format_milli(total.in_use)}\n"


@pytest.mark.parametrize("path", SITUATIONS, ids=lambda path: path.stem)
def test_tracing_changes_nothing(path: Path) -> None:
    plain, none = played(path, OFF)
    assert none == 0
    assert "dispatch" in plain or "pend" in plain
    for name, settings in SETTINGS.items():
        text, records = played(path, settings)
        assert text == plain, name
        assert records or name == "some", name


def test_some_jobs_are_among_them() -> None:
    """The subset of the test above is one: some jobs of the contention scene, not all."""
    path = ROOT / "replays" / "contention.jsonl"
    _, some = played(path, SETTINGS["some"])
    _, every = played(path, SETTINGS["all full"])
    assert 0 < some < every
