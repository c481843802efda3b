"""Four rounds of the kill test, others with each commit; `make test-all` has
thirteen, `make test-faults` more.  (Rounds 6 to 9 alone draw moments so late
that on a quiet machine their campaigns have ended.)"""
import os
import subprocess
import sys

import slices
from conftest import ROOT

FIRST, ROUNDS = (0, 13) if os.environ.get("ALL") else (
    *slices.part_of("kills", [0, 3, 9], part=3), 4)


def test_what_is_killed_and_resumed_ends_complete_and_leaves_nothing():
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("SLURM_")}
    done = subprocess.run([sys.executable, ROOT / "tests/kills.py",
                           "--first", str(FIRST), "--rounds", str(ROUNDS)],
                          cwd=ROOT, env=env, text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{ROUNDS} rounds with" in done.stdout
    assert not done.stdout.startswith(f"kills: {ROUNDS} rounds with 0 kills")
