"""Values printed in the papers (bench/papers/NAME/*.csv), next to cells of a
campaign that repeats one.  A campaign is a paper's if its name holds the
paper's first author."""
import csv
import os

from . import labels

FOLDER = os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "bench", "papers")
PAPERS = ["ciorba", "diaz", "andronikos", "han", "beaumont"]
# Diaz' trapezoid is Taylor's form; the other schemes have the same names.
DIAZ = {"css": "css", "gss": "gss", "tss-taylor": "tss", "fss": "fss",
        "qss": "qss"}


def paper_of(name):
    """The paper a campaign repeats, or None."""
    words = name.lower().replace("_", "-").split("-")
    return next((p for p in PAPERS if p in words), None)


def rows(paper, name, folder=FOLDER):
    """The lines of a printed table, such as rows("ciorba", "table_1.csv")."""
    path = os.path.join(folder, paper, name)
    try:
        with open(path, encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except OSError:
        return []


def number(row, name):
    try:
        return float(row.get(name) or "")
    except ValueError:
        return None


def ciorba_times():
    """(kernel, mode, interval, scheme, workers) -> seconds."""
    return {(r["kernel"], r["mode"], float(r["sync_interval"]),
             r["scheme"].partition(":")[2], float(r["slaves"])):
            number(r, "time_s") for r in rows("ciorba", "tables_2_3.csv")}


def diaz(name, suffix):
    """(tasks, workers, scheme) -> value."""
    return {(float(r["tasks"]), float(r["processors"]), ours):
            number(r, theirs + suffix)
            for r in rows("diaz", name) for ours, theirs in DIAZ.items()}


def andronikos():
    """(rows, columns, workers, with powers, k) -> (theoretical, actual
    optimum, seconds at the actual one)."""
    problems = {r["experiment"]: (
        *(number(r, n) for n in ("image_uc", "image_us", "workers")),
        bool(r["c_p_kid_us"] and r["c_p_twin_us"]))
        for r in rows("andronikos", "table_1.csv")}
    return {(*problems[r["experiment"]], number(r, "k")): tuple(
        number(r, n) for n in ("h_theory", "h_actual", "t_at_h_actual_s"))
        for r in rows("andronikos", "table_2.csv")}


def chunks_per_worker(cell, iterations):
    """k of a cell: static and css without a size have one chunk each."""
    name, keys = labels.parts(cell["scheme"])
    if name == "static" or name == "css" and "chunk" not in keys:
        return 1.0
    return iterations / (float(keys["chunk"]) * cell["workers"]) \
        if name == "css" else None


class Printed:
    """Looks up what is printed for a cell of the summary; None if nothing."""

    def __init__(self, campaign):
        self.paper = paper_of(campaign)
        self._ciorba = ciorba_times() if self.paper == "ciorba" else {}
        self._times = diaz("table_4.csv", "_s") \
            if self.paper == "diaz" else {}
        self._intervals = andronikos() if self.paper == "andronikos" else {}
        self._chunks = diaz("table_3.csv", "") \
            if self.paper == "diaz" else {}

    def time_s(self, cell):
        scheme = labels.name_of(cell["scheme"])
        if self.paper == "ciorba":
            scheme = scheme.removesuffix("-acp")  # printed as DTSS
            mode = "non-dedicated" if cell.get("load") else "dedicated"
            return self._ciorba.get((labels.name_of(cell["kernel"]), mode,
                                     cell["sync_interval"], scheme,
                                     cell["workers"]))
        return self._times.get((cell["iterations"], cell["workers"], scheme))

    def optimum(self, cell):
        """(theoretical, actual optimal interval, seconds at it)."""
        if not self._intervals:
            return None
        keys = labels.parts(cell["kernel"])[1]
        rows, columns = (float(keys.get(n) or "nan") for n in ("rows", "cols"))
        return self._intervals.get((rows, columns, cell["workers"],
                                    bool(cell.get("power")),
                                    chunks_per_worker(cell, rows)))

    def chunks(self, cell):
        return self._chunks.get((cell["iterations"], cell["workers"],
                                 labels.name_of(cell["scheme"])))
