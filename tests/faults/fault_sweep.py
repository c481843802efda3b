#!/usr/bin/python3
"""One request for memory, or one system call, of a command fails: what then?

    tests/faults/fault_sweep.py [--rounds N] [--first N] [--seed S]

A round takes a command, and one of its requests or calls by the seed and its
own number.  The command must end by itself with exit code 0, 1 or 2.  With 0
its output is the usual one; with another code stderr says why.  Nothing that
is half written is left.  Rounds of `run` resume afterwards: then each cell is
there exactly once.  Memory fails by fail_alloc.c, system calls by strace.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
CALLS = {"openat": ["EMFILE", "EACCES", "ENOMEM"], "read": ["EIO"],
         "write": ["ENOSPC", "EIO"], "rename": ["ENOSPC"], "unlink": ["EIO"],
         "fdatasync": ["EIO"], "mmap": ["ENOMEM"], "getdents64": ["EIO"],
         "mkdir": ["ENOSPC"], "fcntl": ["EINVAL"], "newfstatat": ["EACCES"]}
LIMIT_S = 60
RUN = ["run", "{campaign}", "--out", "{out}/"]
CAMPAIGN = """name: sweep
repetitions: 1
repetitions_max: 1
cells: [{kernel: "null:size=100", scheme: [gss, tss]}]
"""
COMMANDS = {
    "chunks": ["chunks", "--scheme", "fss", "--iterations", "1000",
               "--workers", "4"],
    "replay": ["replay", "--trace", "{costs}", "--workers", "4", "--scheme",
               "gss,fss,awf-c"],
    # Of another machine.
    "calibrated": ["replay", "--trace", "{costs}", "--workers", "4",
                   "--scheme", "gss,fss", "--calibration",
                   str(ROOT / "tests/pinned/calibration.json")],
    "plan": ["plan", "--algorithm", "single-round", "--load", "1000",
             "--workers", "5", "--g", "0.06", "--G", "0.06", "--w",
             "3:9,2:20"],
    "list": ["list", "schemes"],
    "summary": ["summary", "{stored}"],
    "dry-run": ["run", "smoke", "--dry-run"],
    "run": RUN,
}
# Where a fact that is only shown may be missing without an error.
SHOWN = {"dry-run", "run"}
# hwloc and MPI do not survive a failing request for memory.
CALLS_ONLY = {"dry-run", "run"}
# Ended by the loader or by a library, before or behind our own code.
FOREIGN = re.compile(r"error while loading shared libraries|loader|ld\.so|"
                     r"cannot (allocate|create|map)|MPI|UCX|libgomp|"
                     r"Fatal error|PMI|HYD|hwloc", re.I)


class Fault(Exception):
    """What a round has found."""


def command_of(name, folder):
    return [str(BUILD / "dlsbench")] + [
        text.format(out=folder / "out", costs=folder / "costs.txt",
                    campaign=folder / "sweep.yaml", stored=folder / "stored")
        for text in COMMANDS[name]]


def execute(command, folder, **env):
    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True,
            errors="replace", timeout=LIMIT_S, check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(folder), **env})
    except subprocess.TimeoutExpired as late:
        raise Fault(f"not ended after {LIMIT_S} s") from late


def by_memory(rng, name, folder):
    """(words, prefix, environment) of one failing request."""
    library = str(BUILD / "tests/fail_alloc.so")
    count = folder / "count"
    execute(command_of(name, folder), folder, LD_PRELOAD=library,
            FAIL_COUNT=str(count))
    shutil.rmtree(folder / "out", ignore_errors=True)
    requests = int(count.read_text())
    if requests == 0:
        raise Fault(f"{name} asks for no memory")
    at = rng.randint(1, requests)
    env = {"LD_PRELOAD": library, "FAIL_AT": str(at)}
    if rng.random() < 0.5:
        env["FAIL_ALL"] = "1"
    return f"request {at} for memory{' and all after it' * (len(env) > 2)}", \
        [], env


def by_call(rng, name, folder):
    """The same of one failing system call."""
    call = rng.choice(sorted(CALLS))
    error = rng.choice(CALLS[call])
    log = folder / "strace"
    execute(["strace", "-o", str(log), "-e", f"trace={call}",
             *command_of(name, folder)], folder)
    shutil.rmtree(folder / "out", ignore_errors=True)
    lines = [line for line in log.read_text().splitlines()
             if line.startswith(call)]
    # Not the loader's, which come before the first file of our own.
    at = rng.randint(1, max(len(lines), 1))
    return f"call {at} of {call} with {error}", [
        "strace", "-qq", "-o", str(folder / "strace"), "-e",
        f"inject={call}:error={error}:when={at}"], {}


def look(name, done, usual, folder):
    if done.returncode < 0 or done.returncode > 127:
        raise Fault(f"ended by a signal: {done.returncode}")
    if done.returncode > 2 and not FOREIGN.search(done.stderr):
        raise Fault(f"exit code {done.returncode}")
    if done.returncode == 0 and name not in SHOWN and done.stdout != usual:
        raise Fault("exit code 0 with another output")
    if done.returncode != 0 and not done.stderr.strip() and not done.stdout:
        raise Fault(f"exit code {done.returncode} without a word")
    left = [path.name for path in folder.rglob("*")
            if path.name.endswith((".part", ".new"))]
    if left:
        raise Fault(f"left behind: {left}")


def resume(folder):
    begun = (folder / "out/campaign.yaml").exists()
    done = execute(command_of("run", folder) + ["--resume"] * begun, folder)
    if done.returncode != 0:
        raise Fault(f"cannot be resumed: {done.stderr}")
    ends = collections.Counter(
        match[1] for path in (folder / "out").glob("runs-*.jsonl")
        for line in path.read_text().splitlines() if "cell_done" in line
        for match in [re.search(r'"cell":\s*"(\w+)"', line)]
        if '"ok"' in line)
    if sorted(ends.values()) != [1, 1]:
        raise Fault(f"cells after --resume: {dict(ends)}")


def one_round(number, seed, folder):
    rng = random.Random(f"{seed} {number}")
    name = rng.choice(sorted(COMMANDS))
    way = by_call if name in CALLS_ONLY or rng.random() < 0.5 else by_memory
    (folder / "costs.txt").write_text("".join(f"{i % 7 + 1}e-6\n"
                                              for i in range(500)))
    (folder / "sweep.yaml").write_text(CAMPAIGN)
    if name == "summary":
        execute(command_of("run", folder), folder)
        (folder / "out").rename(folder / "stored")
    usual = execute(command_of(name, folder), folder).stdout
    shutil.rmtree(folder / "out", ignore_errors=True)
    words, prefix, env = way(rng, name, folder)
    done = execute(prefix + command_of(name, folder), folder, **env)
    try:
        look(name, done, usual, folder)
        if name == "run":
            resume(folder)
    except Fault as fault:
        raise Fault(f"round {number}, seed {seed}: {name}, {words}: {fault}\n"
                    f"{done.stdout[-600:]}{done.stderr[-600:]}") from fault
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    asked = parser.parse_args()
    codes, faults = collections.Counter(), []
    for number in range(asked.first, asked.first + asked.rounds):
        with tempfile.TemporaryDirectory(prefix="dlsbench-sweep-") as folder:
            try:
                codes[one_round(number, asked.seed, pathlib.Path(folder))] += 1
            except Fault as fault:
                faults.append(str(fault))
                print(fault, file=sys.stderr, flush=True)
    print(f"sweep: {asked.rounds} rounds, exit codes "
          f"{dict(sorted(codes.items()))}, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
