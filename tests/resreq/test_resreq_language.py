"""What is remembered, what is shared, and the life of a table over many jobs."""

from __future__ import annotations

import traceback

import pytest
from resreq_builders import RESOURCES, World, hosts, letters

from xce_sim.model.resources import ResourceDef, ResourceTable
from xce_sim.resreq import grammar, language
from xce_sim.resreq.errors import RequirementError
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.request import Primary, selects


def test_a_text_is_parsed_once() -> None:
    world = World()
    first = world.parse("gpu && ssd")
    assert world.parse("gpu && ssd") is first
    assert world.parse("".join(["gpu", " && ssd"])) is first
    assert (world.language.parsed, world.language.reused) == (1, 2)
    merged = world.language.parse_in_queue("gpu && ssd", "ut > 1", RESOURCES)
    assert world.language.parse_in_queue("gpu && ssd", "ut > 1", RESOURCES) is merged
    assert world.language.parse_in_queue("gpu && ssd", "", RESOURCES) is first
    assert world.language.parsed == 2


def test_an_invalid_text_is_parsed_once_and_raised_afresh() -> None:
    world = World()
    caught = []
    for _ in range(3):
        with pytest.raises(RequirementError) as found:
            world.parse("gpu &&")
        caught.append(found.value)
    assert world.language.parsed == 1
    assert len({id(error) for error in caught}) == 3
    assert len({error.message for error in caught}) == 1
    depth = [len(traceback.extract_tb(error.__traceback__)) for error in caught]
    assert depth[1] == depth[2]


def test_a_new_definition_means_a_new_look_but_no_new_parse() -> None:
    world = World()
    before = world.parse("type == linux")
    with pytest.raises(RequirementError, match="unknown resource 'extra'"):
        world.parse("extra")
    world.resources = RESOURCES.extended(
        [ResourceDef(name="extra"), ResourceDef(name="linux", type="string")]
    )
    assert world.parse("extra").alternatives != (Primary(),)
    after = world.parse("type == linux")
    assert after.alternatives != before.alternatives
    assert world.language.parsed == 2


def test_an_equal_table_goes_on_with_what_was_there() -> None:
    world = World()
    first = world.parse("gpu")
    world.resources = ResourceTable(RESOURCES.defs, RESOURCES.version)
    assert world.parse("gpu") is first
    world.resources = RESOURCES.replaced([ResourceDef(name="gpu", type="boolean")])
    assert world.parse("gpu") is not first


def test_after_a_sweep_only_live_requests_are_remembered_and_nothing_is_parsed_again() -> None:
    world = World()
    live, gone = world.parse("gpu && ssd"), world.parse("ut > 5 && gpu")
    merged = world.language.parse_in_queue("gpu", "ssd", RESOURCES)
    parsed = world.language.parsed
    world.sweep(live, merged)
    assert world.parse("gpu && ssd") is live
    assert world.language.parse_in_queue("gpu", "ssd", RESOURCES) is merged
    again = world.parse("ut > 5 && gpu")
    assert again is not gone
    assert all(node in world.table for node in selects(again))
    assert world.language.parsed == parsed


def test_a_sweep_of_the_table_alone_is_noticed() -> None:
    world = World()
    live, gone = world.parse("gpu"), world.parse("ssd")
    world.table.sweep(selects(live), resources=RESOURCES, in_round=False, merged=True)
    assert world.parse("gpu") is live
    assert world.parse("ssd") is not gone
    assert next(selects(world.parse("ssd"))) in world.table


def test_kept_syntax_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "KEPT_CHARACTERS", 100)
    world = World()
    for number in range(200):
        world.parse(f"ut > {number}")
    assert sum(map(len, world.language._syntax)) <= 100
    assert len(world.language._syntax) > 5
    world.sweep()
    world.parse("ut > 199")
    assert world.language.parsed == 200
    world.parse("ut > 0")
    assert world.language.parsed == 201


def test_the_parser_is_not_run_for_a_text_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    request = world.parse("gpu")
    monkeypatch.setattr(grammar, "_run", lambda *_: pytest.fail("parsed"))
    for _ in range(100):
        assert world.parse("gpu") is request


# what must be shown


def test_1000_jobs_with_one_expression_make_exactly_its_unique_nodes() -> None:
    world = World()
    requests = {id(world.parse("type==linux && gpu && mem > 100")) for _ in range(1000)}
    spelled = [
        world.parse(f"gpu && (mem > 100 && type == linux) rusage[mem={number}]")
        for number in range(1000)
    ]
    assert len(requests) == 1
    # type, linux, ==; gpu; &&; mem, 100, >; &&
    assert world.table.node_count == 9
    assert len({next(selects(request)) for request in spelled}) == 1


def test_500_jobs_of_which_250_end_leave_the_others_as_they_were() -> None:
    world = World()
    columns = hosts(*({"ut": float(i), "gpu": i % 2 == 0, "type": f"t{i % 5}"} for i in range(20)))
    texts = [f"ut > {job % 50} && (gpu || type == t{job % 7})" for job in range(500)]
    jobs = [world.parse(text) for text in texts]
    evaluator = RoundEvaluator(columns)
    before = [evaluator.evaluate(next(selects(job))).tolist() for job in jobs]
    nodes = world.table.node_count
    live = jobs[:250:2] + jobs[250::2]
    world.sweep(*live)
    assert world.table.node_count < nodes
    evaluator.begin_round()
    for job, column in list(zip(jobs, before, strict=True))[::2]:
        assert evaluator.evaluate(next(selects(job))).tolist() == column
    assert evaluator.counters().nodes_evaluated == 0
    fresh = RoundEvaluator(columns)
    for job, column in list(zip(jobs, before, strict=True))[::2]:
        assert fresh.evaluate(next(selects(job))).tolist() == column
    again = [world.parse(text) for text in texts[1::2]]
    assert [fresh.evaluate(next(selects(job))).tolist() for job in again] == before[1::2]


FIVE = [
    ("type==linux", "TTFF"),
    ("gpu", "TFTF"),
    ("mem > 100", "TFTF"),
    ("type==linux && gpu", "TFFF"),
    ("", "TTTT"),
]


def test_five_jobs_of_the_original_each_know_their_hosts() -> None:
    world = World()
    columns = hosts(
        {"type": "linux", "gpu": True, "mem": 200_000},
        {"type": "linux", "mem": 100_000},
        {"type": "windows", "gpu": True, "mem": 100_001},
        {},
    )
    evaluator = RoundEvaluator(columns)
    evaluator.begin_round()
    for text, expected in FIVE:
        select = world.primary(text).select
        assert letters(evaluator.evaluate(select).tolist()) == expected
    assert evaluator.counters().nodes_evaluated == 6
