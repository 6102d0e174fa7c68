"""Finding commands, what each must bring along, and completing them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sittings import Sitting, config, hosts, job, write_replay
from transcript_runner import FOLDER, parse

from xce_sim.commands.binding import bind
from xce_sim.commands.catalogue import standard_registry
from xce_sim.commands.completion import complete
from xce_sim.commands.registry import Command, UnknownCommand
from xce_sim.errors import UserError

REGISTRY = standard_registry()
COMMANDS = list(REGISTRY)
JOBS = ["50", "42", "43", "50[1]", "50[2]", "50[3]"]


@pytest.fixture
def sitting(tmp_path: Path) -> Sitting:
    """Two hosts; a job that runs, one that waits, an array; a name that is no good to type."""
    events = (
        config(limits=[{"name": "lim_user", "resource": "slots", "value": 9, "per_user": ["all"]}]),
        hosts(2),
        {"t": 0, "workers_push": [{"name": "n 03", "slots": 1}, {"name": "n\x1b[31m", "slots": 1}]},
        job(42),
        job(43, min_tasks=90),
        job(50, array={"first": 1, "last": 3}, user="bob"),
    )
    made = Sitting(write_replay(tmp_path / "small.jsonl", *events))
    made.run("step", "break job 42", "break job 43")
    return made


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_usage_and_examples_are_true(command: Command, sitting: Sitting) -> None:
    """The usage says what the signature says, and every example can be run."""
    assert command.page is not None
    usage = command.page.usage.replace("all|job JOBSEL…", "[all] [job JOBSEL…]")
    told = [command.name, *(parameter.usage for parameter in command.parameters)]
    assert usage == " ".join(told)
    for example in command.page.examples:
        (statement,) = REGISTRY.split(example)
        words = [word.text for word in statement.words]
        assert REGISTRY.find(words) is not None
        if "host" not in words and "3" not in words:
            bind(command.parameters, statement, len(command.words), sitting.session)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_stands_in_a_transcript_and_is_offered(
    command: Command, sitting: Sitting
) -> None:
    typed = [line for path in FOLDER.glob("*.txt") for line in shown(path)]
    assert any(command.name in found(line) for line in typed), "add it to a session"
    *before, last = command.words
    prefix = " ".join([*before, last[:-1]])
    assert last in complete(sitting.session, prefix)[1]


def shown(path: Path) -> list[str]:
    return parse(path.read_text(encoding="utf-8")).commands.splitlines()


def found(line: str) -> list[str]:
    """The names of the commands of a line."""
    try:
        statements = [[word.text for word in each.words] for each in REGISTRY.split(line)]
        return [REGISTRY.find(words).name for words in statements]
    except UserError:
        return []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("s", "step"),
        ("c 5", "continue"),
        ("b j 42", "break job"),
        ("i ro", "info round"),
        ("i job 42", "info job"),
        ("q", "quit"),
        ("h", "help"),
        ("tr of", "trace off"),
        ("sh units", "show"),
        ("set w 80", "set width"),
    ],
)
def test_abbreviations(line: str, name: str) -> None:
    assert REGISTRY.find(line.split()).name == name


def test_the_abbreviation_that_help_tells_is_true(sitting: Sitting) -> None:
    (line,) = [each for each in sitting.run("help").splitlines() if "cut short" in each]
    short, _, full = line.rpartition(": ")[2].rstrip(".").partition(" is ")
    assert REGISTRY.find(short.split()) == REGISTRY.find(full.split())
    assert short != full


@pytest.mark.parametrize(
    ("line", "label", "message", "hint"),
    [
        ("stpe", "stpe", "unknown command", "did you mean step?"),
        ("xyzzy", "xyzzy", "unknown command", "help lists the commands"),
        ("co", "co", "ambiguous", "could be continue condition commands"),
        ("i jo", "i jo", "ambiguous", "could be job jobs"),
        ("i q", "i q", "ambiguous", "could be queue queues"),
        ("info hots", "info", "unknown word: hots", "did you mean hosts?"),
        ("break 12", "break", "unknown word: 12", "one of round job"),
        ("info", "info", "needs one more word", "one of job jobs host hosts"),
        ("trace", "trace", "needs one more word", "one of on off status"),
    ],
)
def test_what_is_no_command(line: str, label: str, message: str, hint: str) -> None:
    with pytest.raises(UnknownCommand) as caught:
        REGISTRY.find(line.split())
    assert (caught.value.typed, caught.value.message) == (label, message)
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("st", ["step"]),
        ("info h", ["host", "hosts"]),
        ("info job ", [*JOBS, "all"]),
        ("info job 5", ["50", "50[1]", "50[2]", "50[3]"]),
        ("info host n0", ["n01", "n02"]),
        ("info host n", ["n01", "n02", "'n 03'"]),
        ("info jobs p", ["pend", "psusp"]),
        ("info jobs pend q", ["queue"]),
        ("info jobs queue ", ["normal"]),
        ("info jobs user b", ["bob"]),
        ("delete 1 ", ["1", "2"]),
        ("step ;; set units ", ["raw", "auto", "K", "M", "G", "T"]),
        ("trace on job 42 ", [*JOBS, "all", "level", "lines", "file"]),
        ("trace on all level ", ["summary", "full"]),
        ("help se", ["set"]),
        ("help S", ["State inspection", "Settings"]),
        ("step 'x", []),
        ("nonsense ", []),
    ],
)
def test_completion(typed: str, expected: list[str], sitting: Sitting) -> None:
    assert complete(sitting.session, typed)[1] == expected


def test_completion_of_files(
    sitting: Sitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "why dir").mkdir()
    (tmp_path / "why dir" / "a;;b.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert complete(sitting.session, "trace on all file wh")[1] == ["why dir/"]
    assert complete(sitting.session, "trace on all file why dir/")[1] == ["why dir/a;;b.txt"]
    assert complete(sitting.session, "trace on all file nowhere/x")[1] == []
