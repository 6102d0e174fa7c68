"""The lines of positions and hosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xce_sim.model.verdict import Account, MismatchPart
from xce_sim.trace.host_entries import (
    HostBlock,
    InstanceCount,
    NotReached,
    PositionBegin,
    PositionEnd,
    PositionSummary,
    Released,
)
from xce_sim.trace.spans import Line, Span, indented
from xce_sim.trace.verdicts import (
    ACCEPTED,
    CLAIMED,
    ERROR,
    KIND_NAMES,
    LIMIT,
    MISMATCH,
    SHORTFALL,
)
from xce_sim.trace.wording import Display, counted, internal_error, limit_name

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


def position_summary(entry: PositionSummary, _display: Display) -> Line:
    """`accepted n03; rejected: selection mismatch 1, …, not evaluated 0; not reached 9214`."""
    accepted: Span = (
        ("dim", "no host accepted")
        if entry.accepted is None
        else ("good", f"accepted {entry.accepted}")
    )
    texts = [f"{name} {count}" for name, count in zip(KIND_NAMES[1:], entry.rejected, strict=True)]
    instances = [_instance(each) for each in entry.limits]
    if entry.more_instances:
        more = ", ".join(_instance(each) for each in entry.more_limits)
        instances.append(f"... {counted(entry.more_instances, 'instance')} more: {more}")
    if instances:
        texts[_LIMIT_PLACE] += f" ({', '.join(instances)})"
    if entry.twice:
        texts.append(f"counted twice {entry.twice}")
    return (
        accepted,
        ("plain", f"; rejected: {', '.join(texts)}"),
        ("dim", f"; not reached {entry.not_reached}"),
    )


def _instance(each: InstanceCount) -> str:
    return f"{limit_name(each.name, each.instance)} {each.count}"


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
        account = short.account
        for place, amounts in zip(short.places.tolist(), short.amounts.T.tolist(), strict=True):
            name = names[block.hosts[place]] if account.per_host else ""
            rows.setdefault(place, []).append(_row(account, name, amounts, display))
    parts, claims, errors = iter(block.parts), iter(block.claimed_by), iter(block.errors)
    for place, (host, kind) in enumerate(
        zip(block.hosts.tolist(), block.kinds.tolist(), strict=True)
    ):
        if kind == ACCEPTED:
            verdict: Line = (("good", " accepted"),)
        elif kind == MISMATCH:
            verdict = _mismatch(next(parts), display)
        elif kind == CLAIMED:
            verdict = (("dim", f" already claimed by position {next(claims)}"),)
        elif kind == ERROR:
            verdict = (("bad", f" not evaluated: {internal_error(next(errors))}"),)
        else:
            verdict = _REJECTED[kind]
        yield indented(block.depth, (("key", f"host {names[host]}"), *verdict))
        for row in rows.get(place, ()):
            yield indented(block.depth + 1, row)


def _mismatch(part: MismatchPart | None, display: Display) -> Line:
    what = ""
    if part is not None:
        value = part.value if part.milli is None else display.amount(part.milli, part.unit)
        what = f" ({part.expression}: {value})" if value else f" ({part.expression})"
    return (
        ("bad", f" rejected (pre-filter): selection mismatch{what}"),
        ("dim", "; per-host check not performed"),
    )


def _row(account: Account, host: str, amounts: Sequence[int], display: Display) -> Line:
    total, in_use, reserved, requested = (
        display.amount(amount, account.unit) for amount in amounts
    )
    if account.kind == "limit":
        name = limit_name(account.name, account.instance_on(host))
        return (
            ("key", f"limit {name} on {account.resource}:"),
            (
                "number",
                f" value {total} usage {in_use} reserved {reserved} requested {requested}",
            ),
        )
    return (
        ("key", account.name),
        ("number", f" total {total} in-use {in_use} reserved {reserved} requested {requested}"),
    )
