"""Sweeps over the synchronization interval: the predicted best h against the
measured best, as in Andronikos et al., table 2.

A sweep is three or more given intervals of otherwise equal cells.  The model's
predictions are in sync-model.csv (dlsbench predict --of).  Times at predicted
intervals come from cells with sync_interval auto, andronikos and chen-xue.
Without such a cell, and for the model without skew, they are interpolated
between the measured intervals, linearly over log h.
"""
import math

from . import grid, labels, predicted, records, stats

POINTS_LEAST = 3
# Columns in which a sweep's cells differ.
FREE = ["cell", "sync_interval", "sync_choice"]
# Column of sync-model.csv -> its name in sync-interval.csv.
CHOICES = {"h_auto": "theory", "h_andronikos": "andronikos",
           "h_chen_xue": "chen_xue", "h_no_skew": "no_skew"}
# Further grouping columns, as sync-interval.csv has them.
REST = ["master", "window", "collect", "bind", "rank_per", "memory", "timing",
        "power", "load", "placement", "smt", "prefetch", "min_chunk"]
COLUMNS = ["kernel", "layout", "transport", "hierarchy", "protocol", "scheme",
           "k", "h_theory", "h_actual", "t_at_h_theory_s", "t_at_h_actual_s",
           "t_at_h_actual_ci95_s", "h_gap_percent_of_us", "time_lost_percent",
           "t_predicted_s",
           *(name.format(word) for word in ("andronikos", "chen_xue",
                                            "no_skew")
             for name in ("h_{}", "t_at_h_{}_s", "h_{}_measured")),
           "t_error_percent", "t_error_no_skew_percent", *REST,
           "oversubscribed", "simulation"]


class Sweep:
    """Cells by h, and of the model: `model` (the same of all cells but for
    model_s and no_skew_s; None: not known)."""

    def __init__(self, rows, models):
        self.rows = sorted(rows, key=lambda row: row["interval"])
        self.cell = self.rows[0]
        self.unranked = labels.unranked(self.cell)
        self.of = [models.get(row["cell"]) for row in self.rows]
        self.model = None if None in self.of else self.of[0]
        self.best = None if self.unranked else min(
            self.rows, key=lambda row: row["time_s"])

    def time(self, h):
        """Measured, or between the neighbours; NaN outside."""
        before = None
        for row in self.rows:
            here = row["interval"]
            if here == h:
                return row["time_s"]
            if before is not None and before["interval"] < h < here:
                share = math.log(h / before["interval"]) / math.log(
                    here / before["interval"])
                return before["time_s"] + share * (row["time_s"]
                                                   - before["time_s"])
            before = row
        return math.nan

    def choice(self, name):
        """(h, time there, time lost over the best, whether it was measured)
        of a column of the model."""
        if self.model is None:
            return math.nan, math.nan, math.nan, False
        h = self.model[name]
        time_s = self.time(h)
        lost = time_s / self.best["time_s"] - 1 if self.best else math.nan
        return h, time_s, lost, any(r["interval"] == h for r in self.rows)

    def error(self, name):
        """Mean of |predicted / measured - 1| over all h."""
        if self.model is None:
            return math.nan
        return sum(abs(m[name] / row["time_s"] - 1) for m, row in
                   zip(self.of, self.rows)) / len(self.rows)

    def gap(self):
        if self.model is None or self.best is None:
            return math.nan
        return abs(self.model["h_auto"] - self.best["interval"]) \
            / self.model["columns"]

    def half(self, row):
        """Half the 95 % interval of a cell's time."""
        if row is None or row["n"] < stats.CI_LEAST:
            return math.nan
        return (row["time_s_high"] - row["time_s_low"]) / 2


def find(results, frame):
    if frame.empty or "sync_choice" not in frame:
        return []
    here = frame[frame["interval"].notna()]
    if "perturb" in here:
        here = here[here["perturb"].isna() | (here["perturb"] == "none")]
    same = ["simulated", "oversubscribed", "unranked", *(
        n for n in results.cells if n in here and n not in FREE)]
    groups = {}
    for row in records.of(here):
        groups.setdefault(tuple(str(row[n]) for n in same), []).append(row)
    models = results.models
    sweeps = [Sweep(rows, models) for rows in groups.values()
              if sum(row["sync_choice"] == predicted.GIVEN for row in rows)
              >= POINTS_LEAST]
    return sorted(sweeps, key=lambda sweep: sweep.cell["kernel"])


def whole(value):
    return "-" if math.isnan(value) else f"{value:.0f}"


def signed(value):
    return "-" if math.isnan(value) else f"{100 * value:+.1f} %"


def curve(sweep, number):
    """T over h of one sweep."""
    skewed = sweep.model is not None and sweep.model["skew"] > 0
    models = () if not any(sweep.of) else \
        ("model_s", "no_skew_s") if skewed else ("model_s",)
    rows = []
    for row, model in zip(sweep.rows, sweep.of):
        star = "* " if sweep.best is row else ""
        choice = row["sync_choice"]
        line = [f"{star}{row['interval']:.0f}",
                "" if choice == predicted.GIVEN else choice,
                labels.seconds(row["time_s"]), labels.seconds(sweep.half(row))]
        for name in models:
            time_s = model[name] if model else math.nan
            line += [labels.seconds(time_s),
                     signed(time_s / row["time_s"] - 1)]
        rows.append(line)
    cell = sweep.cell
    return grid.Grid(
        f"Sweep {number} over h: {cell['loop']}, {cell['scheme']}, "
        f"{cell['label']}{sweep.unranked}",
        ["h", "by", "median", "+/-",
         *(word for name in models for word in (
             "no skew" if name == "no_skew_s" else "T model", "error"))], rows,
        "+/- half the 95 % interval; * shortest median", left=0)


def names(sweep, number):
    cell = sweep.cell
    return [str(number), cell["kernel"].split(":")[0],
            f"{cell['layout']} {cell['transport']}", cell["scheme"]]


# The text of tables without a model, and how to get one.
LACKING = ("no theory: a calibration is lacking (there is no sync-model.csv "
           "of these loops; with a calibration.json beside the runs, dlsbench "
           "predict --of DIR makes it)")
TABLE_2 = "Theoretical against actual optimum (Andronikos et al., table 2)"


def measured(sweeps):
    """Without any model: what was measured alone."""
    rows = []
    for number, sweep in enumerate(sweeps, 1):
        best = sweep.best or {"interval": math.nan, "time_s": math.nan}
        rows.append([*names(sweep, number), whole(best["interval"]),
                     labels.seconds(best["time_s"]),
                     labels.percent(sweep.half(sweep.best) / best["time_s"])])
    return grid.Grid(
        TABLE_2, ["sweep", "kernel", "layout", "scheme", "h best", "t best",
                  "+/-"], rows,
        "+/- half the 95 % interval of t best; " + LACKING, left=4)


def optima(sweeps):
    rows = []
    for number, sweep in enumerate(sweeps, 1):
        h, time_s, lost, _ = sweep.choice("h_auto")
        best = sweep.best or {"interval": math.nan, "time_s": math.nan}
        model = sweep.model or {"k": math.nan, "auto_s": math.nan}
        rows.append([*names(sweep, number), whole(model["k"]), whole(h),
                     whole(best["interval"]), labels.percent(sweep.gap(), 3),
                     labels.seconds(time_s), labels.seconds(best["time_s"]),
                     labels.percent(sweep.half(sweep.best) / best["time_s"]),
                     signed(lost), labels.seconds(model["auto_s"]),
                     signed(model["auto_s"] / time_s - 1)])
    known = all(sweep.model for sweep in sweeps)
    return grid.Grid(
        TABLE_2,
        ["sweep", "kernel", "layout", "scheme", "k", "h model", "h best",
         "gap", "t model", "t best", "+/-", "time lost", "T model", "error"],
        rows, "gap in % of the columns, +/- half the 95 % interval of t best"
        + ("" if known else "; -: " + LACKING), left=4)


def others(sweeps):
    rows = []
    for number, sweep in enumerate(sweeps, 1):
        row = names(sweep, number)
        for name in ("h_andronikos", "h_chen_xue", "h_no_skew"):
            h, _, lost, _ = sweep.choice(name)
            row += [whole(h), signed(lost)]
        rows.append(row + [labels.percent(sweep.error("model_s")),
                           labels.percent(sweep.error("no_skew_s"))])
    return grid.Grid(
        "Other models' intervals, and the error of T",
        ["sweep", "kernel", "layout", "scheme", "h andronikos", "time lost",
         "h chen-xue", "time lost", "h no skew", "time lost", "error of T",
         "no skew"], rows,
        "mean over all h, with and without the skew", left=4)


def tables(results, frame):
    sweeps = find(results, frame)
    for number, sweep in enumerate(sweeps, 1):
        yield curve(sweep, number)
    if any(sweep.model for sweep in sweeps):
        yield optima(sweeps)
        yield others(sweeps)
    elif sweeps:
        yield measured(sweeps)


def line(sweep):
    """A sweep as a row of sync-interval.csv."""
    best = sweep.best or {"interval": math.nan, "time_s": math.nan}
    model = sweep.model or {"k": math.nan, "auto_s": math.nan}
    found = {**{name: sweep.cell.get(name) for name in COLUMNS},
             "k": model["k"], "h_actual": best["interval"],
             "t_at_h_actual_s": best["time_s"],
             "t_at_h_actual_ci95_s": 2 * sweep.half(sweep.best),
             "h_gap_percent_of_us": 100 * sweep.gap(),
             "t_predicted_s": model["auto_s"],
             "t_error_percent": 100 * sweep.error("model_s"),
             "t_error_no_skew_percent": 100 * sweep.error("no_skew_s"),
             "oversubscribed": bool(sweep.unranked),
             "simulation": labels.simulation(sweep.cell)}
    for name, word in CHOICES.items():
        h, time_s, lost, measured = sweep.choice(name)
        found[f"h_{word}"], found[f"t_at_h_{word}_s"] = h, time_s
        found[f"h_{word}_measured"] = measured
        if word == "theory":
            found["time_lost_percent"] = 100 * lost
    return [found[name] for name in COLUMNS]


def lines(results, frame):
    """Rows of sync-interval.csv."""
    return [line(sweep) for sweep in find(results, frame)]
