"""Values that Ciorba et al. do not print: ours, the reasons, and the results
with others (ciorba-alternatives.yaml).  Fitted values are in fit.py."""
import os

import numpy as np

import fit
import sentences

MESSAGES = {
    "zealots-kids.xml": "only time on the wire",
    "zealots-kids-halves.xml": "sender and receiver busy, half of c_d each",
    "zealots-kids-processors.xml": "sender and receiver busy, c_d each"}


class Judged:
    """Takes claims as a report does."""

    def __init__(self):
        self.holds = []

    def claim(self, claim, where, read_as, holds, found, why=""):
        self.holds.append(bool(holds))


def dedicated(simulated, printed):
    """How many of the claims on dedicated cells hold."""
    judged = Judged()
    sentences.tss_before_css(judged, sentences.groups(simulated, printed))
    for (kernel, shape), runs in simulated.items():
        if shape == "paper":
            sentences.intervals(judged, kernel, runs, printed)
    return f"{sum(judged.holds)} of {len(judged.holds)}"


def best_intervals(simulated):
    """Those with the least sum of all dedicated times."""
    return ", ".join(
        f"{min(sums, key=sums.get)} for {kernel}"
        + (f" (shape={shape})" if kernel != "heat" else "")
        for (kernel, shape), runs in simulated.items()
        for sums in [sums_of(runs)])


def sums_of(runs):
    sums = {}
    for (mode, interval, _, _), run in runs.items():
        if mode == "dedicated":
            sums[interval] = sums.get(interval, 0) + run["time_s"]
    return sums


def loaded_slaves(report, runs, printed):
    """The median difference of all loaded cells, by which slaves are
    loaded."""
    def off(simulated):
        found = [abs(run["time_s"] / printed[kernel, *key] - 1)
                 for (kernel, shape), own in simulated.items()
                 for key, run in own.items() if shape == "paper"
                 and key[0] != "dedicated" and (kernel, *key) in printed]
        return f"loaded times are {100 * np.median(found):.1f} % off in the " \
            f"median of {len(found)} cells" if found else "not simulated"
    report.assume(
        "the loaded slaves, and the load",
        f"kid1, kid2 and kid3, one process each: {off(runs.own)}",
        "the text, section 4.1: they are in italics, and a process halves the "
        "available power; of kid4 to kid6 it has no example",
        [("all kids, one process each", off(runs.all_kids)),
         ("zealot4 and kid3 to kid6, two processes each for heat and one for "
          "floyd-steinberg: fitted to the printed times, against the text",
          off(runs.fitted) + "; claims with them are further readings")])


def add(report, values, runs, printed):
    """values: the fit; runs: claims.Runs."""
    simulated, others = runs.fitted, runs.others
    ours = dedicated(simulated, printed)
    report.assume(
        "what a message costs processors", MESSAGES["zealots-kids.xml"],
        "chosen: the text has no costs, and the fit has this; best intervals "
        f"{best_intervals(simulated)}; printed 150 for heat, 100 for "
        "floyd-steinberg",
        [(MESSAGES[platform], f"{dedicated(runs, printed)} claims on "
          f"dedicated cells ({ours} with ours); best intervals "
          f"{best_intervals(runs)}")
         for platform, runs in sorted(others.items())])
    report.assume(
        "c_p, the ratio of the machines' speeds, the chunk of CSS",
        "; ".join(
            words.partition(";")[0] for words in values.words()),
        f"fitted to {len(fit.COUNTS)} numbers of slaves at one interval; the "
        "printed powers would be a ratio of 3, the clocks 2.5")
    loaded_slaves(report, runs, printed)
    report.assume("the smallest chunk", str(fit.MIN_CHUNK),
                  "the second row of DTSS in table 1 ends with 20")
    report.assume(
        "form of sub-chunks", "rectangles (shape=paper)",
        "the paper has no other, though they break the dependences of Floyd "
        "and Steinberg",
        [("skewed, as the dependences ask (shape=exact)",
          "no claim is counted; the best intervals are above")])
    report.assume("where results go", "they stay with the slaves",
                  "400 MB would take 32 s of the second that is printed")


def platform_of(run):
    return os.path.basename(str(run["platform"]))
