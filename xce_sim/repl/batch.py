"""Lines that were not typed at a terminal: piped in, from script files, from the command line.

They are read as UTF-8 whatever the machine's locale is; bytes that are none are kept visible as
`\\xff`. Each line knows where it stands, so that an error can name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from xce_sim.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class InputLine:
    """One line without its end; `origin` is `file:line`, `typed` is false unless by a person."""

    text: str
    origin: str = ""
    typed: bool = False


MAX_LINE = 1 << 20
"""Bytes of a line; a longer one is no command, and must not take all of memory."""


class Source(Protocol):
    """Where lines come from."""

    def next_line(self) -> InputLine | None:
        """The next line, None at the end."""


class StreamSource:
    """A stream of bytes, read line by line as they come."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._number = 0

    def next_line(self) -> InputLine | None:
        """The next line, None at the end; `UserError` for one that is far too long."""
        data = self._stream.readline(MAX_LINE + 1)
        if not data:
            return None
        self._number += 1
        if len(data) > MAX_LINE:
            where = f"{self._name}:{self._number}"
            raise UserError(
                f"{where}: a line of more than {MAX_LINE} bytes", hint="this is no script"
            )
        encoding = "utf-8-sig" if self._number == 1 else "utf-8"
        text = data.decode(encoding, "backslashreplace").rstrip("\r\n")
        return InputLine(text=text, origin=f"{self._name}:{self._number}")

    def close(self) -> None:
        """Give the stream back."""
        self._stream.close()


class ListSource:
    """Lines that are there already."""

    def __init__(self, lines: Iterable[str], name: str) -> None:
        self._lines: Iterator[tuple[int, str]] = enumerate(lines, start=1)
        self._name = name

    def next_line(self) -> InputLine | None:
        """The next line, None at the end."""
        found = next(self._lines, None)
        return (
            None if found is None else InputLine(text=found[1], origin=f"{self._name}:{found[0]}")
        )


def open_script(path: str) -> StreamSource:
    """A script file, closed when the program ends; `UserError` when it can not be read."""
    try:
        stream = open(path, "rb")  # noqa: SIM115  read line by line, for as long as it runs
        stream.peek(1)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise UserError(f"script {path} can not be read: {cause}") from None
    return StreamSource(stream, path)
