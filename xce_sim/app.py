"""`xce-sim` put together: a replay, an engine, and a headless run or a sitting at the REPL.

What happens is decided below; here is only which parts work together, and how the program ends.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from xce_sim.cli import SimOptions
from xce_sim.commands.catalogue import standard_registry
from xce_sim.commands.playing import Player
from xce_sim.commands.session import Session
from xce_sim.commands.trace_file import refuse_guarded
from xce_sim.core.core import Core
from xce_sim.errors import STATUS_OK, UserError
from xce_sim.headless import play_headless
from xce_sim.program import guarded_run
from xce_sim.render import control_views
from xce_sim.render.console import Console
from xce_sim.repl.batch import ListSource, Source, StreamSource, open_script
from xce_sim.repl.loop import Loop
from xce_sim.replay.reader import open_replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.stops import Stops
from xce_sim.trace.control import TraceControl

_LOG = logging.getLogger("xce_sim")


def simulate(options: SimOptions) -> int:
    """Run `xce-sim`; gives the exit status."""
    return guarded_run("xce-sim", lambda output, errors: _simulate(options, output, errors))


def _simulate(options: SimOptions, output: Console, errors: Console) -> int:
    with (
        _logging(options),
        open_replay(options.replay, allow_truncated=options.allow_truncated) as replay,
    ):
        _LOG.info("playing %s: mode %s", options.replay, replay.header.mode)
        if options.interactive:
            return _sit(options, Engine(replay, _new_core()), output)
        return play_headless(options, replay, _new_core(), output, errors)


def _new_core() -> Core:
    """A core that compares its accounts with their definition if the environment says so."""
    return Core(check=os.environ.get("XCE_SIM_CHECK", "") not in ("", "0"))


def _sit(options: SimOptions, engine: Engine, output: Console) -> int:
    """A sitting at the REPL: first what the command line brings, then standard input."""
    scripts = [
        (value, open_script(value) if kind == "script" else ListSource((value,), "-e"))
        for kind, value in options.prelude
    ]
    session = _new_session(options, engine)
    session.guarded += [
        (name, "a running script") for name, source in scripts if isinstance(source, StreamSource)
    ]
    loop = Loop(session, output)
    output.show(control_views.opened(options.replay, engine.header))
    try:
        for _, source in scripts:
            loop.run(source, stop_at_error=options.batch)
            if loop.over or loop.interrupted or (options.batch and loop.status != STATUS_OK):
                break
        else:
            if options.batch:
                return loop.status
        return _read_input(loop, session, output, batch=options.batch)
    finally:
        session.trace.close()


def _read_input(loop: Loop, session: Session, output: Console, *, batch: bool) -> int:
    """Go on with standard input, unless the sitting is over."""
    terminal = output.terminal and sys.stdin is not None and sys.stdin.isatty()
    if loop.over or batch or (loop.interrupted and not terminal):
        return loop.status
    loop.go_on()
    loop.run(_standard_input(session, terminal=terminal))
    return loop.status


def _standard_input(session: Session, *, terminal: bool) -> Source:
    if sys.stdin is None:
        return ListSource((), "standard input")
    if not terminal:
        return StreamSource(sys.stdin.buffer, "standard input")
    from xce_sim.repl.prompt import TerminalSource, open_history  # noqa: PLC0415  heavy

    history = open_history(os.environ)
    session.history = lambda: tuple(reversed(list(history.load_history_strings())))
    return TerminalSource(session, environment=os.environ, history=history)


def _new_session(options: SimOptions, engine: Engine) -> Session:
    stops, trace = Stops(), TraceControl()

    def restart() -> Player:
        replay = open_replay(options.replay, allow_truncated=options.allow_truncated)
        return Player(Engine(replay, _new_core()), trace, stops)

    session = Session(
        path=options.replay,
        player=Player(engine, trace, stops),
        restart=restart,
        registry=standard_registry(),
        stops=stops,
        trace=trace,
    )
    session.guarded.append((options.replay, "the replay being played"))
    if options.log is not None:
        session.guarded.append((options.log, "the log"))
    return session


@contextmanager
def _logging(options: SimOptions) -> Iterator[None]:
    """The program's own log: to a file, with `-v` to standard error, or of defects alone there."""
    _LOG.setLevel(logging.DEBUG if options.verbose else logging.INFO)
    handler: logging.Handler | None = None
    if options.log is not None:
        handler = _log_file(options.log, options.replay)
    elif options.verbose:
        handler = logging.StreamHandler()
    if handler is None:
        yield
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    _LOG.addHandler(handler)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        handler.close()


def _log_file(path: str, replay: str) -> logging.FileHandler:
    refuse_guarded(path, [(replay, "the replay being played")])
    try:
        return logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UserError(f"log {path} can not be opened: {error.strerror}") from None
