"""A requirement taken apart, and resources assumed from their use."""

from __future__ import annotations

import pytest
from resreq_builders import RESOURCES, World

from xce_sim.model.resources import ResourceDef, ResourceTable
from xce_sim.resreq.assume import assume_resources
from xce_sim.resreq.describe import ItemDescription, describe
from xce_sim.resreq.errors import RequirementError


def test_the_parts_of_a_single_requirement() -> None:
    text = (
        "ssd && mem>4G rusage[mem=4G/task:lic=1:duration=1h,swp=0.5] span[ptile=8] "
        "order[-ut:mem] same[type] affinity[core(1)]"
    )
    found = describe(World().parse(text), RESOURCES)
    assert (found.text, found.shape) == (text, "single")
    assert found.canonical == (
        "select[ssd && mem > 4096] "
        "rusage[mem=4096/task:duration=1h,lic=1:duration=1h,swp=0.5] "
        "span[ptile=8] same[type] order[-ut:mem] affinity[core(1)]"
    )
    ((primary,),) = (alternative.primaries for alternative in found.alternatives)
    assert primary.select == "ssd && mem > 4096"
    assert primary.items == (
        ItemDescription(
            name="mem", amount=4_096_000, unit="MiB", scope="task",
            default_scope=False, duration="1h", decay=None,
        ),
        ItemDescription(
            name="lic", amount=1000, unit="", scope="job",
            default_scope=True, duration="1h", decay=None,
        ),
        ItemDescription(
            name="swp", amount=500, unit="MiB", scope="host",
            default_scope=True, duration=None, decay=None,
        ),
    )  # fmt: skip
    assert primary.span == "ptile=8"
    assert primary.order == (("ut", True), ("mem", True))
    assert primary.keys == ("-ut", "mem")
    assert primary.same == ("type",)
    assert primary.declined == ("affinity[core(1)]",)
    assert primary.tasks is None


def test_the_parts_of_a_compound_and_of_alternatives() -> None:
    found = describe(World().parse("{1*{gpu} + 4*{span[block=2]}} || {} || {ssd}"), RESOURCES)
    assert found.shape == "alternatives"
    compound, empty, single = found.alternatives
    assert [(item.tasks, item.canonical) for item in compound.primaries] == [
        (1, "select[gpu]"),
        (4, "span[block=2]"),
    ]
    assert compound.compound
    assert compound.primaries[1].span is None
    assert compound.primaries[1].declined == ("span[block=2]",)
    assert (empty.compound, empty.primaries) == (False, ())
    assert single.primaries[0].select == "ssd"
    assert describe(World().parse("2*{gpu}"), RESOURCES).shape == "compound"
    nothing = describe(World().parse(""), RESOURCES)
    assert (nothing.canonical, nothing.shape) == ("", "single")
    assert describe(World().parse("span[hosts=-1]"), RESOURCES).canonical == "span[hosts=-1]"


def numeric(name: str, unit: str = "") -> ResourceDef:
    return ResourceDef(name=name, unit=unit)


def consumable(name: str, unit: str = "") -> ResourceDef:
    return ResourceDef(name=name, consumable=True, unit=unit)


def string(name: str) -> ResourceDef:
    return ResourceDef(name=name, type="string")


def boolean(name: str) -> ResourceDef:
    return ResourceDef(name=name, type="boolean")


ASSUMED = [
    ("", []),
    ("slots > 4", []),
    ("a", [boolean("a")]),
    ("!a || b && (c)", [boolean("a"), boolean("b"), boolean("c")]),
    ("a == x5", [string("a")]),
    ("a != 'x 5'", [string("a")]),
    ("'x 5' == a", [string("a")]),
    ("a == any", [string("a")]),
    ("a = 5", [numeric("a")]),
    ("5 < a", [numeric("a")]),
    ("a > 4G", [numeric("a", "MiB")]),
    ("(2*a + b) / 6 < 1.0", [numeric("a"), numeric("b")]),
    ("a - b > 1G", [numeric("a", "MiB"), numeric("b", "MiB")]),
    ("defined(a)", [boolean("a")]),
    ("defined(a) && a > 5", [numeric("a")]),
    ("a && a > 5", [numeric("a")]),
    ("order[a:-b]", [numeric("a"), numeric("b")]),
    ("same[a:b]", [string("a"), string("b")]),
    ("same[a] order[a]", [numeric("a")]),
    (
        "rusage[a=1:b=4G,c=2:duration=1h]",
        [consumable("a"), consumable("b", "MiB"), consumable("c")],
    ),
    ("a > 8000 rusage[a=8G]", [consumable("a", "MiB")]),
    ("defined(a) rusage[a=1||b=1]", [consumable("a"), consumable("b")]),
    ("{1*{a} + 2*{b == x}} || {rusage[c=1]}", [boolean("a"), string("b"), consumable("c")]),
    ("affinity[core(a)] cu[type=b] span[ptile=2]", []),
]


@pytest.mark.parametrize(("text", "expected"), ASSUMED)
def test_unknown_words_become_resources_typed_by_their_use(
    text: str, expected: list[ResourceDef]
) -> None:
    table = assume_resources(text, ResourceTable())
    assert list(table)[1:] == expected
    World(resources=table).parse(text)


def test_known_resources_stay_what_they_are() -> None:
    table = assume_resources("gpu && mem > 5 && extra > 1 && type == x", RESOURCES)
    assert table.defs[: len(RESOURCES)] == RESOURCES.defs
    assert table.defs[len(RESOURCES) :] == (numeric("extra"),)
    assert assume_resources("gpu && ut > 5", RESOURCES) is RESOURCES


def test_uses_that_contradict_each_other_are_told_when_parsed() -> None:
    text = "a == x && a > 5"
    table = assume_resources(text, ResourceTable())
    with pytest.raises(RequirementError) as caught:
        World(resources=table).parse(text)
    assert caught.value.what == "a, which is a number, can not be compared with the word 'x'"


def test_a_text_that_does_not_follow_the_grammar_assumes_nothing() -> None:
    for text in ("a &&", "${a}", "(" * 100):
        with pytest.raises(RequirementError):
            assume_resources(text, RESOURCES)
