"""Simulated time: integer microseconds since the epoch, and its text forms.

The clock "moves only to the time of the next event or round, never with the wall clock"; nothing
here looks at the wall clock.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal

from xce_sim.errors import UserError
from xce_sim.model.units import scaled_exactly

Micros = int
TimeMode = Literal["utc", "local", "raw"]

SECOND: Micros = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LIMIT = 2**62


def parse_seconds(value: int | str | Decimal) -> Micros:
    """Microseconds from decimal seconds; `UserError` beyond six decimals or a sane range."""
    if isinstance(value, int):
        micros = value * SECOND
    else:
        try:
            exact = Decimal(value)
        except InvalidOperation:
            raise UserError(f"{value!r} is not a time in seconds") from None
        if exact == 0:
            return 0
        if not exact.is_finite() or exact.adjusted() > 18:
            raise UserError(f"time {value} is out of range")
        if exact.adjusted() < -6:
            raise UserError(f"time {value} has more than six decimals")
        whole = scaled_exactly(exact, 6)
        if whole is None:
            raise UserError(f"time {value} has more than six decimals")
        micros = whole
    if abs(micros) >= _LIMIT:
        raise UserError(f"time {value} is out of range")
    return micros


def format_seconds(time: Micros) -> str:
    """Decimal seconds with as many places as needed: `7`, `7.5`, `-0.000001`."""
    sign = "-" if time < 0 else ""
    seconds, rest = divmod(abs(time), SECOND)
    return f"{sign}{seconds}.{rest:06d}".rstrip("0").rstrip(".") if rest else f"{sign}{seconds}"


def format_time(time: Micros, mode: TimeMode = "utc") -> str:
    """`2026-10-07 10:00:01`, with `.250000` only where there is a fraction.

    `raw` gives decimal seconds, and so does a time outside the calendar (years 1 to 9999).
    """
    if mode == "raw":
        return format_seconds(time)
    try:
        moment = _EPOCH + timedelta(microseconds=time)
        if mode == "local":
            moment = moment.astimezone()
    except (OverflowError, ValueError, OSError):
        return format_seconds(time)
    text = moment.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
    return f"{text}.{moment.microsecond:06d}" if moment.microsecond else text


def format_wait(time: Micros) -> str:
    """A duration as `4488.345 s`: seconds with three places, halves rounded up."""
    millis = (time + 500) // 1000
    sign = "-" if millis < 0 else ""
    seconds, rest = divmod(abs(millis), 1000)
    return f"{sign}{seconds}.{rest:03d} s"
