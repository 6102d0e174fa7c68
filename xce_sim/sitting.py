"""`xce-sim -i`: a replay, an engine and all commands put together for a sitting at the REPL."""

from __future__ import annotations

import os
import sys

from xce_sim.cli import SimOptions
from xce_sim.commands.catalogue import standard_registry
from xce_sim.commands.playing import Player
from xce_sim.commands.session import Session
from xce_sim.errors import STATUS_ERROR, STATUS_OK
from xce_sim.headless import guarded_files, new_core, new_recording
from xce_sim.render import program_views
from xce_sim.render.console import Console
from xce_sim.repl.batch import ListSource, Source, StreamSource, open_script
from xce_sim.repl.loop import Loop
from xce_sim.replay.reader import Replay, open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.stops import Stops
from xce_sim.sim.verification import Verification
from xce_sim.trace.control import TraceControl


def sit(options: SimOptions, replay: Replay, output: Console) -> int:
    """A sitting at the REPL: first what the command line brings, then standard input."""
    scripts = [
        (value, open_script(value) if kind == "script" else ListSource((value,), "-e"))
        for kind, value in options.prelude
    ]
    running = [
        (name, "a running script") for name, source in scripts if isinstance(source, StreamSource)
    ]
    session = _new_session(options, replay, [*guarded_files(options), *running])
    loop = Loop(session, output)
    output.show(program_views.opened(options.replay, replay.header))
    try:
        for _, source in scripts:
            loop.run(source, stop_at_error=options.batch)
            if loop.over or loop.interrupted or (options.batch and loop.status != STATUS_OK):
                break
        else:
            if options.batch:
                return _status(loop, session)
        _read_input(loop, session, output, batch=options.batch)
        return _status(loop, session)
    finally:
        session.trace.close()
        session.player.close()


def _status(loop: Loop, session: Session) -> int:
    """What the program ends with: differences and a failed recording count as well."""
    verification = session.player.engine.verification
    failed = session.player.output_failure is not None
    failed = failed or (verification is not None and verification.differences > 0)
    return max(loop.status, STATUS_ERROR) if failed else loop.status


def _read_input(loop: Loop, session: Session, output: Console, *, batch: bool) -> None:
    """Go on with standard input, unless the sitting is over."""
    terminal = output.terminal and sys.stdin is not None and sys.stdin.isatty()
    if loop.over or batch or (loop.interrupted and not terminal):
        return
    loop.go_on()
    loop.run(_standard_input(session, terminal=terminal))


def _standard_input(session: Session, *, terminal: bool) -> Source:
    if sys.stdin is None:
        return ListSource((), "standard input")
    if not terminal:
        return StreamSource(sys.stdin.buffer, "standard input")
    from xce_sim.repl.prompt import TerminalSource, open_history  # noqa: PLC0415  heavy

    history = open_history(os.environ)
    session.history = lambda: tuple(reversed(list(history.load_history_strings())))
    return TerminalSource(session, environment=os.environ, history=history)


def _new_session(options: SimOptions, replay: Replay, guarded: list[tuple[str, str]]) -> Session:
    stops, trace = Stops(), TraceControl()

    def player(replay: Replay) -> Player:
        recording = new_recording(options, replay.header, guarded)
        verification = Verification() if options.verify else None
        engine = Engine(replay, new_core(), recording=recording, verification=verification)
        return Player(engine, trace, stops)

    def restart() -> Player:
        return player(open_replay(options.replay, allow_truncated=options.allow_truncated))

    session = Session(
        path=options.replay,
        player=player(replay),
        restart=restart,
        registry=standard_registry(),
        stops=stops,
        trace=trace,
    )
    session.guarded += guarded
    if options.output is not None:
        session.guarded.append((options.output, "the output"))
    return session
