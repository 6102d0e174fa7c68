"""Hash-consing: AST sections 5 and 6."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import logging

import pytest
from resreq_builders import RESOURCES, World, hosts

from xce_sim.model.resources import ResourceDef
from xce_sim.resreq.errors import LanguageMisuse, RequirementError, TableFull
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.intern import MAX_NODES, InternTable
from xce_sim.resreq.language import parse_plain
from xce_sim.resreq.nodes import DEAD, Kind, Node, children, operands, post_order
from xce_sim.resreq.plain import evaluate_plain
from xce_sim.resreq.request import selects


def resource(table: InternTable, name: str) -> Node:
    index = RESOURCES.index[name]
    return table.make(Kind.RESOURCE, index, RESOURCES[index])


# 5.0: two levels


def test_ast_5_0_a_plain_tree_belongs_to_no_table_and_shares_nothing() -> None:
    one, other = parse_plain("gpu && ssd", RESOURCES), parse_plain("gpu && ssd", RESOURCES)
    assert one is not other
    assert one.left is not other.left
    assert all(
        (node.table, node.node_id, node.serial) == (None, DEAD, DEAD) for node in post_order((one,))
    )


def test_ast_5_0_the_two_levels_are_not_mixed_up() -> None:
    columns = hosts({"gpu": True})
    interned, plain = World().select("gpu"), parse_plain("gpu", RESOURCES)
    with pytest.raises(LanguageMisuse, match="is plain"):
        RoundEvaluator(columns).evaluate(plain)
    with pytest.raises(LanguageMisuse, match="is interned"):
        evaluate_plain(interned, columns, 0)
    with pytest.raises(LanguageMisuse, match="not a live node"):
        InternTable().make(Kind.NOT, plain)


# 5.1: identity


def test_ast_5_1_equal_expressions_are_the_same_object() -> None:
    world = World()
    assert world.select("gpu && ssd") is world.select("ssd && gpu")
    assert world.select("(gpu && ssd) && ut") is world.select("gpu && (ssd && ut)")
    assert world.select("type == linux") is world.select("'linux' == type")
    assert world.select("gpu == 1") is world.select("1 == gpu")


def test_ast_5_1_a_node_can_not_be_changed() -> None:
    node = World().select("gpu && ssd")
    for name in ("kind", "op1", "op2", "serial", "node_id", "table"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(node, name, None)
    with pytest.raises((AttributeError, TypeError)):
        node.more = 1  # type: ignore[attr-defined]
    assert not hasattr(node, "__dict__")
    assert copy.deepcopy(node) is node
    assert copy.copy(node) is node


# 5.2: keys


def test_ast_5_2_the_kind_tells_leaves_without_operands_apart() -> None:
    table = InternTable()
    found = [table.make(kind) for kind in (Kind.ANY, Kind.TRUE, Kind.FALSE)]
    assert len(set(found)) == 3
    assert [table.make(kind) for kind in (Kind.ANY, Kind.TRUE, Kind.FALSE)] == found


def test_ast_5_2_numbers_are_told_apart_by_their_bits() -> None:
    table = InternTable()
    assert table.make(Kind.NUMBER, 0.0) is not table.make(Kind.NUMBER, -0.0)
    assert table.make(Kind.NUMBER, 0.1 + 0.2) is not table.make(Kind.NUMBER, 0.3)
    assert table.make(Kind.NUMBER, 2.0) is table.make(Kind.NUMBER, 2.0)
    assert table.node_count == 5
    world = World()
    assert world.select("ut == 0") is not world.select("ut == -0")
    assert world.text("ut == -0") == "ut == -0"


def test_ast_5_2_strings_and_numbers_and_resources_do_not_collide() -> None:
    table = InternTable()
    text, number = table.make(Kind.TEXT, "1"), table.make(Kind.NUMBER, 1.0)
    assert len({text, number, resource(table, "mem")}) == 3
    assert table.make(Kind.TEXT, "".join(["", "1"])) is text


def test_ast_5_2_the_order_of_operands_matters_where_it_means_something() -> None:
    world = World()
    assert world.select("ut > cpuf") is not world.select("cpuf > ut")
    assert world.select("ut - cpuf > 1") is not world.select("cpuf - ut > 1")
    assert world.select("ut > cpuf") is not world.select("cpuf < ut")


def test_ast_5_2_a_resource_defined_anew_is_another_node() -> None:
    world = World()
    before = world.select("gpu")
    changed = [ResourceDef(name="gpu", type="numeric") if d.name == "gpu" else d for d in RESOURCES]
    world.resources = RESOURCES.replaced(d for d in changed if d.name != "slots")
    after = world.select("gpu")
    assert before.index == after.index
    assert before is not after


# 5.3 and 5.4: the table


def test_ast_5_3_ids_are_dense_in_order_of_creation() -> None:
    world = World()
    world.select("type==linux && gpu")
    nodes = world.table.nodes()
    assert [node.node_id for node in nodes] == list(range(5))
    assert [node.serial for node in nodes] == list(range(5))
    assert [node.kind for node in nodes] == [
        Kind.RESOURCE,
        Kind.TEXT,
        Kind.EQ,
        Kind.RESOURCE,
        Kind.AND,
    ]


def test_ast_5_3_at_the_cap_known_nodes_are_served_and_new_ones_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World(table=InternTable(max_nodes=5))
    world.parse("type==linux && gpu")
    with caplog.at_level(logging.WARNING):
        for text in ("ssd", "ssd", "type==linux || gpu"):
            with pytest.raises(TableFull) as caught:
                world.parse(text)
    assert caught.value.message == "the table of select expressions is full (5 nodes)"
    assert caplog.messages == [
        "the table of select expressions is full (5 nodes): new requirements are refused"
    ]
    assert world.select("type==linux") is operands(world.select("gpu && type==linux"))[0]
    assert world.table.node_count == 5
    world.sweep()
    assert world.select("ssd").node_id == 0


def test_ast_5_3_the_cap_is_a_million() -> None:
    assert InternTable().max_nodes == MAX_NODES == 1_000_000
    assert issubclass(TableFull, RequirementError)


def test_ast_5_4_making_a_node_twice_gives_the_same_node() -> None:
    table = InternTable()
    gpu, ssd = resource(table, "gpu"), resource(table, "ssd")
    first = table.make(Kind.AND, gpu, ssd)
    assert table.make(Kind.AND, gpu, ssd) is first
    assert (table.node_count, table.created, table.served) == (3, 3, 1)
    assert table.make(Kind.EQ, gpu, ssd) is table.make(Kind.EQ, ssd, gpu)


def test_nodes_of_two_tables_do_not_mix() -> None:
    one, other = InternTable(), InternTable()
    with pytest.raises(LanguageMisuse):
        one.make(Kind.AND, resource(one, "gpu"), resource(other, "ssd"))


# 5.5: mark and sweep


def test_ast_5_5_a_sweep_keeps_what_live_requests_reach_and_no_more() -> None:
    world = World()
    kept = world.parse("type==linux && gpu")
    world.parse("type==linux && ssd")
    world.parse("ut > 5")
    before = {id(node) for node in post_order(selects(kept))}
    assert world.table.node_count == 10
    assert world.sweep(kept) == 5
    assert {id(node) for node in world.table.nodes()} == before
    assert world.parse("type==linux && gpu") is kept


def test_ast_5_5_marks_go_through_primary_compound_and_alternatives() -> None:
    world = World()
    primary = world.parse("ut > 1")
    compound = world.parse("1*{ut > 2} + 2*{ut > 3}")
    alternatives = world.parse("{ut > 4} || {} || {1*{ut > 5} + 1*{rusage[mem=1]}}")
    merged = world.language.parse_in_queue("ut > 6", "ut > 7", RESOURCES)
    world.parse("ut > 8")
    world.sweep(primary, compound, alternatives, merged)
    numbers = sorted(node.number for node in world.table.nodes() if node.kind is Kind.NUMBER)
    assert numbers == [1, 2, 3, 4, 5, 6, 7]


def test_ast_5_5_a_swept_expression_is_made_afresh_when_it_comes_back() -> None:
    world = World()
    old = world.select("gpu && ssd")
    assert world.sweep() == 3
    assert old.node_id == DEAD
    assert old not in world.table
    new = world.select("gpu && ssd")
    assert new is not old
    assert new.node_id == 2
    with pytest.raises(LanguageMisuse, match="removed by a sweep"):
        RoundEvaluator(hosts({"gpu": True})).evaluate(old)


def test_ast_5_5_shared_parts_stay_while_one_request_needs_them() -> None:
    world = World()
    one, other = world.parse("type==linux && gpu"), world.parse("type==linux && ssd")
    shared = world.select("type==linux")
    world.sweep(other)
    assert shared in world.table
    assert world.parse("type==linux && gpu") is not one
    world.sweep()
    assert shared not in world.table


def test_ast_5_5_a_sweep_is_refused_when_it_would_be_unsafe() -> None:
    world = World()
    request = world.parse("gpu && ssd")
    for in_round, merged, why in (
        (True, True, "during a round"),
        (False, False, "newly arrived"),
        (True, False, "during a round"),
    ):
        with pytest.raises(LanguageMisuse, match=why):
            world.language.sweep([], resources=RESOURCES, in_round=in_round, merged=merged)
    assert world.table.node_count == 3
    assert world.parse("gpu && ssd") is request


def test_ast_5_5_a_sweep_checks_that_live_resources_resolve() -> None:
    world = World()
    request = world.parse("gpu && ssd")
    renamed = RESOURCES.replaced([ResourceDef(name="other")])
    with pytest.raises(LanguageMisuse, match="resource gpu no longer resolves"):
        world.language.sweep([request], resources=renamed, in_round=False, merged=True)
    assert world.table.node_count == 3
    assert world.language.sweep([], resources=renamed, in_round=False, merged=True) == 3


def test_ast_5_5_a_root_that_was_swept_is_refused() -> None:
    world = World()
    gone = world.parse("gpu")
    world.sweep()
    with pytest.raises(LanguageMisuse, match="not a live node"):
        world.sweep(gone)


def test_ast_8_5_4_recompaction_makes_ids_dense_and_keeps_their_order() -> None:
    world = World()
    requests = [world.parse(f"ut > {number}") for number in range(10)]
    kept = requests[1::2]
    before = [node for request in kept for node in post_order(selects(request))]
    in_order = sorted(set(before), key=lambda node: node.serial)
    world.sweep(*kept)
    assert list(world.table.nodes()) == in_order
    assert [node.node_id for node in in_order] == list(range(len(in_order)))
    serials = [node.serial for node in in_order]
    assert world.select("gpu").serial > max(serials)
    assert world.select("gpu").node_id == len(in_order)


# 6: canonical form


@pytest.mark.parametrize("operator", ["&&", "||"])
def test_ast_6_all_orders_and_bracketings_of_four_operands_are_one_object(operator: str) -> None:
    world = World()
    parts = ["gpu", "ssd", "ut > 1", "type == x"]
    shapes = [
        "{} o {} o {} o {}",
        "({} o {}) o ({} o {})",
        "{} o ({} o ({} o {}))",
        "(({} o {}) o {}) o {}",
        "{} o (({} o {}) o {})",
    ]
    found = {
        world.select(shape.replace("o", operator).format(*order))
        for order in itertools.permutations(parts)
        for shape in shapes
    }
    assert len(found) == 1
    (root,) = found
    assert world.table.node_count == 4 + 4 + 3
    assert world.text(f" {operator} ".join(parts)).split(f" {operator} ") == [
        world.text(text) for text in parts
    ]
    assert len(operands(root)) == 4


def test_ast_6_2_a_chain_leans_left_with_its_prefix_on_the_left() -> None:
    world = World()
    root = world.select("gpu && (ssd && (ut > 1 && type == x))")
    assert root.left is world.select("gpu && ssd && ut > 1")
    assert root.left.left is world.select("ssd && gpu")
    assert root.right is world.select("type == x")
    assert not any(
        node.right.kind is Kind.AND for node in world.table.nodes() if node.kind is Kind.AND
    )


def test_equal_operands_are_kept_once() -> None:
    world = World()
    assert world.select("gpu && gpu && gpu") is world.select("gpu")
    assert world.select("gpu && ssd && gpu") is world.select("ssd && gpu")
    assert world.select("((gpu && ssd) || (ssd && gpu)) && ut") is world.select("gpu && ssd && ut")


def test_different_chains_stay_different() -> None:
    world = World()
    assert world.select("gpu && (ssd || ut)") is not world.select("gpu && ssd || ut")
    assert world.select("gpu && ssd") is not world.select("gpu || ssd")


def test_the_canonical_form_depends_on_what_was_made_and_on_nothing_else() -> None:
    texts = ["ssd && gpu", "type == x || gpu", "gpu && ssd && (type == x || gpu)"]
    one, other = World(), World()
    assert [one.text(text) for text in texts] == [other.text(text) for text in texts]
    assert one.text(texts[0]) == "ssd && gpu"
    assert [repr(node) for node in one.table.nodes()] == [
        repr(node) for node in other.table.nodes()
    ]


FOLDS = [
    ("type == any", "slots==any"),
    ("type != any", "slots!=any"),
    ("!(type == any)", "slots!=any"),
    ("!(type != any)", "slots==any"),
    ("type == any && gpu", "gpu"),
    ("gpu && type == any", "gpu"),
    ("type != any || gpu", "gpu"),
    ("gpu || type != any", "gpu"),
    ("type != any && gpu", "slots!=any"),
    ("gpu && type != any", "slots!=any"),
    ("type == any || gpu", "slots==any"),
    ("gpu || type == any", "slots==any"),
    ("gpu && (ssd || !(type != any)) && ut", "gpu && ut"),
    ("!(gpu && type != any)", "slots==any"),
    ("!!(type == any)", "slots==any"),
    ("gpu && ((ssd && ut) || type != any)", "gpu && ssd && ut"),
    ("ut / 0 > 1 && type != any", "slots!=any"),
    ("!!gpu", "!!gpu"),
    ("ut == ut", "ut == ut"),
    ("gpu || !gpu", "gpu || !gpu"),
    ("ut > 1 + 1", "ut > 1 + 1"),
]


@pytest.mark.parametrize(("text", "folded"), FOLDS)
def test_ast_6_3_constants_are_folded(text: str, folded: str) -> None:
    world = World()
    assert world.text(text) == folded
    assert not any(node.kind is Kind.ANY for node in world.table.nodes())


def test_ast_6_3_constants_are_one_object_each() -> None:
    world = World()
    assert world.select("type == any") is world.select("gpu || mem == any")
    assert world.select("type != any") is world.select("!(model == any)")
    assert world.table.node_count == 2


def test_ast_6_4_folding_leaves_no_garbage_behind() -> None:
    world = World()
    root = world.select("(gpu && type == any) && (ssd || type != any)")
    assert list(world.table.nodes()) == list(post_order((root,)))


def test_ast_6_4_nothing_interned_is_modified_by_later_texts() -> None:
    world = World()
    first = world.select("gpu && (ssd && ut)")
    shape = [(node, children(node)) for node in post_order((first,))]
    world.select("ut && gpu")
    world.select("(ut && gpu) && ((ssd && model == x) && gpu)")
    assert [(node, children(node)) for node in post_order((first,))] == shape


def test_ast_9_1_sharing_is_global_over_requests() -> None:
    world = World()
    one = world.primary("type==linux rusage[mem=1]").select
    (first, second) = world.parse("{1*{type==linux span[hosts=1]}} || {type==linux}").alternatives
    assert list(selects(world.parse("1*{type==linux}"))) == [one]
    assert first.members[0].primary.select is one  # type: ignore[union-attr]
    assert second.select is one  # type: ignore[union-attr]
