#!/usr/bin/env python3
"""Han and Chronopoulos, figures 3 to 8 and what their text claims of them.

    analysis/paper_han.py DIR       (make paper-han)
"""
import paper

TITLE = ("Han and Chronopoulos, Scalable Loop Self-Scheduling Schemes "
         "Implemented on Large-Scale Clusters")
SCHEMES = {"dtss": "HDTSS", "dfss": "HDFSS", "dgss": "HDGSS",
           "tss-taylor": "HDTSS, real decrement"}
FIGURES = {"mandelbrot": (3, 5, 7), "adjoint": (4, 6, 8)}
BASE_WORKERS = 256
COLUMNS = ["kernel", "scheme", "masters", "workers", "chunks", "time_s",
           "bound_s", "overhead_s", "speedup"]


def points(report):
    """kernel -> {(scheme, masters, workers): the run}, with its speedup."""
    found = {}
    for run in report.runs.to_dict("records"):
        kernel = run["kernel"].partition(":")[0]
        scheme = SCHEMES.get(run["scheme"].partition(":")[0])
        masters = 1 if run["hierarchy"] == "flat" else int(run["hierarchy"])
        if scheme:
            found.setdefault(kernel, {})[
                scheme, masters, int(run["workers"])] = run
    for runs in found.values():
        for (scheme, _, _), run in runs.items():
            base = runs.get((scheme, 1, BASE_WORKERS))
            run["speedup"] = base["time_s"] / run["time_s"] if base else None
    return found


def curves(report, kernel, runs):
    """Time, overhead and speedup, a line for each scheme and number of
    masters."""
    workers = sorted({w for _, _, w in runs})
    lines = sorted({key[:2] for key in runs},
                   key=lambda k: (list(SCHEMES.values()).index(k[0]), k[1]))
    time, overhead, speedup = FIGURES[kernel]
    for name, figure, value, caption in (
            ("time", time, lambda r: f"{r['time_s']:.4g} "
             f"({r['time_s'] / r['bound_s']:.2f})",
             "seconds; in brackets the time over its bound: list scheduling "
             "of the same chunks without any overhead"),
            ("overhead", overhead, lambda r: r["overhead_mean_s"],
             "seconds, T_total - T_computation, mean over the workers"),
            ("speedup", speedup, lambda r: r["speedup"],
             f"over one master with {BASE_WORKERS} workers, same scheme")):
        rows = [[scheme, masters, *(
            value(runs[scheme, masters, w]) if (scheme, masters, w) in runs
            else None for w in workers)] for scheme, masters in lines]
        report.table(f"figure_{figure}",
                     f"Figure {figure}: {kernel}, {name}",
                     ["scheme", "masters", *workers], rows, caption, left=1)
    report.store(kernel, COLUMNS, [
        [kernel, *key, r["chunks"], r["time_s"], r["bound_s"],
         r["overhead_mean_s"], r["speedup"]] for key, r in runs.items()])


def series(runs, scheme, masters, name="time_s"):
    """workers -> value, ascending."""
    return {w: runs[s, m, w][name] for s, m, w in sorted(runs)
            if (s, m) == (scheme, masters)}


def worst_single(report, kernel, runs):
    most = max(w for _, _, w in runs)
    counts = sorted({m for _, m, _ in runs})
    words, holds = [], True
    for scheme in list(SCHEMES.values())[:3]:
        found = [series(runs, scheme, m, "speedup").get(most)
                 for m in counts]
        if None in found:
            continue
        holds = holds and found[0] == min(found)
        words.append(f"{scheme} " + ", ".join(f"{s:.3g}" for s in found))
    report.claim(
        "the single master's scalability is the worst",
        f"{kernel}, figure {FIGURES[kernel][2]}",
        f"at {most} workers one master has the least speedup of all numbers "
        "of masters, for each scheme",
        holds if words else None,
        f"speedups with {', '.join(map(str, counts))} masters: "
        + "; ".join(words))


def fill(report):
    for kernel, runs in points(report).items():
        curves(report, kernel, runs)
        worst_single(report, kernel, runs)


if __name__ == "__main__":
    paper.main(TITLE, fill)
