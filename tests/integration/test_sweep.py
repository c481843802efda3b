"""Some rounds of the sweep of failing requests and calls, others with each
commit; `make test-faults` has 300."""
import os
import subprocess
import sys

import slices
from conftest import ROOT

ROUNDS = 60 if os.environ.get("ALL") else 12
[FIRST] = slices.part_of("sweep", range(0, 300, ROUNDS), part=300 // ROUNDS)


def test_what_fails_is_said_and_nothing_is_lost(tmp_path):
    build = os.environ.get("BUILD", "build")
    subprocess.run(["make", "-s", f"BUILD={build}",
                    f"{build}/tests/fail_alloc.so"], cwd=ROOT, check=True)
    done = subprocess.run([sys.executable,
                           ROOT / "tests/faults/fault_sweep.py", "--first",
                           str(FIRST), "--rounds", str(ROUNDS)],
                          cwd=ROOT, text=True, capture_output=True,
                          timeout=600, check=False,
                          env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"sweep: {ROUNDS} rounds" in done.stdout
