"""What a record keeps of positions and hosts.

At level full a scan of thousands of hosts would be thousands of objects, so the lines of its hosts
are kept together in one `HostBlock` of arrays; its `lines` says how many entries it stands for.
Hosts are indices into the record's own table of names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xce_sim.model.reasons import IndexArray
from xce_sim.model.verdict import Account, MismatchPart
from xce_sim.trace.entries import Entry, object_bytes, tuple_bytes
from xce_sim.trace.verdicts import KindArray

ARRAY_BYTES = 112
"""What a numpy array takes besides its elements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBegin(Entry):
    """A position of the plan is to be filled."""

    number: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionEnd(Entry):
    """Filled by `host`, or not.

    `stopped` is why the host scan itself could not start or stopped, `error` why the host that
    passed could not be claimed.
    """

    number: int
    host: str | None = None
    stopped: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitCount:
    """On how many hosts one limit was exceeded.

    Where every host has a counter of its own each host is an instance: `hosts` names the first
    ones. Otherwise the limit's one instance was met on all of them and `hosts` is None.
    """

    account: Account
    count: int
    hosts: IndexArray | None = None

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        array = 0 if self.hosts is None else ARRAY_BYTES + self.hosts.nbytes
        return object_bytes(3) + 8 + array


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSummary(Entry):
    """All hosts of one position in numbers.

    `rejected` follows the order of the kinds without accepted; a host that is both short and over
    a limit counts under both, and `twice` says how many do. So candidates = accepted + rejected -
    twice + not reached.
    """

    accepted: str | None
    rejected: tuple[int, ...]
    twice: int
    not_reached: int
    limits: tuple[LimitCount, ...]

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        tuples = tuple_bytes(len(self.rejected)) + tuple_bytes(0)
        return object_bytes(6) + tuples + sum(limit.nbytes for limit in self.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortRows:
    """Rows of one account that were short: the places of their hosts in the block, ascending.

    `amounts` has shape `[4, rows]`: total, in use, reserved, requested, in thousandths.
    """

    account: Account
    places: IndexArray
    amounts: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return object_bytes(3) + 3 * ARRAY_BYTES + self.places.nbytes + self.amounts.nbytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBlock(Entry):
    """Hosts in the order in which they were looked at, each with its verdict and short rows.

    `hosts` and `kinds` have shape `[hosts]`. `parts`, `claimed_by` and `errors` go with the hosts
    of their kind, in order: what mismatched, which position had claimed it, why not evaluated.
    """

    hosts: IndexArray
    kinds: KindArray
    parts: tuple[MismatchPart | None, ...]
    claimed_by: tuple[int, ...]
    errors: tuple[str, ...]
    rows: tuple[ShortRows, ...]

    @property
    def lines(self) -> int:
        """One line for each host and one for each short row."""
        return len(self.hosts) + sum(len(rows.places) for rows in self.rows)

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes, without the parts, which blocks share."""
        arrays = 2 * ARRAY_BYTES + self.hosts.nbytes + self.kinds.nbytes
        tuples = sum(
            tuple_bytes(len(each)) if each else 0
            for each in (self.parts, self.claimed_by, self.errors, self.rows)
        )
        return object_bytes(7) + arrays + tuples + sum(rows.nbytes for rows in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotReached(Entry):
    """Candidates that the scan did not come to; `after` is the last host looked at, if any."""

    count: int
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Released(Entry):
    """Hosts claimed for earlier positions of a failed plan: the first ones, and how many more."""

    hosts: tuple[str, ...]
    more: int

    @property
    def nbytes(self) -> int:
        """An estimate of the memory it takes."""
        return object_bytes(3) + tuple_bytes(len(self.hosts))
