"""The per-host check in columns: which candidates fit a position of a given size.

A sieve belongs to one requirement of one attempt. It answers for all hosts at once; who is
claimed by an earlier position is the search's business. Shape of every array: `[hosts]`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from xce_sim.core.candidates import Candidates
from xce_sim.core.demand import Demand, HostDemand
from xce_sim.core.reservation import Claimed, Reservation
from xce_sim.model.columns import BoolArray, Int64Array
from xce_sim.model.reasons import IndexArray
from xce_sim.model.units import Milli
from xce_sim.model.verdict import HostRows

_NO_BOUND = 2**62

ShortMasks = tuple[BoolArray, ...]
"""For each row of the demand, the hosts that are short of it."""


class Sieve:
    """Checks positions against what is free now.

    `order` lists candidate indices in scan order; `matching` and `mismatching` tell the outcome
    of the pre-filter. `size` is tasks of a position and `first` whether it is the first one
    filled for this requirement (it alone takes the amounts written `/job`). `doubtful` says that a
    scan has met an internal error.
    """

    def __init__(
        self,
        demand: Demand,
        candidates: Candidates,
        reservation: Reservation,
    ) -> None:
        self.demand = demand
        self.candidates = candidates
        self.order: IndexArray = candidates.order
        self.matching: BoolArray = candidates.matching
        self.mismatching: BoolArray = candidates.mismatching
        self.doubtful = False
        self._reservation = reservation
        self._fits: dict[tuple[int, bool], BoolArray] = {}
        self._shorts: dict[tuple[int, bool], ShortMasks] = {}
        self._capacity: dict[bool, Int64Array] = {}
        self._journal: list[Claimed] = []

    def fits(self, size: int, *, first: bool) -> BoolArray:
        """Candidates that pass the pre-filter and every row; do not write to it."""
        key = (size, first)
        found = self._fits.get(key)
        if found is None:
            found = self.matching.copy()
            for short in self.shorts(size, first=first):
                found &= ~short
            self._fits[key] = found
        return found

    def shorts(self, size: int, *, first: bool) -> ShortMasks:
        """The hosts short of each row, whatever the select says; do not write to them."""
        key = (size, first)
        found = self._shorts.get(key)
        if found is None:
            found = tuple(self._short(row, size, first=first) for row in self.demand.on_hosts)
            self._shorts[key] = found
        return found

    def check(self, host: int, size: int, *, first: bool) -> tuple[bool, ...]:
        """Whether one host is short of each row, without the columns of the others."""
        return tuple(self._short_on(row, host, size, first=first) for row in self.demand.on_hosts)

    def mask_of(self, hosts: Iterable[int], others: BoolArray | None) -> BoolArray:
        """A mask of these hosts, and of the others if there are any."""
        mask = np.zeros(len(self.matching), np.bool_) if others is None else others.copy()
        mask[list(hosts)] = True
        return mask

    def rows(
        self, size: int, *, first: bool, shorts: ShortMasks | None = None
    ) -> tuple[HostRows, ...]:
        """The same check with all its numbers; `shorts` where it was made host by host."""
        if shorts is None:
            shorts = self.shorts(size, first=first)
        found = []
        for row, short in zip(self.demand.on_hosts, shorts, strict=True):
            usage = row.usage
            requested = self._reservation.requested(row, size, first=first)
            reserved = self._reservation.on_host_row(row)
            found.append(
                HostRows(
                    account=usage.account,
                    total=usage.total,
                    in_use=usage.used(),
                    reserved=self._everywhere(reserved).copy(),
                    requested=self._everywhere(requested),
                    short=short,
                )
            )
        return tuple(found)

    def _everywhere(self, amount: Int64Array | Milli) -> Int64Array:
        return np.broadcast_to(np.asarray(amount, np.int64), self.matching.shape)

    def capacity(self, *, first: bool) -> Int64Array:
        """The most tasks each host passes the check with, 0 for none; do not write to it."""
        found = self._capacity.get(first)
        if found is None:
            found = self._capacity[first] = self._most(first=first)
        return found

    def _most(self, *, first: bool) -> Int64Array:
        most = np.where(self.matching, _NO_BOUND, 0)
        for row in self.demand.on_hosts:
            usage = row.usage
            free = usage.total - usage.used() - self._reservation.on_host_row(row)
            fixed = self._reservation.requested(row, 0, first=first)
            if row.amount.task:
                able = np.maximum((free - fixed) // row.amount.task, 0)
            else:
                able = np.where(free >= fixed, _NO_BOUND, 0)
                able = np.where(np.equal(fixed, 0), _NO_BOUND, able)
            if usage.covers is not None:
                able = np.where(usage.covers, able, _NO_BOUND)
            np.minimum(most, able, out=most)
        return most

    def claim(self, host: int, size: int, *, first: bool) -> None:
        """Reserve a position on a host."""
        self._journal += self._reservation.claim(self.demand, host, size, first=first)
        self._forget()

    def release(self) -> None:
        """Take back all positions that this sieve has reserved."""
        if self._journal:
            self._reservation.release(self._journal)
            self._journal.clear()
            self._forget()

    def _forget(self) -> None:
        self._fits.clear()
        self._shorts.clear()
        self._capacity.clear()

    def _short(self, row: HostDemand, size: int, *, first: bool) -> BoolArray:
        usage = row.usage
        requested = self._reservation.requested(row, size, first=first)
        if isinstance(requested, int):
            if requested == 0:
                return np.zeros(len(self.matching), np.bool_)
            if self._reservation.empty:
                return usage.short_of(requested)
        reserved = self._reservation.on_host_row(row)
        short = usage.total - usage.used() - reserved < requested
        if isinstance(requested, np.ndarray):
            short &= requested > 0
        if usage.covers is not None:
            short &= usage.covers
        return short

    def _short_on(self, row: HostDemand, host: int, size: int, *, first: bool) -> bool:
        usage = row.usage
        requested = self._reservation.requested(row, size, first=first)
        reserved = self._reservation.on_host_row(row)
        if isinstance(requested, np.ndarray):
            requested = int(requested[host])
        if isinstance(reserved, np.ndarray):
            reserved = int(reserved[host])
        if not requested or (usage.covers is not None and not usage.covers[host]):
            return False
        used = usage.pool if usage.pooled else int(usage.in_use[host])
        return int(usage.total[host]) - used - reserved < requested
