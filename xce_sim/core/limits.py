"""Limits: who is matched, and by which instance.

"A plain list shares one counter between all its members; a `per_` list gives each its own."
This module knows names only; usage is kept in the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from xce_sim.errors import UserError
from xce_sim.model.columns import BoolArray
from xce_sim.model.config import Limit
from xce_sim.model.resources import ResourceTable
from xce_sim.model.verdict import Account

JOBS = "jobs"
"""The counter of jobs, which a limit may name in a resource's place."""

ALL = "all"

Groups = Mapping[str, tuple[str, ...]]

_KEYS = (("u", "users", "per_user"), ("q", "queues", "per_queue"), ("p", "projects", "per_project"))


@dataclass(frozen=True, slots=True)
class NameList:
    """One list of a limit with its groups expanded.

    `everyone` is set by `all`, and for a list of exclusions alone ("a list of `~name` alone means
    all but these"); exclusions always win.
    """

    included: frozenset[str]
    excluded: frozenset[str]
    everyone: bool

    def __contains__(self, name: str) -> bool:
        return name not in self.excluded and (self.everyone or name in self.included)


def expand_names(names: Iterable[str], groups: Groups) -> NameList:
    """Resolve `all`, `~name` and group names (groups may contain groups, and `all`).

    `~all` excludes everyone, so that nobody is left.
    """
    listed = tuple(names)
    included: set[str] = set()
    excluded: set[str] = set()
    for name in listed:
        if name.startswith("~"):
            excluded |= _members(name[1:], groups, ())
        else:
            included |= _members(name, groups, ())
    if ALL in excluded:
        return NameList(frozenset(), frozenset(), everyone=False)
    alone = bool(listed) and all(name.startswith("~") for name in listed)
    everyone = alone or ALL in included
    return NameList(frozenset(included), frozenset(excluded), everyone)


def _members(name: str, groups: Groups, above: tuple[str, ...]) -> set[str]:
    if name == ALL or name not in groups:
        return {name}
    if name in above:
        return set()
    return {found for member in groups[name] for found in _members(member, groups, (*above, name))}


@dataclass(frozen=True, slots=True)
class ResolvedLimit:
    """A limit of the configuration with its lists expanded; `unit` is that of its resource."""

    limit: Limit
    lists: tuple[NameList | None, NameList | None, NameList | None]
    own: tuple[bool, bool, bool]
    hosts: NameList | None
    per_host: bool
    unit: str

    def match(self, user: str, queue: str, project: str) -> Account | None:
        """The instance that jobs of this user, queue and project meet, None if none.

        The instance has "one key per `per_` list, in the order u, q, p, h; without any it is
        `all`"; the host key of a `per_host` limit is added where a host is known.
        """
        keys = []
        names = (user, queue, project)
        for (letter, _, _), listed, own, name in zip(
            _KEYS, self.lists, self.own, names, strict=True
        ):
            if listed is not None and name not in listed:
                return None
            if own:
                keys.append(f"{letter}={name}")
        instance = ",".join(keys) or ("" if self.per_host else "all")
        return Account(
            kind="limit",
            name=self.limit.name,
            unit=self.unit,
            resource=self.limit.resource,
            instance=instance,
            per_host=self.per_host,
        )

    def host_mask(self, names: tuple[str, ...]) -> BoolArray:
        """The hosts that a host-scoped limit covers, shape `[hosts]`."""
        if self.hosts is None:
            return np.ones(len(names), np.bool_)
        listed = self.hosts
        return np.fromiter((name in listed for name in names), np.bool_, len(names))


@dataclass(frozen=True, slots=True)
class LimitTable:
    """The limits of the configuration in order.

    `unresolved` are limits on resources that are not defined yet: a configuration comes before
    the definitions. A round does not begin while there are any.
    """

    resolved: tuple[ResolvedLimit, ...] = ()
    unresolved: tuple[Limit, ...] = ()

    def require_all(self) -> None:
        """`UserError` that names the first limit on an undefined resource."""
        for limit in self.unresolved:
            raise UserError(f"limit {limit.name}: unknown resource {limit.resource!r}")


def resolve_limits(limits: Iterable[Limit], groups: Groups, resources: ResourceTable) -> LimitTable:
    """All limits in order; `UserError` that names a limit which contradicts itself."""
    resolved: list[ResolvedLimit] = []
    unresolved: list[Limit] = []
    seen: set[str] = set()
    for limit in limits:
        if limit.name in seen:
            raise UserError(f"limit {limit.name} stands twice in the configuration")
        seen.add(limit.name)
        known = limit.resource == JOBS or limit.resource in resources.index
        if known:
            resolved.append(_resolve(limit, groups, resources))
        else:
            unresolved.append(limit)
    return LimitTable(tuple(resolved), tuple(unresolved))


def _resolve(limit: Limit, groups: Groups, resources: ResourceTable) -> ResolvedLimit:
    if limit.value < 0:
        raise UserError(f"limit {limit.name}: a value can not be negative")
    lists: list[NameList | None] = []
    own: list[bool] = []
    for _, plain, per in (*_KEYS, ("h", "hosts", "per_host")):
        shared, single = getattr(limit, plain), getattr(limit, per)
        if shared is not None and single is not None:
            raise UserError(f"limit {limit.name} has both {plain} and {per}", hint="keep one")
        listed = shared if shared is not None else single
        lists.append(None if listed is None else expand_names(listed, groups))
        own.append(single is not None)
    return ResolvedLimit(
        limit=limit,
        lists=(lists[0], lists[1], lists[2]),
        own=(own[0], own[1], own[2]),
        hosts=lists[3],
        per_host=own[3],
        unit=_limited_unit(limit, resources),
    )


def _limited_unit(limit: Limit, resources: ResourceTable) -> str:
    if limit.resource == JOBS:
        return ""
    item = resources[resources.index[limit.resource]]
    if not item.consumable:
        raise UserError(f"limit {limit.name}: resource {limit.resource} is not consumable")
    if item.scope == "shared" and limit.host_scoped:
        raise UserError(
            f"limit {limit.name}: a limit on hosts can not be on shared resource {limit.resource}"
        )
    return item.unit
