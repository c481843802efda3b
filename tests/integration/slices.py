"""Full crosses are for `make test-all` (ALL=1): `make test` runs a third of
the cases of each test that is marked with `cross`, others with every commit,
so that in time all of them run.  run.py says how to run the same slice again
(SLICE=...)."""
import os
import random
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PART = 3


def seed():
    """SLICE, or the commit; without git always the same."""
    if os.environ.get("SLICE"):
        return os.environ["SLICE"]
    done = subprocess.run(["git", "-c", "safe.directory=*", "rev-parse",
                           "--short=12", "HEAD"], cwd=ROOT, text=True,
                          capture_output=True, check=False)
    return done.stdout.strip() or "0"


def kept(function, cases, by):
    """A third of the cases, at least one, by the seed and the name."""
    return set(random.Random(f"{by} {function}").sample(
        sorted(cases), -(-len(cases) // PART)))


def choose(items, by):
    """(items that run, items that are left out)."""
    crosses = {}
    for item in items:
        if item.get_closest_marker("cross"):
            function = item.nodeid.split("[")[0]
            crosses.setdefault(function, []).append(item.nodeid)
    run = {case for function, cases in crosses.items()
           for case in kept(function, cases, by)}
    out = [x for x in items if x.get_closest_marker("cross")
           and x.nodeid not in run]
    left = set(map(id, out))
    return [x for x in items if id(x) not in left], out
