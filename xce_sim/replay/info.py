"""The facts of a replay, from reading it once without judging it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xce_sim.errors import ReplayError
from xce_sim.model.clock import Micros
from xce_sim.model.event import Header
from xce_sim.replay.messages import MESSAGES
from xce_sim.replay.reader import open_replay
from xce_sim.replay.source import Form
from xce_sim.replay.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayInfo:
    """What is in a replay.

    `kinds` counts events by their name, in the order of the format. `hosts`, `slots` and
    `resources` are those known at the end, `jobs` all that ever came (elements of arrays count
    each), `queues` jobs by queue, busiest first, with the configured ones without any. `start` and
    `end` are the times of the first and last event. `missing` are remarks about what is not there;
    `damage` is why reading stopped early.
    """

    path: str
    form: Form
    size: int
    header: Header
    events: int
    kinds: Mapping[str, int]
    start: Micros | None
    end: Micros | None
    hosts: int
    slots: int
    resources: tuple[str, ...]
    jobs: int
    users: int
    queues: tuple[tuple[str, int], ...]
    rounds: int
    first_round: int | None
    last_round: int | None
    missing: tuple[str, ...]
    damage: ReplayError | None = None


def replay_info(path: str | os.PathLike[str]) -> ReplayInfo:
    """Read a replay as far as it goes; `ReplayError` if there is no header to begin with."""
    tally = Tally()
    damage: ReplayError | None = None
    with open_replay(path, checked=False) as replay:
        try:
            for _, _, event in replay:
                tally.take(event)
        except ReplayError as error:
            damage = error
    kinds = {message.name: tally.kinds[message.make] for message in MESSAGES}
    return ReplayInfo(
        path=replay.path,
        form=replay.form,
        size=os.stat(path).st_size,
        header=replay.header,
        events=tally.kinds.total(),
        kinds={name: count for name, count in kinds.items() if count},
        start=tally.start,
        end=tally.end,
        hosts=len(tally.state.hosts),
        slots=sum(tally.state.hosts.values()),
        resources=tuple(tally.state.resources),
        jobs=tally.jobs,
        users=len(tally.users),
        queues=tally.busiest(),
        rounds=kinds["round_begin"],
        first_round=tally.first_round,
        last_round=tally.last_round,
        missing=tuple(_missing(replay.header, tally)),
        damage=damage,
    )


def _missing(header: Header, tally: Tally) -> Iterator[str]:
    if not tally.state.configured:
        yield "no configuration"
    if not tally.state.hosts:
        yield "no hosts"
    if not tally.jobs:
        yield "no jobs"
    if header.mode == "recorded" and tally.first_round is None:
        yield "no rounds"
    if header.mode == "workload" and tally.endless:
        yield f"{tally.endless} jobs without a run time: they never end"
    if tally.open_round is not None:
        yield f"round {tally.open_round} is not closed"
    if tally.bracket is not None:
        yield "a push or snapshot is not closed"
