"""The parts of `scripts/bench` are all there, and each can be loaded."""

import importlib

import pytest

from scripts.benchmarks.__main__ import main, parts


def test_every_part_is_found() -> None:
    assert parts() == ["peer", "resreq", "rounds", "start", "trace"]


@pytest.mark.parametrize("name", parts())
def test_a_part_can_be_loaded(name: str) -> None:
    assert callable(importlib.import_module(f"scripts.benchmarks.{name}").run)


def test_an_unknown_part_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rownds"]) == 2
    expected = "bench: unknown part 'rownds'; there are: peer resreq rounds start trace\n"
    assert capsys.readouterr().out == expected
