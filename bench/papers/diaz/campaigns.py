#!/usr/bin/env python3
"""Diaz et al.: fits what the paper does not print, then writes the grids and
the campaign of make paper-diaz.

    bench/papers/diaz/campaigns.py OUT

The paper does not say how fast its processors multiply, nor what a chore costs
that Globus starts on one of them, here and across the Atlantic.  These four
numbers are fitted to the columns CSS and GSS of table 4, with a list schedule
of the paper's own chunks; everything else is a prediction.  The load of the
transatlantic network multiplies what a chore in Mexico costs, by a factor of
its own in each test (log-normal); its spread is the one with which two tests
of FSS (5000/20) are 3 minutes apart in the median, as "the typical difference
found was 3-5 minutes" (tasks alone make a minute and a half of that).

Writes OUT/fit.json (one that is there is used as it is), OUT/grids/P-SEED.xml
and OUT/campaigns/diaz.yaml, with SEEDS seeds (30).
"""
import csv
import heapq
import json
import os
import sys
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "analysis"))

import need  # noqa: E402,F401  (first: may start another Python)
import numpy as np  # noqa: E402
from scipy.optimize import differential_evolution  # noqa: E402

SEEDS = 30
# Processors of a test in Tales, Hermes and Popo.
PLACES = {20: (8, 8, 4), 25: (10, 10, 5)}
TASKS = (2000, 5000)
DELTAS = {"1/3": 1 / 3, "1/2": 0.5, **{str(d): d for d in range(1, 10)}}
SCHEMES = ["css", "gss", "tss-taylor", "fss", "qss"]
CLOCKS = (2.4, 3.0)     # GHz of the Pentium IV
OPTERON = 1.66
TYPICAL_S = 180.0       # between two tests of FSS, 5000/20
NAMES = ["flop_per_cycle_pentium", "flop_per_cycle_opteron",
         "chore_spain_s", "chore_mexico_s"]
BOUNDS = [(0.01, 0.2),  # flop in a cycle of a Pentium IV
          (0.01, 0.2),  # of an Opteron
          (0, 60),      # s that a chore costs in Spain
          (0, 900)]     # and in Mexico
FITTED = ["css", "gss"]


def printed():
    """(tasks, processors, scheme) -> seconds, of what is fitted."""
    path = os.path.join(HERE, "table_4.csv")
    with open(path, encoding="utf-8") as file:
        return {(int(r["tasks"]), int(r["processors"]), s):
                float(r[s + "_s"]) for r in csv.DictReader(file)
                for s in FITTED}


def chunks(scheme, tasks, processors):
    """As sched/: css has one chunk a processor, gss ceil(R/P), fss
    ceil(R/2P) in stages of P."""
    left, sizes = tasks, []
    while left > 0:
        if scheme == "css":
            size = -(-tasks // processors)
        elif scheme == "gss":
            size = -(-left // processors)
        elif len(sizes) % processors == 0:
            size = -(-left // (2 * processors))
        sizes.append(min(size, left))
        left -= sizes[-1]
    return sizes


def clocks(count):
    return np.linspace(*CLOCKS, 12)[:count]


def processors_of(processors, fit, load):
    """[(seconds of a Gflop, of a chore)] in the order of the hosts."""
    pentium, opteron, spain, mexico = fit
    tales, hermes, popo = PLACES[processors]
    here = [(1 / (pentium * c), spain)
            for count in (tales, hermes) for c in clocks(count)]
    return here + popo * [(1 / (opteron * OPTERON), mexico * load)]


def test(sizes, gflop_before, places):
    """Total time: half of what a chore costs passes before it is chosen."""
    ready = [(chore / 2, i) for i, (_, chore) in enumerate(places)]
    heapq.heapify(ready)
    at, end = 0, 0.0
    for size in sizes:
        time, i = heapq.heappop(ready)
        speed, chore = places[i]
        time += chore / 2 + speed * (gflop_before[at + size]
                                     - gflop_before[at])
        at += size
        end = max(end, time)
        heapq.heappush(ready, (time + chore / 2, i))
    return end


def gflop_before(tasks, seed):
    n = np.random.default_rng(seed).integers(900, 1501, tasks).astype(float)
    return np.concatenate([[0.0], np.cumsum(2e-9 * n ** 3)])


def model(scheme, tasks, processors, fit, loads):
    sizes = chunks(scheme, tasks, processors)
    return [test(sizes, gflop_before(tasks, seed),
                 processors_of(processors, fit, load))
            for seed, load in enumerate(loads)]


def off(fit, target):
    return np.mean([abs(np.median(model(s, i, p, fit, [1.0] * 3)) / time - 1)
                    for (i, p, s), time in target.items()])


def spread(fit):
    """The sigma of log load with the typical difference between two tests."""
    normal = np.random.default_rng(1).standard_normal(400)
    best = []
    for sigma in np.arange(0.0, 1.01, 0.125):
        times = np.array(model("fss", 5000, 20, fit, np.exp(sigma * normal)))
        apart = np.median(np.abs(times[::2] - times[1::2]))
        best.append((abs(apart - TYPICAL_S), sigma, apart))
    return min(best)[1:]


def write_grid(path, processors, fit, load):
    """The platform with the processors of a test, as fast as fitted; the
    links' latency is half of what a chore costs."""
    tree = xml.parse(os.path.join(HERE, "two-universities.xml"))
    pentium, opteron, spain, mexico = fit
    left = dict(zip(("tales", "hermes", "popo"), PLACES[processors]))
    speeds = {"tales": iter(clocks(12)), "hermes": iter(clocks(12))}
    for zone in tree.getroot().iter("zone"):
        name = zone.get("id")
        for host in zone.findall("host"):
            speed = opteron * OPTERON if name == "popo" else \
                pentium * (next(speeds[name]) if name in speeds else 1)
            host.set("speed", f"{speed:.9g}Gf")
            if name in left:
                cores = min(int(host.get("core")), left[name])
                left[name] -= cores
                remove_or_set(zone, host, cores)
    for link in tree.getroot().iter("link"):
        if link.get("id") == "campus":
            link.set("latency", f"{max(spain / 2, 1e-6):.9g}s")
        if link.get("id") == "atlantic":
            link.set("latency", f"{mexico * load / 2:.9g}s")
    with open(path, "wb") as file:
        file.write(b"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                   b'"https://simgrid.org/simgrid.dtd">\n')
        file.write(xml.tostring(tree.getroot()))


def remove_or_set(zone, host, cores):
    if cores > 0:
        host.set("core", str(cores))
        return
    name = host.get("id")
    for part in list(zone):
        if part.get("id") in (name, name + "-eth"):
            zone.remove(part)


def write_campaign(out, loads):
    """Every seed has tasks and a network load of its own, the same for all
    schemes."""
    lines = ["# Written by bench/papers/diaz/campaigns.py.", "name: diaz",
             "master: dedicated", "prefetch: off", "collect: local",
             "cells:"]
    for seed in range(1, len(loads) + 1):
        for processors in PLACES:
            for tasks in TASKS:
                deltas = [f'"qss:delta={d!r}"' for d in DELTAS.values()] \
                    if (tasks, processors) == (2000, 20) else []
                lines.append(
                    f'  - {{platform: "{out}/grids/{processors}-{seed}.xml", '
                    f'workers: {processors}, kernel: "matmul:tasks={tasks},'
                    f'min=900,max=1500,seed={seed}", scheme: '
                    f'[{", ".join(SCHEMES[:-1] + (deltas or ["qss"]))}]}}')
    with open(os.path.join(out, "campaigns", "diaz.yaml"), "w",
              encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def find_fit(seeds):
    """The fit with the loads of all seeds, as it is stored."""
    fit = differential_evolution(off, BOUNDS, (printed(),), seed=1, maxiter=40,
                                 popsize=8, polish=False)
    sigma, apart = spread(fit.x)
    loads = np.exp(sigma * np.random.default_rng(2).standard_normal(seeds))
    return {**dict(zip(NAMES, fit.x)), "fitted": FITTED, "off": fit.fun,
            "load_sigma": sigma, "load_apart_s": apart, "loads": list(loads)}


def main():
    out = os.path.abspath(sys.argv[1])
    for folder in ("grids", "campaigns"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    path = os.path.join(out, "fit.json")
    if not os.path.exists(path):
        found = find_fit(int(os.environ.get("SEEDS") or SEEDS))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    fit = [found[name] for name in NAMES]
    for seed, load in enumerate(found["loads"], 1):
        for processors in PLACES:
            write_grid(os.path.join(out, "grids", f"{processors}-{seed}.xml"),
                       processors, fit, load)
    write_campaign(out, found["loads"])


if __name__ == "__main__":
    main()
