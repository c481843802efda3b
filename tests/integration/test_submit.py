"""jobs/submit.sh without a cluster: what it would submit, what it refuses, and
what it says before anything is submitted."""
import re
import shlex

import pytest

from conftest import ROOT
from slurm_site import JOBS, SITE, Site


@pytest.fixture
def desk(tmp_path):
    """A user without a cluster: --dry-run needs none."""
    return Site(tmp_path)


def sbatch_lines(done):
    assert done.returncode == 0, done.stderr
    return [shlex.split(x) for x in done.stdout.splitlines()
            if x.startswith("    sbatch")]


def test_a_dry_run_prints_each_array_and_makes_nothing(desk):
    done = desk.submit("--nodes", "1,2", "--dry-run", "--set",
                       "layout=[2x1,4x1,1x2]")
    lines = sbatch_lines(done)
    assert [[x for x in line if x.startswith((
        "--nodes", "--ntasks", "--cpus", "--array"))] for line in lines] == [
        ["--nodes=1", "--ntasks=1", "--ntasks-per-node=1",
         "--cpus-per-task=2", "--array=0-1%4"],
        ["--nodes=1", "--ntasks=2", "--ntasks-per-node=2",
         "--cpus-per-task=1", "--array=0-3%4"],
        ["--nodes=2", "--ntasks=4", "--ntasks-per-node=2",
         "--cpus-per-task=1", "--array=0-3%4"]]
    for line in lines:
        assert {"--signal=B:TERM@60", "--requeue", "--partition=here",
                "--resume", "name=c"} <= set(line)
    assert not (desk.folder / "out").exists()


def test_shards_are_as_many_as_the_time_needs(desk):
    def shards(*words):
        (line,) = sbatch_lines(desk.submit("--dry-run", *words))
        return line[line.index("--") - 1]
    assert shards() == "4"  # two of 40 s in 90 s
    assert shards("--time", "0-01:00:00") == "1"
    assert shards("--cell-time", 90) == "8"
    assert shards("--cell-time", 11) == "1"
    assert shards("--time", "3:30") == "8"
    said = desk.submit("--dry-run").stdout
    assert "about 320 s in all (8 by limit), 4 shards" in said
    said = desk.submit("--dry-run", "--cell-time", 11).stdout
    assert "(8 by --cell-time), 1 shards" in said


@pytest.mark.parametrize("words,says", [
    (["--site", "none.env"], "none.env is not there: copy"),
    (["--time", "3"], "a time limit of 3 leaves 30 s for cells"),
    (["--time", "1"], "a time limit of 1 leaves nothing for cells"),
    (["--site", "."], ". is not there: copy"),
    (["--cell-time", "91"], "a cell may take 91 s"),
    (["--cell-time", "0"], "--cell-time: '0' must be whole seconds"),
    (["--time", "soon"], "the time limit 'soon'"),
    (["--nodes", "0"], "--nodes: '0' must be numbers"),
    (["--nodes", "1+0"], "--nodes: '1+0' must be numbers"),
    (["--nodes", "1+1"], "SITE_HET_CORES='' must be a number"),
    (["--nodes", "4"], "layout 2x1 does not fit on 4 nodes"),
    (["--out", "a\nb/"], "a\\nb/' holds a backslash or the end of a line"),
    (["--out", "a\\b/"], "a\\b/' holds a backslash or the end of a line"),
    (["--out", "x", "--set", "name=a\\b"], "x/a\\b' holds a backslash"),
    (["--set", "layout=1x3"], "3 threads do not fit on a node of 2 cores"),
    (["--set", "scheme=gsss"], "gsss"),
    (["--calibration", "none.json"], "none.json"),
    (["--nods", "4"], "'--nods' is not known"),
    (["other.yaml"], "one word too many"),
    (["--out"], "--out: a value is missing"),
])
def test_bad_input_is_one_clear_line(desk, words, says):
    done = desk.submit("--dry-run", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr


@pytest.mark.parametrize("line,says", [
    ("SITE_CORES=many", "SITE_CORES='many' must be a number"),
    ("SITE_LAUNCHER=prun", "SITE_LAUNCHER='prun' is not known"),
    ("SITE_PROGRAM=/none/dlsbench", "/none/dlsbench is not found"),
    ("SITE_LAUNCHER_FLAGS=(\"a'\\\"\")", "both kinds of quotes"),
    ("SITE_SBATCH=(--exclusive", "bash cannot read site.env: line "),
    ("exit 0", "site.env ends the shell that reads it"),
    ("SITE_PROGRAM=/bin/true", "/bin/true is not dlsbench"),
    ("SITE_ACCOUNT=$NOBODY_HAS_SET_THIS", "NOBODY_HAS_SET_THIS: unbound"),
    ("SITE_LAUNCHER_FLAGS=(--nodes={foo})", "'{foo}"),
    ("SITE_TIME=99999999999999999999", "the time limit '999999999999999"),
    ("SITE_TIME=1-99999999999999999999", "the time limit '1-999"),
    ("SITE_LAUNCHER=$'a\\nb'", "SITE_LAUNCHER='a\\nb' is not known"),
])
def test_wrong_settings_are_one_clear_line(desk, line, says):
    desk.write("site.env", SITE + line + "\n")
    done = desk.submit("--dry-run")
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr


def test_a_calibration_of_a_node_estimates(desk, measured):
    done = desk.submit("--dry-run", "--calibration", measured[0], "--set",
                       "kernel=heat:rows=64,cols=96", "--set",
                       "transport=[master]")
    assert done.returncode == 0 and "(4 by model)" in done.stdout


@pytest.mark.parametrize("says,words", [
    ("HYDRA build details", "-ppn 1 -n"),
    ("mpiexec (OpenRTE) 4.1.4", "--map-by ppr:1:node --bind-to none -n")])
def test_each_mpi_is_told_the_ranks_of_a_node_in_its_words(desk, says, words):
    desk.write("mpirun", f"#!/bin/sh\necho '{says}'\n")
    (desk.folder / "mpirun").chmod(0o755)
    desk.write("site.env", SITE + f"SITE_LAUNCHER={desk.folder}/mpirun\n"
               "SITE_LAUNCHER_FLAGS=()\n")
    (line,) = sbatch_lines(desk.submit("--dry-run", "--nodes", 2))
    assert f"mpirun {words} {{ranks}}" in line[line.index("--launcher") + 1]


def test_settings_with_blanks_stay_one_word(desk):
    desk.write("site.env", SITE + "SITE_ACCOUNT='a b; $(touch bad)'\n"
               "SITE_SBATCH=('--comment=x  y; touch bad')\n")
    (line,) = sbatch_lines(desk.submit("--dry-run"))
    assert "--account=a b; $(touch bad)" in line
    assert "--comment=x  y; touch bad" in line
    assert not (desk.folder / "bad").exists()


@pytest.mark.parametrize("layout,nodes,parts", [
    ("2x1", "1+1", [1, 1]), ("8x1", "1+1", [6, 2]), ("4x1", "1+2", [2, 2]),
    ("3x2", "1+1", [2, 1]), ("12x1", "2+2", [9, 3])])
def test_ranks_are_shared_out_as_the_cores_of_two_types(desk, layout, nodes,
                                                        parts):
    desk.write("site.env", SITE.replace("SITE_CORES=2", "SITE_CORES=6")
               + "SITE_HET_CORES=2\nSITE_HET_SBATCH=(--constraint=old)\n")
    (first, *_) = sbatch_lines(desk.submit("--dry-run", "--nodes", nodes,
                                           "--set", f"layout={layout}"))
    assert [int(x[9:]) for x in first if x.startswith("--ntasks=")] == parts
    assert "srun '--mpi=pmi2' --het-group=0,1 -c {threads}" in first
    assert "--constraint=old" in first[first.index(":"):]


@pytest.mark.parametrize("settings,words,says", [
    ("SITE_HET_CORES=2", ["1+1"], "SITE_HET_SBATCH is empty"),
    ("SITE_HET_CORES=2\nSITE_HET_SBATCH=(-C old)\nSITE_LAUNCHER=mpiexec",
     ["1+1"], "only srun starts the ranks"),
    ("SITE_HET_CORES=2\nSITE_HET_SBATCH=(-C old)", ["2+1"],
     "layout 2x1 does not fit on 2 nodes of 2 cores (SITE_CORES) and 1 of 2"),
])
def test_wrong_second_types_are_one_clear_line(desk, settings, words, says):
    desk.write("site.env", SITE + settings + "\n")
    done = desk.submit("--dry-run", "--nodes", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr


def test_the_directory_of_another_campaign_stays_as_it_is(desk, dlsbench):
    done = dlsbench("run", "--kernel", "null:size=50", "--scheme", "ss",
                    "--threads", 1)
    assert done.code == 0, done.err
    before = sorted(done.directory.iterdir())
    refused = desk.submit("--dry-run")
    assert refused.returncode == 2
    assert "holds another campaign" in refused.stderr
    assert sorted(done.directory.iterdir()) == before
    status = desk.run(JOBS / "status.sh", "out")
    assert status.returncode == 2
    assert "nothing was submitted for it" in status.stderr


# ---- layouts by nodes, and what is said before anything is submitted ----

SPEEDS = ("speeds=mandelbrot=4e-9,adjoint=4e-10,heat=6e-10,matmul=1e-10,"
          "floyd-steinberg=2e-9")


def test_the_cluster_campaign_is_made_for_the_nodes(desk):
    done = desk.submit("--nodes", "1,2,4", "--dry-run", "--set",
                       "depth=short", "--set", SPEEDS, "--time", "60",
                       campaign="cluster")
    layouts = [line[line.index("--shape") + 1] for line in sbatch_lines(done)]
    assert sorted(layouts) == ["1x2", "2x1", "2x2", "4x1", "4x2", "8x1"]
    said = done.stdout.splitlines()
    assert said[0].endswith("impossible combinations are skipped:")
    assert "more masters (8) than ranks (2)" in done.stdout
    (total,) = [line for line in said if line.startswith("in all ")]
    assert total.endswith("node-hours") and "in 6 layouts" in total
    assert said.index(total) < next(
        i for i, line in enumerate(said) if line.startswith("layout"))


def test_node_hours_are_those_of_all_cells(desk):
    """8 cells of 40 s on a node, and twice so long on two."""
    def total(*words):
        out = desk.submit("--dry-run", *words).stdout
        return next(x for x in out.splitlines() if x.startswith("in all"))
    assert total() == "in all 8 cells in 1 layouts, about 0.0889 node-hours"
    assert total("--nodes", 2).endswith("about 0.178 node-hours")


SINFO = """#!/bin/sh
case "$*" in
*%R*) echo here ;;
*%a*) echo {available} ;;
*%l*) echo 4:00:00 ;;
*%c*) printf '{cores}' ;;
*%N*) printf 'n1\\nn2\\n' ;;
esac
"""


@pytest.mark.parametrize("available, cores, words, says", [
    ("down", "2 n1\\n2 n2\\n", [], "partition here is down"),
    ("up", "2 n1\\n4 n2\\n", [],
     "the nodes of partition here differ (1 of 2 processors, 1 of 4"),
    ("up", "1 n1\\n1 n2\\n", [], "SITE_CORES=2 is over 1"),
    ("up", "2 n1\\n2 n2\\n", ["--calibration", "other.json"],
     "other.json was measured on elsewhere, which is no node of here")])
def test_a_site_is_looked_at(desk, available, cores, words, says):
    tools = desk.folder / "bin"
    tools.mkdir()
    (tools / "sinfo").write_text(SINFO.format(available=available,
                                              cores=cores))
    (tools / "sinfo").chmod(0o755)
    text = (ROOT / "tests/pinned/calibration.json").read_text()
    desk.write("other.json", re.sub(r'"host": "[^"]*"', '"host": "elsewhere"',
                                    text))
    desk.env["PATH"] = f"{tools}:{desk.env['PATH']}"
    done = desk.submit("--dry-run", *words)
    assert says in done.stderr
    assert [x for x in done.stderr.splitlines()
            if x.startswith("submit.sh: ")] == done.stderr.splitlines()[:1]
    assert done.returncode == (0 if "differ" in says or words else
                               1 if available == "down" else 2)
