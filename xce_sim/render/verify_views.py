"""What a verification found, in words and as JSON.

    [sim] verify  rounds 12  decisions 40  differences 2 in 1 round
    [sim] verify  round 3, 2026-10-07 10:00:01  job 43  amount mem on n01: here 8, recorded 4

One difference is one line with its round and job in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xce_sim.model.clock import TimeMode, format_seconds, format_time
from xce_sim.model.event import HostRange, RecordedEntry
from xce_sim.model.ids import format_id
from xce_sim.model.units import format_milli
from xce_sim.sim.difference import Difference, Placed, Side, Waits
from xce_sim.sim.verification import Verification
from xce_sim.trace.spans import Line
from xce_sim.trace.wording import counted, reason_limit


def report(found: Verification, time: TimeMode = "utc") -> Iterator[Line]:
    """The closing report: counts, and the first differences."""
    what = "no difference"
    if found.differences:
        rounds = counted(found.differing_rounds, "round")
        what = f"differences {found.differences} in {rounds}"
    yield (
        ("key", "[sim] verify"),
        ("plain", f"  rounds {found.rounds}  decisions {found.decisions}  "),
        ("bad" if found.differences else "good", what),
    )
    for each in found.first:
        yield from difference(each, time)
    more = found.differences - len(found.first)
    if more:
        yield (("key", "[sim] verify"), ("plain", f"  {more} more"))


def difference(found: Difference, time: TimeMode = "utc") -> Iterator[Line]:
    """One difference, both sides."""
    yield (
        ("key", "[sim] verify"),
        ("plain", f"  round {found.round}, {format_time(found.t, time)}  "),
        ("bad", f"job {format_id(found.job)}"),
        ("plain", f"  {_what(found)}: {_sides(found)}"),
    )


def verification_json(found: Verification) -> dict[str, Any]:
    """The report as a JSON object; times are decimal seconds, what a side has not is null."""
    return {
        "rounds": found.rounds,
        "decisions": found.decisions,
        "differences": found.differences,
        "differing_rounds": found.differing_rounds,
        "first": [
            {
                "round": each.round,
                "time": float(format_seconds(each.t)),
                "job": format_id(each.job),
                "what": each.what,
                "host": each.host,
                "resource": each.resource,
                "here": None if each.here is None else _side(each.here, each),
                "recorded": None if each.recorded is None else _side(each.recorded, each),
            }
            for each in found.first
        ],
    }


def _what(found: Difference) -> str:
    subject = found.what if found.resource is None else f"{found.what} {found.resource}"
    return subject if found.host is None else f"{subject} on {found.host}"


def _sides(found: Difference) -> str:
    only = " only" if found.what == "reasons" else ""
    here, recorded = _side(found.here, found), _side(found.recorded, found)
    return f"here{only} {here}, recorded{only} {recorded}"


def _side(side: Side, found: Difference) -> str:
    if isinstance(side, Placed):
        hosts = [f"{share.host}:{share.tasks}" for share in side.allocation.hosts]
        note = ["(reconstructed)"] if side.reconstructed else []
        return " ".join(([] if found.what == "hosts" else ["dispatch"]) + hosts + note)
    if isinstance(side, Waits):
        return f"pend {side.main} with {_entries(side.entries)}"
    if isinstance(side, int):
        return format_milli(side) if found.what == "amount" else str(side)
    if isinstance(side, tuple):
        return _entries(side)
    return "nothing" if side is None else side


def _entries(entries: tuple[RecordedEntry, ...]) -> str:
    return "; ".join(map(_entry, entries)) or "nothing"


def _entry(entry: RecordedEntry) -> str:
    limit = None if entry.limit is None else reason_limit(entry.limit)
    parts = [entry.code, entry.resource, limit, entry.clause]
    if entry.hosts is not None:
        names = [
            f"{item.first}..{item.last}" if isinstance(item, HostRange) else item
            for item in entry.hosts
        ]
        parts.append(f"on {' '.join(names)}")
    if entry.alternative is not None:
        parts.append(f"(alternative {entry.alternative})")
    return " ".join(filter(None, parts))
