"""A requirement taken apart, for `xce-replay resreq` and `xce-replay check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xce_sim.model.ids import format_id
from xce_sim.model.resources import ResourceDef
from xce_sim.model.units import format_amount
from xce_sim.render.account_views import resource_text
from xce_sim.render.program_views import caret
from xce_sim.replay.requirements import Finding
from xce_sim.resreq.describe import Alternative, Description, ItemDescription, PrimaryDescription
from xce_sim.trace.spans import Line
from xce_sim.trace.wording import counted


def described(found: Description, assumed: Sequence[ResourceDef]) -> Iterator[Line]:
    """The canonical text, then every part with its key in front."""
    yield (("key", "requirement"), ("plain", f" {found.canonical or '-'}"))
    for item in assumed:
        yield (("dim", f"  assumed {resource_text(item)}"),)
    for number, alternative in enumerate(found.alternatives, start=1):
        depth = 1
        if found.shape == "alternatives":
            empty = "" if alternative.primaries else " (no content: it is skipped)"
            count = len(found.alternatives)
            yield (("plain", f"  alternative {number} of {count}{empty}"),)
            depth = 2
        yield from _alternative(alternative, depth)


def unusable(findings: Sequence[Finding], left_out: int) -> Iterator[Line]:
    """Requirements of a replay that can not be used; they break no rule."""
    for finding in findings:
        where = f"event {finding.event}: job {format_id(finding.job)}"
        more = f" and {counted(finding.jobs - 1, 'other job')}" if finding.jobs > 1 else ""
        error = finding.error
        hint = f"; {error.hint}" if error.hint else ""
        yield (
            ("key", "[check] requirement,"),
            ("plain", f" {where}{more}: {error.message}{hint}"),
        )
        if error.text is not None and error.span is not None:
            yield from caret(error.text, error.span)
    if left_out:
        text = f" of {counted(left_out, 'more job')} not looked at: too many distinct texts"
        yield (("key", "[check] requirements"), ("plain", text))


def _alternative(alternative: Alternative, depth: int) -> Iterator[Line]:
    for number, primary in enumerate(alternative.primaries, start=1):
        if alternative.compound:
            text = f"member {number} of {len(alternative.primaries)}  tasks {primary.tasks}"
            yield _at(depth, text)
        yield from _primary(primary, depth + alternative.compound)


def _primary(primary: PrimaryDescription, depth: int) -> Iterator[Line]:
    yield _at(depth, f"select {primary.select or 'every host'}")
    for item in primary.items:
        yield _at(depth, _item(item))
    if primary.span is not None:
        yield _at(depth, f"span {primary.span}")
    for name, larger in primary.order:
        yield _at(depth, f"order {name}: {'larger' if larger else 'smaller'} first")
    if primary.same:
        yield _at(depth, f"same {' '.join(primary.same)}")
    for clause in primary.declined:
        yield (("plain", "  " * depth), ("bad", "declined"), ("plain", f" {clause}"))


def _item(item: ItemDescription) -> str:
    amount = format_amount(item.amount, item.unit)
    usual = "" if item.default_scope else " (as written)"
    text = f"rusage {item.name} {amount} per {item.scope}{usual}"
    kept = [
        f"{name}={value}"
        for name, value in (("duration", item.duration), ("decay", item.decay))
        if value
    ]
    return f"{text}  {' '.join(kept)} kept without effect" if kept else text


def _at(depth: int, text: str) -> Line:
    return (("plain", f"{'  ' * depth}{text}"),)
