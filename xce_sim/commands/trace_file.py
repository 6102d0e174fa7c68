"""The file that traces are copied to: opened for appending, written at once, never lost quietly.

A file that already serves another purpose here (the replay being played, a running script, the
log, the output) is refused, by device and inode, so links do not help. A failed write is told
once; the file stays attached, and later traces are tried again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from xce_sim.commands.results import TraceWriteFailed
from xce_sim.errors import UserError
from xce_sim.trace.settings import check_path


class CopyFile:
    """An open trace file; `path` is as the person wrote it."""

    def __init__(self, path: str, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._failed = False

    @property
    def path(self) -> str:
        """The path as the person wrote it."""
        return self._path

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode."""
        return _identity(os.fstat(self._descriptor))

    def write(self, text: str) -> TraceWriteFailed | None:
        """Append a text; the failure of the first write that fails, None otherwise."""
        data = text.encode("utf-8", "backslashreplace")
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            if self._failed:
                return None
            self._failed = True
            return TraceWriteFailed(path=self._path, cause=error.strerror or str(error))
        return None

    def close(self) -> None:
        """Close it; what was written is already with the operating system."""
        os.close(self._descriptor)


def open_copy(path: str, guarded: Iterable[tuple[str, str]]) -> CopyFile:
    """Open a file for appending, made if it is not there.

    `guarded` are paths that must not be written to, each with what it is. `UserError` that names
    the file and the cause when it can not be opened or is one of them.
    """
    check_path(path)
    try:
        refuse_guarded(path, guarded)
        # Without O_NONBLOCK a pipe that nobody reads would hold the program here for ever.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        descriptor = os.open(path, flags, 0o666)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path} can not be opened: {cause}") from None
    os.set_blocking(descriptor, True)
    return CopyFile(path, descriptor)


def refuse_guarded(path: str, guarded: Iterable[tuple[str, str]]) -> None:
    """`UserError` when the path is one of these files under whatever name."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(found.st_mode):
        return
    for other, what in guarded:
        try:
            same = _identity(os.stat(other)) == _identity(found)
        except OSError:
            continue
        if same:
            raise UserError(f"{path} is {what}", hint="name another file")


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
