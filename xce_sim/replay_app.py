"""`xce-replay` put together: each command is one function that gives the exit status."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from xce_sim.errors import STATUS_ERROR, STATUS_OK
from xce_sim.model.resources import ResourceTable
from xce_sim.program import guarded_run
from xce_sim.render import program_views, replay_views, resreq_views
from xce_sim.render.console import Console
from xce_sim.render.progress import Progress
from xce_sim.replay.aside import written_aside
from xce_sim.replay.convert import convert
from xce_sim.replay.importers.machine import parse_memory
from xce_sim.replay.importers.swf import SwfOptions, import_swf
from xce_sim.replay.info import replay_info
from xce_sim.replay.inspection import check_replay
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.requirements import RequirementSurvey, resources_of
from xce_sim.replay.source import unpacked_form
from xce_sim.replay.writer import ReplayWriter
from xce_sim.resreq.assume import assume_resources
from xce_sim.resreq.describe import describe
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.language import Language


def run(options: Namespace) -> int:
    """Run `xce-replay`; gives the exit status."""
    command = _COMMANDS[options.command]
    return guarded_run("xce-replay", lambda output, errors: command(options, output, errors))


def _info(options: Namespace, output: Console, _errors: Console) -> int:
    info = replay_info(options.file)
    output.show(replay_views.info(info))
    if info.damage is not None:
        output.flush()
        raise info.damage
    return STATUS_OK


def _convert(options: Namespace, output: Console, errors: Console) -> int:
    with Progress("converting", None) as progress:
        done = convert(
            options.source,
            options.target,
            allow_truncated=options.allow_truncated,
            progress=lambda events: progress.show_if_due(f"{events} events"),
        )
    output.show(replay_views.converted(options.target, done))
    if done.truncated is not None:
        text = f"{done.truncated.message}; converted up to there"
        errors.show(program_views.program_line("xce-replay", text))
    return STATUS_OK


def _check(options: Namespace, output: Console, _errors: Console) -> int:
    survey = RequirementSurvey()
    with Progress("checking", None) as progress:

        def follow(item: Numbered) -> None:
            survey.take(item)
            progress.show_if_due(f"{item.number} events")

        report = check_replay(options.file, allow_truncated=options.allow_truncated, follow=follow)
    output.show(resreq_views.unusable(survey.findings(), survey.left_out))
    output.show(replay_views.checked(report))
    if report.end is not None:
        output.flush()
        raise report.end
    return STATUS_OK if report.sound else STATUS_ERROR


def _import(options: Namespace, output: Console, _errors: Console) -> int:
    chosen = SwfOptions(
        hosts=options.hosts,
        slots=options.slots,
        host_memory=None if options.host_mem is None else parse_memory(options.host_mem),
        policy=options.policy,
        spread=options.spread,
        interval=options.interval,
        strict=options.strict,
    )
    form = unpacked_form(options.target)
    with Progress("importing", None) as progress:
        made = import_swf(
            options.file, chosen, lambda lines: progress.show_if_due(f"{lines} lines")
        )
        with (
            written_aside(options.target, options.file) as aside,
            aside.open("xb", buffering=1 << 16) as file,
        ):
            writer = ReplayWriter(file, made.header, form=form)
            for event in made.events:
                writer.write(event)
    output.show(replay_views.imported(options.target, made.report))
    return STATUS_OK


def _resreq(options: Namespace, output: Console, _errors: Console) -> int:
    table = ResourceTable() if options.resources is None else resources_of(options.resources)
    known = len(table)
    if options.assume_resources:
        table = assume_resources(options.text, table)
    request = Language(InternTable()).parse(options.text, table)
    assumed = table.defs[known:]
    output.show(resreq_views.described(describe(request, table), assumed))
    return STATUS_OK


_COMMANDS: dict[str, Callable[[Namespace, Console, Console], int]] = {
    "info": _info,
    "convert": _convert,
    "check": _check,
    "import": _import,
    "resreq": _resreq,
}
