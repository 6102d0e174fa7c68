"""Election: the limit instances that a job meets, resolved once for all jobs alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xce_sim.core.ledger import ClusterUsage, HostUsage, Ledger
from xce_sim.core.limits import ResolvedLimit
from xce_sim.model.columns import HostColumns
from xce_sim.model.verdict import Account


@dataclass(frozen=True, slots=True)
class Election:
    """Instances in the order of the configuration: cluster-wide, and met host by host."""

    cluster_limits: tuple[ClusterUsage, ...]
    host_limits: tuple[HostUsage, ...]


class Elector:
    """Resolves limits to instances and remembers the answer by (user, queue, project)."""

    def __init__(
        self, limits: tuple[ResolvedLimit, ...], ledger: Ledger, columns: HostColumns
    ) -> None:
        self._limits = limits
        self._ledger = ledger
        self._columns = columns
        self._known: dict[tuple[str, str, str], Election] = {}
        self._same: dict[Election, Election] = {}

    def elect(self, user: str, queue: str, project: str) -> Election:
        """The instances that a job of this user, queue and project meets.

        Those who meet the same instances get the same object.
        """
        key = (user, queue, project)
        found = self._known.get(key)
        if found is None:
            found = self._resolve(user, queue, project)
            found = self._known[key] = self._same.setdefault(found, found)
        return found

    def _resolve(self, user: str, queue: str, project: str) -> Election:
        cluster: list[ClusterUsage] = []
        hosts: list[HostUsage] = []
        for limit in self._limits:
            account = limit.match(user, queue, project)
            if account is None:
                continue
            if limit.limit.host_scoped:
                hosts.append(self._host_usage(limit, account))
            else:
                cluster.append(self._cluster_usage(limit, account))
        return Election(tuple(cluster), tuple(hosts))

    def _cluster_usage(self, limit: ResolvedLimit, account: Account) -> ClusterUsage:
        key = (account.name, account.instance)
        usage = self._ledger.cluster_limits.get(key)
        if usage is None:
            usage = ClusterUsage(account, limit.limit.value)
            self._ledger.cluster_limits[key] = usage
        return usage

    def _host_usage(self, limit: ResolvedLimit, account: Account) -> HostUsage:
        key = (account.name, account.instance)
        usage = self._ledger.host_limits.get(key)
        if usage is None:
            covers = limit.host_mask(self._columns.names)
            value = np.full(len(covers), limit.limit.value, np.int64)
            usage = HostUsage(account, value, covers, pooled=not account.per_host)
            self._ledger.host_limits[key] = usage
        return usage
