"""The core without the hooks of the trace: a copy of its source in which no recorder ever is.

Every test for a recorder is decided at once and what could only run with one is left out. The
copy is a package of its own, `hookless`, in a folder that is given; it serves as the yardstick for
what the hooks cost and change.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType

CORE = Path(__file__).resolve().parent.parent.parent / "xce_sim" / "core"
RECORDERS = {"recorder", "tell", "telling", "self._recorder", "self._telling"}


def load(folder: Path) -> ModuleType:
    """Write the copy into a folder (its own, empty) and import its module `core`."""
    package = folder / "hookless"
    package.mkdir()
    for path in CORE.glob("*.py"):
        (package / path.name).write_text(without_hooks(path.read_text(encoding="utf-8")))
    sys.path.insert(0, str(folder))
    try:
        for name in [name for name in sys.modules if name.split(".")[0] == "hookless"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return importlib.import_module("hookless.core")
    finally:
        sys.path.remove(str(folder))


def without_hooks(source: str) -> str:
    """The source with all hooks left out."""
    tree = ast.fix_missing_locations(_Unhook().visit(ast.parse(source)))
    return ast.unparse(tree).replace("xce_sim.core", "hookless")


class _Unhook(ast.NodeTransformer):
    """Decides `recorder is None` and all that follows from it."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        against_none = ast.unparse(node.comparators[-1]) == "None"
        if ast.unparse(node.left) in RECORDERS and len(node.ops) == 1 and against_none:
            return ast.Constant(isinstance(node.ops[0], ast.Is))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        if any(_truth(value) is decides for value in node.values):
            return ast.Constant(decides)
        node.values = [value for value in node.values if _truth(value) is None]
        return node if len(node.values) > 1 else node.values[0]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        truth = _truth(node.test)
        return node if truth is None else node.body if truth else node.orelse

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        truth = _truth(node.test)
        if truth is None:
            return node
        return (node.body if truth else node.orelse) or ast.Pass()


def _truth(node: ast.AST) -> bool | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    return None
