"""Full crosses are for `make test-all` (ALL=1): `make test` runs a part of the
cases of each test that is marked with `cross`, others with every commit, so
that in time all of them run.  run.py says how to run the same slice again
(SLICE=...).

    @pytest.mark.cross                  a quarter of the test's cases
    @pytest.mark.cross(part=8)          an eighth
    @pytest.mark.cross(group="name")    a quarter of the tests of that name
    part_of("name", values)             a quarter of what one case goes through
"""
import os
import random
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PART = 4


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
