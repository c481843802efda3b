"""The claims in the text of Ciorba et al., with our numbers and the paper's
own."""
import numpy as np

import fit


START_S, ELEMENT_S = 99e-6, 0.69e-6     # c_d and c_c of Andronikos et al.


def groups(simulated, printed, loads_fitted=False):
    """(kernel, mode, interval, slaves, {scheme: (printed, ours)}) where all
    three schemes are printed and simulated and none was fitted."""
    found = {}
    for (kernel, mode, h, scheme, m), time in printed.items():
        run = simulated.get((kernel, "paper"), {}).get(
            (mode, int(h), scheme, int(m)))
        if run and not (fit.is_fitted(kernel, h, m)
                        and (loads_fitted or mode == "dedicated")):
            found.setdefault((kernel, mode, int(h), int(m)), {})[scheme] = (
                time, run["time_s"])
    return [(*key, pairs) for key, pairs in found.items()
            if len(pairs) == len(fit.SCHEMES)]


def best(pairs, place):
    least = min(pair[place] for pair in pairs.values())
    return {s for s, pair in pairs.items() if pair[place] == least}


def same_best(group):
    """Whether ours is the best one of those printed as best."""
    pairs = group[4]
    return best(pairs, 1) <= best(pairs, 0)


def both(count, total, what=""):
    """Ours and the paper's own tables, which may not hold to its text."""
    return (f"ours {count[1]} of {total}{what}, the printed tables "
            f"{count[0]} of {total}")


class Loads:
    """Claims that loaded cells decide, with the loads of the text or, as
    further ones, with the fitted loads."""

    def __init__(self, report, simulated, printed, fitted=False):
        self.report, self.simulated = report, simulated
        self.printed, self.fitted = printed, fitted

    def claim(self, claim, where, read_as, holds, found, why=""):
        self.report.claim(
            claim, where + (", fitted loads" if self.fitted else ""), read_as,
            holds, found, "" if holds else why, further=self.fitted,
            fitted=self.fitted)


def dtss_first(loads):
    every = groups(loads.simulated, loads.printed, loads.fitted)
    count = [sum(best(g[4], place) == {"dtss"} for g in every)
             for place in (0, 1)]
    bad = [g for g in every if best(g[4], 1) != {"dtss"}]
    near = [g for g in bad if abs(g[4]["css"][0] / g[4]["dtss"][0] - 1) < .1]
    loads.claim(
        "DMPS(DTSS) outperforms both others", "tables 2 and 3, section 4.4",
        "it alone is fastest in every complete group of kernel, mode, "
        "interval and slaves without a fitted cell", not bad,
        both(count, len(every), " groups"),
        f"the fitted chunk of CSS decides: in {len(near)} of {len(bad)} such "
        "groups DTSS and CSS are printed as less than 10 % apart")


def tss_before_css(report, every):
    here = [g[4] for g in every if g[1] == "dedicated"]
    count = [sum(p["tss"][place] < p["css"][place] for p in here)
             for place in (0, 1)]
    median = [100 * (np.median([p["tss"][place] / p["css"][place]
                                for p in here]) - 1) for place in (0, 1)]
    holds = 2 * count[1] > len(here)
    report.claim(
        "DMPS(TSS) performs slightly better than DMPS(CSS)",
        "dedicated, section 4.4", "it is faster in more than half of the "
        "groups without a fitted cell", holds,
        both(count, len(here), " groups")
        + f"; TSS takes {median[1]:+.1f} % of the time of CSS (median), "
        f"printed {median[0]:+.1f} %",
        "" if holds else "the fitted chunk of CSS decides: its time is that "
        "of whole rounds, so that TSS wins or loses by how these chunks "
        "divide by the slaves")


def as_dedicated(printed):
    """(cells of CSS and TSS with 3 to 5 slaves whose printed loaded time is
    within 2 % of the dedicated one, all of these)."""
    near = [abs(time / printed[kernel, "dedicated", h, scheme, m] - 1) < 0.02
            for (kernel, mode, h, scheme, m), time in printed.items()
            if mode == "non-dedicated" and scheme != "dtss" and m <= 5]
    return sum(near), len(near)


def as_claimed(runs, scheme, ends):
    """Its speedup from the first to the second, and whether that goes the
    claim's way."""
    ours = runs[ends[0]]["time_s"] / runs[ends[1]]["time_s"]
    return ours, ours > 1 if scheme == "dtss" else ours < 1


def trends(loads, kernel, fitted):
    """From all zealots to all slaves, with the loaded kids; `fitted`: the
    runs with the fitted loads."""
    few, many, printed = 5, 9, loads.printed
    found, words, cured = [], [], []
    runs = loads.simulated[kernel, "paper"]
    for scheme in fit.SCHEMES:
        ends = [("non-dedicated", fit.FIT_INTERVAL[kernel], scheme, m)
                for m in (few, many)]
        if any(end not in runs for end in ends):
            return
        ours, holds = as_claimed(runs, scheme, ends)
        theirs = printed[(kernel, *ends[0])] / printed[(kernel, *ends[1])]
        found.append(f"{scheme} {ours:.2f} (printed {theirs:.2f})")
        if not holds:
            words.append(scheme.upper())
        if all(end in fitted for end in ends) and not holds \
                and as_claimed(fitted, scheme, ends)[1]:
            cured.append(scheme.upper())
    near, of = as_dedicated(printed)
    loads.claim(
        "the speedup of DMPS(CSS) and DMPS(TSS) decreases as loaded slaves "
        "are added, that of DMPS(DTSS) increases",
        f"{kernel}, figure {6 if kernel == 'heat' else 7}, section 4.4",
        f"the speedup with {many} over that with {few} slaves is below 1 for "
        "CSS and TSS and above 1 for DTSS", not words, ", ".join(found),
        f"which slaves are loaded decides, for {' and '.join(words)}: the "
        "text's kid1 and kid2 slow 5 slaves down already, but "
        f"{near} of {of} loaded times of CSS and TSS with 3 to 5 slaves are "
        "printed as on the dedicated cluster"
        + f"; with the fitted loads {' and '.join(cured)} would follow the "
        "claim" * bool(cured) if not loads.fitted else
        f"not for {' and '.join(words)}: the first loaded kid slows it down, "
        "then fewer rounds and smaller chunks make up for it")


def dedicated_better(loads):
    ratio = {"printed": [], "ours": []}
    for (kernel, shape), runs in loads.simulated.items():
        if shape != "paper":
            continue
        for (mode, h, scheme, m), run in runs.items():
            key = kernel, "non-dedicated", h, scheme, m
            if mode == "dedicated" and key in loads.printed \
                    and key[1:] in runs:
                ratio["printed"].append(
                    loads.printed[key]
                    / loads.printed[kernel, mode, h, scheme, m])
                ratio["ours"].append(runs[key[1:]]["time_s"] / run["time_s"])
    if ratio["ours"]:
        median = {k: np.median(v) for k, v in ratio.items()}
        loads.claim(
            "the results for the dedicated cluster are much better",
            "tables 2 and 3, section 4.4",
            "the median time is 1.1 times as long or more with loads",
            median["ours"] >= 1.1, f"ours {median['ours']:.2f}, printed "
            f"{median['printed']:.2f}", "which slaves are loaded decides")


def dtss_is_good(loads):
    """As much of the available power as without loads."""
    shares = {"dedicated": [], "non-dedicated": []}
    for (kernel, shape), runs in loads.simulated.items():
        for (mode, h, scheme, m), run in runs.items():
            if shape == "paper" and scheme == "dtss":
                loaded = fit.loads_of(run["load"])
                power = sum(fit.POWER[fit.SLAVES[s]] / (1 + loaded.get(s, 0))
                            for s in range(m))
                shares[mode].append(run["serial_s"] / run["time_s"] / power)
    if all(shares.values()):
        with_load, without = (np.median(shares[mode]) for mode in (
            "non-dedicated", "dedicated"))
        loads.claim(
            "even with large differences of power DMPS(DTSS) achieves good "
            "results", "non-dedicated, section 4.4",
            "the speedup for its available power is, in the median, at least "
            "0.9 times that of the dedicated cluster",
            with_load >= 0.9 * without, f"{with_load / without:.2f} times",
            "chunks are cut by the power at the time of the request, and the "
            "pipeline waits for its slowest slave")


def ratio_words(values, kernel, h):
    """(least, words): H V c_p / (t_r + t_s) of the smallest chunk, by kind
    of slave."""
    message = 2 * (START_S + h * ELEMENT_S)
    kid = h * fit.MIN_CHUNK * values.c_p[kernel] / message
    return kid / values.ratio, (f"{kernel}, H = {h}: {kid:.2f} on a kid, "
                                f"{kid / values.ratio:.2f} on a zealot")


def ratio_kept(report, values):
    found = [ratio_words(values, kernel, h)
             for kernel, h in fit.FIT_INTERVAL.items()]
    holds = all(least >= 1 for least, _ in found)
    report.claim(
        "H keeps the ratio of computation to communication above 1, though "
        "V_i falls", "section 4.4", "of the smallest chunk, 20 rows, at the "
        "intervals of the figures: H V c_p / (t_r + t_s), a message costing "
        "c_d + H c_c with the 99 and 0.69 us of the same laboratory", holds,
        "; ".join(words for _, words in found),
        "" if holds else "the slave decides, which the paper does not name: "
        "a zealot computes the same chunk faster", fitted=True)


def intervals(report, kernel, runs, printed):
    """How much the interval matters, and which is best."""
    every = sorted({h for mode, h, _, _ in runs if mode == "dedicated"})
    if len(every) < 2:
        return      # one interval is neither best nor a change
    spread, sums = [[], []], [dict.fromkeys(every, 0.0) for _ in range(2)]
    for scheme in fit.SCHEMES:
        for m in range(3, 10):
            for place in (0, 1):
                line = [printed[kernel, "dedicated", h, scheme, m]
                        if place == 0 else
                        runs["dedicated", h, scheme, m]["time_s"]
                        for h in every]
                spread[place].append(100 * (max(line) / min(line) - 1))
                for h, time in zip(every, line):
                    sums[place][h] += time
    holds = max(spread[1]) <= 5
    report.claim(
        "small changes of the interval do not alter the performance much",
        f"{kernel}, dedicated, section 4.4",
        f"between {every[0]} and {every[-1]} columns each time changes by at "
        "most 5 %", holds,
        f"ours by at most {max(spread[1]):.1f} %, printed "
        f"{max(spread[0]):.1f} %",
        "" if holds else "a longer interval fills the pipeline later")
    least = [min(s, key=s.get) for s in sums]
    wanted = fit.FIT_INTERVAL[kernel]
    gain = [100 * (s[wanted] / min(s.values()) - 1) for s in sums]
    report.claim(
        f"the best interval is {wanted}", f"{kernel}, section 4.4",
        "the sum of all dedicated times is least there", least[1] == wanted,
        f"ours {least[1]}, {gain[1]:.2f} % better than {wanted}; printed "
        f"{least[0]}, {gain[0]:.2f} %",
        "" if least[1] == wanted else "what a message costs decides: here a "
        "boundary costs its sender and receiver nothing and is only late, so "
        "that short intervals are not punished")


def whole_cluster(loads, values):
    """The conclusion."""
    speedups = {}
    for (kernel, shape), runs in loads.simulated.items():
        if shape == "paper":
            speedups[kernel] = [
                run["serial_s"] / values.ratio / run["time_s"]
                for (_, _, scheme, _), run in runs.items()
                if scheme == "dtss"]
    holds = all(min(found) > 1 for found in speedups.values())
    loads.claim(
        "the scheme is effective for applications with dependence loops",
        "section 5", "DMPS(DTSS) is faster than the fastest slave alone, with "
        "each number of slaves, dedicated and loaded", holds, "; ".join(
            f"{kernel}: speedups of {min(found):.2f} to {max(found):.2f}"
            for kernel, found in speedups.items()),
        "which slaves are loaded decides")


def add(report, runs, printed, values):
    for simulated, fitted in ((runs.own, False), (runs.fitted, True)):
        loads = Loads(report, simulated, printed, fitted)
        if not fitted:
            whole_cluster(loads, values)
        dtss_first(loads)
        dedicated_better(loads)
        for kernel, shape in simulated:
            if shape == "paper":
                trends(loads, kernel, runs.fitted.get((kernel, "paper"), {}))
        dtss_is_good(loads)
    tss_before_css(report, groups(runs.own, printed))
    ratio_kept(report, values)
    for (kernel, shape), own in runs.own.items():
        if shape == "paper":
            intervals(report, kernel, own, printed)
