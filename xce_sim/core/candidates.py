"""Which hosts a requirement may look at, and in which order.

"Candidates are workers with status `ok`, in the queue's and the job's allow-lists." The select
expression is the pre-filter: a candidate matches, mismatches or could not be evaluated. `order`
"sorts the candidates when the requirement or member begins"; `same` splits them into sets that
agree on the named values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from xce_sim.core.faults import cause_of
from xce_sim.core.ledger import Ledger
from xce_sim.core.reservation import Reservation
from xce_sim.model.columns import (
    STATUS_CODE,
    BoolArray,
    ByteArray,
    FloatArray,
    HostColumns,
    Int64Array,
)
from xce_sim.model.reasons import IndexArray
from xce_sim.model.resources import SLOTS
from xce_sim.model.units import MILLI, format_milli
from xce_sim.model.verdict import NotCandidates
from xce_sim.resreq.evaluate import ERROR, TRUE, RoundEvaluator
from xce_sim.resreq.nodes import Node
from xce_sim.resreq.request import OrderKey, Primary

HostList = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The hosts to scan: `order` has their indices in scan order, masks have shape `[hosts]`.

    `failing` are those on which the select could not be evaluated, None for none.
    `most_slots` is the largest total of slots among them. `natural` says that `order` is the
    pushed order. `label` names the set where `same` splits the candidates (`type=linux`). `cause`
    is the internal error for which the select could not be evaluated on any.
    """

    order: IndexArray
    matching: BoolArray
    mismatching: BoolArray
    failing: BoolArray | None
    most_slots: int
    natural: bool
    label: str = ""
    cause: str = ""

    def __len__(self) -> int:
        return len(self.order)


class HostLists:
    """Masks of allow-lists, remembered while no host or status changes."""

    def __init__(self, columns: HostColumns) -> None:
        self._columns = columns
        self._version = -1
        self._masks: dict[tuple[HostList, HostList], BoolArray] = {}

    def eligible(self, queue_hosts: HostList, job_hosts: HostList) -> BoolArray:
        """Hosts that are up and in both lists, shape `[hosts]`; do not write to it."""
        if self._version != self._columns.version:
            self._masks.clear()
            self._version = self._columns.version
        key = (queue_hosts, job_hosts)
        mask = self._masks.get(key)
        if mask is None:
            mask = self._columns.status == STATUS_CODE["ok"]
            mask = mask & self._listed(queue_hosts) & self._listed(job_hosts)
            self._masks[key] = mask
        return mask

    def not_candidates(self, queue_hosts: HostList, job_hosts: HostList) -> NotCandidates:
        """Every host that is no candidate, counted once by the first cause that applies."""
        status = self._columns.status
        up = status == STATUS_CODE["ok"]
        in_queue, in_job = self._listed(queue_hosts), self._listed(job_hosts)
        return NotCandidates(
            unavail=int((status == STATUS_CODE["unavail"]).sum()),
            reconciling=int((status == STATUS_CODE["reconciling"]).sum()),
            closed=int((status == STATUS_CODE["closed"]).sum()),
            queue_hosts=int((up & ~in_queue).sum()),
            job_hosts=int((up & in_queue & ~in_job).sum()),
        )

    def _listed(self, hosts: HostList) -> BoolArray:
        if hosts is None:
            return np.ones(len(self._columns), np.bool_)
        mask = np.zeros(len(self._columns), np.bool_)
        index = self._columns.index
        mask[[index[name] for name in hosts if name in index]] = True
        return mask


class CandidateFinder:
    """Finds candidates, and remembers them while no host, status or value changes.

    What an `order` clause sorts by what is free is sorted anew each time.
    """

    def __init__(self, columns: HostColumns, evaluator: RoundEvaluator) -> None:
        self.lists = HostLists(columns)
        self._columns = columns
        self._evaluator = evaluator
        self._version = -1
        self._known: dict[tuple[Node | None, HostList, HostList], Candidates] = {}

    def forget(self) -> None:
        """Drop all answers: expressions may have been swept."""
        self._known.clear()

    def of(
        self,
        primary: Primary,
        lists: tuple[HostList, HostList],
        ledger: Ledger,
        reservation: Reservation,
    ) -> Candidates:
        """The candidates of a requirement as things stand when it begins."""
        if self._version != self._columns.version:
            self._known.clear()
            self._version = self._columns.version
        key = (primary.select, *lists)
        found = self._known.get(key)
        if found is None:
            found = self._find(primary.select, self.lists.eligible(*lists))
            if not found.cause:
                self._known[key] = found
        if not primary.order:
            return found
        order = _sorted(found.order, primary.order, self._columns, ledger, reservation)
        return replace(found, order=order, natural=False)

    def _find(self, select: Node | None, eligible: BoolArray) -> Candidates:
        columns = self._columns
        failing: BoolArray | None = None
        cause = ""
        if select is None:
            matching, mismatching = eligible, np.zeros(len(columns), np.bool_)
        else:
            outcome, cause = self._outcome(select)
            matching = eligible & (outcome == TRUE)
            mismatching = eligible & ~matching
            failed = eligible & (outcome == ERROR)
            if failed.any():
                failing = failed
                mismatching &= ~failed
        order = np.flatnonzero(eligible).astype(np.int32)
        return Candidates(
            order=order,
            matching=matching,
            mismatching=mismatching,
            failing=failing,
            most_slots=_most_slots(columns, order),
            natural=True,
            cause=cause,
        )

    def _outcome(self, select: Node) -> tuple[ByteArray, str]:
        """The select on every host, and why it could not be evaluated at all."""
        try:
            return self._evaluator.evaluate(select), ""
        except Exception as error:  # noqa: BLE001  no host is evaluated; the attempt goes on
            return np.full(len(self._columns), ERROR, np.uint8), cause_of(error)


def agreeing_sets(
    candidates: Candidates, same: tuple[int, ...], columns: HostColumns
) -> Iterator[Candidates]:
    """The sets of candidates that agree on all resources of `same`, by their first host.

    "hosts without a value agree with each other"
    """
    keys = np.stack([_comparable(columns, resource) for resource in same])[:, candidates.order]
    groups: dict[bytes, list[int]] = {}
    for position, key in enumerate(np.ascontiguousarray(keys.T)):
        groups.setdefault(key.tobytes(), []).append(position)
    for positions in groups.values():
        order = candidates.order[positions]
        mask = np.zeros(len(columns), np.bool_)
        mask[order] = True
        yield Candidates(
            order=order,
            matching=candidates.matching & mask,
            mismatching=candidates.mismatching & mask,
            failing=None if candidates.failing is None else candidates.failing & mask,
            most_slots=_most_slots(columns, order),
            natural=candidates.natural,
            label=_label(columns, same, int(order[0])),
            cause=candidates.cause,
        )


def _most_slots(columns: HostColumns, order: IndexArray) -> int:
    return int(columns.amounts(SLOTS)[order].max()) // MILLI if len(order) else 0


def _sorted(
    order: IndexArray,
    keys: tuple[OrderKey, ...],
    columns: HostColumns,
    ledger: Ledger,
    reservation: Reservation,
) -> IndexArray:
    for key in reversed(keys):
        values = _sort_values(key.resource, columns, ledger, reservation)[order]
        if key.largest_first:
            values = -values
        order = order[np.argsort(values, kind="stable")]
    return order


def _sort_values(
    resource: int, columns: HostColumns, ledger: Ledger, reservation: Reservation
) -> Int64Array | FloatArray:
    usage = ledger.resources.get(resource)
    if usage is None:
        return columns.numbers(resource)
    reserved = reservation.on_hosts(usage)
    free = usage.total - usage.in_use
    return free if reserved is None else free - reserved


def _comparable(columns: HostColumns, resource: int) -> FloatArray:
    item = columns.resources[resource]
    values = columns.codes(resource) if item.type == "string" else columns.numbers(resource)
    absent = ~columns.present(resource)
    return np.where(absent, np.nan, values.astype(np.float64) + 0.0)


def _label(columns: HostColumns, same: tuple[int, ...], host: int) -> str:
    parts = []
    for resource in same:
        value = columns.value(resource, host)
        text = "-" if value is None else str(value)
        if isinstance(value, bool):
            text = str(int(value))
        elif isinstance(value, int):
            text = format_milli(value)
        elif isinstance(value, float):
            text = f"{value:g}"
        parts.append(f"{columns.resources[resource].name}={text}")
    return " ".join(parts)
