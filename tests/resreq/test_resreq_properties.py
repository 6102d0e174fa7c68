"""Laws of the language over generated expressions and requirements."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from resreq_builders import RESOURCES, World, hosts

from xce_sim.model.columns import HostColumns
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.format import format_node, format_request
from xce_sim.resreq.language import parse_plain
from xce_sim.resreq.nodes import DEAD, Node, children
from xce_sim.resreq.plain import evaluate_plain
from xce_sim.resreq.request import selects

LAW = settings(deadline=None, max_examples=200, derandomize=True)


@dataclass(frozen=True)
class Tree:
    """An expression as a test sees it: operator and parts, or a text."""

    operator: str
    parts: tuple[Tree | str, ...]


NUMBERS = st.sampled_from(["0", "-0", "1", "2", "0.3", "-1.5", "100", "1e-3", "64000", "7.25"])
AMOUNTS = st.recursive(
    st.one_of(st.sampled_from(["ut", "cpuf", "mem", "swp", "slots", "lic", "maxmem"]), NUMBERS),
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(
        lambda found: f"({found[0]} {found[1]} {found[2]})"
    ),
    max_leaves=4,
)
ORDER = st.sampled_from([">", "<", ">=", "<=", "==", "!=", "="])
EQUAL = st.sampled_from(["==", "!="])
WORDS = st.sampled_from(
    ["linux", "windows", "'gpu'", "'any'", "'a b'", "'it''s'", "''", "5", "7.3", "'span'", '"q\'"']
)
ATOMS = st.one_of(
    st.sampled_from(["gpu", "ssd", "ut", "mem", "slots", "lic", "rusage"]),
    st.sampled_from(["defined(mem)", "defined(model)", "defined(site)", "defined(gpu)"]),
    st.sampled_from(["type == any", "gpu != any", "mem == any", "gpu == 1", "2 != ssd"]),
    st.tuples(st.sampled_from(["ut", "mem", "cpuf"]), ORDER, AMOUNTS).map(" ".join),
    st.tuples(AMOUNTS, ORDER, st.sampled_from(["swp", "ut", "lic"])).map(" ".join),
    st.tuples(st.sampled_from(["type", "model", "site"]), EQUAL, WORDS).map(" ".join),
    st.sampled_from(["type == model", "gpu == ssd", "gpu != ut", "mem > 1G", "maxmem <= 512M"]),
)
TREES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds(lambda part: Tree("!", (part,)), inner),
        st.builds(
            lambda operator, parts: Tree(operator, tuple(parts)),
            st.sampled_from(["&&", "||"]),
            st.lists(inner, min_size=2, max_size=4),
        ),
    ),
    max_leaves=12,
)


def written(tree: Tree | str) -> str:
    """The tree as text, every operator in brackets."""
    if isinstance(tree, str):
        return tree
    if tree.operator == "!":
        return f"!({written(tree.parts[0])})"
    return "(" + f" {tree.operator} ".join(written(part) for part in tree.parts) + ")"


def shuffled(tree: Tree | str, dice: random.Random) -> Tree | str:
    """The same with commutative operands in another order and other brackets."""
    if isinstance(tree, str):
        left, sign, right = tree.split(" ") if tree.count(" ") == 2 else ("", "", "")
        swap = sign in ("==", "!=") and right != "any" and right in RESOURCES.index
        return f"{right} {sign} {left}" if swap and dice.random() < 0.5 else tree
    parts = [shuffled(part, dice) for part in tree.parts]
    if tree.operator == "!":
        return Tree("!", tuple(parts))
    dice.shuffle(parts)
    while len(parts) > 2:
        at = dice.randrange(len(parts) - 1)
        parts[at : at + 2] = [Tree(tree.operator, tuple(parts[at : at + 2]))]
    return Tree(tree.operator, tuple(parts))


AMOUNT = st.sampled_from([0, 1, 300, 1000, 100_000, 64_000_000])
HOST = st.fixed_dictionaries(
    {},
    optional={
        "mem": AMOUNT,
        "swp": AMOUNT,
        "ut": st.sampled_from([0.0, 0.3, 1.0, -1.5, 1e300]),
        "cpuf": st.sampled_from([0.0, 2.0, 7.25]),
        "maxmem": st.sampled_from([0.5, 64.0]),
        "rusage": st.sampled_from([0.0, 1.0]),
        "type": st.sampled_from(["linux", "windows", "gpu", "any", "a b", "it's", "", "5", "7.3"]),
        "model": st.sampled_from(["linux", "7.3"]),
        "gpu": st.booleans(),
        "ssd": st.booleans(),
    },
)
SHARED = st.fixed_dictionaries(
    {}, optional={"lic": AMOUNT, "site": st.sampled_from(["linux", "x"])}
)


@st.composite
def clusters(draw: st.DrawFn) -> HostColumns:
    columns = hosts(*draw(st.lists(HOST, min_size=1, max_size=6)))
    for name, value in draw(SHARED).items():
        columns.set_shared(name, value)
    return columns


@LAW
@given(st.lists(TREES, min_size=1, max_size=4), clusters())
def test_interned_and_plain_evaluation_agree_on_every_host(
    trees: list[Tree | str], columns: HostColumns
) -> None:
    world, evaluator = World(), RoundEvaluator(columns)
    for tree in trees:
        text = written(tree)
        plain = parse_plain(text, RESOURCES)
        oracle = [evaluate_plain(plain, columns, host) for host in range(len(columns))]
        assert evaluator.evaluate(world.select(text)).tolist() == oracle


@LAW
@given(st.lists(TREES, min_size=1, max_size=3))
def test_printing_and_parsing_again_gives_the_same_object(trees: list[Tree | str]) -> None:
    world = World()
    for tree in trees:
        node = world.select(written(tree))
        text = format_node(node, RESOURCES)
        assert world.select(text) is node
        assert format_node(world.select(text), RESOURCES) == text
        plain = parse_plain(written(tree), RESOURCES)
        assert world.select(format_node(plain, RESOURCES)) is node


@LAW
@given(st.lists(TREES, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_order_and_brackets_do_not_matter(trees: list[Tree | str], dice: random.Random) -> None:
    world = World()
    for tree in trees:
        node = world.select(written(tree))
        count = world.table.node_count
        for _ in range(3):
            assert world.select(written(shuffled(tree, dice))) is node
        assert world.table.node_count <= count + 20


def reached(node: Node) -> set[Node]:
    return {node}.union(*(reached(child) for child in children(node)))


@LAW
@given(st.lists(st.tuples(TREES, st.booleans()), min_size=1, max_size=6), clusters())
def test_a_sweep_keeps_exactly_what_live_requests_reach(
    found: list[tuple[Tree | str, bool]], columns: HostColumns
) -> None:
    world, evaluator = World(), RoundEvaluator(columns)
    requests = [(world.parse(f"select[{written(tree)}]"), live) for tree, live in found]
    before = [[evaluator.evaluate(n).tolist() for n in selects(r)] for r, _ in requests]
    everything = set(world.table.nodes())
    live = [request for request, kept in requests if kept]
    expected = set().union(*(reached(node) for request in live for node in selects(request)))
    assert world.sweep(*live) == len(everything) - len(expected)
    assert set(world.table.nodes()) == expected
    assert [node.node_id for node in world.table.nodes()] == list(range(len(expected)))
    assert all(node.node_id == DEAD for node in everything - expected)
    after = RoundEvaluator(columns)
    for (request, kept), columns_before in zip(requests, before, strict=True):
        again = request if kept else world.parse(request.text)
        for each in (evaluator, after):
            assert [each.evaluate(n).tolist() for n in selects(again)] == columns_before


ITEMS = st.lists(
    st.tuples(
        st.sampled_from(["mem=1", "swp=0.5", "lic=2", "mem=4G/task", "swp=1/job", "lic=1/host"]),
        st.sampled_from(["", ":duration=1h", ":duration=5:decay=1", ":decay=0"]),
    ).map("".join),
    max_size=3,
    unique_by=lambda item: item[:3],
).map(",".join)
CLAUSES = st.tuples(
    st.one_of(st.just(""), ATOMS.map(lambda text: f"select[{text}]")),
    st.one_of(
        st.just(""),
        st.lists(ITEMS, min_size=1, max_size=2).map(lambda found: f"rusage[{' || '.join(found)}]"),
    ),
    st.sampled_from(["", "span[hosts=1]", "span[hosts=-1]", "span[ptile=3]", "span[block=2]"]),
    st.sampled_from(["", "same[type]", "same[model:ut]"]),
    st.sampled_from(["", "order[ut]", "order[-mem:!cpuf:-ut]"]),
    st.sampled_from(["", "affinity[core(2)]", "cu[type=rack] affinity[thread]"]),
)
PRIMARIES = st.tuples(CLAUSES, st.randoms(use_true_random=False)).map(
    lambda found: " ".join(found[1].sample(found[0], len(found[0])))
)
MEMBERS = st.lists(st.tuples(st.integers(1, 99), PRIMARIES), min_size=1, max_size=3).map(
    lambda found: " + ".join(f"{count}*{{{text}}}" for count, text in found)
)
REQUIREMENTS = st.one_of(
    PRIMARIES,
    MEMBERS,
    st.lists(st.one_of(PRIMARIES, MEMBERS), min_size=1, max_size=3).map(
        lambda found: "{gpu}" + "".join(f" || {{{text}}}" for text in found)
    ),
)


@LAW
@given(REQUIREMENTS)
def test_a_whole_requirement_printed_and_parsed_again_means_the_same(text: str) -> None:
    world = World()
    request = world.parse(text)
    canonical = format_request(request, RESOURCES)
    again = world.parse(canonical)
    assert again.alternatives == request.alternatives
    assert again.numbered == request.numbered
    assert format_request(again, RESOURCES) == canonical
