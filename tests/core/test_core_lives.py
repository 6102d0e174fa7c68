"""Starts, ends and second arrivals of jobs: what is reported, and when a job leaves."""

from __future__ import annotations

from core.test_core_oracle import of_core

from xce_sim.model import event as ev
from xce_sim.model.config import Config, Queue
from xce_sim.model.job import Allocation, HostShare, JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker

SECOND = 1_000_000
RECORDED = ev.Header(mode="recorded")
WORKLOAD = ev.Header(mode="workload")
HELD = Allocation(hosts=(HostShare(host="n1", tasks=1),))
START = [
    ev.ResourceDefs(t=0, defs=(ResourceDef(name="mem", consumable=True),)),
    ev.ConfigPush(t=0, config=Config(queues=(Queue(name="normal"),))),
    ev.WorkersPush(t=0, workers=(Worker(name="n1", slots=4),)),
]


def spec(**fields):
    return JobSpec(id=1, user="alice", queue="normal", **fields)


def update(t, **fields):
    return ev.JobUpdate(t=t * SECOND, job=JobSpec(id=1, **fields), changed=frozenset(fields))


def a_round(number):
    t = number * SECOND
    return [ev.RoundBegin(t=t, round=number), ev.RoundEnd(t=t, round=number)]


def kinds(*events, header=RECORDED):
    """What each round decided, without the allocations."""
    found = of_core(header, [*START, *events])
    return [[decision[0] for decision in decisions] for _, _, decisions in found]


def test_a_job_whose_user_changes_before_the_round_is_still_reported():
    run = update(1, state="run", start_time=SECOND, allocs=HELD)
    events = [ev.JobNew(t=0, job=spec()), run, update(1, user="bob")]
    assert kinds(*events, *a_round(1)) == [["reconstructed"]]


def test_a_job_that_is_suspended_before_the_round_is_reported_when_it_goes_on():
    run = update(1, state="run", start_time=SECOND, allocs=HELD)
    events = [ev.JobNew(t=0, job=spec()), run, update(1, state="susp"), *a_round(1)]
    again = [update(2, state="run", allocs=HELD), *a_round(2), *a_round(3)]
    assert kinds(*events, *again) == [[], ["reconstructed"], []]


def test_a_push_of_a_job_that_was_dispatched_here_does_not_make_it_reconstructed():
    pushed = ev.JobsPush(t=2 * SECOND, jobs=(spec(state="run", start_time=SECOND, allocs=HELD),))
    events = [ev.JobNew(t=0, job=spec()), *a_round(1), pushed]
    repeated = update(2, state="run", start_time=SECOND, allocs=HELD)
    assert kinds(*events, repeated, *a_round(2)) == [["dispatch"], []]


def test_a_pushed_job_that_was_decided_or_reported_before_is_not_reported():
    held = {"state": "run", "start_time": 0, "allocs": HELD}
    for flag in ("decided", "reported"):
        pushed = ev.JobsPush(t=0, jobs=(spec(**held, **{flag: True}),))
        assert kinds(pushed, *a_round(1)) == [[]]


def test_a_running_job_that_arrives_again_with_a_run_time_ends_by_it():
    events = [
        ev.JobNew(t=0, job=spec()),
        ev.JobNew(t=5 * SECOND, job=spec(run_time=7 * SECOND)),
    ]
    found = of_core(WORKLOAD, [*START, *events])
    assert [(t, number) for t, number, _ in found] == [(0, 1), (5 * SECOND, 2), (7 * SECOND, 3)]


def test_a_removed_job_does_not_take_a_later_one_of_its_id_with_it():
    """The id ends at 0 s and is removed; another job of it ends at 12 s and is there until 72 s."""

    def pushed(t, **fields):
        return ev.JobsPush(t=t * SECOND, jobs=(spec(**fields),))

    events = [
        pushed(0, state="done"),
        ev.JobRemove(t=2 * SECOND, id=1),
        pushed(2, state="run", start_time=2 * SECOND, allocs=HELD),
        update(12, state="done"),
    ]
    early = ev.JobNew(t=71 * SECOND, job=spec())
    late = ev.JobNew(t=72 * SECOND, job=spec())
    assert kinds(*events, early, *a_round(71), late, *a_round(72)) == [[], ["dispatch"]]
