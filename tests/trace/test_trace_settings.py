"""R1: which jobs are traced, and which settings hold for which session."""

from __future__ import annotations

import dataclasses

import pytest
from trace_builders import recorder

from xce_sim.errors import UserError
from xce_sim.model.ids import make_id, parse_id, parse_selector
from xce_sim.trace.control import TraceControl
from xce_sim.trace.recall import status_lines
from xce_sim.trace.settings import (
    DEFAULT_LINES,
    LEVELS,
    MAX_LINES,
    MAX_PATH_BYTES,
    MIN_LINES,
    OFF,
    OUTCOME_HOSTS,
    STORE_BYTES,
    TraceSettings,
    check_lines,
    check_path,
)
from xce_sim.trace.spans import plain_lines
from xce_sim.trace.store import TraceStore


class FakeFile:
    """Remembers that it was closed."""

    def __init__(self, path: str = "why.txt", inode: int = 1) -> None:
        self.path = path
        self.identity = (9, inode)
        self.closed = 0

    def write(self, text: str) -> None:
        raise AssertionError("settings write nothing")

    def close(self) -> None:
        self.closed += 1


def on(*jobs: str, **kwargs) -> TraceSettings:
    return TraceSettings(
        on=True, all=not jobs, selectors=tuple(map(parse_selector, jobs)), **kwargs
    )


def test_r1_1_all_jobs_are_wanted():
    assert all(on().wants(job) for job in (1, 42, make_id(42, 7), make_id(2**32 - 1, 2**32 - 1)))


@pytest.mark.parametrize(
    ("selectors", "wanted", "unwanted"),
    [
        (["42"], ["42", "42[1]", "42[4000000000]"], ["41", "43", "43[42]", "1[42]"]),
        (["42[7]"], ["42[7]"], ["42", "42[6]", "42[8]", "7", "7[42]"]),
        (["42[2-4]"], ["42[2]", "42[4]"], ["42", "42[1]", "42[5]"]),
        (["42[1]", "77", "42[9]"], ["42[1]", "42[9]", "77", "77[3]"], ["42[2]", "78"]),
    ],
)
def test_r1_2_a_selector_names_a_job_an_element_or_a_whole_array(selectors, wanted, unwanted):
    made = recorder(jobs=selectors)

    assert [job for job in wanted if not made.wants(parse_id(job))] == []
    assert [job for job in unwanted if made.wants(parse_id(job))] == []


def test_r1_3_a_job_may_appear_later():
    """Settings know selectors only, so a job need not exist when they are made."""
    control = TraceControl()
    control.enable(on("4000000000[17]"))

    assert control.begin_session().wants(make_id(4_000_000_000, 17))


def test_r1_4_enabling_again_replaces_everything():
    control = TraceControl()
    first = on("42", level="full", lines=50, file=FakeFile())
    control.enable(first)
    control.enable(on("77"))

    assert control.next == on("77")
    assert (control.next.level, control.next.lines, control.next.file) == ("summary", 1000, None)
    assert not control.begin_session().wants(42)


def test_r1_5_disabling_holds_from_the_next_session_on():
    control = TraceControl()
    control.enable(on())
    control.disable()

    assert control.begin_session() is OFF
    assert not OFF.wants(42)


def test_r1_6_a_session_keeps_the_settings_it_started_with():
    control = TraceControl()
    first, second = on("42"), on("77", level="full")
    control.enable(first)

    assert control.begin_session() is first
    control.enable(second)
    assert (control.current, control.next, control.replacement) == (first, second, second)
    control.disable()
    assert (control.current, control.next, control.replacement) == (first, OFF, OFF)
    control.enable(second)
    control.end_session()
    assert (control.current, control.next, control.replacement) == (None, second, None)
    assert control.begin_session() is second


def test_r1_6_enabling_in_a_session_that_began_without_tracing():
    control = TraceControl()
    assert control.begin_session() is OFF

    control.enable(on())

    assert control.current is OFF
    assert control.replacement is control.next


def status(control: TraceControl, store: TraceStore | None = None) -> list[str]:
    return plain_lines(status_lines(control, store or TraceStore()))


STORED = "[sim] stored traces: 0 MiB of 64 MiB, 0 jobs, 0 discarded"


def test_r1_7_status_between_sessions_shows_the_next_one():
    control = TraceControl()
    assert status(control) == ["[sim] trace next session: off", STORED]

    control.enable(on("42[1-10]", "77", level="full", file=FakeFile("why not.txt")))
    assert status(control) == [
        "[sim] trace next session: on  jobs 42[1-10] 77  level full  lines 1000  file why not.txt",
        STORED,
    ]


def test_r1_7_status_in_a_session_shows_what_is_in_effect_and_what_replaces_it():
    control = TraceControl()
    control.enable(on(lines=77))
    control.begin_session()
    in_effect = "[sim] trace in effect: on  all jobs  level summary  lines 77"
    assert status(control) == [in_effect, STORED]

    control.disable()
    assert status(control) == [in_effect, "[sim] trace next session: off", STORED]

    control.enable(on("5"))
    replaced = "[sim] trace next session: on  jobs 5  level summary  lines 1000"
    assert status(control) == [in_effect, replaced, STORED]

    control.end_session()
    assert status(control) == [replaced, STORED]


def test_r1_7_status_in_a_session_without_tracing():
    control = TraceControl()
    control.begin_session()
    control.disable()

    assert status(control) == ["[sim] trace in effect: off", STORED]


def test_r1_8_two_levels_and_summary_when_none_is_given():
    assert LEVELS == ("summary", "full")
    assert TraceSettings(on=True, all=True).level == "summary"
    with pytest.raises(UserError, match="level is summary or full, not 'fuller'"):
        on(level="fuller")


@pytest.mark.parametrize("lines", [49, 0, -1, 100_001])
def test_r1_9_a_line_bound_out_of_range_is_refused(lines):
    message = f"lines is a whole number from 50 to 100000, not {lines}"
    with pytest.raises(UserError, match=message):
        check_lines(lines)
    with pytest.raises(UserError, match=message):
        on(lines=lines)


@pytest.mark.parametrize("lines", [50, 1000, 100_000])
def test_r1_9_a_line_bound_in_range_is_taken(lines):
    check_lines(lines)
    assert on(lines=lines).lines == lines


def test_r1_9_a_path_is_measured_in_bytes():
    check_path("a" * 4095)
    check_path("ä" * 2047)
    check_path("\udcff" * 4095)
    for path, size in (("a" * 4096, 4096), ("ä" * 2048, 4096), ("", 0)):
        with pytest.raises(UserError) as caught:
            check_path(path)
        assert str(caught.value) == (
            f"the path has {size} bytes" if size else "a file needs a path"
        )


def test_r1_10_settings_stay_over_sessions():
    control = TraceControl()
    settings = on("42")
    control.enable(settings)

    for _ in range(3):
        assert control.begin_session() is settings
        control.end_session()
    assert control.next is settings


def test_settings_can_not_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        on().lines = 60


def test_many_selectors_are_looked_up_by_base():
    settings = on(*(f"{base}[3-4]" for base in range(1, 5000)))

    assert settings.wants(make_id(4999, 4))
    assert not settings.wants(make_id(4999, 5))
    assert not settings.wants(make_id(5000, 4))


def test_bounds():
    assert (MIN_LINES, DEFAULT_LINES, MAX_LINES) == (50, 1000, 100_000)
    assert (MAX_PATH_BYTES, STORE_BYTES, OUTCOME_HOSTS) == (4095, 67_108_864, 50)


def test_r8_5_a_replaced_file_is_closed_at_once_between_sessions():
    control, first, second = TraceControl(), FakeFile(), FakeFile()
    control.enable(on(file=first))
    assert control.open_files() == (first,)

    control.enable(on(file=second))

    assert (first.closed, second.closed) == (1, 0)
    assert control.open_files() == (second,)
    control.disable()
    assert (first.closed, second.closed) == (1, 1)
    assert control.open_files() == ()


def test_r8_5_a_replaced_file_stays_open_until_its_session_ends():
    control, first, second = TraceControl(), FakeFile(), FakeFile()
    control.enable(on(file=first))
    control.begin_session()

    control.enable(on(file=second))
    assert control.current.file is first
    assert (first.closed, control.open_files()) == (0, (first, second))

    control.end_session()
    assert (first.closed, second.closed, control.open_files()) == (1, 0, (second,))


def test_r8_5_a_file_replaced_twice_in_a_session_is_closed_at_once():
    """It never held for a session, so nothing can still be written to it."""
    control, first, second = TraceControl(), FakeFile(), FakeFile()
    control.begin_session()
    control.enable(on(file=first))
    control.enable(on(file=second))

    assert (first.closed, second.closed) == (1, 0)


def test_r8_5_settings_that_share_a_file_keep_it_open():
    control, file = TraceControl(), FakeFile()
    control.enable(on("42", file=file))
    control.begin_session()
    control.enable(on("77", file=file))
    control.end_session()

    assert (file.closed, control.open_files()) == (0, (file,))


def test_r8_4_a_file_is_known_as_open_until_it_is_closed():
    control = TraceControl()
    control.enable(on(file=FakeFile(inode=1)))
    control.begin_session()
    control.enable(on(file=FakeFile("other.txt", inode=2)))
    assert [control.holds((9, inode)) for inode in (1, 2, 3)] == [True, True, False]
    assert not control.holds((8, 1))

    control.end_session()
    assert [control.holds((9, inode)) for inode in (1, 2)] == [False, True]


def test_r8_6_closing_closes_every_file_once():
    control, first, second = TraceControl(), FakeFile(), FakeFile()
    control.enable(on(file=first))
    control.begin_session()
    control.enable(on(file=second))

    control.close()
    control.close()

    assert (first.closed, second.closed) == (1, 1)
    assert (control.next, control.current, control.open_files()) == (OFF, None, ())
