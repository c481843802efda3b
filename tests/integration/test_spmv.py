"""Kernels spmv and triad: the matrix that a file has by scipy's reader, every
bad file refused before anything runs, and rates in the records."""
import gzip
import itertools
import os

import numpy
import pytest
import scipy.io
import scipy.sparse


def write(path, kind):
    """A random matrix that scipy has written, and what scipy reads back."""
    field, symmetry = kind
    matrix = scipy.sparse.random(60, 60, 0.05, random_state=7, format="coo")
    if symmetry != "general":
        matrix = matrix + (matrix.T if symmetry == "symmetric" else -matrix.T)
    if field == "integer":
        matrix = scipy.sparse.coo_matrix(matrix * 100).astype("int64")
    scipy.io.mmwrite(path, scipy.sparse.coo_matrix(matrix), field=field,
                     symmetry=symmetry)
    return scipy.sparse.csr_matrix(scipy.io.mmread(path))


@pytest.mark.parametrize("kind", [
    ("real", "general"), ("integer", "general"), ("pattern", "general"),
    ("real", "symmetric"), ("pattern", "symmetric"),
    ("real", "skew-symmetric")])
def test_rows_are_those_of_scipys_reader(dlsbench, tmp_path, kind):
    """Blocks of equal cost end where its non-zeros say."""
    path = tmp_path / "m.mtx"
    before = write(path, kind).indptr
    result = dlsbench("run", "--kernel", f"spmv:file={path},steps=1",
                      "--scheme", "static:by=cost", "--threads", 7,
                      "--oversubscribe",
                      "--trace", "--repetitions", 1, "--repetitions-max", 1)
    assert result.code == 0, result.err[-2000:]
    assert all(x["verified"] for x in result.runs())
    bounds = [int(numpy.searchsorted(before, before[-1] * j / 7))
              for j in range(7)] + [60]
    blocks = [(a, b - a) for a, b in itertools.pairwise(bounds) if b > a]
    chunks = sorted((x["start"], x["size"]) for x in result.lines("chunks"))
    assert chunks == blocks


HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize("text,words", [
    (HEAD + "3 4 1\n1 1 1\n", ":2: the matrix has 3 rows and 4 columns"),
    (HEAD + "3 3 1\n1 one 1\n", ":3: '1 one 1' is not 'ROW COLUMN VALUE'"),
    (HEAD + "3 3 1\n1 1 1\n1 2 1\n", ":4: more entries than the 1 promised"),
    (HEAD + "3 3 1\n4 1 1\n", ":3: entry (4, 1) is outside of 3 rows"),
    ("", ":1: the first line must be"),
])
def test_bad_matrices_are_refused(dlsbench, tmp_path, text, words):
    path = tmp_path / "bad.mtx"
    path.write_text(text)
    result = dlsbench("run", "--kernel", f"spmv:file={path}", "--scheme",
                      "gss")
    assert result.code == 2
    lines = result.err.strip().splitlines()
    assert len(lines) == 1 and f"{path}{words}" in lines[0]


def test_a_compressed_matrix_is_read(dlsbench, tmp_path):
    path = tmp_path / "m.mtx.gz"
    text = (HEAD + "3 3 2\n1 1 1\n3 2 2.5\n").encode()
    path.write_bytes(gzip.compress(text))
    result = dlsbench("run", "--kernel", f"spmv:file={path},steps=1",
                      "--scheme", "ss", "--repetitions", 1,
                      "--repetitions-max", 1)
    assert result.code == 0, result.err[-2000:]
    assert all(x["verified"] and x["iterations"] == 3 for x in result.runs())
    path.write_bytes(gzip.compress(text)[:40])
    result = dlsbench("run", "--kernel", f"spmv:file={path}", "--scheme",
                      "ss")
    assert result.code == 2
    assert f"{path}:" in result.err and len(result.err.splitlines()) == 1


def test_a_matrix_that_does_not_fit_is_refused(dlsbench):
    result = dlsbench("run", "--kernel", "spmv:rmat=30,degree=1000000",
                      "--scheme", "gss")
    assert result.code == 2
    assert "kernel spmv: rows and entries of the matrix need" in result.err
    assert len(result.err.splitlines()) == 1


MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.skipif(MEMORY > 45e9, reason="2^31 rows fit here")
@pytest.mark.parametrize("kernel", ["spmv", "triangles"])
def test_a_file_that_does_not_fit_is_refused(dlsbench, tmp_path, kernel):
    """Its rows alone; the line names kernel and file once."""
    path = tmp_path / "huge.mtx"
    path.write_text(HEAD + "2147483647 2147483647 1\n1 1 1\n")
    result = dlsbench("run", "--kernel", f"{kernel}:file={path}", "--scheme",
                      "gss")
    (line,) = result.err.splitlines()
    assert result.code == 2
    assert f"{path}:2: rows and entries of the matrix need" in line
    assert line.count("kernel") == 1


def test_a_bad_trace_is_refused_before_it_runs(dlsbench, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("1e-6\n-1\n")
    result = dlsbench("run", "--kernel", f"trace:file={path}", "--scheme",
                      "gss")
    assert result.code == 2
    assert f"{path}:2: the cost -1 is negative" in result.err


@pytest.mark.parametrize("kernel", ["triad:size=300000,block=1000",
                                    "spmv:rmat=10"])
@pytest.mark.parametrize("shape", [["--threads", "2"], ["--ranks", "3"]])
def test_rates_are_recorded(dlsbench, kernel, shape):
    result = dlsbench("run", "--kernel", kernel, "--scheme", "fss",
                      "--oversubscribe", "--repetitions", 1,
                      "--repetitions-max", 1, *shape)
    assert result.code == 0, result.err[-2000:]
    for run in result.runs():
        assert run["verified"]
        assert "bandwidth" not in run
        if kernel.startswith("triad"):
            flops = run["gflop_per_s"] * run["time_s"] * 1e9
            assert flops == pytest.approx(600000)
            assert run["gbyte_per_s"] == pytest.approx(
                12 * run["gflop_per_s"])
        assert run["gbyte_per_s"] > run["gflop_per_s"] > 0


@pytest.mark.parametrize("kernel", ["triad", "spmv:rmat=10"])
def test_a_simulation_says_that_it_charges_no_bandwidth(sim, kernel):
    result = sim("--kernel", kernel, "--scheme", "static:by=cost",
                 "--workers", 8)
    assert result.code == 0, result.err[-2000:]
    (run,) = result.runs()
    assert run["bandwidth"] == "not simulated"
    assert run["gflop_per_s"] > 0 and "gbyte_per_s" not in run
