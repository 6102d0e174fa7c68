"""R7.6, R7.7, R8.1 and R8.7: the shape of a trace, units, spans, and what is not done."""

from __future__ import annotations

import ast
import typing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_trace_example import record_example
from trace_builders import (
    LIM_HOST,
    LIM_USER,
    MEM,
    begin_single,
    begun,
    charge,
    charges,
    host_rows,
    one_position,
    pended,
    recorder,
    row,
    scan,
    select,
    text,
)

import xce_sim.trace
from xce_sim.model.ids import make_id
from xce_sim.model.verdict import Account, MismatchPart
from xce_sim.trace.lines import trace_lines
from xce_sim.trace.spans import Style, plain_lines, plain_text


def test_r7_6_each_level_of_the_hierarchy_is_two_spaces():
    depths = {
        line.lstrip().split(" ")[0]: len(line) - len(line.lstrip())
        for line in text(record_example())
    }

    assert depths["[trace]"] == 0
    assert depths["selection:"] == depths["outcome:"] == 2
    assert (depths["plan"], depths["position"], depths["mem"]) == (6, 8, 12)


def test_r7_6_sections_in_order():
    lines = text(record_example())
    starts = ["[trace]", "  selection:", "  cluster-wide limits:", "  requirement", "  outcome:"]
    places = [next(i for i, line in enumerate(lines) if line.startswith(s)) for s in starts]

    assert places == sorted(places)


@pytest.mark.parametrize(
    ("units", "shown"),
    [
        ("raw", ["8192", "8192.5", "1"]),
        ("auto", ["8 GiB", "8192.5 MiB", "1 MiB"]),
        ("K", ["8388608 KiB", "8389120 KiB", "1024 KiB"]),
        ("M", ["8192 MiB", "8192.5 MiB", "1 MiB"]),
        ("G", ["8 GiB", "~8 GiB", "~0.001 GiB"]),
        ("T", ["~0.008 TiB", "~0.008 TiB", "~0 TiB"]),
    ],
)
def test_r7_7_amounts_everywhere_in_the_units_of_now(units, shown):
    limit = Account(kind="limit", name="lim", resource="mem", unit="MiB", per_host=True)
    made = begun(1)
    begin_single(made)
    made.check_rows([row(MEM, (8192, 8192.5, 0, 1))], passed=False)
    one_position(made, scan(1, rows=[host_rows(limit, 1, {0: (8192, 8192.5, 0, 1)})]))
    made.dispatch([charges("n01", charge(MEM, 8192))], [])
    total, in_use, requested = shown

    lines = [line.strip() for line in text(made.finish(), units=units)]

    assert (
        f"cluster-wide: mem total {total} in-use {in_use} reserved 0 requested {requested} failed"
        in lines
    )
    assert (
        f"limit lim (h=n01) on mem: value {total} usage {in_use} reserved 0 requested {requested}"
        in lines
    )
    assert f"host n01: mem={total}" in lines


def test_r7_7_job_identifiers_as_everywhere():
    made = recorder()
    select(made, job=make_id(42, 7))

    assert text(pended(made))[0].startswith("[trace] job 42[7] session ")


def test_r8_1_spans_joined_are_the_text():
    record = record_example()
    lines = list(trace_lines(record))

    styles = {style for line in lines for style, _ in line}
    assert styles <= set(typing.get_args(Style))
    assert styles >= {"plain", "good", "bad", "key", "number", "dim"}
    assert ["".join(part for _, part in line) for line in lines] == plain_lines(lines)
    assert plain_lines(trace_lines(record)) == plain_lines(trace_lines(record))


def test_r8_7_the_trace_neither_logs_nor_prints_nor_opens_files():
    """Nor does it import anything above it, or a console library."""
    allowed = ("xce_sim.trace", "xce_sim.model", "xce_sim.errors", "numpy")
    standard = {"__future__", "collections", "dataclasses", "itertools", "sys", "typing"}
    for path in sorted(Path(xce_sim.trace.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = []
            if isinstance(node, ast.ImportFrom):
                modules = [node.module]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            for module in modules:
                assert module.startswith(allowed) or module.split(".")[0] in standard, path.name
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"print", "open"}, path.name


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\v\f"), max_size=8)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(NAMES, NAMES)
def test_names_from_recordings_pass_through_as_they_are(name, other):
    """Making them harmless is the business of whoever shows them, for console and file alike."""
    limit = Account(kind="limit", name=name, resource=other, instance=other)
    made = recorder([name, other])
    select(made, limits=[limit])
    begin_single(made)
    made.check_rows([row(limit, (1, 1, 0, 1))], passed=False)
    part = MismatchPart(expression="type == linux", value=name)
    one_position(made, scan(2, accepted=1, mismatch={0: part}))
    made.dispatch([charges(name, charge(LIM_HOST, 1, other))], [charge(LIM_USER, 1, name)])

    record = made.finish()
    lines = plain_lines(trace_lines(record))

    assert len(lines) == 3 + record.line_count + 3
    assert f"        host {other} accepted" in lines


def test_a_trace_of_1000_hosts_and_64_tasks_at_level_full():
    made = begun(1000)
    begin_single(made, min_tasks=1, max_tasks=64)
    rows = [host_rows(MEM, 1000, dict.fromkeys(range(1000), (64, 60, 0, 8)))]
    seen = scan(1000, rows=rows)
    for tasks in range(64, 0, -1):
        one_position(made, seen, tasks=tasks)
        made.end_plan(1)
    made.end_search()
    made.end_requirement("not satisfied")
    record = pended(made)

    lines = text(record)

    assert record.line_count == 1000
    assert len(lines) == 3 + 1000 + 3 + 2
    assert record.counters.omitted == 2 + 1 + 64 * (4 + 2000) - 1000
    assert record.counters.evaluations == (0, 0, 64_000, 0, 0, 0)
    assert record.nbytes < 40_000


def test_a_line_is_never_wrapped():
    made = begun(1)
    begin_single(made)
    part = MismatchPart(expression="x" * 8000)
    one_position(made, scan(1, mismatch={0: part}))

    lines = [plain_text(line) for line in trace_lines(pended(made))]

    assert max(map(len, lines)) > 8000
    assert not any("\n" in line for line in lines)
