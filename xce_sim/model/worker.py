"""Workers (hosts) as the controller pushes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from xce_sim.model.resources import Value
from xce_sim.model.units import Milli

WorkerStatus = Literal["ok", "closed", "unavail", "reconciling"]
WORKER_STATUSES: tuple[WorkerStatus, ...] = get_args(WorkerStatus)
FROZEN_STATUSES: frozenset[WorkerStatus] = frozenset(("unavail", "reconciling"))
"""Lost contact, or back but not yet agreed with the controller: accounts stay as they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenAccounts:
    """What a frozen host held when it froze: amounts in thousandths.

    `amounts` by resource name, `limits` by `name/instance` (the host-scoped parts). Snapshots
    carry it, since it depends on history; a full push starts it empty.
    """

    amounts: Mapping[str, Milli] = field(default_factory=dict)
    limits: Mapping[str, Milli] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One host: `slots` whole, `values` by resource name."""

    name: str
    slots: int = 0
    status: WorkerStatus = "ok"
    values: Mapping[str, Value] = field(default_factory=dict)
    frozen: FrozenAccounts | None = None
