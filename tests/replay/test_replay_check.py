"""Every rule, each with a file that breaks it and one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import events

from xce_sim.errors import ReplayError, RuleError, TruncatedReplay
from xce_sim.model.event import (
    MODES,
    Header,
    JobNew,
    JobUpdate,
    RecordedDispatch,
    ResourceDefs,
    SharedUpdate,
    WorkersPush,
)
from xce_sim.model.job import Allocation, ArrayRange, HostShare, JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker
from xce_sim.replay.check import RULES, Checker
from xce_sim.replay.inspection import check_replay
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.reader import open_replay
from xce_sim.replay.tally import Tally

RECORDED = '{"replay": {"version": 1}}'
WORKLOAD = '{"replay": {"version": 1, "mode": "workload"}}'

DEFS = (
    '{"t": 0, "resource_defs": [{"name": "mem", "consumable": true}, {"name": "ut"}, '
    '{"name": "type", "type": "string"}, {"name": "gpu", "type": "boolean"}, '
    '{"name": "license", "scope": "shared", "consumable": true}]}'
)
CONFIG = '{"t": 0, "config_push": {"queues": [{"name": "normal"}], "limits": [{"name": "lim/a", "resource": "mem", "value": 1}]}}'
HOSTS = '{"t": 0, "workers_push": [{"name": "n01", "slots": 4}, {"name": "n02", "slots": 4}]}'
SHARED = '{"t": 0, "shared_push": {"license": 4}}'
JOBS = '{"t": 0, "jobs_push": [{"id": 1, "queue": "normal"}, {"id": 7, "queue": "normal", "array": {"first": 1, "last": 3}}]}'
SETUP = (CONFIG, DEFS, HOSTS, SHARED, JOBS)
RUN = '"state": "run", "allocs": {"hosts": [{"host": "n01", "tasks": 1}]}'


def text_of(*lines: str, header: str = RECORDED) -> str:
    return "\n".join((header, *lines)) + "\n"


@pytest.fixture
def broken(tmp_path: Path):
    """The rules that a file breaks, each as `rule: event N: what`; offsets are checked too."""

    def check(*lines: str, header: str = RECORDED) -> list[str]:
        path = tmp_path / "a.jsonl"
        text = text_of(*lines, header=header)
        path.write_text(text)
        report = check_replay(path)
        found = []
        for error in report.broken:
            assert error.file == str(path)
            assert error.offset == len("".join(text.splitlines(keepends=True)[: error.event]))
            found.append(f"{error.rule}: event {error.event}: {error.reason}")
        if report.end is not None:
            found.append(f"{type(report.end).__name__}: {report.end.reason}")
        if report.broken:
            with pytest.raises(RuleError) as caught, open_replay(path) as replay:
                list(replay)
            assert str(caught.value) == str(report.broken[0])
            assert (caught.value.rule, caught.value.status) == (report.broken[0].rule, 3)
        return found

    return check


def pushed(*lines: str) -> tuple[str, ...]:
    return ('{"t": 0, "push_begin": {}}', *lines, '{"t": 0, "push_end": {}}')


def snapshot(*lines: str, link: str = "live", number: int = 0) -> tuple[str, ...]:
    begin = f'{{"t": 0, "snapshot_begin": {{"round": {number}, "link": "{link}"}}}}'
    return (begin, *lines, '{"t": 0, "snapshot_end": {}}')


def in_round(*lines: str, number: int = 1) -> tuple[str, ...]:
    return (
        f'{{"t": 0, "round_begin": {{"round": {number}}}}}',
        *lines,
        f'{{"t": 0, "round_end": {{"round": {number}}}}}',
    )


def event(name: str, body: str, t: str = "0") -> str:
    return f'{{"t": {t}, "{name}": {body}}}'


# ---- sound files ----


def test_the_example_of_everything_is_sound():
    report = check_replay(Path(__file__).with_name("everything.jsonl"))
    assert (report.broken, report.end, report.sound) == ((), None, True)
    assert report.events == 37


SOUND = {
    "increments": SETUP,
    "a push in any order": pushed(*reversed(SETUP)),
    "a snapshot in any order": snapshot(*reversed(SETUP)),
    "pieces of one push": pushed(*SETUP, '{"t": 0, "workers_push": [{"name": "n03"}]}'),
    "the same host again outside a push": (*SETUP, HOSTS),
    "rounds": (*SETUP, *in_round(), *in_round(event("round_same", "{}"), number=5)),
    "a round while a push arrives": (
        *SETUP,
        event("push_begin", "{}"),
        *SETUP,
        *in_round(event("dispatch", '{"job": 1, "allocs": {}}')),
        event("push_end", "{}"),
    ),
    "a discarded push": (
        *SETUP,
        event("push_begin", "{}"),
        event("disconnect", "{}"),
        *pushed(*SETUP),
    ),
    "jobs of hosts and queues that a queue or job only lists": (
        *SETUP,
        event("job_new", '{"id": 2, "queue": "normal", "hosts": ["elsewhere"]}'),
    ),
    "updates of a job that has left": (
        *SETUP,
        event("job_update", '{"id": 99, "state": "run"}'),
        event("job_remove", '{"id": 99}'),
    ),
    "a job resumed": (
        *SETUP,
        event("job_update", f'{{"id": 1, {RUN}}}'),
        event("job_update", '{"id": 1, "state": "susp"}'),
        event("job_update", '{"id": 1, "state": "run"}'),
    ),
    "a dispatch and its confirmation": (
        *SETUP,
        *in_round(
            event("dispatch", '{"job": 1, "allocs": {"hosts": [{"host": "n01", "tasks": 1}]}}')
        ),
        event("job_update", '{"id": 1, "state": "run"}'),
    ),
    "elements of a suspended array resumed": (
        *SETUP,
        event("job_update", '{"id": 7, "state": "susp"}'),
        event("job_update", '{"id": 7, "state": "run"}'),
    ),
    "a limit before its resource, at one instant": (CONFIG, DEFS),
    "what arrives between a join and its push": (
        *SETUP,
        event("join", "{}"),
        event("job_new", '{"id": 3, "queue": "new"}'),
        *pushed(
            *SETUP[1:], event("config_push", '{"queues": [{"name": "new"}, {"name": "normal"}]}')
        ),
    ),
    "a snapshot between a join and its push": (
        *SETUP,
        event("join", "{}"),
        event("job_new", '{"id": 3, "queue": "new"}'),
        *snapshot(*SETUP, link="rebuild_pending"),
        event("job_new", '{"id": 4, "queue": "new"}'),
        *pushed(
            *SETUP[1:], event("config_push", '{"queues": [{"name": "new"}, {"name": "normal"}]}')
        ),
    ),
    "a join whose push never comes": (
        *SETUP,
        event("join", "{}"),
        event("job_new", '{"id": 3, "queue": "new"}'),
        event("disconnect", "{}"),
        event("join", "{}"),
        *pushed(*SETUP),
        event("rebuilt", "{}"),
        *pushed(*SETUP),
    ),
    "an increment inside a push that names what is new": (
        *SETUP,
        event("push_begin", "{}"),
        event("job_new", '{"id": 3, "queue": "new"}'),
        *SETUP[1:],
        event("config_push", '{"queues": [{"name": "new"}, {"name": "normal"}]}'),
        event("push_end", "{}"),
    ),
    "decisions of the old state until it is rebuilt": (
        *SETUP,
        event("join", "{}"),
        *pushed(),
        *in_round(
            event("dispatch", '{"job": 1, "allocs": {"hosts": [{"host": "n02", "tasks": 1}]}}')
        ),
        event("rebuilt", "{}"),
    ),
    "held events may name what the push will bring": snapshot(
        event("held", '{"t": 0, "job_new": {"id": 1, "queue": "new"}}'), link="rebuild_pending"
    ),
    "a reason set again in a snapshot": (
        *SETUP,
        *in_round(event("reason_set", '{"set": 1, "entries": []}')),
        *snapshot(event("reason_set", '{"set": 1, "entries": []}'), number=1),
    ),
    "a job in a snapshot refers to a set written behind it": snapshot(
        CONFIG.replace("mem", "slots"),
        event("jobs_push", '[{"id": 1, "queue": "normal", "set": 1}]'),
        event("reason_set", '{"set": 1, "entries": []}'),
    ),
    "an ended job may still be decided at its time": (
        *SETUP,
        event("job_update", '{"id": 1, "state": "done"}'),
        event("round_begin", '{"round": 1}', "59"),
        event("pend", '{"job": 1, "main": "NO_PLAN", "reasons": []}', "59"),
        event("round_end", '{"round": 1}', "59"),
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound(broken, name):
    assert broken(*SOUND[name]) == []


# ---- broken files ----

DISPATCH = '{"job": 1, "allocs": {"hosts": [{"host": "n01", "tasks": 1, "amounts": {"%s": 1}}], "shared": {}}}'
PEND = '{"job": 1, "main": "%s", %s}'
ENTRY = '{"set": 1, "entries": [{"code": "HOST_RESOURCE", %s}]}'

BROKEN = {
    "an increment that neither the old state nor the push can hold": (
        (*SETUP, event("join", "{}"), event("job_new", '{"id": 3, "queue": "new"}'), *pushed(*SETUP)),
        ["queue: event 7: job 3: unknown queue 'new'"],
    ),
    "time backwards": ((event("join", "{}", "2"), event("rebuilt", "{}", "1.5")), ["time: event 2: time runs backwards"]),
    "held from the future": (snapshot(event("held", '{"t": 1, "job_remove": {"id": 1}}')), ["time: event 2: an event is held back before its time"]),
    "rounds downwards": ((*in_round(number=5), *in_round(number=5)), ["round: event 3: round 5 follows round 5"]),
    "a round zero": (in_round(number=0), ["round: event 1: round 0 follows round 0"]),
    "a round in a round": ((event("round_begin", '{"round": 1}'), *in_round(number=2)), ["round: event 2: round 2 begins inside round 1"]),
    "a round closed as another": ((event("round_begin", '{"round": 1}'), event("round_end", '{"round": 2}')), ["round: event 2: round 1 is closed as round 2"]),
    "a round only ended": ((event("round_end", '{"round": 2}'),), ["round: event 1: round 2 ends without having begun"]),
    "a round not closed": ((event("round_begin", '{"round": 1}'),), ["TruncatedReplay: the file ends inside round 1, begun by event 1"]),
    "an increment in a round": (in_round(event("job_remove", '{"id": 1}')), ["round: event 2: job_remove inside round 1: only decisions may be"]),
    "a decision outside a round": ((*SETUP, event("dispatch", '{"job": 1, "allocs": {}}')), ["round: event 6: dispatch outside a round"]),
    "a set outside a round": ((event("reason_set", '{"set": 1, "entries": []}'),), ["round: event 1: reason_set outside a round"]),
    "the same as nothing": (in_round(event("round_same", "{}")), ["round: event 2: round_same without a round before"]),
    "the same and more": ((*SETUP, *in_round(), *in_round(event("round_same", "{}"), event("dispatch", '{"job": 1, "allocs": {}}'), number=2)), ["round: event 10: round_same beside other decisions"]),
    "a snapshot of an old round": ((*in_round(number=5), *snapshot(number=4)), ["round: event 3: a snapshot of round 4 after 5"]),
    "a round of before the snapshot": ((*snapshot(number=4), *in_round(number=4)), ["round: event 3: round 4 follows round 4"]),
    "a push in a push": ((event("push_begin", "{}"), *pushed()), ["bracket: event 2: push_begin inside a push"]),
    "a snapshot in a push": (pushed(*snapshot()), ["bracket: event 2: snapshot_begin inside a push", "bracket: event 4: push_end without its beginning"]),
    "a push only ended": ((event("push_end", "{}"),), ["bracket: event 1: push_end without its beginning"]),
    "a push ended as a snapshot": ((event("push_begin", "{}"), event("snapshot_end", "{}")), ["bracket: event 2: snapshot_end inside a push"]),
    "a push not closed": ((event("push_begin", "{}"),), ["TruncatedReplay: the file ends inside a push, begun by event 1"]),
    "a snapshot not closed": (snapshot()[:1], ["TruncatedReplay: the file ends inside a snapshot, begun by event 1"]),
    "an increment in a snapshot": (snapshot(event("job_remove", '{"id": 1}')), ["bracket: event 2: job_remove inside a snapshot: only its parts and held may be"]),
    "a round in a snapshot": (snapshot(*in_round()), ["bracket: event 2: round_begin inside a snapshot", "bracket: event 3: round_end inside a snapshot"]),
    "a join in a push": (pushed(event("join", "{}")), ["bracket: event 2: join inside a push"]),
    "held outside a snapshot": ((event("held", '{"t": 0, "job_remove": {"id": 1}}'),), ["bracket: event 1: held outside a snapshot"]),
    "an unknown queue": ((*SETUP, event("job_new", '{"id": 2, "queue": "fast"}')), ["queue: event 6: job 2: unknown queue 'fast'"]),
    "no queue": ((*SETUP, event("jobs_push", '[{"id": 2}]')), ["queue: event 6: job 2: unknown queue ''"]),
    "an unknown queue in a push": (pushed(DEFS, JOBS), ["queue: event 3: job 1: unknown queue 'normal'"]),
    "a queue that a push took away": ((*SETUP, *pushed(DEFS, HOSTS, JOBS)), ["queue: event 9: job 1: unknown queue 'normal'"]),
    "a job moved to an unknown queue": ((*SETUP, event("job_update", '{"id": 1, "queue": "fast"}')), ["queue: event 6: job 1: unknown queue 'fast'"]),
    "an update of an unknown queue": ((event("queue_update", '{"name": "fast"}'),), ["queue: event 1: queue_update: unknown queue 'fast'"]),
    "an update of an unknown host": ((event("worker_update", '{"name": "n9"}'),), ["host: event 1: worker_update: unknown host 'n9'"]),
    "values of an unknown host": ((event("values_update", '{"host": "n9", "values": {}}'),), ["host: event 1: values_update: unknown host 'n9'"]),
    "an allocation on an unknown host": ((*SETUP, event("job_update", '{"id": 1, "allocs": {"hosts": [{"host": "n9", "tasks": 1}]}}')), ["host: event 6: job 1: unknown host 'n9'"]),
    "an unknown host in a snapshot": (snapshot(CONFIG, DEFS, event("jobs_push", f'[{{"id": 1, "queue": "normal", {RUN}}}]')), ["host: event 4: job 1: unknown host 'n01'"]),
    "a dispatch on an unknown host": ((*SETUP, *in_round(event("dispatch", DISPATCH.replace("n01", "n9") % "mem"))), ["host: event 7: dispatch of job 1: unknown host 'n9'"]),
    "a reason on an unknown host": ((*SETUP, *in_round(event("reason_set", ENTRY % '"hosts": ["n01", {"from": "n02", "to": "n9"}]'))), ["host: event 7: reason set 1: unknown host 'n9'"]),
    "a range of hosts backwards": ((*SETUP, *in_round(event("reason_set", ENTRY % '"hosts": [{"from": "n02", "to": "n01"}]'))), ["host: event 7: reason set 1: hosts n02 to n01 run backwards"]),
    "an unknown resource of a host": ((event("workers_push", '[{"name": "n01", "values": {"men": 1}}]'),), ["resource: event 1: n01: unknown resource 'men'"]),
    "an unknown resource in a push": (pushed(HOSTS, event("workers_push", '[{"name": "n03", "values": {"men": 1}}]')), ["resource: event 3: n03: unknown resource 'men'"]),
    "a resource that a push took away": ((*SETUP, *pushed(event("workers_push", '[{"name": "n03", "values": {"mem": 1}}]'))), ["resource: event 7: n03: unknown resource 'mem'"]),
    "an unknown shared resource": ((event("shared_update", '{"matlab": 1}'),), ["resource: event 1: shared: unknown resource 'matlab'"]),
    "an unknown resource of an allocation": ((*SETUP, event("job_update", '{"id": 1, "allocs": {"hosts": [{"host": "n01", "tasks": 1, "amounts": {"men": 1}}]}}')), ["resource: event 6: job 1: unknown resource 'men'"]),
    "an unknown resource of a dispatch": ((*SETUP, *in_round(event("dispatch", DISPATCH % "men"))), ["resource: event 7: dispatch of job 1: unknown resource 'men'"]),
    "an unknown resource of a reason": ((*SETUP, *in_round(event("reason_set", ENTRY % '"resource": "men"'))), ["resource: event 7: reason set 1: unknown resource 'men'"]),
    "a limit on a resource that never comes": ((CONFIG, event("join", "{}", "1")), ["resource: event 1: limit lim/a: unknown resource 'mem'"]),
    "a limit on a resource that the file never has": ((CONFIG,), ["resource: event 1: limit lim/a: unknown resource 'mem'"]),
    "a limit of an unknown resource in a push": (pushed(CONFIG), ["resource: event 2: limit lim/a: unknown resource 'mem'"]),
    "an unknown limit of a reason": ((*SETUP, *in_round(event("reason_set", ENTRY % '"limit": "lim/u=a"'), event("pend", PEND % ("HOST_LIMIT", '"reasons": [{"code": "HOST_LIMIT", "limit": "lim/a/u=a"}]')))), ["limit: event 7: reason set 1: unknown limit 'lim/u=a'"]),
    "a dispatch of an unknown job": ((*SETUP, *in_round(event("dispatch", '{"job": 2, "allocs": {}}'))), ["job: event 7: dispatch: unknown job 2"]),
    "a pend of an unknown job": ((*SETUP, *in_round(event("pend", '{"job": "7[4]", "main": "NO_PLAN", "reasons": []}'))), ["job: event 7: pend: unknown job 7[4]"]),
    "pends of an unknown job": ((*SETUP, *in_round(event("reason_set", '{"set": 1, "entries": []}'), event("pend_run", '{"jobs": ["1", "7[1-4]"], "main": "NO_PLAN", "set": 1}'))), ["job: event 8: pend_run: unknown job 7[4]"]),
    "pends of nobody": (in_round(event("reason_set", '{"set": 1, "entries": []}'), event("pend_run", '{"jobs": [], "main": "NO_PLAN", "set": 1}')), ["job: event 3: pend_run without jobs"]),
    "a pend of a job that was removed": ((*SETUP, event("job_remove", '{"id": 7}'), *in_round(event("pend", '{"job": "7[1]", "main": "NO_PLAN", "reasons": []}'))), ["job: event 8: pend: unknown job 7[1]"]),
    "a pend of a job that has left": ((*SETUP, event("job_update", '{"id": "7[1]", "state": "exit"}'), event("round_begin", '{"round": 1}', "60"), event("pend", '{"job": "7[1]", "main": "NO_PLAN", "reasons": []}', "60"), event("pend", '{"job": "7[2]", "main": "NO_PLAN", "reasons": []}', "60"), event("round_end", '{"round": 1}', "60")), ["job: event 8: pend: unknown job 7[1]"]),
    "an unknown reason code": ((*SETUP, *in_round(event("pend", PEND % ("BAD_LUCK", '"reasons": [{"code": "WORSE"}]')))), ["reason: event 7: pend of job 1: unknown reason code 'BAD_LUCK'", "reason: event 7: pend of job 1: unknown reason code 'WORSE'"]),
    "a pend with an unknown set": ((*SETUP, *in_round(event("pend", PEND % ("NO_PLAN", '"set": 4')))), ["reason: event 7: pend of job 1: unknown reason set 4"]),
    "a pend without reasons": ((*SETUP, *in_round(event("pend", '{"job": 1, "main": "NO_PLAN"}'))), ["reason: event 7: pend of job 1: neither a set nor reasons of its own"]),
    "a pend with two kinds of reasons": ((*SETUP, *in_round(event("reason_set", '{"set": 4, "entries": []}'), event("pend", PEND % ("NO_PLAN", '"set": 4, "reasons": []')))), ["reason: event 8: pend of job 1: both a set and reasons of its own"]),
    "a set written twice": (in_round(*[event("reason_set", '{"set": 4, "entries": []}')] * 2), ["reason: event 3: reason set 4 is written twice"]),
    "a snapshot with an unknown set": (snapshot(CONFIG, DEFS, event("jobs_push", '[{"id": 1, "queue": "normal", "set": 9}]')), ["reason: event 4: unknown reason set 9"]),
    "a negative consumable": ((*SETUP, event("values_update", '{"host": "n01", "values": {"mem": -0.001}}')), ["value: event 6: n01: resource mem: a consumable can not be negative"]),
    "a negative limit": ((event("config_push", '{"limits": [{"name": "lim", "resource": "slots", "value": -1}]}'),), ["value: event 1: limit lim: value -1 is out of range"]),
    "a negative amount": ((*SETUP, event("job_update", '{"id": 1, "allocs": {"shared": {"license": -1}}}')), ["value: event 6: job 1: resource license: a consumable can not be negative"]),
    "a negative amount of a dispatch": ((*SETUP, *in_round(event("dispatch", DISPATCH.replace(": 1}", ": -1}") % "mem"))), ["value: event 7: dispatch of job 1: amount of mem is out of range"]),
    "a text for a consumable": ((*SETUP, event("values_update", '{"host": "n01", "values": {"mem": "much"}}')), ["value: event 6: n01: resource mem: 'much' is not an amount"]),
    "a number for a text": ((*SETUP, event("values_update", '{"host": "n01", "values": {"type": 7}}')), ["value: event 6: n01: resource type: 7.0 is not a text"]),
    "a text for a number": ((*SETUP, event("values_update", '{"host": "n01", "values": {"ut": "7", "gpu": "yes"}}')), ["value: event 6: n01: resource ut: '7' is not a finite number", "value: event 6: n01: resource gpu: 'yes' is not true or false"]),
    "a shared resource of a host": ((*SETUP, event("values_update", '{"host": "n01", "values": {"license": 7}}')), ["value: event 6: n01: resource license is shared"]),
    "a host resource for all": ((*SETUP, event("shared_update", '{"mem": 7}')), ["value: event 6: shared: resource mem is not shared"]),
    "slots as a value": ((*SETUP, event("values_update", '{"host": "n01", "values": {"slots": 7}}')), ["value: event 6: n01: resource slots is built in: write slots as a field of the host"]),
    "slots in an allocation": ((*SETUP, event("job_update", '{"id": 1, "allocs": {"hosts": [{"host": "n01", "tasks": 1, "amounts": {"slots": 1}}]}}')), ["value: event 6: job 1: slots are implied by its tasks"]),
    "an allocation of what is no consumable": ((*SETUP, event("job_update", '{"id": 1, "allocs": {"hosts": [{"host": "n01", "tasks": 1, "amounts": {"ut": 1}}]}}')), ["value: event 6: job 1: resource ut is not consumable"]),
    "a wrong value in a push, its definition behind it": (pushed(event("workers_push", '[{"name": "n01", "values": {"type": true}}]'), DEFS), ["value: event 2: n01: resource type: True is not a text"]),
    "a queue with two lists": ((*SETUP, event("queue_update", '{"name": "normal", "hosts": null}'), event("workers_push", '[{"name": "n03", "slots": 1, "frozen": {}}]')), ["snapshot: event 7: host n03: frozen outside a snapshot"]),
    "a changed definition": ((DEFS, event("resource_defs", '[{"name": "mem"}, {"name": "ut"}]')), ["definition: event 2: resource mem is already defined differently"]),
    "slots defined": ((event("resource_defs", '[{"name": "slots"}]'),), ["definition: event 1: resource slots is built in and can not be defined differently"]),
    "an unsound definition": ((event("resource_defs", '[{"name": "x", "type": "string", "consumable": true}]'),), ["definition: event 1: resource x: only a numeric resource can be consumable"]),
    "a job twice": ((*SETUP, event("jobs_push", '[{"id": 3, "queue": "normal"}, {"id": "3", "queue": "normal"}]')), ["duplicate: event 6: job 3 stands twice in one push"]),
    "a job twice over the pieces of a push": (pushed(*SETUP, JOBS), ["duplicate: event 7: job 1 stands twice in one push", "duplicate: event 7: job 7 stands twice in one push"]),
    "a host twice": ((event("workers_push", '[{"name": "n01"}, {"name": "n01"}]'),), ["duplicate: event 1: host n01 stands twice in one push"]),
    "a resource twice": ((event("resource_defs", '[{"name": "a"}, {"name": "a"}]'),), ["duplicate: event 1: resource a stands twice in one push"]),
    "a queue twice": ((event("config_push", '{"queues": [{"name": "a"}, {"name": "a"}]}'),), ["duplicate: event 1: queue a stands twice in one push"]),
    "a limit twice": ((event("config_push", '{"limits": [{"name": "a", "resource": "jobs", "value": 1}, {"name": "a", "resource": "jobs", "value": 2}]}'),), ["duplicate: event 1: limit a stands twice in one push"]),
    "a shared resource twice in a push": (pushed(DEFS, SHARED, SHARED), ["duplicate: event 4: shared resource license stands twice in one push"]),
    "running nowhere": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "state": "run"}')), ["run: event 6: job 2: run needs allocations"]),
    "running on nothing": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "state": "run", "allocs": {}}')), ["run: event 6: job 2: run needs allocations"]),
    "started nowhere": ((*SETUP, event("job_update", '{"id": "7[2]", "state": "run"}')), ["run: event 6: job 7[2]: run needs allocations"]),
    "started again nowhere": ((*SETUP, event("job_update", f'{{"id": 1, {RUN}}}'), event("job_update", '{"id": 1, "state": "pend"}'), event("job_update", '{"id": 1, "state": "run"}')), ["run: event 8: job 1: run needs allocations"]),
    "too many tasks": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "max_tasks": 2147483648}')), ["job: event 6: job 2: more than 2147483647 tasks"]),
    "no tasks": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "min_tasks": 0}')), ["job: event 6: job 2: fewer than one task"]),
    "fewer tasks at most than at least": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "min_tasks": 4, "max_tasks": 2}')), ["job: event 6: job 2: at most 2 tasks but at least 4"]),
    "a negative run time": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "run_time": -1}')), ["job: event 6: job 2: a negative run time"]),
    "an array of none": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "array": {"first": 0, "last": 2}}')), ["job: event 6: job 2: its array has no elements"]),
    "an array backwards": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "array": {"first": 3, "last": 2}}')), ["job: event 6: job 2: its array has no elements"]),
    "an array that goes nowhere": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "array": {"first": 1, "last": 2, "step": 0}}')), ["job: event 6: job 2: its array has no elements"]),
    "an array of too many": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "array": {"first": 1, "last": 1000001}}')), ["job: event 6: job 2: an array of 1000001 elements"]),
    "an array of an element": ((*SETUP, event("job_new", '{"id": "2[1]", "queue": "normal", "array": {"first": 1, "last": 2}}')), ["job: event 6: job 2[1]: an element can not be an array"]),
    "no task on a host": ((*SETUP, event("job_update", '{"id": 1, "allocs": {"hosts": [{"host": "n01", "tasks": 0}]}}')), ["job: event 6: job 1: no task on host n01"]),
    "no task of a dispatch": ((*SETUP, *in_round(event("dispatch", '{"job": 1, "allocs": {"hosts": [{"host": "n01", "tasks": 0}]}}'))), ["job: event 7: dispatch of job 1: no task on host n01"]),
    "a decided job outside a snapshot": ((*SETUP, event("job_new", '{"id": 2, "queue": "normal", "decided": true}')), ["snapshot: event 6: job 2: fields that only a snapshot has"]),
    "an unsound held job": (snapshot(event("held", '{"t": 0, "job_new": {"id": 1, "min_tasks": 0}}')), ["job: event 2: job 1: fewer than one task"]),
    "a negative frozen amount": (snapshot(event("workers_push", '[{"name": "n01", "frozen": {"amounts": {"mem": -1}}}]')), ["value: event 2: host n01: amount of mem is out of range"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken(broken, name):
    lines, expected = BROKEN[name]
    assert broken(*lines) == expected


@pytest.mark.parametrize(
    "name", ["round_begin", "round_end", "round_same", "dispatch", "pend", "pend_run", "reason_set"]
)
def test_a_workload_has_no_recorded_rounds(tmp_path, name):
    bodies = {
        "round_begin": '{"round": 1}',
        "round_end": '{"round": 1}',
        "round_same": "{}",
        "dispatch": '{"job": 1, "allocs": {}}',
        "pend": '{"job": 1, "main": "NO_PLAN", "reasons": []}',
        "pend_run": '{"jobs": ["1"], "main": "NO_PLAN", "set": 1}',
        "reason_set": '{"set": 1, "entries": []}',
    }
    path = tmp_path / "a.jsonl"
    path.write_text(text_of(*SETUP, event(name, bodies[name]), header=WORKLOAD))
    with pytest.raises(RuleError) as caught, open_replay(path) as replay:
        list(replay)
    assert (caught.value.rule, caught.value.event) == ("mode", 6)
    assert caught.value.reason == f"{name} in a workload, which has no recorded rounds"


def test_a_workload_with_updates_is_sound(broken):
    lines = (
        *SETUP,
        event("job_update", '{"id": 99, "state": "done"}'),
        event("job_remove", '{"id": 1}'),
    )
    assert broken(*lines, header=WORKLOAD) == []


def test_a_negative_interval_breaks_a_rule(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"replay": {"version": 1, "interval": -1}}\n')
    with pytest.raises(RuleError) as caught:
        open_replay(path)
    assert (caught.value.rule, caught.value.reason) == (
        "header",
        "a negative interval between rounds",
    )


# ---- what only the binary form can say ----


def complaints(*events) -> list[str]:
    found: list[RuleError] = []
    checker = Checker(Header(), report=found.append)
    for number, item in enumerate(events, 1):
        checker.feed(Numbered(number, number * 100, item))
    assert all(error.offset == error.event * 100 for error in found)
    return [f"{error.rule}: {error.reason}" for error in found]


def test_values_that_text_can_not_say_are_refused():
    defs = ResourceDefs(
        t=0,
        defs=(
            ResourceDef(name="ut", scope="shared"),
            ResourceDef(name="lic", scope="shared", consumable=True),
        ),
    )
    nan, large = float("nan"), 2**62
    assert complaints(
        defs,
        SharedUpdate(t=0, values={"ut": nan}),
        SharedUpdate(t=0, values={"lic": large}),
        SharedUpdate(t=0, values={"lic": 1.5}),
        SharedUpdate(t=-large, values={}),
    ) == [
        "value: shared: resource ut: nan is not a finite number",
        "value: shared: resource lic: an amount out of range",
        "value: shared: resource lic: 1.5 is not an amount",
        "time: time runs backwards",
    ]


def test_times_that_text_can_not_say_are_refused():
    job = JobSpec(id=5, queue="", queue_time=-(2**62), start_time=2**62)
    assert complaints(SharedUpdate(t=2**62, values={}), JobNew(t=2**62, job=job)) == [
        "time: a time out of range",
        "queue: job 5: unknown queue ''",
        "job: job 5: a time out of range",
        "job: job 5: a time out of range",
    ]


def test_a_job_of_number_zero_is_refused():
    assert "job: job 0[3]: its number is 0" in complaints(JobNew(t=0, job=JobSpec(id=3 << 32)))


def test_a_dispatch_is_checked_against_the_largest_amounts():
    share = HostShare(host="n01", tasks=1, amounts={"mem": 2**62})
    found = complaints(
        ResourceDefs(t=0, defs=(ResourceDef(name="mem", consumable=True),)),
        WorkersPush(t=0, workers=(Worker(name="n01"),)),
        RecordedDispatch(t=0, job=1, allocs=Allocation(hosts=(share,))),
    )
    assert "value: dispatch of job 1: amount of mem is out of range" in found


# ---- the report ----


def test_only_the_first_broken_rules_are_kept_but_all_are_counted(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text_of(*[event("worker_update", '{"name": "n9"}')] * 50))
    report = check_replay(path, limit=3)
    assert [error.event for error in report.broken] == [1, 2, 3]
    assert (report.broken_count, report.events, report.sound) == (50, 50, False)


def test_a_check_goes_up_to_the_damage(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text_of(*SETUP, event("job_remove", '{"id": 1}') + "{}"))
    report = check_replay(path)
    assert (report.events, report.broken, type(report.end)) == (5, (), ReplayError)
    assert not report.sound


def test_a_cut_off_file_is_sound_only_if_that_is_allowed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text_of(*SETUP, event("round_begin", '{"round": 1}')))
    report = check_replay(path)
    assert type(report.end) is TruncatedReplay
    assert str(report.end) == f"{path}: the file ends inside round 1, begun by event 6"
    assert check_replay(path, allow_truncated=True).sound


def test_more_can_be_looked_at_on_the_way(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text_of(*SETUP))
    seen: list[Numbered] = []
    check_replay(path, follow=seen.append)
    assert [item.number for item in seen] == [1, 2, 3, 4, 5]


def test_memory_follows_what_is_there_and_not_the_history():
    """A hundred thousand jobs come and go; what remains is what came within the last minute."""
    checker = Checker(Header(), report=lambda _: None)
    second = 1_000_000
    for i in range(1, 20_001):
        array = ArrayRange(first=1, last=3) if i % 2 else None
        checker.feed(Numbered(i, 0, JobNew(t=i * second, job=JobSpec(id=i, array=array))))
        indices = (1, 2, 3) if array else (0,)
        for index in indices:
            checker.feed(Numbered(i, 0, _ended(i | index << 32, i * second)))
    jobs = checker._world.live.jobs
    kept = [len(part) for part in (jobs._plain, jobs._arrays, jobs._gone, jobs._leaving)]
    assert kept[0] <= 31
    assert kept[1] <= 31
    assert kept[2] <= 31
    assert kept[3] <= 121
    assert not jobs._holding


def _ended(job: int, t: int):
    return JobUpdate(t=t, job=JobSpec(id=job, state="done"), changed=frozenset(("state",)))


# ---- whatever comes ----


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(events, max_size=25), st.sampled_from(MODES))
def test_no_sequence_of_events_confuses_the_checks(many, mode):
    """Going on after a broken rule meets every state that a damaged file can lead to."""
    found: list[RuleError] = []
    checker, tally = Checker(Header(mode=mode), report=found.append), Tally()
    for number, item in enumerate(many, 1):
        checker.feed(Numbered(number, number, item))
        tally.take(item)
    try:
        checker.finish()
    except TruncatedReplay as error:
        assert error.reason.startswith("the file ends inside ")
    assert all(error.rule and 1 <= error.event <= len(many) for error in found)
    assert {error.rule for error in found} <= RULES
    assert tally.kinds.total() == len(many)


def test_every_rule_is_described_and_broken_here():
    broken_here = {line.split(":")[0] for _, lines in BROKEN.values() for line in lines}
    assert RULES - {"header", "mode"} <= broken_here
