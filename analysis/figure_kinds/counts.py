"""Counters of each scheme, per iteration."""
from .. import counters, labels
from . import style

MOST_PANELS, MOST_SCHEMES = 9, 20


def draw(results, frame):
    found = counters.per_iteration(results, frame)
    if found is None:
        return
    names = [n for n in found.names
             if (found.frame[n] > 0).any()][:MOST_PANELS]
    for (kernel, simulated), part in found.frame.groupby(
            ["kernel", "simulated"], sort=False):
        part = part[part["workers"] == part["workers"].max()]
        if not names or part.empty:
            continue
        short = part["loop"].iloc[0]
        yield style.Drawing(
            style.file_name("counters", short, simulated and "simulated"),
            "Counters", f"Counters per iteration: {short}",
            "Mean over the repetitions, summed over the workers.",
            panels(part, names))


def panels(part, names):
    schemes = sorted(part["scheme"].unique(), key=lambda s: labels.position(
        s, labels.SCHEMES))[:MOST_SCHEMES]
    y = {scheme: len(schemes) - i for i, scheme in enumerate(schemes)}
    setups = list(part["setup"].unique())
    lines = style.Lines(setups)
    figure, axes = style.grid([counters.short(name) for name in names],
                              0.8 + 0.19 * len(schemes), sharey=True)
    for ax, name in zip(axes, names):
        for setup in setups:
            here = part[(part["setup"] == setup)
                        & part["scheme"].isin(schemes)]
            ax.plot(here[name], [y[s] for s in here["scheme"]], markersize=4.5,
                    label=setup, **{**lines.of(setup), "linestyle": ""})
        ax.set_yticks(list(y.values()), list(y))
        ax.set_xlim(left=0)
    style.legend(figure, axes)
    return figure
