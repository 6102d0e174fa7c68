"""Section 7, Clock: instants, rounds, numbers, and what happens to a damaged replay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sittings import config, hosts, job, write_replay
from transcript_runner import ROOT

from xce_sim.core.core import Core
from xce_sim.errors import RuleError, TruncatedReplay
from xce_sim.model.clock import SECOND, format_seconds
from xce_sim.model.decision import Dispatch, Pend, PendRun
from xce_sim.model.event import ConfigPush, Event, Header, JobNew, WorkersPush
from xce_sim.model.ids import compress_ids, format_id
from xce_sim.replay.importers.swf import import_swf
from xce_sim.replay.reader import open_replay
from xce_sim.replay.writer import ReplayWriter
from xce_sim.sim.engine import Engine
from xce_sim.sim.happening import (
    Completed,
    Decided,
    EventApplied,
    Happening,
    JobEnded,
    RoundBegins,
    RoundEnded,
)

KTH = ROOT.parent / "shared" / "data" / "swf" / "KTH-SP2-1996-2.1-cln.swf"


def told(happening: Happening) -> str:
    """A happening as a line: time, event number, what."""
    place = f"{format_seconds(happening.t)} #{happening.number} "
    if isinstance(happening, EventApplied):
        return f"{place}{type(happening.event).__name__}"
    if isinstance(happening, JobEnded):
        return f"{place}end {format_id(happening.job)}"
    if isinstance(happening, RoundBegins):
        return f"{place}round {happening.round} begins {dict(happening.counts)}"
    if isinstance(happening, RoundEnded):
        return (
            f"{place}round {happening.round} ends {happening.dispatched}+{happening.reconstructed}"
        )
    if isinstance(happening, Completed):
        return f"{place}complete after round {happening.round}"
    decision = happening.decision
    if isinstance(decision, PendRun):
        return f"{place}pend {' '.join(compress_ids(decision.jobs))}"
    kind = {Dispatch: "dispatch", Pend: "pend"}.get(type(decision), "no decision")
    return f"{place}{kind} {format_id(decision.job)}"


def engine(path: Path, **more: Any) -> Engine:
    return Engine(open_replay(path, **more), Core(check=True))


def play(folder: Path, *events: dict[str, Any], interval: float = 0) -> list[str]:
    """What happens, without the pushes of the beginning."""
    path = write_replay(folder / "a.jsonl", *events)
    if interval:
        text = path.read_text()
        text = text.replace('"mode": "workload"', f'"mode": "workload", "interval": {interval}')
        path.write_text(text)
    lines = [told(each) for each in engine(path).happenings()]
    return [line for line in lines if "Push" not in line]


SMALL = (config(), hosts(1, 2))


class TestInstants:
    def test_ends_then_events_then_one_round(self, tmp_path: Path) -> None:
        """7: "At an instant: job ends (by id), then events in file order, then one round"."""
        lines = play(
            tmp_path,
            *SMALL,
            job(3, run_time=10),
            job(2, run_time=10),
            job(5, 10),
            job(4, 10),
        )
        assert lines == [
            "0 #3 JobNew",
            "0 #4 JobNew",
            "0 #4 round 1 begins {'new': 2, 'pushes': 2}",
            "0 #4 dispatch 2",
            "0 #4 dispatch 3",
            "0 #4 round 1 ends 2+0",
            "10 #4 end 2",
            "10 #4 end 3",
            "10 #5 JobNew",
            "10 #6 JobNew",
            "10 #6 round 2 begins {'new': 2, 'finished': 2}",
            "10 #6 dispatch 4",
            "10 #6 dispatch 5",
            "10 #6 round 2 ends 2+0",
            "20 #6 end 4",
            "20 #6 end 5",
            "20 #6 round 3 begins {'finished': 2}",
            "20 #6 round 3 ends 0+0",
            "20 #6 complete after round 3",
        ]

    def test_ends_of_an_array_by_id(self, tmp_path: Path) -> None:
        """7: "job ends (by id)": by array base, then element."""
        lines = play(
            tmp_path,
            config(),
            hosts(1, 9),
            job(7, run_time=5, array={"first": 9, "last": 11}),
            job(8, run_time=5),
        )
        assert [line for line in lines if " end " in line] == [
            "5 #4 end 7[9]",
            "5 #4 end 7[10]",
            "5 #4 end 7[11]",
            "5 #4 end 8",
        ]

    def test_a_round_is_numbered_even_if_nothing_is_pending(self, tmp_path: Path) -> None:
        """7: "then one round, numbered even if nothing is pending"; workloads count from 1."""
        assert play(tmp_path, config(), hosts(1)) == [
            "0 #2 round 1 begins {'pushes': 2}",
            "0 #2 round 1 ends 0+0",
            "0 #2 complete after round 1",
        ]

    def test_zero_run_time(self, tmp_path: Path) -> None:
        """7: "with `run_time` 0 at its own instant, with a second round"."""
        lines = play(tmp_path, config(), hosts(1, 1), job(1, run_time=0), job(2, run_time=0))
        assert lines[2:] == [
            "0 #4 round 1 begins {'new': 2, 'pushes': 2}",
            "0 #4 dispatch 1",
            "0 #4 pend 2",
            "0 #4 round 1 ends 1+0",
            "0 #4 end 1",
            "0 #4 round 2 begins {'finished': 1}",
            "0 #4 dispatch 2",
            "0 #4 round 2 ends 1+0",
            "0 #4 end 2",
            "0 #4 round 3 begins {'finished': 1}",
            "0 #4 round 3 ends 0+0",
            "0 #4 complete after round 3",
        ]

    def test_without_run_time_it_does_not_end(self, tmp_path: Path) -> None:
        """7: "without one it does not end"."""
        lines = play(tmp_path, config(), hosts(1, 1), job(1, run_time=None), job(2))
        assert lines[-3:] == [
            "0 #4 pend 2",
            "0 #4 round 1 ends 1+0",
            "0 #4 complete after round 1",
        ]

    def test_fractions_of_seconds(self, tmp_path: Path) -> None:
        """7: "a discrete clock in integer microseconds"."""
        lines = play(tmp_path, config(), hosts(1, 1), job(1, 0.5, run_time=0.000001))
        assert "0.500001 #3 end 1" in lines

    def test_pushed_running_and_suspended_jobs_end_too(self, tmp_path: Path) -> None:
        """7: "Jobs pushed as `run`, and suspended ones, end `run_time` after their start too"."""
        held = {"hosts": [{"host": "n01", "tasks": 1}]}
        fields = {"user": "a", "queue": "normal", "run_time": 30, "start_time": 5, "allocs": held}
        pushed = [
            {"id": 1, "state": "run", **fields},
            {"id": 2, "state": "susp", **fields},
            {"id": 3, "state": "run", **fields, "start_time": 0, "run_time": 4},
        ]
        lines = play(tmp_path, config(), hosts(1), {"t": 10, "jobs_push": pushed})
        assert [line for line in lines if " end " in line or "dispatch" in line] == [
            "10 #3 dispatch 3",
            "10 #3 dispatch 1",
            "10 #3 end 3",
            "35 #3 end 1",
            "35 #3 end 2",
        ]

    def test_an_update_moves_or_takes_away_the_end(self, tmp_path: Path) -> None:
        """7: what the controller says wins over the end that was expected."""
        lines = play(
            tmp_path,
            config(),
            hosts(1),
            *(job(i, run_time=100) for i in (1, 2, 3)),
            {"t": 10, "job_update": {"id": 1, "run_time": 50}},
            {"t": 20, "job_update": {"id": 2, "state": "exit"}},
            {"t": 30, "job_update": {"id": 3, "state": "pend"}},
        )
        ends = [line for line in lines if " end " in line or " dispatch 3" in line]
        assert ends == ["0 #5 dispatch 3", "30 #8 dispatch 3", "50 #8 end 1", "130 #8 end 3"]

    def test_final_jobs_leave_before_the_events_of_the_instant(self, tmp_path: Path) -> None:
        """6: leaves "60 s ... later, before the events of that instant"; leaving makes no round."""
        lines = play(
            tmp_path, config(), hosts(1), job(1), job(1, 69.999999), job(1, 70), job(2, 200)
        )
        assert [line for line in lines if "dispatch" in line] == [
            "0 #3 dispatch 1",
            "70 #5 dispatch 1",
            "200 #6 dispatch 2",
        ]
        assert [line for line in lines if "begins" in line][1:] == [
            "10 #3 round 2 begins {'finished': 1}",
            "69.999999 #4 round 3 begins {'new': 1}",
            "70 #5 round 4 begins {'new': 1}",
            "80 #5 round 5 begins {'finished': 1}",
            "200 #6 round 6 begins {'new': 1}",
            "210 #6 round 7 begins {'finished': 1}",
        ]


class TestInterval:
    def test_a_round_that_is_due_sooner_waits(self, tmp_path: Path) -> None:
        """7: "With an `interval` a round that is due sooner than that after the one before waits
        until then"."""
        lines = play(
            tmp_path, *SMALL, job(1, 0, run_time=12), job(2, 3), job(3, 4), job(4, 40), interval=5
        )
        assert lines == [
            "0 #3 JobNew",
            "0 #3 round 1 begins {'new': 1, 'pushes': 2}",
            "0 #3 dispatch 1",
            "0 #3 round 1 ends 1+0",
            "3 #4 JobNew",
            "4 #5 JobNew",
            "5 #5 round 2 begins {'new': 2}",
            "5 #5 dispatch 2",
            "5 #5 pend 3",
            "5 #5 round 2 ends 1+0",
            "12 #5 end 1",
            "12 #5 round 3 begins {'finished': 1}",
            "12 #5 dispatch 3",
            "12 #5 round 3 ends 1+0",
            "15 #5 end 2",
            "17 #5 round 4 begins {'finished': 1}",
            "17 #5 round 4 ends 0+0",
            "22 #5 end 3",
            "22 #5 round 5 begins {'finished': 1}",
            "22 #5 round 5 ends 0+0",
            "40 #6 JobNew",
            "40 #6 round 6 begins {'new': 1}",
            "40 #6 dispatch 4",
            "40 #6 round 6 ends 1+0",
            "50 #6 end 4",
            "50 #6 round 7 begins {'finished': 1}",
            "50 #6 round 7 ends 0+0",
            "50 #6 complete after round 7",
        ]

    def test_zero_run_time_waits_for_its_second_round(self, tmp_path: Path) -> None:
        """7: the end comes at its own instant, the round of it when the interval is over."""
        lines = play(tmp_path, config(), hosts(1, 1), job(1, run_time=0), job(2), interval=5)
        assert lines[5:] == [
            "0 #4 round 1 ends 1+0",
            "0 #4 end 1",
            "5 #4 round 2 begins {'finished': 1}",
            "5 #4 dispatch 2",
            "5 #4 round 2 ends 1+0",
            "15 #4 end 2",
            "15 #4 round 3 begins {'finished': 1}",
            "15 #4 round 3 ends 0+0",
            "15 #4 complete after round 3",
        ]


class TestStanding:
    def test_between_two_happenings_everything_stands_still(self, tmp_path: Path) -> None:
        """One stream: every call of `happenings` goes on where the last one stood."""
        played = engine(write_replay(tmp_path / "a.jsonl", *SMALL, job(1), job(2)))
        for happening in played.happenings():
            if isinstance(happening, Decided):
                break
        assert (played.in_session, played.round, played.number, played.now) == (True, 1, 4, 0)
        assert [job.state for job in played.core.state.jobs.values()] == ["run", "pend"]
        assert told(next(played.happenings())) == "0 #4 dispatch 2"
        rest = [told(each) for each in played.happenings()]
        assert rest[0] == "0 #4 round 1 ends 2+0"
        assert (played.in_session, played.complete, played.now) == (False, True, 10 * SECOND)
        assert list(played.happenings()) == []

    def test_everything_refused_ends_by_itself(self, tmp_path: Path) -> None:
        """A workload in which no job can ever run is complete after its last event."""
        lines = play(tmp_path, *SMALL, job(1, min_tasks=9), job(2, 5, min_tasks=8))
        assert lines[-2:] == ["5 #4 round 2 ends 0+0", "5 #4 complete after round 2"]


class TestDamage:
    def test_a_cut_off_replay_plays_up_to_its_last_whole_event(self, tmp_path: Path) -> None:
        path = write_replay(tmp_path / "a.jsonl", *SMALL, job(1), job(2, 30))
        path.write_bytes(path.read_bytes()[:-20])
        played = engine(path)
        lines = [told(each) for each in played.happenings()]
        assert lines[-1] == "10 #3 complete after round 2"
        assert isinstance(played.damage, TruncatedReplay)
        assert (played.damage.file, played.damage.event) == (str(path), 4)
        assert played.damage.offset == path.read_bytes().rindex(b"\n") + 1
        allowed = engine(path, allow_truncated=True)
        assert [told(each) for each in allowed.happenings()] == lines
        assert allowed.damage is None

    @pytest.mark.parametrize("cut", [1, 7, 40])
    def test_a_cut_off_binary_replay(self, tmp_path: Path, cut: int) -> None:
        path = tmp_path / "a.replay"
        with ReplayWriter(path, Header(mode="workload")) as writer:
            events = [each.event for each in open_replay(ROOT / "replays" / "contention.jsonl")]
            for event in events:
                last = writer.write(event)
        path.write_bytes(path.read_bytes()[: -min(cut, last - 1)])
        played = engine(path)
        done = list(played.happenings())
        assert isinstance(done[-1], Completed)
        assert done[-1].number == len(events) - 1
        assert isinstance(played.damage, TruncatedReplay)
        assert played.damage.event == len(events)

    def test_an_error_of_the_core_names_file_event_and_offset(self, tmp_path: Path) -> None:
        wrong = {"t": 3, "values_update": {"host": "n01", "values": {"mem": 1}}}
        path = write_replay(tmp_path / "a.jsonl", *SMALL, job(1), wrong)
        played = engine(path, checked=False)
        with pytest.raises(RuleError) as caught:
            list(played.happenings())
        assert caught.value.event == 4
        assert caught.value.file == str(path)
        assert caught.value.offset == path.read_bytes().index(b'{"t": 3')
        assert "mem" in caught.value.message

    def test_time_that_runs_backwards(self, tmp_path: Path) -> None:
        path = write_replay(tmp_path / "a.jsonl", *SMALL, job(1, 5), job(2, 4))
        played = engine(path)
        assert told(list(played.happenings())[-1]).startswith("15 #3 complete")
        assert isinstance(played.damage, RuleError)
        assert (played.damage.file, played.damage.event) == (str(path), 4)
        assert "time" in played.damage.message

    def test_an_error_that_a_round_brings_up_names_the_event(self, tmp_path: Path) -> None:
        limits = [{"name": "x", "resource": "nope", "value": 1, "users": ["all"]}]
        path = write_replay(tmp_path / "a.jsonl", config(limits=limits), hosts(1), job(1))
        with pytest.raises(RuleError, match="limit x: unknown resource 'nope'") as caught:
            list(engine(path, checked=False).happenings())
        assert (caught.value.file, caught.value.event) == (str(path), 3)


@pytest.fixture(scope="module")
def kth(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 2,000 jobs of the KTH log as a workload."""
    if not KTH.exists():
        pytest.skip(f"the log is not here: {KTH}")
    made = import_swf(KTH)
    path = tmp_path_factory.mktemp("kth") / "kth.replay"
    with ReplayWriter(path, made.header) as writer:
        for event in first_jobs(made.events, 2000):
            writer.write(event)
    return path


def first_jobs(events: Iterator[Event], count: int) -> Iterator[Event]:
    for event in events:
        count -= isinstance(event, JobNew)
        if count < 0:
            return
        yield event


class TestARealLog:
    def test_slots_in_use_never_exceed_the_total(self, kth: Path) -> None:
        """Every account is compared with its definition at each round, and use with what there is."""
        played = engine(kth)
        most = rounds = dispatched = 0
        for happening in played.happenings():
            if isinstance(happening, RoundEnded):
                rounds += 1
                dispatched += happening.dispatched
                usage = played.core.state.ledger.resources[0]
                assert (usage.in_use <= usage.total).all(), happening
                assert (usage.in_use >= 0).all(), happening
                most = max(most, int(usage.in_use.sum()))
        assert (dispatched, played.tally.finished) == (2000, 2000)
        assert most <= int(played.core.state.ledger.resources[0].total.sum())
        assert rounds > 2000
        assert int(played.core.state.ledger.resources[0].in_use.sum()) == 0

    def test_every_job_runs_as_long_as_the_log_says(self, kth: Path) -> None:
        """7: "A dispatched job ends by itself `run_time` later"."""
        wanted = {
            e.event.job.id: e.event.job.run_time
            for e in open_replay(kth)
            if isinstance(e.event, JobNew)
        }
        began: dict[int, int] = {}
        ran: dict[int, int | None] = {}
        for happening in Engine(open_replay(kth), Core()).happenings():
            if isinstance(happening, Decided) and isinstance(happening.decision, Dispatch):
                began[happening.decision.job] = happening.t
            elif isinstance(happening, JobEnded):
                ran[happening.job] = happening.t - began[happening.job]
        assert ran == wanted

    def test_two_runs_are_the_same(self, kth: Path) -> None:
        """7: "Two runs of one replay give byte-identical output"."""

        def run() -> str:
            return "\n".join(map(told, Engine(open_replay(kth), Core()).happenings()))

        assert run() == run()


def test_two_runs_of_the_bundled_workload_are_the_same() -> None:
    """7: byte-identical, from the text and from the binary form."""

    def start(form: str) -> str:
        events = Engine(open_replay(ROOT / "replays" / f"workload.{form}"), Core()).happenings()
        told_all = []
        for happening in events:
            told_all.append(told(happening))
            if happening.number > 400:
                break
        return "\n".join(told_all)

    assert start("jsonl") == start("replay") == start("jsonl")


def test_setup_is_one_event_each(tmp_path: Path) -> None:
    """Numbers are those of the file: the header is 0."""
    path = write_replay(tmp_path / "a.jsonl", *SMALL)
    first, second, *_ = engine(path).happenings()
    assert isinstance(first, EventApplied)
    assert isinstance(second, EventApplied)
    assert (first.number, type(first.event)) == (1, ConfigPush)
    assert (second.number, type(second.event)) == (2, WorkersPush)
