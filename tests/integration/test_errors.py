"""Bad input: one clear line that says what is wrong, where and what is
allowed; the exit code tells; nothing is left half-written."""
import json
import os
import pathlib
import shlex
import subprocess

import pytest

from conftest import SMALL, launcher

STORED = pathlib.Path(__file__).with_name("stored")
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
    (("--kernel", "null", "--scheme", "gsss"),
     ["gsss", "'gss'?", "dlsbench list schemes"]),
    (("--kernel", "mandelbort", "--scheme", "ss"),
     ["mandelbort", "'mandelbrot'?", "dlsbench list kernels"]),
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
    (("--kernel", "null", "--scheme", "wf", "--threads", 2, "--power",
      "1,1.1e9"), ["from 1 to 1.1e+09", "at most 1e+09 times"]),
    (("--kernel", "null:size=4294967296", "--scheme", "ss", "--threads", 2,
      "--transport", "steal"), ["up to 4294967295 iterations",
                                "use transport shared"]),
    (("--kernel", "adjoint:size=65536", "--scheme", "ss", "--threads", 2,
      "--transport", "steal"), ["up to 4294967295 iterations"]),
    (("--kernel", "null", "--scheme", "ss", "--ranks", 1 << 16),
     ["layout 65536x1", "65536 workers cannot share", "--oversubscribe"]),
    (("--kernel", "null", "--scheme", "ss", "--threads", 1 << 16),
     ["layout 1x65536", "65536 workers cannot share", "--oversubscribe"]),
    (("--kernel", "null", "--scheme", "ss", "--ranks", 2, "--hierarchy", 4),
     ["4", "more masters", "2"]),
    (("--kernel", "null", "--scheme", "ss", "--hierarchy", "4x"),
     ["hierarchy", "4x", "flat"]),
    (("--kernel", "null", "--scheme", "ss", "--transport", "mster"),
     ["mster", "'master'?"]),
    (("--kernel", "null", "--scheme", "steal"),
     ["'steal' is a transport: use --transport steal"]),
    (("--kernel", "null", "--scheme", "ss", "--bind", "tight"),
     ["tight", "compact"]),
    (("--kernel", "null", "--scheme", "ss", "--kernl", "x"), ["kernl"]),
    (("workstaton",), ["campaign 'workstaton'; did you mean 'workstation'?"]),
    (("--kernel", "null"), ["scheme"]),
])
def test_wrong_options(dlsbench, args, words):
    result = dlsbench("run", *args)
    says(result, 2, *words)
    assert not result.directory.exists()


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
    assert "started 1 rank," in result.err and "needs 2" in result.err


def test_more_workers_than_cores_are_refused(dlsbench):
    """Before anything runs; by the launch where the ranks of another launcher
    could be on several hosts."""
    many = str(len(os.sched_getaffinity(0)) + 1)
    says(dlsbench(*NULL, "--ranks", many), 2, "cores of this host")
    result = dlsbench(*NULL, "--ranks", many, "--launcher",
                      "env " + shlex.join(launcher("{ranks}")))
    assert result.code == 1
    messages = [x for x in result.error_lines() if "share core" in x]
    assert len(messages) == 1 and "--oversubscribe" in messages[0]
    assert [x["status"] for x in result.done()] == ["failed"]


@pytest.mark.parametrize("command", ["run", "sim"])
@pytest.mark.parametrize("args, text", [
    ((), "a campaign file, or --kernel and --scheme, is missing"),
    (("--scheme", "ss"), "--kernel is missing"),
    (("--kernel", "null"), "--scheme is missing"),
    (("a.yaml", "b.yaml"), "'b.yaml' is one word too many")])
def test_errors_begin_with_the_command_that_was_typed(dlsbench, command, args,
                                                      text):
    (line,) = dlsbench(command, *args).error_lines()
    assert line.startswith(f"dlsbench: {command}: {text}")


def test_existing_directory_is_not_overwritten(dlsbench):
    assert dlsbench(*NULL).code == 0
    says(dlsbench(*NULL), 2, "out", "--resume")


def test_unwritable_directory(dlsbench, tmp_path):
    (tmp_path / "file").write_text("")
    result = dlsbench(*NULL, "--out", f"{tmp_path}/file/below/")
    says(result, 2, "file", "Not a directory")


def test_a_full_disk_is_said_and_no_folder_is_left(dlsbench, disk):
    small = disk("64k")
    says(dlsbench(*NULL, "--out", f"{small}/new//deep/r/"), 2,
         "file system is too full", "1049 kB are needed")
    assert not any(small.iterdir())
    (small / "mine").mkdir()
    says(dlsbench(*NULL, "--out", f"{small}/mine/"), 2, "full")
    assert [x.name for x in small.iterdir()] == ["mine"]


def test_the_page_for_which_the_disk_is_too_full_is_named(dlsbench, disk):
    small = disk("16k")
    done = dlsbench("report", STORED, "--out", f"{small}/page.html")
    assert done.code == 2 and done.err.splitlines()[-1] == \
        f"report: {small}/page.html: No space left on device"
    assert not any(small.glob("*page*"))


def test_a_disk_that_becomes_full(dlsbench, disk):
    small = disk("1100k")
    result = dlsbench("run", "--kernel", "null:size=100", "--scheme",
                      "ss", "--repetitions", 2000, "--repetitions-max",
                      2000, "--out", f"{small}/r/")
    assert result.code == 1
    assert "No space left" in result.err
    assert "Traceback" not in result.err
    result.directory = small / "r"
    # Whether there is room for the line that says so is chance.
    assert {x["status"] for x in result.done()} <= {"failed"}


LATIN = "r\udce9sum\udce9"  # as a system of ISO-8859-1 writes it


@pytest.mark.parametrize("args,words", [
    (("--kernel", f"trace:file={LATIN}", "--scheme", "ss"),
     ["r\\xe9sum\\xe9", "byte 13", "not UTF-8"]),
    ((*NULL[1:], "--out", f"{LATIN}/x"), ["r\\xe9sum\\xe9", "UTF-8", "--out"]),
    (("--kernel", "null\nnull", "--scheme", "ss"), ["null\\nnull"]),
    (("--kernel", "null", "--scheme", "s\rs"), ["s\\rs"]),
    ((*NULL[1:], "--out", "a\nb/c"), ["a\\nb", "control characters"]),
    (("no\nfile.yaml",), ["no\\nfile.yaml"]),
    ((*NULL[1:], "--hierarchy", "1\x1b[2J"), ["1\\x1b[2J"]),
])
def test_bytes_that_no_line_can_hold(dlsbench, tmp_path, args, words):
    (tmp_path / LATIN).write_text("1e-6\n")
    result = dlsbench("run", *args)
    says(result, 2, *words)
    assert not result.directory.exists()


def test_a_platform_that_is_not_utf_8(sim, tmp_path):
    path = tmp_path / LATIN
    path.write_text(SMALL)
    says(sim("--platform", path, "--kernel", "null", "--scheme", "ss",
             "--workers", 2), 2, "platform", "r\\xe9sum\\xe9", "not UTF-8")


def test_a_command_of_any_bytes_is_stored_as_bash_reads_it(
        dlsbench, campaign, tmp_path):
    path = campaign(GOOD + "cells:\n  - scheme: ss\n", f"'{LATIN}\n.yaml")
    result = dlsbench("run", path, "--set", "name=x")
    assert result.code == 0, result.err
    manifest = json.loads(
        next(result.directory.glob("manifest-*.json")).read_text())
    words = subprocess.run(
        ["bash", "-c", 'printf "%s\\0" ' + manifest["command"]],
        capture_output=True, check=True).stdout.split(b"\0")
    assert os.fsencode(path) in words


@pytest.mark.parametrize("args", [
    ("run", "PIPE"), ("run", "--kernel", "trace:file=PIPE", "--scheme", "ss"),
    ("run", "--kernel", "floyd-steinberg:image=PIPE", "--scheme", "ss"),
    ("plan", "--algorithm", "lp-adaptive", "--load", 9, "--platform", "PIPE"),
    ("predict", "--kernel", "heat", "--layout", "2x1", "--calibration",
     "PIPE"),
    ("topo", "--topology", "PIPE"),
    ("sim", "--platform", "PIPE", "--kernel", "null", "--scheme", "ss",
     "--workers", 2),
])
def test_a_pipe_is_not_waited_for(dlsbench, tmp_path, args):
    os.mkfifo(tmp_path / "PIPE")
    says(dlsbench(*args, limit=20), 2, "PIPE", "not a regular file")


def test_results_that_are_a_pipe_are_not_waited_for(dlsbench, tmp_path):
    (tmp_path / "r").mkdir()
    os.mkfifo(tmp_path / "r/runs-1.jsonl")
    result = dlsbench("summary", "r", limit=20)
    says(result, result.code, "runs-1.jsonl", "not a regular file")


@pytest.mark.parametrize("piece", ["[", "- ", "{b: "])
def test_deep_campaigns_are_refused_at_once(dlsbench, campaign, piece):
    path = campaign(200000 * piece)
    says(dlsbench("run", path, limit=20), 2, "c.yaml:1:",
         "deeper than 32 levels")


def test_large_campaigns_are_refused(dlsbench, campaign):
    text = GOOD + "cells:\n" + "  - scheme: ss\n" * 300000
    says(dlsbench("run", campaign(text)), 2, "larger than 4 MB")


@pytest.mark.parametrize("text", [
    "{kernel: null, cells: [{scheme: ss}]}\n",
    "kernel: null\ncells:\n  - scheme: ss\n...\n",
])
def test_settings_of_a_file_of_any_style_are_stored(dlsbench, campaign, text):
    path = campaign(text)
    settings = ("--set", "scheme=[gss, tss]", "--set", "repetitions=1",
                "--set", "repetitions_max=1", "--set", "name=mine")
    result = dlsbench("run", path, *settings)
    assert result.code == 0, result.err
    again = dlsbench("run", result.directory / "campaign.yaml", "--out",
                     f"{result.directory}/", "--resume")
    assert again.code == 0, again.err
    assert "mine: 2 cells" in again.err
    assert "2 of 2 cells are complete already" in again.err


def test_what_cannot_be_set_is_said(dlsbench, campaign):
    path = campaign(GOOD + "cells:\n  - scheme: ss\n")
    result = dlsbench("run", path, "--set", "cells=x")
    says(result, 2, "cells is a part of a campaign file and cannot be set")
    assert "did you mean" not in result.err


def test_a_calibration_is_not_written_over_a_folder(dlsbench, tmp_path):
    """Refused before anything is measured."""
    says(dlsbench("calibrate", "--out", tmp_path), 2, str(tmp_path),
         "cannot write there: Is a directory")
