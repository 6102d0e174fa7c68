"""Lists that are cut, reasons in words, ranges of time."""

from __future__ import annotations

import numpy as np
import pytest

from xce_sim.model.clock import SECOND, parse_seconds
from xce_sim.model.ids import make_id
from xce_sim.model.reasons import HostSet, ReasonBody, ReasonCode, ReasonEntry, Reasons
from xce_sim.render.wording import cut, ids, reasons_text, room_after, span_of_time

HOSTS = tuple(f"n{i:02d}" for i in range(1, 10))
T = parse_seconds(1791367200)
DAY = 86400 * SECOND


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (0, "n01 n02 n03"),
        (11, "n01 n02 n03"),
        (10, "n01 n02 ... 1 more"),
        (3, "n01 ... 2 more"),
        (1, "n01 ... 2 more"),
    ],
)
def test_a_list_is_cut_at_whole_items_and_keeps_at_least_one(room: int, text: str) -> None:
    assert cut(["n01", "n02", "n03"], room) == text


def test_room_is_what_the_width_leaves() -> None:
    assert room_after(100, "  reason: ") == 90
    assert room_after(5, "  reason: ") == 1
    assert room_after(0, "  reason: ") == 0


def test_jobs_are_compressed_before_they_are_cut() -> None:
    jobs = [make_id(42, i) for i in range(1, 11)] + [77, 79, 81]
    assert ids(jobs, 0) == "42[1-10] 77 79 81"
    assert ids(jobs, 9) == "42[1-10] ... 3 more"
    assert ids([], 9) == ""


@pytest.mark.parametrize(
    ("begin", "end", "mode", "text"),
    [
        (T, T, "utc", "2026-10-07 10:00:00"),
        (T, T + 60 * SECOND, "utc", "2026-10-07 10:00:00 - 10:01:00"),
        (T, T + 1, "utc", "2026-10-07 10:00:00 - 10:00:00.000001"),
        (T, T + DAY, "utc", "2026-10-07 10:00:00 - 2026-10-08 10:00:00"),
        (T, T + 60 * SECOND, "raw", "1791367200 - 1791367260"),
        (0, 2**61, "utc", "1970-01-01 00:00:00 - 2305843009213.693952"),
    ],
)
def test_ranges_of_time(begin: int, end: int, mode: str, text: str) -> None:
    assert span_of_time(begin, end, mode) == text  # type: ignore[arg-type]


def entry(code: str, count: int | None = None, **more: object) -> ReasonEntry:
    hosts = None if count is None else HostSet(np.arange(count, dtype=np.int32))
    return ReasonEntry(code=ReasonCode(code), hosts=hosts, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("main", "entries", "text"),
    [
        (
            "HOST_RESOURCE",
            [
                entry("SELECT_MISMATCH", 4),
                entry("HOST_RESOURCE", 3, resource="mem"),
                entry("HOST_RESOURCE", 1, resource="slots"),
            ],
            "HOST_RESOURCE mem on 3 hosts, slots on 1 host; SELECT_MISMATCH on 4 hosts",
        ),
        ("NO_CANDIDATE", [entry("NO_CANDIDATE")], "NO_CANDIDATE"),
        (
            "CLUSTER_LIMIT",
            [entry("CLUSTER_LIMIT", limit="lim/u=alice"), entry("SHARED_RESOURCE", resource="lic")],
            "CLUSTER_LIMIT lim (u=alice); SHARED_RESOURCE lic",
        ),
        (
            "CLAUSE_UNSUPPORTED",
            [entry("CLAUSE_UNSUPPORTED", clause="affinity", alternative=2)],
            "CLAUSE_UNSUPPORTED affinity (alternative 2)",
        ),
        ("NO_PLAN", [], "NO_PLAN"),
    ],
)
def test_reasons(main: str, entries: list[ReasonEntry], text: str) -> None:
    reasons = Reasons(ReasonBody(ReasonCode(main), tuple(entries)), HOSTS)
    assert reasons_text(reasons, 0) == text


def test_many_reasons_are_cut_after_the_main_one() -> None:
    entries = (entry("HOST_RESOURCE", 3, resource="mem"), entry("SELECT_MISMATCH", 4))
    reasons = Reasons(ReasonBody(ReasonCode.HOST_RESOURCE, entries), HOSTS)
    assert reasons_text(reasons, 30) == "HOST_RESOURCE mem on 3 hosts ... 1 more"
