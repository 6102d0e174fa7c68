"""One loop for every kind of input: read a line, run its commands, show their results.

Errors end here: what a person did wrong is shown, a defect of the program is named and its
traceback logged, and the loop goes on. Lines that were not typed are echoed after the prompt, "so
that the output reads as a transcript".
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import closing

from xce_sim.commands.parser import Statement
from xce_sim.commands.registry import UnknownCommand
from xce_sim.commands.results import (
    Quit,
    ReplayComplete,
    Result,
    Results,
    Script,
    Stopped,
    TraceTaken,
)
from xce_sim.commands.session import Session
from xce_sim.errors import STATUS_ERROR, STATUS_INTERRUPTED, STATUS_OK, UserError
from xce_sim.render import control_views
from xce_sim.render.console import Console, OutputClosed, plain_text
from xce_sim.render.views import lines_of
from xce_sim.repl.batch import InputLine, Source, open_script

PROMPT = "xce> "
PROMPT_WITHIN = "xce>> "
"""Stands before the lines of a script that another one, or a person, has called."""
MAX_DEPTH = 16
"""How deep scripts may call others."""

_LOG = logging.getLogger("xce_sim")


class Loop:
    """Runs lines in a session and shows what comes of them.

    `status` is what the program should end with: 1 once a command of a script has failed (3 for
    a replay that can not be read to its end), 130 once a script was interrupted. `over` is true
    after `quit`.
    """

    def __init__(self, session: Session, console: Console) -> None:
        self.session = session
        self.status = STATUS_OK
        self.over = False
        self._console = console
        self._repeatable: str | None = None
        self._depth = 0
        self._stop_at_error = False
        self._halted = False

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended a script."""
        return self.status == STATUS_INTERRUPTED

    def go_on(self) -> None:
        """Forget an interruption: a person sits there and goes on by hand."""
        if self.interrupted:
            self.status = STATUS_OK

    def run(self, source: Source, *, stop_at_error: bool = False) -> None:
        """Run lines to the end of the source, until `quit`, or (in a script) an interruption."""
        self._stop_at_error = stop_at_error
        while not self.over and not self._halted:
            line = source.next_line()
            if line is None:
                return
            failed = self._run_line(line)
            if failed and stop_at_error and not self._halted:
                self._stop_at(line)
            self._console.flush()
            if not line.typed and self.interrupted:
                return

    def _run_line(self, line: InputLine) -> bool:
        """Run a line; whether any of its commands failed."""
        text = line.text
        if not text.strip():
            if not line.typed or self._repeatable is None:
                return False
            text = self._repeatable
        elif not line.typed:
            self._echo(text)
        try:
            statements = self.session.registry.split(text)
        except UserError as error:
            return self._failed(text.split()[0], error, typed=line.typed)
        failures = [self._run_statement(each, typed=line.typed) for each in statements]
        return any(failures)

    def _run_statement(self, statement: Statement, *, typed: bool) -> bool:
        """Run one command; whether it failed. After `quit` nothing runs any more."""
        if self.over or self._halted or (not typed and self.interrupted):
            return False
        label = statement.words[0].text
        self._repeatable = None
        try:
            command = self.session.registry.find([word.text for word in statement.words])
            label = command.label
            self._show_all(command.run(self.session, statement), typed=typed)
        except UnknownCommand as error:
            return self._failed(error.typed, error, typed=typed)
        except UserError as error:
            return self._failed(label, error, typed=typed)
        except KeyboardInterrupt:
            self._interrupted(label, typed=typed)
            return True
        except OutputClosed:
            raise
        except Exception as error:  # noqa: BLE001  a defect must leave the session usable
            _LOG.exception("internal error in: %s", statement.text)
            self._console.show(control_views.internal_error(label, error))
            if not typed:
                self.status = max(self.status, STATUS_ERROR)
            return True
        self._repeatable = statement.text if command.repeats else None
        return False

    def _show_all(self, results: Results, *, typed: bool) -> None:
        if results is None:
            return
        several = results if isinstance(results, Iterable) else (results,)
        for result in several:
            self._show(result, typed=typed)

    def _show(self, result: Result, *, typed: bool) -> None:
        settings = self.session.settings
        terminal = self._console.terminal and typed
        lines = lines_of(result, settings, terminal=terminal)
        if isinstance(result, TraceTaken) and result.copy is not None:
            kept = list(lines)
            self._console.show(kept)
            failure = result.copy("".join([plain_text(line) + "\n" for line in kept]))
            if failure is not None:
                self._console.show(lines_of(failure, settings, terminal=terminal))
            return
        self._console.show(lines)
        if isinstance(result, Quit):
            self.over = True
        elif isinstance(result, Script):
            self._source(result.path, typed=typed)
        elif isinstance(result, Stopped) and result.cause == "interrupted" and not typed:
            self.status = STATUS_INTERRUPTED
        elif isinstance(result, ReplayComplete) and result.damage is not None and not typed:
            self.status = max(self.status, result.damage.status)

    def _source(self, path: str, *, typed: bool) -> None:
        """Run a script from within; one that calls itself for ever is stopped.

        What fails in it counts for the program's end unless a person has called it.
        """
        if self._depth >= MAX_DEPTH:
            raise UserError(f"{path} is the {MAX_DEPTH}th script within another")
        self._depth += 1
        try:
            with closing(open_script(path)) as script:
                self.run(script, stop_at_error=self._stop_at_error)
        finally:
            self._depth -= 1
            if typed:
                self.status = STATUS_OK

    def _failed(self, label: str, error: UserError, *, typed: bool) -> bool:
        self._console.show(control_views.error(label, error))
        if not typed:
            self.status = max(self.status, error.status)
        return True

    def _interrupted(self, label: str, *, typed: bool) -> None:
        """Ctrl-C outside the steps of a replay, or pressed twice within one."""
        self._console.show(((("bad", f"[sim] {label}:"), ("plain", " interrupted")),))
        if not typed:
            self.status = STATUS_INTERRUPTED

    def _stop_at(self, line: InputLine) -> None:
        self._halted = True
        text = f" stopped at the first error, {line.origin}"
        self._console.show(((("bad", "[sim] script:"), ("plain", text)),))

    def _echo(self, text: str) -> None:
        shown = text.strip().replace("\t", " ")
        prompt = PROMPT if not self._depth else PROMPT_WITHIN
        self._console.show(((("dim", prompt), ("plain", shown)),))
