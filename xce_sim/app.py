"""`xce-sim` put together: a replay, an engine, and a headless run or a sitting at the REPL.

What happens is decided below; here is only which parts work together, and how the program ends.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from xce_sim.cli import SimOptions
from xce_sim.errors import UserError
from xce_sim.headless import new_core, play_headless
from xce_sim.program import guarded_run
from xce_sim.render.console import Console
from xce_sim.replay.reader import open_replay

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
            from xce_sim.sitting import sit  # noqa: PLC0415  heavy: all commands

            return sit(options, replay, output)
        return play_headless(options, replay, new_core(), output, errors)


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
    from xce_sim.commands.trace_file import refuse_guarded  # noqa: PLC0415  only with --log

    refuse_guarded(path, [(replay, "the replay being played")])
    try:
        return logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UserError(f"log {path} can not be opened: {error.strerror}") from None
