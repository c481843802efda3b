"""Andronikos et al., table 2, figures 6 to 8 and what their text says of them.

    bench/papers/report_paper.py andronikos DIR       (make paper-andronikos)
"""
import csv
import os
import sys

import assumed
from analysis import paper_report, paper_values

PAPER = paper_report.Paper(
    "Studying the impact of synchronization frequency on scheduling tasks "
    "with dependencies in heterogeneous systems",
    "Theodore Andronikos, Florina M. Ciorba, Ioannis Riakiotakis, George "
    "Papakonstantinou and Anthony T. Chronopoulos")
CLUSTERS = {1: "10 kids", 2: "6 twins", 3: "5 twins and 5 kids"}
COLUMNS = {1: 20000, 2: 16000, 3: 20000}
# Readings of a message's cost, by the ends of the platforms' names.
READINGS = {"network": "c_d on the wire, processors free",
            "halves": "sender and receiver busy, half of c_d each",
            "processors": "sender and receiver busy, c_d each: formula 1"}
PROTOCOLS = ["subproblem", "dmps"]
# The model and the protocol it is of.
MODELS = {"subproblem": "andronikos", "dmps": "stream"}
# The reading and the protocol of the paper's own formulas.
PAPERS = ("processors", "subproblem")


def reading_of(platform):
    name = os.path.basename(platform).partition(".")[0]
    end = name.rpartition("-")[2]
    return end if end in READINGS else "network"


def experiment_of(platform):
    name = os.path.basename(platform)
    return 3 if name.startswith("twins-kids") else \
        2 if name.startswith("twins") else 1


def chunks_each(run):
    """k: chunks for each worker; chunks of a given size are rounded up."""
    key, _, number = run["scheme"].partition(":")[2].partition("=")
    if key == "k":
        return int(number)
    return round(run["iterations"] / run["workers"] / int(number))


def curves(runs):
    """(experiment, shape, tiles, reading, protocol, k) -> {h: seconds}."""
    found = {}
    for run in runs.to_dict("records"):
        shape = "paper" if "shape=paper" in run["kernel"] else "exact"
        tiles = "chen-xue" if "0.6345" in str(run.get("power")) else "own"
        k = chunks_each(run)
        key = (experiment_of(run["platform"]), shape, tiles,
               reading_of(run["platform"]), run["protocol"], k)
        found.setdefault(key, {})[int(run["sync_interval"])] = run["time_s"]
    return {key: dict(sorted(found[key].items())) for key in sorted(found)}


def least(curve):
    """The h of the least time, and that time."""
    return min(curve.items(), key=lambda point: point[1])


class Predicted:
    """What `dlsbench predict` says, as also.sh wrote it."""

    def __init__(self, directory):
        self.directory = os.path.join(directory, "predicted")

    def rows(self, model, experiment, k):
        path = os.path.join(self.directory, f"{model}-{experiment}-{k}.csv")
        try:
            with open(path, encoding="utf-8") as file:
                return [(float(r["h"]), float(r["time_s"]),
                         r["optimal"] == "1") for r in csv.DictReader(file)]
        except OSError as error:
            sys.exit(f"paper_andronikos.py: {path}: {error.strerror}: "
                     "bench/papers/andronikos/also.sh writes it")

    def best(self, model, experiment, k):
        return next((h, t) for h, t, best in self.rows(model, experiment, k)
                    if best)

    def at(self, model, experiment, k):
        return {int(h): t for h, t, _ in self.rows(model, experiment, k)
                if h == int(h)}


def nearest(curve, h):
    """The interval of the sweep that is nearest."""
    return min(curve, key=lambda x: (abs(x - h), x))


class Cell:
    """A line of table 2, ours: one reading, protocol, experiment and k, with
    the model's best interval and curve."""

    def __init__(self, curve, predicted, model, e, k):
        columns = COLUMNS[e]
        self.curve = curve
        self.model = predicted.at(model, e, k)
        self.h_theory = nearest(curve, predicted.best(model, e, k)[0])
        self.h_actual, self.least_s = least(curve)
        self.at_theory_s = curve[self.h_theory]
        self.gap_s = self.at_theory_s - self.least_s
        self.gap_percent = 100 * self.gap_s / self.least_s
        self.h_gap_percent = 100 * abs(self.h_theory - self.h_actual) / columns


# (column of table_2.csv, title, ours).
PRINTED = [
    ("h_actual", "Table 2: the best interval", lambda c: c.h_actual),
    ("t_at_h_theory_s", "Table 2: seconds at h_theory",
     lambda c: c.at_theory_s),
    ("t_at_h_actual_s", "Table 2: seconds at h_actual", lambda c: c.least_s),
    ("h_gap_percent_of_us", "Table 2: h_theory off by percent of U_s "
     "(experiment 2 is printed over 20,000 columns and has 16,000)",
     lambda c: c.h_gap_percent)]


def beside(report, column, title, value, printed, cells):
    """In the paper's own reading, and in the others."""
    absolute = not column.startswith("t_at")
    own = {key: (paper_values.number(row, column),
                 value(cells[(*PAPERS, *key)]) if (*PAPERS, *key) in cells
                 else None)
           for key, row in printed.items()}
    report.beside(column, title, ["experiment", "k"], own, absolute=absolute)
    again = {key: (paper_values.number(printed[key[2:]], column), value(cell))
             for key, cell in sorted(cells.items()) if key[:2] != PAPERS}
    if again:
        report.beside(f"{column}_again", title,
                      ["messages", "protocol", "experiment", "k"], again,
                      absolute=absolute, values=paper_report.AGAIN)


def table_2(report, found, predicted):
    """(reading, protocol, experiment, k) -> Cell, with the tables."""
    printed = {(int(r["experiment"]), int(r["k"])): r
               for r in paper_values.rows("andronikos", "table_2.csv")}
    cells, lines = {}, []
    for (e, shape, tiles, reading, protocol, k), curve in found.items():
        if (shape, tiles) == ("paper", "own"):
            cells[reading, protocol, e, k] = Cell(curve, predicted,
                                                  MODELS[protocol], e, k)
    report.beside(
        "h_theory", "Table 2: the best interval of the model, h_theory",
        ["experiment", "k"],
        {key: (paper_values.number(row, "h_theory"),
               predicted.best("andronikos", *key)[0])
         for key, row in printed.items()},
        "printed (a multiple of 5), ours, difference", absolute=True)
    for column, title, value in PRINTED:
        beside(report, column, title, value, printed, cells)
    in_nine_columns(report, printed, cells)
    for (reading, protocol, e, k), c in sorted(cells.items()):
        lines.append([reading, protocol, e, k, c.h_theory, c.h_actual,
                      c.at_theory_s, c.least_s, c.gap_s, c.gap_percent,
                      c.h_gap_percent])
    report.table("gaps", "Table 2, ours in full",
                 ["messages", "protocol", "experiment", "k", "h_theory",
                  "h_actual", "T(h_theory)", "T(h_actual)", "gap s", "gap %",
                  "h gap % of U_s"], lines,
                 "h_theory: of the model of the protocol, at the nearest "
                 "interval that was simulated", left=2)
    return cells


def in_nine_columns(report, printed, cells):
    """The printed lines, each above ours."""
    lines = []
    for (e, k), row in printed.items():
        h_t, h_a, t_t, t_a = (paper_values.number(row, n) for n in (
            "h_theory", "h_actual", "t_at_h_theory_s", "t_at_h_actual_s"))
        c = cells.get((*PAPERS, e, k))
        lines.append([e, "printed", k, h_t, h_a, t_t, t_a, t_t - t_a,
                      100 * (t_t - t_a) / t_a, abs(h_t - h_a),
                      paper_values.number(row, "h_gap_percent_of_us")])
        lines += [[e, "ours", k, c.h_theory, c.h_actual, c.at_theory_s,
                   c.least_s, c.gap_s, c.gap_percent,
                   abs(c.h_theory - c.h_actual), c.h_gap_percent]] if c else []
    report.whole(
        "table_2", "Table 2: the interval of the model and the fastest one",
        ["experiment", "", "k", "h_m,t", "h_m,a", "T_a(h_m,t) s",
         "T_a(h_m,a) s", "|dT| s", "dT/T %", "|dh|", "|dh|/U_s %"], lines,
        "The paper prints fractions for dT/T (0.0069 is 0.69 %, as here), and "
        "divides |dh| of experiment 2 by 20,000 columns where it has 16,000.")


def table_1(report):
    report.whole(
        "table_1", "Table 1: what was measured, and is given here",
        ["experiment", "cluster", "c_d us", "c_c us", "c_p kids us",
         "c_p twins us", "c_sched us", "t_m-s ms"],
        [[row["experiment"], row["cluster"],
          *(paper_values.number(row, n) for n in (
              "c_d_us", "c_c_us", "c_p_kid_us", "c_p_twin_us", "c_sched_us",
              "t_ms"))]
         for row in paper_values.rows("andronikos", "table_1.csv")],
        "c_d and c_c: a message and an element of it; c_p: an iteration; "
        "c_sched: a chunk.  The paper prints us for t_m-s, which must be ms.")


def figures(report, found, predicted):
    for e in CLUSTERS:
        stored = []
        for key, curve in found.items():
            if key[:3] == (e, "paper", "own"):
                _, _, _, reading, protocol, k = key
                theory = predicted.at(MODELS[protocol], e, k)
                stored += [[reading, protocol, k, h, theory.get(h), t]
                           for h, t in curve.items()]
        if stored:
            report.store(f"figure_{e + 5}", ["messages", "protocol", "k", "h",
                                             "model_s", "time_s"], stored)


def chen_xue(report, found, predicted):
    """The numbers in the text, and the simulated times of both models' h."""
    lines = {}
    for row in paper_values.rows("andronikos", "chen_xue.csv"):
        e, model = int(row["experiment"]), row["model"]
        name = "andronikos" if model == "andronikos" else "chen-xue"
        h, seconds = predicted.best(name, e, 1)
        if model.startswith("andronikos at"):
            h = None     # given, not found
            seconds = predicted.at("andronikos", e, 1)[162]
        lines[e, model, "h"] = (paper_values.number(row, "h"), h)
        lines[e, model, "T s"] = (paper_values.number(row, "t_theory_s"),
                                  seconds)
    report.beside("chen_xue", "Chen and Xue's model and the authors' own, k = "
                  "1: h and T by the models", ["experiment", "model", "value"],
                  lines)
    rows = []
    for e in CLUSTERS:
        own = found.get((e, "paper", "own", *PAPERS, 1), {})
        theirs = found.get((e, "paper", "chen-xue", *PAPERS, 1), {})
        pair = {1: (29, 30), 2: (39, 40), 3: (162, 35)}[e]
        rows.append([e, pair[0], own.get(pair[0], theirs.get(pair[0])),
                     pair[1], own.get(pair[1]),
                     theirs.get(pair[1]) if theirs else None])
    report.table("chen_xue_simulated", "The same, simulated",
                 ["experiment", "Chen-Xue h", "s", "own h", "s",
                  "own h, Chen-Xue tiles s"], rows,
                 "h as printed; experiment 3 with Chen and Xue's tiles of "
                 "1223 and 776 rows", left=0)
    return {r[0]: r for r in rows}


def exact(report, found):
    rows = []
    for key, curve in found.items():
        e, shape, _, _, protocol, k = key
        if shape == "exact":
            drawn = found.get((e, "paper", "own", PAPERS[0], protocol, k))
            if drawn:
                rows.append([protocol, e, k, *least(curve), *least(drawn)])
    report.table("exact", "What the dependences really ask for: skewed "
                 "sub-chunks (shape=exact)",
                 ["protocol", "experiment", "k", "best h", "s",
                  "rectangles' h", "s"], rows,
                 "messages: " + READINGS[PAPERS[0]], left=1)


# ---- claims ----

def words_of(cells, value):
    return ", ".join(f"{e}/{k}: {value(c)}"
                     for (_, _, e, k), c in sorted(cells.items()))


WHY = {
    "network": "a message that costs the processors nothing is only late, and "
               "only when the pipeline fills: the shortest interval is the "
               "best, whatever c_d is",
    "dmps": "DMPS streams boundaries from one round of chunks into the next: "
            "the pipeline fills once, not k times, so that longer intervals "
            "pay, and the paper's formula, which fills it k times, is not of "
            "this protocol",
}


def claims(report, cells, chen):
    for reading in READINGS:
        for protocol in PROTOCOLS:
            mine = {key: c for key, c in cells.items()
                    if key[:2] == (reading, protocol)}
            if mine:
                claims_of(report, reading, protocol, mine)
    if PAPERS in {key[:2] for key in cells}:
        claims_of_model(report, cells, chen)


def claims_of(report, reading, protocol, mine):
    where = assumed.place(reading, protocol)
    worst = max(mine.values(), key=lambda c: c.h_gap_percent)
    report.claim(
        "h_theory is within 0.175 % of U_s of the best interval", where,
        "each experiment and k: |h_theory - h_actual| <= 0.175 % of U_s, "
        "h_theory being that of the protocol's own model",
        worst.h_gap_percent <= 0.175,
        "h_theory and h_actual by experiment/k: " + words_of(
            mine, lambda c: f"{c.h_theory} {c.h_actual}"),
        "" if worst.h_gap_percent <= 0.175 else
        WHY["network"] if reading == "network" else
        "the curve is flat about its least: " + flatness(worst),
        further=(reading, protocol) != PAPERS)
    worst = max(mine.values(), key=lambda c: c.gap_percent)
    report.claim(
        "using h_theory costs less than 1 % of the least time", where,
        "each experiment and k: T(h_theory) <= 1.0099 T(h_actual), the "
        "largest printed deviation", worst.gap_percent <= 0.99,
        "percent by experiment/k: " + words_of(
            mine, lambda c: f"{c.gap_percent:.2f}"),
        "" if worst.gap_percent <= 0.99 else
        WHY["network"] if reading == "network" else WHY["dmps"],
        further=(reading, protocol) != PAPERS)


def flatness(cell):
    return (f"T({cell.h_theory}) is {cell.gap_percent:.2f} % above "
            f"T({cell.h_actual})")


def claims_of_model(report, cells, chen):
    follows(report, cells)
    sides = {key: (100 * c.curve[min(c.curve)] / c.least_s - 100,
                   100 * c.curve[double(c)] / c.least_s - 100)
             for key, c in cells.items() if key[:2] == PAPERS and double(c)}
    if sides:
        report.claim(
            "below the best interval the time grows fast, above it slowly",
            "figures 6 to 8, section 5.3",
            "subproblem, formula 1, each experiment and k: T at the shortest "
            "interval (10) is further above the least than T at twice the "
            "best",
            all(short > long for short, long in sides.values()),
            "percent above the least at the shortest and at twice the best "
            "interval, by experiment/k: " + words_of(
                sides, lambda s: f"{s[0]:.1f} {s[1]:.1f}"),
            "" if all(short > long for short, long in sides.values()) else
            "the shortest interval that was simulated is near the best")
    for e, (_, theirs, t, own, s, tiles) in chen.items():
        if e == 3:
            continue
        if t is not None and s is not None:
            report.claim(
                "Chen and Xue's model gives similar results",
                f"experiment {e}, section 5.3", "the simulated times at both "
                "h differ by at most 0.1 %", abs(t / s - 1) <= 1e-3,
                f"T({theirs}) = {t:.4f} s, T({own}) = {s:.4f} s")
    _, theirs, t, own, s, tiles = chen[3]
    if None not in (t, s, tiles):
        report.claim(
            "on heterogeneous systems the model improves on Chen and Xue's",
            "experiment 3, section 5.3",
            "their h = 162 with their tiles takes longer than h = 35", t > s,
            f"T({theirs}) = {t:.4f} s, T({own}) = {s:.4f} s; with their "
            f"tiles and h = {own} {tiles:.4f} s: nearly all of it is the "
            "interval; but their formula as printed gives h = 32.3, not 162")
    streams = {key: c for key, c in cells.items()
               if key[:2] == (PAPERS[0], "dmps") and key[3] > 1}
    if not streams:
        return
    report.claim(
        "formulas (7) and (12) give the interval for k chunks for each worker",
        "section 3 and 4, under DMPS as it is defined by its authors",
        "dmps, k = 4 and 8: the paper's h is within 0.175 % of U_s of the "
        "best", all(abs(cells[(*PAPERS, e, k)].h_theory - c.h_actual)
                    <= 0.00175 * COLUMNS[e]
                    for (_, _, e, k), c in streams.items()),
        "the paper's h and the best by experiment/k: " + ", ".join(
            f"{e}/{k}: {cells[(*PAPERS, e, k)].h_theory} {c.h_actual}"
            for (_, _, e, k), c in sorted(streams.items())), WHY["dmps"],
        further=True)


def follows(report, cells):
    """The model's curve, ours, and what the authors measured."""
    off = {key: max(abs(100 * t / c.model[h] - 100)
                    for h, t in c.curve.items() if h in c.model)
           for key, c in cells.items() if key[:2] == PAPERS}
    printed = {(int(r["experiment"]), int(r["k"])):
               paper_values.number(r, "t_at_h_theory_s")
               for r in paper_values.rows("andronikos", "table_2.csv")}
    above = {key: 100 * printed[key[2:]] / c.model[c.h_theory] - 100
             for key, c in cells.items() if key[:2] == PAPERS}
    report.claim(
        "the theoretical curve follows the actual one",
        "figures 6 to 8, section 5.3",
        "subproblem, formula 1: every simulated time is within 1 % of "
        "formulas (3), (5), (8) and (10)", max(off.values()) <= 1,
        "largest deviation in percent by experiment/k: " + words_of(
            off, lambda p: f"{p:.2f}") + "; what the authors measured is, in "
        "percent, above their formulas by " + words_of(above, "{:.1f}".format),
        "" if max(off.values()) <= 1 else
        "chunks are whole rows: those left over make a round of their own")


def double(cell):
    """Twice the best interval, or the nearest that was simulated; None: the
    best is the longest."""
    longer = [h for h in cell.curve if h > cell.h_actual]
    return min(longer, key=lambda h: abs(h - 2 * cell.h_actual), default=None)


def opening(cells):
    """The statements that the figures support."""
    own = {key: c for key, c in cells.items() if key[:2] == PAPERS}
    if not own:
        return []
    off = max(abs(c.h_theory - c.h_actual) for c in own.values())
    lost = max(c.gap_percent for c in own.values())
    return [f"Figures 6 to 8: our simulated time falls fast up to the best "
            f"interval and then grows slowly.  The interval of the formula is "
            f"at most {off} columns off the fastest that we simulated, and "
            f"takes at most {max(lost, 0.01):.2f} % longer."]


def fill(report):
    found = curves(report.runs)
    predicted = Predicted(report.directory)
    report.say("Fitted: nothing.  c_p, c_d, c_c and c_sch are table 1's.\n"
               "Printed wrong: column 7 of table 2 and the text on it have "
               "fractions, not percent\n(0.0069 is 0.69 %).")
    table_1(report)
    cells = table_2(report, found, predicted)
    for sentence in opening(cells):
        report.open_with(sentence)
    figures(report, found, predicted)
    chen = chen_xue(report, found, predicted)
    exact(report, found)
    claims(report, cells, chen)
    assumed.add(report, sorted({key[:2] for key in cells}), READINGS, PAPERS)


def main(directory):
    paper_report.main(PAPER, fill, directory)
