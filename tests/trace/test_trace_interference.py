"""Tracing is observation: "the same sequence of decisions, allocations and pend reasons"."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from trace_worlds import Outcome, play, write_world

from xce_sim.core.sieve import Sieve
from xce_sim.model.ids import parse_selector
from xce_sim.resreq import grammar
from xce_sim.trace.lines import trace_lines
from xce_sim.trace.records import TraceRecord
from xce_sim.trace.settings import TraceSettings
from xce_sim.trace.spans import plain_lines

ROOT = Path(__file__).parent.parent.parent
SCENES = sorted([*(ROOT / "tests/scenes").glob("*.jsonl"), *(ROOT / "replays").glob("*.jsonl")])
WORLDS = 200

SOME = tuple(map(parse_selector, ("2", "3", "5[2]", "7", "42")))
WAYS = {
    "all summary": TraceSettings(on=True, all=True),
    "all full": TraceSettings(on=True, all=True, level="full"),
    "some": TraceSettings(on=True, selectors=SOME, level="full", lines=50),
}


Played = dict[int, tuple[list[str], list[str], str]]
"""Of each world: ways in which it comes out otherwise than untraced, decisions, traces."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """All generated worlds, played all ways."""
    folder = tmp_path_factory.mktemp("worlds")
    with pytest.MonkeyPatch.context() as once:
        once.setattr(grammar, "parse_requirement", cache(grammar.parse_requirement))
        return {number: four_times(folder, number) for number in range(WORLDS)}


def four_times(folder: Path, number: int) -> tuple[list[str], list[str], str]:
    """One generated world."""
    path = write_world(folder / f"{number}.jsonl", number)
    untraced, ways = four_ways(path)
    differing = [way for way, (outcome, _) in ways.items() if outcome != untraced]
    kinds = [str(decision[1:]) for decision in untraced.decisions]
    text = "\n".join(line for record in ways["all full"][1] for line in text_of(record))
    return differing, kinds, text


def four_ways(path: Path) -> tuple[Outcome, dict[str, tuple[Outcome, list[TraceRecord]]]]:
    """A replay played untraced, and traced in each way."""
    untraced, none = play(path, None)
    assert none == []
    return untraced, {way: play(path, settings) for way, settings in WAYS.items()}


def recorded(path: Path) -> bool:
    return '"mode": "workload"' not in path.read_text(encoding="utf-8").partition("\n")[0]


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_r10_1_bundled_replays_are_decided_the_same_traced_or_not(path: Path) -> None:
    if recorded(path):
        pytest.skip("recorded replays are not played yet")
    untraced, ways = four_ways(path)
    assert untraced.decisions
    assert [way for way, (outcome, _) in ways.items() if outcome != untraced] == []


def test_r10_1_generated_workloads_are_decided_the_same_traced_or_not(played: Played) -> None:
    assert {number: world[0] for number, world in played.items() if world[0]} == {}
    assert len(played) == WORLDS


def test_r10_1_generated_workloads_meet_what_can_be_met(played: Played) -> None:
    """Otherwise their agreement would say little."""
    met: Counter[str] = Counter()
    for _, decisions, text in played.values():
        met.update(code for code in CODES if any(f"'{code}'" in each for each in decisions))
        met.update(phrase for phrase in PHRASES if phrase in text)
    assert [kind for kind in (*CODES, *PHRASES) if met[kind] < 3] == []


def test_r10_3_accounts_are_the_same_after_every_decision_traced_or_not(tmp_path: Path) -> None:
    """Part of every outcome compared above; here that they are there and that jobs hold them."""
    untraced, _ = play(write_world(tmp_path / "1.jsonl", 1), None)
    busy = [found for found in untraced.accounts if "host 0" in found]
    assert len(untraced.accounts) > len(busy) > 0
    traced, _ = play(tmp_path / "1.jsonl", WAYS["all full"])
    assert traced.accounts == untraced.accounts
    assert traced.jobs == untraced.jobs


CODES = (
    *("CLAUSE_UNSUPPORTED", "SHARED_RESOURCE", "CLUSTER_LIMIT", "NO_CANDIDATE", "NO_PLAN"),
    *("SELECT_MISMATCH", "HOST_RESOURCE", "HOST_LIMIT", "HOST_ERROR", "NOT_ENOUGH_HOSTS"),
)
PHRASES = (
    *("already claimed by position", "released hosts: ", "(fill)", " set type=", "discarded"),
    *("maximum lowered to", "skipped (no content)", "chosen; ", "all alternatives failed"),
    *("not considered: ", "member 2/", "not tried", "limit charges: ", "shared: license="),
)


def text_of(record: TraceRecord) -> list[str]:
    return plain_lines(trace_lines(record))


def test_r4_4_host_by_host_comes_to_what_the_columns_come_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the record: only an error itself is told."""
    for number in range(0, WORLDS, 10):
        path = write_world(tmp_path / f"{number}.jsonl", number)
        with_columns = [play(path, settings) for settings in (None, WAYS["all full"])]
        with monkeypatch.context() as broken:
            broken.setattr(Sieve, "fits", no_columns)
            host_by_host = [play(path, settings) for settings in (None, WAYS["all full"])]
        assert [outcome for outcome, _ in host_by_host] == [outcome for outcome, _ in with_columns]
        texts = [
            [text_of(record) for record in found] for _, found in (with_columns[1], host_by_host[1])
        ]
        assert texts[0] == texts[1]


def no_columns(_sieve: Sieve, _size: int, *, first: bool) -> object:
    raise ValueError(f"no columns, {first}")
