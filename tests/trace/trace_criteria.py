"""The acceptance criteria of the decision trace, by number, and where those without a test go.

A criterion `5.4` has a test whose name begins with `test_r5_4_`, in any test folder.
"""

from __future__ import annotations

COUNTS = {1: 12, 2: 5, 3: 6, 4: 9, 5: 10, 6: 4, 7: 11, 8: 7, 9: 6, 10: 5, 11: 4}
"""How many criteria each requirement has."""

CRITERIA = tuple(
    f"{requirement}.{number}"
    for requirement, count in COUNTS.items()
    for number in range(1, count + 1)
)

PENDING: dict[str, str] = {}
"""Criteria without any test so far: which package's tests will have it, and as what."""

PARTLY = {
    "8.4": "commands: set output refuses an open trace file",
}
"""Criteria tested here as far as records and lines go; the rest needs the part named."""
