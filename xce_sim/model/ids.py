"""Job identifiers: packing, order, text.

A job id is a 64-bit number, "array base in the low 32, element index in the high 32; index 0
means no array". Ids are ordered "by array base, then element", which is not the order of the
packed numbers: sort with `order_key`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xce_sim.errors import UserError

JobId = int

_INDEX_SHIFT = 32
_LOW = (1 << _INDEX_SHIFT) - 1
MAX_PART = _LOW

_ID = re.compile(r"(\d{1,10})(?:\[(\d{1,10})\])?", re.ASCII)
_SELECTOR = re.compile(r"(\d{1,10})(?:\[(\d{1,10})(?:-(\d{1,10}))?\])?", re.ASCII)
_PLAIN_RANGE = re.compile(r"(\d{1,10})-(\d{1,10})", re.ASCII)


def make_id(base: int, index: int = 0) -> JobId:
    """The id of element `index` of array `base`, or of a plain job when `index` is 0.

    Raises `UserError` unless 1 <= base < 2**32 and 0 <= index < 2**32.
    """
    if not 1 <= base <= MAX_PART or not 0 <= index <= MAX_PART:
        raise UserError(
            f"job id {base}[{index}] is out of range", hint="base and index have 32 bits each"
        )
    return base | index << _INDEX_SHIFT


def base_of(job: JobId) -> int:
    """The array base, or the whole number of a plain job."""
    return job & _LOW


def index_of(job: JobId) -> int:
    """The element index, 0 for a plain job."""
    return job >> _INDEX_SHIFT


def order_key(job: JobId) -> int:
    """A number that sorts ids by array base, then element."""
    return (job & _LOW) << _INDEX_SHIFT | job >> _INDEX_SHIFT


def format_id(job: JobId) -> str:
    """`42` or `42[7]`."""
    index = job >> _INDEX_SHIFT
    return f"{job & _LOW}[{index}]" if index else str(job & _LOW)


def parse_id(text: str) -> JobId:
    """The id written as `42` or `42[7]`; `UserError` for anything else."""
    match = _ID.fullmatch(text)
    if match is None or match[2] == "0":
        raise UserError(f"{text!r} is not a job id", hint="write 42, or 42[7] for an array element")
    return make_id(int(match[1]), int(match[2] or 0))


@dataclass(frozen=True, slots=True)
class JobSelector:
    """Jobs named by a person: `42` (a job, or an array with all elements), `42[7]`, `42[1-10]`.

    `first` and `last` bound the element index; without them the base and every element match.
    """

    base: int
    first: int | None = None
    last: int | None = None

    def matches(self, job: JobId) -> bool:
        """Whether the selector names this job."""
        if job & _LOW != self.base:
            return False
        if self.first is None or self.last is None:
            return True
        return self.first <= job >> _INDEX_SHIFT <= self.last

    def __str__(self) -> str:
        if self.first is None:
            return str(self.base)
        if self.first == self.last:
            return f"{self.base}[{self.first}]"
        return f"{self.base}[{self.first}-{self.last}]"


def parse_selector(text: str) -> JobSelector:
    """The selector written as `42`, `42[7]` or `42[1-10]`; `UserError` for anything else."""
    match = _SELECTOR.fullmatch(text)
    if match is not None:
        base = int(match[1])
        first = int(match[2]) if match[2] else None
        last = int(match[3]) if match[3] else first
        if base <= 0 or base > MAX_PART:
            match = None
        elif first is None or last is None:
            return JobSelector(base)
        elif 1 <= first <= last <= MAX_PART:
            return JobSelector(base, first, last)
    raise UserError(
        f"{text!r} is not a job", hint="write 42, 42[7] or 42[1-10] (an array base means all)"
    )


def compress_ids(jobs: Iterable[JobId]) -> list[str]:
    """Ids in the given order with neighbours joined: `["42[1-10]", "50-53", "60"]`.

    Only an id that directly follows the one before it (the next element of the same array, or
    the next plain number) is joined, so `parse_runs` gives back the very same sequence.
    """
    return [_range_text(first, last) for first, last in id_runs(jobs)]


def id_runs(jobs: Iterable[JobId]) -> Iterator[tuple[JobId, JobId]]:
    """First and last of every run of neighbours, as `compress_ids` joins them."""
    iterator = iter(jobs)
    first = last = next(iterator, None)
    if first is None or last is None:
        return
    for job in iterator:
        step = (1 << _INDEX_SHIFT) if last >> _INDEX_SHIFT else 1
        if job == last + step:
            last = job
        else:
            yield first, last
            first = last = job
    yield first, last


def _range_text(first: JobId, last: JobId) -> str:
    if first == last:
        return format_id(first)
    if index_of(first):
        return f"{base_of(first)}[{index_of(first)}-{index_of(last)}]"
    return f"{first}-{last}"


def format_ids(jobs: Iterable[JobId]) -> str:
    """`42[1-10] 50-53`: the jobs in the given order with neighbours joined."""
    return " ".join(compress_ids(jobs))


def parse_runs(texts: Iterable[str]) -> list[tuple[JobId, JobId]]:
    """First and last of each range that `compress_ids` wrote.

    `UserError` for a malformed or backward range. Ranges are not expanded, however long they are.
    """
    runs: list[tuple[JobId, JobId]] = []
    for text in texts:
        plain = _PLAIN_RANGE.fullmatch(text)
        if plain is not None:
            first, last = make_id(int(plain[1])), make_id(int(plain[2]))
            if last < first:
                raise UserError(f"job range {text!r} runs backwards")
            runs.append((first, last))
        elif "-" not in text:
            runs.append((parse_id(text),) * 2)
        else:
            selector = parse_selector(text)
            assert selector.first is not None and selector.last is not None
            runs.append(
                (make_id(selector.base, selector.first), make_id(selector.base, selector.last))
            )
    return runs
