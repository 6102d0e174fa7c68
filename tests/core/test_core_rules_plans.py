"""Section 4, Trying a requirement: alternatives, members, checks, plans, positions."""

from __future__ import annotations

import pytest
from core.scene import EVERYTHING, Scene, host, hosts, job, limit, lines, milli, running, takes

from xce_sim.model import event as ev
from xce_sim.trace.lines import trace_lines
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.spans import plain_lines


def trace(scene: Scene, id: int) -> list[str]:
    """The lines of a job's trace in the next round, without blanks at the begin."""
    recorder = scene.core.trace = Recorder(EVERYTHING)
    for decision in scene.core.session(1):
        record = recorder.finish()
        if getattr(decision, "job", None) == id:
            assert record is not None
            return [line.strip() for line in plain_lines(trace_lines(record))]
    raise AssertionError(f"no decision about {id}")


def plans(scene: Scene, id: int = 1) -> list[str]:
    """The plans that were generated, in order, as the trace tells them."""
    told = [line for line in trace(scene, id) if line.startswith("plan ") and "hosts" in line]
    return [line.partition("position ")[2] for line in told]


class TestAlternativesAndMembers:
    def test_the_first_alternative_that_succeeds_is_taken(self) -> None:
        """4: "tried in order; the first that succeeds is taken; an empty one is skipped"."""
        scene = Scene(host("n1", 2, gpu=True), host("n2", 4))
        scene.submit(job(1, "{} || {gpu span[hosts=1]} || {gpu==0}", 3), job(2, "{gpu} || {ut>5}"))
        assert scene.round() == lines("dispatch 1  n2:3", "dispatch 2  n1:1")

    def test_members_see_what_their_predecessors_reserved(self) -> None:
        """4: "each sees what its predecessors reserved provisionally": hosts, shared, limits."""
        limits = [limit("s", "slots", 3, users="all")]
        scene = Scene(*hosts(2, 2, mem=4), shared={"lic": 2}, limits=limits)
        scene.submit(
            job(1, "1*{rusage[mem=3:lic=1]} + 1*{rusage[mem=2:lic=1]}"),
            job(2, "1*{rusage[lic=2]} + 1*{type!=x}"),
        )
        assert scene.round() == lines(
            "dispatch 1  n1:1(mem=3) n2:1(mem=2) lic=2",
            "pend 2  SHARED_RESOURCE",
            "  SHARED_RESOURCE lic",
        )
        scene.end(1)
        scene.submit(job(3, "2*{type!=x} + 2*{type!=x}"))
        assert scene.round() == lines(
            "dispatch 2  n1:2 lic=2", "pend 3  CLUSTER_LIMIT", "  CLUSTER_LIMIT s/all"
        )

    def test_the_first_failure_fails_the_whole(self) -> None:
        """4: "the first failure fails the whole and the rest is not tried"; "Provisional
        reservations vanish on failure"; 5: "a compound has those of its failing member"."""
        scene = Scene(*hosts(2, 2))
        scene.submit(job(1, "2*{type!=x} + 1*{gpu} + 1*{ut>5}"), job(2, tasks=4))
        assert scene.round() == lines(
            "pend 1  SELECT_MISMATCH", "  SELECT_MISMATCH: n1 n2", "dispatch 2  n1:2 n2:2"
        )

    def test_members_on_one_host_make_one_share(self) -> None:
        """7: "An allocation lists its hosts in the order in which they were claimed": once each."""
        scene = Scene(host("n1", 1), host("n2", 3, gpu=True, mem=9))
        scene.submit(job(1, "2*{gpu rusage[mem=2]} + 1*{type!=x} + 1*{gpu rusage[mem=1]}"))
        assert scene.round() == lines("dispatch 1  n2:3(mem=3) n1:1")


class TestAcceptAndClusterCheck:
    @pytest.mark.parametrize(
        ("clause", "word"),
        [
            ("cu[type=rack]", "cu"),
            ("affinity[core(1)]", "affinity"),
            ("span[block=2]", "span"),
        ],
    )
    def test_a_clause_that_is_not_implemented(self, clause: str, word: str) -> None:
        """4.1: "declined by name, never placed as if the clause were not there"."""
        scene = Scene(host("n1", 4))
        scene.submit(job(1, f"type!=x {clause}"))
        assert scene.round() == lines("pend 1  CLAUSE_UNSUPPORTED", f"  CLAUSE_UNSUPPORTED {word}")

    def test_all_rows_are_computed(self) -> None:
        """4.2: "All rows are computed, even after a failure ... On failure no plan is generated"."""
        limits = [limit("a", "slots", 1, users="all"), limit("b", "jobs", 0, users="all")]
        scene = Scene(host("n1", 1), limits=limits, shared={"lic": 1})
        scene.submit(job(1, "rusage[lic=2]", 2))
        assert scene.round() == lines(
            "pend 1  CLUSTER_LIMIT",
            "  SHARED_RESOURCE lic",
            "  CLUSTER_LIMIT a/all",
            "  CLUSTER_LIMIT b/all",
        )

    @pytest.mark.parametrize(
        ("resreq", "lic", "passes"),
        [
            ("rusage[lic=2/host] span[ptile=2]", 6, True),
            ("rusage[lic=2/host] span[ptile=2]", 5, False),
            ("rusage[lic=2/host]", 2, False),
            ("rusage[lic=5]", 5, True),
        ],
    )
    def test_a_row_asks_for_the_fewest_hosts(self, resreq: str, lic: int, passes: bool) -> None:
        """4.2: "T = `min_tasks` and the fewest hosts the span allows (`ptile=p`: T/p, else 1)"."""
        scene = Scene(*hosts(5, 2), shared={"lic": lic})
        scene.submit(job(1, resreq, 5))
        told = scene.round()
        assert told.startswith("dispatch") == passes

    def test_the_maximum_is_lowered(self) -> None:
        """4.2: "While any row is short for the maximum, the maximum is lowered by one"."""
        limits = [limit("u", "slots", 6, per_user="all")]
        scene = Scene(*hosts(2, 8), limits=limits)
        scene.submit(job(1, tasks=2, most=10))
        assert "maximum lowered to 6 tasks: cluster-wide limit u (u=alice)" in trace(scene, 1)
        assert scene.in_use() == "n1: slots=6; u(u=alice): 6"


class TestPlans:
    def test_one_host(self) -> None:
        """4.3: "`span[hosts=1]`: one position of T"."""
        scene = Scene(*hosts(2, 4))
        scene.submit(job(1, "span[hosts=1]", 3, 6))
        assert plans(scene) == ["[6] discarded", "[5] discarded", "[4]"]

    @pytest.mark.parametrize(("tasks", "plan"), [(4, "[3, 1]"), (6, "[3, 3]"), (2, "[2]")])
    def test_ptile(self, tasks: int, plan: str) -> None:
        """4.3: "positions of p, and one of the remainder if there is one"."""
        scene = Scene(*hosts(3, 4))
        scene.submit(job(1, "span[ptile=3]", tasks))
        assert plans(scene) == [plan]

    def test_even_plans_and_fill(self) -> None:
        """4.3: "*even* plans on k hosts ... only those k whose largest position is smaller than
        that of the plan before; the first `T mod k` positions get one task more. Then one *fill*
        plan"."""
        scene = Scene(host("n1", 7), host("n2", 1), host("n3", 1), host("n4", 1))
        scene.push(running(9, takes("n1:1")))
        scene.submit(job(1, tasks=7))
        assert plans(scene) == [
            "[7]",
            "[4, 3]",
            "[3, 2, 2]",
            "[2, 2, 2, 1]",
            "[1, 1, 1, 1, 1, 1, 1] discarded",
            "[6, 1] (fill)",
        ]

    def test_the_walk_sees_what_it_has_reserved(self) -> None:
        """4.3: "let each take the most tasks that pass check 4c, seeing what earlier ones of the
        walk have reserved": a counter over several hosts."""
        limits = [limit("pool", "slots", 5, hosts="n1 n2")]
        scene = Scene(host("n1", 4), host("n2", 4), host("n3", 2), limits=limits, spread="fill")
        scene.submit(job(1, tasks=7))
        assert scene.round() == lines("dispatch 1  n1:4 n2:1 n3:2")

    def test_if_the_walk_ends_short_there_is_no_fill_plan(self) -> None:
        """4.3: "if the walk ends short, there is no fill plan"."""
        scene = Scene(host("n1", 3), host("n2", 2))
        scene.push(running(9, takes("n2:1")))
        scene.submit(job(1, tasks=5))
        assert plans(scene) == [
            "[5] discarded", "[3, 2]", "[2, 2, 1] discarded", "[1, 1, 1, 1, 1] discarded",
        ]  # fmt: skip
        # A walk that does not reach all tasks takes 3 + 1.

    def test_spread_fill(self) -> None:
        """4.3: "`params.spread: fill` ... the fill plan is the only one for each T, and when the
        walk ends short the rest is one more position"."""
        scene = Scene(host("n1", 2), host("n2", 5), spread="fill")
        scene.submit(job(1, tasks=6))
        assert plans(scene) == ["[2, 4] (fill)"]
        scene = Scene(host("n1", 2), host("n2", 5), host("n3", 9), spread="fill")
        scene.push(running(9, takes("n3:9")))
        scene.submit(job(1, tasks=9))
        _, _, reasons = scene.round().partition("\n")
        assert plans(scene) == ["[2, 5, 2] (fill)"]
        assert reasons == lines(
            "pend 1  NOT_ENOUGH_HOSTS", "  HOST_RESOURCE slots: n3", "  NOT_ENOUGH_HOSTS"
        )

    def test_from_the_maximum_down_to_the_minimum(self) -> None:
        """4.3: "For T tasks from the maximum down to the minimum"; "The first plan whose positions
        can all be filled is committed"."""
        scene = Scene(*hosts(3, 1))
        scene.submit(job(1, tasks=1, most=5), job(2, tasks=1))
        assert scene.round() == lines(
            "dispatch 1  n1:1 n2:1 n3:1", "pend 2  HOST_RESOURCE", "  HOST_RESOURCE slots: n1 n2 n3"
        )

    def test_discarded_by_positions_and_slots(self) -> None:
        """4.3: discarded "when it has more positions than there are candidate hosts, or a position
        larger than the `slots` of every candidate host"."""
        scene = Scene(host("n1", 2), host("n2", 9, "closed"))
        scene.submit(job(1, "span[hosts=1]", 3), job(2, "span[ptile=1]", 2), job(3))
        assert scene.round() == lines(
            "pend 1  NO_PLAN", "  NO_PLAN", "pend 2  NO_PLAN", "  NO_PLAN", "dispatch 3  n1:1"
        )

    def test_discarded_by_a_cluster_wide_row(self) -> None:
        """4.3: "or else when a cluster-wide row is short for its own T and k, and that row then
        becomes a reason"; 5: "a row that discarded a plan if no plan was tried"."""
        scene = Scene(*hosts(3, 2), shared={"lic": 2})
        scene.submit(job(1, "rusage[lic=1/host]", 6), job(2, "rusage[lic=1/host]", 4))
        assert scene.round() == lines(
            "pend 1  SHARED_RESOURCE",
            "  SHARED_RESOURCE lic",
            "  NO_PLAN",
            "dispatch 2  n1:2 n2:2 lic=2",
        )

    def test_same(self) -> None:
        """4.3: "each plan is tried on each set of candidates that agree, in the order of their
        first host; hosts without a value agree with each other"."""
        scene = Scene(
            host("n1", 2, type="a"),
            host("n2", 2, type="b"),
            host("n3", 2),
            host("n4", 2, type="b"),
            host("n5", 2),
            host("n6", 2),
        )
        scene.submit(*(job(i, "same[type]", tasks) for i, tasks in enumerate((3, 5, 2), 1)))
        assert scene.round() == lines(
            "dispatch 1  n2:2 n4:1", "dispatch 2  n3:2 n5:2 n6:1", "dispatch 3  n1:2"
        )

    def test_same_needs_one_set(self) -> None:
        """4.3: "With `same`, "candidate" here means of the set": two sets do not add up."""
        scene = Scene(host("n1", 2, type="a"), host("n2", 2, type="b"))
        scene.submit(job(1, "same[type]", 3), job(2, tasks=3))
        assert scene.round() == lines("pend 1  NO_PLAN", "  NO_PLAN", "dispatch 2  n1:2 n2:1")


class TestPositions:
    def test_hosts_are_scanned_in_pushed_order(self) -> None:
        """4.4: "hosts are scanned in the order the workers were pushed"."""
        scene = Scene(host("z", 1), host("a", 1))
        scene.submit(job(1), job(2))
        assert scene.round() == lines("dispatch 1  z:1", "dispatch 2  a:1")

    def test_a_mismatch_ends_it(self) -> None:
        """4.4a: "a mismatch ends it, nothing else is checked"."""
        scene = Scene(host("n1", 0, mem=0), host("n2", 1, gpu=True, mem=0))
        scene.submit(job(1, "gpu rusage[mem=1]"))
        assert scene.round() == lines(
            "pend 1  HOST_RESOURCE", "  SELECT_MISMATCH: n1", "  HOST_RESOURCE mem: n2"
        )

    def test_all_rows_of_a_host_are_computed(self) -> None:
        """4.4c: "every host resource and every host-scoped instance ... all rows are computed"."""
        limits = [limit("at", "jobs", 0, per_host="all"), limit("m", "mem", 1, hosts="n1")]
        scene = Scene(host("n1", 0, mem=1), limits=limits)
        scene.push(running(9, takes("n1:1")))
        scene.submit(job(1, "rusage[mem=2] span[hosts=-1]"))
        scene.slots("n1", 1)
        assert scene.round().splitlines()[1:] == [
            "pend 1  HOST_RESOURCE",
            "  HOST_RESOURCE mem: n1",
            "  HOST_RESOURCE slots: n1",
            "  HOST_LIMIT at/ per host: n1",
            "  HOST_LIMIT m/all: n1",
        ]

    def test_an_error_is_never_a_match_nor_a_mismatch(self) -> None:
        """4.4: "An error while selecting or checking a host makes it *not evaluated*, never a
        mismatch or a match; the scan goes on"."""
        scene = Scene(host("n1", 1, ut=0.0), host("n2", 1, ut=2.0), host("n3", 1, ut=9.0))
        scene.submit(*(job(i, "10/ut>2") for i in (1, 2)))
        assert scene.round() == lines(
            "dispatch 1  n2:1",
            "pend 2  HOST_RESOURCE",
            "  HOST_ERROR: n1",
            "  HOST_RESOURCE slots: n2",
            "  SELECT_MISMATCH: n3",
        )

    def test_claimed_hosts_are_released_when_a_plan_fails(self) -> None:
        """4.4: "If none passes, the plan fails and the hosts claimed for it are released"."""
        scene = Scene(host("n1", 3), host("n2", 2))
        scene.push(running(9, takes("n2:1")))
        scene.submit(job(1, "span[ptile=2]", 4), job(2, tasks=3))
        assert scene.round().splitlines()[1:] == [
            "pend 1  NOT_ENOUGH_HOSTS",
            "  HOST_RESOURCE slots: n2",
            "  NOT_ENOUGH_HOSTS",
            "dispatch 2  n1:3",
        ]

    def test_order_by_what_is_free(self) -> None:
        """4.4: `order`: "a consumable by `total - in_use - reserved` ... equal ones in the pushed
        order"."""
        scene = Scene(*hosts(3, 4, mem=8))
        scene.submit(*(job(i, "rusage[mem=3] order[mem]") for i in range(1, 8)))
        assert scene.round() == lines(
            "dispatch 1  n1:1(mem=3)",
            "dispatch 2  n2:1(mem=3)",
            "dispatch 3  n3:1(mem=3)",
            "dispatch 4  n1:1(mem=3)",
            "dispatch 5  n2:1(mem=3)",
            "dispatch 6  n3:1(mem=3)",
            "pend 7  HOST_RESOURCE",
            "  HOST_RESOURCE mem: n1 n2 n3",
        )

    def test_order_sees_the_reservations_of_earlier_members(self) -> None:
        """4.4: sorted "when the requirement or member begins", `reserved` included."""
        scene = Scene(*hosts(2, 4, mem=8))
        scene.submit(job(1, "1*{rusage[mem=3] order[mem]} + 1*{rusage[mem=1] order[mem]}"))
        assert scene.round() == lines("dispatch 1  n1:1(mem=3) n2:1(mem=1)")

    @pytest.mark.parametrize(
        ("keys", "first"),
        [
            ("ut", "n1"),
            ("-ut", "n3"),
            ("!ut", "n1"),
            ("!-ut", "n3"),
            ("gpu", "n1"),
            ("-gpu", "n2"),
            ("-gpu:-ut", "n3"),
            ("slots:ut", "n3"),
        ],
    )
    def test_order_keys(self, keys: str, first: str) -> None:
        """4.4: "the leftmost key deciding ...; `-` reverses a key, `!` is accepted and changes
        nothing"."""
        scene = Scene(
            host("n1", 2, ut=1.0, gpu=False),
            host("n2", 2, ut=2.0, gpu=True),
            host("n3", 3, ut=3.0, gpu=True),
        )
        scene.submit(job(1, f"order[{keys}]"))
        assert scene.round() == lines(f"dispatch 1  {first}:1")

    def test_order_by_a_string_is_invalid(self) -> None:
        """4.4: "a string resource makes the requirement invalid"."""
        scene = Scene(host("n1", 1))
        scene.submit(job(1, "order[type]"))
        assert scene.round().startswith("no decision 1  no_object: ")

    def test_select_sees_values_as_pushed(self) -> None:
        """4a: select uses pushed values, what is booked is not part of it; of a shared resource its
        total."""
        scene = Scene(host("n1", 4, mem=8), shared={"lic": 2})
        scene.submit(job(1, "rusage[mem=8:lic=2]"), job(2, "mem>=8 && lic==2"))
        assert scene.round() == lines("dispatch 1  n1:1(mem=8) lic=2", "dispatch 2  n1:1")
        scene.apply(ev.SharedUpdate(t=0, values={"lic": milli(3)}))
        scene.submit(job(3, "lic==2"))
        assert scene.round() == lines("pend 3  SELECT_MISMATCH", "  SELECT_MISMATCH: n1")
