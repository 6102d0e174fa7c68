"""State inspection: what `info` shows. Looking never changes anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xce_sim.commands import accounts, job_facts, rounds
from xce_sim.commands.accounts import SECTION, ordered
from xce_sim.commands.arguments import Expression, Flag, Host, Job, JobStateWord, Queue, User
from xce_sim.commands.breakpoints import facts_of
from xce_sim.commands.host_facts import host_facts, host_row
from xce_sim.commands.inspected import HostFacts, JobFacts, SelectFacts, SessionFacts
from xce_sim.commands.registry import Command, command, planned
from xce_sim.commands.results import Heading, Lines, Listing
from xce_sim.commands.session import Session
from xce_sim.core.job import Job as CoreJob
from xce_sim.core.state import State
from xce_sim.errors import UserError
from xce_sim.model.ids import JobSelector, make_id, order_key
from xce_sim.model.job import JOB_STATES
from xce_sim.model.worker import WORKER_STATUSES
from xce_sim.resreq.language import parse_plain
from xce_sim.resreq.plain import ERROR, TRUE, evaluate_plain
from xce_sim.trace.recall import recall_lines


@command("info job", SECTION)
def info_job(session: Session, job: Job, *, all: Flag = False) -> JobFacts | Listing:
    """Show a job: what it asks for, where it runs, or why it waits.

    Of several jobs (an array) each has one line. `all` cuts nothing.

    Usage: info job JOBSEL [all]
    Example: info job 42
    Example: info job 42[1-10]
    """
    found = matching(session.player.engine.core.state, job)
    if not found:
        hint = "it has not arrived yet, or has left; info jobs lists those that are there"
        raise UserError(f"unknown job: {job}", hint=hint)
    if len(found) == 1:
        return job_facts.job_facts(session.player.engine, found[0], whole=all)
    return _job_list(session, found, f"job {job} elements", f"info job {job} all", whole=all)


@command("info jobs", SECTION)
def info_jobs(
    session: Session,
    state: JobStateWord | None = None,
    *,
    queue: Queue | None = None,
    user: User | None = None,
    all: Flag = False,
) -> Listing:
    """List jobs, a line each, by id: all of them, or those in a state, of a queue, of a user.

    At a terminal the first 50 are shown; `all` shows the rest.

    Usage: info jobs [pend|psusp|run|susp|done|exit] [queue Q] [user U] [all]
    Example: info jobs pend queue normal
    """
    found = [
        job
        for job in session.player.engine.core.state.jobs.values()
        if (state is None or job.state == state)
        and (queue is None or job.queue == queue)
        and (user is None or job.user == user)
    ]
    found.sort(key=lambda job: order_key(job.id))
    words = ["info jobs", state or "", f"queue {queue}" if queue else ""]
    words += [f"user {user}" if user else "", "all"]
    return _job_list(session, found, "jobs", " ".join(filter(None, words)), whole=all)


@command("info host", SECTION)
def info_host(session: Session, host: Host, *, all: Flag = False) -> HostFacts:
    """Show a host: its state, what it has, what is in use, and the jobs on it.

    Usage: info host NAME [all]
    Example: info host n01
    """
    state = session.player.engine.core.state
    return host_facts(state, state.columns.index[host], whole=all)


@command("info hosts", SECTION)
def info_hosts(session: Session, *, all: Flag = False, where: Expression = "") -> Listing:
    """List hosts, a line each, in the order in which they are scanned.

    `where` takes a select expression, which is asked about the values of each host as they were
    pushed. At a terminal the first 50 are shown; `all` shows the rest.

    Usage: info hosts [all] [where EXPR]
    Example: info hosts
    Example: info hosts where type == linux && mem > 10000
    """
    state = session.player.engine.core.state
    found, failed = _hosts_where(state, where)
    counts = ordered(Counter(state.columns.status_of(host) for host in found), WORKER_STATUSES)
    if failed:
        counts["not evaluated"] = failed
    return Listing(
        rows=(host_row(state, host) for host in found),
        total=len(found),
        nothing="hosts" if not where or failed else f"hosts where {where}",
        command="info hosts all where " + where if where else "info hosts all",
        whole=all,
        heading=Heading(what="hosts", total=len(found), counts=counts),
    )


@command("info session", SECTION)
def info_session(session: Session) -> SessionFacts:
    """Show what is being played, where it stands, and what is set.

    Usage: info session
    Example: info session
    """
    engine, place = session.player.engine, session.player.place
    state = engine.core.state
    return SessionFacts(
        path=session.path,
        mode=engine.header.mode,
        cluster=engine.header.cluster,
        policy=state.config.params.policy,
        round=place.round,
        time=place.time,
        event=place.event,
        complete=engine.complete,
        hosts=len(state.columns),
        jobs=len(state.jobs),
        breakpoints=len(session.stops),
        stored_traces=len(session.store),
    )


@command("info trace", SECTION)
def info_trace(session: Session, job: Job) -> Lines:
    """Show the latest stored explanation of a job's decision, even if the job has left.

    Of an array every element that has one is shown. `trace on` must have been given before.

    Usage: info trace JOBSEL
    Example: info trace 42
    """
    state, store, settings = session.player.engine.core.state, session.store, session.settings
    states = [(found.id, found.state) for found in matching(state, job)]
    return Lines(
        lines=lambda: recall_lines(store, job, states, units=settings.units, time=settings.time)
    )


@command("info breakpoints", SECTION)
def info_breakpoints(session: Session, *, all: Flag = False) -> Listing:
    """List the breakpoints and how often each was hit.

    Usage: info breakpoints [all]
    Example: info breakpoints
    """
    return Listing(
        rows=tuple([facts_of(point) for point in session.stops]),
        total=len(session.stops),
        nothing="breakpoints",
        command="info breakpoints all",
        whole=all,
    )


@command("info select", SECTION)
def info_select(session: Session) -> SelectFacts:
    """Show how much work the select expressions of all jobs have made.

    Equal expressions are one node, and a node is evaluated for all hosts at once, at most once in
    a round.

    Usage: info select
    Example: info select
    """
    state = session.player.engine.core.state
    evaluator = state.evaluator
    in_round = evaluator.counters()
    return SelectFacts(
        nodes=state.table.node_count,
        evaluated=evaluator.evaluated,
        reused=evaluator.reused,
        evaluated_in_round=in_round.nodes_evaluated,
        reused_in_round=in_round.columns_reused,
        parsed=state.language.parsed,
    )


def _hosts_where(state: State, where: str) -> tuple[Sequence[int], int]:
    """The hosts for which an expression holds, and the number of those that have no answer."""
    hosts = range(len(state.columns))
    if not where:
        return hosts, 0
    node = parse_plain(where, state.resources)
    answers = [evaluate_plain(node, state.columns, host) for host in hosts]
    return [host for host in hosts if answers[host] == TRUE], answers.count(ERROR)


def matching(state: State, selector: JobSelector) -> list[CoreJob]:
    """The present jobs that a selector names, by element index."""
    single = state.jobs.get(make_id(selector.base))
    found = [] if single is None or not selector.matches(single.id) else [single]
    elements = (state.jobs[job] for job in state.arrays.get(selector.base, ()))
    found += [job for job in elements if selector.matches(job.id)]
    return sorted(found, key=lambda job: order_key(job.id))


def _job_list(
    session: Session, found: list[CoreJob], what: str, words: str, *, whole: bool
) -> Listing:
    waits = job_facts.Waits(session.player.engine)
    counts = Counter(job.state for job in found)
    return Listing(
        rows=(job_facts.job_row(waits, job) for job in found),
        total=len(found),
        nothing="jobs",
        command=words,
        whole=whole,
        heading=Heading(what=what, total=len(found), counts=ordered(counts, JOB_STATES)),
    )


COMMANDS: tuple[Command, ...] = (
    info_job,
    info_jobs,
    info_host,
    info_hosts,
    *accounts.COMMANDS,
    *rounds.COMMANDS,
    info_select,
    info_session,
    info_trace,
    info_breakpoints,
    planned("info link", SECTION),
)
