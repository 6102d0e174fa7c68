"""Which word of a command goes to which of its parameters.

A function's signature is its grammar: positional parameters take words in order, `*words` any
number, keyword-only ones stand behind their own name (`queue night`), as a flag alone (`all`), or
with several words (`job 42 43`). The same walk serves running a command and completing it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from xce_sim.commands.kinds import FlagKind, Kind
from xce_sim.commands.parser import Statement
from xce_sim.commands.session import Session
from xce_sim.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter: `name` as it is typed, `target` as the function calls it."""

    name: str
    target: str
    kind: Kind
    keyword: bool
    many: bool
    required: bool

    @property
    def flag(self) -> bool:
        """Whether the word alone is all of it."""
        return isinstance(self.kind, FlagKind)

    @property
    def usage(self) -> str:
        """`N`, `[N]`, `JOBSEL…`, `[queue Q]`, `[all]`."""
        value = self.kind.metavar + ("…" if self.many else "")
        if self.keyword:
            value = self.name if self.flag else f"{self.name} {value}"
        return value if self.required else f"[{value}]"


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a command's function, after the session that every one takes first."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        kind, several = _kind_of(hints[name])
        positional_many = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        found.append(
            Parameter(
                name=name.rstrip("_"),
                target=name,
                kind=kind,
                keyword=parameter.kind is inspect.Parameter.KEYWORD_ONLY,
                many=positional_many or several,
                required=parameter.default is inspect.Parameter.empty and not positional_many,
            )
        )
    return tuple(found)


def _kind_of(hint: Any) -> tuple[Kind, bool]:
    """The kind in an annotation, also inside `… | None`, and whether its value is a tuple."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Annotated:
            value, kind = get_args(part)[:2]
            return kind, get_origin(value) is tuple
    raise TypeError(f"{hint} does not say what kind of argument it is")


class Walk:
    """A walk along the words of a command: tells where each belongs, and what may come next."""

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        self._keywords = {p.name: p for p in parameters if p.keyword}
        self._positional = [p for p in parameters if not p.keyword]
        self._given: set[str] = set()
        self._open: Parameter | None = None
        self._due = False

    @property
    def due(self) -> Parameter | None:
        """The keyword whose word must come next."""
        return self._open if self._due else None

    def take(self, text: str, *, quoted: bool) -> tuple[Parameter, bool] | None:
        """The parameter of the next word, and whether the word is its value; None for no place.

        A word that is only a keyword's name is not a value. `UserError` for a keyword that
        stands twice.
        """
        if self.due is not None:
            return self._value(self.due)
        keyword = None if quoted else self._keywords.get(text)
        if keyword is not None:
            return self._keyword(keyword)
        if self._open is not None:
            return self._value(self._open)
        if self._positional:
            return self._value(self._positional.pop(0))
        return None

    def following(self) -> tuple[list[Parameter], list[Parameter]]:
        """The parameters whose value, and those whose name, could come next."""
        if self.due is not None:
            return [self.due], []
        values = [self._open] if self._open is not None else self._positional[:1]
        return values, [p for p in self._keywords.values() if p.name not in self._given]

    def _keyword(self, parameter: Parameter) -> tuple[Parameter, bool]:
        if parameter.name in self._given:
            raise UserError(f"{parameter.name} stands twice")
        self._given.add(parameter.name)
        if not parameter.flag:
            self._open, self._due = parameter, True
        return parameter, parameter.flag

    def _value(self, parameter: Parameter) -> tuple[Parameter, bool]:
        self._given.add(parameter.name)
        self._open = parameter if parameter.many else None
        self._due = False
        return parameter, True


def bind(
    parameters: tuple[Parameter, ...], statement: Statement, first: int, session: Session
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a command whose own name has `first` words.

    `UserError` that names the offending word.
    """
    walk = Walk(parameters)
    values: dict[str, Any] = {}
    position = first
    while position < len(statement.words):
        word = statement.words[position]
        taken = walk.take(word.text, quoted=word.quoted)
        if taken is None:
            raise UserError(f"unexpected argument: {word.text}")
        parameter, is_value = taken
        if is_value:
            text = word.text
            if parameter.kind.takes == "statement":
                text = statement.rest_from(position).strip()
                position = len(statement.words)
            value = parameter.kind.parse(text, session)
            if parameter.many:
                value = (*values.get(parameter.target, ()), value)
            values[parameter.target] = value
        position += 1
    _complain_about_missing(parameters, walk, values)
    return _arranged(parameters, values)


def _complain_about_missing(
    parameters: tuple[Parameter, ...], walk: Walk, values: dict[str, Any]
) -> None:
    if walk.due is not None:
        raise UserError(f"{walk.due.name} needs {walk.due.kind.metavar} after it")
    for parameter in parameters:
        if parameter.required and parameter.target not in values:
            raise UserError(f"needs {parameter.usage}")


def _arranged(
    parameters: tuple[Parameter, ...], values: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.target not in values:
            continue
        if parameter.keyword:
            keywords[parameter.target] = values[parameter.target]
        elif parameter.many:
            positional.extend(values[parameter.target])
        else:
            positional.append(values[parameter.target])
    return positional, keywords
