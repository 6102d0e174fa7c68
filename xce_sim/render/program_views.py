"""What the programs say about themselves: how a sitting begins, why a program ends.

Apart from the views of results, so that a headless run loads no commands.
"""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.errors import UserError
from xce_sim.model.event import Header
from xce_sim.trace.spans import Line


def program_line(program: str, text: str) -> Iterator[Line]:
    """A line that a program says about itself, on standard error."""
    yield (("bad", f"{program}:"), ("plain", f" {text}"))


def output_failed(program: str, path: str, cause: str) -> Iterator[Line]:
    """A recording could not be written to its end."""
    yield from program_line(program, f"output: write to {path} failed: {cause}")


def program_error(program: str, problem: UserError) -> Iterator[Line]:
    """Why a program ends: `xce-sim: <message>; <hint>`."""
    hint = f"; {problem.hint}" if problem.hint else ""
    yield from program_line(program, f"{problem.message}{hint}")
    if problem.text is not None and problem.span is not None:
        yield from caret(problem.text, problem.span)


def opened(path: str, header: Header) -> Iterator[Line]:
    """A sitting begins."""
    cluster = f", cluster {header.cluster}" if header.cluster else ""
    yield (
        ("key", f"[sim] {path}:"),
        ("plain", f" {header.mode}{cluster}; help lists the commands"),
    )


def caret(text: str, span: tuple[int, int]) -> Iterator[Line]:
    """The text with carets under the columns in question; a long text is cut around them."""
    start, end = span
    first = max(0, start - 60)
    shown = text[first : first + 120]
    before = "..." if first else ""
    width = max(1, min(end, first + len(shown)) - start)
    yield (("plain", f"  {before}{_one_wide(shown).rstrip()}"),)
    yield (("bad", " " * (2 + len(before) + start - first) + "^" * width),)


def _one_wide(text: str) -> str:
    """Every harmful character as one question mark, so that the caret stands where it should."""
    return "".join(char if char.isprintable() else "?" for char in text)
