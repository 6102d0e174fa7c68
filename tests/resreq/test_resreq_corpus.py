"""Real requirement strings from public sources: accepted, or refused for a named reason.

`MEANT` was written by hand from the manuals, before the program was asked.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from resreq_builders import World, refused

from xce_sim.model.resources import ResourceDef, ResourceTable
from xce_sim.resreq.assume import assume_resources
from xce_sim.resreq.errors import RequirementError
from xce_sim.resreq.format import format_request
from xce_sim.resreq.nodes import CHAINS, Kind, Node, operands
from xce_sim.resreq.request import Compound, Primary, Request

CORPUS = Path(__file__).parents[2].parent / "shared" / "data" / "resreq_strings.tsv"

_BOOLEAN = [
    "a10",
    "a30",
    "a100",
    "l40",
    "h100",
    "avx512",
    "craylinux",
    "vnode",
    "LN",
    "CN",
    "fai",
    "rel68",
    "x86_64Linux",
    "avx",
    "bigmem",
    "hpc",
    "dcv",
    "aws",
    "fs",
]
_STRING = [
    "hname",
    "model",
    "type",
    "os",
    "osdistro",
    "osver",
    "osname",
    "qsc",
    "osrel",
    "ui",
    "gpu_model0",
]
_NUMERIC = [
    "ngpus",
    "maxslots",
    "r15s",
    "r1m",
    "r15m",
    "pg",
    "ut",
    "gpu_driver",
    "gpu_mtotal0",
    "fr",
    "maxmem",
    "cpu",
    "mainttime",
    "nidx",
    "poe",
    "nrt_windows",
    "avail_scratch",
    "swap",
    "cpuf",
]
_CONSUMABLE = ["ngpus_shared", "ngpus_excl_p", "ngpus_physical", "scratch", "atlasio", "numcpus"]
_LICENCE = [
    "aspherix_solver",
    "dv36io",
    "license",
    "vcssim",
    "vcssim_dynamic",
    "xcelium",
    "xcelium_dynamic",
    "img_kit",
    "lic_innovus",
    "matlab_dc_lic",
    "xcelium_sc",
    "Virtuoso_Multi_mode_Simulation",
    "app_lic_v201",
    "app_lic_v15",
    "lic",
]

RESOURCES = ResourceTable().extended(
    [
        *(ResourceDef(name=name, consumable=True, unit="MiB") for name in ("mem", "swp", "tmp")),
        *(ResourceDef(name=name, type="boolean") for name in _BOOLEAN),
        *(ResourceDef(name=name, type="string") for name in _STRING),
        *(ResourceDef(name=name) for name in _NUMERIC),
        *(ResourceDef(name=name, consumable=True) for name in _CONSUMABLE),
        *(ResourceDef(name=name, consumable=True, scope="shared") for name in _LICENCE),
    ]
)

TEMPLATES = {
    # text that its author's script or template would still change; LSF never sees it
    "1*{select[LN]} + ${cores}*{select[CN&&(hname==sierra2837)&&(type==any)]span[ptile=42]}": (
        "the placeholder '${cores}' was never filled in at column 18"
    ),
    "select[(osrel={}) && ui={}] rusage[mem={}]": (
        "the placeholder '{}' was never filled in at column 15"
    ),
    "rusage[mem=7892, ngpus_excl_p=1 gpu_model0==$4]": (
        "the placeholder '$4' was never filled in at column 45"
    ),
}

REFUSED = {
    # text that LSF takes and we do not, with the construct named
    "linux select[defined(dv36io)] rusage[dv36io=50]": "select is given twice at column 7",
    "rusage[mem=(50 10):duration=(10):decay=(0)]": (
        "duration: an amount in phases, '(10)', is not supported at column 29"
    ),
    "same[model] span[ptile='!',Intel_EM64T:16,Intel_a:20,Intel_b:20,Intel_h:32]": (
        "span[ptile=..] with a number for each host type or model is not supported at column 18"
    ),
    "same[model] span[ptile='!',Intel_EM64T:16,Intel_a:20,Intel_b:20,Intel_c:32,Intel_d:32]": (
        "span[ptile=..] with a number for each host type or model is not supported at column 18"
    ),
}

MEANT = """
span[hosts=1]
= span one_host

rusage[mem=1GB]
= mem/host 1024000

select[a10 || a30 || a100 || l40 || h100]
= select (or a10 a30 a100 l40 h100)

select[mem>128000 && hname!='farm-gpu0504']
= select (and (> mem 128000) (!= hname 'farm-gpu0504'))

rusage[mem=512MB]
= mem/host 512000

select[model == XeonE5_2650v4]
= select (== model 'XeonE5_2650v4')

select[mem>100000] rusage[mem=100000] span[hosts=1]
= select (> mem 100000); mem/host 100000000; span one_host

span[ptile=16]
= span ptile 16

select[ngpus>0] rusage[ngpus_shared=24]
= select (> ngpus 0); ngpus_shared/host 24000

1*{affinity[core(1)]} + 1*{affinity[core(2)]}
= 1 x { declined affinity } + 1 x { declined affinity }

1*{select[craylinux && !vnode]} + 576*{select[craylinux && vnode] span [ptile=24]}
= 1 x { select (and craylinux (not vnode)) } + 576 x { select (and craylinux vnode); span ptile 24 }

1*{select[LN]span[hosts=1]} + 43008*{select[CN &&  (hname !='c35n15') && (hname !='d04n05')]order[!-slots:maxslots]span[ptile=42] }
= 1 x { select LN; span one_host } + 43008 x { select (and CN (!= hname 'c35n15') (!= hname 'd04n05')); span ptile 42; order slots small maxslots small }

1*{select[craylinux && !vnode]} + 8*{select[craylinux && vnode]span[ptile=8] cu[type=cabinet]}
= 1 x { select (and craylinux (not vnode)) } + 8 x { select (and craylinux vnode); span ptile 8; declined cu }

1*{order[slots] select[craylinux && !vnode]} + 168*{select[craylinux && vnode]span[ptile=24] cu[type=cabinet]}
= 1 x { select (and craylinux (not vnode)); order slots large } + 168 x { select (and craylinux vnode); span ptile 24; declined cu }

1*{select[((LN) && (type == any))] order[r15s:pg] span[hosts=1] cu[type=rack:pref=config]}+6048*{select[((CN) && (type == any))] order[r15s:pg] span[ptile=42] cu[type=rack:maxcus=8]}
= 1 x { select LN; span one_host; order r15s small pg small; declined cu } + 6048 x { select CN; span ptile 42; order r15s small pg small; declined cu }

select[defined(aspherix_solver)] rusage[aspherix_solver=16:duration=5]
= select (defined aspherix_solver); aspherix_solver/job 16000 for 5

affinity[core(24):cpubind=core:distribute=pack]
= declined affinity

select[x86_64Linux] same[type:model]
= select x86_64Linux; same type model

select[mem>8000] rusage[mem=8000] same[model] span[ptile=8]
= select (> mem 8000); mem/host 8000000; span ptile 8; same model

select[type==any] order[ut] same[model] rusage[mem=1]
= select true; mem/host 1000; same model; order ut small

rusage[mem=512MB:swp=1GB:tmp=1TB]
= mem/host 512000; swp/host 1024000; tmp/host 1048576000

rusage[mem=0.5:swp=1:tmp=1024]
= mem/host 500; swp/host 1000; tmp/host 1024000

defined(bigmem)
= select (defined bigmem)

rusage[mem=20:swp=50:duration=1h, license=1:duration=2]
= mem/host 20000 for 1h; swp/host 50000 for 1h; license/job 1000 for 2

rusage[vcssim=1,vcssim_dynamic=1:duration=1]
= vcssim/job 1000; vcssim_dynamic/job 1000 for 1

rusage [img_kit=1:duration=1]
= img_kit/job 1000 for 1

select[type==any] affinity[thread]
= select true; declined affinity

span[hosts=-1]
= span none

span[block=24]
= declined span

rusage[ngpus_physical=4.00]
= ngpus_physical/host 4000

rusage[ngpus_excl_p=1],span[hosts=1]
= ngpus_excl_p/host 1000; span one_host

select[(os== lin && type == X86_64 && (osdistro == rhel || osdistro == centos) && (osver== ws7))] rusage[mem=16000]
= select (and (== os 'lin') (== type 'X86_64') (or (== osdistro 'rhel') (== osdistro 'centos')) (== osver 'ws7')); mem/host 16000000

span[hosts=1] rusage[mem=10GB] select[(qsc=w&&os=AlmaLinux8.4)]
= select (and (== qsc 'w') (== os 'AlmaLinux8.4')); mem/host 10240000; span one_host

select[model!=Opteron250 && type==LINUX64 && mem>16000 && tmp>150000] rusage[tmp=150000, mem=16000]
= select (and (!= model 'Opteron250') (== type 'LINUX64') (> mem 16000) (> tmp 150000)); tmp/host 150000000; mem/host 16000000

select[gpu_model0==A100_PCIE_40GB]
= select (== gpu_model0 'A100_PCIE_40GB')

rusage[atlasio=0] select[hname!='a0135' && hname!='a0356' && hname!='a0545']
= select (and (!= hname 'a0135') (!= hname 'a0356') (!= hname 'a0545')); atlasio/host 0

select[fr=5]
= select (== fr 5)

select[(mem>4000)] rusage[mem=4000:duration=480, numcpus=1:duration=480]
= select (> mem 4000); mem/host 4000000 for 480; numcpus/host 1000 for 480

select[ (type == any)] order[r15s:pg] rusage[mem=6291456.00,xcelium_sc=1.00:duration=1m:decay=0] span[hosts=1]
= select true; mem/host 6291456000; xcelium_sc/job 1000 for 1m decay 0; span one_host; order r15s small pg small

select[((poe>0&&nrt_windows>0&&tmp>1)) && (type == local)] order[nidx] span[ptile=16]
= select (and (> poe 0) (> nrt_windows 0) (> tmp 1) (== type 'local')); span ptile 16; order nidx small

defined(avail_scratch) && avail_scratch > 100 && swap > 100
= select (and (defined avail_scratch) (> avail_scratch 100) (> swap 100))

select[((2*r15s + 3*r1m + r15m) / 6 < 1.0) && !fs && (cpuf > 4.0)]
= select (and (< (/ (+ (+ (* 2 r15s) (* 3 r1m)) r15m) 6) 1) (not fs) (> cpuf 4))

rusage[app_lic_v201=1||app_lic_v15=1]
= either app_lic_v201/job 1000 | app_lic_v15/job 1000

select[slots>4 && maxslots < 10 || mem > 10] order[-slots:maxslots:maxmem:ut]
= select (or (and (> slots 4) (< maxslots 10)) (> mem 10)); order slots small maxslots small maxmem small ut small

span[hosts=1] rusage[]
= span one_host
"""

WORD = {
    Kind.AND: "and",
    Kind.OR: "or",
    Kind.NOT: "not",
    Kind.EQ: "==",
    Kind.NE: "!=",
    Kind.GT: ">",
    Kind.LT: "<",
    Kind.GE: ">=",
    Kind.LE: "<=",
    Kind.ADD: "+",
    Kind.SUB: "-",
    Kind.MUL: "*",
    Kind.DIV: "/",
    Kind.DEFINED: "defined",
}


def strings() -> list[str]:
    if not CORPUS.exists():
        return []
    lines = CORPUS.read_text("utf-8").splitlines()
    return [line.split("\t")[0] for line in lines if line.strip()]


def accepted_strings() -> list[str]:
    return [text for text in strings() if text not in TEMPLATES and text not in REFUSED]


needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the shared data is not here")


def node_text(node: Node) -> str:
    if node.kind is Kind.RESOURCE:
        return node.resource.name
    if node.kind is Kind.NUMBER:
        return f"{node.number:g}"
    if node.kind is Kind.TEXT:
        return f"'{node.text}'"
    if node.kind is Kind.TRUE:
        return "true"
    below = operands(node) if node.kind in CHAINS else [node.left]
    if node.kind not in CHAINS and node.kind not in (Kind.NOT, Kind.DEFINED):
        literal_first = node.kind in (Kind.EQ, Kind.NE) and node.left.kind is not Kind.RESOURCE
        below = [node.right, node.left] if literal_first else [node.left, node.right]
    return f"({WORD[node.kind]} {' '.join(node_text(part) for part in below)})"


def primary_text(primary: Primary) -> str:
    parts = [] if primary.select is None else [f"select {node_text(primary.select)}"]
    for item in primary.items:
        text = f"{RESOURCES[item.resource].name}/{item.scope} {item.amount}"
        text += f" for {item.duration}" if item.duration else ""
        parts.append(text + (f" decay {item.decay}" if item.decay else ""))
    if "span" in primary.clauses and "span" not in primary.unsupported:
        ptile = f" {primary.span.ptile}" if primary.span.ptile else ""
        parts.append(f"span {primary.span.kind}{ptile}")
    if primary.same:
        parts.append("same " + " ".join(RESOURCES[index].name for index in primary.same))
    if primary.order:
        keys = [
            f"{RESOURCES[key.resource].name} {'large' if key.largest_first else 'small'}"
            for key in primary.order
        ]
        parts.append("order " + " ".join(keys))
    if primary.unsupported:
        parts.append("declined " + " ".join(primary.unsupported))
    return "; ".join(parts)


def meaning(request: Request) -> str:
    texts = []
    for alternative in request.alternatives:
        if isinstance(alternative, Compound):
            members = [
                f"{member.count} x {{ {primary_text(member.primary)} }}"
                for member in alternative.members
            ]
            texts.append(" + ".join(members))
        else:
            assert alternative is not None
            texts.append(primary_text(alternative))
    return ("either " if request.numbered else "") + " | ".join(texts)


SAMPLE = [tuple(entry.split("\n= ")) for entry in MEANT.strip().split("\n\n")]


@pytest.mark.parametrize(("text", "meant"), SAMPLE)
def test_what_a_sample_means(text: str, meant: str) -> None:
    assert meaning(World(resources=RESOURCES).parse(text)) == meant


def test_the_sample_has_at_least_40_strings_of_the_corpus() -> None:
    assert len(SAMPLE) == len({text for text, _ in SAMPLE}) >= 40


@needs_corpus
def test_the_sample_is_taken_from_the_corpus() -> None:
    assert {text for text, _ in SAMPLE} <= {text.strip() for text in strings()}


@pytest.mark.parametrize(("text", "message"), [*TEMPLATES.items(), *REFUSED.items()])
def test_what_is_refused_and_why(text: str, message: str) -> None:
    assert refused(text, RESOURCES).message == message


@needs_corpus
def test_nine_tenths_of_what_lsf_accepts_is_accepted_and_the_rest_is_in_the_table() -> None:
    accepted, turned_down = [], set()
    for text in strings():
        try:
            World(resources=RESOURCES).parse(text)
        except RequirementError:
            turned_down.add(text)
        else:
            accepted.append(text)
    assert turned_down == {*TEMPLATES, *REFUSED}
    known_to_lsf = len(strings()) - len(TEMPLATES)
    assert len(accepted) >= 0.9 * known_to_lsf
    assert (len(accepted), known_to_lsf) == (136, 140)


@needs_corpus
@pytest.mark.parametrize("text", accepted_strings())
def test_every_accepted_string_has_a_canonical_text_that_means_the_same(text: str) -> None:
    world = World(resources=RESOURCES)
    request = world.parse(text)
    again = world.parse(format_request(request, RESOURCES))
    assert again.alternatives == request.alternatives


@needs_corpus
@pytest.mark.parametrize("text", accepted_strings())
def test_every_accepted_string_can_be_looked_at_without_its_cluster(text: str) -> None:
    World(resources=assume_resources(text, ResourceTable())).parse(text)
