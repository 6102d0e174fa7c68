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

from xce_sim.model.reasons import IndexArray
from xce_sim.model.verdict import HostRows, Mask, Scan

KindArray = NDArray[np.uint8]

ACCEPTED = 1
MISMATCH = 2
SHORTFALL = 4
LIMIT = 8
CLAIMED = 16
ERROR = 32

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
class Verdicts:
    """The hosts looked at, in order, with the flags of their kinds.

    `counts` has one number for each of `KINDS`; a host with two kinds counts under both, `twice`
    tells how many do. `short` holds the rows with at least one short host and, for each, which of
    the hosts looked at are short.
    """

    hosts: IndexArray
    kinds: KindArray
    counts: tuple[int, int, int, int, int, int]
    twice: int
    short: tuple[tuple[HostRows, Mask], ...]


def judge(scan: Scan, claimed: Mask | None) -> Verdicts:
    """The verdicts of one scan; `claimed` marks hosts (shape `[hosts]`) or is None for none.

    The checks stop at the first thing found, so the kinds come in the order of the checks: not
    evaluated, mismatch, claimed, then the rows.
    """
    hosts = scan.order[: scan.reached]
    kinds = np.zeros(len(hosts), np.uint8)
    if scan.errors:
        failed = np.zeros(len(scan.mismatch), np.bool_)
        failed[list(scan.errors)] = True
        kinds[failed[hosts]] = ERROR
    open_ = kinds == 0
    kinds[scan.mismatch[hosts] & open_] = MISMATCH
    if claimed is not None:
        kinds[claimed[hosts] & (kinds == 0)] = CLAIMED
    if scan.accepted is not None:
        kinds[-1] = ACCEPTED
    open_ = kinds == 0
    short: list[tuple[HostRows, Mask]] = []
    if scan.rows and open_.any():
        for rows in scan.rows:
            mask = rows.short[hosts] & open_
            if mask.any():
                kinds[mask] |= LIMIT if rows.account.kind == "limit" else SHORTFALL
                short.append((rows, mask))
    kinds[kinds == 0] = ERROR
    tally = np.bincount(kinds, minlength=ERROR + 1).tolist()
    twice = tally[SHORTFALL | LIMIT]
    counts = (
        tally[ACCEPTED],
        tally[MISMATCH],
        tally[SHORTFALL] + twice,
        tally[LIMIT] + twice,
        tally[CLAIMED],
        tally[ERROR],
    )
    return Verdicts(hosts=hosts, kinds=kinds, counts=counts, twice=twice, short=tuple(short))
