"""Writing a replay of either form: one whole message for each event, as it happens.

Every message is one `write` on an unbuffered file, so that a recording whose process is killed
"loses at most its last message" (the system may have taken a part of it). `OSError`s of the file
pass through: what a full disk means is for the caller to say.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Protocol

from xce_sim.model.event import Event, Header
from xce_sim.replay.codec import encode
from xce_sim.replay.source import Form, unpacked_form
from xce_sim.replay.text_format import encode_line


class ByteSink(Protocol):
    """Anything that takes bytes."""

    def write(self, data: bytes, /) -> int | None:
        """Take `data`, or as much of it as the result says."""
        ...  # pragma: no cover


class ReplayWriter:
    """Writes the header at once and then each event given; a context manager.

    `target` is a path, whose suffix tells the form and which is replaced, or an open binary file,
    for which `form` must be given and which is not closed. `size` counts the bytes written.
    """

    def __init__(
        self,
        target: str | os.PathLike[str] | ByteSink,
        header: Header,
        *,
        form: Form | None = None,
    ) -> None:
        self._owned = None
        if isinstance(target, str | os.PathLike):
            form = form or unpacked_form(target)
            self._owned = Path(target).open("wb", buffering=0)  # noqa: SIM115 - closed by close
            self._sink: ByteSink = self._owned
        else:
            self._sink = target
        if form is None:
            raise ValueError("the form of an open file must be given")
        self.form: Form = form
        self.size = 0
        self._encode = encode if form == "binary" else encode_line
        self._put(self._encode(header))

    def __enter__(self) -> ReplayWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, event: Event) -> int:
        """Append an event and give the bytes it took.

        `ReplayError` for an event that the format can not hold, before anything is written.
        """
        return self._put(self._encode(event))

    def close(self) -> None:
        """Close the file if it was opened here."""
        if self._owned is not None:
            self._owned.close()

    def _put(self, data: bytes) -> int:
        size = len(data)
        while data:
            written = self._sink.write(data)
            data = b"" if written is None else data[written:]
        self.size += size
        return size
