"""Diaz et al., tables 1 to 4, figure 3 and what their text claims of them.

    bench/papers/report.py diaz DIR       (make paper-diaz)

The paper has one run of each test; here every seed is a set of tasks and a
load of the network, the same for all schemes.
"""
import json
import os

import loader
import paper
import papers
import stats

import numpy as np

TITLE = ("Diaz, Reyes, Nino and Munoz-Caro, A Quadratic Self-Scheduling "
         "Algorithm for Heterogeneous Distributed Computing Systems")
CASES = [(2000, 20), (2000, 25), (5000, 20), (5000, 25)]
SCHEMES = ["css", "gss", "tss", "fss", "qss"]
DELTAS = ["1/3", "1/2", *map(str, range(1, 10))]
CHOSEN = 3      # the delta of all tests but those of tables 1 and 2
ALONE = 20000   # experiments with one run of each test, drawn from ours


def value(delta):
    over, _, under = delta.partition("/")
    return float(over) / float(under or 1)


def scheme_of(spec):
    """(the paper's name, delta)."""
    name, _, keys = str(spec).partition(":")
    delta = float(keys.partition("delta=")[2] or CHOSEN)
    return papers.DIAZ.get(name), delta if name == "qss" else None


class Tests:
    """Times and chores of every test, an entry for each seed."""

    def __init__(self, report):
        self.times, self.chores, self.deltas = {}, {}, {}
        for run in report.runs.to_dict("records"):
            scheme, delta = scheme_of(run["scheme"])
            keys = dict(word.split("=") for word in
                        str(run["kernel"]).partition(":")[2].split(","))
            case = int(keys["tasks"]), int(run["workers"])
            seed = int(keys["seed"])
            if case == CASES[0] and delta is not None:
                nearest = min(DELTAS, key=lambda d: abs(value(d) - delta))
                self.deltas.setdefault(nearest, {})[seed] = run
            if delta is None or delta == CHOSEN:
                self.times.setdefault((case, scheme), {})[seed] = run["time_s"]
                self.chores.setdefault((case, scheme), set()).add(
                    int(run["chunks"]))
        self.check(report.directory)
        self.seeds = sorted(set.intersection(*(set(t) for t in
                                               self.times.values())))

    def check(self, directory):
        """Every line of the report looks at several tests."""
        tests = [(c, s) for c in CASES for s in SCHEMES]
        missing = [f"{case_name(c)} {s}" for c, s in tests
                   if (c, s) not in self.times]
        missing += [f"{case_name(CASES[0])} qss:delta={d}" for d in DELTAS
                    if d not in self.deltas]
        if missing:
            raise loader.LoadError(
                f"{directory}: of the paper's {len(tests) + len(DELTAS)} "
                f"tests {len(missing)} have no complete cell, such as "
                f"{missing[0]}: its report needs all of them")

    def of(self, case, scheme):
        """Seconds, by seed."""
        times = self.times[case, scheme]
        return np.array([times[s] for s in self.seeds])

    def fastest_first(self, case):
        return sorted(SCHEMES, key=lambda s: np.median(self.of(case, s)))


def case_name(case):
    return f"{case[0]}/{case[1]}"


def middle(values):
    """(median, low, high): the 95 % confidence interval of the median."""
    found = stats.median_ci(np.asarray(values, dtype=float))
    return found[:3]


def clock(seconds):
    return f"{seconds:.0f} s"


def ours_rows(keys, printed, samples):
    """Rows: the keys, printed, our median, its interval, the difference."""
    for key in keys:
        median, low, high = middle(samples(key))
        words = key if isinstance(key, tuple) else (key,)
        yield [*words, printed.get(key), median, low, high,
               paper.difference((printed.get(key), median))]


HEADER = ["printed", "ours", "low", "high", "difference_percent"]
CAPTION = ("seconds; ours is the median over the seeds with its 95 % "
           "confidence interval")


def read_fit(directory):
    with open(os.path.join(directory, "fit.json"), encoding="utf-8") as file:
        return json.load(file)


def say_fit(report, fit):
    loads = np.sort(fit["loads"])
    left_out = fit["left_out"]
    report.say(
        "Fitted to all 20 cells of table 4 (mean difference "
        f"{100 * fit['off']:.1f} %): "
        f"{fit['flop_per_cycle_pentium']:.4f} flop in a cycle of a Pentium "
        f"IV, {fit['flop_per_cycle_opteron']:.4f} of an Opteron; a chore "
        f"costs {fit['chore_spain_s']:.0f} s in Spain and "
        f"{fit['chore_mexico_s']:.0f} s in Mexico.  No cell of table 4 is "
        "independent; with one column left out of the fit, that column is "
        "off by "
        + ", ".join(f"{s.upper()} {100 * other['off']:.1f} %"
                    for s, other in left_out.items())
        + f" (mean {100 * np.mean([o['off'] for o in left_out.values()]):.1f}"
        " %).\nThe load of the network multiplies what a chore in Mexico "
        f"costs: log-normal with sigma {fit['load_sigma']:.2f} (here "
        f"{loads[0]:.2f} to {loads[-1]:.2f}), so that two tests of FSS, "
        f"5000/20, are {fit['load_apart_s']:.0f} s apart in the median "
        "(printed: \"3-5 minutes\").")


def costs(fit):
    return f"{fit['chore_spain_s']:.0f} and {fit['chore_mexico_s']:.0f} s"


def assume(report, fit):
    report.assume(
        "the costs of a chore in Spain and in Mexico", costs(fit),
        f"fitted, with the speeds of both processors, to the 20 cells of "
        f"table 4: mean difference {100 * fit['off']:.1f} %",
        [(f"{costs(other)}: fitted without {left.upper()}",
          f"{left.upper()} is off by {100 * other['off']:.1f} %")
         for left, other in fit["left_out"].items()])
    report.assume(
        "the network's load", f"log-normal, sigma {fit['load_sigma']:.2f}, "
        "one for each test",
        "the text: tests of FSS differed by 3 to 5 minutes on weekdays, and "
        "the schemes of a test ran on one day")
    report.assume("the clocks of the Pentiums", "evenly from 2.4 to 3.0 GHz",
                  "the text has only these ends")
    report.assume(
        "where chores are handed out", "on a machine of its own",
        "the text: by calls of Globus, none of which computes")
    report.assume(
        "FSS", "chunks of a stage do not wait for each other",
        "the list schedule with a barrier after each stage would take 10,248 "
        "s in 2000/20, where 6,342 are printed")


def tables(report, tests):
    printed = {(case, s): papers.number(row, s) for row in papers.rows(
        "diaz", "table_3.csv") for case in [(
            int(row["tasks"]), int(row["processors"]))]
        for s in SCHEMES}
    report.beside("table_3", "Table 3: number of chores",
                  ["test", "scheme"],
                  {(case_name(c), s): (printed[c, s],
                                       float(max(tests.chores[c, s])))
                   for c in CASES for s in SCHEMES}, absolute=True)
    times = {row["delta"]: papers.number(row, "time_s")
             for row in papers.rows("diaz", "tables_1_2.csv")}
    rows = list(ours_rows(DELTAS, times, lambda d: [
        r["time_s"] for r in tests.deltas[d].values()]))
    report.table("tables_1_2", "Tables 1 and 2, figure 2: QSS by delta, "
                 "2000/20", ["delta", *HEADER, "chores"],
                 [[*row, next(iter(tests.deltas[row[0]].values()))["chunks"]]
                  for row in rows], CAPTION)
    report.summarize("tables 1 and 2", [row[-1] for row in rows], False)
    return tables_of_times(report, tests)


def tables_of_times(report, tests):
    times = {}
    for row in papers.rows("diaz", "table_4.csv"):
        case = int(row["tasks"]), int(row["processors"])
        for s in SCHEMES:
            times[case_name(case), s] = papers.number(row, s + "_s")
    names = {case_name(c): c for c in CASES}
    keys = [(case_name(c), s) for c in CASES for s in SCHEMES]
    rows = list(ours_rows(keys, times, lambda k: tests.of(names[k[0]], k[1])))
    report.table("table_4", "Table 4: total time",
                 ["test", "scheme", *HEADER], rows, CAPTION, left=2)
    report.summarize("table 4", [row[-1] for row in rows], False)
    tests.off = {s: [row[-1] for row in rows if row[1] == s] for s in SCHEMES}
    speedups = {(t, s): times[t, "css"] / times[t, s] for t, s in times
                if s != "css"}
    report.table("figure_3", "Figure 3: speedup over CSS",
                 ["test", "scheme", *HEADER], list(ours_rows(
                     list(speedups), speedups, lambda k: tests.of(
                         names[k[0]], "css") / tests.of(names[k[0]], k[1]))),
                 "the median over the seeds with its 95 % confidence "
                 "interval, each seed over its own CSS", left=2)


# ---- claims ----

def share(truth):
    percent = 100 * np.mean(truth)
    return f"{percent:.0f} %" if percent in (0, 100) or percent >= 1 \
        else f"{percent:.2g} %"


def faster(tests, case, one, other):
    """By seed."""
    return tests.of(case, one) < tests.of(case, other)


def alone(tests, holds):
    """The share of experiments with one run of each test, each with tasks and
    a load of its own, in which `holds` is true of the times of a case (scheme
    -> seconds), in all cases."""
    random = np.random.default_rng(3)
    good = np.ones(ALONE, dtype=bool)
    for case in CASES:
        drawn = {s: random.choice(tests.of(case, s), ALONE) for s in SCHEMES}
        good &= holds(drawn)
    return share(good)


def ends(percents):
    """From the least to the largest, as added to 100 %."""
    return " to ".join(f"{100 + p:.0f} %" for p in (min(percents),
                                                    max(percents)))


def claim_order(report, tests):
    def order(t):
        return ((t["qss"] < t["gss"]) & (t["gss"] <= t["tss"])
                & (t["tss"] < t["fss"]) & (t["fss"] < t["css"]))
    medians = [{s: np.median(tests.of(c, s)) for s in SCHEMES} for c in CASES]
    paired = [order({s: tests.of(c, s) for s in SCHEMES}) for c in CASES]
    report.claim(
        "QSS > GSS >= TSS > FSS > CSS", "section 6",
        "the medians have this order in each of the four tests",
        all(bool(order(m)) for m in medians),
        "fastest first: " + "; ".join(
            f"{case_name(c)} " + " ".join(tests.fastest_first(c))
            for c in CASES) + ".  The whole order with the same tasks and "
        "load for all schemes: " + ", ".join(
            f"{case_name(c)} {share(p)}" for c, p in zip(CASES, paired))
        + " of the seeds; in all four tests of an experiment with one run of "
        "each: " + alone(tests, order),
        "nothing makes the equal chunks of FSS's stages wait for each other, "
        "and it ends with single tasks as GSS does: ours takes "
        + ends(tests.off["fss"]) + " of the printed time.  QSS takes "
        + ends(tests.off["qss"]) + ", most in 2000/20, where the printed one "
        "is faster on 20 processors than on 25.  Between QSS, GSS and TSS the "
        "sign changes from seed to seed: one run of each cannot order them")


def claim_all_tests(report, tests):
    fastest = [np.minimum.reduce([tests.of(c, s) for s in SCHEMES[:-1]])
               > tests.of(c, "qss") for c in CASES]
    report.claim(
        "QSS outperforms CSS, GSS, TSS and FSS in all the tests", "figure 3",
        "its median is the least in each of the four tests",
        all(tests.fastest_first(c)[0] == "qss" for c in CASES),
        "QSS is the fastest in " + ", ".join(
            f"{case_name(c)} {share(f)}" for c, f in zip(CASES, fastest))
        + " of the seeds; in all four tests of an experiment with one run of "
        "each: " + alone(tests, lambda t: np.minimum.reduce(
            [t[s] for s in SCHEMES[:-1]]) > t["qss"]))


def claim_pair(report, tests, better, worse, cases, words):
    found = {c: faster(tests, c, better, worse) for c in cases}
    report.claim(
        words, "section 5", "its median is less in these tests",
        all(np.median(tests.of(c, better)) < np.median(tests.of(c, worse))
            for c in cases),
        "; ".join(f"{case_name(c)} {np.median(tests.of(c, better)):.0f} and "
                  f"{np.median(tests.of(c, worse)):.0f} s, faster in "
                  f"{share(f)} of the seeds" for c, f in found.items()))


def claim_chores(report, tests):
    order = ["css", "tss", "qss", "gss", "fss"]
    counts = {c: [max(tests.chores[c, s]) for s in order] for c in CASES}
    report.claim(
        "the number of chores follows CSS << TSS < QSS < GSS < FSS",
        "table 3", "in this order in each test",
        all(n == sorted(set(n)) for n in counts.values()),
        "; ".join(f"{case_name(c)} {', '.join(map(str, n))}"
                  for c, n in counts.items()))


def claim_delta(report, tests):
    seeds = sorted(set.intersection(*(set(r) for r in tests.deltas.values())))
    times = np.array([[tests.deltas[d][s]["time_s"] for s in seeds]
                      for d in DELTAS])
    medians = np.median(times, axis=1)
    best = DELTAS[int(np.argmin(medians))]
    at = DELTAS.index(str(CHOSEN))
    report.claim(
        "QSS is fastest with delta = 3", "tables 1 and 2, figure 2",
        "the median over the seeds is least there", best == str(CHOSEN),
        f"least at delta = {best}, {medians.min():.0f} s; "
        f"{medians[at]:.0f} s at 3; of the seeds "
        + ", ".join(f"{share(np.argmin(times, axis=0) == i)} have it at {d}"
                    for i, d in enumerate(DELTAS)
                    if (np.argmin(times, axis=0) == i).any()),
        "" if best == str(CHOSEN) else
        "beyond 2 the times differ by less than they change with the tasks")
    large = [DELTAS.index(d) for d in ("1/3", "1/2", "1")]
    linear = DELTAS.index("2")
    holds = all(medians[i] > medians[linear] for i in large)
    chores = [int(next(iter(tests.deltas[d].values()))["chunks"])
              for d in ("1", "2")]
    report.claim(
        "case a, delta below 2, performs worse than TSS (delta = 2)",
        "section 5", "the medians at 1/3, 1/2 and 1 are above that at 2",
        holds, ", ".join(f"{medians[i]:.0f}" for i in large)
        + f" s; {medians[linear]:.0f} s at 2",
        "" if holds else f"delta = 1 has {chores[0]} chores instead of "
        f"{chores[1]}: with what a chore is fitted to cost, that is worth "
        "more than the balance that is lost")


def claim_speedup(report, tests):
    ratio = tests.of(CASES[-1], "css") / tests.of(CASES[-1], "qss")
    median, low, high = middle(ratio)
    report.claim(
        "with more processors and tasks the QSS speedup reaches about 1.5",
        "figure 3", "5000/25: within 10 % of 1.5", abs(median / 1.5 - 1) < 0.1,
        f"{median:.2f} ({low:.2f} to {high:.2f}), printed 1.48")


def fill(report):
    tests = Tests(report)
    fit = read_fit(report.directory)
    say_fit(report, fit)
    assume(report, fit)
    report.say(f"{len(tests.seeds)} seeds.")
    tables(report, tests)
    claim_order(report, tests)
    claim_all_tests(report, tests)
    for other in SCHEMES[1:]:
        claim_pair(report, tests, other, "css", CASES,
                   f"CSS is worse than {other.upper()}")
    claim_pair(report, tests, "gss", "fss", CASES,
               "GSS performs better than FSS in all cases")
    claim_pair(report, tests, "gss", "tss", [CASES[0], *CASES[2:]],
               "GSS performs better than TSS except in 2000/25")
    claim_pair(report, tests, "tss", "fss", CASES,
               "TSS performs better than FSS in all cases")
    claim_chores(report, tests)
    claim_delta(report, tests)
    claim_speedup(report, tests)


def main(directory):
    paper.main(TITLE, fill, directory)
