"""Campaigns by their short names, in the tree and installed."""
import shutil
import subprocess

import pytest

from conftest import ROOT, make


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    there = tmp_path_factory.mktemp("installed")
    make("install", f"PREFIX={there}")
    return there


def dry_run(program, folder, *args):
    return subprocess.run([program, *args, "--dry-run"], cwd=folder, text=True,
                          capture_output=True, timeout=60)


@pytest.fixture(params=["tree", "installed"])
def program(request, prefix):
    return (ROOT / "build/dlsbench" if request.param == "tree"
            else prefix / "bin/dlsbench")


def test_a_campaign_is_found_by_its_name(program, tmp_path):
    done = dry_run(program, tmp_path, "run", "smoke")
    assert done.returncode == 0, done.stderr
    assert "campaign smoke" in done.stdout


def test_a_program_elsewhere_knows_the_checkout_it_was_built_from(tmp_path):
    """As `make BUILD=` a folder outside makes it."""
    program = tmp_path / "dlsbench"
    shutil.copy(ROOT / "build/dlsbench", program)
    done = dry_run(program, tmp_path, "run", "smoke")
    assert done.returncode == 0, done.stderr
    assert "campaign smoke" in done.stdout


def test_results_are_read_by_commands(program, tmp_path):
    """The exit code is that of the program in Python."""
    done = subprocess.run(
        [program, "run", "--kernel", "null:size=9", "--scheme", "ss,gss",
         "--out", "./a"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    for words, code, said in [
            (["advise", "a"], 0, "null"),
            (["compare", "a", "--base", "fss"], 2, "ss"),
            (["tables", "missing"], 2, "missing")]:
        done = subprocess.run([program, *words], cwd=tmp_path, text=True,
                              capture_output=True)
        assert done.returncode == code, done
        assert said in done.stdout + done.stderr


def test_an_unknown_name_is_told_the_nearest(program, tmp_path):
    done = dry_run(program, tmp_path, "run", "workstatoin")
    assert done.returncode == 2
    assert "did you mean 'workstation'?" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_of_that_name_goes_first(program, tmp_path):
    (tmp_path / "smoke").write_text(
        'name: mine\ncells:\n  - {kernel: "null:size=9", scheme: ss}\n')
    done = dry_run(program, tmp_path, "run", "smoke")
    assert done.returncode == 0, done.stderr
    assert "campaign mine" in done.stdout


def test_papers_came_with_it_whole(program, prefix):
    there = prefix / "share/dlsbench"
    ours = {str(path.relative_to(ROOT)) for path in
            (ROOT / "bench/papers").rglob("*.*")
            if "__pycache__" not in path.parts}
    assert len(ours) > 30
    assert [name for name in ours if not (there / name).exists()] == []


def test_platforms_that_came_with_it_are_found(program, tmp_path):
    done = subprocess.run(
        [program, "sim", "--platform", "bench/papers/andronikos/kids.xml",
         "--workers", "2", "--kernel", "null:size=9", "--scheme", "gss",
         "--out", tmp_path / "out"],
        cwd=tmp_path, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_what_is_installed_has_its_manual_and_can_be_removed(prefix, tmp_path):
    """Last: `prefix` is empty afterwards, but for what others put there."""
    pages = {x.name for x in (prefix / "share/man").rglob("*.[15]")}
    assert {"dlsbench.1", "dlsbench-run.1", "dlsbench-omp.1",
            "dlsbench-keys.5", "dlsbench-columns.5"} <= pages
    assert {f"{x.name}.1" for x in (prefix / "bin").iterdir()} <= pages
    assert (prefix / "share/bash-completion/completions/dlsbench").exists()
    (prefix / "bin/other").write_text("of another package")
    make("uninstall", f"PREFIX={prefix}")
    assert [x for x in prefix.rglob("*") if not x.is_dir()] == [
        prefix / "bin/other"]
