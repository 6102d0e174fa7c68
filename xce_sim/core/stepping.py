"""One position scanned host by host: the road that is left when the columns can not be computed.

It comes to what the columns would come to, but an error concerns only the host or the step that
it arises at. Slow; taken for one position at a time, after an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from xce_sim.core.faults import cause_of
from xce_sim.core.sieve import ShortMasks, Sieve


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """What a scan for one position, or for several equal ones, has found.

    `hosts` are those that passed, in scan order. The rest is known of a scan host by host only:
    how many hosts were looked at, the `shorts` of these, the hosts that could not be checked and
    why, and why the scan `stopped` before its end.
    """

    hosts: list[int]
    reached: int | None = None
    shorts: ShortMasks | None = None
    errors: Mapping[int, str] = field(default_factory=dict)
    stopped: str | None = None


def step_through(sieve: Sieve, size: int, claimed: Collection[int], *, first: bool) -> Scanned:
    """The first host that passes, looking at one after the other; it does not raise."""
    shorts = tuple(np.zeros(len(sieve.matching), np.bool_) for _ in sieve.demand.on_hosts)
    errors: dict[int, str] = {}
    accepted: list[int] = []
    stopped: str | None = None
    reached = 0
    try:
        for host in hosts_of(sieve):
            reached += 1
            if host in claimed or not sieve.matching[host]:
                continue
            try:
                found = sieve.check(host, size, first=first)
            except Exception as error:  # noqa: BLE001  "not evaluated; the scan goes on"
                errors[host] = cause_of(error)
                continue
            if not any(found):
                accepted.append(host)
                break
            for mask, short in zip(shorts, found, strict=True):
                mask[host] = short
    except Exception as error:  # noqa: BLE001  "not filled: internal error in the host scan"
        stopped = cause_of(error)
    return Scanned(hosts=accepted, reached=reached, shorts=shorts, errors=errors, stopped=stopped)


def hosts_of(sieve: Sieve) -> Iterator[int]:
    """The candidates, step by step."""
    yield from sieve.order.tolist()
