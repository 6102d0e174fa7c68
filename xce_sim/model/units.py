"""Amounts: exact thousandths, units, and how an amount is shown.

"Amounts of consumables have at most three decimals and are exact (thousandths in an integer)".
An amount is counted in thousandths of its resource's unit.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal, Inexact, InvalidOperation
from typing import Literal, get_args

from xce_sim.errors import UserError

Milli = int
UnitsMode = Literal["raw", "auto", "K", "M", "G", "T"]
UNITS_MODES: tuple[UnitsMode, ...] = get_args(UnitsMode)

MILLI = 1000
MAX_MILLI = 2**62
SIZE_UNITS: dict[str, int] = {
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
}
UNITS = ("", "B", "KiB", "MiB", "GiB", "s")
_SUFFIXES = {
    **{letter: f"{letter}iB" for letter in "KMGT"},
    **{f"{letter}B": f"{letter}iB" for letter in "KMGT"},
    **{f"{letter}iB": f"{letter}iB" for letter in "KMGT"},
    "B": "B",
}
_EXACT = Context(prec=60, traps=[Inexact])
_LARGEST_FIRST = tuple(reversed(SIZE_UNITS.items()))


def size_of_suffix(suffix: str) -> int | None:
    """Bytes meant by `K`, `KB`, `KiB`, ... (`B` is one), in any case; None if it is no size."""
    if suffix.lower().endswith("ib"):
        suffix = suffix[0].upper() + "iB"
    name = _SUFFIXES.get(suffix) or _SUFFIXES.get(suffix.upper())
    return None if name is None else SIZE_UNITS[name]


def scaled_exactly(number: Decimal, places: int) -> int | None:
    """`number` times ten to the `places` if that is whole, however many digits it has."""
    try:
        scaled = number.scaleb(places, _EXACT)
    except Inexact:
        return None
    return int(scaled) if scaled == scaled.to_integral_value() else None


def parse_milli(value: int | str | Decimal) -> Milli:
    """Thousandths from a decimal number.

    `UserError` for more than three decimals, a number that is not finite, and for anything too
    large for 62 bits; the sign is kept.
    """
    if isinstance(value, int):
        milli = value * MILLI
    else:
        try:
            exact = Decimal(value)
        except InvalidOperation:
            raise UserError(f"{value!r} is not a number") from None
        if not exact.is_finite():
            raise UserError(f"{value} is not a finite number")
        if exact == 0:
            return 0
        if exact.adjusted() > 18:
            raise UserError(f"amount {value} is too large")
        whole = scaled_exactly(exact, 3) if exact.adjusted() >= -3 else None
        if whole is None:
            raise UserError(f"amount {value} has more than three decimals")
        milli = whole
    if abs(milli) >= MAX_MILLI:
        raise UserError(f"amount {value} is too large")
    return milli


def convert_size(number: Decimal, suffix: str, unit: str) -> Milli:
    """Thousandths of `unit` in `number` `suffix`es, "rounded up to the next thousandth".

    `UserError` when the resource's unit is no size, the suffix is unknown or the result does not
    fit.
    """
    size = size_of_suffix(suffix)
    if size is None:
        raise UserError(f"unknown unit {suffix!r}", hint="use K, M, G or T (or KB, KiB, ...)")
    if unit not in SIZE_UNITS:
        of = f"unit {unit!r}" if unit else "no unit"
        raise UserError(f"a size in {suffix} does not fit a resource with {of}")
    if not number.is_finite() or number.adjusted() > 18:
        raise UserError(f"amount {number}{suffix} is too large")
    exact = number * size * MILLI / SIZE_UNITS[unit]
    milli = int(exact.to_integral_value(rounding=ROUND_CEILING))
    if abs(milli) >= MAX_MILLI:
        raise UserError(f"amount {number}{suffix} is too large")
    return milli


def format_milli(milli: Milli) -> str:
    """The plain number: `8192`, `0.5`, `-1.25`."""
    sign = "-" if milli < 0 else ""
    whole, rest = divmod(abs(milli), MILLI)
    return f"{sign}{whole}.{rest:03d}".rstrip("0") if rest else f"{sign}{whole}"


def format_amount(milli: Milli, unit: str = "", mode: UnitsMode = "auto") -> str:
    """An amount as a person reads it: `64 GiB`, `4`, `600 s`.

    `auto` takes the largest unit in which the amount is at least one and exact with three
    decimals, so that two different amounts never look the same; `raw` is the plain number in the
    resource's own unit; `K` to `T` force a unit and mark a rounded figure with `~`.
    """
    if mode == "raw" or not unit:
        return format_milli(milli)
    if unit not in SIZE_UNITS:
        return f"{format_milli(milli)} {unit}"
    milli_bytes = milli * SIZE_UNITS[unit]
    if mode == "auto":
        for name, size in _LARGEST_FIRST:
            if abs(milli_bytes) >= size * MILLI and milli_bytes % size == 0:
                return f"{format_milli(milli_bytes // size)} {name}"
        return f"{format_milli(milli)} {unit}"
    name = f"{mode}iB"
    size = SIZE_UNITS[name]
    scaled = (2 * milli_bytes + size) // (2 * size)
    inexact = "" if scaled * size == milli_bytes else "~"
    return f"{inexact}{format_milli(scaled)} {name}"
