"""Making text from outside harmless: nothing in a name can move the cursor or hide itself.

Control characters, escapes, marks that change the direction of writing, invisible format
characters, line separators and lone surrogates are shown as `\\x1b`, `\\u202e`, `\\U000e0041`.
Everything else passes as it is; what is passed on is printed as it stands, so brackets are no
markup and `:smile:` is no picture.
"""

from __future__ import annotations

import re

_HARMFUL = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u180e"  # invisible format characters
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # direction, separators, joiners
    "\ud800-\udfff"  # lone surrogates
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f"  # tags
    "]"
)


def sanitised(text: str) -> str:
    """The text with every harmful character written out; no line end is left in it."""
    if text.isascii() and text.isprintable():
        return text
    return _HARMFUL.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
