"""R3: each requirement tried, in order, with its label, size, outcome and what was not tried."""

from __future__ import annotations

import dataclasses

from trace_builders import LIM_USER, begin_single, begun, bounded, pended, reason, requests, row


def member(made, number: int, of: int, **kwargs) -> None:
    options = {"min_tasks": 2, "max_tasks": 2, "requests": requests(slots=1)}
    made.begin_requirement("member", number, of, **{**options, **kwargs})


def test_r3_1_a_single_requirement():
    made = begun()
    begin_single(made, min_tasks=1, max_tasks=8)
    made.end_requirement("not satisfied")

    assert bounded(pended(made)) == [
        "requirement single tasks 1..8 requests slots=1",
        "single requirement not satisfied",
    ]


def test_r3_1_members_of_a_compound_with_their_path():
    made = begun()
    made.begin_requirement("compound", 1, 1, members=2)
    for number in (1, 2):
        member(made, number, 2)
        made.end_requirement("satisfied")
    made.end_requirement("satisfied")

    assert bounded(pended(made)) == [
        "requirement compound (2 members)",
        "  requirement compound > member 1/2 tasks 2..2 requests slots=1",
        "  member 1/2 satisfied",
        "  requirement compound > member 2/2 tasks 2..2 requests slots=1",
        "  member 2/2 satisfied",
        "compound requirement satisfied",
    ]


def test_r3_1_alternatives_single_and_compound_in_order():
    made = begun()
    made.begin_requirement(
        "alternative", 1, 2, single=True, min_tasks=1, max_tasks=3, requests=requests(slots=1)
    )
    made.end_requirement("not satisfied")
    made.begin_requirement("alternative", 2, 2, members=3)
    member(made, 1, 3)
    made.end_requirement("not satisfied", not_tried_after=2)
    made.end_requirement("not satisfied")

    assert bounded(pended(made)) == [
        "requirement alternative 1/2 (single) tasks 1..3 requests slots=1",
        "alternative 1/2 not satisfied",
        "requirement alternative 2/2 (compound, 3 members)",
        "  requirement alternative 2/2 > member 1/3 tasks 2..2 requests slots=1",
        "  member 1/3 not satisfied; members 2..3 not tried",
        "alternative 2/2 not satisfied",
    ]


def test_r3_2_requests_are_sorted_and_carry_scopes_that_are_not_the_default():
    made = begun()
    asked = requests(license=2, slots=1, tmp=0.5, mem=8192, gpu=1)
    asked = [
        dataclasses.replace(each, scope={"mem": "task", "license": "host"}.get(each.name))
        for each in asked
    ]
    begin_single(made, requests=asked)
    made.end_requirement("satisfied")

    assert bounded(pended(made))[0] == (
        "requirement single tasks 4..4 requests gpu=1 mem=8 GiB/task tmp=0.5 slots=1 license=2/host"
    )


def test_r3_2_nothing_requested():
    made = begun()
    begin_single(made, requests=())
    made.end_requirement("satisfied")

    assert bounded(pended(made))[0] == "requirement single tasks 4..4"


def test_r3_2_each_kind_may_end_in_an_internal_error():
    made = begun()
    begin_single(made)
    made.end_requirement("failed", cause="boom")
    made.begin_requirement("compound", 1, 1, members=1)
    member(made, 1, 1)
    made.end_requirement("failed", cause="boom")
    made.end_requirement("failed", cause="")
    made.begin_requirement("alternative", 2, 4, members=1)
    made.end_requirement("failed", cause="boom", not_tried_after=2)

    assert bounded(pended(made)) == [
        "requirement single tasks 4..4 requests slots=1",
        "single requirement failed: internal error: boom",
        "requirement compound (1 member)",
        "  requirement compound > member 1/1 tasks 2..2 requests slots=1",
        "  member 1/1 failed: internal error: boom",
        "compound requirement failed: internal error",
        "requirement alternative 2/4 (compound, 1 member)",
        "alternative 2/4 failed: internal error: boom; alternatives 3..4 not tried",
    ]


def test_r3_3_the_failing_member_and_those_not_tried():
    made = begun()
    made.begin_requirement("compound", 1, 1, members=3)
    member(made, 1, 3)
    made.end_requirement("satisfied")
    member(made, 2, 3)
    made.end_requirement("not satisfied", not_tried_after=1)
    made.end_requirement("not satisfied")

    assert bounded(pended(made))[3:] == [
        "  requirement compound > member 2/3 tasks 2..2 requests slots=1",
        "  member 2/3 not satisfied; member 3 not tried",
        "compound requirement not satisfied",
    ]


def test_r3_3_an_internal_error_when_members_are_joined():
    made = begun()
    made.begin_requirement("compound", 1, 1, members=3)
    member(made, 2, 3)
    made.end_requirement("satisfied")
    made.member_failed(2, 3, "merge of members: boom")
    made.end_requirement("failed", cause="merge of members: boom")

    assert bounded(pended(made))[2:] == [
        "  member 2/3 satisfied",
        "  member 2/3 failed: internal error: merge of members: boom; member 3 not tried",
        "compound requirement failed: internal error: merge of members: boom",
    ]


def test_r3_4_the_chosen_alternative_and_those_after_it():
    lines = {}
    for chosen, of in ((1, 4), (3, 4), (4, 4)):
        made = begun()
        made.alternatives_done(chosen, of)
        (lines[chosen],) = bounded(pended(made))

    assert lines == {
        1: "alternative 1/4 chosen; alternatives 2..4 not tried",
        3: "alternative 3/4 chosen; alternative 4 not tried",
        4: "alternative 4/4 chosen; no alternatives after it",
    }


def test_r3_5_every_alternative_keeps_its_own_reasons():
    made = begun()
    for number, found in (
        (1, [reason("SHARED_RESOURCE", resource="license")]),
        (
            2,
            [
                reason("CLUSTER_LIMIT", limit="lim_user/u=alice"),
                reason("CLUSTER_LIMIT", limit="lim_all/all"),
            ],
        ),
        (
            3,
            [
                reason("SELECT_MISMATCH", hosts=range(40)),
                reason("HOST_RESOURCE", resource="mem", hosts=range(900)),
                reason("HOST_RESOURCE", resource="slots", hosts=range(10)),
                reason("HOST_LIMIT", limit="lim_host/", hosts=[3]),
            ],
        ),
        (4, [reason("CLAUSE_UNSUPPORTED", clause="affinity")]),
        (5, []),
    ):
        made.begin_requirement("alternative", number, 5, single=True)
        made.failure_reasons(found)
        made.end_requirement("not satisfied")
    made.alternatives_done(0, 5)

    lines = bounded(pended(made))

    assert lines[1::3] == [
        "  failure reasons: SHARED_RESOURCE x1 (resources: license)",
        "  failure reasons: CLUSTER_LIMIT x2 (limits: lim_user (u=alice) lim_all (all))",
        "  failure reasons: SELECT_MISMATCH x40, HOST_RESOURCE x910 (resources: mem slots),"
        " HOST_LIMIT x1 (limits: lim_host)",
        "  failure reasons: CLAUSE_UNSUPPORTED x1 (clauses: affinity)",
        "  failure reasons: none",
    ]
    assert lines[-1] == "all alternatives failed"


def test_r3_5_an_internal_error_of_an_alternative_is_among_its_lines():
    made = begun()
    made.begin_requirement("alternative", 1, 1, single=True)
    made.check_error("no memory")
    made.end_requirement("failed", cause="no memory")
    made.alternatives_done(0, 1)

    assert bounded(pended(made))[1:] == [
        "  cluster-wide check ended in an internal error: no memory; no placement plans tried",
        "alternative 1/1 failed: internal error: no memory",
        "all alternatives failed",
    ]


def test_r3_6_an_alternative_without_content_stands_at_its_place():
    made = begun()
    made.begin_requirement("alternative", 1, 3, single=True)
    made.end_requirement("not satisfied")
    made.alternative_skipped(2, 3)
    made.begin_requirement("alternative", 3, 3, single=True)
    made.end_requirement("satisfied")
    made.alternatives_done(3, 3)

    assert bounded(pended(made))[2] == "alternative 2/3 skipped (no content)"


def test_what_a_member_reserved_is_seen_by_the_next_one():
    made = begun()
    made.begin_requirement("compound", 1, 1, members=2)
    member(made, 2, 2)
    made.check_rows([row(LIM_USER, (10, 4, 2, 2))], passed=True)
    made.end_requirement("satisfied")

    assert bounded(pended(made))[2] == (
        "    cluster-wide limit lim_user (u=alice) on slots:"
        " value 10 usage 4 reserved 2 requested 2 passed"
    )
