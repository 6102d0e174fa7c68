"""Choices from a `random.Random`, written like hypothesis strategies but quick.

A generator is drawn from a real `random.Random` when many thousands are wanted, or from the one
that `hypothesis.strategies.randoms()` gives when a failure should shrink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from random import Random
from typing import Any


class Gen:
    """Something that can be drawn; `a | b` draws from one of them."""

    def __init__(self, *makers: Callable[[Random], Any]) -> None:
        self.makers = makers

    def __call__(self, rng: Random) -> Any:
        return self.makers[0 if len(self.makers) == 1 else rng.randrange(len(self.makers))](rng)

    def __or__(self, other: Gen) -> Gen:
        return Gen(*self.makers, *other.makers)

    def map(self, change: Callable[[Any], Any]) -> Gen:
        return Gen(lambda rng: change(self(rng)))


def composite(build: Callable[..., Any]) -> Callable[..., Gen]:
    """`build(draw, ...)` as a generator."""

    @wraps(build)
    def make(*args: Any, **more: Any) -> Gen:
        return Gen(lambda rng: build(lambda gen: gen(rng), *args, **more))

    return make


def one_of(*values: Any) -> Gen:
    return sampled(values)


def sampled(values: Sequence[Any]) -> Gen:
    return Gen(lambda rng: values[rng.randrange(len(values))])


def integers(low: int, high: int) -> Gen:
    return Gen(lambda rng: rng.randint(low, high))


def chance(n: int) -> Gen:
    """True once in n."""
    return Gen(lambda rng: rng.randrange(n) == n - 1)


def nothing() -> Gen:
    return just(None)


def just(value: Any) -> Gen:
    return Gen(lambda rng: value)


def lists(gen: Gen, *, least: int = 0, most: int = 3, unique: bool = False) -> Gen:
    def make(rng: Random) -> list[Any]:
        found: list[Any] = []
        for _ in range(rng.randint(least, most)):
            one = gen(rng)
            if not (unique and one in found):
                found.append(one)
        return found

    return Gen(make)
