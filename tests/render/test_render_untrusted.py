"""Hostile names in every command: nothing of them reaches the terminal raw."""

from __future__ import annotations

from pathlib import Path

import pytest
from sittings import Sitting, config, hosts, job, write_replay

ESC = "\x1b[31m\x07\u202e[red]:smile:\n"
SHOWN = "\\x1b[31m\\x07\\u202e[red]:smile:\\x0a"
LONG = "y" * 10_000


@pytest.fixture
def sitting(tmp_path: Path) -> Sitting:
    queue, host, user, project, limit = (f"{word}{ESC}" for word in "qhupl")
    configuration = config(
        queues=[{"name": queue, "priority": 1}, {"name": LONG}],
        limits=[{"name": limit, "resource": "slots", "value": 2, "per_user": ["all"]}],
    )
    definitions = {"t": 0, "resource_defs": [{"name": "type", "type": "string"}]}
    workers = {
        "t": 0,
        "workers_push": [
            {"name": host, "slots": 4, "values": {"type": f"t{ESC}"}},
            {"name": LONG, "slots": 4},
        ],
    }
    jobs = (
        job(1, user=user, queue=queue, project=project),
        job(2, user=user, queue=queue, project=project, min_tasks=3),
        job(3, user=LONG, queue=LONG, min_tasks=9),
    )
    return Sitting(
        write_replay(tmp_path / "hostile.jsonl", configuration, definitions, workers, *jobs)
    )


def test_names_are_shown_harmless_and_whole(sitting: Sitting) -> None:
    commands = [
        "trace on all level full",
        "step",
        "info job 1",
        "info jobs",
        "info hosts",
        f"info host '{'h' + ESC}'",
        f"info host {LONG}",
        "info queues",
        "info trace 1",
        f"info jobs queue '{'q' + ESC}'",
        f"info host {ESC}",
        f"{ESC}",
    ]
    text = sitting.run(*commands)
    bad = {char for char in text if not char.isprintable() and char != "\n"}
    assert not bad
    for word in "qhupl":
        assert f"{word}{SHOWN}" in text or f"{word}\\x1b[31m" in text
    assert LONG in text
    assert "host h" + SHOWN in text


def test_arguments_from_scripts_are_shown_harmless_in_errors(sitting: Sitting) -> None:
    text = sitting.run(f"frobnicate{ESC}", f"info job 1{ESC}", f"show '{ESC}'", f"help {ESC}")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("\\x1b[31m") >= 4


def test_hosts_and_users_are_never_markup(tmp_path: Path) -> None:
    events = (config(), hosts(1), job(1, user="[bold]alice[/bold] :heart:"))
    sitting = Sitting(write_replay(tmp_path / "markup.jsonl", *events), terminal=True)
    assert "user [bold]alice[/bold] :heart:" in sitting.type("step", "info job 1")
