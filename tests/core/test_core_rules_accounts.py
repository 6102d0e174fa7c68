"""Section 6, Accounting: derived accounts, frozen hosts, final jobs."""

from __future__ import annotations

import pytest
from core.scene import Scene, host, hosts, job, limit, lines, running, takes

from xce_sim.core.core import Core
from xce_sim.core.session import AccountsDiffer
from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.config import Config, Queue


def test_two_rounds_without_an_event_change_nothing() -> None:
    """6: "Two rounds with no event between them leave every account unchanged"."""
    scene = Scene(*hosts(2, 4, mem=6), limits=[limit("a", "slots", 5, per_user="all")])
    scene.submit(job(1, "rusage[mem=4]", 2), job(2, "rusage[mem=4]", 2), job(3, tasks=3))
    first = scene.round()
    after = scene.in_use()
    assert "pend 3" in first
    assert scene.round() == first[first.index("pend 3") :]
    assert scene.in_use() == after


@pytest.mark.parametrize("via", ["ok", "closed"])
def test_a_host_that_thaws_is_derived_again(via: str) -> None:
    """6: "A host that thaws is re-derived": what ended or moved meanwhile counts now."""
    per = limit("per", "slots", 4, per_host="all")
    scene = Scene(*hosts(2, 4), limits=[per])
    scene.submit(job(1, tasks=3), job(2, tasks=2), job(3, tasks=1))
    assert scene.round() == lines("dispatch 1  n1:3", "dispatch 2  n2:2", "dispatch 3  n1:1")
    scene.status("n1", "unavail")
    scene.end(1)
    scene.update(2, state="run", allocs=takes("n1:2"))
    assert scene.in_use() == "n1: slots=4 per(h)=4"
    scene.status("n1", "reconciling")
    assert scene.in_use() == "n1: slots=4 per(h)=4"
    scene.status("n1", via)
    assert scene.in_use() == "n1: slots=3 per(h)=3"


def test_frozen_accounts_outlive_a_new_configuration() -> None:
    """6: frozen amounts are ground truth: "`derive` copies them"."""
    per = limit("per", "slots", 4, per_host="all")
    scene = Scene(*hosts(2, 4), limits=[per])
    scene.submit(job(1, tasks=3))
    scene.round()
    scene.status("n1", "unavail")
    scene.end(1)
    config = Config(queues=(Queue(name="normal"),), limits=(per,))
    scene.apply(ev.ConfigPush(t=0, config=config))
    assert scene.in_use() == "n1: slots=3 per(h)=3"
    assert scene.round() == ""


def test_a_changed_limit_is_derived_anew() -> None:
    """6: limit usage is derived: a new limit counts the jobs that run already."""
    scene = Scene(*hosts(2, 4))
    scene.submit(job(1, tasks=3))
    scene.round()
    new = limit("new", "slots", 4, users="alice")
    scene.apply(ev.ConfigPush(t=0, config=Config(queues=(Queue(name="normal"),), limits=(new,))))
    scene.submit(job(2, tasks=2), job(3))
    assert scene.round() == lines(
        "pend 2  CLUSTER_LIMIT", "  CLUSTER_LIMIT new/all", "dispatch 3  n1:1"
    )


def test_a_final_job_releases_at_once_and_leaves_after_60_seconds() -> None:
    """6: "releases at once and leaves the tables 60 s of simulated time later, before the events of
    that instant (until then a `job_new` of its id changes nothing)"."""
    scene = Scene(host("n1", 1)).at(100)
    scene.submit(job(1))
    scene.round()
    scene.at(110).end(1)
    assert (scene.in_use(), scene.jobs()) == ("", "1 done")
    scene.at(169.999999).submit(job(1, tasks=9))
    assert (scene.jobs(), scene.round()) == ("1 done", "")
    scene.at(170)
    assert scene.jobs() == ""
    scene.submit(job(1))
    assert scene.round() == lines("dispatch 1  n1:1")


@pytest.mark.parametrize("state", ["done", "exit"])
def test_a_pushed_final_job_leaves_too(state: str) -> None:
    """6: "A final job (`done`, `exit`)": by an update as well; one that is gone is ignored."""
    scene = Scene(host("n1", 4)).at(5)
    scene.push(running(1, takes("n1:2")))
    scene.update(1, state=state)
    assert (scene.in_use(), scene.jobs()) == ("", f"1 {state}")
    scene.update(1, state="run", allocs=takes("n1:1"))
    assert scene.jobs() == f"1 {state}"
    scene.at(65)
    scene.update(1, state="done")
    scene.remove(1)
    assert scene.jobs() == ""
    assert scene.core.state.ignored_updates == 2


def test_the_check_stops_with_the_first_difference() -> None:
    """6: "re-derives at the start of each round and stops with the first differing (host,
    resource)"."""
    scene = Scene(*hosts(3, 4, mem=8))
    scene.submit(job(1, "rusage[mem=2]", tasks=3))
    scene.round()
    usage = scene.core.state.ledger.resources[1]
    usage.in_use[1] += 500
    with pytest.raises(AccountsDiffer, match=r"^round 7: host n2, mem: kept 0\.5, derived 0$"):
        next(scene.core.session(7))


def test_values_and_slots_change_between_rounds() -> None:
    """6: totals are ground truth; use may exceed them, and nothing fits until it is less."""
    scene = Scene(host("n1", 4, mem=8), shared={"lic": 2})
    scene.submit(job(1, "rusage[mem=6:lic=2]", tasks=3))
    scene.round()
    scene.slots("n1", 2)
    scene.values("n1", mem=4)
    scene.apply(ev.SharedUpdate(t=0, values={"lic": 1000}))
    scene.submit(job(2), job(3, "rusage[lic=1]"))
    assert scene.round() == lines(
        "pend 2  HOST_RESOURCE",
        "  HOST_RESOURCE slots: n1",
        "pend 3  SHARED_RESOURCE",
        "  SHARED_RESOURCE lic",
    )
    scene.end(1)
    assert scene.round() == lines("dispatch 2  n1:1", "dispatch 3  n1:1 lic=1")


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ((ev.WorkerUpdate(t=0, name="x", status="ok"),), "unknown host 'x'"),
        ((ev.ValuesUpdate(t=0, host="n1", values={"nope": 1}),), "host n1: unknown resource 'nope'"),
        ((ev.SharedUpdate(t=0, values={"mem": 1}),), "resource mem is not shared"),
        ((ev.QueueUpdate(t=0, name="x", active=True),), "unknown queue 'x'"),
        ((ev.JobNew(t=0, job=job(1, queue="x")),), "job 1: unknown queue 'x'"),
        ((ev.JobNew(t=0, job=job(1, tasks=0)),), "job 1: bad number of tasks 0..0"),
        ((ev.JobNew(t=0, job=job(1, tasks=3, most=2)),), "job 1: bad number of tasks 3..2"),
        ((ev.JobsPush(t=0, jobs=(job(1), job(1))),), "job 1 stands twice in one push"),
        ((ev.JobsPush(t=0, jobs=(job(1, state="run"),)),), "job 1: state run without allocations"),
        ((ev.JobsPush(t=0, jobs=(running(1, takes("n9:1")),)),), "allocation on unknown host 'n9'"),
        ((ev.WorkersPush(t=0, workers=(host("a", 1), host("a", 2))),), "host a stands twice in one push"),
    ],
)  # fmt: skip
def test_errors_name_the_thing(events: tuple[ev.Increment, ...], message: str) -> None:
    """What can not be is refused by a message that names it."""
    scene = Scene(*hosts(1, 4))
    with pytest.raises(UserError) as caught:
        scene.apply(*events)
    assert caught.value.message == message


def test_a_limit_on_an_unknown_resource_stops_the_round() -> None:
    """A limit may come before the definition of its resource, but no round goes on without it."""
    core = Core()
    wrong = limit("x", "nope", 1, users="all")
    core.apply(ev.ConfigPush(t=0, config=Config(queues=(Queue(name="q"),), limits=(wrong,))))
    with pytest.raises(UserError, match="limit x: unknown resource 'nope'"):
        next(core.session(1))


@pytest.mark.parametrize(
    ("before", "then", "what"),
    [
        ("n1:1(mem=4e15)", "n1:1(mem=1e15)", "mem on host n1"),
        ("n1:1(mem=1e15)", "n1:1(mem=3e15) n2:1(mem=3e15)", "mem over all hosts"),
        ("n1:1(mem=3e15)", "n2:1(mem=3e15)", "pool over all hosts"),
    ],
)
def test_what_is_told_to_run_never_wraps_an_account_around(
    before: str, then: str, what: str
) -> None:
    """Accounts are int64: without a refusal the host would look free, and jobs would go there."""
    scene = Scene(*hosts(2, 4, mem=8), limits=[limit("pool", "mem", 9, hosts="n1 n2")])
    scene.submit(job(1), job(2))
    scene.update(1, state="run", allocs=takes(before))
    held = scene.in_use()
    with pytest.raises(UserError) as caught:
        scene.update(2, state="run", allocs=takes(then))
    assert caught.value.message == f"job 2: more {what} in use than can be counted"
    assert caught.value.hint == "accounts count up to 4611686018427387.903"
    assert scene.in_use() == held
