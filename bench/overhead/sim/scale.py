#!/usr/bin/env python3
"""What simulating many ranks costs, beside a bare master-worker loop.

    bench/overhead/sim/scale.py BUILD [RANKS CHUNKS]     (make sim-scale)

Both run in SMPI with the same flags, one after the other: RANKS ranks
(131,072) below one master, CHUNKS chunks (1,000,000) of equal cost, requests
without results.  SMPI's clock stands still for both, as in dlsbench sim; with
CLOCK=1 in the environment the bare loop is as smpirun alone runs it.  Prints
time and memory of both and the ratios; DLSBench should stay within 1.5.  Exit
code 1: it does not, or a run failed.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

AIM = 1.5
EDGE = 64                      # of the matrices of a task
FLOPS = 2 * EDGE ** 3
# Requests per second, few enough for the master.  It has a separate host; the
# others share so many.
RATE, HOSTS = 12500, 1024
# dlsbench sim's list of hosts is open only as long as it runs.
HOSTFILE = "--cfg=smpi/hostfile:"


def platform_text(ranks):
    most = max(64, ranks // HOSTS)
    speed = FLOPS * RATE / ranks
    hosts = [("a-0", 1)] + [(f"b-{i}", most)
                            for i in range((ranks - 2) // most + 1)]
    return "\n".join([
        "<?xml version='1.0'?>",
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        '<platform version="4.1"><zone id="z" routing="Cluster">',
        *(f'<host id="{name}" speed="{speed}f" core="{cores}"/>'
          f'<link id="l-{name}" bandwidth="1GBps" latency="1us" '
          'sharing_policy="SPLITDUPLEX"/>'
          f'<host_link id="{name}" up="l-{name}_UP" down="l-{name}_DOWN"/>'
          for name, cores in hosts), "</zone></platform>"])


def flags(platform, dlsbench, ranks, folder):
    """Those of dlsbench sim, and its hosts, from its own smpirun."""
    there = pathlib.Path(folder) / "bin"
    there.mkdir()
    script = there / "smpirun"
    # Asked for the hosts it is the real one; else it tells what it was told.
    script.write_text(
        "#!/bin/sh\ncase \"$*\" in *--hosts*) exec /usr/bin/env "
        "PATH=\"$REAL_PATH\" smpirun \"$@\";; esac\n"
        "for word in \"$@\"; do echo \"$word\"; done > \"$TOLD\"\n"
        f"for word in \"$@\"; do case \"$word\" in {HOSTFILE}*) "
        f"cp \"${{word#{HOSTFILE}}}\" \"$TOLD.hosts\";; esac; done\nexit 1\n")
    script.chmod(0o755)
    told = os.path.join(folder, "told")
    env = {**os.environ, "PATH": f"{there}:{os.environ['PATH']}",
           "REAL_PATH": os.environ["PATH"], "TOLD": told}
    subprocess.run(cell(platform, dlsbench, ranks, 10,
                        os.path.join(folder, "asked")), env=env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    words = pathlib.Path(told).read_text().splitlines()
    same = [w for w in words if w.startswith(("--cfg", "--log"))
            and not w.startswith(HOSTFILE)]
    if "-wrapper" in words and not os.environ.get("CLOCK"):
        at = words.index("-wrapper")
        same += words[at:at + 2]
    return same


def cell(platform, dlsbench, ranks, chunks, out):
    return [dlsbench, "sim", "--platform", platform, "--kernel",
            f"matmul:tasks={chunks},min={EDGE},max={EDGE}", "--scheme", "ss",
            "--ranks", str(ranks), "--master", "dedicated", "--collect",
            "local", "--prefetch", "off", "--out", out]


def measure(command):
    """(seconds, bytes, CPU seconds, what it printed)."""
    before = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command[:6])} ...\n{text}")
    return (time.monotonic() - before, usage.ru_maxrss * 1024,
            usage.ru_utime + usage.ru_stime, text)


def main():
    build = sys.argv[1]
    ranks, chunks = map(int, sys.argv[2:4] or (131072, 1000000))
    dlsbench = os.path.join(build, "dlsbench")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        platform = os.path.join(folder, "scale.xml")
        pathlib.Path(platform).write_text(platform_text(ranks))
        same = flags(platform, dlsbench, ranks, folder)
        bare = measure(["smpirun", "-np", str(ranks), "-platform", platform,
                        "-hostfile", os.path.join(folder, "told.hosts"), *same,
                        os.path.join(build, "dlsbench-bare-sim"), str(chunks),
                        str(FLOPS)])
        ours = measure(cell(platform, dlsbench, ranks, chunks,
                            os.path.join(folder, "ours")))
        runs = list(pathlib.Path(folder, "ours").glob("runs-*.jsonl"))
        lines = [json.loads(x) for x in runs[0].read_text().splitlines()]
    run = next(x for x in lines if x["type"] == "run")
    if run["chunks"] != chunks or run["verified"] != "handed out":
        sys.exit(f"failed: {run['chunks']} chunks, {run['status']}")
    print(f"{ranks:,} ranks, {chunks:,} chunks, one master")
    ratios = []
    for name, i, unit, factor in (("time", 0, "s", 1), ("CPU time", 2, "s", 1),
                                  ("memory", 1, "GB", 1e-9)):
        ratios.append(ours[i] / bare[i])
        print(f"  {name:9} bare {bare[i] * factor:7.2f} {unit:2}  dlsbench "
              f"{ours[i] * factor:7.2f} {unit:2}  x {ratios[-1]:.2f}"
              + ("" if i == 2 else f", aim {AIM} "
                 + ("met" if ratios[-1] <= AIM else "MISSED")))
    sys.exit(ratios[0] > AIM or ratios[2] > AIM)


if __name__ == "__main__":
    main()
