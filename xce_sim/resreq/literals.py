"""Numbers as they are written: digits, sign, exponent and size unit, to what they come to.

Two uses with different rounding: a literal of a select expression is the nearest float, an amount
of `rusage` is exact thousandths, "rounded up to the next thousandth of the resource's unit".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from xce_sim.errors import UserError
from xce_sim.model.resources import ResourceDef
from xce_sim.model.units import SIZE_UNITS, Milli, convert_size, parse_milli, size_of_suffix
from xce_sim.resreq.errors import RequirementError, clip, quote
from xce_sim.resreq.syntax import Leaf

_MAX_TASKS = 2**31 - 1


def number_of(leaf: Leaf, text: str, scope: Sequence[ResourceDef]) -> float:
    """A literal of a comparison over the resources `scope`, in their unit.

    A size ("binary multiples, converted to the resource's own unit, and an error on a resource
    without a size unit") needs a unit that all resources of the comparison share.
    """
    number = float(leaf.text)
    if not math.isfinite(number):
        raise _error(leaf, text, f"the number {quote(leaf.spelling)} is too large")
    if not leaf.unit:
        return number
    size = size_of(leaf, text)
    units = {item.unit for item in scope}
    if len(units) != 1 or not units <= SIZE_UNITS.keys():
        raise _unfit(leaf, text, scope)
    if number < 0:
        raise _error(leaf, text, "an amount can not be negative")
    if not number:
        return 0.0
    if not 1e-30 < number < 1e30:
        raise _error(leaf, text, f"the amount {quote(leaf.spelling)} is out of range")
    return float(Fraction(Decimal(leaf.text)) * size / SIZE_UNITS[units.pop()])


def amount_of(leaf: Leaf, text: str, item: ResourceDef) -> Milli:
    """An amount of `rusage` in thousandths of the resource's unit, not negative."""
    if leaf.text.startswith("-") and float(leaf.text):
        raise _error(leaf, text, f"{item.name}: an amount can not be negative")
    if leaf.unit:
        size_of(leaf, text)
        if item.unit not in SIZE_UNITS:
            raise _unfit(leaf, text, (item,))
    try:
        number = Decimal(leaf.text).copy_abs()
        return convert_size(number, leaf.unit, item.unit) if leaf.unit else parse_milli(number)
    except (UserError, InvalidOperation) as error:
        what = (
            f"{item.name}: the amount {quote(leaf.spelling)} has more than three decimals"
            if "decimals" in str(error)
            else f"{item.name}: the amount {quote(leaf.spelling)} is too large"
        )
        raise _error(leaf, text, what) from None


def count_of(digits: str, text: str, span: tuple[int, int], what: str) -> int:
    """A number of tasks, 1 to 2**31 - 1; `what` names it in the error."""
    if not digits.isascii() or not digits.isdigit() or len(digits) > len(str(_MAX_TASKS)):
        count = _MAX_TASKS + 1 if digits.isdigit() else 0
    else:
        count = int(digits)
    if not 1 <= count <= _MAX_TASKS:
        raise RequirementError(
            f"{what} must be a number from 1 to {_MAX_TASKS}, not {clip(digits)}",
            text=text,
            span=span,
        )
    return count


def size_of(leaf: Leaf, text: str) -> int:
    """The bytes that the unit of a number means."""
    size = size_of_suffix(leaf.unit)
    if size is None:
        raise _error(
            leaf,
            text,
            f"unknown unit {quote(leaf.unit)} in {quote(leaf.spelling)}",
            hint="units are K M G T (or KB, KiB, ..); a word that begins with a digit is quoted",
        )
    return size


def _unfit(leaf: Leaf, text: str, scope: Sequence[ResourceDef]) -> RequirementError:
    told = ", ".join(f"{item.name} has {item.unit or 'none'}" for item in dict.fromkeys(scope))
    return _error(
        leaf,
        text,
        f"the size {quote(leaf.spelling)} needs a resource with a size unit",
        hint=f"{told}; write a plain number" if told else "write a plain number",
    )


def _error(leaf: Leaf, text: str, what: str, *, hint: str | None = None) -> RequirementError:
    return RequirementError(what, text=text, span=(leaf.start, leaf.end), hint=hint)
