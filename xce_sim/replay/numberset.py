"""A set of job numbers that costs a bit for each, where they are dense as they are in logs."""

from __future__ import annotations

_PAGE = 1 << 16


class NumberSet:
    """Non-negative numbers in pages of 8 KiB."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def add(self, number: int) -> bool:
        """Put a number in; whether it is new."""
        page, rest = divmod(number, _PAGE)
        bits = self._pages.get(page)
        if bits is None:
            bits = self._pages[page] = bytearray(_PAGE // 8)
        byte, bit = rest >> 3, 1 << (rest & 7)
        new = not bits[byte] & bit
        bits[byte] |= bit
        return new
