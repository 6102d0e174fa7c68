"""From a record to lines: a pure function of the record, the units and the form of times.

Decides the order of the sections: header, selection, then the bounded ones (requirements, checks,
plans, hosts) as they were captured, what was omitted of them, and the outcome. Every entry kept in
a bounded section is exactly one line. A line is never wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xce_sim.model.clock import TimeMode
from xce_sim.model.ids import format_id
from xce_sim.model.units import UnitsMode
from xce_sim.trace import (
    entries,
    host_entries,
    host_lines,
    requirement_lines,
    search_lines,
)
from xce_sim.trace.outcome_lines import outcome_lines
from xce_sim.trace.records import NoDecisionOutcome, TraceRecord
from xce_sim.trace.spans import Line, indented
from xce_sim.trace.verdicts import KIND_NAMES
from xce_sim.trace.wording import Display, counted, limit_name

_LINE_OF: dict[type, Callable[[Any, Display], Line]] = {
    entries.RequirementBegin: requirement_lines.requirement_begin,
    entries.RequirementEnd: requirement_lines.requirement_end,
    entries.MemberFailed: requirement_lines.member_failed,
    entries.FailureReasons: requirement_lines.failure_reasons,
    entries.AlternativeSkipped: requirement_lines.alternative_skipped,
    entries.AlternativesDone: requirement_lines.alternatives_done,
    entries.CheckRow: search_lines.check_row,
    entries.CheckEnd: search_lines.check_end,
    entries.NoPlan: search_lines.no_plan,
    entries.MaximumLowered: search_lines.maximum_lowered,
    entries.NotConsidered: search_lines.not_considered,
    entries.PlanShape: search_lines.plan_shape,
    entries.PlanEnd: search_lines.plan_end,
    entries.Committed: search_lines.committed,
    entries.BuildFailed: search_lines.build_failed,
    entries.SearchEnd: search_lines.search_end,
    host_entries.PositionBegin: host_lines.position_begin,
    host_entries.PositionEnd: host_lines.position_end,
    host_entries.NotReached: host_lines.not_reached,
    host_entries.Released: host_lines.released,
}


def trace_lines(
    record: TraceRecord, units: UnitsMode = "auto", time: TimeMode = "utc"
) -> Iterator[Line]:
    """All lines of a trace, in order."""
    display = Display(units, time)
    yield _header(record)
    yield from _selection_lines(record, display)
    yield from entry_lines(record, display)
    if record.counters.omitted:
        yield from _omission_lines(record)
    yield from outcome_lines(record.outcome, display)


def entry_lines(record: TraceRecord, display: Display) -> Iterator[Line]:
    """The lines of the bounded sections: `record.line_count` of them."""
    names = record.host_names
    for entry in record.entries:
        if isinstance(entry, host_entries.HostBlock):
            yield from host_lines.host_lines(entry, names, display)
        elif isinstance(entry, host_entries.PositionSummary):
            yield indented(entry.depth, host_lines.position_summary(entry, names))
        else:
            yield indented(entry.depth, _LINE_OF[type(entry)](entry, display))


def _header(record: TraceRecord) -> Line:
    position = "" if record.position is None else f" position {record.position}"
    return (
        ("key", f"[trace] job {format_id(record.job)}"),
        ("plain", f" session {record.round}{position} level {record.level}"),
    )


def _selection_lines(record: TraceRecord, display: Display) -> Iterator[Line]:
    if record.kind == "reconstructed":
        text = "reconstructed from the recorded allocation; not placed by the scheduler"
        yield indented(1, (("plain", text),))
        return
    selection = record.selection
    if selection is None:
        why = _unavailable(record, "job not found by the allocator")
        text = f"selection: ordering keys and limits unavailable ({why})"
        yield indented(1, (("plain", text),))
        return
    queue = f"queue {selection.queue} (priority {selection.queue_priority})"
    queued = display.moment(selection.queue_time)
    yield indented(
        1,
        (
            ("plain", f"selection: policy {selection.policy} "),
            ("key", queue),
            ("plain", f" job priority {selection.job_priority} queued {queued}"),
        ),
    )
    yield indented(1, (("plain", f"cluster-wide limits: {_limits(record)}"),))


def _limits(record: TraceRecord) -> str:
    if record.limits is None:
        return f"unavailable ({_unavailable(record, 'no scheduling object')})"
    limits = ", ".join(limit_name(each.name, each.instance) for each in record.limits)
    return f"{limits or 'none'}; host-scoped limits are reported with each host's verdict"


def _unavailable(record: TraceRecord, usual: str) -> str:
    """Why something is missing: the usual cause unless an internal error came before it."""
    outcome = record.outcome
    failed = isinstance(outcome, NoDecisionOutcome) and outcome.kind == "internal_error"
    return "internal error" if failed else usual


def _omission_lines(record: TraceRecord) -> Iterator[Line]:
    counters = record.counters
    omitted = f"... {counted(counters.omitted, 'trace line')} omitted"
    yield indented(1, (("dim", f"{omitted} (line bound {record.line_bound})"),))
    plans = (
        f"totals: plans tried {counters.plans_tried}, plans discarded {counters.plans_discarded};"
        f" requirements with no plan generated {counters.none_generated},"
        f" all plans discarded {counters.all_discarded}, no plan placed {counters.none_placed}"
    )
    yield indented(1, (("plain", plans),))
    evaluations = ", ".join(
        f"{name} {count}" for name, count in zip(KIND_NAMES, counters.evaluations, strict=True)
    )
    yield indented(1, (("plain", f"totals: host evaluations: {evaluations}"),))
