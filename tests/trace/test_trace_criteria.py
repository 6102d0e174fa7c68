"""Every acceptance criterion has a test named after it, or is listed as pending."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from trace_criteria import CRITERIA, PARTLY, PENDING

TESTS = Path(__file__).parent.parent
NAME = re.compile(r"test_r(\d+)_(\d+)_\w+")


def named_after() -> dict[str, list[str]]:
    """The tests of each criterion."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and (match := NAME.fullmatch(node.name)):
                found.setdefault(f"{match[1]}.{match[2]}", []).append(f"{path.name}:{node.name}")
    return found


def test_each_criterion_has_a_test_or_is_pending():
    known = {*named_after(), *PENDING}
    assert [each for each in CRITERIA if each not in known] == []


def test_what_is_pending_has_no_test_yet():
    """A test that is there takes its criterion off the list."""
    tested = named_after()
    assert {each: tested[each] for each in PENDING if each in tested} == {}
    assert [each for each in PARTLY if each not in tested] == []


def test_tests_and_lists_name_criteria_that_exist():
    named = {*named_after(), *PENDING, *PARTLY}
    assert sorted(named - {*CRITERIA}) == []
    assert len(CRITERIA) == 79
