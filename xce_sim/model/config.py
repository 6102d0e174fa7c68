"""Configuration: queues, limits, groups, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from xce_sim.model.units import Milli

Policy = str
Spread = Literal["even", "fill"]
SPREADS: tuple[Spread, ...] = ("even", "fill")


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue: greater `priority` first; `hosts` is an allow-list of names or None for all."""

    name: str
    priority: int = 0
    hosts: tuple[str, ...] | None = None
    active: bool = True
    resreq: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit on `slots`, `jobs` or a consumable, `value` in thousandths.

    "A plain list shares one counter between all its members; a `per_` list gives each its own."
    A list that is absent is None.
    """

    name: str
    resource: str
    value: Milli
    users: tuple[str, ...] | None = None
    per_user: tuple[str, ...] | None = None
    queues: tuple[str, ...] | None = None
    per_queue: tuple[str, ...] | None = None
    projects: tuple[str, ...] | None = None
    per_project: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    per_host: tuple[str, ...] | None = None

    @property
    def host_scoped(self) -> bool:
        """Whether it is met host by host: "without `hosts`/`per_host` is *cluster-wide*"."""
        return self.hosts is not None or self.per_host is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Cluster parameters: the picking policy, and how tasks without a span are spread."""

    policy: Policy = "builtin_fcfs"
    spread: Spread = "even"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole configuration, as `config_push` always carries it."""

    queues: tuple[Queue, ...] = ()
    limits: tuple[Limit, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    params: Params = field(default_factory=Params)
