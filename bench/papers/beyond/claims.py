"""Past Han and Chronopoulos: 16 to 256 masters and three levels of them, up to
65,536 workers.  Nothing here is printed anywhere.

    bench/papers/report.py beyond DIR       (make paper-beyond)
"""
import paper

TITLE = ("Past Han and Chronopoulos: more masters, and masters below masters, "
         "for up to 65,536 workers")
COLUMNS = ["kernel", "scheme", "hierarchy", "workers", "chunks", "time_s",
           "bound_s", "overhead_s", "efficiency", "messages", "bytes"]


def masters(hierarchy):
    """(levels, masters of the last level): the order of the lines."""
    levels = hierarchy.split("x")
    count = 1
    for level in levels:
        count *= int(level)
    return len(levels), count


def efficiency(run):
    return run["serial_s"] / (run["workers"] * run["time_s"])


def lines(runs):
    """kernel -> {(hierarchy, workers): run}."""
    found = {}
    for run in runs.to_dict("records"):
        found.setdefault(run["kernel"], {})[
            run["hierarchy"], int(run["workers"])] = run
    return found


def tables(report, name, kernel, runs):
    workers = sorted({w for _, w in runs})
    hierarchies = sorted({h for h, _ in runs}, key=masters)
    for what, words, value in (
            ("time", "seconds; in brackets the time over its bound: list "
             "scheduling of the same chunks without any overhead",
             lambda r: f"{r['time_s']:.4g} "
             f"({r['time_s'] / r['bound_s']:.2f})"),
            ("overhead", "seconds, T_total - T_computation, mean over the "
             "workers", lambda r: r["overhead_mean_s"]),
            ("efficiency", "serial time over workers times time", efficiency)):
        report.table(f"{name}_{what}", f"{kernel}: {what}",
                     ["hierarchy", *workers],
                     [[h, *(value(runs[h, w]) if (h, w) in runs else None
                            for w in workers)] for h in hierarchies], words)


def told(kernel, runs):
    """What is best at each number of workers, in a sentence."""
    words = []
    for w in sorted({w for _, w in runs}):
        times = {h: run["time_s"] for (h, n), run in runs.items() if n == w}
        best = min(times, key=times.get)
        near = [h for h in sorted(times, key=masters)
                if h != best and times[h] <= 1.02 * times[best]]
        words.append(f"{w}: {best}" + (
            f" (within 2 %: {', '.join(near)})" if near else ""))
    return f"{kernel}: fastest for each number of workers\n  " + \
        "\n  ".join(words)


def fill(report):
    found = lines(report.runs)
    for kernel, runs in sorted(found.items()):
        tables(report, kernel.partition(":")[0], kernel, runs)
        report.say(told(kernel, runs))
    report.store("runs", COLUMNS, [
        [kernel, r["scheme"], hierarchy, w, r["chunks"], r["time_s"],
         r["bound_s"], r["overhead_mean_s"], efficiency(r), r["messages"],
         r["bytes"]]
        for kernel, runs in sorted(found.items())
        for (hierarchy, w), r in sorted(runs.items(), key=lambda x: x[0])])


def main(directory):
    paper.main(TITLE, fill, directory)
