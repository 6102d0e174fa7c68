"""R9.1 to R9.3: the line bound, what is said about omitted lines, and exact counters."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_trace_hosts import scans
from trace_builders import (
    LICENSE,
    LIM_USER,
    MEM,
    begin_single,
    begun,
    bounded,
    host_names,
    host_rows,
    one_position,
    pended,
    reason,
    requests,
    row,
    scan,
    text,
)

from xce_sim.model.verdict import MismatchPart, NotCandidates
from xce_sim.trace.blocks import host_block
from xce_sim.trace.host_lines import host_lines
from xce_sim.trace.settings import MAX_LINES
from xce_sim.trace.spans import plain_lines
from xce_sim.trace.verdicts import judge
from xce_sim.trace.wording import Display


def discards(count: int, **kwargs):
    """A record of `count + 2` lines."""
    made = begun(**kwargs)
    begin_single(made)
    for _ in range(count):
        made.plan_discarded([4])
    made.end_requirement("not satisfied")
    return pended(made)


def test_r9_1_the_bound_is_1000_lines_when_none_is_given():
    record = discards(2000)

    assert (record.line_bound, record.line_count) == (1000, 1000)
    assert record.counters.omitted == 1002


@pytest.mark.parametrize("lines", [50, 51, 200])
@pytest.mark.parametrize("excess", [-1, 0, 1, 100])
def test_r9_1_exactly_at_the_bound(lines, excess):
    record = discards(lines - 2 + excess, lines=lines)

    assert record.line_count == min(lines, lines + excess)
    assert record.counters.omitted == max(0, excess)
    assert len(bounded(record)) == record.line_count
    assert any("omitted" in line for line in text(record)) is (excess > 0)


def test_r9_2_the_marker_says_how_many_lines_were_omitted():
    record = discards(2000, lines=60)

    lines = text(record)

    assert lines[3 + 59] == "    plan 59 hosts 1 tasks per position [4] discarded"
    assert lines[3 + 60] == "  ... 1942 trace lines omitted (line bound 60)"


def test_r9_2_one_line_omitted():
    assert "  ... 1 trace line omitted (line bound 50)" in text(discards(49, lines=50))


def test_r9_3_totals_follow_in_two_lines_and_the_rest_stays():
    made = begun(level="summary", lines=50)
    for _ in range(20):
        begin_single(made)
        made.plan_discarded([4])
        one_position(made, scan(3, mismatch=[0], rows=[host_rows(MEM, 3, {1: (1, 1, 0, 1)})]))
        made.end_plan(1)
        made.end_search()
        made.end_requirement("not satisfied")
    begin_single(made)
    made.declined(["cu"])
    made.end_requirement("not satisfied")
    begin_single(made)
    made.plan_discarded([4])
    made.end_search()
    made.end_requirement("not satisfied")
    record = pended(made)

    lines = text(record)

    assert lines[:3] == text(pended(begun(level="summary")))[:3]
    assert lines[53:] == [
        f"  ... {record.counters.omitted} trace lines omitted (line bound 50)",
        "  totals: plans tried 20, plans discarded 21; requirements with no plan generated 1,"
        " all plans discarded 1, no plan placed 20",
        "  totals: host evaluations: accepted 0, selection mismatch 20, resource shortfall 20,"
        " limit exceeded 0, already claimed 0, not evaluated 20",
        "  outcome: PEND NOT_ENOUGH_HOSTS",
        "    NOT_ENOUGH_HOSTS",
    ]


def test_r9_3_no_totals_when_nothing_was_omitted():
    assert not any("totals:" in line for line in text(discards(3)))


@settings(deadline=None, max_examples=100, derandomize=True)
@given(scans(), st.integers(1, 60))
def test_r9_2_a_block_cut_by_the_bound_is_the_beginning_of_the_whole(seen, room):
    part = MismatchPart(expression="gpu")
    verdicts = judge(seen, None)
    names = host_names(len(seen.mismatch))

    def lines(bound: int) -> list[str]:
        block = host_block(seen, verdicts, depth=0, room=bound, part_of=lambda _: part)
        found = plain_lines(host_lines(block, names, Display()))
        assert len(found) == block.lines
        return found

    seen = dataclasses.replace(seen, claimed={})
    verdicts = judge(seen, None)
    whole = lines(10_000)

    assert len(whole) == verdicts.lines
    assert lines(min(room, len(whole))) == whole[:room]


def calls() -> st.SearchStrategy[list]:
    """Everything an allocator may report about one job, as a tree of calls."""
    position = st.tuples(scans(), st.none() | st.just("boom"))
    plan = st.tuples(
        st.sampled_from(["tried", "tried", "discarded", "not tried"]),
        st.lists(position, max_size=3),
        st.none() | st.just("boom"),
        st.booleans(),
    )
    primary = st.tuples(
        st.sampled_from(["declined", "failed check", "error", "search", "search", "search"]),
        st.lists(plan, max_size=5),
        st.booleans(),
    )
    return st.lists(st.lists(primary, max_size=3), min_size=1, max_size=4)


def play(tree: list, *, level: str, lines: int):
    """Report the tree to a recorder."""
    made = begun(12, level=level, lines=lines)
    for number, members in enumerate(tree, start=1):
        if not members:
            made.alternative_skipped(number, len(tree))
            continue
        made.begin_requirement("alternative", number, len(tree), members=len(members))
        for place, member in enumerate(members, start=1):
            play_member(made, place, len(members), member)
        made.failure_reasons([reason("HOST_ERROR", hosts=[1, 2])])
        made.member_failed(1, len(members), "boom")
        made.end_requirement("not satisfied")
    made.alternatives_done(0, len(tree))
    return pended(made)


def play_member(made, number: int, of: int, member) -> None:
    how, plans, last = member
    made.begin_requirement(
        "member", number, of, min_tasks=1, max_tasks=9, requests=requests(slots=1)
    )
    if how == "declined":
        made.declined(["cu"])
    elif how == "error":
        made.check_error("boom")
    else:
        checks = [row(LICENSE, (9, 1, 0, 1)), row(LIM_USER, (9, 1, 0, 1))]
        made.check_rows(checks, passed=how == "search")
        if how == "search":
            made.maximum_lowered(5, LIM_USER)
            made.not_considered(NotCandidates(closed=2))
            for plan in plans:
                play_plan(made, *plan)
            made.end_search()
    made.end_requirement("satisfied" if last else "failed", not_tried_after=of - number)


def play_plan(made, fate: str, positions: list, error: str | None, built: bool) -> None:
    sizes = [3] * max(1, len(positions))
    if fate == "discarded":
        made.plan_discarded(sizes)
    elif fate == "not tried":
        made.plan_not_tried(sizes, "boom")
    else:
        made.begin_plan(sizes, fill=built)
        for number, (seen, failed) in enumerate(positions, start=1):
            made.begin_position(number, 3)
            made.end_position(dataclasses.replace(seen, claimed={}), error=failed)
        made.released([number for number, _ in enumerate(positions)])
        made.end_plan(1, error=error)
        if built:
            made.committed()
        else:
            made.build_failed("boom")


@settings(deadline=None, max_examples=60, derandomize=True)
@given(calls(), st.integers(50, 300), st.sampled_from(["raw", "auto", "G"]))
def test_r9_1_the_law_of_lines(tree, lines, units):
    """Kept = rendered <= bound; kept + omitted = all; the counters never differ."""
    for level in ("summary", "full"):
        whole = play(tree, level=level, lines=MAX_LINES)
        record = play(tree, level=level, lines=lines)

        everything = bounded(whole, units=units)
        kept = bounded(record, units=units)
        assert whole.counters.omitted == 0
        assert len(everything) == whole.line_count
        assert record.line_count == len(kept) <= lines
        assert record.line_count + record.counters.omitted == whole.line_count
        assert kept == everything[: len(kept)]
        assert dataclasses.replace(record.counters, omitted=0) == whole.counters
        after = text(record, units=units)[3 + len(kept) :]
        assert ("omitted" in after[0]) is bool(record.counters.omitted)
        assert len(after) == (5 if record.counters.omitted else 2)

    summary = play(tree, level="summary", lines=lines)
    assert dataclasses.replace(summary.counters, omitted=0) == whole.counters
