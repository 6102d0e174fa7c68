"""What an attempt found against a job, and the pend reasons that follow from it.

Findings are collected as references to masks that no one writes to again; entries are made when
somebody looks. "Entries are those of the plans for the minimum number of tasks, rows that
discarded one included, alternatives numbered from 1, in the order in which they were found".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from xce_sim.core.sieve import ShortMasks
from xce_sim.model.columns import BoolArray
from xce_sim.model.reasons import (
    HostSet,
    IndexArray,
    ReasonBody,
    ReasonCode,
    ReasonEntry,
)
from xce_sim.model.verdict import Account

EntryKey = tuple[ReasonCode, str | None, str | None]


@dataclass(frozen=True, slots=True)
class ScanFinding:
    """One scan for a run of equal positions: the first `reached` hosts of `order` were looked at.

    `claimed` are hosts that earlier positions of the plan had. Masks have shape `[hosts]`.
    """

    order: IndexArray
    reached: int
    claimed: IndexArray
    mismatching: BoolArray
    matching: BoolArray
    failing: BoolArray | None
    shorts: ShortMasks
    accounts: tuple[Account, ...]

    def rejected(self) -> list[tuple[EntryKey, BoolArray, bool]]:
        """(key, hosts, per-host limit) for each kind, by first host in scan order, then row."""
        looked = np.zeros(len(self.matching), np.bool_)
        looked[self.order[: self.reached]] = True
        looked[self.claimed] = False
        found: list[tuple[EntryKey, BoolArray, bool]] = [
            ((ReasonCode.SELECT_MISMATCH, None, None), looked & self.mismatching, False)
        ]
        if self.failing is not None:
            found.append(((ReasonCode.HOST_ERROR, None, None), looked & self.failing, False))
        looked &= self.matching
        for account, short in zip(self.accounts, self.shorts, strict=True):
            found.append((_host_key(account), looked & short, account.per_host))
        found = [item for item in found if item[1].any()]
        rank = np.empty(len(looked), np.int64)
        rank[self.order] = np.arange(len(self.order))
        return sorted(found, key=lambda item: int(rank[np.flatnonzero(item[1])].min()))


class Findings:
    """What one requirement, member or alternative was refused for.

    `discarding` are rows that discarded a plan; `tried` and `discarded` count plans for the
    minimum; `accepted` says that some host accepted a position, `doubtful` that an internal error
    kept hosts from being looked at: another attempt may find something else.
    """

    def __init__(self) -> None:
        self.unsupported: tuple[str, ...] = ()
        self.check_failed: tuple[Account, ...] = ()
        self.no_candidate = False
        self.tried = 0
        self.discarded = 0
        self.accepted = False
        self.doubtful = False
        self.candidates = 0
        self._found: list[Account | ScanFinding] = []
        self._later: Callable[[], Findings] | None = None

    def defer(self, find: Callable[[], Findings]) -> None:
        """Everything will be found when somebody looks; `find` reads what can not change."""
        self._later = find

    def discard(self, rows: Iterable[Account]) -> None:
        """A plan was discarded, by these rows if by any."""
        self.discarded += 1
        self._found.extend(rows)

    def scan(self, finding: ScanFinding) -> None:
        """A plan for the minimum looked at hosts."""
        self._found.append(finding)

    def body(self) -> ReasonBody | None:
        """Main reason and entries, None if nothing at all was found."""
        if self._later is not None:
            return self._later().body()
        entries = tuple(self._entries())
        main = self._main(entries)
        return None if main is None else ReasonBody(main, entries)

    def _entries(self) -> Iterator[ReasonEntry]:
        for clause in self.unsupported:
            yield ReasonEntry(code=ReasonCode.CLAUSE_UNSUPPORTED, clause=clause)
        for account in self.check_failed:
            yield _cluster_entry(account)
        if self.no_candidate:
            yield ReasonEntry(code=ReasonCode.NO_CANDIDATE)
        yield from self._found_entries()
        if self._no_plan:
            yield ReasonEntry(code=ReasonCode.NO_PLAN)
        if self._not_enough:
            yield ReasonEntry(code=ReasonCode.NOT_ENOUGH_HOSTS)

    @property
    def _no_plan(self) -> bool:
        return bool(self.discarded) and not self.tried and not self.no_candidate

    @property
    def _not_enough(self) -> bool:
        return self.accepted and bool(self.tried)

    def _found_entries(self) -> Iterator[ReasonEntry]:
        merged: dict[EntryKey, BoolArray | None] = {}
        own: dict[EntryKey, bool] = {}
        for found in self._found:
            if isinstance(found, Account):
                entry = _cluster_entry(found)
                merged.setdefault((entry.code, entry.resource, entry.limit), None)
                continue
            for key, mask, per_host in found.rejected():
                before = merged.get(key)
                merged[key] = mask if before is None else before | mask
                own[key] = per_host
        for (code, resource, limit), hosts in merged.items():
            yield ReasonEntry(
                code=code,
                resource=resource,
                limit=limit,
                hosts=None if hosts is None else HostSet.of_mask(hosts),
                per_host=own.get((code, resource, limit), False),
            )

    def _main(self, entries: tuple[ReasonEntry, ...]) -> ReasonCode | None:
        codes = {entry.code for entry in entries}
        by_rows = _CLUSTER_CODES if self.check_failed or not self.tried else ()
        for code in (ReasonCode.CLAUSE_UNSUPPORTED, *by_rows, *_PLAN_CODES):
            if code in codes:
                return ReasonCode(code)
        return self._main_of_hosts(entries)

    def _main_of_hosts(self, entries: tuple[ReasonEntry, ...]) -> ReasonCode | None:
        hosts = {code: _union(entries, code) for code in _HOST_CODES}
        if self.candidates and hosts[ReasonCode.SELECT_MISMATCH] == self.candidates:
            return ReasonCode.SELECT_MISMATCH
        short, limited = hosts[ReasonCode.HOST_RESOURCE], hosts[ReasonCode.HOST_LIMIT]
        if short or limited:
            return ReasonCode.HOST_RESOURCE if short >= limited else ReasonCode.HOST_LIMIT
        if hosts[ReasonCode.HOST_ERROR]:
            return ReasonCode.HOST_ERROR
        # With `same`, a set may be discarded untried while all hosts of the others mismatch: not
        # every candidate does then, and yet nothing else was found.
        return ReasonCode.SELECT_MISMATCH if hosts[ReasonCode.SELECT_MISMATCH] else None


_PLAN_CODES = (ReasonCode.NO_CANDIDATE, ReasonCode.NO_PLAN, ReasonCode.NOT_ENOUGH_HOSTS)
_CLUSTER_CODES = (ReasonCode.CLUSTER_LIMIT, ReasonCode.SHARED_RESOURCE)
_HOST_CODES = (
    ReasonCode.SELECT_MISMATCH,
    ReasonCode.HOST_RESOURCE,
    ReasonCode.HOST_LIMIT,
    ReasonCode.HOST_ERROR,
)


def combined_body(attempts: Iterable[tuple[int | None, Findings]]) -> ReasonBody | None:
    """The reasons of all alternatives in order: `main` is that of the last one tried.

    "With alternatives, entries of all are kept, each with the number of its alternative"; the
    number is None for a job without alternatives.
    """
    main: ReasonCode | None = None
    entries: list[ReasonEntry] = []
    for number, findings in attempts:
        body = findings.body()
        if body is None:
            continue
        main = body.main
        entries.extend(replace(entry, alternative=number) for entry in body.entries)
    return None if main is None else ReasonBody(main, tuple(entries))


def _cluster_entry(account: Account) -> ReasonEntry:
    if account.kind == "limit":
        limit = f"{account.name}/{account.instance}"
        return ReasonEntry(code=ReasonCode.CLUSTER_LIMIT, limit=limit)
    return ReasonEntry(code=ReasonCode.SHARED_RESOURCE, resource=account.name)


def _host_key(account: Account) -> EntryKey:
    if account.kind == "limit":
        return ReasonCode.HOST_LIMIT, None, f"{account.name}/{account.instance}"
    return ReasonCode.HOST_RESOURCE, account.name, None


def _union(entries: tuple[ReasonEntry, ...], code: ReasonCode) -> int:
    arrays = [entry.hosts.indices for entry in entries if entry.code == code and entry.hosts]
    if not arrays:
        return 0
    return len(arrays[0]) if len(arrays) == 1 else len(np.unique(np.concatenate(arrays)))
