"""What the numbers say and what they cannot say: speedups that cannot be, what
other processes had of the cores, winners that are none."""
import csv
import os
import re
import shlex
import subprocess
import sys

import pytest

from conftest import ROOT
from result_files import Directory, analysis
from analysis import labels

APART = [0.22, 0.25, 0.40]
SCHEMES = ["fss:alpha=2", "gss:min=1", "static"]
# A launcher that keeps every core busy while the launch says it does this:
# its serial loop, or a repetition of a cell.
BUSY = """
import os, signal, subprocess, sys
word, ranks, command = sys.argv[1], sys.argv[2], sys.argv[3:]
busy = [subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c",
                          "while True: pass"])
        for core in sorted(os.sched_getaffinity(0)) for _ in range(6)]
def let(run):
    for one in busy:
        one.send_signal(signal.SIGCONT if run else signal.SIGSTOP)
let(False)
os.nice(-10)
launch = subprocess.Popen(["mpiexec.mpich", "-n", ranks, *command],
                          stdout=subprocess.PIPE, text=True)
try:
    for line in launch.stdout:
        let(line.startswith(word) and not line.rstrip().endswith(" 0"))
        sys.stdout.write(line)
        sys.stdout.flush()
    code = launch.wait()
finally:
    for one in busy:
        one.kill()
sys.exit(code)
"""


def made(path, times, serial_s, serial_others=None, in_turns=True, bound=0.95,
         others=0.0, others_max=None, **cell):
    """A directory with a cell of two workers for each of these times."""
    there = Directory(path)
    for scheme, time_s in zip(SCHEMES, times):
        for i in range(10):
            turns = {"serial_pass": i + 1, "serial_others": serial_others,
                     "others": others, "others_max_s": others_max or 0.0} \
                if in_turns else {}
            there.cell([time_s * (1 + 0.002 * (i - 4.5))], done=i == 9,
                       scheme=scheme, run={
                           "repetition": i + 1, "bound_s": time_s * bound,
                           "serial_s": serial_s * (1 + in_turns * 0.01
                                                   * (i - 4.5)), **turns},
                       **cell)
    there.manifest()
    return there.path


def stars(out, mark="*"):
    return sorted(line.split()[1] for line in out.splitlines()
                  if re.match(rf"[{mark}] \w.*\bms? ", line))


def answer(dlsbench, path):
    """The answers in words, in one line."""
    out = dlsbench("summary", path).out
    return " ".join(out.split("\nAnswers\n")[1].split("\n\n")[0].split())


@pytest.mark.parametrize("run, cause", [
    # The chunks alone take as long: more than the best one's.
    ({}, "; some chunks hold too much of the work"),
    # Chunks that could be done as early, and so many of them.
    ({"bound_s": 0.2, "chunks": 900}, "; handing out so many chunks takes the "
     "time"),
    # Neither explains it.
    ({"bound_s": 0.2}, "")])
def test_the_answer_names_a_cause_that_the_numbers_show(
        dlsbench, tmp_path, run, cause):
    there = Directory(tmp_path / "d")
    for scheme, time_s in zip(SCHEMES, APART):
        of = {} if scheme.startswith("fss") else run
        for i in range(10):
            there.cell([time_s * (1 + 0.002 * (i - 4.5))], done=i == 9,
                       scheme=scheme, run={
                           "repetition": i + 1, "serial_s": 0.4,
                           "serial_pass": i + 1, "others": 0.0,
                           "overhead_mean_s": time_s - 0.2, **of})
    there.manifest()
    assert answer(dlsbench, there.path) == (
        "adjoint: fss is the fastest of 3 choices: 220.0 ms, 1.8 times as "
        "fast as one core; the next is gss, 14 % slower Avoid static and gss: "
        f"14 to 82 % slower{cause}")


def everywhere(dlsbench, path, word):
    """Every reader refuses, says so in these words, and crowns nobody."""
    summary = dlsbench("summary", path)
    flat = " ".join(summary.out.split())
    assert word in flat and " refused " in flat
    assert not stars(summary.out, "*=")
    assert "no answer, since the fastest one is faster than it can be" in flat
    tables = analysis("tables", path, "--table", "speedup")[1]
    assert word in tables and "refused" in tables
    row = next(csv.DictReader(analysis("tables", path, "--table", "speedup",
                                       "--format", "csv")[1].splitlines()))
    assert word in row["refused"] and row["speedup"] == ""
    advice = analysis("advise", path)[1]
    assert word in advice and "use  " not in advice
    assert analysis("report", path)[0] == 0
    page = (path / "report.html").read_text()
    assert word in page and "is the fastest" not in page
    return flat


@pytest.mark.parametrize("how", [
    {"serial_others": 0.48,
     "word": "other processes had 48 % of the core of the serial loop"},
    {"serial_others": 0.0, "word": "no other process ran"},
    {"in_turns": False, "word": "the serial loop was timed before the cells"}])
def test_a_speedup_above_the_powers_is_no_result(dlsbench, tmp_path, how):
    word = how.pop("word")
    path = made(tmp_path / "d", APART, 1.0, **how)
    flat = everywhere(dlsbench, path, word)
    assert "4.55 times as fast, where its workers allow 2 at most" in flat


def test_a_time_below_its_bound_is_no_result(dlsbench, tmp_path):
    path = made(tmp_path / "d", APART, 0.3, serial_others=0.5, bound=1 / 0.29)
    flat = everywhere(dlsbench, path, "other processes had 50 % of the core")
    assert "takes 0.29 of the least time that its chunks can take" in flat


def test_what_can_be_is_a_result(dlsbench, tmp_path):
    """The median is above 2, but not the whole interval of both times; powers
    may add up to more."""
    path = made(tmp_path / "a", [0.2, 0.25, 0.4], 0.402, serial_others=0.0)
    out = dlsbench("summary", path).out
    assert "refused" not in out and "2.010" in out
    assert stars(out) == [SCHEMES[0]]
    row = max(csv.DictReader(analysis(
        "tables", path, "--table", "speedup", "--format",
        "csv")[1].splitlines()), key=lambda row: float(row["speedup"]))
    assert float(row["speedup_low"]) < 1.98
    assert float(row["speedup_high"]) > 2.04 and row["refused"] == ""
    path = made(tmp_path / "b", [0.2, 0.25, 0.4], 0.7, serial_others=0.0,
                power="1,3")
    assert "refused" not in dlsbench("summary", path).out
    assert "refused:" not in analysis("tables", path, "--table", "speedup")[1]


def test_a_draw_has_no_single_winner(dlsbench, tmp_path):
    path = made(tmp_path / "a", [0.4, 0.4005, 0.45], 0.7)
    assert stars(dlsbench("summary", path).out, "=") == SCHEMES[:2]
    assert "2 of 3 choices are equally fast (400.0 to 400.5 ms, up to 1.7 " \
        "times as fast as one core); the simplest is gss Avoid static: 12 " \
        "% slower" in answer(dlsbench, path)
    advice = analysis("advise", path)[1]
    assert "1 choice of 2 cannot be told apart from it: gss" in advice
    assert "up to 1.7 times as fast as one core); the simplest is gss" \
        in advice
    assert analysis("report", path)[0] == 0
    page = (path / "report.html").read_text()
    assert "2 of 3 choices are equally fast (400.0 to 400.5 ms, up to 1.7 " \
        "times as fast as one core); the simplest is gss" in page


def test_what_one_core_does_faster_is_said(dlsbench, tmp_path):
    for name, times in ("a", [0.4, 0.5, 0.45]), ("b", [0.4, 0.4005, 0.401]):
        path = made(tmp_path / name, times, 0.35)
        assert ", slower than one core alone" in answer(dlsbench, path)
        assert analysis("report", path)[0] == 0
        assert ", slower than one core alone" in (
            path / "report.html").read_text()


def test_an_interval_around_1_is_no_speedup(dlsbench, tmp_path):
    path = made(tmp_path / "a", [0.4, 0.4005, 0.401], 0.402)
    row = max(csv.DictReader(analysis(
        "tables", path, "--table", "speedup", "--format",
        "csv")[1].splitlines()), key=lambda row: float(row["speedup"]))
    assert float(row["speedup_low"]) < 1 < float(row["speedup"])
    assert analysis("report", path)[0] == 0
    for text in (answer(dlsbench, path), (path / "report.html").read_text()):
        assert ", not seen to be faster than one core alone" in text
        assert "times as fast as one core" not in text


def test_two_repetitions_tell_nothing_apart(dlsbench, tmp_path):
    """Times that differ by half are not called the same."""
    there = Directory(tmp_path / "d")
    for scheme, time_s in zip(SCHEMES, APART):
        there.cell([time_s, time_s * 1.001], scheme=scheme,
                   run={"serial_s": 0.4})
    there.manifest()
    says = "these runs are too few, or vary too much, to tell the 3 choices " \
        "apart (2"
    found = answer(dlsbench, there.path)
    assert says in found and "the simplest" not in found
    assert analysis("report", there.path)[0] == 0
    page = (there.path / "report.html").read_text()
    assert says in page and "the simplest of" not in page
    assert "More launches or repetitions would tell which are slower" in page
    assert "to be avoided" not in page
    advice = analysis("advise", there.path)[1]
    assert "no advice     " + says in advice and "use  " not in advice


def test_one_repetition_tells_nothing_apart(dlsbench, tmp_path):
    there = Directory(tmp_path / "d")
    for scheme, time_s in zip(SCHEMES, APART):
        there.cell([time_s], scheme=scheme, run={"serial_s": 0.4})
    there.manifest()
    says = "these runs are too few, or vary too much, to tell the 3 choices " \
        "apart (2"
    assert says in answer(dlsbench, there.path)
    assert says in analysis("advise", there.path)[1]
    assert analysis("report", there.path)[0] == 0
    assert says in (there.path / "report.html").read_text()


def test_a_refused_choice_may_be_as_fast(dlsbench, tmp_path):
    """Its time counts in the contest, but it is not named."""
    there = Directory(tmp_path / "d")
    for scheme, time_s, bound in zip(SCHEMES, [0.4, 0.401, 0.6],
                                     [0.95, 1.2, 0.95]):
        for i in range(10):
            there.cell([time_s * (1 + 0.002 * (i - 4.5))], done=i == 9,
                       scheme=scheme, run={
                           "repetition": i + 1, "bound_s": time_s * bound,
                           "serial_s": 0.72, "serial_pass": i + 1,
                           "serial_others": 0.0, "others": 0.0})
    there.manifest()
    says = "2 of 3 choices are equally fast (400.0 to 401.0 ms, up to 1.8 " \
        "times as fast as one core); the simplest is fss"
    summary = dlsbench("summary", there.path)
    assert stars(summary.out, "=") == SCHEMES[:2] and not stars(summary.out)
    assert says in answer(dlsbench, there.path)
    assert "Avoid static: 50 % slower" in answer(dlsbench, there.path)
    assert says in analysis("advise", there.path)[1]
    assert analysis("report", there.path)[0] == 0
    assert says in (there.path / "report.html").read_text()


def test_simulations_are_exact_in_every_reader(dlsbench, tmp_path):
    for name, times, says in (
            ("a", APART, "Avoid static and gss: 14 to 82 % slower"),
            ("b", [0.22, 0.22, 0.4], "2 of 3 choices are equally fast")):
        there = Directory(tmp_path / name)
        for scheme, time_s in zip(SCHEMES, times):
            there.cell([time_s], scheme=scheme, platform="p.xml",
                       run={"simulated": True, "serial_s": 0.4,
                            "bound_s": None})
        there.manifest()
        assert says in answer(dlsbench, there.path)
        assert analysis("report", there.path)[0] == 0
        page = (there.path / "report.html").read_text()
        assert says.replace("gss:", "gss:min=1:") in page
    advice = analysis("advise", there.path)[1]
    assert says in advice and "runner-up" not in advice


def test_every_reader_names_the_same_simplest_choice(dlsbench, tmp_path):
    """In the order of the registries, by the way to run before the scheme."""
    for number, cells in enumerate((
            [{"scheme": "awf-b"}, {"scheme": "fsc:h=0.5,sigma=1"}],
            [{"scheme": "static", "master": "dedicated"},
             {"scheme": "gss:min=1", "master": "computing"}])):
        there = Directory(tmp_path / str(number))
        for cell in cells:
            more = {} if number == 0 else {
                "ranks": 3, "threads": 1, "transport": "master"}
            there.cell([0.4 * (1 + 0.001 * i) for i in range(10)], **cell,
                       **more, run={"serial_s": 0.7, "workers": 2})
        there.manifest()
        name = ("fsc", "gss")[number]
        assert f"the simplest is {name}" in answer(dlsbench, there.path)
        assert f"the simplest is {name}" in analysis("advise", there.path)[1]


@pytest.mark.parametrize("what, known", [
    ("schemes/schemes", labels.SCHEMES), ("kernels", labels.KERNELS),
    ("transports", labels.TRANSPORTS)])
def test_readers_know_all_names_in_their_order(what, known):
    path = next(ROOT.glob(f"*/{what}.def"), None) \
        or ROOT / f"harness/transport/{what}.def"
    assert [name.replace("_", "-") for name in re.findall(
        r"^[A-Z]+\((\w+)\)", path.read_text(), re.M)] == known


def test_long_names_are_whole_in_the_answer(dlsbench, tmp_path):
    scheme = "auto:by=trial,schemes=" + "+".join(["css:chunk=16"] * 8) \
        + ",change=0.1"
    there = Directory(tmp_path / "d")
    there.cell([0.4, 0.401], scheme=scheme, run={"serial_s": None})
    there.manifest()
    out = dlsbench("summary", there.path).out
    assert scheme in out.split("Answers")[1]
    assert "one core" not in out  # libdls has no serial loop


def test_the_legend_explains_what_is_there(dlsbench, tmp_path):
    path = made(tmp_path / "d", APART, 0.4)
    out = " ".join(dlsbench("summary", path).out.split())
    assert "; +/- half the 95 % interval of the median; t/bound" in out
    assert "below 1 where" not in out and "no +/-" not in out
    there = Directory(tmp_path / "one")
    there.cell([0.4], run={"serial_s": 0.7, "bound_s": None})
    there.manifest()
    out = " ".join(dlsbench("summary", there.path).out.split())
    assert "half the 95 %" not in out and "t/bound:" not in out
    assert "no +/- with fewer than 6 repetitions" in out


def test_what_others_took_explains_a_difference(dlsbench, tmp_path):
    """No scheme is slower by what other processes took from it."""
    path = made(tmp_path / "a", [0.4, 0.42, 0.6], 0.7, others=0.3,
                others_max=0.1)
    summary = dlsbench("summary", path)
    assert "other processes had 30 % of the cores" in summary.out
    assert stars(summary.out, "=") == SCHEMES[:2]
    assert "other processes had 30 % of the cores" in answer(dlsbench, path)
    code, advice, err = analysis("advise", path)
    assert "apart from it: gss:min=1 over shared, flat, 1x2; 1 by no more " \
        "than other processes took" in advice
    assert "other processes had 30 % of the cores" in err


def test_every_reader_takes_the_same_difference_for_others(dlsbench, tmp_path):
    """That of the medians, not the middle of all pairs."""
    there = Directory(tmp_path / "d")
    for scheme, times in ((SCHEMES[0], 6 * [0.10] + 4 * [0.05]),
                          (SCHEMES[1], 6 * [0.12] + 4 * [0.13])):
        there.cell([t + 1e-5 * i for i, t in enumerate(times)], scheme=scheme,
                   run={"serial_s": 0.17, "others": 0.0,
                        "others_max_s": 0.025, "bound_s": 0.04})
    there.manifest()
    assert stars(dlsbench("summary", there.path).out, "=") == SCHEMES[:2]
    says = "these runs are too few, or vary too much"
    assert says in answer(dlsbench, there.path)
    assert says in analysis("advise", there.path)[1]


def test_a_load_that_was_asked_for_is_no_surprise(dlsbench, tmp_path):
    path = made(tmp_path / "a", [0.4, 0.42, 0.6], 0.7, others=0.3,
                others_max=0.1, load="w1:1")
    assert "other processes" not in dlsbench("summary", path).out
    assert "other processes" not in analysis("advise", path)[2]


def test_earlier_directories_have_a_serial_loop(tmp_path):
    """Native cells beside simulated ones, without numbers of passes."""
    out = analysis("tables", ROOT / "tests/integration/stored", "--table",
                   "speedup")[1]
    assert ("Speedup: adjoint\n  over the serial loop of this program, "
            "3.710 us") in out
    assert "refused" not in out


def test_the_serial_loop_takes_turns(dlsbench, lasting):
    result = dlsbench("run", "--kernel", lasting(0.05), "--scheme", "gss",
                      "--ranks", 2, "--threads", 1, "--oversubscribe",
                      "--repetitions", 8, "--ci", 1)
    assert result.code == 0, result.err
    runs = result.runs()
    passes = [run["serial_pass"] for run in runs]
    assert passes == sorted(passes) and passes[0] <= 2
    assert len(set(passes)) >= 3
    times = {run["serial_pass"]: run["serial_s"] for run in runs}
    assert len(set(times.values())) == len(times)
    # Ranks that share cores take them from each other.
    if runs[0]["oversubscribed"]:
        assert all(run["others"] is None for run in runs)
    for worker in result.lines("workers"):
        assert 0 < worker["cpu_s"] <= worker["span_s"] * 1.01
        assert worker["others_s"] is None or \
            0 <= worker["others_s"] <= worker["span_s"]
        assert worker["displaced"] >= 0


def loaded(dlsbench, lasting, tmp_path, word):
    """A run while all cores are busy, in these parts of it."""
    launcher = tmp_path / "busy.py"
    launcher.write_text(BUSY)
    result = dlsbench(
        "run", "--kernel", lasting(0.4), "--scheme", "ss", "--threads", 2,
        "--repetitions", 6, "--repetitions-max", 6, "--launcher",
        shlex.join([sys.executable, str(launcher), word]) + " {ranks}")
    assert result.code == 0, result.err
    runs = result.runs()
    if runs[0]["others"] is None:
        pytest.skip("the system does not say what others have")
    return result, runs


def mean(runs, name):
    values = [run[name] for run in runs if run[name] is not None]
    return sum(values) / len(values)


@pytest.mark.skipif(os.environ.get("MPI") == "openmpi", reason="mpiexec.mpich")
def test_load_beside_the_serial_loop(dlsbench, lasting, tmp_path):
    """Whatever the machine does besides: either the speedup can be, or it is
    refused and other processes are the cause."""
    result, runs = loaded(dlsbench, lasting, tmp_path, "@serial")
    later = [run for run in runs if run["serial_pass"] > 1]
    assert mean(later, "serial_others") > 0.2
    serial = sorted({run["serial_s"] for run in runs})
    best = serial[0] / max(run["time_s"] for run in runs)
    if best > 2:
        flat = " ".join(result.out.split())
        assert " refused " in flat and not stars(result.out, "*=")
        assert "of the core of the serial loop" in flat


@pytest.mark.skipif(os.environ.get("MPI") == "openmpi", reason="mpiexec.mpich")
def test_load_beside_the_cells(dlsbench, lasting, tmp_path):
    result, runs = loaded(dlsbench, lasting, tmp_path, "@rep")
    assert mean(runs, "others") > 0.2
    share = re.search(r"other processes had (\d+) % of the cores", result.out)
    assert share and int(share[1]) > 20
    assert " refused " not in result.out
    for worker in result.lines("workers"):
        assert worker["displaced"] > 0


# As a BLAS that was built with OpenMP does.
THREADED = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *wait_for_work(void *unused) { for (;;) pause(); return unused; }
void cblas_dgemm(void)
{
    pthread_t helper;
    if (getenv("HELPERS") != NULL)
        pthread_create(&helper, NULL, wait_for_work, NULL);
}
"""


def test_a_kernel_that_starts_threads_is_refused(dlsbench, tmp_path,
                                                 monkeypatch):
    """Its workers would share cores with them, and nobody would be told."""
    (tmp_path / "libmyblas.c").write_text(THREADED)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "libmyblas.so",
                    "libmyblas.c"], cwd=tmp_path, check=True)
    monkeypatch.setenv("LD_PRELOAD", str(tmp_path / "libmyblas.so"))
    args = ("run", "--kernel", "matmul:tasks=2,min=20,max=30", "--scheme",
            "ss", "--repetitions", 2, "--repetitions-max", 2)
    wrong = dlsbench(*args)  # it computes nothing, and starts nothing
    assert wrong.code == 1 and "matmul itself starts" not in wrong.err
    monkeypatch.setenv("HELPERS", "1")
    refused = dlsbench(*args, "--out", f"{tmp_path}/b/", out="b")
    assert refused.code == 1
    assert "kernel matmul itself starts 1 thread" in refused.err
    assert "libmyblas.so" in refused.err and "OMP_NUM_THREADS=1" in refused.err
