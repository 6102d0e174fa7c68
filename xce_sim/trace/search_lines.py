"""The lines of cluster-wide checks and plans."""

from __future__ import annotations

from itertools import chain, repeat

from xce_sim.trace.entries import (
    BuildFailed,
    CheckEnd,
    CheckRow,
    Committed,
    MaximumLowered,
    NoPlan,
    NotConsidered,
    PlanEnd,
    PlanShape,
    SearchEnd,
)
from xce_sim.trace.sizes import TaskSizes
from xce_sim.trace.spans import Line
from xce_sim.trace.wording import (
    Display,
    account_name,
    counted,
    internal_error,
    limit_name,
)

LISTED_POSITIONS = 32
"""Up to so many positions are listed one by one, more as runs: `[4 x 60, 3 x 4]`."""

_NO_FURTHER = "; no further plans tried"


def check_row(entry: CheckRow, display: Display) -> Line:
    """`cluster-wide: license total 10 in-use 9 reserved 0 requested 2 failed`."""
    row = entry.row
    account = row.account
    numbers = [
        display.amount(milli, account.unit)
        for milli in (row.total, row.in_use, row.reserved, row.requested)
    ]
    if account.kind == "limit":
        what = f"cluster-wide limit {limit_name(account.name, account.instance)}"
        what += f" on {account.resource}:"
        names = ("value", "usage", "reserved", "requested")
    else:
        what = f"cluster-wide: {account.name}"
        names = ("total", "in-use", "reserved", "requested")
    text = " ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))
    result: Line = (("good", " passed"),) if row.passed else (("bad", " failed"),)
    return (("key", what), ("number", f" {text}"), *result)


def check_end(entry: CheckEnd, _display: Display) -> Line:
    """`cluster-wide check failed; no placement plans tried`."""
    if entry.passed:
        return (("good", "cluster-wide check passed"),)
    ended = "failed" if entry.cause is None else f"ended in an {internal_error(entry.cause)}"
    return (("bad", f"cluster-wide check {ended}"), ("plain", "; no placement plans tried"))


def no_plan(entry: NoPlan, _display: Display) -> Line:
    """`no plan generated: declined, clause affinity is not supported`."""
    if entry.cause is not None:
        return (("bad", f"no plan generated: {internal_error(entry.cause)}"),)
    clauses = ", ".join(entry.clauses)
    which = f"clause {clauses} is" if len(entry.clauses) == 1 else f"clauses {clauses} are"
    return (("bad", f"no plan generated: declined, {which} not supported"),)


def maximum_lowered(entry: MaximumLowered, _display: Display) -> Line:
    """`maximum lowered to 6 tasks: cluster-wide limit lim_user (u=alice)`."""
    tasks = counted(entry.tasks, "task")
    return (("plain", f"maximum lowered to {tasks}: cluster-wide {account_name(entry.account)}"),)


def not_considered(entry: NotConsidered, _display: Display) -> Line:
    """`not considered: 2 unavail, 1 closed, 5 not in queue's hosts, 1 not in job's hosts`."""
    counts = entry.counts
    causes = (
        (counts.unavail, "unavail"),
        (counts.reconciling, "reconciling"),
        (counts.closed, "closed"),
        (counts.queue_hosts, "not in queue's hosts"),
        (counts.job_hosts, "not in job's hosts"),
    )
    return (("dim", "not considered: " + ", ".join(f"{n} {cause}" for n, cause in causes if n)),)


def plan_shape(entry: PlanShape, _display: Display) -> Line:
    """`plan 3 hosts 2 tasks per position [8, 2] (fill) set type=linux`."""
    plan = entry.plan
    text = f" hosts {plan.sizes.positions} tasks per position [{_sizes(plan.sizes)}]"
    if plan.fill:
        text += " (fill)"
    if plan.same:
        text += f" set {plan.same}"
    shape: Line = (("key", f"plan {plan.number}"), ("plain", text))
    if entry.fate == "tried":
        return shape
    if entry.fate == "discarded":
        return (*shape, ("dim", f" discarded: {entry.cause}" if entry.cause else " discarded"))
    return (*shape, ("bad", f" not tried: {internal_error(entry.cause)}"), ("plain", _NO_FURTHER))


def _sizes(sizes: TaskSizes) -> str:
    if sizes.positions <= LISTED_POSITIONS:
        runs = (repeat(str(tasks), count) for tasks, count in sizes.runs)
        return ", ".join(chain.from_iterable(runs))
    texts = [f"{tasks} x {count}" if count > 1 else str(tasks) for tasks, count in sizes.runs]
    if sizes.unlisted:
        texts.append(f"... {counted(sizes.unlisted, 'position')} more")
    return ", ".join(texts)


def plan_end(entry: PlanEnd, _display: Display) -> Line:
    """`plan 1 failed: position 2 could not be filled`."""
    if entry.error is not None:
        return _ended(entry.number, entry.error)
    if entry.failed_position is None:
        return (("good", f"plan {entry.number} succeeded"),)
    position = f"position {entry.failed_position} could not be filled"
    return (("bad", f"plan {entry.number} failed: {position}"),)


def committed(entry: Committed, _display: Display) -> Line:
    """`plan 1 committed; no further plans tried`."""
    return (("good", f"plan {entry.number} committed"), ("plain", _NO_FURTHER))


def build_failed(entry: BuildFailed, _display: Display) -> Line:
    """`plan 4 ended in an internal error: <cause>; no further plans tried`."""
    return _ended(entry.number, entry.cause)


def _ended(number: int, cause: str) -> Line:
    return (
        ("bad", f"plan {number} ended in an {internal_error(cause)}"),
        ("plain", _NO_FURTHER),
    )


def search_end(entry: SearchEnd, _display: Display) -> Line:
    """`plans: 3 generated, 2 tried, 1 discarded, 0 not tried; no plan could be placed`."""
    text = (
        f"plans: {entry.generated} generated, {entry.tried} tried,"
        f" {entry.discarded} discarded, {entry.not_tried} not tried"
    )
    statement = {
        "": "",
        "none generated": f"; no plan generated: {entry.cause or 'the planner gave none'}",
        "all discarded": "; no plan tried: all generated plans discarded",
        "none placed": "; no plan could be placed",
    }[entry.statement]
    return (("plain", text), ("bad", statement)) if statement else (("plain", text),)
