"""Why a host does not match: the part to blame and the host's value."""

from __future__ import annotations

import pytest
from resreq_builders import RESOURCES, World, hosts

from xce_sim.model.columns import HostColumns
from xce_sim.model.verdict import MismatchPart
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.explain import explain_error, explain_mismatch
from xce_sim.resreq.language import parse_plain


def host() -> HostColumns:
    columns = hosts(
        {
            "mem": 64_000_000,
            "swp": 500,
            "ut": 0.25,
            "maxmem": 1.5,
            "type": "windows",
            "gpu": True,
        }
    )
    columns.set_shared("lic", 2500)
    return columns


def amount(expression: str, milli: int, unit: str = "MiB") -> MismatchPart:
    return MismatchPart(expression=expression, milli=milli, unit=unit)


def part(expression: str, value: str) -> MismatchPart:
    return MismatchPart(expression=expression, value=value)


BLAMED = [
    ("mem > 100000", amount("mem > 100000", 64_000_000)),
    ("100000 < mem", amount("100000 < mem", 64_000_000)),
    ("mem > 100G", amount("mem > 102400", 64_000_000)),
    ("maxmem > 2", amount("maxmem > 2", 1500, "GiB")),
    ("swp > 1", amount("swp > 1", 500)),
    ("type == linux", part("type == linux", "windows")),
    ("type == 'gpu'", part("type == 'gpu'", "windows")),
    ("model == x5", part("model == x5", "-")),
    ("defined(model)", part("defined(model)", "-")),
    ("!defined(type)", part("!defined(type)", "windows")),
    ("ut > 5", part("ut > 5", "0.25")),
    ("cpuf > 5", part("cpuf > 5", "0")),
    ("lic >= 3", part("lic >= 3", "2.5")),
    ("slots > 8", part("slots > 8", "4")),
    ("ssd", part("ssd", "0")),
    ("!gpu", part("!gpu", "1")),
    ("gpu == 0", part("gpu == 0", "1")),
    ("cpuf", part("cpuf", "0")),
    ("type == linux && gpu", part("type == linux", "windows")),
    ("gpu && type == linux && ssd", part("type == linux", "windows")),
    ("gpu && !(gpu && ut)", part("!(gpu && ut)", "gpu=1 ut=0.25")),
    ("type == linux || type == sun", part("type == linux || type == sun", "windows")),
    ("ssd || ut > 5", part("ssd || ut > 5", "ssd=0 ut=0.25")),
    ("mem - swp > 64000", part("mem - swp > 64000", "mem=64000 swp=0.5")),
    ("type == model", part("type == model", "type=windows model=-")),
    ("type != any", part("slots!=any", "")),
    ("gpu && (ssd || mem > 1T)", part("ssd || mem > 1048576", "ssd=0 mem=64000")),
]


@pytest.mark.parametrize(("text", "expected"), BLAMED)
def test_a_mismatch_names_the_part_and_the_value(text: str, expected: MismatchPart) -> None:
    world, evaluator = World(), RoundEvaluator(host())
    node = world.select(text)
    evaluator.evaluate(node)
    assert explain_mismatch(node, evaluator, 0) == expected


def test_nothing_is_evaluated_to_explain() -> None:
    world, evaluator = World(), RoundEvaluator(host())
    for text in ("type == linux", "type == linux && ut > 5 && ssd"):
        node = world.select(text)
        assert explain_mismatch(node, evaluator, 0) is None
        evaluator.evaluate(node)
        counted = evaluator.evaluated, evaluator.reused
        assert explain_mismatch(node, evaluator, 0) == part("type == linux", "windows")
        assert (evaluator.evaluated, evaluator.reused) == counted
    assert evaluator.known(world.select("ut > 5")) is None


def test_what_matched_or_failed_otherwise_has_no_mismatch() -> None:
    world, evaluator = World(), RoundEvaluator(host())
    assert explain_mismatch(None, evaluator, 0) is None
    for text in ("gpu", "1 / cpuf > 2", "1 / cpuf > 2 && gpu"):
        node = world.select(text)
        evaluator.evaluate(node)
        assert explain_mismatch(node, evaluator, 0) is None


def test_a_part_whose_column_was_dropped_leaves_the_whole_to_blame() -> None:
    world, evaluator = World(), RoundEvaluator(host())
    node = world.select("gpu && type == linux")
    evaluator.evaluate(node)
    del evaluator._shelf.truths[world.select("type == linux")]
    assert explain_mismatch(node, evaluator, 0) == part(
        "gpu && type == linux", "gpu=1 type=windows"
    )


ERRORS = [
    ("1 / cpuf > 2", "1 / cpuf > 2: not a finite number (cpuf=0)"),
    ("gpu && mem / cpuf > ut", "mem / cpuf > ut: not a finite number (mem=64000 cpuf=0 ut=0.25)"),
    ("!(ssd || !(1 / cpuf > 2))", "1 / cpuf > 2: not a finite number (cpuf=0)"),
]


@pytest.mark.parametrize(("text", "expected"), ERRORS)
def test_an_error_names_the_part_and_the_values(text: str, expected: str) -> None:
    world, evaluator = World(), RoundEvaluator(host())
    node = world.select(text)
    assert explain_error(node, evaluator, 0) is None
    evaluator.evaluate(node)
    assert explain_error(node, evaluator, 0) == expected
    evaluator.evaluate(world.select("gpu"))
    assert explain_error(world.select("gpu"), evaluator, 0) is None
    assert parse_plain(text, RESOURCES).table is None
