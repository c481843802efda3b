"""What results were measured on and with, from their manifests."""
import re

# Title, and its place in a manifest.
FIELDS = [("host", None), ("topology", "machine.topology"),
          ("architecture", "machine.architecture"),
          ("instruction set", "instruction_set"),
          ("operating system's kernel", "machine.kernel"),
          ("governor", "machine.governor"), ("MPI", "mpi"),
          ("compiler", "compiler"), ("flags", "flags"),
          ("version of DLSBench", "version"), ("platform", "platform"),
          ("counters", "machine.counters"), ("schema", "schema"),
          ("simulated", "simulated")]
POLICY = ["repetitions", "repetitions_max", "ci", "cell_seconds",
          "verify_limit", "trace", "oversubscribe"]

UNKNOWN = "not known"
MOST_PLACES = 4     # hosts or platforms that a line names
# In a topology; on virtual machines it varies by launch.
MEMORY = re.compile(r", [\d.]+ GiB(?=,)")


def look_up(manifest, path):
    value = manifest
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def words(value):
    if value is None or value == "":
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return " ".join(str(value).split())


def hosts(manifest):
    places = manifest.get("places")
    if not isinstance(places, list):
        return None
    return " ".join(sorted({str(p.get("host")) for p in places
                            if isinstance(p, dict)}))


def energy(manifest):
    """Joules of the processor packages of all hosts of a launch."""
    places = manifest.get("places")
    known = [p["energy_j"] for p in places if isinstance(p, dict)
             and isinstance(p.get("energy_j"), (int, float))] \
        if isinstance(places, list) else []
    return float(sum(known)) if known else None


# Values that vary by launch; they do not make two machines different.
OF_LAUNCH = [("command", "command"), ("load average", "machine.load_average"),
             ("cost of a clock reading, s", "clock_s"),
             ("cost of a barrier, s", "barrier_s"),
             ("energy of the processor packages, J", energy)]


def values(manifests, fields):
    """[(title, the different values in words)]"""
    found = []
    for title, path in fields:
        here = [hosts(m) if path is None else path(m) if callable(path)
                else look_up(m, path) for m in manifests]
        found.append((title, sorted({words(v) for v in here})))
    return found


def where(manifests):
    """The known facts of the machine, real or simulated, in one line."""
    found = values(manifests, [("host", None),
                               ("topology", "machine.topology"),
                               ("platform", "platform")])
    return "; ".join(word for _, here in found for word in few(
        list(dict.fromkeys(MEMORY.sub("", w) for w in here if w != UNKNOWN))))


def few(found):
    more = len(found) - MOST_PLACES
    return [*found[:MOST_PLACES], f"{more} more"] if more > 0 else found


def facts(results, launch_facts=True):
    """All that is known, for the foot of a report."""
    fields = FIELDS + [("policy: " + p, "policy." + p) for p in POLICY]
    if launch_facts:
        fields = fields + OF_LAUNCH
    return [(title, v) for title, v in values(results.manifests, fields)
            if v and v != [UNKNOWN]]


def cells_of(runs, name):
    if name not in runs:
        return [UNKNOWN]
    return sorted({words(v) for v in runs[name].dropna().unique()})


def differences(a, b):
    """[(title, values in a, values in b)] of what is not the same."""
    fields = FIELDS + [("policy: " + p, "policy." + p) for p in POLICY]
    sides = [values(r.manifests, fields)
             + [(t, cells_of(r.runs, t)) for t in ("bind", "timing")]
             for r in (a, b)]
    return [(title, here, there) for (title, here), (_, there)
            in zip(*sides) if here != there]
