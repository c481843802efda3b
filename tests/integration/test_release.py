"""One version everywhere, an archive that is always the same, and what is
installed from it."""
import lzma
import os
import re
import shutil
import subprocess
import tarfile

import pytest

from conftest import ROOT, make

VERSION = (ROOT / "VERSION").read_text().strip()
ALL = pytest.mark.skipif("ALL" not in os.environ, reason="make test-all")


def run(*words, folder=ROOT, **more):
    return subprocess.run([str(x) for x in words], cwd=folder, text=True,
                          capture_output=True, timeout=300, check=False,
                          env={**{k: v for k, v in os.environ.items()
                                  if not k.startswith("MAKE")}, **more})


def test_the_version_is_the_same_everywhere():
    said = run(ROOT / "build/dlsbench", "--version").stdout.split()[1]
    assert said.split("+")[0] == VERSION
    for name, pattern in [("dls/dls.h", r'DLS_VERSION "(.*)"'),
                          ("CITATION.cff", r'version: "(.*)"'),
                          ("CHANGELOG.md", r"^## (\S+)$"),
                          ("packaging/debian/changelog",
                           r"^dlsbench \((.*)\)"),
                          ("packaging/spack/packages/dlsbench/package.py",
                           r'version\("([\d.]+)"')]:
        found = re.search(pattern, (ROOT / name).read_text(), re.M)
        assert found and found[1] == VERSION, name


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    there = tmp_path_factory.mktemp("released") / "usr"
    make("install", f"PREFIX={there}", f"LIBDIR={there}/lib/some-where")
    return there


def test_libraries_go_to_libdir(prefix, tmp_path):
    """And are found there, by pkg-config and by the program."""
    libraries = prefix / "lib/some-where"
    assert [x.name for x in (prefix / "lib").iterdir()] == ["some-where"]
    assert not list(libraries.glob("libdls-omp*"))
    for asked, answer in [("--modversion", [VERSION]),
                          ("--libs", [f"-L{libraries}", "-ldls"])]:
        assert run("pkg-config", asked, "libdls", PKG_CONFIG_PATH=str(
            libraries / "pkgconfig")).stdout.split() == answer
    # The program is elsewhere, and has no build to find its library in.
    shutil.move(prefix, tmp_path / "moved")
    try:
        (tmp_path / "p.c").write_text(
            "int main(void) {\n#pragma omp parallel for schedule(runtime)\n"
            "    for (int i = 0; i < 9; i++) __asm__ volatile(\"\");\n}\n")
        run("gcc", "-g", "-fopenmp", "-o", "p", "p.c", folder=tmp_path)
        for loops in "runtime", "static":
            done = run(tmp_path / "moved/bin/dlsbench", "omp", "--loops",
                       loops, "--", "./p", folder=tmp_path)
            assert done.returncode == 0, done.stderr
            assert "p.c:2" in done.stdout + done.stderr
    finally:
        shutil.move(tmp_path / "moved", prefix)


def test_nothing_installed_names_its_build(prefix):
    wrong = [x for x in prefix.rglob("*") if x.is_file()
             and os.fsencode(ROOT) in x.read_bytes()]
    assert wrong == []


def without_python(tmp_path):
    """A folder of programs for PATH, all but Python."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ["sh", "dirname", "readlink", "env", "bash"]:
        (tools / name).symlink_to(shutil.which(name))
    return str(tools)


def test_what_is_missing_is_said_in_a_line(prefix, tmp_path):
    done = run(prefix / "bin/dlsbench-report", "x",
               PATH=without_python(tmp_path))
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch("dlsbench-report: Python is not installed: apt-get "
                        "install python3-pandas .*\n", done.stderr)
    done = run(prefix / "bin/dlsbench-report", "--help")
    assert done.returncode == 0 and "dlsbench-report" in done.stdout
    shutil.copy(prefix / "bin/dlsbench", tmp_path / "dlsbench")
    done = run(tmp_path / "dlsbench", "sim", "--platform",
               ROOT / "bench/platforms/ranger.xml", "--workers", "2",
               "--kernel", "null:size=9", "--scheme", "gss")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "apt-get install libsimgrid-dev" in done.stderr


def test_jobs_are_submitted_from_where_it_is_installed(prefix, tmp_path):
    submit = prefix / "bin/dlsbench-submit"
    assert "dlsbench-submit CAMPAIGN" in run(submit, "--help").stdout
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    done = run(submit, "smoke", "--dry-run", **home)
    assert done.returncode == 2
    assert f"{tmp_path}/dlsbench/site.env is not there: copy" in done.stderr
    (tmp_path / "dlsbench").mkdir()
    (tmp_path / "dlsbench/site.env").write_text("SITE_CORES=4\nSITE_TIME=10\n")
    done = run(submit, "smoke", "--dry-run", "--out", tmp_path / "out",
               folder=tmp_path, **home)
    assert done.returncode == 0, done.stderr
    assert str(prefix / "bin/dlsbench") in done.stdout
    assert "usage: dlsbench-status" in run(
        prefix / "bin/dlsbench-status").stderr


def test_no_file_stays(prefix):
    """Last: nothing is there afterwards, not even what Python has left."""
    assert (prefix / "share/doc/dlsbench/docs/omp.md").exists()
    (prefix / "share/dlsbench/analysis/__pycache__").mkdir(exist_ok=True)
    (prefix / "share/dlsbench/analysis/__pycache__/x.pyc").write_text("")
    make("uninstall", f"PREFIX={prefix}", f"LIBDIR={prefix}/lib/some-where")
    assert [x for x in prefix.rglob("*") if not x.is_dir()] == []


@pytest.fixture(scope="module")
def clones(tmp_path_factory):
    """Two clones with the program of this build, and their archives: one as
    released, one that takes xz a second instead of ten."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    make("build/dlsbench", "lib")
    archives = []
    for name, level in ("one", "-9"), ("other", "-0"):
        clone = tmp_path_factory.mktemp(name) / "clone"
        run("git", "-c", "safe.directory=*", "clone", "-q", ROOT, clone)
        (clone / "build/lib").mkdir(parents=True)
        shutil.copy(ROOT / "build/dlsbench", clone / "build")
        done = run("make", "-o", "build/dlsbench", "dist",
                   f"XZ_LEVEL={level}", folder=clone)
        assert done.returncode == 0, done.stderr
        archives.append(clone / f"build/dlsbench-{VERSION}.tar.xz")
    return archives


def test_an_archive_is_the_same_from_each_clone(clones):
    one, other = (lzma.decompress(path.read_bytes()) for path in clones)
    assert one == other
    clone = clones[0].parents[1]
    (clone / "VERSION").write_text("9\n")
    done = run("make", "-o", "build/dlsbench", "dist", folder=clone)
    assert done.returncode != 0 and "commit first" in done.stderr


def test_an_archive_needs_no_git(clones, tmp_path):
    """It has the manual pages, knows its version, and checks itself."""
    with tarfile.open(clones[0]) as archive:
        archive.extractall(tmp_path)
    tree = tmp_path / f"dlsbench-{VERSION}"
    assert {"dlsbench.1", "dlsbench-run.1", "dls.3"} <= {
        x.name for x in (tree / "man").iterdir()}
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\nexit 1\n")
    (tools / "git").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    for check in "check-size", "check-shell":
        done = run("make", check, folder=tree, PATH=path)
        assert done.returncode == 0, done.stdout + done.stderr
    done = run("make", "build/version", folder=tree, PATH=path)
    assert (tree / "build/version").read_text() == f"{VERSION}\n"


@ALL
def test_two_folders_build_the_same(clones, tmp_path):
    made = []
    for name in "one", "another-folder":
        (tmp_path / name).mkdir()
        with tarfile.open(clones[0]) as archive:
            archive.extractall(tmp_path / name)
        done = subprocess.run(
            ["make", f"-j{os.cpu_count()}", "install", "PREFIX=/usr",
             f"DESTDIR={tmp_path}/{name}/root"], capture_output=True,
            cwd=tmp_path / name / f"dlsbench-{VERSION}", text=True,
            timeout=3600)
        assert done.returncode == 0, done.stderr
        root = tmp_path / name / "root"
        made.append({x.relative_to(root): x.read_bytes()
                     for x in root.rglob("*") if x.is_file()})
    assert made[0].keys() == made[1].keys()
    assert [x for x in made[0] if made[0][x] != made[1][x]] == []
    assert [x for x in made[0] if os.fsencode(tmp_path) in made[0][x]] == []


@ALL
@pytest.mark.parametrize("words", [
    ["tests/cross.sh"],
    ["tests/spack.sh", os.environ.get("SPACK", "spack"), "build/spack"]],
    ids=["aarch64", "spack"])
def test_it_is_built_elsewhere(clones, words):
    """By a cross compiler, and by Spack (SPACK=its program)."""
    if "spack" in words[0] and not shutil.which(words[1]):
        pytest.skip("Spack is not installed")
    done = subprocess.run(["sh", *words], cwd=clones[1].parents[1], text=True,
                          capture_output=True, timeout=3600)
    if done.returncode == 77:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr


def bare(part, said, *files):
    """What a bare Debian says of it (tests/bare.sh): (name, number)..."""
    done = subprocess.run(["sh", ROOT / "tests/bare.sh", part, said, *files],
                          text=True, capture_output=True, timeout=3600)
    if done.returncode == 77:
        pytest.skip("no bare Debian can be made: " + done.stderr[-200:])
    assert done.returncode == 0, done.stdout + done.stderr
    return said.read_text()


def megabytes(said, name):
    return int(re.search(rf"^{name}: (\d+) MB$", said, re.M)[1])


@pytest.fixture(scope="module")
def packages(clones):
    """The folder of `make deb`, which lintian has checked."""
    if not (shutil.which("dh") and shutil.which("lintian")):
        pytest.skip("debhelper and lintian are not installed")
    clone = clones[1].parents[1]
    done = subprocess.run(["make", "-o", "build/dlsbench", "deb"], cwd=clone,
                          capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return clone / "build/deb"


@ALL
def test_debian_packages_hold_no_path_and_are_fast(packages, tmp_path):
    built = packages / f"dlsbench-{VERSION}/build/base/error.o"
    flags = run("readelf", "--debug-dump=info", built).stdout
    assert "-O3" in flags and "-O2" not in flags
    whole = [x for x in sorted(packages.glob("*.deb"))
             if "-dbgsym_" not in x.name]
    assert sorted(x.name.split("_")[0] for x in whole) == [
        "dlsbench", "dlsbench-doc", "dlsbench-sim", "libdls-dev",
        "libdls-mpich-dev", "libdls-mpich1", "libdls1", "python3-dlsbench"]
    for package in whole:
        run("dpkg-deb", "-x", package, tmp_path)
    wrong = [x for x in tmp_path.rglob("*") if x.is_file()
             and os.fsencode(packages) in x.read_bytes()]
    assert wrong == []


@ALL
def test_debian_packages_work_in_a_bare_debian(packages, tmp_path):
    """They run, and leave nothing when they are purged."""
    said = bare("packages", tmp_path / "said", *[
        x for x in packages.glob("*.deb") if "-dbgsym_" not in x.name])
    assert megabytes(said, "package") <= 90
    one, four = map(float, re.search("=1: (.*) s, 4: (.*) s", said).groups())
    assert four < 1.5 * one
    assert "left behind: \n" in said


@ALL
def test_what_make_deps_adds_to_a_bare_debian(clones, tmp_path):
    said = bare("sizes", tmp_path / "said", clones[0])
    tables = megabytes(said, "make") + megabytes(said,
                                                 "make deps bench PLOTS=0")
    assert tables <= 450
    assert tables + megabytes(said, "the page of make deps bench") <= 1300


@ALL
def test_the_container_file_makes_a_container_that_works(clones, tmp_path):
    """Its steps, in a bare Debian: there is no Apptainer here."""
    said = bare("container", tmp_path / "said", clones[0])
    assert 0 < megabytes(said, "whole") < 2500
