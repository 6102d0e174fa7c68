"""What every command works on: the replay being played, breakpoints, traces, settings.

A session is the only thing that commands change. Nothing is read, printed or decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from xce_sim.commands.interrupt import Interrupt
from xce_sim.model.clock import TimeMode
from xce_sim.model.units import UnitsMode
from xce_sim.sim.stops import Stops
from xce_sim.trace.control import TraceControl
from xce_sim.trace.store import TraceStore
from xce_sim.trace.wording import Display

if TYPE_CHECKING:
    from xce_sim.commands.playing import Player
    from xce_sim.commands.registry import Registry

Switch = Literal["on", "off"]

MIN_WIDTH = 40
MAX_WIDTH = 100_000
DEFAULT_WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How things are shown: one value of each setting.

    `width` is where a list inside a line is cut (0: never); lines are not wrapped. `echo` says
    whether `step` shows the decisions of a round.
    """

    units: UnitsMode = "auto"
    time: TimeMode = "utc"
    width: int = DEFAULT_WIDTH
    echo: Switch = "on"

    @property
    def display(self) -> Display:
        """The part that the trace needs."""
        return Display(units=self.units, time=self.time)


@dataclass(slots=True, kw_only=True)
class Session:
    """The state of one sitting.

    `path` is the replay as it was named; `guarded` are files that must not be written to, each
    with the words that say what it is (`the replay being played`). `history` gives the lines that
    were typed, oldest first; `restart` a player at the beginning of the replay.
    """

    path: str
    player: Player
    restart: Callable[[], Player]
    registry: Registry
    stops: Stops = field(default_factory=Stops)
    trace: TraceControl = field(default_factory=TraceControl)
    store: TraceStore = field(default_factory=TraceStore)
    settings: Settings = field(default_factory=Settings)
    interrupt: Interrupt = field(default_factory=Interrupt)
    guarded: list[tuple[str, str]] = field(default_factory=list)
    history: Callable[[], Sequence[str]] = tuple
