"""From results to lines: which view shows which kind of result.

Wording is made in the views and nowhere else. A view gives lines of spans, lazily.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xce_sim.commands import inspected, results
from xce_sim.commands.help_page import HelpPage
from xce_sim.commands.session import Settings
from xce_sim.render import (
    account_views,
    control_views,
    help_views,
    host_views,
    job_views,
    list_views,
    round_views,
)
from xce_sim.trace.lines import trace_lines
from xce_sim.trace.spans import Line


def lines_of(result: results.Result, settings: Settings, *, terminal: bool) -> Iterator[Line]:
    """The lines of a result; at a terminal long lists stop early."""
    if isinstance(result, results.Listing):
        return list_views.listing(result, settings, row_view, terminal=terminal)
    return _VIEWS[type(result)](result, settings)


def row_view(row: results.Row, settings: Settings) -> Line:
    """The one line of a row in a list."""
    return _ROWS[type(row)](row, settings)


def _trace(result: results.TraceTaken, settings: Settings) -> Iterator[Line]:
    return trace_lines(result.record, settings.units, settings.time)


def _worded(result: results.Lines, _settings: Settings) -> Iterator[Line]:
    return iter(result.lines())


def _nothing(_result: results.Quit | results.Script, _settings: Settings) -> Iterator[Line]:
    return iter(())


_VIEWS: dict[type, Callable[[Any, Settings], Iterator[Line]]] = {
    results.RoundOpened: round_views.opened,
    results.DecisionMade: round_views.decision,
    results.TraceTaken: _trace,
    results.TraceWriteFailed: control_views.write_failed,
    results.RoundClosed: round_views.closed,
    results.RoundRange: round_views.range_of_rounds,
    results.Stopped: control_views.stopped,
    results.ReplayComplete: control_views.complete,
    results.BreakpointSet: control_views.breakpoint_set,
    results.BreakpointsDeleted: control_views.breakpoints_deleted,
    results.SettingShown: control_views.setting,
    results.Lines: _worded,
    inspected.JobFacts: job_views.job,
    inspected.HostFacts: host_views.host,
    inspected.RoundFacts: round_views.facts,
    inspected.QueueDetail: account_views.queue,
    inspected.LimitFacts: account_views.limit,
    inspected.SelectFacts: account_views.select,
    inspected.SessionFacts: control_views.session,
    HelpPage: help_views.page,
    results.HelpOverview: help_views.overview,
    results.HelpMatches: help_views.matches,
    results.History: control_views.history,
    results.Script: _nothing,
    results.Restarted: control_views.restarted,
    results.BreakpointsChanged: control_views.breakpoints_changed,
    results.Quit: _nothing,
}

_ROWS: dict[type, Callable[[Any, Settings], Line]] = {
    inspected.JobRow: job_views.row,
    inspected.HostRow: host_views.row,
    inspected.QueueFacts: account_views.queue_row,
    inspected.LimitRow: account_views.limit_row,
    inspected.ResourceRow: account_views.resource_row,
    inspected.SharedRow: account_views.shared_row,
    inspected.UserRow: account_views.user_row,
    inspected.BreakpointFacts: control_views.breakpoint_row,
    inspected.DecisionRow: round_views.decision_row,
}
