"""Import of Standard Workload Format logs."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xce_sim.errors import ReplayError, UserError
from xce_sim.model.config import Config, Params, Queue
from xce_sim.model.event import ConfigPush, Header, JobNew, ResourceDefs, WorkersPush
from xce_sim.model.job import JobSpec
from xce_sim.replay.importers.machine import MEMORY, Machine, machine_of, parse_memory
from xce_sim.replay.importers.report import ImportReport, Skip
from xce_sim.replay.importers.swf import SwfOptions, import_swf
from xce_sim.replay.importers.swf_lines import SwfHeader, parse_comments, parse_record
from xce_sim.replay.inspection import check_replay
from xce_sim.replay.writer import ReplayWriter

DATA = Path(__file__).parents[3] / "shared" / "data" / "swf"
FEW = settings(deadline=None, derandomize=True, max_examples=300)
SECOND = 1_000_000

HEADER = "; UnixStartTime: 1000\n; MaxNodes: 2\n; MaxProcs: 5\n"


def record(
    number=1,
    submit=0,
    run=60,
    allocated=1,
    requested=1,
    memory=-1,
    status=1,
    user=12,
    group=3,
    queue=1,
):
    fields = [
        number,
        submit,
        7,
        run,
        allocated,
        -1,
        -1,
        requested,
        900,
        memory,
        status,
        user,
        group,
        -1,
        queue,
        -1,
        -1,
        -1,
    ]
    return " ".join(map(str, fields)) + "\n"


@pytest.fixture
def log(tmp_path):
    def write(*lines: str, header: str = HEADER, name: str = "log.swf") -> Path:
        path = tmp_path / name
        data = (header + "".join(lines)).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def jobs(path: Path, **options) -> list[JobNew]:
    return [
        event
        for event in import_swf(path, SwfOptions(**options)).events
        if isinstance(event, JobNew)
    ]


# ---- real logs ----

LOGS = {
    "KTH-SP2-1996-2.1-cln": {
        "lines": 28508, "jobs": 28489, "skips": (), "hosts": 100, "slots": 100, "queues": ["default"],
        "first": 843480031, "header": Header(mode="workload", cluster="KTH-SP2-1996-2.1-cln", producer="xce-sim import swf"),
    },
    "UniLu-Gaia-2014-1": {
        "lines": 52030, "jobs": 51860, "skips": (Skip(cause="no run time", count=127, line=10795),),
        "hosts": 151, "slots": 2004, "queues": ["q0", "q1", "q2"], "first": 1400749079,
        "header": Header(mode="workload", cluster="UniLu-Gaia-2014-1", producer="xce-sim import swf"),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_real_logs_import_to_what_awk_counts(tmp_path, name):
    source = DATA / f"{name}.swf"
    if not source.exists():
        pytest.skip("the logs of the Parallel Workloads Archive are not here")
    expected = LOGS[name]
    imported = import_swf(source)
    assert imported.header == expected["header"]
    assert imported.report == ImportReport(
        lines=expected["lines"], jobs=expected["jobs"], skips=expected["skips"]
    )
    target = tmp_path / "log.replay"
    counts = {}
    totals = [0, 0, 0, 0]
    with target.open("wb") as file:
        writer = ReplayWriter(file, imported.header, form="binary")
        for event in imported.events:
            writer.write(event)
            counts[type(event)] = counts.get(type(event), 0) + 1
            match event:
                case ConfigPush():
                    assert [queue.name for queue in event.config.queues] == expected["queues"]
                    assert event.t == expected["first"] * SECOND
                case WorkersPush():
                    assert len(event.workers) == expected["hosts"]
                    assert sum(worker.slots for worker in event.workers) == expected["slots"]
                case JobNew(job=job):
                    totals[0] += job.min_tasks
                    totals[1] += job.run_time // SECOND
                    totals[2] += event.t // SECOND - expected["first"]
                    totals[3] += int(job.user[4:])
    assert counts == {ConfigPush: 1, WorkersPush: 1, JobNew: expected["jobs"]}
    awk = '!/^;/ && $4>=0 {n+=($8>0?$8:$5); r+=$4; s+=$2; u+=$12} END {printf "%.0f %.0f %.0f %.0f", n, r, s, u}'
    counted = subprocess.run(["awk", awk, str(source)], capture_output=True, text=True, check=True)
    assert totals == [int(number) for number in counted.stdout.split()]
    assert check_replay(target).sound


# ---- what becomes of a record ----


def test_a_log_becomes_a_workload(log):
    path = log(record(1, 5, 60, requested=4, user=12, group=3, queue=1), record(2, 9, 0, queue=-1))
    imported = import_swf(path)
    t = 1005 * SECOND
    assert imported.header == Header(mode="workload", cluster="log", producer="xce-sim import swf")
    assert [type(event).__name__ for event in imported.events] == [
        "ConfigPush",
        "WorkersPush",
        "JobNew",
        "JobNew",
    ]
    first, second, *rest = import_swf(path).events
    config = Config(queues=(Queue(name="default"), Queue(name="q1")), params=Params())
    assert first == ConfigPush(t=t, config=config)
    assert second.t == t
    assert [(w.name, w.slots, dict(w.values)) for w in second.workers] == [
        ("n1", 3, {}),
        ("n2", 2, {}),
    ]
    common = {"user": "user12", "project": "group3"}
    assert rest == [
        JobNew(t=t, job=JobSpec(id=1, queue="q1", min_tasks=4, run_time=60 * SECOND, **common)),
        JobNew(t=1009 * SECOND, job=JobSpec(id=2, queue="default", run_time=0, **common)),
    ]
    assert imported.report == ImportReport(lines=5, jobs=2)


def test_requested_processors_come_before_allocated_ones(log):
    path = log(
        record(1, allocated=2, requested=3),
        record(2, allocated=2, requested=-1),
        record(3, allocated=2, requested=0),
    )
    assert [event.job.min_tasks for event in jobs(path)] == [3, 2, 2]


def test_unknown_people_have_no_name(log):
    (event,) = jobs(log(record(user=-1, group=-1)))
    assert (event.job.user, event.job.project) == ("", "")


def test_times_may_have_a_fraction(log):
    (event,) = jobs(log(record(submit="0.25", run="1e1")))
    assert (event.t, event.job.run_time) == (1000_250_000, 10 * SECOND)


def test_policy_spread_and_interval_are_taken_over(log):
    options = SwfOptions(policy="builtin_fcfs_strict", spread="fill", interval=5)
    imported = import_swf(log(record()), options)
    assert imported.header.interval == 5
    config = next(iter(imported.events))
    assert config.config.params == Params(policy="builtin_fcfs_strict", spread="fill")


def test_requested_memory_counts_only_with_memory_of_hosts(log):
    path = log(record(1, memory=2048), record(2, memory=-1), record(3, memory="0.5"))
    assert [event.job.resreq for event in jobs(path)] == ["", "", ""]
    wanted = [event.job.resreq for event in jobs(path, host_memory=parse_memory("1G"))]
    assert wanted == ["rusage[mem=2048/task]", "", "rusage[mem=0.5/task]"]
    _, defs, hosts, *_ = import_swf(path, SwfOptions(host_memory=parse_memory("1G"))).events
    assert defs == ResourceDefs(t=1000 * SECOND, defs=(MEMORY,))
    assert [worker.values for worker in hosts.workers] == [{"mem": 1048576_000}] * 2


def test_what_can_not_be_used_is_counted_by_cause_with_its_first_line(log):
    path = log(
        record(1),
        record(2, run=-1),
        record(3, run=-1, status=5),
        record(4, requested=0, allocated=-1),
        record(5, requested=6),
        record(6, submit=-1),
        record(0),
        record(1, run=5),
        record(7, memory=999_999_999),
        "1 2 3\n",
        "what is this\n",
        "; a comment\n",
        "\n",
        record(8, status=5),
    )
    imported = import_swf(path, SwfOptions(host_memory=parse_memory("1G")))
    assert imported.report == ImportReport(
        lines=17,
        jobs=2,
        skips=(
            Skip(cause="no run time", count=2, line=5),
            Skip(cause="no processors", count=1, line=7),
            Skip(cause="more processors than the machine has", count=1, line=8),
            Skip(cause="no submit time", count=1, line=9),
            Skip(cause="no job number", count=1, line=10),
            Skip(cause="job number seen before", count=1, line=11),
            Skip(cause="more memory than the machine has", count=1, line=12),
            Skip(cause="malformed line", count=2, line=13),
        ),
    )
    ids = [event.job.id for event in imported.events if isinstance(event, JobNew)]
    assert ids == [1, 8]


def test_strict_makes_the_first_of_them_an_error(log):
    path = log(record(1), record(2, run=-1))
    with pytest.raises(ReplayError) as caught:
        import_swf(path, SwfOptions(strict=True))
    assert str(caught.value) == f"{path}: line 5: no run time"


def test_a_log_without_a_usable_job_is_an_error(log):
    path = log(record(1, run=-1), record(2, run=-1), "x\n")
    with pytest.raises(ReplayError) as caught:
        import_swf(path)
    assert str(caught.value) == f"{path}: no job that can be used"
    assert caught.value.hint == "2 no run time, 1 malformed line"


# ---- order, origin, packing ----


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_an_unsorted_log_is_sorted_and_equal_times_keep_their_order(log, name):
    path = log(
        record(3, 7),
        record(2, 5),
        record(9, 5),
        record(1, 5),
        record(2, 4),
        record(4, 5),
        name=name,
    )
    imported = import_swf(path)
    found = [
        (event.t // SECOND, event.job.id) for event in imported.events if isinstance(event, JobNew)
    ]
    assert found == [(1005, 2), (1005, 9), (1005, 1), (1005, 4), (1007, 3)]
    assert imported.report.skips == (Skip(cause="job number seen before", count=1, line=8),)


def test_packed_logs_are_read_whatever_their_name(log, tmp_path):
    path = log(record(), name="log.swf.gz")
    assert import_swf(path).header.cluster == "log"
    other = tmp_path / "other.swf"
    path.rename(other)
    assert len(jobs(other)) == 1


def test_mixed_time_origins_are_noticed(log):
    for start in ("0", "1400000000"):
        path = log(
            record(1, 1_400_749_079), record(2, 1_400_749_080), header=HEADER.replace("1000", start)
        )
        imported = import_swf(path)
        assert imported.report.notices == (
            f"submit times are seconds since 1970 although the header says start {start}: "
            "taken as they are, beginning with 1400749079",
        )
        assert [event.t // SECOND for event in imported.events][1:] == [
            1400749079,
            1400749079,
            1400749080,
        ]


def test_a_log_without_a_start_counts_from_zero(log):
    (event,) = jobs(log(record(submit=3), header="; MaxProcs: 4\n"))
    assert event.t == 3 * SECOND


def test_progress_counts_the_lines_of_both_passes(log):
    path = log(*(record(i, i) for i in range(1, 5000)))
    seen: list[int] = []
    imported = import_swf(path, SwfOptions(), seen.append)
    assert seen == [4096]
    assert sum(1 for _ in imported.events) == 5001
    assert seen == [4096, 5002 + 4096]


def test_two_imports_are_alike(log):
    path = log(record(1), record(2, 1))
    assert list(import_swf(path).events) == list(import_swf(path).events)


# ---- the machine ----

MACHINES = [
    ({"nodes": 151, "processors": 2004}, (151, 13, 41)),
    ({"nodes": 100, "processors": 100}, (100, 1, 0)),
    ({"nodes": None, "processors": 7}, (7, 1, 0)),
    ({"nodes": 7, "processors": None}, (7, 1, 0)),
    ({"nodes": 9, "processors": 4}, (4, 1, 0)),
    ({"nodes": 9, "processors": 4, "hosts": 2}, (2, 2, 0)),
    ({"nodes": 9, "processors": 4, "slots": 8}, (9, 8, 0)),
    ({"nodes": 9, "processors": 4, "hosts": 3, "slots": 2}, (3, 2, 0)),
]


@pytest.mark.parametrize(("said", "found"), MACHINES)
def test_how_large_the_machine_is(said, found):
    known = {"hosts": None, "slots": None, "memory": None, "path": "x.swf"} | said
    machine = machine_of(**known)
    assert (machine.hosts, machine.slots, machine.larger) == found
    slots = [worker.slots for worker in machine.workers()]
    assert sum(slots) == machine.processors
    assert slots == sorted(slots, reverse=True)


@pytest.mark.parametrize(
    "said", [{}, {"slots": 4}, {"hosts": 0, "slots": 4}, {"nodes": 0}, {"hosts": 3, "slots": 0}]
)
def test_a_machine_that_nothing_tells_is_asked_for(said):
    known = (
        dict.fromkeys(("hosts", "slots", "nodes", "processors", "memory"))
        | {"path": "x.swf"}
        | said
    )
    with pytest.raises(ReplayError) as caught:
        machine_of(**known)
    assert str(caught.value) == "x.swf: the log does not say how large the machine is"
    assert caught.value.hint == "say --hosts N --slots M"


def test_a_machine_beyond_reason_is_refused(log):
    path = log(record(), header="; MaxNodes: 999999999\n; MaxProcs: 999999999\n")
    with pytest.raises(ReplayError, match=r"999999999 hosts with 1 slots is too large$"):
        import_swf(path)


def test_many_hosts_come_in_pieces_and_are_numbered_alike(log):
    events = list(import_swf(log(record(), header=""), SwfOptions(hosts=2500, slots=2)).events)
    pushes = [event for event in events if isinstance(event, WorkersPush)]
    assert [len(push.workers) for push in pushes] == [1000, 1000, 500]
    assert pushes[0].workers[0].name == "n0001"
    assert pushes[-1].workers[-1].name == "n2500"


@given(
    st.integers(1, 50),
    st.integers(1, 8),
    st.integers(1, 40),
    st.integers(1, 500),
    st.integers(0, 60),
)
@FEW
def test_memory_bounds_tasks_as_counting_does(hosts, slots, larger, memory, wanted):
    machine = Machine(hosts=hosts, slots=slots, larger=min(larger, hosts - 1), memory=memory)
    each = [memory // wanted if wanted else 10**9] * hosts
    counted = sum(
        min(worker.slots, most) for worker, most in zip(machine.workers(), each, strict=True)
    )
    assert machine.tasks_with(wanted) == counted


@pytest.mark.parametrize(
    ("text", "kib"), [("64G", 64 << 20), ("512M", 512 << 10), ("1.5GiB", 3 << 19), ("8kb", 8)]
)
def test_memory_as_people_write_it(text, kib):
    assert parse_memory(text) == kib * 1000


@pytest.mark.parametrize(
    "text", ["", "64", "64 G", "-1G", "1X", "0G", "1e3G", "٣G", "9" * 30 + "G"]
)
def test_memory_that_is_none(text):
    with pytest.raises(UserError):
        parse_memory(text)


# ---- lines ----


def test_comments_are_read_up_to_the_first_record():
    lines = [
        b"; maxprocs : 8 (of them 2 broken)\n",
        b";MaxProcs: 9\n",
        b"\n",
        b"; Note: MaxNodes: 5\n",
        b";  UnixStartTime:  17\n",
        b"1 2\n",
        b"; MaxNodes: 4\n",
    ]
    assert parse_comments(lines) == SwfHeader(start=17, nodes=None, processors=8)
    assert parse_comments([b"; MaxNodes: -1\n", b"; MaxProcs: 0\n"]) == SwfHeader()


GOOD = record().encode()


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\n", b"x" * 100, GOOD[:-8], b"1_0" + GOOD[1:], b"one" + GOOD[1:], b"1.5" + GOOD[1:],
        b"nan" + GOOD[1:], b"inf" + GOOD[1:], b"9" * 400 + GOOD[1:], b"1e400" + GOOD[1:], b"--1" + GOOD[1:],
        b"\xff" + GOOD[1:], b"\0" + GOOD[1:], "٣".encode() + GOOD[1:], b"0x1" + GOOD[1:], b"-" + GOOD[1:],
    ],
)  # fmt: skip
def test_lines_that_are_no_records(line):
    assert parse_record(line) is None


def test_a_whole_number_may_be_written_with_a_point():
    found = parse_record(record(number="7.0", requested="2.00", submit="3.5").encode())
    assert (found.number, found.processors, found.submit) == (7, 2, 3_500_000)


@FEW
@given(
    st.lists(
        st.binary(max_size=90)
        | st.lists(
            st.sampled_from([b"1", b"-1", b"0", b"2.5", b"1e9", b"x", b"99999999999999999999"]),
            min_size=15,
            max_size=20,
        ).map(b" ".join),
        max_size=5,
    )
)
@example([GOOD[:-1]])
def test_any_bytes_import_or_are_refused(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "fuzz.swf"
    path.write_bytes(HEADER.encode() + b"\n".join(lines))
    try:
        imported = import_swf(path)
    except ReplayError as error:
        assert str(path) in str(error)
        return
    report = imported.report
    assert sum(isinstance(event, JobNew) for event in imported.events) == report.jobs
    assert report.jobs + sum(skip.count for skip in report.skips) <= report.lines


def test_files_that_can_not_be_read(tmp_path):
    for name, reason in (("none.swf", "no such file"), ("", "is a directory, not a replay")):
        with pytest.raises(ReplayError) as caught:
            import_swf(tmp_path / name)
        assert caught.value.reason == reason


def test_a_package_that_is_cut_off(log):
    path = log(*(record(i) for i in range(1, 400)), name="log.swf.gz")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ReplayError) as caught:
        import_swf(path)
    assert str(caught.value) == f"{path}: the package is cut off"
