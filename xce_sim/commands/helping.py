"""Help: what there is and how to use it."""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.arguments import HelpTopic, nearest
from xce_sim.commands.help_page import HelpPage
from xce_sim.commands.registry import Command, command, planned
from xce_sim.commands.results import HelpOverview
from xce_sim.commands.session import Session
from xce_sim.errors import UserError

SECTION = "Help"


@command("help", SECTION)
def help_(session: Session, topic: HelpTopic = "") -> Iterator[HelpPage | HelpOverview]:
    """List all commands, those of a section, or explain one.

    Usage: help [COMMAND|SECTION]
    Example: help
    Example: help break job
    Example: help trace
    """
    registry = session.registry
    if not topic:
        yield HelpOverview(sections=_sections(list(registry)))
        return
    for section in registry.sections():
        if section.lower() == topic.lower():
            yield HelpOverview(sections=_sections([c for c in registry if c.section == section]))
            return
    words = topic.split()
    found = registry.below(words)
    if len(found) > 1:
        yield HelpOverview(sections=_sections(found))
    elif found and found[0].page is not None:
        yield found[0].page
    else:
        names = [each.name for each in registry] + registry.sections()
        raise UserError(f"no help on {topic}", hint=nearest(topic, names) or "help lists all")


def _sections(commands: list[Command]) -> tuple[tuple[str, tuple[HelpPage, ...]], ...]:
    by_section: dict[str, list[HelpPage]] = {}
    for each in commands:
        if each.page is not None:
            by_section.setdefault(each.section, []).append(each.page)
    return tuple((section, tuple(pages)) for section, pages in by_section.items())


COMMANDS: tuple[Command, ...] = (
    help_,
    planned("apropos", SECTION),
    planned("source", SECTION),
    planned("history", SECTION),
)
