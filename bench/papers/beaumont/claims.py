"""Beaumont, Legrand and Robert (2002): the curves of figures 5 to 15 as
tables, each sentence of their conclusion and of section 6 held against ours,
and which of that holds in other readings of the paper.

    bench/papers/report_paper.py beaumont DIR        (make paper-beaumont)

Reads what plans.py left in DIR.  The paper's random platforms are others than
ours, so that a claim on a mean holds or fails only if the 95 % interval of
the mean over our platforms says so.
"""
import csv
import json
import os
import sys

import numpy as np

from plans import (ADAPTIVE, FIGURES, HEURISTICS, LOADS, READINGS,
                   platforms_of)

from analysis import files, grid, labels, paper_report

PAPER = paper_report.Paper(
    "Optimal algorithms for scheduling divisible workloads on heterogeneous "
    "systems", "Olivier Beaumont, Arnaud Legrand and Yves Robert")
FIXED, SQRT, FIRST_MI, END = 0, 1, 3, len(HEURISTICS)
(HOMOGENEOUS_5, HOMOGENEOUS_20, RANDOM_5, RANDOM_20, LATENCY_5, LATENCY_20,
 HIGH_LATENCY_5, HIGH_LATENCY_20) = range(len(FIGURES))
WHY = ["rounds", "latency_share", "waiting_share", "over_bound"]
SIGMAS = 1.96           # of a mean: its 95 % interval
# In percent: what is bad, what is close, what is no difference.
BAD, CLOSE, NONE = 5, 3, 0.1
HOLDS, FAILS, OPEN = paper_report.HOLDS, paper_report.FAILS, paper_report.OPEN


def mi(x):
    return FIRST_MI + x - 1


def legend(heuristic):
    """As the paper has it."""
    kind, _, rest = HEURISTICS[heuristic].partition("-")
    return f"M.I.{rest}" if kind == "mi" else "L.P. " + {
        "fixed": "fixed", "sqrt": "square-root", "adaptive": "adaptive"}[rest]


class Series:
    """The points of a figures.csv: point[figure][load][heuristic]; and of its
    platforms the means over the loads: each[figure][platform, heuristic]."""

    def __init__(self, point, each=None):
        self.point = point
        self.each = each or [np.mean([[
            [p["ratio"] for p in load] for load in figure]], axis=1)
            for figure in point]

    def ratio(self, figure, load, heuristic):
        return self.point[figure][load][heuristic]["ratio"]

    def best(self, figure, load, first=0, end=END):
        """The smallest of heuristics first to end - 1."""
        return min(self.ratio(figure, load, h) for h in range(first, end))

    def mean(self, figure, heuristic):
        return float(np.mean([self.ratio(figure, i, heuristic)
                              for i in range(len(LOADS))]))

    def best_of(self, figure, first=0, end=END):
        """The best heuristic, mean over all loads."""
        return min(range(first, end), key=lambda h: self.mean(figure, h))

    def above(self, figure, one, other):
        """(mean, low, high) over the platforms: by how many percent the time
        of `one` is above that of the other."""
        found = 100 * (self.each[figure][:, one]
                       / self.each[figure][:, other] - 1)
        near = SIGMAS * found.std(ddof=1) / np.sqrt(len(found)) \
            if len(found) > 1 else 0.0
        return found.mean(), found.mean() - near, found.mean() + near

    def why(self, figure, heuristic):
        """Where its time goes, means over loads and platforms."""
        rounds, latency, waiting, over = (
            sum(self.point[figure][i][heuristic][name] / len(LOADS)
                for i in range(len(LOADS))) for name in WHY)
        return (f"{legend(heuristic)} in figure {FIGURES[figure].number}: "
                f"{rounds:.3g} rounds, latencies {100 * latency:.2f} % and "
                f"waiting {100 * waiting:.2f} % of the workers' time, "
                f"{100 * (over - 1):.2f} % above the bound")


def read(path):
    """The Series of a file that plans.py wrote."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = iter(list(csv.DictReader(file)))
    with open(platforms_of(path), encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    each = [np.array([[float(line[h]) for h in HEURISTICS] for line in lines
                      if line["figure"] == figure.number])
            for figure in FIGURES]
    return Series([[[{name: number(value) for name, value in
                      next(rows).items()} for _ in HEURISTICS]
                    for _ in LOADS] for _ in FIGURES], each)


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


# ---- verdicts: (verdict, words) ----

def more_than(found, percent):
    """Whether a mean with its interval is above that."""
    mean, low, high = found
    return (HOLDS if low > percent else FAILS if high < percent else OPEN,
            f"{mean:+.2f} %" + (f" ({low:+.2f} to {high:+.2f})"
                                if low != high else ""))


def at_most(found, percent):
    verdict, words = more_than(found, percent)
    return {HOLDS: FAILS, FAILS: HOLDS, OPEN: OPEN}[verdict], words


def together(parts):
    """Of [(name, (verdict, words))]."""
    return (paper_report.all_of(verdict for _, (verdict, _) in parts),
            "; ".join(f"{name} {words}" for name, (_, words) in parts))


def to_best(s, figure, heuristic, first=0, end=END):
    """By how much it is above the best of those."""
    others = [h for h in range(first, end) if h != heuristic]
    return s.above(figure, heuristic, min(
        others, key=lambda h: s.mean(figure, h)))


def place(figure):
    return f"figure {FIGURES[figure].number}"


def bad(s, heuristic, figures):
    return together([(place(f), more_than(to_best(s, f, heuristic), BAD))
                     for f in figures])


def rounds_needed(s, figure):
    """(least, most): the smallest x of which it can be said, or for certain,
    that M.I.x is no more than NONE above the best M.I."""
    verdicts = [at_most(to_best(s, figure, mi(x), FIRST_MI), NONE)[0]
                for x in range(1, END - FIRST_MI + 1)]
    return (next(x for x, v in enumerate(verdicts, 1) if v is not FAILS),
            next((x for x, v in enumerate(verdicts, 1) if v is HOLDS),
                 len(verdicts)))


def rounds_words(s, figure):
    least, most = rounds_needed(s, figure)
    return f"{place(figure)} x = {least}" + f" to {most}" * (least != most)


def rounds_are(s, figure, wanted, near=0):
    least, most = rounds_needed(s, figure)
    holds = wanted - near <= least and most <= wanted + near
    fails = most < wanted - near or least > wanted + near
    return (HOLDS if holds else FAILS if fails else OPEN,
            rounds_words(s, figure) + f"; M.I.{wanted} is " + more_than(
                to_best(s, figure, mi(wanted), FIRST_MI), NONE)[1]
            + " from the best other")


def more_rounds(s, few, many):
    (_, most), (least, _) = rounds_needed(s, few), rounds_needed(s, many)
    few_least, many_most = rounds_needed(s, few)[0], rounds_needed(s, many)[1]
    return (HOLDS if least > most else FAILS if many_most <= few_least
            else OPEN, f"{rounds_words(s, few)}, {rounds_words(s, many)}")


def all_loads(s, figure, heuristic, first=0, end=END, from_load=0):
    """[percent above the best of those], by load."""
    return [100 * (s.ratio(figure, i, heuristic)
                   / s.best(figure, i, first, end) - 1)
            for i, load in enumerate(LOADS) if load >= from_load]


# ---- the claims, the conclusion first ----

def lp_close_to_mi(s):
    """In most of the figures."""
    found = {(f, h): max(0.0, s.above(f, h, s.best_of(f, FIRST_MI))[0])
             for f in range(len(FIGURES)) for h in (SQRT, ADAPTIVE)}
    close = [f for f in range(len(FIGURES)) if max(
        found[f, SQRT], found[f, ADAPTIVE]) <= CLOSE]
    return (2 * len(close) > len(FIGURES),
            f"in {len(close)} of {len(FIGURES)}; above the best M.I.: "
            + "; ".join(f"{place(f)} " + ", ".join(
                f"{legend(h)} {found[f, h]:.2f} %" for h in (SQRT, ADAPTIVE))
                for f in range(len(FIGURES))))


def lp_much_better(s):
    parts = []
    for f in (HIGH_LATENCY_5, HIGH_LATENCY_20):
        others = [FIXED, *range(FIRST_MI, END)]
        best = min(others, key=lambda h, f=f: s.mean(f, h))
        parts += [(f"{place(f)} {legend(best)} above {legend(h)}",
                   more_than(s.above(f, best, h), BAD))
                  for h in (SQRT, ADAPTIVE)]
    return together(parts)


def rounds_not_trivial(s):
    found = [rounds_needed(s, f) for f in range(len(FIGURES))]
    return (len(set(found)) > 1, ", ".join(
        rounds_words(s, f) for f in range(len(FIGURES))))


def asymptotically_optimal(s):
    over = [[100 * (s.point[f][i][SQRT]["over_bound"] - 1)
             for i in (0, len(LOADS) - 1)] for f in range(len(FIGURES))]
    return (all(few > many for few, many in over), "at 100 and 2000 units, "
            "percent above the bound: " + "; ".join(
                f"{place(f)} " + ", ".join(f"{v:.2f}" for v in line)
                for f, line in enumerate(over)))


def robust(s):
    return OPEN, "no speed and no bandwidth changes in any of the figures"


def fixed_is_bad(s):
    return bad(s, FIXED, [HOMOGENEOUS_5])


def one_round_is_bad(s):
    return bad(s, mi(1), [HOMOGENEOUS_5])


def others_alike(s):
    others = [h for h in range(END) if h not in (FIXED, mi(1))]
    worst = max(others, key=lambda h: s.mean(HOMOGENEOUS_5, h))
    return together([(legend(worst), at_most(to_best(
        s, HOMOGENEOUS_5, worst), BAD))])


def adaptive_always_close(s):
    most = max(all_loads(s, HOMOGENEOUS_5, ADAPTIVE))
    return most <= CLOSE, f"at most {most:.2f} % above the best"


def three_rounds_at_least(s):
    return together([
        ("M.I.2 above M.I.3", more_than(s.above(
            HOMOGENEOUS_5, mi(2), mi(3)), NONE)),
        ("M.I.3 above the best M.I.", at_most(to_best(
            s, HOMOGENEOUS_5, mi(3), FIRST_MI), NONE))])


def sqrt_irregular(s):
    curve = [s.ratio(HOMOGENEOUS_5, i, SQRT) for i in range(len(LOADS))]
    steps = np.sign(np.diff(curve))
    turns = int(np.sum(steps[1:] * steps[:-1] < 0))
    return turns >= 2, f"its curve turns {labels.count(turns, 'time')}"


def sqrt_within_5(s):
    more = all_loads(s, HOMOGENEOUS_5, SQRT)
    large = all_loads(s, HOMOGENEOUS_5, SQRT, from_load=500)
    return (max(large) <= 5, f"from 500 units on at most {max(large):.2f} % "
            f"above the best; with fewer, up to {max(more[:4]):.2f} %")


def larger_set(s, few, many):
    """The load from which the adaptive period is close to the bound."""
    found = [next((LOADS[i] for i in range(len(LOADS)) if all(
        s.point[f][k][ADAPTIVE]["over_bound"] <= 1 + CLOSE / 100
        for k in range(i, len(LOADS)))), None) for f in (few, many)]
    words = [f"{v:g} units" if v else "more than 2000 units" for v in found]
    return (OPEN if found == [None, None] else
            (found[1] or np.inf) > (found[0] or np.inf),
            f"5 workers from {words[0]} on, 20 workers from {words[1]} on")


def larger_set_homogeneous(s):
    return larger_set(s, HOMOGENEOUS_5, HOMOGENEOUS_20)


def more_rounds_homogeneous(s):
    return more_rounds(s, HOMOGENEOUS_5, HOMOGENEOUS_20)


def both_bad(s):
    return together([(legend(h), bad(s, h, [RANDOM_5]))
                     for h in (FIXED, mi(1))])


def four_rounds(s):
    return rounds_are(s, RANDOM_5, 4, 1)


def no_more_than_5(s):
    best = s.best_of(RANDOM_5, mi(6))
    return together([(f"M.I.5 above {legend(best)}", at_most(s.above(
        RANDOM_5, mi(5), best), NONE))])


def sqrt_before_mi(s):
    best = s.best_of(RANDOM_5, FIRST_MI)
    return together([(f"{legend(best)} above L.P. square-root",
                      more_than(s.above(RANDOM_5, best, SQRT), 0))])


def adaptive_is_best(s, figure):
    others = [h for h in range(END) if h != ADAPTIVE]
    best = min(others, key=lambda h: s.mean(figure, h))
    wins = sum(min(s.ratio(figure, i, h) for h in others) >= 1
               for i in range(len(LOADS)))
    verdict, words = more_than(s.above(figure, best, ADAPTIVE), 0)
    return verdict, (f"the best other, {legend(best)}, is {words} above it; "
                     f"it is best at {wins} of {len(LOADS)} loads")


def adaptive_is_best_5(s):
    return adaptive_is_best(s, RANDOM_5)


def more_rounds_random(s):
    return more_rounds(s, RANDOM_5, RANDOM_20)


def lp_needs_load(s):
    """Its distance from the best M.I. at the smallest and the largest
    load."""
    few, many = (100 * (1 / s.best(RANDOM_20, i, FIRST_MI) - 1)
                 for i in (0, -1 % len(LOADS)))
    return (few > CLOSE >= many, f"L.P. adaptive is {few:+.2f} % from the "
            f"best M.I. at 100 units, {many:+.2f} % at 2000")


def adaptive_before_lp(s):
    return together([(f"{legend(h)} above L.P. adaptive", more_than(s.above(
        RANDOM_20, h, ADAPTIVE), 0)) for h in (FIXED, SQRT)])


def few_rounds_poor(s):
    return together([(legend(mi(x)), bad(s, mi(x), [LATENCY_5]))
                     for x in (1, 2)])


def four_with_latency(s):
    return rounds_are(s, LATENCY_5, 4)


def adaptive_is_best_latency(s):
    return adaptive_is_best(s, LATENCY_5)


def five_with_latency(s):
    return rounds_are(s, LATENCY_20, 5)


def adaptive_3_off(s):
    more = all_loads(s, LATENCY_20, ADAPTIVE, from_load=LOADS[2])
    return (max(more) <= 3, f"at most {max(more):.2f} % off above 200 units, "
            f"{more[-1]:.2f} % at 2000")


def lp_beats_mi(s, figure):
    best = s.best_of(figure, FIRST_MI)
    wins = sum(max(s.ratio(figure, i, SQRT), 1) < s.best(figure, i, FIRST_MI)
               for i in range(len(LOADS)))
    verdict, words = together([
        (f"{legend(best)} above {legend(h)}", more_than(s.above(
            figure, best, h), 0)) for h in (SQRT, ADAPTIVE)])
    return (verdict if wins == len(LOADS) else FAILS,
            f"{words}; both are faster than every M.I. at {wins} of "
            f"{len(LOADS)} loads")


def lp_beats_mi_5(s):
    return lp_beats_mi(s, HIGH_LATENCY_5)


def lp_beats_mi_20(s):
    return lp_beats_mi(s, HIGH_LATENCY_20)


def latency_is_crucial(s):
    """Of the best M.I.: the part of the workers' time."""
    parts = [100 * np.mean([s.point[f][i][s.best_of(f, FIRST_MI)]
                            ["latency_share"] for i in range(len(LOADS))])
             for f in (LATENCY_5, HIGH_LATENCY_5, LATENCY_20,
                       HIGH_LATENCY_20)]
    return (parts[1] > parts[0] and parts[3] > parts[2],
            "latencies take {:.2f} % of the best M.I.'s time with 5 workers "
            "and 1000 Mflop, {:.2f} % with 50; with 20 workers {:.2f} and "
            "{:.2f} %".format(*parts))


NO_EXPERIMENT = "the paper has no experiment of it"
ABOVE = f"mean over the loads more than {BAD} % above the best"
OPTIMAL = (f"the smallest x that is no more than {NONE} % above the best M.I.,"
           " mean over the loads")
# (claim, where, read as, its function, [(figure, heuristic)] that say why).
CLAIMS = [
    ("in most cases both L.P. strategies are very close to the best M.I.",
     "6.4", f"square-root and adaptive period at most {CLOSE} % above the best"
     " M.I. in more than half of the figures, mean over the loads",
     lp_close_to_mi, []),
    ("with a higher communication-to-computation ratio both L.P. strategies "
     "are much better than the other heuristics", "6.4 and 7; figures 14, 15",
     f"every other one is more than {BAD} % above both, mean over the loads",
     lp_much_better, [(HIGH_LATENCY_5, ADAPTIVE), (HIGH_LATENCY_20,
                                                   ADAPTIVE)]),
    ("the optimal number of rounds of M.I. is a non-trivial problem", "6.4",
     OPTIMAL + ", is not the same in all figures", rounds_not_trivial, []),
    ("the multi-round algorithm is asymptotically optimal", "7",
     "the square-root period, for which it is proved, is nearer to the bound "
     "at 2000 units than at 100, in each figure", asymptotically_optimal, []),
    ("the adaptive strategy is the most robust to changes of speeds and "
     "bandwidths", "6.4 and 7", NO_EXPERIMENT, robust, []),
    ("L.P. with fixed period performs very badly", "figure 5", ABOVE,
     fixed_is_bad, [(HOMOGENEOUS_5, FIXED)]),
    ("M.I.1, the one-round strategy, performs very badly", "figure 5", ABOVE,
     one_round_is_bad, [(HOMOGENEOUS_5, mi(1))]),
    ("all the other strategies look similar", "figure 5",
     f"each at most {BAD} % above the best, mean over the loads",
     others_alike, []),
    ("the adaptive strategy is always very close to the best heuristic",
     "figure 6", f"at most {CLOSE} % above it at every load",
     adaptive_always_close, [(HOMOGENEOUS_5, ADAPTIVE)]),
    ("M.I. needs at least 3 rounds, and more bring no real improvement",
     "figure 6", f"M.I.2 more than {NONE} % above M.I.3, mean over the loads, "
     "and M.I.3 not that much above the best M.I.", three_rounds_at_least,
     [(HOMOGENEOUS_5, mi(2)), (HOMOGENEOUS_5, mi(3))]),
    ("the square-root period is not very regular", "figure 6",
     "its curve over that of the adaptive period turns twice or more",
     sqrt_irregular, []),
    ("the square-root period stays within 5 % of the best once the load is "
     "large", "figure 6", "from 500 units on", sqrt_within_5,
     [(HOMOGENEOUS_5, SQRT)]),
    ("with more workers the adaptive strategy may need a larger task set",
     "figure 7", f"from which load on it is at most {CLOSE} % above the bound",
     larger_set_homogeneous, []),
    ("with more workers M.I. needs more installments", "figure 7", OPTIMAL,
     more_rounds_homogeneous, []),
    ("L.P. with fixed period and one installment lead to very poor "
     "performances", "figure 8", ABOVE, both_bad,
     [(RANDOM_5, FIXED), (RANDOM_5, mi(1))]),
    ("the optimal number of rounds of M.I. is close to 4", "figure 9",
     OPTIMAL + ": 3 to 5", four_rounds, []),
    ("more than 5 rounds do not improve the performances", "figure 9",
     f"M.I.5 at most {NONE} % above the best of M.I.6 to 8, mean over the "
     "loads", no_more_than_5, []),
    ("the square-root period slightly outperforms M.I.", "figure 9",
     "the best M.I. is above it, mean over the loads", sqrt_before_mi,
     [(RANDOM_5, SQRT)]),
    ("the adaptive approach is the best, by 1 % in average", "figure 9",
     "the best other one is above it, mean over the loads",
     adaptive_is_best_5, [(RANDOM_5, ADAPTIVE)]),
    ("with more workers the optimal number of rounds of M.I. gets larger",
     "figure 10", OPTIMAL, more_rounds_random, []),
    ("L.P. strategies are good only when the task set is large", "figure 10",
     f"the adaptive period is more than {CLOSE} % above the best M.I. at 100 "
     "units, and not at 2000", lp_needs_load, [(RANDOM_20, ADAPTIVE)]),
    ("the adaptive method remains better than the other L.P. approaches",
     "figure 10", "both are above it, mean over the loads",
     adaptive_before_lp, [(RANDOM_20, SQRT)]),
    ("M.I. with a small number of rounds still leads to poor performances",
     "figure 11", "M.I.1 and 2: " + ABOVE, few_rounds_poor, []),
    ("the optimal number of rounds of M.I. is 4", "figure 12", OPTIMAL,
     four_with_latency, []),
    ("the adaptive approach is the best, by a small improvement of 1 %",
     "figure 12", "the best other one is above it, mean over the loads",
     adaptive_is_best_latency, [(LATENCY_5, ADAPTIVE)]),
    ("with 20 workers the optimal number of rounds of M.I. is 5", "figure 13",
     OPTIMAL, five_with_latency, []),
    ("with 20 workers the adaptive strategy is at most 3 % from the best",
     "figure 13", "at each load above 200 units", adaptive_3_off,
     [(LATENCY_20, ADAPTIVE)]),
    ("L.P. approaches clearly outperform any M.I. with 5 workers",
     "figure 14", "square-root and adaptive period, mean over the loads and "
     "at every load", lp_beats_mi_5, [(HIGH_LATENCY_5, ADAPTIVE)]),
    ("L.P. approaches clearly outperform any M.I. with 20 workers",
     "figure 15", "square-root and adaptive period, mean over the loads and "
     "at every load", lp_beats_mi_20, [(HIGH_LATENCY_20, ADAPTIVE)]),
    ("to consider latencies becomes crucial with a higher ratio",
     "figures 14, 15", "they take more of the best M.I.'s time than in "
     "figures 11 to 13", latency_is_crucial, [])]


def judge(series):
    """The claims on a series, with the columns of claims.csv."""
    found = []
    for claim, where, read_as, look, parts in CLAIMS:
        holds, words = look(series)
        found.append({"claim": claim, "where": where, "read_as": read_as,
                      "holds": paper_report.verdict(holds),
                      "found": ".  ".join(
                          [words, *(series.why(*at) for at in parts)]),
                      "why": ""})
    return found


def near_already(figure):
    """Why more rounds gain nothing."""
    def why(s):
        least, _ = rounds_needed(s, figure)
        over = np.mean([s.point[figure][i][mi(least)]["over_bound"] - 1
                        for i in range(len(LOADS))])
        return (f"M.I.{least} is already {100 * over:.2f} % above the bound "
                "of every plan, which is all that more rounds can gain")
    return why


def good_everywhere(s):
    """Of lp_needs_load."""
    few = 100 * (1 / s.best(RANDOM_20, 0, FIRST_MI) - 1)
    return f"which distance is good decides: we take {CLOSE} %, and it is " \
        f"{few:.1f} % at 100 units" if few <= CLOSE \
        else "no load is large enough"


# What decides where no reading makes a claim hold.
DECIDES = {four_with_latency: near_already(LATENCY_5),
           five_with_latency: near_already(LATENCY_20),
           lp_needs_load: good_everywhere}


def decided(series, found, readings):
    """Fills in why claims do not hold: the reading of the paper in which each
    does."""
    for number, claim in enumerate(found):
        if claim["holds"] is not HOLDS:
            by = {reading: claims[number]["holds"]
                  for reading, claims in zip(READINGS, readings)}
            claim["why"] = NO_EXPERIMENT \
                if claim["read_as"] == NO_EXPERIMENT \
                else deciding(series, CLAIMS[number][3], by)


def deciding(series, look, by):
    """`by`: Reading -> the verdict on the claim."""
    first = next((r for r, v in by.items() if v is HOLDS), None)
    if first:
        against = first.against()
        return f"it holds with {first.name}" + (
            f"; the text has {against}" if against else "")
    why = DECIDES[look](series) if look in DECIDES else \
        "no reading of the paper makes it hold"
    near = next((r for r, v in by.items() if v is OPEN), None)
    return why + (f"; with {near.name}, against the text, it cannot be told"
                  if near else "")


# ---- what the paper leaves open ----

# (assumption, ours, why, numbers of READINGS from 0).
LEFT_OPEN = [
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
    for assumption, value, why, others in LEFT_OPEN:
        rows += paper_report.assumed(assumption, value, why, [
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
    yield "\n".join(PAPER)
    yield (f"{setup['platforms']} random platforms "
           f"for each figure, seed {setup['seed']}, last round of the LP "
           f"heuristics: {setup['tail']}")
    yield setup["version"]
    if setup["data"] != 2 or setup["latency"] != 2:
        yield (f"Not as printed: a unit is {setup['data']:g} Mbit of data, a "
               f"latency lasts as long as {setup['latency']:g} Mbit")
    if setup["equations"] == "overlap":
        yield "M.I.x by the equations for workers with overlap"


def opening(series):
    """What the figures show."""
    every = range(len(FIGURES))
    best = {f: series.best_of(f) for f in every}
    kinds = {f: "M.I." if h >= FIRST_MI else legend(h)
             for f, h in best.items()}
    for kind in dict.fromkeys(kinds.values()):
        here = [f for f in every if kinds[f] == kind]
        longer = [max(0.0, series.above(f, ADAPTIVE, best[f])[0])
                  for f in here]
        more = f", and the adaptive period takes {ends(longer)} % longer" \
            if best[here[0]] != ADAPTIVE else ""
        yield (f"{places(here)}: in our simulation {kind} is the best in the "
               f"mean over the loads{more}.")
    worst = {f: max(range(END), key=lambda h, f=f: series.mean(f, h))
             for f in every}
    for kind in dict.fromkeys(worst.values()):
        here = [f for f in every if worst[f] == kind]
        yield (f"{places(here)}: in our simulation {legend(kind)} is the "
               "worst, "
               f"{ends([series.mean(f, kind) for f in here])} times as long "
               "as the adaptive period.")


def ends(values):
    """The least and the largest."""
    return " to ".join(dict.fromkeys(
        f"{v:.1f}" for v in (min(values), max(values))))


def places(figures):
    """Their numbers; neighbours by the first and the last."""
    numbers = [int(n) for f in figures
               for n in FIGURES[f].number.split(", ")]
    runs = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    words = [f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}"
             for run in runs]
    return "Figure" + "s" * (len(numbers) > 1) + " " + ", ".join(words)


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


MARKS = {HOLDS: "holds", FAILS: "-", OPEN: "?"}


def readings_grid(readings, platforms):
    rows = [[reading.name, *(MARKS[c["holds"]] for c in found),
             str(sum(c["holds"] is HOLDS for c in found))]
            for reading, found in zip(READINGS, readings)]
    return grid.text(grid.Grid(
        "The same claims by number in other readings of the paper",
        ["reading", *map(str, range(1, len(CLAIMS) + 1)), "hold"], rows,
        f"{platforms} platforms; ?: cannot be told"))


def report(setup, series, found, readings):
    parts = ["\n".join(head(setup)) + "\n",
             "\n".join(opening(series)) + "\n"]
    parts += [figure_grid(series, at) for at in range(len(FIGURES))]
    parts.append(paper_report.claims_text(found))
    parts.append(readings_grid(readings, setup["readings_platforms"]))
    parts.append(paper_report.assumptions_text(assumptions(readings)))
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
    decided(series, found, readings)
    text = report(setup, series, found, readings)
    files.write(path("report.txt"), text)
    paper_report.write_claims(directory, found)
    paper_report.write_assumptions(directory, assumptions(readings))
    paper_report.write_paper(directory, PAPER, list(opening(series)))
    paper_report.write_csv(
        path("readings.csv"),
        ["reading", "platforms", "number", "claim", "holds", "found"],
        [[reading.name, setup["readings_platforms"], number, claim["claim"],
          paper_report.stored(claim["holds"]), claim["found"]]
         for reading, claims in zip(READINGS, readings)
         for number, claim in enumerate(claims, 1)])
    sys.stdout.write(text)
