"""The lines that end a trace: the allocation, the pend reasons, or why there is no decision.

They are outside the line bound. Listed hosts come first, then what is not tied to a host, then
the totals of the hosts that are not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xce_sim.model.verdict import Charge
from xce_sim.trace.records import (
    DispatchOutcome,
    NoDecisionOutcome,
    Outcome,
    PendEntry,
    PendOutcome,
)
from xce_sim.trace.spans import Line, indented
from xce_sim.trace.wording import (
    Display,
    counted,
    internal_error,
    limit_name,
    reason_limit,
    resource_order,
)


def outcome_lines(outcome: Outcome, display: Display) -> Iterator[Line]:
    """The lines of an outcome, indented."""
    if isinstance(outcome, DispatchOutcome):
        return _dispatch_lines(outcome, display)
    if isinstance(outcome, PendOutcome):
        return _pend_lines(outcome)
    return iter((indented(1, _no_decision(outcome)),))


def _dispatch_lines(outcome: DispatchOutcome, display: Display) -> Iterator[Line]:
    yield indented(1, (("plain", "outcome: "), ("good", "DISPATCH")))
    for host in outcome.hosts:
        yield indented(2, (("key", f"host {host.host}:"), *_charges(host.charges, display)))
    if outcome.shared:
        yield indented(2, (("key", "shared:"), *_charges(outcome.shared, display)))
    if outcome.omitted_hosts:
        hosts = f"... {counted(outcome.omitted_hosts, 'host')} omitted:"
        yield indented(2, (("dim", hosts), *_charges(outcome.omitted, display)))


def _charges(charges: Sequence[Charge], display: Display) -> Line:
    """Amounts of resources, and limit charges apart from them."""
    resources = sorted(
        (charge for charge in charges if charge.account.kind != "limit"),
        key=lambda charge: resource_order(charge.account.kind, charge.account.name),
    )
    amounts = "".join(
        f" {charge.account.name}={display.amount(charge.amount, charge.account.unit)}"
        for charge in resources
    )
    limits = ", ".join(
        f"{limit_name(charge.account.name, charge.instance)} {charge.account.resource}"
        f" {display.amount(charge.amount, charge.account.unit)}"
        for charge in charges
        if charge.account.kind == "limit"
    )
    line: Line = (("number", amounts),) if amounts else ()
    return (*line, ("plain", f" limit charges: {limits}")) if limits else line


def _pend_lines(outcome: PendOutcome) -> Iterator[Line]:
    yield indented(1, (("plain", "outcome: "), ("bad", f"PEND {outcome.main}")))
    at_host: list[list[PendEntry]] = [[] for _ in outcome.hosts]
    for entry in outcome.entries:
        for place in entry.places or ():
            at_host[place].append(entry)
    for host, entries in zip(outcome.hosts, at_host, strict=True):
        texts = ", ".join(_reason(entry, host) for entry in entries)
        yield indented(2, (("key", f"host {host}:"), ("plain", f" {texts}")))
    for entry in outcome.entries:
        if entry.places is None:
            yield indented(2, (("plain", _reason(entry, None)),))
    if outcome.omitted_hosts:
        hosts = f"... {counted(outcome.omitted_hosts, 'host')} omitted: "
        counts = ", ".join(f"{code} {count}" for code, count in outcome.omitted)
        yield indented(2, (("dim", hosts), ("plain", counts)))


def _reason(entry: PendEntry, host: str | None) -> str:
    parts = [str(entry.code)]
    if entry.resource is not None:
        parts.append(entry.resource)
    if entry.limit is not None:
        parts.append(reason_limit(entry.limit, host if entry.per_host else None))
    if entry.clause is not None:
        parts.append(entry.clause)
    if entry.alternative is not None:
        parts.append(f"(alternative {entry.alternative})")
    return " ".join(parts)


def _no_decision(outcome: NoDecisionOutcome) -> Line:
    if outcome.kind == "not_found":
        what = "job not found"
    elif outcome.kind == "no_object":
        what = "no scheduling object"
        what += f" (RESREQ_INVALID: {outcome.cause})" if outcome.cause else ""
    elif outcome.kind == "internal_error":
        what = internal_error(outcome.cause)
    else:
        what = "pended without any reason"
    return (("plain", "no decision: "), ("bad", what))
