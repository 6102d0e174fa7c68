"""Evaluation in columns and for one host: AST section 8."""

from __future__ import annotations

import numpy as np
import pytest
from resreq_builders import RESOURCES, World, hosts, letters

from xce_sim.model.columns import HostColumns
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker
from xce_sim.resreq.errors import LanguageMisuse
from xce_sim.resreq.evaluate import ERROR, FALSE, TRUE, UNKNOWN, RoundEvaluator
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.language import parse_plain
from xce_sim.resreq.nodes import Kind, Node, operands, post_order
from xce_sim.resreq.plain import evaluate_plain, evaluate_values

CLUSTER = (
    {"mem": 64_000_000, "swp": 0, "ut": 0.25, "type": "linux", "gpu": True, "ssd": True},
    {"mem": 300, "swp": 200, "ut": 0.0, "type": "windows", "model": "linux", "gpu": False},
    {"mem": 100_000_000, "ut": -1.5, "type": "linux", "model": "x5", "ssd": False},
    {},
)


def cluster() -> HostColumns:
    columns = hosts(*CLUSTER)
    columns.set_shared("lic", 10_000)
    return columns


BY_HAND = [
    # ten pairs and more of an expression and its outcome on the four hosts
    ("mem > 64000", "FFTF"),
    ("mem >= 64000", "TFTF"),
    ("mem < 0.3", "FFFT"),
    ("mem <= 0.3", "FTFT"),
    ("mem == 0.3", "FTFF"),
    ("mem != 0.3", "TFTT"),
    ("mem - swp == 0.1", "FFFF"),
    ("swp", "FTFF"),
    ("ut", "TFTF"),
    ("ut == 0", "FTFT"),
    ("ut == -0", "FTFT"),
    ("gpu", "TFFF"),
    ("!gpu", "FTTT"),
    ("gpu == 1", "TFFF"),
    ("gpu == 2", "FFFF"),
    ("gpu != 0", "TFFF"),
    ("0 == gpu", "FTTT"),
    ("gpu == ssd", "TTTT"),
    ("gpu == ut", "FTFT"),
    ("type == linux", "TFTF"),
    ("type != linux", "FTFT"),
    ("model == linux", "FTFF"),
    ("model != linux", "TFTT"),
    ("type == model", "FFFF"),
    ("type != model", "TTTT"),
    ("type == never_seen", "FFFF"),
    ("defined(mem)", "TTTF"),
    ("defined(model)", "FTTF"),
    ("!defined(model)", "TFFT"),
    ("defined(lic)", "TTTT"),
    ("defined(site)", "FFFF"),
    ("defined(slots)", "TTTT"),
    ("lic >= 10", "TTTT"),
    ("lic > 10", "FFFF"),
    ("site == here", "FFFF"),
    ("site != here", "TTTT"),
    ("slots == 4", "TTTT"),
    ("type == linux && gpu", "TFFF"),
    ("type == linux || gpu", "TFTF"),
    ("type == linux && !gpu && mem > 5G", "FFTF"),
    ("type == any", "TTTT"),
    ("type != any", "FFFF"),
    ("1 / ut > 2", "TEFE"),
    ("1 / 0 > ut", "EEEE"),
    ("0 / ut == 0", "TETE"),
    ("!(1 / ut > 2)", "FETE"),
    ("1 / ut > 2 && type == linux", "TFFF"),
    ("type == linux && 1 / ut > 2", "TFFF"),
    ("1 / ut > 2 || type == windows", "TTFE"),
    ("type == windows || 1 / ut > 2", "TTFE"),
    ("1 / ut > 2 && type != any", "FFFF"),
    ("ut * 1e308 * 1e308 > 0", "EFEF"),
    ("(ut * 1e308 * 1e308) * 0 == 0", "ETET"),
    ("(2 * ut + 1) / 3 < 0.6", "TTTT"),
    ("ut - 1 - 1 == -2", "FTFT"),
    ("ut - (1 - 1) == 0.25", "TFFF"),
]


@pytest.mark.parametrize(("text", "expected"), BY_HAND)
def test_ast_8_3_outcomes_worked_out_by_hand(text: str, expected: str) -> None:
    assert World().column(text, cluster()) == expected


def test_ast_8_3_no_select_matches_every_host() -> None:
    columns = cluster()
    assert letters(RoundEvaluator(columns).evaluate(None).tolist()) == "TTTT"
    assert evaluate_plain(None, columns, 3) == TRUE


def test_the_codes_of_a_column() -> None:
    assert (UNKNOWN, FALSE, TRUE, ERROR) == (0, 1, 2, 3)
    column = RoundEvaluator(cluster()).evaluate(World().select("1 / ut > 2"))
    assert column.dtype == np.uint8
    assert column.shape == (4,)
    with pytest.raises(ValueError, match="read-only"):
        column[0] = TRUE


@pytest.mark.parametrize("operator", ["&&", "||"])
def test_ast_8_3_three_valued_tables_do_not_depend_on_the_order(operator: str) -> None:
    """All nine pairs at once: one host for each pair of true, false, error."""
    outcomes = {"T": 1.0, "F": -1.0, "E": 0.0}
    pairs = [(a, b) for a in "TFE" for b in "TFE"]
    columns = hosts(*({"ut": outcomes[a], "cpuf": outcomes[b]} for a, b in pairs))
    expected = "".join(
        {
            "&&": "F" if "F" in pair else "E" if "E" in pair else "T",
            "||": "T" if "T" in pair else "E" if "E" in pair else "F",
        }[operator]
        for pair in pairs
    )
    one, other = "1 / ut > 0", "1 / cpuf > 0"
    for first, second in ((one, other), (other, one)):
        assert World().column(f"{first} {operator} {second}", columns) == expected
    negated = expected.translate(str.maketrans("TF", "FT"))
    assert World().column(f"!({one} {operator} {other})", columns) == negated


def test_ast_8_2_only_conditions_can_be_evaluated() -> None:
    table = InternTable()
    for node in (
        table.make(Kind.NUMBER, 1.0),
        table.make(Kind.TEXT, "x"),
        table.make(Kind.ANY),
        table.make(Kind.RESOURCE, RESOURCES.index["type"], RESOURCES[RESOURCES.index["type"]]),
    ):
        with pytest.raises(LanguageMisuse, match="not a condition"):
            RoundEvaluator(cluster()).evaluate(node)
        with pytest.raises(LanguageMisuse, match="not a condition"):
            evaluate_plain(Node(node.kind, node.op1, node.op2), cluster(), 0)


def test_amounts_compare_exactly_with_decimals() -> None:
    """Every thousandth from 0 to 2.000 against its own literal."""
    columns = hosts(*({"mem": milli} for milli in range(2001)))
    evaluator, world = RoundEvaluator(columns), World()
    for milli in (0, 1, 3, 100, 299, 300, 301, 700, 1005, 1999, 2000):
        literal = f"{milli // 1000}.{milli % 1000:03d}"
        equal = evaluator.evaluate(world.select(f"mem == {literal}"))
        assert np.flatnonzero(equal == TRUE).tolist() == [milli]
        at_least = evaluator.evaluate(world.select(f"mem >= {literal}"))
        assert np.flatnonzero(at_least == TRUE).tolist() == list(range(milli, 2001))


# 8.5: at most once


class Watched(RoundEvaluator):
    """Remembers which nodes were computed."""

    def __init__(self, columns: HostColumns) -> None:
        super().__init__(columns)
        self.computed: list[Node] = []

    def _compute(self, node: Node):  # type: ignore[no-untyped-def]
        self.computed.append(node)
        return super()._compute(node)

    def take(self) -> list[Node]:
        done, self.computed = self.computed, []
        return done


def test_ast_8_5_a_node_is_evaluated_at_most_once_in_a_round() -> None:
    world, watched = World(), Watched(cluster())
    texts = ["type==linux && gpu", "gpu", "type==linux && ssd", "!(type==linux && gpu)"]
    watched.begin_round()
    for text in texts * 100:
        watched.evaluate(world.select(text))
    done = watched.take()
    assert len(done) == len(set(done)) == 6
    counters = watched.counters()
    assert counters.unique_nodes == world.table.node_count == 8
    assert counters.nodes_evaluated == 6 + 2
    assert counters.columns_reused == 400 - 4 + 2 + 1


def test_ast_8_5_columns_live_over_rounds_while_nothing_is_pushed() -> None:
    world, watched = World(), Watched(cluster())
    for _ in range(3):
        watched.begin_round()
        watched.evaluate(world.select("type==linux && gpu"))
    assert len(watched.take()) == 3
    assert watched.counters().nodes_evaluated == 0
    assert watched.counters().columns_reused == 1


def test_ast_8_5_2_an_error_is_remembered_like_any_outcome() -> None:
    world, watched = World(), Watched(cluster())
    for _ in range(3):
        assert letters(watched.evaluate(world.select("1 / ut > 2")).tolist()) == "TEFE"
    assert len(watched.take()) == 1


def test_ast_10_select_sees_the_pushed_total_of_a_shared_resource() -> None:
    columns = cluster()
    assert World().column("lic >= 10", columns) == "TTTT"
    columns.set_shared("lic", 9_999)
    assert World().column("lic >= 10", columns) == "FFFF"


def test_a_push_invalidates_exactly_the_columns_that_depend_on_it() -> None:
    world, columns = World(), cluster()
    watched = Watched(columns)
    texts = ["mem > 5", "swp > 5", "mem > 5 && type == linux", "!gpu"]
    for text in texts:
        watched.evaluate(world.select(text))
    watched.take()
    columns.set_value(0, "mem", 0)
    watched.begin_round()
    outcome = [letters(watched.evaluate(world.select(text)).tolist()) for text in texts]
    assert outcome == ["FFTF", "FFFF", "FFTF", "FTTT"]
    assert watched.take() == [world.select("mem > 5"), world.select(texts[2])]
    columns.set_shared("lic", 1)
    columns.set_status(0, "closed")
    columns.set_value(1, "type", "windows")
    for text in texts:
        watched.evaluate(world.select(text))
    assert watched.take() == []


def test_a_push_is_seen_without_a_new_round_too() -> None:
    world, columns = World(), cluster()
    evaluator = RoundEvaluator(columns)
    assert letters(evaluator.evaluate(world.select("gpu")).tolist()) == "TFFF"
    columns.set_value(3, "gpu", True)
    assert evaluator.known(world.select("gpu")) is None
    assert letters(evaluator.evaluate(world.select("gpu")).tolist()) == "TFFT"


def test_new_hosts_and_first_values_are_seen() -> None:
    world, columns = World(), cluster()
    evaluator = RoundEvaluator(columns)
    texts = ("cpuf", "type == any", "site == here")
    assert [len(evaluator.evaluate(world.select(text))) for text in texts] == [4, 4, 4]
    columns.add_workers([Worker(name="new", slots=1)])
    assert [len(evaluator.evaluate(world.select(text))) for text in texts] == [5, 5, 5]
    columns.set_value(4, "cpuf", 2.0)
    columns.set_shared("site", "here")
    assert [letters(evaluator.evaluate(world.select(text)).tolist()) for text in texts] == [
        "FFFFT",
        "TTTTT",
        "TTTTT",
    ]


def test_a_new_definition_disturbs_nothing() -> None:
    world, columns = World(), cluster()
    watched = Watched(columns)
    watched.evaluate(world.select("gpu"))
    world.resources = RESOURCES.extended([ResourceDef(name="extra", type="boolean")])
    columns.define(world.resources)
    watched.begin_round()
    assert letters(watched.evaluate(world.select("gpu && extra")).tolist()) == "FFFF"
    columns.set_value(0, "extra", True)
    assert letters(watched.evaluate(world.select("gpu && extra")).tolist()) == "TFFF"
    assert [node.kind for node in watched.take()].count(Kind.AND) == 2


def test_a_sweep_leaves_live_columns_and_drops_the_others() -> None:
    world, columns = World(), cluster()
    watched = Watched(columns)
    live, gone = world.parse("type==linux && gpu"), world.parse("ssd || ut")
    for request in (live, gone):
        watched.evaluate(request.alternatives[0].select)  # type: ignore[union-attr]
    watched.take()
    world.sweep(live)
    watched.begin_round()
    watched.evaluate(live.alternatives[0].select)  # type: ignore[union-attr]
    assert watched.take() == []
    assert watched.known(gone.alternatives[0].select) is None  # type: ignore[arg-type, union-attr]


LAZY = [
    # the operand that decides everywhere, the whole, what is not evaluated
    ("type == sun", "type == sun && gpu && 1 / ut > 2", ["gpu", "1 / ut > 2"]),
    ("slots == 4", "slots == 4 || gpu || ssd", ["gpu", "ssd"]),
]


@pytest.mark.parametrize(("first", "whole", "spared"), LAZY)
def test_an_operand_is_not_evaluated_when_those_before_it_decide(
    first: str, whole: str, spared: list[str]
) -> None:
    world, columns = World(), cluster()
    world.select(first)
    watched = Watched(columns)
    watched.evaluate(world.select(whole))
    assert operands(world.select(whole))[0] is world.select(first)
    assert not {world.select(text) for text in spared} & set(watched.take())
    columns.set_value(0, "ut", 5.0)
    columns.set_value(0, "gpu", False)
    watched.evaluate(world.select(whole))
    assert watched.take() == []


def test_what_is_decided_early_is_decided_anew_after_a_push() -> None:
    world, columns = World(), cluster()
    evaluator = RoundEvaluator(columns)
    root = world.select("type == sun && gpu")
    assert letters(evaluator.evaluate(root).tolist()) == "FFFF"
    columns.set_value(0, "type", "sun")
    assert letters(evaluator.evaluate(root).tolist()) == "TFFF"


def test_an_error_before_does_not_decide() -> None:
    world = World()
    world.select("1 / 0 > ut")
    assert world.column("1 / 0 > ut && type == linux", cluster()) == "EFEF"
    assert world.column("1 / 0 > ut || type == linux", cluster()) == "TETE"


def test_memory_is_bounded_between_rounds() -> None:
    world, columns = World(), cluster()
    watched = Watched(columns)
    watched._shelf.max_bytes = 4 * (8 + 1) * 3
    for number in range(50):
        watched.begin_round()
        watched.evaluate(world.select(f"ut > {number}"))
    watched.begin_round()
    assert watched._shelf._bytes() <= watched._shelf.max_bytes
    assert letters(watched.evaluate(world.select("ut > 0")).tolist()) == "TFFF"


def test_a_cluster_without_hosts() -> None:
    columns = HostColumns(RESOURCES)
    for text in ("gpu && type == linux", "1 / ut > 2 || gpu", "type != any", "defined(mem)"):
        assert RoundEvaluator(columns).evaluate(World().select(text)).tolist() == []


def test_one_evaluator_serves_one_table() -> None:
    evaluator = RoundEvaluator(cluster())
    evaluator.evaluate(World().select("gpu"))
    with pytest.raises(LanguageMisuse, match="another table"):
        evaluator.evaluate(World().select("gpu"))


def test_long_chains_and_deep_nesting_do_not_recurse() -> None:
    columns = cluster()
    long = "&&".join(f"ut!={number + 7}" for number in range(800))
    assert World().column(long, columns) == "TTTT"
    widest = "||".join(["gpu", "ssd"] * 800)
    assert World().column(widest, columns) == "TFFF"
    total = "+".join(["1"] * 4000) + ">ut"
    assert World().column(total, columns) == "TTTT"
    nested = "".join(f"(ut > {i} || (" for i in range(30)) + "gpu" + "))" * 30
    assert World().column(nested, columns) == "TFFF"


def test_a_chain_of_4000_interned_operands_evaluates() -> None:
    """Longer than any text can make it, as merging with a queue could."""
    world, columns = World(), cluster()
    index = RESOURCES.index["ut"]
    ut = world.table.make(Kind.RESOURCE, index, RESOURCES[index])
    node = None
    for number in range(4000):
        literal = world.table.make(Kind.NUMBER, float(number + 1))
        less = world.table.make(Kind.LT, ut, literal)
        node = less if node is None else world.table.make(Kind.AND, node, less)
    assert node is not None
    assert letters(RoundEvaluator(columns).evaluate(node).tolist()) == "TTTT"
    assert len(list(post_order((node,)))) == 4000 * 3
    assert world.table.sweep([node], resources=RESOURCES, in_round=False, merged=True) == 0


def test_values_of_any_source_can_be_asked() -> None:
    variables = RESOURCES.replaced(
        [
            ResourceDef(name="round"),
            ResourceDef(name="user", type="string"),
            ResourceDef(name="wait"),
        ]
    )
    node = parse_plain("round >= 12 && user == alice && wait / 60 > 5", variables)
    values = {"round": 12.0, "user": "alice", "wait": 360.0}
    assert evaluate_values(node, lambda i: values.get(variables[i].name)) == TRUE
    values["user"] = "bob"
    assert evaluate_values(node, lambda i: values.get(variables[i].name)) == FALSE
