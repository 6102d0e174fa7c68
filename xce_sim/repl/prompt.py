"""Typing at a terminal: prompt, history, completion, the bottom line.

Only made when standard input and output both are terminals. Ctrl-C drops the line, Ctrl-D ends
the sitting. What the words mean is decided by the commands.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import ColorDepth, Output

from xce_sim.commands.completion import complete
from xce_sim.commands.session import Session
from xce_sim.render.bar import bar_text
from xce_sim.render.theme import colour_wanted
from xce_sim.repl.batch import InputLine
from xce_sim.repl.loop import PROMPT


class TerminalSource:
    """Lines as a person types them."""

    def __init__(
        self,
        session: Session,
        *,
        environment: Mapping[str, str],
        history: History,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._session = session
        self._waiting: deque[str] = deque()
        self._bar = ""
        colour = colour_wanted(terminal=True, environment=environment)
        self._prompt: PromptSession[str] = PromptSession(
            PROMPT,
            history=history,
            completer=_Completer(session),
            complete_while_typing=False,
            bottom_toolbar=lambda: self._bar,
            color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
            input=input,
            output=output,
        )

    def next_line(self) -> InputLine | None:
        """The next line, None after Ctrl-D. Pasted lines come one by one."""
        while not self._waiting:
            self._bar = bar_text(self._session)
            try:
                text = self._prompt.prompt()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return None
            self._waiting.extend(text.split("\n"))
        return InputLine(text=self._waiting.popleft(), typed=True)


class _Completer(Completer):
    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> Iterable[Completion]:
        """The candidates for the word before the cursor."""
        prefix, words = complete(self._session, document.text_before_cursor)
        for word in words:
            yield Completion(word, start_position=-len(prefix))


class _Remembered(FileHistory):
    """A history file that no line and no full disk can break."""

    def store_string(self, string: str) -> None:
        """Append a line to the file."""
        with suppress(OSError):
            super().store_string(string.encode("utf-8", "backslashreplace").decode("utf-8"))


def open_history(environment: Mapping[str, str]) -> History:
    """The history under the XDG state directory; in memory only where that can not be written."""
    home = environment.get("XDG_STATE_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".local", "state")
    folder = Path(home) / "xce-sim"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / "history"
        with path.open("ab"):
            pass
    except OSError:
        return InMemoryHistory()
    return _Remembered(str(path))
