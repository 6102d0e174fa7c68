"""A headless run: to the end, a progress bar meanwhile, a summary at last.

Standard output has the summary alone, which follows from the replay; how fast it was played goes
to standard error.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from xce_sim.cli import SimOptions
from xce_sim.core.core import Core
from xce_sim.errors import STATUS_ERROR, STATUS_INTERRUPTED, STATUS_OK
from xce_sim.model.clock import format_time
from xce_sim.render import program_views, summary_views
from xce_sim.render.console import Console
from xce_sim.render.progress import Progress
from xce_sim.replay.reader import Numbered, Replay
from xce_sim.sim.engine import Engine
from xce_sim.sim.recording import Recording, open_recording
from xce_sim.sim.tally import Summary, summarise
from xce_sim.sim.verification import Verification

if TYPE_CHECKING:
    from xce_sim.model.event import Header
    from xce_sim.trace.spans import Line

_OFTEN = 255
"""The clock is looked at once in so many happenings and one."""


class _Followed:
    """A replay whose reader can be asked how far it has come, in bytes."""

    def __init__(self, replay: Replay) -> None:
        self.path = replay.path
        self.header: Header = replay.header
        self.offset = 0
        self._replay = replay

    def __iter__(self) -> Iterator[Numbered]:
        for item in self._replay:
            self.offset = item.offset
            yield item


def new_core() -> Core:
    """A core that compares its accounts with their definition if the environment says so."""
    return Core(check=os.environ.get("XCE_SIM_CHECK", "") not in ("", "0"))


def new_recording(
    options: SimOptions, header: Header, guarded: Iterable[tuple[str, str]]
) -> Recording | None:
    """The recording that was asked for; it replaces its file unless that is in use here."""
    if options.output is None:
        return None
    from xce_sim.commands.trace_file import refuse_guarded  # noqa: PLC0415  only with an output

    refuse_guarded(options.output, guarded)
    return open_recording(options.output, header)


def play_headless(
    options: SimOptions, replay: Replay, core: Core, output: Console, errors: Console
) -> int:
    """Play to the end and print the summary; gives the exit status."""
    recording = new_recording(options, replay.header, guarded_files(options))
    try:
        status = _play_to_the_end(options, replay, core, recording, output, errors)
    finally:
        if recording is not None:
            recording.close()
    if recording is not None and recording.failure is not None:
        errors.show(program_views.output_failed("xce-sim", recording.path, recording.failure))
        return max(status, STATUS_ERROR)
    return status


def guarded_files(options: SimOptions) -> list[tuple[str, str]]:
    """Files of the command line that must not be written to, each with what it is."""
    files = [(options.replay, "the replay being played")]
    return files if options.log is None else [*files, (options.log, "the log")]


def _play_to_the_end(
    options: SimOptions,
    replay: Replay,
    core: Core,
    recording: Recording | None,
    output: Console,
    errors: Console,
) -> int:
    followed = _Followed(replay)
    verification = Verification() if options.verify else None
    engine = Engine(cast("Replay", followed), core, recording=recording, verification=verification)
    began = time.monotonic()
    try:
        _play(engine, followed, options.replay)
    except KeyboardInterrupt:
        where = f"interrupted at round {engine.round}, {format_time(engine.now)}"
        errors.show(program_views.program_line("xce-sim", where))
        return STATUS_INTERRUPTED
    seconds = time.monotonic() - began
    result = summarise(engine.tally, core.state, engine.round, engine.now)
    _show_result(result, verification, output, as_json=options.json)
    output.flush()
    errors.show(summary_views.speed(result, seconds))
    if engine.damage is not None:
        raise engine.damage
    if replay.truncated is not None:
        text = f"{replay.truncated.message}; played up to there"
        errors.show(program_views.program_line("xce-sim", text))
    differs = verification is not None and verification.differences
    return STATUS_ERROR if differs else STATUS_OK


def _show_result(
    result: Summary, verification: Verification | None, output: Console, *, as_json: bool
) -> None:
    more = None
    report: Iterable[Line] = ()
    if verification is not None:
        from xce_sim.render import verify_views  # noqa: PLC0415  only with --sim-verify

        more = {"verification": verify_views.verification_json(verification)}
        report = verify_views.report(verification)
    if as_json:
        output.write(summary_views.summary_json(result, more) + "\n")
        return
    output.show(summary_views.summary(result))
    output.show(report)


def _play(engine: Engine, followed: _Followed, path: str) -> None:
    size = None if path.endswith(".gz") else os.path.getsize(path)
    began = time.monotonic()
    with Progress("playing", size) as progress:
        for count, _ in enumerate(engine.happenings()):
            if not count & _OFTEN and progress.due:
                rate = engine.tally.jobs / max(time.monotonic() - began, 1e-3)
                text = f"round {engine.round}  {format_time(engine.now)}  {rate:.0f} jobs/s"
                progress.show(followed.offset, text)
