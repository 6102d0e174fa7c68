"""Small builders: a recorder in a session, accounts, scans told by host, and the text of a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from xce_sim.model.ids import JobSelector, parse_selector
from xce_sim.model.reasons import HostSet, ReasonBody, ReasonCode, ReasonEntry, Reasons
from xce_sim.model.verdict import (
    Account,
    Charge,
    HostCharges,
    HostRows,
    MismatchPart,
    RequestedAmount,
    Row,
    Scan,
)
from xce_sim.trace.lines import trace_lines
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.records import TraceRecord
from xce_sim.trace.settings import TraceSettings
from xce_sim.trace.spans import plain_lines

QUEUED = 1_791_367_201_000_000  # 2026-10-07 10:00:01
GIB = 1024  # of a resource counted in MiB

MEM = Account(kind="host", name="mem", unit="MiB")
SLOTS = Account(kind="host", name="slots")
TMP = Account(kind="host", name="tmp", unit="GiB")
LICENSE = Account(kind="shared", name="license")
LIM_USER = Account(kind="limit", name="lim_user", resource="slots", instance="u=alice")
LIM_HOST = Account(kind="limit", name="lim_host", resource="slots", per_host=True)
LIM_POOL = Account(kind="limit", name="lim_pool", resource="slots", instance="all")

Numbers = tuple[int, int, int, int]
"""Total, in use, reserved, requested, in whole units."""


def milli(amount: float) -> int:
    return round(amount * 1000)


def host_names(count: int) -> tuple[str, ...]:
    return tuple(f"n{number:02}" for number in range(1, count + 1))


def recorder(
    hosts: int | Sequence[str] = 3,
    *,
    level: str = "full",
    lines: int = 1000,
    round: int = 7,
    policy: str = "builtin_fcfs",
    jobs: Iterable[str] | None = None,
) -> Recorder:
    selectors: tuple[JobSelector, ...] = tuple(map(parse_selector, jobs or ()))
    settings = TraceSettings(
        on=True, all=jobs is None, selectors=selectors, level=level, lines=lines
    )
    made = Recorder(settings)
    made.begin_session(round, policy, host_names(hosts) if isinstance(hosts, int) else hosts)
    return made


def begun(
    hosts: int | Sequence[str] = 3, *, job: int = 42, position: int = 3, **kwargs
) -> Recorder:
    """A recorder with a job selected, its limits matched."""
    made = recorder(hosts, **kwargs)
    select(made, job=job, position=position)
    return made


def select(
    made: Recorder, *, job: int = 42, position: int = 3, limits: Sequence[Account] = ()
) -> None:
    made.begin_job(job, position)
    made.selection(queue="normal", queue_priority=50, job_priority=0, queue_time=QUEUED)
    made.cluster_limits(limits)


def begin_single(made: Recorder, **kwargs) -> None:
    options = {"min_tasks": 4, "max_tasks": 4, "requests": requests(slots=1)}
    made.begin_requirement("single", 1, 1, **{**options, **kwargs})


def requests(**amounts: float) -> list[RequestedAmount]:
    """Requests by name: `mem` counts in MiB, `license` is shared."""
    return [
        RequestedAmount(
            kind="shared" if name == "license" else "host",
            name=name,
            milli=milli(amount),
            unit="MiB" if name == "mem" else "",
        )
        for name, amount in amounts.items()
    ]


def row(account: Account, numbers: Numbers) -> Row:
    total, in_use, reserved, requested = map(milli, numbers)
    return Row(account=account, total=total, in_use=in_use, reserved=reserved, requested=requested)


def host_rows(account: Account, hosts: int, at: Mapping[int, Numbers]) -> HostRows:
    """Rows that are given for some hosts; everywhere else nothing is asked."""
    table = np.zeros((4, hosts), np.int64)
    for host, numbers in at.items():
        table[:, host] = list(map(milli, numbers))
    total, in_use, reserved, requested = table
    return HostRows(
        account=account,
        total=total,
        in_use=in_use,
        reserved=reserved,
        requested=requested,
        short=total - in_use - reserved < requested,
    )


def scan(
    hosts: int,
    *,
    accepted: int | None = None,
    reached: int | None = None,
    order: Sequence[int] | None = None,
    mismatch: Mapping[int, MismatchPart | None] | Iterable[int] = (),
    claimed: Mapping[int, int] | None = None,
    rows: Sequence[HostRows] = (),
    errors: Mapping[int, str] | None = None,
    stopped: str | None = None,
) -> Scan:
    """A scan of hosts numbered from 0; without `reached` up to the accepted one, or all."""
    sequence = list(range(hosts)) if order is None else list(order)
    if reached is None:
        reached = len(sequence) if accepted is None else sequence.index(accepted) + 1
    mask = np.zeros(hosts, np.bool_)
    mask[list(mismatch)] = True
    parts = mismatch if isinstance(mismatch, Mapping) else {}
    return Scan(
        order=np.array(sequence, np.int32),
        reached=reached,
        accepted=accepted,
        mismatch=mask,
        claimed=claimed or {},
        rows=tuple(rows),
        errors=errors or {},
        stopped=stopped,
        explain=parts.get,
    )


def one_position(made: Recorder, seen: Scan, *, tasks: int = 4, error: str | None = None) -> None:
    """A plan of one position with this scan, up to its end."""
    made.begin_plan([tasks])
    made.begin_position(1, tasks)
    made.end_position(seen, error=error)


def charge(account: Account, amount: float, instance: str = "") -> Charge:
    return Charge(account=account, amount=milli(amount), instance=instance)


def charges(host: str, *items: Charge) -> HostCharges:
    return HostCharges(host=host, charges=items)


def reason(code: str, *, hosts: Iterable[int] | None = None, **names) -> ReasonEntry:
    found = None if hosts is None else HostSet(hosts)
    return ReasonEntry(code=ReasonCode(code), hosts=found, **names)


def reasons(main: str, *entries: ReasonEntry, hosts: int | Sequence[str] = 3) -> Reasons:
    names = host_names(hosts) if isinstance(hosts, int) else hosts
    return Reasons(ReasonBody(ReasonCode(main), entries), names)


def pended(made: Recorder) -> TraceRecord:
    """The finished record, ended by a plain pend."""
    made.pend(reasons("NOT_ENOUGH_HOSTS", reason("NOT_ENOUGH_HOSTS")))
    return made.finish()


def text(record: TraceRecord, **display) -> list[str]:
    return plain_lines(trace_lines(record, **display))


def bounded(record: TraceRecord, **display) -> list[str]:
    """The lines of the requirement, check, plan and host sections, without common indentation."""
    lines = text(record, **display)
    start = 1 if record.kind == "reconstructed" else 3
    found = lines[start : start + record.line_count]
    return [line.removeprefix("  ") for line in found]
