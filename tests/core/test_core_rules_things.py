"""Section 1, Things: resources, workers, queues, jobs, limits."""

from __future__ import annotations

import pytest
from core.scene import LIC, MEM, Scene, host, hosts, job, limit, lines, queue, running, takes

from xce_sim.errors import UserError
from xce_sim.model import event as ev
from xce_sim.model.config import Config
from xce_sim.model.ids import compress_ids, format_id, make_id, order_key
from xce_sim.model.resources import SLOTS_DEF, ResourceDef, ResourceTable
from xce_sim.model.units import parse_milli


def refused(scene: Scene, *events: ev.Increment) -> str:
    with pytest.raises(UserError) as caught:
        scene.apply(*events)
    return caught.value.message


class TestResources:
    def test_dense_indices_in_order_of_definition(self) -> None:
        """1: "a dense index in order of definition ... Index 0 is always `slots`"."""
        table = ResourceTable().extended((MEM, LIC)).extended((ResourceDef(name="tmp"),))
        assert [(name, table.index[name]) for name in ("slots", "mem", "lic", "tmp")] == [
            ("slots", 0), ("mem", 1), ("lic", 2), ("tmp", 3),
        ]  # fmt: skip
        assert (SLOTS_DEF.type, SLOTS_DEF.scope, SLOTS_DEF.consumable) == ("numeric", "host", True)

    def test_an_increment_may_add_but_not_change(self) -> None:
        """1: "may add definitions but not change a known one (an error that names the resource)"."""
        scene = Scene(host("n1", 1, mem=4))
        scene.apply(ev.ResourceDefs(t=0, defs=(MEM, ResourceDef(name="tmp", consumable=True))))
        other = ResourceDef(name="mem", consumable=True, unit="GiB")
        message = refused(scene, ev.ResourceDefs(t=0, defs=(other,)))
        assert message == "resource mem is already defined differently"
        scene.values("n1", tmp=2)
        scene.submit(job(1, "rusage[tmp=2:mem=4]"))
        assert scene.round() == lines("dispatch 1  n1:1(mem=4,tmp=2)")

    def test_a_full_push_may_change_anything(self) -> None:
        """1: "a full push may change anything"."""
        table = ResourceTable().extended((MEM, LIC))
        other = ResourceDef(name="mem", type="string")
        assert table.replaced((other,)).defs == (SLOTS_DEF, other)

    @pytest.mark.parametrize("text", ["0.0001", "1.2345"])
    def test_more_than_three_decimals_are_an_error(self, text: str) -> None:
        """1: "at most three decimals ... more decimals are an error"."""
        with pytest.raises(UserError, match="three decimals"):
            parse_milli(text)

    def test_amounts_are_exact_thousandths(self) -> None:
        """1: "exact (thousandths in an integer)": ten times 0.1 is 1, which floats miss."""
        scene = Scene(host("n1", 20, mem=1))
        scene.submit(*(job(i, "rusage[mem=0.1]") for i in range(1, 12)))
        assert scene.round() == lines(
            *(f"dispatch {i}  n1:1(mem=0.1)" for i in range(1, 11)),
            "pend 11  HOST_RESOURCE",
            "  HOST_RESOURCE mem: n1",
        )

    @pytest.mark.parametrize(
        ("resource", "key", "first"),
        [
            (ResourceDef(name="tmp", consumable=True), "tmp", "n2"),
            (ResourceDef(name="tmp"), "tmp", "n1"),
            (ResourceDef(name="tmp", better="more"), "tmp", "n2"),
            (ResourceDef(name="tmp", consumable=True, better="less"), "tmp", "n1"),
            (ResourceDef(name="tmp"), "-tmp", "n2"),
        ],
    )
    def test_better_says_which_way_order_sorts(
        self, resource: ResourceDef, key: str, first: str
    ) -> None:
        """1: "default: `more` for consumables, `less` for others"."""
        low, high = (1, 2) if resource.consumable else (1.0, 2.0)
        scene = Scene(host("n1", 1, tmp=low), host("n2", 1, tmp=high), resources=(resource,))
        scene.submit(job(1, f"order[{key}]"))
        assert scene.round() == lines(f"dispatch 1  {first}:1")


class TestWorkers:
    def test_only_ok_hosts_are_candidates(self) -> None:
        """1: the table of statuses, "candidate?"."""
        scene = Scene(
            host("n1", 4, "closed"),
            host("n2", 4, "unavail"),
            host("n3", 4, "reconciling"),
            host("n4", 1),
        )
        scene.submit(job(1), job(2))
        assert scene.round() == lines(
            "dispatch 1  n4:1", "pend 2  HOST_RESOURCE", "  HOST_RESOURCE slots: n4"
        )

    def test_a_closed_host_keeps_normal_accounts(self) -> None:
        """1: closed: "accounting: normal"."""
        scene = Scene(host("n1", 4))
        scene.submit(job(1, tasks=3))
        scene.round()
        scene.status("n1", "closed")
        assert scene.in_use() == "n1: slots=3"
        scene.end(1)
        assert scene.in_use() == ""

    @pytest.mark.parametrize("status", ["unavail", "reconciling"])
    def test_a_frozen_host_stays_as_it_was(self, status: str) -> None:
        """1: "what is in use on that host, and its part of host-scoped limits, stays as it was"."""
        limits = [limit("per", "slots", 4, per_host="all"), limit("all", "slots", 9, users="all")]
        scene = Scene(*hosts(2, 4, mem=8), limits=limits, shared={"lic": 3})
        scene.submit(job(1, "rusage[mem=2:lic=1]", tasks=6))
        scene.round()
        before = "n1: mem=2 slots=3 per(h)=3"
        rest = "n2: mem=2 slots=3 per(h)=3; lic: 1; all(all): 6"
        assert scene.in_use() == f"{before}; {rest}"
        scene.status("n1", status)
        scene.end(1)
        assert scene.in_use() == before  # "Shared resources and cluster-wide limits never frozen"
        assert scene.round() == ""

    def test_a_frozen_host_is_not_charged(self) -> None:
        """1: "Resetting, charging a running job and a usage delta must skip the same hosts"."""
        scene = Scene(*hosts(2, 4))
        scene.status("n1", "unavail")
        scene.push(running(1, takes("n1:2 n2:1")))
        assert scene.round() == lines("reconstructed dispatch 1  n1:2 n2:1")
        assert scene.in_use() == "n2: slots=1"
        scene.status("n1", "ok")
        assert scene.in_use() == "n1: slots=2; n2: slots=1"

    def test_a_host_pushed_as_frozen_starts_empty(self) -> None:
        """1: "a host pushed as frozen starts empty"."""
        scene = Scene(host("n1", 4, "unavail"))
        scene.push(running(1, takes("n1:2")))
        assert scene.in_use() == ""

    def test_pooled_counter_keeps_the_frozen_part(self) -> None:
        """1: the part of a host-scoped limit stays, of one with one counter over its hosts too."""
        pool = limit("pool", "slots", 4, hosts="n1 n2")
        scene = Scene(*hosts(2, 4), limits=[pool])
        scene.submit(job(1, tasks=3))
        scene.round()
        scene.status("n1", "unavail")
        scene.end(1)
        scene.submit(job(2), job(3))
        assert scene.round() == lines(
            "dispatch 2  n2:1", "pend 3  HOST_LIMIT", "  HOST_LIMIT pool/all: n2"
        )


class TestQueues:
    def test_greater_priority_first(self) -> None:
        """1: queue "`priority` (greater first)"."""
        scene = Scene(host("n1", 1), queues=[queue("low", priority=1), queue("high", priority=2)])
        scene.submit(job(1, queue="low"), job(2, queue="high"))
        assert scene.round() == lines(
            "dispatch 2  n1:1", "pend 1  HOST_RESOURCE", "  HOST_RESOURCE slots: n1"
        )

    def test_allow_lists_of_queue_and_job(self) -> None:
        """1: `hosts` "optional allow-list of names", of queue and job."""
        scene = Scene(*hosts(3, 1), queues=[queue(hosts=("n2", "n3"))])
        scene.submit(job(1), job(2, hosts=("n1", "n3")), job(3), job(4, hosts=("n1",)))
        assert scene.round() == lines(
            "dispatch 1  n2:1",
            "dispatch 2  n3:1",
            "pend 3  HOST_RESOURCE",
            "  HOST_RESOURCE slots: n2 n3",
            "pend 4  NO_CANDIDATE",
            "  NO_CANDIDATE",
        )

    def test_an_inactive_queue_is_not_picked_from(self) -> None:
        """1: `active`; 3: "Pending jobs of active queues"."""
        scene = Scene(host("n1", 4), queues=[queue(active=False)])
        scene.submit(job(1))
        assert scene.round() == ""
        scene.queue(active=True)
        assert scene.round() == lines("dispatch 1  n1:1")

    def test_both_selects_must_hold(self) -> None:
        """1: queue resreq "merged into each primary of the job: both selects must hold"."""
        scene = Scene(
            host("n1", 1, type="linux", gpu=False),
            host("n2", 1, type="x", gpu=True),
            host("n3", 1, type="linux", gpu=True),
            queues=[queue(resreq="type==linux")],
        )
        scene.submit(job(1, "gpu"), job(2, "{gpu} || {type==x}"))
        assert scene.round() == lines(
            "dispatch 1  n3:1",
            "pend 2  SELECT_MISMATCH",
            "  SELECT_MISMATCH alternative 1: n1 n2",
            "  HOST_RESOURCE slots alternative 1: n3",
            "  SELECT_MISMATCH alternative 2: n1 n2 n3",
        )

    def test_the_jobs_rusage_items_win(self) -> None:
        """1: "the job's rusage items win over the queue's of the same name"."""
        scene = Scene(
            host("n1", 4, mem=9), shared={"lic": 1}, queues=[queue(resreq="rusage[mem=5:lic=1]")]
        )
        scene.submit(job(1, "rusage[mem=2]"))
        assert scene.round() == lines("dispatch 1  n1:1(mem=2) lic=1")

    def test_the_queues_other_clauses_hold_where_the_job_has_none(self) -> None:
        """1: "the queue's other clauses hold where the job has none"."""
        scene = Scene(*hosts(4, 4), queues=[queue(resreq="span[ptile=1]")])
        scene.submit(job(1, tasks=2), job(2, "span[ptile=2]", tasks=2), job(3, "span[hosts=-1]", 2))
        assert scene.round() == lines(
            "dispatch 1  n1:1 n2:1", "dispatch 2  n1:2", "dispatch 3  n2:2"
        )

    @pytest.mark.parametrize("resreq", ["{gpu} || {mem>1}", "1*{gpu} + 1*{mem>1}"])
    def test_anything_else_than_a_primary_is_invalid(self, resreq: str) -> None:
        """1: "anything else than a primary makes the queue's jobs invalid"."""
        scene = Scene(host("n1", 4), queues=[queue(resreq=resreq)])
        scene.submit(job(1))
        what = "alternatives" if "||" in resreq else "a compound"
        cause = f"the queue's requirement is {what}; a queue takes a single requirement only"
        assert scene.round().startswith(f"no decision 1  no_object: {cause}")
        scene.queue(resreq="gpu")
        assert scene.round() == lines("pend 1  SELECT_MISMATCH", "  SELECT_MISMATCH: n1")


class TestJobs:
    def test_ids(self) -> None:
        """1: "array base in the low 32, element index in the high 32"; "print as `42` and `42[7]`"."""
        assert make_id(42, 7) == (7 << 32) | 42
        assert (format_id(42), format_id(make_id(42, 7))) == ("42", "42[7]")
        listed = [make_id(42, i) for i in range(1, 11)] + [50, 51, 52, 53]
        assert compress_ids(listed) == ["42[1-10]", "50-53"]
        unordered = [make_id(3, 2), 4, make_id(3, 1), 2]
        assert [format_id(i) for i in sorted(unordered, key=order_key)] == [
            "2", "3[1]", "3[2]", "4",
        ]  # fmt: skip

    def test_an_array_expands_to_its_elements(self) -> None:
        """1: arrays are elements, each a job of its own."""
        scene = Scene(host("n1", 2))
        scene.submit(job(7, array=(1, 7, 3)))
        assert scene.round() == lines(
            "dispatch 7[1]  n1:1",
            "dispatch 7[4]  n1:1",
            "pend 7[7]  HOST_RESOURCE",
            "  HOST_RESOURCE slots: n1",
        )
        scene.remove(7)
        assert scene.jobs() == ""

    def test_defaults(self) -> None:
        """1: "`min_tasks` 1, `max_tasks` = `min_tasks`, priority 0, ... `queue_time` = time of the
        event, state `pend`"."""
        scene = Scene(host("n1", 1)).at(5)
        scene.submit(job(1))
        found = scene.core.state.jobs[1]
        fields = (found.min_tasks, found.max_tasks, found.priority, found.project, found.state)
        assert fields == (1, 1, 0, "", "pend")
        assert found.queue_time == 5_000_000

    def test_susp_stays_charged(self) -> None:
        """1: "`susp` stays charged"; `psusp` is not picked."""
        scene = Scene(host("n1", 4))
        scene.push(running(1, takes("n1:3"), state="susp"), job(2, state="psusp"))
        assert scene.round() == ""
        assert (scene.in_use(), scene.jobs()) == ("n1: slots=3", "1 susp, 2 psusp")


class TestLimits:
    def played(self, *limits: object, jobs: tuple = (), **more: object) -> str:
        """Which of the jobs run, and what stops the others."""
        scene = Scene(*hosts(2, 20, mem=100), limits=limits, **more)  # type: ignore[arg-type]
        scene.submit(*jobs)
        return scene.round()

    def test_a_plain_list_shares_one_counter(self) -> None:
        """1: "A plain list shares one counter between all its members"; without per_ it is `all`."""
        text = self.played(
            limit("pool", "slots", 2, users="u1 u2"),
            jobs=(job(1, user="u1"), job(2, user="u2"), job(3, user="u1"), job(4, user="u3")),
        )
        assert text == lines(
            "dispatch 1  n1:1",
            "dispatch 2  n1:1",
            "pend 3  CLUSTER_LIMIT",
            "  CLUSTER_LIMIT pool/all",
            "dispatch 4  n1:1",
        )

    def test_a_per_list_gives_each_its_own(self) -> None:
        """1: "a `per_` list gives each its own"; the instance is printed with its key."""
        text = self.played(
            limit("own", "slots", 1, per_user="u1 u2"),
            jobs=(job(1, user="u1"), job(2, user="u2"), job(3, user="u1"), job(4, user="u3")),
        )
        assert text == lines(
            "dispatch 1  n1:1",
            "dispatch 2  n1:1",
            "pend 3  CLUSTER_LIMIT",
            "  CLUSTER_LIMIT own/u=u1",
            "dispatch 4  n1:1",
        )

    def test_one_key_per_list_in_order(self) -> None:
        """1: "one key per `per_` list, in the order u, q, p, h"."""
        own = limit("own", "slots", 0, per_user="all", per_queue="all", per_project="all")
        host_own = limit("at", "slots", 0, per_user="all", per_host="n1 n2")
        text = self.played(own, jobs=(job(1, project="chip7"),))
        assert text == lines(
            "pend 1  CLUSTER_LIMIT", "  CLUSTER_LIMIT own/u=alice,q=normal,p=chip7"
        )
        text = self.played(host_own, jobs=(job(1),))
        assert text == lines("pend 1  HOST_LIMIT", "  HOST_LIMIT at/u=alice per host: n1 n2")

    @pytest.mark.parametrize(
        ("names", "matched"),
        [
            ("all", "u1 u2 u3"),
            ("u1 u3", "u1 u3"),
            ("all ~u2", "u1 u3"),
            ("~u2", "u1 u3"),
            ("team", "u1 u2"),
            ("team ~u2", "u1"),
            ("~team", "u3"),
            ("outer", "u1 u2 u3"),
        ],
    )
    def test_names(self, names: str, matched: str) -> None:
        """1: "`all` matches everyone, `~name` excludes, group names expand"; "A list of `~name`
        alone means all but these"."""
        text = self.played(
            limit("none", "jobs", 0, users=names),
            groups={"team": ("u1", "u2"), "outer": ("team", "u3")},
            jobs=tuple(job(i, user=f"u{i}") for i in (1, 2, 3)),
        )
        pending = [f"u{line[5]}" for line in text.splitlines() if line.startswith("pend")]
        assert " ".join(pending) == matched

    def test_all_lists_must_match(self) -> None:
        """1: a limit has "any of" its lists; a job meets it if it is in each of them."""
        text = self.played(
            limit("none", "slots", 0, users="u1", queues="normal", projects="p1"),
            jobs=(job(1, user="u1", project="p1"), job(2, user="u1", project="p2"), job(3)),
        )
        assert text == lines(
            "pend 1  CLUSTER_LIMIT",
            "  CLUSTER_LIMIT none/all",
            "dispatch 2  n1:1",
            "dispatch 3  n1:1",
        )

    def test_per_host_has_a_counter_on_each_host(self) -> None:
        """1: host-scoped, `per_host`: each host its own; a host not in the list is free."""
        text = self.played(
            limit("at", "slots", 2, per_host="n1"),
            jobs=(job(1, tasks=2), job(2, tasks=2, hosts=("n1",)), job(3)),
        )
        assert text == lines(
            "dispatch 1  n1:2",
            "pend 2  HOST_LIMIT",
            "  HOST_LIMIT at/ per host: n1",
            "dispatch 3  n2:1",
        )

    def test_hosts_share_one_counter(self) -> None:
        """1: "A plain `hosts` list is host-scoped with one counter over its hosts"."""
        text = self.played(
            limit("pool", "slots", 3, hosts="n1 n2"),
            jobs=(job(1, "span[ptile=1]", tasks=2), job(2), job(3)),
        )
        assert text == lines(
            "dispatch 1  n1:1 n2:1",
            "dispatch 2  n1:1",
            "pend 3  HOST_LIMIT",
            "  HOST_LIMIT pool/all: n1 n2",
        )

    def test_a_pool_counts_what_this_job_has_reserved_elsewhere(self) -> None:
        """1: "including what this job has already reserved on the other hosts of the list"."""
        text = self.played(
            limit("pool", "slots", 3, hosts="n1 n2"),
            jobs=(job(1, "span[ptile=2]", tasks=4), job(2, "span[ptile=2]", tasks=3)),
        )
        assert text == lines(
            "pend 1  NOT_ENOUGH_HOSTS",
            "  HOST_LIMIT pool/all: n2",
            "  NOT_ENOUGH_HOSTS",
            "dispatch 2  n1:2 n2:1",
        )

    def test_a_limit_on_a_consumable(self) -> None:
        """1: `resource` "`slots`, `jobs`, or any consumable resource"."""
        text = self.played(
            limit("m", "mem", 10, users="all"),
            jobs=(job(1, "rusage[mem=6]"), job(2, "rusage[mem=5]"), job(3)),
        )
        assert text == lines(
            "dispatch 1  n1:1(mem=6)",
            "pend 2  CLUSTER_LIMIT",
            "  CLUSTER_LIMIT m/all",
            "dispatch 3  n1:1",
        )

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (
                limit("x", "slots", 1, users="all", per_user="all"),
                "limit x has both users and per_user",
            ),
            (
                limit("x", "lic", 1, per_host="all"),
                "limit x: a limit on hosts can not be on shared resource lic",
            ),
            (
                limit("x", "lic", 1, hosts="n1"),
                "limit x: a limit on hosts can not be on shared resource lic",
            ),
            (limit("x", "ut", 1, users="all"), "limit x: resource ut is not consumable"),
            (limit("x", "slots", -1, users="all"), "limit x: a value can not be negative"),
        ],
    )
    def test_errors(self, wrong: object, message: str) -> None:
        """1: "Both forms of one key in one limit are an error, and so is a host-scoped limit on a
        shared resource"."""
        scene = Scene(*hosts(2, 4))
        config = Config(queues=(queue(),), limits=(wrong,))  # type: ignore[arg-type]
        assert refused(scene, ev.ConfigPush(t=0, config=config)) == message
