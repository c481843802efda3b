#!/usr/bin/env python3
"""What result directories hold, and what to say of them in a paper.

    dlsbench results ls [DIR ...]      a line for each directory below these
    dlsbench results show DIR          what is stored
    dlsbench results cite DIR          what a paper has to say of the runs
    dlsbench results rerun DIR --out NEW      the same cells, here

`ls` looks into results/ and three folders below it.  `rerun` repeats the cells
that ended well, with the sizes, ranks and threads that they had, so that
`dlsbench compare DIR NEW` compares two machines.  Exit code 2: there are no
results; of rerun: that of dlsbench run.
"""
import json
import os
import sys
import tempfile
import textwrap

if not __package__:
    import need    # a script: makes the folder its package
    __package__ = need.PACKAGE

from . import environment, labels, loader, program

LEVELS = 3          # of folders that ls looks into
NO_KEYS = {"sync_choice", "cell"}   # columns that no campaign file has
WHERE = ["../build/dlsbench", "../../../bin/dlsbench"]
# How a rerun measures, as the first did.
SAME = ["repetitions", "repetitions_max", "ci", "cell_seconds",
        "verify_limit", "cell_timeout", "oversubscribe"]
HANDOVER = "hand-over between two cores, s", "handover_s"


def find_below(folder, levels=LEVELS):
    if loader.has_runs(folder):
        yield folder
    elif levels and os.path.isdir(folder):
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            print(f"results: {folder}: {error.strerror}", file=sys.stderr)
            names = []
        for name in names:
            below = os.path.join(folder, name)
            if os.path.isdir(below) and not os.path.islink(below):
                yield from find_below(below, levels - 1)


def first(results, path):
    (_, found), = environment.values(results.manifests[:1], [("", path)])
    return found[0] if found else environment.UNKNOWN


def started(results):
    return first(results, "started")


def list_all(args):
    """a line for each directory"""
    found = [d for folder in args.directories or ["results"]
             for d in find_below(folder)]
    if not found:
        raise loader.LoadError("no results are below "
                               + ", ".join(args.directories or ["results"]))
    shown = 0
    for directory in found:
        try:
            results = loader.load(directory)
        except loader.LoadError as error:
            print(f"results: {error}", file=sys.stderr)
            continue
        shown += 1
        good, bad = loader.ends(results.ended)
        print(f"{started(results)[:16]:16}  {good:5} ok {bad:3} not  "
              f"{results.name:17}  {first(results, 'version'):12}  "
              f"{', '.join(kinds(results)):15}  {directory}")
    return 0 if shown else 2


def kinds(results):
    """Where the runs were: the host, simulated (or replayed), or both."""
    simulated = results.runs["simulated"]
    found = []
    if simulated.empty or not simulated.all():
        found.append(first(results, None))
    how = "replayed" if is_replay(results) else "simulated"
    return found + [how] if simulated.any() else found


def show(args):
    """what is stored"""
    results = load(args.directory, least=0)
    good, bad = loader.ends(results.ended)
    print(textwrap.fill(
        f"{results.name}: {labels.count(good, 'cell')} ok, {bad} not; "
        f"{labels.count(len(results.runs), 'repetition')} in "
        f"{labels.count(len(results.manifests), 'launch', 'launches')}, "
        f"from {started(results)}", 80))
    for name in ("kernel", "scheme", "transport", "hierarchy", "ranks",
                 "threads"):
        values = sorted(set(environment.cells_of(results.ended, name)),
                        key=labels.natural)
        say(name, ", ".join(values))
    for title, found in environment.facts(results):
        say(title, "; ".join(found))
    return 0


def say(title, words):
    print(textwrap.fill(f"{title}: {words}", 80, initial_indent="  ",
                        subsequent_indent="    ", break_long_words=False,
                        break_on_hyphens=False))


def is_replay(results):
    """Without SimGrid."""
    runs = results.runs
    return "replayed" in runs and bool(runs["replayed"].eq(True).any())


def cite(args):
    """what a paper has to say"""
    results = load(args.directory)
    facts = dict(environment.facts(results)
                 + environment.values(results.manifests, [HANDOVER]))

    def of(title):
        return "; ".join(environment.few(
            facts.get(title, [environment.UNKNOWN])))
    simulated = results.runs["simulated"]
    counts = results.runs.groupby("cell").size()
    measured, others = (results.runs[which]["cell"].nunique()
                        for which in (~simulated, simulated))
    how = "replayed" if is_replay(results) else "simulated with SimGrid"
    of_both = "" if simulated.nunique() < 2 else (
        f"{measured} of them measured, {others} {how}, ")
    verb = of_both + "on" if of_both else f"{how} on" \
        if simulated.all() else "measured on"
    print(textwrap.fill(
        f"{labels.count(len(counts), 'cell')} of DLSBench "
        f"{of('version of DLSBench')}, {verb} "
        f"{environment.where(results.manifests) or 'a machine not known'}, "
        f"from {started(results)}. {repeated(counts)} of each in "
        f"{labels.count(len(results.manifests), 'launch', 'launches')}; "
        "every result passed its check.", 80))
    for title in ["compiler", "flags", "instruction set", "MPI", "governor",
                  "operating system's kernel", "counters",
                  "load average", HANDOVER[0], "command"]:
        say(title, of(title))
    if "dirty" in of("version of DLSBench"):
        print("The program had changes that no commit has.")
    return 0


def repeated(counts):
    low, high = counts.min(), counts.max()
    return labels.count(low, "repetition") if low == high \
        else f"{low} to {high} repetitions"


def values_of(row):
    """The keys of a campaign file that made a cell."""
    found = {}
    for name, value in row.items():
        if name in NO_KEYS or value != value or value in (None, ""):
            continue
        if isinstance(value, bool):
            value = "on" if value else "off"
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        found[name] = value
    if row.get("sync_choice") == "auto":  # it is chosen here again
        found["sync_interval"] = "auto"
    return found


def write_campaign(results, rows, file):
    """Writes YAML as JSON, which is a subset."""
    policy = results.manifests[-1].get("policy") or {} \
        if results.manifests else {}
    campaign = {"name": results.name, **{
        name: policy[name] for name in SAME if name in policy}}
    campaign["cells"] = [values_of(row) for row in rows]
    json.dump(campaign, file, indent=1)


def find_program():
    found = program.beside(*WHERE)
    if found and os.access(found, os.X_OK):
        return found
    raise loader.LoadError("the program dlsbench is not there: make")


def rerun(args):
    """the same cells, here"""
    results = load(args.directory)
    ended = results.ended[results.ended["status"] == "ok"]
    rows = ended.drop_duplicates("cell")[results.cells].to_dict("records")
    if any(str(row.get("kernel")).startswith(loader.WHOLE) for row in rows):
        raise loader.LoadError("programs of others are run again by "
                               "dlsbench omp")
    simulated = results.runs["simulated"]
    if is_replay(results):
        raise loader.LoadError(
            f"{args.directory} is a replay; it was made by: "
            + str(results.manifests[-1].get("command", "dlsbench replay")))
    if simulated.nunique() > 1:
        raise loader.LoadError(f"{args.directory}: some cells are measured, "
                               "others simulated: rerun repeats one kind")
    command = "sim" if simulated.all() else "run"
    policies = [m.get("policy") for m in results.manifests]
    if any(policy != policies[-1] for policy in policies):
        print("results: launches had other policies (repetitions, ...): those "
              "of the last one count", file=sys.stderr)
    found = find_program()
    # Keep the file: after an interruption, dlsbench names it to resume the
    # run.
    with tempfile.NamedTemporaryFile("w", prefix="dlsbench-rerun-",
                                     suffix=".yaml", delete=False) as file:
        write_campaign(results, rows, file)
    print(f"results: campaign: {file.name} (yours to delete when all cells "
          "are done)", file=sys.stderr)
    os.execv(found, [found, command, file.name]
             + (["--out", args.out] if args.out else []))


def load(directory, least=1):
    results = loader.load(directory)
    results.say("results")
    if len(results.runs) < least:
        raise loader.LoadError(f"{directory}: no cell ended well")
    return results


def arguments():
    parser = program.arguments(__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for function, name in (list_all, "ls"), (show, "show"), (cite, "cite"), \
            (rerun, "rerun"):
        command = commands.add_parser(name, help=(function.__doc__ or ""))
        command.set_defaults(function=function)
        if name == "ls":
            command.add_argument("directories", metavar="DIR", nargs="*")
        else:
            command.add_argument("directory", metavar="DIR")
        if name == "rerun":
            command.add_argument("--out", metavar="NEW",
                                 help="where they go (as of dlsbench run)")
    return parser.parse_args()


def main():
    args = arguments()
    try:
        return args.function(args)
    except loader.LoadError as error:
        print(f"results: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    program.run("results", main)
