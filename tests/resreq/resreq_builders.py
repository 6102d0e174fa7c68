"""A small cluster and short ways to say things about requirements, shared by the tests here."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from xce_sim.model.columns import HostColumns
from xce_sim.model.resources import ResourceDef, ResourceTable, Value
from xce_sim.model.worker import Worker
from xce_sim.resreq.errors import RequirementError
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.format import format_node
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.language import Language, parse_plain
from xce_sim.resreq.nodes import Node
from xce_sim.resreq.plain import evaluate_plain
from xce_sim.resreq.request import Compound, Primary, Request

DEFS = (
    ResourceDef(name="mem", consumable=True, unit="MiB"),
    ResourceDef(name="swp", consumable=True, unit="MiB"),
    ResourceDef(name="lic", scope="shared", consumable=True),
    ResourceDef(name="ut", better="less"),
    ResourceDef(name="cpuf", better="more"),
    ResourceDef(name="maxmem", unit="GiB"),
    ResourceDef(name="type", type="string"),
    ResourceDef(name="model", type="string"),
    ResourceDef(name="gpu", type="boolean"),
    ResourceDef(name="ssd", type="boolean"),
    ResourceDef(name="rusage"),
    ResourceDef(name="site", type="string", scope="shared"),
)
RESOURCES = ResourceTable().extended(DEFS)

MARKS = {1: "F", 2: "T", 3: "E"}
"""How a column is written in the tests: `TFFE`, one letter for each host."""


def hosts(*values: dict[str, Value], resources: ResourceTable = RESOURCES) -> HostColumns:
    """Hosts `h0`, `h1`, .. with 4 slots; consumables are given as whole thousandths."""
    columns = HostColumns(resources)
    columns.add_workers(
        Worker(name=f"h{i}", slots=4, values=given) for i, given in enumerate(values)
    )
    return columns


def index(name: str, resources: ResourceTable = RESOURCES) -> int:
    return resources.index[name]


@dataclass
class World:
    """A language with its table."""

    resources: ResourceTable = RESOURCES
    table: InternTable = field(default_factory=InternTable)

    def __post_init__(self) -> None:
        self.language = Language(self.table)

    def parse(self, text: str) -> Request:
        return self.language.parse(text, self.resources)

    def primary(self, text: str) -> Primary:
        (found,) = self.parse(text).alternatives
        assert isinstance(found, Primary)
        return found

    def compound(self, text: str) -> Compound:
        (found,) = self.parse(text).alternatives
        assert isinstance(found, Compound)
        return found

    def select(self, expression: str) -> Node:
        found = self.primary(f"select[{expression}]").select
        assert found is not None
        return found

    def text(self, expression: str) -> str:
        return format_node(self.select(expression), self.resources)

    def sweep(self, *live: Request) -> int:
        return self.language.sweep(live, resources=self.resources, in_round=False, merged=True)

    def column(self, expression: str, columns: HostColumns) -> str:
        """The column as letters, from a fresh evaluator, checked against the plain tree."""
        found = RoundEvaluator(columns).evaluate(self.select(expression))
        plain = parse_plain(expression, self.resources)
        oracle = [evaluate_plain(plain, columns, host) for host in range(len(columns))]
        assert found.tolist() == oracle
        return letters(found.tolist())


def letters(column: list[int]) -> str:
    return "".join(MARKS[value] for value in column)


def refused(text: str, resources: ResourceTable = RESOURCES) -> RequirementError:
    """The error that a text meets."""
    with pytest.raises(RequirementError) as caught:
        Language(InternTable()).parse(text, resources)
    return caught.value


def told(text: str, resources: ResourceTable = RESOURCES) -> str:
    """The error as a person sees it: text, caret line, message, hint."""
    error = refused(text, resources)
    assert error.text == text
    assert error.span is not None
    start, end = error.span
    assert 0 <= start < end
    caret = " " * start + "^" * (end - start)
    hint = f"\n{error.hint}" if error.hint else ""
    return f"{text}\n{caret}\n{error.message}{hint}"
