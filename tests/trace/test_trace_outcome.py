"""R6 and R9.4: what was allocated, or why the job waits."""

from __future__ import annotations

from trace_builders import (
    GIB,
    LICENSE,
    LIM_HOST,
    LIM_USER,
    MEM,
    SLOTS,
    TMP,
    begun,
    charge,
    charges,
    host_names,
    reason,
    reasons,
    text,
)

from xce_sim.model.verdict import Account, HostCharges
from xce_sim.trace.settings import OUTCOME_HOSTS

LIM_MEM = Account(kind="limit", name="lim_mem", resource="mem", unit="MiB")


def dispatched(hosts, shared=(), **display) -> list[str]:
    made = begun()
    made.dispatch(hosts, shared)
    return text(made.finish(), **display)[3:]


def waiting(main: str, *entries, hosts=3) -> list[str]:
    made = begun(hosts)
    made.pend(reasons(main, *entries, hosts=hosts))
    return text(made.finish())[3:]


def test_r6_1_amounts_and_limit_charges_of_each_host_in_the_order_claimed():
    hosts = [
        charges(
            "n07",
            charge(LIM_HOST, 4, "h=n07"),
            charge(TMP, 1),
            charge(SLOTS, 4),
            charge(LIM_MEM, 8 * GIB, "u=alice,h=n07"),
            charge(MEM, 8 * GIB),
        ),
        charges("n02", charge(SLOTS, 2)),
    ]

    assert dispatched(hosts) == [
        "  outcome: DISPATCH",
        "    host n07: mem=8 GiB tmp=1 GiB slots=4"
        " limit charges: lim_host (h=n07) slots 4, lim_mem (u=alice,h=n07) mem 8 GiB",
        "    host n02: slots=2",
    ]


def test_r6_2_shared_amounts_and_cluster_wide_limits_once():
    scratch = Account(kind="shared", name="a_scratch", unit="GiB")
    shared = [charge(LICENSE, 3), charge(LIM_USER, 6, "u=alice"), charge(scratch, 0.5)]

    assert dispatched([charges("n01", charge(SLOTS, 6))], shared)[2:] == [
        "    shared: a_scratch=512 MiB license=3 limit charges: lim_user (u=alice) slots 6",
    ]


def test_r6_3_a_limit_alone_is_still_a_limit_charge():
    jobs = Account(kind="limit", name="lim_jobs", resource="jobs")

    assert dispatched(
        [charges("n01", charge(SLOTS, 1), charge(jobs, 1, "h=n01"))],
        [charge(LIM_USER, 1, "u=alice")],
    )[1:] == [
        "    host n01: slots=1 limit charges: lim_jobs (h=n01) jobs 1",
        "    shared: limit charges: lim_user (u=alice) slots 1",
    ]


def test_r6_4_a_pend_shows_every_entry_of_the_decision():
    lines = waiting(
        "SHARED_RESOURCE",
        reason("SHARED_RESOURCE", resource="license"),
        reason("HOST_RESOURCE", resource="mem", hosts=[0, 2]),
        reason("SELECT_MISMATCH", hosts=[1]),
        reason("HOST_RESOURCE", resource="slots", hosts=[2]),
        reason("HOST_LIMIT", limit="lim_host/", per_host=True, hosts=[2]),
        reason("HOST_LIMIT", limit="lim_u/u=bob", per_host=True, hosts=[1]),
        reason("HOST_LIMIT", limit="lim_pool/u=alice", hosts=[0]),
        reason("CLUSTER_LIMIT", limit="lim_user/u=alice"),
        reason("CLAUSE_UNSUPPORTED", clause="affinity"),
    )

    assert lines == [
        "  outcome: PEND SHARED_RESOURCE",
        "    host n01: HOST_RESOURCE mem, HOST_LIMIT lim_pool (u=alice)",
        "    host n02: SELECT_MISMATCH, HOST_LIMIT lim_u (u=bob,h=n02)",
        "    host n03: HOST_RESOURCE mem, HOST_RESOURCE slots, HOST_LIMIT lim_host (h=n03)",
        "    SHARED_RESOURCE license",
        "    CLUSTER_LIMIT lim_user (u=alice)",
        "    CLAUSE_UNSUPPORTED affinity",
    ]


def test_r6_4_the_number_of_the_alternative():
    assert waiting(
        "NO_PLAN",
        reason("CLUSTER_LIMIT", limit="lim_user/u=alice", alternative=1),
        reason("HOST_RESOURCE", resource="mem", hosts=[0], alternative=2),
        reason("NO_PLAN", alternative=3),
    ) == [
        "  outcome: PEND NO_PLAN",
        "    host n01: HOST_RESOURCE mem (alternative 2)",
        "    CLUSTER_LIMIT lim_user (u=alice) (alternative 1)",
        "    NO_PLAN (alternative 3)",
    ]


def test_r6_4_reasons_that_jobs_share_are_copied_once():
    made = begun()
    shared = reasons("NO_CANDIDATE", reason("NO_CANDIDATE"))
    records = []
    for job in (1, 2):
        made.begin_job(job, job)
        made.pend(shared)
        records.append(made.finish())

    assert records[0].outcome is records[1].outcome


def test_r6_4_other_reasons_are_other_reasons():
    made = begun()
    said = []
    for code in ("NO_CANDIDATE", "NO_PLAN", "NO_CANDIDATE"):
        made.begin_job(1, 1)
        made.pend(reasons(code, reason(code)))
        said.append(text(made.finish())[-2])

    assert said == [
        f"  outcome: PEND {code}" for code in ("NO_CANDIDATE", "NO_PLAN", "NO_CANDIDATE")
    ]


def claimed_hosts(count: int) -> list[HostCharges]:
    return [
        charges(
            name,
            charge(MEM, 8 * GIB),
            charge(SLOTS, 4),
            charge(LIM_HOST, 4, f"h={name}"),
        )
        for name in host_names(count)
    ]


def test_r9_4_a_dispatch_lists_50_hosts_and_adds_up_the_others():
    shared = [charge(LICENSE, 1)]
    at_bound, beyond = dispatched(claimed_hosts(50), shared), dispatched(claimed_hosts(64), shared)

    assert at_bound == beyond[:-1]
    assert len([line for line in beyond if line.startswith("    host ")]) == OUTCOME_HOSTS
    assert beyond[-2:] == [
        "    shared: license=1",
        "    ... 14 hosts omitted: mem=112 GiB slots=56 limit charges: lim_host slots 56",
    ]


def test_r9_4_a_limit_on_two_resources_is_totalled_for_each():
    extra = [
        charges("x", charge(LIM_HOST, 4, "h=x"), charge(LIM_MEM, 1, "h=x")),
        charges("y", charge(LIM_HOST, 3, "h=y"), charge(SLOTS, 3)),
    ]

    assert dispatched([*claimed_hosts(50), *extra])[-1] == (
        "    ... 2 hosts omitted: slots=3 limit charges: lim_host slots 7, lim_mem mem 1 MiB"
    )


def test_r9_4_a_pend_lists_50_hosts_and_counts_entries_of_the_others():
    hosts = host_names(10_000)
    lines = waiting(
        "HOST_RESOURCE",
        reason("SHARED_RESOURCE", resource="license"),
        reason("SELECT_MISMATCH", hosts=range(9050, 10_000)),
        reason("HOST_RESOURCE", resource="mem", hosts=range(9050)),
        reason("HOST_RESOURCE", resource="slots", hosts=range(0, 9050, 2)),
        hosts=hosts,
    )

    assert lines[0] == "  outcome: PEND HOST_RESOURCE"
    assert lines[1:3] == [
        "    host n01: HOST_RESOURCE mem, HOST_RESOURCE slots",
        "    host n02: HOST_RESOURCE mem",
    ]
    assert lines[50:] == [
        "    host n50: HOST_RESOURCE mem",
        "    SHARED_RESOURCE license",
        "    ... 9950 hosts omitted: SELECT_MISMATCH 950, HOST_RESOURCE 13500",
    ]


def test_r9_4_exactly_50_and_51_hosts():
    at_bound = waiting("NO_PLAN", reason("HOST_ERROR", hosts=range(1, 51)), hosts=60)
    beyond = waiting("NO_PLAN", reason("HOST_ERROR", hosts=range(1, 52)), hosts=60)

    assert at_bound[-1] == "    host n51: HOST_ERROR"
    assert beyond[-2:] == [
        "    host n51: HOST_ERROR",
        "    ... 1 host omitted: HOST_ERROR 1",
    ]
    assert len(at_bound) == len(beyond) - 1 == 51


def test_r9_4_a_reason_whose_hosts_are_all_omitted():
    lines = waiting(
        "NO_PLAN",
        reason("HOST_ERROR", hosts=range(50)),
        reason("SELECT_MISMATCH", hosts=range(50, 60)),
        hosts=60,
    )

    assert lines[-1] == "    ... 10 hosts omitted: SELECT_MISMATCH 10"
    assert lines[50] == "    host n50: HOST_ERROR"
