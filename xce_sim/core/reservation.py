"""Provisional amounts of one attempt: what earlier positions and members have reserved.

They exist while a job is being tried and "vanish on failure"; nothing here touches the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from xce_sim.core.demand import Demand, HostDemand
from xce_sim.core.ledger import ClusterUsage, HostUsage
from xce_sim.model.columns import Int64Array
from xce_sim.model.units import Milli

Claimed = tuple[HostUsage, int, Milli]
"""An amount reserved on one host."""


class Reservation:
    """Amounts by account, thousandths; `empty` until something is reserved."""

    __slots__ = ("_cluster", "_hosts", "_pools", "empty")

    def __init__(self) -> None:
        self._hosts: dict[HostUsage, Int64Array] = {}
        self._pools: dict[HostUsage, Milli] = {}
        self._cluster: dict[ClusterUsage, Milli] = {}
        self.empty = True

    def on_hosts(self, usage: HostUsage) -> Int64Array | None:
        """What is reserved of an account on each host, None where nothing is."""
        return self._hosts.get(usage)

    def in_cluster(self, usage: ClusterUsage) -> Milli:
        """What is reserved of a cluster-wide account."""
        return self._cluster.get(usage, 0)

    def on_host_row(self, row: HostDemand) -> Int64Array | Milli:
        """What the check of a row subtracts, per host or alike for all."""
        if row.usage.pooled:
            return self._pools.get(row.usage, 0)
        column = self._hosts.get(row.usage)
        return 0 if column is None else column

    def requested(self, row: HostDemand, size: int, *, first: bool) -> Int64Array | Milli:
        """What a position of `size` tasks asks of a row, per host or alike for all.

        The first position of a requirement takes the amounts written `/job`. A limit on `jobs`
        asks nothing more where this job counts already.
        """
        if row.counts_jobs:
            if row.usage.pooled:
                return 0 if self._pools.get(row.usage) else row.amount.job
            column = self._hosts.get(row.usage)
            if column is None:
                return row.amount.host
            return np.where(column > 0, 0, row.amount.host)
        whole = row.amount.of(size, 1)
        return whole if first else whole - row.amount.job

    def claim(self, demand: Demand, host: int, size: int, *, first: bool) -> list[Claimed]:
        """Reserve a position on a host; what was reserved, to be given to `release`."""
        claimed: list[Claimed] = []
        for row in demand.on_hosts:
            covers = row.usage.covers
            if covers is not None and not covers[host]:
                continue
            requested = self.requested(row, size, first=first)
            amount = requested if isinstance(requested, int) else int(requested[host])
            if amount:
                self._add(row.usage, host, amount)
                claimed.append((row.usage, host, amount))
        return claimed

    def release(self, claimed: Iterable[Claimed]) -> None:
        """Take back what `claim` reserved."""
        for usage, host, amount in claimed:
            self._add(usage, host, -amount)

    def _add(self, usage: HostUsage, host: int, amount: Milli) -> None:
        column = self._hosts.get(usage)
        if column is None:
            column = self._hosts[usage] = np.zeros(len(usage.in_use), np.int64)
        column[host] += amount
        if usage.pooled:
            self._pools[usage] = self._pools.get(usage, 0) + amount
        self.empty = False

    def add_cluster(self, demand: Demand, tasks: int, hosts: int) -> None:
        """Reserve the cluster-wide amounts of a requirement placed with T tasks on k hosts."""
        for row in demand.in_cluster:
            before = self._cluster.get(row.usage, 0)
            if row.counts_jobs and before:
                continue
            self._cluster[row.usage] = before + row.amount.of(tasks, hosts)
            self.empty = False
