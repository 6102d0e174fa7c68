"""Lines made of commands and rubbish: an answer or an error for people, never a defect."""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sittings import Sitting, config, hosts, job, write_replay

from xce_sim.commands.catalogue import standard_registry
from xce_sim.commands.completion import complete

WORDS = sorted({word for each in standard_registry() for word in each.words} - {"source", "run"})
ARGUMENTS = [
    "42",
    "42[1]",
    "42[1-3]",
    "42[",
    "n01",
    "n02",
    "nowhere",
    "all",
    "normal",
    "alice",
    "1",
    "2",
    "0",
    "-1",
    "99999999999",
    "pend",
    "run",
    "on",
    "level",
    "full",
    "lines",
    "50",
    "file",
    "raw",
    "G",
    "where",
    "mem>1",
    "type==linux",
    "slots/0>1",
    "if",
    "#",
    ";;",
    "'",
    '"',
    "''",
    "'a",
    "b'",
    "CLUSTER_LIMIT",
    "lim",
    "\x1b[31m",
    "\u202e",
    "\x00",
    "�",
    "é",
    "(",
    "5*{",
    "queue",
    "user",
    "job",
]

line = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(ARGUMENTS), st.text(max_size=6)), max_size=6
).map(" ".join)


@pytest.fixture(scope="module")
def replay() -> Iterator[Path]:
    limits = [{"name": "lim", "resource": "slots", "value": 3, "per_user": ["all"]}]
    events = (
        config(limits=limits),
        {"t": 0, "resource_defs": [{"name": "mem", "consumable": True, "unit": "MiB"}]},
        hosts(2, values={"mem": 1000}),
        job(42, array={"first": 1, "last": 4}),
        *(job(i, i, resreq="rusage[mem=400]") for i in range(1, 6)),
    )
    with tempfile.TemporaryDirectory() as folder:
        yield write_replay(Path(folder) / "small.jsonl", *events)


@given(st.lists(line, min_size=1, max_size=6))
@settings(deadline=None, max_examples=150, derandomize=True)
def test_no_line_is_a_defect(replay: Path, lines: list[str]) -> None:
    sitting = Sitting(replay)
    kept = [each for each in lines if " file " not in f"{each} "]
    text = sitting.run("step", *kept)
    assert "internal error" not in text
    harmful = {
        char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    assert harmful <= {"\n"}
    for each in lines:
        complete(sitting.session, each)
    assert sitting.loop.over or "round " in sitting.run("info round")
