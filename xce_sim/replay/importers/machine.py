"""The machine of a log that does not name its hosts: equal hosts, numbered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from xce_sim.errors import ReplayError, UserError
from xce_sim.model.ids import MAX_PART
from xce_sim.model.resources import ResourceDef, Value
from xce_sim.model.units import Milli, convert_size
from xce_sim.model.worker import Worker

MAX_HOSTS = 1_000_000
MEMORY = ResourceDef(name="mem", consumable=True, unit="KiB")
"""The resource that the memory of hosts becomes."""

_MEMORY = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([A-Za-z]{1,3})", re.ASCII)


def parse_memory(text: str) -> Milli:
    """Thousandths of a KiB from `64G`, `512M`, `1.5T`; `UserError` for anything else."""
    match = _MEMORY.fullmatch(text.strip())
    if match is None:
        raise UserError(f"{text!r} is not an amount of memory", hint="write 64G, 512M or 1.5T")
    milli = convert_size(Decimal(match[1]), match[2], MEMORY.unit)
    if milli <= 0:
        raise UserError(f"{text!r} is no memory at all")
    return milli


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Equal hosts but for the first `larger` ones, which have one slot more."""

    hosts: int
    slots: int
    larger: int = 0
    memory: Milli | None = None

    @property
    def processors(self) -> int:
        """Slots of all hosts."""
        return self.hosts * self.slots + self.larger

    def tasks_with(self, memory: Milli) -> int:
        """How many tasks of so much memory each fit on the empty machine."""
        if self.memory is None or memory <= 0:
            return self.processors
        most = self.memory // memory
        more = self.larger * min(self.slots + 1, most)
        return more + (self.hosts - self.larger) * min(self.slots, most)

    def workers(self) -> Iterator[Worker]:
        """The hosts, numbered from 1: `n001`, `n002`, ..."""
        width = len(str(self.hosts))
        values: dict[str, Value] = {} if self.memory is None else {MEMORY.name: self.memory}
        for i in range(self.hosts):
            slots = self.slots + (i < self.larger)
            yield Worker(name=f"n{i + 1:0{width}d}", slots=slots, values=values)


def machine_of(
    *,
    hosts: int | None,
    slots: int | None,
    nodes: int | None,
    processors: int | None,
    memory: Milli | None,
    path: str,
) -> Machine:
    """The machine from options (`hosts`, `slots`) and from what the log says of itself.

    The options win. "Processors spread over nodes, the first ones get the remainder"; nodes
    without a processor are left out. `ReplayError` if nothing says how large it is.
    """
    count = hosts or nodes
    if slots is not None:
        count, each, larger = count or 0, slots, 0
    elif processors is None:
        count, each, larger = count or 0, 1, 0
    else:
        count = min(count or processors, processors)
        each, larger = divmod(processors, count)
    if count < 1 or each < 1:
        raise ReplayError(
            "the log does not say how large the machine is",
            file=path,
            hint="say --hosts N --slots M",
        )
    if count > MAX_HOSTS or each > MAX_PART:
        raise ReplayError(f"a machine of {count} hosts with {each} slots is too large", file=path)
    return Machine(hosts=count, slots=each, larger=larger, memory=memory)
