"""A file that takes another's place only when it is whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from xce_sim.errors import UserError
from xce_sim.replay.source import reason


@contextmanager
def written_aside(target: str | os.PathLike[str], source: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside `target` to write to; at the end it takes the target's place.

    If anything fails the target is as it was. `UserError` for a target that is the source, is no
    regular file, or can not be written.
    """
    final = Path(os.path.realpath(target))
    try:
        if final.exists():
            if final.samefile(source):
                raise UserError(
                    f"{target}: is the source itself", hint="give the target another name"
                )
            if not final.is_file():
                raise UserError(f"{target}: is not a regular file and can not be replaced")
        aside = final.with_name(f".{final.name}.{secrets.token_hex(4)}")
        try:
            yield aside
            aside.replace(final)
        finally:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
    except FileNotFoundError:
        raise UserError(f"{target}: there is no folder {final.parent}") from None
    except OSError as error:
        raise UserError(f"{target}: {reason(error)}") from None
