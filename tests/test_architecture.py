"""The house rules that can be read from the source: who imports whom, who prints, how long things are.

Every failure names the file and line, and says what to do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "xce_sim"

MAY_IMPORT: dict[str, set[str]] = {}
"""For each package the ones below it. `replay` and `core` stand side by side."""
_ORDER = ["errors", "model", "resreq", "trace", "replay", "core", "sim"]
_ORDER += ["commands", "render", "repl", "program"]
_ORDER += ["headless", "sitting", "app", "replay_app", "replay_cli", "cli", "__main__"]
for _position, _name in enumerate(_ORDER):
    MAY_IMPORT[_name] = set(_ORDER[:_position]) | {_name}
MAY_IMPORT["core"].discard("replay")
for _name in ("headless", "sitting", "app", "replay_cli"):
    MAY_IMPORT[_name].add("cli")
MAY_IMPORT["replay_app"].add("replay_cli")

ROOMS: dict[str, tuple[str, ...]] = {
    "capnp": ("xce_sim.replay.codec",),
    "pyparsing": ("xce_sim.resreq.grammar", "xce_sim.commands.parser"),
    "rich": ("xce_sim.render",),
    "prompt_toolkit": ("xce_sim.repl.prompt",),
    "numpy": ("xce_sim.model", "xce_sim.resreq.evaluate", "xce_sim.trace", "xce_sim.core"),
}
"""Where each library outside the standard one may be imported. Packages cover their modules."""

MAX_MODULE = 400
MAX_FUNCTION = 60

MODULES = sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """`xce_sim.model.ids` for its file; a package has the name of its folder."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import, `from a import b` as `a.b`; type-only ones too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: write the import with its whole name"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def type_only(path: Path) -> set[int]:
    """Lines that only a type checker reads."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def wrong_arrows(name: str, found: list[tuple[int, str]]) -> list[str]:
    """Imports of the project that point sideways or upwards."""
    own = name.split(".")[1] if "." in name else "errors"
    wrong = []
    for line, target in found:
        parts = target.split(".")
        if parts[0] != "xce_sim" or len(parts) == 1:
            continue
        other = parts[1]
        if other in MAY_IMPORT and other not in MAY_IMPORT[own]:
            wrong.append(
                f"line {line}: {own} may not import {other} ({target}); it may use "
                f"{', '.join(sorted(MAY_IMPORT[own] - {own}))}: pass the value in, or move the "
                "code to the room that owns it"
            )
    return wrong


def strangers(name: str, found: list[tuple[int, str]], lines_for_types: set[int]) -> list[str]:
    """Libraries outside their room."""
    wrong = []
    for line, target in found:
        rooms = ROOMS.get(target.split(".")[0])
        if rooms is None or line in lines_for_types:
            continue
        if not any(name == room or name.startswith(room + ".") for room in rooms):
            wrong.append(f"line {line}: {target} lives in {' and '.join(rooms)} alone")
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_downwards_and_libraries_stay_in_their_rooms(path: Path) -> None:
    name = module_name(path)
    found = list(imports(path))
    complaints = wrong_arrows(name, found) + strangers(name, found, type_only(path))
    assert not complaints, f"{path.relative_to(ROOT)}\n  " + "\n  ".join(complaints)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_modules_and_functions_stay_readable(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    complaints = []
    if text.count("\n") > MAX_MODULE:
        complaints.append(f"{text.count(chr(10))} lines; split it, it has more than one reason")
    if not ast.get_docstring(tree):
        complaints.append("no module docstring: say what it decides and what it does not")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION:
                complaints.append(f"line {node.lineno}: {node.name} has {length} lines; split it")
    assert not complaints, f"{path.relative_to(ROOT)}\n  " + "\n  ".join(complaints)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_only_render_writes_to_the_terminal(path: Path) -> None:
    if ".render." in f"{module_name(path)}.":
        return
    complaints = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("print", "sys.stdout.write", "sys.stderr.write"):
                complaints.append(f"line {node.lineno}: {called}: return a result, render shows it")
    assert not complaints, f"{path.relative_to(ROOT)}\n  " + "\n  ".join(complaints)


def test_the_rules_notice_what_they_are_for() -> None:
    """Given imports that break each rule, when they are looked at, then each is reported."""
    assert wrong_arrows("xce_sim.core.scan", [(3, "xce_sim.replay.codec.read")])
    assert wrong_arrows("xce_sim.replay.codec", [(3, "xce_sim.core.state.State")])
    assert wrong_arrows("xce_sim.trace.lines", [(3, "xce_sim.core.state.State")])
    assert wrong_arrows("xce_sim.commands.help", [(3, "xce_sim.render.views.lines_of")])
    assert wrong_arrows("xce_sim.errors", [(3, "xce_sim.model.ids.JobId")])
    assert not wrong_arrows("xce_sim.app", [(3, "xce_sim.model.ids.JobId")])
    assert strangers("xce_sim.commands.help", [(3, "rich.style.Style")], set())
    assert strangers("xce_sim.replay.reader", [(3, "capnp")], set())
    assert not strangers("xce_sim.render.theme", [(3, "rich.style.Style")], set())
