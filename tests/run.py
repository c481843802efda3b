#!/usr/bin/python3
"""Runs every check and test, and counts.

All parts run even when one fails.  The last line is `N passed, N failed`
(and `, N skipped`).  Parts can be named: tests/run.py unit integration.
QUOTA and FASTER in the environment test on another machine: other_machines.py.
"""
import concurrent.futures
import glob
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

import other_machines

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "integration"))
import slices  # noqa: E402

CHECKS = ["headers", "layers", "format", "python", "shell",
          "data", "size", "registry"]
JOBS = str(os.cpu_count() or 2)
# Of `make test`.  What has not begun half a minute before is skipped, but not
# the files that the commit touches, which may take longer: on a slow processor
# the slice is smaller.
MOST_S = 600
# Integration tests that measure or look at other processes, or take network
# interfaces away while MPI may list them: nothing else runs beside them.
ALONE = ["calibrate", "counters", "counters_perf", "faults", "hosts", "kills",
         "learning", "load", "omp_regions", "parts", "power", "sync_interval",
         "this_machine", "truth", "validate"]
# Groups that mostly wait for daemons run beside groups that need no core for
# themselves.
WAITING = ["slurm"]
# The longest groups begin first, so that none runs alone at the end.
LONGEST = ["openmpi", "driver", "matrix", "sim", "combinations", "alone",
           "paper_ciorba", "steal", "libdls_smpi", "libdls"]
# Programs that need no MPI, whose threads the thread sanitizer can follow.
THREADED = ["harness/engine/engine_test", "harness/engine/engine_lock_test",
            "harness/engine/engine_team_test",
            "harness/messages/source_test",
            "harness/protocol/parallel/early_test",
            "harness/messages/window_test",
            "harness/messages/mailbox_test",
            "harness/transport/master/master_test",
            "harness/transport/reissue/reissue_test",
            "harness/transport/steal/steal_test",
            "harness/transport/steal/steal_ranks_test",
            "harness/transport/push/push_test",
            "harness/transport/master/relay_test",
            "harness/protocol/pipeline/dmps_test",
            "harness/protocol/pipeline/links_test",
            "harness/protocol/pipeline/migrate_test",
            "dls/dls_test"]


# Builds with a sanitizer.  The library for programs of gcc's needs gcc's.
SANITIZED = {"build/address": ["SAN=address"],
             "build/thread": ["SAN=thread"],
             "build/preloaded": ["SAN=address", "CC=gcc"]}

# Running processes.
RUNNING = set()
ENDING = threading.Event()  # nothing is started any more


class Count:
    """The numbers of passed, failed and skipped tests so far."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, passed, failed, skipped=0):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped


def end(*_):
    """At SIGTERM, with all that was started."""
    ENDING.set()
    for process in list(RUNNING):
        kill(process)
    sys.exit(143)


def kill(process):
    """With all that it started and that is still there."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def slowness():
    """How many times as long everything may take."""
    return (float(os.environ.get("FASTER") or 1)
            / float(os.environ.get("QUOTA") or 1))


def cpu_seconds():
    """The processor time of all processes that ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, limit=900, env=None, beside=False):
    """Returns (exit code, output), and shows the output as it comes; with
    `beside`, when the command has ended.  A late command is killed with all
    processes that it started."""
    if ENDING.is_set():
        sys.exit(143)
    head = "+ " + " ".join(command)
    if not beside:
        print(head, flush=True)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, errors="replace",
                               env={**os.environ, **(env or {})},
                               stdin=subprocess.DEVNULL,
                               start_new_session=True)
    RUNNING.add(process)
    limit *= slowness()
    late = threading.Timer(limit, kill, [process])
    late.start()
    lines = []
    try:
        for line in process.stdout:
            if not beside:
                print(line, end="", flush=True)
            lines.append(line)
        _, status, used = os.wait4(process.pid, 0)
        code = process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        late.cancel()
        kill(process)
        RUNNING.discard(process)
    if beside:
        print(head + "\n" + "".join(lines), end="")
    print(f"= {used.ru_utime + used.ru_stime:.0f} s of processors: "
          f"{head[2:70]}", flush=True)
    if code == -signal.SIGKILL:
        print(f"killed, or over its limit of {limit} s", flush=True)
    return code, "".join(lines)


def check(count, name, beside, options=()):
    """Each check of checks.mk counts as one."""
    code, _ = run(["make", "--no-print-directory", "-j", JOBS, *options,
                   "check-" + name], beside=beside)
    count.add(code == 0, code != 0)


def build(count):
    """Warnings are errors."""
    check(count, "gcc", beside=False)


def checks(count):
    """clang's is a build that a sanitizer needs anyway."""
    name = slices.sanitizers(slices.seed())[0]
    check(count, "clang", True, [f"BUILD=build/{name}", f"SAN={name}"])
    for name in CHECKS:
        check(count, name, beside=True)


def count_cmocka(count, code, text):
    """Adds the tests of cmocka programs, one part of the text for each; what
    died or was not built counts as one failure."""
    before, *parts = re.split("^== ", text, flags=re.MULTILINE)
    for part in parts:
        passed, failed, skipped = (
            sum(map(int, re.findall(rf"\[  {word} *\] (?:.*: )?(\d+) test",
                                    part)))
            for word in ("PASSED", "FAILED", "SKIPPED"))
        died = re.search("^FAILED ", part, re.MULTILINE) and not failed
        count.add(passed, failed + bool(died), skipped)
    if code != 0 and not parts:
        count.add(0, 1)


def unit_build(count, folder, options, programs=None, env=None):
    """Builds and runs unit tests in a separate build folder."""
    if programs:
        programs = [p for p in programs if os.path.exists(p + ".c")]
        goals = [f"{folder}/{p}" for p in programs]
        command = ["make", "--no-print-directory", "-j", JOBS,
                   "BUILD=" + folder, *options, *goals]
        code, text = run(command, beside=True)
        if code == 0:
            code, text = run(["sh", "tests/unit.sh", *goals], env=env,
                             beside=True)
    else:
        code, text = run(["make", "--no-print-directory", "-j", JOBS,
                          "BUILD=" + folder, *options, "unit"], beside=True,
                         env={**(env or {}), **other_machines.look_faster(
                             os.environ.get("FASTER"))})
    count_cmocka(count, code, text)


def unit(count):
    unit_build(count, "build", [])


def unit_address(count):
    # MPICH and hwloc keep memory until the end; the programs without MPI look
    # for leaks of our own code.
    unit_build(count, "build/address", ["SAN=address"],
               env={"ASAN_OPTIONS": "detect_leaks=0"})


def unit_thread(count):
    # UCX would hook into a thread's end, after the sanitizer's.
    unit_build(count, "build/thread", ["SAN=thread"],
               THREADED,
               env={"UCX_MEM_MMAP_HOOK_MODE": "none"})


def fuzz(count):
    """Each fuzzer reads its corpus, under the sanitizers; `make test-faults`
    searches for more."""
    code, text = run(["make", "--no-print-directory", "-j", JOBS,
                      "BUILD=build/address", "SAN=address", "fuzz-replay"],
                     beside=True)
    failed = len(re.findall("^FAILED ", text, re.MULTILINE))
    began = len(re.findall("^== ", text, re.MULTILINE))
    count.add(began - failed, failed + (code != 0 and failed == 0))


def integration(count):
    print("tests: all of them" if os.environ.get("ALL") else
          f"tests: a slice, SLICE={slices.seed()}; all: make test-all",
          flush=True)
    files = sorted(glob.glob("tests/integration/test_*.py"))
    if os.environ.get("FASTER"):  # not for daemons and their calendars
        files = [x for x in files if "slurm" not in x and "submit" not in x]
    if not os.environ.get("ALL"):
        without = slices.left_out(slices.seed())
        files = [x for x in files
                 if os.path.basename(x)[5:-3] not in without]
    build_for(count, files)
    alone, waiting = ([x for x in files if os.path.basename(x)[5:-3] in names]
                      for names in (ALONE, WAITING))
    touched = slices.touched({os.path.basename(x)[5:-3] for x in files},
                             slices.seed())
    others = sorted(
        (x for x in files if x not in alone + waiting),
        key=lambda x: ((of := os.path.basename(x)[5:-3]) not in touched,
                       (LONGEST + [of]).index(of),
                       random.Random(f"{slices.seed()} {of}").random()))
    # What measures alone goes first: the others use its calibration.
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(1) as pool:
        os.environ["CALIBRATION_FOLDER"] = folder
        pytest(count, alone, [])
        slow = pool.submit(pytest, Count(), waiting, [], beside=True)
        # Two more than cores: some of them wait for an event.  By files: what
        # a file prepares for its tests is prepared once.
        pytest(count, others, ["-n", str(int(JOBS) + 2), "--dist",
                               "loadfile"])
        count.add(*slow.result())
        del os.environ["CALIBRATION_FOLDER"]


def build_for(count, files):
    """The programs that these test files start; the libraries now, because
    several tests install them at a time."""
    # make exports what is set on its command line: SIM=0, MPI=openmpi.
    sim = ["build/dlsbench-sim"] * (os.environ.get("SIM") != "0")
    wanted = {
        "build": ["lib", "build/dlsbench", *sim,
                  "build/harness/protocol/pipeline/dmps_test"]}
    texts = ""
    for file in files:
        with open(file, encoding="utf-8") as source:
            texts += source.read()
    built = "|".join([*slices.sanitizers(slices.seed()), "preloaded"])
    for program in sorted(set(re.findall(
            rf'"(build/(?:{built})/[\w./-]+)"', texts))):
        wanted.setdefault("/".join(program.split("/")[:2]), []).append(program)
    for folder, programs in wanted.items():
        code, _ = run(["make", "--no-print-directory", "-j", JOBS,
                       "BUILD=" + folder, *SANITIZED.get(folder, []),
                       *programs])
        count.add(code == 0, code != 0)


def pin(count):
    """Hashes, columns and simulated digits that must not change."""
    code, _ = run(["make", "--no-print-directory", "-j", JOBS, "pin"],
                  beside=True)
    count.add(code == 0, code != 0)


def pytest(count, files, options, beside=False, late=False):
    """Returns what the count has now.  late: also when the time is over."""
    if not files:
        return 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        code, _ = run([sys.executable, "-m", "pytest", "-q", "-rs",
                       "--tb=short", "-p", "no:cacheprovider",
                       "--durations=15", "--junitxml", report, *options,
                       *files], limit=2400, beside=beside,
                      env={**other_machines.look_faster(
                               os.environ.get("FASTER")),
                           **({"TESTS_END": ""} if late else {})})
        count_pytest(count, code, report)
    return count.passed, count.failed, count.skipped


def print_times(suite):
    """The files that take longest, to see where the time goes: processor
    seconds, as other tests run beside them."""
    files = {}
    for case in suite.iter("testcase"):
        used = [float(x.get("value")) for x in case.iter("property")
                if x.get("name") == "cpu_s"]
        name = case.get("classname").split(".")[-1]
        files.setdefault(name, []).append((sum(used), case.get("name")))
    sums = {name: sum(s for s, _ in tests) for name, tests in files.items()}
    print(f"{sum(sums.values()):7.1f} s of processors in {len(sums)} files")
    for name in sorted(sums, key=sums.get, reverse=True)[:20]:
        most, test = max(files[name])
        print(f"{sums[name]:7.1f} s {len(files[name]):4d} tests  {name}, "
              f"{most:.1f} s {test}", flush=True)


def measured_beside(suite):
    """The tests whose measurements failed beside other tests, as pytest names
    them: see `eventually`."""
    return [case.get("classname").replace(".", "/") + ".py::"
            + case.get("name") for case in suite.iter("testcase")
            if any("measured beside other tests" in x.get("message", "")
                   for x in case.iter("failure"))]


def count_pytest(count, code, report):
    """A run that ends without a report, or badly for a reason that is none of
    its tests, counts as one failure.  What measures is run again alone."""
    tests = failed = skipped = 0
    if os.path.exists(report):
        suite = xml.etree.ElementTree.parse(report).find(".//testsuite")
        print_times(suite)
        tests, failed, skipped = (
            sum(int(suite.get(name)) for name in names.split())
            for names in ("tests", "failures errors", "skipped"))
        again = measured_beside(suite)
        if again:
            pytest(count, again, [], late=True)
            tests -= len(again)
            failed -= len(again)
            code = code if failed else 0
    count.add(tests - failed - skipped, failed, skipped)
    if code != 0 and failed == 0:
        count.add(0, 1)


PARTS = {"build": build, "checks": checks, "unit": unit,
         "unit-address": unit_address, "unit-thread": unit_thread,
         "fuzz": fuzz, "pin": pin, "integration": integration}


# The sanitizer that a part is for.
NEEDS = {"unit-address": "address", "fuzz": "address", "unit-thread": "thread"}

# Stages run in sequence; the chains of a stage run in parallel, each with a
# separate build folder.
STAGES = [[["build"]],
          [["checks", "unit-address", "fuzz", "unit-thread"],
           ["unit", "pin"]],
          [["integration"]]]


def do_parts(names):
    count = Count()
    used = [None, *slices.sanitizers(slices.seed())]
    for name in [x for x in names if NEEDS.get(x) in used]:
        start = time.monotonic()
        print(f"==== {name}", flush=True)
        PARTS[name](count)
        print(f"==== {name}: {time.monotonic() - start:.0f} s", flush=True)
    return count


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    signal.signal(signal.SIGTERM, end)
    if os.environ.get("QUOTA"):
        other_machines.take_quota(os.environ["QUOTA"])
    os.environ.pop("TESTS_END", None)
    if not os.environ.get("ALL"):
        os.environ["SLICE"] = slices.seed()
        if not sys.argv[1:] and "/" not in slices.seed():
            os.environ["TESTS_END"] = str(
                time.time() + MOST_S * slowness() - 30)
    count = Count()
    names = sys.argv[1:] or list(PARTS)
    for name in names:
        if name not in PARTS:
            sys.exit(f"tests/run.py: no part '{name}', there are: "
                     + ", ".join(PARTS))
    for chains in STAGES:
        wanted = [[x for x in chain if x in names] for chain in chains]
        with concurrent.futures.ThreadPoolExecutor(int(JOBS)) as pool:
            for part in pool.map(do_parts, filter(None, wanted)):
                count.add(part.passed, part.failed, part.skipped)
    print(f"{cpu_seconds():.0f} s of processors")
    line = f"{count.passed} passed, {count.failed} failed"
    if count.skipped:
        line += f", {count.skipped} skipped"
    print(line)
    os.makedirs("build", exist_ok=True)
    with open("build/count", "w", encoding="utf-8") as file:
        file.write(line + "\n")
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main())
