"""The only writer to the terminal.

Lines come as spans; their texts are made harmless, painted if colour is wanted, and written. A
reader who has gone away (`| head`) is told to whoever drives the program, once and quietly.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import NoReturn, TextIO

from xce_sim.render.sanitise import sanitised
from xce_sim.render.theme import codes, colour_wanted
from xce_sim.trace.spans import Line

_BATCH = 1000
"""Lines written in one go: a long answer begins to appear before it is complete."""


class OutputClosed(Exception):
    """Nobody reads what is written any more."""


class OutputFailed(OutputClosed):
    """What is written can not be kept, because of a full disk for example; says why."""


class Console:
    """Standard output, or any text stream.

    `terminal` tells whether a person sits there: lists stop early and colours are used.
    """

    def __init__(self, stream: TextIO, *, terminal: bool = False, colour: bool = False) -> None:
        self._stream = stream
        self.terminal = terminal
        self._codes = codes() if colour else None

    @classmethod
    def of_stdout(cls) -> Console:
        """The program's standard output: UTF-8 unless it is a terminal, which knows better."""
        return cls._of(sys.stdout)

    @classmethod
    def of_stderr(cls) -> Console:
        """The program's standard error."""
        return cls._of(sys.stderr)

    @classmethod
    def _of(cls, stream: TextIO | None) -> Console:
        """Of a stream that was closed before the program began (`>&-`): what is written is lost."""
        if stream is None:
            return cls(open(os.devnull, "w", encoding="utf-8"))
        terminal = stream.isatty()
        if isinstance(stream, io.TextIOWrapper):
            encoding = None if terminal else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")
        return cls(
            stream,
            terminal=terminal,
            colour=colour_wanted(terminal=terminal, environment=os.environ),
        )

    def show(self, lines: Iterable[Line]) -> None:
        """Write lines as they come."""
        batch: list[str] = []
        for line in lines:
            batch.append(self.text_of(line))
            if len(batch) >= _BATCH:
                self._write("\n".join(batch) + "\n")
                batch.clear()
        if batch:
            self._write("\n".join(batch) + "\n")

    def write(self, text: str) -> None:
        """Write a text that is already harmless, as it stands."""
        self._write(text)

    def flush(self) -> None:
        """Let everything written so far be seen."""
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def text_of(self, line: Line) -> str:
        """One line as it is written, without its end."""
        if self._codes is None:
            return plain_text(line)
        return "".join(
            f"{before}{sanitised(text)}{after}"
            for style, text in line
            for before, after in (self._codes[style],)
        )

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> NoReturn:
        """Point the stream at nothing, so that its own last flush does not complain either."""
        with suppress(OSError, ValueError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self._stream.fileno())
            os.close(nothing)
        if isinstance(error, BrokenPipeError | ConnectionResetError):
            raise OutputClosed from None
        raise OutputFailed(error.strerror or str(error)) from None


def plain_text(line: Line) -> str:
    """The harmless text of a line, without colours."""
    return sanitised("".join([text for _, text in line]))
