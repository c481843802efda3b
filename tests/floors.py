#!/usr/bin/python3
"""Proves that the house has floors: what a room uses lies below it.

    tests/floors.py BUILD OBJECT...

A room is a folder; its native/ and sim/ are the two versions of a part of it
and belong to it.  A file may include a header of its own room or of a lower
floor, and an object may use a symbol of its own room or of a lower floor.
Two rooms on one floor do not know each other.  Every room has a README.md.
A base name stands once in the tree, or in native/ and sim/ of one room.
What docs/reference/where.md names is where it says.
The rooms of the library use neither abort nor exit nor the libraries that only
programs need.  Tests are exempt.  Without objects only the includes are
checked.
"""
import pathlib
import re
import subprocess
import sys

import sizes
from sources import listed

FLOORS = {
    0: ["base"],
    0.5: ["base/system"],
    0.7: ["harness/record/line"],
    1: ["sched", "sched/interval", "sched/divisible", "sched/select",
        "kernels/support", "harness/engine", "harness/topo", "harness/record",
        "harness/hierarchy"],
    2: ["sched/schemes", "kernels", "harness/messages", "harness/counters",
        "harness/costs"],
    # In order: the interface of transports; independent transports; transports
    # that use another's masters; the registry of all.
    3: ["harness/transport", "harness/transport/reissue",
        "harness/protocol/parallel", "harness/disturb", "harness/process"],
    3.1: ["harness/transport/master", "harness/transport/steal",
          "harness/transport/openmp", "harness/transport/push"],
    3.2: ["harness/transport/shared", "harness/transport/window"],
    3.3: ["harness/transport/registry"],
    4: ["harness/cell", "harness/protocol/pipeline", "harness/replay", "dls"],
    4.1: ["dls/mpi", "dls/omp"],
    5: ["harness/check", "harness/problem"],
    6: ["harness/workers"],
    7: ["harness/repetition"],
    8: ["harness/launch", "harness/measure"],
    9: ["harness/sim", "bench/overhead/rounds"],
    10: ["bench/options", "bench/launching"],
    10.5: ["bench/foretell/replay", "bench/programs/symbols"],
    10.6: ["bench/programs/code"],
    10.7: ["bench/programs/static"],
    11: ["bench/campaign", "bench/calibrate", "bench/programs/seen",
         "bench/overhead"],
    12: ["bench/foretell/divisible_load", "bench/simgrid", "bench/results"],
    13: ["bench/foretell/sync_interval", "bench/programs/execution"],
    13.2: ["bench/launching/driver"],
    13.5: ["bench/programs/samples"],
    14: ["bench/foretell/auto_scheme", "bench/programs/try", "bench/doctor"],
    14.5: ["bench/commands/run"],
    15: ["bench/commands"],
}
# The rooms of a library for anybody's program: floors 0 to 3, except these.
LIBRARY = {"dls", "dls/mpi"} | {
    room for floor, rooms in FLOORS.items() if floor < 4
    for room in rooms} - {
    "harness/record", "harness/topo", "harness/counters",
    "harness/costs", "harness/disturb", "harness/process",
    "harness/transport/openmp",
    "harness/transport/registry",  # a library has a separate list
    "kernels", "kernels/support", "sched/divisible", "sched/interval",
    "sched/select"}
NOT_IN_LIBRARY = re.compile(
    r"^(abort|exit|_exit|json_|hwloc_|PAPI_|XXH|bli_|printf$|puts$)")

HEIGHT = {room: floor for floor, rooms in FLOORS.items() for room in rooms}


def room_of(path):
    """The room of a source or of an object relative to its build folder."""
    folder = path.parent
    while folder.name in ("native", "sim") and str(folder) not in HEIGHT:
        folder = folder.parent
    return str(folder)


def sources():
    return [path for path in listed("base", "sched", "kernels", "harness",
                                    "dls", "bench")
            if path.suffix in (".c", ".h", ".inc", ".def")
            and "examples" not in path.parts]


# Rooms without C.
OTHERS = ["analysis", "packaging", "tests"]


def is_test(path):
    return re.search(r"(_test\.c|testing\.h)$|/check\w*\.h$", str(path))


WHERE = "docs/reference/where.md"


def check_heads():
    """Every room says in a few lines what it is for, and what to read."""
    wrong = []
    for room in [*HEIGHT, *OTHERS]:
        head = pathlib.Path(room, "README.md")
        lines = head.read_text().splitlines() if head.exists() else []
        if not 3 <= len(lines) <= 10 or lines[0] != "# " + room:
            wrong.append(f"{head}: say in 3 to 10 lines what the room is for")
        wrong += [f"{head}: {name} is not there" for name in re.findall(
            r"\]\(([^)]+)\)", "\n".join(lines))
            if not (head.parent / name).exists()]
    for text in ("CONTRIBUTING.md", "docs/reference/architecture.md", WHERE):
        wrong += [f"{text}: {name} is not there" for name in re.findall(
            r"`((?:analysis|base|bench|dls|docs|harness|jobs|kernels|results|"
            r"sched|tests)/[\w/-]+\.\w+)", pathlib.Path(text).read_text())
            if "NAME" not in name and not pathlib.Path(name).exists()]
    return wrong


def defines(path, name):
    """A function, a table, a type, or a name in a list of macros."""
    text = path.read_text()
    return path.suffix == ".c" and name in dict(
        sizes.functions(text.split("\n"))) or re.search(
        rf"^(?:(?:def|class) {name}\b|{name}\(\) {{|{name} = )"
        rf"|^(?:static |const )*(?:struct|enum) [^;(]*\b{name}(?:\[\])?"
        rf"(?: =)? {{|^static inline .*\b{name}\(", text, re.M)


def check_where():
    """In its tables, what a row names is defined in the row's file."""
    wrong = []
    for line in pathlib.Path(WHERE).read_text().splitlines():
        row = re.match(r"\| .* \| `([^`]+)` \| (.*)\|$", line)
        if row and line.count(" | ") == 2 and pathlib.Path(row[1]).exists():
            wrong += [f"{WHERE}: {row[1]} does not define {name}"
                      for name in re.findall(r"`([^`]+)`", row[2])
                      if not defines(pathlib.Path(row[1]), name)]
    return wrong


# Files that have the same name in many folders, and a user's examples.
FAMILY = re.compile(r"bench/papers/\w+/(assumed|claims)\.py|dls/examples/.*|"
                    r".*/__init__\.py")


def check_names():
    """Only the versions of a part share a base name, and their unit tests."""
    places = {}
    for path in listed("*.c", "*.h", "*.inc", "*.def", "*.py", "*.cpp"):
        if not FAMILY.fullmatch(str(path)):
            places.setdefault(path.name, []).append(path)
    return [f"{name} stands twice: {', '.join(map(str, paths))}"
            for name, paths in places.items() if len(paths) > 1
            and (len({room_of(path) for path in paths}) > 1
                 or not is_test(paths[0])
                 and {path.parent.name for path in paths}
                 != {"native", "sim"})]


def points_up(user, used):
    return user != used and HEIGHT[used] >= HEIGHT[user]


def check_rooms(paths):
    """Every file has a room."""
    return [f"{path}: its folder has no floor in tests/floors.py"
            for path in paths
            if not is_test(path) and room_of(path) not in HEIGHT]


def check_includes(paths):
    wrong = []
    for path in paths:
        if is_test(path):
            continue
        for number, line in enumerate(path.read_text().split("\n"), 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not found:
                continue
            used = room_of(pathlib.Path(found[1]))
            if used in HEIGHT and points_up(room_of(path), used):
                wrong.append(f"{path}:{number}: {found[1]} lies on floor "
                             f"{HEIGHT[used]}, {room_of(path)} on "
                             f"{HEIGHT[room_of(path)]}")
    return wrong


def symbols(build, objects):
    """(path, defined, used) of each object."""
    out = subprocess.run(["nm", "-A", "-g", *objects], check=True,
                         capture_output=True, text=True).stdout
    found = {}
    for line in out.split("\n"):
        match = re.match(r"(\S+?):\s*\w*\s+([A-Za-z]) (\S+)$", line)
        if match:
            path = pathlib.Path(match[1]).relative_to(build)
            defined, used = found.setdefault(path, (set(), set()))
            (used if match[2] in "Uw" else defined).add(match[3])
    return found


def check_symbols(build, objects):
    found = symbols(build, objects)
    owner = {name: room_of(path)
             for path, (defined, _) in found.items() for name in defined}
    wrong = []
    for path, (_, used) in sorted(found.items()):
        room = room_of(path)
        for name in sorted(used):
            if name in owner and points_up(room, owner[name]):
                wrong.append(f"{path}: {name} is made in {owner[name]}, on "
                             f"floor {HEIGHT[owner[name]]}")
            if room in LIBRARY and NOT_IN_LIBRARY.match(name):
                wrong.append(f"{path}: {name} is nothing for a library")
    return wrong


def main():
    paths = sources()
    wrong = (check_rooms(paths) + check_heads() + check_where()
             + check_names())
    if not wrong:
        wrong = check_includes(paths)
    if not wrong and len(sys.argv) > 2:
        wrong = check_symbols(sys.argv[1], sys.argv[2:])
    if wrong:
        sys.exit("\n".join(wrong))


main()
