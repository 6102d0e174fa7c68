"""R2: why the job was looked at when it was; selections without a decision; reconstruction."""

from __future__ import annotations

import pytest
from trace_builders import (
    LICENSE,
    LIM_POOL,
    LIM_USER,
    MEM,
    QUEUED,
    SLOTS,
    begin_single,
    begun,
    charge,
    charges,
    pended,
    recorder,
    requests,
    select,
    text,
)

from xce_sim.model.ids import make_id

SELECTION = (
    "  selection: policy builtin_fcfs queue normal (priority 50) job priority 0"
    " queued 2026-10-07 10:00:01"
)
NO_LIMITS = "  cluster-wide limits: none; host-scoped limits are reported with each host's verdict"


def test_r2_1_the_header_names_session_and_position():
    made = recorder(round=19)
    select(made, job=make_id(42, 7), position=250)

    assert text(pended(made))[0] == "[trace] job 42[7] session 19 position 250 level full"


def test_r2_2_policy_and_ordering_keys_as_they_were():
    made = recorder(policy="builtin_fcfs_strict")
    made.begin_job(1, 1)
    made.selection(queue="night", queue_priority=-3, job_priority=70, queue_time=QUEUED + 250_000)
    made.cluster_limits([])

    assert text(pended(made))[1] == (
        "  selection: policy builtin_fcfs_strict queue night (priority -3) job priority 70"
        " queued 2026-10-07 10:00:01.250000"
    )


def test_r2_2_queue_time_in_the_form_asked_for():
    record = pended(begun())

    assert text(record, time="raw")[1].endswith(" queued 1791367201")


def test_r2_3_cluster_wide_limits_are_listed_in_order():
    made = recorder()
    select(made, limits=[LIM_USER, LIM_POOL])

    assert text(pended(made))[2] == (
        "  cluster-wide limits: lim_user (u=alice), lim_pool (all);"
        " host-scoped limits are reported with each host's verdict"
    )


def test_r2_3_no_limit_matches():
    assert text(pended(begun()))[2] == NO_LIMITS


def test_r2_4_job_not_found():
    made = recorder()
    made.begin_job(42, 3)
    made.no_decision("not_found")

    assert text(made.finish()) == [
        "[trace] job 42 session 7 position 3 level full",
        "  selection: ordering keys and limits unavailable (job not found by the allocator)",
        "  no decision: job not found",
    ]


def test_r2_4_no_scheduling_object():
    made = recorder()
    made.begin_job(42, 3)
    made.selection(queue="normal", queue_priority=50, job_priority=0, queue_time=QUEUED)
    made.no_decision("no_object", "unknown resource 'memm'")

    assert text(made.finish()) == [
        "[trace] job 42 session 7 position 3 level full",
        SELECTION,
        "  cluster-wide limits: unavailable (no scheduling object)",
        "  no decision: no scheduling object (RESREQ_INVALID: unknown resource 'memm')",
    ]


def test_r2_4_internal_error_keeps_what_was_captured():
    made = begun()
    begin_single(made)
    made.check_rows([], passed=True)
    made.plan_not_tried([2, 2], "no memory")
    made.end_search(internal=True)
    made.end_requirement("failed", cause="no memory")
    made.no_decision("internal_error", "no memory")

    assert text(made.finish()) == [
        "[trace] job 42 session 7 position 3 level full",
        SELECTION,
        NO_LIMITS,
        "  requirement single tasks 4..4 requests slots=1",
        "    cluster-wide check passed",
        "    plan 1 hosts 2 tasks per position [2, 2] not tried: internal error: no memory;"
        " no further plans tried",
        "    plans: 1 generated, 0 tried, 0 discarded, 1 not tried",
        "  single requirement failed: internal error: no memory",
        "  no decision: internal error: no memory",
    ]


@pytest.mark.parametrize("selected", [True, False])
def test_r2_4_internal_error_before_election(selected):
    made = recorder()
    made.begin_job(42, 3)
    if selected:
        made.selection(queue="normal", queue_priority=50, job_priority=0, queue_time=QUEUED)
    made.no_decision("internal_error", "boom")

    unavailable = [SELECTION, "  cluster-wide limits: unavailable (internal error)"]
    assert text(made.finish())[1:] == [
        *(
            unavailable
            if selected
            else ["  selection: ordering keys and limits unavailable (internal error)"]
        ),
        "  no decision: internal error: boom",
    ]


def test_r2_4_pended_without_any_reason():
    made = begun()
    made.no_decision("no_reason")

    assert text(made.finish())[-1] == "  no decision: pended without any reason"


def test_r2_5_a_reconstructed_dispatch_says_so_in_place_of_the_sections():
    made = recorder()
    made.reconstructed(
        42,
        [charges("n01", charge(SLOTS, 4), charge(MEM, 2048))],
        [charge(LICENSE, 1)],
    )

    record = made.finish()

    assert (record.kind, record.position, record.entries) == ("reconstructed", None, ())
    assert text(record) == [
        "[trace] job 42 session 7 level full",
        "  reconstructed from the recorded allocation; not placed by the scheduler",
        "  outcome: DISPATCH",
        "    host n01: mem=2 GiB slots=4",
        "    shared: license=1",
    ]


def test_a_call_out_of_order_is_an_error():
    made = recorder()
    with pytest.raises(RuntimeError, match="no record is being built: begin_job comes first"):
        made.selection(queue="q", queue_priority=0, job_priority=0, queue_time=0)
    select(made)
    with pytest.raises(RuntimeError, match="the record of job 42 has no outcome"):
        made.finish()
    with pytest.raises(RuntimeError, match="no requirement is open"):
        made.end_requirement("satisfied")


def test_an_unfinished_record_is_dropped_by_the_next_job():
    made = begun(job=42)
    begin_single(made, requests=requests(slots=1, mem=512))
    select(made, job=43, position=4)

    record = pended(made)

    assert (record.job, record.position, record.entries) == (43, 4, ())


def test_a_record_is_finished_once():
    made = begun()
    pended(made)

    with pytest.raises(RuntimeError, match="no record is being built"):
        made.finish()


def test_a_new_session_drops_what_the_last_one_left():
    made = begun()
    made.begin_session(8, "builtin_fcfs", ["n01"])

    with pytest.raises(RuntimeError, match="no record is being built"):
        begin_single(made)


def test_a_finished_recorder_holds_nothing():
    made = begun()
    begin_single(made)
    made.end_session()

    with pytest.raises(RuntimeError, match="no record is being built"):
        pended(made)
