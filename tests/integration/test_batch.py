"""Examples for batch systems that are not here: stand-ins for their commands
read the directives and set the variables that the programs see in a job."""
import pytest

from conftest import ROOT, Result
from slurm_site import JOBS, Site

CAMPAIGN = """
name: example
repetitions: 1
repetitions_max: 1
oversubscribe: on
kernel: "null:size=100"
cells:
  - layout: [1x2, 2x1]
    scheme: [static, gss]
"""
# A job begins in the home folder.
QSUB = """#!/bin/bash
[ "$1" = -v ] && grep -q '^#PBS -l walltime' "$3" || exit 9
hostname >nodes
cd "$HOME" || exit 9
env $(tr , ' ' <<<"$2") PBS_JOBID=7.here PBS_ENVIRONMENT=PBS_BATCH \\
    PBS_O_WORKDIR="$OLDPWD" PBS_NODEFILE="$OLDPWD/nodes" bash "$3"
"""
BSUB = """#!/bin/bash
cat >script
grep -q '^#BSUB -W' script || exit 9
env LSB_JOBID=7 LSB_MCPU_HOSTS="$(hostname) 2" bash script
"""
FLUX = """#!/bin/bash
case $1 in
batch)
    shift
    grep -q '^# flux: --time-limit' "$1" || exit 9
    FLUX_JOB_ID=f7 exec bash "$@"
    ;;
run)
    echo "$*" >>runs
    [ "$2 $3 $5" = '--nodes=1 -n -c' ] || exit 9
    exec mpiexec.mpich -n "$4" "${@:7}"
    ;;
*) exit 9 ;;
esac
"""


@pytest.mark.parametrize("name, text, submit", [
    ("qsub", QSUB, ["qsub", "-v", "CAMPAIGN=c.yaml,DIR=out", "{}.pbs"]),
    ("bsub", BSUB, ["sh", "-c", "CAMPAIGN=c.yaml DIR=out bsub <{}.lsf"]),
    ("flux", FLUX, ["flux", "batch", "{}.flux", "c.yaml", "out"])])
def test_an_example_runs_and_goes_on(tmp_path, name, text, submit):
    site = Site(tmp_path)
    site.write("c.yaml", CAMPAIGN)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / name).write_text(text)
    (tmp_path / "bin" / name).chmod(0o755)
    site.env["PATH"] = f"{tmp_path}/bin:{site.env['PATH']}"
    site.env["DLSBENCH"] = str(ROOT / "build/dlsbench")
    words = [x.replace("{}", str(JOBS / "one-node")) for x in submit]
    first = site.run(*words)
    assert first.returncode == 0, first.stdout + first.stderr
    done = Result(0, "", "", tmp_path / "out").done()
    assert [x["status"] for x in done] == ["ok"] * 4
    again = site.run(*words)
    assert again.returncode == 0
    assert "4 of 4 cells are complete already" in again.stderr
    if name == "flux":
        assert "run --nodes=1 -n 2 -c 1 " in (tmp_path / "runs").read_text()


@pytest.mark.parametrize("system", ["pbs", "lsf", "flux"])
def test_an_example_is_short_and_says_what_was_not_tried(system):
    text = (JOBS / f"one-node.{system}").read_text()
    assert len(text.splitlines()) < 30
    assert "Tested with a stand-in for " in text and ", not on a real" in text
