"""How the parts of a sentence are written: amounts, limits, counted nouns, internal errors.

Decides nothing about lines. "Amounts are listed host resources first, by name, then `slots`, then
shared."
"""

from __future__ import annotations

from collections.abc import Iterable

from xce_sim.model.clock import Micros, TimeMode, format_time
from xce_sim.model.units import Milli, UnitsMode, format_amount
from xce_sim.model.verdict import Account, RequestedAmount


class Display:
    """The units and the form of times in effect when lines are made.

    The lines of one trace repeat the same few amounts, so their texts are remembered.
    """

    def __init__(self, units: UnitsMode = "auto", time: TimeMode = "utc") -> None:
        self.units = units
        self.time = time
        self._amounts: dict[tuple[Milli, str], str] = {}

    def amount(self, milli: Milli, unit: str) -> str:
        """`64 GiB`, `4`; nothing is `0` in every unit."""
        known = self._amounts.get((milli, unit))
        if known is None:
            known = format_amount(milli, unit, self.units) if milli else "0"
            self._amounts[milli, unit] = known
        return known

    def moment(self, time: Micros) -> str:
        """`2026-10-07 10:00:01`."""
        return format_time(time, self.time)

    def requests(self, requests: Iterable[RequestedAmount]) -> str:
        """`mem=8 GiB/task slots=1 license=2`: the scope stands where it is not the default one."""
        return " ".join(
            f"{request.name}={self.amount(request.milli, request.unit)}"
            + (f"/{request.scope}" if request.scope else "")
            for request in requests
        )


def counted(count: int, noun: str) -> str:
    """`1 host`, `2 hosts`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def limit_name(name: str, instance: str) -> str:
    """`lim_user (u=alice)`; a limit without an instance by its name alone."""
    return f"{name} ({instance})" if instance else name


def account_name(account: Account) -> str:
    """`limit lim_user (u=alice)`, or the name of a resource."""
    if account.kind == "limit":
        return f"limit {limit_name(account.name, account.instance)}"
    return account.name


def reason_limit(limit: str, host: str | None = None) -> str:
    """The limit of a pend reason, `lim_user/u=alice`, as `lim_user (u=alice)`.

    `host` is given where every host has a counter of its own: `lim_host (h=n03)`.
    """
    name, _, instance = limit.partition("/")
    if host is not None:
        instance = f"{instance},h={host}" if instance else f"h={host}"
    return limit_name(name, instance)


def internal_error(cause: str) -> str:
    """`internal error: <cause>`."""
    return f"internal error: {cause}" if cause else "internal error"


def resource_order(kind: str, name: str) -> tuple[int, str]:
    """A key that sorts host resources by name, then `slots`, then shared ones by name."""
    if kind == "shared":
        return 2, name
    return (1, "") if name == "slots" else (0, name)
