"""Hardware and software counters of workers, by whatever name they have."""
import pandas as pd

# Columns of a worker line that are no counters (results/README.md).
USUAL = {"launch", "cell", "repetition", "worker", "rank", "core", "bound",
         "power", "queue", "available", "iterations", "chunks", "compute_s",
         "wait_s", "serve_s", "sync_s", "finish_s", "overhead_s", "simulated"}


class Found:
    """names of the counters; frame: a row per cell with them per iteration."""

    def __init__(self, names, frame):
        self.names, self.frame = names, frame


def names(workers):
    """Counts: numbers that are no times and no known column."""
    return [n for n in workers.columns if n not in USUAL
            and pd.api.types.is_float_dtype(workers[n])
            and not n.endswith("_s") and workers[n].notna().any()]


def per_iteration(results, frame):
    """Means over the repetitions of a cell, all workers together; None
    without counters."""
    workers = results.workers
    if workers.empty or not names(workers):
        return None
    found = names(workers)
    by = workers.groupby("cell", observed=True)
    sums = by[found].sum(min_count=1)
    iterations = by["iterations"].sum()
    table = sums.div(iterations, axis=0).dropna(how="all")
    derived(table)
    columns = [n for n in table.columns]
    table = table.reset_index()
    table["cell"] = table["cell"].astype(object)
    keep = ["cell", "simulated", "kernel", "loop", "scheme", "setup",
            "workers", "interval"]
    return Found(columns, frame[[k for k in keep if k in frame]].merge(
        table, on="cell"))


def derived(table):
    """Instructions per cycle where both were counted."""
    for cycles in [n for n in table.columns if n.endswith("PAPI_TOT_CYC")]:
        instructions = cycles[:-len("TOT_CYC")] + "TOT_INS"
        if instructions in table:
            table[cycles[:-len("PAPI_TOT_CYC")] + "IPC"] = \
                table[instructions] / table[cycles]


def short(name):
    return name.replace("counters.", "").replace("PAPI_", "")


def words(value):
    return "-" if value != value else f"{value:.4g}"


def reason(results):
    """Why there are none, as the manifests say."""
    found = {str(m.get("machine", {}).get("counters")) for m in
             results.manifests if isinstance(m.get("machine"), dict)}
    return "; ".join(sorted(found - {"None"})) \
        + " on this machine, none in the records" if found - {"None"} \
        else "none in the records"
