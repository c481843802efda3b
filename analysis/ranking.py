"""Which choice is the fastest for a problem, and how sure that is.

A problem is what a user is given: the loop, the workers, their powers and
load, native or simulated and on what platform.  A choice is the rest: scheme,
transport, hierarchy, sync interval.  Cells whose workers shared cores are not
ranked.  A choice is only slower if it is so by more than the time that other
processes took from a worker of it; no choice is the fastest whose speedup is
refused (judge.py).
"""
import pandas as pd

import judge
import labels
import stats

GIVEN = ["kernel", "simulated", "workers", "power", "load", "perturb",
         "platform", "cp", "request_cost", "result_bytes"]
MOST_CHOICES = 200   # of which the chance to be the best is resampled


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

    @property
    def single(self):
        """One run of each choice: exact in simulation, else a guess."""
        return all(r["n"] == 1 for r in self.rows)

    @property
    def best(self):
        return self.rows[0]

    def slower(self, i):
        """Whether choice i can be told from the first."""
        return self.p[i] < stats.ALPHA and not self.excused[i]

    def contenders(self):
        """The first, and choices that cannot be told from it."""
        return [r for i, r in enumerate(self.rows) if not self.slower(i)]

    def refused(self):
        """Why there is no answer; empty: there is one."""
        return judge.refused_words(pd.DataFrame(self.rows)) \
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
    for row in usable.to_dict("records"):
        found.setdefault(tuple(map(str, (row[k] for k in keys))),
                         []).append(row)
    return list(found.values())


def rank(rows, samples):
    """The Ranking of the rows of one problem; `samples` from by_cell()."""
    return Ranking(rows, [units(samples[(r["cell"], r["simulated"])], rows)
                          for r in rows])


def winner(rows, samples):
    """The row that is faster than all others, or None in a draw; simulations
    that ran once are as they are."""
    if len(rows) < 2:
        return rows[0] if rows and not rows[0]["refused"] else None
    ranked = rank(rows, samples)
    if ranked.best["refused"]:
        return None
    if ranked.single and ranked.best["simulated"]:
        first, second = (r["time_s"] for r in ranked.rows[:2])
        return ranked.best if first < second else None
    return ranked.best if len(ranked.contenders()) == 1 else None


def units(runs, rows):
    """Medians of launches where every choice has several, else the
    repetitions."""
    if min(r["launches"] for r in rows) > 1:
        return runs.groupby("launch", observed=True)["time_s"].median() \
            .to_numpy()
    return runs["time_s"].to_numpy()


def largest(found):
    """Of each kernel (native and simulated apart) the problem with the most
    workers, and among these the one with most choices."""
    best = {}
    for rows in found:
        key = (rows[0]["kernel"], rows[0]["simulated"])
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
    for name in ("power", "load", "platform"):
        if isinstance(problem.get(name), str) and problem[name]:
            words += f", {name} {problem[name]}"
    return words + (" (simulated)" if problem["simulated"] else "")


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


def answer(problem, ranking):
    """The answer for one loop: (what is best, by how much and how sure)."""
    best, ties = ranking.best, len(ranking.contenders())
    if ranking.refused():
        return f"{problem_words(problem)}: no answer.", ranking.refused() + "."
    choices = labels.count(len(ranking.rows), "choice")
    if len(ranking.rows) == 1:
        what = f"{choice(best)} is all that was measured"
    elif ranking.single:
        what = f"{choice(best)} has the shortest time of {choices}"
    elif ties > 1:
        what = (f"{ties} of {choices} cannot be told apart; {choice(best)} "
                "has the shortest median of them")
    else:
        what = f"{choice(best)} is the fastest of {choices}"
    first = (f"{problem_words(problem)}: {what}, "
             f"{labels.seconds(best['time_s'])}")
    if best["n"] >= stats.CI_LEAST:
        first += " [" + labels.interval(best["time_s_low"],
                                        best["time_s_high"],
                                        best["time_s"]) + "]"
    if best["speedup"] == best["speedup"]:
        first += f", speedup {best['speedup']:.2f}"
    i = ranking.runner_up(other_scheme=True)
    if i is None:
        return first + ".", "No other scheme ran with as many workers."
    second = behind_words(ranking, i)
    last = len(ranking.rows) - 1
    if last > i:
        second += "; the slowest, " + behind_words(ranking, last)
    return first + ".", "The next scheme, " + second + "."


def behind_words(ranking, i):
    """How choice i compares with the best: only what is significant, or has
    no luck, is called longer."""
    name, share = choice(ranking.rows[i]), labels.percent(ranking.behind(i))
    if ranking.slower(i) or ranking.single:
        return f"{name}, takes {share} longer ({certainty(ranking, i)})"
    return (f"{name}, has a median {share} longer "
            f"({certainty(ranking, i)})")
