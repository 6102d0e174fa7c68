"""From the verdicts of one scan to what a record keeps of its hosts.

At level full one block with as many lines as the budget allows, at level summary one entry with
numbers. Nothing is made for a host beyond the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import numpy as np

from xce_sim.model.reasons import IndexArray
from xce_sim.model.verdict import Account, HostRows, Mask, MismatchPart, Scan
from xce_sim.trace.host_entries import HostBlock, InstanceCount, PositionSummary, ShortRows
from xce_sim.trace.verdicts import CLAIMED, ERROR, MISMATCH, NO_VERDICT, Verdicts

LISTED_INSTANCES = 50
"""How many instances of limits a summary names; the others are added up per limit."""

PartOf = Callable[[int], MismatchPart | None]


def count_block_lines(verdicts: Verdicts) -> int:
    """The lines that all hosts of a scan would take: one each, and one for each short row."""
    rows = sum(int(np.count_nonzero(mask)) for _, mask in verdicts.short)
    return len(verdicts.hosts) + rows


def host_block(
    scan: Scan, verdicts: Verdicts, *, depth: int, room: int, part_of: PartOf
) -> HostBlock:
    """The first `room` lines of a scan's hosts; the last host may lose rows to the bound."""
    places, rows = _rows_within(verdicts, room)
    hosts, kinds = verdicts.hosts[:places].copy(), verdicts.kinds[:places].copy()
    parts: tuple[MismatchPart | None, ...] = ()
    claimed: tuple[int, ...] = ()
    errors: tuple[str, ...] = ()
    if verdicts.counts[1]:
        parts = tuple(map(part_of, hosts[kinds == MISMATCH].tolist()))
    if verdicts.counts[4]:
        claimed = tuple(scan.claimed[host] for host in hosts[kinds == CLAIMED].tolist())
    if verdicts.counts[5]:
        failed = hosts[kinds == ERROR].tolist()
        errors = tuple(scan.errors.get(host, NO_VERDICT) for host in failed)
    return HostBlock(
        depth=depth,
        hosts=hosts,
        kinds=kinds,
        parts=parts,
        claimed_by=claimed,
        errors=errors,
        rows=rows,
    )


def _rows_within(verdicts: Verdicts, room: int) -> tuple[int, tuple[ShortRows, ...]]:
    """How many hosts have their line within the bound, and the rows whose lines are."""
    looked = verdicts.hosts[:room]
    if not verdicts.short:
        return len(looked), ()
    per_host = np.ones(len(looked), np.int64)
    for _, mask in verdicts.short:
        per_host += mask[: len(looked)]
    line = np.cumsum(per_host) - per_host
    hosts = int(np.searchsorted(line, room))
    line = line[:hosts]
    kept: list[ShortRows] = []
    for rows, mask in verdicts.short:
        places = np.flatnonzero(mask[:hosts])
        line[places] += 1
        places = places[line[places] < room]
        if len(places):
            kept.append(_short_rows(rows, places.astype(np.int32), looked[places]))
    return hosts, tuple(kept)


def _short_rows(rows: HostRows, places: IndexArray, hosts: IndexArray) -> ShortRows:
    amounts = np.empty((4, len(hosts)), np.int64)
    for line, column in zip(
        amounts, (rows.total, rows.in_use, rows.reserved, rows.requested), strict=True
    ):
        line[:] = column[hosts]
    return ShortRows(account=rows.account, places=places, amounts=amounts)


def position_summary(
    scan: Scan, verdicts: Verdicts, names: Sequence[str], *, depth: int
) -> PositionSummary:
    """The hosts of one position in numbers, with the instances of limits that were exceeded."""
    limits, more, rest = _instances(verdicts, names)
    return PositionSummary(
        depth=depth,
        accepted=None if scan.accepted is None else names[scan.accepted],
        rejected=verdicts.counts[1:],
        twice=verdicts.twice,
        not_reached=len(scan.order) - scan.reached,
        limits=limits,
        more_instances=more,
        more_limits=rest,
    )


def _instances(
    verdicts: Verdicts, names: Sequence[str]
) -> tuple[tuple[InstanceCount, ...], int, tuple[InstanceCount, ...]]:
    listed: list[InstanceCount] = []
    more = 0
    rest: dict[str, int] = {}
    for rows, mask in verdicts.short:
        account = rows.account
        if account.kind != "limit":
            continue
        count = int(np.count_nonzero(mask))
        room = LISTED_INSTANCES - len(listed)
        if not account.per_host:
            if room:
                listed.append(_instance(account, account.instance, count))
            else:
                more += 1
                rest[account.name] = rest.get(account.name, 0) + count
            continue
        hosts = verdicts.hosts[np.flatnonzero(mask)[:room]].tolist()
        listed.extend(_instance(account, account.instance_on(names[host]), 1) for host in hosts)
        if count > len(hosts):
            more += count - len(hosts)
            rest[account.name] = rest.get(account.name, 0) + count - len(hosts)
    totals = tuple(
        InstanceCount(name=name, instance="", count=count) for name, count in rest.items()
    )
    return tuple(listed), more, totals


def _instance(account: Account, instance: str, count: int) -> InstanceCount:
    return InstanceCount(name=account.name, instance=instance, count=count)


class ClaimedHosts:
    """The hosts claimed by earlier positions of the plan being tried, as a mask.

    A plan only ever adds to its claims, so each scan costs as much as was added since the last.
    """

    def __init__(self, hosts: int) -> None:
        self._mask: Mask = np.zeros(hosts, np.bool_)
        self._known: list[int] = []

    def reset(self) -> None:
        """A new plan has claimed nothing."""
        self._mask[self._known] = False
        self._known.clear()

    def mask(self, claimed: Mapping[int, int]) -> Mask | None:
        """The mask of these claims, shape `[hosts]`; None when there are none."""
        if not claimed:
            return None
        known = len(self._known)
        if len(claimed) < known:
            self.reset()
            known = 0
        added = list(islice(claimed, known, None))
        self._mask[added] = True
        self._known.extend(added)
        return self._mask
