"""What a scan says about each host it looked at.

"Host verdict kinds: accepted, selection mismatch, resource shortfall, limit exceeded, already
claimed, and not evaluated because of an internal error". A host may have two of them: short of a
resource and over a limit. Judging reads the masks that the scan has already made; no host is
checked again and no Python loop runs over hosts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xce_sim.model.verdict import HostRows, Mask, Scan

KindArray = NDArray[np.uint8]

ACCEPTED = 1
MISMATCH = 2
SHORTFALL = 4
LIMIT = 8
CLAIMED = 16
ERROR = 32

_MISMATCH, _SHORTFALL, _LIMIT = np.uint8(MISMATCH), np.uint8(SHORTFALL), np.uint8(LIMIT)

KINDS = (ACCEPTED, MISMATCH, SHORTFALL, LIMIT, CLAIMED, ERROR)
KIND_NAMES = (
    "accepted",
    "selection mismatch",
    "resource shortfall",
    "limit exceeded",
    "already claimed",
    "not evaluated",
)
NO_VERDICT = "the check gave no verdict"
"""The error of a host that passed everything and yet was not accepted: a defect of the core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortOn:
    """A row that was short on `count` of the hosts looked at; `mask` says on which of them."""

    rows: HostRows
    mask: Mask
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The hosts looked at, in order, with the flags of their kinds.

    `counts` has one number for each of `KINDS`; a host with two kinds counts under both, `twice`
    tells how many do. `short` holds the rows with at least one short host. `lines` is what all of
    it takes as text: a line for each host and one for each short row of a host.
    """

    hosts: NDArray[np.intp]
    kinds: KindArray
    counts: tuple[int, int, int, int, int, int]
    twice: int
    short: tuple[ShortOn, ...]
    lines: int


def judge(scan: Scan, claimed: Mask | None) -> Verdicts:
    """The verdicts of one scan; `claimed` marks hosts (shape `[hosts]`) or is None for none.

    The checks stop at the first thing found, so the kinds come in the order of the checks: not
    evaluated, mismatch, claimed, then the rows.
    """
    hosts = scan.order[: scan.reached].astype(np.intp)
    kinds = scan.mismatch.take(hosts).view(np.uint8) * _MISMATCH
    if scan.errors:
        failed = np.zeros(len(scan.mismatch), np.bool_)
        failed[list(scan.errors)] = True
        kinds[failed[hosts]] = ERROR
    if claimed is not None:
        kinds[claimed[hosts] & (kinds == 0)] = CLAIMED
    if scan.accepted is not None:
        kinds[-1] = ACCEPTED
    short = _short_rows(scan, hosts, np.logical_not(kinds), kinds)
    tally = np.bincount(kinds, minlength=ERROR + 1).tolist()
    if tally[0]:
        kinds[kinds == 0] = ERROR
        tally[ERROR] += tally[0]
    twice = tally[SHORTFALL | LIMIT]
    return Verdicts(
        hosts=hosts,
        kinds=kinds,
        counts=(
            tally[ACCEPTED],
            tally[MISMATCH],
            tally[SHORTFALL] + twice,
            tally[LIMIT] + twice,
            tally[CLAIMED],
            tally[ERROR],
        ),
        twice=twice,
        short=short,
        lines=len(hosts) + sum([each.count for each in short]),
    )


def _short_rows(
    scan: Scan, hosts: NDArray[np.intp], checked: Mask, kinds: KindArray
) -> tuple[ShortOn, ...]:
    """The rows that are short on a checked host; adds their kinds to those of the hosts."""
    short: list[ShortOn] = []
    if not np.count_nonzero(checked):
        return ()
    for rows in scan.rows:
        mask = rows.short.take(hosts) & checked
        count = int(np.count_nonzero(mask))
        if count:
            kinds |= mask.view(np.uint8) * (_LIMIT if rows.account.kind == "limit" else _SHORTFALL)
            short.append(ShortOn(rows=rows, mask=mask, count=count))
    return tuple(short)
