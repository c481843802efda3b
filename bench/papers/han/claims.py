"""Han and Chronopoulos, figures 3 to 8 and what their text claims of them.

    bench/papers/report_paper.py han DIR       (make paper-han)
"""
import numpy as np

import assumed
from analysis import labels, paper_report

PAPER = paper_report.Paper(
    "Scalable Loop Self-Scheduling Schemes Implemented on Large-Scale "
    "Clusters",
    "Yiming Han and Anthony T. Chronopoulos")
SCHEMES = {"dtss": "HDTSS", "dfss": "HDFSS", "dgss": "HDGSS",
           "tss-taylor": "HDTSS, real decrement"}
PRINTED = ["HDTSS", "HDFSS", "HDGSS"]
FIGURES = {"mandelbrot": (3, 5, 7), "adjoint": (4, 6, 8)}
# The campaign with our values of what is not printed.
CAMPAIGN = "han"
BASE_WORKERS = 256
COLUMNS = ["kernel", *assumed.Setting._fields, "scheme", "masters", "workers",
           "chunks", "time_s", "bound_s", "overhead_s", "speedup", "serial_s",
           "bytes"]
HALVED, STOPPED = 0.6, 0.8   # what a doubling of the workers leaves
HELD_UP = 1.2           # times what the chunks alone take
# As long as a master's time is proportional to bytes or to requests.
EXCLUDED = ("T(1024)/T(512) of 2 masters is about T(8192)/T(4096) of 16, as "
            "both have 512 workers a master; only results that do not fit the "
            "memory of one node (32 GB) would separate them")


def points(report):
    """(kernel, Setting) -> {(scheme, masters, workers): the run}, with its
    speedup."""
    found = {}
    for run in report.runs.to_dict("records"):
        scheme = SCHEMES.get(run["scheme"].partition(":")[0])
        masters = 1 if run["hierarchy"] == "flat" else int(run["hierarchy"])
        if scheme:
            found.setdefault(assumed.setting(run), {})[
                scheme, masters, int(run["workers"])] = run
    for runs in found.values():
        for (scheme, _, _), run in runs.items():
            base = runs.get((scheme, 1, BASE_WORKERS))
            run["speedup"] = base["time_s"] / run["time_s"] if base else None
    return found


def ours(report):
    """kernel -> the Setting of the campaign with our values."""
    launches = {m["launch"] for m in report.results.manifests
                if m.get("campaign") == CAMPAIGN}
    runs = report.runs[report.runs["launch"].isin(launches)]
    found = dict(map(assumed.setting, runs.to_dict("records")))
    return {kernel: found[kernel] for kernel in FIGURES if kernel in found}


def column(runs, n):
    return sorted({key[n] for key in runs})


# ---- figures ----

def curves(report, kernel, runs):
    """Time, overhead and speedup, a line for each scheme and number of
    masters."""
    workers = column(runs, 2)
    lines = sorted({key[:2] for key in runs},
                   key=lambda k: (list(SCHEMES.values()).index(k[0]), k[1]))
    time, overhead, speedup = FIGURES[kernel]
    for name, figure, value, caption in (
            ("time", time, lambda r: f"{r['time_s']:.4g} "
             f"({r['time_s'] / r['bound_s']:.2f})",
             "seconds; in brackets the time over its bound: list scheduling "
             "of the same chunks without any overhead"),
            ("overhead", overhead, lambda r: r["overhead_mean_s"],
             "seconds, T_total - T_computation, mean over the workers"),
            ("speedup", speedup, lambda r: r["speedup"],
             f"over one master with {BASE_WORKERS} workers, same scheme")):
        rows = [[scheme, masters, *(
            value(runs[scheme, masters, w]) if (scheme, masters, w) in runs
            else None for w in workers)] for scheme, masters in lines]
        report.table(f"figure_{figure}",
                     f"Figure {figure}: {kernel}, {name}",
                     ["scheme", "masters", *workers], rows, caption, left=1)


def bounds(report, kernel, runs):
    """The limit by the chunk sequence alone: no scheme can be faster."""
    workers = column(runs, 2)
    rows = []
    for scheme in column(runs, 0):
        masters = min(m for s, m, _ in runs if s == scheme)
        line = [runs.get((scheme, masters, w)) for w in workers]
        rows.append([scheme, *(r["serial_s"] / (w * r["bound_s"]) if r
                               else None for r, w in zip(line, workers))])
    report.table(f"bounds_{kernel}", f"{kernel}: efficiency of the bound",
                 ["scheme", *workers], rows,
                 "serial time over workers times bound: what the chunk "
                 "sequence allows without any overhead (one master; the real "
                 "decrement: 16)")


# ---- claims ----

def doublings(runs, scheme, masters, first, last):
    """[(workers, T(2 workers) / T(workers))]."""
    found = []
    for w in column(runs, 2):
        pair = [runs.get((scheme, masters, n)) for n in (w, 2 * w)]
        if first <= w and 2 * w <= last and None not in pair:
            found.append((w, pair[1]["time_s"] / pair[0]["time_s"]))
    return found


def ratios(found):
    return ", ".join(f"{r:.2f}" for _, r in found)


def capacity(runs, masters):
    """What decides: the masters' links, or their requests."""
    every = max(runs.values(), key=lambda r: r["bytes"])
    links = every["bytes"] / masters / 1e9
    here = {w: [runs[s, masters, w] for s in PRINTED
                if (s, masters, w) in runs] for w in column(runs, 2)}
    if links > min(r["bound_s"] for found in here.values() for r in found):
        longer = [w for w, found in here.items()
                  if found and min(r["bound_s"] for r in found) > links]
        return (f"the bytes of a result decide: {every['bytes'] / 1e9:.3g} GB "
                f"take {labels.count(masters, 'link')} of 1 GB/s {links:.3g} "
                "s" + (f", and up to {longer[-1]:,} workers the chunks alone "
                       "take longer" if longer else ""))
    late = [w for w, found in here.items()
            if max((r["time_s"] / r["bound_s"] for r in found), default=0)
            > HELD_UP]
    return ("the time of a request decides, as results are few: requests "
            + (f"hold {labels.count(masters, 'master')} up by more than "
               f"{100 * HELD_UP - 100:.0f} % only from {late[0]:,} workers on"
               if late else "hold nobody up"))


def two_masters_stop(kernel, runs):
    up = [d for s in PRINTED for d in doublings(runs, s, 2, 256, 512)]
    past = [d for s in PRINTED for d in doublings(runs, s, 2, 512, 8192)]
    if not up or not past:
        return None
    holds = max(r for _, r in up) <= HALVED and \
        min(r for _, r in past) >= STOPPED
    return dict(
        claim="2 masters scale up to 512 workers, past that the time does not "
              "decrease",
        read_as=f"T(512)/T(256) is at most {HALVED}, and each doubling past "
                f"512 leaves at least {STOPPED} of the time, for each scheme",
        holds=holds,
        found=f"T(512)/T(256) for {', '.join(PRINTED)}: {ratios(up)}; past "
              f"512: " + "; ".join(ratios(doublings(runs, s, 2, 512, 8192))
                                   for s in PRINTED),
        why="" if holds else capacity(runs, 2),
        excludes="that 16 masters halve the time up to 8,192 workers: "
        + EXCLUDED)


def sixteen_masters_halve(kernel, runs):
    lines = [doublings(runs, s, 16, 256, 8192) for s in PRINTED]
    if not all(lines):
        return None
    steps = [max(ratio for _, ratio in step) for step in zip(*lines)]
    good = next((i for i, ratio in enumerate(steps) if ratio > HALVED),
                len(steps))
    holds = good == len(steps)
    up_to = 2 ** good * lines[0][0][0]
    return dict(
        claim="with 16 masters doubling the workers halves the time up to "
              "8,192",
        read_as=f"each doubling from 256 on leaves at most {HALVED} of the "
                "time, for each scheme",
        holds=holds,
        found=f"T(2w)/T(w) for {', '.join(PRINTED)}: "
              + "; ".join(map(ratios, lines)) + f"; so up to {up_to} workers",
        why="" if holds else capacity(runs, 16),
        excludes="that 2 masters stop past 512 workers: " + EXCLUDED)


def least(runs, name, slack):
    """[(masters of the least value, scheme, workers)], 16 where it is within
    `slack` of the least."""
    found = []
    for scheme in PRINTED:
        for w in column(runs, 2):
            values = {m: runs[scheme, m, w][name] for m in column(runs, 1)
                      if (scheme, m, w) in runs}
            if 16 not in values or len(values) < 2:
                continue
            best = min(values, key=values.get)
            near = values[16] <= (1 + slack) * values[best]
            found.append((16 if near else best, scheme, w))
    return found


def lost(found):
    """Where 16 masters are not the best, in words."""
    others = [(m, s, w) for m, s, w in found if m != 16]
    words = ", ".join(f"{s} with {w} workers ({m} "
                      f"master{'s'[:m != 1]})" for m, s, w in others[:6])
    return words + (f" and {len(others) - 6} more" if len(others) > 6 else "")


def most_masters_least(kernel, runs, name, claim, noun, why):
    found = least(runs, name, 0.02)
    if not found:
        return None
    good = sum(m == 16 for m, _, _ in found)
    holds = good == len(found)
    return dict(claim=claim,
                read_as=f"with 16 masters the {noun} is the least, or within "
                        "2 % of it, for each scheme and number of workers",
                holds=holds,
                found=f"in {good} of {len(found)}"
                      + ("" if holds else f"; not: {lost(found)}"),
                why="" if holds else why)


def overhead_falls(kernel, runs):
    return most_masters_least(
        kernel, runs, "overhead_mean_s", "overhead falls with the number of "
        "masters", "overhead",
        "where the single master is not yet busy, one queue balances the "
        "workers better than several pools that do not share what is left")


def masters_help(kernel, runs):
    return most_masters_least(
        kernel, runs, "time_s", "more masters perform better", "time",
        "as with the overhead: where the master is not the limit, pools only "
        "divide the workers")


def a_little_ahead(kernel, runs):
    words, why = [], []
    for scheme in ("HDFSS", "HDGSS"):
        pairs = [(run, runs["HDTSS", m, w]) for (s, m, w), run in runs.items()
                 if s == scheme and ("HDTSS", m, w) in runs]
        if not pairs:
            return None
        over = [one["time_s"] / other["time_s"] for one, other in pairs]
        middle = float(np.median(over))
        if not 0.8 <= middle < 1:
            why.append(behind(scheme, pairs))
        words.append(f"{scheme} {middle:.3f} (from {min(over):.3f} to "
                     f"{max(over):.3f})")
    return dict(
        claim="HDFSS and HDGSS are a little ahead of HDTSS",
        read_as="the median over masters and workers of the time over that of "
                "HDTSS is between 0.8 and 1 for both",
        holds=not why, found="; ".join(words), why="; ".join(why))


def behind(scheme, pairs):
    """Why: its chunks alone take longer, or there are more to ask for."""
    bound, chunks = (float(np.median([one[name] / other[name]
                                      for one, other in pairs]))
                     for name in ("bound_s", "chunks"))
    if bound > 1.005:
        return (f"{scheme}: where the costly iterations are decides; its "
                f"chunks alone take {bound:.2f} times as long as HDTSS's")
    return (f"{scheme}: the time of a request decides, as it has {chunks:.1f} "
            "times as many chunks")


def single_is_worst(kernel, runs):
    most = column(runs, 2)[-1]
    masters = column(runs, 1)
    words, others = [], []
    for scheme in PRINTED:
        found = [runs.get((scheme, m, most), {}).get("speedup")
                 for m in masters]
        if None in found:
            return None
        if found[0] != min(found):
            others.append(scheme)
        words.append(f"{scheme} " + ", ".join(f"{s:.3g}" for s in found))
    return dict(
        claim="the single master's scalability is the worst",
        read_as=f"at {most} workers one master has the least speedup of all "
                "numbers of masters, for each scheme",
        holds=not others,
        found=f"speedups with {', '.join(map(str, masters))} masters: "
              + "; ".join(words)
              + (f"; not for {', '.join(others)}" if others else ""),
        why=alone(runs, most, others))


def alone(runs, workers, schemes):
    """Why one master is not the worst: what its chunks alone take."""
    above = [f"{s} {r['time_s'] / r['bound_s']:.3f}" for s in schemes
             for r in [runs[s, 1, workers]]]
    if not above:
        return ""
    return (
        f"time over bound with one master: {', '.join(above)}: where the "
        "chunks alone take that long, the master is not the limit, and one "
        "queue balances best")


CLAIMS = [(two_masters_stop, 0), (sixteen_masters_halve, 0),
          (masters_help, 0), (overhead_falls, 1), (a_little_ahead, 0),
          (single_is_worst, 2)]


def judge(kernel, runs):
    """The claims that can be said of runs, with their places."""
    told = ((claim(kernel, runs), figure) for claim, figure in CLAIMS)
    return [dict(where=f"{kernel}, figure {FIGURES[kernel][figure]}", **found)
            for found, figure in told if found]


def opening(kernel, runs):
    """The statement of the last figure, at its right end."""
    masters, most = column(runs, 1), column(runs, 2)[-1]
    words = []
    for scheme in PRINTED:
        speedups = [runs.get((scheme, m, most), {}).get("speedup")
                    for m in (masters[0], masters[-1])]
        if None not in speedups:
            words.append(f"{speedups[0]:.1f} and {speedups[1]:.1f} times "
                         f"under {scheme}")
    return (f"Figure {FIGURES[kernel][2]}: our simulated {kernel} is faster "
            f"with {most:,} workers below {labels.count(masters[0], 'master')}"
            f" and {masters[-1]} masters than with {BASE_WORKERS} workers "
            f"below one: {labels.listed(words)}. "
            f"{most / BASE_WORKERS:g} times is ideal.")


def fill(report):
    found, values = points(report), ours(report)
    for kernel, setting in values.items():
        runs = found[kernel, setting]
        report.open_with(opening(kernel, runs))
        curves(report, kernel, runs)
        bounds(report, kernel, runs)
        for claim in judge(kernel, runs):
            report.claim(**claim)
    assumed.add(report, found, values, judge)
    report.store("runs", COLUMNS, [
        [kernel, *setting, *key, r["chunks"], r["time_s"], r["bound_s"],
         r["overhead_mean_s"], r["speedup"], r["serial_s"], r["bytes"]]
        for (kernel, setting), runs in found.items()
        for key, r in runs.items()])


def main(directory):
    paper_report.main(PAPER, fill, directory)
