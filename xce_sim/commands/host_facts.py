"""Facts about hosts, copied from the columns and the ledger."""

from __future__ import annotations

from xce_sim.commands.inspected import AmountFacts, HostFacts, HostRow
from xce_sim.core.state import State
from xce_sim.model.ids import JobId, order_key
from xce_sim.model.resources import SLOTS
from xce_sim.model.worker import FROZEN_STATUSES


def host_row(state: State, host: int) -> HostRow:
    """One host by its index: status, slots, and every consumable that it has."""
    columns = state.columns
    status = columns.status_of(host)
    consumables = [
        index
        for index, item in enumerate(columns.resources)
        if index != SLOTS
        and item.consumable
        and item.scope == "host"
        and (columns.present(index)[host] or _in_use(state, index, host))
    ]
    return HostRow(
        name=columns.names[host],
        status=status,
        frozen=status in FROZEN_STATUSES,
        slots=_amount(state, SLOTS, host),
        amounts=tuple([_amount(state, index, host) for index in consumables]),
    )


def host_facts(state: State, host: int, *, whole: bool) -> HostFacts:
    """All about one host by its index."""
    columns = state.columns
    values = []
    for index, item in enumerate(columns.resources):
        if not item.consumable and item.scope == "host":
            value = columns.value(index, host)
            if value is not None:
                values.append((item.name, value))
    return HostFacts(
        row=host_row(state, host),
        values=tuple(values),
        jobs=_jobs_on(state, columns.names[host]),
        whole=whole,
    )


def _jobs_on(state: State, name: str) -> tuple[JobId, ...]:
    found = [
        job.id
        for job in state.jobs.values()
        if job.charged
        and job.allocation is not None
        and any(share.host == name for share in job.allocation.hosts)
    ]
    return tuple(sorted(found, key=order_key))


def _amount(state: State, resource: int, host: int) -> AmountFacts:
    item = state.resources[resource]
    return AmountFacts(
        name=item.name,
        unit=item.unit,
        total=int(state.columns.amounts(resource)[host]),
        in_use=_in_use(state, resource, host),
    )


def _in_use(state: State, resource: int, host: int) -> int:
    usage = state.ledger.resources.get(resource)
    return int(usage.in_use[host]) if usage is not None and host < len(usage.in_use) else 0
