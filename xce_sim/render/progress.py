"""A progress bar on standard error, at a terminal only; nothing at all elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_SECONDS = 0.1
"""How often it is drawn anew at most."""


class Progress(AbstractContextManager["Progress"]):
    """A bar with a text behind it; a context manager.

    `total` is the whole of whatever `done` counts, None when it is not known.
    """

    def __init__(self, what: str, total: int | None) -> None:
        self._what = what
        self._total = total
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._next = 0.0

    def __enter__(self) -> Progress:
        if sys.stderr is not None and sys.stderr.isatty():
            self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def due(self) -> bool:
        """Whether it is time to draw again; cheap enough to be asked often."""
        return self._bar is not None and time.monotonic() >= self._next

    def show(self, done: int, text: str) -> None:
        """Draw it."""
        if self._bar is None or self._task is None:
            return
        self._next = time.monotonic() + _SECONDS
        self._bar.update(self._task, completed=done, text=text, refresh=True)

    def show_if_due(self, text: str) -> None:
        """Draw a new text now and then, where the whole is not known."""
        if self.due:
            self.show(0, text)

    def _start(self) -> None:
        from rich.console import Console  # noqa: PLC0415  heavy: only where it is shown
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
        from rich.progress import Progress as RichProgress  # noqa: PLC0415

        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[text]}", markup=False),
            *((TimeRemainingColumn(),) if self._total else ()),
            console=Console(stderr=True, markup=False, emoji=False, highlight=False),
            auto_refresh=False,
            transient=True,
        )
        self._task = self._bar.add_task(self._what, total=self._total, text="")
        self._bar.start()
