"""The core and the naive oracle decide the same, round by round and reason by reason."""

from __future__ import annotations

from core.oracle_rounds import plain_allocation, simulate
from core.worlds import LIVES, PLACING, worlds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xce_sim.core.core import Core
from xce_sim.model import event as ev
from xce_sim.model.decision import Dispatch, NoDecision, Pend, PendRun
from xce_sim.replay.reader import Numbered
from xce_sim.sim.engine import Engine
from xce_sim.sim.happening import Decided, RoundBegins


class Given:
    """Events in memory where the engine wants a replay."""

    path = "given"

    def __init__(self, header, events):
        self.header = header
        self.events = events

    def __iter__(self):
        return (Numbered(number=i, offset=0, event=event) for i, event in enumerate(self.events, 1))


def plain_decisions(decision):
    """A decision of the core in the oracle's form."""
    if isinstance(decision, PendRun):
        return [plain for pend in decision for plain in plain_decisions(pend)]
    if isinstance(decision, NoDecision):
        return [(decision.kind, decision.job)]
    if isinstance(decision, Dispatch):
        kind = "reconstructed" if decision.reconstructed else "dispatch"
        return [(kind, decision.job, *plain_allocation(decision.allocation))]
    assert isinstance(decision, Pend)
    entries = [
        plain
        for entry in decision.reasons.entries
        for plain in plain_entries(decision.reasons, entry)
    ]
    assert len(entries) == len(set(entries)), "an entry stands twice"
    return [("pend", decision.job, str(decision.reasons.main), frozenset(entries))]


def plain_entries(reasons, entry):
    hosts = [None] if entry.hosts is None else [reasons.host_names[i] for i in entry.hosts]
    for host in hosts:
        limit = entry.limit if host is None else entry.limit_on(host)
        name = entry.resource if limit is None else limit
        yield (str(entry.code), host, name, entry.clause, entry.alternative)


def of_core(header, events, *, core=None):
    """The rounds that the program makes of a replay."""
    core = core or Core(check=True)
    rounds = []
    if header.mode == "workload":
        for happening in Engine(Given(header, events), core).happenings():
            if isinstance(happening, RoundBegins):
                rounds.append((happening.t, happening.round, []))
            elif isinstance(happening, Decided):
                rounds[-1][2].extend(plain_decisions(happening.decision))
        return rounds
    for event in events:
        core.advance(event.t)
        if isinstance(event, ev.RoundBegin):
            decisions = [
                one for decision in core.session(event.round) for one in plain_decisions(decision)
            ]
            rounds.append((event.t, event.round, decisions))
        elif not isinstance(event, ev.RoundEnd):
            core.apply(event)
    return rounds


def compare(world):
    """With the accounts checked before each round, and as it is in earnest."""
    header, events = world
    expected = simulate(header, events)
    for check in (True, False):
        found = of_core(header, events, core=Core(check=check))
        for ours, theirs in zip(found, expected):
            assert ours == theirs
        assert len(found) == len(expected)


@given(st.randoms(use_true_random=False).map(worlds()))
@settings(
    max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
def test_the_core_decides_what_the_oracle_decides(world):
    compare(world)


@given(st.randoms(use_true_random=False).map(worlds(modes=("recorded",), kinds=PLACING)))
@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
def test_the_core_places_what_the_oracle_places(world):
    compare(world)


@given(st.randoms(use_true_random=False).map(worlds(kinds=LIVES, most_jobs=4)))
@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
def test_jobs_live_in_the_core_as_in_the_oracle(world):
    compare(world)
