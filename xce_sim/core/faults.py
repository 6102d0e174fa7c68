"""Internal errors: how they are told, and which of them end an attempt.

"An error while selecting or checking a host makes it *not evaluated*; the scan goes on"; a host
scan that can not start or go on leaves its position empty. Every other error ends the attempt and
the job gets no decision.
"""

from __future__ import annotations


def cause_of(error: Exception) -> str:
    """An internal error in a few words, on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
