"""Section 2, What a job asks for: amounts of resources and limits, sizes of jobs."""

from __future__ import annotations

import pytest
from core.scene import Scene, host, hosts, job, limit, lines, queue

from xce_sim.model.event import ResourceDefs
from xce_sim.model.resources import ResourceDef


def place(resreq: str, tasks: int = 4, *, limits: tuple = (), most: int | None = None) -> str:
    """One job on three hosts of two slots and 10 MiB, with 6 licences."""
    scene = Scene(*hosts(3, 2, mem=10), shared={"lic": 6}, limits=limits)
    scene.submit(job(1, resreq, tasks, most))
    return scene.round()


@pytest.mark.parametrize(
    ("resreq", "text"),
    [
        ("rusage[mem=3]", "dispatch 1  n1:2(mem=3) n2:2(mem=3)\n"),
        ("rusage[mem=3/host]", "dispatch 1  n1:2(mem=3) n2:2(mem=3)\n"),
        ("rusage[mem=3/task]", "dispatch 1  n1:2(mem=6) n2:2(mem=6)\n"),
        ("rusage[mem=3/job]", "dispatch 1  n1:2(mem=3) n2:2\n"),
    ],
)
def test_a_host_consumable(resreq: str, text: str) -> None:
    """2: "per **host** the job uses, unless written `/task` or `/job`"; "`/job` on a host
    consumable is taken once, on the host claimed first"."""
    assert place(resreq) == text


@pytest.mark.parametrize(
    ("resreq", "taken"),
    [("lic=2", 2), ("lic=2/job", 2), ("lic=1/task", 4), ("lic=2/host", 4)],
)
def test_a_shared_consumable(resreq: str, taken: int) -> None:
    """2: "a shared consumable in `rusage`: per **job**, unless written `/task` or `/host`"."""
    assert place(f"rusage[{resreq}]") == lines(f"dispatch 1  n1:2 n2:2 lic={taken}")


def test_job_amount_on_the_host_claimed_first() -> None:
    """2: "taken once, on the host claimed first for that requirement or member": the others need
    not have it."""
    scene = Scene(host("n1", 2, mem=1), host("n2", 2, mem=5), host("n3", 2, mem=0))
    scene.submit(job(1, "rusage[mem=5/job]", tasks=4), job(2, "rusage[mem=1/job]", tasks=2))
    assert scene.round() == lines(
        "dispatch 1  n2:2(mem=5) n1:2",
        "pend 2  HOST_RESOURCE",
        "  HOST_RESOURCE slots: n1 n2",
        "  HOST_RESOURCE mem: n2 n3",
    )


def test_job_amount_of_each_member() -> None:
    """2: once "for that requirement or member": two members take it twice."""
    text = place("2*{rusage[mem=4/job]} + 2*{rusage[mem=5/job]}")
    assert text == lines("dispatch 1  n1:2(mem=4) n2:2(mem=5)")


def test_a_limit_on_slots_counts_tasks() -> None:
    """2: "a limit on `slots`: tasks"."""
    limits = (limit("s", "slots", 3, users="all"),)
    assert place("", 4, limits=limits) == lines("pend 1  CLUSTER_LIMIT", "  CLUSTER_LIMIT s/all")
    assert place("", 3, limits=limits) == lines("dispatch 1  n1:2 n2:1")


def test_a_limit_on_jobs_counts_one_per_job() -> None:
    """2: "on `jobs`: 1 per job and instance (a compound counts once ...)"."""
    scene = Scene(*hosts(3, 2), limits=[limit("j", "jobs", 1, per_user="all")])
    scene.submit(job(1, "2*{gpu==0} + 1*{span[hosts=1]}", 3), job(2), job(3, user="bob"))
    assert scene.round() == lines(
        "dispatch 1  n1:2 n2:1",
        "pend 2  CLUSTER_LIMIT",
        "  CLUSTER_LIMIT j/u=alice",
        "dispatch 3  n2:1",
    )


def test_a_plain_hosts_list_counts_a_job_once() -> None:
    """2: "a plain `hosts` list counts a job once, on the first of its hosts"."""
    scene = Scene(*hosts(3, 2), limits=[limit("j", "jobs", 2, hosts="n1 n2")])
    scene.submit(job(1, tasks=4), job(2, tasks=2), job(3, "span[hosts=1]", 2, hosts=("n1", "n2")))
    assert scene.round() == lines(
        "dispatch 1  n1:2 n2:2",
        "dispatch 2  n3:2",
        "pend 3  HOST_RESOURCE",
        "  HOST_RESOURCE slots: n1 n2",
    )
    assert scene.in_use() == "n1: slots=2 j(all)=1; n2: slots=2; n3: slots=2"


def test_per_host_counts_one_on_each_host() -> None:
    """2: "`per_host` counts 1 on each host"; a compound's members meet it once on one host."""
    scene = Scene(*hosts(2, 4), limits=[limit("j", "jobs", 1, per_host="all")])
    scene.submit(job(1, "1*{type!=x} + 1*{type!=y}", 2), job(2, tasks=4), job(3))
    assert scene.round() == lines(
        "dispatch 1  n1:2",
        "dispatch 2  n2:4",
        "pend 3  HOST_LIMIT",
        "  HOST_LIMIT j/ per host: n1 n2",
        "  HOST_RESOURCE slots: n2",
    )
    assert scene.in_use() == "n1: slots=2 j(h)=1; n2: slots=4 j(h)=1"


@pytest.mark.parametrize(
    ("on", "resreq", "value"),
    [("mem", "rusage[mem=2]", 4), ("mem", "rusage[mem=2/task]", 8), ("mem", "rusage[mem=2/job]", 2),
     ("lic", "rusage[lic=1]", 1), ("lic", "rusage[lic=1/task]", 4), ("lic", "rusage[lic=1/host]", 2)],
)  # fmt: skip
def test_a_limit_on_another_resource(on: str, resreq: str, value: int) -> None:
    """2: "on another resource: the amount of that resource this job takes in the limit's scope":
    four tasks on two hosts."""
    resreq += " span[ptile=2]"
    enough = (limit("x", on, value, users="all"),)
    assert place(resreq, limits=enough).startswith("dispatch 1  n1:2")
    short = (limit("x", on, value - 0.001, users="all"),)
    assert place(resreq, limits=short) == lines("pend 1  CLUSTER_LIMIT", "  CLUSTER_LIMIT x/all")


def test_a_per_host_limit_on_a_resource() -> None:
    """2: "in the limit's scope": what the job takes on that host."""
    limits = (limit("x", "mem", 3, per_host="n1"),)
    assert place("rusage[mem=2/task]", 2, limits=limits) == lines("dispatch 1  n2:2(mem=4)")


@pytest.mark.parametrize(
    ("number", "taken"),
    [("1K", "0.001"), ("1025B", "0.001"), ("1M", "1"), ("1.5M", "1.5"), ("1000001B", "0.954")],
)
def test_a_number_with_a_unit_is_rounded_up(number: str, taken: str) -> None:
    """2: "rounded up to the next thousandth of the resource's unit" (MiB)."""
    assert place(f"rusage[mem={number}]", 1) == lines(f"dispatch 1  n1:1(mem={taken})")


@pytest.mark.parametrize(
    "resreq", ["rusage[slots=1]", "rusage[ut=1]", "rusage[type=1]", "rusage[mem=1:mem=2]"]
)
def test_what_may_not_stand_in_rusage(resreq: str) -> None:
    """2: "`slots`, a non-consumable or a name given twice in `rusage` makes the requirement
    invalid"."""
    assert place(resreq, 1).startswith("no decision 1  no_object: ")


def test_a_row_that_asks_for_nothing_is_not_checked() -> None:
    """2: "A row that asks for nothing is not checked and not listed": even where use exceeds."""
    scene = Scene(host("n1", 4, mem=5), limits=[limit("x", "mem", 5, users="all")])
    scene.submit(job(1, "rusage[mem=5]"))
    scene.round()
    scene.values("n1", mem=2)
    scene.submit(job(2, "rusage[mem=0]"), job(3), job(4, "rusage[mem=0.001]"))
    assert scene.round() == lines(
        "dispatch 2  n1:1",
        "dispatch 3  n1:1",
        "pend 4  CLUSTER_LIMIT",
        "  CLUSTER_LIMIT x/all",
    )


def test_minimum_and_maximum() -> None:
    """2: "A single requirement, and a primary among alternatives, runs with `min..max_tasks`"."""
    assert place("", 2, most=5) == lines("dispatch 1  n1:2 n2:2 n3:1")
    assert place("{type==x} || {type!=x}", 2, most=9) == lines("dispatch 1  n1:2 n2:2 n3:2")


@pytest.mark.parametrize(("tasks", "most"), [(1, None), (3, None)])
def test_a_compound_takes_its_own_numbers(tasks: int, most: int | None) -> None:
    """2: "a compound member with exactly `n`"; both counts at 1 state no size."""
    text = place("1*{type!=x} + 2*{span[hosts=1]}", tasks, most=most)
    assert text == lines("dispatch 1  n1:1 n2:2")


@pytest.mark.parametrize(
    ("tasks", "most", "said"), [(2, None, "2"), (3, 4, "3..4"), (1, 3, "1..3")]
)
def test_another_size_than_the_compound_is_invalid(tasks: int, most: int | None, said: str) -> None:
    """2: "otherwise both must be the sum of every compound, or it is `RESREQ_INVALID`"."""
    text = place("1*{type!=x} + 2*{span[hosts=1]}", tasks, most=most)
    cause = f"the job asks for {said} tasks, the compound for 3"
    assert text == lines(f"no decision 1  no_object: {cause}")


def test_every_compound_among_alternatives() -> None:
    """2: "the sum of **every** compound"."""
    assert place("{3*{gpu}} || {2*{type!=x}}", 3).startswith("no decision 1  no_object")
    assert place("{3*{gpu}} || {2*{type!=x}}", 1) == lines("dispatch 1  n1:2")


def test_a_definition_added_later_parses_again() -> None:
    """3: "it is parsed again when definitions change"."""
    scene = Scene(host("n1", 1), queues=[queue()])
    scene.submit(job(1, "rusage[tmp=1]"))
    assert scene.round().startswith("no decision 1  no_object: ")
    scene.apply(ResourceDefs(t=0, defs=(ResourceDef(name="tmp", consumable=True),)))
    assert scene.round() == lines("pend 1  HOST_RESOURCE", "  HOST_RESOURCE tmp: n1")
