"""Filling the positions of one plan.

Positions are filled in order; "the first host that passes is claimed and its amounts reserved".
Equal positions next to each other are filled by one look at the columns, which comes to the same
as one scan each: a claim changes nothing on other hosts, unless the demand is `ordered`. When such
a look ends in an error the positions are filled one by one, so that it is known where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from xce_sim.core.faults import cause_of
from xce_sim.core.findings import Findings, ScanFinding
from xce_sim.core.plans import Claims, Plan
from xce_sim.core.sieve import Sieve
from xce_sim.core.stepping import Scanned, step_through
from xce_sim.model.columns import BoolArray
from xce_sim.model.verdict import HostRows

if TYPE_CHECKING:
    from xce_sim.core.telling import Telling


def fill(
    plan: Plan, sieve: Sieve, findings: Findings | None, telling: Telling | None
) -> Claims | None:
    """Claim a host for each position, all or nothing; nothing stays reserved.

    `findings` are told what was found against hosts, `telling` of every scan; None for neither.
    Raises what claiming a host has raised.
    """
    filling = _Filling(sieve, findings, telling)
    try:
        for size, count in _looks(plan, ordered=sieve.demand.ordered):
            if not (filling.positions(size, count) if count > 1 else filling.position(size)):
                break
        else:
            if telling is not None:
                telling.plan_filled()
            return tuple(filling.claims)
    finally:
        sieve.release()
    if telling is not None:
        telling.plan_failed(filling.claims)
    if findings is not None and filling.claims:
        findings.accepted = True
    return None


def claim(sieve: Sieve, pairs: Sequence[tuple[int, int]], *, first: bool) -> None:
    """Claim hosts, given with their tasks; `first` if no position of the plan had one before.

    Amounts are reserved only where the check of a later position can depend on them; such
    positions come one at a time.
    """
    if sieve.demand.ordered:
        for number, (host, size) in enumerate(pairs):
            sieve.claim(host, size, first=first and number == 0)


class _Filling:
    """The positions filled so far: `claims` are (host index, tasks)."""

    def __init__(self, sieve: Sieve, findings: Findings | None, telling: Telling | None) -> None:
        self.claims: list[tuple[int, int]] = []
        self._sieve = sieve
        self._findings = findings
        self._telling = telling

    def positions(self, size: int, count: int) -> bool:
        """Fill equal positions by one look; whether all of them are filled."""
        try:
            scanned = self._look(size, count)
            pairs = [(host, size) for host in scanned.hosts]
            claim(self._sieve, pairs, first=not self.claims)
        except Exception:  # noqa: BLE001  told where it belongs
            return all(self.position(size) for _ in range(count))
        self._note(scanned, size, count, self._rows(scanned, size))
        self._find(scanned, size, count)
        self.claims += pairs
        return len(pairs) == count

    def position(self, size: int) -> bool:
        """Fill one position; whether it is filled."""
        try:
            scanned = self._look(size, 1)
        except Exception:  # noqa: BLE001  an error on a host or in a scan does not end the attempt
            self._sieve.doubtful = True
            claimed = {host for host, _ in self.claims}
            scanned = step_through(self._sieve, size, claimed, first=self._first)
        self._find(scanned, size, 1)
        rows = self._rows(scanned, size)
        pairs = [(host, size) for host in scanned.hosts]
        try:
            claim(self._sieve, pairs, first=not self.claims)
        except Exception as error:
            self._note(scanned, size, 1, rows, cause_of(error))
            if self._telling is not None:
                self._telling.plan_ended(self.claims, cause_of(error))
            raise
        self._note(scanned, size, 1, rows)
        self.claims += pairs
        return bool(pairs)

    @property
    def _first(self) -> bool:
        """Whether the next position takes what is asked for once."""
        return not self.claims or not self._sieve.demand.ordered

    def _look(self, size: int, count: int) -> Scanned:
        """The first `count` hosts in scan order that fit, or all there are."""
        sieve = self._sieve
        fits = sieve.fits(size, first=self._first)
        if self.claims:
            fits = fits.copy()
            fits[[host for host, _ in self.claims]] = False
        return Scanned(hosts=_first_of(fits, sieve, count))

    def _rows(self, scanned: Scanned, size: int) -> tuple[HostRows, ...]:
        """What a recorder is to be told of the check, as things stand before the claim."""
        if self._telling is None:
            return ()
        return self._telling.rows(self._sieve, scanned, size, first=self._first)

    def _note(
        self,
        scanned: Scanned,
        size: int,
        count: int,
        rows: tuple[HostRows, ...],
        error: str | None = None,
    ) -> None:
        if self._telling is not None:
            self._telling.positions(
                self._sieve, scanned, (size, count), self.claims, rows, error=error
            )

    def _find(self, scanned: Scanned, size: int, count: int) -> None:
        if self._findings is not None:
            self._findings.scan(self._finding(scanned, size, count))

    def _finding(self, scanned: Scanned, size: int, count: int) -> ScanFinding:
        sieve, hosts, reached, shorts = self._sieve, scanned.hosts, scanned.reached, scanned.shorts
        matching, failing = sieve.matching, sieve.candidates.failing
        if reached is None:
            reached = len(sieve.order)
            if len(hosts) == count:
                reached = _place_of(sieve, hosts[-1]) + 1
        if shorts is None:
            shorts = sieve.shorts(size, first=self._first)
        if scanned.errors:
            failing = sieve.mask_of(scanned.errors, failing)
            matching = matching & ~failing
        return ScanFinding(
            order=sieve.order,
            reached=reached,
            claimed=np.array([host for host, _ in self.claims], np.int32),
            mismatching=sieve.mismatching,
            matching=matching,
            failing=failing,
            shorts=shorts,
            accounts=tuple(row.usage.account for row in sieve.demand.on_hosts),
        )


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
