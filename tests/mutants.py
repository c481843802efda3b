#!/usr/bin/python3
"""How many defects of one operator the tests catch.

    tests/mutants.py [AREA...]       needs `make unit`; SEED=1 EACH=13

Of each area EACH places of the sources are changed, one at a time: >= for <,
a sum for a difference, && for ||.  Of the unit tests that are linked with
the file the NEAREST run until one fails: first those of its folder, then
those that are linked with least.  Only the changed object is compiled: it
stands before the archive that has the original.

A defect that survives is shown as a patch, for `patch -p1` and the integration
tests.  Some are none: they move a limit that no answer depends on.
"""
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = "build"
NEAREST = 10
AREAS = {"sched": ["sched"],
         "transport": ["harness/transport", "harness/messages"],
         "dependences": ["harness/protocol", "harness/hierarchy"],
         "results": ["harness/record", "harness/cell", "bench/results",
                     "harness/launch"],
         "omp": ["dls", "bench/programs"]}
OPERATORS = {" < ": " >= ", " <= ": " < ", " > ": " <= ", " >= ": " > ",
             " == ": " != ", " != ": " == ", " + ": " - ", " - ": " + ",
             " && ": " || ", " || ": " && ", " += ": " -= ", "(!": "(",
             "return true": "return false", "return false": "return true"}
PLACES = re.compile("|".join(map(re.escape, OPERATORS)))


def places(area):
    """{file: [(line, column, operator)]}, neither of comments nor of texts."""
    found = {}
    for folder in AREAS[area]:
        for path in sorted((ROOT / folder).rglob("*.c")):
            name = str(path.relative_to(ROOT))
            if re.search("_test|/sim/|/examples/|/overhead/", name) \
                    or not (ROOT / BUILD / name[:-2]).with_suffix(
                        ".o").exists():
                continue
            text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"|^ *#[^\n]*',
                          lambda x: re.sub(".", "~", x[0]),
                          path.read_text(), flags=re.S | re.M)
            some = [(i, x.start(), x[0])
                    for i, line in enumerate(text.split("\n"))
                    for x in PLACES.finditer(line)]
            if some:
                found[name] = some
    return found


def symbols():
    """(of each object what it uses, of each name the object that has it)."""
    objects = [str(x.relative_to(ROOT)) for area in
               ("base", "sched", "kernels", "harness", "dls", "bench")
               for x in (ROOT / BUILD / area).rglob("*.o")
               if "/overhead/" not in str(x)]
    listed = subprocess.run(["nm", "-A", *objects], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout
    uses, has = {}, {}
    for line in listed.splitlines():
        path, _, rest = line.partition(":")
        kind, name = rest.split()[-2:]
        if kind in "Uw":
            uses.setdefault(path, set()).add(name)
        elif kind.isupper() and not path.endswith(("_test.o", "/dlsbench.o")):
            has[name] = path
    return uses, has


def needed(program, uses, has):
    """The objects that a program is linked with."""
    seen, todo = set(), [program]
    while todo:
        for name in uses.get(todo.pop(), ()):
            path = has.get(name)
            if path and path not in seen:
                seen.add(path)
                todo.append(path)
    return seen


def commands():
    """{target: the words with which make makes it}"""
    text = subprocess.run(["make", "-n", "-B", "V=1", "unit"], cwd=ROOT,
                          text=True, capture_output=True, check=True).stdout
    return {found[1]: shlex.split(line) for line in text.splitlines()
            if (found := re.search(rf" -o ({BUILD}/\S+) ", line))}


def run(words, **more):
    """Whether it ends well, soon, and without all of the memory."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True,
                              check=False, timeout=300, preexec_fn=limits,
                              stdin=subprocess.DEVNULL, **more).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def caught(name, text, tests, made_by):
    """What catches a file with this text: `compiler`, a test, or nothing."""
    folder = ROOT / BUILD / "mutants"
    folder.mkdir(exist_ok=True)
    source, target, program = (folder / x for x in ("x.c", "x.o", "x_test"))
    source.write_text(text)
    original = f"{BUILD}/{name[:-2]}.o"
    words = [str(target) if x == original else str(source) if x == name else x
             for x in made_by[original] if x not in ("-MMD", "-MP")]
    if not run([*words, "-Werror"]):
        return "compiler"
    nearest = sorted((os.path.dirname(test) != os.path.dirname(original),
                      len(objects), test) for test, objects in tests.items()
                     if original in objects)
    for _, _, test in nearest[:NEAREST]:
        words = list(made_by[test[:-2]])
        at = words.index(f"{BUILD}/tested.a")
        words[at:at] = [str(target)]
        words[words.index("-o") + 1] = str(program)
        if not run(words):
            return "linker"
        if not run([str(program)]):
            return test[len(BUILD) + 1:-2]
    return ""


def main():
    seed, each = os.environ.get("SEED", "1"), int(os.environ.get("EACH", 13))
    uses, has = symbols()
    tests = {x: needed(x, uses, has) for x in uses if x.endswith("_test.o")}
    made_by = commands()
    for area in sys.argv[1:] or AREAS:
        draw, count = random.Random(f"{seed} {area}"), 0
        found = places(area)
        for _ in range(each):
            name = draw.choice(sorted(found))
            line, column, old = draw.choice(found[name])
            lines = (ROOT / name).read_text().split("\n")
            was = lines[line]
            lines[line] = was[:column] + OPERATORS[old] \
                + was[column + len(old):]
            by = caught(name, "\n".join(lines), tests, made_by)
            count += bool(by)
            print(f"{area}: {by or 'SURVIVES'}: {name}:{line + 1}\n"
                  f"    -{was.strip()}\n    +{lines[line].strip()}",
                  flush=True)
        print(f"== {area}: {count} of {each} are caught by unit tests",
              flush=True)


if __name__ == "__main__":
    main()
