"""Kinds of arguments that name things of the replay: jobs, hosts, queues, limits, breakpoints.

A name of something that is not there is refused as `unknown <what>: <word>`, with the nearest name
that is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from xce_sim.commands.kinds import NumberKind, Takes, beginning, nearest
from xce_sim.commands.session import Session
from xce_sim.errors import UserError
from xce_sim.model.ids import JobSelector, format_id, parse_selector


@dataclass(frozen=True, slots=True)
class JobKind:
    """Jobs, whether they exist or not: `42`, `42[7]`, `42[1-10]`."""

    metavar: str = "JOBSEL"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> JobSelector:  # noqa: ARG002
        """The selector."""
        try:
            return parse_selector(text)
        except UserError as error:
            raise UserError(f"invalid job: {text}", hint=error.hint) from None

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Jobs that are there, by arrival; an array first by its base."""
        state = session.player.engine.core.state
        bases = [str(base) for base in state.arrays]
        return beginning(prefix, (*bases, *(format_id(job) for job in state.jobs)))


@dataclass(frozen=True, slots=True)
class HostKind:
    """A host; one that is there unless `any`."""

    any: bool = False
    metavar: str = "NAME"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> str:
        """Its name."""
        if self.any:
            return text
        return _known(text, "host", session.player.engine.core.state.columns.index)

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Hosts in pushed order."""
        return beginning(prefix, session.player.engine.core.state.columns.names)


@dataclass(frozen=True, slots=True)
class QueueKind:
    """A queue that is there."""

    metavar: str = "Q"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> str:
        """Its name."""
        return _known(text, "queue", session.player.engine.core.state.queues)

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Queues in the order of the configuration."""
        return beginning(prefix, session.player.engine.core.state.queues)


@dataclass(frozen=True, slots=True)
class LimitKind:
    """A limit; one of the configuration unless `any`."""

    any: bool = False
    metavar: str = "NAME"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> str:
        """Its name."""
        if self.any:
            return text
        limits = session.player.engine.core.state.config.limits
        return _known(text, "limit", [each.name for each in limits])

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Limits in the order of the configuration."""
        limits = session.player.engine.core.state.config.limits
        return beginning(prefix, (each.name for each in limits))


@dataclass(frozen=True, slots=True)
class UserKind:
    """Any name of a user; those of present jobs are suggested."""

    metavar: str = "U"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> str:  # noqa: ARG002
        """The name."""
        return text

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """Users of present jobs."""
        jobs = session.player.engine.core.state.jobs.values()
        return beginning(prefix, dict.fromkeys(job.user for job in jobs))


@dataclass(frozen=True, slots=True)
class BreakpointKind:
    """The number of a breakpoint."""

    metavar: str = "N"
    takes: Takes = "word"

    def parse(self, text: str, session: Session) -> int:
        """The number."""
        number = NumberKind("breakpoint").parse(text, session)
        return session.stops.get(number).number

    def complete(self, prefix: str, session: Session) -> Iterable[str]:
        """The numbers there are."""
        return beginning(prefix, (str(point.number) for point in session.stops))


def _known(text: str, what: str, names: Collection[str]) -> str:
    """The name, if it is one of those that are there."""
    if text not in names:
        raise UserError(f"unknown {what}: {text}", hint=nearest(text, names) or _not_yet(names))
    return text


def _not_yet(known: Iterable[str]) -> str | None:
    """A hint where there is nothing at all, as before the first round."""
    return None if any(True for _ in known) else "nothing has been played yet: step, or continue"
