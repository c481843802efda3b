#!/usr/bin/env python3
"""Diaz et al.: fits what the paper does not print (chores.py), then writes the
grids and the campaign of make paper-diaz.

    bench/papers/diaz/campaigns.py OUT

The load of the transatlantic network multiplies what a chore in Mexico costs,
by a factor of its own in each test (log-normal); its spread is the one with
which two tests of FSS (5000/20) are 3 minutes apart in the median, as "the
typical difference found was 3-5 minutes" (tasks alone make a minute and a half
of that).

Writes OUT/fit.json (one that is there is used as it is), OUT/grids/P-SEED.xml
and OUT/campaigns/diaz.yaml, with SEEDS seeds (30).
"""
import json
import os
import sys
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "analysis")]

import need  # noqa: E402,F401  (first: may start another Python)
import chores  # noqa: E402
from chores import NAMES, OPTERON, PLACES, clocks  # noqa: E402

SEEDS = 30
TASKS = (2000, 5000)
DELTAS = {"1/3": 1 / 3, "1/2": 0.5, **{str(d): d for d in range(1, 10)}}
SCHEMES = ["css", "gss", "tss-taylor", "fss", "qss"]


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
    """Every seed has different tasks and a different network load, the same
    for all schemes."""
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


def main():
    out = os.path.abspath(sys.argv[1])
    for folder in ("grids", "campaigns"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    path = os.path.join(out, "fit.json")
    if not os.path.exists(path):
        found = chores.find(int(os.environ.get("SEEDS") or SEEDS))
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
