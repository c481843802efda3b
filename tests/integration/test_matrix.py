"""Every scheme over every transport and hierarchy, with real ranks, checked
in the result files.  More ranks than cores is slower, never stuck."""
import collections
import re

import pytest

from conftest import sanitize_threads
from slices import part_of

# All but ss, which goes with everything: no block is without a scheme.
SINGLE = """static css:chunk=3 wcss:k=2 gss fss tss tss-taylor qss wf dtss
    dtss-acp dfss dgss fsc mfsc fac tap tfss fiss viss rnd bold awf awf-b awf-c
    awf-d awf-e af hss binlpt static:by=cost fgdls aid-static aid-hybrid hybrid
    pls timed""".split()
TWO = """gss/static static/ss dgss/dtss awf-c/ss fss/awf-b awf-d/af binlpt/hss
    hss/static:by=cost hybrid/fgdls pls/timed""".split()
# One of each way in which a source serves schemes: closed form, table, primed
# table, state by power, state by available power, learning, two schemes, by
# cost, in an order of its own.
KINDS = """gss static dfss wcss:k=2 dtss-acp awf-c hss binlpt static:by=cost
    fgdls hybrid timed""".split()
TWO_KINDS = "gss/static awf-e/awf-c binlpt/static:by=cost".split()
SHAPES = ["1x1", "1x2", "1x3", "2x1", "3x1", "4x1", "6x1", "2x2", "3x2"]
EVERY_SCHEME = ["1x2", "2x1", "2x2"]
# The sanitized build is slower: one shape of each kind.
SANITIZED = ["1x3", "2x1", "4x1", "2x2"]


ONE_RANK = """
  - transport: shared
    scheme: {schemes}
    hierarchy: [flat, "2", node, 2xnode]
  - transport: steal
    scheme: {schemes}
"""
RANKS = """
  - transport: master
    scheme: {schemes}
    hierarchy: [flat, "2", node, 2xnode, 2x2]
    prefetch: ["on", "off"]
  - transport: master
    scheme: {schemes}
    hierarchy: [flat, "2"]
    master: dedicated
    collect: [master, local]
  - transport: master
    scheme: {schemes}
    hierarchy: ["2", 2xnode]
    answer: collected
  - transport: window
    window: [shared, rma]
    scheme: {schemes}
    hierarchy: [flat, node]
  - transport: steal
    scheme: {schemes}
    victim: [random, near]
"""


def listed(schemes):
    return "[" + ", ".join(f"'{x}'" for x in schemes) + "]"


def text(shape, kernel, schemes):
    """Everything that is possible in this shape."""
    blocks = ONE_RANK if shape.startswith("1x") else RANKS
    return f"""
name: matrix
repetitions: 1
repetitions_max: 1
layout: {shape}
kernel: "{kernel}"
costs: measured
cells:
{blocks.format(schemes=schemes)}
"""


def name(scheme):
    """Without parameters."""
    return re.sub(":[^/]*", "", scheme)


def check(result, iterations):
    """Every cell ended once and well; workers and chunks add up."""
    done = result.done()
    assert done
    assert {x["status"] for x in done} == {"ok"}, [
        x for x in done if x["status"] != "ok"][:3]
    assert max(collections.Counter(x["cell"] for x in done).values()) == 1
    work = collections.Counter()
    chunks = collections.Counter()
    for line in result.lines("workers"):
        key = line["cell"], line["repetition"]
        work[key] += line["iterations"]
        chunks[key] += line["chunks"]
    runs = result.runs()
    assert {x["cell"] for x in runs} == {x["cell"] for x in done}
    for line in runs:
        key = line["cell"], line["repetition"]
        assert line["verified"] is True
        assert line["iterations"] == iterations == work[key]
        assert line["chunks"] == chunks[key]
        assert line["time_s"] > 0
    return runs


def run(dlsbench, campaign, body, **more):
    result = dlsbench("run", campaign(body), "--oversubscribe", **more)
    assert result.code == 0, result.err[-2000:]
    return result


@pytest.mark.cross(part=9)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_scheme_transport_and_hierarchy(dlsbench, campaign, shape):
    every = shape in EVERY_SCHEME
    single = ["ss", *part_of("matrix " + shape, SINGLE if every else KINDS)]
    two = part_of("matrix two " + shape, TWO if every else TWO_KINDS)
    body = text(shape, "mandelbrot:size=48,maxiter=64", listed(single + two))
    runs = check(run(dlsbench, campaign, body), 48)
    ran = {name(x["scheme"]) for x in runs}
    assert {x for x in ran if "/" not in x} == set(map(name, single))
    # Two need somebody to cut for.
    if shape not in ("1x1", "2x1"):
        assert {x for x in ran if "/" in x} == set(map(name, two))


@pytest.mark.under("address")
@pytest.mark.cross(part=8)
@pytest.mark.parametrize("shape", SANITIZED)
def test_under_address_and_undefined_sanitizer(dlsbench, campaign, shape):
    body = text(shape, "mandelbrot:size=32,maxiter=32",
                "[static, ss, 'wcss:k=2', gss, fss, dtss]")
    check(run(dlsbench, campaign, body,
              program="build/address/dlsbench"), 32)


@pytest.mark.cross
@pytest.mark.parametrize("kernel,iterations", [
    ("adjoint:size=7", 49), ("matmul:tasks=9,min=5,max=30", 9),
    ("null:size=1000", 1000), ("mandelbrot:size=1", 1)])
def test_every_kernel(dlsbench, campaign, kernel, iterations):
    body = text("3x1", kernel, "[static, gss, dfss]")
    check(run(dlsbench, campaign, body), iterations)


def test_trace_kernel(dlsbench, campaign, tmp_path):
    costs = tmp_path / "costs.txt"
    costs.write_text("# seconds\n" + "1e-5\n2e-4\n" * 20)
    body = text("2x1", f"trace:file={costs}", "[ss, tss]")
    check(run(dlsbench, campaign, body), 40)


def test_unequal_powers_minimum_chunk_and_stamps(dlsbench, campaign):
    schemes = listed(["ss", *part_of("powers", SINGLE),
                      *part_of("powers two", TWO)])
    body = f"""
name: powers
repetitions: 1
repetitions_max: 1
kernel: "mandelbrot:size=200,maxiter=20"
power: "1,2.5,2:4"
layout: 4x1
min_chunk: 5
timing: chunk
cells:
  - transport: master
    scheme: {schemes}
    hierarchy: [flat, "2"]
  - transport: window
    scheme: {schemes}
"""
    result = dlsbench("run", campaign(body), "--oversubscribe", "--trace")
    assert result.code == 0, result.err[-2000:]
    runs = check(result, 200)
    assert {x["power"] for x in runs} == {"1,2.5,2:4"}
    per_cell = collections.defaultdict(list)
    for line in result.lines("chunks"):
        per_cell[line["cell"]].append(line)
    assert len(per_cell) == len(runs)
    scheme = {x["cell"]: x["scheme"] for x in runs}
    for name, cell in per_cell.items():
        cell.sort(key=lambda x: x["start"])
        # Of each range of two schemes the last part is what is left.
        two = "/" in scheme[name]
        at = 0
        for i, chunk in enumerate(cell):
            assert chunk["start"] == at
            at += chunk["size"]
            # Blocks of static may be the only thing smaller than asked.
            assert chunk["size"] >= 5 or i == len(cell) - 1 or two
            assert 0 <= chunk["begin_s"] <= chunk["end_s"]
        assert at == 200


@pytest.mark.cross
@pytest.mark.parametrize("scheme", ["ss", "css:chunk=7", "gss", "fss", "tss",
                                    "qss", "dtss", "static", "fsc:h=9", "mfsc",
                                    "fac", "tap", "tfss", "fiss", "viss",
                                    "rnd:seed=5", "wf2"])
def test_a_traced_run_hands_out_the_printed_sequence(dlsbench, scheme):
    printed = dlsbench("chunks", "--scheme", scheme, "--iterations", 64,
                       "--workers", 2, "--format", "csv")
    assert printed.code == 0
    rows = [x.split(",") for x in printed.out.split()[1:]]
    result = dlsbench("run", "--kernel", "mandelbrot:size=64,maxiter=20",
                      "--scheme", scheme, "--threads", 2, "--oversubscribe",
                      "--repetitions", 1, "--repetitions-max", 1, "--trace")
    assert result.code == 0, result.err
    ran = sorted((x["start"], x["size"]) for x in result.lines("chunks"))
    assert ran == [(int(x[2]), int(x[3])) for x in rows]


def test_impossible_combinations_are_skipped_and_counted(dlsbench, campaign):
    path = campaign("""
name: skips
repetitions: 1
repetitions_max: 1
kernel: "null:size=10"
scheme: ss
layout: ["1x1", "2x1"]
cells:
  - transport: [shared, master]
""")
    result = dlsbench("run", path, "--oversubscribe")
    assert result.code == 0, result.err
    assert len(result.done()) == 2
    assert "2" in result.out + result.err and "skip" in (
        result.out + result.err)


@pytest.mark.under("thread")
@pytest.mark.cross(part=4)
@pytest.mark.parametrize("shape,power", [
    ("1x2", ""), ("1x4", "1,2,3,4"), ("2x2", ""), ("3x2", "2:1,2:2,2:3")])
def test_threads_under_the_thread_sanitizer(dlsbench, campaign, tmp_path,
                                            shape, power, monkeypatch):
    sanitize_threads(monkeypatch, tmp_path)
    body = text(shape, "mandelbrot:size=32,maxiter=32",
                "[static, ss, 'wcss:k=2', gss, fss, dtss, dfss]")
    if power:
        body += f'power: "{power}"\n'
        body = body.replace("window: [shared, rma]", "window: shared")
        body = body.replace("    master: dedicated\n", "")
    result = dlsbench("run", campaign(body), "--oversubscribe",
                      program="build/thread/dlsbench")
    assert result.code == 0, result.err[-2000:]
    check(result, 32)
    reports = [x.read_text() for x in tmp_path.glob("tsan.*")]
    races = [x for x in reports if "data race" in x or "deadlock" in x]
    assert not races, races[0][:4000]


def test_a_computing_master_serves_between_short_chunks(dlsbench, lasting):
    """Chunks of a microsecond, far shorter than a kernel's poll interval."""
    result = dlsbench("run", "--kernel", lasting(0.05, 50000), "--scheme",
                      "ss", "--ranks", 2, "--oversubscribe", "--repetitions",
                      3, "--repetitions-max", 3)
    assert result.code == 0, result.err
    shares = [x["chunks"] for x in result.lines("workers")
              if x["worker"] == 1]
    assert max(shares) > 500, shares
