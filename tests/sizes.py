#!/usr/bin/python3
"""Proves that no part of the house is too large to be read.

    tests/sizes.py             checks
    tests/sizes.py --total     prints the lines of each folder, without tests

A C file has at most 400 lines, a function 60, a struct 25 fields, a folder 25
files besides tests.  What is larger is named in EXCEPTIONS with its size and a
reason.  The list only shrinks: a size that grows is an error, and so is a line
for a thing that fits now or is not there any more.

BUDGET has the lines that each folder may have.  A commit that raises one does
nothing else and says what a user gets for the lines.

The sources are formatted (make check-format), so that a function begins and
ends with a brace in the first column.
"""
import re
import sys

import sources

LIMITS = {"file": 400, "function": 60, "struct": 25, "folder": 25}
UNITS = {"file": "lines", "function": "lines", "struct": "fields",
         "folder": "files"}
ANY = float("inf")
CASES = "a table of cases, read row by row"
EXCEPTIONS = {
    ("folder", "sched/schemes"): (ANY, "a file for each scheme"),
    ("folder", "analysis"): (ANY, "a file for each table or figure"),
    ("file", "harness/messages/mpi_testing.h"): (462, "an MPI in one file"),
    ("file", "harness/messages/mpi_testing_windows.h"): (
        423, "the windows of that MPI"),
    ("file", "harness/transport/master/master_test.c"): (620, CASES),
    ("struct", "dls/mpi/ranks_internal.h: ranks"): (
        26, "a loop over ranks: its transport, its workers, its end"),
    ("struct", "harness/transport/transport.h: transport_ops"): (
        28, "the functions of a transport, with its rules"),
}
# Lines of C without tests, of Python in analysis and bench/papers.
BUDGET = {
    "base": 2761,
    "sched": 7521,
    "kernels": 7378,
    "harness": 40761,
    "dls": 11990,
    "bench": 46767,
    "Python": 16152,
}


def listed(pattern):
    return [path for path in sources.listed(*pattern)
            if path.parent.name != "xxhash"]


def is_test(path):
    return path.parts[0] == "tests" or re.search(
        r"(_test\.c|testing\w*\.h)$|/check\w*\.h$", str(path))


def functions(lines):
    """(name, lines) of each, from the first line of its head."""
    for first, line in enumerate(lines):
        if line != "{":
            continue
        head = first
        while head and re.match(r"\w|\s+[^\s*]", lines[head - 1]):
            head -= 1
        last = lines.index("}", first)
        name = re.search(r"(\w+)\(", " ".join(lines[head:first]))
        yield name[1] if name else f"line {first + 1}", last - head + 1


def count_fields(body):
    """The fields of a struct; an inner struct without a type name counts as
    one."""
    depth = fields = 0
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    for part in re.findall(r"[^;{}]*[;{}]", body):
        depth += {"{": 1, "}": -1}.get(part[-1], 0)
        if part[-1] == ";" and depth == 0:
            fields += 1 if "(" in part else part.count(",") + 1
    return fields


def structs(text):
    for found in re.finditer(r"^(?:struct|union) (\w+) \{\n(.*?)^\}", text,
                             re.M | re.S):
        yield found[1], count_fields(found[2])


def measure():
    """{(what, name): size} of everything."""
    sizes = {}
    for path in listed(["*.c", "*.h", "*.inc"]):
        text = path.read_text()
        lines = text.split("\n")
        sizes["file", str(path)] = len(lines) - 1
        for name, size in functions(lines):
            sizes["function", f"{path}: {name}"] = size
        for name, size in structs(text):
            sizes["struct", f"{path}: {name}"] = size
    for path in listed([]):
        if not is_test(path) and path.name != "README.md":
            key = "folder", str(path.parent)
            sizes[key] = sizes.get(key, 0) + 1
    return sizes


def totals():
    """{folder: [lines, those neither blank nor comment]}, without tests."""
    found = {folder: [0, 0] for folder in BUDGET}
    for path in listed(["*.c", "*.h", "*.inc", "*.def", "analysis/*.py",
                        "bench/papers/*.py"]):
        python = path.suffix == ".py"
        folder = "Python" if python else path.parts[0]
        if is_test(path) or folder not in BUDGET:
            continue
        text = path.read_text()
        bare = re.sub(r"#.*" if python else r"(?s)/\*.*?\*/", "", text)
        found[folder][0] += text.count("\n")
        found[folder][1] += sum(bool(line.strip())
                                for line in bare.split("\n"))
    return found


def print_totals():
    found = totals()
    found["all of C"] = [sum(size[i] for folder, size in found.items()
                             if folder != "Python") for i in (0, 1)]
    print(f"{'':<10}{'lines':>8}{'code':>8}{'budget':>8}")
    for folder, (lines, code) in found.items():
        print(f"{folder:<10}{lines:>8}{code:>8}{BUDGET.get(folder, ''):>8}")


def over_budget(found):
    return [f"folder {folder}: {lines} lines, its budget is {BUDGET[folder]}"
            for folder, (lines, _) in found.items() if lines > BUDGET[folder]]


def check(sizes):
    wrong = []
    for (what, name), size in sorted(sizes.items()):
        limit, _ = EXCEPTIONS.get((what, name), (LIMITS[what], ""))
        if size > limit:
            wrong.append(f"{what} {name}: {size} {UNITS[what]}, at most "
                         f"{limit}")
    for (what, name), _ in EXCEPTIONS.items():
        if sizes.get((what, name), 0) <= LIMITS[what]:
            wrong.append(f"{what} {name}: take it out of EXCEPTIONS in "
                         "tests/sizes.py")
    return wrong


def main():
    if sys.argv[1:] == ["--total"]:
        print_totals()
        return
    wrong = check(measure()) + over_budget(totals())
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
