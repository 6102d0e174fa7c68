"""What a job's requirement becomes in its queue, and whether it fits the job's size.

Decides the merge of a queue's requirement ("merged into each primary of the job: both selects
must hold, the job's rusage items win over the queue's of the same name, the queue's other clauses
hold where the job has none") and the rule on the tasks of compounds. An empty alternative stays
empty: it is skipped with a queue's requirement as without.
"""

from __future__ import annotations

from dataclasses import replace

from xce_sim.resreq.errors import LanguageMisuse, RequirementError
from xce_sim.resreq.flatten import chain
from xce_sim.resreq.nodes import Kind, Node
from xce_sim.resreq.request import Compound, Member, Primary, Request
from xce_sim.resreq.slips import CLAUSES


def with_queue(request: Request, queue_request: Request) -> Request:
    """The job's request with the queue's merged into each primary; its text stays the job's.

    `RequirementError` that quotes the queue's text when that is "anything else than a primary".
    Both must come from one table.
    """
    queue = _only_primary(queue_request)
    if queue == Primary():
        return request
    merged = tuple(_merge_any(alternative, queue) for alternative in request.alternatives)
    return replace(request, alternatives=merged)


def _only_primary(request: Request) -> Primary:
    only = request.alternatives[0] if len(request.alternatives) == 1 else None
    if request.numbered or not isinstance(only, Primary):
        what = "a compound" if isinstance(only, Compound) else "alternatives"
        raise RequirementError(
            f"the queue's requirement is {what}; a queue takes a single requirement only",
            text=request.text,
            span=(0, max(1, len(request.text))),
        )
    return only


def _merge_any(alternative: Primary | Compound | None, queue: Primary) -> Primary | Compound | None:
    if isinstance(alternative, Compound):
        return Compound(
            members=tuple(
                Member(count=member.count, primary=_merge(member.primary, queue))
                for member in alternative.members
            )
        )
    return None if alternative is None else _merge(alternative, queue)


def _merge(job: Primary, queue: Primary) -> Primary:
    """One primary with the queue's clauses."""
    missing = [name for name in queue.clauses if name not in job.clauses]
    named = {item.resource for item in job.items}
    declined = [
        (name, text)
        for name, text in zip(queue.unsupported, queue.declined, strict=True)
        if name in missing
    ]
    more = () if "rusage" in job.unsupported else queue.items
    return replace(
        job,
        select=_both(job.select, queue.select),
        items=(*job.items, *(item for item in more if item.resource not in named)),
        span=queue.span if "span" in missing else job.span,
        order=queue.order if "order" in missing else job.order,
        same=queue.same if "same" in missing else job.same,
        unsupported=(*job.unsupported, *(name for name, _ in declined)),
        declined=(*job.declined, *(text for _, text in declined)),
        clauses=tuple(sorted({*job.clauses, *queue.clauses}, key=CLAUSES.index)),
    )


def _both(one: Node | None, other: Node | None) -> Node | None:
    """The conjunction of two interned expressions, constants folded."""
    if one is None or other is None:
        return other if one is None else one
    for first, second in ((one, other), (other, one)):
        if first.kind is Kind.TRUE:
            return second
        if first.kind is Kind.FALSE:
            return first
    if one.table is None or one.table is not other.table:
        raise LanguageMisuse("expressions of two tables can not be merged")
    return chain(one.table, Kind.AND, (one, other))


def check_sizes(request: Request, min_tasks: int, max_tasks: int) -> None:
    """`RequirementError` unless the job's counts fit every compound of its requirement.

    "A job that leaves both counts at 1 states no size; otherwise both must be the sum of every
    compound".
    """
    if min_tasks == max_tasks == 1:
        return
    for alternative in request.alternatives:
        if isinstance(alternative, Compound) and not (min_tasks == max_tasks == alternative.count):
            size = str(min_tasks) if min_tasks == max_tasks else f"{min_tasks}..{max_tasks}"
            raise RequirementError(
                f"the job asks for {size} tasks, the compound for {alternative.count}",
                text=request.text,
                hint="leave the job's counts away, or make both the sum of the compound",
            )
