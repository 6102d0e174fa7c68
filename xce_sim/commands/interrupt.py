"""Ctrl-C while something runs: the first press asks, the second insists.

The first sets a flag that is looked at between decisions, where everything is whole; the second
raises `KeyboardInterrupt` wherever the program stands. At the prompt nothing of this is in force.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """The flag, and the handler that sets it while a command runs."""

    def __init__(self) -> None:
        self.requested = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Within, the first Ctrl-C sets `requested`; afterwards the old handler is back.

        Elsewhere than in the main thread signals can not be watched; then only the flag counts.
        """
        self.requested = False
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._pressed)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _pressed(self, _signal: int, _frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
