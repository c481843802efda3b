"""dlsbench omp --try: which schedule is best for the loops of a program; and
several seeds, which look for a race."""
import html
import json
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import time

import pytest

from conftest import ROOT, eventually, launcher
from test_omp import find_libomp

pytestmark = pytest.mark.measures

DLSBENCH = ROOT / "build/dlsbench"
SOURCE = ROOT / "tests/omp/tried.c"
LOOP = re.search(r"schedule\(runtime\)", SOURCE.read_text())
LINE = SOURCE.read_text()[:LOOP.start()].count("\n") + 2
RIGHT = 'test "$(cat "$DLS_OUTPUT")" = 9800'
ENVIRONMENT = {**os.environ, "OMP_SCHEDULE": "static", "OMP_NUM_THREADS": "2",
               "OMP_WAIT_POLICY": "passive"}
# Before each command to copy.
VARIABLES = "".join(f"{name}={value} " for name, value in ENVIRONMENT.items()
                    if name.startswith(("OMP_", "GOMP_", "KMP_")))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "tried"
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", SOURCE, "-o", path],
                   check=True)
    return path


@pytest.fixture
def omp(tmp_path):
    def call(*words):
        return subprocess.run(
            [str(x) for x in (DLSBENCH, "omp", *words)], cwd=tmp_path,
            env=ENVIRONMENT, timeout=60, capture_output=True, text=True,
            check=False)
    return call


def rows(folder):
    return [json.loads(line) for path in sorted(folder.glob("runs-*"))
            for line in path.read_text().splitlines()]


def build_other(folder, schedule):
    (folder / "tried.c").write_text(SOURCE.read_text().replace(
        "schedule(runtime)", f"schedule({schedule})"))
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "tried.c", "-o", "tried"],
                   cwd=folder, check=True)


@pytest.fixture(scope="module")
def rising(tmp_path_factory):
    """A program whose answer depends on iterations that rise."""
    path = tmp_path_factory.mktemp("programs") / "rising"
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp",
                    SOURCE.with_name("rising.c"), "-o", path], check=True)
    return path


def test_other_answers_are_seen_without_a_check(omp, rising, tmp_path):
    done = omp("--try", "ss,steal,rnd:order=any", "--loops", "dynamic",
               "--repetitions", 3, "--out", "./out", "--", rising)
    assert done.returncode == 1
    for scheme in "steal:chunk=1", "rnd:seed=1,order=any":
        assert f"\nother answers under {scheme}: round " in \
            "\n" + done.stdout
        assert re.search(f"{scheme} +0 +- .* other answers, not ranked",
                         done.stdout)
    assert not re.search("other answers under ss", done.stdout)
    assert "answers: compared by what is printed" in done.stdout
    ends = [row["status"] for row in rows(tmp_path / "out") if row["type"] ==
            "cell_done" and row["scheme"].startswith("steal")]
    assert ends and set(ends) == {"unverified"}
    answers = json.loads((tmp_path / "out/answers.json").read_text())
    for loop in answers["loops"]:
        assert {c["scheme"] for c in loop["choices"]
                if c["state"] == "failed"} == \
            {"steal:chunk=1", "rnd:seed=1,order=any"}
    again = omp("--try", "ss,steal", "--loops", "dynamic", "--repetitions", 3,
                "--out", "./out", "--resume", "--", rising)
    assert again.returncode == 1 and "steal:chunk=1" in again.stdout


def test_a_folder_is_made_where_none_is_named(omp, program, tmp_path):
    done = omp("--try", "css:chunk=2", "--repetitions", 1, "--", program, 1)
    assert done.returncode == 0
    (folder,) = (tmp_path / "results/omp").iterdir()
    assert re.fullmatch(r"tried-\d{8}T\d{6}", folder.name)
    assert f"results: results/omp/{folder.name}\n" in done.stderr
    assert (folder / "answers.json").exists()


def test_answers_that_cannot_be_compared_are_said(omp, rising, program):
    done = omp("--try", "steal", "--loops", "dynamic", "--repetitions", 2,
               "--out", "./out", "--", rising, "clock")
    assert done.returncode == 0
    assert "answers: cannot be compared, because runs as it is print " \
        "different things; use --check COMMAND" in done.stdout
    assert "other answers" not in done.stdout
    done = omp("--try", "ss", "--repetitions", 1, "--out", "./silent", "--",
               "sh", "-c", f"{shlex.quote(str(program))} 2 >/dev/null")
    assert "the program prints nothing to stdout" in done.stdout
    for words in ([rising, "clock"], ["sh", "-c", f"{rising} >/dev/null"]):
        done = omp("--scheme", "rnd:seed=1..2", "--loops", "dynamic", "--",
                   *words)
        assert done.returncode == 2
        assert "--check COMMAND is missing" in done.stderr


def test_any_order_finds_what_relies_on_a_rising_one(omp, rising):
    some = ["--loops", "dynamic", "--", rising]
    done = omp("--scheme", "rnd:max=9,seed=1..3", *some)
    assert (done.returncode, "every answer is right" in done.stdout) == \
        (0, True)
    done = omp("--scheme", "rnd:order=any,max=9,seed=1..3", *some)
    assert done.returncode == 1
    assert "the answer is wrong in 3 of 3 runs: it prints something else" in \
        done.stdout
    again = re.search("again: .* dlsbench (omp .*)", done.stdout)[1]
    assert omp(*shlex.split(again)[1:]).returncode == 1


SUMS = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) { double x = 0; static double part[1000];
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; i++) {
        static int count;
        int at = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
        for (volatile int k = 0; k < 20000; k++) ;
        part[WHICH] = 1.0 / (i + 1); }
    for (int i = 0; i < 1000; i++) x += part[i];
    printf("%.17g\n", x); return 0; }
"""


def test_sums_in_another_order_are_called_that(omp, tmp_path):
    """Of one thread: as it is the order is always the same."""
    (tmp_path / "sums.c").write_text(SUMS)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "-DWHICH=at", "sums.c",
                    "-o", "sums"], cwd=tmp_path, check=True)
    done = omp("--try", "ss,rnd:order=any", "--repetitions", 2, "--out",
               "./out", "--", "env", "OMP_NUM_THREADS=1", "./sums")
    assert done.returncode == 1
    assert re.search(r"other answers under rnd:seed=1,order=any: round 1 "
                     r"prints other last digits \(\S+e-1\d of a number\), as "
                     "sums", done.stdout)
    assert "other answers under ss" not in done.stdout


SLEEPS = r"""
#include <stdio.h>
#include <time.h>
int main(void) { double sum = 0;
  for (int v = 0; v < 2; v++)
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 64; i++) {
      struct timespec nap = {.tv_nsec = i < 16 ? 8000000 : 100000};
      nanosleep(&nap, NULL); sum += i; }
  printf("%g\n", sum); return 0; }
"""


def test_what_gains_is_tried_together(omp, tmp_path):
    """Threads and a schedule, each by itself and then both; the first line can
    be copied, and a second command goes on with nothing."""
    (tmp_path / "sleeps.c").write_text(SLEEPS)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "sleeps.c", "-o",
                    "sleeps"], cwd=tmp_path, check=True)
    some = ["--try", "OMP_NUM_THREADS=8,css:chunk=2", "--repetitions", 8,
            "--out", "./out"]
    done = omp(*some, "--", "./sleeps")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    both = "OMP_NUM_THREADS=8 css:chunk=2"
    rest = VARIABLES.replace("OMP_NUM_THREADS=2 ", "")
    assert lines[0] == (f"Use:  {rest}OMP_NUM_THREADS=8 dlsbench omp --scheme "
                        "css:chunk=2 -- ./sleeps")
    answers = json.loads((tmp_path / "out/answers.json").read_text())
    assert answers["use"] == lines[0][len("Use:  "):]
    gain = re.fullmatch(r"Gain: ([\d.]+) % \(95 %: ([\d.]+) to ([\d.]+)\) "
                        "over the program as it is, 8 rounds"
                        r"(?:, beside others who had [\d.]+ processors)?",
                        lines[1])
    assert 0 < float(gain[2]) <= float(gain[1]) <= float(gain[3]) < 100
    assert re.match(r"Of it: schemes css:chunk=2: [\d.]+ %; threads "
                    r"OMP_NUM_THREADS=8: [\d.]+ %$", lines[2])
    assert lines[3] == ("Permanently: schedule(dynamic, 2) in sleeps.c:7 "
                        "comes within 1 % of the best schedule  (a patch: "
                        "./out/sleeps.patch)")
    subprocess.run(["patch", "-p0", "-i", "out/sleeps.patch"], check=True,
                   cwd=tmp_path)
    assert (tmp_path / "sleeps.c").read_text() == SLEEPS.replace(
        "schedule(runtime)", "schedule(dynamic, 2)")
    assert re.search(f"^  {both} +8 ", done.stdout, re.M)
    found = [row for row in rows(tmp_path / "out") if row["type"] == "run"
             and row["kernel"].startswith("main") and row["tried"] == both]
    assert {row["scheme"] for row in found} == \
        {"css:chunk=2 OMP_NUM_THREADS=8"}
    assert {row["threads"] for row in found} == {8}
    again = omp(*some, "--resume", "--", "./sleeps")
    assert "nothing is left to run" in again.stderr
    assert again.stdout == done.stdout


APART = """#include <stdio.h>
#include <unistd.h>
int main(void) {
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < 64; i++)
    if (i < 16) usleep(4000);
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < 64; i++)
    if (i < 32) usleep(1000); else if (i == 63) usleep(40000);
  return 0; }
"""


def test_loops_with_other_schemes_run_by_the_rules(omp, tmp_path):
    """Small chunks are best for one, halves for the other; the picture has
    both threads under the best choice and as it is, where one waits."""
    (tmp_path / "apart.c").write_text(APART)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "apart.c", "-o", "apart"],
                   cwd=tmp_path, check=True)
    outs = iter(range(100))

    def attempt():
        out = f"./out{next(outs)}"
        done = omp("--try", "css:chunk=2,css:chunk=32", "--loops", "dynamic",
                   "--repetitions", 8, "--out", out, "--", "./apart")
        assert done.returncode == 0, done.stderr
        assert "left out" not in done.stderr
        if not done.stdout.startswith(
                f"Use:  {VARIABLES}dlsbench omp --scheme @{out}/rules "
                "--loops dynamic -- ./apart\nGain: "):
            return None  # others had the cores
        assert re.search("^  @rules-[0-9a-f]{4} +8 ", done.stdout, re.M)
        best, worst = json.loads((tmp_path / out / "strips.json").read_text())[
            "strips"]
        assert best["choice"].startswith("@rules-")
        assert worst["choice"] == "as it is"
        for strip in best, worst:
            assert len(strip["threads"]) == 2
            inside, computed = (sum(sum(t[n]) for t in strip["threads"])
                                for n in ("inside", "computed"))
            assert 0 < strip["bin_s"] * inside <= 2 * strip["time_s"]
            assert (computed / inside < 0.6) == (strip is worst)
        return True
    eventually(attempt)


CLAUSES = """#include <stdio.h>
#include <unistd.h>
#define SOME 64
static void part(int i) { usleep(i < 16 ? 6000 : 100); }
void plain(void) {
#pragma omp parallel for \\
        reduction(+ : done) \\
        schedule ( dynamic , 32 )   // half of them
  for (int i = 0; i < SOME; i++)
    part(i);
}
void inside(void) {
#pragma omp parallel
  {
    part(20);
#pragma omp for schedule(guided, 32)
    for (int i = 0; i < SOME; i++)
      part(i);
  }
}
int main(void) { plain(); inside(); return 0; }
"""


BLOCKS = r"""
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int a[96];
#pragma omp parallel for
    for (int i = 0; i < 96; i++)
        usleep(60 * (a[i] = i));
    printf("%d\n", a[95]);
}
"""


def test_blocks_are_not_called_chunks_of_iterations(omp, tmp_path):
    """ss hands out blocks here: dynamic,1 would be something else."""
    (tmp_path / "b.c").write_text(BLOCKS)
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "b.c", "-o", "b"],
                   cwd=tmp_path, check=True)
    done = omp("--try", "ss", "--loops", "static", "--same-output",
               "--repetitions", 8, "--", "./b")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Permanently: schedule\(runtime\) in b.c:\d+, and "
                     "--try again", done.stdout, re.M), done.stdout
    assert "dynamic" not in done.stdout
    assert "may change their last digits\n" in done.stdout


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_patch_is_of_the_loops_that_gain(omp, tmp_path, compiler, level):
    """Wherever the compiler says that they are; also of a file elsewhere."""
    source = CLAUSES.replace(" reduction(+ : done)", " if (1)")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/two.c").write_text(source)
    subprocess.run([compiler, level, "-g", "-fopenmp", "src/two.c", "-o",
                    "two"], cwd=tmp_path, check=True)
    done = omp("--try", "css:chunk=2", "--loops", "dynamic", "--repetitions",
               8, "--out", "./out", "--", "./two")
    assert done.returncode == 0, done.stderr
    line = done.stdout.splitlines()[3]
    assert line.startswith("Permanently: ")
    assert line.endswith("(a patch: ./out/two.patch)"), line
    # A busy machine can hide the gain of one loop: it is not named then.
    named = set(re.findall("schedule\\(dynamic, 2\\) in two.c:([0-9]+)", line))
    assert named and named <= {"6", "15", "16", "17"}, line
    expected = source
    if "6" in named:
        expected = expected.replace("schedule ( dynamic , 32 )",
                                    "schedule (dynamic, 2)")
    if named - {"6"}:
        expected = expected.replace("schedule(guided, 32)",
                                    "schedule(dynamic, 2)")
    subprocess.run(["patch", "-p0", "-i", "out/two.patch"], check=True,
                   cwd=tmp_path)
    assert (tmp_path / "src/two.c").read_text() == expected


def test_a_gain_beside_others_says_so(omp, tmp_path):
    """On a quiet machine another choice may be best."""
    (tmp_path / "sleeps.c").write_text(SLEEPS)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "sleeps.c", "-o",
                    "sleeps"], cwd=tmp_path, check=True)
    outs = iter(range(100))

    def attempt():
        with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as other:
            done = omp("--try", "OMP_NUM_THREADS=8", "--repetitions", 6,
                       "--out", f"./out{next(outs)}", "--", "./sleeps")
            other.kill()
        return bool(re.search(r"^Gain: .*, 6 rounds, beside others who had "
                              r"(0\.[2-9]|[1-9][\d.]*) processors$",
                              done.stdout, re.M))
    eventually(attempt)


def test_one_thread_is_said_and_places_that_are_not_there(omp, tmp_path):
    """Schemes cannot balance one thread; the next command tries more."""
    (tmp_path / "sleeps.c").write_text(SLEEPS)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "sleeps.c", "-o",
                    "sleeps"], cwd=tmp_path, check=True)
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("one core")
    alone = ["env", "OMP_NUM_THREADS=1", "./sleeps"]
    for others in "ss", "ss,OMP_NUM_THREADS=2":
        done = omp("--try", others, "--repetitions", 1, "--out",
                   f"./{others}", "--", *alone)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count(
            ": the team has one thread, which no schedule can balance; ") == 3
        assert (f"\nNext: {VARIABLES}dlsbench omp --try threads -- env "
                in done.stdout) == (others == "ss"), done.stdout
    done = omp("--try", "ss", "--repetitions", 1, "--out", "./two", "--",
               "./sleeps")
    assert "one thread" not in done.stdout
    # One processor of each cache and socket, or two that share both.
    done = omp("--try", "places", "--repetitions", 1, "--out", "./places",
               "--", "taskset", "-c", str(cores[0]), "./sleeps")
    for what in "socket", "cache":
        tried = re.search(r"OMP_PLACES=\{[\d,]+\}", done.stdout)
        assert tried or re.search(
            f"--try places: no place of one {what} is tried: (all processors "
            "here share one|each processor here has its own)\n", done.stderr)


def test_a_program_of_static_loops_is_tried_by_its_environment(omp, tmp_path):
    (tmp_path / "static.c").write_text(
        SLEEPS.replace("schedule(runtime)", ""))
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "static.c", "-o",
                    "static"], cwd=tmp_path, check=True)
    done = omp("--try", "schemes,threads,waiting", "--repetitions", 1, "--out",
               "./out", "--", "./static")
    assert done.returncode == 0, done.stderr
    assert "omp: schemes are left out" in done.stderr
    answers = json.loads((tmp_path / "out/answers.json").read_text())
    assert answers["use"] is None
    assert done.stdout.startswith(f"Use:  {VARIABLES}./static   (as it is)\n"
                                  "Gain: the runs are too few to say")
    assert "OMP_NUM_THREADS=1" in done.stdout
    assert "OMP_WAIT_POLICY=active" in done.stdout
    assert "  OMP_WAIT_POLICY=passive " not in done.stdout  # as it is
    assert omp("--try", "schemes", "--", "./static").returncode == 1


def test_the_best_choice_is_found_and_a_wrong_answer_is_not_ranked(
        omp, program, tmp_path):
    """In two parts, of which the second goes on with the first; then the rules
    hold."""
    def attempt(repetitions, *more):
        return omp("--try", "css:chunk=2,css:chunk=3,css:chunk=50", "--check",
                   RIGHT, "--out", "./out", "--repetitions", repetitions,
                   *more, "--", program, 2)
    first = attempt(1)
    assert first.returncode == ("css:chunk=3 fails" in first.stderr)
    assert "6 comparisons need 5 repetitions at least" in first.stderr
    assert "the runs are too few to say" in first.stdout
    kept = sorted((tmp_path / "out").glob("runs-*"))
    assert len(kept) == 4
    assert "--resume goes on" in attempt(9).stderr
    name = f"main tried.c:{LINE}"
    said = first.stderr
    for repetitions in 9, 18, 36:  # beside other load it takes more
        done = attempt(repetitions, "--resume")
        said += done.stderr
        assert done.returncode == ("css:chunk=3 fails" in said), done.stderr
        gain = re.search(rf"^  {name} \(.* % of the time\): css:chunk=2 "
                         r"gains ([\d.]+) % \(([\d.]+) to ([\d.]+)\)$",
                         done.stdout, re.M)
        if gain:
            break
    assert gain, done.stdout
    assert sorted((tmp_path / "out").glob("runs-*"))[:4] == kept
    # Not in a round in which one thread had all chunks.
    assert re.search(r"css:chunk=3 fails in round \d+: the check: exit code 1",
                     said)
    low, high = float(gain[2]), float(gain[3])
    assert 0 < low < float(gain[1]) < high < 100
    assert re.search(r"css:chunk=3 +\d+ +.* failed, not ranked", done.stdout)
    rules = tmp_path / "out/rules"
    assert re.search(rf"^tried:[0-9a-f]{{16}}\+0x\w+ = css:chunk=2\n"
                     rf"tried.c:{LINE} = css:chunk=2$",
                     rules.read_text(), re.M)
    held = omp("--scheme", f"@{rules}", "--", program, 2)
    assert held.stdout == "9800\n" and "css:chunk=2" in held.stderr
    assert "no loop that was seen" not in held.stderr
    found = rows(tmp_path / "out")
    ended = [x for x in found if x["type"] == "cell_done"
             and x["scheme"] == "css:chunk=3"]
    assert {x["status"] for x in ended} == {"unverified"}
    assert {x["tried"] for x in found if x["type"] == "run"
            and x["verified"] is True} >= {"as it is", "css:chunk=2",
                                           "css:chunk=50"}
    advice = subprocess.run(
        ["/usr/bin/python3", ROOT / "analysis/advise.py", tmp_path / "out"],
        capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^{name}, .*: css:chunk=2 gains ", advice, re.M)
    assert "css:chunk=3" not in advice


def test_one_failed_run_takes_a_choice_out_of_all_readers(omp, program,
                                                          tmp_path):
    """Also its earlier runs, which were good."""
    check = 'test ! -e bad || ! grep -q css "$DLS_OUTPUT"'

    def attempt(repetitions, *more):
        return omp("--try", "css:chunk=2", "--repetitions", repetitions,
                   "--check", check, "--out", "./out", *more, "--", "/bin/sh",
                   "-c", f"{program} 1; echo $DLS_SCHEDULE")
    assert attempt(2).returncode == 0
    (tmp_path / "bad").touch()
    done = attempt(3, "--resume")
    assert "css:chunk=2 fails in round 3: the check: exit code" in done.stderr
    assert done.returncode == 1
    assert re.search("css:chunk=2 +0( +-){3} +failed, not ranked", done.stdout)
    ended = {(x["launch"], x["scheme"]): x for x in rows(tmp_path / "out")
             if x["type"] == "cell_done"}
    states = [x["status"] for (_, s), x in ended.items() if "css" in s]
    assert states == ["unverified"] * 3
    assert {x["reason"] for (_, s), x in ended.items() if "css" in s} == {
        "round 3: the check: exit code 1"}
    assert {x["status"] for (_, s), x in ended.items() if "css" not in s} == {
        "ok"}
    summary = subprocess.run([DLSBENCH, "summary", "out"], cwd=tmp_path,
                             capture_output=True, text=True, check=False)
    assert len(re.findall("css:chunk=2 +UNVERIFIED", summary.stdout)) == 2
    tables = subprocess.run(
        ["/usr/bin/python3", ROOT / "analysis/tables.py", tmp_path / "out"],
        capture_output=True, text=True, check=True)
    assert "css:chunk=2" not in tables.stdout


def test_a_failure_as_it_is_is_said_first(omp, program, tmp_path):
    check = 'test ! -e bad || ! grep -q own "$DLS_OUTPUT"; code=$?; ' \
        "touch bad; exit $code"
    done = omp("--try", "css:chunk=2", "--repetitions", 2, "--check", check,
               "--out", "./out", "--", "/bin/sh", "-c",
               f"{program} 1; echo ${{DLS_SCHEDULE:-own}}")
    assert done.returncode == 1
    said = ("the program failed as it is in 2 of 2 runs, so no gain over it "
            "can be relied on")
    assert done.stdout.splitlines()[0] == said
    answers = json.loads((tmp_path / "out/answers.json").read_text())
    assert answers["loops"][0]["verdict"].startswith(said)
    assert said in (tmp_path / "out/rules").read_text()


def test_the_line_that_uses_the_rules_is_whole(omp, tmp_path):
    """After --loops dynamic, without which they would do nothing."""
    build_other(tmp_path, "dynamic, 50")
    for repetitions in 6, 12, 24:  # beside other load it takes more
        done = omp("--try", "css:chunk=2", "--loops", "dynamic", "--out",
                   "./out", "--repetitions", repetitions,
                   *["--resume"][:repetitions > 6], "--", "./tried", 2)
        assert done.returncode == 0, done.stderr
        if "for the loops:" in done.stdout:
            break
    command, without = done.stdout.split("for the loops: ")[1].splitlines()[:2]
    assert "--scheme @./out/rules --loops dynamic -- " in command
    report = subprocess.run(
        ["/bin/sh", "-c", f"{without.replace('...', '')} "
         f"DLS_OMP_COUNTERS={tmp_path} ./tried 1"], cwd=tmp_path, check=True,
        env=ENVIRONMENT, capture_output=True, text=True)
    assert report.stdout == "4900\n" and not report.stderr
    (counted,) = tmp_path.glob("*.loops")
    assert b"css:chunk=2" in counted.read_bytes()
    assert re.search("^# DLS_SCHEDULE=@FILE DLS_OMP_LOOPS=dynamic LD_PRELOAD",
                     (tmp_path / "out/rules").read_text(), re.M)


@pytest.fixture(params=["its cores", "one core"])
def cores(request):
    """Those that the two threads of the program may use."""
    own = os.sched_getaffinity(0)
    if request.param == "one core":
        os.sched_setaffinity(0, {min(own)})
    yield
    os.sched_setaffinity(0, own)


@pytest.mark.usefixtures("cores")
def test_every_reader_says_what_try_said(omp, program, tmp_path):
    """The verdict of each loop, and the command that tells more, which runs as
    it is.  No reader ranks the choices by a rule of its own, or leaves them
    out where threads share cores."""
    done = omp("--try", "css:chunk=2", "--repetitions", 2, "--check",
               "test -s \"$DLS_OUTPUT\"", "--out", "out/", "--", program, 1)
    assert done.returncode == 0, done.stderr
    answers = json.loads((tmp_path / "out/answers.json").read_text())
    read = {words: subprocess.run(
        [DLSBENCH, *words.split(), "out"], cwd=tmp_path, check=True,
        capture_output=True, text=True).stdout
        for words in ("summary", "summary --format json", "advise", "report")}
    page = html.unescape((tmp_path / "out/report.html").read_text())
    for loop in answers["loops"]:
        assert f"  {loop['name']}" in done.stdout
        assert f": {loop['verdict']}\n" in done.stdout
        assert f"{loop['name']}: {loop['verdict']}" in \
            " ".join(read["summary"].split())
        for text in read["advise"], page:
            assert loop["name"] in text and loop["verdict"] in text
    assert not re.search("^[*=] ", read["summary"], re.M)
    assert "Avoid" not in read["summary"] and "use  " not in read["advise"]
    assert not any(row["fastest"] for row in json.loads(
        read["summary --format json"])["rows"])
    (more,) = answers["commands"]
    assert " --resume --out ./out -- " in more["command"]
    assert f"\nNext: {more['command']}   ({more['why']})\n" in done.stdout
    assert f"{more['command']}   # {more['why']}\n" in page
    again = subprocess.run(
        ["/bin/sh", "-c", more["command"]], cwd=tmp_path, check=True,
        env={**ENVIRONMENT, "PATH": f"{DLSBENCH.parent}:{os.environ['PATH']}"},
        capture_output=True, text=True)
    rounds = int(re.search("--repetitions (\\d+) ", more["command"])[1])
    assert f"{rounds - 2} rounds" in again.stderr
    assert "too few" not in again.stdout


def test_where_nothing_is_left_nothing_runs(omp, tmp_path):
    """Neither for a scheme that was left out: steal of a monotonic loop."""
    build_other(tmp_path, "monotonic: dynamic, 50")

    def attempt(*more):
        done = omp("--try", "css:chunk=2,steal", "--loops", "dynamic",
                   "--repetitions", 2, "--out", "./out", *more, "--",
                   "/bin/sh", "-c", "echo >>count; ./tried 1")
        assert done.returncode == 0, done.stderr
        return done
    first = attempt()
    rules = (tmp_path / "out/rules").read_text()
    answers = (tmp_path / "out/answers.json").read_text()
    count = len((tmp_path / "count").read_text())
    again = attempt("--resume")
    assert "nothing is left to run" in again.stderr
    assert "left out, as before, because they hand out the chunks of no " \
        "loop here: steal:chunk=1" in again.stderr
    assert again.stdout == first.stdout
    assert (tmp_path / "out/rules").read_text() == rules
    assert (tmp_path / "out/answers.json").read_text() == answers
    assert len((tmp_path / "count").read_text()) == count


def ran(folder):
    """The rounds of each choice."""
    found = {}
    for row in rows(folder):
        if row["type"] == "run" and row["kernel"].startswith("whole"):
            found.setdefault(row["tried"], set()).add(row["round"])
    return found


def test_what_resume_adds_runs_beside_the_program_as_it_is(omp, program,
                                                           tmp_path):
    """In new rounds: the machine may have another load than in the old ones,
    whose gaps stay."""
    def attempt(schemes, repetitions, *more):
        done = omp("--try", schemes, "--repetitions", repetitions, "--out",
                   "./out", *more, "--", program, 1)
        assert done.returncode == 0, done.stderr
    attempt("css:chunk=2", 2)
    attempt("css:chunk=2,css:chunk=50", 2, "--resume")
    assert ran(tmp_path / "out") == {
        "as it is": {1, 2, 3, 4}, "css:chunk=2": {1, 2},
        "css:chunk=50": {3, 4}}
    (own,) = [x["launch"] for x in rows(tmp_path / "out")
              if x.get("round") == 3 and x["tried"] == "as it is"
              and x["kernel"].startswith("whole")]
    (tmp_path / f"out/runs-{own}.jsonl").unlink()
    attempt("css:chunk=2,css:chunk=50", 3, "--resume")
    assert ran(tmp_path / "out") == {
        "as it is": {1, 2, 4, 5, 6}, "css:chunk=2": {1, 2, 5},
        "css:chunk=50": {3, 4, 5, 6}}
    answers = json.loads((tmp_path / "out/answers.json").read_text())
    assert [x["runs"] for x in answers["loops"][0]["choices"]] == [5, 3, 3]
    own = {}
    for row in rows(tmp_path / "out"):
        if row["type"] == "run" and row["tried"] == "as it is":
            whole = row["kernel"].startswith("whole")
            own.setdefault(row["round"], {})[whole] = row["time_s"]
    share = statistics.median(x[False] / x[True] for x in own.values())
    assert answers["loops"][1]["share"] == pytest.approx(share)


def test_resume_refuses_another_build(program, tmp_path):
    """Of the program's file, and of a module that its runs have shown."""
    def attempt(folder, *words):
        return subprocess.run(
            [DLSBENCH, "omp", "--try", "css:chunk=2", "--repetitions", "1",
             "--out", f"./{folder}", *words], cwd=tmp_path, env=ENVIRONMENT,
            capture_output=True, text=True, check=False)
    shutil.copy(program, tmp_path / "tried")
    cases = {"plain": ("--", "./tried", "1"),
             "below": ("--", "/bin/sh", "-c", "./tried 1; exit")}
    for folder, words in cases.items():
        assert attempt(folder, *words).returncode == 0
    subprocess.run(["gcc", "-g", "-O2", "-fopenmp", SOURCE, "-o",
                    tmp_path / "tried"], check=True)
    for folder, words in cases.items():
        done = attempt(folder, "--resume", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"dlsbench: omp: --resume: ./{folder} holds runs of another build "
            "of tried; name another directory with --out\n")
        assert set(ran(tmp_path / folder)["as it is"]) == {1}


def test_a_script_may_run_two_programs_of_one_name(program, tmp_path):
    shutil.copy(program, tmp_path / "tried")
    (tmp_path / "other").mkdir()
    subprocess.run(["gcc", "-g", "-O2", "-fopenmp", SOURCE, "-o",
                    tmp_path / "other/tried"], check=True)
    words = [DLSBENCH, "omp", "--try", "css:chunk=2", "--repetitions", "1",
             "--out", "./out", "--", "/bin/sh", "-c",
             "./tried 1; other/tried 1; exit"]
    for more in (), ("--resume",):
        done = subprocess.run([*words[:2], *more, *words[2:]], cwd=tmp_path,
                              env=ENVIRONMENT, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr


def test_resume_refuses_another_number_of_threads(program, tmp_path):
    words = [DLSBENCH, "omp", "--try", "css:chunk=2", "--repetitions", "1",
             "--out", "./out", "--", program, "1"]
    subprocess.run(words, cwd=tmp_path, env=ENVIRONMENT, check=True,
                   capture_output=True)
    words.insert(2, "--resume")
    other = {**ENVIRONMENT}
    del other["OMP_SCHEDULE"]
    for environment, said in (
            ({**ENVIRONMENT, "OMP_NUM_THREADS": "1"},
             "with OMP_NUM_THREADS=2, and now there is OMP_NUM_THREADS=1"),
            ({**ENVIRONMENT, "GOMP_SPINCOUNT": "5"},
             "with no GOMP_SPINCOUNT, and now there is GOMP_SPINCOUNT=5"),
            (other, "with OMP_SCHEDULE=static, and now there is no "
             "OMP_SCHEDULE")):
        done = subprocess.run(words, cwd=tmp_path, env=environment, text=True,
                              capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"dlsbench: omp: --resume: ./out holds runs {said}; name another "
            "directory with --out\n")


def test_a_race_is_found_and_found_again(omp, program):
    done = omp("--scheme", "rnd:min=2,max=2,seed=1..2", "--check", RIGHT, "--",
               program, 2)
    assert (done.returncode, done.stderr) == (0, "")
    assert "every answer is right" in done.stdout
    done = omp("--scheme", "rnd:min=1,max=9,seed=1..20", "--check", RIGHT,
               "--", program, 2)
    assert done.returncode == 1
    seed, again = re.search(r"^rnd:min=1,max=9,seed=(\d+): the answer is "
                            r"wrong in \d of 3 runs: .*\n  again: (.*)$",
                            done.stdout, re.M).groups()
    assert again.startswith(f"{VARIABLES}dlsbench omp ")
    words = shlex.split(again[len(VARIABLES):])
    assert words[2:7] == ["--scheme", f"rnd:min=1,max=9,seed={seed}..{seed}",
                          "--check", RIGHT, "--"]
    done = omp(*words[2:])
    assert f"seed={seed}: the answer is wrong in " in done.stdout \
        or "every answer is right" in done.stdout


def test_a_fuzzer_says_what_it_cannot_judge_and_how_a_program_ends(omp,
                                                                   tmp_path):
    done = omp("--scheme", "rnd:seed=1..2", "--check", "false", "--",
               "/bin/true")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--check 'false' fails for the program as it is" in done.stderr
    script = tmp_path / "script"
    for end, text in (("kill -SEGV $$", "ends by signal 11"),
                      ("echo no >&2; exit 3", "ends with exit code 3")):
        script.write_text(
            f'#!/bin/sh\n[ -z "$DLS_SCHEDULE" ] || {{ {end}; }}\n')
        script.chmod(0o755)
        done = omp("--scheme", "rnd:seed=1..2", "--check", "true", "--",
                   script)
        assert done.returncode == 1
        assert re.search(f"seed=1: the program {text}.* in 3 of 3 runs",
                         done.stdout)
        assert "answer" not in done.stdout


def test_ranks_of_mpi_are_tried_together(omp, program, tmp_path):
    done = omp("--try", "css:chunk=2", "--repetitions", 1, "--out",
               tmp_path / "out", "--", *launcher(2), program, 1)
    assert done.returncode == 0, done.stderr
    found = [x for x in rows(tmp_path / "out") if x["type"] == "run"]
    assert {(x["tried"], x["round"], x["ranks"]) for x in found} == {
        ("as it is", 1, 2), ("css:chunk=2", 1, 2)}


@pytest.mark.parametrize("words", [
    ("--try", "ss", "--out", "x"), ("--try", "ss", "--out", "x", "--resume"),
    ("--try", "ss"), ("--scheme", "rnd:seed=1..3"),
    ("--scheme", "rnd:seed=1..3", "--check", "true"),
    ("--loops static --scheme", "ss")])
def test_below_mpiexec_one_rank_says_that_it_stands_above(program, tmp_path,
                                                          words):
    done = subprocess.run([*launcher(3), DLSBENCH, "omp", *words[0].split(),
                           *words[1:], "--", program], env=ENVIRONMENT,
                          cwd=tmp_path, text=True, capture_output=True,
                          check=False)
    assert done.returncode == 2 and not done.stdout
    (line,) = [x for x in done.stderr.splitlines() if "dlsbench" in x]
    assert "put it above" in line and words[0] in line


@pytest.mark.parametrize("rank, lines", [("0", 1), ("1", 0)])
def test_a_step_of_slurm_is_a_launcher_with_several_tasks(program, tmp_path,
                                                          rank, lines):
    """The script of a job has a number, too, but no step."""
    words = [DLSBENCH, "omp", "--try", "ss", "--out", "x", "--resume", "--",
             program]
    for tasks, said in (("2", lines), ("1", None), (None, None)):
        step = {"SLURM_STEP_NUM_TASKS": tasks} if tasks else {}
        done = subprocess.run(words, text=True, env={
            **ENVIRONMENT, "SLURM_PROCID": rank, **step}, cwd=tmp_path,
            capture_output=True, check=False)
        assert done.returncode == 2 and not done.stdout
        if said is None:
            assert "no runs of omp --try" in done.stderr
        else:
            assert done.stderr.count("put it above") == said
            assert len(done.stderr.splitlines()) == said


def test_loops_whose_time_is_not_known_count_in_the_program(program, tmp_path):
    """Of gcc's programs on LLVM's runtime one thread alone is seen."""
    done = subprocess.run(
        [DLSBENCH, "omp", "--try", "css:chunk=2", "--repetitions", "1",
         "--out", tmp_path / "out", "--", program, "1"], text=True,
        env={**ENVIRONMENT, "LD_PRELOAD": find_libomp()}, capture_output=True,
        check=False)
    assert done.returncode == 0, done.stderr
    assert "the time of some loops is not known" in done.stderr
    assert "whole program tried: " in done.stdout
    assert "main tried.c" not in done.stdout


def test_an_interrupt_keeps_what_was_measured(program, tmp_path):
    """But not a verdict on fewer runs."""
    words = [DLSBENCH, "omp", "--try", "css:chunk=2", "--repetitions", "1",
             "--out", "./out", "--", program, "1"]
    subprocess.run(words, cwd=tmp_path, env=ENVIRONMENT, check=True,
                   capture_output=True)
    verdict = [tmp_path / "out" / name for name in ("rules", "answers.json")]
    assert all(path.exists() for path in verdict)
    words[5:6] = ["200", "--resume"]
    process = subprocess.Popen(words, cwd=tmp_path, env=ENVIRONMENT, text=True,
                               stderr=subprocess.PIPE)
    while len(list(tmp_path.glob("out/runs-*"))) < 4:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=30)[1]
    assert process.returncode == 1
    assert "continue by the same command with --resume" in err
    ended = [x for x in rows(tmp_path / "out") if x["type"] == "cell_done"]
    assert {x["status"] for x in ended} == {"ok"}
    assert not any(path.exists() for path in verdict)


def test_a_check_that_hangs_is_stopped(omp, program):
    done = omp("--scheme", "rnd:seed=1..2", "--check", "sleep 100", "--",
               program, 0)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"--check 'sleep 100' fails for the program as it is: "
                     r"the check: stopped after 1\d(\.\d)? s \(10 times the "
                     r"program's time as it is, and 10 s\)$", done.stderr)


def test_a_program_may_have_a_blank_in_its_name(omp, program, tmp_path):
    (tmp_path / "with blank").mkdir()
    shutil.copy(program, tmp_path / "with blank/lo ud")
    done = omp("--out", "./out", "--", "./with blank/lo ud", 1)
    assert done.returncode == 0
    assert {x["kernel"] for x in rows(tmp_path / "out")} == {
        f"main tried.c:{LINE}", "whole program lo ud"}


def test_bad_input_is_one_line(omp, program, tmp_path):
    def one(code, text, *words, lines=1):
        done = omp(*words)
        assert (done.returncode, done.stdout) == (code, "")
        assert text in done.stderr.splitlines()[-1]
        assert len(done.stderr.splitlines()) == lines, done.stderr
        assert not (tmp_path / "out").exists()
    run = "--", program, 1
    out = "--out", "./out"
    one(2, "--out DIR is missing", "--try", "ss", "--resume", *run)
    one(2, "one of them is allowed", "--try", "ss", "--scheme", "ss", *out,
        *run)
    one(2, "did you mean 'fss'", "--try", "ss,fsss", *out, *run)
    one(2, "'fsss' is unknown", "--try", "threads,fsss", *out, *run)
    one(2, "'auto' chooses for whole runs of dlsbench run", "--try", "ss,auto",
        *out, *run)
    one(2, "are for --try", "--resume", *run)
    one(2, "--check is for --try", "--check", "true", *run)
    one(2, "FIRST <= LAST", "--scheme", "rnd:seed=3..1", "--check", "x", *run)
    one(2, "seed of rnd", "--scheme", "tss:last=1..3", "--check", "x", *run)
    one(2, "has no runs of omp --try", "--try", "ss", "--resume", *out, *run)
    one(1, "fails for the program as it is: the check: exit code 3: no",
        "--try", "ss", "--check", "echo no >&2; exit 3", *out, *run, lines=2)
    one(1, "the program fails as it is: exit code 4", "--try", "ss", *out,
        *run, 4, lines=2)
    one(1, "the program fails as it is: exit code 5: why", "--try", "ss", *out,
        "--", "/bin/sh", "-c", "echo why >&2; echo ----- >&2; exit 5", lines=2)
    one(1, "the program fails as it is: exit code 4", "--loops", "static",
        "--scheme", "ss", *run, 4, lines=2)
    one(2, "omp: the program's name is empty", "--try", "ss", *out, "--", "")
    one(1, "--loops dynamic adds", "--try", "ss", *out, "--", "/bin/true",
        lines=2)
    (tmp_path / "damaged").mkdir()
    for text in "{\n", "{", "[]\n", "":
        (tmp_path / "damaged/tries.json").write_text(text)
        one(2, "omp: ./damaged/tries.json: damaged at line 1", "--try", "ss",
            "--resume", "--out", "./damaged", *run)
    omp(*out, *run)
    done = omp("--try", "ss", *out, *run)
    assert "it holds runs that --try has not made" in done.stderr
