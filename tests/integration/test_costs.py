"""Schemes that count with the costs of iterations: who knows them, which
chunks follow, and what is refused."""
import math

import pytest

from conftest import another


def chunks(result):
    """(start, size) of the first repetition, in the order of steps."""
    lines = [x for x in result.lines("chunks") if x["repetition"] == 1]
    return sorted((x["start"], x["size"]) for x in lines)


def trace(tmp_path, costs):
    path = tmp_path / "costs.txt"
    path.write_text("".join(f"{x}e-6\n" for x in costs))
    return f"trace:file={path},steps=1e9"


@pytest.fixture
def one(dlsbench, tmp_path):
    def run(*args, code=0):
        result = dlsbench("run", "--repetitions", "3", "--oversubscribe",
                          "--out", str(tmp_path / "out"), *args)
        assert result.code == code, result.err[-2000:]
        return result
    return run


# Worked out outside of this program (sched/schemes/scheme_costs_test.c): costs
# 1 to 8, two workers.
CHUNKS = {"static:by=cost": [(0, 6), (6, 2)],
          "hss": [(0, 4), (4, 2), (6, 1), (7, 1)],
          "binlpt": [(0, 4), (4, 2), (6, 2)]}


@pytest.mark.parametrize("scheme", sorted(CHUNKS))
@pytest.mark.parametrize("shape", [
    ["--threads", "2"],
    ["--ranks", "2", "--threads", "1", "--transport", "master"],
    ["--ranks", "2", "--threads", "1", "--transport", "window", "--window",
     "rma"],
    ["--ranks", "2", "--threads", "1", "--transport", "window", "--window",
     "shared"]])
def test_chunks_follow_from_the_model(one, tmp_path, scheme, shape):
    result = one("--kernel", trace(tmp_path, range(1, 9)), "--scheme", scheme,
                 "--trace", *shape)
    assert chunks(result) == CHUNKS[scheme]
    assert {x["costs"] for x in result.runs()} == {"model"}


@pytest.mark.parametrize("scheme", sorted(CHUNKS))
def test_chunks_of_a_simulation_are_the_same(sim, tmp_path, scheme):
    result = sim("--kernel", trace(tmp_path, range(1, 9)), "--scheme", scheme,
                 "--trace", "--workers", 2)
    assert result.code == 0, result.err[-2000:]
    assert chunks(result) == CHUNKS[scheme]


def test_a_file_knows_the_costs(one, tmp_path):
    path = tmp_path / "given.txt"
    path.write_text("".join(f"{x}\n" for x in range(1, 9)))
    result = one("--kernel", "mandelbrot:size=8", "--scheme", "hss",
                 "--costs", str(path), "--threads", "2", "--trace")
    assert chunks(result) == CHUNKS["hss"]
    assert {x["costs"] for x in result.runs()} == {str(path)}


def test_one_worker_measures_the_costs(one):
    result = one("--kernel", "mandelbrot:size=64,maxiter=2000", "--scheme",
                 "binlpt:chunks=8", "--costs", "measured", "--threads", "2")
    assert all(x["verified"] for x in result.runs())
    assert {x["costs"] for x in result.runs()} == {"measured"}


def test_other_schemes_have_no_use_for_costs(one, tmp_path):
    result = one("--kernel", trace(tmp_path, range(1, 9)), "--scheme", "gss",
                 "--costs", "measured", "--threads", "2")
    assert all("costs" not in x for x in result.runs())


def test_blocks_of_equal_cost_inside_ranges(one, tmp_path):
    """The first of two masters gets [0, 8) of 16 equal pairs."""
    result = one("--kernel", trace(tmp_path, list(range(1, 9)) * 2),
                 "--scheme", "css:chunk=8/static:by=cost", "--threads", "4",
                 "--hierarchy", "2", "--trace")
    assert chunks(result) == [(0, 6), (6, 2), (8, 6), (14, 2)]


BAD = [
    (["--kernel", "mandelbrot:size=8"],
     "only running kernel mandelbrot tells them: use costs measured or"),
    (["--kernel", "null:size=9", "--costs", "measured"],
     "costs measured: the iterations of kernel null have none"),
    (["--kernel", "heat:rows=9,cols=9", "--costs", "model"],
     "the rows of kernel heat depend on each other"),
    (["--kernel", "null:size=3", "--transport", "steal"],
     "begins with each worker's static share"),
]


@pytest.mark.parametrize("args,words", BAD)
def test_what_nobody_knows_is_refused(one, args, words):
    result = one("--scheme", "hss", *args, code=2)
    assert words in result.err.strip().splitlines()[-1]


@pytest.mark.parametrize("text,words", [
    ("1\n2\n", "has 2 costs, kernel null has 3 iterations"),
    ("1\n-2\n3\n", ":2: the cost -2 is negative"),
    ("1\nnan\n3\n", ":2: 'nan' is not a number"),
    ("1\n2\nx\n", ":3: 'x' is not a number"),
    ("", "has no costs"),
    (None, "No such file")])
def test_files_of_costs_that_are_wrong(one, tmp_path, text, words):
    path = tmp_path / "wrong.txt"
    if text is not None:
        path.write_text(text)
    result = one("--kernel", "null:size=3", "--scheme", "hss", "--costs",
                 str(path), code=2)
    lines = result.err.strip().splitlines()
    assert words in lines[-1] and len(lines) == 1


def test_the_sequence_of_given_costs(dlsbench, tmp_path):
    path = tmp_path / "costs.txt"
    path.write_text("".join(f"{x}\n" for x in range(1, 9)))
    args = ["chunks", "--iterations", 8, "--workers", 2, "--format", "csv",
            "--costs", path]
    for scheme, expected in (
            ("hss", "0,0,0,4 1,1,4,2 2,0,6,1 3,1,7,1"),
            ("binlpt:chunks=4", "0,0,6,2 1,1,4,2 2,0,0,4"),
            ("static:by=cost", "0,0,0,6 1,1,6,2")):
        result = dlsbench(*args, "--scheme", scheme)
        assert result.code == 0, result.err
        assert result.out.split()[1:] == expected.split()
    result = dlsbench("chunks", "--iterations", 9, *args[3:], "--scheme",
                      "hss")
    assert result.code == 2
    assert "has 8 costs for 9 iterations" in result.err


def test_masters_cut_from_the_front(one):
    result = one("--kernel", "null:size=99", "--scheme", "gss/binlpt",
                 "--threads", "2", "--hierarchy", "2", code=2)
    assert "use binlpt as the outer one" in result.err


def test_blocks_of_equal_cost_end_together(sim):
    """Simulated: of decreasing costs, equal blocks are bound by the first,
    blocks of equal cost by the mean."""
    def imbalance(scheme):
        result = sim("--kernel", "adjoint:size=120", "--scheme", scheme,
                     "--workers", 16, out=another())
        assert result.code == 0, result.err[-2000:]
        return result.runs()[0]["imbalance"]
    assert imbalance("static") > 0.8
    assert imbalance("static:by=cost") < 0.05
    assert math.isfinite(imbalance("hss"))


@pytest.mark.parametrize("scheme,shape", [
    ("static:by=cost", ["--threads", "2"]),
    ("hss", ["--ranks", "2", "--transport", "master"]),
    ("css:chunk=99/hss", ["--ranks", "2", "--transport", "window",
                          "--window", "shared", "--hierarchy", "node"])])
def test_the_last_time_step_knows_the_costs(one, scheme, shape):
    """Each step has chunks of its own, and every rank the same of them."""
    result = one("--kernel", "sph:size=8,steps=5", "--scheme", scheme,
                 "--costs", "last", "--trace", *shape)
    runs = result.runs()
    assert all(x["verified"] for x in runs)
    assert {(x["costs"], x["timing"]) for x in runs} == {("last", "chunk")}
    steps = {}
    for x in result.lines("chunks"):
        if x["repetition"] == 1:
            step = steps.setdefault(x["time_step"], set())
            step.add((x["start"], x["size"]))
    assert len(steps) == 5
    assert len(set(map(frozenset, steps.values()))) > 1


def test_costs_that_drift_are_met_by_the_last_step(sim):
    """Simulated: particles that meet leave the model of the first step."""
    def imbalance(costs):
        result = sim("--kernel", "sph:size=8,steps=16", "--scheme",
                     "static:by=cost", "--costs", costs, "--workers", 6,
                     out=another())
        assert result.code == 0, result.err[-2000:]
        return result.runs()[0]["imbalance"]
    assert imbalance("last") < 0.8 * imbalance("model")
