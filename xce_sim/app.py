"""`xce-sim` put together: a replay, an engine, and a headless run or a sitting at the REPL.

What happens is decided below; here is only which parts work together, and how the program ends.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper

from xce_sim.cli import SimOptions
from xce_sim.errors import UserError
from xce_sim.headless import new_core, play_headless
from xce_sim.program import guarded_run
from xce_sim.render import program_views
from xce_sim.render.console import Console
from xce_sim.replay.reader import open_replay

_LOG = logging.getLogger("xce_sim")


def simulate(options: SimOptions) -> int:
    """Run `xce-sim`; gives the exit status."""
    return guarded_run("xce-sim", lambda output, errors: _simulate(options, output, errors))


def _simulate(options: SimOptions, output: Console, errors: Console) -> int:
    with (
        _logging(options, errors),
        open_replay(options.replay, allow_truncated=options.allow_truncated) as replay,
    ):
        _LOG.info("playing %s: mode %s", options.replay, replay.header.mode)
        if options.interactive:
            from xce_sim.sitting import sit  # noqa: PLC0415  heavy: all commands

            return sit(options, replay, output)
        return play_headless(options, replay, new_core(), output, errors)


@contextmanager
def _logging(options: SimOptions, errors: Console) -> Iterator[None]:
    """The program's own log: to a file, with `-v` to standard error, or of defects alone there."""
    _LOG.setLevel(logging.DEBUG if options.verbose else logging.INFO)
    handler: logging.Handler | None = None
    if options.log is not None:
        handler = _log_file(options.log, options.replay, errors)
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


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, 0o666)


class _LogFile(logging.FileHandler):
    """The log; a failed write is told once, and the program goes on without."""

    def __init__(self, path: str, errors: Console) -> None:
        self._path = path
        self._errors = errors
        self._failed = False
        super().__init__(path, encoding="utf-8", errors="backslashreplace")

    def _open(self) -> TextIOWrapper:
        """Open the file without waiting for a reader, should it be a pipe."""
        file = open(self.baseFilename, "a", encoding="utf-8", errors=self.errors, opener=_at_once)  # noqa: SIM115
        os.set_blocking(file.fileno(), True)
        return file

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802
        """Something could not be written."""
        self._tell(sys.exc_info()[1])

    def close(self) -> None:
        """Close the file, whatever may still wait to be written."""
        try:
            super().close()
        except OSError as error:
            self._tell(error)

    def _tell(self, error: BaseException | None) -> None:
        if not self._failed:
            self._failed = True
            cause = getattr(error, "strerror", None) or str(error)
            text = f"log {self._path} can not be written: {cause}"
            self._errors.show(program_views.program_line("xce-sim", text))


def _log_file(path: str, replay: str, errors: Console) -> logging.FileHandler:
    from xce_sim.commands.trace_file import refuse_guarded  # noqa: PLC0415  only with --log

    refuse_guarded(path, [(replay, "the replay being played")])
    try:
        return _LogFile(path, errors)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise UserError(f"log {path} can not be opened: {cause}") from None
