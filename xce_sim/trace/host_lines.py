"""The lines of positions and hosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xce_sim.model.verdict import Account, MismatchPart
from xce_sim.trace.host_entries import (
    HostBlock,
    LimitCount,
    NotReached,
    PositionBegin,
    PositionEnd,
    PositionSummary,
    Released,
    ShortRows,
)
from xce_sim.trace.spans import INDENT, Line, Span
from xce_sim.trace.verdicts import (
    CLAIMED,
    ERROR,
    KIND_NAMES,
    LIMIT,
    MISMATCH,
    SHORTFALL,
)
from xce_sim.trace.wording import Display, counted, internal_error, limit_name

_ACCEPTED: Line = (("good", " accepted"),)
_LIMIT_PLACE = KIND_NAMES.index("limit exceeded") - 1
_REJECTED: dict[int, Line] = {
    kinds: (("bad", f" rejected (per-host check): {text}"),)
    for kinds, text in (
        (SHORTFALL, "resource shortfall"),
        (LIMIT, "limit exceeded"),
        (SHORTFALL | LIMIT, "resource shortfall, limit exceeded"),
    )
}


def position_begin(entry: PositionBegin, _display: Display) -> Line:
    """`position 1 (4 tasks)`."""
    return (("key", f"position {entry.number}"), ("plain", f" ({counted(entry.tasks, 'task')})"))


def position_end(entry: PositionEnd, _display: Display) -> Line:
    """`position 1 filled by n03`, or that it was not, and what kept it from being filled."""
    if entry.host is not None:
        return (("good", f"position {entry.number} filled by {entry.host}"),)
    text = f"position {entry.number} not filled"
    if entry.stopped is not None:
        text += f": internal error in the host scan: {entry.stopped}"
    elif entry.error is not None:
        text += f": {internal_error(entry.error)}"
    return (("bad", text),)


def position_summary(entry: PositionSummary, names: Sequence[str]) -> Line:
    """`accepted n03; rejected: selection mismatch 1, …, not evaluated 0; not reached 9214`."""
    accepted: Span = (
        ("dim", "no host accepted")
        if entry.accepted is None
        else ("good", f"accepted {entry.accepted}")
    )
    texts = [f"{name} {count}" for name, count in zip(KIND_NAMES[1:], entry.rejected, strict=True)]
    if entry.limits:
        texts[_LIMIT_PLACE] += f" ({', '.join(_instances(entry.limits, names))})"
    if entry.twice:
        texts.append(f"counted twice {entry.twice}")
    return (
        accepted,
        ("plain", f"; rejected: {', '.join(texts)}"),
        ("dim", f"; not reached {entry.not_reached}"),
    )


def _instances(limits: Sequence[LimitCount], names: Sequence[str]) -> list[str]:
    """Each instance with its count; those not named are added up per limit."""
    listed: list[str] = []
    more: list[tuple[str, int]] = []
    for limit in limits:
        account = limit.account
        if limit.hosts is None:
            listed.append(f"{limit_name(account.name, account.instance)} {limit.count}")
            continue
        listed.extend(
            f"{limit_name(account.name, account.instance_on(names[host]))} 1"
            for host in limit.hosts.tolist()
        )
        if limit.count > len(limit.hosts):
            more.append((account.name, limit.count - len(limit.hosts)))
    if more:
        total = counted(sum(count for _, count in more), "instance")
        listed.append(f"... {total} more: {', '.join(f'{name} {count}' for name, count in more)}")
    return listed


def not_reached(entry: NotReached, _display: Display) -> Line:
    """`not reached: 9214 hosts after n03`."""
    after = "" if entry.after is None else f" after {entry.after}"
    return (("dim", f"not reached: {counted(entry.count, 'host')}{after}"),)


def released(entry: Released, _display: Display) -> Line:
    """`released hosts: n01 n02`."""
    more = f" ... {entry.more} more" if entry.more else ""
    return (("plain", f"released hosts: {' '.join(entry.hosts)}{more}"),)


def host_lines(block: HostBlock, names: Sequence[str], display: Display) -> Iterator[Line]:
    """One line for each host of the block and below it one for each of its short rows."""
    rows: dict[int, list[Line]] = {}
    for short in block.rows:
        _add_rows(rows, short, block, names, display)
    indent: Span = ("plain", INDENT * block.depth)
    parts, claims, errors = iter(block.parts), iter(block.claimed_by), iter(block.errors)
    for place, (host, kind) in enumerate(
        zip(block.hosts.tolist(), block.kinds.tolist(), strict=True)
    ):
        if kind in _REJECTED:
            verdict = _REJECTED[kind]
        elif kind == MISMATCH:
            verdict = _mismatch(next(parts), display)
        elif kind == CLAIMED:
            verdict = (("dim", f" already claimed by position {next(claims)}"),)
        elif kind == ERROR:
            verdict = (("bad", f" not evaluated: {internal_error(next(errors))}"),)
        else:
            verdict = _ACCEPTED
        yield (indent, ("key", f"host {names[host]}"), *verdict)
        if place in rows:
            yield from rows[place]


def _mismatch(part: MismatchPart | None, display: Display) -> Line:
    what = ""
    if part is not None:
        value = part.value if part.milli is None else display.amount(part.milli, part.unit)
        what = f" ({part.expression}: {value})" if value else f" ({part.expression})"
    return (
        ("bad", f" rejected (pre-filter): selection mismatch{what}"),
        ("dim", "; per-host check not performed"),
    )


def _add_rows(
    rows: dict[int, list[Line]],
    short: ShortRows,
    block: HostBlock,
    names: Sequence[str],
    display: Display,
) -> None:
    """Put the lines of one account under their hosts; hosts alike share the text of numbers."""
    indent: Span = ("plain", INDENT * (block.depth + 1))
    account = short.account
    name: Span = ("key", _row_name(account, account.instance))
    texts: dict[tuple[int, ...], Span] = {}
    for place, amounts in zip(
        short.places.tolist(), zip(*short.amounts.tolist(), strict=True), strict=True
    ):
        numbers = texts.get(amounts)
        if numbers is None:
            numbers = texts[amounts] = _numbers(account, amounts, display)
        if account.per_host:
            name = ("key", _row_name(account, account.instance_on(names[block.hosts[place]])))
        rows.setdefault(place, []).append((indent, name, numbers))


def _row_name(account: Account, instance: str) -> str:
    if account.kind != "limit":
        return account.name
    return f"limit {limit_name(account.name, instance)} on {account.resource}:"


def _numbers(account: Account, amounts: Sequence[int], display: Display) -> Span:
    total, in_use, reserved, requested = (
        display.amount(amount, account.unit) for amount in amounts
    )
    if account.kind == "limit":
        text = f" value {total} usage {in_use} reserved {reserved} requested {requested}"
    else:
        text = f" total {total} in-use {in_use} reserved {reserved} requested {requested}"
    return ("number", text)
