"""How often compare.py sees what is not there, and what is: by resampling the
real times of launches.csv, with the noise that a shared machine has."""
import csv

import numpy as np
import pytest
import scipy.stats

from conftest import ROOT
from result_files import Directory

from analysis import (compare, compare_answer as answer,
                      compare_verdicts as verdicts, loader, matching, stats)

ROUNDS, CELLS, LAUNCHES, REPETITIONS = 100, 10, 20, 20
THRESHOLD = 0.05


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """The runs of each cell, read from a result directory."""
    there = Directory(tmp_path_factory.mktemp("real") / "d")
    with open(ROOT / "tests" / "integration" / "launches.csv") as file:
        rows = csv.reader(line for line in file if line[0] != "#")
        for kernel, scheme, launch, *times in rows:
            there.cell([float(t) * 1e-6 for t in times], launch,
                       kernel=kernel, scheme=scheme)
    runs = loader.load(str(there.path)).runs
    runs["launch"] = runs["launch"].astype(object)
    cells = [part for _, part in runs.groupby("cell", observed=True)]
    assert len(cells) == CELLS
    assert all(len(c) == LAUNCHES * REPETITIONS for c in cells)
    return cells


def repetitions(cells, rng):
    """Splits of one launch after the other: half of its repetitions a side,
    the same of every cell."""
    for i in range(ROUNDS):
        order = rng.permutation(REPETITIONS) + 1
        here = [c[(c["launch"] == str(i % LAUNCHES + 1))] for c in cells]
        yield [[c[c["repetition"].isin(half)]
                for half in (order[::2], order[1::2])] for c in here]


def launches(cells, rng):
    """Splits of the launches: half of them a side."""
    for _ in range(ROUNDS):
        names = [str(n + 1) for n in rng.permutation(LAUNCHES)]
        yield [[c[c["launch"].isin(half)]
                for half in (names[::2], names[1::2])] for c in cells]


def compared(split, factor):
    """What compare.py finds in a split with one side slower by `factor`."""
    pairs = []
    for a, b in split:
        row = {"cell": "c", "simulated": False, "scheme": "ss", "loop": "l",
               "label": "shared", "interval_words": "",
               "launches": a["launch"].nunique()}
        key = ("c", False)
        pairs.append(matching.pair(row, row, [
            {key: a}, {key: b.assign(time_s=b["time_s"] * factor)}]))
    return compare.Comparison(pairs, ([], []), [], threshold=THRESHOLD)


def is_beyond(found):
    """A slowdown beyond the threshold, of all cells or of one; of one launch
    a side it may be luck."""
    return answer.slower(found) or any(
        p["verdict"] == verdicts.SLOWER + verdicts.LUCK
        and p["ratio"] > 1 + THRESHOLD for p in found.pairs)


def is_called(found):
    words = [p["verdict"] for p in found.pairs] + [answer.word_of(found)]
    return any(w is not None and w.startswith(
        (verdicts.SLOWER, verdicts.FASTER)) for w in words)


def shares(cells, splits, factor):
    """Of all splits, with one side slower by `factor`: the share where any
    cell, or all together, is called slower or faster, where that is a slowdown
    beyond the threshold, and where any cell would be called so without a
    correction."""
    called = beyond = uncorrected = 0
    for split in splits(cells, np.random.default_rng(1)):
        found = compared(split, factor)
        called += is_called(found)
        beyond += is_beyond(found)
        uncorrected += any(stats.mann_whitney(*p["times"]) < stats.ALPHA
                           for p in found.pairs)
    return called / ROUNDS, beyond / ROUNDS, uncorrected / ROUNDS


def most_alarms():
    """A greater share, at a rate of 5 %, comes up once in a thousand times."""
    return scipy.stats.binom.ppf(0.999, ROUNDS, stats.ALPHA) / ROUNDS


@pytest.mark.cross(group="rates", part=7)
@pytest.mark.parametrize("splits", [repetitions, launches])
def test_one_machine_gives_no_more_false_alarms_than_stated(real, splits):
    called, beyond, uncorrected = shares(real, splits, 1.0)
    print(called, beyond, uncorrected)
    assert beyond <= called <= most_alarms()
    # These data do catch a method that gives more.
    assert uncorrected > most_alarms()


@pytest.mark.cross(group="rates", part=7)
# What slows down by `factor` is seen with at least this share
# (docs/evidence/compare.md states them), and 1 % never guards more often
# than chance.
@pytest.mark.parametrize("splits, factor, least", [
    (repetitions, 1.08, 0.9), (launches, 1.15, 0.85), (launches, 1.2, 0.95)])
def test_a_real_slowdown_is_seen(real, splits, factor, least):
    called, beyond, _ = shares(real, splits, factor)
    print(called, beyond)
    assert beyond >= least


@pytest.mark.cross(group="rates", part=7)
@pytest.mark.parametrize("splits", [repetitions, launches])
def test_one_percent_is_no_slowdown_beyond_five(real, splits):
    _, beyond, _ = shares(real, splits, 1.01)
    print(beyond)
    assert beyond <= most_alarms()
