"""From what the core decided to what a record keeps of it.

"Always show the decision outcome, listing at most 50 hosts, each with all of its entries, and
always listing the entries not tied to a host"; of the other hosts exact totals are kept. Hosts of
a dispatch stay in the order in which they were claimed, those of a pend in pushed order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from xce_sim.model.reasons import ReasonCode, ReasonEntry, Reasons
from xce_sim.model.verdict import Account, Charge, HostCharges
from xce_sim.trace.entries import ReasonCount
from xce_sim.trace.records import DispatchOutcome, PendEntry, PendOutcome
from xce_sim.trace.settings import OUTCOME_HOSTS


def dispatch_outcome(hosts: Sequence[HostCharges], shared: Sequence[Charge]) -> DispatchOutcome:
    """The outcome of a dispatch; `hosts` in the order in which they were claimed."""
    rest = hosts[OUTCOME_HOSTS:]
    return DispatchOutcome(
        hosts=tuple(hosts[:OUTCOME_HOSTS]),
        shared=tuple(shared),
        omitted_hosts=len(rest),
        omitted=_totals(rest),
    )


def _totals(hosts: Iterable[HostCharges]) -> tuple[Charge, ...]:
    """Sums by resource, and by limit over all of its instances."""
    accounts: dict[tuple[str, str, str], Account] = {}
    sums: dict[tuple[str, str, str], int] = {}
    for host in hosts:
        for charge in host.charges:
            account = charge.account
            key = (account.kind, account.name, account.resource)
            accounts.setdefault(key, account)
            sums[key] = sums.get(key, 0) + charge.amount
    return tuple(Charge(account=accounts[key], amount=amount) for key, amount in sums.items())


def pend_outcome(reasons: Reasons) -> PendOutcome:
    """The outcome of a pend, with the names of at most 50 hosts."""
    entries = reasons.entries
    listed, total = _first_hosts(entries, len(reasons.host_names))
    kept = [_pend_entry(entry, listed) for entry in entries]
    omitted: dict[ReasonCode, int] = {}
    for entry, pend in zip(entries, kept, strict=True):
        rest = entry.host_count - len(pend.places or ())
        if rest:
            omitted[entry.code] = omitted.get(entry.code, 0) + rest
    return PendOutcome(
        main=reasons.main,
        hosts=tuple(reasons.host_names[index] for index in listed.tolist()),
        entries=tuple(kept),
        omitted_hosts=total - len(listed),
        omitted=tuple(omitted.items()),
    )


def _first_hosts(
    entries: Sequence[ReasonEntry], hosts: int
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], int]:
    """The first distinct hosts named by any entry, and how many there are in all."""
    named = np.zeros(hosts, np.bool_)
    for entry in entries:
        if entry.hosts is not None:
            named[entry.hosts.indices] = True
    found = np.flatnonzero(named)
    return found[:OUTCOME_HOSTS], len(found)


def _pend_entry(
    entry: ReasonEntry, listed: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> PendEntry:
    places: tuple[int, ...] | None = None
    if entry.hosts is not None:
        indices = entry.hosts.indices
        if len(listed):
            indices = indices[: np.searchsorted(indices, listed[-1], side="right")]
        places = tuple(np.searchsorted(listed, indices).tolist())
    return PendEntry(
        code=entry.code,
        resource=entry.resource,
        limit=entry.limit,
        clause=entry.clause,
        alternative=entry.alternative,
        per_host=entry.per_host,
        places=places,
    )


def count_reasons(entries: Iterable[ReasonEntry]) -> tuple[ReasonCount, ...]:
    """The entries of one attempt by code, in the order in which codes were found.

    An entry counts once for each of its hosts, or once when it has none.
    """
    groups: dict[ReasonCode, list[ReasonEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.code, []).append(entry)
    return tuple(
        ReasonCount(
            code=code,
            count=sum(1 if entry.hosts is None else len(entry.hosts) for entry in group),
            resources=_distinct(entry.resource for entry in group),
            limits=_distinct(entry.limit for entry in group),
            clauses=_distinct(entry.clause for entry in group),
        )
        for code, group in groups.items()
    )


def _distinct(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name is not None))
