"""JSON, strictly: what a line of a replay may hold before anything is known about events.

Numbers stay exact (`int` and `Decimal`). Duplicate keys, NaN and infinities, numbers of absurd
length, half surrogate pairs, bytes that are no UTF-8 and nesting beyond the interpreter's stack are
refused, each with its own words. Control characters and NUL are data.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from xce_sim.errors import ReplayError

MAX_DIGITS = 100
"""The longest number that is looked at: no double needs more."""


def parse_object(line: bytes) -> dict[str, Any]:
    """The object that a line holds; `ReplayError` without a place for anything else."""
    try:
        text = line.decode()
        found = _DECODER.decode(text)
        if b"\\ud" in line.lower():
            json.dumps(found, ensure_ascii=False, default=str).encode()
    except UnicodeDecodeError as error:
        raise ReplayError(f"not UTF-8 at column {error.start + 1}") from None
    except UnicodeEncodeError:
        raise ReplayError("half a surrogate pair in a text") from None
    except json.JSONDecodeError as error:
        hint = "JSON Lines have no comments" if line.lstrip()[:1] in (b"#", b"/") else None
        raise ReplayError(f"not JSON: {error.msg} at column {error.colno}", hint=hint) from None
    except RecursionError:
        raise ReplayError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ReplayError(f"an object is expected, not {show(found)}")
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ReplayError(f"{twice!a} stands twice in one object")
    return found


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ReplayError(f"a number of {len(digits)} digits")
    return int(digits)


def _decimal_number(digits: str) -> Decimal:
    if len(digits) > MAX_DIGITS:
        raise ReplayError(f"a number of {len(digits)} characters")
    return Decimal(digits)


def _constant(name: str) -> None:
    raise ReplayError(f"{name} is not a finite number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=_whole_number,
    parse_float=_decimal_number,
    parse_constant=_constant,
)


def show(raw: object) -> str:
    """What was found, short and harmless, for an error message."""
    if raw is None or isinstance(raw, bool):
        return json.dumps(raw)
    text = ascii(raw) if isinstance(raw, str) else str(raw)
    if isinstance(raw, dict | list):
        return "an object" if isinstance(raw, dict) else "a list"
    return text if len(text) <= 40 else text[:37] + "..."


def wrong(expected: str, raw: object) -> ReplayError:
    """The error that something else was expected."""
    return ReplayError(f"{expected} is expected, not {show(raw)}")
