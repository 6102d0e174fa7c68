"""What a check found: every compared row with its numbers, never prose.

A row passes if `total - in_use - reserved >= requested`. All rows of a check are computed, even
after a failure. Amounts are thousandths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from xce_sim.model.reasons import IndexArray
from xce_sim.model.units import Milli

Scope = Literal["task", "host", "job"]
RowKind = Literal["host", "shared", "limit"]
Amounts = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a row is about.

    `kind` host or shared: the resource `name`. Limit: the limit `name` on `resource`, and its
    `instance` (`u=alice`, `all`); a host-scoped one with its own counter for each host has
    `per_host` true and its instance is followed by `h=<host>` when it is printed.
    `unit` is the unit of the amounts.
    """

    kind: RowKind
    name: str
    unit: str = ""
    resource: str = ""
    instance: str = ""
    per_host: bool = False

    def instance_on(self, host: str) -> str:
        """The printed instance at one host: `u=alice,h=n03`, `h=n03`."""
        if not self.per_host:
            return self.instance
        return f"{self.instance},h={host}" if self.instance else f"h={host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One comparison of the cluster-wide check, or of one host."""

    account: Account
    total: Milli
    in_use: Milli
    reserved: Milli
    requested: Milli

    @property
    def passed(self) -> bool:
        """Whether enough was free."""
        return self.total - self.in_use - self.reserved >= self.requested


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRows:
    """The same comparison on every host: arrays of shape `[hosts]`, in pushed order."""

    account: Account
    total: Amounts
    in_use: Amounts
    reserved: Amounts
    requested: Amounts
    short: Mask

    def at(self, host: int) -> Row:
        """The comparison on one host."""
        return Row(
            account=self.account,
            total=int(self.total[host]),
            in_use=int(self.in_use[host]),
            reserved=int(self.reserved[host]),
            requested=int(self.requested[host]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MismatchPart:
    """The part of a select expression that failed on a host, and the host's value there.

    `milli` is set instead of `value` when the value is an amount that units apply to.
    """

    expression: str
    value: str = ""
    milli: Milli | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The hosts looked at for one position, as columns.

    `order` lists the candidates' indices in scan order; the first `reached` of them were looked
    at, the last of these was accepted when `accepted` is not None. The masks have shape `[hosts]`.
    A claimed host was not checked; a host that mismatches was neither; `errors` says why a host
    could not be evaluated; `stopped` why the scan itself ended early.
    """

    order: IndexArray
    reached: int
    accepted: int | None
    mismatch: Mask
    claimed: Mapping[int, int]
    rows: tuple[HostRows, ...]
    errors: Mapping[int, str] = field(default_factory=dict)
    stopped: str | None = None
    explain: Callable[[int], MismatchPart | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedAmount:
    """One amount that a requirement asks for; `scope` None where it is the default one."""

    kind: RowKind
    name: str
    milli: Milli
    unit: str = ""
    scope: Scope | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """An amount taken from an account by a dispatch; for a limit the instance is complete."""

    account: Account
    amount: Milli
    instance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCharges:
    """All charges of a dispatch on one host."""

    host: str
    charges: tuple[Charge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCandidates:
    """Hosts that a requirement never looks at, each counted once, by the first cause that applies.

    The causes in this order: not known to be up, closed, outside the queue's hosts, outside the
    job's hosts.
    """

    unavail: int = 0
    reconciling: int = 0
    closed: int = 0
    queue_hosts: int = 0
    job_hosts: int = 0
