"""The workers of a cell: their powers and the load on their cores."""
import math

MEASURED = "measured"


def loads(text, workers):
    """Competing processes on the core of each worker, of `w0-w2:1,w5`."""
    found, group = [0] * workers, []
    for word in (text or "").split(",") if text else ():
        name, _, count = word.partition(":")
        first, _, last = name.partition("-")
        group += range(int(first[1:]), min(int((last or first)[1:]) + 1,
                                           workers))
        if count:
            add(found, group, int(count))
            group = []
    add(found, group, 1)
    return found


def add(found, group, count):
    for worker in group:
        found[worker] += count


def given(text, workers):
    """Powers of `1,2:0.5`; all 1 of an empty list."""
    found = []
    for word in text.split(",") if text else ():
        count, colon, value = word.rpartition(":")
        found += [float(value)] * (min(int(count), workers) if colon else 1)
    return found or [1.0] * workers


WORKERS_MOST = 1 << 24  # more are no cell's


def powers(row, known):
    """Powers of a cell's workers without their load, and the load.  Measured
    ones hold the load already (known: those of the loader)."""
    workers = int(row["workers"])
    if workers > WORKERS_MOST:
        raise ValueError("workers")
    load = loads(row.get("load"), workers)
    if row.get("power") != MEASURED:
        return given(row.get("power"), workers), load
    of = known.get(row["cell"], {})
    return [of[w] * (1 + load[w]) for w in range(workers)], load


def weight(row, known):
    """(V_0 / max V, the sum of V over 1 + n): what the serial time is of the
    fastest worker's, and the power that the load leaves.  NaN: not known."""
    try:
        power, load = powers(row, known)
        return power[0] / max(power), sum(
            v / (1 + n) for v, n in zip(power, load, strict=True))
    except (ArithmeticError, LookupError, MemoryError, ValueError):
        return math.nan, math.nan  # nobody recorded them, or damaged
