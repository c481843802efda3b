"""dlsbench omp --loops static: static loops of gcc's programs are cut in
blocks that a scheme hands out.  Whatever a program does, it prints what it
prints as it is; what is not known to be safe is left alone."""
import os
import random
import re
import subprocess
import sys

import pytest

from conftest import ROOT, launcher

sys.path.insert(0, str(ROOT / "tests/omp"))
import regions  # noqa: E402

DLSBENCH = ROOT / "build/dlsbench"
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
# Of programs with random regions: make faults-regions
PROGRAMS, FIRST = (int(os.environ.get(name) or other) for name, other in
                   (("REGIONS", 64), ("SEED", 0)))
HEAD = r"""
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 4001 };
static long v[N], w[N];
static int per_thread[256];
static void sum_up(const char *name)
{ long h = 7; for (int i = 0; i < N; i++) h = h * 31 + v[i] + 3 * w[i];
  for (int i = 0; i < 256; i++) h = h * 31 + per_thread[i];
  printf("%s %ld\n", name, h); }
"""
# name: (what is in the file, what is left alone: None: it may be cut)
KINDS = {
    "by_hand": r"""int main(void) {
#pragma omp parallel
{ long t = omp_get_thread_num(), p = omp_get_num_threads();
for (long i = t * N / p; i < (t + 1) * N / p; i++) v[i] += i + t; }
sum_up("a"); }""",
    "buffers": r"""int main(void) { long *b = calloc(omp_get_max_threads(), 8);
#pragma omp parallel for
for (int i = 0; i < N; i++) b[omp_get_thread_num()] += i;
for (int i = 0; i < omp_get_max_threads(); i++) v[i] = b[i];
sum_up("a"); }""",
    "buffers_of_procs": r"""int main(void) { int p = omp_get_num_procs();
long *b = calloc(p, 8);
#pragma omp parallel num_threads(p)
{ long own = 0;
#pragma omp for
for (int i = 0; i < N; i++) own += i * i;
b[omp_get_thread_num()] = own; }
for (int i = 0; i < p; i++) v[i] = b[i]; sum_up("a"); }""",
    "fixed_table": r"""int main(void) {
#pragma omp parallel for
for (int i = 0; i < N; i++) per_thread[omp_get_thread_num() & 63] += i & 7;
sum_up("a"); }""",
    "buffer_in_single": r"""int main(void) { long *b = NULL; long s = 0;
#pragma omp parallel
{
#pragma omp single
b = calloc(omp_get_num_threads(), 8);
#pragma omp for
for (int i = 0; i < N; i++) b[omp_get_thread_num()] += i;
#pragma omp critical
s += b[omp_get_thread_num()];
}
printf("%ld\n", s); }""",
    "threadprivate": r"""static long mine;
#pragma omp threadprivate(mine)
int main(void) { long s = 0;
#pragma omp parallel for
for (int i = 0; i < N; i++) { mine += i; v[i] = mine; }
#pragma omp parallel reduction(+ : s)
s += mine;
printf("%ld\n", s); sum_up("a"); }""",
    "chunks": r"""int main(void) {
#pragma omp parallel for schedule(static, 7)
for (int i = 0; i < N; i++) v[i] = i * 3 + omp_get_num_threads();
sum_up("a"); }""",
    "reductions": r"""int main(void) { long s = 1, m = -5, x = 0; int all = 1;
#pragma omp parallel for reduction(+ : s) reduction(max : m) \
    reduction(^ : x) reduction(&& : all)
for (int i = 0; i < N; i++) { s += i; if (i % 977 > m) m = i % 977; x ^= i * 5;
  all = all && i < N; }
printf("%ld %ld %ld %d\n", s, m, x, all); }""",
    "array_reduction": r"""int main(void) { long h[16] = {0};
#pragma omp parallel for reduction(+ : h)
for (int i = 0; i < N; i++) h[i % 16] += i;
for (int i = 0; i < 16; i++) v[i] = h[i]; sum_up("a"); }""",
    "privates": r"""int main(void) { long base = 5, last = 0, t = 3;
#pragma omp parallel for firstprivate(base) lastprivate(last) private(t)
for (int i = 0; i < N; i++) { t = i * base; v[i] = t; last = t + 1; }
printf("%ld %ld\n", last, t); sum_up("a"); }""",
    "counter_of_thread": r"""int main(void) { long c = 9;
#pragma omp parallel for firstprivate(c)
for (int i = 0; i < N; i++) { c += i & 3; v[i] = c; }
sum_up("a"); }""",
    "two_loops_nowait": r"""int main(void) {
#pragma omp parallel
{
#pragma omp for nowait
for (int i = 0; i < N; i++) v[i] = i * 2;
#pragma omp for nowait
for (int i = 0; i < N; i++) w[i] = v[i] + 1;
}
sum_up("a"); }""",
    "two_loops": r"""int main(void) {
#pragma omp parallel
{
#pragma omp for
for (int i = 0; i < N; i++) v[i] = i * 2;
#pragma omp for
for (int i = 0; i < N; i++) w[i] = v[N - 1 - i] + 1;
}
sum_up("a"); }""",
    "orphan": r"""static __attribute__((noinline)) void loop(void) {
#pragma omp for
for (int i = 0; i < N; i++) v[i] += i; }
int main(void) {
#pragma omp parallel
{ loop(); loop(); }
sum_up("a"); }""",
    "nested": r"""int main(void) { omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
for (int i = 0; i < 40; i++) {
#pragma omp parallel for num_threads(2)
for (int j = 0; j < 100; j++) v[i * 100 + j] = i + j + omp_get_num_threads(); }
sum_up("a"); }""",
    "clauses": r"""int main(int n, char **x) { (void)x;
#pragma omp parallel for if (n > 1)
for (int i = 0; i < N; i++) v[i] = i;
#pragma omp parallel for num_threads(3)
for (int i = 0; i < N; i++) w[i] = omp_get_num_threads() * 0 + i;
#pragma omp parallel for collapse(2)
for (int i = 0; i < 40; i++) for (int j = 0; j < 100; j++) v[i * 100 + j] += j;
sum_up("a"); }""",
    "single": r"""int main(void) { long c = 0;
#pragma omp parallel
{
#pragma omp single nowait
c++;
#pragma omp for nowait
for (int i = 0; i < N; i++) v[i] = i;
}
printf("%ld\n", c); sum_up("a"); }""",
    "locks": r"""int main(void) { omp_lock_t l; omp_init_lock(&l);
long s = 0, t = 0;
#pragma omp parallel for
for (int i = 0; i < 500; i++) { omp_set_lock(&l); s += i; omp_unset_lock(&l);
#pragma omp critical
t += 2;
}
printf("%ld %ld\n", s, t); }""",
    "random_by_thread": r"""static unsigned seed[64];
static unsigned next(void) { unsigned *s = &seed[omp_get_thread_num() & 63];
  return *s = *s * 1103515245u + 12345u; }
int main(void) { for (int i = 0; i < 64; i++) seed[i] = i;
#pragma omp parallel for
for (int i = 0; i < N; i++) v[i] = next() >> 8;
sum_up("a"); }""",
    "progress_of_thread_0": r"""int main(void) { int told = 0;
#pragma omp parallel for
for (int i = 0; i < N; i++) { v[i] = i;
  if (omp_get_thread_num() == 0) told++; }
printf("%d\n", told); sum_up("a"); }""",
    "loop_bounds": r"""int main(int n, char **x) { (void)x; long c = 0;
for (int size = 0; size < 9; size++) {
#pragma omp parallel for reduction(+ : c)
for (int i = 0; i < size * n; i++) c += i + 1;
#pragma omp parallel for reduction(+ : c)
for (unsigned long i = 30; i > 5ul * n; i -= 5) c += i;
#pragma omp parallel for reduction(+ : c)
for (long i = -8; i <= size; i += 3) c ^= 0, c += i * i; }
printf("%ld\n", c); }""",
    "many_variables": r"""int main(int n, char **x) { (void)x;
int a = n, b = 2 * n, c = 3 * n, d = 4, e = 5, f = 6, g = 7, h = 8;
#pragma omp parallel for
for (int i = 0; i < N; i++) { v[i] = a * i + b; w[i] = c ^ i ^ d;
  if ((i & e) > f) v[i] += g * h; }
sum_up("a"); }""",
    "tasks": r"""int main(void) { long s = 0;
#pragma omp parallel
{
#pragma omp for
for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(i)
v[i] = i * i; }
}
sum_up("a"); printf("%ld\n", s); }""",
    "cancelled": r"""int main(void) {
#pragma omp parallel
{
#pragma omp for
for (int i = 0; i < N; i++) { v[i] = i;
#pragma omp cancel for if (i == N)
} }
sum_up("a"); }""",
    "task_reduction": r"""int main(void) { long s = 0;
#pragma omp parallel for reduction(task, + : s)
for (int i = 0; i < 100; i++) s += i;
printf("%ld\n", s); }""",
    "threads_of_posix": r"""static void *work(void *arg) {
long from = (long)arg;
#pragma omp parallel for num_threads(2)
for (long i = from; i < from + 1500; i++) v[i] = i * i;
return NULL; }
int main(void) { pthread_t t[2]; for (long i = 0; i < 2; i++)
  pthread_create(&t[i], NULL, work, (void *)(i * 2000));
for (int i = 0; i < 2; i++) pthread_join(t[i], NULL); sum_up("a"); }""",
    "partial_sums": r"""int main(void) { static long p[64];
#pragma omp parallel
{ long s = 0;
#pragma omp for nowait
for (int i = 0; i < N; i++) { s += i; v[i] = s; }
p[omp_get_thread_num()] = s; }
for (int i = 0; i < 64; i++) w[i] = p[i]; sum_up("a"); }""",
    "pool": r"""static long pool[64][32]; static int used[64];
static long *get(void) { int t = omp_get_thread_num() & 63;
  return &pool[t][used[t]++ & 31]; }
int main(void) {
#pragma omp parallel for
for (int i = 0; i < N; i++) { long *p = get(); *p += i; v[i] = *p; }
sum_up("a"); }""",
    "ordered": r"""int main(void) { long h = 0;
#pragma omp parallel for ordered
for (int i = 0; i < 200; i++) { v[i] = i;
#pragma omp ordered
h = h * 31 + i; }
printf("%ld\n", h); }""",
    "copyprivate": r"""int main(void) { long k = 0;
#pragma omp parallel firstprivate(k)
{
#pragma omp single copyprivate(k)
k = 17;
#pragma omp for nowait
for (int i = 0; i < N; i++) v[i] = i * k; }
sum_up("a"); }""",
    "dynamic_beside": r"""int main(void) {
#pragma omp parallel
{
#pragma omp for schedule(dynamic, 3) nowait
for (int i = 0; i < N; i++) v[i] = i;
#pragma omp for schedule(static) nowait
for (int i = 0; i < N; i++) w[i] = i; }
sum_up("a"); }""",
    "steps_in_time": r"""int main(void) {
#pragma omp parallel
for (int t = 0; t < 9; t++) { long *a = t & 1 ? v : w, *b = t & 1 ? w : v;
#pragma omp for
for (int i = 1; i < N - 1; i++) a[i] = (b[i - 1] + b[i + 1] + i) & 1023; }
sum_up("a"); }""",
    "master": r"""int main(void) { long c = 0;
#pragma omp parallel
{
#pragma omp master
c += 3;
#pragma omp for nowait
for (int i = 0; i < N; i++) v[i] = i; }
printf("%ld\n", c); sum_up("a"); }""",
    "first_of_block": r"""int main(void) {
#pragma omp parallel
{ int first = 1;
#pragma omp for nowait
for (int i = 0; i < N; i++) { v[i] = i; if (first) { first = 0; w[i] = 1; } } }
sum_up("a"); }""",
    "split_by_hand": r"""int main(void) {
#pragma omp parallel
{ int t = omp_get_thread_num(), p = omp_get_num_threads();
int q = N / p, r = N % p;
if (t < r) { q++; r = 0; }
int from = t * q + r;
for (int i = from; i < from + q; i++) v[i] = i - from; }
sum_up("a"); }""",
    "seeded_by_block": r"""int main(void) {
#pragma omp parallel
{ int t = omp_get_thread_num(), p = omp_get_num_threads();
int q = N / p, r = N % p;
if (t < r) { q++; r = 0; }
int from = t * q + r; unsigned s = from;
for (int i = from; i < from + q; i++) { s = s * 69069u + 1; v[i] = s >> 9; } }
sum_up("a"); }""",
}
CPP = r"""
#include <cstdio>
#include <stdexcept>
#include <vector>
static int caught;
static long f(long i) { if (i % 100 == 7) throw std::runtime_error("x");
  return i * i; }
int main() { std::vector<long> v(3000);
#pragma omp parallel for
for (size_t i = 0; i < v.size(); i++) { try { v[i] = f(i); }
  catch (const std::runtime_error &) {
#pragma omp atomic
    caught++; v[i] = -1; } }
long h = 0; for (long x : v) h = h * 31 + x; printf("%ld %d\n", h, caught); }
"""
FORTRAN = r"""
program x
use omp_lib
integer :: i, j, s
integer :: a(60, 60), b(64)
s = 0
b = 0
!$omp parallel do reduction(+ : s)
do j = 1, 60
  do i = 1, 60
    a(i, j) = i * j
    s = s + mod(i + j, 7)
  end do
end do
!$omp parallel do
do i = 1, 5000
  b(1 + mod(omp_get_thread_num(), 64)) = i
end do
print *, s, sum(a), b(1:8)
end program
"""
SCHEMES = ["ss", "fss", "gss", "last-first", "static", "steal", "awf-c",
           "rnd:order=any,seed=3"]


def run(tmp_path, program, threads, *options, env=None):
    """(plain run's stdout, the run under dlsbench)"""
    words = program if isinstance(program, list) else [program]
    env = dict(os.environ, OMP_NUM_THREADS=str(threads),
               OMP_WAIT_POLICY="passive",
               XDG_CACHE_HOME=str(tmp_path / "cache"),
               **(env or {}))
    (tmp_path / "cache").mkdir(exist_ok=True)
    plain = subprocess.run(words, capture_output=True, text=True, env=env,
                           timeout=100, check=True)
    done = subprocess.run(
        [DLSBENCH, "omp", "--loops", "static", *options, "--", *words],
        capture_output=True, text=True, env=env, timeout=200, check=False)
    return plain.stdout, done


def build(tmp_path, text, *flags, compiler="gcc"):
    end = {"gcc": "c", "g++": "cc", "gfortran": "f90", "clang": "c"}[compiler]
    source = tmp_path / f"x.{end}"
    source.write_text(text)
    subprocess.run([compiler, "-w", "-g", "-fopenmp", *flags, source, "-o",
                    tmp_path / "x", "-lm"], check=True)
    return tmp_path / "x"


def agree(tmp_path, program, seed):
    rand = random.Random(seed)
    for threads in (1, 2, 3, 4):
        plain, done = run(tmp_path, program, threads, "--scheme",
                          rand.choice(SCHEMES))
        assert (done.returncode, done.stdout) == (0, plain), done.stderr


@pytest.mark.cross(part=8)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_programs_of_all_kinds_print_the_same(tmp_path, kind, level):
    program = build(tmp_path, HEAD + KINDS[kind], level)
    agree(tmp_path, program, kind + level)


@pytest.mark.cross(part=4)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler, text",
                         [("g++", CPP), ("gfortran", FORTRAN)])
def test_other_languages_print_the_same(tmp_path, compiler, text, level):
    agree(tmp_path, build(tmp_path, text, level, compiler=compiler), level)


@pytest.mark.cross(part=16)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS))
def test_random_regions_are_cut_only_where_nothing_depends_on_it(tmp_path,
                                                                 seed):
    text, own = regions.program(seed, 16)
    rand = random.Random(seed)
    compiler = rand.choice(["gcc", "g++"])
    program = build(tmp_path, text, rand.choice(LEVELS), compiler=compiler)
    listed = subprocess.run([DLSBENCH, "omp", "--static", program],
                            capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(\S) .* region(\d+)\b", listed, re.M)
    assert found, listed
    threads = rand.choice([2, 3, 4])
    plain, done = run(tmp_path, program, threads, "--scheme",
                      rand.choice(SCHEMES))
    assert done.returncode == 0, done.stderr
    other = [a.split()[0] for a, b in zip(plain.splitlines(),
                                          done.stdout.splitlines()) if a != b]
    assert not other, (other, [kind for kind, i in found
                               if f"region{i}" in other])
    wrong = [(kind, i) for kind, i in found if kind in "AB" and own[int(i)]]
    assert not wrong, wrong


def test_most_random_loops_of_iterations_only_are_cut(tmp_path):
    text, own = regions.program(7, 40)
    program = build(tmp_path, text, "-O2")
    listed = subprocess.run([DLSBENCH, "omp", "--static", program],
                            capture_output=True, text=True, check=True).stdout
    plain = [kind for kind, i in
             re.findall(r"^(\S) .* region(\d+)\b", listed, re.M)
             if not own[int(i)]]
    assert sum(kind in "AB" for kind in plain) * 2 > len(plain), listed


ROWS = r"""
#include <omp.h>
#include <stdio.h>
long v[400];
int main(void) {
for (int k = 0; k < 3; k++) {
#pragma omp parallel for
for (int i = 0; i < 400; i++)
  for (volatile int j = 0; j < 900 * i; j++) v[i]++;
#pragma omp parallel
{
#pragma omp for
for (int i = 0; i < 400; i++) v[i]++;
#pragma omp barrier
}
#pragma omp parallel for
for (int i = 0; i < 400; i++) v[i] += i + 0 * omp_get_thread_num(); }
printf("%ld\n", v[399]); }
"""


def test_the_report_says_what_was_cut_and_why_not(tmp_path):
    program = build(tmp_path, ROWS, "-O2")
    plain, done = run(tmp_path, program, 2, "--scheme", "ss")
    assert (done.returncode, done.stdout) == (0, plain), done.stderr
    row = re.search(r"main x.c:7 +static \(gcc\) +ss +2 +3 +- +(\d+)",
                    done.stderr)
    assert row and int(row[1]) > 3 * 2, done.stderr
    assert re.search(r"left as it is: main x.c:\d+: barrier: the region has a "
                     r"barrier$", done.stderr, re.M)
    assert "sums of floating point may change their last digits" in done.stderr
    assert "same output" not in done.stderr
    plain, done = run(tmp_path, program, 2)
    assert re.search(r"main x.c:7 +static \(gcc\) +its own schedule ",
                     done.stderr)
    assert "may change their last digits" not in done.stderr


def test_last_first_begins_with_the_last_block(tmp_path):
    """Among the first to be handed out is the last iteration, not the first;
    other loops are left as they are."""
    program = build(tmp_path, HEAD + """static int next;
int main(void) {
#pragma omp parallel for
for (int i = 0; i < N; i++) {
  for (volatile int k = 0; k < 2000; k++) ;
  v[i] = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST); }
printf("%d %d\\n", v[0] > N / 2, v[N - 1] > N / 2); }""", "-O2")
    for scheme, order in ("ss", "0 1\n"), ("last-first", "1 0\n"):
        _, done = run(tmp_path, program, 2, "--scheme", scheme,
                      "--same-output")
        assert done.stdout == order, done.stderr
        assert re.search(rf"static \(gcc\) +{scheme} ", done.stderr)
    env = dict(os.environ, OMP_NUM_THREADS="2")
    done = subprocess.run([DLSBENCH, "omp", "--scheme", "last-first", "--",
                           program], capture_output=True, text=True, env=env,
                          check=False)
    assert done.returncode == 2 and "--loops static is missing" in done.stderr


def test_schemes_have_the_last_block_first_where_loops_are_cut(tmp_path):
    program = build(tmp_path, ROWS, "-O2")
    _, done = run(tmp_path, program, 2, "--try", "ss,last-first",
                  "--repetitions", "2", "--out", str(tmp_path / "tried"))
    assert "last-first" in done.stdout and "left out" not in done.stderr
    text = HEAD + ("int main(void) {\n#pragma omp parallel for "
                   "schedule(runtime)\nfor (int i = 0; i < N; i++)\n"
                   "for (volatile int k = 0; k < 2000; k++) v[i]++;\n"
                   "sum_up(\"a\"); }")
    _, done = run(tmp_path, build(tmp_path, text, "-O2"), 2, "--try",
                  "ss,last-first", "--repetitions", "2", "--out",
                  str(tmp_path / "other"))
    assert ("last-first is left out: last-first is for the blocks of static "
            "loops" in done.stderr)
    # The loop has a schedule of its own, so that it is not left alone.
    assert "left as it is" not in done.stderr


def test_a_program_that_the_table_is_wrong_about_ends_with_1(tmp_path):
    """The guard: as if the reader had called a barrier safe."""
    for text, word in ((r"#pragma omp barrier", "a barrier"),
                       (r"#pragma omp single" "\nv[1]++;", "single"),
                       (r"#pragma omp task" "\nv[2]++;", "a task"),
                       (r"v[3] += omp_get_thread_num();",
                        "another use of the thread's number")):
        program = build(tmp_path, HEAD + "int main(void) {\n#pragma omp "
                        "parallel\n{\n#pragma omp for nowait\n"
                        "for (int i = 0; i < N; i++)"
                        " v[i] = i;\n" + text + "\n}\nsum_up(\"a\"); }", "-O0")
        run(tmp_path, program, 2, "--scheme", "ss")
        (table,) = [path for path in
                    (tmp_path / "cache/dlsbench/static").iterdir()
                    if len(path.read_text().splitlines()) == 2]
        head, line = table.read_text().splitlines()
        code = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", program],
            capture_output=True, text=True, check=True).stdout
        body = code.split("<main._omp_fn.0>:")[1].split("\n\n")[0].splitlines()
        returns = [body[i + 1].split(":")[0].strip() for i, text in
                   enumerate(body) if "<omp_get_" in text][:2]
        at = line.split()[2]
        table.write_text(f"{head}\nA - {at} {' '.join(returns)}\n")
        _, done = run(tmp_path, program, 2, "--scheme", "ss")
        assert done.returncode == 1 and word in done.stderr, done.stderr
        assert "--loops static" in done.stderr
        table.unlink()


def test_tables_are_kept_and_hold_for_their_file_alone(tmp_path):
    program = build(tmp_path, ROWS, "-O2")
    run(tmp_path, program, 2, "--scheme", "ss")
    tables = {path: path.stat().st_mtime_ns for path in
              (tmp_path / "cache/dlsbench/static").iterdir()}
    _, done = run(tmp_path, program, 2, "--scheme", "ss")
    assert tables == {path: path.stat().st_mtime_ns for path in tables}
    os.utime(program)
    _, done = run(tmp_path, program, 2, "--scheme", "ss")
    changed = [path for path in tables
               if path.stat().st_mtime_ns != tables[path]]
    assert len(changed) == 1 and " ss " in done.stderr
    # Without a build id nothing is known.
    program = build(tmp_path, ROWS, "-O2", "-Wl,--build-id=none")
    _, done = run(tmp_path, program, 2, "--scheme", "ss")
    assert "unread" in done.stderr and done.returncode == 0


def test_only_the_output_tells_about_class_c(tmp_path):
    for text, code in (("v[i] += i - base;", 0), ("v[i] = c++;", 1)):
        program = build(tmp_path, HEAD + "int main(void) { long c = 3, "
                        "base = 1;\n"
                        "long (*f)(long) = labs;\n#pragma omp parallel for "
                        "firstprivate(c, f)\nfor (int i = 0; i < N; i++) { "
                        "base = f(1) - 1; " + text + " } sum_up(\"a\"); }",
                        "-O0")
        plain, done = run(tmp_path, program, 2, "--scheme", "ss")
        assert (done.returncode, done.stdout) == (0, plain)
        assert "only its output can tell" in done.stderr
        plain, done = run(tmp_path, program, 2, "--scheme", "ss",
                          "--same-output")
        assert done.returncode == code, done.stderr
        assert (done.stdout == plain) == (code == 0)
        assert ("it printed something" in done.stderr) == (code == 1)


MERGES = """int main(void) { long total = 0;
#pragma omp parallel
{ long mine = 0;
#pragma omp for nowait
for (int i = 0; i < 40 * N; i++) { mine += i %% 17; if (i < N) v[i] = i; }
#pragma omp critical
%s;
}
printf("%%ld\\n", total); sum_up("a"); }"""


@pytest.mark.parametrize("level", LEVELS)
def test_a_critical_section_runs_for_each_block_if_it_is_asked_for(tmp_path,
                                                                   level):
    """It may add up sums; if it counts threads, the output differs."""
    for section, same in (("total += mine", True),
                          ("total++", False)):
        program = build(tmp_path, HEAD + MERGES % section, level)
        plain, done = run(tmp_path, program, 2, "--scheme", "ss")
        assert (done.returncode, done.stdout) == (0, plain), done.stderr
        (line,) = re.findall(r"left as it is: main (x.c:\d+): critical: .*; "
                             r"if .*cut it by: --critical \1 --same-output$",
                             done.stderr, re.M)
        asked = ["--scheme", "ss", "--same-output", "--critical", line]
        plain, done = run(tmp_path, program, 2, *asked)
        assert re.search(rf"main {line} +static \(gcc\) +ss ", done.stderr)
        assert (done.stdout == plain) == same, done.stderr
        assert done.returncode == (0 if same else 1)
        assert ("it printed something else" in done.stderr) != same
        # The request is of this run alone.
        _, done = run(tmp_path, program, 2, "--scheme", "ss", "--same-output")
        assert "outside of the loop; if its critical" in done.stderr
        assert done.returncode == 0


def test_try_takes_the_request_and_gives_it_back(tmp_path):
    text = HEAD + (MERGES % "total += mine").replace("40 * N", "8000 * N")
    program = build(tmp_path, text, "-O2")
    _, done = run(tmp_path, program, 2, "--try", "css:chunk=2",
                  "--repetitions", "2", "--same-output", "--critical",
                  "x.c:13", "--out", str(tmp_path / "out"))
    assert "--critical x.c:13: no region of this name" in done.stderr
    assert "a first run" not in done.stderr  # the code tells
    line = re.search(r"such are: (x.c:\d+)$", done.stderr, re.M)[1]
    out = tmp_path / "tried"
    _, done = run(tmp_path, "/bin/sh", 2, "--try", "css:chunk=2",
                  "--repetitions", "2", "--same-output", "--critical", line,
                  "--out", str(out))
    assert done.returncode == 1 and "such are: none" in done.stderr
    _, done = run(tmp_path, program, 2, "--try", "css:chunk=2",
                  "--repetitions", "2", "--same-output", "--critical", line,
                  "--out", str(out))
    assert "left as it is" not in done.stderr
    assert f"--critical {line} " in (out / "rules").read_text()


def test_what_else_is_against_a_region_refuses_it_still(tmp_path):
    for more in ("#pragma omp atomic\ntotal++", 'puts("here")',
                 "v[2] = omp_get_thread_num()"):
        program = build(tmp_path, HEAD + MERGES % ("total += mine;\n" + more),
                        "-O2")
        _, done = run(tmp_path, program, 2, "--scheme", "ss", "--same-output",
                      "--critical", "x.c:13")
        assert done.returncode == 2 and done.stdout == ""
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert "such are: none" in done.stderr


@pytest.mark.parametrize("begins", [[], ["/bin/sh", "-c", "\"$0\"; true"],
                                    None])
def test_what_the_first_run_loads_can_be_named(tmp_path, begins):
    """By its line or its function: a launcher's own code has no region."""
    begins = launcher(2) if begins is None else begins
    text = MERGES.replace("main(void) {", "merge(void) {") % "total += mine"
    program = build(tmp_path, HEAD + text +
                    "\nint main(void) { merge(); }", "-O2")

    def ask(name):
        return run(tmp_path, [*begins, program], 2, "--scheme", "ss",
                   "--same-output", "--critical", name)[1]
    wrong = ask("main")
    assert wrong.returncode == 2 and wrong.stdout == ""
    (line,) = re.findall(r"such are: (x.c:\d+)$", wrong.stderr, re.M)
    for name in (line, "merge"):
        done = ask(name)
        assert done.returncode == 0, done.stderr
        assert re.search(rf"merge {line} +static \(gcc\) +ss ", done.stderr)


def test_wrong_use_is_one_line(tmp_path):
    def omp(*args):
        return subprocess.run([DLSBENCH, "omp", *args], capture_output=True,
                              text=True, check=False)
    for done in (omp("--loops", "static", "--record", str(tmp_path / "r"),
                     "--", "true"),
                 omp("--same-output", "--", "true"),
                 omp("--loops", "static", "--scheme", "ss", "--critical",
                     "x.c:1", "--", "true"),
                 omp("--loops", "static", "--same-output", "--", "true"),
                 omp("--loops", "statics", "--", "true")):
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


def test_programs_of_clang_are_measured_only(tmp_path):
    program = build(tmp_path, ROWS, "-O2", compiler="clang")
    plain, done = run(tmp_path, program, 2, "--scheme", "ss")
    assert (done.returncode, done.stdout) == (0, plain), done.stderr
    assert "static (gcc)" not in done.stderr
