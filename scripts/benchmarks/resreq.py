"""Requirements: evaluation in columns against a walk over every host, and parsing.

`run` gives rows of (name, value, unit). Figures are medians; a walk is measured beside the columns
in the same run, so only the ratio means something on another machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scripts.benchmarks.measuring import Row, median_seconds
from xce_sim.model.columns import HostColumns
from xce_sim.model.resources import ResourceDef, ResourceTable, Value
from xce_sim.model.worker import Worker
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.language import Language, parse_plain
from xce_sim.resreq.nodes import Node
from xce_sim.resreq.plain import evaluate_values
from xce_sim.resreq.prescan import MAX_LENGTH, MAX_NESTING

HOSTS = 10_000
EXPRESSIONS = 100
RESOURCES = ResourceTable().extended(
    [
        ResourceDef(name="mem", consumable=True, unit="MiB"),
        ResourceDef(name="tmp", consumable=True, unit="MiB"),
        ResourceDef(name="ut"),
        ResourceDef(name="cpuf"),
        ResourceDef(name="type", type="string"),
        ResourceDef(name="model", type="string"),
        ResourceDef(name="gpu", type="boolean"),
    ]
)
TYPICAL = (
    "select[type==LINUX64 && model!=Opteron250 && mem>16000 && !gpu] "
    "rusage[mem=16000:tmp=1G] span[hosts=1] order[-ut]"
)


def run() -> list[Row]:
    """All rows of this part."""
    return [*_select(), *_parse()]


def _values(host: int) -> dict[str, Value]:
    return {
        "mem": (16_000 + host % 97 * 1000) * 1000,
        "tmp": host % 31 * 10_000_000,
        "ut": host % 100 / 100,
        "cpuf": 1.0 + host % 7,
        "type": ("LINUX64", "X86_64", "windows")[host % 3],
        "model": f"model{host % 11}",
        "gpu": host % 5 == 0,
    }


def _expressions() -> list[str]:
    """100 different ones of the kinds that sites write; they share parts as those do."""
    forms = (
        "type==LINUX64 && mem>{m}",
        "type==X86_64 && model!=model{k} && mem>{m} && tmp>5000",
        "gpu && (model==model{k} || cpuf>3) && mem>={m}",
        "!gpu && ut<0.{k} && (2*ut + cpuf) / 3 < {k}",
        "defined(tmp) && tmp>{m} || model==model{k} && type!=windows",
    )
    return [
        forms[i % len(forms)].format(m=16_000 + i * 500, k=1 + i % 9) for i in range(EXPRESSIONS)
    ]


def _select() -> list[Row]:
    columns = HostColumns(RESOURCES)
    columns.add_workers(
        Worker(name=f"n{host}", slots=16, values=_values(host)) for host in range(HOSTS)
    )
    language = Language(InternTable())
    nodes: list[Node] = []
    for text in _expressions():
        (primary,) = language.parse(text, RESOURCES).alternatives
        nodes.append(primary.select)  # type: ignore[arg-type, union-attr]
    plain = [parse_plain(text, RESOURCES) for text in _expressions()]
    lookups = _lookups(columns)
    found: dict[str, list[list[int]]] = {}

    def in_columns() -> None:
        evaluator = RoundEvaluator(columns)
        evaluator.begin_round()
        found["columns"] = [evaluator.evaluate(node) for node in nodes]  # type: ignore[misc]

    def by_walking() -> None:
        found["walk"] = [[evaluate_values(node, look) for look in lookups] for node in plain]

    fast, slow = median_seconds(in_columns, 9), median_seconds(by_walking, 3)
    for column, walked in zip(found["columns"], found["walk"], strict=True):
        if not np.array_equal(column, walked):
            raise RuntimeError("columns and walk disagree")
    evaluator = RoundEvaluator(columns)
    for node in nodes:
        evaluator.evaluate(node)
    again = median_seconds(lambda: [evaluator.evaluate(node) for node in nodes], 9)
    what = f"select: {EXPRESSIONS} expressions, {HOSTS} hosts"
    return [
        (f"P7 {what}, in columns", fast * 1e3, "ms"),
        (f"P7 {what}, walk over every host", slow * 1e3, "ms"),
        ("P7 ratio (goal 50)", slow / fast, "times"),
        (f"P7 {what}, nothing changed", again * 1e3, "ms"),
        ("P7 unique nodes", float(language.table.node_count), "nodes"),
    ]


def _lookups(columns: HostColumns) -> list[Callable[[int], Value | None]]:
    """One dictionary look-up for each host: the cheapest source of values there is."""
    return [
        {index: columns.value(index, host) for index in range(len(RESOURCES))}.get
        for host in range(HOSTS)
    ]


def _parse() -> list[Row]:
    def fresh(text: str) -> Callable[[], object]:
        return lambda: Language(InternTable()).parse(text, RESOURCES)

    language = Language(InternTable())
    language.parse(TYPICAL, RESOURCES)
    cached = median_seconds(lambda: [language.parse(TYPICAL, RESOURCES) for _ in range(1000)], 9)
    rows = [
        ("parse of a typical requirement", median_seconds(fresh(TYPICAL), 21) * 1e3, "ms"),
        ("the same, known already", cached * 1e3, "us"),
    ]
    rows += [
        (f"parse at the guard ({name}, goal 250)", median_seconds(fresh(text), 5) * 1e3, "ms")
        for name, text in _largest().items()
    ]
    hostile = "(" * 100_000
    rows.append(
        ("100,000 parentheses refused", median_seconds(lambda: _refused(hostile), 9) * 1e3, "ms")
    )
    return rows


def _largest() -> dict[str, str]:
    """Texts of 8192 characters, or just under where a form does not fill them."""
    chain = "(" * MAX_NESTING + "gpu" + ")" * MAX_NESTING
    number = 0
    while len(chain) < MAX_LENGTH - 12:
        chain += f"&&ut!={number}"
        number += 1
    chain += " " * (MAX_LENGTH - len(chain))
    members = "+".join(["1*{gpu}"] * (MAX_LENGTH // 8))
    alternatives = "||".join(["{gpu}"] * (MAX_LENGTH // 7))
    return {
        "a chain under 64 parentheses": chain,
        "a sum": "+".join(["1"] * (MAX_LENGTH // 2 - 2)) + ">ut",
        "1024 members": members,
        "1170 alternatives": alternatives,
    }


def _refused(text: str) -> None:
    from xce_sim.resreq.errors import RequirementError  # noqa: PLC0415

    try:
        Language(InternTable()).parse(text, RESOURCES)
    except RequirementError:
        return
    raise RuntimeError("hostile text was accepted")
