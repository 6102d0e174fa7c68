"""Settings: how things are shown. Nothing that is decided depends on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Annotated, Any, cast, get_args

from xce_sim.commands.kinds import ChoiceKind, NumberKind
from xce_sim.commands.registry import Command, command, planned
from xce_sim.commands.results import SettingShown
from xce_sim.commands.session import MAX_WIDTH, MIN_WIDTH, Session, Settings, Switch
from xce_sim.model.clock import TimeMode
from xce_sim.model.units import UNITS_MODES, UnitsMode

SECTION = "Settings"
NAMES = tuple(each.name for each in fields(Settings))

UnitsWord = Annotated[str, ChoiceKind("units", UNITS_MODES)]
TimeWord = Annotated[str, ChoiceKind("time", get_args(TimeMode))]
SwitchWord = Annotated[str, ChoiceKind("echo", get_args(Switch))]
Width = Annotated[int, NumberKind("width", MIN_WIDTH, MAX_WIDTH, also=0)]
SettingName = Annotated[str, ChoiceKind("setting", NAMES)]


@command("set units", SECTION)
def set_units(session: Session, mode: UnitsWord) -> SettingShown:
    """Show amounts in another way, in stored traces too.

    `auto` takes the largest unit in which an amount is exact, `raw` the resource's own unit
    without its name; a figure that a forced unit rounds is marked with `~`.

    Usage: set units raw|auto|K|M|G|T
    Example: set units G
    """
    return _changed(session, units=cast("UnitsMode", mode))


@command("set time", SECTION)
def set_time(session: Session, mode: TimeWord) -> SettingShown:
    """Show times in UTC, in the machine's zone, or as seconds since 1970.

    Usage: set time utc|local|raw
    Example: set time raw
    """
    return _changed(session, time=cast("TimeMode", mode))


@command("set width", SECTION)
def set_width(session: Session, columns: Width) -> SettingShown:
    """Cut lists of jobs and hosts inside a line when it is N columns long; 0 never cuts.

    A list that is cut ends with how many more there are. Lines are never wrapped.

    Usage: set width N
    Example: set width 0
    """
    return _changed(session, width=columns)


@command("set echo", SECTION)
def set_echo(session: Session, switch: SwitchWord) -> SettingShown:
    """Show every decision while stepping, or not; traced decisions are always shown.

    Usage: set echo on|off
    Example: set echo off
    """
    return _changed(session, echo=cast("Switch", switch))


@command("show", SECTION)
def show(session: Session, name: SettingName | None = None) -> Iterator[SettingShown]:
    """Show a setting, or all of them.

    Usage: show [units|time|width|echo]
    Example: show
    """
    for each in NAMES if name is None else (name,):
        yield _shown(session, each)


def _changed(session: Session, **changes: Any) -> SettingShown:
    session.settings = replace(session.settings, **changes)
    (name,) = changes
    return _shown(session, name)


def _shown(session: Session, name: str) -> SettingShown:
    return SettingShown(name=name, value=str(getattr(session.settings, name)))


COMMANDS: tuple[Command, ...] = (
    set_units,
    set_time,
    set_width,
    set_echo,
    planned("set output", SECTION),
    show,
)
