"""Section 3, A round: reconstruction, picking, commit, and what comes as a run."""

from __future__ import annotations

import pytest
from core.scene import Scene, host, hosts, job, lines, queue, running, takes, told

from xce_sim.core import allocator
from xce_sim.core.building import Part, build
from xce_sim.core.core import Core
from xce_sim.core.search import Placement
from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.config import Config, Params
from xce_sim.model.decision import Pend, PendRun


def test_the_driver_pulls_one_decision_after_the_other() -> None:
    """3: "the driver pulls one decision, deals with it, pulls the next ... nothing runs ahead"."""
    scene = Scene(host("n1", 2))
    scene.submit(job(1), job(2))
    decisions = scene.core.session(1)
    assert scene.jobs() == "1 pend, 2 pend"
    assert told(next(decisions)) == "dispatch 1  n1:1\n"
    assert scene.jobs() == "1 run, 2 pend"
    next(decisions)
    assert scene.jobs() == "1 run, 2 run"


def test_neighbours_that_pend_alike_come_as_one_run() -> None:
    """3: "Neighbours in picking order that pend with the very same reasons may come as one
    `PendRun(jobs, reasons)`, which iterates to the same decisions"."""
    scene = Scene(host("n1", 1))
    scene.submit(job(1, tasks=2, array=(1, 3)), job(2, "gpu"), job(3, tasks=2))
    decisions = list(scene.core.session(1))
    assert [type(each) for each in decisions] == [PendRun, Pend, Pend]
    assert [told(each)[:11] for each in decisions[0]] == [
        "pend 1[1]  ",
        "pend 1[2]  ",
        "pend 1[3]  ",
    ]


def test_a_watched_job_is_never_inside_a_run() -> None:
    """3: "a traced job, or one that a breakpoint waits for, is never inside a run"."""
    scene = Scene(host("n1", 1))
    scene.submit(*(job(i, tasks=2) for i in range(1, 6)))
    scene.core.watch = lambda each: each == 3
    assert [getattr(each, "jobs", None) for each in scene.core.session(1)] == [(1, 2), None, (4, 5)]


class TestReconstruction:
    def test_running_jobs_are_reported_once_by_start_and_id(self) -> None:
        """3.2: "reported as *reconstructed dispatches*, by (start time, id), once for each time
        they start, in the first round after it appeared"."""
        scene = Scene(*hosts(2, 8)).at(10)
        scene.push(
            running(3, takes("n1:1"), start=5),
            running(2, takes("n1:2"), start=5),
            running(1, takes("n2:1"), start=7),
        )
        expected = lines(
            "reconstructed dispatch 2  n1:2",
            "reconstructed dispatch 3  n1:1",
            "reconstructed dispatch 1  n2:1",
        )
        assert (scene.round(), scene.round()) == (expected, "")
        scene.update(2, state="pend")
        assert scene.round() == lines("dispatch 2  n1:1")
        scene.update(3, state="pend")
        scene.update(3, state="run", allocs=takes("n2:4"), start_time=9_000_000)
        assert scene.round() == lines("reconstructed dispatch 3  n2:4")

    def test_they_are_accounted_like_any_running_job(self) -> None:
        """3.2: "accounted like any running job"."""
        scene = Scene(host("n1", 4, mem=8), shared={"lic": 2})
        scene.push(running(1, takes("n1:3(mem=6)", lic=2)))
        scene.submit(job(2, "rusage[mem=3]"), job(3, tasks=2), job(4, "rusage[lic=1]"))
        assert scene.round() == lines(
            "reconstructed dispatch 1  n1:3(mem=6) lic=2",
            "pend 2  HOST_RESOURCE",
            "  HOST_RESOURCE mem: n1",
            "pend 3  HOST_RESOURCE",
            "  HOST_RESOURCE slots: n1",
            "pend 4  SHARED_RESOURCE",
            "  SHARED_RESOURCE lic",
        )

    def test_a_dispatch_decided_here_is_not_reported_again(self) -> None:
        """3.2: "Jobs ... that this replay did not decide itself"."""
        scene = Scene(host("n1", 4))
        scene.submit(job(1))
        scene.round()
        scene.update(1, state="run", allocs=takes("n1:1"))
        assert scene.round() == ""

    def test_a_job_update_always_wins(self) -> None:
        """3.2: "other allocations re-charge, `pend` frees, a final state releases"."""
        scene = Scene(*hosts(2, 4))
        scene.submit(job(1), job(2), job(3))
        scene.round()
        scene.update(1, state="run", allocs=takes("n2:3"))
        assert scene.in_use() == "n1: slots=2; n2: slots=3"
        scene.update(1, state="pend")
        assert (scene.in_use(), scene.jobs()) == ("n1: slots=2", "1 pend, 2 run, 3 run")
        scene.update(2, state="exit")
        assert scene.in_use() == "n1: slots=1"
        assert scene.round() == lines("dispatch 1  n1:1")


class TestPicking:
    def test_the_order(self) -> None:
        """3.3: "queue priority (descending), job priority (descending), `queue_time`, id"."""
        scene = Scene(host("n1", 9), queues=[queue("low", priority=1), queue("high", priority=9)])
        scene.at(100).submit(
            job(9, queue="high"),
            job(2, queue="low", queued=5),
            job(1, queue="low"),
            job(4, queue="low", queued=3),
            job(3, queue="low", queued=3, array=(1, 2)),
            job(5, queue="low", priority=7),
            job(6, queue="low", priority=-1, queued=0),
        )
        ids = [line.split()[1] for line in scene.round().splitlines()]
        assert ids == ["9", "5", "3[1]", "3[2]", "4", "2", "1", "6"]

    def test_strict_ends_at_the_first_job_that_pends(self) -> None:
        """3.3: strict "ends the round's picking at the first job that pends (one without a decision
        is passed over)"."""
        scene = Scene(host("n1", 2), policy="builtin_fcfs_strict")
        scene.submit(job(1), job(2, "nonsense>1"), job(3, tasks=2), job(4), job(5))
        assert scene.round() == lines(
            "dispatch 1  n1:1",
            "no decision 2  no_object: unknown resource 'nonsense' at column 1",
            "pend 3  HOST_RESOURCE",
            "  HOST_RESOURCE slots: n1",
        )
        assert scene.jobs() == "1 run, 2 pend, 3 pend, 4 pend, 5 pend"

    def test_fcfs_goes_on(self) -> None:
        """3.3: `builtin_fcfs` tries every pending job."""
        scene = Scene(host("n1", 2))
        scene.submit(job(1), job(3, tasks=2), job(4))
        assert scene.round() == lines(
            "dispatch 1  n1:1",
            "pend 3  HOST_RESOURCE",
            "  HOST_RESOURCE slots: n1",
            "dispatch 4  n1:1",
        )

    def test_an_unknown_policy_is_an_error(self) -> None:
        """3.3: "Other policies plug in": one that is not there is refused by name."""
        config = Config(queues=(queue(),), params=Params(policy="fairshare"))
        with pytest.raises(UserError, match="unknown scheduling policy 'fairshare'"):
            Core().apply(ev.ConfigPush(t=0, config=config))

    def test_a_requirement_that_does_not_parse(self) -> None:
        """3.3: "it is selected, produces no decision, and keeps `RESREQ_INVALID` with the
        message"."""
        scene = Scene(host("n1", 2))
        scene.submit(job(1, "type=="), job(2))
        first, second = scene.round().splitlines()
        assert first.startswith("no decision 1  no_object: ")
        assert second == "dispatch 2  n1:1"
        klass = scene.core.state.jobs[1].klass
        assert klass is not None
        assert first.endswith(klass.invalid)


def test_a_dispatch_charges_everything_at_once() -> None:
    """3.6: "A dispatch charges everything at once and the job is `run`; a pend stores its
    reasons"."""
    scene = Scene(host("n1", 4, mem=8), shared={"lic": 4}).at(9)
    scene.submit(job(1, "rusage[mem=3/task:lic=1]", tasks=2), job(2, tasks=3))
    scene.round()
    one, two = scene.core.state.jobs[1], scene.core.state.jobs[2]
    assert scene.in_use() == "n1: mem=6 slots=2; lic: 1"
    assert (one.state, one.start_time, one.decided) == ("run", 9_000_000, True)
    assert two.reasons is not None
    assert (str(two.reasons.main), two.reason_round) == ("HOST_RESOURCE", 1)


def test_an_internal_error_gives_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """3.6: "An error ... produces *no decision* for the job"; 4.5: "An internal error here ends the
    attempt": nothing is charged and the next job is tried."""

    def fails(placement: Placement, names: tuple[str, ...]) -> Part:
        if placement.plan.tasks == 2:
            raise RuntimeError("built badly")
        return build(placement, names)

    monkeypatch.setattr(allocator, "build", fails)
    scene = Scene(host("n1", 2))
    scene.submit(job(1, "{type!=x} || {type!=y}", tasks=2), job(2))
    assert scene.round() == lines(
        "no decision 1  internal_error: RuntimeError: built badly", "dispatch 2  n1:1"
    )
    assert scene.jobs() == "1 pend, 2 run"
