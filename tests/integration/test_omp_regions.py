"""dlsbench omp: what is seen of regions without a loop that has a schedule,
how programs end inside of them, and what one sentence says of it all."""
import html
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import ROOT, eventually

pytestmark = pytest.mark.measures

DLSBENCH = ROOT / "build/dlsbench"
LIBRARY = ROOT / "build/lib/libdls-omp.so"
COMPILERS = {"gcc": ["gcc"], "gcc-O0": ["gcc", "-O0"],
             "g++": ["g++", "-x", "c++"], "clang": ["clang"],
             "clang++": ["clang++", "-x", "c++"]}
EXPECTED = """tasks 1225
recursion 987
depends 7
taskloop 4950
sections 3
inner 7
single 14
locked 820
critical 780
ordered 780
team 4950
parts 2
nested 6
"""


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """The program by compiler."""
    folder = tmp_path_factory.mktemp("kinds")

    def program(how):
        path = folder / how
        if not path.exists():
            subprocess.run([*COMPILERS[how], "-O2" if "-" not in how else "-w",
                            "-g", "-fopenmp", ROOT / "tests/omp/kinds.c", "-o",
                            path], check=True)
        return path
    return program


def run(words, **variables):
    env = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2",
           **variables}
    return subprocess.run([str(x) for x in words], env=env, timeout=120,
                          capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def compiled(folder, name, text, *flags):
    """Makes folder/name, by gcc of folder/name.c with this text."""
    (folder / f"{name}.c").write_text(text)
    subprocess.run(["gcc", "-fopenmp", f"{name}.c", "-o", name, *flags],
                   cwd=folder, check=True)


def omp(*words, **variables):
    return run([DLSBENCH, "omp", "--", *words], **variables)


def parts(text):
    """Of the tables: (function, line) to (what, threads, visits, time, share,
    imbalance, saves, in mutexes, idle)."""
    found = {}
    for line in text.splitlines():
        cells = re.split(r" {2,}", line.strip())
        name = re.match(r"(\S+) \S+?:(\d+)( to the end)?$", cells[0])
        if len(cells) == 10 and name:
            found[name[1], int(name[2]), bool(name[3])] = cells[1:]
    return found


def of(text, function):
    """The row of a function that takes longest."""
    return next(row for (name, *_), row in parts(text).items()
                if name == function)


def percent(cell):
    return float(cell.split()[0])


def answer(done):
    return next(x for x in done.stderr.splitlines()
                if x.startswith("Answer: "))


def no_advice(text):
    """No word of static loops that are compiled in."""
    assert "compile" not in text and "schedule(runtime)" not in text
    assert "--suggest" not in text


@pytest.mark.parametrize("how", COMPILERS)
def test_all_kinds_run_as_before(kinds, how, tmp_path):
    for threads in "1", "2", "3":
        plain = run([kinds(how)], OMP_NUM_THREADS=threads)
        assert plain.stdout == EXPECTED
        for counts in False, True:
            more = {"DLS_OMP_COUNTERS": str(tmp_path)} if counts else {}
            done = run([kinds(how)], OMP_NUM_THREADS=threads,
                       LD_PRELOAD=str(LIBRARY), **more)
            assert (done.returncode, done.stdout, done.stderr) == (
                0, EXPECTED, "")


def test_tasks_are_counted_and_timed(kinds):
    done = omp(kinds("gcc"), "tasks")
    assert done.stdout == "tasks 1225\n"
    what, threads, visits, *_ = of(done.stderr, "tasks")
    assert (what, threads, visits) == ("tasks, single", "2", "1")
    assert re.search(r"tasks kinds.c:\d+: 50 tasks of [\d.]+ us in the mean",
                     done.stderr)
    no_advice(done.stderr)
    for name, count in ("recursion", 3192), ("depends", 3):
        done = omp(kinds("gcc"), name)
        assert f": {count} tasks of " in done.stderr
        no_advice(done.stderr)
    done = omp(kinds("gcc"), "taskloop")
    assert of(done.stderr, "taskloop")[0] == "taskloop, single"
    assert ": 10 tasks of " in done.stderr


def test_sections_are_seen_with_their_idle_threads(kinds):
    def attempt():
        done = omp(kinds("gcc"), "sections")
        what, threads, visits, *_, idle = of(done.stderr, "sections")
        assert (what, threads, visits) == ("sections", "2", "1")
        assert ": 2 sections of " in done.stderr
        no_advice(done.stderr)
        if "this run cannot tell" in answer(done):
            return False
        assert "threads are idle" in answer(done)
        return abs(percent(idle) - 45) < 5
    eventually(attempt)
    done = omp(kinds("gcc"), "inner")
    assert of(done.stderr, "inner")[0] == "sections"
    assert ": 3 sections of " in done.stderr


def test_one_thread_has_nothing_to_schedule(kinds):
    for how in "gcc", "clang":
        done = omp(kinds(how), "team")
        assert of(done.stderr, "team")[1] == "1"
        assert answer(done) == ("Answer: the team has one thread: nothing to "
                                "schedule")
        no_advice(done.stderr)


def test_parts_between_barriers_are_judged_by_themselves(kinds):
    """300 and 100 ms before the barrier, 200 and 200 behind it."""
    def attempt(how):
        done = omp(kinds(how), "parts")
        first, second = parts(done.stderr).items()
        assert first[0][2] is False and second[0][2] is True
        assert "balance would save" in done.stderr
        share, imbalance, saves = map(percent, first[1][4:7])
        return (abs(imbalance - 50) < 5 and percent(second[1][5]) < 5 and
                abs(saves - share / 3) < 5)
    for how in "gcc", "clang":
        eventually(lambda how=how: attempt(how))


def test_single_and_master_get_no_advice_to_balance(kinds):
    """Of gcc's the code says that it is master's."""
    for how in "gcc", "gcc-O0", "clang":
        done = omp(kinds(how), "single")
        rows = [row for row in parts(done.stderr).values()
                if "single" in row[0] or "master" in row[0]]
        assert len(rows) >= 2 and rows[-1][0] == "master", how
        assert all(row[6] == "-" for row in rows)


@pytest.mark.parametrize("how", ["gcc", "clang"])
@pytest.mark.parametrize("name, kind", [("critical", "critical"),
                                        ("locked", "lock"),
                                        ("ordered", "ordered")])
def test_waiting_for_one_another_is_the_loss(kinds, how, name, kind):
    done = omp(kinds(how), name)
    row = of(done.stderr, "in_order" if kind == "ordered" else name)
    assert kind in row[0]
    assert percent(row[7]) + percent(row[8]) > 30 and percent(row[7]) > 5
    assert re.search(r"mutex at \S+ kinds.c:\d+: \d+ calls", done.stderr)
    where = kind + " sections" if kind == "ordered" else \
        "critical sections or locks"
    assert f"threads wait for one another in {where}" in answer(done)
    no_advice(done.stderr)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_schedule_that_is_there_needs_no_suggestion(tmp_path, compiler):
    """The patch leaves such loops as they are."""
    (tmp_path / "s.c").write_text(
        "#include <unistd.h>\nint main(void)\n{\n"
        "#pragma omp parallel for schedule(static, 20)\n"
        "    for (int i = 0; i < 40; i++)\n        usleep(i * 200);\n}\n")
    subprocess.run([compiler, "-fopenmp", "-g", "-O2", tmp_path / "s.c", "-o",
                    tmp_path / "s"], check=True)
    done = omp(tmp_path / "s")
    assert answer(done).endswith(" to gain in main s.c:4: it can have "
                                 "schedule(runtime) in place of its own")
    assert "--suggest" not in done.stderr


TASKS = r"""
#include <unistd.h>
static inline __attribute__((always_inline)) void locked(void)
{
#pragma omp critical
    usleep(1500);
}
int main(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task
        {
            usleep(500);
            if (i % 2)
                locked();
            else
                locked();
        }
    }
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_waiting_of_tasks_is_that_of_their_part(tmp_path, compiler):
    """Most of them run while their threads are at the barrier.  The compiler
    makes two calls of one."""
    (tmp_path / "t.c").write_text(TASKS)
    subprocess.run([compiler, "-fopenmp", "-g", "t.c", "-o", "t"],
                   cwd=tmp_path, check=True)
    done = omp(tmp_path / "t")
    row = of(done.stderr, "main")
    (waiting,) = re.findall(r"mutex at .*, ([\d.]+) % of", done.stderr)
    assert percent(row[7]) > 20
    assert float(waiting) == pytest.approx(percent(row[7]), abs=1)
    assert re.search(r"100 tasks of .* at most; threads wait for one another "
                     r".*: no schedule changes that\n", done.stderr)


def test_more_of_tiny_tasks_is_no_advice(tmp_path):
    """One thread is faster than two."""
    compiled(tmp_path, "tiny", (
        "long n;\nint main(void) {\n#pragma omp parallel\n"
        "#pragma omp single\nfor (int i = 0; i < 100000; i++)\n"
        "#pragma omp task\n__atomic_fetch_add(&n, i, 0);\n}\n"),
             "-g", "-O2")

    def attempt():
        said = omp(tmp_path / "tiny").stderr
        assert "more and shorter tasks" not in said
        idle, advice = re.search(
            r"100000 tasks of .* in the mean, .* idle ([\d.]+) % of their "
            "time(.*)", said).groups()
        return None if float(idle) < 5 else \
            advice == ": fewer and longer tasks, or one thread, may help"
    eventually(attempt)


def test_fewer_threads_are_tried_where_one_works_at_a_time(tmp_path):
    compiled(tmp_path, "one", (
        "#include <unistd.h>\nint main(void) {\n#pragma omp parallel for\n"
        "for (int i = 0; i < 40; i++)\n#pragma omp critical\n"
        "usleep(2000);\n}\n"), "-g")

    def attempt():
        said = omp(tmp_path / "one").stderr
        return re.search(
            r"Answer: .*threads wait for one another in critical sections or "
            r"locks \d\d % of their time; fewer threads may be as fast: see "
            r"the next line \(about .*\)\n .*dlsbench omp --try threads -- ",
            said) is not None
    eventually(attempt)


def test_a_critical_section_in_a_loop_is_the_loops_loss(tmp_path):
    compiled(tmp_path, "lock", (
        "#include <unistd.h>\nint main(void) {\n"
        "#pragma omp parallel for schedule(dynamic, 4)\n"
        "for (int i = 0; i < 40; i++) {\n#pragma omp critical\n"
        "usleep(2000);\n}\n}\n"), "-g")
    done = omp(tmp_path / "lock")
    assert re.search(r"main lock.c:\d+: threads wait for one another",
                     done.stderr)
    assert "in critical sections or locks" in answer(done)
    assert re.match(r"dlsbench omp: [\d.]+ of \d+ cores? used ", done.stderr)


@pytest.mark.parametrize("how, code, said", [
    ("abort", -signal.SIGABRT, "ended by SIGABRT"),
    ("9", -signal.SIGKILL, "ended by SIGKILL"),
    ("11", -signal.SIGSEGV, "ended by SIGSEGV"),
    ("15", -signal.SIGTERM, "ended by SIGTERM"),
    ("exit", 3, "ended by exit inside of a region"),
    ("_exit", 4, "ended by _exit"),
    ("exec", 0, "ended by exec of another program")])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_what_is_open_at_the_end_is_counted(kinds, compiler, how, code, said):
    done = omp(kinds(compiler), "none", how)
    assert done.returncode == code
    assert said in done.stderr
    time, unit = re.search(r"not over when the program ended: ([\d.]+) (m?s) ",
                           done.stderr).groups()
    assert float(time) > {"ms": 150, "s": 0.15}[unit]
    assert f"not over when the program {said}" in answer(done)
    assert "at most" not in done.stderr


def test_an_open_region_that_is_no_loop_is_named(tmp_path):
    compiled(tmp_path, "open", (
        "#include <signal.h>\n#include <unistd.h>\nint main(void) {\n"
        "#pragma omp parallel sections\n{\n#pragma omp section\n"
        "usleep(300000), raise(SIGTERM);\n#pragma omp section\n"
        "usleep(1000000);\n}\n}\n"), "-g")
    done = omp(tmp_path / "open")
    assert done.returncode == -signal.SIGTERM
    assert of(done.stderr, "main")[0] == "sections"
    assert "not over when the program ended by SIGTERM" in answer(done)


BUSY = r"""
#include <math.h>
#include <stdio.h>
static double a[3000];
int main(void)
{
    for (int r = 0; r < 40; r++)
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 3000; i++)
            for (int j = 0; j < i; j++)
                a[i] += sqrt(j);
    printf("%g\n", a[2999]);
}
"""


def test_what_others_took_is_no_fault_of_the_schedule(tmp_path):
    """Another process on every core."""
    compiled(tmp_path, "busy", BUSY, "-O2", "-g", "-lm")
    load = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
            for _ in os.sched_getaffinity(0)]
    try:
        done = omp(tmp_path / "busy", OMP_SCHEDULE="dynamic")
    finally:
        for process in load:
            process.kill()
            process.wait()
    assert "single iterations" not in done.stderr
    lost = re.search(r"threads or processes had the cores for ([\d.]+) %",
                     done.stderr)
    assert float(lost[1]) > 20
    assert "to gain" not in answer(done)


FIRST = r"""
#include <unistd.h>
static void part(int i) { usleep(i < 25 ? 800 : 50); }
static void apart(void)
{
#pragma omp for schedule(dynamic, 25)
    for (int i = 0; i < 100; i++)
        part(i);
}
int main(void)
{
    for (int t = 0; t < 5; t++) {
#pragma omp parallel for schedule(dynamic, 25)
        for (int i = 0; i < 100; i++)
            part(i);
#pragma omp parallel
        apart();
    }
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_first_chunk_of_a_visit_is_timed(tmp_path, compiler):
    """It is the longest here."""
    (tmp_path / "first.c").write_text(FIRST)
    subprocess.run([compiler, "-O2", "-g", "-fopenmp", "first.c", "-o",
                    "first"], cwd=tmp_path, check=True)
    done = run([DLSBENCH, "omp", "--format", "json", "--", tmp_path / "first"])
    loops = [row for row in json.loads(done.stdout)["rows"]
             if row["row"] == "loop"]
    assert len(loops) == 2
    for loop in loops:
        assert loop["chunk_cv"] > 0.5, loop
        # A thread that computes all the time is timed all the time.
        assert loop["chunk_s"] * loop["chunks"] > 0.9 * loop["time_s"], loop


LATE = r"""
#include <omp.h>
#include <unistd.h>
static double a[2000];
int main(void)
{
    for (int t = 0; t < 5; t++)
#pragma omp parallel
    {
        if (omp_get_thread_num() == 1)
            usleep(50000);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 2000; i++)
            for (int k = 0; k < 2000; k++)
                a[i] += 1.0 / (k + 1);
    }
}
"""


def test_a_thread_that_begins_late_is_no_fault_of_the_schedule(tmp_path):
    """A loop ends no earlier than its last thread begins; without that
    thread's own work it would end then."""
    compiled(tmp_path, "late", LATE, "-O1", "-g")
    done = omp(tmp_path / "late", OMP_SCHEDULE="static")
    row = next(line for line in done.stderr.splitlines()
               if re.match(r" +main late.c:\d+ +runtime", line))
    share, imbalance, saves = map(float, re.findall(r"([\d.]+) %", row)[:3])
    assert share > 50 and imbalance <= 100 and saves < 40


def test_many_short_regions_are_not_called_serial(tmp_path):
    compiled(tmp_path, "short", (
        "int a;\nint main(void) {\nfor (int k = 0; k < 200000; k++)\n"
        "#pragma omp parallel num_threads(1)\n"
        "__atomic_fetch_add(&a, 1, 0);\n}\n"), "-g")
    said = answer(omp(tmp_path / "short"))
    assert "fewer and longer regions may help" in said
    assert "serial" not in said


# Which of the two is more depends on the machine; both try one thread.
BRIEF = (r"Answer: up to \d+ % to gain in main .*; its threads compute [\d.]+ "
         r"us in a visit, so one thread may be faster: see the next line "
         r"\(about .*\)\n .*dlsbench omp ")
ENDS = (r"Answer: up to \d\d % of the time is for beginning and ending {} "
        r"parallel regions, [\d.]+ us each: fewer and longer regions help, or "
        r"one thread: see the next line \(about .*\)\n .*dlsbench omp "
        "--try threads -- ")


def test_beginning_and_ending_tiny_regions_is_an_answer(tmp_path):
    """One thread takes a small part of the time of two."""
    compiled(tmp_path, "tiny", (
        "double a[64];\nint main(void) {\nfor (int k = 0; k < 30000; k++)\n"
        "#pragma omp parallel for schedule(runtime)\n"
        "for (int i = 0; i < 64; i++) a[i] = a[i] / 2 + i;\n"
        "return a[63] < 0;\n}\n"), "-g", "-O2")

    def attempt():
        done = omp(tmp_path / "tiny", OMP_SCHEDULE="static")
        assert "smaller chunks" not in done.stderr
        return any(re.search(one, done.stderr) for one in (
            ENDS.format(30000), BRIEF + "--try [^ ]*,threads -- "))
    eventually(attempt)
    done = omp(tmp_path / "tiny", OMP_NUM_THREADS="1", OMP_SCHEDULE="static")
    assert answer(done) == \
        "Answer: the team has one thread: nothing to schedule"


@pytest.mark.parametrize("how, command", [
    ("gcc", "--try fss,tss,ss,last-first,threads --loops static -- "),
    ("clang", "--try threads -- ")])
def test_one_thread_is_tried_for_tiny_static_loops(tmp_path, how, command):
    """Iterations of one thread only: the gain of a schedule is large, and that
    of one thread is larger."""
    (tmp_path / "a.c").write_text(
        "double a[64];\nint main(void) {\nfor (int k = 0; k < 20000; k++)\n"
        "#pragma omp parallel for\n"
        "for (int i = 0; i < 64; i++)\n"
        "for (int j = 0; j < 10 * (i < 32); j++) a[i] = a[i] / 2 + i;\n"
        "return a[63] < 0;\n}\n")
    subprocess.run([*COMPILERS[how], "-fopenmp", "-O2", "-g", "a.c", "-o",
                    "brief"], cwd=tmp_path, check=True)

    def attempt():
        said = omp(tmp_path / "brief").stderr
        if "ther threads or processes had the cores" in said:
            return None
        return any(re.search(one, said) for one in (
            BRIEF + command, ENDS.format(20000)))
    eventually(attempt)


def test_most_of_a_serial_program_is_outside(tmp_path):
    compiled(tmp_path, "serial", (
        "#include <unistd.h>\nint main(void) {\nusleep(300000);\n"
        "#pragma omp parallel for\n"
        "for (int i = 0; i < 2; i++) usleep(10000 * i);\n}\n"), "-g")

    def attempt():
        done = omp(tmp_path / "serial")
        assert ("% of the time is outside of parallel regions (serial): "
                "schedules cannot help") in answer(done) or "gain" in \
            answer(done)
        outside = float(re.search(r"([\d.]+) % of the time outside",
                                  done.stderr)[1])
        return 85 < outside < 99
    eventually(attempt)


def test_kinds_of_fortran(tmp_path):
    (tmp_path / "kinds.f90").write_text("""program main
  use omp_lib
  integer :: i, total
  total = 0
  !$omp parallel sections num_threads(2)
  !$omp section
  call work(20)
  !$omp section
  call work(2)
  !$omp end parallel sections
  !$omp parallel num_threads(2)
  !$omp single
  do i = 1, 10
    !$omp task firstprivate(i) shared(total)
    call work(1)
    !$omp atomic
    total = total + i
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  !$omp parallel do num_threads(2)
  do i = 1, 10
    !$omp critical
    call work(1)
    total = total + i
    !$omp end critical
  end do
  print '(i0)', total
contains
  subroutine work(ms)
    integer, intent(in) :: ms
    double precision :: began
    began = omp_get_wtime()
    do while (omp_get_wtime() - began < 1d-3 * ms)
    end do
  end subroutine
end program
""")
    subprocess.run(["gfortran", "-g", "-fopenmp", "kinds.f90", "-o", "kinds"],
                   cwd=tmp_path, check=True)
    done = omp(tmp_path / "kinds")
    assert (done.returncode, done.stdout) == (0, "110\n")
    whats = " ".join(row[0] for row in parts(done.stderr).values())
    for kind in "sections", "tasks", "critical":
        assert kind in whats
    assert "2 sections" in done.stderr and "10 tasks" in done.stderr


FIVE = r"""
#include <unistd.h>
#define ALONE __attribute__((noinline)) static void
ALONE rest(int ms) { usleep(1000 * ms); }
ALONE triangle(void)
{
#pragma omp parallel for
    for (int i = 0; i < 20; i++) rest(5 * i);
}
ALONE barrier(void)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 20; i++) rest(5 * i);
#pragma omp for
        for (int i = 0; i < 20; i++) rest(50);
    }
}
ALONE single(void)
{
#pragma omp parallel
    {
#pragma omp single
        rest(500);
#pragma omp for
        for (int i = 0; i < 20; i++) rest(25);
    }
}
ALONE master(void)
{
#pragma omp parallel
    {
#pragma omp master
        rest(500);
#pragma omp for nowait
        for (int i = 0; i < 20; i++) rest(25);
    }
}
ALONE critical(void)
{
#pragma omp parallel for
    for (int i = 0; i < 20; i++) {
#pragma omp critical
        rest(25);
    }
}
int main(void) { triangle(); barrier(); single(); master(); critical(); }
"""
# 225 and 725 ms of a triangle; 500 alone and 250 each of an even loop.
IMBALANCES = {"triangle": [52.6], "barrier": [52.6, 0], "single": [100, 0],
              "master": [50]}


@pytest.mark.parametrize("compiler, level", [("gcc", "-O0"), ("gcc", "-O2"),
                                             ("clang", "-O2")])
def test_five_regions_are_as_computed(tmp_path, compiler, level):
    """The end of a region alone says little: a triangle before a barrier."""
    (tmp_path / "five.c").write_text(FIVE)
    subprocess.run([compiler, level, "-g", "-fopenmp", "five.c", "-o", "five"],
                   cwd=tmp_path, check=True)

    def attempt():
        done = omp(tmp_path / "five")
        found = {}
        for (name, *_), row in parts(done.stderr).items():
            found.setdefault(name, []).append(row)
        assert "single" in " ".join(row[0] for row in found["single"])
        assert "master" in found["master"][0][0]
        assert "critical" in found["critical"][0][0]
        assert all(row[6] == "-" for name in ("master", "critical")
                   for row in found[name])
        assert percent(found["critical"][0][7]) > 20
        return all(abs(a - percent(row[5])) < 5
                   for name, numbers in IMBALANCES.items()
                   for a, row in zip(numbers, sorted(
                       found[name], key=lambda row: -percent(row[5]))))
    eventually(attempt)


def test_several_processes_have_one_summary_and_one_answer(kinds, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n" + f"{kinds('gcc')} team\n" * 7)
    script.chmod(0o755)
    lines = omp(script).stderr.splitlines()
    assert lines[0].startswith("dlsbench omp: ")
    assert " cores used " in lines[0] and lines[0].endswith("; 7 processes")
    assert sum(", process " in line for line in lines) == 7
    done = omp(*["sh", "-c", f"for i in 1 2 3; do {kinds('gcc')} parts; done"])
    table = done.stderr[:done.stderr.index(", process ")]
    found = re.findall(r"^  parts \S+:\d+( to the end)? +static +3 +3 ", table,
                       re.M)
    assert sorted(found) == ["", " to the end"], table
    assert [x for x in lines if x.startswith("Answer: ")] == lines[-1:]


FORKS = r"""
#include <sys/wait.h>
#include <unistd.h>
static void loop(void)
{
#pragma omp parallel for schedule(dynamic, 10)
    for (int i = 0; i < 40; i++)
        usleep(i < 30 ? 1000 : 20000);
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            loop();
            if (argc > 1)
                usleep(600000);
            _exit(0);
        }
        if (argc == 1)
            wait(NULL);
    }
    while (wait(NULL) > 0)
        continue;
    if (argc == 1)
        loop();
}
"""


def test_waiting_for_children_is_not_serial(tmp_path):
    """A child that ends by _exit does not say when."""
    compiled(tmp_path, "forks", FORKS, "-g")
    done = omp(tmp_path / "forks")
    outside = re.search(r"([\d.]+) % of the time outside", done.stderr)
    assert float(outside[1]) < 20, done.stderr
    gain = re.match(r"Answer: up to (\d+) % to gain", answer(done))
    assert 30 < int(gain[1]) < 50, done.stderr


def test_processes_side_by_side_gain_at_the_same_time(tmp_path):
    """Their loops are short, so that they share no cores in the mean."""
    compiled(tmp_path, "forks", FORKS, "-g")
    done = omp(tmp_path / "forks", "together")
    assert "; 3 processes" in done.stderr
    gain = re.match(r"Answer: up to (\d+) % to gain", answer(done))
    assert 7 < int(gain[1]) < 20, done.stderr


OUTLIVES = r"""
#include <unistd.h>
static volatile double sum[2][8];
static void loop(int threads, int count)
{
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < count; i++)
        sum[i & 1][0] += 1;
}
int main(void)
{
    loop(2, 100000000);
    if (fork() == 0) {
        usleep(50000);
        if (fork() == 0)
            loop(1, 100000);
        _exit(0);
    }
}
"""


def test_a_process_that_begins_after_the_end_is_no_serial_time(tmp_path):
    """Nor are threads that wait actively."""
    compiled(tmp_path, "outlives", OUTLIVES, "-g")
    done = omp(tmp_path / "outlives")
    assert "; 2 processes" in done.stderr
    outside = re.search(r"([\d.]+) % of the time outside", done.stderr)
    assert float(outside[1]) < 30, done.stderr


def test_the_command_of_the_answer_can_be_copied(tmp_path):
    """Also where the program's words have blanks and quotes."""
    compiled(tmp_path, "gain", (
        "#include <unistd.h>\nint main(void) {\n"
        "#pragma omp parallel for schedule(dynamic, 10)\n"
        "for (int i = 0; i < 40; i++) usleep(i < 30 ? 1000 : 20000);\n}\n"),
             "-g")
    done = omp(tmp_path / "gain", "it's a", "word")
    assert re.match(r"Answer: up to \d+ % to gain in main gain.c:\d+: see the "
                    r"next line \(about \d+ s\)", answer(done))
    command = done.stderr.splitlines()[-1]
    assert command == ("  OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2 dlsbench "
                       "omp --try fss,tss,ss --loops dynamic -- "
                       f"{tmp_path}/gain 'it'\\''s a' word")


# Of the second nobody can tell that no value of `spin` goes on.
SPIN = "x = x * 1.0000001 + 1e-9;"
RISES = [("double out[400];\nint main(void) {\n#pragma omp parallel for\n"
          "for (int i = 0; i < 400; i++) { double x = 1;\n"
          f"for (int j = 0; j < i * 800; j++) {SPIN} out[i] = x; }}\n}}\n",
          ""),
         ("static volatile double s;\n__attribute__((noinline)) static void "
          "spin(int n)\n{ double x = 1; for (int i = 0; i < n; i++) "
          f"{SPIN} if (x == 3) s = x; }}\n"
          "int main(void) {\n#pragma omp parallel for\n"
          "for (int i = 0; i < 400; i++) spin(i * 800);\n}\n",
          "--same-output ")]


@pytest.mark.parametrize("text, option", RISES)
def test_the_command_of_a_static_loop_needs_no_source(tmp_path, text, option):
    compiled(tmp_path, "rises", text, "-O2", "-s")
    (tmp_path / "rises.c").unlink()

    def attempt():
        done = omp(tmp_path / "rises")
        if "this run cannot tell" in answer(done):
            return None
        assert done.stderr.splitlines()[-1] == (
            "  OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2 dlsbench omp --try "
            f"fss,tss,ss,last-first --loops static {option}-- "
            f"{tmp_path}/rises")
        return True
    eventually(attempt)


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_the_patch_of_the_answer_applies(tmp_path, where):
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here/fixed.c").write_text(
        "#include <unistd.h>\nint main(void) {\n#pragma omp parallel for\n"
        "for (int i = 0; i < 40; i++) usleep(i < 20 ? 1000 : 10000);\n}\n")
    subprocess.run(["gcc", "-g", "-fopenmp", "fixed.c", "-o", "fixed"],
                   cwd=tmp_path / "here", check=True)
    done = subprocess.run(
        [DLSBENCH, "omp", "--", tmp_path / "here/fixed"], text=True,
        cwd=tmp_path / where, env={**os.environ, "OMP_NUM_THREADS": "2"},
        capture_output=True, check=True)
    command = done.stderr.splitlines()[-1].replace("dlsbench", str(DLSBENCH))
    subprocess.run(command, shell=True, cwd=tmp_path / where, check=True)
    assert "parallel for schedule(runtime)" in (
        tmp_path / "here/fixed.c").read_text()


@pytest.mark.parametrize("count", [3, 16, 17, 600])
def test_regions_of_clang_share_many_variables(tmp_path, count):
    """Each is an argument of the call that begins the region."""
    names = [f"v{i}" for i in range(count)]
    total = " + ".join(names)
    (tmp_path / "many.c").write_text(
        "#include <stdio.h>\nint main(void) {\n" +
        "".join(f"long {name} = {i};\n" for i, name in enumerate(names)) +
        "#pragma omp parallel num_threads(2)\n#pragma omp critical\n{ " +
        "".join(f"{name}++; " for name in names) +
        f'}}\nprintf("%ld\\n", {total});\n}}\n')
    subprocess.run(["clang", "-fopenmp", "many.c", "-o", "many"],
                   cwd=tmp_path, check=True)
    done = omp(tmp_path / "many")
    assert done.stdout == f"{count * (count - 1) // 2 + 2 * count}\n"
    assert "cores used" in done.stderr


def test_the_page_of_a_run_begins_with_its_answer(tmp_path):
    compiled(tmp_path, "t", TASKS, "-g")
    done = subprocess.run([DLSBENCH, "omp", "--out", "./out", "--", "./t"],
                          cwd=tmp_path, capture_output=True, text=True,
                          check=True)
    said = answer(done)[len("Answer: "):]
    sentences = re.findall("^  (main t.c:.*)", done.stderr, re.M)[1:]
    for reader in "report", "advise":
        read = subprocess.run([DLSBENCH, reader, "out"], cwd=tmp_path,
                              check=True, capture_output=True, text=True)
    page = html.unescape((tmp_path / "out/report.html").read_text())
    first = page[page.index("<h1>"):page.index("<nav")]
    for text in first, read.stdout:
        assert f"This run: {said.split(': see')[0]}" in text
        assert sentences and all(x in text for x in sentences)
        assert "is all that was measured" not in text
