"""Lines of the Standard Workload Format: header comments and job records.

The meaning of the fields is that of version 2.2 of the definition by the Parallel Workloads
Archive (https://www.cs.huji.ac.il/labs/parallel/workload/swf.html): comments begin with `;`, a
record has 18 numbers separated by white space, -1 means unknown. Times are seconds, possibly with
a fraction; memory is in kilobytes for each processor. Decides what a line says, not whether the
job can be used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from operator import mul

from xce_sim.model.clock import SECOND, Micros
from xce_sim.model.units import MILLI, Milli

FIELDS = 18
_HEADER = re.compile(rb";\s*([A-Za-z]+)\s*:\s*(.*)")
_LARGEST = 1 << 52
"""Numbers beyond this are a damaged line: no field of a real log comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwfHeader:
    """What the header comments say, None where they do not: counts, and seconds since 1970."""

    start: int | None = None
    nodes: int | None = None
    processors: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SwfJob:
    """A record as written, negative where it is unknown.

    `submit` and `run` are microseconds, `memory` (requested, for each processor) is thousandths
    of a kilobyte, `processors` the requested ones, else the allocated ones.
    """

    number: int
    submit: Micros
    run: Micros
    processors: int
    memory: Milli
    user: int
    group: int
    queue: int


def parse_comments(lines: Iterable[bytes]) -> SwfHeader:
    """The header from the lines of a file, read up to the first record; first mention counts."""
    found: dict[bytes, int] = {}
    for line in lines:
        text = line.strip()
        if text and not text.startswith(b";"):
            break
        match = _HEADER.match(text)
        if match is not None:
            number = re.match(rb"\d{1,15}", match[2])
            if number is not None:
                found.setdefault(match[1].lower(), int(number[0]))
    return SwfHeader(
        start=found.get(b"unixstarttime"),
        nodes=found.get(b"maxnodes") or None,
        processors=found.get(b"maxprocs") or None,
    )


def is_record(line: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    text = line.lstrip()
    return bool(text) and not text.startswith(b";")


def parse_record(line: bytes) -> SwfJob | None:
    """The record of a line, or None if the line is none."""
    fields = line.split()
    if len(fields) < FIELDS:
        return None
    try:
        numbers = _whole_numbers(line, fields) or _decimals(fields)
    except (ValueError, InvalidOperation):
        return None
    number, submit, run, allocated, requested, memory, user, group, queue = numbers
    return SwfJob(
        number=number,
        submit=submit,
        run=run,
        processors=requested if requested > 0 else allocated,
        memory=memory,
        user=user,
        group=group,
        queue=queue,
    )


_Numbers = tuple[int, int, int, int, int, int, int, int, int]
_USED = (0, 1, 3, 4, 7, 9, 11, 12, 14)
_SCALES = (1, SECOND, SECOND, 1, 1, MILLI, 1, 1, 1)


def _whole_numbers(line: bytes, fields: list[bytes]) -> _Numbers | None:
    """The fields that are used, scaled, if all are plain whole numbers, as nearly always."""
    if b"_" in line:
        return None
    try:
        found = [int(fields[i]) for i in _USED]
    except ValueError:
        return None
    if max(found) >= _LARGEST or min(found) <= -_LARGEST:
        raise ValueError("out of range")
    return tuple(map(mul, found, _SCALES))


def _decimals(fields: list[bytes]) -> _Numbers:
    """The same for fields with a decimal point or exponent; counts must be whole all the same."""
    found = [
        _whole(fields[i]) if scale == 1 else _scaled(fields[i], scale)
        for i, scale in zip(_USED, _SCALES, strict=True)
    ]
    return tuple(found)  # type: ignore[return-value]


def _whole(field: bytes) -> int:
    exact = _decimal(field)
    number = int(exact)
    if number != exact:
        raise ValueError("not a whole number")
    return number


def _scaled(field: bytes, scale: int) -> int:
    """A decimal number times `scale`, rounded to the nearest."""
    return int((_decimal(field) * scale).to_integral_value())


def _decimal(field: bytes) -> Decimal:
    exact = Decimal(field.decode("ascii"))
    if b"_" in field or not exact.is_finite() or abs(exact) >= _LARGEST:
        raise ValueError("not a number, or out of range")
    return exact
