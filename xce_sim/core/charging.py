"""What an allocation comes to in the ledger.

One function serves dispatches, recorded runs and the derivation, so that they can not differ.
"Amounts in `allocs` are totals on that host; slots = tasks is implied; limit charges are derived".
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xce_sim.core.election import Election
from xce_sim.core.ledger import Charges, ClusterUsage, HostCharge, HostUsage, Ledger
from xce_sim.core.limits import JOBS
from xce_sim.errors import UserError
from xce_sim.model.columns import HostColumns, Int64Array
from xce_sim.model.ids import JobId, format_id
from xce_sim.model.job import Allocation
from xce_sim.model.reasons import IndexArray
from xce_sim.model.resources import SLOTS, ResourceTable
from xce_sim.model.units import MAX_MILLI, MILLI, Milli, format_milli

_SMALL = 2**40
"""Four million amounts below this, thousandths, can be added up without looking."""


class Bill:
    """The amounts of one allocation by resource name, before limits are looked at."""

    def __init__(
        self, allocation: Allocation, columns: HostColumns, resources: ResourceTable
    ) -> None:
        shares = allocation.hosts
        try:
            indices = [columns.index[share.host] for share in shares]
        except KeyError as missing:
            raise UserError(f"allocation on unknown host {missing.args[0]!r}") from None
        if len(set(indices)) != len(indices):
            raise UserError("an allocation lists a host twice")
        self.resources = resources
        self.hosts: IndexArray = np.array(indices, np.int32)
        self.by_host: dict[int, Int64Array] = {
            SLOTS: np.array([share.tasks * MILLI for share in shares], np.int64)
        }
        for position, share in enumerate(shares):
            for name, amount in share.amounts.items():
                self._amounts_of(name)[position] = amount
        self.shared: dict[int, Milli] = {}
        for name, amount in allocation.shared.items():
            self.shared[_resource(resources, name, "shared")] = amount

    def _amounts_of(self, name: str) -> Int64Array:
        resource = _resource(self.resources, name, "host")
        column = self.by_host.get(resource)
        if column is None:
            column = self.by_host[resource] = np.zeros(len(self.hosts), np.int64)
        return column

    def on_hosts(self, resource: str) -> Int64Array:
        """Amounts of a limited resource on each host of the allocation; `jobs` counts 1 on each."""
        if resource == JOBS:
            return np.full(len(self.hosts), MILLI, np.int64)
        index = self.resources.index[resource]
        return self.by_host.get(index, np.zeros(len(self.hosts), np.int64))

    def in_cluster(self, resource: str) -> Milli:
        """The amount of a limited resource over the whole job; `jobs` counts 1."""
        if resource == JOBS:
            return MILLI
        index = self.resources.index[resource]
        if index in self.shared:
            return self.shared[index]
        column = self.by_host.get(index)
        return 0 if column is None else int(column.sum())


def charges_of(
    allocation: Allocation, election: Election, columns: HostColumns, ledger: Ledger
) -> Charges:
    """Everything that a job with this allocation and these limits holds.

    `UserError` for an unknown host or resource, and for a host listed twice.
    """
    bill = Bill(allocation, columns, columns.resources)
    on_hosts = [
        HostCharge(ledger.resources[resource], bill.hosts, amounts)
        for resource, amounts in bill.by_host.items()
    ]
    on_hosts += _limit_charges(bill, election.host_limits)
    in_cluster: list[tuple[ClusterUsage, Milli]] = [
        (ledger.shared[resource], amount) for resource, amount in bill.shared.items()
    ]
    for usage in election.cluster_limits:
        amount = bill.in_cluster(usage.account.resource)
        if amount:
            in_cluster.append((usage, amount))
    return Charges(tuple(on_hosts), tuple(in_cluster))


def refuse_uncountable(job: JobId, charges: Charges, columns: HostColumns) -> None:
    """`UserError` if an account could not hold these charges too: its int64 would wrap around.

    For what is told to run from outside; what is dispatched here fits into a total that fits.
    """
    for charge in charges.on_hosts:
        usage, amounts = charge.usage, charge.amounts
        if not len(amounts) or int(amounts.max()) < _SMALL:
            continue
        after = usage.in_use[charge.hosts] + amounts
        worst = int(after.argmax())
        if int(after[worst]) >= MAX_MILLI:
            host = columns.names[int(charge.hosts[worst])]
            raise _uncountable(job, f"{usage.account.name} on host {host}")
        whole = sum(amounts.tolist())
        if whole + (usage.pool if usage.pooled else 0) >= MAX_MILLI:
            raise _uncountable(job, f"{usage.account.name} over all hosts")
    for total, amount in charges.in_cluster:
        if total.in_use + amount >= MAX_MILLI:
            raise _uncountable(job, f"{total.account.name} over the cluster")


def _uncountable(job: JobId, what: str) -> UserError:
    return UserError(
        f"job {format_id(job)}: more {what} in use than can be counted",
        hint=f"accounts count up to {format_milli(MAX_MILLI - 1)}",
    )


def _limit_charges(bill: Bill, limits: tuple[HostUsage, ...]) -> Iterator[HostCharge]:
    for usage in limits:
        amounts = bill.on_hosts(usage.account.resource)
        wanted = amounts > 0
        if usage.covers is not None:
            wanted &= usage.covers[bill.hosts]
        if usage.pooled and usage.account.resource == JOBS:
            first = np.flatnonzero(wanted)[:1]
            wanted = np.zeros(len(wanted), np.bool_)
            wanted[first] = True
        if wanted.any():
            yield HostCharge(usage, bill.hosts[wanted], amounts[wanted])


def _resource(resources: ResourceTable, name: str, scope: str) -> int:
    index = resources.index.get(name)
    if index is None:
        raise UserError(f"allocation of unknown resource {name!r}")
    item = resources[index]
    if not item.consumable or item.scope != scope or index == SLOTS:
        what = "slots are implied by tasks" if index == SLOTS else f"it is no {scope} consumable"
        raise UserError(f"allocation of resource {name}: {what}")
    return index
