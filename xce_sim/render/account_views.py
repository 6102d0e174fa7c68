"""Queues, limits, resources, users: what is shared out, and who holds it.

    limit lim_user on slots: value 100  per_user all
      u=alice usage 96
      u=bob usage 4

In a list a limit has one line, with the counter that is used most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xce_sim.commands.inspected import (
    LimitFacts,
    LimitRow,
    QueueDetail,
    QueueFacts,
    ResourceRow,
    SelectFacts,
    SharedRow,
    UserRow,
)
from xce_sim.commands.session import Settings
from xce_sim.model.resources import ResourceDef
from xce_sim.render.host_views import value_text
from xce_sim.render.wording import cut, ids, room_after
from xce_sim.trace.spans import Line, Span, Style


def queue_row(row: QueueFacts, settings: Settings) -> Line:
    """A queue in the list."""
    head = f"queue {row.name}"
    parts = [f"priority {row.priority}", "active" if row.active else "inactive"]
    parts += [f"{state} {count}" for state, count in row.jobs.items()]
    if row.requirement:
        parts.append(f"requirement {row.requirement}")
    text = f"  {'  '.join(parts)}  hosts "
    hosts = "all" if row.hosts is None else cut(row.hosts, room_after(settings.width, head + text))
    return (("key", head), ("plain", f"{text}{hosts or 'none'}"))


def queue(detail: QueueDetail, settings: Settings) -> Iterator[Line]:
    """`info queue`."""
    width = 0 if detail.whole else settings.width
    yield queue_row(detail.facts, replace(settings, width=width))
    for what, jobs in (("pending", detail.pending), ("running", detail.running)):
        text = f"  {what} "
        yield (("plain", f"{text}{ids(jobs, room_after(width, text)) or 'none'}"),)


def limit(facts: LimitFacts, settings: Settings) -> Iterator[Line]:
    """`info limit`."""
    yield _limit_head(facts, settings)
    for each in facts.instances:
        usage = settings.display.amount(each.usage, facts.unit)
        style: Style = "bad" if each.usage >= facts.value else "plain"
        yield (("plain", f"  {each.instance} "), (style, f"usage {usage}"))
    if not facts.instances:
        yield (("dim", "  no usage"),)


def limit_row(row: LimitRow, settings: Settings) -> Line:
    """A limit in the list."""
    facts = row.limit
    if not facts.instances:
        return (*_limit_head(facts, settings), ("plain", "  no usage"))
    most = max(facts.instances, key=lambda each: each.usage)
    usage = settings.display.amount(most.usage, facts.unit)
    more = f"  counters {len(facts.instances)}" if len(facts.instances) > 1 else ""
    return (*_limit_head(facts, settings), ("plain", f"  {most.instance} usage {usage}{more}"))


def resource_row(row: ResourceRow, _settings: Settings) -> Line:
    """A resource in the list."""
    name, _, rest = resource_text(row.definition).partition("  ")
    return (("key", f"resource {name}"), ("plain", f"  {rest}"))


def resource_text(item: ResourceDef) -> str:
    """`mem  numeric  host  consumable  unit MiB  better more`."""
    parts: list[str] = [item.type, item.scope]
    if item.consumable:
        parts.append("consumable")
    if item.unit:
        parts.append(f"unit {item.unit}")
    if item.type != "string":
        parts.append(f"better {'more' if item.more_is_better else 'less'}")
    return f"{item.name}  {'  '.join(parts)}"


def shared_row(row: SharedRow, settings: Settings) -> Line:
    """A shared resource in the list."""
    head: Span = ("key", f"shared {row.name}")
    if row.in_use is None:
        value = "-" if row.value is None else value_text(row.value)
        return (head, ("plain", f"  value {value}"))
    total = settings.display.amount(int(row.value or 0), row.unit)
    return (
        head,
        ("plain", f"  total {total} in-use {settings.display.amount(row.in_use, row.unit)}"),
    )


def user_row(row: UserRow, _settings: Settings) -> Line:
    """A user in the list."""
    jobs = "  ".join(f"{state} {count}" for state, count in row.jobs.items())
    return (("key", f"user {row.name or '-'}"), ("plain", f"  {jobs}  slots {row.slots}"))


def select(facts: SelectFacts, _settings: Settings) -> Iterator[Line]:
    """`info select`."""
    yield (("key", "select"), ("plain", f"  unique nodes {facts.nodes}"))
    in_round = f"{facts.evaluated_in_round}  columns reused {facts.reused_in_round}"
    yield (("plain", f"  in this round  nodes evaluated {in_round}"),)
    yield (
        ("plain", f"  in all  nodes evaluated {facts.evaluated}  columns reused {facts.reused}"),
    )
    yield (("plain", f"  requirements parsed {facts.parsed}"),)


def _limit_head(facts: LimitFacts, settings: Settings) -> Line:
    value = settings.display.amount(facts.value, facts.unit)
    text = f"limit {facts.name} on {facts.resource}: value {value}"
    keys = "".join(f"  {key} {' '.join(names)}" for key, names in facts.keys)
    return (("key", text), ("plain", keys))
