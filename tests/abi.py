#!/usr/bin/python3
"""The binary interface of libdls: what programs were linked and compiled with.

    tests/abi.py PREFIX          compares an installed library with dls/dls.abi
    tests/abi.py PREFIX --store  writes dls/dls.abi anew

PREFIX: of make install-lib with MPI=mpich.  A line is an exported symbol with
its version, a declaration, or a struct with the place and the size of its
members.  abidw stores the types behind them in tests/libdls/, which abidiff
compares.  Stored lines stay for ever: a program may rely on each.  Structs
that begin with their size may get members at their end.  Functions of a later
version get a version of their own (dls/dls.map), and are stored.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "dls/dls.abi"
TYPES = ROOT / "tests/libdls/dls.abi.xml"
HEADERS = "dls.h", "dls_mpi.h"
LIBRARIES = "libdls", "libdls-mpich"


def output(*command):
    return subprocess.run(command, check=True, text=True,
                          capture_output=True).stdout


def symbols(prefix):
    for name in LIBRARIES:
        for line in output("nm", "-D", "--defined-only",
                           "--with-symbol-versions",
                           prefix / f"lib/{name}.so").splitlines():
            symbol = line.split()[-1]
            if symbol.startswith("dls_") and "PRIVATE" not in symbol:
                yield f"symbol {name} {symbol}"


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^#.*\n(.*\\\n)*", "", text, flags=re.M)


def declarations(text):
    for words in re.findall(r"^[a-z][^{};]*\([^{};]*\);", text, re.M):
        yield "function " + " ".join(words.split())


def members(body):
    """Also of several in one declaration, and pointers to functions."""
    for one in body.split(";"):
        function = re.search(r"\(\*(\w+)\)", one)
        if function:
            yield function[1]
        elif one.strip():
            first, *others = one.split(",")
            yield re.findall(r"\w+", first)[-1]
            yield from (re.findall(r"\w+", x)[-1] for x in others)


def structs(prefix, text):
    """As the compiler lays them out."""
    lines = []
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text,
                                 re.S):
        lines.append(f'printf("struct {name}:");')
        lines += [f'printf(" {m} %zu+%zu", offsetof({name}, {m}), '
                  f'sizeof((({name} *)0)->{m}));' for m in members(body)]
        lines.append('printf("\\n");')
    with tempfile.TemporaryDirectory() as there:
        source = pathlib.Path(there) / "layout.c"
        source.write_text("#include <dls_mpi.h>\n#include <stdio.h>\n"
                          "int main(void)\n{\n" + "\n".join(lines) + "\n}\n")
        output("mpicc.mpich", f"-I{prefix}/include", source, "-o",
               source.with_suffix(""))
        return output(source.with_suffix("")).splitlines()


def interface(prefix):
    text = "".join(without_comments((prefix / "include" / h).read_text())
                   for h in HEADERS)
    return [*sorted(symbols(prefix)), *sorted(declarations(text)),
            *structs(prefix, text)]


def library_of_types(prefix, folder):
    """The declarations as functions that do nothing: without the private types
    of the real libraries, which may change."""
    lines = ["#include <dls_mpi.h>"]
    text = "".join(without_comments((prefix / "include" / h).read_text())
                   for h in HEADERS)
    for declaration in declarations(text):
        words = declaration.removeprefix("function ").removesuffix(";")
        nothing = re.match(r"void \w", words)
        lines.append(words + (" { }" if nothing else " { return 0; }"))
    source = pathlib.Path(folder) / "types.c"
    source.write_text("\n".join(lines) + "\n")
    output("mpicc.mpich", "-g", "-shared", "-fPIC", f"-I{prefix}/include",
           source, "-o", source.with_suffix(".so"))
    return source.with_suffix(".so")


def store_types(prefix):
    with tempfile.TemporaryDirectory() as there:
        text = output("abidw", "--no-show-locs", "--no-corpus-path",
                      "--no-comp-dir-path", library_of_types(prefix, there))
    TYPES.write_text(re.sub(" path='[^']*'", "", text))


def types_differ(prefix):
    """What abidiff says; empty: nothing, programs run on.  Members at the end
    of a struct that begins with its size are no break, but are to be
    stored."""
    with tempfile.TemporaryDirectory() as there:
        done = subprocess.run(
            ["abidiff", TYPES, library_of_types(prefix, there)],
            capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def differences(stored, now):
    """One line for each; none: programs run on."""
    names = {line.split(":")[0]: line for line in now
             if line.startswith("struct")}
    for line in stored:
        grown = names.get(line.split(":")[0], "")
        may_grow = line.split(":")[1:] and line.split(":")[1].startswith(
            " size 0+")
        if line not in now and not (
                may_grow and grown.startswith(line + " ")):
            yield f"gone or changed, which breaks programs: {line}"
    for line in now:
        if line not in stored and not any(
                line.startswith(x + " ") for x in stored):
            yield f"new, not stored (tests/abi.py PREFIX --store): {line}"


def main():
    prefix = pathlib.Path(sys.argv[1])
    now = interface(prefix)
    if sys.argv[2:] == ["--store"]:
        STORED.write_text("\n".join(now) + "\n")
        store_types(prefix)
        return 0
    found = list(differences(STORED.read_text().splitlines(), now))
    found += filter(None, [types_differ(prefix)])
    print("\n".join(found) or "abi ok")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
