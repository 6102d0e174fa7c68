"""How facts are put into words: lists that are cut, reasons, ranges of time.

Everything is a text or a span; which line it stands on is decided by the views.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from xce_sim.model.clock import Micros, TimeMode, format_time
from xce_sim.model.ids import JobId, compress_ids
from xce_sim.model.reasons import ReasonEntry, Reasons
from xce_sim.trace.wording import counted, reason_limit

_DATE = len("2026-10-07 ")


def cut(items: Sequence[str], room: int, *, separator: str = " ") -> str:
    """The items joined, up to `room` characters and at least one; then how many more there are.

    A `room` of 0 or less cuts nothing only when it is given as 0.
    """
    if room == 0:
        return separator.join(items)
    used = 0
    for position, item in enumerate(items):
        used += len(item) + (len(separator) if position else 0)
        if position and used > room:
            return f"{separator.join(items[:position])} ... {len(items) - position} more"
    return separator.join(items)


def room_after(width: int, text: str) -> int:
    """How long a list may be that follows a text; 0 (no bound) where the width is 0."""
    return max(width - len(text), 1) if width else 0


def ids(jobs: Iterable[JobId], room: int) -> str:
    """`42[1-10] 50-53`, cut after `room` characters."""
    return cut(compress_ids(jobs), room)


def span_of_time(begin: Micros, end: Micros, mode: TimeMode) -> str:
    """`2026-10-07 10:00:02 - 10:28:00`: the date once where it is the same, one time alone."""
    first, last = format_time(begin, mode), format_time(end, mode)
    if begin == end:
        return first
    same_day = mode != "raw" and len(first) > _DATE and first[:_DATE] == last[:_DATE]
    return f"{first} - {last[_DATE:] if same_day else last}"


def counts(numbers: Iterable[tuple[str, int]]) -> str:
    """`3 new, 1 finished`."""
    return ", ".join(f"{number} {word}" for word, number in numbers)


def subject(entry: ReasonEntry) -> str:
    """What a reason is about: a resource, a limit with its instance, a clause, or nothing."""
    if entry.resource is not None:
        return entry.resource
    if entry.limit is not None:
        return reason_limit(entry.limit)
    return entry.clause or ""


def entry_text(entry: ReasonEntry) -> str:
    """`mem on 3 hosts`, `lim_user (u=alice)`, `on 4 hosts`, with the number of an alternative."""
    parts = [subject(entry)]
    if entry.hosts is not None:
        parts.append(f"on {counted(entry.host_count, 'host')}")
    if entry.alternative is not None:
        parts.append(f"(alternative {entry.alternative})")
    return " ".join(filter(None, parts))


def main_first(reasons: Reasons) -> Iterator[ReasonEntry]:
    """The entries of the main reason, then the others in the order in which they were found."""
    main = reasons.main
    yield from (entry for entry in reasons.entries if entry.code == main)
    yield from (entry for entry in reasons.entries if entry.code != main)


def reasons_text(reasons: Reasons, room: int) -> str:
    """`HOST_RESOURCE mem on 3 hosts, slots on 1 host; SELECT_MISMATCH on 4 hosts`."""
    groups = []
    for code, entries in groupby(main_first(reasons), key=lambda entry: entry.code):
        texts = ", ".join(filter(None, map(entry_text, entries)))
        groups.append(f"{code} {texts}".rstrip())
    if not groups or not groups[0].startswith(reasons.main):
        groups.insert(0, str(reasons.main))
    return cut(groups, room, separator="; ")
