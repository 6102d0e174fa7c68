"""Help: what there is and how to use it."""

from __future__ import annotations

from collections.abc import Iterator

from xce_sim.commands.arguments import Count, File, HelpTopic, Word
from xce_sim.commands.help_page import HelpPage
from xce_sim.commands.kinds import nearest
from xce_sim.commands.registry import Command, command
from xce_sim.commands.results import HelpMatches, HelpOverview, History, Script
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


@command("apropos", SECTION)
def apropos(session: Session, word: Word) -> HelpMatches:
    """List the commands whose help has a word in it.

    Usage: apropos WORD
    Example: apropos limit
    """
    wanted = word.lower()
    pages = [each.page for each in session.registry if each.page is not None]
    found = tuple([page for page in pages if wanted in _all_of(page).lower()])
    return HelpMatches(word=word, pages=found)


@command("source", SECTION)
def source(session: Session, file: File) -> Script:
    """Run the commands of a file, as if they were typed here; each is shown before it runs.

    Usage: source FILE
    Example: source why.txt
    """
    session.guarded.append((file, "a running script"))
    return Script(path=file)


@command("history", SECTION)
def history(session: Session, count: Count = 50) -> History:
    """Show the last N lines that were typed, of earlier sittings too.

    Usage: history [N]
    Example: history 20
    """
    lines = tuple(session.history())
    return History(lines=lines[-count:], first=max(len(lines) - count, 0) + 1)


def _all_of(page: HelpPage) -> str:
    return "\n".join((page.usage, page.summary, *page.paragraphs))


def _sections(commands: list[Command]) -> tuple[tuple[str, tuple[HelpPage, ...]], ...]:
    by_section: dict[str, list[HelpPage]] = {}
    for each in commands:
        if each.page is not None:
            by_section.setdefault(each.section, []).append(each.page)
    return tuple((section, tuple(pages)) for section, pages in by_section.items())


COMMANDS: tuple[Command, ...] = (
    help_,
    apropos,
    source,
    history,
)
