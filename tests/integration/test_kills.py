"""Ten rounds of the kill test; `make test-faults` has more."""
import os
import subprocess
import sys

from conftest import ROOT


def test_what_is_killed_and_resumed_ends_complete_and_leaves_nothing():
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("SLURM_")}
    done = subprocess.run([sys.executable, ROOT / "tests/kills.py",
                           "--rounds", "10"], cwd=ROOT, env=env, text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 rounds with" in done.stdout
    assert not done.stdout.startswith("kills: 10 rounds with 0 kills")
