"""Section 5, Pend reasons: entries, their order, and which one is the main one."""

from __future__ import annotations

import pytest
from core.scene import RESOURCES, Scene, host, hosts, job, limit, lines, running, takes

from xce_sim.model.reasons import HostSet
from xce_sim.model.resources import ResourceDef


def test_each_distinct_entry_once_whatever_the_number_of_plans() -> None:
    """5: "each distinct entry once, whatever the number of plans": four plans, one entry."""
    scene = Scene(*hosts(3, 8, mem=1))
    scene.submit(job(1, "rusage[mem=2]", 4))
    assert scene.round() == lines("pend 1  HOST_RESOURCE", "  HOST_RESOURCE mem: n1 n2 n3")


def test_entries_are_those_of_the_plans_for_the_minimum() -> None:
    """5: "Entries (`NO_PLAN` and `NOT_ENOUGH_HOSTS` too) are those of the plans for the minimum
    number of tasks": for more tasks slots are short as well, which is not told."""
    scene = Scene(*hosts(2, 4, mem=1))
    scene.submit(job(1, "rusage[mem=2] span[hosts=1]", 1, 4))
    scene.push(running(9, takes("n1:2")))
    assert scene.round().splitlines()[1:] == [
        "pend 1  HOST_RESOURCE", "  HOST_RESOURCE mem: n1 n2",
    ]  # fmt: skip


def test_in_the_order_in_which_they_were_found() -> None:
    """5: "in the order in which they were found": by host in scan order, then by row."""
    limits = [limit("at", "slots", 1, per_host="n3")]
    scene = Scene(
        host("n1", 4, mem=9), host("n2", 1, gpu=True, mem=1), host("n3", 4, gpu=True), limits=limits
    )
    scene.submit(job(1, "gpu rusage[mem=2] span[hosts=1]", 2))
    assert scene.round() == lines(
        "pend 1  HOST_RESOURCE",
        "  SELECT_MISMATCH: n1",
        "  HOST_RESOURCE mem: n2 n3",
        "  HOST_RESOURCE slots: n2",
        "  HOST_LIMIT at/ per host: n3",
    )


def test_alternatives_keep_the_entries_of_all() -> None:
    """5: "With alternatives, entries of all are kept, each with the number of its alternative, and
    `main` is that of the last one tried"; numbered from 1, an empty one counts."""
    scene = Scene(host("n1", 2, mem=4), shared={"lic": 1})
    scene.submit(job(1, "{rusage[lic=2]} || {} || {cu[x]} || {rusage[mem=5]}"))
    assert scene.round() == lines(
        "pend 1  HOST_RESOURCE",
        "  SHARED_RESOURCE lic alternative 1",
        "  CLAUSE_UNSUPPORTED cu alternative 3",
        "  HOST_RESOURCE mem alternative 4: n1",
    )


def test_reason_entries_are_sets_of_indices() -> None:
    """5: "Reason entries of a large cluster are kept as (code, resource or limit, array of host
    indices), never as one object per host"."""
    scene = Scene(*hosts(500, 1))
    scene.submit(job(1, "gpu"))
    scene.round()
    reasons = scene.core.state.jobs[1].reasons
    assert reasons is not None
    (entry,) = reasons.entries
    assert isinstance(entry.hosts, HostSet)
    assert entry.hosts.ranges() == [(0, 499)]


CLUSTER = limit("c", "slots", 1, users="all")
PER_HOST = limit("at", "slots", 1, per_host="all")


@pytest.mark.parametrize(
    ("main", "resreq", "tasks", "limits", "lic"),
    [
        # what is first of all applies although everything else does as well
        ("CLAUSE_UNSUPPORTED", "gpu cu[x] rusage[lic=9]", 2, [CLUSTER], 1),
        # "a failed cluster-wide check (`CLUSTER_LIMIT` before `SHARED_RESOURCE`)"
        ("CLUSTER_LIMIT", "rusage[lic=9]", 2, [CLUSTER], 1),
        ("SHARED_RESOURCE", "rusage[lic=9]", 2, [], 1),
        # "a row that discarded a plan if no plan was tried", before `NO_PLAN`
        ("SHARED_RESOURCE", "gpu==0 rusage[lic=1/host]", 8, [], 1),
        ("NO_PLAN", "span[hosts=1]", 9, [PER_HOST], 1),
        # "`NOT_ENOUGH_HOSTS`: some host accepted a position, but no plan was complete"
        ("NOT_ENOUGH_HOSTS", "ut>1 span[ptile=1]", 2, [], 1),
        ("SELECT_MISMATCH", "ut>5", 1, [PER_HOST], 1),
        ("HOST_RESOURCE", "rusage[mem=5]", 1, [], 1),
        ("HOST_LIMIT", "span[hosts=1]", 2, [PER_HOST], 1),
        ("HOST_ERROR", "slots/0>2", 1, [], 1),
    ],
)
def test_main_is_the_first_that_applies(
    main: str, resreq: str, tasks: int, limits: list, lic: int
) -> None:
    """5: "`main` is the first of these that applies"."""
    scene = Scene(
        host("n1", 4, mem=2, ut=2.0), host("n2", 4, mem=2), limits=limits, shared={"lic": lic}
    )
    scene.submit(job(1, resreq, tasks))
    assert scene.round().splitlines()[0] == f"pend 1  {main}"


def test_no_candidate_before_what_a_plan_could_say() -> None:
    """5: `NO_CANDIDATE`: "no worker is a candidate at all"; `NO_PLAN` "not beside" it; after a
    failed cluster-wide check, which comes first."""
    scene = Scene(host("n1", 4, "closed"), limits=[CLUSTER])
    scene.submit(job(1), job(2, tasks=2))
    assert scene.round() == lines(
        "pend 1  NO_CANDIDATE", "  NO_CANDIDATE", "pend 2  CLUSTER_LIMIT", "  CLUSTER_LIMIT c/all"
    )
    empty = Scene()
    empty.submit(job(1, "order[ut] same[type]", 3))
    assert empty.round() == lines("pend 1  NO_CANDIDATE", "  NO_CANDIDATE")


@pytest.mark.parametrize(
    ("rejecting", "main"), [(1, "HOST_RESOURCE"), (2, "HOST_RESOURCE"), (3, "HOST_LIMIT")]
)
def test_whichever_rejects_more_hosts(rejecting: int, main: str) -> None:
    """5: "`HOST_RESOURCE` or `HOST_LIMIT`, whichever rejects more hosts (ties: the resource)"; a
    host that is short of several resources is one host."""
    names = " ".join(f"n{i}" for i in range(3, 3 + rejecting))
    scene = Scene(
        *(host(f"n{i}", 4, mem=0 if i < 3 else 9) for i in range(1, 3 + rejecting)),
        limits=[limit("at", "slots", 0, per_host=names)],
        resources=(*RESOURCES, ResourceDef(name="tmp", consumable=True)),
    )
    for short in ("n1", "n2"):
        scene.values(short, tmp=0)
    for name in names.split():
        scene.values(name, tmp=1)
    scene.submit(job(1, "rusage[mem=1:tmp=1]"))
    assert scene.round().splitlines()[0] == f"pend 1  {main}"


def test_some_mismatch_and_some_are_short() -> None:
    """5: "`SELECT_MISMATCH` if every candidate mismatches, else ..."."""
    scene = Scene(host("n1", 4, mem=9), host("n2", 4, mem=9), host("n3", 4, ut=1.0))
    scene.submit(job(1, "ut==1 rusage[mem=2]"))
    assert scene.round() == lines(
        "pend 1  HOST_RESOURCE", "  SELECT_MISMATCH: n1 n2", "  HOST_RESOURCE mem: n3"
    )


def test_a_row_that_discarded_one_plan_is_kept_beside_those_of_a_tried_one() -> None:
    """5: "rows that discarded one included"; it is not `main` when a plan was tried."""
    scene = Scene(host("n1", 4), host("n2", 2), host("n3", 2), shared={"lic": 1})
    scene.push(running(9, takes("n1:2")))
    scene.submit(job(1, "rusage[lic=1/host]", 4))
    assert scene.round().splitlines()[1:] == [
        "pend 1  HOST_RESOURCE",
        "  HOST_RESOURCE slots: n1 n2 n3",
        "  SHARED_RESOURCE lic",
    ]
