"""Pend reasons as a recording has them, and which of them it has already.

"A `reason_set` is written once and referred to by number": reasons are told apart by what they
say, not by the object that says it, so that the same history gives the same bytes whoever made the
objects. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from xce_sim.model.event import HostRange, RecordedEntry
from xce_sim.model.reasons import HostSet, ReasonEntry, Reasons

_DIGEST = 16
"""Bytes that stand for the content of a set: two sets that differ do not share them."""


def recorded_entries(reasons: Reasons) -> tuple[RecordedEntry, ...]:
    """The entries in the order in which they were found, with names in place of indices.

    Hosts are "in pushed order, neighbours as a range"; an instance that each host has for itself
    is an entry of its own for each host, with the complete instance (`lim_host/h=n03`).
    """
    return tuple([found for entry in reasons.entries for found in _recorded(entry, reasons)])


def _recorded(entry: ReasonEntry, reasons: Reasons) -> Iterator[RecordedEntry]:
    names = reasons.host_names
    if entry.per_host and entry.hosts is not None:
        for host in entry.hosts:
            name = names[host]
            yield _entry(entry, entry.limit_on(name), (name,))
    else:
        hosts = None if entry.hosts is None else host_ranges(entry.hosts, reasons)
        yield _entry(entry, entry.limit, hosts)


def _entry(
    entry: ReasonEntry, limit: str | None, hosts: tuple[str | HostRange, ...] | None
) -> RecordedEntry:
    return RecordedEntry(
        code=entry.code.value,
        resource=entry.resource,
        limit=limit,
        clause=entry.clause,
        alternative=entry.alternative,
        hosts=hosts,
    )


def host_ranges(hosts: HostSet, reasons: Reasons) -> tuple[str | HostRange, ...]:
    """Names of hosts, neighbours joined."""
    names = reasons.host_names
    return tuple(
        [
            names[first] if first == last else HostRange(first=names[first], last=names[last])
            for first, last in hosts.ranges()
        ]
    )


class ReasonSets:
    """The numbers of the sets written so far, from 1.

    Remembers a short digest for each set, however long it is, and the objects that the present
    round and the one before have met, so that an object is looked into once. Host indices keep
    their meaning as long as hosts are only added.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._met: dict[int, tuple[Reasons, int]] = {}
        self._met_before: dict[int, tuple[Reasons, int]] = {}

    def number_of(self, reasons: Reasons) -> tuple[int, bool]:
        """The number of what these reasons say, and whether it is new."""
        key = id(reasons)
        met = self._met.get(key)
        if met is not None:
            return met[1], False
        met = self._met_before.get(key)
        new = False
        if met is None:
            digest = _digest(reasons)
            number = self._numbers.get(digest)
            new = number is None
            if number is None:
                number = self._numbers[digest] = len(self._numbers) + 1
            met = (reasons, number)
        self._met[key] = met
        return met[1], new

    def round_ends(self) -> None:
        """Let go of objects that this round has not met."""
        self._met_before, self._met = self._met, {}


def _digest(reasons: Reasons) -> bytes:
    found = blake2b(digest_size=_DIGEST)
    for entry in reasons.entries:
        head = (entry.code.value, entry.resource, entry.limit, entry.clause)
        found.update(repr((*head, entry.alternative, entry.per_host, entry.host_count)).encode())
        if entry.hosts is not None:
            found.update(b":")
            found.update(entry.hosts.indices.tobytes())
    return found.digest()
