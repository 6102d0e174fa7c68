"""Why a job pends: codes with host sets, never one object per host.

"A pend carries `main` and a list of entries `(code, host or none, resource or limit instance or
none, alternative or none)`, each distinct entry once". Entries that differ in the host alone are
one `ReasonEntry` with a `HostSet`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

IndexArray = NDArray[np.int32]


class ReasonCode(StrEnum):
    """The pend reason codes."""

    CLAUSE_UNSUPPORTED = "CLAUSE_UNSUPPORTED"
    SHARED_RESOURCE = "SHARED_RESOURCE"
    CLUSTER_LIMIT = "CLUSTER_LIMIT"
    NO_CANDIDATE = "NO_CANDIDATE"
    NO_PLAN = "NO_PLAN"
    SELECT_MISMATCH = "SELECT_MISMATCH"
    HOST_RESOURCE = "HOST_RESOURCE"
    HOST_LIMIT = "HOST_LIMIT"
    HOST_ERROR = "HOST_ERROR"
    NOT_ENOUGH_HOSTS = "NOT_ENOUGH_HOSTS"


class HostSet:
    """An immutable set of host indices, ascending (the order in which hosts were pushed)."""

    __slots__ = ("indices",)

    def __init__(self, indices: IndexArray | Iterable[int]) -> None:
        if isinstance(indices, np.ndarray):
            array = indices.astype(np.int32, copy=True)
        else:
            array = np.unique(np.fromiter(indices, dtype=np.int32))
        array.setflags(write=False)
        self.indices: IndexArray = array

    @classmethod
    def of_mask(cls, mask: NDArray[np.bool_]) -> HostSet:
        """The hosts at which `mask` (shape `[hosts]`) is true."""
        return cls(np.flatnonzero(mask).astype(np.int32))

    def __len__(self) -> int:
        return int(self.indices.size)

    def __iter__(self) -> Iterator[int]:
        return iter(self.indices.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostSet) and np.array_equal(self.indices, other.indices)

    def __hash__(self) -> int:
        return hash(self.indices.tobytes())

    def __repr__(self) -> str:
        return f"HostSet({self.indices.tolist()})"

    def ranges(self) -> list[tuple[int, int]]:
        """Neighbours joined: inclusive (first, last) index pairs."""
        if not len(self):
            return []
        breaks = np.flatnonzero(np.diff(self.indices) != 1)
        firsts = self.indices[np.concatenate(([0], breaks + 1))].tolist()
        lasts = self.indices[np.concatenate((breaks, [len(self) - 1]))].tolist()
        return list(zip(firsts, lasts, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonEntry:
    """Entries alike but for the host.

    `limit` is `name/instance` (`lim_user/u=alice`); with `per_host` every host has an instance of
    its own, whose last key is the host (`limit_on`). `alternative` counts from 1 and is None
    unless the job has alternatives; `hosts` is None for a reason of the whole cluster.
    """

    code: ReasonCode
    resource: str | None = None
    limit: str | None = None
    clause: str | None = None
    alternative: int | None = None
    hosts: HostSet | None = None
    per_host: bool = False

    def limit_on(self, host: str) -> str | None:
        """The complete `name/instance` at one host: `lim_host/h=n03`, `lim/u=alice,h=n03`."""
        if self.limit is None or not self.per_host:
            return self.limit
        return f"{self.limit}h={host}" if self.limit.endswith("/") else f"{self.limit},h={host}"

    @property
    def host_count(self) -> int:
        """How many hosts, 0 for a reason of the whole cluster."""
        return 0 if self.hosts is None else len(self.hosts)


@dataclass(frozen=True, slots=True)
class ReasonBody:
    """The main reason and all entries, grouped, in the order in which they were found."""

    main: ReasonCode
    entries: tuple[ReasonEntry, ...]


class Reasons:
    """The pend reasons of one failed attempt, shared by all jobs that failed alike.

    Either given or computed on first use by a builder whose inputs can not change any more; both
    give the same. `host_names` are all hosts in pushed order, the table for the indices.
    Equality compares content; use `is` to ask whether two jobs share one object.
    """

    __slots__ = ("_body", "_build", "host_names")

    def __init__(
        self, body: ReasonBody | Callable[[], ReasonBody], host_names: Sequence[str]
    ) -> None:
        self._body = body if isinstance(body, ReasonBody) else None
        self._build = None if isinstance(body, ReasonBody) else body
        self.host_names = host_names

    @property
    def body(self) -> ReasonBody:
        """Main reason and entries."""
        if self._body is None:
            assert self._build is not None
            self._body = self._build()
            self._build = None
        return self._body

    @property
    def main(self) -> ReasonCode:
        """The main reason."""
        return self.body.main

    @property
    def entries(self) -> tuple[ReasonEntry, ...]:
        """All entries, grouped, in the order in which they were found."""
        return self.body.entries

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reasons) and self.body == other.body

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Reasons({self.body!r})"
