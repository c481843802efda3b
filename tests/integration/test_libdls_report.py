"""DLS_REPORT: loops of programs write records that the suite's readers take,
and that agree with what dls_statistics says."""
import collections
import json
import os
import subprocess

import pytest

from result_files import analysis
from test_libdls_data import without_memory
from test_libdls_mpi import SOURCES, compiled, launch

# Of the tables that need nothing else than what a program can record.
TABLES = ["time", "speedup", "overhead", "imbalance", "chunks"]


@pytest.fixture(scope="module")
def over_ranks(installed):
    return compiled(installed, SOURCES / "report.c", installed / "ranks",
                    "-DRANKS")


@pytest.fixture(scope="module")
def in_process(installed):
    return compiled(installed, SOURCES / "report.c", installed / "threads")


def run(program, *args, **variables):
    return subprocess.run([program, *map(str, args)], capture_output=True,
                          text=True, timeout=60, check=False,
                          env={**os.environ, **variables})


def lines(place, kind):
    return [json.loads(line) for path in sorted(place.glob(f"{kind}-*.jsonl"))
            for line in path.read_text().splitlines()]


def runs(place):
    return [x for x in lines(place, "runs") if x["type"] == "run"]


def said(text):
    """(step, rank) -> {worker: iterations, chunks, busy_s, ask_s, imbalance};
    worker -1 is all of the rank."""
    found = collections.defaultdict(dict)
    for line in text.splitlines():
        rank, step, worker, *numbers = line.split()
        found[int(step), int(rank)][int(worker)] = [float(x) for x in numbers]
    return found


def same(a, b):
    assert a == pytest.approx(b, rel=1e-6, abs=1e-30)


def check_workers(rows, stats, repetition):
    """Times differ by a factor, the length of a tick as it was measured when
    each was asked for."""
    mine = [x for x in rows if x["repetition"] == repetition]
    assert len(mine) == len(stats) - 1
    first = min(x["worker"] for x in mine)
    for row in mine:
        iterations, chunks, busy_s, ask_s, _ = stats[row["worker"] - first]
        assert (row["iterations"], row["chunks"]) == (iterations, chunks)
        assert (row["compute_s"] > 0) == (chunks > 0)
        same(row["compute_s"] * ask_s, busy_s * row["ask_s"])
        assert 0.01 * ask_s < row["ask_s"] < 100 * ask_s
    busy = [x["compute_s"] for x in mine]
    if sum(busy) > 0:
        same(max(busy) / (sum(busy) / len(busy)) - 1, stats[-1][4])
    return mine


def check_run(row, workers):
    """The line of a repetition follows from those of its workers."""
    computed = [x["compute_s"] for x in workers]
    finished = [x["finish_s"] for x in workers]
    assert row["workers"] == len(workers)
    assert row["iterations"] == sum(x["iterations"] for x in workers) == 200
    assert row["chunks"] == sum(x["chunks"] for x in workers)
    same(row["time_s"], max(finished))
    same(row["compute_mean_s"], sum(computed) / len(computed))
    same(row["overhead_mean_s"], row["time_s"] - row["compute_mean_s"])
    same(row["overhead_max_s"], row["time_s"] - min(computed))
    same(row["imbalance"] + 1, max(finished) * len(finished) / sum(finished))
    assert all(x["compute_s"] <= x["finish_s"] * 1.000001 for x in workers)


def check(place, text, steps, ranks):
    stats, found = said(text), runs(place)
    assert [x["repetition"] for x in found] == [*range(1, steps + 1)]
    for step, row in enumerate(found):
        workers = []
        for rank in range(ranks):
            rows = [x for x in lines(place, "workers") if x["rank"] == rank]
            workers += check_workers(rows, stats[step, rank], step + 1)
        assert [x["worker"] for x in workers] == [*range(len(workers))]
        check_run(row, workers)
    return found


@pytest.mark.parametrize("scheme", ["fss", "static", "af"])
def test_threads(in_process, tmp_path, scheme):
    place = tmp_path / "r"
    done = run(in_process, scheme, "stats=1,min-chunk=2", 3, 4,
               DLS_REPORT=place)
    assert (done.returncode, done.stderr) == (0, "")
    row = check(place, done.stdout, 3, 1)[0]
    assert row["kernel"] == 'the "rays"' and row["min_chunk"] == 2
    assert row["scheme"].startswith(scheme) and row["transport"] == "shared"
    assert row["threads"] == 4 and row["ranks"] == 1


@pytest.mark.parametrize("form,columns", [
    ("", {"transport": "window", "window": "shared"}),
    ("window=rma,hierarchy=node", {"window": "rma", "hierarchy": "node"}),
    ("transport=master,hierarchy=2", {"transport": "master",
                                      "hierarchy": "2"}),
    ("transport=steal,victim=near", {"transport": "steal",
                                     "victim": "near"})])
def test_ranks(over_ranks, tmp_path, form, columns):
    place = tmp_path / "r"
    done = launch(3, over_ranks, "gss", f"stats=1,{form}".strip(","), "2",
                  "2", DLS_REPORT=str(place))
    assert (done.returncode, done.stderr) == (0, "")
    row = check(place, done.stdout, 2, 3)[0]
    assert {n: row[n] for n in columns} == columns
    assert row["threads"] == 2 and row["ranks"] == 3
    assert len([*place.glob("manifest-*")]) == 1
    assert len([*place.glob("workers-*")]) == 3
    launches = {x["launch"] for kind in ("runs", "workers")
                for x in lines(place, kind)}
    assert [f"manifest-{x}.json" for x in launches] == [
        x.name for x in place.glob("manifest-*")]


def test_the_readers_take_them(dlsbench, in_process, over_ranks, tmp_path):
    """Two directories with two cells each, seven repetitions of each."""
    for place in "a", "b":
        for scheme in "ss", "gss":
            run(in_process, scheme, "", 7, 2, DLS_REPORT=tmp_path / place)
        launch(2, over_ranks, "fss", "", "7", "1",
               DLS_REPORT=str(tmp_path / place))
    done = dlsbench("summary", tmp_path / "a")
    out = done.out
    assert (done.code, done.err) == (0, "") and "3 cells ok, 0 failed" in out
    assert 'the "rays"' in out and "2 ranks x 1 thread, window shared" in out
    row = next(x for x in out.splitlines() if " ss " in x)
    assert " 200 " in row  # chunks
    assert "\n3 not compared\n" in out
    for table in TABLES:
        code, out, err = analysis("tables", tmp_path / "a", "--table", table)
        assert code == 0 and "gss:min=1" in out, err
    code, out, err = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert code in (0, 1, 3) and "7, 7" in out, err
    assert out.count("the \"rays\"") >= 1 and "over 3 cells" in out
    code, out, err = analysis("report", tmp_path / "a", "--no-files")
    assert code == 0, err
    page = (tmp_path / "a/report.html").read_text()
    assert "gss:min=1" in page and "libdls 1.0" in page


def test_a_loop_that_is_opened_again_goes_on_counting(in_process, tmp_path):
    done = run(in_process, "ss", "", 2, 2, "twice", DLS_REPORT=tmp_path)
    assert done.returncode == 0
    assert [x["repetition"] for x in runs(tmp_path)] == [1, 2, 3, 4]
    ends = [x["repetitions"] for x in lines(tmp_path, "runs")
            if x["type"] == "cell_done"]
    assert ends == [2, 4]


def test_what_was_not_finished_is_no_repetition(in_process, tmp_path):
    done = run(in_process, "ss", "", 1, 2, "leave", DLS_REPORT=tmp_path)
    assert done.returncode == 0
    assert [x["type"] for x in lines(tmp_path, "runs")] == ["run",
                                                            "cell_done"]
    assert len(lines(tmp_path, "workers")) == 2


def test_without_it_nothing_is_measured(in_process, tmp_path):
    done = run(in_process, "ss", "", 1, 2, DLS_REPORT="")
    assert done.returncode == 0
    assert {tuple(x[2:]) for x in said(done.stdout)[0, 0].values()} == {
        (0, 0, 0)}


@pytest.mark.parametrize("place,says", [
    ("/proc/none", "DLS_REPORT: /proc/none: No such file or directory"),
    ("/dev/null", "cannot open for writing: Not a directory"),
    ("/dev/full/x", "DLS_REPORT: /dev/full/x: Not a directory")])
def test_where_it_cannot_write_is_one_line(in_process, over_ranks, place,
                                           says):
    done = run(in_process, "ss", "", 1, 2, DLS_REPORT=place)
    assert done.returncode == 1 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr
    done = launch(2, over_ranks, "ss", "", "1", "1", DLS_REPORT=place)
    assert done.returncode == 1 and done.stdout == ""
    assert all(says in line for line in done.stderr.splitlines())


def test_memory_that_is_not_there_is_an_error(installed, tmp_path):
    """Also where records are written: in whichever rank, all get it."""
    program = without_memory(installed, tmp_path)
    counts = []
    for place in "", str(tmp_path / "r"):
        done = launch(2, program, "", "gss", DLS_REPORT=place)
        assert done.returncode == 0, done.stdout
        counts.append(int(done.stdout.split()[0]))
    assert counts[1] > counts[0] + 10


def test_ranks_report_together(over_ranks, tmp_path):
    done = subprocess.run(
        ["mpiexec.mpich", "-n", "1", "-env", "DLS_REPORT", tmp_path / "r",
         over_ranks, "ss", "", "1", "1", ":", "-n", "1", over_ranks, "ss", "",
         "1", "1"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "the ranks pass different DLS_REPORT, in some only" in done.stderr
