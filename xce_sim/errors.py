"""Errors meant for people.

Every message names the thing, the place and, in `hint`, the way out. Anything that is not a
`UserError` is a defect of the program and keeps its traceback.
"""

from __future__ import annotations

STATUS_OK = 0
STATUS_ERROR = 1
STATUS_USAGE = 2
STATUS_UNREADABLE = 3
STATUS_INTERRUPTED = 130


class UserError(Exception):
    """Something the user gave can not be used.

    `message` is one line without a final full stop; `hint` is one line that says what to do
    instead; `text` and `span` (0-based start and end column) are shown with a caret below.
    """

    status = STATUS_ERROR

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        text: str | None = None,
        span: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.text = text
        self.span = span


class ReplayError(UserError):
    """A replay can not be read, or breaks a rule of the format.

    `file` is the path as given, `event` the 1-based number of the event (the header is number 0),
    `offset` the byte offset at which that event begins. Whatever is unknown is None.
    """

    status = STATUS_UNREADABLE

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        event: int | None = None,
        offset: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.reason = message
        self.file = file
        self.event = event
        self.offset = offset
        super().__init__(self._located(), hint=hint)

    def _located(self) -> str:
        place = [] if self.event is None else [f"event {self.event}"]
        if self.offset is not None:
            place.append(f"byte {self.offset}")
        parts = [part for part in (self.file, ", ".join(place), self.reason) if part]
        return ": ".join(parts)

    def at(self, *, file: str | None, event: int | None, offset: int | None) -> ReplayError:
        """The same error with whatever part of the place was still unknown filled in."""
        return type(self)(
            self.reason,
            file=self.file if self.file is not None else file,
            event=self.event if self.event is not None else event,
            offset=self.offset if self.offset is not None else offset,
            hint=self.hint,
        )


class TruncatedReplay(ReplayError):
    """A recording ends inside its last message; everything before it is whole."""


class RuleError(ReplayError):
    """An event is well formed but breaks a rule (an unknown name, time running backwards, ...).

    `rule` is the name of the rule.
    """

    def __init__(
        self,
        message: str,
        *,
        rule: str = "",
        file: str | None = None,
        event: int | None = None,
        offset: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.rule = rule
        super().__init__(message, file=file, event=event, offset=offset, hint=hint)

    def at(self, *, file: str | None, event: int | None, offset: int | None) -> RuleError:
        """The same error with whatever part of the place was still unknown filled in."""
        found = super().at(file=file, event=event, offset=offset)
        assert isinstance(found, RuleError)
        found.rule = self.rule
        return found
