"""Reading a replay of either form, event by event, with exact places in every error.

Streams: memory does not grow with the file. Decides when a file is whole, cut off or damaged; the
rules about its content are `check`'s, applied here to every event unless told otherwise.
"""

from __future__ import annotations

import os
from bisect import bisect
from collections.abc import Callable, Iterator
from itertools import islice
from types import TracebackType
from typing import TypeVar, cast

from xce_sim.errors import ReplayError, RuleError, TruncatedReplay
from xce_sim.model.event import Event, Header
from xce_sim.replay import codec
from xce_sim.replay.check import Checker, check_header
from xce_sim.replay.framing import Batch, batches
from xce_sim.replay.numbered import Numbered
from xce_sim.replay.source import Form, Source
from xce_sim.replay.text_stream import TextEvents, raw_lines, read_header

__all__ = ["Numbered", "Replay", "open_replay"]

_AHEAD = 64
"""How many events are read before the first of them is given."""

E = TypeVar("E", bound=ReplayError)


class Replay:
    """An open replay: iterate it once for its events; a context manager.

    `header` is there at once. `truncated` is None unless the file turned out to be cut off and
    that was allowed; then it says where.
    """

    def __init__(
        self,
        source: Source,
        *,
        allow_truncated: bool = False,
        exact: bool = False,
        checker: Callable[[Header], Checker] | None = Checker,
    ) -> None:
        self.path = source.name
        self.form: Form = source.form
        self.truncated: TruncatedReplay | None = None
        self._source = source
        self._allow_truncated = allow_truncated
        self._parts = _Binary(source, exact) if source.form == "binary" else _Text(source)
        try:
            self.header: Header = check_header(self._parts.header())
        except ReplayError as error:
            source.close()
            raise self._named(error) from None
        self._checker = None if checker is None else checker(self.header)

    def __enter__(self) -> Replay:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Numbered]:
        """The events in order.

        At the end of a file that is cut off, or that stops inside a round or bracket,
        `TruncatedReplay` is raised unless allowed. `ReplayError` where the file is damaged,
        `RuleError` at an event that breaks a rule.
        """
        try:
            yield from self._ahead()
            self._source.end()
            if self._checker is not None:
                self._checker.finish()
        except TruncatedReplay as error:
            found = self._named(error)
            if not self._allow_truncated:
                raise found from None
            self.truncated = found
        except ReplayError as error:
            raise self._named(error) from None

    def close(self) -> None:
        """Give the file back; iteration is over."""
        self._source.close()

    def _ahead(self) -> Iterator[Numbered]:
        """Read, then check, then give a few events at a time; an error comes in its turn.

        One after the other for each event takes a quarter longer: the library's code and ours push
        each other out of the processor's caches.
        """
        events = self._parts.events()
        error: ReplayError | None = None
        while error is None:
            ready: list[Numbered] = []
            try:
                ready.extend(islice(events, _AHEAD))
            except ReplayError as found:
                error = found
            ended = len(ready) < _AHEAD
            if self._checker is not None:
                ready, error = _checked(ready, self._checker) or (ready, error)
            yield from ready
            if ended and error is None:
                return
        raise error

    def _named(self, error: E) -> E:
        return cast("E", error.at(file=self.path, event=None, offset=None))


def _checked(ready: list[Numbered], checker: Checker) -> tuple[list[Numbered], RuleError] | None:
    """Those before the first one that breaks a rule, with the error; None if none does."""
    feed = checker.feed
    sound = 0
    try:
        for sound, item in enumerate(ready):  # noqa: B007 - counts what was fed before an error
            feed(item)
    except RuleError as error:
        return ready[:sound], error
    return None


class _Binary:
    """The messages of the binary form; `exact` ones are byte for byte what would be written."""

    def __init__(self, source: Source, exact: bool) -> None:
        self._exact = exact
        self._batches = batches(source)
        self._first: Iterator[Numbered] = iter(())

    def header(self) -> object:
        self._first = self._decoded()
        first = next(self._first, None)
        return None if first is None else first.event

    def events(self) -> Iterator[Numbered]:
        return self._first

    def _decoded(self) -> Iterator[Numbered]:
        number, offset = 0, None
        try:
            for batch in self._batches:
                events = codec.decode(batch)
                for offset in batch.offsets:
                    event = next(events)
                    if self._exact:
                        _raise_if_inexact(event, batch, offset)
                    if isinstance(event, Header) and number:
                        raise RuleError("a second header", rule="header")
                    yield Numbered(number, offset, cast("Event", event))
                    number += 1
                offset = None
        except ReplayError as error:
            raise error.at(file=None, event=number, offset=offset) from None


def _raise_if_inexact(event: Event | Header, batch: Batch, offset: int) -> None:
    """Refuse a message that says more than the event that was read from it."""
    start = offset - batch.offsets[0]
    data = codec.encode(event)
    following = offset + len(data)
    whole = following in (batch.end, *batch.offsets[bisect(batch.offsets, offset) :][:1])
    if not whole or not batch.data.startswith(data, start):
        raise ReplayError(
            "the message has fields that this version does not know, or not its form",
            hint="a newer or another program wrote this file; reading it loses those fields",
        )


class _Text:
    """The lines of the JSON Lines form."""

    def __init__(self, source: Source) -> None:
        self._lines = raw_lines(source)

    def header(self) -> object:
        return read_header(self._lines)

    def events(self) -> Iterator[Numbered]:
        return TextEvents().read(self._lines)


def open_replay(
    path: str | os.PathLike[str],
    *,
    allow_truncated: bool = False,
    checked: bool = True,
    exact: bool = False,
) -> Replay:
    """Open a replay by its suffix and read its header.

    `ReplayError` if the file can not be opened, is empty or is no replay of that form; `RuleError`
    if its version is unknown. Unless `checked` is False every event is checked while it is read.
    With `exact` a binary message is refused if it holds anything that is lost by reading it.
    """
    checker = Checker if checked else None
    return Replay(Source(path), allow_truncated=allow_truncated, exact=exact, checker=checker)
