"""R4: cluster-wide checks and placement plans."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from trace_builders import (
    LICENSE,
    LIM_USER,
    MEM,
    begin_single,
    begun,
    bounded,
    host_rows,
    one_position,
    pended,
    row,
    scan,
)

from xce_sim.model.verdict import Account, NotCandidates
from xce_sim.trace.sizes import MAX_RUNS


def in_requirement(**kwargs):
    made = begun(**kwargs)
    begin_single(made)
    return made


def ended(made, outcome: str = "not satisfied") -> list[str]:
    """The lines between the first and the last of the requirement."""
    made.end_requirement(outcome)
    return bounded(pended(made))[1:-1]


def short_scan(hosts: int = 3):
    memory = dict.fromkeys(range(hosts), (4096, 4096, 0, 1024))
    return scan(hosts, rows=[host_rows(MEM, hosts, memory)])


def test_r4_1_each_shared_resource_with_its_numbers():
    made = in_requirement()
    scratch = Account(kind="shared", name="scratch", unit="TiB")
    made.check_rows([row(LICENSE, (10, 7, 2, 1)), row(scratch, (2, 1, 0, 0.5))], passed=True)

    assert ended(made) == [
        "  cluster-wide: license total 10 in-use 7 reserved 2 requested 1 passed",
        "  cluster-wide: scratch total 2 TiB in-use 1 TiB reserved 0 requested 512 GiB passed",
        "  cluster-wide check passed",
    ]


def test_r4_2_a_limit_is_a_limit_rejection_and_no_shortfall():
    made = in_requirement()
    made.check_rows([row(LIM_USER, (100, 96, 3, 4))], passed=False)

    assert ended(made) == [
        "  cluster-wide limit lim_user (u=alice) on slots:"
        " value 100 usage 96 reserved 3 requested 4 failed",
        "  cluster-wide check failed; no placement plans tried",
    ]


def test_r4_2_a_limit_on_memory_has_its_unit():
    made = in_requirement()
    limit = Account(kind="limit", name="lim_mem", resource="mem", unit="MiB", instance="all")
    made.check_rows([row(limit, (4, 0, 0, 5))], passed=False)

    assert ended(made)[0] == (
        "  cluster-wide limit lim_mem (all) on mem:"
        " value 4 MiB usage 0 reserved 0 requested 5 MiB failed"
    )


class Runs(Sequence):
    """A plan's sizes as runs, never walked through."""

    def __init__(self, *runs: tuple[int, int]) -> None:
        self.runs = runs

    def __len__(self) -> int:
        return sum(count for _, count in self.runs)

    def __getitem__(self, index):
        raise AssertionError("walked through")


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ([4], "hosts 1 tasks per position [4]"),
        ([4, 4, 3], "hosts 3 tasks per position [4, 4, 3]"),
        ([1] * 32, f"hosts 32 tasks per position [{', '.join(['1'] * 32)}]"),
        ([2] * 30 + [1] * 3, "hosts 33 tasks per position [2 x 30, 1 x 3]"),
        ([4] * 60 + [3] * 4, "hosts 64 tasks per position [4 x 60, 3 x 4]"),
        ([4] * 60 + [3], "hosts 61 tasks per position [4 x 60, 3]"),
        (Runs((2, 2), (1, 1)), "hosts 3 tasks per position [2, 2, 1]"),
        (Runs((2, 4000), (1, 6000)), "hosts 10000 tasks per position [2 x 4000, 1 x 6000]"),
        (
            range(40, 0, -1),
            f"hosts 40 tasks per position [{', '.join(map(str, range(40, 0, -1)))}]",
        ),
    ],
)
def test_r4_3_a_plan_with_its_positions(sizes, text):
    made = in_requirement()
    made.begin_plan(sizes)

    assert ended(made) == [f"  plan 1 {text}"]


def test_r4_3_a_plan_of_very_many_different_positions_says_what_it_leaves_out():
    made = in_requirement()
    made.begin_plan([1 + number % 2 for number in range(1000)])

    (line,) = ended(made)

    assert line.startswith("  plan 1 hosts 1000 tasks per position [1, 2, 1, 2, ")
    assert line.endswith(f"1, 2, ... {1000 - MAX_RUNS} positions more]")


def test_r4_3_runs_that_are_handed_over_are_bounded_too():
    made = in_requirement()
    made.begin_plan(Runs(*[(tasks, 2) for tasks in range(1000, 0, -1)]))

    (line,) = ended(made)

    assert line.startswith("  plan 1 hosts 2000 tasks per position [1000 x 2, 999 x 2, ")
    assert line.endswith(f" x 2, ... {2 * (1000 - MAX_RUNS)} positions more]")


def test_r4_3_fill_plans_and_sets_are_named():
    made = in_requirement()
    made.begin_plan([8, 2], fill=True, same="type=linux")
    made.plan_discarded([64], same="type=linux model=x")
    made.plan_discarded([9, 1], fill=True)

    assert ended(made) == [
        "  plan 1 hosts 2 tasks per position [8, 2] (fill) set type=linux",
        "  plan 2 hosts 1 tasks per position [64] set type=linux model=x discarded",
        "  plan 3 hosts 2 tasks per position [9, 1] (fill) discarded",
    ]


def test_r4_3_the_maximum_is_lowered():
    made = in_requirement()
    made.maximum_lowered(6, LIM_USER)
    made.maximum_lowered(1, LICENSE)

    assert ended(made) == [
        "  maximum lowered to 6 tasks: cluster-wide limit lim_user (u=alice)",
        "  maximum lowered to 1 task: cluster-wide license",
    ]


def test_r4_4_a_failed_plan_names_the_position_and_the_next_one_is_tried():
    made = in_requirement()
    one_position(made, short_scan())
    made.end_plan(1)
    made.begin_plan([2, 2])
    made.begin_position(1, 2)
    made.end_position(scan(3, accepted=0))
    made.end_plan(None)

    assert [line for line in ended(made) if line.startswith("  plan")] == [
        "  plan 1 hosts 1 tasks per position [4]",
        "  plan 1 failed: position 1 could not be filled",
        "  plan 2 hosts 2 tasks per position [2, 2]",
        "  plan 2 succeeded",
    ]


def test_r4_4_a_plan_that_ends_in_an_internal_error():
    made = in_requirement(level="summary")
    one_position(made, scan(3, accepted=0), error="claim: boom")
    made.end_plan(1, error="claim: boom")
    made.end_search(internal=True)

    assert ended(made, "failed") == [
        "  plan 1 hosts 1 tasks per position [4]",
        "    position 1 (4 tasks)",
        "      accepted n01; rejected: selection mismatch 0, resource shortfall 0,"
        " limit exceeded 0, already claimed 0, not evaluated 0; not reached 2",
        "    position 1 not filled: internal error: claim: boom",
        "  plan 1 ended in an internal error: claim: boom; no further plans tried",
        "  plans: 1 generated, 1 tried, 0 discarded, 0 not tried",
    ]


def test_r4_4_a_plan_that_can_not_be_tried():
    made = in_requirement()
    made.plan_discarded([4])
    made.plan_not_tried([2, 2], "reserving: boom", fill=True)
    made.end_search(internal=True)

    assert ended(made, "failed") == [
        "  plan 1 hosts 1 tasks per position [4] discarded",
        "  plan 2 hosts 2 tasks per position [2, 2] (fill)"
        " not tried: internal error: reserving: boom; no further plans tried",
        "  plans: 2 generated, 0 tried, 1 discarded, 1 not tried",
    ]


def test_r4_4_a_host_scan_that_stopped_shows_the_hosts_before_and_later_plans():
    made = in_requirement()
    one_position(
        made,
        scan(3, reached=1, rows=[host_rows(MEM, 3, {0: (8, 8, 0, 1)})], stopped="step: boom"),
    )
    made.end_plan(1)
    made.begin_plan([2, 2])

    assert ended(made) == [
        "  plan 1 hosts 1 tasks per position [4]",
        "    position 1 (4 tasks)",
        "      host n01 rejected (per-host check): resource shortfall",
        "        mem total 8 MiB in-use 8 MiB reserved 0 requested 1 MiB",
        "      not reached: 2 hosts after n01",
        "    position 1 not filled: internal error in the host scan: step: boom",
        "  plan 1 failed: position 1 could not be filled",
        "  plan 2 hosts 2 tasks per position [2, 2]",
    ]


def test_r4_4_a_host_scan_that_could_not_start():
    made = in_requirement()
    one_position(made, scan(3, reached=0, stopped="start: boom"))

    assert ended(made)[2:] == [
        "      not reached: 3 hosts",
        "    position 1 not filled: internal error in the host scan: start: boom",
    ]


def test_r4_5_the_committed_plan():
    made = in_requirement()
    made.plan_discarded([4])
    one_position(made, scan(3, accepted=0))
    made.end_plan(None)
    made.committed()
    made.end_search()

    assert ended(made, "satisfied")[-3:] == [
        "  plan 2 succeeded",
        "  plan 2 committed; no further plans tried",
        "  plans: 2 generated, 1 tried, 1 discarded, 0 not tried",
    ]


def test_r4_5_building_the_allocation_ends_in_an_internal_error():
    made = in_requirement()
    one_position(made, scan(3, accepted=0))
    made.end_plan(None)
    made.build_failed("build: boom")
    made.end_search(internal=True)

    assert ended(made, "failed")[-3:] == [
        "  plan 1 succeeded",
        "  plan 1 ended in an internal error: build: boom; no further plans tried",
        "  plans: 1 generated, 1 tried, 0 discarded, 0 not tried",
    ]


def test_r4_6_no_plan_could_be_placed():
    made = in_requirement()
    made.plan_discarded([4])
    for sizes in ([2, 2], [1, 1, 1, 1]):
        made.begin_plan(sizes)
        made.end_plan(1)
    made.end_search()

    made.end_requirement("not satisfied")
    record = pended(made)

    assert bounded(record)[-2] == (
        "  plans: 3 generated, 2 tried, 1 discarded, 0 not tried; no plan could be placed"
    )
    assert record.counters.none_placed == 1


@pytest.mark.parametrize(
    ("clauses", "said"),
    [
        (["affinity"], "clause affinity is not supported"),
        (["affinity", "cu"], "clauses affinity, cu are not supported"),
    ],
)
def test_r4_7_declined_before_plans(clauses, said):
    made = in_requirement()
    made.declined(clauses)
    made.end_requirement("not satisfied")
    record = pended(made)

    assert bounded(record)[1:-1] == [f"  no plan generated: declined, {said}"]
    assert record.counters.none_generated == 1


def test_r4_7_planning_can_not_begin():
    made = in_requirement()
    made.no_plan("planner: boom")
    made.end_search(internal=True)
    made.end_requirement("failed", cause="planner: boom")
    record = pended(made)

    assert bounded(record)[1:-1] == [
        "  no plan generated: internal error: planner: boom",
        "  plans: 0 generated, 0 tried, 0 discarded, 0 not tried",
    ]
    assert record.counters.none_generated == 1


@pytest.mark.parametrize(
    ("cause", "said"), [("no set of hosts", "no set of hosts"), ("", "the planner gave none")]
)
def test_r4_7_the_planner_gives_no_plan(cause, said):
    made = in_requirement()
    made.end_search(cause=cause)
    made.end_requirement("not satisfied")
    record = pended(made)

    assert bounded(record)[1] == (
        f"  plans: 0 generated, 0 tried, 0 discarded, 0 not tried; no plan generated: {said}"
    )
    assert record.counters.none_generated == 1


@pytest.mark.parametrize("how", ["declined", "no plan", "not tried", "ended", "not built"])
def test_r4_6_what_other_lines_have_said_is_not_stated_again(how):
    """Nor counted twice, even if the search is not told that it ended in an error."""
    made = in_requirement()
    if how == "declined":
        made.declined(["cu"])
    elif how == "no plan":
        made.no_plan("boom")
    elif how == "not tried":
        made.plan_not_tried([4], "boom")
    else:
        made.begin_plan([4])
        made.end_plan(None, error="boom" if how == "ended" else None)
        if how == "not built":
            made.build_failed("boom")
    made.end_search()
    made.end_requirement("failed", cause="boom")
    record = pended(made)

    assert bounded(record)[-2].endswith(" not tried")
    counters = record.counters
    assert counters.none_generated == (how in {"declined", "no plan"})
    assert (counters.all_discarded, counters.none_placed) == (0, 0)


def test_r4_8_no_plan_after_a_failed_check():
    made = in_requirement()
    made.check_rows([row(LICENSE, (1, 1, 0, 1))], passed=False)
    made.end_requirement("not satisfied")
    record = pended(made)

    assert bounded(record)[2] == "  cluster-wide check failed; no placement plans tried"
    assert record.counters.none_generated == 0


def test_r4_9_discarded_plans_in_the_order_generated():
    made = in_requirement()
    made.plan_discarded([4])
    made.plan_discarded([2, 2], cause="more positions than candidate hosts")
    made.end_search()
    made.end_requirement("not satisfied")
    record = pended(made)

    assert bounded(record)[1:-1] == [
        "  plan 1 hosts 1 tasks per position [4] discarded",
        "  plan 2 hosts 2 tasks per position [2, 2] discarded: more positions than candidate hosts",
        "  plans: 2 generated, 0 tried, 2 discarded, 0 not tried;"
        " no plan tried: all generated plans discarded",
    ]
    assert (record.counters.plans_discarded, record.counters.all_discarded) == (2, 1)


COUNTS = NotCandidates(unavail=2, closed=1, queue_hosts=5, job_hosts=1)
NOT_CONSIDERED = (
    "  not considered: 2 unavail, 1 closed, 5 not in queue's hosts, 1 not in job's hosts"
)


@pytest.mark.parametrize("early", [True, False])
def test_not_considered_stands_under_the_first_plan(early):
    made = in_requirement()
    if early:
        made.not_considered(COUNTS)
    made.plan_discarded([4])
    if not early:
        made.not_considered(COUNTS)
    made.begin_plan([2, 2])

    assert ended(made) == [
        "  plan 1 hosts 1 tasks per position [4] discarded",
        NOT_CONSIDERED,
        "  plan 2 hosts 2 tasks per position [2, 2]",
    ]


def test_not_considered_without_a_plan_stands_before_the_search_ends():
    made = in_requirement()
    made.not_considered(COUNTS)
    made.end_search(cause="no set of hosts")

    assert ended(made)[0] == NOT_CONSIDERED


def test_not_considered_without_a_search_says_nothing():
    made = in_requirement()
    made.not_considered(COUNTS)
    made.check_rows([], passed=False)

    assert ended(made) == ["  cluster-wide check failed; no placement plans tried"]


def test_not_considered_has_only_what_there_is_to_say():
    made = in_requirement()
    made.not_considered(NotCandidates())
    made.begin_plan([4])
    made.not_considered(NotCandidates(reconciling=1))

    assert ended(made) == [
        "  plan 1 hosts 1 tasks per position [4]",
        "  not considered: 1 reconciling",
    ]


def test_plan_numbers_begin_anew_with_each_requirement():
    made = in_requirement()
    made.begin_plan([4])
    made.end_requirement("not satisfied")
    begin_single(made)
    made.begin_plan([4])
    made.end_requirement("not satisfied")
    record = pended(made)

    assert [line for line in bounded(record) if line.startswith("  plan")] == [
        "  plan 1 hosts 1 tasks per position [4]",
        "  plan 1 hosts 1 tasks per position [4]",
    ]
    assert record.counters.plans_tried == 2
