"""Scheduling classes: pending jobs that the allocator can not tell apart.

"same requirement, tasks, user, queue, project, hosts". What holds for one member holds for all:
the parsed request, the limits met, and, as long as no account changes, the reasons of a failure.
"""

from __future__ import annotations

from dataclasses import dataclass

from xce_sim.core.candidates import HostList
from xce_sim.core.election import Election
from xce_sim.model.reasons import Reasons
from xce_sim.resreq.request import Request

ClassKey = tuple[str, int, int, str, str, str, HostList]
"""Requirement text, minimum and maximum tasks, user, queue, project, hosts."""


@dataclass(slots=True, kw_only=True, eq=False)
class SchedulingClass:
    """What all members share.

    `request` is None when the requirement is `invalid` (its message). `failed` are the reasons of
    the last failure, which hold while the ledger's version is `failed_version`.
    """

    min_tasks: int
    max_tasks: int
    hosts: HostList
    queue_hosts: HostList
    election: Election
    request: Request | None
    invalid: str = ""
    failed: Reasons | None = None
    failed_version: int = -1
