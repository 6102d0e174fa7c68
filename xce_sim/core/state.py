"""The state of the core: ground truth as pushed, and what is derived from it.

Ground truth: configuration, resource definitions, shared totals, workers, jobs with states and
allocations. Derived: the ledger, the picking order, scheduling classes, select columns. The
functions that change it live in `events`, the definition of what is derived in `derive`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from xce_sim.core.candidates import CandidateFinder
from xce_sim.core.classes import ClassKey, SchedulingClass
from xce_sim.core.demand import Demand, demand_of
from xce_sim.core.election import Election, Elector
from xce_sim.core.job import Job, PendStamp
from xce_sim.core.ledger import Ledger
from xce_sim.core.limits import LimitTable
from xce_sim.core.order import PickingOrder
from xce_sim.errors import UserError
from xce_sim.model.clock import SECOND, Micros
from xce_sim.model.columns import STATUS_CODE, BoolArray, HostColumns
from xce_sim.model.config import Config, Queue
from xce_sim.model.decision import Decision
from xce_sim.model.ids import JobId
from xce_sim.model.resources import ResourceTable
from xce_sim.model.worker import FROZEN_STATUSES
from xce_sim.resreq.evaluate import RoundEvaluator
from xce_sim.resreq.intern import InternTable
from xce_sim.resreq.language import Language
from xce_sim.resreq.merge import check_sizes
from xce_sim.resreq.request import Primary

LINGER: Micros = 60 * SECOND
"""How long a final job stays: it "leaves the tables 60 s of simulated time later"."""


MANY_CLASSES = 1000
"""So many classes may stay beside two for each pending job."""

MANY_NODES = 10_000
"""So many expression nodes may come beside twice those that the last sweep has kept."""

MANY_DEMANDS = 4096
"""So many demands are remembered at the most."""


@dataclass(slots=True)
class Repeat:
    """What the last round decided, if it dispatched nothing and can be decided again.

    It holds while the ledger and the picking order have these versions.
    """

    ledger_version: int
    order_version: int
    decisions: tuple[Decision, ...]
    stamp: PendStamp


class State:
    """Everything a core knows.

    `waiting` holds all jobs in state `pend`, `order` those of active queues in picking order.
    `departures` lists final jobs with the time at which they leave, in order of time. `arrived`
    collects jobs that run since the last look, `unreported` running jobs that nobody dispatched
    here and that no round has reported yet. `repeat` is the last round's outcome if the next one
    may come to the same.
    """

    def __init__(self) -> None:
        self.now: Micros = 0
        self.config = Config()
        self.queues: dict[str, Queue] = {}
        self.limits = LimitTable()
        self.columns = HostColumns(ResourceTable())
        self.jobs: dict[JobId, Job] = {}
        self.arrays: dict[int, dict[JobId, None]] = {}
        self.departures: deque[tuple[Micros, Job]] = deque()
        self.ignored_updates = 0

        self.table = InternTable()
        self.language = Language(self.table)
        self.evaluator = RoundEvaluator(self.columns)
        self.candidates = CandidateFinder(self.columns, self.evaluator)
        self.ledger = Ledger()
        self.elector = Elector((), self.ledger, self.columns)
        self.classes: dict[ClassKey, SchedulingClass] = {}
        self.waiting: dict[JobId, Job] = {}
        self.order = PickingOrder()
        self.arrived: list[Job] = []
        self.unreported: dict[JobId, Job] = {}
        self.repeat: Repeat | None = None
        self._nodes_kept = 0
        self._demands: dict[tuple[int, int], tuple[Primary, Demand]] = {}
        self._frozen: BoolArray | None = None
        self._frozen_version = -1

    @property
    def resources(self) -> ResourceTable:
        """All resource definitions."""
        return self.columns.resources

    def job(self, job: JobId) -> Job | None:
        """The job of that id, None if it is not (or no longer) there."""
        return self.jobs.get(job)

    def frozen(self) -> BoolArray | None:
        """The hosts whose accounts stay as they were, shape `[hosts]`; None if there are none."""
        if self._frozen_version != self.columns.version:
            codes = [STATUS_CODE[status] for status in sorted(FROZEN_STATUSES)]
            mask = np.isin(self.columns.status, codes)
            self._frozen = mask if mask.any() else None
            self._frozen_version = self.columns.version
        return self._frozen

    def class_of(self, job: Job) -> SchedulingClass:
        """The job's scheduling class, made when the first such job is picked."""
        if job.klass is None:
            key = (
                job.resreq,
                job.min_tasks,
                job.max_tasks,
                job.user,
                job.queue,
                job.project,
                job.hosts,
            )
            klass = self.classes.get(key)
            if klass is None:
                klass = self.classes[key] = self._make_class(job)
            job.klass = klass
        return job.klass

    def demand_of(self, primary: Primary, election: Election) -> Demand:
        """The demand of a primary for jobs that meet these limits, made once for all of them."""
        key = (id(primary), id(election))
        found = self._demands.get(key)
        if found is None or found[0] is not primary:
            if len(self._demands) >= MANY_DEMANDS:
                self._demands.clear()
            demand = demand_of(primary, election, self.ledger, self.resources)
            found = self._demands[key] = (primary, demand)
        return found[1]

    def tidy(self) -> None:
        """Between rounds: let go of classes without a pending job, and of their expressions.

        Done once classes or expressions are many beside those that are needed. Jobs that have
        arrived since are not parsed yet and hold no expression; invalid requirements are parsed
        again, since the table may have been full.
        """
        few = len(self.classes) <= MANY_CLASSES + 2 * len(self.waiting)
        if few and self.table.node_count <= MANY_NODES + 2 * self._nodes_kept:
            return
        for job in self.waiting.values():
            if job.klass is not None and job.klass.request is None:
                job.klass = None
        live = {id(job.klass) for job in self.waiting.values()}
        self.classes = {key: kl for key, kl in self.classes.items() if id(kl) in live}
        requests = [kl.request for kl in self.classes.values() if kl.request is not None]
        self.language.sweep(requests, resources=self.resources, in_round=False, merged=True)
        self._nodes_kept = self.table.node_count
        self.candidates.forget()
        self._demands.clear()

    def drop_classes(self) -> None:
        """Forget all classes: definitions, queues or limits have changed."""
        self.classes.clear()
        self._demands.clear()
        self.repeat = None
        for job in self.waiting.values():
            job.klass = None

    def _make_class(self, job: Job) -> SchedulingClass:
        queue = self.queues[job.queue]
        request, invalid = None, ""
        try:
            request = self.language.parse_in_queue(job.resreq, queue.resreq, self.resources)
            check_sizes(request, job.min_tasks, job.max_tasks)
        except UserError as error:
            request, invalid = None, error.message
        return SchedulingClass(
            min_tasks=job.min_tasks,
            max_tasks=job.max_tasks,
            hosts=job.hosts,
            queue_hosts=queue.hosts,
            election=self.elector.elect(job.user, job.queue, job.project),
            request=request,
            invalid=invalid,
        )
