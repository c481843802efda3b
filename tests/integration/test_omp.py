"""dlsbench omp: programs that are not compiled anew do what they did before,
under every scheme, and their loops are reported."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

import slices
from conftest import ROOT, eventually, launcher

DLSBENCH = ROOT / "build/dlsbench"
LIBRARY = ROOT / "build/lib/libdls-omp.so"
TOP = "(0ul-2000ul)"  # the type's end is near
PROGRAMS = {
    "gcc-int": ("gcc", "forms.c", "-O2", "-DT=int", "-DBASE=-300"),
    "gcc-char": ("gcc", "forms.c", "-DT=char", "-DBASE=3"),
    # Its loop of a variable step runs no iteration, by gcc 12's own fault, and
    # at -O1 leaves lastprivate as it found it.
    "gcc-unsigned": ("gcc", "forms.c", "-O2", "-DT=unsigned",
                     "-DBASE=4000000000u"),
    "gcc-long": ("gcc", "forms.c", "-DT=long", "-DBASE=-4000000000000000000"),
    "gcc-small": ("gcc", "forms.c", "-DT=long", "-DBASE=-40"),
    "gcc-cancel": ("gcc", "forms.c", "-DT=int", "-DBASE=7", "-DCANCEL"),
    "g++-short": ("g++", "forms.c", "-x", "c++", "-DT=short", "-DBASE=-900"),
    "g++-size_t": ("g++", "forms.c", "-DT=size_t", f"-DBASE={TOP}"),
    "g++-O0": ("g++", "forms.c", "-O0", "-DT=unsigned long", "-DBASE=0"),
    "gcc-schar": ("gcc", "forms.c", "-DT=signed char", "-DBASE=-128"),
    "g++-uchar": ("g++", "forms.c", "-x", "c++", "-O2", "-DT=unsigned char",
                  "-DBASE=130"),
    "g++-ushort": ("g++", "forms.c", "-x", "c++", "-O2",
                   "-DT=unsigned short", "-DBASE=60000"),
    "g++-cancel": ("g++", "forms.c", "-x", "c++", "-DT=long long",
                   "-DBASE=-8", "-DCANCEL"),
    "gfortran": ("gfortran", "forms.f90"),
    "gfortran-O2": ("gfortran", "forms.f90", "-O2"),
    "clang-int": ("clang", "forms.c", "-O2", "-DT=int", "-DBASE=-300"),
    "clang-char": ("clang", "forms.c", "-DT=char", "-DBASE=3"),
    "clang-size_t": ("clang", "forms.c", "-DT=size_t", f"-DBASE={TOP}"),
    "clang-long": ("clang", "forms.c", "-O0", "-DT=long", "-DBASE=-40"),
    "clang-schar": ("clang", "forms.c", "-DT=signed char", "-DBASE=-128"),
    "clang++-short": ("clang++", "forms.c", "-x", "c++", "-DT=short",
                      "-DBASE=-900"),
    "clang++-uchar": ("clang++", "forms.c", "-x", "c++",
                      "-DT=unsigned char", "-DBASE=130"),
    "clang++-ushort": ("clang++", "forms.c", "-x", "c++", "-O2",
                       "-DT=unsigned short", "-DBASE=60000"),
    "clang++-unsigned": ("clang++", "forms.c", "-x", "c++", "-DT=unsigned",
                         "-DBASE=4000000000u"),
    "clang++-ulong": ("clang++", "forms.c", "-x", "c++", "-O0",
                      "-DT=unsigned long", "-DBASE=0"),
    "clang++-far": ("clang++", "forms.c", "-x", "c++", "-DT=long",
                    "-DBASE=-4000000000000000000"),
}
# A loop that is cancelled hangs on LLVM's runtime (14.0) without the library,
# too: one plain run in four.
# Compiling takes longer than running.
SOME = slices.part_of("programs with OpenMP", PROGRAMS)
BY_GCC = [name for name in PROGRAMS if not name.startswith("clang")]
NOT_HERE = {"dtss-acp"}  # counts processes in run queues


def schemes():
    text = (ROOT / "sched/schemes/schemes.def").read_text()
    names = re.findall(r"^SCHEME\((\w+)\)", text, re.M)
    names = {x.replace("_", "-") for x in names} - NOT_HERE
    return sorted([*names, "steal", "steal:chunk=5", "css:chunk=3",
                   "static:by=cost"])


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Programs by name; each is compiled once, and run plainly once for each
    number of threads."""
    folder = tmp_path_factory.mktemp("programs")
    outputs = {}

    def program(name, *how):
        compiler, source, *flags = PROGRAMS[name]
        path = folder / f"{name}{''.join(how)}"
        if not path.exists():
            if shutil.which(compiler) is None:
                pytest.skip(f"{compiler} is not installed")
            done = subprocess.run(
                [compiler, "-O1", *flags, *(how or ["-fopenmp"]),
                 ROOT / "tests/omp" / source, "-o", path, "-w"], cwd=folder,
                capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        return path

    def plain(name, threads, *how):
        key = name, threads, *how
        if key not in outputs:
            outputs[key] = run([program(name, *how)], threads).stdout
        return outputs[key]
    program.plain = plain
    return program


def run(words, threads=2, **variables):
    env = {**os.environ, "OMP_NUM_THREADS": str(threads),
           "OMP_WAIT_POLICY": "passive", "OMP_CANCELLATION": "true",
           "OMP_MAX_ACTIVE_LEVELS": "2", **variables}
    return subprocess.run([str(x) for x in words], env=env, timeout=120,
                          capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def omp(*words, **variables):
    return run([DLSBENCH, "omp", *words], **variables)


def ways(case):
    """(threads, whether they are counted): each in time, all in test-all."""
    if os.environ.get("ALL"):
        return [(threads, counts) for counts in (False, True)
                for threads in (1, 2, 3, 4)]
    by = random.Random(f"{slices.seed()} {case}")
    return [(by.randint(1, 4), by.random() < 0.5)]


def check(compiled, name, threads, variables, folder, runtime=None):
    """One run is as the plain one, and counted if a folder is given.  LLVM's
    runtime loses lastprivate at times, of its own (14.0): programs of clang
    are compared with what one thread without OpenMP does.  Where it is the
    runtime of a program of gcc, whose loops down in size_t it runs never, an
    unchanged program is compared with itself."""
    clang = name not in BY_GCC
    if folder:
        folder.mkdir()
        variables["DLS_OMP_COUNTERS"] = str(folder)
    done = run([compiled(name)], threads, **variables)
    assert done.returncode == 0, done.stderr
    unchanged = "DLS_SCHEDULE" not in variables
    expected = (compiled.plain(name, 1, "-fno-openmp") if clang else
                run([compiled(name)], threads, LD_PRELOAD=runtime).stdout
                if runtime and unchanged else compiled.plain(name, threads))
    if (clang or runtime) and unchanged:
        expected, done.stdout = (re.sub("last .*", "", x)
                                 for x in (expected, done.stdout))
    assert done.stdout == expected
    # A scheme may refuse a loop, and says so once.
    assert len(done.stderr.splitlines()) <= 1, done.stderr
    assert not done.stderr or "such loops run as without it" in done.stderr
    assert not folder or list(folder.glob("*.loops"))


@pytest.mark.cross
@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("scheme", [None, *schemes()])
def test_results_are_those_of_the_plain_program(compiled, tmp_path, name,
                                                scheme):
    variables = {"LD_PRELOAD": str(LIBRARY), "DLS_OMP_LOOPS": "dynamic"}
    if scheme:
        variables["DLS_SCHEDULE"] = scheme
    for threads, counts in ways(f"{name} {scheme}"):
        check(compiled, name, threads, dict(variables),
              tmp_path / f"{threads}" if counts else None)


def sanitized():
    """The library as the address sanitizer sees it: LD_PRELOAD for programs
    that know nothing of a sanitizer, whose runtime must come first."""
    library = ROOT / "build/preloaded/lib/libdls-omp.so"
    runtime = re.search(rb"libasan\.so\.\d+", library.read_bytes())
    if runtime is None:
        pytest.skip("not gcc's sanitizer")
    return f"{runtime[0].decode()} {library}"


@pytest.mark.cross(part=15)
@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("scheme", [None, *schemes()])
def test_results_are_the_same_under_the_address_sanitizer(compiled, tmp_path,
                                                          name, scheme):
    """It says nothing, neither of leaks."""
    variables = {"LD_PRELOAD": sanitized(), "DLS_OMP_LOOPS": "dynamic"}
    if scheme:
        variables["DLS_SCHEDULE"] = scheme
    for threads, counts in ways(f"sanitized {name} {scheme}"):
        check(compiled, name, threads, dict(variables),
              tmp_path / f"{threads}" if counts else None)


def find_libomp():
    done = subprocess.run(["clang", "-print-file-name=libomp.so.5"],
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.cross(part=25)
@pytest.mark.parametrize("name", [x for x in SOME if x in BY_GCC
                                  and "cancel" not in x])
@pytest.mark.parametrize("scheme", [None, *schemes()])
def test_programs_of_gcc_run_on_libomp(compiled, tmp_path, name, scheme):
    runtime = find_libomp()
    variables = {"LD_PRELOAD": f"{LIBRARY} {runtime}",
                 "DLS_OMP_LOOPS": "dynamic"}
    if scheme:
        variables["DLS_SCHEDULE"] = scheme
    for threads, counts in ways(f"libomp {name} {scheme}"):
        # LLVM's runtime itself ends doacross loops of one thread of gcc's.
        threads = max(threads, 2)
        check(compiled, name, threads, dict(variables),
              tmp_path / os.urandom(4).hex() if counts else None, runtime)


LOOP = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
static void work(int n)
{
    volatile double x = 0;
    for (int i = 0; i < n; i++)
        x += i;
}
static long triangle(int n)
{
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < n; i++) {
        work(100 * i);
        sum += i;
    }
    return sum;
}
static long even(int n, int t)
{
    long s = 0;
#pragma omp parallel for schedule(dynamic, 5) reduction(+ : s) num_threads(t)
    for (int i = 0; i < n; i++) {
        work(100);
        s += i;
    }
    return s;
}
int main(int count, char **word)
{
    const char *how = count > 1 ? word[1] : "";
    if (strcmp(how, "nothing") == 0)
        return 0;
    printf("%ld %ld\n", triangle(300), even(100, 2));
    fflush(stdout);
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0)
            return even(10, 1) == 45 ? 0 : 9;
        wait(NULL);
    }
    if (strcmp(how, "late") == 0 || strcmp(how, "outlive") == 0) {
        pid_t parent = getpid();
        if (fork() == 0) {
            close(1), close(2);
            while (getppid() == parent)
                usleep(1000);
            if (even(10, 1) != 45 || strcmp(how, "late") == 0)
                return 0;
            alarm(20);
            pause();
        }
    }
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "_exit") == 0)
        _exit(7);
    return count > 1 ? atoi(how) : 0;
}
"""
OUT = "44850 4950\n"
# gcc gives a loop the line of its `for`.
LINES = [number + 1 for number, line in enumerate(LOOP.split("\n"), 1)
         if "#pragma" in line]
TRIANGLE = f"triangle loop.c:{LINES[0]}"
EVEN = f"even loop.c:{LINES[1]}"
OWN = "its own schedule"


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loop")
    (folder / "loop.c").write_text(LOOP)
    for compiler in "gcc", "clang":
        subprocess.run([compiler, "-g", "-O1", "-fopenmp", "loop.c", "-o",
                        f"loop-{compiler}", "-Wl,-z,now"], cwd=folder,
                       check=True)
    return folder / "loop-gcc"


def rows(text):
    """Of the report's tables: name to (clause, ran under, ...)."""
    found = {}
    for line in text.splitlines():
        cells = re.split(r" {2,}", line.strip())
        if len(cells) == 14 and cells[0] != "loop":
            found[cells[0]] = cells[1:11] + cells[12:]  # without locks
    return found


def test_every_loop_is_reported_and_nothing_changed(loop):
    done = omp("--", loop)
    assert (done.returncode, done.stdout) == (0, OUT)
    found = rows(done.stderr)
    assert set(found) == {TRIANGLE, EVEN}
    clause, under, threads, visits, iterations, chunks, *_ = found[TRIANGLE]
    assert (clause, under, threads) == ("runtime", OWN, "2")
    assert (visits, iterations) == ("1", "300")
    assert chunks == "300"  # libgomp's default is dynamic,1
    assert found[EVEN][:6] == ["dynamic,5", OWN, "2", "1", "100", "20"]
    assert re.match(r"dlsbench omp: [\d.]+ of \d+ cores? used ", done.stderr)
    assert done.stderr.splitlines()[-1].startswith("Answer: ")


def test_a_loop_has_the_same_numbers_everywhere(loop, tmp_path, monkeypatch):
    """In the report, its rows, the result files, the page and the replay."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = omp("--out", tmp_path / "out", "--format", "json", "--on", "2,4",
               "--loops", "dynamic", "--", loop)
    assert done.returncode == 0, done.stderr
    printed = rows(done.stderr)
    shown = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    stored = {row["kernel"]: row for path in (tmp_path / "out").glob("runs-*")
              for row in map(json.loads, path.read_text().splitlines())
              if row["type"] == "run"}
    replayed = {row["name"]: row for row in json.loads(
        (tmp_path / "out/outlook.json").read_text())["loops"]}
    subprocess.run([DLSBENCH, "report", tmp_path / "out"], check=True,
                   capture_output=True)
    page = (tmp_path / "out/report.html").read_text()
    for name in TRIANGLE, EVEN:
        (clause, under, threads, visits, iterations, chunks, time_s, share,
         imbalance, saves) = printed[name][:10]
        row, run, replay = shown[name], stored[name], replayed[name]
        assert (row["clause"], row["ran_under"]) == (clause, under)
        assert run["clause"] == clause and run["scheme"] == under
        assert int(threads) == row["threads"] == run["threads"] == \
            replay["threads"]
        assert int(visits) == row["visits"] == run["visits"] == \
            replay["visits"]
        assert int(iterations) == row["iterations"] == run["iterations"] == \
            replay["iterations"]
        assert int(chunks) == row["chunks"] == run["chunks"]
        assert row["time_s"] == pytest.approx(run["time_s"])
        assert row["imbalance"] == pytest.approx(run["imbalance"])
        assert share == f"{100 * row['share']:.1f} %"
        assert saves == f"{100 * row['saves']:.1f} %"
        assert f"  {name}: {row['verdict']}\n" in done.stderr
        for text in name, time_s, imbalance:
            assert text in page, text
    whole = stored["whole program loop-gcc"]
    assert whole["threads"] == 2
    assert whole["time_s"] == pytest.approx(shown[str(loop)]["time_s"])
    answer = done.stderr.split("Answer: ")[1].splitlines()[0]
    assert shown[str(loop)]["verdict"].startswith(answer)
    best = re.findall(r"^  (\d+): (\S+), [\d.]+ times as fast", done.stderr,
                      re.M)
    assert len(best) == 4 and all(
        re.search(rf"\b{n}: {scheme}[ ;.]", page) for n, scheme in best)


def test_a_program_of_static_loops_has_its_threads(loop, tmp_path):
    (tmp_path / "static.c").write_text(
        LOOP.replace("schedule(runtime)", "").replace("schedule(dynamic, 5)",
                                                      ""))
    subprocess.run(["gcc", "-O1", "-fopenmp", tmp_path / "static.c", "-o",
                    tmp_path / "static"], check=True)
    assert omp("--out", tmp_path / "out", "--",
               tmp_path / "static").returncode == 0
    (path,) = (tmp_path / "out").glob("runs-*")
    (run,) = [row for row in map(json.loads, path.read_text().splitlines())
              if row["type"] == "run"]
    assert run["threads"] == 2


def by_function(done):
    return {name.split()[0]: row for name, row in rows(done.stderr).items()}


def test_programs_of_clang_are_reported_and_scheduled(loop):
    done = omp("--scheme", "css:chunk=50", "--loops", "dynamic", "--",
               loop.parent / "loop-clang", "3")
    assert (done.returncode, done.stdout) == (3, OUT)
    found = by_function(done)
    assert found["triangle"][:6] == ["runtime", "css:chunk=50", "2", "1",
                                     "300", "6"]
    assert found["even"][1:6] == ["css:chunk=50", "2", "1", "100", "2"]
    watched = omp("--", loop.parent / "loop-clang")
    found = by_function(watched)
    assert found["even"][1:6] == [OWN, "2", "1", "100", "20"]


@pytest.mark.parametrize("how, code", [("3", 3), ("_exit", 7),
                                       ("abort", -signal.SIGABRT)])
def test_the_end_of_the_program_is_passed_on(loop, how, code):
    done = omp("--scheme", "css:chunk=30", "--", loop, how)
    assert (done.returncode, done.stdout) == (code, OUT)
    assert rows(done.stderr)[TRIANGLE][:6] == [
        "runtime", "css:chunk=30", "2", "1", "300", "10"]


def test_without_a_scheme_that_of_the_environment_is_not_obeyed(loop):
    done = omp("--loops", "dynamic", "--", loop, DLS_SCHEDULE="css:chunk=50")
    assert (done.returncode, done.stdout) == (0, OUT)
    assert [row[1] for row in rows(done.stderr).values()] == [OWN, OWN]


WAITER = """import os, signal, sys
signals = [signal.Signals(int(x)) for x in sys.argv[1:]]
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
print("ready", flush=True)
while signals:
    signals.remove(signal.sigwait(signals))
    print("got", flush=True)
sys.exit(5)
"""


def test_signals_to_the_driver_reach_the_program(tmp_path):
    """Also those from a parent that ignores SIGCHLD; no folder is left."""
    (tmp_path / "waiter.py").write_text(WAITER)
    numbers = [signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGINT,
               signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP]
    with subprocess.Popen(
            [DLSBENCH, "omp", "--", "/usr/bin/python3", tmp_path / "waiter.py",
             *(str(int(x)) for x in numbers)], stdout=subprocess.PIPE,
            text=True, preexec_fn=lambda: signal.signal(
                signal.SIGCHLD, signal.SIG_IGN), stderr=subprocess.PIPE,
            process_group=0) as driver:
        assert driver.stdout.readline() == "ready\n"
        pid = driver.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
        program = children.read_text().split()[0]
        variables = pathlib.Path(f"/proc/{program}/environ").read_text()
        folder = re.search("DLS_OMP_COUNTERS=([^\0]+)", variables)[1]
        assert os.path.isdir(folder)
        for number in numbers:
            driver.send_signal(number)
            assert driver.stdout.readline() == "got\n", number
        driver.communicate(timeout=60)
    assert driver.returncode == 5
    assert not os.path.exists(folder)


def test_only_the_loops_that_are_asked_for_are_changed(loop):
    plain = rows(omp("--scheme", "css:chunk=50", "--", loop).stderr)
    assert plain[TRIANGLE][1] == "css:chunk=50"
    assert plain[EVEN][1] == OWN
    both = rows(omp("--scheme", "css:chunk=50", "--loops", "dynamic", "--",
                    loop).stderr)
    assert both[EVEN][1] == "css:chunk=50"
    assert both[EVEN][5] == "2"


def test_runs_are_kept_in_a_result_directory(loop, tmp_path):
    """Each run is a repetition, and what reads results reads them."""
    place = tmp_path / "new" / "results"
    for words in [], ["--scheme", "css:chunk=20"], ["--scheme", "ss"]:
        assert omp("--out", place, "--loops", "dynamic", *words, "--",
                   loop).returncode == 0
    done = omp("--out", place, "--scheme", "ss", "--", *launcher(2), loop)
    assert done.returncode == 0, done.stderr
    assert f"dlsbench: results: {place}\n" in done.stderr
    lines = [json.loads(x) for path in place.glob("runs-*.jsonl")
             for x in path.read_text().splitlines()]
    found = {(x["scheme"], x["ranks"]): x for x in lines
             if x["kernel"] == TRIANGLE and x["type"] == "run"}
    assert {key: (x["chunks"], x["threads"], x["visits"], x["verified"])
            for key, x in found.items()} == {
                ("runtime", 1): (300, 2, 1, "not compared"),
                ("css:chunk=20", 1): (15, 2, 1, "not compared"),
                ("ss", 1): (300, 2, 1, "not compared"),
                ("ss", 2): (600, 2, 1, "not compared")}
    done = run([DLSBENCH, "summary", place])
    assert (done.returncode, done.stderr) == (0, "")
    table = done.stdout.split(TRIANGLE)[1].split("whole program")[0]
    assert re.search(r"css:chunk=20 +15 +[\d.]+ [mu]?s ", table, re.M)
    assert re.search(r"^\d+ not compared$", done.stdout, re.M)
    assert re.search(r"whole program loop-gcc\n(.*\n)*.* as it is ",
                     done.stdout)
    done = run(["/usr/bin/python3", ROOT / "analysis/tables.py", place])
    assert done.returncode == 0 and done.stderr.startswith(
        "tables: one repetition only: no confidence intervals\n")
    assert f"Time: {TRIANGLE}\n" in done.stdout


def test_directories_of_two_schemes_are_compared(loop, tmp_path):
    """The loop that has another scheme, that which has none, and the program;
    then also a program whose loops had other iterations."""
    place = {scheme: tmp_path / scheme for scheme in ("ss", "fss")}
    for scheme, path in [*place.items()] * 2:
        assert omp("--out", path, "--scheme", scheme, "--",
                   loop).returncode == 0

    def compare(*words):
        return run(["/usr/bin/python3", ROOT / "analysis/compare.py",
                    *place.values(), *words])
    done = compare()
    assert "only in A: 2 cells" in done.stdout and EVEN in done.stdout
    assert "--across scheme also compares these loops" in done.stdout
    done = compare("--across", "scheme")
    assert (done.returncode, done.stderr) == (3, "")
    assert re.search(rf"^{TRIANGLE}\n.*\n.*\n.* ss -> fss:alpha=2 ",
                     done.stdout, re.M)
    assert re.search(r"^whole program loop-gcc\n.*\n.*\n.* ss -> fss ",
                     done.stdout, re.M)
    assert "0 slower, 0 faster, 0 no difference seen, 3 too few" in done.stdout
    assert "(each run with the same --out is one)" in done.stdout
    report = run(["/usr/bin/python3", ROOT / "analysis/report.py",
                  place["ss"], place["fss"]])
    assert report.returncode == 0, report.stderr
    assert TRIANGLE in (place["ss"] / "report.html").read_text()
    for path in place["fss"].glob("runs-*"):
        path.write_text(path.read_text().replace('"iterations":100,',
                                                 '"iterations":101,'))
    done = compare("--across", "scheme")
    assert done.returncode == 3
    assert re.search(rf"refused: {EVEN} .*: 100 iterations in A, 101 in B",
                     done.stdout)


def test_a_run_that_fails_is_kept_as_failed(loop, tmp_path):
    done = omp("--out", tmp_path, "--", loop, "abort")
    assert done.returncode == -signal.SIGABRT
    done = run([DLSBENCH, "summary", tmp_path])
    assert "FAILED: signal 6" in done.stdout and done.returncode == 1
    (tmp_path / "campaign.yaml").touch()
    one_line(omp("--out", tmp_path, "--", loop), "a campaign of dlsbench run")
    one_line(omp("--out", "/proc/none", "--", loop), "/proc/none")


def fill(path):
    with pytest.raises(OSError), open(path, "wb", buffering=0) as rest:
        while rest.write(b"x" * 4096) == 4096:
            pass
        raise OSError


def test_results_that_are_lost_are_an_error(loop, disk):
    small = disk("1m")
    fill(small / "rest")
    done = omp("--out", f"{small}/r/", "--", loop)
    assert (done.returncode, done.stdout) == (1, OUT), done.stderr
    assert "No space left on device" in done.stderr
    (small / "rest").unlink()
    assert omp("--out", f"{small}/r/", "--", loop).returncode == 0
    fill(small / "rest")
    done = run([DLSBENCH, "report", small / "r"])
    assert done.returncode == 2
    assert re.search(r"^report: (\S+: )?No space left on device$",
                     done.stderr, re.M), done.stderr


def test_rules_name_loops_by_line_and_by_function(loop, tmp_path):
    rules = tmp_path / "rules"
    rules.write_text(f"# comment\nloop.c:{LINES[0]} = css:chunk=20\n"
                     "even = css:chunk=10\n* = gss\n")
    found = rows(omp("--scheme", f"@{rules}", "--loops", "dynamic", "--",
                     loop).stderr)
    assert found[TRIANGLE][1] == "css:chunk=20"
    assert found[EVEN][1] == "css:chunk=10"


def test_rules_name_loops_by_their_place_in_a_build(tmp_path):
    """Without debugging information, also where the library is alone; not in
    another build of the program."""
    source = ROOT / "tests/omp/bycost.c"
    program, rules = tmp_path / "bycost", tmp_path / "rules"
    subprocess.run(["gcc", "-fopenmp", "-s", "-Wl,--build-id=0x"
                    "0123456789abcdef01234567", source, "-o", program],
                   check=True)
    offset, = set(re.findall(r"bycost\+(0x\w+)\)  runtime",
                             omp("--", program, "1").stderr))
    rules.write_text(f"bycost:0123456789abcdef+{offset} = css:chunk=30\n")
    done = omp("--scheme", f"@{rules}", "--", program, "1")
    assert "css:chunk=30" in done.stderr and "no loop" not in done.stderr
    alone = run([program, "2"], LD_PRELOAD=str(LIBRARY),
                DLS_SCHEDULE=f"@{rules}")
    assert alone.stdout == done.stdout * 2 and alone.stderr == ""
    rules.write_text(f"bycost:0123456789abcde0+{offset} = css:chunk=30\n")
    done = omp("--scheme", f"@{rules}", "--", program, "1")
    assert "css:chunk=30" not in done.stderr
    assert "no loop that was seen is 'bycost:0123456789abcde0+" in done.stderr
    (line,) = run([program, "2"], LD_PRELOAD=str(LIBRARY),
                  DLS_SCHEDULE=f"@{rules}").stderr.splitlines()
    assert line.startswith(f"libdls-omp: {rules}: no loop that was seen has a "
                           "rule there; ")


def test_a_loop_with_one_rule_that_matched_is_not_missed(loop, tmp_path):
    """As --try writes them: those of builds, and behind them file:line."""
    rules = tmp_path / "rules"
    other = "other:0123456789abcdef+0x"
    line = f"loop.c:{LINES[0]}"
    rules.write_text(f"# one\n{other}12 = ss\n{other}13 = ss\n{line} = ss\n"
                     f"{other}14 = ss\n\neven = ss\n{other}15 = ss\n")
    done = omp("--scheme", f"@{rules}", "--loops", "dynamic", "--", loop)
    assert re.findall("no loop that was seen is '(.*)'", done.stderr) == [
        f"{other}14", f"{other}15"]


def test_a_forked_child_starts_at_zero(loop):
    done = omp("--loops", "dynamic", "--scheme", "ss", "--", loop, "fork")
    assert done.returncode == 0
    tables = done.stderr.split("dlsbench omp: ")[1:]
    tables = [x for x in tables if ", process " in x]
    assert len(tables) == 2
    assert rows(tables[0])[EVEN][3:5] == ["1", "100"]
    assert list(rows(tables[1])) == [EVEN]
    assert rows(tables[1])[EVEN][3:5] == ["1", "10"]


def test_children_that_outlive_the_program_are_reported(loop):
    said = "processes that it began still run: the report has what they did"
    late = omp("--", loop, "late")
    assert late.returncode == 0 and said not in late.stderr
    (row,) = [x for x in late.stderr.splitlines() if re.match(
        rf"  {re.escape(EVEN)} .* 1 +1 +10 +2 ", x)]
    assert row and "destructor" not in late.stderr
    done = omp("--", loop, "outlive")
    assert done.returncode == 0 and said in done.stderr
    (pid,) = re.findall(r"process (\d+), .*, still running", done.stderr)
    os.kill(int(pid), signal.SIGKILL)


@pytest.mark.parametrize("end, seconds", [("late", 0.4), ("outlive", 3)])
def test_the_time_is_that_of_what_the_program_began(loop, tmp_path, end,
                                                    seconds):
    """A script that ends at once leaves no more cores used than there are,
    and no share above 100 %."""
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n{loop.with_name('long')} "
                      f"{4 * seconds} >/dev/null 2>&1 &\n")
    script.chmod(0o755)
    source = tmp_path / "long.c"
    source.write_text("""
#include <omp.h>
#include <stdlib.h>
int main(int count, char **word)
{
    double end = omp_get_wtime() + atof(word[count - 1]) / 4;
    while (omp_get_wtime() < end) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
        for (int i = 0; i < 20; i++)
            for (volatile int k = 0; k < 100000 * (20 - i); k++)
                ;
    }
}
""")
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", source, "-o",
                    loop.with_name("long")], check=True)
    done = omp("--", script)
    used, of, time = re.search(r"([\d.]+) of (\d+) cores used .* over "
                               r"([\d.]+) s", done.stderr).groups()
    assert float(used) <= 1.1 * int(of) and float(time) > 0.9 * min(seconds, 2)
    assert all(float(x) <= 100 for x in
               re.findall(r"([\d.]+) %", done.stderr)), done.stderr


def test_processes_without_loops_are_silent(loop, tmp_path):
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n{loop} nothing\n/bin/true\n{loop}\n")
    script.chmod(0o755)
    done = omp("--", script)
    assert (done.returncode, done.stdout) == (0, OUT)
    assert done.stderr.count(", process ") == 1


def test_a_program_without_openmp_runs_as_before():
    done = run(["/bin/echo", "hello"], LD_PRELOAD=str(LIBRARY),
               LD_BIND_NOW="1", DLS_SCHEDULE="nonsense")
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", "")
    done = omp("--", "echo", "hello")
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert "no OpenMP loop was seen" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_program_that_is_bound_at_once_runs_as_before(tmp_path):
    """Without OpenMP nobody has the symbols of a runtime."""
    (tmp_path / "hello.c").write_text(
        '#include <stdio.h>\nint main(void) { puts("hello"); return 3; }\n')
    subprocess.run(["gcc", "hello.c", "-o", "hello", "-Wl,-z,now"],
                   cwd=tmp_path, check=True)
    for library in str(LIBRARY), sanitized():
        for scheme in "", "fss":
            done = run([tmp_path / "hello"], LD_PRELOAD=library,
                       LD_BIND_NOW="1", DLS_SCHEDULE=scheme)
            assert (done.returncode, done.stdout) == (3, "hello\n")
            assert done.stderr == ""


def test_each_rank_of_mpi_reports(loop):
    done = omp("--scheme", "css:chunk=30", "--", *launcher(2), loop)
    assert (done.returncode, done.stdout) == (0, OUT + OUT)
    reports = [x for x in done.stderr.split("dlsbench omp: ")
               if "rank " in x]
    assert [re.search(r"rank (\d)", x)[1] for x in reports] == ["0", "1"]
    for report in reports:
        assert rows(report)[TRIANGLE][1] == "css:chunk=30"


def test_a_stripped_program_of_debian(tmp_path):
    """Its image is the same, and the function has its name."""
    def convert(name, *words):
        done = run([*words, "gm", "convert", tmp_path / "base.miff",
                    "-gaussian", "2x1", tmp_path / name])
        assert done.returncode == 0, done.stderr
        return (tmp_path / name).read_bytes(), done.stderr
    if shutil.which("gm") is None:
        pytest.skip("graphicsmagick is not installed")
    run(["gm", "convert", "-size", "200x160", "plasma:fractal",
         tmp_path / "base.miff"])
    plain, _ = convert("plain.ppm")
    changed, report = convert("changed.ppm", DLSBENCH, "omp", "--scheme",
                              "ss", "--loops", "dynamic", "--")
    assert plain == changed
    name, row = next((k, v) for k, v in rows(report).items()
                     if k.startswith("ConvolveImage "))
    assert "libGraphicsMagick" in name
    assert row[:2] == ["guided,1", "ss"] and row[5] == "160"


def test_messages_are_merged_as_before(tmp_path):
    """A program of Debian that nobody takes for one of OpenMP."""
    if shutil.which("msgmerge") is None:
        pytest.skip("gettext is not installed")
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    for name, word in ("old.po", "first"), ("new.pot", "other"):
        (tmp_path / name).write_text(head + "".join(
            f'\nmsgid "the {word} of {i} long messages, number {i * i}"\n'
            f'msgstr "{i if word == "first" else ""}"\n' for i in range(40)))
    words = ["msgmerge", "-q", "-o", "-", tmp_path / "old.po",
             tmp_path / "new.pot"]
    plain = run(words)
    assert plain.returncode == 0 and plain.stdout.count("fuzzy") == 40
    done = omp("--scheme", "css:chunk=10", "--loops", "dynamic", "--", *words)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    [row] = rows(done.stderr).values()
    assert row[:6] == ["dynamic,1", "css:chunk=10", "2", "1", "41", "5"]


def one_line(done, *texts):
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for text in texts:
        assert text in done.stderr


def test_bad_input_is_one_line(loop, tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("# first\n  even =  gsss\n")
    one_line(omp("--scheme", "gss"), "a program is missing")
    one_line(omp("--", "/nowhere/program"), "No such file")
    one_line(omp("--", "no-such-program"), "no program", "PATH")
    one_line(omp("--", rules), "not an executable file")
    one_line(omp("--scheme", "fsss", "--", loop), "fsss", "did you mean 'fss'")
    one_line(omp("--scheme", "steel", "--", loop), "did you mean 'steal'")
    one_line(omp("--scheme", "dtss-acp", "--", loop), "dtss-acp", "run queues")
    one_line(omp("--scheme", f"@{rules}", "--", loop), f"{rules}:2:11",
             "did you mean 'gss'")
    one_line(omp("--scheme", "@/nowhere/rules", "--", loop), "/nowhere/rules")
    one_line(omp("--loops", "all", "--", loop), "runtime, dynamic")
    one_line(omp("--scheme", "xyz", "--", loop), "'dlsbench list schemes'")
    one_line(omp("--scheem", "fss", "--", loop), "did you mean --scheme?")
    one_line(omp("--scheem", "fss", loop), "did you mean --scheme?")
    one_line(omp("--try", "thraeds,fss", "--", loop), "mean 'threads'?")
    one_line(omp("--try", "fss,gsss", "--", loop), "did you mean 'gss'?")
    one_line(omp("--scheme", "@", "--", loop), "the file is missing")
    one_line(omp("--suggest", "x.c", "--", loop), "x.c runs no program")
    one_line(omp("--suggest", "/nowhere/x.c"), "/nowhere/x.c")
    one_line(omp(loop), "'--' is missing before the program")
    one_line(omp("--scheme", "fss", loop), "'--' is missing")
    rules.write_text("even = fss\n* = ss\n  even = gss\n")
    one_line(omp("--scheme", f"@{rules}", "--", loop), f"{rules}:3:3",
             "'even' has a line already", f"{rules}:1:1")
    rules.write_text("# first\n  even gss\n")
    done = omp("--scheme", f"@{rules}", "--", loop)
    one_line(done, f"{rules}:2:3: there is no '='")
    assert "DLS_SCHEDULE" not in done.stderr


SOURCES = {"gcc": ("c", """int a[99], s;
void f(void)
{
#pragma omp parallel for
    for (int i = 0; i < 99; i++)
        a[i] = i;
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < 99; i++)
        a[i] = i;
#pragma omp parallel
#  pragma omp for simd \\
    reduction(+ : s)
    for (int i = 0; i < 99; i++)
        s += a[i];
#pragma omp parallel for ordered
    for (int i = 0; i < 99; i++)
        a[i] = i;
#pragma omp parallel
#pragma omp for \\
    nowait
    for (int i = 0; i < 99; i++)
        a[i] = i;
}""", ["#pragma omp parallel for schedule(runtime)",
       "#  pragma omp for simd schedule(runtime) \\"]),
           "gfortran -ffree-form": ("f90", """subroutine f(a)
integer :: a(99), i
!$OMP Parallel Do &
!$omp private(i)
do i = 1, 99
a(i) = i
end do
!$omp parallel do schedule(static)
do i = 1, 99
a(i) = i
end do
end subroutine
""", ["!$OMP Parallel Do schedule(runtime) &"]),
           "gfortran": ("f", """      subroutine f(a)
      integer a(99), i
C$OMP PARALLEL DO
C$OMP+ PRIVATE(I)
      do i = 1, 99
        a(i) = i
      end do
      end
""", ["!$omp+ schedule(runtime)"])}


@pytest.mark.parametrize("compiler", SOURCES)
def test_a_patch_makes_static_loops_visible(tmp_path, compiler):
    """It applies, once, and what comes out compiles."""
    ending, text, added = SOURCES[compiler]
    name = f"source.{ending}"
    (tmp_path / name).write_text(text)

    def suggest():
        return subprocess.run([DLSBENCH, "omp", "--suggest", name],
                              cwd=tmp_path, capture_output=True, text=True,
                              check=True)
    patch = suggest()
    assert f"{name}: loops that change: " in patch.stderr
    assert (tmp_path / name).read_text() == text
    subprocess.run(["patch", "-p0"], cwd=tmp_path, input=patch.stdout,
                   text=True, capture_output=True, check=True)
    lines = (tmp_path / name).read_text().splitlines()
    assert [x for x in lines if x not in text.splitlines()] == added
    subprocess.run([*compiler.split(), "-fopenmp", "-c", name], cwd=tmp_path,
                   check=True)
    done = suggest()
    assert done.stdout == "" and "no loop without a schedule" in done.stderr


def test_rules_that_match_nothing_are_named(loop, tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("even = fss\nodd = ss\n\n  loop.c:1 = gss\n* = tss\n")
    done = omp("--scheme", f"@{rules}", "--", loop)
    assert (done.returncode, done.stdout) == (0, OUT)
    warnings = [x for x in done.stderr.splitlines() if "no loop" in x]
    assert [re.search(r"rules:(\d+:\d+): .* '(.*)'", x).groups()
            for x in warnings] == [("2:1", "odd"), ("4:3", "loop.c:1")]


def test_a_file_that_cannot_be_run_is_one_line(tmp_path):
    for text, why in (("#!/nowhere/shell\n", "its interpreter"),
                      ("no program\n", "Exec format error")):
        (tmp_path / "file").write_text(text)
        (tmp_path / "file").chmod(0o755)
        one_line(omp("--", tmp_path / "file"), f"{tmp_path}/file: ", why)


def test_a_program_that_the_library_cannot_be_in_is_said(loop, tmp_path):
    """It runs as it is, and its exit code is its own."""
    static = tmp_path / "static"
    subprocess.run(["gcc", "-fopenmp", "-static", "-w", loop.parent / "loop.c",
                    "-o", static], check=True)
    bare = tmp_path / "bare"
    subprocess.run(["strip", "-o", bare, static], check=True)
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\nenv -i {loop}\n{loop} >/dev/null\n"
                      "exit 3\n")
    script.chmod(0o755)
    fails = ["sh", "-c", "exec env -i false"]
    for words, code, name, why in (
            ([static], 0, "static", "its OpenMP runtime is linked statically"),
            ([bare], 0, "bare", "it is linked statically"),
            (["env", "-i", loop], 0, loop.name, "environment was cleared"),
            (["env", "-u", "LD_PRELOAD", loop], 0, loop.name,
             "cleared or replaced|changed LD_PRELOAD"),
            (["env", "-i", bare], 0, "bare", "it is linked statically"),
            (fails, 1, "false", "its environment was cleared")):
        done = omp("--scheme", "fss", "--", *words)
        assert done.returncode == code
        assert done.stdout == (OUT if code == 0 else "")
        assert re.search(rf"libdls-omp.so was .*into (\S*/)?{name}\b.*({why})",
                         done.stderr)
        assert "no OpenMP loop was seen" not in done.stderr
    done = omp("--", "sleep", "0")
    assert "no OpenMP loop was seen, nor a runtime of OpenMP" in done.stderr
    assert "(sleep)" in done.stderr
    # Where another process has loops, they are reported as well.
    done = omp("--", script)
    assert done.returncode == 3
    assert TRIANGLE in rows(done.stderr)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can")
def test_programs_that_do_not_see_the_folder_are_reported(
        loop, tmp_path, monkeypatch):
    """In another mount namespace, and as another user."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    monkeypatch.setenv("TMPDIR", str(hidden))
    mounts = f"mount -t tmpfs none {hidden}"
    if subprocess.run(["unshare", "-m", "sh", "-c", mounts]).returncode != 0:
        pytest.skip("no mount namespaces here")
    done = omp("--", "unshare", "-m", "sh", "-c", f"{mounts}; {loop}; exit 6")
    assert done.returncode == 6, done.stderr
    assert TRIANGLE in rows(done.stderr)
    monkeypatch.delenv("TMPDIR")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        shutil.copy(loop, f"{folder}/loop")
        nobody = ["setpriv", "--reuid", "65534", "--clear-groups"]
        if subprocess.run([*nobody, "test", "-r", LIBRARY]).returncode != 0:
            pytest.skip("others cannot read this folder")
        done = omp("--", *nobody, f"{folder}/loop")
    assert done.returncode == 0, done.stderr
    assert "cannot be written" not in done.stderr
    assert TRIANGLE in rows(done.stderr)


def test_what_needs_the_library_is_refused_without_it(loop, tmp_path):
    copy = tmp_path / "suid"
    shutil.copy(loop, copy)
    copy.chmod(0o4755)
    needs = ["--record", tmp_path / "record", "--"]
    one_line(omp(*needs, copy), "set-user-id")
    copy.chmod(0o755)
    try:  # cap_net_raw, permitted and effective
        os.setxattr(copy, "security.capability",
                    bytes.fromhex("0100000200200000" + "00" * 12))
    except OSError:
        pass  # not as this user, or not here
    else:
        one_line(omp(*needs, copy), "capabilities")
        one_line(omp("--try", "ss", "--out", tmp_path / "out", "--", copy),
                 "capabilities")
    assert not (tmp_path / "out").exists()


def test_scratch_files_go_where_tmpdir_says(loop, tmp_path):
    def left():
        return sorted(x.name for x in folder.iterdir())
    # As long as it likes: longer than the address of a socket.
    folder = tmp_path / ("long" * 40) / "tmp"
    folder.mkdir(parents=True)
    rules = tmp_path / "rules"
    rules.write_text("loop.c:19 = fss\n")
    seen = tmp_path / "seen"
    place = {"TMPDIR": str(folder)}
    done = omp("--scheme", f"@{rules}", "--", "sh", "-c",
               f"ls '{folder}' >{seen}; exec {loop}", **place)
    assert (done.returncode, done.stdout) == (0, OUT)
    assert seen.read_text().startswith("dlsbench-run-")
    assert left() == []
    # A dead run's folder goes, nothing else does.
    (folder / "dlsbench-run-mine").write_text("a file\n")
    process = subprocess.Popen(
        [DLSBENCH, "omp", "--", "sleep", "10"], env={**os.environ, **place})
    while len(left()) < 2:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert len(left()) == 2
    omp("--", loop, **place)
    assert left() == ["dlsbench-run-mine"]
    one_line(omp("--", loop, TMPDIR="/no/where"),
             "/no/where: no temporary folder", "No such file", "TMPDIR")


FULL = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    char path[4096], block[4096] = "";
    snprintf(path, sizeof path, "%s/fill", getenv("TMPDIR"));
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    while (write(file, block, sizeof block) > 0 || write(file, block, 1) > 0)
        ;
    long t = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : t)
    for (int i = 0; i < 100; i++)
        t += i;
    printf("%ld\n", t);
    return 5;
}
"""


def test_a_folder_without_room(tmp_path):
    """One that is full or cannot be written to is said before the program
    starts; where it fills up later, the report is there."""
    source = tmp_path / "full.c"
    source.write_text(FULL)
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", source, "-o",
                    tmp_path / "full"], check=True)
    small = tmp_path / "small"
    small.mkdir()
    script = (f"mount -t tmpfs -o size=8m none {small} || exit 77\n"
              f"export TMPDIR={small}\n"
              f"{DLSBENCH} omp -- {tmp_path}/full; echo $?\n"
              f"{DLSBENCH} omp -- touch {tmp_path}/ran; echo $?\n"
              f"rm {small}/fill; mount -o remount,ro {small}\n"
              f"{DLSBENCH} omp -- touch {tmp_path}/ran; echo $?\n"
              f"TMPDIR={tmp_path} {DLSBENCH} omp -- true; echo $?\n")
    done = run(["unshare", "-m", "sh", "-c", script])
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("file systems cannot be mounted here")
    assert done.stdout.split() == ["4950", "5", "2", "2", "0"]
    assert re.search(r"main full.c:\d+", done.stderr)
    assert f"{small}: no temporary folder can be made here: No space left" in \
        done.stderr
    assert "Read-only file system; TMPDIR names another place" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_ranks_that_are_not_in_the_report_are_named(loop, tmp_path):
    """As on other nodes, where the folder is not."""
    script = tmp_path / "rank"
    script.write_text("#!/bin/sh\n[ $PMI_RANK -ne 1 ] || "
                      "export DLS_OMP_COUNTERS=/not/there $OTHER\n"
                      f"exec {loop}\n")
    script.chmod(0o755)
    done = omp("--", *launcher(3), script, OTHER="DLS_OMP_LOOKUP=/not/there")
    assert done.returncode == 0
    assert "not in the report: rank 1 of 3: " in done.stderr
    assert sorted(re.findall(r", rank (\d)", done.stderr)) == ["0", "2"]
    # Where the folder alone is not there, dlsbench omp keeps the counters.
    done = omp("--", *launcher(3), script, OTHER="")
    assert sorted(re.findall(r", rank (\d)", done.stderr)) == ["0", "1", "2"]
    assert "not in the report" not in done.stderr


def test_a_report_below_a_launcher_misses_no_other_rank(loop):
    """Each rank has its own."""
    done = run([*launcher(2), DLSBENCH, "omp", "--", loop])
    assert done.returncode == 0 and "not in the report" not in done.stderr
    assert sorted(re.findall(r", rank (\d)", done.stderr)) == ["0", "1"]


def test_an_install_path_may_have_blanks_and_colons(loop, tmp_path):
    """Where LD_PRELOAD cannot hold the library's path."""
    build = tmp_path / "a b:c$d" / "build"
    (build / "lib").mkdir(parents=True)
    shutil.copy(DLSBENCH, build / "dlsbench")
    shutil.copy(LIBRARY, build / "lib")
    done = run([build / "dlsbench", "omp", "--scheme", "css:chunk=30", "--",
                loop])
    assert (done.returncode, done.stdout) == (0, OUT)
    assert rows(done.stderr)[TRIANGLE][1] == "css:chunk=30"
    assert "ld.so" not in done.stderr


def test_a_module_that_is_opened_later_brings_its_own_runtime(loop, tmp_path):
    """RTLD_LOCAL: the runtime is visible to the module only."""
    (tmp_path / "module.c").write_text(
        LOOP.replace("int main(int count", "int other(int count"))
    (tmp_path / "main.c").write_text(
        "#include <dlfcn.h>\nint main(void) {\n"
        "void *m = dlopen(\"./module.so\", RTLD_NOW | RTLD_LOCAL);\n"
        "if (!m) return 8;\n"
        "int (*f)(int, char **) = (int (*)(int, char **))dlsym(m, "
        "\"other\");\n"
        "return f(1, 0); }\n")
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "-shared", "-fPIC",
                    "module.c", "-o", "module.so"], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run([DLSBENCH, "omp", "--scheme", "css:chunk=30", "--",
                           "./main"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, OUT)
    name = TRIANGLE.replace("loop", "module")
    assert rows(done.stderr)[name][1] == "css:chunk=30"


NAMES = r"""
#include <vector>
#include <cstdio>
using list = std::vector<double>;
namespace ns {
void alpha(list &v)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (size_t i = 0; i < v.size(); i++)
        v[i] += 1;
}
void beta(list &v)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (size_t i = 0; i < v.size(); i++)
        v[i] *= 2;
}
}
template <class T> void fill(std::vector<T> &v)
{
#pragma omp parallel for schedule(guided)
    for (size_t i = 0; i < v.size(); i++)
        v[i] = T(i);
}
int main()
{
    list v(100);
    std::vector<int> w(100);
    fill(v);
    fill(w);
    ns::alpha(v);
    ns::beta(v);
    printf("%g %d\n", v[3], w[4]);
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_loops_over_vectors_have_their_own_lines(tmp_path, compiler):
    """Also where the address is that of a function inlined from a header;
    rules know a function by the name that is shown."""
    (tmp_path / "names.cpp").write_text(NAMES)
    subprocess.run([compiler, "-g", "-O2", "-fopenmp", "names.cpp", "-o",
                    "names"], cwd=tmp_path, check=True)
    lines = [number + (compiler == "g++")
             for number, line in enumerate(NAMES.split("\n"), 1)
             if "#pragma" in line]
    rules = tmp_path / "rules"
    rules.write_text("ns::alpha = css:chunk=20\nns::beta = css:chunk=10\n"
                     "fill = css:chunk=25\n")
    done = omp("--scheme", f"@{rules}", "--loops", "dynamic", "--",
               tmp_path / "names")
    assert (done.returncode, done.stdout) == (0, "8 4\n")
    found = rows(done.stderr)
    assert [found[f"{name} names.cpp:{line}"][5] for name, line in
            zip(["ns::alpha", "ns::beta", "fill"], lines)] == ["5", "10", "8"]
    assert "no loop that was seen" not in done.stderr


def test_rules_know_functions_of_fortran(tmp_path):
    (tmp_path / "kern.f90").write_text(
        "program main\ncall kern(100)\nend program\n"
        "subroutine kern(n)\ninteger :: n, i\nreal*8 :: x(100)\n"
        "!$omp parallel do schedule(runtime)\ndo i = 1, n\nx(i) = i\nend do\n"
        "print '(f6.0)', sum(x)\nend subroutine\n")
    subprocess.run(["gfortran", "-g", "-O1", "-fopenmp", "kern.f90", "-o",
                    "kern"], cwd=tmp_path, check=True)
    for name in "kern", "kern_":
        (tmp_path / "rules").write_text(f"{name} = css:chunk=20\n")
        done = omp("--scheme", f"@{tmp_path}/rules", "--", tmp_path / "kern")
        assert (done.returncode, done.stdout.strip()) == (0, "5050.")
        [row] = rows(done.stderr).values()
        assert row[1] == "css:chunk=20" and row[5] == "5"
        assert "no loop that was seen" not in done.stderr


VERDICTS = r"""
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static double now(void) { return omp_get_wtime(); }
static void spin(double s)
{
    for (double began = now(); now() - began < s;)
        continue;
}
static void tiny(void)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(1)
    for (int i = 0; i < 3000000; i++)
        __asm__ volatile("");
}
static void single(void)
{
#pragma omp parallel for schedule(monotonic:dynamic) num_threads(2)
    for (int i = 0; i < 2; i++)
        usleep(i ? 200000 : 1000);
}
static void uneven(int n)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < n; i++)
        usleep(i < n / 2 ? 100 : 4000);
}
static void ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered
        usleep(1000);
    }
}
static void fixed(void)
{
#pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 0; i < 20; i++)
        spin(0.005);
}
static void even(void)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(1)
    for (int i = 0; i < 20; i++)
        spin(0.001);
}
static void inner(void)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 20; i++)
        usleep(i == 19 ? 150000 : 1000);
}
static void beside(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
    inner();
}
int main(int count, char **word)
{
    const char *which = count > 1 ? word[1] : "";
    if (strcmp(which, "tiny") == 0)
        tiny();
    if (strcmp(which, "single") == 0)
        single();
    if (strcmp(which, "uneven") == 0)
        uneven(40);
    if (strcmp(which, "ordered") == 0)
        ordered();
    if (strcmp(which, "fixed") == 0) {
        fixed();
        even();
    }
    if (strcmp(which, "beside") == 0)
        beside();
}
"""


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    """The lines of a report on one of the program's functions: those of its
    loops, and that of all."""
    folder = tmp_path_factory.mktemp("verdicts")
    (folder / "verdicts.c").write_text(VERDICTS)
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "verdicts.c", "-o",
                    "verdicts"], cwd=folder, check=True)

    def report(which, *options):
        done = omp(*options, "--", folder / "verdicts", which)
        assert done.returncode == 0, done.stderr
        lines = [line.strip() for line in done.stderr.splitlines()]
        shares = [float(x) for x in re.findall(r"([\d.]+) %", done.stderr)]
        imbalances = [float(row[8].split()[0])
                      for row in rows(done.stderr).values() if row[8] != "-"]
        assert all(x <= 100 or x in imbalances for x in shares), done.stderr
        return (" ".join(x for x in lines if re.match(r"\w+ \S+:\d+: ", x)),
                next(x for x in lines if x.startswith("Answer: ")),
                done.stderr)
    return report


def test_tiny_chunks_of_one_thread_cost_the_time(verdict):
    def attempt():
        loops, answer, _ = verdict("tiny")
        assert "nothing to schedule" not in loops + answer
        if "not judged: other" in loops:
            assert "this run cannot tell" in answer
            return None
        assert "one thread, but up to" in loops
        return "for handing out tiny chunks" in loops
    eventually(attempt)


def test_advice_can_help(verdict):
    loops, _, _ = verdict("single")
    assert "single iterations, which no schedule cuts" in loops
    assert "--scheme" not in loops and "smaller" not in loops
    # One run does not tell which scheme is faster: none is named.
    loops, _, _ = verdict("uneven", "--scheme", "css:chunk=20")  # two chunks
    assert re.search("more and smaller chunks, --try [a-z:=,0-9]*fss,tss,ss "
                     "finds out whether one helps, --on 2 replays them", loops)
    assert "--scheme" not in loops and "steal" not in loops


def test_one_threads_time_is_not_that_of_the_loop(verdict):
    loops, whole, text = verdict("ordered")
    [row] = rows(text).values()
    assert row[0] == "static,1 ordered" and row[3] == "1"
    assert row[4:9] == ["-"] * 5
    assert "order matters; the time of all its threads is not known" in loops
    assert "at most" not in whole


def test_static_loops_are_judged_by_their_barriers(verdict):
    loops, _, text = verdict("fixed")
    assert "one thread, nothing to schedule" in loops or "not judged" in loops
    assert " 0 s of waiting" not in loops
    assert re.search(r"^  fixed verdicts.c:\d+ +static +2 +1 ", text, re.M)
    assert "compile" not in text


def test_loops_beside_one_another_save_no_more_than_there_is(verdict):
    _, whole, text = verdict("beside")
    assert "their shares do not add" in text
    assert all(float(x) <= 100 for x in re.findall(r"([\d.]+) %", whole))
