"""Beaumont, Legrand and Robert (2002): the curves of figures 5 to 15 as
tables, what section 6 says of them held against ours, and which of that holds
in other readings of the paper.

    bench/papers/report.py beaumont DIR        (make paper-beaumont)

Reads what plans.py left in DIR; writes report.txt, claims.csv, readings.csv.
"""
import csv
import json
import os
import sys

from plans import ADAPTIVE, FIGURES, HEURISTICS, LOADS, READINGS

import grid
import paper

FIXED, SQRT, FIRST_MI, END = 0, 1, 3, len(HEURISTICS)
(HOMOGENEOUS_5, HOMOGENEOUS_20, RANDOM_5, RANDOM_20, LATENCY_5, LATENCY_20,
 HIGH_LATENCY_5, HIGH_LATENCY_20) = range(len(FIGURES))
WHY = ["rounds", "latency_share", "waiting_share", "over_bound"]


class Series:
    """The points of a figures.csv: point[figure][load][heuristic]."""

    def __init__(self, point):
        self.point = point

    def ratio(self, figure, load, heuristic):
        return self.point[figure][load][heuristic]["ratio"]

    def best(self, figure, load, first=0, end=END):
        """The smallest of heuristics first to end - 1."""
        return min(self.ratio(figure, load, h) for h in range(first, end))

    def mean(self, figure, heuristic):
        return sum(self.ratio(figure, i, heuristic)
                   for i in range(len(LOADS))) / len(LOADS)

    def above_best(self, figure, heuristic):
        """In percent above the best of all, mean over the loads."""
        return 100 * (sum(
            self.ratio(figure, i, heuristic) / self.best(figure, i) - 1
            for i in range(len(LOADS))) / len(LOADS))

    def best_of(self, figure, first=0, end=END):
        """The best heuristic, mean over all loads."""
        return min(range(first, end), key=lambda h: self.mean(figure, h))

    def why(self, figure, heuristic):
        """Where its time goes, means over loads and platforms."""
        rounds, latency, waiting, over = (
            sum(self.point[figure][i][heuristic][name] / len(LOADS)
                for i in range(len(LOADS))) for name in WHY)
        return (f"{HEURISTICS[heuristic]} in figure {FIGURES[figure].number}: "
                f"{rounds:.3g} rounds, latencies {100 * latency:.2f} % and "
                f"waiting {100 * waiting:.2f} % of the workers' time, "
                f"{100 * (over - 1):.2f} % above the bound")


def read(path):
    """The Series of a file that plans.py wrote."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = iter(list(csv.DictReader(file)))
    return Series([[[{name: number(value) for name, value in
                      next(rows).items()} for _ in HEURISTICS]
                    for _ in LOADS] for _ in FIGURES])


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


# ---- the claims: (holds, found, [(figure, heuristic)] that say why) ----

def bad(s, heuristic):
    five, random = (s.above_best(f, heuristic)
                    for f in (HOMOGENEOUS_5, RANDOM_5))
    return (five > 5 and random > 5,
            f"homogeneous {five:.2f} %, random {random:.2f} % above the best",
            [(HOMOGENEOUS_5, heuristic), (RANDOM_5, heuristic)])


def fixed_is_bad(s):
    return bad(s, FIXED)


def one_round_is_bad(s):
    return bad(s, FIRST_MI)


def three_rounds_at_least(s):
    means = [s.mean(HOMOGENEOUS_5, h) for h in range(FIRST_MI, END)]
    two, three = (100 * (means[x - 1] / min(means) - 1) for x in (2, 3))
    return (two > 0.1 and three <= 0.1,
            f"M.I.2 {two:.3f} %, M.I.3 {three:.3f} % above the best M.I.x",
            [(HOMOGENEOUS_5, FIRST_MI + x) for x in range(3)])


def rounds(s, figure, paper_has):
    best, there = s.best_of(figure, FIRST_MI), FIRST_MI + paper_has - 1
    x = best - FIRST_MI + 1
    above = 100 * (s.mean(figure, there) / s.mean(figure, best) - 1)
    return (abs(x - paper_has) <= 1,
            f"best x = {x}, M.I.{paper_has} is {above:.3f} % above it",
            [(figure, best), *[(figure, there)] * (x != paper_has)])


def four_rounds(s):
    return rounds(s, LATENCY_5, 4)


def five_rounds(s):
    return rounds(s, LATENCY_20, 5)


def sqrt_within_5(s):
    more = [100 * (s.ratio(HOMOGENEOUS_5, i, SQRT) / s.best(HOMOGENEOUS_5, i)
                   - 1) for i in range(len(LOADS))]
    large, small = (max([0.0, *(m for m, load in zip(more, LOADS)
                                if (load >= 500) == is_large)])
                    for is_large in (True, False))
    return (large <= 5, f"at most {large:.2f} % above the best from 500 units "
            f"on, {small:.2f} % below", [(HOMOGENEOUS_5, SQRT)])


def adaptive_is_best(s, figure):
    """How much the best other one is above lp-adaptive: mean over loads."""
    others = [min(s.best(figure, i, 0, ADAPTIVE), s.best(figure, i, FIRST_MI))
              for i in range(len(LOADS))]
    gain = 100 * (sum(other - 1 for other in others) / len(LOADS))
    wins = sum(other >= 1 for other in others)
    return (gain > 0, f"the best other is {gain:+.2f} % on average; "
            f"lp-adaptive is best at {wins} of {len(LOADS)} loads",
            [(figure, ADAPTIVE), (figure, SQRT),
             (figure, s.best_of(figure, FIRST_MI))])


def adaptive_is_best_5(s):
    return adaptive_is_best(s, RANDOM_5)


def adaptive_is_best_latency(s):
    return adaptive_is_best(s, LATENCY_5)


def adaptive_3_off(s):
    more = [100 * (1 / s.best(LATENCY_20, i) - 1) for i in range(len(LOADS))]
    most = max([0.0, *(m for m, load in zip(more, LOADS) if load > 200)])
    return (most <= 3, f"at most {most:.2f} % off above 200 units, "
            f"{more[-1]:.2f} % at 2000",
            [(LATENCY_20, ADAPTIVE), (LATENCY_20, s.best_of(LATENCY_20))])


def lp_wins(s, figure):
    """(loads at which the slower of lp-sqrt and lp-adaptive beats every M.I.,
    its mean gain in percent)."""
    pairs = [(max(s.ratio(figure, i, SQRT), 1), s.best(figure, i, FIRST_MI))
             for i in range(len(LOADS))]
    return (sum(lp < mi for lp, mi in pairs),
            sum(100 * (mi / lp - 1) / len(LOADS) for lp, mi in pairs))


def lp_beats_mi(s):
    wins5, gain5 = lp_wins(s, HIGH_LATENCY_5)
    wins20, gain20 = lp_wins(s, HIGH_LATENCY_20)
    why = [(figure, h) for figure in (HIGH_LATENCY_5, HIGH_LATENCY_20)
           for h in (ADAPTIVE, s.best_of(figure, FIRST_MI))]
    return (wins5 == wins20 == len(LOADS),
            f"5 workers: at {wins5} of {len(LOADS)} loads, best M.I. "
            f"{gain5:+.2f} % on average; 20 workers: at {wins20}, "
            f"{gain20:+.2f} %", why)


CLAIMS = [
    ("the fixed period performs badly", "5, 8",
     "more than 5 % above the best, 5 workers, mean over loads",
     fixed_is_bad),
    ("one round performs badly", "5, 8",
     "more than 5 % above the best, 5 workers, mean over loads",
     one_round_is_bad),
    ("M.I. needs at least 3 rounds", "6",
     "M.I.2 more than 0.1 % above the best M.I.x, M.I.3 not",
     three_rounds_at_least),
    ("about 4 rounds are best with latency, 5 workers", "12",
     "the best M.I.x, mean over loads, has x = 3 to 5", four_rounds),
    ("about 5 rounds are best with latency, 20 workers", "13",
     "the best M.I.x, mean over loads, has x = 4 to 6", five_rounds),
    ("sqrt period within 5 % once the load is large", "6",
     "5 homogeneous workers, from 500 units on", sqrt_within_5),
    ("adaptive is best by about 1 %, no latency", "9",
     "5 random workers, mean over loads above 0", adaptive_is_best_5),
    ("adaptive is best by about 1 %, with latency", "12",
     "5 random workers, mean over loads above 0", adaptive_is_best_latency),
    ("adaptive at most 3 % off, 20 workers, with latency", "13",
     "above 200 units", adaptive_3_off),
    ("high ratio: LP clearly beats every M.I.", "14, 15",
     "lp-sqrt and lp-adaptive faster than all M.I.x at every load",
     lp_beats_mi)]


def judge(series):
    """The claims on a series, with the columns of claims.csv."""
    found = []
    for claim, figure, read_as, look in CLAIMS:
        holds, words, why = look(series)
        found.append({"claim": claim, "figure": figure, "read_as": read_as,
                      "holds": int(holds), "found": words,
                      "why": "; ".join(series.why(*at) for at in why)})
    return found


# ---- what the paper leaves open ----

# (assumption, ours, why, numbers of READINGS from 0).
OPEN = [
    ("a worker's network", "drawn for each worker",
     "section 6.2: machines and networks are chosen at random", [1]),
    ("the last round of the LP heuristics", "cut where the load ends",
     "section 6: T_p does not fall below the time of the last unit", [2]),
    ("data of a unit, and what a latency lasts as long as", "2 Mbit each",
     "printed; the slowest processor that is listed needs 45 s for a unit "
     "where 90 is written, so other numbers may not be those of the runs",
     [3, 4, 5]),
    ("the equations of M.I.x", "for workers without overlap",
     "section 6: no overlap was possible", [6, 7, 8])]


def assumptions(readings):
    """readings: the claims in each of READINGS, as judge() has them."""
    ours = {c["claim"] for c in readings[0] if c["holds"]}
    rows = []
    for assumption, value, why, others in OPEN:
        rows += paper.assumed(assumption, value, why, [
            (READINGS[i].name, effect(readings[i], ours)) for i in others])
    return rows


def effect(found, ours):
    """How many hold, and the numbers of the claims that change."""
    theirs = {c["claim"] for c in found if c["holds"]}
    return f"{len(theirs)} of {len(found)} hold ({len(ours)} with ours)" + (
        "".join(f"; {words} " + ", ".join(
            str(number) for number, c in enumerate(found, 1)
            if c["claim"] in one)
            for words, one in (("now", theirs - ours),
                               ("no longer", ours - theirs)) if one))


# ---- the report ----

def head(setup):
    yield "Beaumont, Legrand, Robert (2002), figures 5 to 15"
    yield (f"{setup['engine']} engine, {setup['platforms']} random platforms "
           f"for each figure, seed {setup['seed']}, last round of the LP "
           f"heuristics: {setup['tail']}")
    yield setup["version"]
    if setup["data"] != 2 or setup["latency"] != 2:
        yield (f"Not as printed: a unit is {setup['data']:g} Mbit of data, a "
               f"latency lasts as long as {setup['latency']:g} Mbit")
    if setup["equations"] == "overlap":
        yield "M.I.x by the equations for workers with overlap"
    if setup["engine"] != "analytic":
        yield ("All times are within "
               f"{100 * setup['deviation']:.2g} % of the analytic evaluator's")


def title(figure):
    return (f"figure {figure.number}: {figure.workers} workers, {figure.kind}"
            f", {'with' if figure.latency else 'no'} latency, {figure.mflop:g}"
            " Mflop a unit")


def figure_grid(series, at):
    rows = [[f"{load:g}", *(f"{p['ratio']:.4f}" for p in points),
             f"{points[ADAPTIVE]['time_s']:.1f}"]
            for load, points in zip(LOADS, series.point[at])]
    return grid.text(grid.Grid(
        title(FIGURES[at]), ["load", *HEURISTICS, "lp-adaptive, s"], rows,
        "time over that of lp-adaptive on the same platform, mean over the "
        "platforms", left=0))


def claims_words(found):
    yield ("The paper's claims (bound: load / n*, below which no plan is; "
           "why: means over loads and platforms)")
    for number, claim in enumerate(found, 1):
        holds = "holds" if claim["holds"] else "does not hold"
        yield f"{number:3d} {holds:<15} {claim['claim']} " \
            f"(figure {claim['figure']})"
        yield f"{'':20}{claim['found']}"
        yield f"{'':20}read as: {claim['read_as']}"
        for why in claim["why"].split("; "):
            yield f"{'':20}why: {why}"
    yield f"  {sum(c['holds'] for c in found)} of {len(found)} hold"


def readings_grid(readings, platforms):
    rows = [[reading.name, *("holds" if c["holds"] else "-" for c in found),
             str(sum(c["holds"] for c in found))]
            for reading, found in zip(READINGS, readings)]
    return grid.text(grid.Grid(
        "The same claims by number in other readings of the paper",
        ["reading", *map(str, range(1, len(CLAIMS) + 1)), "hold"], rows,
        f"analytic engine, {platforms} platforms"))


def report(setup, series, found, readings):
    parts = ["\n".join(head(setup)) + "\n"]
    parts += [figure_grid(series, at) for at in range(len(FIGURES))]
    parts.append("\n".join(claims_words(found)) + "\n")
    parts.append(readings_grid(readings, setup["readings_platforms"]))
    parts.append(paper.assumptions_text(assumptions(readings)))
    return "\n".join(parts)


def main(directory):
    def path(name):
        return os.path.join(directory, name)
    with open(path("setup.json"), encoding="utf-8") as file:
        setup = json.load(file)
    series = read(path("figures.csv"))
    found = judge(series)
    readings = [judge(read(path(f"readings/{number}.csv")))
                for number in range(1, len(READINGS) + 1)]
    text = report(setup, series, found, readings)
    paper.write(path("report.txt"), text)
    paper.write_csv(path("claims.csv"), list(found[0]),
                    [list(claim.values()) for claim in found])
    paper.write_assumptions(directory, assumptions(readings))
    paper.write_csv(
        path("readings.csv"),
        ["reading", "platforms", "number", "claim", "holds", "found"],
        [[reading.name, setup["readings_platforms"], number, claim["claim"],
          claim["holds"], claim["found"]]
         for reading, claims in zip(READINGS, readings)
         for number, claim in enumerate(claims, 1)])
    sys.stdout.write(text)
