"""An event with its place in the file."""

from __future__ import annotations

from typing import NamedTuple

from xce_sim.model.event import Event


class Numbered(NamedTuple):
    """An event, its number (the header is 0, the first event 1) and where it begins, in bytes.

    For a compressed file the offset counts unpacked bytes.
    """

    number: int
    offset: int
    event: Event
