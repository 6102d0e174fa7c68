"""Sittings at the REPL without a terminal, over small replays written as JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xce_sim.commands.catalogue import standard_registry
from xce_sim.commands.playing import Player
from xce_sim.commands.session import Session
from xce_sim.core.core import Core
from xce_sim.render.console import Console
from xce_sim.repl.batch import InputLine, ListSource
from xce_sim.repl.loop import Loop
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.stops import Stops
from xce_sim.trace.control import TraceControl

HEADER = {"replay": {"version": 1, "mode": "workload"}}


def config(**more: Any) -> dict[str, Any]:
    """A configuration with one queue unless told otherwise."""
    return {"t": 0, "config_push": {"queues": [{"name": "normal", "priority": 50}], **more}}


def hosts(count: int, slots: int = 4, **more: Any) -> dict[str, Any]:
    """Hosts n01, n02, ... of so many slots."""
    workers = [{"name": f"n{i:02d}", "slots": slots, **more} for i in range(1, count + 1)]
    return {"t": 0, "workers_push": workers}


def job(id: int, t: float = 0, **more: Any) -> dict[str, Any]:
    """A job of one task that runs for ten seconds."""
    fields = {"id": id, "user": "alice", "queue": "normal", "run_time": 10, **more}
    return {"t": t, "job_new": fields}


def write_replay(path: Path, *events: dict[str, Any]) -> Path:
    """A workload with these events."""
    path.write_text("".join(json.dumps(each) + "\n" for each in (HEADER, *events)))
    return path


class Sitting:
    """A session and everything that was shown in it."""

    def __init__(self, path: Path, *, terminal: bool = False, check: bool = True) -> None:
        stops, trace = Stops(), TraceControl()

        def start() -> Player:
            return Player(Engine(open_replay(path), Core(check=check)), trace, stops)

        self.session = Session(
            path=str(path),
            player=start(),
            restart=start,
            registry=standard_registry(),
            stops=stops,
            trace=trace,
            guarded=[(str(path), "the replay being played")],
        )
        self._stream = io.StringIO()
        self.loop = Loop(self.session, Console(self._stream, terminal=terminal))

    def run(self, *lines: str, stop_at_error: bool = False) -> str:
        """Run lines as a script would; what they show, without the echo of the lines."""
        self._stream.truncate(self._stream.seek(0))
        self.loop.run(ListSource(lines, "script"), stop_at_error=stop_at_error)
        text = self._stream.getvalue()
        return "".join(
            line for line in text.splitlines(keepends=True) if not line.startswith("xce> ")
        )

    def type(self, *lines: str) -> str:
        """Run lines as if a person typed them."""
        self._stream.truncate(self._stream.seek(0))
        self.loop.run(_Typed(lines))
        return self._stream.getvalue()


class _Typed:
    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)

    def next_line(self) -> InputLine | None:
        text = next(self._lines, None)
        return None if text is None else InputLine(text=text, typed=True)
