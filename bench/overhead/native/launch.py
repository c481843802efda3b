#!/usr/bin/env python3
"""How long `dlsbench run` takes for cells of almost no work.

    bench/overhead/native/launch.py BUILD [ROUNDS]      (make bench-launch)

Nine cells of three shapes need a launch for each shape.  Beside them, in
turns, the same three launches of a program that calls MPI_Init and
MPI_Finalize only.  No launch can be shorter.  Prints the medians of ROUNDS
(11) rounds, and the median of their ratios, with the aim.  Exit code 1: a
command failed.
"""
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

AIM = 1.8
SHAPES = {"1x1": 1, "1x2": 1, "2x1": 2}      # ranks x threads: ranks
CAMPAIGN = f"""name: launches
repetitions: 1
repetitions_max: 1
cells:
  - kernel: "adjoint:size=20"
    layout: [{", ".join(SHAPES)}]
    scheme: [ss, gss, fss]
"""


def seconds(commands, folder):
    begun = time.perf_counter()
    for words in commands:
        subprocess.run([str(x) for x in words], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main():
    build = pathlib.Path(sys.argv[1]).absolute()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    launcher = shlex.split(os.environ.get("LAUNCHER") or "mpiexec")
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as folder:
        campaign = pathlib.Path(folder, "launches.yaml")
        campaign.write_text(CAMPAIGN)
        for number in range(rounds):
            bare.append(seconds(
                [[*launcher, "-n", ranks, build / "bench-empty"]
                 for ranks in SHAPES.values()], folder))
            ours.append(seconds([[build / "dlsbench", "run", campaign,
                                  "--out", f"out-{number}"]], folder))
    ratio = statistics.median(map(lambda a, b: a / b, ours, bare))
    print(f"9 cells of 3 shapes     {statistics.median(ours):.2f} s "
          f"({min(ours):.2f} to {max(ours):.2f})\n"
          f"3 launches of nothing   {statistics.median(bare):.2f} s "
          f"({min(bare):.2f} to {max(bare):.2f})\n"
          f"ratio                   {ratio:.2f}, aim {AIM} "
          f"{'met' if ratio <= AIM else 'MISSED'}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"launch.py: {error}")
