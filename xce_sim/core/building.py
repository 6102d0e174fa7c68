"""Building the allocation from the positions that were claimed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xce_sim.core.search import Placement
from xce_sim.model.job import Allocation, HostShare
from xce_sim.model.units import Milli


@dataclass(frozen=True, slots=True)
class Part:
    """What one requirement or member comes to: its share of every host, and of shared ones."""

    placement: Placement
    shares: tuple[HostShare, ...]
    shared: dict[str, Milli]

    @property
    def allocation(self) -> Allocation:
        """The whole allocation of a requirement without members."""
        return Allocation(hosts=self.shares, shared=self.shared)


def build(placement: Placement, names: tuple[str, ...]) -> Part:
    """The part of a placement; hosts in the order in which they were claimed."""
    demand, plan = placement.demand, placement.plan
    shares = []
    for number, (host, tasks) in enumerate(placement.claims):
        amounts: dict[str, Milli] = {}
        for name, amount in demand.host_amounts:
            once = amount.job if number == 0 else 0
            whole = amount.task * tasks + amount.host + once
            if whole:
                amounts[name] = whole
        shares.append(HostShare(host=names[host], tasks=tasks, amounts=amounts))
    shared = {
        name: amount.of(plan.tasks, plan.positions)
        for name, amount in demand.shared_amounts
        if amount
    }
    return Part(placement, tuple(shares), shared)


def merged(parts: Iterable[Part]) -> Allocation:
    """The whole allocation: members on the same host are added up where it was claimed first."""
    hosts: dict[str, HostShare] = {}
    shared: dict[str, Milli] = {}
    for part in parts:
        for share in part.shares:
            before = hosts.get(share.host)
            hosts[share.host] = share if before is None else _sum(before, share)
        shared = _added(shared, part.shared)
    return Allocation(hosts=tuple(hosts.values()), shared=shared)


def _sum(one: HostShare, other: HostShare) -> HostShare:
    return HostShare(
        host=one.host,
        tasks=one.tasks + other.tasks,
        amounts=_added(dict(one.amounts), dict(other.amounts)),
    )


def _added(one: dict[str, Milli], other: dict[str, Milli]) -> dict[str, Milli]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in (one | other)}
