"""What every message looks like, once for both forms of a replay.

A test compares these tables with the schema and with the dataclasses of the model. The order of
fields is the order in which they are written, in both forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from xce_sim.model import config, event, job, resources, worker
from xce_sim.replay.shapes import (
    Amount,
    Amounts,
    Choice,
    Flag,
    Groups,
    Hosts,
    Id,
    Ids,
    Many,
    One,
    Shape,
    Text,
    Time,
    Values,
    Whole,
    Words,
    camel,
    describe,
)

TEXT = Text(word=False)
WORD = Text()
FLAG = Flag()
COUNT = Whole()
LEVEL = Whole(-(2**63), 2**63 - 1)
TIME = Time()
WORDS = Words()
VALUES = Values()
AMOUNTS = Amounts()
ID = Id()
STATUS = Choice(worker.WORKER_STATUSES)

HEADER = describe(
    event.Header,
    version=COUNT,
    mode=Choice(event.MODES),
    cluster=TEXT,
    interval=TIME,
    producer=TEXT,
)
QUEUE = describe(
    config.Queue, masked=True, name=WORD, priority=LEVEL, hosts=WORDS, active=FLAG, resreq=WORD
)
LIMIT = describe(
    config.Limit,
    masked=True,
    name=WORD,
    resource=WORD,
    value=Amount(),
    users=WORDS,
    per_user=WORDS,
    queues=WORDS,
    per_queue=WORDS,
    projects=WORDS,
    per_project=WORDS,
    hosts=WORDS,
    per_host=WORDS,
)
PARAMS = describe(config.Params, policy=WORD, spread=Choice(config.SPREADS))
CONFIG = describe(
    config.Config, queues=Many(QUEUE), limits=Many(LIMIT), groups=Groups(), params=One(PARAMS)
)
RESOURCE_DEF = describe(
    resources.ResourceDef,
    masked=True,
    name=WORD,
    type=Choice(resources.RESOURCE_TYPES),
    scope=Choice(resources.RESOURCE_SCOPES),
    consumable=FLAG,
    unit=WORD,
    better=Choice(("more", "less")),
)
FROZEN = describe(worker.FrozenAccounts, amounts=AMOUNTS, limits=AMOUNTS)
WORKER = describe(
    worker.Worker,
    masked=True,
    name=WORD,
    slots=COUNT,
    status=STATUS,
    values=VALUES,
    frozen=One(FROZEN),
)
ARRAY = describe(job.ArrayRange, first=COUNT, last=COUNT, step=COUNT)
SHARE = describe(job.HostShare, host=WORD, tasks=COUNT, amounts=AMOUNTS)
ALLOCATION = describe(job.Allocation, hosts=Many(SHARE), shared=AMOUNTS)
JOB = describe(
    job.JobSpec,
    "Job",
    masked=True,
    id=ID,
    user=WORD,
    queue=WORD,
    project=WORD,
    priority=LEVEL,
    queue_time=TIME,
    resreq=WORD,
    min_tasks=COUNT,
    max_tasks=COUNT,
    run_time=TIME,
    hosts=WORDS,
    array=One(ARRAY),
    state=Choice(job.JOB_STATES),
    start_time=TIME,
    end_time=TIME,
    allocs=One(ALLOCATION),
    decided=FLAG,
    reported=FLAG,
    main=WORD,
    set=COUNT,
)
ENTRY = describe(
    event.RecordedEntry,
    "ReasonEntry",
    masked=True,
    code=WORD,
    resource=WORD,
    limit=WORD,
    clause=WORD,
    alternative=COUNT,
    hosts=Hosts(),
)

Form = Literal["fields", "bare", "whole", "update", "held"]
"""How an event and its body belong together.

`fields`: the body's fields are the event's own; `bare`: likewise, but in JSON the one field
stands for the body; `whole`: the body is the value of the event's one attribute; `update`: a job
with the names of the fields that change; `held`: another event.
"""


@dataclass(frozen=True, slots=True)
class Message:
    """One kind of event: its name in JSON and its shape; `attribute` is set for `whole`."""

    name: str
    make: Any
    body: Shape
    form: Form = "fields"
    attribute: str = ""

    @property
    def member(self) -> str:
        """The name of the union member in the schema."""
        return camel(self.name)


def _fields(name: str, make: Any, struct: str = "", /, **kinds: Any) -> Message:
    return Message(name, make, describe(make, struct, **kinds))


def _bare(name: str, make: Any, /, **kinds: Any) -> Message:
    return Message(name, make, describe(make, **kinds), "bare")


MESSAGES: tuple[Message, ...] = (
    Message("config_push", event.ConfigPush, CONFIG, "whole", "config"),
    _bare("resource_defs", event.ResourceDefs, defs=Many(RESOURCE_DEF)),
    _bare("shared_push", event.SharedPush, values=VALUES),
    _bare("workers_push", event.WorkersPush, workers=Many(WORKER)),
    _bare("jobs_push", event.JobsPush, jobs=Many(JOB)),
    _fields("push_begin", event.PushBegin),
    _fields("push_end", event.PushEnd),
    Message("job_new", event.JobNew, JOB, "whole", "job"),
    Message("job_update", event.JobUpdate, JOB, "update"),
    _fields("job_remove", event.JobRemove, id=ID),
    _fields(
        "worker_update", event.WorkerUpdate, masked=True, name=WORD, status=STATUS, slots=COUNT
    ),
    _fields("values_update", event.ValuesUpdate, host=WORD, values=VALUES),
    _bare("shared_update", event.SharedUpdate, values=VALUES),
    _fields(
        "queue_update",
        event.QueueUpdate,
        masked=True,
        name=WORD,
        priority=LEVEL,
        active=FLAG,
        resreq=WORD,
        hosts=WORDS,
        all_hosts=FLAG,
    ),
    _fields("disconnect", event.Disconnect),
    _fields("join", event.Join),
    _fields("rebuilt", event.Rebuilt),
    _fields("round_begin", event.RoundBegin, round=COUNT),
    _fields(
        "dispatch",
        event.RecordedDispatch,
        "Dispatch",
        job=ID,
        allocs=One(ALLOCATION),
        reconstructed=FLAG,
    ),
    _fields("reason_set", event.ReasonSet, set=COUNT, entries=Many(ENTRY)),
    _fields(
        "pend",
        event.RecordedPend,
        "Pend",
        masked=True,
        job=ID,
        main=WORD,
        set=COUNT,
        reasons=Many(ENTRY),
    ),
    _fields("pend_run", event.RecordedPendRun, "PendRun", jobs=Ids(), main=WORD, set=COUNT),
    _fields("round_same", event.RoundSame),
    _fields("round_end", event.RoundEnd, round=COUNT),
    _fields(
        "snapshot_begin",
        event.SnapshotBegin,
        masked=True,
        round=COUNT,
        link=Choice(event.LINK_STATES),
        next_round=TIME,
    ),
    _fields("snapshot_end", event.SnapshotEnd),
    Message("held", event.Held, describe(event.Held), "held"),
)
"""Every kind of event, in the order of the schema's union."""

BY_NAME = {message.name: message for message in MESSAGES}
BY_CLASS = {message.make: message for message in MESSAGES}

INCREMENTS = frozenset(
    (
        event.ConfigPush,
        event.ResourceDefs,
        event.SharedPush,
        event.WorkersPush,
        event.JobsPush,
        event.JobNew,
        event.JobUpdate,
        event.JobRemove,
        event.WorkerUpdate,
        event.ValuesUpdate,
        event.SharedUpdate,
        event.QueueUpdate,
    )
)
"""What may be held back, and what the elements of a push are elsewhere."""
