"""Opening replay files: which form a name means, and the bytes behind it.

The form follows from the suffix (`.replay` binary, `.jsonl` JSON Lines, either with `.gz` when
reading), never from the content; the content is only looked at to say what is wrong.
"""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Literal

from xce_sim.errors import ReplayError, TruncatedReplay

Form = Literal["binary", "text"]
SUFFIXES: dict[str, Form] = {".replay": "binary", ".jsonl": "text"}

_GZIP = b"\x1f\x8b"
_HINT = "use .replay (binary) or .jsonl (JSON Lines), each also packed as .gz"


def form_of(path: str | os.PathLike[str]) -> tuple[Form, bool]:
    """The form that a file name means and whether it is packed; `ReplayError` for any other."""
    name = Path(path).name
    packed = name.endswith(".gz")
    form = SUFFIXES.get(Path(name.removesuffix(".gz")).suffix)
    if form is None:
        raise ReplayError(
            "the suffix does not tell the form of the replay", file=str(path), hint=_HINT
        )
    return form, packed


def unpacked_form(path: str | os.PathLike[str]) -> Form:
    """The form that a file to be written is to have; it can not be packed."""
    form, packed = form_of(path)
    if packed:
        raise ReplayError(
            "a replay is not written packed", file=str(path), hint="pack it afterwards"
        )
    return form


class Source:
    """The bytes of a replay file, unpacked; a context manager.

    Errors of the operating system and of a damaged package are `ReplayError`s that name the file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = str(path)
        self.form, self._packed = form_of(path)
        self._cut_off: str | None = None
        try:
            self._file = Path(path).open("rb")  # noqa: SIM115 - closed by close
            if self._file.peek(1) == b"":
                self._file.close()
                raise ReplayError("the file is empty", file=self.name)
            self._raise_if_other_form()
        except OSError as error:
            raise ReplayError(reason(error), file=self.name) from None
        self._bytes: BinaryIO = self._file
        if self._packed:
            self._bytes = gzip.GzipFile(fileobj=self._file)  # type: ignore[assignment]

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes, none at the end.

        A package that is cut off ends early; `end` then tells.
        """
        try:
            return self._bytes.read1(size)  # type: ignore[attr-defined, no-any-return]
        except EOFError:
            self._cut_off = "the package is cut off"
            return b""
        except (OSError, zlib.error) as error:
            raise ReplayError(f"can not be read: {reason(error)}", file=self.name) from None

    def end(self) -> None:
        """Raise `TruncatedReplay` if the bytes ended early although the last event is whole."""
        if self._cut_off is not None:
            raise TruncatedReplay(self._cut_off, file=self.name)

    def _raise_if_other_form(self) -> None:
        """Say what a file is that can not have the form of its suffix."""
        start = self._file.peek(8)[:8]
        if self._packed:
            wrong = None if start[:2] == _GZIP[: len(start)] else "is not packed"
        elif start.startswith(_GZIP):
            wrong = "is packed, give it the suffix .gz"
        elif self.form == "text":
            wrong = "is binary" if b"\0" in start else None
        else:
            printable = all(byte >= 0x20 or byte in b"\t\r\n" for byte in start)
            wrong = "is text" if printable else None
        if wrong is not None:
            self._file.close()
            raise ReplayError(
                f"not a replay of the form that its suffix tells: it {wrong}",
                file=self.name,
                hint=_HINT,
            )


def reason(error: Exception) -> str:
    """Why a file can not be used, in a few words."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a directory, not a replay"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
