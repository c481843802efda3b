"""Time, speedup and overhead against the number of workers: a panel for each
setup and a line for each scheme."""
from .. import cells, labels, machine, records
from . import han_masters, style

MOST_LINES, BEST, SIMPLE = 28, 10, ["static", "ss"]
WHAT = [("time", "time_s", "Time against workers"),
        ("speedup", "speedup", "Speedup against workers"),
        ("overhead", "overhead_mean_s", "Overhead against workers")]


def draw(results, frame):
    """Not what han_masters.py and ciorba_powers.py draw."""
    for drawn in han_masters.readings(results, frame):
        frame = frame.drop(drawn.index)
    if "power" in frame:
        several = frame["power"].map(lambda p: len(set(str(p).split(","))) > 1)
        frame = frame[frame["interval"].isna() | ~several]
    for (kernel, simulated), part in frame.groupby(["kernel", "simulated"],
                                                   sort=False):
        part = best_intervals(part)
        part = part[part["unranked"] == part["unranked"].min()]
        # Nothing scales where each number of workers is on its own machine.
        counts = part.groupby("setup", sort=False)["workers"]
        part = part[counts.transform("nunique") > 1]
        short = "" if part.empty else part["loop"].iloc[0]
        part, left_out = few(part)
        for name, column, title in WHAT:
            if part[column].notna().sum() < 2:
                continue
            yield style.Drawing(
                style.file_name(name, short, simulated and "simulated"),
                "Scaling", f"{title}: {short}" + labels.unreal(part),
                caption(part, name) + left_out, style.panels(
                    part, column, "setup", "scheme",
                    ideals(results, part) if name == "speedup" else {}))


def best_intervals(part):
    """Of cells that differ in the sync interval alone the fastest."""
    return cells.fastest(part, ["setup", "layout", "scheme", "workers"])


def few(part):
    """What is drawn of many schemes, and the words for it."""
    count = part["scheme"].nunique()
    if count <= MOST_LINES:
        return part, ""
    least = part.groupby(["setup", "workers"])["time_s"].transform("min")
    off = (part["time_s"] / least).groupby(part["scheme"]).mean()
    best = off.nsmallest(BEST).index
    return part[part["scheme"].isin([*best, *SIMPLE])], (
        f" Of {count} schemes: the {BEST} nearest to the fastest one, on "
        f"average over workers and setups, and {' and '.join(SIMPLE)} if "
        "they ran; cells.csv has all.")


def caption(part, name):
    words = {"time": "Median time with its 95 % confidence interval; both "
             "axes double.",
             "speedup": f"Over {part['base'].iloc[0]}; the grey line is "
             "ideal: the power of all workers over that of the base.",
             "overhead": "T_total - T_computation, mean over the workers: "
             "communication, synchronization and waiting that nothing "
             "overlaps."}[name]
    if part["interval"].notna().any():
        words += " Each point at its best sync interval."
    return words + style.cut_words(part["setup"].nunique(), style.MOST_PANELS,
                                   "setups")


def ideals(results, part):
    """{workers: the upper limit of speedup}: the sum of all powers over that
    of the base's core, which is 1 each if they are equal.  Measured powers
    take precedence over given ones."""
    needs = "power" in part and (part["power"] == machine.MEASURED).any()
    known, found = results.powers if needs else {}, {}
    for row in records.of(part.sort_values("workers")):
        measured = row.get("power") == machine.MEASURED
        value = (measured, total_power(row, known))
        count = row["workers"]
        found[count] = max(found.get(count, value), value)
    best = {count: value for count, (_, value) in found.items()}
    if part["serial_s"].notna().any():
        return best
    least = next(iter(best.values()))   # the base has the fewest workers
    return {count: value / least for count, value in best.items()}


def total_power(row, known):
    """In units of the core that ran the serial loop: natively worker 0's,
    simulated the slowest."""
    try:
        power, load = machine.powers(row, known)
        total = sum(v / (1 + n) for v, n in zip(power, load)) / max(power)
        over = row["serial_s"] / row["alone_s"] if row["simulated"] \
            else max(power) / power[0]
    except (ArithmeticError, LookupError, MemoryError, ValueError):
        return row["workers"]   # nobody recorded them, or damaged
    if row["simulated"] and row["speedup"] > 1.001 * total * over:
        total = row["workers"]  # it was told other powers than the hosts'
    return total * over if over == over else total
