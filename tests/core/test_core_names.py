"""The lists of names in limits: `all`, `~name`, groups, and what they come to together."""

from __future__ import annotations

import pytest

from xce_sim.core.limits import expand_names

GROUPS = {"team": ("alice", "bob"), "dept": ("team", "carol"), "any": ("all",), "none": ()}
EVERYBODY = "alice bob carol dora"


@pytest.mark.parametrize(
    ("names", "matched"),
    [
        ("alice", "alice"),
        ("all", EVERYBODY),
        ("all ~alice", "bob carol dora"),
        ("~alice", "bob carol dora"),
        ("~team", "carol dora"),
        ("team ~alice", "bob"),
        ("alice ~team", ""),
        ("dept", "alice bob carol"),
        ("any", EVERYBODY),
        ("any ~dept", "dora"),
        ("none", ""),
        ("~none", EVERYBODY),
        ("~all", ""),
        ("~any", ""),
        ("all ~all", ""),
        ("", ""),
    ],
)
def test_who_is_matched(names, matched):
    listed = expand_names(names.split(), GROUPS)
    assert [name for name in EVERYBODY.split() if name in listed] == matched.split()
