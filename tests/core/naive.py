"""A second, deliberately naive allocator: plain loops over hosts, everything counted anew each time.

It is given the ground truth (configuration, hosts, running jobs with allocations) and one pending
job, and comes to an allocation or to pend reasons by the rules as they are written, host by host
and position by position. Only the parsed requirement and the evaluation of a select expression
for one host are shared with the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xce_sim.core.limits import expand_names
from xce_sim.model.columns import HostColumns
from xce_sim.model.config import Config, Limit
from xce_sim.model.resources import ResourceTable
from xce_sim.resreq.language import parse_plain
from xce_sim.resreq.plain import ERROR, TRUE, evaluate_plain
from xce_sim.resreq.request import Compound, Primary, Request

Entry = tuple[str, str | None, str | None, str | None, int | None]
"""(code, host, resource or complete limit instance, clause, alternative)."""


@dataclass
class Running:
    """A running job: per host (tasks, amounts by resource name), and shared amounts."""

    user: str
    queue: str
    project: str
    hosts: dict[str, tuple[int, dict[str, int]]]
    shared: dict[str, int]


@dataclass
class Wanted:
    """The pending job."""

    user: str
    queue: str
    project: str
    hosts: tuple[str, ...] | None
    min_tasks: int
    max_tasks: int


@dataclass
class World:
    """The ground truth; `running` grows as jobs are dispatched."""

    config: Config
    resources: ResourceTable
    columns: HostColumns
    texts: dict[int, str]
    running: list[Running] = field(default_factory=list)

    def names(self) -> tuple[str, ...]:
        return self.columns.names


@dataclass
class Taken:
    """What the attempt has reserved so far: (host, tasks, amounts) and shared amounts."""

    shares: list[tuple[str, int, dict[str, int]]] = field(default_factory=list)
    shared: dict[str, int] = field(default_factory=dict)
    members: list[tuple[int, int, Primary]] = field(default_factory=list)


def in_list(limit: Limit, key: str, name: str, groups: dict) -> bool:
    plain, per = getattr(limit, key + "s"), getattr(limit, "per_" + key)
    listed = plain if plain is not None else per
    return listed is None or name in expand_names(listed, groups)


def matches(world: World, limit: Limit, job: Running | Wanted) -> bool:
    groups = world.config.groups
    return (
        in_list(limit, "user", job.user, groups)
        and in_list(limit, "queue", job.queue, groups)
        and in_list(limit, "project", job.project, groups)
    )


def instance(limit: Limit, job: Running | Wanted, host: str | None) -> str:
    keys = []
    for letter, key, value in (
        ("u", "per_user", job.user),
        ("q", "per_queue", job.queue),
        ("p", "per_project", job.project),
    ):
        if getattr(limit, key) is not None:
            keys.append(f"{letter}={value}")
    if limit.per_host is not None and host is not None:
        keys.append(f"h={host}")
    return f"{limit.name}/{','.join(keys) or 'all'}"


def of_resource(tasks: int, amounts: dict[str, int], resource: str) -> int:
    return tasks * 1000 if resource == "slots" else amounts.get(resource, 0)


def usage(
    world: World, limit: Limit, mine: Wanted, shares: list, shared: dict, owner, host: str | None
) -> int:
    """What a job with these shares counts for in the instance that `mine` meets (at a host)."""
    if not matches(world, limit, owner):
        return 0
    if instance(limit, owner, "x") != instance(limit, mine, "x"):
        return 0
    if not limit.host_scoped:
        if limit.resource == "jobs":
            return 1000 if shares else 0
        total = sum(of_resource(t, a, limit.resource) for _, t, a in shares)
        return total + shared.get(limit.resource, 0)
    covered = [
        (name, t, a) for name, t, a in shares if in_list(limit, "host", name, world.config.groups)
    ]
    if limit.per_host is not None:
        covered = [share for share in covered if share[0] == host]
    if limit.resource == "jobs":
        return 1000 if covered else 0
    return sum(of_resource(t, a, limit.resource) for _, t, a in covered)


def used_by_running(world: World, limit: Limit, mine: Wanted, host: str | None) -> int:
    total = 0
    for job in world.running:
        shares = [(name, t, a) for name, (t, a) in job.hosts.items()]
        total += usage(world, limit, mine, shares, job.shared, job, host)
    return total


def amounts_at(world: World, primary: Primary, tasks: int, *, first: bool) -> dict[str, int]:
    """Host consumables of a position."""
    found: dict[str, int] = {}
    for item in primary.items:
        definition = world.resources[item.resource]
        if definition.scope == "shared":
            continue
        amount = {"task": item.amount * tasks, "host": item.amount}.get(
            item.scope, item.amount if first else 0
        )
        if amount:
            found[definition.name] = amount
    return found


def shared_at(world: World, primary: Primary, tasks: int, hosts: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in primary.items:
        definition = world.resources[item.resource]
        if definition.scope == "shared":
            times = {"task": tasks, "host": hosts, "job": 1}[item.scope]
            if item.amount * times:
                found[definition.name] = item.amount * times
    return found


class Attempt:
    """One attempt to place one job."""

    def __init__(self, world: World, mine: Wanted) -> None:
        self.world, self.mine = world, mine
        self.limits = [lim for lim in world.config.limits if matches(world, lim, mine)]

    # the cluster-wide rows for T tasks on k hosts: (entry, free, requested)
    def rows(self, primary: Primary, taken: Taken, tasks: int, hosts: int):
        world = self.world
        wanted = shared_at(world, primary, tasks, hosts)
        for name in sorted(wanted):
            index = world.resources.index[name]
            total = world.columns.shared.get(index, 0)
            used = sum(job.shared.get(name, 0) for job in world.running)
            yield (
                ("SHARED_RESOURCE", None, name),
                total - used - taken.shared.get(name, 0),
                wanted[name],
            )
        for limit in self.limits:
            if limit.host_scoped:
                continue
            reserved = usage(world, limit, self.mine, taken.shares, taken.shared, self.mine, None)
            if limit.resource == "jobs":
                requested = 0 if taken.shares else 1000
            elif limit.resource == "slots":
                requested = tasks * 1000
            else:
                requested = wanted.get(limit.resource, 0)
                for item in primary.items:
                    definition = world.resources[item.resource]
                    if definition.name == limit.resource and definition.scope == "host":
                        requested = (
                            item.amount * {"task": tasks, "host": hosts, "job": 1}[item.scope]
                        )
            if requested:
                used = used_by_running(world, limit, self.mine, None)
                name = instance(limit, self.mine, None)
                yield ("CLUSTER_LIMIT", None, name), limit.value - used - reserved, requested

    def short_rows(self, primary, taken, tasks, hosts):
        return [key for key, free, want in self.rows(primary, taken, tasks, hosts) if free < want]

    # the per-host check: the short rows of a position on a host
    def host_short(self, primary: Primary, taken: Taken, host: str, tasks: int, *, first: bool):
        world = self.world
        amounts = amounts_at(world, primary, tasks, first=first)
        short = []
        for name, requested in [*sorted(amounts.items()), ("slots", tasks * 1000)]:
            index = world.resources.index[name]
            total = int(world.columns.amounts(index)[world.columns.index[host]])
            used = sum(
                of_resource(*job.hosts[host], name) for job in world.running if host in job.hosts
            )
            reserved = sum(of_resource(t, a, name) for h, t, a in taken.shares if h == host)
            if total - used - reserved < requested:
                short.append(("HOST_RESOURCE", host, name))
        for limit in self.limits:
            if not limit.host_scoped or not in_list(limit, "host", host, world.config.groups):
                continue
            reserved = usage(world, limit, self.mine, taken.shares, taken.shared, self.mine, host)
            if limit.resource == "jobs":
                requested = 0 if reserved else 1000
            else:
                requested = of_resource(tasks, amounts, limit.resource)
            used = used_by_running(world, limit, self.mine, host)
            if requested and limit.value - used - reserved < requested:
                short.append(("HOST_LIMIT", host, instance(limit, self.mine, host)))
        return short

    def selected(self, primary: Primary, text: str | None, host: str) -> str:
        if primary.select is None or text is None:
            return "match"
        node = parse_plain(text, self.world.resources)
        got = evaluate_plain(node, self.world.columns, self.world.columns.index[host])
        return "match" if got == TRUE else "error" if got == ERROR else "mismatch"

    def candidates(self, primary: Primary, taken: Taken) -> list[str]:
        world = self.world
        queue = next(q for q in world.config.queues if q.name == self.mine.queue)
        found = [
            name
            for index, name in enumerate(world.names())
            if world.columns.status_of(index) == "ok"
            and (queue.hosts is None or name in queue.hosts)
            and (self.mine.hosts is None or name in self.mine.hosts)
        ]
        for key in reversed(primary.order):
            found.sort(key=lambda name: self.order_value(key, name, taken))
        return found

    def order_value(self, key, host: str, taken: Taken) -> float:
        world, definition = self.world, self.world.resources[key.resource]
        if definition.consumable and definition.scope == "host":
            name = definition.name
            value = int(world.columns.amounts(key.resource)[world.columns.index[host]])
            value -= sum(
                of_resource(*job.hosts[host], name) for job in world.running if host in job.hosts
            )
            value -= sum(of_resource(t, a, name) for h, t, a in taken.shares if h == host)
        else:
            value = float(world.columns.numbers(key.resource)[world.columns.index[host]])
        return -value if key.largest_first else value

    def sets(self, primary: Primary, candidates: list[str]) -> list[list[str]]:
        if not primary.same or not candidates:
            return [candidates]
        groups: dict[tuple, list[str]] = {}
        for name in candidates:
            index = self.world.columns.index[name]
            key = tuple(self.world.columns.value(res, index) for res in primary.same)
            groups.setdefault(key, []).append(name)
        return list(groups.values())

    def place(self, primary: Primary, text: str | None, taken: Taken, low: int, high: int):
        """(shares, k) or the pend entries and main: one requirement or member."""
        if primary.unsupported:
            entries = [("CLAUSE_UNSUPPORTED", None, None, c) for c in primary.unsupported]
            return None, entries, "CLAUSE_UNSUPPORTED"

        def fewest(tasks: int) -> int:
            span = primary.span
            return -(-tasks // span.ptile) if span.kind == "ptile" else 1

        short = self.short_rows(primary, taken, low, fewest(low))
        if short:
            codes = {key[0] for key in short}
            main = "CLUSTER_LIMIT" if "CLUSTER_LIMIT" in codes else "SHARED_RESOURCE"
            return None, [(*key, None) for key in short], main
        while self.short_rows(primary, taken, high, fewest(high)):
            high -= 1
        candidates = self.candidates(primary, taken)
        outcome = {name: self.selected(primary, text, name) for name in candidates}
        sets = self.sets(primary, candidates)
        entries: list[tuple] = [] if candidates else [("NO_CANDIDATE", None, None, None)]
        tried = discarded = 0
        accepted = False
        for tasks in range(high, low - 1, -1):
            for sizes, group in self.plans(primary, taken, tasks, sets, outcome):
                slots = [
                    int(self.world.columns.amounts(0)[self.world.columns.index[n]]) // 1000
                    for n in group
                ]
                rows: list = []
                if len(sizes) > len(group) or max(sizes) > max(slots):
                    thrown = True
                else:
                    rows = self.short_rows(primary, taken, tasks, len(sizes))
                    thrown = bool(rows)
                if thrown:
                    if tasks == low:
                        discarded += 1
                        entries += [(*key, None) for key in rows]
                    continue
                shares, found = self.fill(primary, taken, sizes, group, outcome)
                if tasks == low:
                    tried += 1
                    if shares is None:
                        entries += [(*key, None) for key in found[0]]
                        accepted |= found[1]
                if shares is not None:
                    return (shares, tasks), [], None
        if candidates and discarded and not tried:
            entries.append(("NO_PLAN", None, None, None))
        if accepted:
            entries.append(("NOT_ENOUGH_HOSTS", None, None, None))
        return None, list(dict.fromkeys(entries)), self.main(entries, candidates, tried)

    def main(self, entries, candidates, tried) -> str:
        codes = {entry[0] for entry in entries}
        order = ["NO_CANDIDATE"]
        if not tried:
            order += ["CLUSTER_LIMIT", "SHARED_RESOURCE"]
        for code in (*order, "NO_PLAN", "NOT_ENOUGH_HOSTS"):
            if code in codes:
                return code
        hosts = {
            code: {entry[1] for entry in entries if entry[0] == code}
            for code in ("SELECT_MISMATCH", "HOST_RESOURCE", "HOST_LIMIT", "HOST_ERROR")
        }
        if len(hosts["SELECT_MISMATCH"]) == len(candidates):
            return "SELECT_MISMATCH"
        if hosts["HOST_RESOURCE"] or hosts["HOST_LIMIT"]:
            more = len(hosts["HOST_LIMIT"]) > len(hosts["HOST_RESOURCE"])
            return "HOST_LIMIT" if more else "HOST_RESOURCE"
        # a set of `same` was discarded untried, and all hosts of the others mismatch
        return "HOST_ERROR" if hosts["HOST_ERROR"] else "SELECT_MISMATCH"

    def plans(self, primary, taken, tasks, sets, outcome):
        span = primary.span
        if span.kind == "one_host":
            yield from (([tasks], group) for group in sets)
            return
        if span.kind == "ptile":
            whole, rest = divmod(tasks, span.ptile)
            sizes = [span.ptile] * whole + [rest] * (rest > 0)
            yield from ((sizes, group) for group in sets)
            return
        if self.world.config.params.spread == "even":
            before = tasks + 1
            for k in range(1, tasks + 1):
                more = tasks % k
                sizes = [tasks // k + 1] * more + [tasks // k] * (k - more)
                if sizes[0] < before:
                    before = sizes[0]
                    yield from ((sizes, group) for group in sets)
        for group in sets:
            sizes = self.walk(primary, taken, tasks, group, outcome)
            rest = tasks - sum(sizes)
            if rest and self.world.config.params.spread == "even":
                continue
            yield sizes + [rest] * (rest > 0), group

    def walk(self, primary, taken, tasks, group, outcome) -> list[int]:
        mine = Taken(list(taken.shares), dict(taken.shared))
        sizes: list[int] = []
        for name in group:
            if outcome[name] != "match" or sum(sizes) == tasks:
                continue
            for size in range(tasks - sum(sizes), 0, -1):
                first = not sizes
                if not self.host_short(primary, mine, name, size, first=first):
                    amounts = amounts_at(self.world, primary, size, first=first)
                    mine.shares.append((name, size, amounts))
                    sizes.append(size)
                    break
        return sizes

    def fill(self, primary, taken, sizes, group, outcome):
        mine = Taken(list(taken.shares), dict(taken.shared))
        claimed: list[tuple[str, int, dict[str, int]]] = []
        found: list[tuple] = []
        for size in sizes:
            for name in group:
                if outcome[name] == "mismatch":
                    found.append(("SELECT_MISMATCH", name, None))
                elif outcome[name] == "error":
                    found.append(("HOST_ERROR", name, None))
                elif name in [share[0] for share in claimed]:
                    continue
                else:
                    first = not claimed
                    short = self.host_short(primary, mine, name, size, first=first)
                    if not short:
                        amounts = amounts_at(self.world, primary, size, first=first)
                        claimed.append((name, size, amounts))
                        mine.shares.append((name, size, amounts))
                        break
                    found += short
            else:
                return None, (found, bool(claimed))
        return claimed, (found, True)


def attempt(world: World, mine: Wanted, request: Request, selects: dict[int, str | None]):
    """("dispatch", hosts in order, shared) or ("pend", main, set of entries)."""
    trying = Attempt(world, mine)
    everything: list[Entry] = []
    main = None
    for number, alternative in enumerate(request.alternatives, 1):
        if alternative is None:
            continue
        taken = Taken()
        members = (
            [(member.count, member.count, member.primary) for member in alternative.members]
            if isinstance(alternative, Compound)
            else [(mine.min_tasks, mine.max_tasks, alternative)]
        )
        for low, high, primary in members:
            placed, entries, failed = trying.place(primary, selects[id(primary)], taken, low, high)
            if placed is None:
                label = number if request.numbered else None
                everything += [(*entry, label) for entry in entries]
                main = failed
                break
            shares, tasks = placed
            taken.shares += shares
            for name, amount in shared_at(world, primary, tasks, len(shares)).items():
                taken.shared[name] = taken.shared.get(name, 0) + amount
        else:
            hosts: dict[str, tuple[int, dict[str, int]]] = {}
            for name, tasks, amounts in taken.shares:
                before = hosts.get(name, (0, {}))
                summed = {
                    key: before[1].get(key, 0) + amounts.get(key, 0) for key in before[1] | amounts
                }
                hosts[name] = (before[0] + tasks, summed)
            return "dispatch", hosts, taken.shared
    return "pend", main, frozenset(everything)
