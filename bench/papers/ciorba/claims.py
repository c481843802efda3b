"""Ciorba et al., tables 1 to 3, figures 6 and 7 and the claims of the text.

    bench/papers/report_paper.py ciorba DIR       (make paper-ciorba)
"""
import itertools
import xml.etree.ElementTree

import numpy as np
import pandas as pd

import assumed
import fit
from analysis import labels, paper_report
import sentences

PAPER = paper_report.Paper(
    "Dynamic Multi Phase Scheduling for Heterogeneous Clusters",
    "Florina M. Ciorba, Theodore Andronikos, Ioannis Riakiotakis, Anthony T. "
    "Chronopoulos and George Papakonstantinou")
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
    "- Loaded times of CSS and TSS with 3 to 5 slaves are printed as if no "
    "slave were loaded,\n    those of DTSS as if some were: no set of loaded "
    "slaves gives both.",
    "- Printed loaded times hang on chance too: TSS of heat with 6 slaves is "
    "printed as 2.52,\n    2.42 and 1.79 s for the three intervals."]
KEYS = ["mode", "interval", "scheme", "slaves"]


# ---- what was simulated ----

def keys(spec):
    return dict(word.partition("=")[::2]
                for word in spec.partition(":")[2].split(",") if word)


def times(runs, load=None):
    """(kernel, shape) -> {(mode, interval, scheme, slaves): the run}.  Heat
    has the shape "paper", as its dependences ask for rectangles.  `load`:
    of slaves, the loaded ones whose runs are meant; None: all, and the
    dedicated run too where no slave is loaded."""
    found = {}
    for run in runs.to_dict("records"):
        name, slaves = labels.name_of(run["kernel"]), int(run["workers"])
        shape = keys(run["kernel"]).get("shape", "paper")
        scheme = labels.name_of(run["scheme"]).removesuffix("-acp")
        loaded = fit.loads_of(run["load"])
        if not (loaded and load and loaded != load(slaves)):
            found.setdefault((name, shape), {})[
                "non-dedicated" if loaded else "dedicated",
                int(run["sync_interval"]), scheme, slaves] = run
    for runs in found.values():
        for key, run in list(runs.items()) if load is None else ():
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


class Runs:
    """Of tables 2 and 3, as times() has them: `own` with the loads of the
    text, `all_kids` with all kids loaded, `fitted` with the loads that were
    fitted; others[platform] of the alternatives.  first: runs of table 1."""

    def __init__(self, report):
        first, other, loads = (campaign(report, f"ciorba-{name}") for name in (
            "table-1", "alternatives", "loads"))
        main = report.runs[~first & ~other & ~loads]
        alone = main[main["load"].eq("") | main["load"].isna()]
        loaded = pd.concat([alone, report.runs[loads]])
        self.first = report.runs[first]
        self.own = times(loaded, fit.texts_load)
        self.all_kids = times(loaded, fit.all_kids_load)
        self.fitted = times(main)
        alternatives = report.runs[other]
        places = alternatives.apply(assumed.platform_of, axis=1) \
            if len(alternatives) else []
        self.others = {place: times(alternatives[places == place])
                       for place in sorted(set(places))}


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


def table(report, kernel, runs, printed, what="", loads_fitted=False):
    """`what`: in which other reading of the paper these are."""
    cells = {}
    for key in sorted(set(runs) | set(printed), key=order):
        cells[key] = printed.get(key), ours(runs, key)
    number = TABLES[kernel]
    report.beside("_".join([f"table_{number}",
                            *what.replace(",", "").split()]),
                  f"Table {number}: parallel times of {kernel}, seconds"
                  + f" ({what})" * bool(what), KEYS, cells,
                  fitted=lambda key: fit.is_fitted(kernel, key[1], key[3])
                  and (loads_fitted or key[0] == "dedicated"),
                  values=paper_report.AGAIN if what else paper_report.OWN)


def loaded(cells):
    return {key: v for key, v in cells.items() if key[0] != "dedicated"}


def figure(report, kernel, runs, printed, ratio):
    """Equation (1); the paper's serial times are not printed."""
    interval, rows = fit.FIT_INTERVAL[kernel], []
    for mode, h, scheme, m in sorted(runs, key=order):
        if h == interval:
            run = runs[mode, h, scheme, m]
            alone = run["serial_s"] / ratio
            time = printed.get((mode, h, scheme, m))
            power = sum(fit.POWER[s] for s in fit.SLAVES[:m])
            rows.append([mode, scheme, m, power, alone / run["time_s"],
                         alone / time if time else None])
    report.open_with(opening(kernel, rows))
    report.table(
        f"figure_{FIGURES[kernel]}",
        f"Figure {FIGURES[kernel]}: speedups of {kernel}, interval {interval}",
        ["mode", "scheme", "slaves", "power", "ours", "from_printed_time"],
        rows, "over the fastest slave alone (equation 1), by the slaves' "
        "total power; the paper prints no speedup and no serial time: the "
        "last column is our serial time over its parallel time", left=2)


def opening(kernel, rows):
    """The statement of the figure, on all slaves."""
    most = max(row[2] for row in rows)
    words = []
    for mode in dict.fromkeys(row[0] for row in rows):
        # The comparison stands behind the first speedup.
        (name, speedup), *others = [
            (f"DMPS({row[1].upper()})", f"{row[4]:.2f} times")
            for row in rows if row[0] == mode and row[2] == most]
        words.append(labels.listed([
            f"on {most} {mode} slaves it is {speedup} as fast as the fastest "
            f"slave alone under {name}",
            *(f"{speedup} under {name}" for name, speedup in others)]))
    ideal = max(row[3] for row in rows) / max(fit.POWER.values())
    return (f"Figure {FIGURES[kernel]} with our simulated {kernel}: "
            f"{'; '.join(words)}. {ideal:.2g} is ideal.")


def table_1(report, runs):
    """Chunk sizes in the order in which they were handed out."""
    chunks, own = report.results.chunks, {}
    for run in runs.to_dict("records"):
        name = labels.name_of(run["scheme"]).removesuffix("-acp")
        row = name if name != "dtss" else \
            "dtss" if run["power"].startswith("1.5") else "dtss 3:2:1"
        sizes = chunks[chunks["cell"] == run["cell"]].sort_values("start")
        own[row] = [int(size) for size in sizes["size"]]
    rows = []
    for row, printed, values in (
            ("css", "css", paper_report.OWN), ("tss", "tss", paper_report.OWN),
            ("dtss", "dtss dedicated", paper_report.OWN),
            ("dtss non-dedicated", "dtss non-dedicated", paper_report.OWN),
            ("dtss 3:2:1", "dtss dedicated", paper_report.AGAIN)):
        rows += [[values, row, i + 1, *pair] for i, pair in enumerate(
            itertools.zip_longest(fit.printed_chunks(printed),
                                  own.get(row, [])))]
    header = ["scheme", "step", "printed", "ours"]
    for name, values, title in (
            ("table_1", paper_report.OWN,
             "Table 1: chunk sizes of 5000 rows for 9 slaves"),
            ("table_1_3_2_1", paper_report.AGAIN,
             "Table 1: the chunk sizes of DTSS with powers of 3:2:1")):
        part = [row[1:] for row in rows if row[0] == values]
        report.printed(name, title, header, part, [False], values,
                       dtss_row())
    report.say("\n".join(table_1_words(rows)))


def table_1_words(rows):
    yield "Table 1: chunk sizes of 5000 rows for 9 slaves"
    for name in dict.fromkeys(row[1] for row in rows):
        pairs = [row[3:] for row in rows if row[1] == name]
        both = [pair for pair in pairs if None not in pair]
        yield f"  {name}: " + (
            f"{sum(a == b for a, b in pairs)} of {len(pairs)} equal, median "
            f"difference of the first {len(both)} "
            f"{np.median(list(map(percent_off, both))):.1f} %"
            if both else "not repeated, as powers change while the loop runs")
        for title, place in (("printed", 0), ("ours", 1)):
            sizes = [str(p[place]) for p in pairs if p[place] is not None]
            if sizes:
                yield f"    {title:<8}" + " ".join(sizes)
    yield "  " + dtss_row()


CLASSES = (3, 2, 1)     # powers that the printed sizes of DTSS imply


def dtss_row():
    """Whether the printed DTSS row follows from its formula: a chunk is
    A_k (F - D (S + (A_k - 1) / 2)), S being the powers served before."""
    sizes = fit.printed_chunks("dtss dedicated")
    sizes = sizes[:-1]          # the last takes what is left
    total = sum(CLASSES[0 if s == "z" else 1] for s in fit.SLAVES[:6]) + sum(
        CLASSES[2 if i % 2 == 0 else 1] for i in range(3))
    first = sum(fit.ROWS["heat"][:1]) / (2 * total)
    steps = 2 * fit.ROWS["heat"][0] / (first + 1)
    formula = (first - 1) / (steps - 1)
    served, lines = 0, []
    for size in sizes:
        power = min(CLASSES, key=lambda a, s=served: abs(
            a * (first - formula * (s + (a - 1) / 2)) - size))
        lines.append((power, -power * (served + (power - 1) / 2), size))
        served += power
    a, b, size = np.array(lines).T
    (f, d), *_ = np.linalg.lstsq(np.column_stack([a, b]), size, rcond=None)
    return (f"The printed DTSS row does not follow from its formula: powers "
            f"of 3:2:1 (A = {total}) give F = {first:.1f} and D = "
            f"{formula:.2f}, its sizes F = {f:.1f} and D = {d:.2f}.")


# ---- how good it is ----

def percent_off(pair):
    return abs(paper_report.difference(pair))


def predicted(simulated, printed, mode, loads_fitted=False):
    """kernel -> absolute differences, in percent, of the cells that were not
    fitted."""
    return {kernel: np.array([
        percent_off((value, ours(simulated[kernel, "paper"], key[1:])))
        for key, value in printed.items()
        if key[:2] == (kernel, mode)
        and not (fit.is_fitted(kernel, key[2], key[4])
                 and (mode == "dedicated" or loads_fitted))
        and key[1:] in simulated[kernel, "paper"]])
        for kernel, shape in simulated if shape == "paper"}


def aims(report, runs, printed):
    lines = ["How good the predictions are (cells that were not fitted, "
             "floyd-steinberg with shape=paper)"]
    for words, mode, simulated in (
            ("dedicated", "dedicated", runs.own),
            ("non-dedicated, loads of the text", "non-dedicated", runs.own),
            ("non-dedicated, all kids loaded", "non-dedicated",
             runs.all_kids),
            ("non-dedicated, fitted loads", "non-dedicated", runs.fitted)):
        parts = predicted(simulated, printed, mode, simulated is runs.fitted)
        every = np.concatenate(list(parts.values()))
        if not len(every):
            continue
        lines.append(
            f"  {words}: median absolute difference {np.median(every):.2f} % "
            f"of {len(every)} cells, largest {every.max():.1f} %; "
            + ", ".join(f"{k} {np.median(v):.2f} %"
                        for k, v in parts.items() if len(v)))
        if mode == "dedicated":
            reached = np.median(every) <= AIM_PERCENT
            lines.append(f"    the aim, at most {AIM_PERCENT} %, is "
                         f"{'' if reached else 'not '}reached")
    groups = sentences.groups(runs.own, printed)
    good = [sentences.same_best(group) for group in groups]
    reached = sum(good) >= AIM_BEST * len(good)
    lines.append(
        f"  the paper's best scheme is ours in {sum(good)} of {len(good)} "
        "complete groups without fitted cells "
        f"({100 * sum(good) / max(len(good), 1):.1f} %);\n    the aim, "
        f"{100 * AIM_BEST:.0f} %, is {'' if reached else 'not '}reached")
    for group, same in zip(groups, good):
        if not same:
            kernel, mode, interval, m, pairs = group
            lines.append(f"    not in {kernel} {mode} {interval}, {m} slaves: "
                         + ", ".join(f"{s} {a:.4g} {b:.4g}"
                                     for s, (a, b) in pairs.items()))
    report.say("\n".join(lines))


def deviations(report, simulated, printed):
    """The cells with large differences, and their explanation."""
    far = {}
    for (kernel, mode, h, scheme, m), time in printed.items():
        run = simulated[kernel, "paper"].get((mode, h, scheme, m))
        off = run and paper_report.difference((time, run["time_s"]))
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
    runs, printed = Runs(report), fit.Printed().times
    values = used(runs.fitted)
    report.say(fit.explain(values))
    table_1(report, runs.first)
    here = {kernel: {k[1:]: v for k, v in printed.items() if k[0] == kernel}
            for kernel in TABLES}
    for (kernel, shape), own in runs.own.items():
        if shape == "paper":
            table(report, kernel, own, here[kernel])
            figure(report, kernel, own, here[kernel], values.ratio)
    for (kernel, shape), own in runs.fitted.items():
        of_all = (own, here[kernel])
        if shape == "exact":
            table(report, kernel, *of_all, "fitted loads, shape exact", True)
        else:
            table(report, kernel, *map(loaded, of_all), "fitted loads", True)
    for (kernel, shape), own in runs.all_kids.items():
        if shape == "paper":
            table(report, kernel, loaded(own), loaded(here[kernel]),
                  "all kids loaded")
    exact(report, runs.fitted)
    recurrence(report, runs.fitted, values)
    aims(report, runs, printed)
    deviations(report, runs.own, printed)
    sentences.add(report, runs, printed, values)
    assumed.add(report, values, runs, printed)


def main(directory):
    paper_report.main(PAPER, fill, directory)
