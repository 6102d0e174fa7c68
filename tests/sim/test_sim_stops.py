"""When breakpoints stop."""

from __future__ import annotations

import pytest

from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.decision import Dispatch, NoDecision, Pend, PendRun
from xce_sim.model.ids import make_id, parse_selector
from xce_sim.model.job import Allocation, ArrayRange, JobSpec
from xce_sim.model.reasons import ReasonBody, ReasonCode, Reasons
from xce_sim.sim.happening import (
    Decided,
    EventApplied,
    Happening,
    JobEnded,
    RoundBegins,
    RoundEnded,
)
from xce_sim.sim.stops import AtDecision, AtJob, AtRound, StopKind, Stops, names

REASONS = Reasons(ReasonBody(ReasonCode.NO_PLAN, ()), ())


def applied(event: ev.Event) -> EventApplied:
    return EventApplied(t=0, number=1, event=event)


def begins(round: int) -> RoundBegins:
    return RoundBegins(t=0, number=1, round=round, counts={})


def decided(decision: object) -> Decided:
    return Decided(t=0, number=1, round=1, decision=decision)  # type: ignore[arg-type]


def new(id: int, array: ArrayRange | None = None) -> ev.JobNew:
    return ev.JobNew(t=0, job=JobSpec(id=id, array=array))


def hits(kind: StopKind, *happenings: Happening) -> list[bool]:
    stops = Stops()
    stops.add(kind)
    return [bool(stops.hit_by(happening)) for happening in happenings]


def test_a_round() -> None:
    assert hits(AtRound(3), begins(2), begins(3), begins(4)) == [False, True, False]
    assert hits(AtRound(), begins(2), begins(3)) == [True, True]
    ended = RoundEnded(t=0, number=1, round=3, dispatched=0, reconstructed=0)
    assert hits(AtRound(3), ended) == [False]


@pytest.mark.parametrize(
    ("selector", "event", "named"),
    [
        ("42", new(42), True),
        ("42", new(43), False),
        ("42[7]", new(42), False),
        ("42[7]", new(42, ArrayRange(first=1, last=9)), True),
        ("42[8]", new(42, ArrayRange(first=1, last=9, step=2)), False),
        ("42[1-3]", new(42, ArrayRange(first=3, last=9)), True),
        ("42", new(42, ArrayRange(first=3, last=9)), True),
        ("42[7]", ev.JobRemove(t=0, id=42), True),
        ("42[7]", ev.JobRemove(t=0, id=make_id(42, 8)), False),
        ("42", ev.JobRemove(t=0, id=make_id(42, 8)), True),
        ("42[7]", ev.JobUpdate(t=0, job=JobSpec(id=42), changed=frozenset()), True),
        ("42", ev.JobsPush(t=0, jobs=(JobSpec(id=41), JobSpec(id=42))), True),
        ("42", ev.Join(t=0), False),
    ],
)
def test_which_events_name_a_job(selector: str, event: ev.Event, named: bool) -> None:
    assert names(event, parse_selector(selector)) is named


def test_a_job_that_ends_by_itself_is_named() -> None:
    kind = AtJob(parse_selector("42"))
    ends = [JobEnded(t=0, number=1, job=make_id(42, 3)), JobEnded(t=0, number=1, job=41)]
    assert hits(kind, *ends) == [True, False]


def test_jobs_of_a_full_push_are_named_when_it_is_applied() -> None:
    push = ev.JobsPush(t=0, jobs=(JobSpec(id=42),))
    events = (ev.PushBegin(t=0), push, ev.PushEnd(t=0), push, ev.PushEnd(t=0))
    assert hits(AtJob(parse_selector("42")), *map(applied, events)) == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_jobs_of_a_snapshot_are_not_events() -> None:
    push = ev.JobsPush(t=0, jobs=(JobSpec(id=42),))
    events = (ev.SnapshotBegin(t=0, round=1), push, ev.SnapshotEnd(t=0))
    assert hits(AtJob(parse_selector("42")), *map(applied, events)) == [False, False, False]


def test_decisions() -> None:
    happenings = [
        decided(Dispatch(job=42, allocation=Allocation())),
        decided(Pend(job=42, reasons=REASONS)),
        decided(Pend(job=43, reasons=REASONS)),
        decided(PendRun(jobs=(44, 42), reasons=REASONS)),
        decided(NoDecision(job=42, kind="no_reason")),
    ]
    selector = parse_selector("42")
    assert hits(AtDecision("dispatch", selector), *happenings) == [True, *[False] * 4]
    assert hits(AtDecision("pend", selector), *happenings) == [False, True, False, True, False]
    assert hits(AtDecision("pend"), *happenings) == [False, True, True, True, False]


def test_jobs_whose_decision_is_waited_for_are_never_inside_a_run() -> None:
    stops = Stops()
    stops.add(AtRound())
    stops.add(AtJob(parse_selector("42")))
    assert not stops.concern(42)
    point = stops.add(AtDecision("pend", parse_selector("42")))
    assert stops.concern(make_id(42, 7))
    assert not stops.concern(43)
    point.enabled = False
    assert not stops.concern(42)


def test_hits_are_counted_ignored_and_temporary_ones_go() -> None:
    stops = Stops()
    plain, ignored, disabled = (stops.add(AtRound()) for _ in range(3))
    ignored.ignore = 1
    disabled.enabled = False
    temporary = stops.add(AtRound(1), temporary=True)
    assert stops.hit_by(begins(1)) == (plain, temporary)
    assert stops.hit_by(begins(1)) == (plain, ignored)
    assert [(point.number, point.hits) for point in stops] == [(1, 2), (2, 2), (3, 0)]


def test_numbers_are_never_used_twice() -> None:
    stops = Stops()
    stops.add(AtRound())
    stops.delete(1)
    assert stops.add(AtRound()).number == 2
    with pytest.raises(UserError, match="no breakpoint 1"):
        stops.delete(1)
