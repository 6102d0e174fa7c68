"""The JSON Lines form as people write it, and what it refuses."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xce_sim.errors import ReplayError
from xce_sim.model.config import Config, Limit, Params, Queue
from xce_sim.model.event import (
    ConfigPush,
    Header,
    Held,
    HostRange,
    JobNew,
    JobsPush,
    JobUpdate,
    QueueUpdate,
    ReasonSet,
    RecordedDispatch,
    RecordedEntry,
    RecordedPend,
    RecordedPendRun,
    ResourceDefs,
    RoundBegin,
    SharedUpdate,
    SnapshotBegin,
    ValuesUpdate,
    WorkersPush,
    WorkerUpdate,
)
from xce_sim.model.job import Allocation, ArrayRange, HostShare, JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import FrozenAccounts, Worker
from xce_sim.replay.messages import BY_NAME
from xce_sim.replay.text_format import encode_line, format_event
from xce_sim.replay.text_parse import parse_header, parse_line

MEM = ResourceDef(name="mem", consumable=True, unit="MiB")
DEFINED = {
    "mem": MEM,
    "ut": ResourceDef(name="ut"),
    "type": ResourceDef(name="type", type="string"),
    "gpu": ResourceDef(name="gpu", type="boolean"),
    "license": ResourceDef(name="license", consumable=True, scope="shared"),
}
FEW = settings(deadline=None, derandomize=True, max_examples=300)


def parse(text: str | bytes):
    data = text.encode() if isinstance(text, str) else text
    return parse_line(data).event(DEFINED.get)


def refusal(text: str | bytes) -> str:
    with pytest.raises(ReplayError) as caught:
        parse(text)
    hint = f" ({caught.value.hint})" if caught.value.hint else ""
    return caught.value.reason + hint


# ---- what is written ----

ELEMENT = 42 | 3 << 32

WRITTEN = [
    (
        Header(cluster="demo", producer="xce-sim"),
        '{"replay": {"version": 1, "mode": "recorded", "cluster": "demo", "producer": "xce-sim"}}',
    ),
    (
        Header(mode="workload", interval=1_500_000),
        '{"replay": {"version": 1, "mode": "workload", "interval": 1.5}}',
    ),
    (
        ConfigPush(
            t=0,
            config=Config(
                queues=(
                    Queue(name="normal", priority=50),
                    Queue(name="off", active=False, hosts=()),
                ),
                limits=(Limit(name="lim", resource="slots", value=100_500, per_user=("all",)),),
                groups={"team": ("alice", "bob")},
                params=Params(spread="fill"),
            ),
        ),
        '{"t": 0, "config_push": {"queues": [{"name": "normal", "priority": 50}, {"name": "off", "hosts": [], "active": false}], '
        '"limits": [{"name": "lim", "resource": "slots", "value": 100.5, "per_user": ["all"]}], '
        '"groups": {"team": ["alice", "bob"]}, "params": {"spread": "fill"}}}',
    ),
    (
        ResourceDefs(t=0, defs=(MEM, ResourceDef(name="ut", better="less"))),
        '{"t": 0, "resource_defs": [{"name": "mem", "consumable": true, "unit": "MiB"}, {"name": "ut", "better": "less"}]}',
    ),
    (
        WorkersPush(
            t=0,
            workers=(
                Worker(
                    name="n01",
                    slots=16,
                    status="closed",
                    values={"mem": 65536_500, "ut": 0.25, "type": "linux", "gpu": True},
                ),
            ),
        ),
        '{"t": 0, "workers_push": [{"name": "n01", "slots": 16, "status": "closed", "values": {"mem": 65536.5, "ut": 0.25, "type": "linux", "gpu": true}}]}',
    ),
    (
        WorkersPush(
            t=0,
            workers=(
                Worker(
                    name="n01", frozen=FrozenAccounts(amounts={"mem": 1}, limits={"lim/u=a": 2000})
                ),
            ),
        ),
        '{"t": 0, "workers_push": [{"name": "n01", "frozen": {"amounts": {"mem": 0.001}, "limits": {"lim/u=a": 2}}}]}',
    ),
    (
        JobNew(
            t=1,
            job=JobSpec(
                id=42,
                user="alice",
                queue="normal",
                queue_time=0,
                max_tasks=4,
                run_time=600_000_000,
                hosts=(),
                array=ArrayRange(first=1, last=10),
            ),
        ),
        '{"t": 0.000001, "job_new": {"id": 42, "user": "alice", "queue": "normal", "queue_time": 0, "max_tasks": 4, "run_time": 600, "hosts": [], "array": {"first": 1, "last": 10}}}',
    ),
    (
        JobUpdate(
            t=2_000_000,
            job=JobSpec(
                id=ELEMENT,
                state="run",
                start_time=2_000_000,
                allocs=Allocation(
                    hosts=(HostShare(host="n01", tasks=1, amounts={"mem": 8_192_000}),),
                    shared={"license": 1000},
                ),
            ),
            changed=frozenset(("allocs", "state", "start_time", "max_tasks")),
        ),
        '{"t": 2, "job_update": {"id": "42[3]", "max_tasks": null, "state": "run", "start_time": 2, '
        '"allocs": {"hosts": [{"host": "n01", "tasks": 1, "amounts": {"mem": 8192}}], "shared": {"license": 1}}}}',
    ),
    (
        JobUpdate(t=0, job=JobSpec(id=1), changed=frozenset(("priority", "user"))),
        '{"t": 0, "job_update": {"id": 1, "user": "", "priority": 0}}',
    ),
    (
        QueueUpdate(t=0, name="normal", active=False, all_hosts=True),
        '{"t": 0, "queue_update": {"name": "normal", "active": false, "hosts": null}}',
    ),
    (
        QueueUpdate(t=0, name='"all_hosts": true}', hosts=("n01",)),
        '{"t": 0, "queue_update": {"name": "\\"all_hosts\\": true}", "hosts": ["n01"]}}',
    ),
    (
        WorkerUpdate(t=0, name="n01", slots=0),
        '{"t": 0, "worker_update": {"name": "n01", "slots": 0}}',
    ),
    (
        ValuesUpdate(t=0, host="n01", values={"ut": 1e22, "mem": 0}),
        '{"t": 0, "values_update": {"host": "n01", "values": {"ut": 1e+22, "mem": 0}}}',
    ),
    (
        RecordedDispatch(t=0, job=7, allocs=Allocation(), reconstructed=True),
        '{"t": 0, "dispatch": {"job": 7, "allocs": {}, "reconstructed": true}}',
    ),
    (
        ReasonSet(
            t=0,
            set=3,
            entries=(
                RecordedEntry(
                    code="HOST_RESOURCE",
                    resource="mem",
                    alternative=2,
                    hosts=("n01", HostRange(first="n07", last="n31")),
                ),
            ),
        ),
        '{"t": 0, "reason_set": {"set": 3, "entries": [{"code": "HOST_RESOURCE", "resource": "mem", "alternative": 2, "hosts": ["n01", {"from": "n07", "to": "n31"}]}]}}',
    ),
    (
        RecordedPend(t=0, job=7, main="NO_PLAN", reasons=(RecordedEntry(code="NO_PLAN"),)),
        '{"t": 0, "pend": {"job": 7, "main": "NO_PLAN", "reasons": [{"code": "NO_PLAN"}]}}',
    ),
    (
        RecordedPendRun(t=0, jobs=(44 | 1 << 32, 44 | 2 << 32, 51), main="NO_PLAN", set=0),
        '{"t": 0, "pend_run": {"jobs": ["44[1-2]", "51"], "main": "NO_PLAN", "set": 0}}',
    ),
    (RoundBegin(t=-1, round=12), '{"t": -0.000001, "round_begin": {"round": 12}}'),
    (
        SnapshotBegin(t=8_000_000, round=12, link="rebuild_pending", next_round=9_250_000),
        '{"t": 8, "snapshot_begin": {"round": 12, "link": "rebuild_pending", "next_round": 9.25}}',
    ),
    (
        Held(t=8, event=JobNew(t=7, job=JobSpec(id=9))),
        '{"t": 0.000008, "held": {"t": 0.000007, "job_new": {"id": 9}}}',
    ),
    (
        JobNew(t=0, job=JobSpec(id=1, user='a\0b\x1b[31m\n"\\', project="grün")),
        '{"t": 0, "job_new": {"id": 1, "user": "a\\u0000b\\u001b[31m\\n\\"\\\\", "project": "grün"}}',
    ),
]


@pytest.mark.parametrize(("event", "line"), WRITTEN)
def test_one_text_for_each_event(event, line):
    assert format_event(event) == line
    assert (parse_header if isinstance(event, Header) else parse)(line.encode()) == event


def test_an_update_may_be_given_a_whole_job():
    job = JobSpec(id=1, user="alice", state="done")
    assert format_event(JobUpdate(t=0, job=job, changed=frozenset(("state",)))) == (
        '{"t": 0, "job_update": {"id": 1, "state": "done"}}'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_not_written(value):
    with pytest.raises(ReplayError, match="is not a finite number"):
        format_event(SharedUpdate(t=0, values={"ut": value}))


def test_half_a_surrogate_pair_is_not_written():
    with pytest.raises(ReplayError) as caught:
        encode_line(JobNew(t=0, job=JobSpec(id=1, user="\ud800")))
    assert caught.value.reason.startswith("a text that is no Unicode: ")


def test_a_queue_update_that_says_two_things_is_not_written():
    with pytest.raises(ReplayError, match=r"^queue q: both a list of hosts and all hosts$"):
        format_event(QueueUpdate(t=0, name="q", hosts=("n01",), all_hosts=True))


# ---- what is read ----

READ = [
    (
        '{"job_new": {"queue_time": null, "id": "42"}, "t": 1.50}',
        JobNew(t=1_500_000, job=JobSpec(id=42)),
    ),
    (
        '  {"t":1e3,"job_new":{"id":42,"hosts":null,"array":null}}  \r\n',
        JobNew(t=10**9, job=JobSpec(id=42)),
    ),
    ('{"t": 0, "job_new": {"id": 4294967295}}', JobNew(t=0, job=JobSpec(id=2**32 - 1))),
    (
        '{"t": 0, "pend_run": {"jobs": [7, "8-9", "10[1-2]"], "main": "NO_PLAN", "set": 1}}',
        RecordedPendRun(t=0, jobs=(7, 8, 9, 10 | 1 << 32, 10 | 2 << 32), main="NO_PLAN", set=1),
    ),
    (
        '{"t": 0, "shared_update": {"mem": 8, "ut": 8, "new": 8, "odd": true, "type": 2.5}}',
        SharedUpdate(t=0, values={"mem": 8000, "ut": 8.0, "new": 8.0, "odd": True, "type": 2.5}),
    ),
    (
        '{"t": 0, "shared_update": {"mem": "much", "gpu": "yes"}}',
        SharedUpdate(t=0, values={"mem": "much", "gpu": "yes"}),
    ),
    (
        '{"t": 0, "shared_update": {"ut": 0.1000000000000000055511151231257827}}',
        SharedUpdate(t=0, values={"ut": 0.1}),
    ),
    (
        '{"t": 0, "shared_update": {"ut": -0.0, "mem": 1.0000000000}}',
        SharedUpdate(t=0, values={"ut": -0.0, "mem": 1000}),
    ),
    ('{"t": 0, "jobs_push": []}', JobsPush(t=0, jobs=())),
    (
        '{"t": 0, "queue_update": {"name": "q", "priority": null, "hosts": []}}',
        QueueUpdate(t=0, name="q", hosts=()),
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "user": "\\ud83d\\ude42"}}',
        JobNew(t=0, job=JobSpec(id=1, user="🙂")),
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "user": "\\\\ud800"}}',
        JobNew(t=0, job=JobSpec(id=1, user="\\ud800")),
    ),
]


@pytest.mark.parametrize(("line", "event"), READ)
def test_more_than_one_way_of_writing_is_read(line, event):
    assert parse(line) == event


def test_a_consumable_is_exact():
    event = parse('{"t": 0, "shared_update": {"mem": 4611686018427387.903}}')
    assert event.values["mem"] == 2**62 - 1


# ---- what is refused ----

REFUSED = [
    ("", "not JSON: Expecting value at column 1"),
    ("# a comment", "not JSON: Expecting value at column 1 (JSON Lines have no comments)"),
    ('{"t": 0, "join": {}} // end', "not JSON: Extra data at column 22"),
    ("[1]", "an object is expected, not a list"),
    ("7", "an object is expected, not 7"),
    ("null", "an object is expected, not null"),
    (b'{"t": 0, "join": {"\xff": 1}}', "not UTF-8 at column 20"),
    ('{"replay": {}}', "a second header"),
    ('{"join": {}}', "t, the time of the event, is missing"),
    ('{"t": 0}', "one event is expected beside t, not none"),
    ('{"t": 0, "join": {}, "rebuilt": {}}', "one event is expected beside t, not 2 events"),
    ('{"t": 0, "job_mew": {}}', "unknown event 'job_mew' (did you mean job_new?)"),
    ('{"t": "0", "join": {}}', "t: a number is expected, not '0'"),
    ('{"t": true, "join": {}}', "t: a number is expected, not true"),
    ('{"t": 0.0000001, "join": {}}', "t: time 1E-7 has more than six decimals"),
    ('{"t": 1e300, "join": {}}', "t: time 1E+300 is out of range"),
    ('{"t": 99999999999999999999, "join": {}}', "t: time 99999999999999999999 is out of range"),
    ('{"t": NaN, "join": {}}', "NaN is not a finite number"),
    ('{"t": 0, "shared_update": {"ut": -Infinity}}', "-Infinity is not a finite number"),
    ('{"t": 0, "shared_update": {"ut": 1e400}}', "shared_update: ut: 1E+400 is too large"),
    (
        '{"t": 0, "shared_update": {"mem": 0.0005}}',
        "shared_update: mem: amount 0.0005 has more than three decimals",
    ),
    ('{"t": 0, "shared_update": {"mem": 1e30}}', "shared_update: mem: amount 1E+30 is too large"),
    (
        '{"t": 0, "shared_update": {"mem": null}}',
        "shared_update: mem: a number is expected, not null",
    ),
    (
        '{"t": 0, "shared_update": {"mem": [1]}}',
        "shared_update: mem: a number is expected, not a list",
    ),
    ('{"t": 0, "shared_update": []}', "shared_update: an object is expected, not a list"),
    ('{"t": 0, "join": []}', "join: an object is expected, not a list"),
    ('{"t": 0, "join": {"why": 1}}', "join: unknown field 'why' (it has no fields)"),
    ('{"t": 0, "t": 0, "join": {}}', "'t' stands twice in one object"),
    ('{"t": 0, "job_new": {"id": 1, "id": 2}}', "'id' stands twice in one object"),
    ('{"t": 0, "job_new": {"user": "a"}}', "job_new: id is missing"),
    (
        '{"t": 0, "job_new": {"id": 1, "usr": "a"}}',
        "job_new: unknown field 'usr' (did you mean user?)",
    ),
    (
        '{"t": 0, "job_new": {"id": 0}}',
        "job_new: id: job id 0[0] is out of range (base and index have 32 bits each)",
    ),
    (
        '{"t": 0, "job_new": {"id": "1[0]"}}',
        "job_new: id: '1[0]' is not a job id (write 42, or 42[7] for an array element)",
    ),
    (
        '{"t": 0, "job_new": {"id": 1.5}}',
        'job_new: id: a job id (42 or "42[7]") is expected, not 1.5',
    ),
    ('{"t": 0, "job_new": {"id": 1, "user": 7}}', "job_new: user: a text is expected, not 7"),
    ('{"t": 0, "job_new": {"id": 1, "user": null}}', "job_new: user: a text is expected, not null"),
    (
        '{"t": 0, "job_new": {"id": 1, "min_tasks": -1}}',
        "job_new: min_tasks: -1 is not between 0 and 4294967295",
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "min_tasks": true}}',
        "job_new: min_tasks: a whole number is expected, not true",
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "priority": 9223372036854775808}}',
        "job_new: priority: 9223372036854775808 is not between -9223372036854775808 and 9223372036854775807",
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "state": "ran"}}',
        "job_new: state: one of pend psusp run susp done exit is expected, not 'ran'",
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "hosts": "n01"}}',
        "job_new: hosts: a list is expected, not 'n01'",
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "allocs": {"hosts": [{"host": "n01"}]}}}',
        "job_new: allocs: hosts: entry 1: tasks is missing",
    ),
    (
        '{"t": 0, "job_new": {"id": 1, "allocs": {"shared": {"a\\u001b": 0.0001}}}}',
        "job_new: allocs: shared: a\\x1b: amount 0.0001 has more than three decimals",
    ),
    (
        '{"t": 0, "jobs_push": [{"id": 1}, {"id": "x"}]}',
        "jobs_push: entry 2: id: 'x' is not a job id (write 42, or 42[7] for an array element)",
    ),
    (
        '{"t": 0, "job_update": {"id": 1, "array": {"first": 1, "last": 2}}}',
        "job_update: job_update can not change array",
    ),
    (
        '{"t": 0, "job_update": {"id": 1, "user": null}}',
        "job_update: user: a text is expected, not null",
    ),
    (
        '{"t": 0, "queue_update": {"name": "q", "all_hosts": true}}',
        "queue_update: unknown field 'all_hosts' (write \"hosts\": null for all hosts)",
    ),
    (
        '{"t": 0, "worker_update": {"name": "n01", "status": "OK"}}',
        "worker_update: status: one of ok closed unavail reconciling is expected, not 'OK'",
    ),
    (
        '{"t": 0, "reason_set": {"set": 1, "entries": [{"code": "NO_PLAN", "hosts": [{"from": "a"}]}]}}',
        "reason_set: entries: entry 1: hosts: a range of hosts has from and to, nothing else",
    ),
    (
        '{"t": 0, "pend_run": {"jobs": ["9-3"], "main": "NO_PLAN", "set": 1}}',
        "pend_run: jobs: job range '9-3' runs backwards",
    ),
    (
        '{"t": 0, "pend_run": {"jobs": ["1-4294967295"], "main": "NO_PLAN", "set": 1}}',
        "pend_run: jobs: more than 4194304 jobs in one message",
    ),
    (
        '{"t": 0, "held": {"t": 0, "join": {}}}',
        "held: only an increment can be held back, not join",
    ),
    ('{"t": 0, "held": 1}', "held: an event with its time is expected, not 1"),
    (
        '{"t": 0, "held": {"t": 0, "held": {"t": 0, "job_remove": {"id": 1}}}}',
        "held: only an increment can be held back, not held",
    ),
    ('{"t": 0, "job_new": {"id": 1, "user": "\\ud800"}}', "half a surrogate pair in a text"),
    ('{"t": 0, "job_new": {"id": 1, "user": "\\uDC00x"}}', "half a surrogate pair in a text"),
    ('{"t": ' + "1" * 10_000 + ', "join": {}}', "a number of 10000 digits"),
    ('{"t": 0.' + "1" * 10_000 + ', "join": {}}', "a number of 10002 characters"),
    (
        '{"t": 1.' + "0" * 80 + '1, "join": {}}',
        "t: time 1." + "0" * 80 + "1 has more than six decimals",
    ),
    ('{"t": 0, "join": ' + "[" * 100_000, "nested too deeply"),
    ('{"t": 0, "join": ' + '{"a":' * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("line", "reason"), REFUSED)
def test_what_is_wrong_is_named(line, reason):
    assert refusal(line) == reason


HEADERS = [
    ('{"replay": {"mode": "workload"}}', "replay: version is missing"),
    ('{"replay": {"version": "1"}}', "replay: version: a whole number is expected, not '1'"),
    (
        '{"replay": {"version": 1, "mode": "live"}}',
        "replay: mode: one of recorded workload is expected, not 'live'",
    ),
    ('{"replay": {"version": 1, "intervall": 3}}', "replay: unknown field 'intervall'"),
    ('{"replay": []}', "replay: an object is expected, not a list"),
    ('{"replay": {"version": 1}, "t": 0}', "the first line is not a header"),
    ('{"t": 0, "join": {}}', "the first line is not a header"),
]


@pytest.mark.parametrize(("line", "reason"), HEADERS)
def test_what_is_wrong_in_a_header_is_named(line, reason):
    with pytest.raises(ReplayError) as caught:
        parse_header(line.encode())
    assert caught.value.reason == reason


def test_a_long_wrong_text_is_shown_in_part():
    assert refusal('{"t": "' + "x" * 1000 + '", "join": {}}') == (
        "t: a number is expected, not '" + "x" * 36 + "..."
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = sorted(
    {
        "t",
        "id",
        "name",
        "hosts",
        "values",
        "allocs",
        "jobs",
        "entries",
        "held",
        "job_new",
        "workers_push",
        "config_push",
    }
)


@FEW
@given(
    st.binary(max_size=80)
    | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@example(b'{"t":0,"held":{"t":0,"held":')
def test_rubbish_is_refused_never_a_crash(line):
    try:
        parse(line)
    except ReplayError as error:
        assert "\n" not in error.reason


@FEW
@given(st.data())
def test_any_json_is_an_event_or_refused(data):
    name = data.draw(st.sampled_from(sorted(BY_NAME)))
    body = data.draw(st.dictionaries(st.sampled_from(KEYS), json_values, max_size=4) | json_values)
    try:
        parse(json.dumps({"t": data.draw(st.integers(0, 9)), name: body}))
    except ReplayError as error:
        assert error.reason
