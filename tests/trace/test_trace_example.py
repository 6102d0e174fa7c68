"""The example of the documentation, called by hand and compared line by line."""

from __future__ import annotations

import pytest
from trace_builders import (
    GIB,
    LICENSE,
    LIM_HOST,
    LIM_USER,
    MEM,
    SLOTS,
    charge,
    charges,
    host_rows,
    reason,
    recorder,
    requests,
    row,
    scan,
    select,
    text,
)

from xce_sim.model.verdict import MismatchPart

EXAMPLE = """\
[trace] job 42 session 7 position 3 level full
  selection: policy builtin_fcfs queue normal (priority 50) job priority 0 queued 2026-10-07 10:00:01
  cluster-wide limits: lim_user (u=alice); host-scoped limits are reported with each host's verdict
  requirement alternative 1/2 (compound, 1 member)
    requirement alternative 1/2 > member 1/1 tasks 4..4 requests mem=8 GiB slots=1 license=2
      cluster-wide: license total 10 in-use 9 reserved 0 requested 2 failed
      cluster-wide limit lim_user (u=alice) on slots: value 100 usage 96 reserved 0 requested 4 passed
      cluster-wide check failed; no placement plans tried
    member 1/1 not satisfied
    failure reasons: SHARED_RESOURCE x1 (resources: license)
  alternative 1/2 not satisfied
  requirement alternative 2/2 (compound, 1 member)
    requirement alternative 2/2 > member 1/1 tasks 4..4 requests mem=8 GiB slots=1 license=1
      cluster-wide: license total 10 in-use 9 reserved 0 requested 1 passed
      cluster-wide limit lim_user (u=alice) on slots: value 100 usage 96 reserved 0 requested 4 passed
      cluster-wide check passed
      plan 1 hosts 1 tasks per position [4]
        position 1 (4 tasks)
          host n01 rejected (per-host check): resource shortfall
            mem total 64 GiB in-use 60 GiB reserved 0 requested 8 GiB
          host n02 rejected (pre-filter): selection mismatch (type == linux: windows); per-host check not performed
          host n03 accepted
        position 1 filled by n03
      plan 1 succeeded
      plan 1 committed; no further plans tried
      plans: 1 generated, 1 tried, 0 discarded, 0 not tried
    member 1/1 satisfied
  alternative 2/2 satisfied
  alternative 2/2 chosen; no alternatives after it
  outcome: DISPATCH
    host n03: mem=8 GiB slots=4 limit charges: lim_host (h=n03) slots 4
    shared: license=1 limit charges: lim_user (u=alice) slots 4
"""

SUMMARY = (
    "          accepted n03; rejected: selection mismatch 1, resource shortfall 1,"
    " limit exceeded 0, already claimed 0, not evaluated 0; not reached 0"
)


def record_example(level: str = "full", lines: int = 1000):
    made = recorder(level=level, lines=lines)
    select(made, limits=[LIM_USER])
    free = row(LIM_USER, (100, 96, 0, 4))

    made.begin_requirement("alternative", 1, 2, members=1)
    begin_member(made, licenses=2)
    made.check_rows([row(LICENSE, (10, 9, 0, 2)), free], passed=False)
    made.end_requirement("not satisfied")
    made.failure_reasons([reason("SHARED_RESOURCE", resource="license", alternative=1)])
    made.end_requirement("not satisfied")

    made.begin_requirement("alternative", 2, 2, members=1)
    begin_member(made, licenses=1)
    made.check_rows([row(LICENSE, (10, 9, 0, 1)), free], passed=True)
    made.begin_plan([4])
    made.begin_position(1, 4)
    memory = {0: (64 * GIB, 60 * GIB, 0, 8 * GIB), 2: (64 * GIB, 8 * GIB, 0, 8 * GIB)}
    made.end_position(
        scan(
            3,
            accepted=2,
            mismatch={1: MismatchPart(expression="type == linux", value="windows")},
            rows=[host_rows(MEM, 3, memory)],
        )
    )
    made.end_plan(None)
    made.committed()
    made.end_search()
    made.end_requirement("satisfied")
    made.end_requirement("satisfied")
    made.alternatives_done(2, 2)
    made.dispatch(
        [
            charges(
                "n03",
                charge(SLOTS, 4),
                charge(MEM, 8 * GIB),
                charge(LIM_HOST, 4, "h=n03"),
            )
        ],
        [charge(LICENSE, 1), charge(LIM_USER, 4, "u=alice")],
    )
    return made.finish()


def begin_member(made, *, licenses: int) -> None:
    amounts = requests(license=licenses, slots=1, mem=8 * GIB)
    made.begin_requirement("member", 1, 1, min_tasks=4, max_tasks=4, requests=amounts)


def test_example_line_by_line():
    record = record_example()

    assert "\n".join(text(record)) + "\n" == EXAMPLE


def test_every_line_between_selection_and_outcome_is_one_entry():
    record = record_example()

    assert record.line_count == len(EXAMPLE.splitlines()) - 3 - 3


def test_example_at_level_summary_differs_in_hosts_only():
    lines = EXAMPLE.splitlines()
    lines[0] = "[trace] job 42 session 7 position 3 level summary"
    first = next(i for i, line in enumerate(lines) if "host n01" in line)
    lines[first : first + 4] = [SUMMARY]

    assert text(record_example("summary")) == lines


@pytest.mark.parametrize(
    ("units", "total", "requested"),
    [
        ("raw", "65536", "8192"),
        ("auto", "64 GiB", "8 GiB"),
        ("M", "65536 MiB", "8192 MiB"),
        ("T", "~0.063 TiB", "~0.008 TiB"),
    ],
)
def test_example_in_other_units(units, total, requested):
    lines = text(record_example(), units=units)

    assert any(f"mem total {total} in-use" in line for line in lines)
    assert f"    host n03: mem={requested} slots=4 limit charges: lim_host (h=n03) slots 4" in lines
