"""Jobs: `info job` and the rows of `info jobs`.

    job 43  user alice  queue normal  project chip7  priority 0
      state pend  since 2026-10-07 10:00:00
      requirement type==linux rusage[mem=8192]  tasks 1..1
      reason HOST_RESOURCE (round 12): mem on 3 hosts: n01 n02 n05

A pending job never has an empty reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.inspected import Behind, Invalid, JobFacts, JobRow, Pended, Waiting
from xce_sim.commands.session import Settings
from xce_sim.model.clock import format_time, format_wait
from xce_sim.model.ids import format_id
from xce_sim.model.reasons import ReasonCode, ReasonEntry, Reasons
from xce_sim.render.round_views import allocation_text
from xce_sim.render.wording import cut, entry_text, main_first, reasons_text, room_after
from xce_sim.trace.outcome_lines import outcome_lines
from xce_sim.trace.outcomes import dispatch_outcome
from xce_sim.trace.records import DispatchOutcome
from xce_sim.trace.spans import Line, Span, Style


def job(facts: JobFacts, settings: Settings) -> Iterator[Line]:
    """All about one job."""
    row = facts.row
    width = 0 if facts.whole else settings.width
    yield (
        ("key", f"job {format_id(row.id)}"),
        ("plain", f"  user {row.user or '-'}  queue {row.queue}  project {facts.project or '-'}"),
        ("plain", f"  priority {facts.priority}"),
    )
    yield _state(facts, settings)
    least, most = row.tasks
    requirement = f"requirement {facts.requirement or '-'}  tasks {least}..{most}"
    yield (("plain", f"  {requirement}"),)
    if facts.allow_list is not None:
        text = "  allowed hosts: "
        yield (("plain", text + cut(facts.allow_list, room_after(width, text))),)
    for part in facts.not_honoured:
        yield (("dim", f"  note {part} has no effect: the amount is held for the whole run"),)
    if row.waiting is not None:
        yield from _reasons(row.waiting, row.queue, width)
        if not facts.queue_active and row.waiting != "inactive":
            yield (("plain", f"  queue {row.queue} is inactive"),)
    yield from _holds(facts, settings)


def row(facts: JobRow, settings: Settings) -> Line:
    """A job in a list."""
    head = f"job {format_id(facts.id)}"
    least, most = facts.tasks
    text = (
        f"  {facts.state}  user {facts.user or '-'}  queue {facts.queue}  tasks {least}..{most}"
        f"  since {format_time(facts.since, settings.time)}"
    )
    before = head + text
    if facts.waiting is not None:
        before += "  reason "
        text += f"  reason {_reason_text(facts.waiting, room_after(settings.width, before))}"
    elif facts.allocation is not None:
        before += "  hosts "
        text += f"  hosts {allocation_text(facts.allocation, room_after(settings.width, before))}"
    return (("key", head), ("plain", text))


def _state(facts: JobFacts, settings: Settings) -> Line:
    row = facts.row
    text = f"  since {format_time(row.since, settings.time)}"
    if facts.wait is not None:
        text += f"  wait {format_wait(facts.wait)}"
    if facts.run_time is not None:
        text += f"  run time {format_wait(facts.run_time)}"
    style: Style = "good" if row.allocation is not None else "plain"
    return (("plain", "  "), (style, f"state {row.state}"), ("plain", text))


def _holds(facts: JobFacts, settings: Settings) -> Iterator[Line]:
    """What it holds, host by host, worded as the outcome of its trace."""
    if not facts.hosts and not facts.shared:
        return
    outcome = DispatchOutcome(hosts=facts.hosts, shared=facts.shared)
    if not facts.whole:
        outcome = dispatch_outcome(facts.hosts, facts.shared)
    lines = list(outcome_lines(outcome, settings.display))
    for line in lines[1:]:
        yield (("plain", "  "), *line[1:])


def _reasons(waiting: Waiting, queue: str, width: int) -> Iterator[Line]:
    if not isinstance(waiting, Pended):
        text = _reason_text(waiting, 0) if waiting != "inactive" else f"queue {queue} is inactive"
        yield (("plain", "  "), ("bad", "reason"), ("plain", f" {text}"))
        return
    reasons = waiting.reasons
    entries = list(main_first(reasons))
    if not entries or entries[0].code != reasons.main:
        yield (("plain", "  "), ("bad", f"reason {reasons.main}"), _round(waiting.round))
    for entry in entries:
        yield _entry(entry, reasons, waiting.round, width)


def _entry(entry: ReasonEntry, reasons: Reasons, round: int, width: int) -> Line:
    code = f"reason {entry.code}"
    text = entry_text(entry)
    if entry.code in _MEANINGS:
        text = f"{_MEANINGS[entry.code]} {text}".rstrip()
    text = f" (round {round}): {text}" if text else f" (round {round})"
    if entry.hosts is not None:
        text += ": "
        names = [reasons.host_names[index] for index in entry.hosts]
        text += cut(names, room_after(width, f"  {code}{text}"))
    return (("plain", "  "), ("bad", code), ("plain", text))


_MEANINGS = {
    ReasonCode.NO_CANDIDATE: "no host is ok and in the hosts of queue and job",
    ReasonCode.NO_PLAN: "every plan needs more hosts, or more slots on one of them, than there are",
    ReasonCode.NOT_ENOUGH_HOSTS: "some hosts have room for a part of the tasks, too few for all",
}
"""What a reason says that names neither a resource nor hosts."""


def _round(number: int) -> Span:
    return ("plain", f" (round {number})")


def _reason_text(waiting: Waiting, room: int) -> str:
    if isinstance(waiting, Pended):
        return reasons_text(waiting.reasons, room)
    if isinstance(waiting, Invalid):
        return f"RESREQ_INVALID: {waiting.message}"
    if isinstance(waiting, Behind):
        return f"not selected: behind job {format_id(waiting.job)} (round {waiting.round})"
    return {
        "inactive": "queue is inactive",
        "held": "held (psusp)",
        "no_round": "no round yet",
    }[waiting]
