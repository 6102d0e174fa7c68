"""The command line of `xce-replay`: parsing of arguments only."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from xce_sim import __version__
from xce_sim.cli import Parser
from xce_sim.errors import UserError
from xce_sim.model.clock import Micros, parse_seconds

NOT_YET = ("cut", "diff")
IMPORTS_NOT_YET = ("lsf", "slurm", "pbs")
"""Commands that are known and refused by name."""


def replay_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of `xce-replay`; exits with status 2 and a message if they are wrong."""
    parser = _parser()
    if arguments and arguments[0] in NOT_YET:
        parser.error(f"{arguments[0]} is not available yet")
    if len(arguments) > 1 and arguments[0] == "import" and arguments[1] in IMPORTS_NOT_YET:
        parser.error(f"import {arguments[1]} is not available yet")
    return parser.parse_args(arguments)


def _parser() -> Parser:
    parser = Parser(
        prog="xce-replay",
        description="Make, convert and inspect replay files (.replay binary, .jsonl JSON Lines).",
        epilog="Exit status: 0 fine, 1 the input was wrong or breaks a rule, 2 usage, "
        "3 unreadable replay, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"xce-replay {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_file_commands(commands)
    _add_import(commands)
    return parser


def _add_file_commands(commands: argparse._SubParsersAction[Parser]) -> None:
    info = commands.add_parser("info", help="what is in a replay", allow_abbrev=False)
    info.add_argument("file", metavar="FILE")
    convert = commands.add_parser(
        "convert", help="turn one form into the other, by suffix, without loss", allow_abbrev=False
    )
    convert.add_argument("source", metavar="A")
    convert.add_argument("target", metavar="B")
    check = commands.add_parser(
        "check", help="every rule of the format, with event numbers", allow_abbrev=False
    )
    check.add_argument("file", metavar="FILE")
    resreq = commands.add_parser(
        "resreq", help="what a requirement means, or what is wrong with it", allow_abbrev=False
    )
    resreq.add_argument("text", metavar="STRING")
    resreq.add_argument("--resources", metavar="FILE", help="a replay that defines the resources")
    resreq.add_argument(
        "--assume-resources",
        action="store_true",
        help="take unknown words in a resource's place as resources, typed by their use",
    )
    for each in (convert, check):
        each.add_argument(
            "--allow-truncated",
            action="store_true",
            help="take a cut-off recording up to its last whole event",
        )


def _add_import(commands: argparse._SubParsersAction[Parser]) -> None:
    imports = commands.add_parser("import", help="make a replay of a log", allow_abbrev=False)
    formats = imports.add_subparsers(dest="format", metavar="FORMAT", required=True)
    swf = formats.add_parser("swf", help="Standard Workload Format", allow_abbrev=False)
    add = swf.add_argument
    add("file", metavar="FILE", help="the log, plain or packed with gzip")
    add("-o", dest="target", metavar="OUT", required=True, help="the replay to write")
    add("--hosts", type=_positive, metavar="N", help="number of hosts (default: the log's header)")
    add("--slots", type=_positive, metavar="M", help="slots of each host")
    add("--host-mem", metavar="SIZE", help="memory of each host, such as 64G; jobs then ask for it")
    add("--policy", default="builtin_fcfs", help="picking policy (default: %(default)s)")
    add("--spread", choices=("even", "fill"), default="even", help="default: %(default)s")
    add(
        "--interval",
        type=_interval,
        default="0",
        metavar="SECONDS",
        help="least time between two rounds",
    )
    add("--strict", action="store_true", help="a record that can not be used is an error")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text[:12]) < 1 or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def _interval(text: str) -> Micros:
    try:
        interval = parse_seconds(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(error.message) from None
    if interval < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is negative")
    return interval
