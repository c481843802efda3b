"""dlsbench results: what is stored, and the same cells once more."""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal

import pytest

from conftest import ROOT, needs_simgrid, start
from test_faults import wait_for

STORED = pathlib.Path(__file__).with_name("stored")
VERSION = min((json.loads(path.read_text())
               for path in STORED.glob("manifest-*")),
              key=lambda manifest: manifest["started"])["version"]
CELLS = ("--kernel", "null:size=99", "--scheme", "ss,gss,fss", "--threads",
         2, "--repetitions", 3, "--repetitions-max", 3)


def ends(directory):
    """What each cell was that ended well."""
    found = []
    for path in directory.glob("runs-*.jsonl"):
        for line in map(json.loads, path.read_text().splitlines()):
            if line["type"] == "cell_done" and line["status"] == "ok":
                found.append(line["cell"])
    return sorted(found)


def test_a_replay_is_no_simulation_with_simgrid(dlsbench, tmp_path):
    (tmp_path / "costs").write_text("100:1e-3\n")
    words = ("replay", "--trace", "costs", "--unit", "s", "--workers", "4",
             "--scheme", "ss,gss", "--out", "r/")
    assert dlsbench(*words).code == 0
    cited = " ".join(dlsbench("results", "cite", "r").out.split())
    assert ", replayed on " in cited and "SimGrid" not in cited
    assert " replayed " in dlsbench("results", "ls", "r").out
    done = dlsbench("results", "rerun", "r")
    assert done.code == 2
    assert f"r is a replay; it was made by: dlsbench {' '.join(words)}" in \
        done.err


def test_directories_are_listed_and_described(dlsbench, tmp_path):
    shutil.copytree(STORED, tmp_path / "results/a b/first")
    (tmp_path / "results/empty").mkdir()
    (tmp_path / "results/again").symlink_to("a b")
    done = dlsbench("results", "ls")
    assert done.code == 0
    assert done.out.splitlines() == [
        "2026-11-22T08:23     11 ok   0 not  stored             "
        f"{VERSION:12}  node, simulated  results/a b/first"]
    done = dlsbench("results", "show", "results/a b/first")
    assert done.code == 0 and "11 cells ok, 0 not; 22 repetitions" in done.out
    assert all(len(line) <= 80 or len(line.split()) == 1
               for line in done.out.splitlines())
    done = dlsbench("results", "cite", "results/a b/first")
    both = " ".join(done.out.split("\n  compiler:")[0].split())
    assert both.startswith("11 cells of DLSBench ")
    assert "measured, " in both and "simulated with SimGrid, on node" in both
    for word in "compiler:", "MPI:", "counters:", "load average:", "command:":
        assert f"  {word} " in done.out


def test_what_ended_badly_is_shown(dlsbench, tmp_path):
    there = tmp_path / "bad"
    shutil.copytree(STORED, there)
    for path in there.glob("runs-*.jsonl"):
        path.write_text(path.read_text().replace('"status":"ok"',
                                                 '"status":"failed"'))
    done = dlsbench("results", "show", "bad")
    assert done.code == 0 and "0 cells ok, 11 not" in done.out
    assert "energy" not in done.out
    for path in there.glob("manifest-*1-*"):
        manifest = json.loads(path.read_text())
        manifest["places"] = [{"host": "a", "energy_j": 12.25}, {"host": "a"},
                              {"host": "b", "energy_j": 30}]
        path.write_text(json.dumps(manifest))
    done = dlsbench("results", "show", "bad")
    assert "energy of the processor packages, J: 42.25" in done.out
    done = dlsbench("results", "ls", "bad")
    assert done.code == 0 and "0 ok  11 not" in done.out
    assert dlsbench("results", "cite", "bad").code == 2
    (there / "manifest-20260101T000000Z-node-1-0of1.json").write_text("{")
    assert dlsbench("results", "show", "bad").code == 0


def test_a_rerun_of_both_kinds_is_refused(dlsbench, tmp_path):
    done = dlsbench("results", "rerun", STORED, "--out", "./new")
    assert done.code == 2 and "rerun repeats one kind" in done.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("command", ["show", "cite", "rerun"])
def test_what_is_no_result_directory_is_said(dlsbench, tmp_path, command):
    (tmp_path / "empty").mkdir()
    more = ["--out", "./new"] if command == "rerun" else []
    for name in "missing", "empty":
        done = dlsbench("results", command, name, *more)
        assert done.code == 2 and done.out == ""
        assert done.err.startswith(f"results: {name}: no ")
        assert len(done.err.splitlines()) == 1
    assert dlsbench("results", "ls", "empty").code == 2
    assert not (tmp_path / "new").exists()


def test_a_rerun_has_the_same_cells(dlsbench, tmp_path):
    """With the threads of then, so that compare finds each cell again."""
    assert dlsbench("run", *CELLS, "--out", "./a").code == 0
    done = dlsbench("results", "rerun", "a", "--out", "./b")
    assert done.code == 0, done.err
    file = re.search(r"campaign: (\S+\.yaml) \(yours to delete", done.err)[1]
    assert "cells" in pathlib.Path(file).read_text()
    os.unlink(file)
    assert len(ends(tmp_path / "a")) == 3
    assert ends(tmp_path / "a") == ends(tmp_path / "b")
    done = dlsbench("compare", "a", "b")
    assert done.code in (1, 3) and "only in" not in done.out


def test_a_simulation_has_the_same_digits(dlsbench, tmp_path):
    needs_simgrid()
    assert dlsbench("sim", "--platform", ROOT / "bench/platforms/ranger.xml",
                    "--workers", 16, "--kernel", "null:size=99", "--scheme",
                    "ss,fss", "--out", "./a").code == 0
    assert dlsbench("results", "rerun", "a", "--out", "./b").code == 0
    assert ends(tmp_path / "a") == ends(tmp_path / "b")
    done = dlsbench("compare", "a", "b")
    assert done.code == 0 and "takes 1.000 times as long" in done.out


def test_a_rerun_that_was_interrupted_goes_on_as_it_says(dlsbench, tmp_path):
    (tmp_path / "costs").write_text(40 * "0.002\n")
    assert dlsbench("run", "--kernel", "trace:file=costs", "--scheme",
                    "ss,gss,fss", "--repetitions", 9, "--repetitions-max", 9,
                    "--out", "./a").code == 0
    process = start(ROOT / "build/dlsbench", ["results", "rerun", "a", "--out",
                                              "./b"], tmp_path)
    assert wait_for(lambda: any("cell_done" in path.read_text() for path in
                                (tmp_path / "b").glob("runs-*.jsonl")))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode not in (0, 2), err
    words = shlex.split(err.partition("resume with: ")[2])
    assert words[1] == "run" and words[-1] == "--resume"
    done = dlsbench(*words[1:])
    assert done.code == 0, done.err
    assert ends(tmp_path / "a") == ends(tmp_path / "b")
