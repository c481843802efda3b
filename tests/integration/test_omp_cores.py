"""dlsbench omp: threads that share cores are the first line of the report,
with the cause, and no schedule is said to help."""
import json
import os
import subprocess

import pytest

from conftest import ROOT, launcher, quota

pytestmark = pytest.mark.measures

DLSBENCH = ROOT / "build/dlsbench"
UNEVEN = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    double sum[64] = {0};
    #pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 64; i++)
        for (volatile int k = 0; k < i * 20000; k++)
            sum[i] += k;
    if (threads > 0) {
        #pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int i = 0; i < 64; i++)
            sum[i] += 1;
    }
    return sum[63] < 0;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    (folder / "uneven.c").write_text(UNEVEN)
    for name, compiler in (("libgomp", "gcc"), ("libomp", "clang")):
        subprocess.run([compiler, "-O1", "-fopenmp", "-o", folder / name,
                        folder / "uneven.c"], check=True)
    return folder


def report(*words, before=(), **variables):
    env = {key: value for key, value in os.environ.items()
           if not key.startswith(("OMP_", "GOMP_", "KMP_"))}
    result = subprocess.run(
        [*before, DLSBENCH, "omp", "--scheme", "static", *words],
        env=env | {"OMP_SCHEDULE": "static"} | variables, check=True,
        capture_output=True, text=True, timeout=120)
    return result.stderr


def first_cores():
    return sorted(os.sched_getaffinity(0))[:2]


def is_refused(text, begin):
    assert text.startswith(f"dlsbench omp: {begin}"), text
    assert "Until then no schedule can be judged" in text
    assert "up to" not in text and "--scheme" not in text, text
    assert "% of the program" not in text, text


@pytest.mark.parametrize("runtime", ["libgomp", "libomp"])
def test_one_core(programs, runtime, tmp_path):
    core = first_cores()[0]
    pinned = ["taskset", "-c", str(core)]
    text = report("--out", tmp_path / "r", "--", programs / runtime,
                  before=pinned, OMP_NUM_THREADS="2")
    is_refused(text, "2 threads share 1 core: the affinity mask allows "
                     f"processor {core}, OMP_NUM_THREADS is 2.\n")
    assert "set OMP_NUM_THREADS=1." in text
    rows = [json.loads(line) for file in (tmp_path / "r").glob("runs-*")
            for line in file.read_text().splitlines()]
    assert {row["oversubscribed"] for row in rows if row["type"] == "run"} == {
        True}
    # A script in between.
    text = report("--", *pinned, programs / runtime, OMP_NUM_THREADS="2")
    is_refused(text, "2 threads share 1 core: the affinity mask allows")
    # One thread on purpose.
    text = report("--", programs / runtime, before=pinned,
                  OMP_NUM_THREADS="1")
    assert "share" not in text.split("\n")[0]


@pytest.mark.parametrize("runtime", ["libgomp", "libomp"])
def test_places(programs, runtime):
    if len(first_cores()) < 2:
        pytest.skip("one core")
    first, second = first_cores()
    text = report("--", programs / runtime, OMP_NUM_THREADS="2",
                  OMP_PLACES="{%d}" % first)
    is_refused(text, "2 threads share 1 core: the affinity mask or OMP_PLACES "
                     f"allows processor {first}")
    for places in ("cores", "{%d},{%d}" % (first, second)):
        text = report("--", programs / runtime, OMP_NUM_THREADS="2",
                      OMP_PLACES=places, OMP_PROC_BIND="close",
                      before=["taskset", "-c", f"{first},{second}"])
        assert not text.startswith("dlsbench omp: 2 threads"), text


def test_the_program_itself(programs):
    core = first_cores()[0]
    text = report("--", programs / "libgomp", "3",
                  before=["taskset", "-c", str(core)])
    is_refused_loop = "not judged: its threads share cores"
    assert text.startswith("dlsbench omp: 3 threads share 1 core: the "
                           f"affinity mask allows processor {core}, the "
                           "program asks for 3 threads.\n"), text
    assert text.count(is_refused_loop) == 1 and "ask for 1 in the" in text


def test_ranks(programs):
    first = first_cores()[0]
    text = report("--", *launcher("2"), programs / "libgomp",
                  before=["taskset", "-c", str(first)])
    assert text.startswith("dlsbench omp: 2 threads of 2 ranks share 1 core: "
                           ), text
    assert "start fewer ranks" in text
    # Not where others have ended.
    program = programs / "libgomp"
    one = f"PMI_RANK=0 {program}"
    text = report("--", "sh", "-c", f"{one}; PMI_RANK=1 {program}; {one}",
                  before=["taskset", "-c", str(first)], OMP_NUM_THREADS="1")
    assert "share" not in text.split("\n")[0], text


def test_quota(programs):
    first, second = (first_cores() * 2)[:2]
    with quota(1) as inside:
        text = report("--", programs / "libgomp", before=inside,
                      OMP_NUM_THREADS="2")
    assert text.startswith("dlsbench omp: 2 threads share 1 core"), text
    if first != second:
        is_refused(text, "2 threads share 1 core: the CPU quota is 1\n  (")
        assert "Raise the quota to 2, or set OMP_NUM_THREADS=1." in text


BESIDE = """
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
static void *begin(void *own)
{
    for (int v = 0; v < 3; v++) {
        #pragma omp parallel for schedule(runtime) num_threads(*(int *)own)
        for (int i = 0; i < 40; i++)
            usleep(2000);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    int threads = THREADS;
    pthread_t other;
    (void)argv;
    omp_set_max_active_levels(2);
    if (argc > 1) {
        #pragma omp parallel num_threads(CORES)
        begin(&threads);
        return 0;
    }
    for (int i = 1; i < CORES; i++)
        pthread_create(&other, NULL, begin, &threads);
    begin(&threads);
    pthread_join(other, NULL);
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("how", ["side by side", "in one another"])
def test_teams_that_are_open_at_a_time(compiler, how, tmp_path):
    """Each has as many threads as there are cores."""
    (tmp_path / "b.c").write_text(BESIDE)
    cores = first_cores()
    if len(cores) < 2:
        pytest.skip("one core")
    for threads in 2, 1:
        subprocess.run([compiler, "-fopenmp", "-pthread", "-DCORES=2",
                        f"-DTHREADS={threads}", "b.c", "-o", "b"],
                       cwd=tmp_path, check=True)
        text = report("--", tmp_path / "b", *(["in"] if how[0] == "i" else []),
                      before=["taskset", "-c", ",".join(map(str, cores))])
        if threads == 2:
            is_refused(text, "teams that are open at a time share 2 cores: ")
            assert "give each team 1 (" in text
            assert "not judged: its threads share cores" in text
        else:
            assert "share" not in text.split("\n")[0]


SEVERAL = """
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}
static void child(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (core >= 0)
        sched_setaffinity(0, sizeof(set), &set);
    if (core < -1)
        usleep(-1000 * core);
    #pragma omp parallel num_threads(THREADS)
    for (double begun = now(); now() < begun + 0.3;)
        ;
    END(0);
}
int main(int argc, char **argv)
{
    int turns = atoi(argv[1]); /* one after another */
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() == 0)
            child(argc > 2 + i ? atoi(argv[2 + i]) : -1);
        if (turns)
            wait(NULL);
    }
    while (wait(NULL) > 0)
        ;
    #pragma omp parallel num_threads(THREADS)
    usleep(1000);
}
"""


@pytest.mark.parametrize("end", ["exit", "_exit"])
def test_processes_that_run_at_a_time(end, tmp_path):
    """Of those one after another, and of those on different cores, none share;
    nor do those that wait for their children."""
    cores = first_cores()
    if len(cores) < 2:
        pytest.skip("one core")
    (tmp_path / "s.c").write_text(SEVERAL)

    def told(threads, children, turns, *places):
        subprocess.run(["gcc", "-fopenmp", f"-DTHREADS={threads}",
                        f"-DCHILDREN={children}", f"-DEND={end}",
                        "s.c", "-o", "s"], cwd=tmp_path, check=True)
        return report("--", tmp_path / "s", turns, *map(str, places),
                      before=["taskset", "-c", ",".join(map(str, cores))])

    for children, mend in (4, "begin fewer of them at a time."), (
            2, "at a time, or give each team 1 (OMP_NUM_THREADS"):
        text = told(2, children, "0")
        assert text.startswith("dlsbench omp: processes that run at a time "
                               "share 2 cores: "), text
        assert mend in text and "Answer: threads share cores" in text
    text = told(1, 4, "0", cores[0], cores[0], cores[1], cores[0])
    assert text.startswith("dlsbench omp: processes that run at a time share "
                           "1 core: "), text
    # Nor does one whose teams may all be open when the other has ended.
    for text in (told(2, 4, "1"), told(1, 2, "0", *cores),
                 told(2, 2, "0", -1, -400)):
        assert "share" not in text.split("\n")[0], text
        assert "Answer: threads share cores" not in text
