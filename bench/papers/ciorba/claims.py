"""Ciorba et al., tables 1 to 3, figures 6 and 7 and the claims of the text.

    bench/papers/report.py ciorba DIR       (make paper-ciorba)
"""
import xml.etree.ElementTree

import numpy as np

import assumed
import fit
import labels
import paper
import sentences

TITLE = ("Ciorba et al., Dynamic Multi Phase Scheduling for Heterogeneous "
         "Clusters")
TABLES = {"heat": 2, "floyd-steinberg": 3}
FIGURES = {"heat": 6, "floyd-steinberg": 7}
AIM_PERCENT, AIM_BEST = 8, 0.95
FAR_PERCENT = 20
REMARKS = [
    "- CSS takes whole rounds of chunks.  Floyd-steinberg with 7 slaves is "
    "printed with three,\n    which needs 16 chunks of 625 rows; with the "
    "fitted 660 the 16th is short.",
    "- DTSS is printed to gain 20 to 27 % from 3 to 4 slaves, where the power "
    "grows by\n    14 % (3.5 to 4); no machine that follows its powers does "
    "that.",
    "- The paper says that a load halves the available power, which would be "
    "one competing\n    process; heat is fitted with two.  CSS then hangs on "
    "whether a loaded kid gets one\n    chunk or two, and printed times hang "
    "on chance too: TSS of heat with 6 slaves is\n    printed as 2.52, 2.42 "
    "and 1.79 s for the three intervals."]
KEYS = ["mode", "interval", "scheme", "slaves"]


# ---- what was simulated ----

def keys(spec):
    return dict(word.partition("=")[::2]
                for word in spec.partition(":")[2].split(",") if word)


def times(runs):
    """(kernel, shape) -> {(mode, interval, scheme, slaves): the run}.  Heat
    has the shape "paper", as its dependences ask for rectangles.  Where no
    slave is loaded, the dedicated run is the non-dedicated one too."""
    found = {}
    for run in runs.to_dict("records"):
        name = labels.name_of(run["kernel"])
        shape = keys(run["kernel"]).get("shape", "paper")
        mode = "non-dedicated" if run["load"] else "dedicated"
        scheme = labels.name_of(run["scheme"]).removesuffix("-acp")
        found.setdefault((name, shape), {})[
            mode, int(run["sync_interval"]), scheme,
            int(run["workers"])] = run
    for runs in found.values():
        for key, run in list(runs.items()):
            runs.setdefault(("non-dedicated", *key[1:]), run)
    return dict(sorted(found.items(),
                       key=lambda item: (TABLES[item[0][0]], item[0][1]
                                         != "paper")))


def speeds(path):
    """The platform's speeds in the order of its hosts' names."""
    hosts = xml.etree.ElementTree.parse(path).iter("host")
    return [float(host.get("speed").removesuffix("Mf"))
            for host in sorted(hosts, key=lambda h: h.get("id"))]


def campaign(report, name):
    """Which runs are of a campaign."""
    launches = {m["launch"] for m in report.results.manifests
                if m.get("campaign") == name}
    return report.runs["launch"].isin(launches)


def split(report):
    """(runs of tables 2 and 3, runs of table 1, {platform: runs of the
    alternatives})."""
    first = campaign(report, "ciorba-table-1")
    other = campaign(report, "ciorba-alternatives")
    alternatives = report.runs[other]
    places = alternatives.apply(assumed.platform_of, axis=1) \
        if len(alternatives) else []
    return report.runs[~first & ~other], report.runs[first], {
        place: alternatives[places == place] for place in sorted(set(places))}


def used(simulated):
    """The fitted values that the campaigns and their platform have."""
    c_p, chunk, load, platform = {}, {}, {}, None
    for (kernel, _), runs in simulated.items():
        for (_, _, scheme, _), run in runs.items():
            c_p[kernel], platform = run["cp"], run["platform"]
            if scheme == "css":
                chunk[kernel] = int(keys(run["scheme"])["chunk"])
            load.setdefault(kernel, {}).update(fit.loads_of(run["load"]))
    kid, zealot = (speeds(platform)[i] for i in (2, 0))
    return fit.Fit(c_p, chunk, zealot / kid, load)


# ---- tables ----

def order(key):
    """Of (mode, interval, scheme, slaves), as printed."""
    return *key[:2], fit.SCHEMES.index(key[2]), key[3]


def ours(runs, key):
    return runs[key]["time_s"] if key in runs else None


def table(report, kernel, runs, printed, shape):
    cells = {}
    for key in sorted(set(runs) | set(printed), key=order):
        cells[key] = printed.get(key), ours(runs, key)
    name = f"table_{TABLES[kernel]}"
    of = "" if kernel == "heat" else f", shape={shape}"
    report.beside(name if shape == "paper" else f"{name}_{shape}",
                  f"Table {TABLES[kernel]}: parallel times of {kernel}, "
                  f"seconds{of}", KEYS, cells)
    report.store(f"{kernel}-{shape}", [*KEYS, "printed", "ours", "fitted"], [
        [*key, *pair, int(fit.is_fitted(kernel, key[1], key[3]))]
        for key, pair in cells.items()])


def figure(report, kernel, runs, printed, ratio):
    """Equation (1); the paper's serial times are not printed."""
    interval, cells = fit.FIT_INTERVAL[kernel], {}
    for mode, h, scheme, m in sorted(runs, key=order):
        if h == interval:
            run = runs[mode, h, scheme, m]
            alone = run["serial_s"] / ratio
            time = printed.get((mode, h, scheme, m))
            power = sum(fit.POWER[s] for s in fit.SLAVES[:m])
            cells[mode, scheme, power] = (
                alone / time if time else None, alone / run["time_s"])
    report.beside(
        f"figure_{FIGURES[kernel]}",
        f"Figure {FIGURES[kernel]}: speedups of {kernel}, interval {interval}",
        ["mode", "scheme", "power"], cells,
        "over the fastest slave alone (equation 1), by the slaves' total "
        "power; printed: our serial time over the printed parallel time, as "
        "the paper prints no serial times")


def table_1(report, runs):
    """Chunk sizes in the order in which they were handed out."""
    cells, chunks = {}, report.results.chunks
    for run in runs.to_dict("records"):
        name = labels.name_of(run["scheme"]).removesuffix("-acp")
        row = name if name != "dtss" else \
            "dtss" if run["power"].startswith("1.5") else "dtss 3:2:1"
        sizes = chunks[chunks["cell"] == run["cell"]].sort_values("start")
        wanted = fit.printed_chunks("dtss dedicated" if name == "dtss"
                                    else name)
        for i in range(max(len(sizes), len(wanted))):
            cells[row, i + 1] = (
                wanted[i] if i < len(wanted) else None,
                int(sizes["size"].iloc[i]) if i < len(sizes) else None)
    report.store("table_1", ["scheme", "step", "printed", "ours"],
                 [[*key, *pair] for key, pair in cells.items()])
    lines = ["Table 1: chunk sizes of 5000 rows for 9 slaves"]
    for row in dict.fromkeys(key[0] for key in cells):
        pairs = [pair for key, pair in cells.items() if key[0] == row]
        off = [percent_off(pair) for pair in pairs if None not in pair]
        lines.append(f"  {row}: {sum(a == b for a, b in pairs)} of "
                     f"{len(pairs)} equal, median difference of the first "
                     f"{len(off)} {np.median(off):.1f} %")
        for title, place in (("printed", 0), ("ours", 1)):
            lines.append(f"    {title:<8}" + " ".join(
                str(pair[place]) for pair in pairs
                if pair[place] is not None))
    lines.append(
        "  dtss 3:2:1 has the powers that the printed sizes imply, dtss the "
        "printed ones.\n  Not repeated: the non-dedicated DTSS row, whose "
        "powers change while the loop runs.")
    report.say("\n".join(lines))


# ---- how good it is ----

def percent_off(pair):
    return abs(paper.difference(pair))


def predicted(simulated, printed, mode):
    """kernel -> absolute differences, in percent, of the cells that were not
    fitted."""
    return {kernel: np.array([
        percent_off((value, ours(simulated[kernel, "paper"], key[1:])))
        for key, value in printed.items()
        if key[:2] == (kernel, mode)
        and not fit.is_fitted(kernel, key[2], key[4])
        and key[1:] in simulated[kernel, "paper"]])
        for kernel, shape in simulated if shape == "paper"}


def aims(report, simulated, printed):
    lines = ["How good the predictions are (cells that were not fitted, "
             "floyd-steinberg with shape=paper)"]
    for mode in ("dedicated", "non-dedicated"):
        parts = predicted(simulated, printed, mode)
        every = np.concatenate(list(parts.values()))
        lines.append(
            f"  {mode}: median absolute difference {np.median(every):.2f} % "
            f"of {len(every)} cells, largest {every.max():.1f} %; "
            + ", ".join(f"{k} {np.median(v):.2f} %"
                        for k, v in parts.items()))
        if mode == "dedicated":
            reached = np.median(every) <= AIM_PERCENT
            lines.append(f"    the aim, at most {AIM_PERCENT} %, is "
                         f"{'' if reached else 'not '}reached")
    groups = sentences.groups(simulated, printed)
    good = [sentences.same_best(group) for group in groups]
    free = [g for g, group in zip(good, groups)
            if not fit.is_fitted(group[0], group[2], group[3])]
    reached = sum(good) >= AIM_BEST * len(good)
    lines.append(
        f"  the paper's best scheme is ours in {sum(good)} of {len(good)} "
        f"complete groups ({100 * sum(good) / len(good):.1f} %), in "
        f"{sum(free)} of {len(free)} without fitted cells;\n    the aim, "
        f"{100 * AIM_BEST:.0f} %, is {'' if reached else 'not '}reached")
    for group, same in zip(groups, good):
        if not same:
            kernel, mode, interval, m, pairs = group
            lines.append(f"    not in {kernel} {mode} {interval}, {m} slaves: "
                         + ", ".join(f"{s} {a:.4g} {b:.4g}"
                                     for s, (a, b) in pairs.items()))
    report.say("\n".join(lines))


def deviations(report, simulated, printed):
    """What is far off, and what can be said of it."""
    far = {}
    for (kernel, mode, h, scheme, m), time in printed.items():
        run = simulated[kernel, "paper"].get((mode, h, scheme, m))
        off = run and paper.difference((time, run["time_s"]))
        if off and abs(off) > FAR_PERCENT:
            far.setdefault((kernel, mode, scheme, m), []).append(off)
    lines = [f"Differences above {FAR_PERCENT} %"]
    lines += ["  " + " ".join(key[:3]) + f", {key[3]} slaves: " + ", ".join(
        f"{off:+.1f} %" for off in found) for key, found in far.items()]
    report.say("\n".join([*lines, *(f"  {text}" for text in REMARKS)]
                         if far else [*lines, "  none"]))


def recurrence(report, simulated, values):
    """The simulator beside the model that the fit was made with."""
    off = [100 * abs(fit.modelled(
        kernel, key[1], key[2], key[3], values.c_p[kernel], values.ratio,
        values.chunk[kernel], fit.loads_of(run["load"])) / run["time_s"] - 1)
        for (kernel, shape), runs in simulated.items() if shape == "paper"
        for key, run in runs.items()]
    report.say(f"The recurrence that was fitted differs from the simulator by "
               f"{np.median(off):.2f} % (median of {len(off)} cells), at most "
               f"{max(off):.2f} %.")


def exact(report, simulated):
    if ("floyd-steinberg", "exact") not in simulated:
        return
    more = {key: ours(simulated["floyd-steinberg", "exact"], key)
            / run["time_s"] - 1
            for key, run in simulated["floyd-steinberg", "paper"].items()}
    slowest = max(more, key=more.get)
    report.say(
        "Sub-chunks that the dependences of floyd-steinberg ask for "
        f"(shape=exact) take {100 * np.median(list(more.values())):.2f} % "
        f"longer than the paper's rectangles (median of {len(more)} cells), "
        f"at most {100 * more[slowest]:.1f} %: {slowest[0]}, interval "
        f"{slowest[1]}, {slowest[2]}, {slowest[3]} slaves.")


def fill(report):
    runs, first, others = split(report)
    simulated = times(runs)
    printed = fit.Printed().times
    values = used(simulated)
    report.say(fit.explain(values))
    table_1(report, first)
    for (kernel, shape), runs in simulated.items():
        here = {k[1:]: v for k, v in printed.items() if k[0] == kernel}
        table(report, kernel, runs, here, shape)
        if shape == "paper":
            figure(report, kernel, runs, here, values.ratio)
    exact(report, simulated)
    recurrence(report, simulated, values)
    aims(report, simulated, printed)
    deviations(report, simulated, printed)
    sentences.add(report, simulated, printed)
    assumed.add(report, values, simulated, {
        place: times(runs) for place, runs in others.items()}, printed)


def main(directory):
    paper.main(TITLE, fill, directory)
