"""jobs/submit.sh without a cluster: what it would submit, what it refuses, and
what it says before anything is submitted."""
import re
import shlex

import pytest

from conftest import ROOT
from slurm_site import JOBS, ODD, SITE, Site


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
                "--resume", f"name={ODD}", f"--job-name={ODD}"} <= set(line)
        out = desk.folder / "out"
        assert f"--output={out}/slurm-%A_%a.out" in line
        assert line[line.index("--out") + 1] == str(out)
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
    assert "(8 by --cell-time), 1 shard " in said


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
    (["--out", "a\nb/"], "a\\nb: the path of results must be UTF-8 without"),
    (["--out", "a\\b/"], "a\\b' holds a backslash"),
    (["--out", "x", "--set", "name=a\\b"], "a\\b/x' holds a backslash"),
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
    ("SITE_LAUNCHER=srun\nSITE_LAUNCHER_FLAGS=(\"a'\\\"\")",
     "both kinds of quotes"),
    ("SITE_SBATCH=(--exclusive", "bash cannot read site.env: line "),
    ("exit 0", "site.env ends the shell that reads it"),
    ("SITE_PROGRAM=/bin/true", "/bin/true is not dlsbench"),
    ("SITE_ACCOUNT=$NOBODY_HAS_SET_THIS", "NOBODY_HAS_SET_THIS: unbound"),
    ("SITE_LAUNCHER=srun\nSITE_LAUNCHER_FLAGS=(--nodes={foo})", "'{foo}"),
    ("SITE_TIME=99999999999999999999", "the time limit '999999999999999"),
    ("SITE_TIME=1-99999999999999999999", "the time limit '1-999"),
    ("SITE_LAUNCHER=$'a\\nb'", "SITE_LAUNCHER='a\\nb' is not known"),
    ("SITE_ARRAY=many", "SITE_ARRAY='many' must be a number"),
    ("DLSBENCH_LAUNCHER='srun -n {rank}'",
     "DLSBENCH_LAUNCHER: '{rank}' is unknown"),
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


def test_status_has_a_line_for_each_launch_of_a_folder(desk, dlsbench):
    """Also where nothing was submitted; one exit code for all."""
    def status(*words):
        done = desk.run(JOBS / "status.sh", *words)
        return done.returncode, done.stdout.splitlines(), done.stderr
    for name in "before/1", "before/2":
        done = dlsbench("run", "--kernel", "null:size=50", "--scheme",
                        "ss,gss", "--threads", 1, "--out",
                        desk.folder / name)
        assert done.code == 0, done.err
    code, lines, _ = status("before/1")
    assert code == 0 and lines[-1].split() == ["all", "2", "2", "0", "0", "0"]
    code, lines, _ = status("before")
    assert code == 0 and [line.split() for line in lines[1:]] == [
        ["2", "2", "0", "0", "0", f"before/{i}"] for i in (1, 2)]
    more = desk.folder / "before/2/campaign.yaml"
    more.write_text(more.read_text().replace("'ss'", "'ss', 'tss'"))
    code, lines, _ = status("before/", "before/1")
    assert code == 1 and lines[2].split()[:5] == ["3", "2", "0", "0", "1"]
    assert len(lines) == 4
    more.write_text(more.read_text().replace("'ss', ", ""))
    code, lines, err = status("before")
    assert code == 2 and len(lines) == 2 and "before/2: 1 of its cells" in err


@pytest.mark.parametrize("transports,said", [
    ("[shared,steal]", "1 impossible combination is skipped:"),
    ("[shared]", None)])
def test_what_is_skipped_is_said(desk, transports, said):
    done = desk.submit("--nodes", 1, "--dry-run", "--set", "layout=1x2",
                       "--set", f"transport={transports}", "--set",
                       "scheme=[ss,awf-b]")
    line = done.stdout.splitlines()[1]
    assert line == said if said else "impossible" not in done.stdout
    assert done.returncode == 0


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
    assert said[0] == f"results: {desk.folder}/out"
    assert said[1].endswith("impossible combinations are skipped:")
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
    assert total() == "in all 8 cells in 1 layout, about 0.0889 node-hours"
    assert total("--nodes", 2).endswith("about 0.178 node-hours")


def places(done):
    """The full path that was said first, by either of both commands."""
    return re.search(r"results(?: in|:) (/.*)", done.stdout + done.stderr)[1]


@pytest.mark.parametrize("name", ["", "name: other\n"])
@pytest.mark.parametrize("out", ["before", "before/1", "./x", "/tmp/../tmp/y"])
def test_both_commands_name_the_same_place_and_first(desk, name, out):
    """As a real run does, which says it before it begins."""
    desk.write("c.yaml", name + "kernel: \"null:size=9\"\noversubscribe: on\n"
               "cells:\n  - scheme: ss\n    layout: 2x1\n")
    words = ["c.yaml", "--out", out, "--dry-run"]
    submits = desk.run(JOBS / "submit.sh", *words, "--site", "site.env")
    assert submits.stdout.startswith("results: /")
    (line,) = sbatch_lines(submits)
    place = places(submits)
    assert f"--output={place}/slurm-%A_%a.out" in line
    assert "--job-name=" + ("other" if name else "c") in line
    program = ROOT / "build/dlsbench"
    dry = desk.run(program, "run", *words)
    assert dry.stderr.splitlines()[0].endswith(f"results in {place}")
    assert not (desk.folder / "before").exists()
    if out.startswith("before"):
        real = desk.run(program, "run", *words[:-1])
        assert places(real) == place
        assert f"{place}/campaign.yaml" in map(
            str, desk.folder.rglob("campaign.yaml"))


def tools(desk, **scripts):
    """Stand-ins for Slurm's programs."""
    folder = desk.folder / "bin"
    folder.mkdir()
    for name, text in scripts.items():
        (folder / name).write_text("#!/bin/bash\n" + text)
        (folder / name).chmod(0o755)
    desk.env["PATH"] = f"{folder}:{desk.env['PATH']}"


SINFO = """
case "$*" in
*%n*) printf 'n1 left.site\\nn2 right.site\\n' ;;
*%R*) echo here ;;
*%a*) echo {available} ;;
*%l*) echo 4:00:00 ;;
*%c*) printf '{cores}' ;;
*%N*) printf 'n1\\nn2\\n' ;;
esac
"""
UP = SINFO.format(available="up", cores="2 n1\\n2 n2\\n")
# Takes as many tasks as there are lines in "room", as slurmctld does: an array
# is accepted whole or not at all.
SBATCH = """
for word; do
    case $word in --array=*) tasks=${word#--array=} ;; esac
done
echo "$tasks" >>asked
count=0
for part in $(tr , ' ' <<<"${tasks%\\%*}"); do
    count=$((count + ${part#*-} - ${part%-*} + 1))
done
if [ "$count" -gt "$(cat room)" ]; then
    echo 'sbatch: error: LIMIT' >&2
    echo "sbatch: error: Batch job submission failed: Job violates" \\
        "accounting/QOS policy (job submit limit, user's size and/or time" \\
        "limits)" >&2
    exit 1
fi
echo $(($(cat room) - count)) >room
number=$((100 + $(wc -l <asked)))
for part in $(tr , ' ' <<<"${tasks%\\%*}"); do
    seq "${part%-*}" "${part#*-}" | sed 's/$/ PENDING/' >>queue-$number
done
echo $number
"""
SQUEUE = """
while [ $# -gt 0 ]; do
    [ "$1" != -j ] || for job in ${2//,/ }; do
        cat queue-$job 2>/dev/null
    done
    shift
done
"""


def tasks_of(desk):
    """The shards that are queued, each as often as it is."""
    return sorted(int(line.split()[0]) for path in desk.folder.glob("queue-*")
                  for line in path.read_text().splitlines())


@pytest.mark.parametrize("limit", ["QOSMaxSubmitJobPerUserLimit",
                                   "AssocMaxSubmitJobLimit"])
def test_a_limit_on_submitted_jobs_is_met_by_several_arrays(desk, limit):
    """And the rest is submitted by later calls: no shard twice, with the same
    number of shards as those in the queue have."""
    tools(desk, sbatch=SBATCH.replace("LIMIT", limit), squeue=SQUEUE,
          sinfo=UP)
    words = "--cell-time", 90  # a shard for each of 8 cells
    desk.write("room", "5")
    first = desk.submit(*words)
    assert first.returncode == 1 and first.stdout.count("submitted as") == 2
    assert tasks_of(desk) == [0, 1, 2, 3, 4]
    assert "not queued: 3 shards" in first.stdout
    (line,) = first.stderr.splitlines()
    assert line.startswith("submit.sh: not queued: 3 shards") \
        and limit in line
    none = desk.submit(*words)
    assert none.returncode == 1 and "not queued: 3 shards" in none.stderr
    assert tasks_of(desk) == [0, 1, 2, 3, 4]
    desk.write("room", "9")
    last = desk.submit(*words)
    assert last.returncode == 0, last.stderr
    assert tasks_of(desk) == list(range(8))
    again = desk.submit(*words)
    assert again.returncode == 0
    assert "is in the queue still, nothing is submitted" in again.stdout
    rows = desk.run(JOBS / "status.sh", "out").stdout.splitlines()
    assert sum(" PENDING " in x for x in rows) == 8, rows


def test_other_limits_are_an_error_and_what_was_submitted_is_said(desk):
    tools(desk, squeue="", sinfo=UP, sbatch=SBATCH.replace(
        "LIMIT", "QOSMaxWallDurationPerJobLimit"))
    desk.write("room", "4")
    done = desk.submit("--set", "layout=[1x1,2x1]", "--cell-time", 40)
    assert done.returncode == 1
    assert "submitted as array 101" in done.stdout
    assert "QOSMaxWallDurationPerJobLimit" in done.stderr
    assert "sbatch refused layout 2x1; what is above it" in done.stderr
    rows = (desk.folder / "out/submitted.tsv").read_text().splitlines()
    assert rows[0].startswith("array\t") and rows[1].startswith("101\t1x1\t")


def test_the_largest_array_is_the_sites(desk):
    tools(desk, scontrol="echo 'MaxArraySize            = 6'\n")
    done = desk.submit("--dry-run", "--cell-time", 90)
    assert done.returncode == 2
    assert "8 cells of layout 2x1 do not fit into an array of 6" in done.stderr
    desk.write("site.env", SITE + "SITE_ARRAY=8\n")
    (line,) = sbatch_lines(desk.submit("--dry-run", "--cell-time", 90))
    assert "--array=0-7%4" in line


@pytest.mark.parametrize("setting, words", [
    ("", []), ("DLSBENCH_LAUNCHER='srun --mpi=pmix -n {ranks}'",
               ["--launcher", "srun --mpi=pmix -n {ranks}"])])
def test_the_launcher_is_given_once_or_found_in_the_job(desk, setting, words):
    desk.write("site.env", SITE + setting + "\n")
    (line,) = sbatch_lines(desk.submit("--dry-run"))
    assert line[line.index("--shape") + 2:] == words


@pytest.mark.parametrize("available, cores, words, says", [
    ("down", "2 n1\\n2 n2\\n", [], "partition here is down"),
    ("up", "2 n1\\n4 n2\\n", [],
     "the nodes of partition here differ (1 of 2 processors, 1 of 4"),
    ("up", "1 n1\\n1 n2\\n", [], "SITE_CORES=2 is over 1"),
    ("up", "2 n1\\n2 n2\\n", ["--calibration", "other.json"],
     "other.json was measured on elsewhere, which is no node of here"),
    ("up", "2 n1\\n2 n2\\n", ["--calibration", "right.json"], "")])
def test_a_site_is_looked_at(desk, available, cores, words, says):
    tools(desk, sinfo=SINFO.format(available=available, cores=cores))
    text = (ROOT / "tests/pinned/calibration.json").read_text()
    for name, host in ("other", "elsewhere"), ("right", "right"):
        desk.write(f"{name}.json", re.sub(
            r'"host": "[^"]*"', f'"host": "{host}"', text))
    done = desk.submit("--dry-run", *words)
    assert says in done.stderr
    lines = [x for x in done.stderr.splitlines() if "too short" not in x]
    assert [x for x in lines if x.startswith("submit.sh: ")] == lines[:1]
    assert done.returncode == (0 if "differ" in says or words else
                               1 if available == "down" else 2)
