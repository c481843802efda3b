"""Loops with dependences, as Ciorba et al. print them: parallel time by
interval, scheme and workers, dedicated and not, and the speedup over the
fastest worker alone against the power of all."""
import math

from . import grid, labels, machine, records, speedup_limits

COLUMNS = ["kernel", "mode", "sync_interval", "scheme", "workers", "time_s",
           "load", "power", "total_power", "speedup", "way", "ratio"]


def way(row):
    """The common columns of one table's cells, without the loop."""
    words = "threads" if row["ranks"] == 1 else "ranks" \
        if row["threads"] == 1 else f"ranks of {row['threads']:g} threads"
    words += ", " + row["way"]
    simulation = labels.simulation(row)
    words += f", on {simulation}" if simulation else ""
    return words + labels.unranked(row)


def cells(results, frame):
    """The cells of these tables, in the order of their rows, with the columns
    of COLUMNS and `loop`.  What goes wrong on purpose has its own table."""
    if frame.empty or frame["interval"].isna().all():
        return []
    here = frame[frame["interval"].notna()]
    if "perturb" in here:
        here = here[here["perturb"].isna() | (here["perturb"] == "none")]
    needs = "power" in here and (here["power"] == machine.MEASURED).any()
    known, models = results.powers if needs else {}, results.models
    serial = speedup_limits.serial_loops(results.runs)
    rows = [entry(row, known, serial) | {
        "ratio": models.get(row["cell"], {}).get("ratio", math.nan)}
            for row in records.of(here)]
    loops = {row["kernel"]: i for i, row in enumerate(reversed(rows))}
    return sorted(rows, key=lambda row: (
        -loops[row["kernel"]], row["way"], row["sync_interval"],
        labels.position(row["of"], labels.SCHEMES), column(row)))


def entry(row, known, serial):
    first, total = machine.weight(row, known)
    loop = serial.get(speedup_limits.words(
        row[n] for n in speedup_limits.SAME if n in row))
    # Natively worker 0 measures the loop; simulated, the platform knows.
    alone = math.nan if row["refused"] else row["alone_s"] \
        if row["simulated"] else \
        (loop.time[0] if loop else math.nan) * first
    load = row.get("load") or ""
    return {"kernel": row["kernel"], "loop": row["loop"],
            "mode": "non-dedicated" if load else "dedicated",
            "sync_interval": row["interval"], "of": row["scheme"],
            "scheme": f"dmps:{row['scheme']}", "workers": row["workers"],
            "time_s": row["time_s"], "load": load,
            "power": row.get("power") or "", "total_power": total,
            "speedup": alone / row["time_s"], "way": way(row)}


def column(row):
    """Dedicated ones first."""
    return bool(row["load"]), row["workers"], row["load"], row["power"]


def mode(row):
    return f"load {row['load']}" if row["load"] else "dedicated"


def column_words(row):
    power = f", power {row['power']}" if row["power"] else ""
    return (f"{labels.count(int(row['workers']), 'worker')}{power}, "
            + mode(row))


def power_words(value):
    return "-" if math.isnan(value) else f"{value:.4g}"


def unique(rows, key):
    """One row of each kind, in the order of the kinds."""
    return [found for _, found in sorted(
        {key(row): row for row in reversed(rows)}.items())]


def scheme(row):
    return labels.position(row["of"], labels.SCHEMES)


def time_grid(title, rows):
    columns = unique(rows, column)
    lines = {}
    for row in rows:
        lines.setdefault((row["sync_interval"], *scheme(row)), {})[
            column(row)] = row
    return grid.Grid(
        f"Parallel time: {title}",
        ["interval", "scheme", *map(column_words, columns)],
        [[f"{key[0]:g}", f"DMPS({key[-1]})",
          *(labels.seconds(at[column(c)]["time_s"])
            if column(c) in at else "-" for c in columns)]
         for key, at in sorted(lines.items())],
        "by synchronization interval, scheme and workers", left=2)


RATIO = ("the least of all chunks, H V c_p / (2 (c_d + H c_c)), by the "
         "calibration")


def speedup_grid(title, rows, what="Speedup", of="speedup", digits=4,
                 note="over the fastest worker alone, against the power of "
                 "all"):
    schemes = unique(rows, scheme)
    powers = any(row["power"] for row in rows)
    lines = {}
    for row in rows:
        lines.setdefault((row["sync_interval"], column(row)), {})[
            scheme(row)] = row
    return grid.Grid(
        f"{what} under DMPS(scheme): {title}",
        ["interval", "mode", "workers", *["power"] * powers, "total power",
         *(s["of"] for s in schemes)],
        [[f"{h:g}", mode(first), f"{first['workers']:g}",
          *[first["power"]] * powers, power_words(first["total_power"]),
          *(labels.significant(at[scheme(s)][of], digits)
            if scheme(s) in at else "-" for s in schemes)]
         for (h, _), at in sorted(lines.items())
         for first in [next(iter(at.values()))]],
        note, left=2)


def tables(results, frame):
    """Two grids for each loop and way, a third where its costs are known."""
    blocks = {}
    for row in cells(results, frame):
        blocks.setdefault((row["kernel"], row["way"]), []).append(row)
    for (_, words), rows in blocks.items():
        title = f"{rows[0]['loop']}, {words}"
        yield time_grid(title, rows)
        yield speedup_grid(title, rows)
        if not all(math.isnan(row["ratio"]) for row in rows):
            yield speedup_grid(title, rows, "Computation to communication",
                               "ratio", 3, RATIO)


def lines(results, frame):
    """Rows of sync-tables.csv."""
    return [[row[name] for name in COLUMNS] for row in cells(results, frame)]
