"""The scheduling contract once more: how one job is placed, tried host by host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.oracle import Host, Job, World, parsed, text

from xce_sim.model.job import Allocation, HostShare
from xce_sim.resreq.nodes import Node
from xce_sim.resreq.plain import ERROR, TRUE, evaluate_values
from xce_sim.resreq.request import Compound, Primary

Entry = tuple[str, str | None, str | None, str | None, int | None]
"""Code, host, resource or complete limit instance, clause, alternative."""


@dataclass
class Failure:
    main: str
    entries: set[Entry]


@dataclass
class Reserved:
    """What this job has reserved: amounts by account, and its shares in order of claiming."""

    amounts: dict[tuple, int] = field(default_factory=dict)
    shares: list[tuple[str, int, dict[str, int]]] = field(default_factory=list)
    shared: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Reserved:
        return Reserved(dict(self.amounts), list(self.shares), dict(self.shared))

    def add(self, account: tuple, amount: int) -> None:
        self.amounts[account] = self.amounts.get(account, 0) + amount

    def allocation(self) -> Allocation:
        tasks: dict[str, int] = {}
        amounts: dict[str, dict[str, int]] = {}
        for host, n, taken in self.shares:
            tasks[host] = tasks.get(host, 0) + n
            mine = amounts.setdefault(host, {})
            for name, amount in taken.items():
                mine[name] = mine.get(name, 0) + amount
        shares = (HostShare(host=host, tasks=n, amounts=amounts[host]) for host, n in tasks.items())
        return Allocation(hosts=tuple(shares), shared=dict(self.shared))


@dataclass
class Row:
    """A cluster-wide row: what is free, and `job + task*T + host*k`."""

    code: str
    name: str
    account: tuple
    free: int
    job: int = 0
    task: int = 0
    host: int = 0

    def asks(self, tasks: int, hosts: int) -> int:
        return self.job + self.task * tasks + self.host * hosts

    def short(self, tasks: int, hosts: int) -> bool:
        asked = self.asks(tasks, hosts)
        return asked > 0 and self.free < asked


def plain(node: Any) -> Any:
    """An interned expression as a private tree."""
    if not isinstance(node, Node):
        return node
    return Node(node.kind, plain(node.op1), plain(node.op2))


class Placing:
    """One job against the world as it stands."""

    def __init__(self, world: World, job: Job) -> None:
        self.world = world
        self.job = job
        self.used = world.usage()
        self.names = [item.name for item in world.resources]
        self.queue = world.queues[job.queue]
        self.extra = parsed(self.queue.resreq, world.resources).alternatives[0]
        self.limits = [
            (limit, keys)
            for limit in world.config.limits
            if (keys := world.instance(limit, job)) is not None
        ]

    # -- requirements ---------------------------------------------------------------------------

    def place(self, request: Any) -> Allocation | Failure:
        """Alternatives in order; the first that succeeds is taken, an empty one is skipped."""
        main, entries = "", set()
        for number, one in enumerate(request.alternatives, 1):
            if one is None:
                continue
            found = self.place_one(one)
            if isinstance(found, Reserved):
                return found.allocation()
            main = found.main
            mark = number if request.numbered else None
            entries |= {(*entry[:4], mark) for entry in found.entries}
        return Failure(main, entries)

    def place_one(self, one: Primary | Compound) -> Reserved | Failure:
        if isinstance(one, Primary):
            return self.require(one, self.job.min_tasks, self.job.max_tasks, Reserved())
        reserved = Reserved()
        for member in one.members:
            found = self.require(member.primary, member.count, member.count, reserved)
            if isinstance(found, Failure):
                return found
            reserved = found
        return reserved

    def merged(self, mine: Primary) -> dict[str, Any]:
        """The queue's requirement merged in."""
        queue = self.extra
        own = {item.resource for item in mine.items}
        items = list(mine.items)
        if "rusage" not in mine.unsupported:
            items += [item for item in queue.items if item.resource not in own]
        unsupported = list(mine.unsupported)
        unsupported += [name for name in queue.unsupported if name not in mine.clauses]
        return {
            "selects": [plain(one.select) for one in (mine, queue) if one.select is not None],
            "items": items,
            "unsupported": unsupported,
            "span": mine.span if "span" in mine.clauses else queue.span,
            "order": mine.order if "order" in mine.clauses else queue.order,
            "same": mine.same if "same" in mine.clauses else queue.same,
        }

    def require(self, mine: Primary, low: int, high: int, before: Reserved) -> Reserved | Failure:
        """One single requirement or member: steps 1 to 5."""
        one = self.merged(mine)
        if one["unsupported"]:
            entries = {
                ("CLAUSE_UNSUPPORTED", None, None, name, None) for name in one["unsupported"]
            }
            return Failure("CLAUSE_UNSUPPORTED", entries)
        rows = self.rows(one, before)
        span = one["span"]

        def fewest(tasks: int) -> int:
            return -(-tasks // span.ptile) if span.kind == "ptile" else 1

        short = {
            (row.code, None, row.name, None, None) for row in rows if row.short(low, fewest(low))
        }
        if short:
            return Failure(min(code for code, *_ in short), short)
        while any(row.short(high, fewest(high)) for row in rows):
            high -= 1
        candidates = self.candidates(one, before)
        if not candidates:
            return Failure("NO_CANDIDATE", {("NO_CANDIDATE", None, None, None, None)})
        for tasks in range(high, low - 1, -1):
            attempt = Attempt(self, one, rows, candidates, before)
            for members, positions in attempt.plans(tasks):
                if not attempt.discarded(members, positions):
                    found = attempt.fill_positions(members, positions)
                    if found is not None:
                        return found
        return attempt.failure()

    # -- what is compared -----------------------------------------------------------------------

    def rows(self, one: dict, before: Reserved) -> list[Row]:
        rows = []
        for item in one["items"]:
            definition = self.world.resources[item.resource]
            if definition.scope != "shared":
                continue
            account = ("shared", definition.name)
            free = self.world.shared.get(definition.name, 0) - self.taken(account, before)
            row = Row("SHARED_RESOURCE", definition.name, account, free)
            setattr(row, item.scope, item.amount)
            rows.append(row)
        for limit, keys in self.limits:
            if limit.host_scoped:
                continue
            account = ("cluster", limit.name, text(keys))
            free = limit.value - self.taken(account, before)
            row = Row("CLUSTER_LIMIT", f"{limit.name}/{text(keys)}", account, free)
            if limit.resource == "slots":
                row.task = 1000
            elif limit.resource == "jobs":
                row.job = 0 if before.amounts.get(account) else 1000
            for item in one["items"]:
                if self.names[item.resource] == limit.resource:
                    setattr(row, item.scope, item.amount)
            rows.append(row)
        return rows

    def taken(self, account: tuple, reserved: Reserved) -> int:
        return self.used.get(account, 0) + reserved.amounts.get(account, 0)

    def candidates(self, one: dict, before: Reserved) -> list[Host]:
        hosts = [
            host
            for host in self.world.hosts.values()
            if host.status == "ok"
            and (self.queue.hosts is None or host.name in self.queue.hosts)
            and (self.job.hosts is None or host.name in self.job.hosts)
        ]
        for key in reversed(one["order"]):
            hosts.sort(
                key=lambda host: self.sort_value(key.resource, host, before),
                reverse=key.largest_first,
            )
        return hosts

    def sort_value(self, resource: int, host: Host, before: Reserved) -> float:
        definition = self.world.resources[resource]
        if definition.scope == "shared":
            return 0
        if definition.consumable:
            account = ("host", definition.name, host.name)
            return self.total(definition.name, host) - self.taken(account, before)
        return float(host.values.get(definition.name, 0))

    @staticmethod
    def total(name: str, host: Host) -> int:
        return host.slots * 1000 if name == "slots" else host.values.get(name, 0)

    def value(self, resource: int, host: Host) -> Any:
        definition = self.world.resources[resource]
        if definition.scope == "shared":
            return self.world.shared.get(definition.name)
        if definition.name == "slots":
            return host.slots * 1000
        return host.values.get(definition.name)

    def select(self, one: dict, host: Host) -> str:
        found = [evaluate_values(node, lambda r: self.value(r, host)) for node in one["selects"]]
        if any(outcome not in (TRUE, ERROR) for outcome in found):
            return "mismatch"
        return "error" if ERROR in found else "match"


class Attempt:
    """All plans for one number of tasks, and the reasons they leave."""

    def __init__(
        self, placing: Placing, one: dict, rows: list[Row], candidates: list[Host], before: Reserved
    ) -> None:
        self.placing = placing
        self.one = one
        self.rows = rows
        self.candidates = candidates
        self.before = before
        self.entries: set[Entry] = set()
        self.tried = self.accepted = False
        self.by_rows: set[str] = set()

    def plans(self, tasks: int) -> Iterator[tuple[list[Host], list[int]]]:
        """Each plan on each set of candidates that agree."""
        span = self.one["span"]
        sets = self.sets()
        if span.kind == "one_host":
            shapes = [[tasks]]
        elif span.kind == "ptile":
            shapes = [[span.ptile] * (tasks // span.ptile)]
            if tasks % span.ptile:
                shapes[0].append(tasks % span.ptile)
        elif self.placing.world.config.params.spread == "fill":
            for members in sets:
                positions = self.walk(members, tasks)
                rest = tasks - sum(positions)
                yield members, [*positions, rest] if rest else positions
            return
        else:
            shapes, largest = [], tasks + 1
            for hosts in range(1, tasks + 1):
                small, more = divmod(tasks, hosts)
                positions = [small + 1] * more + [small] * (hosts - more)
                if positions[0] < largest:
                    shapes.append(positions)
                    largest = positions[0]
        for positions in shapes:
            for members in sets:
                yield members, positions
        if span.kind == "none":
            for members in sets:
                positions = self.walk(members, tasks)
                if sum(positions) == tasks:
                    yield members, positions

    def sets(self) -> list[list[Host]]:
        if not self.one["same"]:
            return [self.candidates]
        sets: dict[tuple, list[Host]] = {}
        for host in self.candidates:
            values = tuple(self.placing.value(resource, host) for resource in self.one["same"])
            sets.setdefault(values, []).append(host)
        return list(sets.values())

    def walk(self, members: list[Host], tasks: int) -> list[int]:
        """Each matching host takes the most tasks that pass."""
        reserved, positions, rest = self.before.copy(), [], tasks
        for host in members:
            if self.placing.select(self.one, host) != "match":
                continue
            for most in range(rest, 0, -1):
                rows = self.host_rows(host, most, not positions, reserved)
                if not any(short for *_, short in rows):
                    self.claim(host, most, rows, reserved)
                    positions.append(most)
                    rest -= most
                    break
            if not rest:
                break
        return positions

    def discarded(self, members: list[Host], positions: list[int]) -> bool:
        if len(positions) > len(members):
            return True
        if max(positions) > max(host.slots for host in members):
            return True
        short = [row for row in self.rows if row.short(sum(positions), len(positions))]
        for row in short:
            self.entries.add((row.code, None, row.name, None, None))
            self.by_rows.add(row.code)
        return bool(short)

    def host_rows(
        self, host: Host, tasks: int, first: bool, reserved: Reserved
    ) -> list[tuple[str, str, tuple, int, bool]]:
        """Every row of one host: code, name, account, amount, whether it is short."""
        placing = self.placing
        amounts = {"slots": tasks * 1000}
        for item in self.one["items"]:
            definition = placing.world.resources[item.resource]
            if definition.scope == "host":
                often = {"task": tasks, "host": 1, "job": 1 if first else 0}[item.scope]
                amounts[definition.name] = item.amount * often
        rows = []
        for name, amount in amounts.items():
            account = ("host", name, host.name)
            free = placing.total(name, host) - placing.taken(account, reserved)
            rows.append(("HOST_RESOURCE", name, account, amount, free < amount))
        for limit, keys in placing.limits:
            if not limit.host_scoped or not placing.world.covers(limit, host.name):
                continue
            instance = text(keys, host.name if limit.per_host is not None else None)
            account = ("part", limit.name, instance, host.name)
            used = self.sum_of(placing.used, limit.name, instance)
            mine = self.sum_of(reserved.amounts, limit.name, instance)
            amount = amounts.get(limit.resource, 0)
            if limit.resource == "jobs":
                amount = 0 if mine else 1000
            short = limit.value - used - mine < amount
            rows.append(("HOST_LIMIT", f"{limit.name}/{instance}", account, amount, short))
        return [row for row in rows if row[3] > 0]

    @staticmethod
    def sum_of(amounts: dict[tuple, int], limit: str, instance: str) -> int:
        """The counter of an instance: its parts on all hosts."""
        return sum(n for account, n in amounts.items() if account[:3] == ("part", limit, instance))

    @staticmethod
    def claim(host: Host, tasks: int, rows: list, reserved: Reserved) -> None:
        taken = {}
        for code, name, account, amount, _ in rows:
            reserved.add(account, amount)
            if code == "HOST_RESOURCE" and name != "slots":
                taken[name] = amount
        reserved.shares.append((host.name, tasks, taken))

    def fill_positions(self, members: list[Host], positions: list[int]) -> Reserved | None:
        self.tried = True
        reserved, claimed = self.before.copy(), set()
        for tasks in positions:
            for host in members:
                if self.accepts(host, tasks, reserved, claimed):
                    claimed.add(host.name)
                    self.accepted = True
                    break
            else:
                return None
        for row in self.rows:
            amount = row.asks(sum(positions), len(positions))
            if amount:
                reserved.add(row.account, amount)
                if row.code == "SHARED_RESOURCE":
                    reserved.shared[row.name] = reserved.shared.get(row.name, 0) + amount
        return reserved

    def accepts(self, host: Host, tasks: int, reserved: Reserved, claimed: set[str]) -> bool:
        outcome = self.placing.select(self.one, host)
        if outcome == "mismatch":
            self.entries.add(("SELECT_MISMATCH", host.name, None, None, None))
            return False
        if outcome == "error":
            self.entries.add(("HOST_ERROR", host.name, None, None, None))
            return False
        if host.name in claimed:
            return False
        rows = self.host_rows(host, tasks, not claimed, reserved)
        short = [row for row in rows if row[4]]
        for code, name, *_ in short:
            self.entries.add((code, host.name, name, None, None))
        if not short:
            self.claim(host, tasks, rows, reserved)
        return not short

    def failure(self) -> Failure:
        if not self.tried:
            self.entries.add(("NO_PLAN", None, None, None, None))
        if self.accepted:
            self.entries.add(("NOT_ENOUGH_HOSTS", None, None, None, None))
        return Failure(self.main(), self.entries)

    def main(self) -> str:
        if not self.tried:
            return min(self.by_rows, default="NO_PLAN")
        if self.accepted:
            return "NOT_ENOUGH_HOSTS"

        def hosts(code: str) -> int:
            return len({entry[1] for entry in self.entries if entry[0] == code})

        if hosts("SELECT_MISMATCH") == len(self.candidates):
            return "SELECT_MISMATCH"
        resource, limit = hosts("HOST_RESOURCE"), hosts("HOST_LIMIT")
        if resource or limit:
            return "HOST_RESOURCE" if resource >= limit else "HOST_LIMIT"
        return "HOST_ERROR" if hosts("HOST_ERROR") else "SELECT_MISMATCH"
