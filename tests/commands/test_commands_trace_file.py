"""Copying traces to a file: what is refused, what a failed write does, what is in it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from sittings import Sitting, config, hosts, job, write_replay

from xce_sim.commands.trace_file import CopyFile, open_copy


@pytest.fixture
def sitting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sitting:
    monkeypatch.chdir(tmp_path)
    queues = [{"name": "no\x1brmal"}]
    jobs = (job(i, i - 1, queue="no\x1brmal") for i in range(1, 9))
    events = (config(queues=queues), hosts(2), *jobs)
    return Sitting(write_replay(tmp_path / "small.jsonl", *events))


def traces(text: str) -> str:
    """The lines of traces in what was shown."""
    return "".join(
        line for line in text.splitlines(keepends=True) if line.startswith(("[trace]", "  "))
    )


def test_the_file_has_what_was_shown_and_not_what_was_recalled(
    sitting: Sitting, tmp_path: Path
) -> None:
    (tmp_path / "why #1;;.txt").write_text("before\n")
    shown = sitting.run("trace on all level full file why #1;;.txt", "step 3")
    sitting.run("info trace 1")
    text = (tmp_path / "why #1;;.txt").read_text()
    assert text == "before\n" + traces(shown)
    assert text.count("[trace] job") == 3
    assert "no\\x1brmal" in text


def test_a_new_command_closes_the_old_file_at_once_between_sessions(
    sitting: Sitting, tmp_path: Path
) -> None:
    sitting.run("trace on all file one.txt", "step", "trace on job 2 file two.txt", "step 2")
    assert (tmp_path / "one.txt").read_text().count("[trace]") == 1
    assert (tmp_path / "two.txt").read_text().count("[trace] job 2 ") == 1
    assert [file.path for file in sitting.session.trace.open_files()] == ["two.txt"]


def test_quitting_closes_the_file(sitting: Sitting, tmp_path: Path) -> None:
    sitting.run("trace on all file one.txt", "step", "quit")
    assert sitting.session.trace.open_files() == ()
    assert "outcome: DISPATCH" in (tmp_path / "one.txt").read_text()


@pytest.mark.parametrize("name", ["small.jsonl", "link", "hard", "./small.jsonl"])
def test_the_replay_is_refused_under_any_name(sitting: Sitting, tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("small.jsonl")
    (tmp_path / "hard").hardlink_to(tmp_path / "small.jsonl")
    before = (tmp_path / "small.jsonl").read_bytes()
    text = sitting.run("trace on job 3", f"trace on all file {name}", "trace status")
    assert f"[sim] trace: {name} is the replay being played; name another file\n" in text
    assert text.count("[sim] trace next session: on  jobs 3") == 2
    assert (tmp_path / "small.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        (".", "Is a directory"),
        ("no/such/folder.txt", "No such file or directory"),
        ("small.jsonl/x", "Not a directory"),
        ("pipe", "No such device or address"),
        ("p" * 300, "File name too long"),
    ],
)
def test_what_can_not_be_opened_changes_nothing(
    sitting: Sitting, tmp_path: Path, path: str, cause: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    text = sitting.run(f"trace on all file {path}", "trace status")
    assert text.startswith(f"[sim] trace: {path} can not be opened: {cause}\n")
    assert "[sim] trace next session: off\n" in text


def test_a_path_may_have_4095_bytes_and_no_more(sitting: Sitting, tmp_path: Path) -> None:
    """Given a path that is long because it goes in circles, then its length alone decides."""
    long = "./" * 2045 + "w.txt"
    assert len(long) == 4095
    assert "on  all jobs" in sitting.run(f"trace on all file {long}")
    text = sitting.run(f"trace on all file {long}x")
    assert text.startswith("[sim] trace: the path has 4096 bytes; at most 4095 are possible")


def test_a_failed_write_is_told_once_and_later_ones_are_tried(
    sitting: Sitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, full = os.write, True

    def write(descriptor: int, data: bytes) -> int:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    sitting.run("trace on all file why.txt")
    monkeypatch.setattr(os, "write", write)
    text = sitting.run("step 2")
    assert text.count("[sim] trace: write to why.txt failed: No space left on device\n") == 1
    full = False
    sitting.run("step")
    assert (tmp_path / "why.txt").read_text().count("[trace] job 3 ") == 1


def test_the_device_that_is_always_full(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    file = open_copy("/dev/full", ())
    failure = file.write("text\n")
    assert failure is not None
    assert (failure.path, failure.cause) == ("/dev/full", "No space left on device")
    assert file.write("text\n") is None
    file.close()


def test_a_pipe_with_a_reader_takes_everything(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    file = open_copy(str(pipe), ())
    assert isinstance(file, CopyFile)
    assert file.write("why\n") is None
    assert os.read(reader, 100) == b"why\n"
    os.close(reader)
    failure = file.write("more\n")
    assert failure is not None
    assert failure.cause == "Broken pipe"
    file.close()
