"""What `xce-replay` says: facts of a file, broken rules, reports of imports."""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.model.clock import format_seconds, format_time
from xce_sim.render.wording import counts
from xce_sim.replay.convert import Converted
from xce_sim.replay.importers.report import ImportReport
from xce_sim.replay.info import ReplayInfo
from xce_sim.replay.inspection import CheckReport
from xce_sim.trace.spans import Line
from xce_sim.trace.wording import counted

_QUEUES = 10
"""How many of the busiest queues are listed."""


def info(found: ReplayInfo) -> Iterator[Line]:
    """`xce-replay info`: one fact a line, its key in front."""
    header = found.header
    yield (("key", f"replay {found.path}"), ("plain", f"  form {found.form}  bytes {found.size}"))
    yield _fact(
        f"mode {header.mode}  version {header.version}  cluster {header.cluster or '-'}"
        f"  producer {header.producer or '-'}  interval {format_seconds(header.interval)} s"
    )
    if found.start is not None and found.end is not None:
        yield _fact(f"from {format_time(found.start)} to {format_time(found.end)}")
    yield _fact(f"events {found.events}: {counts(found.kinds.items()) or 'none'}")
    yield _fact(f"hosts {found.hosts}  slots {found.slots}")
    yield _fact(f"resources {' '.join(found.resources) or 'none'}")
    yield _fact(f"jobs {found.jobs}  users {found.users}")
    for name, jobs in found.queues[:_QUEUES]:
        yield _fact(f"queue {name}  jobs {jobs}")
    if len(found.queues) > _QUEUES:
        yield _fact(f"... {len(found.queues) - _QUEUES} more queues")
    if found.rounds:
        yield _fact(f"rounds {found.rounds}: {found.first_round} to {found.last_round}")
    for remark in found.missing:
        yield (("plain", "  "), ("bad", "missing"), ("plain", f" {remark}"))


def converted(target: str, done: Converted) -> Iterator[Line]:
    """`xce-replay convert`."""
    yield (
        ("key", f"[convert] {target}:"),
        ("plain", f" {counted(done.events, 'event')}, {counted(done.bytes, 'byte')}"),
    )


def checked(report: CheckReport) -> Iterator[Line]:
    """`xce-replay check`: the broken rules in the order of the file, then how many."""
    for error in report.broken:
        rule = getattr(error, "rule", None)
        yield (
            ("bad", "[check]"),
            ("plain", f" {error.message}" + (f" (rule {rule})" if rule else "")),
        )
    more = report.broken_count - len(report.broken)
    if more:
        yield (("bad", "[check]"), ("plain", f" ... {more} more"))
    events = counted(report.events, "event")
    if report.broken_count:
        result: Line = (("bad", f"{counted(report.broken_count, 'broken rule')}"),)
    else:
        where = "" if report.end is None else " up to where reading stopped"
        result = (("good", f"no broken rule{where}"),)
    yield (("key", f"[check] {report.path}:"), ("plain", f" {events}, "), *result)


def imported(target: str, report: ImportReport) -> Iterator[Line]:
    """The report that ends an import: "lines read, jobs made, skipped by cause"."""
    skipped = sum(skip.count for skip in report.skips)
    yield (
        ("key", f"[import] {target}:"),
        ("plain", f" {counted(report.lines, 'line')} read, {counted(report.jobs, 'job')} made"),
        ("plain", f", {skipped} skipped"),
    )
    for skip in report.skips:
        text = f" skipped {skip.count}: {skip.cause}, first on line {skip.line}"
        yield (("bad", "[import]"), ("plain", text))
    for notice in report.notices:
        yield (("key", "[import]"), ("plain", f" notice: {notice}"))


def _fact(text: str) -> Line:
    return (("plain", f"  {text}"),)
