"""Full crosses are for `make test-all` (ALL=1): `make test` runs a part of the
cases of each test that is marked with `cross`, others with every commit, so
that in time all of them run.  run.py says how to run the same slice again
(SLICE=...).

    @pytest.mark.cross                  a quarter of the test's cases
    @pytest.mark.cross(part=8)          an eighth
    @pytest.mark.cross(group="name")    a quarter of the tests of that name
    part_of("name", values)             a quarter of what one case goes through

Of the files in FILES it runs a part of each group, whole.  The Makefile asks
for unit tests under sanitizers:

    slices.py NAME PART VALUE...        prints part_of(NAME, VALUES, PART)
"""
import os
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PART = 4
# Group of test files -> which part of them runs, and their names.
FILES = {
    "analysis": (3, """analysis_bases analysis_classes analysis_cluster
        analysis_compare analysis_data analysis_figures analysis_flexibility
        analysis_paper_figures analysis_rates analysis_regret analysis_report
        analysis_sweeps analysis_unequal sync_tables this_cluster"""),
    "builds": (2, "openmpi extend"),
    "dependences": (2, "dependence combinations steps spmv vectors"),
    "disturbed": (3, "perturb perturb_several steal push prefetch"),
    "libraries": (3, """libdls_mpi libdls_smpi libdls_data libdls_own
        libdls_races libdls_report libdls_first libdls_installed"""),
    "openmp": (2, "omp omp_library omp_record omp_try"),
    "papers": (3, """paper_andronikos paper_beaumont paper_beyond paper_ciorba
        paper_diaz paper_han"""),
    "results": (3, "damaged directory submit memory save"),
    "simulations": (3, """sim_dependence sim_learning sim_platforms replay auto
        plan""")}


def seed():
    """SLICE, or the commit; without git always the same."""
    if os.environ.get("SLICE"):
        return os.environ["SLICE"]
    done = subprocess.run(["git", "-c", "safe.directory=*", "rev-parse",
                           "--short=12", "HEAD"], cwd=ROOT, text=True,
                          capture_output=True, check=False)
    return done.stdout.strip() or "0"


def kept(name, cases, by, part=PART):
    """A quarter (or another part) of the cases, at least one, by the seed and
    the name."""
    return set(random.Random(f"{by} {name}").sample(
        sorted(cases), -(-len(cases) // part)))


def part_of(name, values, part=PART):
    """A quarter (or another part) of the values, in their order; all in
    `make test-all`."""
    if os.environ.get("ALL"):
        return list(values)
    run = kept(name, values, seed(), part)
    return [x for x in values if x in run]


def left_out(by):
    """Names of test files that a slice does without."""
    found = set()
    for group, (part, names) in FILES.items():
        names = set(names.split())
        found |= names - kept("files " + group, names, by, part)
    return found


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
    out = [x for x in items if x.get_closest_marker("cross")
           and x.nodeid not in run]
    left = set(map(id, out))
    return [x for x in items if id(x) not in left], out


if __name__ == "__main__":
    print(*part_of(sys.argv[1], sys.argv[3:], int(sys.argv[2])))
