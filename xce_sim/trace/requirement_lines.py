"""The lines of requirements: begin, end, alternatives, members, failure reasons."""

from __future__ import annotations

from xce_sim.trace.entries import (
    AlternativesDone,
    AlternativeSkipped,
    FailureReasons,
    MemberFailed,
    PathStep,
    ReasonCount,
    RequirementBegin,
    RequirementEnd,
)
from xce_sim.trace.spans import Line
from xce_sim.trace.wording import Display, counted, internal_error, reason_limit


def _label(step: PathStep) -> str:
    kind, number, of = step
    return kind if kind in {"single", "compound"} else f"{kind} {number}/{of}"


def _subject(step: PathStep) -> str:
    kind = step[0]
    return f"{kind} requirement" if kind in {"single", "compound"} else _label(step)


def _not_tried(kind: str, number: int, count: int) -> str:
    if not count:
        return ""
    if count == 1:
        return f"; {kind} {number + 1} not tried"
    return f"; {kind}s {number + 1}..{number + count} not tried"


def requirement_begin(entry: RequirementBegin, display: Display) -> Line:
    """`requirement alternative 1/2 > member 1/1 tasks 4..4 requests mem=8 GiB slots=1`."""
    path = " > ".join(_label(step) for step in entry.path)
    kind = entry.path[-1][0]
    if entry.members:
        members = counted(entry.members, "member")
        what = f" ({members})" if kind == "compound" else f" (compound, {members})"
        return (("key", f"requirement {path}"), ("plain", what))
    text = " (single)" if kind == "alternative" and entry.single else ""
    text += f" tasks {entry.min_tasks}..{entry.max_tasks}"
    if entry.requests:
        text += f" requests {display.requests(entry.requests)}"
    return (("key", f"requirement {path}"), ("plain", text))


def requirement_end(entry: RequirementEnd, _display: Display) -> Line:
    """`member 1/2 not satisfied; member 2 not tried`."""
    rest = _not_tried(entry.step[0], entry.step[1], entry.not_tried)
    outcome = entry.outcome
    if outcome == "failed":
        return (("bad", f"{_subject(entry.step)} failed: {internal_error(entry.cause)}{rest}"),)
    text = f"{_subject(entry.step)} {outcome}{rest}"
    return (("good", text),) if outcome == "satisfied" else (("bad", text),)


def member_failed(entry: MemberFailed, _display: Display) -> Line:
    """`member 2/3 failed: internal error: <cause>; member 3 not tried`."""
    rest = _not_tried("member", entry.number, entry.of - entry.number)
    error = internal_error(entry.cause)
    return (("bad", f"member {entry.number}/{entry.of} failed: {error}{rest}"),)


def failure_reasons(entry: FailureReasons, _display: Display) -> Line:
    """`failure reasons: SHARED_RESOURCE x1 (resources: license)`."""
    reasons = ", ".join(_reason_count(count) for count in entry.counts)
    return (("plain", "failure reasons: "), ("bad", reasons or "none"))


def _reason_count(count: ReasonCount) -> str:
    named = [
        f"{label}: {' '.join(names)}"
        for label, names in (
            ("resources", count.resources),
            ("limits", tuple(map(reason_limit, count.limits))),
            ("clauses", count.clauses),
        )
        if names
    ]
    return f"{count.code} x{count.count}" + (f" ({'; '.join(named)})" if named else "")


def alternative_skipped(entry: AlternativeSkipped, _display: Display) -> Line:
    """`alternative 2/3 skipped (no content)`."""
    return (("dim", f"alternative {entry.number}/{entry.of} skipped (no content)"),)


def alternatives_done(entry: AlternativesDone, _display: Display) -> Line:
    """`alternative 1/3 chosen; alternatives 2..3 not tried`, or that all failed."""
    if not entry.chosen:
        return (("bad", "all alternatives failed"),)
    rest = _not_tried("alternative", entry.chosen, entry.of - entry.chosen)
    chosen = f"alternative {entry.chosen}/{entry.of} chosen"
    return (("good", chosen), ("plain", rest or "; no alternatives after it"))
