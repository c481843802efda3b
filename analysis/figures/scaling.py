"""Time, speedup and overhead against the number of workers: a panel for each
setup and a line for each scheme."""
import machine
from figures import masters, style

MOST_PANELS = 9
WHAT = [("time", "time_s", "Time against workers"),
        ("speedup", "speedup", "Speedup against workers"),
        ("overhead", "overhead_mean_s", "Overhead against workers")]


def draw(results, frame):
    """Not what masters.py and powers.py draw."""
    for drawn in masters.readings(results, frame):
        frame = frame.drop(drawn.index)
    if "power" in frame:
        several = frame["power"].map(lambda p: len(set(str(p).split(","))) > 1)
        frame = frame[frame["interval"].isna() | ~several]
    for (kernel, simulated), part in frame.groupby(["kernel", "simulated"],
                                                   sort=False):
        part = best_intervals(part)
        part = part[part["unranked"] == part["unranked"].min()]
        # Nothing scales where each number of workers is on its own machine.
        part = part.groupby("setup", sort=False).filter(
            lambda g: g["workers"].nunique() > 1)
        short = "" if part.empty else part["loop"].iloc[0]
        for name, column, title in WHAT:
            if part[column].notna().sum() < 2:
                continue
            yield style.Drawing(
                style.file_name(name, short, simulated and "simulated"),
                "Scaling", f"{title}: {short}"
                + (" (simulated)" if simulated else ""),
                caption(part, name), panels(
                    part, column, "setup", "scheme",
                    ideals(results, part) if name == "speedup" else {}))


def best_intervals(part):
    """Of cells that differ in the sync interval alone the fastest."""
    keys = ["setup", "layout", "scheme", "workers"]
    return part.loc[part.groupby(keys, sort=False)["time_s"].idxmin()]


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
    return words + style.cut_words(part["setup"].nunique(), MOST_PANELS,
                                   "setups")


def panels(part, column, by, line, best):
    """A panel for each value of the column `by`, a line for each of `line`, in
    the order of the rows; `best` are ideal values by workers."""
    shown = list(part[by].unique())[:MOST_PANELS]
    part = part[part[by].isin(shown)]
    lines = style.Lines(list(part[line].unique()))
    figure, axes = style.grid(shown, 2.5, sharey=True)
    factor, unit = style.time_factor(part[column]) \
        if column.endswith("_s") else (1.0, "")
    for ax, name in zip(axes, shown):
        here = part[part[by] == name]
        for series in lines.at:
            points = here[here[line] == series].sort_values("workers")
            if len(points):
                style.with_interval(ax, points, "workers", column, factor,
                                    label=series, **lines.of(series))
        finish(ax, column, unit, factor, part)
        if best:
            ideal(ax, best)
        style.count_axis(ax, sorted(here["workers"].unique()))
    style.legend(figure, axes)
    return figure


def finish(ax, column, unit, factor, part):
    ax.set_xlabel("workers")
    ax.set_ylabel({"time_s": f"time, {unit}", "overhead_mean_s":
                   f"overhead, {unit}"}.get(column, "speedup"))
    if column != "overhead_mean_s":
        ax.set_yscale("log", base=2)
    style.limit(ax, part, column, factor)
    if column != "overhead_mean_s":
        style.plain_log(ax.yaxis)


def ideal(ax, best):
    ax.plot(list(best), list(best.values()), color=style.FAINT, linewidth=3,
            zorder=1, label="ideal")
    ax.set_ylim(top=max(ax.get_ylim()[1], *best.values()))
    style.plain_log(ax.yaxis)


def ideals(results, part):
    """{workers: the speedup that no scheme can pass}: the powers of all over
    that of the base's core, which is 1 each where they are equal.  What was
    measured goes before what cells were told."""
    needs = "power" in part and (part["power"] == machine.MEASURED).any()
    known, found = results.powers if needs else {}, {}
    for row in part.sort_values("workers").to_dict("records"):
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
