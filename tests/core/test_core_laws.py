"""Laws of a round, on random histories: bounds, reasons, repetition, independence, observation."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from core.oracle import World
from core.oracle_rounds import simulate
from core.test_core_oracle import of_core, plain_decisions
from core.worlds import PLACING, worlds

from xce_sim.core.core import Core
from xce_sim.model import event as ev
from xce_sim.model.config import Params
from xce_sim.model.ids import JobSelector, base_of, index_of
from xce_sim.trace.recorder import Recorder
from xce_sim.trace.settings import TraceSettings

PER_HOST = ("SELECT_MISMATCH", "HOST_RESOURCE", "HOST_LIMIT", "HOST_ERROR")


def world_of(seed, **more):
    return worlds(**more)(random.Random(seed))


def placing(seed):
    """Jobs and rounds only: nothing takes away what jobs hold."""
    return world_of(seed, modes=("recorded",), kinds=PLACING[:12])


def decided(core, event):
    return [plain for one in core.session(event.round) for plain in plain_decisions(one)]


def step(core, event):
    core.advance(event.t)
    if isinstance(event, ev.RoundBegin):
        return decided(core, event)
    if not isinstance(event, ev.RoundEnd):
        core.apply(event)
    return []


def accounts(core):
    """In-use of every account that is not zero, by the core's own ledger."""
    ledger = core.state.ledger
    found = {}
    for kind in ("resources", "shared", "host_limits", "cluster_limits"):
        for key, usage in getattr(ledger, kind).items():
            in_use = usage.in_use.tolist() if kind in ("resources", "host_limits") else usage.in_use
            if any(in_use) if isinstance(in_use, list) else in_use:
                found[kind, key] = in_use
    return found


@pytest.mark.parametrize("seed", range(25))
def test_no_capacity_and_no_limit_is_ever_exceeded(seed):
    _header, events = placing(seed)
    core, mirror = Core(check=True), World()
    totals = {}
    for event in events:
        for kind, job, *_rest in step(core, event):
            assert kind != "reconstructed"
            if kind == "dispatch":
                mirror.jobs[job].state = "run"
                mirror.jobs[job].allocs = core.state.jobs[job].allocation
        mirror.advance(event.t)
        if not isinstance(event, (ev.RoundBegin, ev.RoundEnd)):
            mirror.apply(event)
    for account, amount in mirror.usage().items():
        if account[0] == "host":
            host = mirror.hosts[account[2]]
            total = host.slots * 1000 if account[1] == "slots" else host.values.get(account[1], 0)
            assert amount <= total or not amount
        elif account[0] == "shared":
            assert amount <= mirror.shared[account[1]] or not amount
        else:
            totals[account[1:3]] = totals.get(account[1:3], 0) + amount
    values = {limit.name: limit.value for limit in mirror.config.limits}
    assert all(amount <= values[limit] or not amount for (limit, _), amount in totals.items())


@pytest.mark.parametrize("seed", range(25))
def test_a_host_that_was_considered_and_not_accepted_has_a_reason(seed):
    """A single task without alternatives: every candidate was looked at before it pended."""
    _header, events = placing(seed)
    core = Core(check=True)
    for event in events:
        for kind, job_id, *rest in step(core, event):
            if kind != "pend" or rest[0] not in (*PER_HOST,):
                continue
            job = core.state.jobs[job_id]
            if (
                (job.min_tasks, job.max_tasks) != (1, 1)
                or "{" in job.resreq
                or "||" in job.resreq
                or "same" in job.resreq
            ):
                continue
            queue = core.state.queues[job.queue]
            if "same" in queue.resreq:
                continue
            candidates = {
                name
                for i, name in enumerate(core.state.columns.names)
                if core.state.columns.status_of(i) == "ok"
                and (queue.hosts is None or name in queue.hosts)
                and (job.hosts is None or name in job.hosts)
            }
            assert {entry[1] for entry in rest[1]} - {None} == candidates


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("check", [True, False])
def test_rounds_without_an_event_between_them_change_nothing(seed, check):
    _header, events = world_of(seed, modes=("recorded",))
    core = Core(check=check)
    for event in events:
        step(core, event)
    last = events[-1]
    again = ev.RoundBegin(t=last.t, round=last.round + 1)
    before = accounts(core)
    first, second = decided(core, again), decided(core, replace(again, round=last.round + 2))
    assert first == second
    assert all(kind in ("pend", "no_object") for kind, *_ in first)
    assert accounts(core) == before


@pytest.mark.parametrize("seed", range(25))
def test_a_twin_of_a_job_that_fails_changes_no_other_decision(seed):
    header, events = placing(seed)
    single = once([twice_as_high(replace_policy(event)) for event in events])
    rounds = simulate(header, single)
    kinds = [(kind, job) for _, _, decisions in rounds for kind, job, *_ in decisions]
    failed = {job for kind, job in kinds if kind == "pend"} - {
        job for kind, job in kinds if kind == "dispatch"
    }
    doubled = []
    for event in single:
        doubled.append(event)
        if isinstance(event, ev.JobNew) and event.job.id in failed:
            doubled.append(replace(event, job=replace(event.job, id=event.job.id + 1)))
    found = of_core(header, doubled, core=Core())
    assert [
        (t, number, [one for one in decisions if base_of(one[1]) % 2 == 0])
        for t, number, decisions in found
    ] == rounds
    for _, _, decisions in found:
        bodies = {job: (kind, *rest) for kind, job, *rest in decisions}
        for job in failed & set(bodies):
            assert index_of(job) or bodies[job + 1] == bodies[job]


def once(events):
    """Without the jobs that arrive a second time."""
    seen, kept = set(), []
    for event in events:
        if isinstance(event, ev.JobNew):
            if event.job.id in seen:
                continue
            seen.add(event.job.id)
        kept.append(event)
    return kept


def twice_as_high(event):
    """Room for a twin directly behind each job."""
    if not isinstance(event, ev.JobNew):
        return event
    return replace(event, job=replace(event.job, id=event.job.id * 2))


def replace_policy(event):
    """A strict policy would let a twin decide what is behind it."""
    if not isinstance(event, ev.ConfigPush):
        return event
    params = Params(policy="builtin_fcfs", spread=event.config.params.spread)
    return replace(event, config=replace(event.config, params=params))


@pytest.mark.parametrize("seed", range(25))
def test_the_order_of_jobs_that_arrive_at_one_instant_does_not_matter(seed):
    """Jobs are sorted by priorities, queue time and id, never by how they arrived."""
    rng = random.Random(seed)
    header, events = placing(seed)
    fresh = once(events)
    shuffled, block = [], []
    for event in fresh:
        if isinstance(event, ev.JobNew) and (not block or block[-1].t == event.t):
            block.append(event)
            continue
        rng.shuffle(block)
        shuffled += block
        block = [event] if isinstance(event, ev.JobNew) else []
        shuffled += [] if block else [event]
    rng.shuffle(block)
    shuffled += block
    assert of_core(header, shuffled) == of_core(header, fresh)


@pytest.mark.parametrize("seed", range(25))
def test_the_order_of_jobs_in_one_push_does_not_matter(seed):
    header, events = world_of(seed, modes=("recorded",))
    turned = [
        replace(event, jobs=tuple(reversed(event.jobs)))
        if isinstance(event, ev.JobsPush)
        else event
        for event in events
    ]
    assert of_core(header, turned) == of_core(header, events)


@pytest.mark.parametrize("seed", range(25))
def test_tracing_changes_no_decision_no_reason_and_no_account(seed):
    header, events = world_of(seed)
    plain = Core()
    expected = of_core(header, events, core=plain)
    for settings in (
        TraceSettings(on=True, level="full"),
        TraceSettings(on=True, level="summary"),
        TraceSettings(
            on=True, level="full", selectors=(JobSelector(2), JobSelector(3), JobSelector(7))
        ),
    ):
        traced = Core()
        traced.trace = Recorder(settings)
        assert of_core(header, events, core=traced) == expected
        assert accounts(traced) == accounts(plain)
