"""What a running job holds, told in the order in which amounts are listed to people.

"Amounts are listed host resources first, by name, then `slots`, then shared"; limit charges
follow in the order of the configuration.
"""

from __future__ import annotations

from xce_sim.core.job import Job
from xce_sim.core.state import State
from xce_sim.model.verdict import Charge, HostCharges


def host_charges(state: State, job: Job) -> tuple[HostCharges, ...]:
    """Per host of the allocation: resources, then charges of host-scoped limits.

    On a frozen host the amounts are those of the allocation, charged or not.
    """
    if job.charges is None or job.allocation is None:
        return ()
    names = state.columns.names
    by_host: dict[str, list[Charge]] = {share.host: [] for share in job.allocation.hosts}
    in_order = sorted(
        job.charges.on_hosts,
        key=lambda charge: (
            charge.usage.account.kind == "limit",
            charge.usage.account.name == "slots",
            charge.usage.account.name if charge.usage.account.kind == "host" else "",
        ),
    )
    for charge in in_order:
        account = charge.usage.account
        pairs = zip(charge.hosts.tolist(), charge.amounts.tolist(), strict=True)
        for host, amount in pairs:
            if amount:
                instance = account.instance_on(names[host]) if account.kind == "limit" else ""
                by_host[names[host]].append(
                    Charge(account=account, amount=amount, instance=instance)
                )
    return tuple(
        HostCharges(host=host, charges=tuple(charges)) for host, charges in by_host.items()
    )


def shared_charges(job: Job) -> tuple[Charge, ...]:
    """Shared resources by name, then charges of cluster-wide limits."""
    if job.charges is None:
        return ()
    charges = [
        Charge(account=usage.account, amount=amount, instance=usage.account.instance)
        for usage, amount in job.charges.in_cluster
        if amount
    ]
    return tuple(
        sorted(
            charges,
            key=lambda charge: (
                charge.account.kind == "limit",
                charge.account.name if charge.account.kind == "shared" else "",
            ),
        )
    )
