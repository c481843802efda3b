"""One page for a cluster: the papers' tables of whatever ran there.

Han and Chronopoulos: speedup over the single master with the fewest workers
(figures 7 and 8), time and overhead by masters and workers (3 to 6).  Ciorba
et al.: times by interval, workers and load (tables 2 and 3).  Andronikos et
al.: theoretical against actual optimum (table 2).  Diaz et al.: chunks by
scheme (table 3).  Then what is lost to what.
"""
from . import bases, grid, labels, losses, records, sweep, sync

MASTERS_ONLY = ["master"]


def masters(row):
    """1 of a flat master, 4x4 of a tree."""
    return "1" if row["hierarchy"] == "flat" else str(row["hierarchy"])


def below_masters(frame):
    """Cells below masters, of loops that ran with several numbers of
    workers; nothing disturbed."""
    here = frame[frame["transport"].isin(MASTERS_ONLY)
                 & frame["interval"].isna()]
    if "load" in here:
        here = here[here["load"].isna() | (here["load"] == "")]
    counts = here.groupby("kernel")["workers"].transform("nunique")
    return here[counts > 1]


def loops(frame):
    """[(words, cells)] of each loop, simulated platforms apart."""
    for kind, here in losses.kinds(frame):
        for _, part in here.groupby("kernel", sort=False):
            yield part["loop"].iloc[0] + kind, part


def by_masters(part, words, title, caption):
    """Schemes and masters down, workers across."""
    counts = sorted(part["workers"].unique())
    groups = {}
    for row in records.of(part):
        key = row["scheme"], masters(row), str(row["master"])
        at = groups.setdefault(key, {})
        if row["workers"] not in at or \
                row["time_s"] < at[row["workers"]]["time_s"]:
            at[row["workers"]] = row
    rows = [[*key, *(words(at[p]) if p in at else "" for p in counts)]
            for key, at in sorted(groups.items(), key=lambda item: (
                labels.position(item[0][0], labels.SCHEMES),
                labels.natural(item[0][1]), item[0][2]))]
    return grid.Grid(title, ["scheme", "masters", "that are",
                             *(labels.count(int(p), "worker")
                               for p in counts)], rows, caption, left=1)


def han(results, frame):
    based = frame.copy()
    try:
        bases.apply(results, based, bases.SINGLE)
    except bases.BaseError:
        return
    for loop, part in loops(below_masters(based)):
        yield by_masters(
            part, lambda r: labels.number(float(r["speedup"]), 3),
            f"Speedup: {loop} (as Han and Chronopoulos, figures 7 and 8)",
            "over " + str(part["base"].iloc[0]))
        yield by_masters(
            part, lambda r: labels.seconds(r["time_s"]),
            f"Time: {loop} (figures 3 and 4)", "median")
        yield by_masters(
            part, lambda r: labels.seconds(r["overhead_mean_s"]),
            f"Overhead: {loop} (figures 5 and 6)",
            "T_total - T_computation, mean over the workers")


def diaz(frame):
    """Chunks of one master or none, the schemes down."""
    here = frame[(frame["hierarchy"] == "flat") & frame["interval"].isna()]
    counts = here.groupby("kernel")["workers"].transform("nunique")
    for loop, part in loops(here[counts > 1]):
        workers = sorted(part["workers"].unique())
        chunks = part.groupby(["scheme", "workers"])["chunks"].median()
        rows = [[scheme, *(labels.number(float(chunks[scheme, p]), 1)
                           if (scheme, p) in chunks else ""
                           for p in workers)]
                for scheme in sorted(part["scheme"].unique(), key=lambda s:
                                     labels.position(s, labels.SCHEMES))]
        yield grid.Grid(
            f"Chunks: {loop} (as Diaz et al., table 3)",
            ["scheme", *(labels.count(int(p), "worker") for p in workers)],
            rows, "without a hierarchy", left=1)


def optima(results, frame):
    found = sweep.find(results, frame)
    if any(one.model for one in found):
        yield sweep.optima(found)
    elif found:
        yield sweep.measured(found)


def parts(results, frame):
    """[(title, grids)] of what is there; nothing where no loop ran below
    masters with several numbers of workers."""
    found = [("Speedup, time and overhead by masters and workers",
              list(han(results, frame)))]
    if not found[0][1]:
        return []
    found += [
        ("Efficiency, and what is lost to what",
         list(losses.tables(results, frame))),
        ("By synchronization interval, workers and scheme",
         list(sync.tables(results, frame))),
        ("Theoretical and actual optimal interval",
         list(optima(results, frame))),
        ("Chunks by scheme", list(diaz(frame)))]
    return [part for part in found if part[1]]
