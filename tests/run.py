#!/usr/bin/python3
"""Runs every check and test, one part after the other, and counts.

All parts run even when one fails.  The last line is `N passed, N failed`
(and `, N skipped`).  Parts can be named: tests/run.py unit integration.
"""
import os
import re
import subprocess
import sys
import time

CHECKS = ["layers", "headers", "registry", "data", "format", "shell",
          "python", "gcc", "clang"]
JOBS = str(os.cpu_count() or 2)
# Programs that need no MPI, whose threads the thread sanitizer can follow.
THREADED = ["harness/engine/engine_test", "harness/transport/source_test",
            "harness/transport/master_test"]


class Count:
    """What has passed, failed and been skipped so far."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, passed, failed, skipped=0):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped


def run(command, limit=900, env=None):
    """Returns (exit code, output); the output is shown as it is."""
    print("+ " + " ".join(command), flush=True)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit,
                              env={**os.environ, **(env or {})},
                              stdin=subprocess.DEVNULL)
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, output = 124, (late.stdout or b"") + b"\ntime limit\n"
    text = output.decode(errors="replace")
    print(text, end="", flush=True)
    return code, text


def checks(count):
    """Each check of checks.mk counts as one."""
    for name in CHECKS:
        code, _ = run(["make", "--no-print-directory", "-j", JOBS,
                       "check-" + name])
        count.add(code == 0, code != 0)


def count_cmocka(count, code, text):
    """Adds the tests of cmocka programs; a program that died counts as one
    failure."""
    passed = sum(map(int, re.findall(r"\[  PASSED  \] (\d+) test", text)))
    failed = sum(map(int, re.findall(r"\[  FAILED  \] .*: (\d+) test", text)))
    skipped = sum(map(int,
                      re.findall(r"\[  SKIPPED \] .*: (\d+) test", text)))
    if code != 0 and failed == 0:
        failed = 1
    count.add(passed, failed, skipped)


def unit_build(count, build, options, programs=None):
    """Builds and runs unit tests in a build folder of their own."""
    if programs:
        programs = [p for p in programs if os.path.exists(p + ".c")]
        goals = [f"{build}/{p}" for p in programs]
        command = ["make", "--no-print-directory", "-j", JOBS,
                   "BUILD=" + build, *options, *goals]
        code, text = run(command)
        if code == 0:
            code, text = run(["sh", "tests/unit.sh", *goals])
    else:
        code, text = run(["make", "--no-print-directory", "-j", JOBS,
                          "BUILD=" + build, *options, "unit"])
    count_cmocka(count, code, text)


def unit(count):
    unit_build(count, "build", [])


def unit_address(count):
    # MPICH and hwloc keep memory until the end; leaks of our own code are
    # looked for in the programs without MPI.
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    unit_build(count, "build/address", ["SAN=address"])
    del os.environ["ASAN_OPTIONS"]


def unit_thread(count):
    unit_build(count, "build/thread", ["SAN=thread"], THREADED)


def integration(count):
    for build, options in [("build", []), ("build/address", ["SAN=address"]),
                           ("build/thread", ["SAN=thread"])]:
        code, _ = run(["make", "--no-print-directory", "-j", JOBS,
                       "BUILD=" + build, *options, build + "/dlsbench"])
        count.add(code == 0, code != 0)
    code, text = run([sys.executable, "-m", "pytest", "-q", "--tb=short",
                      "-p", "no:cacheprovider",
                      "tests/integration"], limit=1500)
    found = {word: int(number) for number, word in
             re.findall(r"(\d+) (passed|failed|skipped|error)", text)}
    failed = found.get("failed", 0) + found.get("error", 0)
    if code != 0 and failed == 0:
        failed = 1
    count.add(found.get("passed", 0), failed, found.get("skipped", 0))


PARTS = {"checks": checks, "unit": unit, "unit-address": unit_address,
         "unit-thread": unit_thread, "integration": integration}


def main():
    count = Count()
    names = sys.argv[1:] or list(PARTS)
    for name in names:
        if name not in PARTS:
            sys.exit(f"tests/run.py: no part '{name}', there are: "
                     + ", ".join(PARTS))
    for name in names:
        start = time.monotonic()
        print(f"==== {name}", flush=True)
        PARTS[name](count)
        print(f"==== {name}: {time.monotonic() - start:.0f} s", flush=True)
    line = f"{count.passed} passed, {count.failed} failed"
    if count.skipped:
        line += f", {count.skipped} skipped"
    print(line)
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main())
