"""Turning one form of a replay into the other, without loss."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from xce_sim.errors import ReplayError, TruncatedReplay
from xce_sim.replay.aside import written_aside
from xce_sim.replay.reader import Replay, open_replay
from xce_sim.replay.source import Form, unpacked_form
from xce_sim.replay.writer import ReplayWriter

_STEP = 1 << 12

Progress = Callable[[int], None]
"""Called now and then with the number of events so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """Events and bytes written; `truncated` says where a source that is cut off ended."""

    events: int
    bytes: int
    truncated: TruncatedReplay | None = None


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    allow_truncated: bool = False,
    progress: Progress | None = None,
) -> Converted:
    """Write `source` anew as `target`, each in the form that its suffix tells.

    Streams, into a file beside the target that takes its place at the end; if anything fails the
    target is as it was. `ReplayError` for a source that is damaged, breaks a rule, or is binary
    with fields that this version does not know; `UserError` for a target that can not be written
    or is the source itself.
    """
    form = unpacked_form(target)
    with (
        open_replay(source, allow_truncated=allow_truncated, exact=True) as replay,
        written_aside(target, source) as aside,
    ):
        return _write(replay, aside, form, progress)


def _write(replay: Replay, path: Path, form: Form, progress: Progress | None) -> Converted:
    number = 0
    with path.open("xb") as file:
        writer = ReplayWriter(file, replay.header, form=form)
        for number, _, event in replay:
            try:
                writer.write(event)
            except ReplayError as error:
                raise error.at(file=replay.path, event=number, offset=None) from None
            if progress is not None and number % _STEP == 0:
                progress(number)
        return Converted(events=number, bytes=writer.size, truncated=replay.truncated)
