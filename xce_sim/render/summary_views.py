"""The closing summary of a headless run, in words and as JSON.

    [sim] summary  rounds 56309  jobs 28489: finished 28489, running 0, pending 0, invalid 0
    [sim] summary  dispatched 28489  mean wait 4488.345 s  max wait 97225.000 s
    [sim] summary  slots: used 71.3 % of 100 from ... to ... (slot-seconds run / slots x span)

Everything in it follows from the replay; how fast it was played is told elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from xce_sim.model.clock import Micros, format_seconds, format_time, format_wait
from xce_sim.sim.tally import Summary
from xce_sim.trace.spans import Line


def summary(result: Summary) -> Iterator[Line]:
    """Three lines."""
    held = f" (held {result.held})" if result.held else ""
    yield _line(
        f"rounds {result.rounds}  jobs {result.jobs}: finished {result.finished}, "
        f"running {result.running}, pending {result.pending}{held}, invalid {result.invalid}"
    )
    yield _line(
        f"dispatched {result.dispatched}  mean wait {_wait(_mean(result))}"
        f"  max wait {_wait(result.max_wait)}"
    )
    share = result.utilisation
    used = "-" if share is None else f"{100 * share:.1f}"
    yield _line(
        f"slots: used {used} % of {result.slots} from {format_time(result.first)} to "
        f"{format_time(result.last)} (slot-seconds run / slots x span)"
    )


def summary_json(result: Summary, more: Mapping[str, Any] | None = None) -> str:
    """The same as one JSON object; times are decimal seconds, what is not known is null.

    `more` stands at its end.
    """
    mean = _mean(result)
    share = result.utilisation
    content = {
        "rounds": result.rounds,
        "jobs": result.jobs,
        "finished": result.finished,
        "running": result.running,
        "pending": result.pending,
        "held": result.held,
        "invalid": result.invalid,
        "dispatched": result.dispatched,
        "mean_wait": None if mean is None else float(format_seconds(mean)),
        "max_wait": None if result.max_wait is None else float(format_seconds(result.max_wait)),
        "slots": result.slots,
        "slot_seconds": float(format_seconds(result.slot_time)),
        "utilisation": None if share is None else round(share, 6),
        "first": float(format_seconds(result.first)),
        "last": float(format_seconds(result.last)),
    }
    return json.dumps({**content, **(more or {})})


def speed(result: Summary, seconds: float) -> Iterator[Line]:
    """How fast it was played; differs from run to run, so it is for standard error."""
    rate = result.jobs / seconds if seconds > 0 else 0.0
    yield (("dim", f"[sim] played in {seconds:.2f} s, {rate:.0f} jobs/s"),)


def _line(text: str) -> Line:
    return (("key", "[sim] summary"), ("plain", f"  {text}"))


def _mean(result: Summary) -> Micros | None:
    return None if result.mean_wait is None else round(result.mean_wait)


def _wait(time: Micros | None) -> str:
    return "-" if time is None else format_wait(time)
