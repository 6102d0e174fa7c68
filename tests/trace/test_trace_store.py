"""R7.8 to R7.11, R9.5 and R9.6: stored traces, their bound, and what recalling them says."""

from __future__ import annotations

import dataclasses
import gc
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_builders import (
    LIM_HOST,
    MEM,
    SLOTS,
    begin_single,
    begun,
    host_names,
    host_rows,
    one_position,
    pended,
    reason,
    reasons,
    recorder,
    scan,
    select,
    text,
)

from xce_sim.model.ids import JobSelector, format_id, make_id, parse_id, parse_selector
from xce_sim.model.verdict import MismatchPart
from xce_sim.trace.control import TraceControl
from xce_sim.trace.marks import JobMarks
from xce_sim.trace.recall import recall_lines, status_lines
from xce_sim.trace.settings import STORE_BYTES
from xce_sim.trace.spans import plain_lines
from xce_sim.trace.store import SLOT_BYTES, TraceStore


def small(job: str | int, *, made=None, position: int = 1):
    """A record of a job that pends for no host."""
    made = made or recorder()
    select(made, job=parse_id(job) if isinstance(job, str) else job, position=position)
    return pended(made)


def filled(*jobs: str, limit: int = STORE_BYTES) -> TraceStore:
    store = TraceStore(limit)
    made = recorder()
    for job in jobs:
        store.put(small(job, made=made))
    return store


def room_for(count: int) -> int:
    """The bound that just holds so many small records of one session."""
    return filled(*map(str, range(1, count + 1))).nbytes


def recalled(store: TraceStore, selector: str, states=(), **display) -> list[str]:
    known = [(parse_id(job), state) for job, state in states]
    return plain_lines(recall_lines(store, parse_selector(selector), known, **display))


def test_r7_8_the_latest_trace_as_captured_in_the_units_of_now():
    made = begun(level="summary")
    begin_single(made)
    one_position(made, scan(3, rows=[host_rows(MEM, 3, {0: (4096, 4096, 0, 1024)})]))
    made.end_requirement("not satisfied")
    record = pended(made)
    store = TraceStore()
    store.put(record)

    assert recalled(store, "42") == text(record)
    assert recalled(store, "42", units="raw", time="raw") == text(record, units="raw", time="raw")


def test_r7_8_a_job_that_has_left_the_replay_is_recalled():
    assert recalled(filled("42"), "42", states=[])[0] == (
        "[trace] job 42 session 7 position 1 level full"
    )


def test_r7_9_an_array_prints_each_element_and_marks_the_discarded():
    store = filled("42[3]", "42[1]", "42[10]", "41[1]", "42[2]", limit=room_for(3))
    lines = [line for line in recalled(store, "42") if line.startswith("[")]

    assert lines == [
        "[sim] info trace 42[1]: trace discarded (memory bound)",
        "[trace] job 42[2] session 7 position 1 level full",
        "[sim] info trace 42[3]: trace discarded (memory bound)",
        "[trace] job 42[10] session 7 position 1 level full",
    ]


def test_r7_9_no_element_has_a_stored_trace():
    states = [(f"42[{index}]", "run" if index < 4 else "pend") for index in range(1, 11)]

    assert recalled(TraceStore(), "42", states) == [
        "[sim] info trace 42: no element has a stored trace; run 42[1-3], pend 42[4-10]"
    ]
    assert recalled(TraceStore(), "42[3-4]", states[2:4]) == [
        "[sim] info trace 42[3-4]: no element has a stored trace; run 42[3], pend 42[4]"
    ]


def test_r7_9_all_elements_discarded():
    store = filled("42[1]", "42[2]", "77", limit=room_for(1))

    assert recalled(store, "42", [("42[1]", "done"), ("42[2]", "run")]) == [
        "[sim] info trace 42[1]: trace discarded (memory bound)",
        "[sim] info trace 42[2]: trace discarded (memory bound)",
        "[sim] info trace 42: no element has a stored trace; done 42[1], run 42[2]",
    ]
    assert recalled(store, "42")[2:] == ["[sim] info trace 42: no element has a stored trace"]


def test_r7_10_a_new_trace_replaces_the_old_one():
    store = filled("42", "43")
    before = store.nbytes
    newer = small("42", position=9)
    store.put(newer)

    assert store.get(42) is newer
    assert len(store) == 2
    tables = sum(len(each) for each in host_names(3))
    assert store.nbytes >= before  # another session, another table of names
    assert store.nbytes - before < 300 + tables


@pytest.mark.parametrize(
    ("selector", "states", "said"),
    [
        ("42", [("42", "pend")], "42: no trace available; job is pend"),
        ("42[7]", [("42[7]", "susp")], "42[7]: no trace available; job is susp"),
        ("42[7-7]", [("42[7]", "susp")], "42[7]: no trace available; job is susp"),
        ("42", [], "42: unknown job"),
        ("42[7]", [], "42[7]: unknown job"),
        ("42[1-9]", [], "42[1-9]: unknown job"),
    ],
)
def test_r7_11_no_trace_available(selector, states, said):
    store = filled("41", "43", "7[42]", "42[10]") if "[" in selector else filled("41", "7[42]")

    assert recalled(store, selector, states) == [f"[sim] info trace {said}"]


def test_r9_5_the_oldest_is_discarded_first():
    store = filled("1", "2", "3", "4", "5", limit=room_for(3))

    assert [job for job in range(1, 6) if store.get(job)] == [3, 4, 5]
    assert [job for job in range(1, 6) if store.was_discarded(job)] == [1, 2]
    assert store.nbytes <= store.limit
    assert store.discarded_count == 2


def test_r9_5_capturing_again_makes_a_trace_young():
    store = filled("1", "2", "3", "1", "4", limit=room_for(3))

    assert [job for job in range(1, 5) if store.get(job)] == [1, 3, 4]


def test_r9_5_the_most_recent_stays_even_when_it_is_too_large():
    store = filled("1", "2", limit=10)

    assert [job for job in (1, 2) if store.get(job)] == [2]
    assert store.nbytes > store.limit


def test_r9_5_the_table_of_host_names_is_counted_once_and_released():
    names = host_names(1000)
    first, second = recorder(names), recorder(names)
    store = TraceStore()
    store.put(small("1", made=first))
    table = store.nbytes - store.get(1).nbytes - SLOT_BYTES
    store.put(small("2", made=second))

    assert table > 1000 * 50
    assert store.nbytes == table + sum(store.get(job).nbytes + SLOT_BYTES for job in (1, 2))

    for job in ("1", "2"):
        store.put(small(job, made=recorder(3)))
    assert store.nbytes < 10_000


def test_r9_5_a_session_begun_again_with_the_same_hosts_shares_the_table():
    names = host_names(1000)
    store = TraceStore()
    made = recorder(names)
    for number in range(1, 11):
        made.begin_session(number, "builtin_fcfs", names)
        store.put(small(number, made=made))

    assert store.nbytes < 2 * 1000 * 60


def test_r9_5_memory_stays_at_the_bound_while_everything_is_traced():
    store = TraceStore(200_000)
    made = recorder()
    for job in range(1, 3000):
        store.put(small(job, made=made))

    assert store.nbytes <= 200_000
    assert store.nbytes > 190_000
    assert len(store) + store.discarded_count == 2999


def test_r9_6_a_discarded_trace_is_reported_until_the_next_capture():
    store = filled("1", "2", limit=room_for(1))

    assert recalled(store, "1", [("1", "pend")]) == [
        "[sim] info trace 1: trace discarded (memory bound)"
    ]
    store.put(small("1"))
    assert recalled(store, "1")[0].startswith("[trace] job 1 ")
    assert not store.was_discarded(1)


def test_status_counts_what_is_stored():
    store = filled("1", "2", "3", limit=room_for(2))

    assert plain_lines(status_lines(TraceControl(), store))[-1] == (
        "[sim] stored traces: 0.1 MiB of 0.1 MiB, 2 jobs, 1 discarded"
    )


def closed(record, made):
    """The record alone: a recorder remembers some of it until its session ends."""
    made.end_session()
    return record


def record_large_full():
    """Level full: 20 positions that look at 500 hosts, with every kind of rejection."""
    hosts = 500
    made = begun(hosts, level="full", lines=100_000)
    begin_single(made)
    every = range(hosts)
    rows = [
        host_rows(MEM, hosts, dict.fromkeys(every, (64, 60, 0, 8))),
        host_rows(SLOTS, hosts, dict.fromkeys(every[::3], (64, 60, 0, 8))),
        host_rows(LIM_HOST, hosts, dict.fromkeys(every[::5], (64, 60, 0, 8))),
    ]
    seen = dataclasses.replace(
        scan(hosts, rows=rows, mismatch=every[::7], errors=dict.fromkeys(every[::11], "boom")),
        explain=lambda host: MismatchPart(expression="type == linux", value=f"windows {host}"),
    )

    def capture():
        for number in range(1, 21):
            made.begin_plan([4])
            made.begin_position(number, 4)
            made.end_position(seen)
            made.end_plan(1)
        made.end_requirement("not satisfied")
        return closed(pended(made), made)

    return capture


def record_mismatches():
    """Level full: every host mismatches with a value of its own."""
    made = begun(5000, level="full", lines=100_000)
    begin_single(made)
    seen = dataclasses.replace(
        scan(5000, mismatch=range(5000)),
        explain=lambda host: MismatchPart(expression=f"type == l{host}", value=f"w{host}"),
    )

    def capture():
        for number in (1, 2):
            made.begin_plan([4])
            made.begin_position(number, 4)
            made.end_position(seen)
        return closed(pended(made), made)

    return capture


def record_many_plans():
    """Level summary: nothing but small entries."""
    made = begun(40, level="summary", lines=100_000)
    begin_single(made)
    rows = [host_rows(LIM_HOST, 40, dict.fromkeys(range(20), (8, 8, 0, 1)))]
    seen = scan(40, rows=rows, mismatch=range(20, 40))

    def capture():
        for number in range(1, 1001):
            made.plan_discarded([number, number, 1])
            made.begin_plan([number] * 3)
            made.begin_position(1, number)
            made.end_position(seen)
            made.released([1, 2, 3])
            made.end_plan(1)
        made.end_search()
        made.end_requirement("not satisfied")
        return closed(pended(made), made)

    return capture


def record_small_scans():
    """Level full, many positions of few hosts: mostly the objects around the arrays."""
    made = begun(4, level="full", lines=100_000)
    begin_single(made)
    rows = [host_rows(MEM, 4, dict.fromkeys(range(3), (8, 8, 0, 1)))]
    seen = scan(4, rows=rows, accepted=3)

    def capture():
        made.begin_plan([1] * 2000)
        for number in range(1, 2001):
            made.begin_position(number, 1)
            made.end_position(seen)
        made.end_plan(None)
        return closed(pended(made), made)

    return capture


def record_large_pend():
    """An outcome of 50 hosts with 40 entries each."""
    made = begun(1000)
    entries = [reason("HOST_RESOURCE", resource=f"r{n}", hosts=range(n, 1000)) for n in range(40)]
    found = reasons("HOST_RESOURCE", *entries, hosts=1000)

    def capture():
        made.pend(found)
        return closed(made.finish(), made)

    return capture


@pytest.mark.parametrize(
    "prepare",
    [
        record_large_full,
        record_mismatches,
        record_many_plans,
        record_small_scans,
        record_large_pend,
    ],
)
def test_r9_5_the_estimate_is_within_a_fifth_of_what_is_taken(prepare):
    capture = prepare()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        record = capture()
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()

    assert record.counters.omitted == 0
    assert taken * 0.8 < record.nbytes < taken * 1.2, (record.nbytes, taken)


JOBS = st.builds(
    make_id,
    st.sampled_from([1, 2, 63, 64, 65, 4096, 2**32 - 1]),
    st.sampled_from([0, 0, 1, 2, 63, 64, 2**32 - 1]),
)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.lists(st.tuples(st.booleans(), JOBS)), JOBS)
def test_marks_are_a_set_of_jobs(changes, asked):
    marks, model = JobMarks(), set()
    for add, job in changes:
        (marks.add if add else marks.discard)(job)
        (model.add if add else model.discard)(job)

    assert len(marks) == len(model)
    assert (asked in marks) is (asked in model)
    base = parse_id(format_id(asked)) & 0xFFFF_FFFF
    for selector in (JobSelector(base), JobSelector(base, 1, 64)):
        found = list(marks.matching(selector))
        assert len(found) == len(set(found))
        assert set(found) == {job for job in model if selector.matches(job)}


def test_marks_of_neighbours_share_memory():
    tracemalloc.start()
    try:
        marks = JobMarks()
        for job in range(1, 20_001):
            marks.add(job)
            marks.add(make_id(7, job))
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert len(marks) == 40_000
    assert taken < 40_000 * 6
