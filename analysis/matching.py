"""Matches cells for a comparison: the columns that must be equal, and the
samples of a pair."""
import math

import pandas as pd

from . import labels, predicted, stats


class Refusal(Exception):
    """The two cannot be compared; the text says why."""


def key_columns(a, b, across):
    """The results of both sides for a cell.  A column of a later version that
    only one side has cannot tell cells apart."""
    names = [n for n in a.cells if n in b.cells]
    # How it was really done (shared or rma) is a result of `auto`.
    return sorted(set(names) - {"window", across})


def key_words(row, names):
    """The same text for 2 and 2.0, null and missing.  An interval that a
    model chose may differ between the sides."""
    row = dict(row)
    if labels.known(row.get("sync_choice")) \
            and row["sync_choice"] != predicted.GIVEN:
        row["sync_interval"] = None
    return tuple("" if pd.isna(row[n]) else f"{row[n]:g}"
                 if isinstance(row[n], float) else str(row[n]) for n in names)


def keyed(frame, names, apart, across):
    """key -> row, for every row of a frame of cells."""
    found = {}
    for row in frame.to_dict("records"):
        extra = (bool(row.get("simulated")),) if apart else ()
        key = key_words(row, names) + extra
        if across and key in found:
            raise Refusal(
                f"--across {across}: {row['kernel']} has two on one side, "
                f"{found[key][across]} and {row[across]}: one is allowed")
        found[key] = row
    return found


def is_mixed(results):
    return results.runs["simulated"].nunique() > 1


def runs_of(runs):
    """(cell, simulated) -> the rows of its repetitions."""
    return {key: part for key, part in
            runs.groupby(["cell", "simulated"], observed=True, sort=False)}


def differ(here, there):
    return here != there and not math.isnan(here)


def name_of(row):
    text = f"{row['loop']} {row['scheme']} over {row['label']}"
    if row["interval_words"]:
        text += f", interval {row['interval_words']}"
    return text


def times_of(runs, several):
    """The samples: medians of launches, or single repetitions."""
    if not several:
        return runs["time_s"].to_numpy()
    return runs.groupby("launch", observed=True)["time_s"].median().to_numpy()


def pair(here, there, samples):
    runs = [side[(row["cell"], row["simulated"])]
            for side, row in zip(samples, (here, there))]
    several = not here["simulated"] \
        and max(here["launches"], there["launches"]) > 1
    a, b = (times_of(r, several) for r in runs)
    words = [row["scheme"] for row in (here, there)]
    cells_of = (here["cell"], there["cell"])
    if words[0] != words[1]:
        here = {**here, "scheme": " -> ".join(words)}
    return {**here, "cells": cells_of, "runs": runs, "times": (a, b),
            "several": several, "name": name_of(here),
            "a_s": stats.median_ci(a)[0], "b_s": stats.median_ci(b)[0],
            "na": len(a), "nb": len(b),
            "unit": "launches" if several else "repetitions"}
