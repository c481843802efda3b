"""All of the tests are for `make test-all` (ALL=1).  `make test` runs a slice
of them, another with every commit, so that in time all of them run.  run.py
says how to run the same slice again (SLICE=...).

Of each group of test files in FILES a tenth runs, whole, and with it the files
that the commit touches, or whose subject it touches (ROOMS).  One of the two
sanitizers is built and used.  Of a test that is marked with `cross` a part of
the cases runs; `under` names the sanitizer that it needs:

    @pytest.mark.cross                  a quarter of the test's cases
    @pytest.mark.cross(part=8)          an eighth
    @pytest.mark.cross(group="name")    a quarter of the tests of that name
    @pytest.mark.under("thread")        where the thread sanitizer is built
    part_of("name", values)             a quarter of what one case goes through

SLICE=1/5 to SLICE=5/5 have every file and every case between them; so do the
pieces of any other number, which use both sanitizers.  The Makefile asks for
unit tests under sanitizers:

    slices.py NAME PART VALUE...        prints part_of(NAME, VALUES, PART)
"""
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PART = 4
OF_FILES = 10
SANITIZERS = ["address", "thread"]
# Files about one or two subjects, in groups of about ten: one of them runs.
FILES = {
    "answers": """analysis_rates analysis_regret analysis_unequal sync_tables
        this_cluster analysis_compare analysis_data analysis_report
        analysis_sweeps trackers""",
    "builds and manual": """extend installed make openmpi release completion
        help lists manual tutorial""",
    "commands": """batch errors formats input parts auto costs foretell plan
        python""",
    "disturbed": """perturb perturb_several prefetch push steal alone ending
        faults kills start""",
    "jobs and results": """doctor hosts slurm submit sweep damaged directory
        memory results save""",
    "libraries": """libdls libdls_data libdls_first libdls_installed libdls_mpi
        libdls_own libdls_races libdls_report libdls_smpi""",
    "loops": """combinations driver matrix transport_openmp transports
        dependence sim_dependence spmv steps vectors""",
    "measured": """binding calibrate counters counters_perf power learning load
        sync_interval truth validate""",
    "openmp": """omp omp_blocks omp_cores omp_library omp_record omp_regions
        omp_static omp_try""",
    "pages and papers": """analysis_bases analysis_classes analysis_cluster
        analysis_figures analysis_flexibility analysis_paper_figures
        paper_andronikos paper_beaumont paper_beyond paper_ciorba paper_diaz
        paper_han papers_run""",
    "simulations": """replay replay_campaign sim sim_learning sim_platforms
        this_machine"""}
# Which file tests a room whose name it does not have.
ROOMS = {
    "analysis": "analysis_report", "bench/campaign": "batch",
    "bench/foretell/divisible_load": "plan", "bench/foretell/replay": "replay",
    "bench/launching": "driver", "bench/options": "help",
    "bench/programs": "omp", "bench/results": "results",
    "bench/simgrid": "sim", "dls": "libdls", "harness/cell": "errors",
    "harness/check": "errors", "harness/disturb": "perturb",
    "harness/engine": "matrix", "harness/launch": "driver",
    "harness/measure": "calibrate", "harness/messages": "matrix",
    "harness/problem": "steps", "harness/protocol/parallel": "matrix",
    "harness/protocol/pipeline": "dependence", "harness/record": "results",
    "harness/replay": "replay", "harness/sim": "sim",
    "harness/topo": "binding", "harness/transport": "matrix",
    "harness/workers": "power", "kernels": "vectors", "sched": "vectors"}
# These take no time.
ALWAYS = "sizes slices"


def git(*words):
    done = subprocess.run(["git", "-c", "safe.directory=*", *words], cwd=ROOT,
                          text=True, capture_output=True, check=False)
    return done.stdout.strip()


def seed():
    """SLICE, or the commit; without git always the same."""
    return os.environ.get("SLICE") or \
        git("rev-parse", "--short=12", "HEAD") or "0"


def kept(name, cases, by, part=PART):
    """A quarter (or another part) of the cases, at least one, by the seed and
    the name; by `i/n` the i-th of n pieces."""
    cases = sorted(cases)
    random.Random(name).shuffle(cases)
    part = min(part, len(cases))
    piece = re.fullmatch("([0-9]+)/([0-9]+)", by)
    first, step = (int(piece[1]) - 1, int(piece[2])) if piece else \
        (random.Random(f"{by} {name}").randrange(part or 1), part)
    return {case for i, case in enumerate(cases)
            if i % part % step == first % part}


def part_of(name, values, part=PART):
    """A quarter (or another part) of the values, in their order; all in
    `make test-all`."""
    if os.environ.get("ALL"):
        return list(values)
    run = kept(name, values, seed(), part)
    return [x for x in values if x in run]


def touched(names, by):
    """The test files that a commit changes, or whose subject it changes: of
    test_omp_try.py a file or folder that is called omp_try or try."""
    paths = git("diff-tree", "-r", "--no-commit-id", "--name-only",
                f"{by}^{{commit}}") if re.fullmatch("[0-9a-f]{7,40}", by) \
        else ""
    words = {pathlib.Path(word).stem.removeprefix("test_")
             for path in paths.splitlines() for word in path.split("/")}
    rooms = {str(room) for path in paths.splitlines()
             for room in pathlib.Path(path).parents}
    return {x for x in names if words & {x, x.partition("_")[2]}} | {
        ROOMS[x] for x in rooms & set(ROOMS)} & set(names)


def sanitizers(by):
    """Those that are built and used."""
    return SANITIZERS if os.environ.get("ALL") or "/" in by else \
        [x for x in SANITIZERS if x in kept("sanitizers", SANITIZERS, by, 2)]


def left_out(by):
    """Names of test files that a slice does without."""
    found = set()
    for group, names in FILES.items():
        names = set(names.split())
        found |= names - kept("files " + group, names, by, OF_FILES)
    return found - touched(found, by)


def choose(items, by):
    """(items that run, items that are left out)."""
    crosses = {}
    for item in items:
        cross = item.get_closest_marker("cross")
        if cross:
            name = cross.kwargs.get("group", item.nodeid.split("[")[0])
            part = cross.kwargs.get("part", PART)
            crosses.setdefault((name, part), []).append(item.nodeid)
    run = {case for (name, part), cases in crosses.items()
           for case in kept(name, cases, by, part)}
    built = sanitizers(by)
    out = [x for x in items if x.get_closest_marker("cross")
           and x.nodeid not in run
           or (under := x.get_closest_marker("under"))
           and under.args[0] not in built]
    left = set(map(id, out))
    return [x for x in items if id(x) not in left], out


if __name__ == "__main__":
    print(*part_of(sys.argv[1], sys.argv[3:], int(sys.argv[2])))
