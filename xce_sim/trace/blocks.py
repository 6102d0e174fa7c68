"""From the verdicts of one scan to what a record keeps of its hosts.

At level full one block with as many lines as the budget allows, at level summary one entry with
numbers. Nothing is made for a host beyond the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from xce_sim.model.reasons import IndexArray
from xce_sim.model.verdict import HostRows, Mask, MismatchPart, Scan
from xce_sim.trace.host_entries import HostBlock, LimitCount, PositionSummary, ShortRows
from xce_sim.trace.verdicts import CLAIMED, ERROR, MISMATCH, NO_VERDICT, Verdicts

LISTED_INSTANCES = 50
"""How many hosts with a counter of their own a summary names; others are added up per limit."""

PartOf = Callable[[int], MismatchPart | None]


def host_block(
    scan: Scan, verdicts: Verdicts, *, depth: int, room: int, part_of: PartOf
) -> HostBlock:
    """The first `room` lines of a scan's hosts; the last host may lose rows to the bound."""
    places, rows = _rows_within(verdicts, room)
    hosts, kinds = verdicts.hosts[:places].astype(np.int32), verdicts.kinds[:places].copy()
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
    hosts = len(verdicts.hosts)
    masks = [short.mask for short in verdicts.short]
    if room < verdicts.lines:
        hosts, masks = _masks_within(verdicts, room)
    kept: list[ShortRows] = []
    for short, mask in zip(verdicts.short, masks, strict=True):
        (places,) = mask.nonzero()
        if len(places):
            kept.append(_short_rows(short.rows, places, verdicts.hosts.take(places)))
    return hosts, tuple(kept)


def _masks_within(verdicts: Verdicts, room: int) -> tuple[int, list[Mask]]:
    """The same for a bound that cuts: each row's line number decides."""
    looked = min(len(verdicts.hosts), room)
    per_host = np.ones(looked, np.int64)
    for short in verdicts.short:
        per_host += short.mask[:looked]
    line = np.cumsum(per_host) - per_host
    hosts = int(np.searchsorted(line, room))
    line = line[:hosts]
    masks: list[Mask] = []
    for short in verdicts.short:
        mask = short.mask[:hosts]
        line += mask
        masks.append(mask & (line < room))
    return hosts, masks


def _short_rows(rows: HostRows, places: NDArray[np.intp], hosts: NDArray[np.intp]) -> ShortRows:
    columns = (rows.total, rows.in_use, rows.reserved, rows.requested)
    amounts = np.concatenate([column.take(hosts) for column in columns])
    return ShortRows(
        account=rows.account, places=places.astype(np.int32), amounts=amounts.reshape(4, -1)
    )


def position_summary(
    scan: Scan, verdicts: Verdicts, names: Sequence[str], *, depth: int
) -> PositionSummary:
    """The hosts of one position in numbers, with the instances of limits that were exceeded."""
    return PositionSummary(
        depth=depth,
        accepted=None if scan.accepted is None else names[scan.accepted],
        rejected=verdicts.counts[1:],
        twice=verdicts.twice,
        not_reached=len(scan.order) - scan.reached,
        limits=_limit_counts(verdicts) if verdicts.counts[3] else (),
    )


def _limit_counts(verdicts: Verdicts) -> tuple[LimitCount, ...]:
    found: list[LimitCount] = []
    room = LISTED_INSTANCES
    for short in verdicts.short:
        account = short.rows.account
        hosts: IndexArray | None = None
        if account.kind != "limit":
            continue
        if account.per_host:
            places = short.mask.nonzero()[0][:room]
            hosts = verdicts.hosts.take(places).astype(np.int32)
            room -= len(places)
        found.append(LimitCount(account=account, count=short.count, hosts=hosts))
    return tuple(found)


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
