#!/usr/bin/env python3
"""Figures 5 to 15 of Beaumont, Legrand and Robert (2002), section 6: makes the
plans of eleven heuristics for 20 loads on each platform, in all readings of
the paper (bench/papers/run_papers.py starts this).

    bench/papers/beaumont/plans.py DLSBENCH OUT [option]...

Writes OUT/figures.csv, OUT/readings/NUMBER.csv and OUT/setup.json, and beside
the first two, as NAME-platforms.csv, the means over the loads for each
platform.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "analysis"))
import need  # noqa: E402,F401  (first: may start another Python)
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

# Processors compute so many Mflop a second, networks carry so many Mbit.
PROCESSORS = [22.151, 48.492, 34.333, 114.444]
NETWORKS = [4.70, 32.10, 30.25]
# A homogeneous platform has the fastest and the one that was measured.
FASTEST, MEASURED = PROCESSORS[3], NETWORKS[1]
LOADS = [100.0 * i for i in range(1, 21)]
LP = ["lp-fixed", "lp-sqrt", "lp-adaptive"]
ADAPTIVE = 2
INSTALLMENTS = list(range(1, 9))
HEURISTICS = LP + [f"mi-{x}" for x in INSTALLMENTS]
BLOCK = 50            # platforms of one program
READING_MOST = 200    # platforms of a reading: more do not change what holds
MEANS = ["rounds", "latency_share", "waiting_share", "over_bound"]
COLUMNS = ["figure", "workers", "platform", "latency", "unit_mflop",
           "platforms", "engine", "tail", "load", "heuristic", "time_s",
           "ratio", "ratio_min", "ratio_max", *MEANS]
PLATFORM_COLUMNS = ["figure", "number", *HEURISTICS]


class Figure:
    """A kind of platform; `number` as in the paper."""

    def __init__(self, number, workers, random, latency, mflop):
        self.number, self.workers, self.random = number, workers, random
        self.latency, self.mflop = latency, mflop

    @property
    def kind(self):
        return "random" if self.random else "homogeneous"


FIGURES = [Figure("5, 6", 5, False, False, 1000),
           Figure("7", 20, False, False, 1000),
           Figure("8, 9", 5, True, False, 1000),
           Figure("10", 20, True, False, 1000),
           Figure("11, 12", 5, True, True, 1000),
           Figure("13", 20, True, True, 1000),
           Figure("14", 5, True, True, 50),
           Figure("15", 20, True, True, 50)]


class Reading:
    """How we read what the paper says, or does not say: data of a unit and
    what takes as long as a latency, Mbit; the last round of the LP heuristics;
    the equations of M.I.x; whether a platform has one network."""

    def __init__(self, name, data=2.0, latency=2.0, tail="cut",
                 equations="no-overlap", one_network=False):
        self.name, self.data, self.latency = name, data, latency
        self.tail, self.equations = tail, equations
        self.one_network = one_network

    def against(self):
        """What the text has instead, in words."""
        return " and ".join(
            ["2 Mbit"] * ((self.data, self.latency) != (2.0, 2.0))
            + ["no overlap"] * (self.equations == "overlap"))


# Some readings mix bits and bytes: only the latency is divided by 8, or only
# the data are 8 times as long.
READINGS = [
    Reading("as printed"),
    Reading("one network for all workers of a platform", one_network=True),
    Reading("last round shared", tail="share"),
    Reading("2 Mbyte a unit", data=16.0),
    Reading("2 Mbyte a unit and a latency", data=16.0, latency=16.0),
    Reading("a latency of 0.25 Mbit", latency=0.25),
    Reading("M.I. as with overlap", equations="overlap"),
    Reading("M.I. as with overlap and a latency of 0.25 Mbit", latency=0.25,
            equations="overlap"),
    Reading("M.I. as with overlap, a latency of 0.25 Mbit and 2 Mbyte a unit",
            data=16.0, latency=0.25, equations="overlap")]


# ---- platforms ----

MASK, GOLDEN = (1 << 64) - 1, 0x9e3779b97f4a7c15


def mix(z):
    """splitmix64, as base/random.h has it."""
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    return z ^ z >> 31


def random_numbers(seed, index):
    """The stream number `index` of a seed."""
    state = mix(mix(seed + GOLDEN & MASK) + (index + 1) * GOLDEN & MASK)
    while True:
        state = state + GOLDEN & MASK
        yield mix(state)


def platform(figure, reading, seed, number):
    """[(g, G, w)] of platform `number` of a seed.  A number has the same
    processors and networks in all figures, 5 workers being the first of 20."""
    numbers, workers, first = random_numbers(seed, number), [], None
    for _ in range(figure.workers):
        processor = PROCESSORS[next(numbers) % len(PROCESSORS)]
        network = NETWORKS[next(numbers) % len(NETWORKS)]
        first = first or network
        if reading.one_network:
            network = first
        if not figure.random:
            processor, network = FASTEST, MEASURED
        workers.append((reading.latency / network if figure.latency else 0.0,
                        reading.data / network, figure.mflop / processor))
    return workers


def lines(figure, reading, seed, numbers):
    """Two lines of dlsbench plan --batch for each platform."""
    loads = ",".join(f"{load:g}" for load in LOADS)
    installments = ",".join(map(str, INSTALLMENTS))
    for number in numbers:
        costs = zip(*platform(figure, reading, seed, number))
        words = " ".join(f"--{name} " + ",".join(map(repr, values))
                         for name, values in zip("gGw", costs))
        words = f"--workers {figure.workers} {words} --load {loads}"
        yield f"{words} --algorithm {','.join(LP)} --tail {reading.tail}"
        yield (f"{words} --algorithm multi-installment --installments "
               f"{installments} --equations {reading.equations}")


# ---- plans ----

def make_plans(dlsbench, figure, reading, seed, numbers):
    """Column -> array [platform, load, heuristic]; seconds are simulated_s
    with simgrid, else makespan_s."""
    text = "\n".join(lines(figure, reading, seed, numbers)) + "\n"
    done = subprocess.run(
        [dlsbench, "plan", "--batch", "-"],
        input=text.encode(), stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    frame = pd.read_csv(pd.io.common.BytesIO(done.stdout),
                        float_precision="round_trip")
    lp = len(LOADS) * len(LP)
    found = {}
    for name in ["makespan_s", *MEANS]:
        rows = frame[name].to_numpy(dtype=float).reshape(len(numbers), -1)
        found[name] = np.concatenate(
            [part.reshape(len(numbers), len(LOADS), -1)
             for part in (rows[:, :lp], rows[:, lp:])], axis=2)
    return found


def mean(values):
    """Over platforms, in their order: the same digits for any blocks."""
    return np.add.accumulate(values, axis=0)[-1] / len(values)


def ratio(plans):
    """[platform, load, heuristic]: time over that of lp-adaptive."""
    times = plans["makespan_s"]
    return times / times[:, :, ADAPTIVE:ADAPTIVE + 1]


def points(plans):
    """Column -> array [load, heuristic] over the platforms of a figure."""
    over = ratio(plans)
    return {"time_s": mean(plans["makespan_s"]), "ratio": mean(over),
            "ratio_min": over.min(axis=0), "ratio_max": over.max(axis=0),
            **{name: mean(plans[name]) for name in MEANS}}


def run(pool, dlsbench, reading, seed, platforms, note):
    """(rows of figures.csv, those of its platforms) of a reading."""
    jobs = []
    for figure in FIGURES:
        count = platforms if figure.random else 1
        jobs.append([pool.submit(
            make_plans, dlsbench, figure, reading, seed,
            range(first, min(first + BLOCK, count)))
            for first in range(0, count, BLOCK)])
    rows, each = [], []
    for number, (figure, blocks) in enumerate(zip(FIGURES, jobs), 1):
        parts = [block.result() for block in blocks]
        plans = {name: np.concatenate([part[name] for part in parts])
                 for name in parts[0]}
        rows += figure_rows(figure, reading, points(plans),
                            len(plans["makespan_s"]))
        each += [[figure.number, i, *map("{:.9g}".format, ratios)]
                 for i, ratios in enumerate(ratio(plans).mean(axis=1))]
        if note:
            print(f"plans: figure {figure.number}, {number} of "
                  f"{len(FIGURES)}", file=sys.stderr)
    return rows, each


def figure_rows(figure, reading, found, platforms):
    return [[figure.number, figure.workers, figure.kind, int(figure.latency),
             figure.mflop, platforms, "analytic", reading.tail, f"{load:g}",
             name,
             *(repr(float(found[column][i][k])) for column in COLUMNS[10:])]
            for i, load in enumerate(LOADS)
            for k, name in enumerate(HEURISTICS)]


def write(path, rows, each):
    for name, header, lines in ((path, COLUMNS, rows), (
            platforms_of(path), PLATFORM_COLUMNS, each)):
        with open(name, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(lines)


def platforms_of(path):
    return path.removesuffix(".csv") + "-platforms.csv"


def number_from(least, most, kind):
    def read(text):
        value = kind(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"{text} is not between {least:g} and {most:g}")
        return value
    return read


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("dlsbench", metavar="DLSBENCH")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--platforms", metavar="N", default=200,
                        type=number_from(1, 1e6, int),
                        help="random ones of each figure (default 200; the "
                        "paper has 2000)")
    parser.add_argument("--seed", metavar="N", default=1,
                        type=number_from(0, 2**63 - 1, int))
    parser.add_argument("--tail", choices=["cut", "share"], default="cut",
                        help="last round of the LP heuristics")
    parser.add_argument("--data", metavar="MBIT", default=2.0,
                        type=number_from(1e-3, 1e6, float),
                        help="of a unit (2, as printed; 16 is 2 Mbyte)")
    parser.add_argument("--latency", metavar="MBIT", default=2.0,
                        type=number_from(0, 1e6, float),
                        help="what takes as long as a latency (2)")
    parser.add_argument("--equations", choices=["no-overlap", "overlap"],
                        default="no-overlap", help="of M.I.x")
    return parser.parse_args()


def main():
    args = arguments()
    asked = Reading("as asked", args.data, args.latency, args.tail,
                    args.equations)
    os.makedirs(os.path.join(args.out, "readings"), exist_ok=True)
    few = min(args.platforms, READING_MOST)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = run(pool, args.dlsbench, asked, args.seed, args.platforms,
                   True)
        write(os.path.join(args.out, "figures.csv"), *made)
        for number, reading in enumerate(READINGS, 1):
            made = run(pool, args.dlsbench, reading, args.seed, few, False)
            write(os.path.join(args.out, "readings", f"{number}.csv"), *made)
    version = subprocess.run([args.dlsbench, "--version"], check=True,
                             capture_output=True, text=True).stdout.strip()
    setup = {**vars(args), "version": version, "readings_platforms": few}
    del setup["dlsbench"], setup["out"]
    with open(os.path.join(args.out, "setup.json"), "w",
              encoding="utf-8") as file:
        json.dump(setup, file, indent=1)


if __name__ == "__main__":
    main()
