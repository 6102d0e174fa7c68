"""What one requirement asks of every account, in the form `job + task·T + host·k`.

"`slots`: 1 per task, always. A host consumable in `rusage`: per **host** the job uses, unless
written `/task` or `/job`. A shared consumable: per **job**, unless written `/task` or `/host`. A
limit on `slots`: tasks; on `jobs`: 1 per job and instance; on another resource: the amount of
that resource this job takes in the limit's scope." Rows that ask for nothing do not exist.
Rows stand in the order in which amounts are listed: host resources by name, `slots`, then shared
ones by name; limits follow in the order of the configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from xce_sim.core.election import Election
from xce_sim.core.ledger import ClusterUsage, HostUsage, Ledger
from xce_sim.core.limits import JOBS
from xce_sim.model.resources import SLOTS, ResourceTable
from xce_sim.model.units import MILLI, Milli
from xce_sim.model.verdict import RequestedAmount
from xce_sim.resreq.request import Item, Primary


@dataclass(frozen=True, slots=True)
class Amount:
    """Thousandths for each task, each host and once for the job."""

    task: Milli = 0
    host: Milli = 0
    job: Milli = 0

    def of(self, tasks: int, hosts: int) -> Milli:
        """The whole amount for T tasks on k hosts."""
        return self.job + self.task * tasks + self.host * hosts

    def __bool__(self) -> bool:
        return bool(self.task or self.host or self.job)


@dataclass(frozen=True, slots=True)
class HostDemand:
    """A row of the per-host check.

    `counts_jobs` marks a limit on `jobs`: 1 for the job on each host, or once on the first
    covered host for a pooled one, and nothing where an earlier member already counted.
    """

    usage: HostUsage
    amount: Amount
    counts_jobs: bool = False


@dataclass(frozen=True, slots=True)
class ClusterDemand:
    """A row of the cluster-wide check; `counts_jobs`: "a compound counts once"."""

    usage: ClusterUsage
    amount: Amount
    counts_jobs: bool = False


@dataclass(frozen=True, slots=True)
class Demand:
    """All rows of one requirement.

    `ordered` says that a position's check can depend on where earlier positions went (an amount
    taken once "on the host claimed first", a counter pooled over several hosts), so that
    positions must be filled one at a time. The amounts by resource name, without `slots` and
    without limits, are what an allocation lists.
    """

    on_hosts: tuple[HostDemand, ...]
    in_cluster: tuple[ClusterDemand, ...]
    host_amounts: tuple[tuple[str, Amount], ...]
    shared_amounts: tuple[tuple[str, Amount], ...]
    ordered: bool

    def standing(self) -> Demand:
        """The same rows over accounts that stay as they are now."""
        return replace(
            self,
            on_hosts=tuple([replace(row, usage=row.usage.standing()) for row in self.on_hosts]),
            in_cluster=tuple([replace(row, usage=row.usage.standing()) for row in self.in_cluster]),
        )


def demand_of(
    primary: Primary, election: Election, ledger: Ledger, resources: ResourceTable
) -> Demand:
    """The rows of a requirement for jobs that meet these limits."""
    by_name = sorted(primary.items, key=lambda item: resources[item.resource].name)
    amounts = {SLOTS: Amount(task=MILLI)}
    amounts.update((item.resource, _amount(item)) for item in by_name)
    on_hosts = [*_host_rows(by_name, amounts, ledger, resources)]
    on_hosts += _host_limit_rows(election.host_limits, amounts, resources)
    in_cluster = [
        ClusterDemand(ledger.shared[item.resource], amounts[item.resource])
        for item in by_name
        if resources[item.resource].scope == "shared" and amounts[item.resource]
    ]
    in_cluster += _cluster_limit_rows(election.cluster_limits, amounts, resources)
    return Demand(
        on_hosts=tuple(on_hosts),
        in_cluster=tuple(in_cluster),
        host_amounts=_listed(by_name, "host", resources),
        shared_amounts=_listed(by_name, "shared", resources),
        ordered=any(row.amount.job or row.usage.pooled for row in on_hosts),
    )


def requested_amounts(primary: Primary, resources: ResourceTable) -> tuple[RequestedAmount, ...]:
    """The amounts as they are listed to people: by name, then `slots`, then shared ones."""
    listed = []
    for item in sorted(primary.items, key=lambda item: resources[item.resource].name):
        definition = resources[item.resource]
        default = "job" if definition.scope == "shared" else "host"
        listed.append(
            RequestedAmount(
                kind="shared" if definition.scope == "shared" else "host",
                name=definition.name,
                milli=item.amount,
                unit=definition.unit,
                scope=None if item.scope == default else item.scope,
            )
        )
    slots = RequestedAmount(kind="host", name="slots", milli=MILLI)
    host = [amount for amount in listed if amount.kind == "host"]
    shared = [amount for amount in listed if amount.kind == "shared"]
    return (*host, slots, *shared)


def _amount(item: Item) -> Amount:
    if item.scope == "task":
        return Amount(task=item.amount)
    return Amount(host=item.amount) if item.scope == "host" else Amount(job=item.amount)


def _listed(
    items: Iterable[Item], scope: str, resources: ResourceTable
) -> tuple[tuple[str, Amount], ...]:
    defs = ((item, resources[item.resource]) for item in items)
    return tuple((what.name, _amount(item)) for item, what in defs if what.scope == scope)


def _host_rows(
    items: Iterable[Item],
    amounts: dict[int, Amount],
    ledger: Ledger,
    resources: ResourceTable,
) -> Iterator[HostDemand]:
    for item in items:
        if resources[item.resource].scope == "host" and amounts[item.resource]:
            yield HostDemand(ledger.resources[item.resource], amounts[item.resource])
    yield HostDemand(ledger.resources[SLOTS], amounts[SLOTS])


def _host_limit_rows(
    limits: Iterable[HostUsage], amounts: dict[int, Amount], resources: ResourceTable
) -> Iterator[HostDemand]:
    for usage in limits:
        if usage.account.resource == JOBS:
            once = Amount(job=MILLI) if usage.pooled else Amount(host=MILLI)
            yield HostDemand(usage, once, counts_jobs=True)
            continue
        amount = amounts.get(resources.index[usage.account.resource])
        if amount:
            yield HostDemand(usage, amount)


def _cluster_limit_rows(
    limits: Iterable[ClusterUsage], amounts: dict[int, Amount], resources: ResourceTable
) -> Iterator[ClusterDemand]:
    for usage in limits:
        if usage.account.resource == JOBS:
            yield ClusterDemand(usage, Amount(job=MILLI), counts_jobs=True)
            continue
        amount = amounts.get(resources.index[usage.account.resource])
        if amount:
            yield ClusterDemand(usage, amount)
