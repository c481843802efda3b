"""What Diaz et al. do not print, fitted: how fast their processors multiply,
and what a chore costs that Globus starts on one of them, here and across the
Atlantic.  These four numbers are fitted to all 20 cells of table 4, with a
list schedule of the paper's own chunks.  No cell is independent then, so each
of the five columns is also predicted by a fit to the other four.
"""
import csv
import heapq
import os

import numpy as np
from scipy.optimize import differential_evolution

from analysis import parallel

HERE = os.path.dirname(os.path.abspath(__file__))
# Processors of a test in Tales, Hermes and Popo.
PLACES = {20: (8, 8, 4), 25: (10, 10, 5)}
CLOCKS = (2.4, 3.0)     # GHz of the Pentium IV
OPTERON = 1.66
TYPICAL_S = 180.0       # between two tests of FSS, 5000/20
NAMES = ["flop_per_cycle_pentium", "flop_per_cycle_opteron",
         "chore_spain_s", "chore_mexico_s"]
BOUNDS = [(0.01, 0.2),  # flop in a cycle of a Pentium IV
          (0.01, 0.2),  # of an Opteron
          (0, 300),     # s that a chore costs in Spain
          (0, 900)]     # and in Mexico
COLUMNS = ["css", "gss", "tss", "fss", "qss"]
DELTA = 3               # of QSS in table 4
SEEDS = range(3)        # sets of tasks, of which the median counts


def printed():
    """(tasks, processors, scheme) -> seconds, table 4."""
    path = os.path.join(HERE, "table_4.csv")
    with open(path, encoding="utf-8") as file:
        return {(int(r["tasks"]), int(r["processors"]), s):
                float(r[s + "_s"]) for r in csv.DictReader(file)
                for s in COLUMNS}


# ---- chunks, as in sched/ ----

def rounded(x):
    """To nearest, halves away from 0."""
    return int(np.floor(x + 0.5))


def trapezoid(tasks, processors):
    """tss-taylor: from I/2P to 1 along a line."""
    first = tasks / (2 * processors)
    slope = (1 - first) / (2 * tasks / (first + 1))
    return lambda t, left, last: rounded(first + slope * t)


def quadratic(tasks, processors):
    """qss: from I/2P to 1 along a parabola, rounded up."""
    first = tasks / (2 * processors)
    middle = (first + 1) / DELTA
    steps = 6 * tasks / (4 * middle + 1 + first)
    b = (4 * middle - 1 - 3 * first) / steps
    c = (2 * first + 2 - 4 * middle) / steps ** 2
    return lambda t, left, last: 1 if t > steps else int(
        np.ceil(first + b * t + c * t * t))


RULES = {
    "css": lambda i, p: lambda t, left, last: -(-i // p),
    "gss": lambda i, p: lambda t, left, last: -(-left // p),
    "fss": lambda i, p: lambda t, left, last:
    last if t % p else -(-left // (2 * p)),
    "tss": trapezoid, "qss": quadratic}


def chunks(scheme, tasks, processors):
    rule, left, sizes = RULES[scheme](tasks, processors), tasks, []
    while left > 0:
        size = max(rule(len(sizes), left, sizes[-1] if sizes else 0), 1)
        sizes.append(min(size, left))
        left -= sizes[-1]
    return sizes


# ---- the list schedule ----

def clocks(count):
    return np.linspace(*CLOCKS, 12)[:count]


def processors_of(processors, fit, load):
    """[(seconds of a Gflop, of a chore)] in the order of the hosts."""
    pentium, opteron, spain, mexico = fit
    tales, hermes, popo = PLACES[processors]
    here = [(1 / (pentium * c), spain)
            for count in (tales, hermes) for c in clocks(count)]
    return here + popo * [(1 / (opteron * OPTERON), mexico * load)]


def gflops(scheme, tasks, processors, seed):
    """The work of each chunk, in the order of the loop."""
    n = np.random.default_rng(seed).integers(900, 1501, tasks).astype(float)
    starts = np.cumsum([0, *chunks(scheme, tasks, processors)[:-1]])
    return np.add.reduceat(2e-9 * n ** 3, starts).tolist()


def test(work, places):
    """Total time, as simulated: half of what a chore costs passes before it is
    chosen and half after that; at the end each processor asks once more."""
    ready = [(chore / 2, i) for i, (_, chore) in enumerate(places)]
    heapq.heapify(ready)
    for gflop in work:
        time, i = ready[0]
        speed, chore = places[i]
        heapq.heapreplace(ready, (time + chore + speed * gflop, i))
    return max(time + places[i][1] / 2 for time, i in ready)


class Cells:
    """The cells of some columns: printed seconds, and the work of each chunk
    for each set of tasks."""

    def __init__(self, columns):
        self.cells = [(p, seconds, [gflops(s, i, p, seed) for seed in SEEDS])
                      for (i, p, s), seconds in printed().items()
                      if s in columns]

    def off(self, fit):
        """The mean of |ours / printed - 1|, ours being the median over the
        sets of tasks."""
        places = {p: processors_of(p, fit, 1.0) for p in PLACES}
        return float(np.mean([
            abs(np.median([test(work, places[p]) for work in works])
                / seconds - 1) for p, seconds, works in self.cells]))


def fitted(columns, start=None):
    """(the four numbers, off).  `start` is in the first generation."""
    found = differential_evolution(
        Cells(columns).off, BOUNDS, seed=1, maxiter=100,
        popsize=8 if start else 15, x0=start, polish=False)
    return list(found.x), float(found.fun)


def spread(fit):
    """The sigma of log load with the typical difference between two tests."""
    normal = np.random.default_rng(1).standard_normal(400)
    works = [gflops("fss", 5000, 20, seed) for seed in range(len(normal))]
    best = []
    for sigma in np.arange(0.0, 1.01, 0.125):
        times = np.array([test(work, processors_of(20, fit, load))
                          for work, load in zip(works,
                                                np.exp(sigma * normal))])
        apart = np.median(np.abs(times[::2] - times[1::2]))
        best.append((abs(apart - TYPICAL_S), sigma, apart))
    return min(best)[1:]


def find(seeds):
    """The fit, as fit.json has it, with the loads of all seeds."""
    fit, off = fitted(COLUMNS)
    others = parallel.map_forked(
        lambda left: fitted([s for s in COLUMNS if s != left], fit), COLUMNS)
    sigma, apart = spread(fit)
    loads = np.exp(sigma * np.random.default_rng(2).standard_normal(seeds))
    return {**dict(zip(NAMES, fit)), "fitted": COLUMNS, "off": off,
            "left_out": {left: {**dict(zip(NAMES, other)),
                                "off": Cells([left]).off(other)}
                         for left, (other, _) in zip(COLUMNS, others)},
            "load_sigma": float(sigma), "load_apart_s": float(apart),
            "loads": list(loads)}
