"""Lines of a record file, plain or packed with gzip, in constant memory."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from xce_sim.errors import ReplayError
from xce_sim.replay.source import reason

MAX_LINE = 1 << 16
"""Bytes of a line that are looked at; what is longer is read as several lines."""

_GZIP = b"\x1f\x8b"

Line = tuple[int, int, bytes]
"""Number from 1, offset in the unpacked text, content."""


class TextFile:
    """A file of lines that can be read several times; errors are `ReplayError`s that name it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with self._named(), self.path.open("rb") as file:
            self.packed = file.read(len(_GZIP)) == _GZIP

    def lines(self) -> Iterator[Line]:
        """All lines."""
        with self._named(), self._open() as file:
            number, offset = 1, 0
            while line := file.readline(MAX_LINE):
                yield number, offset, line
                number, offset = number + 1, offset + len(line)

    def lines_at(self, places: Iterator[tuple[int, int]]) -> Iterator[Line]:
        """The lines that begin at these (number, offset) places, in any order.

        A packed file is unpacked in memory, since it can not be read in any order.
        """
        with self._named(), self._open() as file:
            if self.packed:
                whole = file.read()
                for number, offset in places:
                    end = whole.find(b"\n", offset, offset + MAX_LINE)
                    yield number, offset, whole[offset : end if end >= 0 else offset + MAX_LINE]
                return
            for number, offset in places:
                file.seek(offset)
                yield number, offset, file.readline(MAX_LINE)

    def _open(self) -> BinaryIO:
        if self.packed:
            return gzip.open(self.path)  # type: ignore[return-value]
        return self.path.open("rb")

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except EOFError:
            raise ReplayError("the package is cut off", file=str(self.path)) from None
        except (OSError, zlib.error) as error:
            raise ReplayError(reason(error), file=str(self.path)) from None
