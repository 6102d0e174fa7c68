"""R5: what was found about each host, at both levels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_builders import (
    GIB,
    LIM_HOST,
    LIM_POOL,
    MEM,
    SLOTS,
    begin_single,
    begun,
    bounded,
    host_names,
    host_rows,
    one_position,
    pended,
    scan,
)

from xce_sim.model.verdict import Account, MismatchPart, Scan
from xce_sim.trace.verdicts import KIND_NAMES, NO_VERDICT

SHORT = (64 * GIB, 60 * GIB, 0, 8 * GIB)
WINDOWS = MismatchPart(expression="type == linux", value="windows")


def record_position(seen: Scan, *, level: str = "full", hosts: int | None = None, **kwargs):
    made = begun(hosts or len(seen.mismatch), level=level, **kwargs)
    begin_single(made)
    one_position(made, seen)
    made.end_plan(1)
    made.end_requirement("not satisfied")
    return pended(made)


def host_lines(seen: Scan, *, units: str = "auto", **kwargs) -> list[str]:
    """The lines between a position's first and last."""
    lines = bounded(record_position(seen, **kwargs), units=units)
    return [line.removeprefix("      ") for line in lines[3:-3]]


def test_r5_1_hosts_in_the_order_considered_with_every_reason_found():
    seen = scan(
        4,
        order=[3, 1, 0, 2],
        accepted=0,
        mismatch={3: WINDOWS},
        rows=[host_rows(MEM, 4, {1: SHORT}), host_rows(SLOTS, 4, {1: (4, 3, 1, 1)})],
    )

    assert host_lines(seen) == [
        "host n04 rejected (pre-filter): selection mismatch (type == linux: windows);"
        " per-host check not performed",
        "host n02 rejected (per-host check): resource shortfall",
        "  mem total 64 GiB in-use 60 GiB reserved 0 requested 8 GiB",
        "  slots total 4 in-use 3 reserved 1 requested 1",
        "host n01 accepted",
        "not reached: 1 host after n01",
    ]


def test_r5_1_a_host_not_reached_is_not_judged():
    """What the columns say about hosts behind the accepted one does not matter."""
    seen = scan(
        4,
        accepted=0,
        mismatch=[1],
        rows=[host_rows(MEM, 4, {2: SHORT})],
        errors={3: "boom"},
    )

    record = record_position(seen)

    assert bounded(record)[3:5] == [
        "      host n01 accepted",
        "      not reached: 3 hosts after n01",
    ]
    assert record.counters.evaluations == (1, 0, 0, 0, 0, 0)


def test_r5_1_nothing_is_asked_about_hosts_beyond_the_bound():
    asked: list[int] = []

    def explain(host: int) -> MismatchPart:
        asked.append(host)
        return WINDOWS

    seen = dataclasses.replace(scan(10_000, mismatch=range(10_000)), explain=explain)
    record = record_position(seen, lines=50)

    assert asked == list(range(47))
    assert record.counters.evaluations == (0, 10_000, 0, 0, 0, 0)


def test_r5_1_a_host_is_asked_about_once_in_a_requirement():
    asked: list[int] = []

    def explain(host: int) -> MismatchPart:
        asked.append(host)
        return WINDOWS

    made = begun()
    begin_single(made)
    seen = dataclasses.replace(scan(3, mismatch=range(3)), explain=explain)
    for _ in range(4):
        one_position(made, seen)
        made.end_plan(1)

    assert asked == [0, 1, 2]
    assert len([line for line in bounded(pended(made)) if "windows" in line]) == 12


def test_r5_1_another_select_expression_gives_another_part():
    made = begun(1)
    begin_single(made)
    one_position(made, scan(1, mismatch={0: WINDOWS}))
    one_position(made, scan(1, mismatch={0: MismatchPart(expression="gpu")}))

    lines = [line for line in bounded(pended(made)) if "mismatch" in line]

    assert [line.partition("(pre-filter): ")[2] for line in lines] == [
        "selection mismatch (type == linux: windows); per-host check not performed",
        "selection mismatch (gpu); per-host check not performed",
    ]


@pytest.mark.parametrize("kind", ["mismatch", "shortfall", "limit"])
def test_r5_2_the_phase_that_rejected_is_named(kind):
    seen = {
        "mismatch": scan(1, mismatch=[0]),
        "shortfall": scan(1, rows=[host_rows(MEM, 1, {0: SHORT})]),
        "limit": scan(1, rows=[host_rows(LIM_HOST, 1, {0: (8, 6, 0, 4)})]),
    }[kind]

    phase = "pre-filter" if kind == "mismatch" else "per-host check"
    assert host_lines(seen)[0].startswith(f"host n01 rejected ({phase}): ")


@pytest.mark.parametrize(
    ("part", "units", "text"),
    [
        (None, "auto", "selection mismatch"),
        (WINDOWS, "auto", "selection mismatch (type == linux: windows)"),
        (MismatchPart(expression="!gpu"), "auto", "selection mismatch (!gpu)"),
        (
            MismatchPart(expression="mem > 100000", milli=64_000_000, unit="MiB"),
            "raw",
            "selection mismatch (mem > 100000: 64000)",
        ),
        (
            MismatchPart(expression="mem > 100000", milli=65_536_000, unit="MiB"),
            "auto",
            "selection mismatch (mem > 100000: 64 GiB)",
        ),
        (
            MismatchPart(expression="mem > 0", milli=0, unit="MiB"),
            "auto",
            "selection mismatch (mem > 0: 0)",
        ),
    ],
)
def test_r5_3_a_mismatch_names_the_part_that_failed_and_the_value(part, units, text):
    seen = scan(1, mismatch={0: part})

    assert host_lines(seen, units=units) == [
        f"host n01 rejected (pre-filter): {text}; per-host check not performed"
    ]


def test_r5_4_only_short_resources_with_all_four_numbers():
    seen = scan(
        2,
        rows=[
            host_rows(MEM, 2, {0: (64 * GIB, 40 * GIB, 20 * GIB, 8 * GIB), 1: (64, 0, 0, 8)}),
            host_rows(SLOTS, 2, {0: (16, 1, 0, 4), 1: (16, 12, 1, 4)}),
        ],
    )

    assert host_lines(seen) == [
        "host n01 rejected (per-host check): resource shortfall",
        "  mem total 64 GiB in-use 40 GiB reserved 20 GiB requested 8 GiB",
        "host n02 rejected (per-host check): resource shortfall",
        "  slots total 16 in-use 12 reserved 1 requested 4",
    ]


def test_r5_5_a_limit_is_named_with_its_instance_and_is_no_shortfall():
    own = Account(kind="limit", name="lim_u", resource="slots", instance="u=alice", per_host=True)
    memory = Account(kind="limit", name="lim_mem", resource="mem", unit="MiB", instance="all")
    seen = scan(
        1,
        rows=[
            host_rows(LIM_HOST, 1, {0: (8, 6, 0, 4)}),
            host_rows(own, 1, {0: (2, 0, 1, 4)}),
            host_rows(memory, 1, {0: (8 * GIB, 4 * GIB, 0, 8 * GIB)}),
        ],
    )

    assert host_lines(seen) == [
        "host n01 rejected (per-host check): limit exceeded",
        "  limit lim_host (h=n01) on slots: value 8 usage 6 reserved 0 requested 4",
        "  limit lim_u (u=alice,h=n01) on slots: value 2 usage 0 reserved 1 requested 4",
        "  limit lim_mem (all) on mem: value 8 GiB usage 4 GiB reserved 0 requested 8 GiB",
    ]


def test_r5_5_a_host_both_short_and_over_a_limit_has_both_kinds():
    seen = scan(
        1,
        rows=[
            host_rows(MEM, 1, {0: SHORT}),
            host_rows(LIM_HOST, 1, {0: (8, 6, 0, 4)}),
        ],
    )

    assert host_lines(seen) == [
        "host n01 rejected (per-host check): resource shortfall, limit exceeded",
        "  mem total 64 GiB in-use 60 GiB reserved 0 requested 8 GiB",
        "  limit lim_host (h=n01) on slots: value 8 usage 6 reserved 0 requested 4",
    ]


def test_r5_6_hosts_claimed_by_earlier_positions_of_the_plan():
    made = begun()
    begin_single(made)
    made.begin_plan([2, 2, 2])
    claims: dict[int, int] = {}
    for number, host in enumerate((0, 1), start=1):
        made.begin_position(number, 2)
        made.end_position(scan(3, accepted=host, claimed=dict(claims)))
        claims[host] = number
    made.begin_position(3, 2)
    made.end_position(scan(3, accepted=2, claimed=claims))
    record = pended(made)

    assert bounded(record)[2:] == [
        "    position 1 (2 tasks)",
        "      host n01 accepted",
        "      not reached: 2 hosts after n01",
        "    position 1 filled by n01",
        "    position 2 (2 tasks)",
        "      host n01 already claimed by position 1",
        "      host n02 accepted",
        "      not reached: 1 host after n02",
        "    position 2 filled by n02",
        "    position 3 (2 tasks)",
        "      host n01 already claimed by position 1",
        "      host n02 already claimed by position 2",
        "      host n03 accepted",
        "    position 3 filled by n03",
    ]
    assert record.counters.evaluations == (3, 0, 0, 0, 3, 0)


def test_r5_6_a_new_plan_has_claimed_nothing():
    made = begun()
    begin_single(made)
    for claimed in ({0: 1}, {1: 1}, {2: 1}, {}):
        made.begin_plan([2, 2])
        made.begin_position(2, 2)
        rows = [host_rows(MEM, 3, dict.fromkeys(range(3), SHORT))]
        made.end_position(scan(3, claimed=claimed, rows=rows))

    lines = bounded(pended(made))
    assert [line.strip() for line in lines if "claimed" in line] == [
        "host n01 already claimed by position 1",
        "host n02 already claimed by position 1",
        "host n03 already claimed by position 1",
    ]


def test_r5_7_a_host_that_could_not_be_evaluated():
    seen = scan(
        3,
        mismatch=[1],
        rows=[host_rows(MEM, 3, {0: SHORT, 2: SHORT})],
        errors={1: "select: boom", 2: "check: boom"},
    )

    record = record_position(seen)

    assert bounded(record)[5:7] == [
        "      host n02 not evaluated: internal error: select: boom",
        "      host n03 not evaluated: internal error: check: boom",
    ]
    assert record.counters.evaluations == (0, 0, 1, 0, 0, 2)


def test_r5_7_a_host_without_any_verdict_is_a_defect_that_is_shown():
    assert host_lines(scan(2, accepted=1)) == [
        f"host n01 not evaluated: internal error: {NO_VERDICT}",
        "host n02 accepted",
    ]


def test_r5_8_hosts_of_a_failed_plan_are_released_in_order():
    made = begun()
    begin_single(made)
    made.begin_plan([2, 2])
    made.begin_position(1, 2)
    made.end_position(scan(3, accepted=0))
    made.begin_position(2, 2)
    made.end_position(scan(3, reached=0, stopped="boom"))
    made.released([2, 0])
    made.end_plan(2)

    assert bounded(pended(made))[-2:] == [
        "    released hosts: n03 n01",
        "  plan 1 failed: position 2 could not be filled",
    ]


def test_r5_8_very_many_released_hosts_are_counted():
    made = begun(200)
    begin_single(made)
    made.released(np.arange(120))
    made.released([])

    names = host_names(50)
    assert bounded(pended(made))[1:] == [f"    released hosts: {' '.join(names)} ... 70 more"]


def test_r5_9_summary_counts_hosts_by_kind():
    seen = scan(
        9,
        accepted=7,
        mismatch=[0, 1],
        claimed={2: 1},
        errors={3: "boom"},
        rows=[
            host_rows(MEM, 9, {4: SHORT, 5: SHORT}),
            host_rows(LIM_HOST, 9, {5: (8, 6, 0, 4), 6: (8, 6, 0, 4)}),
            host_rows(LIM_POOL, 9, {6: (10, 8, 0, 4)}),
        ],
    )

    record = record_position(seen, level="summary")

    assert bounded(record)[2:-2] == [
        "    position 1 (4 tasks)",
        "      accepted n08; rejected: selection mismatch 2, resource shortfall 2,"
        " limit exceeded 2 (lim_host (h=n06) 1, lim_host (h=n07) 1, lim_pool (all) 1),"
        " already claimed 1, not evaluated 1, counted twice 1; not reached 1",
        "    position 1 filled by n08",
    ]
    assert record.counters.evaluations == (1, 2, 2, 2, 1, 1)


def test_r5_9_summary_without_an_accepted_host():
    seen = scan(2, mismatch=[0, 1])

    assert host_lines(seen, level="summary") == [
        "no host accepted; rejected: selection mismatch 2, resource shortfall 0,"
        " limit exceeded 0, already claimed 0, not evaluated 0; not reached 0",
    ]


def test_r5_9_very_many_instances_are_added_up_per_limit():
    pool = Account(kind="limit", name="lim_pool", resource="slots", instance="all")
    own = Account(kind="limit", name="lim_own", resource="slots", instance="u=bob", per_host=True)
    exceeded = dict.fromkeys(range(60), (8, 8, 0, 1))
    first = dict.fromkeys(range(20), (8, 8, 0, 1))
    rows = [host_rows(own, 60, first), host_rows(LIM_HOST, 60, exceeded)]
    seen = scan(60, rows=[*rows, host_rows(pool, 60, exceeded)])

    (line,) = host_lines(seen, level="summary")

    listed = [f"lim_own (u=bob,h={name}) 1" for name in host_names(20)]
    listed += [f"lim_host (h={name}) 1" for name in host_names(30)]
    listed += ["lim_pool (all) 60", "... 30 instances more: lim_host 30"]
    assert f"limit exceeded 60 ({', '.join(listed)}), already claimed 0" in line


def test_r5_10_the_kinds():
    assert KIND_NAMES == (
        "accepted",
        "selection mismatch",
        "resource shortfall",
        "limit exceeded",
        "already claimed",
        "not evaluated",
    )


@st.composite
def scans(draw) -> Scan:
    """Any consistent scan over a few hosts."""
    hosts = draw(st.integers(1, 12))
    order = draw(st.permutations(range(hosts)))[: draw(st.integers(0, hosts))]
    reached = draw(st.integers(0, len(order)))
    some = st.sets(st.integers(0, hosts - 1))
    mismatch, claimed, failed = draw(some), draw(some), draw(some)
    rows = []
    for account in (MEM, SLOTS, LIM_HOST, LIM_POOL):
        short = dict.fromkeys(draw(some), (4, 4, 0, 1))
        rows.append(host_rows(account, hosts, short))
    bad = mismatch | claimed | failed
    for each in rows:
        bad |= set(np.flatnonzero(each.short).tolist())
    accepted = None
    if reached and order[reached - 1] not in bad and draw(st.booleans()):
        accepted = order[reached - 1]
    return scan(
        hosts,
        order=order,
        reached=reached,
        accepted=accepted,
        mismatch=mismatch,
        claimed={host: place for place, host in enumerate(sorted(claimed), start=1)},
        rows=rows,
        errors=dict.fromkeys(failed, "boom"),
    )


def judged_by_hand(seen: Scan) -> list[set[str]]:
    """The kinds of each host looked at, one host after the other."""
    kinds: list[set[str]] = []
    for host in seen.order[: seen.reached].tolist():
        if host in seen.errors:
            kinds.append({"not evaluated"})
        elif seen.mismatch[host]:
            kinds.append({"selection mismatch"})
        elif host in seen.claimed:
            kinds.append({"already claimed"})
        elif host == seen.accepted:
            kinds.append({"accepted"})
        else:
            kinds.append(
                {
                    "limit exceeded" if rows.account.kind == "limit" else "resource shortfall"
                    for rows in seen.rows
                    if rows.short[host]
                }
                or {"not evaluated"}
            )
    return kinds


@settings(deadline=None, max_examples=150, derandomize=True)
@given(scans())
def test_r5_9_both_levels_agree_with_each_host_judged_alone(seen):
    kinds = judged_by_hand(seen)
    counts = tuple(sum(name in each for each in kinds) for name in KIND_NAMES)
    full, summary = record_position(seen), record_position(seen, level="summary")

    assert full.counters.evaluations == summary.counters.evaluations == counts
    (entry,) = [each for each in summary.entries if type(each).__name__ == "PositionSummary"]
    twice = sum(len(each) == 2 for each in kinds)
    assert (entry.twice, entry.rejected) == (twice, counts[1:])
    candidates = counts[0] + sum(entry.rejected) - entry.twice + entry.not_reached
    assert candidates == len(seen.order)

    hosts = [line for line in bounded(full) if line.startswith("      host ")]
    names = host_names(len(seen.mismatch))
    assert [line.split()[1] for line in hosts] == [
        names[host] for host in seen.order[: seen.reached].tolist()
    ]
    for line, each in zip(hosts, kinds, strict=True):
        assert each == {name for name in KIND_NAMES if name in line}


@settings(deadline=None, max_examples=50, derandomize=True)
@given(scans())
def test_r10_1_recording_changes_nothing_that_it_reads(seen):
    arrays = [seen.order, seen.mismatch]
    for rows in seen.rows:
        arrays += [rows.total, rows.in_use, rows.reserved, rows.requested, rows.short]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.setflags(write=False)
    claimed, errors = dict(seen.claimed), dict(seen.errors)

    for level in ("summary", "full"):
        record_position(seen, level=level)

    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))
    assert (seen.claimed, seen.errors) == (claimed, errors)


def test_a_record_does_not_change_with_the_columns():
    rows = host_rows(MEM, 3, dict.fromkeys(range(3), SHORT))
    seen = scan(3, mismatch=[1], rows=[rows])
    record = record_position(seen)
    before = bounded(record)

    for array in (seen.order, rows.total, rows.in_use, rows.reserved, rows.requested):
        array[:] = 0
    seen.mismatch[:] = True
    rows.short[:] = False

    assert bounded(record) == before


def test_no_host_at_all():
    record = record_position(scan(0), hosts=0)

    assert bounded(record)[2:4] == ["    position 1 (4 tasks)", "    position 1 not filled"]
