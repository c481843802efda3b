"""Bad input: one clear line that says what is wrong, where and what is
allowed; the exit code tells; nothing is left half-written."""
import os
import pathlib
import shlex
import subprocess

import pytest

from conftest import launcher

NULL = ("run", "--kernel", "null:size=100", "--scheme", "ss")
GOOD = """
name: good
repetitions: 1
repetitions_max: 1
kernel: "null:size=100"
"""


def says(result, code, *words):
    """Exactly one message, with all these words."""
    assert result.code == code, (result.code, result.err)
    lines = result.error_lines()
    assert len(lines) == 1, result.err
    for word in words:
        assert word in lines[0], lines[0]


@pytest.mark.parametrize("args,words", [
    (("--kernel", "null", "--scheme", "gsss"), ["gsss", "'gss'?", "fss"]),
    (("--kernel", "mandelbort", "--scheme", "ss"),
     ["mandelbort", "'mandelbrot'?", "adjoint"]),
    (("--kernel", "null", "--scheme", "css:chnk=3"),
     ["css", "chnk", "'chunk'?"]),
    (("--kernel", "null", "--scheme", "css:chunk=0"), ["chunk=0", "1 to"]),
    (("--kernel", "null", "--scheme", "css:chunk=x"), ["chunk=x", "number"]),
    (("--kernel", "null:size=-4", "--scheme", "ss"), ["size=-4", "1 to"]),
    (("--kernel", "mandelbrot:axis=up", "--scheme", "ss"),
     ["axis=up", "re|im"]),
    (("--kernel", "null", "--scheme", "tss:first=2,last=9"),
     ["first", "last"]),
    (("--kernel", "null", "--scheme", "ss", "--ranks", "two"),
     ["ranks", "two"]),
    (("--kernel", "null", "--scheme", "ss", "--ranks", "0"), ["ranks", "0"]),
    (("--kernel", "null", "--scheme", "ss", "--threads", 2, "--power", "1"),
     ["power", "1", "2"]),
    (("--kernel", "null", "--scheme", "ss", "--threads", 2, "--power",
      "1,-1"), ["power", "-1"]),
    (("--kernel", "null", "--scheme", "ss", "--ranks", 2, "--hierarchy", 4),
     ["4", "more masters", "2"]),
    (("--kernel", "null", "--scheme", "ss", "--hierarchy", "4x"),
     ["hierarchy", "4x", "flat"]),
    (("--kernel", "null", "--scheme", "ss", "--transport", "mster"),
     ["mster", "'master'?"]),
    (("--kernel", "null", "--scheme", "ss", "--bind", "tight"),
     ["tight", "compact"]),
    (("--kernel", "null", "--scheme", "ss", "--kernl", "x"), ["kernl"]),
    (("--kernel", "null"), ["scheme"]),
])
def test_wrong_options(dlsbench, args, words):
    says(dlsbench("run", *args), 2, *words)


@pytest.mark.parametrize("text,place,words", [
    (GOOD + "cells:\n  - schem: ss\n", ":7:5:", ["schem", "'scheme'?"]),
    (GOOD + "cells:\n  - scheme: [ss, gsss]\n", ":7:18:", ["gsss", "'gss'?"]),
    (GOOD + "repetitons: 3\ncells:\n  - scheme: ss\n", ":6:1:",
     ["repetitons", "'repetitions'?"]),
    (GOOD + "cells:\n  - scheme: ss\n    layout: 2by2\n", ":8:13:", ["2by2"]),
    (GOOD + "cells:\n  - scheme: ss\n    layout: 1x1\n    hierarchy: 4\n",
     ":7:", ["4"]),
    (GOOD + "cells: [\n", ":", []),
    (GOOD, "c.yaml", ["cells"]),
])
def test_wrong_campaigns_say_where(dlsbench, campaign, text, place, words):
    result = dlsbench("run", campaign(text))
    says(result, 2, "c.yaml", place, *words)
    assert not result.directory.exists()


def test_missing_campaign(dlsbench):
    says(dlsbench("run", "nowhere.yaml"), 2, "nowhere.yaml", "No such file")


def test_unknown_command(dlsbench):
    says(dlsbench("rnu"), 2, "rnu", "'run'?")


def test_missing_trace_file(dlsbench):
    result = dlsbench("run", "--kernel", "trace:file=no.txt", "--scheme",
                      "ss", "--ranks", 2, "--oversubscribe")
    says(result, 2, "no.txt", "No such file")


def test_missing_launcher(dlsbench):
    says(dlsbench(*NULL, "--launcher", "no-such-mpiexec -n {ranks}"), 2,
         "no-such-mpiexec")


def test_launcher_with_the_wrong_number_of_ranks(dlsbench):
    one = shlex.join(launcher(1))
    says(dlsbench(*NULL, "--launcher", one), 2, "--launcher", "{ranks}")
    result = dlsbench(*NULL, "--ranks", 2, "--oversubscribe", "--launcher",
                      "env N={ranks} " + one, "--out", "wrong/")
    assert result.code == 1
    assert "1 ranks" in result.err and "needs 2" in result.err


def test_more_workers_than_cores_are_refused(dlsbench):
    many = str(len(os.sched_getaffinity(0)) + 1)
    result = dlsbench(*NULL, "--ranks", many)
    assert result.code == 1
    messages = [x for x in result.error_lines() if "share core" in x]
    assert len(messages) == 1 and "--oversubscribe" in messages[0]
    assert [x["status"] for x in result.done()] == ["failed"]


def test_existing_directory_is_not_overwritten(dlsbench):
    assert dlsbench(*NULL).code == 0
    says(dlsbench(*NULL), 2, "out", "--resume")


def test_unwritable_directory(dlsbench, tmp_path):
    (tmp_path / "file").write_text("")
    result = dlsbench(*NULL, "--out", f"{tmp_path}/file/below/")
    says(result, 2, "file", "Not a directory")


def test_full_disk(dlsbench, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k",
                              "tmpfs", str(small)], stderr=subprocess.DEVNULL)
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system is not possible here")
    try:
        result = dlsbench("run", "--kernel", "null:size=100", "--scheme",
                          "ss", "--repetitions", 2000, "--repetitions-max",
                          2000, "--out", f"{small}/r/")
        assert result.code in (1, 2)
        assert "No space left" in result.err or "full" in result.err
        assert "Traceback" not in result.err
        done = pathlib.Path(small / "r").glob("runs-*.jsonl")
        assert not any('"status":"ok"' in x.read_text() for x in done)
    finally:
        subprocess.run(["umount", str(small)], check=True)
