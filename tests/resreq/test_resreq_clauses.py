"""`rusage`, `span`, `order`, `same` and what is declined by name."""

from __future__ import annotations

import pytest
from resreq_builders import RESOURCES, World, index, told

from xce_sim.model.resources import ResourceDef, ResourceTable
from xce_sim.resreq.request import Compound, Item, OrderKey, Primary, Span

MEM, SWP, LIC = index("mem"), index("swp"), index("lic")


def items(text: str) -> tuple[Item, ...]:
    return World().primary(f"rusage[{text}]").items


def test_amounts_are_exact_thousandths_with_the_scope_of_the_resource() -> None:
    assert items("mem=0.5:swp=1e3,lic=2") == (
        Item(resource=MEM, amount=500, scope="host"),
        Item(resource=SWP, amount=1_000_000, scope="host"),
        Item(resource=LIC, amount=2000, scope="job"),
    )


def test_a_written_scope_wins() -> None:
    assert items("mem=1/task:swp=2/job, lic=3/host") == (
        Item(resource=MEM, amount=1000, scope="task"),
        Item(resource=SWP, amount=2000, scope="job"),
        Item(resource=LIC, amount=3000, scope="host"),
    )


def test_sizes_are_rounded_up_to_the_next_thousandth() -> None:
    amounts = {
        "4G": 4096_000,
        "4GB": 4096_000,
        "4GiB": 4096_000,
        "1T": 1_048_576_000,
        "512K": 500,
        "1K": 1,
        "1.0001K": 1,
        "1025K": 1001,
        "0G": 0,
        "0": 0,
        "-0": 0,
        "6291456.00": 6_291_456_000,
    }
    assert {text: items(f"mem={text}")[0].amount for text in amounts} == amounts


def test_nothing_in_rusage_is_a_clause_that_asks_for_nothing() -> None:
    primary = World().primary("rusage[]")
    assert primary == Primary(clauses=("rusage",))
    assert World().primary("rusage[ ]") == primary


def test_duration_and_decay_hold_for_their_group() -> None:
    found = items("mem=20:swp=50:duration=1h:decay=1, lic=1:duration=2")
    assert [(item.duration, item.decay) for item in found] == [
        ("1h", "1"),
        ("1h", "1"),
        ("2", None),
    ]
    first, second = items("mem=1, duration=5:swp=2")
    assert (first.duration, second.duration) == (None, "5")


REFUSED = """
rusage[slots=1]
       ^^^^^
slots can not stand in rusage at column 8
every task takes one; ask for more tasks instead

rusage[ut=1]
       ^^
ut is not consumable and can not stand in rusage at column 8
compare it in select, as in select[ut]

rusage[mem=1,swp=2:mem=3]
                   ^^^
mem is asked for twice at column 20

rusage[mem=-1]
           ^^
mem: an amount can not be negative at column 12

rusage[mem=1.0001]
           ^^^^^^
mem: the amount '1.0001' has more than three decimals at column 12

rusage[mem=1e30]
           ^^^^
mem: the amount '1e30' is too large at column 12

rusage[mem=1e99999999999999999999]
           ^^^^^^^^^^^^^^^^^^^^^^
mem: the amount '1e99999999999999999999' is too large at column 12

rusage[mem=9e9999T]
           ^^^^^^^
mem: the amount '9e9999T' is too large at column 12

rusage[lic=1K]
           ^^
the size '1K' needs a resource with a size unit at column 12
lic has none; write a plain number

rusage[mem=1E]
           ^^
unknown unit 'E' in '1E' at column 12
units are K M G T (or KB, KiB, ..); a word that begins with a digit is quoted

rusage[mems=1]
       ^^^^
unknown resource 'mems' at column 8
did you mean mem?

rusage[duration=5]
       ^^^^^^^^
duration without an amount at column 8

rusage[mem=1, duration=5]
              ^^^^^^^^
duration without an amount at column 15

rusage[mem=1:duration=5:duration=6]
                        ^^^^^^^^
duration is given twice at column 25

rusage[mem=1:duration=1w]
                      ^^
duration must be a number with s, m, h or d, not '1w' at column 23

rusage[mem=1:duration=5/host]
                      ^
duration must be a number with s, m, h or d, not '5' at column 23

rusage[mem=1:decay=2]
                   ^
decay must be 0 or 1, not '2' at column 20

rusage[mem=(50 10):duration=(10):decay=(0)]
                            ^^^^
duration: an amount in phases, '(10)', is not supported at column 29
write one amount for the whole run

rusage[mem=(50 10)]
           ^^^^^^^
mem: an amount in phases, '(50 10)', is not supported at column 12
write one amount for the whole run

span[hosts=4]
     ^^^^^^^
span[hosts=4] is not supported at column 6
the forms are hosts=1, hosts=-1, ptile=n and block=n

span[ptile=0]
     ^^^^^^^
the ptile of span must be a number from 1 to 2147483647, not 0 at column 6

span[ptile=-4]
     ^^^^^^^^
the ptile of span must be a number from 1 to 2147483647, not -4 at column 6

span[ptile=9999999999999]
     ^^^^^^^^^^^^^^^^^^^
the ptile of span must be a number from 1 to 2147483647, not 9999999999999 at column 6

span[]
     ^
no span at column 6
the forms are hosts=1, hosts=-1, ptile=n and block=n

span[stripe]
     ^^^^^^
'stripe' is not a span at column 6
the forms are hosts=1, hosts=-1, ptile=n and block=n

span[ptile='!',Intel_a:16]
     ^^^^^^^^^^^^^^^^^^^^
span[ptile=..] with a number for each host type or model is not supported at column 6
write one number, as in span[ptile=16]

order[type]
      ^^^^
type is a string and can not order at column 7

order[ut:utt]
         ^^^
unknown resource 'utt' at column 10
did you mean ut?

same[typ]
     ^^^
unknown resource 'typ' at column 6
did you mean type?
"""


@pytest.mark.parametrize("expected", REFUSED.strip("\n").split("\n\n"))
def test_what_a_clause_can_not_say(expected: str) -> None:
    assert told(expected.split("\n", 1)[0]) == expected


SPANS = [
    ("hosts=1", Span(kind="one_host")),
    ("hosts=-1", Span()),
    (" ptile = 16 ", Span(kind="ptile", ptile=16)),
]


@pytest.mark.parametrize(("text", "meant"), SPANS)
def test_spans(text: str, meant: Span) -> None:
    primary = World().primary(f"span[{text}]")
    assert primary == Primary(span=meant, clauses=("span",))


def test_the_direction_of_an_order_key_comes_from_the_resource() -> None:
    keys = World().primary("order[mem:-mem:ut:-ut:cpuf:!-slots:!gpu]").order
    assert keys == tuple(
        OrderKey(resource=index(name), largest_first=largest)
        for name, largest in [
            ("mem", True),
            ("mem", False),
            ("ut", False),
            ("ut", True),
            ("cpuf", True),
            ("slots", False),
            ("gpu", False),
        ]
    )


def test_same_names_resources_of_any_type_once() -> None:
    assert World().primary("same[type:ut:type]").same == (index("type"), index("ut"))


DECLINED = [
    ("affinity[core(4):cpubind=core]", ("affinity",), ("affinity[core(4):cpubind=core]",)),
    ("cu[ type=rack ]", ("cu",), ("cu[type=rack]",)),
    ("span[block=24]", ("span",), ("span[block=24]",)),
    (
        "cu[a] span[block=2] affinity[b]",
        ("cu", "span", "affinity"),
        ("cu[a]", "span[block=2]", "affinity[b]"),
    ),
]


@pytest.mark.parametrize(("text", "names", "kept"), DECLINED)
def test_what_is_not_implemented_is_kept_and_named(
    text: str, names: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    primary = World().primary(f"gpu {text}")
    assert primary.unsupported == names
    assert primary.declined == kept


def test_rusage_alternatives_are_declined_in_a_member_and_alternatives_elsewhere() -> None:
    member = World().compound("2*{gpu rusage[mem=1 || lic=2] cu[a]}").members[0].primary
    assert member.unsupported == ("cu", "rusage")
    assert member.declined == ("cu[a]", "rusage[mem=1 || lic=2]")
    assert member.items == ()
    request = World().parse("rusage[mem=1 || ]")
    assert request.numbered
    assert request.alternatives == (
        Primary(items=(Item(resource=MEM, amount=1000, scope="host"),), clauses=("rusage",)),
        Primary(clauses=("rusage",)),
    )


def test_a_compound_counts_its_tasks() -> None:
    compound = World().compound("1*{gpu} + 43008*{}")
    assert compound.count == 43009
    assert [member.count for member in compound.members] == [1, 43008]
    assert isinstance(compound, Compound)


def test_an_amount_is_in_the_unit_of_its_resource() -> None:
    table = ResourceTable().extended(
        ResourceDef(name=name, consumable=True, unit=unit)
        for name, unit in (("b", "B"), ("k", "KiB"), ("g", "GiB"), ("t", "s"))
    )
    found = World(resources=table).primary("rusage[b=1K:k=1M:g=1T]").items
    assert [item.amount for item in found] == [1024_000, 1024_000, 1024_000]
    assert told("rusage[t=1K]", table).endswith("t has s; write a plain number")
    assert RESOURCES.index["mem"] == MEM
