"""Hosts as columns: what the controller pushed, one array per resource.

Amounts of consumables are int64 thousandths, other numbers float64, booleans uint8 0 or 1,
strings int32 codes of a word table. Shape of every column: `[hosts]`, in pushed order. Nothing
here knows what is in use; the core keeps that beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xce_sim.errors import UserError
from xce_sim.model.resources import SLOTS, ResourceDef, ResourceTable, Value, check_value
from xce_sim.model.units import MAX_MILLI, MILLI
from xce_sim.model.worker import WORKER_STATUSES, Worker, WorkerStatus

Int64Array = NDArray[np.int64]
FloatArray = NDArray[np.float64]
CodeArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]
ByteArray = NDArray[np.uint8]

ABSENT = -1
"""Code of a string resource without a value on a host."""

STATUS_CODE: dict[WorkerStatus, int] = {name: i for i, name in enumerate(WORKER_STATUSES)}


class HostColumns:
    """The pushed values of all hosts.

    `versions[resource]` grows whenever that column changes, so cached results can tell. Hosts are
    only added; a full push makes a new object.
    """

    def __init__(self, resources: ResourceTable) -> None:
        self.resources = resources
        self.names: tuple[str, ...] = ()
        self.index: dict[str, int] = {}
        self.status: ByteArray = np.zeros(0, np.uint8)
        self.version = 0
        self.versions: dict[int, int] = {}
        self.shared: dict[int, Value] = {}
        self._words: dict[str, int] = {}
        self._word_list: list[str] = []
        self._values: dict[int, NDArray[np.generic]] = {SLOTS: np.zeros(0, np.int64)}
        self._present: dict[int, BoolArray] = {}

    def __len__(self) -> int:
        return len(self.names)

    def copy(self) -> HostColumns:
        """An independent copy; arrays are copied, names shared."""
        twin = HostColumns(self.resources)
        twin.names, twin.index = self.names, dict(self.index)
        twin.status = self.status.copy()
        twin.version, twin.versions = self.version, dict(self.versions)
        twin.shared = dict(self.shared)
        twin._words, twin._word_list = dict(self._words), list(self._word_list)
        twin._values = {key: column.copy() for key, column in self._values.items()}
        twin._present = {key: column.copy() for key, column in self._present.items()}
        return twin

    def amounts(self, resource: int) -> Int64Array:
        """Totals of a host consumable, thousandths; do not write to it."""
        return self._column(resource).view(np.int64)

    def numbers(self, resource: int) -> FloatArray:
        """Any numeric or boolean resource as the select language sees it: plain numbers.

        A consumable is divided by 1000, which gives the float nearest to its decimal, so that it
        compares with a literal of the same decimals exactly. A shared resource gives its total on
        every host. A host without a value has 0.
        """
        item = self.resources[resource]
        if item.scope == "shared":
            value = self.shared.get(resource, 0)
            number = float(value) / MILLI if item.consumable else float(value)
            return np.full(len(self), number, np.float64)
        column = self._column(resource).astype(np.float64)
        return column / MILLI if item.consumable else column

    def codes(self, resource: int) -> CodeArray:
        """Word codes of a string resource, `ABSENT` where a host has no value."""
        if self.resources[resource].scope == "shared":
            value = self.shared.get(resource)
            code = self.code_of(value) if isinstance(value, str) else ABSENT
            return np.full(len(self), code, np.int32)
        return self._column(resource).view(np.int32)

    def present(self, resource: int) -> BoolArray:
        """Where a host has a value of its own for the resource (shared: everywhere or nowhere)."""
        if resource == SLOTS:
            return np.ones(len(self), np.bool_)
        if self.resources[resource].scope == "shared":
            return np.full(len(self), resource in self.shared, np.bool_)
        self._column(resource)
        return self._present[resource]

    def code_of(self, word: str) -> int:
        """The code of a word; a word never seen before gets a new one, which no host has."""
        code = self._words.setdefault(word, len(self._word_list))
        if code == len(self._word_list):
            self._word_list.append(word)
        return code

    def word_of(self, code: int) -> str:
        """The word of a code other than `ABSENT`."""
        return self._word_list[code]

    def value(self, resource: int, host: int) -> Value | None:
        """One pushed value, None where the host has none."""
        item = self.resources[resource]
        if item.scope == "shared":
            return self.shared.get(resource)
        if not self.present(resource)[host]:
            return None
        raw = self._column(resource)[host].item()
        if item.type == "string":
            return self.word_of(raw)
        return bool(raw) if item.type == "boolean" else raw

    def status_of(self, host: int) -> WorkerStatus:
        """The status of one host."""
        return WORKER_STATUSES[int(self.status[host])]

    def define(self, resources: ResourceTable) -> None:
        """Go on with an extended table (same indices for what was known)."""
        self.resources = resources

    def add_workers(self, workers: Iterable[Worker]) -> None:
        """Add new hosts at the end and set slots, status and values of known ones."""
        workers = tuple(workers)
        fresh = [worker.name for worker in workers if worker.name not in self.index]
        if len(set(fresh)) != len(fresh):
            raise UserError(f"host {_first_twice(fresh)} stands twice in one push")
        self._grow(fresh)
        for worker in workers:
            host = self.index[worker.name]
            self.set_slots(host, worker.slots)
            self.set_status(host, worker.status)
            for name, value in worker.values.items():
                self.set_value(host, name, value)

    def set_status(self, host: int, status: WorkerStatus) -> None:
        """Change a host's status."""
        if status not in STATUS_CODE:
            raise UserError(f"host {self.names[host]}: unknown status {status!r}")
        if self.status[host] != STATUS_CODE[status]:
            self.status[host] = STATUS_CODE[status]
            self.version += 1

    def set_slots(self, host: int, slots: int) -> None:
        """Change a host's slots (whole ones)."""
        if slots < 0 or slots * MILLI >= MAX_MILLI:
            raise UserError(f"host {self.names[host]}: {slots} slots is out of range")
        self._write(SLOTS, host, slots * MILLI)

    def set_value(self, host: int, name: str, value: Value) -> None:
        """Change a host's value of a named host resource."""
        resource = self.resources.index.get(name)
        if resource is None:
            raise UserError(f"host {self.names[host]}: unknown resource {name!r}")
        item = self.resources[resource]
        if item.scope == "shared" or resource == SLOTS:
            what = "is built in: use slots" if resource == SLOTS else "is shared"
            raise UserError(f"host {self.names[host]}: resource {name} {what}")
        check_value(item, value)
        self._write(resource, host, self.code_of(value) if isinstance(value, str) else value)

    def set_shared(self, name: str, value: Value) -> None:
        """Change the total of a shared resource."""
        resource = self.resources.index.get(name)
        if resource is None:
            raise UserError(f"unknown resource {name!r}")
        item = self.resources[resource]
        if item.scope != "shared":
            raise UserError(f"resource {name} is not shared")
        check_value(item, value)
        if self.shared.get(resource) != value:
            self.shared[resource] = value
            self._changed(resource)

    def _write(self, resource: int, host: int, raw: int | float) -> None:
        column = self._column(resource)
        known = resource == SLOTS or bool(self._present[resource][host])
        if known and column[host] == raw:
            return
        column[host] = raw
        if resource != SLOTS:
            self._present[resource][host] = True
        self._changed(resource)

    def _changed(self, resource: int) -> None:
        self.versions[resource] = self.versions.get(resource, 0) + 1
        self.version += 1

    def _column(self, resource: int) -> NDArray[np.generic]:
        column = self._values.get(resource)
        if column is None:
            item = self.resources[resource]
            column = np.zeros(len(self), _dtype(item))
            if item.type == "string":
                column[:] = ABSENT
            self._values[resource] = column
            self._present[resource] = np.zeros(len(self), np.bool_)
        return column

    def _grow(self, names: list[str]) -> None:
        if not names:
            return
        before, more = len(self), len(names)
        self.names = (*self.names, *names)
        self.index.update((name, before + i) for i, name in enumerate(names))
        self.status = np.concatenate((self.status, np.zeros(more, np.uint8)))
        for resource, column in self._values.items():
            fill = ABSENT if self.resources[resource].type == "string" else 0
            self._values[resource] = np.concatenate((column, np.full(more, fill, column.dtype)))
            self._changed(resource)
        for resource, present in self._present.items():
            self._present[resource] = np.concatenate((present, np.zeros(more, np.bool_)))
        self.version += 1


_DTYPES: dict[str, np.dtype[Any]] = {
    "numeric": np.dtype(np.float64),
    "string": np.dtype(np.int32),
    "boolean": np.dtype(np.uint8),
}


def _dtype(item: ResourceDef) -> np.dtype[Any]:
    return np.dtype(np.int64) if item.consumable else _DTYPES[item.type]


def _first_twice(names: list[str]) -> str:
    return next(name for i, name in enumerate(names) if name in names[:i])
