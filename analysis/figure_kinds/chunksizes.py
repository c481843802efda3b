"""Chunk size against step for each scheme (Diaz et al., figure 1)."""
from .. import labels
from . import style

MOST_PANELS, MOST_LINEAR = 12, 200


def draw(traces):
    groups = {}
    for trace in traces:
        cell = trace.cell
        groups.setdefault((cell["loop"], labels.unreal(cell)), {}) \
            .setdefault((cell["setup"], cell["workers"]), []).append(trace)
    for (short, unreal), setups in groups.items():
        schemes = sorted({t.cell["scheme"] for g in setups.values()
                          for t in g},
                         key=lambda s: labels.position(s, labels.SCHEMES))
        lines = style.Lines(schemes)
        shown = list(setups.items())[:MOST_PANELS]
        figure, axes = style.grid(
            [f"{setup}, {labels.count(int(workers), 'worker')}"
             for (setup, workers), _ in shown], most=2)
        for ax, (_, group) in zip(axes, shown):
            for trace in first_of_schemes(group):
                steps(ax, trace, lines)
            ax.set_yscale("log")
            style.plain_log(ax.yaxis)
            if max(len(t.chunks) for t in group) > MOST_LINEAR:
                ax.set_xscale("log")
                style.plain_log(ax.xaxis)
            ax.set_xlabel("step")
            ax.set_ylabel("chunk size, iterations")
        style.legend(figure, axes)
        yield style.Drawing(
            style.file_name("chunks", short, unreal and "simulated"),
            "Chunks", f"Chunk size against step: {short}{unreal}",
            "Chunks by their first iteration, of one traced run of each "
            "scheme.", figure)


def first_of_schemes(group):
    found = {}
    for trace in group:
        found.setdefault(trace.cell["scheme"], trace)
    return sorted(found.values(), key=lambda t: labels.position(
        t.cell["scheme"], labels.SCHEMES))


def steps(ax, trace, lines):
    size = trace.chunks["size"].to_numpy()
    step = range(1, len(size) + 1)
    scheme = trace.cell["scheme"]
    ax.plot(step, size, markersize=4, linewidth=1,
            markevery=max(1, len(size) // 15), label=scheme,
            **lines.of(scheme))
