"""A request taken apart for people: names and texts, ready to be laid out.

Decides nothing about the language; every text is in the canonical form of `format`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xce_sim.model.resources import ResourceTable
from xce_sim.model.units import Milli
from xce_sim.model.verdict import Scope
from xce_sim.resreq.format import (
    format_keys,
    format_node,
    format_primary,
    format_request,
    format_span,
)
from xce_sim.resreq.request import Compound, Item, Primary, Request

Shape = Literal["single", "compound", "alternatives"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDescription:
    """One amount of `rusage`; `default_scope` when the scope is the resource's usual one."""

    name: str
    amount: Milli
    unit: str
    scope: Scope
    default_scope: bool
    duration: str | None
    decay: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryDescription:
    """One primary. `order` has (name, larger first); what was not written is None or empty.

    `tasks` is the size of a compound member; `declined` the text of clauses that the allocator
    does not implement.
    """

    canonical: str
    select: str | None
    items: tuple[ItemDescription, ...]
    span: str | None
    order: tuple[tuple[str, bool], ...]
    keys: tuple[str, ...]
    same: tuple[str, ...]
    declined: tuple[str, ...]
    tasks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One alternative: its primaries (those of a compound in order); none when it is empty."""

    compound: bool
    primaries: tuple[PrimaryDescription, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A whole requirement, taken apart."""

    text: str
    canonical: str
    shape: Shape
    alternatives: tuple[Alternative, ...]


def describe(request: Request, resources: ResourceTable) -> Description:
    """The parts of a request that was made with these definitions."""
    shape: Shape = "alternatives"
    if not request.numbered:
        shape = "compound" if isinstance(request.alternatives[0], Compound) else "single"
    return Description(
        text=request.text,
        canonical=format_request(request, resources),
        shape=shape,
        alternatives=tuple(_alternative(item, resources) for item in request.alternatives),
    )


def _alternative(item: Primary | Compound | None, resources: ResourceTable) -> Alternative:
    if item is None:
        return Alternative(compound=False, primaries=())
    if isinstance(item, Primary):
        return Alternative(compound=False, primaries=(_primary(item, resources, None),))
    members = tuple(_primary(member.primary, resources, member.count) for member in item.members)
    return Alternative(compound=True, primaries=members)


def _primary(item: Primary, resources: ResourceTable, tasks: int | None) -> PrimaryDescription:
    spanned = "span" in item.clauses and "span" not in item.unsupported
    return PrimaryDescription(
        canonical=format_primary(item, resources),
        select=None if item.select is None else format_node(item.select, resources),
        items=tuple(_item(found, resources) for found in item.items),
        span=format_span(item) if spanned else None,
        order=tuple((resources[key.resource].name, key.largest_first) for key in item.order),
        keys=tuple(format_keys(item, resources)),
        same=tuple(resources[index].name for index in item.same),
        declined=item.declined,
        tasks=tasks,
    )


def _item(item: Item, resources: ResourceTable) -> ItemDescription:
    found = resources[item.resource]
    return ItemDescription(
        name=found.name,
        amount=item.amount,
        unit=found.unit,
        scope=item.scope,
        default_scope=item.scope == ("job" if found.scope == "shared" else "host"),
        duration=item.duration,
        decay=item.decay,
    )
