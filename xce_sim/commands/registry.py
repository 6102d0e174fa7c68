"""All commands by name: finding one from what was typed, and what could be typed next.

"Unique abbreviations, with fixed short ones: `s` step, `c` continue, `b` break, `i` info, `q`
quit, `h` help. An ambiguous word lists what it could be; an unknown one suggests the nearest."
Commands that are planned take part in all of this and are refused by name when they are run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xce_sim.commands.binding import Parameter, Walk, bind, parameters_of
from xce_sim.commands.help_page import HelpPage, help_page
from xce_sim.commands.kinds import nearest
from xce_sim.commands.parser import Statement, quoted, split_line
from xce_sim.commands.results import Results
from xce_sim.commands.session import Session
from xce_sim.errors import UserError

SECTIONS = (
    "Execution",
    "Breakpoints",
    "State inspection",
    "Trace",
    "Settings",
    "Snapshot",
    "Help",
)
SHORT = {"s": "step", "c": "continue", "b": "break", "i": "info", "q": "quit", "h": "help"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command. `label` stands before its errors; `page` is None for a planned one."""

    name: str
    section: str
    function: Callable[..., Results] | None
    parameters: tuple[Parameter, ...] = ()
    page: HelpPage | None = None
    label: str = ""
    repeats: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name."""
        return tuple(self.name.split())

    def run(self, session: Session, statement: Statement) -> Results:
        """Bind the statement's words to the parameters and call the function."""
        if self.function is None:
            raise UserError("not available yet")
        positional, keywords = bind(self.parameters, statement, len(self.words), session)
        return self.function(session, *positional, **keywords)


def command(
    name: str, section: str, *, repeats: bool = False, label: str = ""
) -> Callable[[Callable[..., Results]], Command]:
    """Make a command of a function; its docstring is its help, its signature its grammar."""

    def made(function: Callable[..., Results]) -> Command:
        short = next((short for short, long in SHORT.items() if long == name), "")
        return Command(
            name=name,
            section=section,
            function=function,
            parameters=parameters_of(function),
            page=help_page(name, section, function.__doc__, short=short, repeats=repeats),
            label=label or name,
            repeats=repeats,
        )

    return made


def planned(name: str, section: str) -> Command:
    """A command that is known by name only."""
    return Command(name=name, section=section, function=None, label=name)


class UnknownCommand(UserError):
    """What was typed is no command, or not yet one; `typed` are the words in question."""

    def __init__(self, message: str, hint: str, typed: str = "") -> None:
        super().__init__(message, hint=hint)
        self.typed = typed


@dataclass(slots=True)
class _Node:
    command: Command | None = None
    children: dict[str, _Node] = field(default_factory=dict)


class Registry:
    """A tree of words: `info` has `job`, `jobs`, ... below it."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._root = _Node()
        self._all = tuple(commands)
        for each in self._all:
            node = self._root
            for word in each.words:
                node = node.children.setdefault(word, _Node())
            node.command = each

    def __iter__(self) -> Iterator[Command]:
        """The commands that can be run, in the order in which they are listed."""
        return (each for each in self._all if each.page is not None)

    def first_words(self) -> list[str]:
        """The first words of commands that can be run."""
        return list(dict.fromkeys(each.words[0] for each in self))

    def sections(self) -> list[str]:
        """The sections that have a command that can be run."""
        present = {each.section for each in self}
        return [section for section in SECTIONS if section in present]

    def find(self, words: Sequence[str]) -> Command:
        """The command that a line's words begin with.

        `UnknownCommand` when it is unknown, ambiguous or only the first word of several.
        """
        node, used = self._walk(words)
        if node.command is None:
            typed = " ".join(words[:used])
            below = " ".join(self._runnable(node)) or "nothing yet"
            raise UnknownCommand("needs one more word", f"one of {below}", typed)
        return node.command

    def below(self, words: Sequence[str]) -> list[Command]:
        """The commands whose names begin with these words (abbreviated or not); may be none."""
        node, used = self._walk(words)
        if used < len(words):
            return []
        return [each for each in self if self._under(each, node)]

    def split(self, line: str) -> list[Statement]:
        """The commands of a line; what follows `file` in a trace command is the line's rest."""
        return split_line(line, self.takes_rest)

    def candidates(self, words: Sequence[str], prefix: str, session: Session) -> list[str]:
        """What could stand next after these words and begins with `prefix`."""
        try:
            node, used = self._walk(words)
        except UserError:
            return []
        names = self._runnable(node) if used == len(words) else []
        found = [name for name in names if name.startswith(prefix)]
        if node.command is not None and node.command.function is not None:
            found += self._arguments(node.command, words[used:], prefix, session)
        return list(dict.fromkeys(found))

    def _arguments(
        self, found: Command, words: Sequence[str], prefix: str, session: Session
    ) -> Iterator[str]:
        walk = Walk(found.parameters)
        try:
            for word in words:
                walk.take(word, quoted=False)
        except UserError:
            return
        values, names = walk.following()
        for kind in (parameter.kind for parameter in values):
            found_words = kind.complete(prefix, session)
            yield from map(quoted, found_words) if kind.takes == "word" else found_words
        yield from (each.name for each in names if each.name.startswith(prefix))

    def _walk(self, words: Sequence[str]) -> tuple[_Node, int]:
        """Follow words as far as they name something below; a command may have arguments."""
        node = self._root
        for used in range(len(words)):
            if not node.children:
                return node, used
            child = self._child(node, words[: used + 1])
            if child is None:
                return node, used
            node = child
        return node, len(words)

    def _child(self, node: _Node, words: Sequence[str]) -> _Node | None:
        """The node that the last of the words leads to, None if it is an argument already."""
        word, before = words[-1], " ".join(words[:-1])
        exact = word if before else SHORT.get(word, word)
        if exact in node.children:
            return node.children[exact]
        found = [name for name in node.children if name.startswith(word)] if word else []
        if len(found) == 1:
            return node.children[found[0]]
        if node.command is not None:
            return None
        if found:
            raise UnknownCommand("ambiguous", f"could be {' '.join(found)}", " ".join(words))
        names = self._runnable(node)
        alike = nearest(word, names)
        if before:
            raise UnknownCommand(f"unknown word: {word}", alike or _one_of(names), before)
        raise UnknownCommand("unknown command", alike or "help lists the commands", word)

    def _runnable(self, node: _Node) -> list[str]:
        return [name for name, child in node.children.items() if self._any_runs(child)]

    def _any_runs(self, node: _Node) -> bool:
        if node.command is not None and node.command.function is not None:
            return True
        return any(self._any_runs(child) for child in node.children.values())

    def _under(self, each: Command, node: _Node) -> bool:
        return node.command is each or any(
            self._under(each, child) for child in node.children.values()
        )

    def takes_rest(self, words: Sequence[str]) -> bool:
        """Whether what follows these words is one last word, up to the end of the line."""
        try:
            node, used = self._walk(words)
            if node.command is None or used == len(words):
                return False
            walk = Walk(node.command.parameters)
            for word in words[used:]:
                walk.take(word, quoted=False)
        except UserError:
            return False
        return walk.due is not None and walk.due.kind.takes == "line"


def _one_of(names: Sequence[str]) -> str:
    return "one of " + " ".join(names)
