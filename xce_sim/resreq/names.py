"""Words to resources: the look-up, and what to say about a word that names none."""

from __future__ import annotations

from xce_sim.model.resources import ResourceTable
from xce_sim.resreq.errors import RequirementError, nearest, quote
from xce_sim.resreq.syntax import Leaf

ANY = "any"
_FEW = 12


def resolve(leaf: Leaf, text: str, resources: ResourceTable) -> int:
    """The index of the resource that a word names; `RequirementError` when there is none."""
    index = resources.index.get(leaf.text)
    if index is None or leaf.text == ANY:
        raise unknown_resource(leaf, text, resources)
    return index


def unknown_resource(
    leaf: Leaf, text: str, resources: ResourceTable, *, hint: str | None = None
) -> RequirementError:
    """The error for a word in a resource's place that names none; "suggests the nearest"."""
    if leaf.text == ANY:
        what, hint = "any stands only on the right of == or !=", "as in type == any"
    else:
        what = f"unknown resource {quote(leaf.text)}"
        hint = hint or suggestion(leaf.text, resources)
    return RequirementError(what, text=text, span=(leaf.start, leaf.end), hint=hint)


def suggestion(word: str, resources: ResourceTable) -> str | None:
    """One line that helps a person who wrote a word that is no resource."""
    if word in ("true", "false"):
        flags = [item.name for item in resources if item.type == "boolean"]
        name = flags[0] if flags else "gpu"
        return f"there is no {word}: write {name} or !{name}, or compare with 1 or 0"
    close = nearest(word, (item.name for item in resources))
    if close is not None:
        return f"did you mean {close}?"
    if len(resources) <= _FEW:
        return "known resources: " + " ".join(item.name for item in resources)
    return None
