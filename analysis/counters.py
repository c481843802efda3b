"""The counts of workers: events over computing and over waiting, and the facts
that the operating system keeps (results/README.md)."""
from . import labels

# Cycles and instructions, as PAPI and as the kernel name them.
CORE = [("PAPI_TOT_CYC", "PAPI_TOT_INS"), ("cycles", "instructions"),
        ("cycles:u", "instructions:u")]
COMPUTE, WAIT = "counters_compute.", "counters_wait."
FACTS = ["switches_voluntary", "switches_involuntary", "faults_minor",
         "faults_major", "user_s", "system_s"]


class Found:
    """names of the columns; frame: a row per cell with them."""

    def __init__(self, names, frame):
        self.names, self.frame = names, frame


def counted(workers, prefix):
    """Events that were counted somewhere, by their names."""
    return [n[len(prefix):] for n in workers.columns
            if n.startswith(prefix) and workers[n].notna().any()]


def join(frame, table):
    """With the columns that tell cells apart."""
    keep = ["cell", "simulated", "kernel", "loop", "scheme", "setup",
            "workers", "interval", "interval_words"]
    names = list(table.columns)
    table = table.reset_index()
    table["cell"] = table["cell"].astype(object)
    return Found(names, frame[[k for k in keep if k in frame]].merge(
        table, on="cell"))


def sums(results, names):
    """Sums over all workers and repetitions of a cell."""
    by = results.workers.groupby("cell", observed=True)
    return by, by[names].sum(min_count=1)


def per_iteration(results, frame):
    """Events of all workers together, over computing by their names and over
    waiting with `wait ` before; None when none was counted."""
    workers = results.workers
    if workers.empty or not counted(workers, COMPUTE):
        return None
    events = counted(workers, COMPUTE)
    waits = [e for e in events if WAIT + e in workers]
    by, table = sums(results, [COMPUTE + e for e in events]
                     + [WAIT + e for e in waits])
    table = table.div(by["iterations"].sum(), axis=0).dropna(how="all")
    table.columns = events + ["wait " + e for e in waits]
    idle = [w for w in table.columns[len(events):] if (table[w] == 0).all()]
    table = table.drop(columns=idle)  # the suite's own, and what never was
    return join(frame, derived(table, len(events)))


def derived(table, place):
    """Instructions per cycle and miss rates, if their parts were counted.
    Their columns begin at `place`, behind the counts over computing."""
    def has(*names):
        return all(n in table for n in names)

    found = {}
    for cycles, instructions in CORE:
        if has(instructions, cycles):
            found["IPC"] = table[instructions] / table[cycles]
    if has("PAPI_REF_CYC", "PAPI_TOT_CYC"):
        found["clock / reference"] = \
            table["PAPI_TOT_CYC"] / table["PAPI_REF_CYC"]
    for level in ("L1", "L2", "L3"):
        misses, asked = f"PAPI_{level}_TCM", f"PAPI_{level}_TCA"
        if has(misses, asked):
            found[f"{level} miss rate"] = table[misses] / table[asked]
        elif has(misses, "PAPI_TOT_INS"):
            found[f"{level} misses / 1000 INS"] = \
                1000 * table[misses] / table["PAPI_TOT_INS"]
    for mode in ("", ":u"):
        for name in ("cache-misses", "branch-misses"):
            if has(name + mode, "instructions" + mode):
                found[f"{name} / 1000"] = 1000 * table[name + mode] \
                    / table["instructions" + mode]
    for i, (name, column) in enumerate(found.items()):
        table.insert(place + i, name, column)
    return table


def facts(results, frame):
    """The sum over all workers in one repetition; None without any."""
    workers = results.workers
    names = [n for n in FACTS if n in workers and workers[n].notna().any()]
    if not names:
        return None
    by, table = sums(results, names)
    return join(frame, table.div(by["repetition"].nunique(), axis=0)
                .dropna(how="all"))


def cost(results):
    """The share of the workers' time that reading took, or None."""
    reading = {str(m.get("launch")): m["counters"].get("reading_s")
               for m in results.manifests if m.get("counters")}
    workers = results.workers
    if "readings" not in workers or not any(reading.values()):
        return None
    per = workers["launch"].astype(object).map(reading).astype(float)
    return (workers["readings"] * per).sum() / workers["finish_s"].sum()


def reading(results):
    """The longest reading of a worker's events, in words, or None."""
    found = [m["counters"].get("reading_s") for m in results.manifests
             if m.get("counters")]
    most = max((s for s in found if s), default=None)
    return most and (f"a reading takes {labels.seconds(most)}, three for each "
                     "worker and two for each time it waits")


def asked(results):
    """Whether a run named events."""
    return any((m.get("policy") or {}).get("events")
               not in (None, "none", "default") for m in results.manifests)


def short(name):
    return name.replace("PAPI_", "")


def words(value):
    return "-" if value != value else f"{value:.4g}"


def missing(results):
    """One line for each reason why events that were asked for were not
    counted."""
    by_reason = {}
    for manifest in results.manifests:
        for name, why in ((manifest.get("counters") or {}).get("missing")
                          or {}).items():
            by_reason.setdefault(str(why), {})[name] = True
    return [f"{', '.join(names)}: {why}" for why, names in by_reason.items()]


def reason(results):
    """Why there are none, as the manifests say."""
    if missing(results):
        return "; ".join(missing(results))
    if any("counters" in m and m["counters"] is None and
           not m.get("simulated") for m in results.manifests):
        return "they were switched off (events: none)"
    found = {str(m.get("machine", {}).get("counters")) for m in
             results.manifests if isinstance(m.get("machine"), dict)}
    return "; ".join(sorted(found - {"None"})) \
        + " on this machine, none in the records" if found - {"None"} \
        else "none in the records"
