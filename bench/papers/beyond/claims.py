"""Past Han and Chronopoulos: 16 to 256 masters and three levels of them, up to
65,536 workers, and by replay 7.6 million.  Nothing here is printed anywhere.

    bench/papers/report_paper.py beyond DIR       (make paper-beyond)
"""
from analysis import paper_report

PAPER = paper_report.Paper(
    "Past Han and Chronopoulos: more masters, and masters below masters, "
    "for up to 65,536 workers",
    "")
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
    """The best hierarchy at each number of workers, in a sentence."""
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


def parts(runs):
    """Simulated ones, and replayed ones."""
    if "replayed" not in runs:
        return lines(runs), {}
    replayed = runs["replayed"].eq(True)
    return lines(runs[~replayed]), lines(runs[replayed])


LEFT_OUT = """What a replay leaves out: the results that are collected (8
bytes of each iteration of the convolution, with the request for the next
chunk), links of other ranks than masters', and the routes of the fat tree:
every message between two nodes takes 2 us."""


def errors(report, kernel, simulated, replayed):
    """Where both ran."""
    both = [key for key in replayed if key in simulated]
    found = [replayed[key]["time_s"] / simulated[key]["time_s"] - 1
             for key in both]
    workers = sorted({w for _, w in both})
    by = dict(zip(both, found))
    report.table("replay_errors", f"{kernel}: replays beside SimGrid",
                 ["hierarchy", *workers],
                 [[h, *(f"{100 * by[h, w]:+.2f} %" if (h, w) in by else None
                        for w in workers)]
                  for h in sorted({h for h, _ in both}, key=masters)],
                 "the replay's time over the simulation's, minus 1")
    report.say(f"{kernel}: the largest error of {len(found)} replays is "
               f"{100 * max(found, key=abs):+.2f} %")


def replays(report, simulated, replayed):
    for kernel, runs in sorted(replayed.items()):
        name = "replayed_" + kernel.partition(":")[0]
        if any(key in simulated.get(kernel, {}) for key in runs):
            errors(report, kernel, simulated[kernel], runs)
            continue
        workers = sorted({w for _, w in runs})
        for what, words, value in (
                ("time", "seconds", lambda r: f"{r['time_s']:.4g}"),
                ("efficiency", "serial time over workers times time",
                 efficiency)):
            report.table(f"{name}_{what}", f"{kernel}, replayed: {what}",
                         ["hierarchy", *workers],
                         [[h, *(value(runs[h, w]) if (h, w) in runs else None
                                for w in workers)]
                          for h in sorted({h for h, _ in runs}, key=masters)],
                         words)
        report.say(told(f"{kernel}, replayed", runs))
    if replayed:
        report.say(LEFT_OUT)


def fill(report):
    found, replayed = parts(report.runs)
    for kernel, runs in sorted(found.items()):
        tables(report, kernel.partition(":")[0], kernel, runs)
        report.say(told(kernel, runs))
    replays(report, found, replayed)
    report.store("runs", COLUMNS, [
        [kernel, r["scheme"], hierarchy, w, r["chunks"], r["time_s"],
         r["bound_s"], r["overhead_mean_s"], efficiency(r), r["messages"],
         r["bytes"]]
        for kernel, runs in sorted(found.items())
        for (hierarchy, w), r in sorted(runs.items(), key=lambda x: x[0])])


def main(directory):
    paper_report.main(PAPER, fill, directory)
