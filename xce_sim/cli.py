"""The console scripts, and the command line of `xce-sim`: parsing of arguments only.

Nothing heavy is imported before it is known what to do, so that `--help` is quick.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from xce_sim import __version__
from xce_sim.errors import STATUS_USAGE

NOT_YET = ("--sim-rejoin",)
"""Options that are known and refused by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimOptions:
    """What `xce-sim` was asked to do; `prelude` are scripts and commands in their order."""

    replay: str
    interactive: bool = False
    prelude: tuple[tuple[Literal["script", "command"], str], ...] = ()
    batch: bool = False
    allow_truncated: bool = False
    json: bool = False
    output: str | None = None
    verify: bool = False
    log: str | None = None
    verbose: bool = False


class _Appended(argparse.Action):
    """Keeps `-x` and `-e` in the order in which they were given, in one list."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        """Add one."""
        setattr(namespace, self.dest, (*getattr(namespace, self.dest), (self.const, values)))


class Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line, with the way to all options."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        self.exit(STATUS_USAGE, f"{self.prog}: {message}; {self.prog} --help tells more\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """`xce-sim`; gives the exit status."""
    options = sim_options(sys.argv[1:] if arguments is None else arguments)
    from xce_sim.app import simulate  # noqa: PLC0415  heavy

    return simulate(options)


def replay_main(arguments: Sequence[str] | None = None) -> int:
    """`xce-replay`; gives the exit status."""
    from xce_sim.replay_cli import replay_options  # noqa: PLC0415  not needed by xce-sim

    options = replay_options(sys.argv[1:] if arguments is None else arguments)
    from xce_sim.replay_app import run  # noqa: PLC0415  heavy

    return run(options)


def sim_options(arguments: Sequence[str]) -> SimOptions:
    """Parse the arguments of `xce-sim`; exits with status 2 and a message when they are wrong."""
    parser = sim_parser()
    for argument in arguments:
        name = argument.partition("=")[0]
        if name in NOT_YET:
            parser.error(f"{name} is not available yet")
    given = parser.parse_args(arguments)
    for option, present in (("-x or -e", given.prelude), ("--batch", given.batch)):
        if present and not given.interactive:
            parser.error(f"{option} needs -i")
    if given.json and given.interactive:
        parser.error("--json is for headless runs, without -i")
    return SimOptions(
        replay=given.sim,
        interactive=given.interactive,
        prelude=given.prelude,
        batch=given.batch,
        allow_truncated=given.allow_truncated,
        json=given.json,
        output=given.sim_output,
        verify=given.sim_verify,
        log=given.log,
        verbose=given.verbose,
    )


def sim_parser() -> Parser:
    """The arguments of `xce-sim`."""
    parser = Parser(
        prog="xce-sim",
        description="Play a replay of a batch scheduler and explain every decision.",
        epilog="With -i type help for the commands. Exit status: 0 fine, 1 a command or the input "
        "was wrong, 2 usage, 3 unreadable replay, 130 interrupted.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--version", action="version", version=f"xce-sim {__version__}")
    add("--sim", metavar="FILE", required=True, help="the replay: .replay or .jsonl")
    add("-i", action="store_true", dest="interactive", help="the interactive REPL")
    for flag, kind, what in (
        ("-x", "script", "SCRIPT"),
        ("-e", "command", "COMMAND"),
    ):
        add(
            flag,
            action=_Appended,
            const=kind,
            dest="prelude",
            default=(),
            metavar=what,
            help=f"with -i: run this {kind} first (repeatable, in order)",
        )
    add(
        "--batch",
        action="store_true",
        help="with -i: exit after them, and stop at the first error",
    )
    add(
        "--allow-truncated",
        action="store_true",
        help="play a cut-off recording up to its last whole event",
    )
    add(
        "--sim-verify",
        action="store_true",
        help="compare decisions with the recorded ones; status 1 if any differs",
    )
    add("--sim-output", metavar="FILE", help="write what happens as a new recording")
    add("--json", action="store_true", help="the headless summary and the verification as JSON")
    add("--log", metavar="FILE", help="append the program's own log to a file")
    add("-v", action="store_true", dest="verbose", help="log more")
    return parser
