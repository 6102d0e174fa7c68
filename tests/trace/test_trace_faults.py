"""Internal errors driven through real rounds: what is decided, and what the trace says of it.

A fault is put into one named function of the core while a round is played, traced and untraced:
"errors on a host or in a scan do not end the attempt, the others do", and in either case the
decisions are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sittings import Sitting, config, job, write_replay

from xce_sim.core import allocator, filling, jobs, picker, search, stepping
from xce_sim.core.search import Placement, Search
from xce_sim.core.sieve import Sieve
from xce_sim.core.state import State
from xce_sim.resreq.evaluate import RoundEvaluator

MEMORY = [1024, 8192, 8192, 8192]
CLUSTER = (
    config(),
    {
        "t": 0,
        "resource_defs": [
            {"name": "mem", "consumable": True, "unit": "MiB"},
            {"name": "swp"},
            {"name": "license", "scope": "shared", "consumable": True},
        ],
    },
    {"t": 0, "shared_push": {"license": 4}},
    {
        "t": 0,
        "workers_push": [
            {"name": f"n0{number}", "slots": 4, "values": {"mem": mem, "swp": int(number != 2)}}
            for number, mem in enumerate(MEMORY, 1)
        ],
    },
)
SHORT = [
    "host n01 rejected (per-host check): resource shortfall",
    "  mem total 1 GiB in-use 0 reserved 0 requested 2 GiB",
]


class Played:
    """A round with one job, played traced at level full: its echo and the lines of its trace.

    A second job that asks for nothing special shows that the round goes on.
    """

    def __init__(self, folder: Path, **fields: Any) -> None:
        fields = {"resreq": "rusage[mem=2048]", "min_tasks": 2, **fields}
        self.replay = write_replay(folder / "fault.jsonl", *CLUSTER, job(1, **fields), job(2))
        shown = Sitting(self.replay).run("trace on job 1 level full", "step").splitlines()
        echoes = [line for line in shown if line.startswith("[sim]   ")]
        untraced = Sitting(self.replay).run("step").splitlines()
        assert echoes == [line for line in untraced if line.startswith("[sim]   ")]
        self.echo = echoes[0].removeprefix("[sim]   ")
        self.second = echoes[1].removeprefix("[sim]   ")
        first = shown.index("[trace] job 1 session 1 position 1 level full")
        lines = shown[first + 1 : shown.index(echoes[1])]
        self.all = [line.removeprefix("  ") for line in lines]

    @property
    def lines(self) -> list[str]:
        """What stands inside of the requirement."""
        return [line.removeprefix("  ") for line in self.all if line.startswith("  ")]

    def inside(self, plan: int) -> list[str]:
        """What stands inside of the positions of a plan, with the ends of these and of the plan."""
        plans = [at for at, line in enumerate(self.lines) if line.startswith(f"plan {plan} ")]
        return [line.removeprefix("  ") for line in self.lines[plans[0] + 1 : plans[-1] + 1]]


def boom(*_args: Any, **_kwargs: Any) -> Any:
    raise ValueError("boom")


def without_columns(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...] = (1, 2, 3, 4)) -> None:
    """The columns of the per-host check can not be computed for positions of these sizes."""
    fits = Sieve.fits

    def broken(sieve: Sieve, size: int, *, first: bool) -> Any:
        return boom() if size in sizes else fits(sieve, size, first=first)

    monkeypatch.setattr(Sieve, "fits", broken)


def when(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, wanted: Callable[..., bool]
) -> None:
    """A function raises for the arguments that are wanted, and works for others."""
    works = getattr(owner, name)

    def maybe(*args: Any, **kwargs: Any) -> Any:
        return boom() if wanted(*args, **kwargs) else works(*args, **kwargs)

    monkeypatch.setattr(owner, name, maybe)


def claim_fails(monkeypatch: pytest.MonkeyPatch, host: int) -> None:
    """A host can not be claimed."""
    for module in (filling, search):
        when(
            monkeypatch,
            module,
            "claim",
            lambda _sieve, pairs, **_kwargs: any(each == host for each, _ in pairs),
        )


def test_r5_7_a_select_that_has_no_value_on_a_host(tmp_path):
    played = Played(tmp_path, resreq="select[mem/swp > 1500] rusage[mem=2048]")

    assert played.echo == "dispatch 1  n03:2"
    assert played.inside(1)[1:4] == [
        "  host n01 rejected (pre-filter): selection mismatch"
        " (mem / swp > 1500: mem=1024 swp=1); per-host check not performed",
        "  host n02 not evaluated: internal error:"
        " mem / swp > 1500: not a finite number (mem=8192 swp=0)",
        "  host n03 accepted",
    ]


def test_r5_7_a_select_that_can_not_be_evaluated_anywhere(tmp_path, monkeypatch):
    monkeypatch.setattr(RoundEvaluator, "evaluate", boom)

    played = Played(tmp_path, resreq="select[mem > 1] rusage[mem=2048]")

    assert played.echo == "pend 1  HOST_ERROR on 4 hosts"
    assert played.second == "dispatch 2  n01:1"
    assert played.inside(1)[1:5] == [
        f"  host n0{number} not evaluated: internal error: ValueError: boom"
        for number in range(1, 5)
    ]
    assert played.all[-1] == "  host n04: HOST_ERROR"


def test_r5_7_a_select_is_tried_again_after_an_error(tmp_path, monkeypatch):
    path = write_replay(
        tmp_path / "again.jsonl", *CLUSTER, job(1, resreq="select[mem > 1]"), job(2, t=1)
    )
    sitting = Sitting(path)
    with monkeypatch.context() as broken:
        broken.setattr(RoundEvaluator, "evaluate", boom)
        assert "pend 1  HOST_ERROR" in sitting.run("step")
    assert "dispatch 1  n01:1" in sitting.run("step")


def test_r5_7_a_host_that_can_not_be_checked_is_passed_over(tmp_path, monkeypatch):
    without_columns(monkeypatch)
    when(monkeypatch, Sieve, "check", lambda _sieve, host, *_args, **_kwargs: host == 1)

    played = Played(tmp_path)

    assert played.echo == "dispatch 1  n03:2"
    assert played.inside(1) == [
        "position 1 (2 tasks)",
        *(f"  {line}" for line in SHORT),
        "  host n02 not evaluated: internal error: ValueError: boom",
        "  host n03 accepted",
        "  not reached: 1 host after n03",
        "position 1 filled by n03",
        "plan 1 succeeded",
        "plan 1 committed; no further plans tried",
    ]


def test_r5_7_hosts_that_can_not_be_checked_are_reasons(tmp_path, monkeypatch):
    """The other hosts keep theirs."""
    without_columns(monkeypatch)
    when(monkeypatch, Sieve, "check", lambda _sieve, host, *_args, **_kwargs: host in (1, 3))

    played = Played(tmp_path, resreq="rusage[mem=9000]", min_tasks=1)

    assert played.echo == "pend 1  HOST_RESOURCE mem on 2 hosts; HOST_ERROR on 2 hosts"
    assert played.all[-5:] == [
        "outcome: PEND HOST_RESOURCE",
        "  host n01: HOST_RESOURCE mem",
        "  host n02: HOST_ERROR",
        "  host n03: HOST_RESOURCE mem",
        "  host n04: HOST_ERROR",
    ]


def test_r4_4_a_host_scan_that_can_not_start_leaves_the_next_plans(tmp_path, monkeypatch):
    without_columns(monkeypatch, sizes=(2,))
    monkeypatch.setattr(stepping, "hosts_of", boom)

    played = Played(tmp_path)

    assert played.echo == "dispatch 1  n02:1 n03:1"
    assert played.inside(1) == [
        "position 1 (2 tasks)",
        "  not reached: 4 hosts",
        "position 1 not filled: internal error in the host scan: ValueError: boom",
        "plan 1 failed: position 1 could not be filled",
    ]
    assert "plan 2 committed; no further plans tried" in [line.strip() for line in played.lines]


def steps_up_to(count: int) -> Callable[[Sieve], Iterator[int]]:
    def broken(sieve: Sieve) -> Iterator[int]:
        yield from sieve.order[:count].tolist()
        boom()

    return broken


def test_r4_4_a_host_scan_that_stops_shows_the_hosts_before(tmp_path, monkeypatch):
    without_columns(monkeypatch, sizes=(2,))
    monkeypatch.setattr(stepping, "hosts_of", steps_up_to(1))

    played = Played(tmp_path)

    assert played.echo == "dispatch 1  n02:1 n03:1"
    assert played.inside(1) == [
        "position 1 (2 tasks)",
        *(f"  {line}" for line in SHORT),
        "  not reached: 3 hosts after n01",
        "position 1 not filled: internal error in the host scan: ValueError: boom",
        "plan 1 failed: position 1 could not be filled",
    ]


def test_r4_4_a_scan_that_stops_later_in_a_plan_releases_what_was_claimed(tmp_path, monkeypatch):
    """Equal positions are filled by one look; the error is told at its own position."""
    without_columns(monkeypatch, sizes=(4,))
    monkeypatch.setattr(stepping, "hosts_of", steps_up_to(2))

    played = Played(tmp_path, min_tasks=8)

    assert played.echo == "dispatch 1  n02:3 n03:3 n04:2"
    assert played.inside(2) == [
        "position 1 (4 tasks)",
        *(f"  {line}" for line in SHORT),
        "  host n02 accepted",
        "  not reached: 2 hosts after n02",
        "position 1 filled by n02",
        "position 2 (4 tasks)",
        *(f"  {line}" for line in SHORT),
        "  host n02 already claimed by position 1",
        "  not reached: 2 hosts after n02",
        "position 2 not filled: internal error in the host scan: ValueError: boom",
        "released hosts: n02",
        "plan 2 failed: position 2 could not be filled",
    ]


def test_r4_4_a_host_that_can_not_be_claimed_ends_the_attempt(tmp_path, monkeypatch):
    claim_fails(monkeypatch, host=2)

    played = Played(tmp_path, min_tasks=8)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.second == "dispatch 2  n01:1"
    assert played.inside(2)[6:] == [
        "position 2 (4 tasks)",
        *(f"  {line}" for line in SHORT),
        "  host n02 already claimed by position 1",
        "  host n03 accepted",
        "  not reached: 1 host after n03",
        "position 2 not filled: internal error: ValueError: boom",
        "released hosts: n02",
        "plan 2 ended in an internal error: ValueError: boom; no further plans tried",
    ]
    assert played.all[-2:] == [
        "single requirement failed: internal error: ValueError: boom",
        "no decision: internal error: ValueError: boom",
    ]


def test_r4_4_a_fill_plan_whose_host_can_not_be_claimed(tmp_path, monkeypatch):
    """An untraced job has the hosts of a fill plan without a scan; it meets the error as well."""
    claim_fails(monkeypatch, host=2)
    spread = config(params={"spread": "fill"})
    monkeypatch.setattr(f"{__name__}.CLUSTER", (spread, *CLUSTER[1:]))

    played = Played(tmp_path, min_tasks=6)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.inside(1)[-1] == (
        "plan 1 ended in an internal error: ValueError: boom; no further plans tried"
    )


def test_r4_4_a_plan_that_can_not_be_reserved_is_not_tried(tmp_path, monkeypatch):
    when(monkeypatch, Search, "_discarding", lambda _search, plan, _hosts: plan.positions == 2)

    played = Played(tmp_path, min_tasks=8)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.lines == [
        "cluster-wide check passed",
        "plan 1 hosts 1 tasks per position [8] discarded",
        "plan 2 hosts 2 tasks per position [4, 4] not tried: internal error: ValueError: boom;"
        " no further plans tried",
        "plans: 2 generated, 0 tried, 1 discarded, 1 not tried",
    ]


def test_r4_4_an_error_in_the_cluster_wide_check(tmp_path, monkeypatch):
    monkeypatch.setattr(Search, "_rows", boom)

    played = Played(tmp_path)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.lines == [
        "cluster-wide check ended in an internal error: ValueError: boom; no placement plans tried",
    ]


def test_r4_5_an_allocation_that_can_not_be_built(tmp_path, monkeypatch):
    monkeypatch.setattr(allocator, "build", boom)

    played = Played(tmp_path, resreq="rusage[mem=2048]")

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.lines[-3:] == [
        "plan 1 succeeded",
        "plan 1 ended in an internal error: ValueError: boom; no further plans tried",
        "plans: 1 generated, 1 tried, 0 discarded, 0 not tried",
    ]


def test_r4_7_candidates_that_can_not_be_found(tmp_path, monkeypatch):
    monkeypatch.setattr(State, "demand_of", boom)

    played = Played(tmp_path)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.lines == [
        "no plan generated: internal error: ValueError: boom",
        "plans: 0 generated, 0 tried, 0 discarded, 0 not tried",
    ]


def test_r4_7_a_planner_that_fails_after_its_first_plans(tmp_path, monkeypatch):
    """What an untraced job may pass over is no reason for another decision."""
    monkeypatch.setattr(Sieve, "capacity", boom)

    played = Played(tmp_path, min_tasks=8, max_tasks=20, resreq="rusage[mem=8192/task]")

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.lines[-1].startswith("plans: ")
    assert played.all[-1] == "no decision: internal error: ValueError: boom"


COMPOUND = {"resreq": "2*{rusage[mem=2048]} + 1*{rusage[mem=2048]} + 1*{}", "min_tasks": 4}


def test_r3_3_a_member_that_ends_in_an_internal_error(tmp_path, monkeypatch):
    when(monkeypatch, allocator, "build", lambda placement, _names: placement.plan.tasks == 1)

    played = Played(tmp_path, **COMPOUND)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert [line for line in played.lines if line.startswith("member")] == [
        "member 1/3 satisfied",
        "member 2/3 failed: internal error: ValueError: boom; member 3 not tried",
    ]
    assert played.all[-2] == "compound requirement failed: internal error: ValueError: boom"


@pytest.mark.parametrize(
    ("owner", "name", "member"), [(allocator, "merged", 3), (Placement, "reserve", 1)]
)
def test_r3_3_members_that_can_not_be_joined(tmp_path, monkeypatch, owner, name, member):
    monkeypatch.setattr(owner, name, boom)

    played = Played(tmp_path, **COMPOUND)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.lines[-1].startswith(
        f"member {member}/3 failed: internal error: ValueError: boom"
    )
    assert played.all[-2] == "compound requirement failed: internal error: ValueError: boom"


def test_r3_5_an_error_in_an_alternative_ends_the_attempt(tmp_path, monkeypatch):
    when(monkeypatch, allocator, "build", lambda placement, _names: True)

    played = Played(tmp_path, resreq="{rusage[mem=9000]} || {rusage[mem=2048]} || {}")

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    ends = [line for line in played.all if line.startswith("alternative")]
    assert ends == [
        "alternative 1/3 not satisfied",
        "alternative 2/3 failed: internal error: ValueError: boom",
    ]


def test_r2_4_the_attempt_ended_in_an_internal_error(tmp_path, monkeypatch):
    monkeypatch.setattr(allocator, "build", boom)

    played = Played(tmp_path)

    assert played.all[0].startswith("selection: policy builtin_fcfs queue normal (priority 50)")
    assert played.all[-1] == "no decision: internal error: ValueError: boom"


def test_r2_4_the_decision_can_not_be_committed(tmp_path, monkeypatch):
    when(monkeypatch, jobs, "charges_of", lambda allocation, *_args: len(allocation.hosts) == 2)

    played = Played(tmp_path, min_tasks=8)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.second == "dispatch 2  n01:1"
    assert played.all[-1] == "no decision: internal error: ValueError: boom"


def test_r2_4_the_class_of_a_job_can_not_be_made(tmp_path, monkeypatch):
    when(monkeypatch, State, "class_of", lambda _state, one: one.id == 1)

    played = Played(tmp_path)

    assert played.echo == "no decision 1  internal error: ValueError: boom"
    assert played.second == "dispatch 2  n01:1"
    assert played.all == [
        "selection: policy builtin_fcfs queue normal (priority 50) job priority 0"
        " queued 1970-01-01 00:00:00",
        "cluster-wide limits: unavailable (internal error)",
        "no decision: internal error: ValueError: boom",
    ]


def test_r2_4_a_job_that_left_while_it_was_selected(tmp_path, monkeypatch):
    """A policy that plugs in may keep jobs that are not there any more."""
    replay = write_replay(tmp_path / "gone.jsonl", *CLUSTER, job(1), job(2))

    def leaving(pending):
        for each in pending:
            if each.id == 1:
                jobs.remove(sitting.session.player.engine.core.state, each)
            yield each

    monkeypatch.setitem(picker.PICKERS, "builtin_fcfs", leaving)
    for lines in (["trace on all"], []):
        sitting = Sitting(replay)
        text = sitting.run(*lines, "step")
        assert "[sim]   no decision 1  job not found\n" in text
        assert "[sim]   dispatch 2  n01:1\n" in text
        if lines:
            assert (
                "[trace] job 1 session 1 position 1 level summary\n"
                "  selection: ordering keys and limits unavailable (job not found by the allocator)\n"
                "  no decision: job not found\n"
            ) in text


def test_r2_4_no_scheduling_object(tmp_path):
    played = Played(tmp_path, resreq="rusage[nonsense=1]")

    assert played.echo.startswith("no decision 1  RESREQ_INVALID: ")
    assert played.all[1] == "cluster-wide limits: unavailable (no scheduling object)"
    assert played.all[2].startswith("no decision: no scheduling object (RESREQ_INVALID: ")


def test_r2_4_pended_without_any_reason(tmp_path, monkeypatch):
    """Every scan stopped before it had looked at a host: nothing can be said against any."""
    without_columns(monkeypatch)
    when(monkeypatch, stepping, "hosts_of", lambda sieve: len(sieve.demand.on_hosts) == 2)

    played = Played(tmp_path)

    assert played.echo == "no decision 1  pended without any reason"
    assert played.second == "dispatch 2  n01:1"
    assert played.all[-2:] == [
        "single requirement not satisfied",
        "no decision: pended without any reason",
    ]


FAULTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "build": lambda patch: patch.setattr(allocator, "build", boom),
    "claim": lambda patch: claim_fails(patch, 0),
    "commit": lambda patch: patch.setattr(jobs, "charges_of", boom),
    "plan": lambda patch: patch.setattr(Search, "_discarding", boom),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("traced", [True, False])
def test_r2_4_an_error_leaves_no_account_behind_and_the_job_is_tried_again(
    tmp_path, monkeypatch, fault, traced
):
    replay = write_replay(tmp_path / "again.jsonl", *CLUSTER, job(1, min_tasks=4), job(2, t=1))
    sitting = Sitting(replay)
    with monkeypatch.context() as broken:
        FAULTS[fault](broken)
        text = sitting.run(*(["trace on all"] if traced else []), "step")
        assert "no decision 1  internal error: ValueError: boom" in text
    text = sitting.run("step")
    assert "dispatch 1  n01:4" in text
    assert "dispatch 2  n02:1" in text
