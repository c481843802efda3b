"""What the text of Ciorba et al. claims, with our numbers and the paper's
own."""
import numpy as np

import fit


def groups(simulated, printed):
    """(kernel, mode, interval, slaves, {scheme: (printed, ours)}) where all
    three schemes are printed and simulated."""
    found = {}
    for (kernel, mode, h, scheme, m), time in printed.items():
        run = simulated.get((kernel, "paper"), {}).get(
            (mode, int(h), scheme, int(m)))
        if run:
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


def dtss_first(report, every):
    count = [sum(best(g[4], place) == {"dtss"} for g in every)
             for place in (0, 1)]
    report.claim("DMPS(DTSS) outperforms both others", "tables 2 and 3, 4.4",
                 "it alone is fastest in every complete group of kernel, "
                 "mode, interval and slaves", count[1] == len(every),
                 both(count, len(every), " groups"),
                 "" if count[1] == len(every) else "see the groups above; "
                 "DTSS and CSS are printed as nearly equal there")


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
        "groups", holds, both(count, len(here), " groups")
        + f"; TSS takes {median[1]:+.1f} % of the time of CSS (median), "
        f"printed {median[0]:+.1f} %",
        "" if holds else "the time of CSS is that of its whole rounds: TSS "
        "wins or loses by how the chunks of CSS divide by the slaves")


def trends(report, kernel, runs, printed):
    """From all zealots to all slaves, with the loaded kids."""
    few, many = 5, 9
    found, holds, words = [], True, []
    for scheme in fit.SCHEMES:
        ends = [("non-dedicated", fit.FIT_INTERVAL[kernel], scheme, m)
                for m in (few, many)]
        ours = runs[ends[0]]["time_s"] / runs[ends[1]]["time_s"]
        theirs = printed[(kernel, *ends[0])] / printed[(kernel, *ends[1])]
        good = ours > 1 if scheme == "dtss" else ours < 1
        holds = holds and good
        found.append(f"{scheme} {ours:.2f} (printed {theirs:.2f})")
        if not good:
            words.append(scheme)
    report.claim(
        "loaded slaves slow DMPS(CSS) and DMPS(TSS) down but DMPS(DTSS) grows "
        "faster with them", f"{kernel}, non-dedicated, figures 6 and 7",
        f"the speedup with {many} over that with {few} slaves is below 1 for "
        "CSS and TSS and above 1 for DTSS", holds, ", ".join(found),
        "" if holds else f"not for {', '.join(words)}: with the first "
        "loaded kid it is so, then fewer rounds and smaller chunks make up "
        "for it")


def dedicated_better(report, simulated, printed):
    ratio = {"printed": [], "ours": []}
    for (kernel, shape), runs in simulated.items():
        if shape != "paper":
            continue
        for (mode, h, scheme, m), run in runs.items():
            key = kernel, "non-dedicated", h, scheme, m
            if mode == "dedicated" and key in printed:
                ratio["printed"].append(printed[key]
                                        / printed[kernel, mode, h, scheme, m])
                ratio["ours"].append(runs["non-dedicated", h, scheme,
                                          m]["time_s"] / run["time_s"])
    median = {k: np.median(v) for k, v in ratio.items()}
    report.claim("the results for the dedicated cluster are much better",
                 "tables 2 and 3, section 4.4",
                 "the median time is 1.1 times as long or more with loads",
                 median["ours"] >= 1.1,
                 f"ours {median['ours']:.2f}, printed "
                 f"{median['printed']:.2f}")


def intervals(report, kernel, runs, printed):
    """How much the interval matters, and which is best."""
    every = sorted({h for _, h, _, _ in runs})
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
        "" if least[1] == wanted else "here a boundary costs its sender and "
        "receiver nothing, it only arrives later: with c_d alone shorter "
        "intervals are not punished")


def add(report, simulated, printed):
    every = groups(simulated, printed)
    dtss_first(report, every)
    tss_before_css(report, every)
    dedicated_better(report, simulated, printed)
    for (kernel, shape), runs in simulated.items():
        if shape == "paper":
            trends(report, kernel, runs, printed)
            intervals(report, kernel, runs, printed)
