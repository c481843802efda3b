"""What dlsbench omp --on says of each recorded loop: the speedup that a replay
foretells for the best scheme, for static and for single iterations."""
from . import style

SECTION = "Your loops"
MOST = 12
SHOWN = ["static", "ss", "gss", "fss"]
NEAR = 1.01         # times the best: as good


def draw(loops):
    for loop in loops[:MOST]:
        if loop["best"]:
            yield style.Drawing(
                style.file_name("outlook", loop["name"]), SECTION,
                f"{loop['name']}: on more threads, by replay", caption(loop),
                panel(loop))


def best_words(loop, i):
    times = [t[i] for t in loop["times"].values() if t[i]]
    near = sum(t <= NEAR * min(times) for t in times) - 1
    return f"{loop['workers'][i]:,}: {loop['best'][i]}" \
        + f" ({near} within 1 %)" * bool(near)


def caption(loop):
    best = "; ".join(best_words(loop, i) for i in range(len(loop["best"])))
    made = f" with {loop['threads']} threads" if loop["threads"] else ""
    return (f"Replayed, not run, from what the iterations took in a run{made}."
            f" Left out: memory bandwidth and caches that more threads share, "
            f"the clock of busy cores, threads that wake late, other load, and"
            f" the rest of the program. No schedule goes above the grey line. "
            f"The best scheme of each number, and how many others come near: "
            f"{best}.")


def panel(loop):
    figure, ax = style.single(3.0)
    workers, serial = loop["workers"], loop["serial_s"]

    def plot(times, **line):
        points = sorted((w, serial / t) for w, t in zip(workers, times) if t)
        ax.plot(*zip(*points), markersize=4.5, **line)
    if all(loop["bound_s"]):
        plot(loop["bound_s"], color=style.FAINT, linewidth=5, zorder=1,
             label="at most")
    shown = [name for name in SHOWN if any(loop["times"].get(name, []))]
    times = {**{name: loop["times"][name] for name in shown},
             **{name: t for name, t in loop["own"].items() if any(t)}}
    lines = style.Lines(["best", *times])
    for name in times:
        plot(times[name], label=name, linewidth=1.2, **lines.of(name))
    plot([loop["times"][name][i] for i, name in enumerate(loop["best"])],
         label="best", linewidth=1.2, **lines.of("best"))
    style.count_axis(ax, sorted(set(workers)))
    ax.set_yscale("log", base=2)
    style.plain_log(ax.yaxis)
    ax.set_xlabel("threads")
    ax.set_ylabel("speedup over one thread")
    style.legend(figure, [ax])
    return figure
