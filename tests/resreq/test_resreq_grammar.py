"""What is well formed: the forms of a requirement, and what a person is told about a slip."""

from __future__ import annotations

import subprocess
import sys

import pytest
from resreq_builders import RESOURCES, World, refused, told

from xce_sim.resreq.format import format_request
from xce_sim.resreq.request import Primary


def canonical(text: str) -> str:
    world = World()
    return format_request(world.parse(text), world.resources)


def test_ast_2_the_empty_text_asks_for_nothing() -> None:
    for text in ("", "  \t\n"):
        request = World().parse(text)
        assert request.alternatives == (Primary(),)
        assert not request.numbered


SAME_MEANING = [
    ("type==linux && gpu", "select[type == linux && gpu]"),
    ("select[type==linux && gpu]", "select[type == linux && gpu]"),
    ("rusage[mem=100]", "rusage[mem=100]"),
    ("type==linux rusage[mem=100]", "select[type == linux] rusage[mem=100]"),
    ("rusage[mem=100] select[type==linux]", "select[type == linux] rusage[mem=100]"),
    ("gpu rusage [mem=1], span [hosts=1]", "select[gpu] rusage[mem=1] span[hosts=1]"),
    ("\tgpu\n span[ ptile = 4 ]", "select[gpu] span[ptile=4]"),
    ("gpu span[ptile=4],order[mem],same[type]", "select[gpu] span[ptile=4] same[type] order[mem]"),
    ("gpu affinity[core(2)]", "select[gpu] affinity[core(2)]"),
    ("gpu cu[type=rack:pref=config]", "select[gpu] cu[type=rack:pref=config]"),
]


@pytest.mark.parametrize(("text", "meant"), SAME_MEANING)
def test_ast_2_a_select_is_explicit_or_comes_first(text: str, meant: str) -> None:
    assert canonical(text) == meant


PRECEDENCE = [
    ("gpu || ssd && ut", "gpu || ssd && ut"),
    ("(gpu || ssd) && ut", "(gpu || ssd) && ut"),
    ("!gpu && ssd", "!gpu && ssd"),
    ("!(gpu && ssd)", "!(gpu && ssd)"),
    ("!ut == 1", "!(ut == 1)"),
    ("!!gpu", "!!gpu"),
    ("! ! gpu", "!!gpu"),
    ("ut+2*cpuf>1", "ut + 2 * cpuf > 1"),
    ("(ut+2)*cpuf>1", "(ut + 2) * cpuf > 1"),
    ("ut-2-cpuf>1", "ut - 2 - cpuf > 1"),
    ("ut-(2-cpuf)>1", "ut - (2 - cpuf) > 1"),
    ("ut/2*cpuf>1", "ut / 2 * cpuf > 1"),
    ("ut/(2*cpuf)>1", "ut / (2 * cpuf) > 1"),
    ("ut -5 > 1", "ut - 5 > 1"),
    ("ut - -5 > 1", "ut - -5 > 1"),
    ("ut>-5", "ut > -5"),
    ("ut>+5", "ut > 5"),
    ("ut>.5", "ut > 0.5"),
    ("ut>5.", "ut > 5"),
    ("ut>1e-3", "ut > 0.001"),
    ("ut>2.5E2", "ut > 250"),
    ("ut=5", "ut == 5"),
    ("5<ut", "5 < ut"),
    ("((((gpu))))", "gpu"),
    ("((ut)) > (5)", "ut > 5"),
    ("defined( mem )", "defined(mem)"),
    ("defined(mem)&&!defined(lic)", "defined(mem) && !defined(lic)"),
    ("type=='a b'", "type == 'a b'"),
    ('type=="it\'s"', 'type == "it\'s"'),
    ("type=='it''s'", 'type == "it\'s"'),
    ("type==''", "type == ''"),
]


@pytest.mark.parametrize(("text", "meant"), PRECEDENCE)
def test_ast_3_1_operators_bind_as_written_in_the_grammar(text: str, meant: str) -> None:
    assert World().text(text) == meant


def test_compounds_and_alternatives() -> None:
    assert canonical("1*{gpu}+2*{type==linux rusage[mem=5]}") == (
        "1*{select[gpu]} + 2*{select[type == linux] rusage[mem=5]}"
    )
    assert canonical("{gpu}||{2 * { ssd } + 3*{}}||{}") == (
        "{select[gpu]} || {2*{select[ssd]} + 3*{}} || {}"
    )


def test_rusage_alternatives_are_numbered_through_with_braced_ones() -> None:
    request = World().parse("{gpu rusage[lic=2 || mem=1:lic=1]} || {} || {rusage[lic=5]}")
    assert request.numbered
    assert format_request(request, RESOURCES) == (
        "{select[gpu] rusage[lic=2]} || {select[gpu] rusage[mem=1,lic=1]} || {} || {rusage[lic=5]}"
    )
    first, second, empty, _ = request.alternatives
    assert empty is None
    assert isinstance(first, Primary) and isinstance(second, Primary)
    assert first.select is second.select


SLIPS = """
mem > 5 and gpu
        ^^^
expected an operator, a clause or the end, found 'and' at column 9
write && instead

mem > 5 foo
        ^^^
expected an operator, a clause or the end, found 'foo' at column 9

mem >
     ^
the text ends where a resource, a number or a word is expected at column 6

mem => 5
    ^^
expected an operator, a clause or the end, found '=>' at column 5
write >= instead

mem > 5 | gpu
        ^
expected an operator, a clause or the end, found '|' at column 9
write || instead

select[mem>16000 ** tmp]
                 ^^
expected an operator or ], found '**' at column 18
there is no such operator; * multiplies, && joins two conditions

select[]
       ^
expected a resource, a number or a word, found ']' at column 8

select[gpu, ssd]
          ^
expected an operator or ], found ',' at column 11
join conditions with &&

(gpu ssd)
     ^^^
expected an operator or ), found 'ssd' at column 6

-mem > 5
^
expected a resource, a number or a word, found '-' at column 1
a sign belongs to a number; write 0 - x for the negative of x

resize[mem=1]
^^^^^^
unknown clause 'resize' at column 1
the clauses are select rusage span same order affinity cu

gpu rusag[mem=1]
    ^^^^^
unknown clause 'rusag' at column 5
did you mean rusage? the clauses are select rusage span same order affinity cu

gpu rusage mem=1
    ^^^^^^
expected an operator, a clause or the end, found 'rusage' at column 5
the clause is written rusage[..]

rusage[mem]
          ^
expected =, found ']' at column 11

rusage[mem=]
           ^
expected an amount, found ']' at column 12

rusage[mem=lots]
           ^^^^
expected an amount, found 'lots' at column 12

rusage[mem=1 lic=2]
             ^^^
expected , : || or ], found 'lic' at column 14

rusage[mem=1,]
             ^
expected a resource, found ']' at column 14

rusage[mem=1/node]
             ^^^^
expected task, host or job, found 'node' at column 14

order[]
      ^
expected a resource, found ']' at column 7

same[type,model]
         ^
expected : or ], found ',' at column 10
join conditions with &&

rusage[mem=1],
              ^
the text ends where a clause is expected at column 15

{gpu}
     ^
the text ends where || and another alternative is expected at column 6

{gpu} || ssd
         ^^^
expected {, found 'ssd' at column 10

2*{gpu} +
         ^
the text ends where a number of tasks is expected at column 10

2*{gpu} || 3*{ssd}
        ^^
expected an operator, a clause or the end, found '||' at column 9

{} || {}
^^^^^^^^
every alternative is empty at column 1
put a requirement into one of the braces, or leave them all away

0*{gpu}
^
the tasks of a member must be a number from 1 to 2147483647, not 0 at column 1

rusage[mem=1] gpu
              ^^^
a bracket-free select must come first at column 15
move it to the front, or write select[..]

gpu select[ssd]
    ^^^^^^^^^^^
select is given twice at column 5
a bracket-free expression is a select too: join the two with &&

gpu, ssd
     ^^^
expected an operator, a clause or the end, found 'ssd' at column 6

gpu ssd ut ut ut
    ^^^
expected an operator, a clause or the end, found 'ssd' at column 5

span[hosts=1] gpu span[hosts=1]
              ^^^
a bracket-free select must come first at column 15
move it to the front, or write select[..]

rusage[mem=1] rusage[lic=1]
              ^^^^^^^^^^^^^
rusage is given twice at column 15
"""


@pytest.mark.parametrize("expected", SLIPS.strip("\n").split("\n\n"))
def test_a_slip_is_shown_with_its_place_and_what_to_write(expected: str) -> None:
    text = expected.split("\n", 1)[0]
    assert told(text) == expected


def test_one_bad_clause_rejects_the_whole() -> None:
    assert refused("1*{gpu} + 2*{nosuch}").what == "unknown resource 'nosuch'"
    assert refused("{gpu} || {1*{type > 5}}").what == "> compares numbers, and type is a string"
    assert refused("gpu rusage[mem=1 || nosuch=2]").what == "unknown resource 'nosuch'"


def test_pyparsing_and_numpy_are_not_imported_before_they_are_needed() -> None:
    code = (
        "import sys; from xce_sim.resreq.language import Language\n"
        "from xce_sim.resreq import assume, format, describe\n"
        "print('pyparsing' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
