"""The ledger: how much of every account is in use.

Resources and limit instances are one mechanism: an account is a column over hosts (`HostUsage`)
or one number for the cluster (`ClusterUsage`), and a running job holds `Charges` in them. All
amounts are int64 thousandths. What a charge comes to is fixed in `charging`; what may be charged
is decided by the allocator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xce_sim.model.columns import BoolArray, Int64Array
from xce_sim.model.reasons import IndexArray
from xce_sim.model.units import Milli
from xce_sim.model.verdict import Account

AccountKey = tuple[str, str]
"""(`resource name`, "") or (`limit name`, `instance`) with the kind told by the table it is in."""


_MANY_CHANGES = 4096
"""So many charges after which remembered answers are dropped, not brought up to date."""

_MANY_ANSWERS = 512
"""So many amounts are remembered of an account at the most."""


class HostUsage:
    """An account with a part on every host.

    `total` has the resource's pushed totals, or the limit's value on each host that it covers.
    `covers` is None for all hosts. A *pooled* account (a plain `hosts` list) has "one counter over
    its hosts": its use is the sum of all parts, kept in `pool`.

    `short_of` remembers which hosts are short of an amount and brings the answer up to date where
    charges have changed something; `changed` is the list of these hosts, one array a charge.
    """

    __slots__ = (
        "_changed",
        "_known",
        "_standing",
        "account",
        "covers",
        "in_use",
        "pool",
        "pooled",
        "total",
    )

    def __init__(
        self, account: Account, total: Int64Array, covers: BoolArray | None, *, pooled: bool
    ) -> None:
        self.account = account
        self.total = total
        self.covers = covers
        self.pooled = pooled
        self.in_use: Int64Array = np.zeros(len(total), np.int64)
        self.pool: Milli = 0
        self._changed: list[IndexArray] = []
        self._known: dict[Milli, tuple[BoolArray, int]] = {}
        self._standing: HostUsage | None = None

    def standing(self) -> HostUsage:
        """An account that stays as this one is now, with what is free as its total."""
        if self._standing is None:
            free = self.total - self.used()
            self._standing = HostUsage(self.account, free, self.covers, pooled=False)
        return self._standing

    def used(self) -> Int64Array:
        """What the check of each host compares: its own part, or the whole pool."""
        if self.pooled:
            return np.full(len(self.in_use), self.pool, np.int64)
        return self.in_use

    def add(self, hosts: IndexArray, amounts: Int64Array, sign: int) -> None:
        """Charge (sign 1) or release (sign -1) amounts on hosts, each of them once."""
        self._standing = None
        if sign > 0:
            self.in_use[hosts] += amounts
        else:
            self.in_use[hosts] -= amounts
        if self.pooled:
            self.pool += sign * int(amounts.sum())
            self._known.clear()
        elif self._known:
            self._changed.append(hosts)
            if len(self._changed) > _MANY_CHANGES:
                self.forget()

    def forget(self) -> None:
        """Drop what is remembered: totals have changed."""
        self._standing = None
        self._known.clear()
        self._changed.clear()

    def short_of(self, amount: Milli) -> BoolArray:
        """The covered hosts with less than an amount free, shape `[hosts]`; never written to."""
        known = self._known.get(amount)
        if known is None:
            short = self.total - self.used() < amount
            if self.covers is not None:
                short &= self.covers
        else:
            short, seen = known
            if seen == len(self._changed):
                return short
            hosts = np.concatenate(self._changed[seen:])
            short = short.copy()
            now = self.total[hosts] - self.in_use[hosts] < amount
            short[hosts] = now if self.covers is None else now & self.covers[hosts]
        if len(self._known) >= _MANY_ANSWERS:
            self._known.clear()
        self._known[amount] = (short, len(self._changed))
        return short


class ClusterUsage:
    """An account of the whole cluster: a shared resource or a cluster-wide limit instance."""

    __slots__ = ("account", "in_use", "total")

    def __init__(self, account: Account, total: Milli) -> None:
        self.account = account
        self.total = total
        self.in_use: Milli = 0

    def standing(self) -> ClusterUsage:
        """An account that stays as this one is now."""
        twin = ClusterUsage(self.account, self.total)
        twin.in_use = self.in_use
        return twin


@dataclass(frozen=True, slots=True)
class HostCharge:
    """Amounts on hosts: `hosts` and `amounts` are parallel, shape `[n]`, each host once."""

    usage: HostUsage
    hosts: IndexArray
    amounts: Int64Array


@dataclass(frozen=True, slots=True)
class Charges:
    """All that one running job holds."""

    on_hosts: tuple[HostCharge, ...]
    in_cluster: tuple[tuple[ClusterUsage, Milli], ...]


class Ledger:
    """All accounts by kind, and a version that changes with every change of any account."""

    def __init__(self) -> None:
        self.version = 0
        self.resources: dict[int, HostUsage] = {}
        self.shared: dict[int, ClusterUsage] = {}
        self.host_limits: dict[AccountKey, HostUsage] = {}
        self.cluster_limits: dict[AccountKey, ClusterUsage] = {}

    def touch(self) -> None:
        """Note that something that a check reads has changed: candidates, values, totals."""
        self.version += 1

    def total_changed(self, resource: int) -> None:
        """Note that the pushed total of a resource has changed on some host."""
        self.version += 1
        usage = self.resources.get(resource)
        if usage is not None:
            usage.forget()

    def charge(self, charges: Charges, frozen: BoolArray | None) -> None:
        """Add what a job takes; parts on frozen hosts (a mask, None for none) are skipped."""
        self._add(charges, 1, frozen)

    def release(self, charges: Charges, frozen: BoolArray | None) -> None:
        """Take away what a job held, skipping the same hosts."""
        self._add(charges, -1, frozen)

    def _add(self, charges: Charges, sign: int, frozen: BoolArray | None) -> None:
        self.version += 1
        for charge in charges.on_hosts:
            hosts, amounts = charge.hosts, charge.amounts
            if frozen is not None:
                live = ~frozen[hosts]
                hosts, amounts = hosts[live], amounts[live]
            charge.usage.add(hosts, amounts, sign)
        for total, amount in charges.in_cluster:
            total.in_use += sign * amount
