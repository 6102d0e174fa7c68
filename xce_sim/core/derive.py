"""The one definition of derived accounts, and the comparison with those that are kept.

"Derived state has one definition, `derive(ground truth)`, and every faster way of keeping it must
give the same numbers." What frozen hosts hold "depends on history" and is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from xce_sim.core.charging import charges_of
from xce_sim.core.election import Elector
from xce_sim.core.ledger import AccountKey, Charges, ClusterUsage, HostUsage, Ledger
from xce_sim.core.state import State
from xce_sim.model.columns import BoolArray
from xce_sim.model.ids import JobId
from xce_sim.model.resources import ResourceDef
from xce_sim.model.units import Milli, format_milli
from xce_sim.model.verdict import Account


@dataclass(frozen=True, slots=True)
class Derived:
    """Fresh accounts, the elector bound to them, and what each running job holds."""

    ledger: Ledger
    elector: Elector
    charges: dict[JobId, Charges]


def derive(state: State) -> Derived:
    """All accounts from the ground truth alone; the state is only read."""
    ledger = Ledger()
    for index, item in enumerate(state.resources):
        add_account(ledger, state, index, item)
    elector = Elector(state.limits.resolved, ledger, state.columns)
    frozen = state.frozen()
    charges: dict[JobId, Charges] = {}
    for job in state.jobs.values():
        if job.charged and job.allocation is not None:
            election = elector.elect(job.user, job.queue, job.project)
            charges[job.id] = charges_of(job.allocation, election, state.columns, ledger)
            ledger.charge(charges[job.id], frozen)
    if frozen is not None:
        _copy_frozen(state, ledger, frozen)
    return Derived(ledger, elector, charges)


def rederive(state: State) -> None:
    """Replace all derived accounts (limits changed, hosts were added, a host thawed)."""
    derived = derive(state)
    derived.ledger.version = state.ledger.version + 1
    state.ledger, state.elector = derived.ledger, derived.elector
    for job in state.jobs.values():
        job.charges = derived.charges.get(job.id)
    state.drop_classes()


def add_account(ledger: Ledger, state: State, index: int, item: ResourceDef) -> None:
    """The account of a consumable resource; others have none."""
    if not item.consumable:
        return
    account = Account(kind=item.scope, name=item.name, unit=item.unit)
    if item.scope == "shared":
        total = state.columns.shared.get(index, 0)
        ledger.shared[index] = ClusterUsage(account, int(total))
    else:
        ledger.resources[index] = HostUsage(
            account, state.columns.amounts(index), None, pooled=False
        )


def _copy_frozen(state: State, ledger: Ledger, frozen: BoolArray) -> None:
    """Give frozen hosts what they held; limit instances are found again by name."""
    old = state.ledger
    names = {usage.account.name: usage for usage in old.resources.values()}
    for usage in ledger.resources.values():
        kept = names.get(usage.account.name)
        if kept is not None:
            _copy_parts(kept, usage, frozen)
    limits = {limit.limit.name: limit for limit in state.limits.resolved if limit.limit.host_scoped}
    for key, kept in old.host_limits.items():
        if key[0] not in limits or not kept.in_use.any():
            continue
        limit = limits[key[0]]
        target = ledger.host_limits.get(key)
        if target is None:
            covers = limit.host_mask(state.columns.names)
            value = np.full(len(covers), limit.limit.value, np.int64)
            target = HostUsage(kept.account, value, covers, pooled=kept.pooled)
            ledger.host_limits[key] = target
        _copy_parts(kept, target, frozen)


def _copy_parts(kept: HostUsage, target: HostUsage, frozen: BoolArray) -> None:
    hosts = np.flatnonzero(frozen[: len(kept.in_use)])
    target.in_use[hosts] = kept.in_use[hosts]
    if target.pooled:
        target.pool = int(target.in_use.sum())


def first_difference(state: State) -> str | None:
    """Where the kept accounts disagree with the derived ones, None if nowhere.

    The text names (host, resource) or the shared resource or limit, and both numbers.
    """
    derived = derive(state).ledger
    kept = state.ledger
    for where, have, want in _all_pairs(kept, derived, state.columns.names):
        if have != want:
            return f"{where}: kept {format_milli(have)}, derived {format_milli(want)}"
    return None


def _all_pairs(
    kept: Ledger, derived: Ledger, names: tuple[str, ...]
) -> Iterator[tuple[str, Milli, Milli]]:
    for index, usage in derived.resources.items():
        yield from _host_pairs(kept.resources[index], usage, names)
    yield from _limit_pairs(kept.host_limits, derived.host_limits, names)
    for index, total in derived.shared.items():
        yield f"shared {total.account.name}", kept.shared[index].in_use, total.in_use
    for key in kept.cluster_limits.keys() | derived.cluster_limits.keys():
        where = f"limit {key[0]} ({key[1]})"
        yield where, _use(kept.cluster_limits, key), _use(derived.cluster_limits, key)


def _limit_pairs(
    kept: Mapping[AccountKey, HostUsage],
    derived: Mapping[AccountKey, HostUsage],
    names: tuple[str, ...],
) -> Iterator[tuple[str, Milli, Milli]]:
    for key in sorted(kept.keys() | derived.keys()):
        have, want = kept.get(key), derived.get(key)
        if have is not None and want is not None:
            yield from _host_pairs(have, want, names)
            yield f"limit {key[0]} ({key[1]})", have.pool, want.pool
        else:
            some = have or want
            assert some is not None
            used = int(some.in_use.sum())
            yield f"limit {key[0]} ({key[1]})", used if have else 0, used if want else 0


def _host_pairs(
    kept: HostUsage, derived: HostUsage, names: tuple[str, ...]
) -> Iterator[tuple[str, Milli, Milli]]:
    differs = np.flatnonzero(kept.in_use != derived.in_use)[:1]
    for host in differs.tolist():
        where = f"host {names[host]}, {kept.account.name}"
        yield where, int(kept.in_use[host]), int(derived.in_use[host])


def _use(usages: Mapping[AccountKey, ClusterUsage], key: AccountKey) -> Milli:
    usage = usages.get(key)
    return 0 if usage is None else usage.in_use
