"""Names and types: AST sections 3.1, 4 and 7."""

from __future__ import annotations

import pytest
from resreq_builders import DEFS, RESOURCES, World, refused, told

from xce_sim.model.resources import ResourceDef, ResourceTable
from xce_sim.resreq.errors import RequirementError
from xce_sim.resreq.language import parse_plain
from xce_sim.resreq.nodes import Kind

BY_TYPE = {"numeric": "ut", "string": "type", "boolean": "gpu"}


@pytest.mark.parametrize("operator", [">", "<", ">=", "<="])
def test_ast_4_order_is_for_numbers_only(operator: str) -> None:
    assert World().text(f"ut {operator} 5") == f"ut {operator} 5"
    for name, its in (("type", "a string"), ("gpu", "boolean")):
        error = refused(f"{name} {operator} 5")
        assert error.what == f"{operator} compares numbers, and {name} is {its}"
        assert error.span == (0, len(name))


EQUALITIES = [
    ("ut == 5", "ut == 5"),
    ("ut == cpuf", "ut == cpuf"),
    ("type == linux", "type == linux"),
    ("type == model", "type == model"),
    ("gpu == ssd", "gpu == ssd"),
    ("gpu == 1", "gpu == 1"),
    ("1 == gpu", "gpu == 1"),
    ("gpu == ut", "gpu == ut"),
    ("gpu != ut - 1", "gpu != ut - 1"),
]


@pytest.mark.parametrize(("text", "meant"), EQUALITIES)
def test_ast_4_equality_is_for_like_types_and_0_1_stands_for_boolean(text: str, meant: str) -> None:
    assert World().text(text) == meant


UNLIKE = """
gpu == true
       ^^^^
gpu, which is boolean, can not be compared with the word 'true' at column 8
write gpu or !gpu, or compare with 1 or 0

gpu != 'no'
       ^^^^
gpu, which is boolean, can not be compared with the word 'no' at column 8
write gpu or !gpu, or compare with 1 or 0

'no' == gpu
^^^^
gpu, which is boolean, can not be compared with the word 'no' at column 1
write gpu or !gpu, or compare with 1 or 0

gpu == type
       ^^^^
gpu, which is boolean, can not be compared with type, which is a string, at column 8
write gpu or !gpu, or compare with 1 or 0

type == ut
        ^^
type, which is a string, can not be compared with ut, which is a number, at column 9
quote it to mean the word: 'ut'

type == ut + 1
        ^^^^^^
type, which is a string, can not be compared with a number at column 9

ut == swpp
      ^^^^
ut, which is a number, can not be compared with the word 'swpp' at column 7
did you mean swp?

ut > memory
     ^^^^^^
> compares numbers, and 'memory' is a word at column 6
did you mean mem?

ut > 'x'
     ^^^
> compares numbers, and ''x'' is a word at column 6

ut + gpu > 1
     ^^^
gpu is boolean, not a number at column 6

ut + type > 1
     ^^^^
type is a string, not a number at column 6

ut + 'x' > 1
     ^^^
'x' is a text, not a number at column 6

ut * utt > 1
     ^^^
unknown resource 'utt' at column 6
did you mean ut?
"""


@pytest.mark.parametrize("expected", UNLIKE.strip("\n").split("\n\n"))
def test_ast_7_types_that_do_not_go_together(expected: str) -> None:
    assert told(expected.split("\n", 1)[0]) == expected


ALONE = """
type
^^^^
type is a string and can not stand alone at column 1
write type == word, or defined(type)

gpu && !type
        ^^^^
type is a string and can not stand alone at column 9
write type == word, or defined(type)

5
^
the number '5' is not a condition at column 1
compare it

gpu && 'x'
       ^^^
the text ''x'' is not a condition at column 8
compare it

mem - swp
^^^^^^^^^
an amount is not a condition at column 1
compare it, as in mem - swp > 100

any
^^^
any stands only on the right of == or != at column 1
as in type == any
"""


@pytest.mark.parametrize("expected", ALONE.strip("\n").split("\n\n"))
def test_ast_4_what_may_stand_alone(expected: str) -> None:
    assert told(expected.split("\n", 1)[0]) == expected
    assert World().text("gpu") == "gpu"
    assert World().text("ut") == "ut"


COMPARED = """
ut < 5 < cpuf
^^^^^^^^^^^^^
comparisons can not be chained at column 1
write a < b && b < c instead

(ut < 5) == gpu
 ^^^^^^
a condition can not be compared or computed with at column 2

ut == (!gpu)
       ^^^^
a condition can not be compared or computed with at column 8

defined(mem) == 1
        ^^^
defined(..) is a condition and can not be compared at column 9
write it alone

5 == 5
^^^^^^
a comparison needs a resource on at least one side at column 1

'a' == b
^^^^^^^^
a comparison needs a resource on at least one side at column 1
"""


@pytest.mark.parametrize("expected", COMPARED.strip("\n").split("\n\n"))
def test_what_a_comparison_compares(expected: str) -> None:
    assert told(expected.split("\n", 1)[0]) == expected


def test_a_negation_is_no_operand() -> None:
    for operator in ("==", "!=", "<", ">=", "+", "-", "*", "/"):
        assert refused(f"ut {operator} ! gpu").what == (
            f"! negates a condition and can not stand behind {operator[-1]}"
        )
    assert refused("ut + (!gpu) > 1").what == "a condition can not be compared or computed with"


def test_ast_3_1_a_word_is_a_resource_where_one_has_that_name() -> None:
    linux = ResourceTable().extended([*DEFS, ResourceDef(name="linux", type="string")])
    assert World().select("type == linux").right.kind is Kind.TEXT
    world = World(resources=linux)
    assert world.select("type == linux").right.kind is Kind.RESOURCE
    assert world.select("type == 'linux'").right.kind is Kind.TEXT
    assert world.text("type == 'linux'") == "type == 'linux'"


def test_ast_3_1_an_unknown_word_on_the_left_is_an_unknown_resource() -> None:
    assert told("linux == type") == (
        "linux == type\n^^^^^\nunknown resource 'linux' at column 1\n"
        "write the resource first (type == linux), or quote the word"
    )
    assert World().text("'linux' == type") == "type == linux"


def test_ast_4_there_is_no_true_and_no_false() -> None:
    for word in ("true", "false"):
        error = refused(word)
        assert error.what == f"unknown resource '{word}'"
        assert error.hint == f"there is no {word}: write gpu or !gpu, or compare with 1 or 0"


def test_ast_4_an_unknown_resource_suggests_the_nearest() -> None:
    assert refused("memm > 5").hint == "did you mean mem?"
    assert refused("MEM > 5").hint == "did you mean mem?"
    assert refused("defined(gpuu)").hint == "did you mean gpu?"
    few = ResourceTable().extended([ResourceDef(name="mem")])
    assert refused("zzz", few).hint == "known resources: slots mem"
    many = ResourceTable().extended(ResourceDef(name=f"r{i:03}") for i in range(50))
    assert refused("zzz", many).hint is None


def test_ast_3_1_any_compares_with_a_resource_from_the_right() -> None:
    world = World()
    for text in ("type == any", "gpu == any", "mem == any"):
        assert world.select(text).kind is Kind.TRUE
    assert world.select("type != any").kind is Kind.FALSE
    assert refused("any == type").what == "any stands only on the right of == or !="
    assert refused("ut > any").what == "any stands only on the right of == or !="
    assert refused("ut + any > 1").what == "any stands only on the right of == or !="
    assert refused("ut + 1 == any").what == "any compares with a resource alone"
    assert refused("5 == any").what == "any compares with a resource alone"
    assert world.select("type == 'any'").right.text == "any"


CLAUSE_WORDS = ["rusage > 5", "5 < rusage", "!rusage", "rusage", "gpu && rusage == 1"]


@pytest.mark.parametrize("text", CLAUSE_WORDS)
def test_ast_3_1_a_resource_named_like_a_clause_needs_the_explicit_form(text: str) -> None:
    error = refused(text)
    assert error.what == "rusage opens a clause and can not stand in a bracket-free select"
    assert error.hint == "write rusage[..] for the clause, or select[rusage ..] for a name"
    assert World().select(text).table is not None


def test_ast_3_1_a_clause_s_name_as_a_word_is_quoted_in_the_bracket_free_form() -> None:
    assert refused("type == span").what.startswith("span opens a clause")
    world = World()
    bare = world.primary("type == 'span'").select
    assert bare is world.select("type == span")
    assert world.text("type == span") == "type == 'span'"


def test_ast_7_a_number_beside_a_string_is_compared_by_its_spelling() -> None:
    world = World()
    for spelling in ("5", "7.3", "007", "1e3", "-5", "4G", "5."):
        assert world.select(f"type == {spelling}") is world.select(f"type == '{spelling}'")
        assert world.select(f"{spelling} == type") is world.select(f"type == '{spelling}'")
    assert world.select("type == 5") is not world.select("type == 5.0")
    error = refused("type == 7x")
    assert error.what == "unknown unit 'x' in '7x'"
    assert error.hint == (
        "units are K M G T (or KB, KiB, ..); a word that begins with a digit is quoted"
    )


SIZES = [
    ("mem > 4G", "mem > 4096"),
    ("mem > 4g", "mem > 4096"),
    ("mem > 4GB", "mem > 4096"),
    ("mem > 4GiB", "mem > 4096"),
    ("mem > 1T", "mem > 1048576"),
    ("mem > 512K", "mem > 0.5"),
    ("mem > 1M", "mem > 1"),
    ("mem > 1.5G", "mem > 1536"),
    ("mem > 0G", "mem > 0"),
    ("maxmem > 512M", "maxmem > 0.5"),
    ("mem - swp > 1G", "mem - swp > 1024"),
    ("1G < mem", "1024 < mem"),
    ("mem / 2G > 1", "mem / 2048 > 1"),
]


@pytest.mark.parametrize(("text", "meant"), SIZES)
def test_a_size_is_converted_to_the_unit_of_the_resource(text: str, meant: str) -> None:
    assert World().text(text) == meant


def test_a_size_needs_one_resource_unit() -> None:
    error = refused("ut > 4G")
    assert error.what == "the size '4G' needs a resource with a size unit"
    assert error.hint == "ut has none; write a plain number"
    assert refused("mem > maxmem + 4G").hint == (
        "mem has MiB, maxmem has GiB; write a plain number"
    )
    assert refused("mem > 4Q").what == "unknown unit 'Q' in '4Q'"
    assert refused("mem > -4G").what == "an amount can not be negative"
    assert refused("mem > 1e99G").what == "the amount '1e99G' is out of range"
    assert refused("mem > 1e400").what == "the number '1e400' is too large"


def test_ast_7_a_new_definition_changes_later_texts_only() -> None:
    world = World()
    before = world.select("type == linux")
    world.resources = RESOURCES.extended([ResourceDef(name="linux", type="string")])
    after = world.select("type == linux")
    assert before.right.kind is Kind.TEXT
    assert after.right.kind is Kind.RESOURCE
    assert after.left is before.left


def test_a_plain_expression_may_use_any_resource_name_but_no_clause() -> None:
    assert parse_plain("rusage > 5", RESOURCES).left.index == RESOURCES.index["rusage"]
    with pytest.raises(RequirementError) as caught:
        parse_plain("gpu rusage[mem=1]", RESOURCES)
    assert caught.value.span == (4, 10)
