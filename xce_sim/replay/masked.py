"""Reading structs of which only some fields are given.

What a mask means is worked out once for each mask that occurs. Values are filled through the slots
of their class, fields and defaults alike, which takes half the time of its own `__init__`; so such
a class must be a slotted dataclass without a `__post_init__`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, repeat
from operator import call
from typing import Any, NamedTuple

from xce_sim.replay.shapes import GIVEN, Field, Shape

Read = Callable[[Any], Any]
"""Turns the library's value into ours."""

Conversions = tuple[tuple[int, Read], ...]
"""Which of a row of values have to be turned, and how."""

_MASKS_KEPT = 4096


class _Plan(NamedTuple):
    """What to read for a mask: required and given fields, then the defaults of all others."""

    optional: frozenset[str]
    names: tuple[str, ...]
    members: tuple[Any, ...]
    conversions: Conversions
    setters: tuple[Callable[[Any, Any], None], ...]
    defaults: tuple[Any, ...]


class MaskedReader:
    """Reads one struct with a `given` mask; `known` are the schema's fields of it."""

    def __init__(
        self,
        shape: Shape,
        known: Mapping[str, Any],
        conversions: Callable[[Sequence[Field]], Conversions],
    ) -> None:
        self._shape = shape
        self._make: Any = shape.make
        self._known = known
        self._conversions = conversions
        self._mask = known[GIVEN]
        self._plans: dict[int, _Plan] = {}

    def value(self, reader: Any) -> Any:
        """The struct as a value of its class."""
        plan, values = self._read(reader)
        filled = object.__new__(self._make)
        any(map(call, plan.setters, repeat(filled), chain(values, plan.defaults)))
        return filled

    def arguments(self, reader: Any) -> dict[str, Any]:
        """Keyword arguments for the fields that are given."""
        plan, values = self._read(reader)
        return dict(zip(plan.names, values))

    def named(self, mask: int) -> frozenset[str]:
        """The names of the optional fields of a mask; bits without a field are skipped."""
        return (self._plans.get(mask) or self._learn(mask)).optional

    def beyond(self, changed: int, reader: Any) -> frozenset[str]:
        """The names of fields that a struct gives although `changed`, a mask too, has them not."""
        given: int = reader._get_by_field(self._mask)
        if not given & ~changed:
            return frozenset()
        return self.named(given) - self.named(changed)

    def _read(self, reader: Any) -> tuple[_Plan, list[Any]]:
        get = reader._get_by_field
        mask = get(self._mask)
        plan = self._plans.get(mask) or self._learn(mask)
        values = list(map(get, plan.members))
        for i, convert in plan.conversions:
            values[i] = convert(values[i])
        return plan, values

    def _learn(self, mask: int) -> _Plan:
        if len(self._plans) >= _MASKS_KEPT:
            self._plans.clear()
        given: list[Field] = []
        absent: list[Field] = []
        for ordinal, field in enumerate(self._shape.fields, 1):
            (given if field.required or mask >> ordinal & 1 else absent).append(field)
        plan = _Plan(
            optional=frozenset(field.name for field in given if not field.required),
            names=tuple(field.name for field in given),
            members=tuple(self._known[field.member] for field in given),
            conversions=self._conversions(given),
            setters=slots_of(self._make, (*given, *absent)),
            defaults=tuple(field.default for field in absent),
        )
        self._plans[mask] = plan
        return plan


def slots_of(make: Any, fields: Sequence[Field]) -> tuple[Callable[[Any, Any], None], ...]:
    """What sets these fields of a new, empty instance of a frozen dataclass."""
    if hasattr(make, "__post_init__"):
        raise TypeError(f"{make.__name__} has a __post_init__ and can not be filled")
    return tuple(getattr(make, field.name).__set__ for field in fields)
