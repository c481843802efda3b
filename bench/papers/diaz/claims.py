"""Diaz et al., tables 1 to 4, figure 3 and what their text claims of them.

    bench/papers/report_paper.py diaz DIR       (make paper-diaz)

The paper has one run of each test; here every seed is a set of tasks and a
load of the network, the same for all schemes.  So two schemes are compared
seed by seed, with the sign test: where one is not the faster in clearly more
than half of the seeds, no order of theirs can be told.
"""
import json
import os

from analysis import labels, loader, paper_report, paper_values, stats

import numpy as np
from scipy.stats import binomtest

PAPER = paper_report.Paper(
    "A Quadratic Self-Scheduling Algorithm for Heterogeneous Distributed "
    "Computing Systems",
    "J. D\u00edaz, S. Reyes, A. Ni\u00f1o and C. Mu\u00f1oz-Caro")
CASES = [(2000, 20), (2000, 25), (5000, 20), (5000, 25)]
SCHEMES = ["css", "gss", "tss", "fss", "qss"]
DELTAS = ["1/3", "1/2", *map(str, range(1, 10))]
CHOSEN = 3      # the delta of all tests but those of tables 1 and 2
ALONE = 20000   # experiments with one run of each test, drawn from ours
ALPHA = 0.05    # of the sign tests of a claim together
# Activities of a processor besides computing.
PARTS = {"wait_s": "for chores", "end_s": "idle at the end"}


def value(delta):
    over, _, under = delta.partition("/")
    return float(over) / float(under or 1)


def scheme_of(spec):
    """(the paper's name, delta)."""
    name, _, keys = str(spec).partition(":")
    delta = float(keys.partition("delta=")[2] or CHOSEN)
    return paper_values.DIAZ.get(name), delta if name == "qss" else None


def keys_of(run):
    return dict(word.split("=") for word in
                str(run["kernel"]).partition(":")[2].split(","))


def case_of(run):
    return int(keys_of(run)["tasks"]), int(run["workers"])


class Tests:
    """Times and chores of every test, an entry for each seed."""

    def __init__(self, report):
        self.times, self.chores, self.deltas = {}, {}, {}
        for run in report.runs.to_dict("records"):
            scheme, delta = scheme_of(run["scheme"])
            case, seed = case_of(run), int(keys_of(run)["seed"])
            if case == CASES[0] and delta is not None:
                nearest = min(DELTAS, key=lambda d: abs(value(d) - delta))
                self.deltas.setdefault(nearest, {})[seed] = run
            if delta is None or delta == CHOSEN:
                self.times.setdefault((case, scheme), {})[seed] = run["time_s"]
                self.chores.setdefault((case, scheme), set()).add(
                    int(run["chunks"]))
        self.losses = self.where_time_goes(report)
        self.check(report.directory)
        self.seeds = sorted(set.intersection(*(set(t) for t in
                                               self.times.values())))

    def where_time_goes(self, report):
        """(case, scheme) -> {part: seconds of a processor}, the median over
        the seeds."""
        key = ["cell", "launch", "repetition"]
        mean = report.results.workers.groupby(key, observed=True)[
            ["wait_s", "finish_s"]].mean()
        runs = report.runs.join(mean, key, rsuffix="_mean")
        runs["end_s"] = runs["time_s"] - runs["finish_s"]
        found = {}
        for run in runs.to_dict("records"):
            scheme, delta = scheme_of(run["scheme"])
            if delta is None or delta == CHOSEN:
                found.setdefault((case_of(run), scheme), []).append(run)
        return {at: {part: float(np.median([r[part] for r in own]))
                     for part in PARTS} for at, own in found.items()}

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


def case_name(case):
    return f"{case[0]}/{case[1]}"


def middle(values):
    """(median, low, high): the 95 % confidence interval of the median."""
    found = stats.median_ci(np.asarray(values, dtype=float))
    return found[:3]


def ours_rows(keys, printed, samples):
    """Rows: the keys, printed, our median, its interval, the difference."""
    for key in keys:
        median, low, high = middle(samples(key))
        words = key if isinstance(key, tuple) else (key,)
        yield [*words, printed.get(key), median, low, high,
               paper_report.difference((printed.get(key), median))]


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
    printed = {(case, s): paper_values.number(row, s)
               for row in paper_values.rows("diaz", "table_3.csv")
               for case in [(int(row["tasks"]), int(row["processors"]))]
               for s in SCHEMES}
    chores = {(case_name(c), s): (printed[c, s],
                                  float(max(tests.chores[c, s])))
              for c in CASES for s in SCHEMES}
    same = sum(one == other for one, other in chores.values())
    report.beside("table_3", "Table 3: number of chores", ["test", "scheme"],
                  chores, absolute=True)
    times = {row["delta"]: paper_values.number(row, "time_s")
             for row in paper_values.rows("diaz", "tables_1_2.csv")}
    rows = [[*row, next(iter(tests.deltas[row[0]].values()))["chunks"]]
            for row in ours_rows(DELTAS, times, lambda d: [
                r["time_s"] for r in tests.deltas[d].values()])]
    with_seeds(report, "tables_1_2", "Tables 1 and 2, figure 2: QSS by delta, "
               "2000/20", ["delta", *HEADER, "chores"], rows,
               [row[0] == str(CHOSEN) for row in rows])
    report.summarize([row[-2] for row in rows if row[0] != str(CHOSEN)],
                     False)
    speedups = tables_of_times(report, tests)
    report.open_with(opening(same, tests.off, speedups, rows))


def opening(same, off, speedups, deltas):
    """The statements that the tables and figures support.  `same`: the equal
    numbers of chores; differences in percent by scheme, rows of figure 3 and
    of figure 2."""
    each = [(abs(d), s) for s in SCHEMES for d in off[s]]
    most, scheme = max(each)
    printed, ours = zip(*(row[2:4] for row in speedups))
    times = [row[1:3] for row in deltas if value(row[0]) >= 1]
    (least, _), own = min(times), [t for _, t in times]
    return (f"{same} of our {len(each)} numbers of chores are those of table "
            "3.  The model was fitted to table 4; our times differ from it by "
            f"{np.mean([d for d, _ in each]):.0f} % in the mean, by {most:.0f}"
            f" % at most ({scheme.upper()}).  In figure 3 all our simulated "
            f"schemes are {min(ours):.1f} to {max(ours):.1f} times as fast as "
            f"CSS; the printed ones are {min(printed):.1f} to "
            f"{max(printed):.1f} times as fast.  In figure 2, from delta 1 "
            f"on, our simulated QSS takes {min(own):,.0f} to {max(own):,.0f} "
            f"s; the printed times fall to {least:,.0f} s.")


def with_seeds(report, name, title, header, rows, fitted):
    """A table of printed times beside ours over the seeds."""
    marked = [[*row[:-1],
               paper_report.number(row[-1]) + paper_report.FITTED * mark]
              for row, mark in zip(rows, fitted)]
    report.table(name, title, header, marked,
                 CAPTION + paper_report.fitted_words(fitted),
                 left=header.index("printed"))
    report.printed(name, title, header, rows, fitted)


def tables_of_times(report, tests):
    times = {}
    for row in paper_values.rows("diaz", "table_4.csv"):
        case = int(row["tasks"]), int(row["processors"])
        for s in SCHEMES:
            times[case_name(case), s] = paper_values.number(row, s + "_s")
    names = {case_name(c): c for c in CASES}
    keys = [(case_name(c), s) for c in CASES for s in SCHEMES]
    rows = list(ours_rows(keys, times, lambda k: tests.of(names[k[0]], k[1])))
    with_seeds(report, "table_4", "Table 4: total time",
               ["test", "scheme", *HEADER], rows, [True] * len(rows))
    tests.off = {s: [row[-1] for row in rows if row[1] == s] for s in SCHEMES}
    speedups = {(t, s): times[t, "css"] / times[t, s] for t, s in times
                if s != "css"}
    found = list(ours_rows(list(speedups), speedups, lambda k: tests.of(
        names[k[0]], "css") / tests.of(names[k[0]], k[1])))
    report.table("figure_3", "Figure 3: speedup over CSS",
                 ["test", "scheme", "from_table_4", *HEADER[1:]], found,
                 "the median over the seeds with its 95 % confidence "
                 "interval, each seed over its own CSS", left=2)
    return found


# ---- claims ----

def share(truth):
    percent = 100 * np.mean(truth)
    return f"{percent:.0f} %" if percent in (0, 100) or percent >= 1 \
        else f"{percent:.2g} %"


def faster(tests, case, one, other):
    """By seed."""
    return tests.of(case, one) < tests.of(case, other)


def alone(tests, holds):
    """The share of experiments in which `holds` is true of the times of every
    case (scheme -> seconds).  An experiment has one run of each test, each run
    with different tasks and a different load."""
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


def compared(tests, pairs):
    """[(case, faster one, slower one)] as claimed -> (verdict, words of each
    pair).  All sign tests of a claim hold together."""
    verdicts, words = [], []
    for case, better, worse in pairs:
        verdict, share_words = sign(faster(tests, case, better, worse),
                                    len(pairs))
        verdicts.append(verdict)
        words.append(f"{case_name(case)} {better.upper()} before "
                     f"{worse.upper()} {share_words}")
    return verdicts, words


def sign(truth, tests):
    """The verdict on what is true of some of the seeds, as one of so many
    tests."""
    good = int(np.sum(truth))
    p = binomtest(good, len(truth)).pvalue
    verdict = paper_report.OPEN if p > ALPHA / tests else \
        paper_report.HOLDS if 2 * good > len(truth) else paper_report.FAILS
    return verdict, f"in {share(truth)} of the seeds"


def read_as(count):
    return (f"seed by seed, by {labels.count(count, 'sign test')} with "
            f"{100 - 100 * ALPHA:.0f} % together")


def loss_words(tests, case, schemes):
    """The times of a processor besides computing, in which the schemes
    differ."""
    return f"{case_name(case)} " + ", ".join(
        f"{s.upper()} " + " and ".join(
            f"{tests.losses[case, s][part]:.0f}" for part in PARTS)
        for s in schemes)


def opposed(tests, case, one, other):
    """Whether the one that idles less at the end spends more on chores."""
    first, second = (tests.losses[case, s] for s in (one, other))
    return np.prod([first[part] - second[part] for part in PARTS]) < 0


def undecided(pairs, verdicts):
    return [pair for pair, v in zip(pairs, verdicts)
            if v is not paper_report.HOLDS]


def time_words(tests, bad):
    """Where the time goes in pairs that do not hold."""
    at = {}
    for case, *schemes in bad:
        at[case] = list(dict.fromkeys([*at.get(case, []), *schemes]))
    return (f".  Seconds of a processor {' and '.join(PARTS.values())}, "
            "medians: " + "; ".join(loss_words(tests, *item)
                                    for item in at.items())) if bad else ""


def why_pairs(tests, bad):
    return "the fitted costs of a chore decide" + (
        ": what a scheme gains at the end it pays for chores"
        if all(opposed(tests, *pair) for pair in bad) else "")


def claim_pairs(report, tests, claim, where, pairs, more="", why=None):
    verdicts, words = compared(tests, pairs)
    holds, bad = paper_report.all_of(verdicts), undecided(pairs, verdicts)
    report.claim(claim, where, read_as(len(pairs)), holds,
                 "; ".join(words) + time_words(tests, bad) + more,
                 "" if holds else why or why_pairs(tests, bad), fitted=True)


def claim_order(report, tests):
    def order(t):
        return ((t["qss"] < t["gss"]) & (t["gss"] <= t["tss"])
                & (t["tss"] < t["fss"]) & (t["fss"] < t["css"]))
    paired = [order({s: tests.of(c, s) for s in SCHEMES}) for c in CASES]
    line = ["qss", "gss", "tss", "fss", "css"]
    claim_pairs(
        report, tests, "the performance is QSS > GSS >= TSS > FSS > CSS",
        "section 6", [(c, one, other) for c in CASES
                      for one, other in zip(line, line[1:])],
        ".  The whole order is that of " + ", ".join(
            f"{share(p)} ({case_name(c)})" for c, p in zip(CASES, paired))
        + " of the seeds, and in all four tests of an experiment with one "
        "run of each of " + alone(tests, order),
        "the fitted costs of a chore decide: with them FSS takes "
        + ends(tests.off["fss"]) + " of the printed time, as its chunks do "
        "not wait for each other, and QSS " + ends(tests.off["qss"])
        + ", most in 2000/20, which is printed as faster than 2000/25")


def claim_all_tests(report, tests):
    claim_pairs(
        report, tests, "QSS outperforms CSS, GSS, TSS and FSS in all the "
        "tests", "section 5, figure 3", [(c, "qss", other) for c in CASES
                                         for other in SCHEMES[:-1]],
        ".  In all four tests of an experiment with one run of each it is "
        "the fastest in " + alone(tests, lambda t: np.minimum.reduce(
            [t[s] for s in SCHEMES[:-1]]) > t["qss"]))


def claim_pair(report, tests, better, worse, cases, words, where="section 5"):
    claim_pairs(report, tests, words, where,
                [(c, better, worse) for c in cases])


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
    times = {d: np.array([tests.deltas[d][s]["time_s"] for s in seeds])
             for d in DELTAS}
    chores = {d: int(next(iter(r.values()))["chunks"])
              for d, r in tests.deltas.items()}
    chosen, linear = str(CHOSEN), "2"
    delta_claim(report, times, [(chosen, d) for d in DELTAS if d != chosen],
                "QSS is fastest with delta = 3", "section 5, figure 2",
                "the fitted costs of a chore decide: from 1 on the medians of "
                f"all delta are within {spread(times)}, and one delta takes "
                f"{own_spread(times[chosen])} more or less from seed to seed")
    delta_claim(report, times, [(linear, d) for d in ("1/3", "1/2", "1")],
                "QSS in case a, delta below 2, performs worse than TSS "
                "(delta = 2)", "section 5, figure 2",
                "the fitted costs of a chore decide: fewer chores are worth "
                "the balance that is lost; of delta = 1 "
                f"{chores['1']} instead of {chores[linear]}")


def spread(times):
    medians = [np.median(times[d]) for d in DELTAS[2:]]
    return f"{100 * (max(medians) / min(medians) - 1):.1f} %"


def own_spread(times):
    """Half of the middle half, of the median."""
    low, high = np.percentile(times, (25, 75))
    return f"{50 * (high - low) / np.median(times):.1f} %"


def delta_claim(report, times, pairs, claim, where, why):
    found = [sign(times[one] < times[other], len(pairs))
             for one, other in pairs]
    holds = paper_report.all_of(v for v, _ in found)
    report.claim(claim, where, read_as(len(pairs)), holds, "; ".join(
        f"{one} before {other} {words} ({np.median(times[one]):.0f} and "
        f"{np.median(times[other]):.0f} s)"
        for (one, other), (_, words) in zip(pairs, found)),
        "" if holds else why, fitted=any(str(CHOSEN) in pair
                                         for pair in pairs))


def claim_speedup(report, tests):
    ratio = tests.of(CASES[-1], "css") / tests.of(CASES[-1], "qss")
    median, low, high = middle(ratio)
    near, far = (1.35, 1.65), high < 1.35 or low > 1.65
    report.claim(
        "with more processors and tasks the QSS speedup reaches about 1.5",
        "section 5, figure 3", "5000/25: the interval of the median is within "
        "10 % of 1.5", paper_report.FAILS if far else
        near[0] <= low and high <= near[1] or paper_report.OPEN,
        f"{median:.2f} ({low:.2f} to {high:.2f}), by table 4 1.48",
        fitted=True)


def fill(report):
    tests = Tests(report)
    fit = read_fit(report.directory)
    say_fit(report, fit)
    assume(report, fit)
    report.say(f"{len(tests.seeds)} seeds.")
    tables(report, tests)
    claim_all_tests(report, tests)
    claim_order(report, tests)
    for other in SCHEMES[1:]:
        claim_pair(report, tests, other, "css", CASES,
                   f"CSS is worse than {other.upper()}")
    claim_pair(report, tests, "gss", "fss", CASES,
               "GSS performs better than FSS in all cases")
    claim_pair(report, tests, "gss", "tss", [CASES[0], *CASES[2:]],
               "GSS performs better than TSS, except in 2000/25")
    claim_pair(report, tests, "tss", "gss", [CASES[1]],
               "TSS performs better than GSS in 2000/25")
    claim_pair(report, tests, "tss", "fss", CASES,
               "TSS performs better than FSS in all cases")
    claim_chores(report, tests)
    claim_delta(report, tests)
    claim_speedup(report, tests)


def main(directory):
    paper_report.main(PAPER, fill, directory)
