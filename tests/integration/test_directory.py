"""Result directories: what a launch has finished counts once, whoever is
killed; another campaign does not get in; nothing is left behind; and paths may
hold any character."""
import collections
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import ROOT, Result, launcher, start
from result_files import Directory, analysis

SMALL = """
name: small
repetitions: 2
repetitions_max: 2
layout: 2x1
kernel: "null:size=50"
cells:
  - scheme: [ss, gss, fss]
"""
PATTERNS = ["we[i]rd", "a*b?c", "back\\slash", "[!x]{a,b}~$HOME"]


def counted(directory):
    """cell -> how many launches ended it as ok."""
    return collections.Counter(
        x["cell"] for x in Result(0, "", "", directory).done()
        if x["status"] == "ok")


def wrapped(tmp_path, body):
    """A launcher that runs the launch and calls look(line) for each line of
    its stdout before the driver gets it."""
    path = tmp_path / "launcher.py"
    path.write_text(f"""import os, pathlib, signal, subprocess, sys
{body}
launch = subprocess.Popen({launcher(2)!r} + sys.argv[2:], text=True,
                          stdout=subprocess.PIPE)
for line in launch.stdout:
    look(launch, line)
    sys.stdout.write(line)
    sys.stdout.flush()
sys.exit(launch.wait())
""")
    return shlex.join([sys.executable, str(path)]) + " {ranks}"


# ---- finished cells ----

def test_a_cell_that_is_finished_counts_though_the_driver_did_not_hear(
        tmp_path, dlsbench, campaign):
    """Every launch dies once it has written a cell_done line."""
    words = wrapped(tmp_path, """
def look(launch, line):
    if line.startswith("@done"):
        launch.kill()
        launch.wait()
        os._exit(137)
""")
    result = dlsbench("run", campaign(SMALL), "--oversubscribe",
                      "--launcher", words)
    assert result.code == 0, result.err
    assert [x["status"] for x in result.done()] == 3 * ["ok"]
    assert set(counted(result.directory).values()) == {1}
    assert "3 cells ok, 0 failed" in result.out
    code, out, err = analysis("tables", result.directory, "--format", "csv")
    assert code == 0 and len(out.splitlines()) == 4, err


def ended_twice(path, first, second):
    """Three repetitions of a cell, which its launch ended in two ways."""
    folder = Directory(path)
    folder.manifest()
    folder.cell([1.0, 1.1, 1.2], status="ok", done=False)
    name = folder.cell([], status=first)
    folder.cell([], status=second)
    return name


@pytest.mark.parametrize("first, second, count", [
    ("ok", "failed", 3), ("failed", "ok", 0), ("unverified", "failed", 0)])
def test_the_first_end_of_a_launch_counts_in_both_languages(
        tmp_path, dlsbench, first, second, count):
    ended_twice(tmp_path / "r", first, second)
    code, out, err = analysis("tables", tmp_path / "r", "--format", "csv")
    rows = out.splitlines()[1:]
    assert (code, len(rows)) == ((0, 1) if count else (2, 0)), err
    result = dlsbench("summary", tmp_path / "r")
    assert result.code == (0 if count else 1)
    word = {"ok": "1 cell ok, 0 failed", "failed": "0 cells ok, 1 failed",
            "unverified": "0 cells ok, 0 failed, 1 unverified"}[first]
    assert word in result.out, result.out


def test_a_line_without_its_end_is_read_the_same_by_both(tmp_path, dlsbench):
    folder = Directory(tmp_path / "r")
    folder.manifest()
    folder.cell([1.0, 1.1, 1.2])
    path = tmp_path / "r/runs-l1.jsonl"
    path.write_text(path.read_text().rstrip("\n"))
    assert "1 cell ok" in dlsbench("summary", tmp_path / "r").out
    assert analysis("tables", tmp_path / "r")[0] == 0


def test_a_folder_of_results_is_told_from_one_without(tmp_path, dlsbench):
    for name in "two", "one":
        Directory(tmp_path / "r" / name).cell([1.0, 1.1, 1.2])
    result = dlsbench("summary", tmp_path / "r")
    assert result.code == 2 and (
        f"in folders of it: name one, such as {tmp_path}/r/one, or let "
        "dlsbench report read all of them as one\n") in result.err
    (tmp_path / "none").mkdir()
    result = dlsbench("summary", tmp_path / "none")
    assert result.err == f"dlsbench: {tmp_path}/none: no results are here\n"


def test_a_cell_whose_repetitions_are_gone_runs_again(
        dlsbench, campaign):
    path = campaign(SMALL)
    args = "run", path, "--oversubscribe"
    result = dlsbench(*args)
    (runs,) = result.directory.glob("runs-*.jsonl")
    lines = runs.read_text().splitlines(keepends=True)
    lost = result.done()[0]["cell"]
    runs.write_text("".join(
        x for x in lines if not ('"type":"run"' in x and lost in x)))
    assert "not complete" in dlsbench("summary", result.directory).out
    again = dlsbench(*args, "--resume")
    assert again.code == 0 and "2 of 3 cells are complete" in again.err
    assert "3 cells ok" in again.out


# ---- another campaign ----

@pytest.mark.cross(part=2)
@pytest.mark.parametrize("more, reason", [
    (["--set", "kernel=null:size=51"], "other cells"),
    (["--set", "scheme=[ss,gss]"], "other cells"),
    (["--set", "name=other"], "another name"),
    (["--set", "seed=8"], "another seed")])
def test_a_directory_takes_no_other_campaign_whatever_its_seed(
        dlsbench, campaign, more, reason):
    path = campaign(SMALL + "seed: 7\n")
    args = "run", path, "--oversubscribe"
    assert dlsbench(*args).code == 0
    result = dlsbench(*args, "--resume", *more)
    assert result.code == 2
    (line,) = result.error_lines()
    assert "holds another campaign" in line and reason in line
    assert dlsbench(*args, "--resume").code == 0
    assert set(counted(result.directory).values()) == {1}


@pytest.mark.cross
@pytest.mark.parametrize("cells", ["[ss,gss,fss]", "[ss,gss,fss,tss]"])
@pytest.mark.parametrize("setting", [
    "repetitions=1", "repetitions_max=5", "ci=0.5", "cell_seconds=1",
    "verify_limit=1", "trace=on", "events=none"])
def test_all_cells_of_a_directory_are_measured_alike(
        dlsbench, campaign, cells, setting):
    """Its campaign.yaml says of all how, also when cells are gained."""
    path = campaign(SMALL)
    args = "run", path, "--oversubscribe"
    first = dlsbench(*args)
    before = sorted(first.directory.iterdir())
    text = (first.directory / "campaign.yaml").read_text()
    gained = "--resume", "--set", f"scheme={cells}"
    result = dlsbench(*args, *gained, "--set", setting)
    assert result.code == 2
    (line,) = result.error_lines()
    assert f"another setting of {setting.split('=')[0]} " in line
    assert sorted(first.directory.iterdir()) == before
    assert (first.directory / "campaign.yaml").read_text() == text
    again = dlsbench(*args, *gained, "--set", "cell_timeout=99")
    assert again.code == 0, again.err


def test_a_simulation_goes_on_that_repeats_less_than_its_campaign_asks(
        dlsbench, campaign, small):
    path = campaign(SMALL)
    args = "sim", path, "--platform", small
    assert dlsbench(*args).code == 0
    again = dlsbench(*args, "--resume")
    assert again.code == 0, again.err
    assert "3 of 3 cells are complete" in again.err
    other = dlsbench(*args, "--resume", "--set", "repetitions=1")
    assert other.code == 2 and "another setting of repetitions" in other.err


def test_a_campaign_that_gained_cells_goes_on(dlsbench, campaign):
    """Old cells keep their seed and do not run again; what has more cells is
    the campaign from then on."""
    path = campaign(SMALL)
    args = "run", path, "--oversubscribe"
    first = dlsbench(*args)
    more = "--set", "scheme=[ss,gss,fss,tss]"
    refused = dlsbench(*args, "--shard", "0/2", *more)
    assert refused.code == 2 and "give --resume" in refused.err
    again = dlsbench(*args, "--resume", *more)
    assert again.code == 0, again.err
    assert "1 cell more" in again.err
    assert "3 of 4 cells are complete" in again.err
    seeds = {line["seed"] for line in again.runs()}
    assert len(again.done()) == 4 and len(seeds) == 1
    manifests = [json.loads(p.read_text()) for p in
                 first.directory.glob("manifest-*.json")]
    assert sorted(m["gained"] for m in manifests) == [0, 1]
    assert {m["seed"] for m in manifests} == seeds
    # As jobs do, with the text that lies there; the old one lacks a cell now.
    for text in path, first.directory / "campaign.yaml":
        result = dlsbench("run", text, "--oversubscribe", "--resume",
                          *(more if text == path else ()))
        assert "4 of 4 cells are complete" in result.err, result.err
    result = dlsbench(*args, "--resume")
    assert result.code == 2 and "other cells" in result.err


def test_a_part_of_a_campaign_is_of_the_same_campaign(dlsbench, campaign):
    path = campaign(SMALL.replace("layout: 2x1", "layout: [1x2, 2x1]")
                    + "seed: 7\n")
    args = "run", path, "--oversubscribe"
    assert dlsbench(*args, "--shape", "2x1", "--shard", "0/2").code == 0
    result = dlsbench(*args, "--resume")
    assert result.code == 0, result.err
    assert "2 of 6 cells are complete" in result.err


def test_a_campaign_without_a_name_has_that_of_its_file(
        tmp_path, dlsbench, campaign):
    """Jobs run the copy in the directory and say the name."""
    path = campaign(SMALL.replace("name: small", ""), "mine.yaml")
    args = "--oversubscribe", "--out", f"{tmp_path}/out/"
    assert dlsbench("run", path, *args).code == 0
    copy = tmp_path / "out/campaign.yaml"
    result = dlsbench("run", copy, "--set", "name=mine", *args, "--resume")
    assert result.code == 0, result.err


# ---- a folder that is not a result directory ----

@pytest.mark.cross(part=2)
@pytest.mark.parametrize("words", [
    ["--resume"], [], ["--shard", "0/2"], ["--prepare"],
    ["--prepare", "--resume"]])
def test_a_folder_of_somebody_else_is_not_entered(
        tmp_path, dlsbench, campaign, words):
    """Files without a campaign are not gone on with; what a start leaves that
    was killed before it stored its campaign, and an empty folder, are."""
    path = campaign(SMALL)
    out = tmp_path / "out"
    out.mkdir()
    (out / "f").write_text("hi")
    args = "run", path, "--oversubscribe", *words
    result = dlsbench(*args)
    assert result.code == 2
    (line,) = result.error_lines()
    assert f"{out.name} holds files but no campaign.yaml" in line
    assert line.endswith("or put campaign.yaml back, which --prepare --out "
                         "NEW/ makes again")
    assert [x.name for x in out.iterdir()] == ["f"]
    (out / "f").unlink()
    for name in ".lock", ".dlsbench-abcdef":
        (out / name).write_text("")
        assert dlsbench(*args, "--set", "scheme=ss").code == 0
        assert (out / "campaign.yaml").exists()
        shutil.rmtree(out)
        out.mkdir()
    assert dlsbench(*args, "--set", "scheme=ss").code == 0


@pytest.mark.parametrize("cut", [None, 40])
def test_a_lost_or_cut_campaign_is_made_again(
        tmp_path, dlsbench, campaign, cut):
    """As the message says, also with the overrides of --set."""
    path = campaign(SMALL)
    args = "run", path, "--oversubscribe", "--set", "scheme=ss"
    assert dlsbench(*args).code == 0
    stored, new = tmp_path / "out/campaign.yaml", tmp_path / "new/"
    text = stored.read_text()
    stored.unlink()
    if cut:
        stored.write_text(text[:cut])
    result = dlsbench(*args, "--resume")
    assert result.code == 2
    assert "put campaign.yaml back, which --prepare --out" in result.err
    assert dlsbench(*args, "--prepare", "--out", f"{new}/").code == 0
    shutil.copy(new / "campaign.yaml", stored)
    assert stored.read_text() == text
    assert dlsbench(*args, "--resume").code == 0


# ---- a dry run of what is gone on with ----

@pytest.mark.parametrize("form", [[], ["--format", "csv"]])
def test_a_dry_run_refuses_what_resume_refuses(
        tmp_path, dlsbench, campaign, form):
    path = campaign(SMALL)
    args = "run", path, "--oversubscribe", "--resume"
    dry = "--dry-run", *form

    def both(*more):
        real, said = dlsbench(*args, *more), dlsbench(*args, *more, *dry)
        assert real.code == said.code == 2
        assert real.error_lines() == said.error_lines()
        assert len(said.error_lines()) == 1 and not said.out

    both()  # there is none
    (tmp_path / "out").mkdir()
    assert dlsbench(*args, *dry).code == 0
    (tmp_path / "out/f").write_text("hi")
    both()
    (tmp_path / "out/f").unlink()
    assert not list((tmp_path / "out").iterdir())
    assert dlsbench(*args).code == 0
    before = sorted((tmp_path / "out").iterdir())
    both("--set", "scheme=[ss,gss]")
    both("--set", "repetitions=1")
    assert dlsbench(*args, *dry).code == 0
    assert dlsbench(*args, "--set", "scheme=[ss,gss,fss,tss]", *dry).code == 0
    manifest, = (tmp_path / "out").glob("manifest-*.json")
    manifest.write_text(manifest.read_text().replace('"schema": 1',
                                                     '"schema": 9'))
    both()
    assert sorted((tmp_path / "out").iterdir()) == before


# ---- any path ----

@pytest.mark.cross(part=2)
@pytest.mark.parametrize("name", PATTERNS)
def test_names_that_look_like_patterns(tmp_path, dlsbench, campaign, name):
    path = campaign(SMALL.replace("name: small", f"name: '{name}'"))
    out = tmp_path / "results" / name / "one"
    args = "run", path, "--oversubscribe", "--out", "one"
    first = dlsbench(*args)
    assert first.code == 0 and "3 cells ok, 0 failed" in first.out, first.err
    refused = dlsbench(*args)
    assert refused.code == 2 and "exists" in refused.err
    again = dlsbench(*args, "--resume")
    assert "3 of 3 cells are complete" in again.err
    assert set(counted(out).values()) == {1}
    rows = dlsbench(*args, "--dry-run", "--format", "csv").out.splitlines()
    assert [x.split(",")[3] for x in rows[1:]] == 3 * ["ok"]
    assert "3 cells ok" in dlsbench("summary", out).out
    assert analysis("tables", out)[0] == 0


def test_another_schema_is_seen_in_any_path(tmp_path, dlsbench, campaign):
    out = tmp_path / "[x]"
    args = "run", campaign(SMALL), "--oversubscribe", "--out", f"{out}/"
    assert dlsbench(*args).code == 0
    path = next(x for x in out.iterdir() if x.name.startswith("manifest"))
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 9'))
    result = dlsbench(*args, "--resume")
    assert result.code == 2 and "its schema is not 1" in result.err


def test_the_events_are_named_in_any_path(tmp_path, dlsbench):
    for name in "plain", "[x]*":
        out = tmp_path / name
        folder = Directory(out)
        folder.manifest(policy={"events": "A,B"}, counters={
            "counted": ["A"], "reading_s": 1e-6,
            "missing": {"B": "no such event"}})
        folder.cell([1.0], workers=lambda *_: {
            "readings": 3, "counters_compute": {"A": 5},
            "counters_wait": {"A": 1}})
        text = dlsbench("summary", out).out
        assert "a reading takes 1.000 us" in text
        assert "not counted: B: no such event" in text


# ---- what is left behind, and what is taken away ----

def test_files_that_are_removed_during_a_run_are_missed(
        tmp_path, dlsbench, campaign):
    path = campaign(SMALL)
    words = wrapped(tmp_path, f"""
def look(launch, line):
    if line.startswith("@done"):
        for path in pathlib.Path({str(tmp_path / "out")!r}).glob("runs-*"):
            path.unlink()
""")
    result = dlsbench("run", path, "--oversubscribe", "--launcher", words)
    assert result.code == 1
    line = result.error_lines()[-1]
    assert "files were removed while 3 of 3 cells ran" in line, line
    again = dlsbench("run", path, "--oversubscribe", "--resume")
    assert again.code == 0 and "3 cells ok" in again.out


def others(directory):
    """What is neither a result nor a manifest."""
    return sorted(x.name for x in directory.iterdir() if not re.match(
        r"(runs|workers|manifest)-.*\.jsonl?$|(campaign\.yaml|\.lock)$",
        x.name))


def killer(path):
    """A launcher that kills the driver, its reaper's parent, before a rank
    has read the plan."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"""#!/bin/sh
case "$*" in *--hosts*) exec {shutil.which("smpirun")} "$@" ;; esac
kill -KILL $(cut -d ' ' -f 4 /proc/$PPID/stat)
wait
""")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("program", ["run", "sim"])
def test_of_a_killed_driver_no_plan_is_left(
        tmp_path, dlsbench, campaign, small, monkeypatch, program):
    path = killer(tmp_path / "bin/smpirun")
    args = [program, campaign(SMALL)]
    args += ["--oversubscribe"] if program == "run" else ["--platform", small]
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(path.parent), prepend=":")
        more = ["--launcher", f"{path} {{ranks}}"] * (program == "run")
        first = dlsbench(*args, *more)
    assert first.code == -signal.SIGKILL, first.err
    assert any(x.startswith("worklist-") for x in others(first.directory))
    again = dlsbench(*args, "--resume")
    assert again.code == 0, again.err
    assert not [x for x in others(first.directory)
                if x.startswith("worklist-")]


def test_of_killed_ranks_no_plan_is_left(tmp_path, dlsbench, campaign):
    words = wrapped(tmp_path, """
def look(launch, line):
    if line.startswith("@rep"):
        launch.kill()
        launch.wait()
        os._exit(137)
""")
    # So many that the kill comes before the last.
    many = [f"--set={key}=100000"
            for key in ("repetitions", "repetitions_max")]
    result = dlsbench("run", campaign(SMALL), "--oversubscribe", *many,
                      "--launcher", words)
    assert result.code == 1
    assert others(result.directory) == []


def preload(tmp_path, code):
    """A library that takes a system call's place."""
    (tmp_path / "p.c").write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <errno.h>\n"
        "#include <fcntl.h>\n#include <signal.h>\n#include <stdarg.h>\n"
        "#include <unistd.h>\n" + code)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "p.so",
                    tmp_path / "p.c", "-ldl"], check=True)
    return tmp_path / "p.so"


def run_with(tmp_path, library, monkeypatch, *args):
    monkeypatch.setenv("LD_PRELOAD", str(library))
    process = start(ROOT / "build/dlsbench", args, tmp_path)
    out, err = process.communicate(timeout=120)
    monkeypatch.delenv("LD_PRELOAD")
    return process.returncode, out, err


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("call", [
    "int fsync(int f) { return kill(getpid(), SIGKILL); }",
    "int link(const char *a, const char *b) "
    "{ return kill(getpid(), SIGKILL); }\n"
    "int linkat(int a, const char *b, int c, const char *d, int e) "
    "{ return kill(getpid(), SIGKILL); }"])
def test_of_a_driver_killed_while_it_makes_the_directory_nothing_is_left(
        tmp_path, campaign, monkeypatch, call):
    out = tmp_path / "out"
    code, _, _ = run_with(
        tmp_path, preload(tmp_path, call), monkeypatch, "run",
        campaign(SMALL), "--oversubscribe", "--out", f"{out}/")
    assert code == -signal.SIGKILL
    assert {x.name for x in out.iterdir()} <= {".lock"}


def test_a_file_system_without_unnamed_files_is_good_enough(
        tmp_path, campaign, monkeypatch):
    library = preload(tmp_path, """
int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    return next(path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
""")
    out = tmp_path / "out"
    code, text, err = run_with(tmp_path, library, monkeypatch, "run",
                               campaign(SMALL), "--oversubscribe", "--out",
                               f"{out}/")
    assert code == 0 and "3 cells ok" in text, err
    assert not [x for x in others(out) if x.startswith(".")]
    assert (out / "campaign.yaml").read_text().startswith(SMALL)


# ---- what is said of it ----

def test_a_heading_says_all_of_its_cell(dlsbench):
    """However long it is, with what is not ranked at its end."""
    power = ",".join(f"{1 + i / 1000:g}" for i in range(64))
    load = "w0,w1:1,w2-w9:2,w10,w11,w12,w13,w14,w15,w16:1"
    result = dlsbench("run", "--kernel", "null:size=500", "--scheme", "wf",
                      "--ranks", 1, "--threads", 64, "--oversubscribe",
                      "--power", power, "--load", load, "--repetitions", 1,
                      "--repetitions-max", 1)
    assert result.code == 0, result.err
    (done,) = result.done()
    text = re.sub(r"\s+", " ", result.out)
    assert f"power {done['power']}, " in text
    assert f"load {done['load']}; oversubscribed, not ranked" in text
