"""Resource definitions and the table that gives them dense indices.

"Resources get a dense index in order of definition; between full pushes the table only grows.
Index 0 is always `slots` (numeric, host, consumable). An increment may add definitions but not
change a known one".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from xce_sim.errors import UserError
from xce_sim.model.units import UNITS

ResourceType = Literal["numeric", "string", "boolean"]
ResourceScope = Literal["host", "shared"]
Better = Literal["more", "less"]

RESOURCE_TYPES: tuple[ResourceType, ...] = ("numeric", "string", "boolean")
RESOURCE_SCOPES: tuple[ResourceScope, ...] = ("host", "shared")

Value = int | float | str | bool
"""A pushed value: int is thousandths of a consumable, float a plain number, then text, flag."""

SLOTS = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceDef:
    """One resource. `better` says which way `order` sorts; None takes the default of the kind."""

    name: str
    type: ResourceType = "numeric"
    scope: ResourceScope = "host"
    consumable: bool = False
    unit: str = ""
    better: Better | None = None

    @property
    def more_is_better(self) -> bool:
        """The direction of `order`: "default: `more` for consumables, `less` for others"."""
        return self.consumable if self.better is None else self.better == "more"


SLOTS_DEF = ResourceDef(name="slots", consumable=True)


@dataclass(frozen=True, slots=True)
class ResourceTable:
    """All definitions in order; immutable, `extended` and `replaced` give a new table.

    `version` differs between any two tables of one history, so caches may use it as a key.
    """

    defs: tuple[ResourceDef, ...] = (SLOTS_DEF,)
    version: int = 0
    index: dict[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if not self.index:
            self.index.update((item.name, i) for i, item in enumerate(self.defs))

    def __len__(self) -> int:
        return len(self.defs)

    def __iter__(self) -> Iterator[ResourceDef]:
        return iter(self.defs)

    def __getitem__(self, index: int) -> ResourceDef:
        return self.defs[index]

    def get(self, name: str) -> ResourceDef | None:
        """The definition of that name, or None."""
        found = self.index.get(name)
        return None if found is None else self.defs[found]

    def extended(self, defs: Iterable[ResourceDef]) -> ResourceTable:
        """Give the table with new definitions added (an increment).

        Repeating a known definition changes nothing; changing it is a `UserError`.
        """
        added: dict[str, ResourceDef] = {}
        for item in defs:
            check_definition(item)
            known = self.get(item.name) or added.get(item.name)
            if known is None:
                added[item.name] = item
            elif known != item:
                raise UserError(
                    f"resource {item.name} is already defined differently",
                    hint="only a full push may change a definition",
                )
        if not added:
            return self
        return ResourceTable((*self.defs, *added.values()), self.version + 1)

    def replaced(self, defs: Iterable[ResourceDef]) -> ResourceTable:
        """A table with exactly these definitions (a full push); `slots` stays at index 0."""
        fresh = ResourceTable((SLOTS_DEF,)).extended(defs)
        return ResourceTable(fresh.defs, self.version + 1)


def check_definition(item: ResourceDef) -> None:
    """`UserError` that names the resource when a definition contradicts itself."""
    if not item.name:
        raise UserError("a resource without a name")
    if item.type not in RESOURCE_TYPES:
        raise UserError(f"resource {item.name}: unknown type {item.type!r}")
    if item.scope not in RESOURCE_SCOPES:
        raise UserError(f"resource {item.name}: unknown scope {item.scope!r}")
    if item.consumable and item.type != "numeric":
        raise UserError(f"resource {item.name}: only a numeric resource can be consumable")
    if item.unit not in UNITS:
        raise UserError(
            f"resource {item.name}: unknown unit {item.unit!r}",
            hint="use one of: " + " ".join(unit or '""' for unit in UNITS),
        )
    if item.better not in (None, "more", "less"):
        raise UserError(f"resource {item.name}: better is more or less, not {item.better!r}")
    if item.name == "slots" and item != SLOTS_DEF:
        raise UserError("resource slots is built in and can not be defined differently")
    if item.name == "jobs":
        raise UserError("resource jobs is a counter of limits and can not be defined")


def check_value(item: ResourceDef, value: Value) -> None:
    """`UserError` unless a value has the form that the definition asks for."""
    if item.consumable:
        if type(value) is not int:
            raise UserError(f"resource {item.name}: {value!r} is not an amount")
        if value < 0:
            raise UserError(f"resource {item.name}: a consumable can not be negative")
    elif item.type == "numeric":
        if type(value) is not float or not math.isfinite(value):
            raise UserError(f"resource {item.name}: {value!r} is not a finite number")
    elif item.type == "string" and type(value) is not str:
        raise UserError(f"resource {item.name}: {value!r} is not a text")
    elif item.type == "boolean" and type(value) is not bool:
        raise UserError(f"resource {item.name}: {value!r} is not true or false")
