"""Classes and expressions without a pending job are let go, and nothing else changes."""

from xce_sim.core import state as state_module
from xce_sim.core.core import Core
from xce_sim.model import event as ev
from xce_sim.model.config import Config, Queue
from xce_sim.model.decision import Dispatch
from xce_sim.model.job import JobSpec
from xce_sim.model.resources import ResourceDef
from xce_sim.model.worker import Worker


def _core() -> Core:
    core = Core(check=True)
    core.apply(ev.ConfigPush(t=0, config=Config(queues=(Queue(name="normal"),))))
    core.apply(ev.ResourceDefs(t=0, defs=(ResourceDef(name="mem", consumable=True),)))
    worker = Worker(name="n1", slots=1, values={"mem": 10_000_000})
    core.apply(ev.WorkersPush(t=0, workers=(worker,)))
    return core


def _play(core: Core, rounds: int) -> list[str]:
    told = []
    for number in range(1, rounds + 1):
        core.advance(number * 1_000_000)
        text = f"mem > {number} && mem != {number + 5000}"
        job = JobSpec(id=number, user="u", queue="normal", resreq=text)
        core.apply(ev.JobNew(t=core.state.now, job=job))
        for decision in core.session(number):
            told.append(f"{number} {type(decision).__name__} {decision.job}")
            if isinstance(decision, Dispatch):
                ended = decision.job
        core.end_job(ended)
    return told


def test_a_sweep_keeps_the_table_small_and_changes_no_decision(monkeypatch):
    plain = _core()
    expected = _play(plain, 60)
    monkeypatch.setattr(state_module, "MANY_CLASSES", 5)
    monkeypatch.setattr(state_module, "MANY_NODES", 20)
    swept = _core()
    assert _play(swept, 60) == expected
    assert len(expected) == 60
    assert plain.state.table.node_count > 150
    assert swept.state.table.node_count < 60
    assert len(swept.state.classes) < 10
