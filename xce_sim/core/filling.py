"""Filling the positions of one plan.

Positions are filled in order; "the first host that passes is claimed and its amounts reserved".
Equal positions next to each other are filled by one look at the columns, which comes to the same
as one scan each: a claim changes nothing on other hosts, unless the demand is `ordered`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from xce_sim.core.findings import Findings, ScanFinding
from xce_sim.core.plans import Claims, Plan
from xce_sim.core.sieve import Sieve
from xce_sim.model.columns import BoolArray

if TYPE_CHECKING:
    from xce_sim.core.telling import Telling


def fill(
    plan: Plan, sieve: Sieve, findings: Findings | None, telling: Telling | None
) -> Claims | None:
    """Claim a host for each position, all or nothing; nothing stays reserved.

    `findings` are told what was found against hosts, `telling` of every scan; None for neither.
    """
    claims: list[tuple[int, int]] = []
    for size, count in _looks(plan, ordered=sieve.demand.ordered):
        taken = _look(sieve, size, count, claims, findings, telling)
        if len(taken) < count:
            if telling is not None:
                telling.plan_failed(len(claims) + len(taken) + 1, claims, taken)
            if findings is not None and (claims or taken):
                findings.accepted = True
            sieve.release()
            return None
        if sieve.demand.ordered:
            sieve.claim(taken[0], size, first=not claims)
        claims.extend((host, size) for host in taken)
    sieve.release()
    if telling is not None:
        telling.plan_filled()
    return tuple(claims)


def _look(
    sieve: Sieve,
    size: int,
    count: int,
    claims: list[tuple[int, int]],
    findings: Findings | None,
    telling: Telling | None,
) -> list[int]:
    """The first `count` hosts in scan order that fit, or all there are."""
    first = not claims or not sieve.demand.ordered
    fits = sieve.fits(size, first=first)
    claimed = np.array([host for host, _ in claims], np.int32)
    if claims:
        fits = fits.copy()
        fits[claimed] = False
    hosts = _first_of(fits, sieve, count)
    if telling is not None:
        telling.positions(sieve, size, count, hosts, claims)
    if findings is not None:
        reached = len(sieve.order)
        if len(hosts) == count:
            reached = _place_of(sieve, hosts[-1]) + 1
        findings.scan(
            ScanFinding(
                order=sieve.order,
                reached=reached,
                claimed=claimed,
                mismatching=sieve.mismatching,
                matching=sieve.matching,
                failing=sieve.candidates.failing,
                shorts=sieve.shorts(size, first=first),
                accounts=tuple(row.usage.account for row in sieve.demand.on_hosts),
            )
        )
    return hosts


def _looks(plan: Plan, *, ordered: bool) -> Iterator[tuple[int, int]]:
    for size, count in plan.runs:
        if ordered:
            yield from ((size, 1) for _ in range(count))
        else:
            yield size, count


def _first_of(fits: BoolArray, sieve: Sieve, count: int) -> list[int]:
    if not sieve.candidates.natural:
        found: list[int] = sieve.order[fits[sieve.order]][:count].tolist()
    elif count > 1:
        found = np.flatnonzero(fits)[:count].tolist()
    else:
        host = int(fits.argmax()) if len(fits) else 0
        found = [host] if len(fits) and fits[host] else []
    return found


def _place_of(sieve: Sieve, host: int) -> int:
    if sieve.candidates.natural:
        return int(np.searchsorted(sieve.order, host))
    return int(np.flatnonzero(sieve.order == host)[0])
