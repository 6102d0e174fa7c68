"""Which settings hold for which session.

"Apply the new settings from the next scheduling session, leaving the in-progress session traced
according to the settings it started with." A command only ever replaces `next`; a session takes
`next` as its `current` when it begins. A file is closed once neither holds it: "once the session
in progress when the command was issued has ended, or immediately if no session was in progress".

Decides the life of settings and their files. It opens and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from xce_sim.trace.settings import OFF, TraceFile, TraceSettings


class TraceControl:
    """The settings of the session in progress and those of the next one."""

    def __init__(self) -> None:
        self._next = OFF
        self._current: TraceSettings | None = None

    @property
    def next(self) -> TraceSettings:
        """What the next session will use; `OFF` unless tracing was enabled."""
        return self._next

    @property
    def current(self) -> TraceSettings | None:
        """What the session in progress started with; None between sessions."""
        return self._current

    @property
    def replacement(self) -> TraceSettings | None:
        """The settings that will replace those of the session in progress, if any will."""
        if self._current is None or self._current is self._next:
            return None
        return None if not (self._current.on or self._next.on) else self._next

    def enable(self, settings: TraceSettings) -> None:
        """Use these settings from the next session on, in place of whatever was set before."""
        self._set(settings, self._current)

    def disable(self) -> None:
        """Trace nothing from the next session on; what is stored stays."""
        self._set(OFF, self._current)

    def begin_session(self) -> TraceSettings:
        """A session begins: gives the settings that hold until `end_session`."""
        self._set(self._next, self._next)
        return self._next

    def end_session(self) -> None:
        """The session has reported its last decision; without one in progress nothing happens."""
        self._set(self._next, None)

    def close(self) -> None:
        """The program ends: tracing is off at once and every file is closed."""
        self._set(OFF, None)

    def open_files(self) -> tuple[TraceFile, ...]:
        """Every trace file still open, the one of the session in progress first."""
        return _files((self._current, self._next))

    def holds(self, identity: tuple[int, int]) -> bool:
        """Whether a file (device and inode) is "any trace file still open for writing"."""
        return any(file.identity == identity for file in self.open_files())

    def _set(self, following: TraceSettings, current: TraceSettings | None) -> None:
        before = self.open_files()
        self._next, self._current = following, current
        kept = self.open_files()
        for file in before:
            if not any(file is other for other in kept):
                file.close()


def _files(settings: Iterable[TraceSettings | None]) -> tuple[TraceFile, ...]:
    found: list[TraceFile] = []
    for each in settings:
        file = None if each is None else each.file
        if file is not None and not any(file is other for other in found):
            found.append(file)
    return tuple(found)
