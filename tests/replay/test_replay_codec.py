"""The binary form: its schema, its evolution, and input that would hurt the library."""

from __future__ import annotations

import dataclasses
import io
import subprocess
import sys
from contextlib import contextmanager
from importlib.resources import files

import capnp
import pytest

from xce_sim.errors import ReplayError
from xce_sim.model.event import (
    Disconnect,
    Header,
    Held,
    JobNew,
    JobRemove,
    JobUpdate,
    RecordedPendRun,
    RoundBegin,
    SharedUpdate,
    WorkersPush,
    WorkerUpdate,
)
from xce_sim.model.job import JobSpec
from xce_sim.model.worker import Worker
from xce_sim.replay import messages, shapes
from xce_sim.replay.codec import decode, encode
from xce_sim.replay.framing import batches
from xce_sim.replay.jobruns import MAX_JOBS
from xce_sim.replay.reader import open_replay

SCHEMA = (files("xce_sim.replay") / "replay.capnp").read_text()


def read(data: bytes):
    return [event for batch in batches(io.BytesIO(data)) for event in decode(batch)]


@contextmanager
def refused(reason: str):
    with pytest.raises(ReplayError) as caught:
        yield caught
    assert caught.value.reason == reason


@contextmanager
def damaged(why: str):
    with pytest.raises(ReplayError) as caught:
        yield caught
    assert caught.value.reason.startswith("damaged message: ")
    assert why in caught.value.reason
    assert "stack:" not in caught.value.reason


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The schema as any program may load it; another id, since one id can be loaded only once."""
    return load(tmp_path_factory.mktemp("same"), "@0xd3a1f04c86b7e25a", SCHEMA)


@pytest.fixture(scope="module")
def newer(tmp_path_factory):
    """A later version: a job and a worker update have one more field, there is one more event,
    one more status and one more kind of value."""
    text = SCHEMA
    for old, new in (
        ("  set @20 :UInt32;\n}", "  set @20 :UInt32;\n  colour @21 :Text;\n}"),
        ("  slots @3 :UInt32;\n}", "  slots @3 :UInt32;\n  rack @4 :Text;\n}"),
        ("    held @28 :Held;", "    held @28 :Held;\n    earthquake @29 :Text;"),
        ("  reconciling @3;", "  reconciling @3;\n  molten @4;"),
        ("    flag @4 :Bool;", "    flag @4 :Bool;\n    tensor @5 :Text;"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return load(tmp_path_factory.mktemp("newer"), "@0xd3a1f04c86b7e25b", text)


def load(folder, number: str, text: str):
    path = folder / "replay.capnp"
    path.write_text(text.replace("@0xd3a1f04c86b7e259", number))
    return capnp.load(str(path))


# ---- the schema and the tables ----


def all_shapes():
    found = {}

    def visit(shape):
        found[shape.struct] = shape
        for field in shape.fields:
            if isinstance(field.kind, shapes.One | shapes.Many):
                visit(field.kind.shape)

    visit(messages.HEADER)
    for message in messages.MESSAGES:
        if message.form != "held":
            visit(message.body)
    return found


def test_the_tables_follow_the_schema_field_by_field(schema):
    for name, shape in all_shapes().items():
        members = list(getattr(schema, name).schema.fields)
        expected = [shapes.GIVEN] * shape.masked + [field.member for field in shape.fields]
        assert members == expected, name


def test_the_tables_have_every_field_of_the_values():
    for message in messages.MESSAGES:
        if message.form == "fields":
            names = [item.name for item in dataclasses.fields(message.make)]
            assert names == ["t", *(field.name for field in message.body.fields)], message.name
    for shape in all_shapes().values():
        own = {item.name for item in dataclasses.fields(shape.make)} - {"t"}
        assert own == {field.name for field in shape.fields}, shape.struct


def test_every_event_has_its_member_in_the_union(schema):
    members = list(schema.Message.schema.union_fields)
    assert members == ["header", *(message.member for message in messages.MESSAGES)]


def test_only_structs_without_a_mask_have_no_optional_nothing():
    for shape in all_shapes().values():
        if not shape.masked:
            assert all(field.default is not None for field in shape.fields), shape.struct


def test_words_of_choices_are_the_enumerants(schema):
    for shape in all_shapes().values():
        for field in shape.fields:
            if isinstance(field.kind, shapes.Choice):
                kind = getattr(schema, shape.struct).schema.fields[field.member].schema
                enumerants = sorted(kind.enumerants, key=kind.enumerants.get)
                assert enumerants == [shapes.camel(word) for word in field.kind.words]


def test_another_program_reads_what_is_written(schema):
    job = JobSpec(id=42 | 3 << 32, user="alice", queue="normal", queue_time=0, min_tasks=4)
    (message,) = schema.Message.read_multiple_bytes(encode(JobNew(t=1_500_000, job=job)))
    assert (message.t, message.which()) == (1_500_000, "jobNew")
    assert (message.jobNew.user, message.jobNew.minTasks) == ("alice", 4)
    assert bin(message.jobNew.given) == bin(1 << 2 | 1 << 3 | 1 << 6 | 1 << 8)


def test_what_is_at_its_default_takes_no_place():
    spare, spelled = JobSpec(id=1), JobSpec(id=1, user="", priority=0, min_tasks=1, state="pend")
    assert encode(JobNew(t=0, job=spare)) == encode(JobNew(t=0, job=spelled))


def test_an_update_carries_the_named_fields_only():
    job = JobSpec(id=7, user="alice", state="done", end_time=5)
    written = encode(JobUpdate(t=9, job=job, changed=frozenset(("state", "max_tasks"))))
    (event,) = read(written)
    assert event == JobUpdate(
        t=9, job=JobSpec(id=7, state="done"), changed=frozenset(("state", "max_tasks"))
    )


# ---- evolution ----


def message_of(module, member: str):
    root = module.Message.new_message()
    root.t = 5
    return root, root.init(member)


def test_an_unknown_event_is_refused_by_name_of_the_trouble(newer):
    root = newer.Message.new_message()
    root.earthquake = "ouch"
    with refused("an event of a kind that this version does not know"):
        read(root.to_bytes())


def test_unknown_fields_are_skipped(newer):
    root, update = message_of(newer, "workerUpdate")
    update.given, update.name, update.slots, update.rack = 1 << 3 | 1 << 4, "n01", 8, "r7"
    assert read(root.to_bytes()) == [WorkerUpdate(t=5, name="n01", slots=8)]


def test_unknown_fields_of_an_update_are_skipped(newer):
    root, update = message_of(newer, "jobUpdate")
    update.changed = 1 << 2 | 1 << 21
    job = update.init("job")
    job.given, job.id, job.user, job.colour = 1 << 2 | 1 << 21, 7, "bob", "red"
    changed = frozenset(("user",))
    assert read(root.to_bytes()) == [JobUpdate(t=5, job=JobSpec(id=7, user="bob"), changed=changed)]


def test_an_unknown_word_is_refused(newer):
    root, update = message_of(newer, "workerUpdate")
    update.given, update.name, update.status = 1 << 2, "n01", "molten"
    with pytest.raises(ReplayError) as caught:
        read(root.to_bytes())
    assert caught.value.reason == (
        "unknown choice 4 instead of one of: ok closed unavail reconciling"
    )


def test_an_unknown_kind_of_value_is_refused(newer):
    root, update = message_of(newer, "sharedUpdate")
    value = update.init("values", 1)[0]
    value.name, value.tensor = "license", "?"
    with refused("a value of a kind that this version does not know"):
        read(root.to_bytes())


def test_a_file_with_unknown_fields_is_read_but_not_exactly(newer, tmp_path):
    root, update = message_of(newer, "workerUpdate")
    update.given, update.name, update.rack = 1 << 4, "n01", "r7"
    path = tmp_path / "newer.replay"
    before = encode(Header()) + encode(Disconnect(t=5))
    path.write_bytes(before + root.to_bytes() + encode(Disconnect(t=6)))
    with open_replay(path, checked=False) as replay:
        assert len(list(replay)) == 3
    with (
        open_replay(path, checked=False, exact=True) as replay,
        pytest.raises(ReplayError) as caught,
    ):
        list(replay)
    assert str(caught.value) == (
        f"{path}: event 2, byte {len(before)}: the message has fields that this version does not "
        "know, or not its form"
    )


# ---- content that can not be ----


def test_an_update_of_what_can_not_change_is_refused(schema):
    root, update = message_of(schema, "jobUpdate")
    update.changed = 1 << 12
    update.init("job").id = 7
    with refused("job_update can not have array"):
        read(root.to_bytes())


def test_an_update_with_a_field_that_it_does_not_announce_is_refused(schema):
    root, update = message_of(schema, "jobUpdate")
    job = update.init("job")
    job.id, job.given, job.user = 7, 1 << 2, "eve"
    with refused("job_update can not have user"):
        read(root.to_bytes())


def test_only_increments_are_held(schema):
    root, held = message_of(schema, "held")
    held.init("event").init("roundBegin").round = 1
    with refused("held can only have an increment inside"):
        read(root.to_bytes())


def test_held_in_held_in_held_ends(schema):
    root, held = message_of(schema, "held")
    for _ in range(100):
        held = held.init("event").init("held")
    with damaged("Message is too deeply-nested"):
        read(root.to_bytes())


def test_a_name_twice_in_a_list_of_values_is_refused(schema):
    root, update = message_of(schema, "sharedUpdate")
    for value in update.init("values", 2):
        value.name, value.milli = "license", 1
    with refused("'license' stands twice in one list"):
        read(root.to_bytes())


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        (9, 3, "9 to 3 is no run of jobs"),
        (3, 9 | 1 << 32, "3 to 9[1] is no run of jobs"),
        (3 | 1 << 32, 4 | 2 << 32, "3[1] to 4[2] is no run of jobs"),
        (1, MAX_JOBS + 1, "more than 4194304 jobs in one message"),
        (1, 2**32 - 1, "more than 4194304 jobs in one message"),
        (7 | 1 << 32, 7 | (2**32 - 1) << 32, "more than 4194304 jobs in one message"),
    ],
)
def test_absurd_runs_of_jobs_are_refused_at_once(schema, first, last, text):
    root, pend = message_of(schema, "pendRun")
    run = pend.init("jobs", 1)[0]
    run.first, run.last = first, last
    with refused(text):
        read(root.to_bytes())


def test_the_longest_run_of_jobs_is_read(schema):
    root, pend = message_of(schema, "pendRun")
    run = pend.init("jobs", 1)[0]
    run.first, run.last = 1, MAX_JOBS
    (event,) = read(root.to_bytes())
    assert (len(event.jobs), event.jobs[-1]) == (MAX_JOBS, MAX_JOBS)


@pytest.mark.parametrize(
    "event",
    [
        RoundBegin(t=2**63, round=1),
        RoundBegin(t=0, round=-1),
        RoundBegin(t=0, round=2**32),
        RoundBegin(t=0, round=2**70),
        JobRemove(t=0, id=-1),
        SharedUpdate(t=0, values={"half": "\ud800"}),
        SharedUpdate(t=0, values={"large": 2**63}),
        WorkersPush(t=0, workers=(Worker(name="n01", status="molten"),)),
        SharedUpdate(t=0, values={"odd": None}),
    ],
)
def test_what_has_no_room_is_refused_when_it_is_written(event):
    name = messages.BY_CLASS[type(event)].name
    with pytest.raises(ReplayError, match=f"^{name} can not be written: ") as caught:
        encode(event)
    assert "\n" not in str(caught.value)
    assert "stack:" not in str(caught.value)


# ---- traps of the library: each of these once ended a process or lost something ----


def test_an_empty_message_is_damage():
    with damaged(""):
        read(bytes(8))


def test_zeros_at_the_end_of_a_file_are_no_events(tmp_path):
    path = tmp_path / "zeros.replay"
    path.write_bytes(encode(Header()) + encode(Disconnect(t=1)) + bytes(4096))
    with open_replay(path) as replay:
        events = iter(replay)
        assert next(events).event == Disconnect(t=1)
        with damaged("") as caught:
            next(events)
    assert (caught.value.event, caught.value.offset) == (2, path.stat().st_size - 4096)


def test_a_text_that_is_no_utf8_is_damage():
    data = encode(WorkerUpdate(t=0, name="n\xfc1"))
    with damaged("'utf-8' codec can't decode"):
        read(data.replace(b"\xc3\xbc", b"\xff\xfe"))


def test_a_pointer_out_of_the_message_is_damage():
    data = encode(WorkerUpdate(t=0, name="n01"))
    root, body, name = 8, 8 + 8 + 8 + 8, len(data) - 16
    far_away = b"\x01\xff\xff\x7f\xff\xff\xff\xff"
    for at in (root, body, name):
        with damaged(""):
            read(data[:at] + far_away + data[at + 8 :])


def test_a_list_of_many_empty_structs_costs_no_more_than_its_message(schema):
    """An element of no size takes no bytes, so a short message may claim millions of them."""
    root, push = message_of(schema, "jobsPush")
    data = bytearray(root.to_bytes())
    list_at = len(data)
    assert push is not None
    words = (list_at - 8) // 8 + 1
    data += (0).to_bytes(4, "little") + (0).to_bytes(4, "little")
    tag = (2**28 << 2).to_bytes(4, "little") + bytes(4)
    data[-8:] = tag
    pointer = 1 | (0 << 2) | ((7 | 0 << 3) << 32)
    data[list_at - 8 : list_at] = pointer.to_bytes(8, "little")
    data[4:8] = words.to_bytes(4, "little")
    with damaged(""):
        read(bytes(data))


def test_many_messages_do_not_wear_out_the_traversal_limit():
    event = RecordedPendRun(t=0, jobs=tuple(range(1, 2000, 2)), main="NO_PLAN", set=1)
    assert read(encode(event) * 300) == [event] * 300


def test_a_message_of_many_segments_is_read_and_written_alike():
    workers = tuple(
        Worker(name=f"n{i:05d}" * 4, values={"mem": i, "type": "x"}) for i in range(20000)
    )
    event = WorkersPush(t=0, workers=workers)
    data = encode(event)
    assert data[:4] != bytes(4)
    assert read(data) == [event]
    assert encode(read(data)[0]) == data


def test_reader_modules_load_neither_the_library_nor_arrays_before_they_are_needed():
    code = (
        "import sys; import xce_sim.replay.reader, xce_sim.replay.writer, xce_sim.replay.info\n"
        "import xce_sim.replay.convert, xce_sim.replay.inspection, xce_sim.replay.importers.swf\n"
        "print(sorted({'capnp', 'numpy', 'rich', 'pyparsing', 'prompt_toolkit'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_the_import_hook_of_the_library_is_removed():
    encode(Header())
    assert not any(type(finder).__module__.startswith("capnp") for finder in sys.meta_path)


def test_held_survives():
    event = Held(t=9, event=JobRemove(t=8, id=7))
    assert read(encode(event)) == [event]
