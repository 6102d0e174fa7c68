"""How one decision is compared with the recorded one.

"kind, job, allocations (hosts in order, tasks, amounts), and for a pend `main` and the entries as
a set". The first thing that differs is told. An amount of nothing is the same as none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xce_sim.model.event import HostRange, RecordedEntry
from xce_sim.model.job import Allocation
from xce_sim.sim.difference import Placed, Side, Waits, What


class Finding(NamedTuple):
    """What differs between two decisions about one job."""

    what: What
    here: Side
    recorded: Side
    host: str | None = None
    resource: str | None = None


def compare(
    here: Placed | Waits | None, recorded: Placed | Waits | None, hosts: Sequence[str]
) -> Finding | None:
    """The first difference, None without one; `hosts` are all names in pushed order."""
    if isinstance(here, Waits) and isinstance(recorded, Waits):
        return _compare_pends(here, recorded, hosts)
    if not isinstance(here, Placed) or not isinstance(recorded, Placed):
        return Finding("decision", here, recorded)
    if here.reconstructed != recorded.reconstructed:
        return Finding("decision", here, recorded)
    return _compare_allocations(here.allocation, recorded.allocation)


def _compare_allocations(here: Allocation, recorded: Allocation) -> Finding | None:
    if [share.host for share in here.hosts] != [share.host for share in recorded.hosts]:
        return Finding("hosts", Placed(here, False), Placed(recorded, False))
    for ours, theirs in zip(here.hosts, recorded.hosts, strict=True):
        if ours.tasks != theirs.tasks:
            return Finding("tasks", ours.tasks, theirs.tasks, ours.host)
    for ours, theirs in zip(here.hosts, recorded.hosts, strict=True):
        found = _compare_amounts(ours.amounts, theirs.amounts, ours.host)
        if found is not None:
            return found
    return _compare_amounts(here.shared, recorded.shared, None)


def _compare_amounts(
    here: Mapping[str, int], recorded: Mapping[str, int], host: str | None
) -> Finding | None:
    for name in dict.fromkeys((*here, *recorded)):
        ours, theirs = here.get(name, 0), recorded.get(name, 0)
        if ours != theirs:
            return Finding("amount", ours, theirs, host, name)
    return None


def _compare_pends(here: Waits, recorded: Waits, hosts: Sequence[str]) -> Finding | None:
    if here.main != recorded.main:
        return Finding("main", here.main, recorded.main)
    if here.entries == recorded.entries:
        return None
    places = {name: place for place, name in enumerate(hosts)}
    ours = set(_single(here.entries, hosts, places))
    theirs = set(_single(recorded.entries, hosts, places))
    if ours == theirs:
        return None
    return Finding(
        "reasons", _joined(ours - theirs, hosts, places), _joined(theirs - ours, hosts, places)
    )


_Key = tuple[str, str | None, str | None, str | None, int | None]


def _single(
    entries: Sequence[RecordedEntry], hosts: Sequence[str], places: Mapping[str, int]
) -> Iterator[tuple[_Key, str | None]]:
    """Each entry with each of its hosts."""
    for entry in entries:
        key = (entry.code, entry.resource, entry.limit, entry.clause, entry.alternative)
        if entry.hosts is None:
            yield key, None
        for item in entry.hosts or ():
            if isinstance(item, HostRange):
                first, last = places[item.first], places[item.last]
                yield from ((key, name) for name in hosts[first : last + 1])
            else:
                yield key, item


def _joined(
    singles: set[tuple[_Key, str | None]], hosts: Sequence[str], places: Mapping[str, int]
) -> tuple[RecordedEntry, ...]:
    """Entries again, by name, hosts in pushed order."""
    by_key: dict[_Key, list[str]] = {}
    cluster: set[_Key] = set()
    for key, host in singles:
        found = by_key.setdefault(key, [])
        if host is None:
            cluster.add(key)
        else:
            found.append(host)
    made = []
    for key in sorted(by_key, key=lambda key: tuple([str(part or "") for part in key])):
        code, resource, limit, clause, alternative = key
        names = sorted(by_key[key], key=lambda name: places.get(name, len(hosts)))
        made.append(
            RecordedEntry(
                code=code,
                resource=resource,
                limit=limit,
                clause=clause,
                alternative=alternative,
                hosts=None if key in cluster and not names else tuple(names),
            )
        )
    return tuple(made)
