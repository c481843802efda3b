"""Which choice is the fastest for a problem, and how sure that is.

A problem is what a user is given: the loop, the workers, their powers and
load, native or simulated and on what platform.  A choice is the rest: scheme,
transport, hierarchy, sync interval.  Cells whose workers shared cores are not
ranked.  A choice is only slower if it is so by more than the time that other
processes took from a worker of it; no choice is the fastest whose speedup is
refused (speedup_limits.py).
"""
import functools
import math

import numpy as np

from . import labels, records, speedup_limits, stats

GIVEN = ["kernel", "simulated", "workers", "power", "load", "perturb",
         "reissue", "platform", "cp", "request_cost", "result_bytes"]
MOST_CHOICES = 200   # of which the chance to be the best is resampled
# As in bench/results/answers.c: from which loss on a scheme is to be avoided,
# how much of it a cause explains, and how near equal times are.
SLOWER_LEAST, EXPLAINED_LEAST, EQUAL_MOST = 0.10, 0.7, 1.05
WAITS_LEAST = 0.5   # of the time
NOTHING = 5e-4      # a smaller difference would be printed as 0.0 %
# Under which the answers of dlsbench summary stand apart, in its words.
CONDITIONS = {"power": "power", "load": "non-dedicated, load",
              "perturb": "perturbed by", "reissue": "reissue"}
ONE_IS_FASTER = ", slower than one core alone"
NO_FASTER = ", not seen to be faster than one core alone"


class Ranking:
    """The choices of one problem, fastest first (rows of the summary).

    p[i]      that choice i is as fast as the first, times the number of
              comparisons (Bonferroni): the choices with p >= 0.05 hold the
              truly fastest one with 95 %
    chance    share of bootstrap rounds in which the first stays first
    """

    def __init__(self, rows, samples):
        order = sorted(range(len(rows)), key=lambda i: rows[i]["time_s"])
        self.rows = [rows[i] for i in order]
        samples = [samples[i] for i in order]
        several = len(rows) - 1
        self.p = [1.0] + [min(1.0, several * stats.mann_whitney(samples[0], s))
                          for s in samples[1:]]
        self.least = [1.0] + [several * stats.least_p(len(samples[0]), len(s))
                              for s in samples[1:]]
        self.excused = [False] + [
            r["time_s"] - self.best["time_s"] <= r.get("others_max_s", 0)
            for r in self.rows[1:]]
        self.chance = stats.chance_to_be_best(samples[:MOST_CHOICES])[0]

    @functools.cached_property
    def single(self):
        """One run of each choice: exact in simulation, else a guess."""
        return all(r["n"] == 1 for r in self.rows)

    @functools.cached_property
    def exact(self):
        """A simulation gives the same time again: the shortest is fastest."""
        return self.single and self.best["simulated"]

    @property
    def best(self):
        return self.rows[0]

    def slower(self, i):
        """Whether choice i can be told from the first."""
        if self.exact:
            return self.behind(i) > 0
        return self.p[i] < stats.ALPHA and not self.excused[i]

    @functools.cached_property
    def contenders(self):
        """The first, and choices that cannot be told from it."""
        return [r for i, r in enumerate(self.rows) if not self.slower(i)]

    @property
    def is_draw(self):
        """Whether several may be the fastest."""
        return len(self.contenders) > 1

    @property
    def spread(self):
        return max(r["time_s"] for r in self.contenders) / self.best["time_s"]

    @property
    def is_undecided(self):
        """Whether nothing is known of any choice."""
        return self.is_draw and self.spread > EQUAL_MOST and \
            len(self.contenders) == len(self.rows)

    def refused(self):
        """Why there is no answer; empty: there is one."""
        return speedup_limits.refused_words(self.rows) \
            if self.best["refused"] else ""

    def enough(self, i):
        """Whether the samples could have told choice i from the first."""
        return self.least[i] < stats.ALPHA

    def runner_up(self, other_scheme=False):
        """Index of the second; None if there is none."""
        for i, row in enumerate(self.rows[1:], 1):
            if not other_scheme or row["scheme"] != self.best["scheme"]:
                return i
        return None

    def behind(self, i):
        return self.rows[i]["time_s"] / self.best["time_s"] - 1

    def worst_of(self, *free):
        """(share lost, row, its index) by the worst choice that differs from
        the best in the columns `free` alone; None if there is no such
        choice."""
        fixed = [n for n in ("scheme", "setup", "layout", "interval")
                 if n not in free]
        rows = [r for r in self.rows[1:] if all(
            same(r[n], self.best[n]) for n in fixed)]
        if not rows:
            return None
        at = max(i for i, r in enumerate(self.rows) if r is rows[-1])
        return self.behind(at), rows[-1], at


def same(a, b):
    return a == b or (a != a and b != b)


def problems(frame):
    """The rows of each problem, as lists of dictionaries."""
    usable = frame[~frame["unranked"].astype(bool)]
    keys = [n for n in GIVEN if n in usable]
    found = {}
    for row in records.of(usable):
        found.setdefault(tuple(map(str, (row[k] for k in keys))),
                         []).append(row)
    return list(found.values())


def rank(rows, samples):
    """The Ranking of the rows of one problem; `samples` from by_cell()."""
    several = min(r["launches"] for r in rows) > 1
    return Ranking(rows, [units(samples[(r["cell"], r["simulated"])], several)
                          for r in rows])


def winner(rows, samples):
    """The row that is faster than all others, or None in a draw; simulations
    that ran once are as they are."""
    if len(rows) < 2:
        return rows[0] if rows and not rows[0]["refused"] else None
    ranked = rank(rows, samples)
    if ranked.best["refused"]:
        return None
    return ranked.best if len(ranked.contenders) == 1 else None


def units(runs, several):
    """Medians of launches where every choice has several, else the
    repetitions."""
    launch, times = runs
    if several:
        return np.array([np.median(times[launch == x])
                         for x in np.unique(launch)])
    return times


def largest(found):
    """Of each kernel (native and simulated apart) under each condition the
    problem with the most workers, and among these the one with most
    choices."""
    best = {}
    for rows in found:
        key = (rows[0]["kernel"], rows[0]["simulated"],
               condition_words(rows[0]))
        if key not in best or size(rows) > size(best[key]):
            best[key] = rows
    return list(best.values())


def size(rows):
    return rows[0]["workers"], len(rows)


def choice(row):
    words = f"{row['scheme']} over {row['label']}"
    if row["interval_words"]:
        words += f", interval {row['interval_words']}"
    return words


def problem_words(problem):
    words = problem["loop"] + ", " + labels.count(
        int(problem["workers"]), "worker")
    words += condition_words(problem)
    if isinstance(problem.get("platform"), str) and problem["platform"]:
        words += f", platform {labels.shorten(problem['platform'])}"
    return words + (" (simulated)" if problem["simulated"]
                    and ", platform replayed, " not in words else "")


def condition_words(problem):
    return "".join(
        f", {words} {v if isinstance(v, str) else f'{v:g}'}"
        for name, words in CONDITIONS.items()
        if labels.known(v := problem.get(name)) and v not in ("", "none"))


def certainty(ranking, i):
    """Whether choice i differs from the best, in words."""
    if ranking.p[i] < stats.ALPHA and ranking.excused[i]:
        return "no more than other processes took"
    if ranking.p[i] < stats.ALPHA:
        return f"significant, {labels.p_value(ranking.p[i])}"
    if ranking.single:
        return "one run each: no test"
    if not ranking.enough(i):
        return "too few samples to say"
    return f"not significant, {labels.p_value(ranking.p[i])}"


def simplest(rows):
    """The simplest choice near the shortest time: threads before ranks, then
    in the order of the registries, like the rows of `dlsbench summary`.  None
    whose speedup is refused is named."""
    most = EQUAL_MOST * min(r["time_s"] for r in rows)
    near = [r for r in rows if r["time_s"] <= most and not r["refused"]]
    return min(near, key=lambda r: (
        r["ranks"], labels.position(r["transport"], labels.TRANSPORTS),
        r["hierarchy"] != "flat", r["interval"] if r["interval_words"] else 0,
        r["label"], labels.position(r["scheme"], labels.SCHEMES), r["scheme"]))


def recommended(ranking):
    """The scheme that the answer names; None: there is no answer."""
    if ranking.refused() or ranking.is_undecided:
        return None
    return (simplest(ranking.contenders) if ranking.is_draw
            else ranking.best)["scheme"]


def times_words(rows):
    """The times of the fastest ones, with their speedup if it is possible."""
    low, high = (f(r["time_s"] for r in rows) for f in (min, max))
    words = labels.interval(low, high, high)
    if words.split()[0] == labels.seconds(high, high).split()[0]:
        words = labels.seconds(high)
    fastest = min(rows, key=lambda r: r["time_s"])
    if fastest["base_workers"] == 1 and fastest["speedup_high"] < 1:
        words += ONE_IS_FASTER
    elif fastest["base_workers"] == 1 and (
            fastest["speedup"] < 1 or 0 < fastest["speedup_low"] < 1):
        words += NO_FASTER
    elif fastest["base_workers"] == 1 and \
            fastest["speedup"] <= fastest["workers"]:
        words += f", up to {fastest['speedup']:.1f} times as fast as one core"
    return words + waiting_words(fastest)


def waiting_words(row):
    """Where workers wait most of the time, other layouts are the question."""
    share = row["overhead_mean_s"] / row["time_s"]
    return f", and workers wait {100 * share:.0f} % of the time" \
        if share >= WAITS_LEAST else ""


def draw_words(ranking):
    """The text without a winner; dlsbench summary prints the same."""
    tied = ranking.contenders
    choices = labels.count(len(ranking.rows), "choice")
    spread = ranking.spread
    if len(tied) == len(ranking.rows):
        what = ("these runs are too few, or vary too much, to tell the "
                f"{choices} apart") if ranking.is_undecided else \
            f"no difference was seen between the {choices}"
    elif spread <= EQUAL_MOST:
        what = f"{len(tied)} of {choices} are equally fast"
    else:
        what = f"{len(tied)} of {choices} may be the fastest"
    if ranking.is_undecided:
        return f"{what} ({times_words(tied)})"  # a name would be an answer
    near = "" if spread <= EQUAL_MOST else \
        f" of those within {100 * (EQUAL_MOST - 1):.0f} % of the shortest time"
    return (f"{what} ({times_words(tied)}); the simplest{near} is "
            f"{choice(simplest(tied))}")


CAUSES = ["; some chunks hold too much of the work",
          "; handing out so many chunks takes the time", ""]


def cause(ranking, row):
    """Only what the row's own numbers show: the place in CAUSES."""
    best = ranking.best
    least = EXPLAINED_LEAST * (row["time_s"] - best["time_s"])
    bound = row["bound_s"] - best["bound_s"]
    rest = row["overhead_mean_s"] - best["overhead_mean_s"]
    if math.isnan(bound):  # of replays: what they wait at the end says it
        bound = end_wait(row) - end_wait(best)
        rest -= bound
    if bound >= least:
        return 0
    if rest >= least and row["chunks"] >= 4 * best["chunks"]:
        return 1
    return 2


def end_wait(row):
    """Of each worker in the mean, from its own end to the last one's."""
    return row["time_s"] * row["imbalance"] / (1 + row["imbalance"])


def avoid_words(ranking):
    """Schemes that are slower in each way to run within the best one's
    layout."""
    best, seen, found = ranking.best, set(), {}
    for i, row in enumerate(ranking.rows):
        if row["layout"] != best["layout"] or row["scheme"] in seen:
            continue
        seen.add(row["scheme"])  # its fastest way: rows are sorted
        if ranking.slower(i) and ranking.behind(i) >= SLOWER_LEAST:
            found.setdefault(cause(ranking, row), []).append(
                (ranking.behind(i), row["scheme"]))
    out = []
    for at in sorted(found):
        rows = sorted(found[at], reverse=True)
        names = [name for _, name in rows[:4]]
        if len(rows) > 4:
            names = [", ".join(names), f"{len(rows) - 4} more"]
        elif len(rows) > 1:
            names = [", ".join(names[:-1]), names[-1]]
        least, most = (f"{100 * x:.0f}" for x in (rows[-1][0], rows[0][0]))
        share = least if least == most else f"{least} to {most}"
        out.append(f"Avoid {' and '.join(names)}: {share} % slower"
                   f"{CAUSES[at]}.")
    return " ".join(out)


def not_avoided_words(ranking):
    """No scheme is surely slower; some may be."""
    most = max(r["time_s"] for r in ranking.contenders)
    return "No scheme is to be avoided." \
        if most <= (1 + SLOWER_LEAST) * ranking.best["time_s"] else \
        "More launches or repetitions would tell which are slower."


def answer(problem, ranking):
    """The answer for one loop: (what to take, what else is to be known)."""
    best = ranking.best
    if ranking.refused():
        return f"{problem_words(problem)}: no answer.", ranking.refused() + "."
    if ranking.is_draw:
        return (f"{problem_words(problem)}: {draw_words(ranking)}.",
                avoid_words(ranking) or not_avoided_words(ranking))
    choices = labels.count(len(ranking.rows), "choice")
    if len(ranking.rows) == 1:
        what = f"{choice(best)} is all that was measured"
    elif ranking.single:
        what = f"{choice(best)} has the shortest time of {choices}"
    else:
        what = f"{choice(best)} is the fastest of {choices}"
    first = (f"{problem_words(problem)}: {what}, "
             f"{labels.seconds(best['time_s'])}")
    if best["n"] >= stats.CI_LEAST:
        first += " [" + labels.interval(best["time_s_low"],
                                        best["time_s_high"],
                                        best["time_s"]) + "]"
    if best["base_workers"] == 1 < best["workers"]:
        first += f", speedup {best['speedup']:.2f}"
    if best["base_workers"] == 1 and best["speedup_high"] < 1:
        first += ONE_IS_FASTER
    first += waiting_words(best)
    i = ranking.runner_up(other_scheme=True)
    if i is None:
        return first + ".", "No other scheme ran with as many workers."
    return first + ".", " ".join(filter(None, [
        f"The next scheme, {behind_words(ranking, i)}.",
        avoid_words(ranking)]))


def behind_words(ranking, i):
    """How choice i compares with the best.  Only significant differences, and
    those of simulations, are called longer."""
    name, share = choice(ranking.rows[i]), labels.percent(ranking.behind(i))
    if ranking.behind(i) < NOTHING:
        return f"{name}, takes as long"
    if ranking.slower(i):
        return f"{name}, takes {share} longer ({certainty(ranking, i)})"
    return (f"{name}, has a median {share} longer "
            f"({certainty(ranking, i)})")
