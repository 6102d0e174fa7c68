"""A queue's requirement merged into a job's, and sizes of compounds."""

from __future__ import annotations

import pytest
from resreq_builders import RESOURCES, World

from xce_sim.resreq.errors import LanguageMisuse, RequirementError
from xce_sim.resreq.format import format_request
from xce_sim.resreq.merge import check_sizes, with_queue

MERGES = [
    # job, queue, merged
    ("", "", ""),
    ("gpu", "", "select[gpu]"),
    ("", "gpu", "select[gpu]"),
    ("gpu", "ssd", "select[gpu && ssd]"),
    ("gpu && ssd", "ssd && ut > 1", "select[gpu && ssd && ut > 1]"),
    ("gpu", "gpu", "select[gpu]"),
    ("type == any", "gpu", "select[gpu]"),
    ("gpu", "type != any", "select[slots!=any]"),
    ("rusage[mem=1:lic=2]", "rusage[mem=5:swp=3]", "rusage[mem=1,lic=2,swp=3]"),
    ("rusage[mem=0]", "rusage[mem=5/task]", "rusage[mem=0]"),
    ("", "rusage[mem=5/task]", "rusage[mem=5/task]"),
    ("span[ptile=4]", "span[hosts=1]", "span[ptile=4]"),
    ("span[hosts=-1]", "span[hosts=1]", "span[hosts=-1]"),
    ("gpu", "span[hosts=1]", "select[gpu] span[hosts=1]"),
    ("order[ut]", "order[mem] same[type]", "same[type] order[ut]"),
    ("same[model]", "order[mem] same[type]", "same[model] order[mem]"),
    ("gpu", "affinity[core(1)]", "select[gpu] affinity[core(1)]"),
    ("affinity[core(2)]", "affinity[core(1)] cu[a]", "affinity[core(2)] cu[a]"),
    ("span[block=4]", "span[hosts=1]", "span[block=4]"),
    ("span[ptile=4]", "span[block=4]", "span[ptile=4]"),
    ("", "span[block=4]", "span[block=4]"),
    (
        "1*{gpu} + 2*{rusage[mem=1]}",
        "ssd rusage[mem=2]",
        "1*{select[gpu && ssd] rusage[mem=2]} + 2*{select[ssd] rusage[mem=1]}",
    ),
    (
        "{gpu} || {} || {2*{rusage[lic=1]}}",
        "ssd",
        "{select[gpu && ssd]} || {} || {2*{select[ssd] rusage[lic=1]}}",
    ),
    ("rusage[mem=1 || lic=2]", "rusage[lic=9]", "{rusage[mem=1,lic=9]} || {rusage[lic=2]}"),
    ("1*{rusage[mem=1||lic=2]}", "rusage[swp=3]", "1*{rusage[mem=1||lic=2]}"),
]


@pytest.mark.parametrize(("job", "queue", "merged"), MERGES)
def test_a_queue_s_requirement_is_merged_into_each_primary(
    job: str, queue: str, merged: str
) -> None:
    world = World()
    found = world.language.parse_in_queue(job, queue, RESOURCES)
    assert found.text == job
    assert format_request(found, RESOURCES) == merged
    assert found == with_queue(world.parse(job), world.parse(queue))
    assert found.alternatives == world.parse(merged).alternatives


@pytest.mark.parametrize(
    ("queue", "what"),
    [
        ("1*{gpu} + 1*{ssd}", "a compound"),
        ("{gpu} || {ssd}", "alternatives"),
        ("rusage[mem=1||lic=1]", "alternatives"),
    ],
)
def test_a_queue_takes_a_primary_only(queue: str, what: str) -> None:
    world = World()
    with pytest.raises(RequirementError) as caught:
        world.language.parse_in_queue("gpu", queue, RESOURCES)
    assert caught.value.what == (
        f"the queue's requirement is {what}; a queue takes a single requirement only"
    )
    assert caught.value.text == queue


def test_an_invalid_queue_requirement_shows_the_queue_s_text() -> None:
    with pytest.raises(RequirementError) as caught:
        World().language.parse_in_queue("gpu", "nosuch > 5", RESOURCES)
    assert caught.value.text == "nosuch > 5"
    assert caught.value.message == "unknown resource 'nosuch' at column 1"


def test_expressions_of_two_tables_do_not_mix() -> None:
    with pytest.raises(LanguageMisuse):
        with_queue(World().parse("gpu"), World().parse("ssd"))


SIZES = [
    ("gpu", 1, 8, None),
    ("1*{gpu} + 3*{ssd}", 1, 1, None),
    ("1*{gpu} + 3*{ssd}", 4, 4, None),
    ("1*{gpu} + 3*{ssd}", 1, 4, "the job asks for 1..4 tasks, the compound for 4"),
    ("1*{gpu} + 3*{ssd}", 5, 5, "the job asks for 5 tasks, the compound for 4"),
    ("{1*{gpu} + 3*{ssd}} || {gpu} || {4*{gpu}}", 4, 4, None),
    ("{4*{gpu}} || {5*{gpu}}", 4, 4, "the job asks for 4 tasks, the compound for 5"),
    ("{4*{gpu}} || {5*{gpu}}", 1, 1, None),
    ("1*{gpu}", 2, 2, "the job asks for 2 tasks, the compound for 1"),
]


@pytest.mark.parametrize(("text", "least", "most", "wrong"), SIZES)
def test_a_job_s_counts_are_1_or_the_sum_of_every_compound(
    text: str, least: int, most: int, wrong: str | None
) -> None:
    request = World().parse(text)
    if wrong is None:
        check_sizes(request, least, most)
        return
    with pytest.raises(RequirementError) as caught:
        check_sizes(request, least, most)
    assert caught.value.message == wrong
    assert caught.value.hint == (
        "leave the job's counts away, or make both the sum of the compound"
    )
