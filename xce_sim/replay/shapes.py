"""How the shape of a message is described: kinds of fields, fields, structs.

The binary and the JSON Lines code are both built from such descriptions. What messages there are
stands in `messages`; nothing here reads or writes anything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REQUIRED: Any = dataclasses.MISSING
"""Stands for the default of a field that has none."""

GIVEN = "given"
"""The mask field of the binary form: bit n is set if the field with ordinal n is given."""

VALUE_MEMBERS = ("milli", "real", "text", "flag")
"""What a value can be: thousandths of a consumable, a plain number, a text, true or false."""


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; a `word` comes from a small vocabulary and is kept once in memory."""

    word: bool = True


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number with inclusive bounds."""

    low: int = 0
    high: int = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Time:
    """Microseconds; decimal seconds in JSON."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Thousandths; a decimal number in JSON."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words, by position in the binary form."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Id:
    """A job id: `42` or `"42[3]"`."""


@dataclass(frozen=True, slots=True)
class Ids:
    """Job ids in order, neighbours joined: `["42[1-10]", "50"]`."""


@dataclass(frozen=True, slots=True)
class Words:
    """A list of names."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Lists of names by name."""


@dataclass(frozen=True, slots=True)
class Hosts:
    """Host names and ranges: `["n01", {"from": "n07", "to": "n31"}]`."""


@dataclass(frozen=True, slots=True)
class Values:
    """Values by resource name; the definition of the resource says of which kind."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """Thousandths by name."""


@dataclass(frozen=True, slots=True)
class One:
    """A nested struct."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Many:
    """A list of structs."""

    shape: Shape


Kind = (
    Text
    | Flag
    | Whole
    | Time
    | Amount
    | Choice
    | Id
    | Ids
    | Words
    | Groups
    | Hosts
    | Values
    | Amounts
    | One
    | Many
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field: its name in JSON and in the dataclass, and in the schema."""

    name: str
    member: str
    kind: Kind
    default: Any

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED


@dataclass(frozen=True, slots=True)
class Shape:
    """A struct: the fields in the order of their ordinals.

    A `masked` struct has the `given` field at ordinal 0 and the fields behind it.
    """

    struct: str
    make: Callable[..., Any]
    fields: tuple[Field, ...]
    masked: bool


def camel(name: str) -> str:
    """The schema's spelling of a JSON name: `queue_time` is `queueTime`."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def describe(make: Any, struct: str = "", /, *, masked: bool = False, **kinds: Kind) -> Shape:
    """The shape of a dataclass; kinds in the order of the schema, defaults from the dataclass."""
    known = {item.name: item for item in dataclasses.fields(make)}
    fields = []
    for name, kind in kinds.items():
        item = known[name]
        default = item.default
        if item.default_factory is not dataclasses.MISSING:
            default = item.default_factory()
        fields.append(Field(name=name, member=camel(name), kind=kind, default=default))
    return Shape(struct or make.__name__, make, tuple(fields), masked)
