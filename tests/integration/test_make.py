"""make with libraries that are not there."""
import os
import shutil
import subprocess
import time

import pytest

from conftest import ROOT

OPTIONAL = ["PAPI", "SIM", "LIBDW", "NETPBM", "CAPSTONE", "EXPAT", "ZLIB",
            "LZMA", "ZSTD", "XXHASH", "BLAS"]


def make(tmp_path, *words, without=(), pkg_config=True):
    """By a compiler that cannot link these libraries, as one that has not got
    them; found.mk names the file that asks for each."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    names = "|".join(f"*/{name}.c*" for name in without) or "never"
    (tools / "cc").write_text(
        f'#!/bin/sh\ncase "$*" in {names}) exit 1 ;; esac\nexec gcc "$@"\n')
    (tools / "cc").chmod(0o755)
    if not pkg_config:
        (tools / "pkg-config").write_text("#!/bin/sh\nexit 1\n")
        (tools / "pkg-config").chmod(0o755)
    return subprocess.run(
        ["make", f"BUILD={tmp_path}/build", f"CC={tools}/cc", *words],
        cwd=ROOT, text=True, capture_output=True, timeout=60, env={
            **{k: v for k, v in os.environ.items()
               if not k.startswith("MAKE")},
            "PATH": f"{tools}:{os.environ['PATH']}"})


@pytest.mark.parametrize("missing, asked, says", [
    (["HWLOC"], [], "not installed: hwloc (libhwloc-dev); install"),
    (["PAPI", "YAML", "ZLIB"], ["PAPI=1"],
     "installed: yaml (libyaml-dev) PAPI=1 (libpapi-dev); install"),
    (["MPI"], ["MPI=mpich"], "installed: mpich (libmpich-dev mpich); install"),
    (["CC"], [], "tools/cc (gcc libc6-dev); install")])
def test_a_missing_package_is_named_first(tmp_path, missing, asked, says):
    """With the command that installs it, before anything is compiled."""
    begin = time.monotonic()
    done = make(tmp_path, *asked, "all", "lib", without=missing)
    took = time.monotonic() - begin
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert says in line and "make build-deps" in line
    assert not (tmp_path / "build").exists()
    print(f"{took:.1f} s")


def test_config_says_what_is_lost(tmp_path):
    """And where to get it; nothing is built by it."""
    done = make(tmp_path, "config", "LZMA=0", without=["JANSSON", "BLAS"])
    assert done.returncode == 2
    first, *rest = done.stdout.splitlines()
    lines = {line.split()[0]: line for line in rest}
    assert first.split()[0] == "MISSING" and "libjansson-dev" in first
    assert "found: 2." in lines["HWLOC"] and "needed" in lines["JANSSON"]
    assert "left out by LZMA=0" in lines["LZMA"]
    assert all(word in lines["BLAS"] for word in [
        "own", "Debian: libblis-serial-dev", "Fedora: ", "Spack: "])
    assert not (tmp_path / "build").exists()


def test_libraries_are_found_without_pkg_config(tmp_path):
    """By linking, each as if the others were not there."""
    done = make(tmp_path, "config", pkg_config=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line for line in done.stdout.splitlines()
            if " found" not in line] == []


def test_mpicc_is_the_compiler(tmp_path):
    done = subprocess.run(
        ["make", "config", f"BUILD={tmp_path}", "CC=mpicc.mpich"], cwd=ROOT,
        text=True, capture_output=True, timeout=60)
    assert "found: mpich" in done.stdout and "mpiexec.mpich" in done.stdout
    other = subprocess.run(
        ["make", "config", f"BUILD={tmp_path}", "CC=mpicc.mpich",
         "MPI=openmpi"], cwd=ROOT, text=True, capture_output=True, timeout=60)
    assert other.returncode == 2 and "openmpi" in other.stdout.split("\n")[0]


def packages(tmp_path, *words):
    """What `make deps` would install."""
    done = make(tmp_path, "-n", *words)
    assert done.returncode == 0, done.stderr
    (line,) = [x for x in done.stdout.splitlines() if "tests/deps.sh" in x]
    return set(line.split("tests/deps.sh")[1].split())


def test_packages_are_those_of_what_comes_next(tmp_path):
    page = {"python3-pandas", "python3-matplotlib"}
    tested = {"libsimgrid-dev", "python3-pytest", "libcmocka-dev"}
    bench = packages(tmp_path, "deps-bench")
    assert page < bench and not tested & bench and "libmpich-dev" in bench
    small = packages(tmp_path, "deps-bench", "PLOTS=0")
    assert bench - small == page | {
        "python3-scipy", "python3-jinja2", "libblis-serial-dev",
        "libcapstone-dev"} and small < bench
    assert page | tested | bench < packages(tmp_path, "deps-test")
    assert packages(tmp_path, "deps") == packages(tmp_path, "deps-test")
    assert packages(tmp_path, "deps", "bench") == bench
    assert tested < packages(tmp_path, "deps", "test")


def test_megabytes_are_said_before_they_are_taken(tmp_path):
    for name, text in [
            ("dpkg-query", "exit 1"),
            ("id", "echo 0"),
            ("apt-get", 'case "$*" in *--assume-no*) echo '
             '"After this operation, 557 MB of additional disk space will be '
             'used."; exit 1 ;; install*) echo "installs $*" ;; esac')]:
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        ["sh", ROOT / "tests/deps.sh", "one", "two"], text=True, check=True,
        capture_output=True, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    said, installs = done.stdout.splitlines()
    assert said == "to be installed: 557 MB"
    assert installs.startswith("installs install -y ") and installs.endswith(
        " one two")


def built(tmp_path, left_out):
    """The program without these; objects that are the same are copied by
    ccache where it is."""
    environment = dict(os.environ)
    if shutil.which("ccache"):
        environment["PATH"] = f"/usr/lib/ccache:{environment['PATH']}"
    subprocess.run(
        ["make", f"-j{os.cpu_count()}", "WERROR=1", f"BUILD={tmp_path}",
         *[f"{name}=0" for name in left_out], f"{tmp_path}/dlsbench",
         f"{tmp_path}/kernels/support/image_test"], cwd=ROOT,
        env=environment, check=True, capture_output=True, timeout=3600)
    return tmp_path / "dlsbench"


@pytest.mark.skipif("ALL" not in os.environ, reason="make test-all")
@pytest.mark.parametrize("left_out", [OPTIONAL, *([x] for x in OPTIONAL)],
                         ids=lambda names: names[-1] if len(names) == 1
                         else "all")
def test_it_runs_without(tmp_path, left_out):
    program = built(tmp_path, left_out)
    done = subprocess.run(
        [program, "run", "smoke", "--out", tmp_path / "out"], text=True,
        capture_output=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [program, "run", "--kernel", "matmul:tasks=4,min=50,max=203",
         "--scheme", "ss", "--repetitions", "1"], text=True,
        capture_output=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    subprocess.run([tmp_path / "kernels/support/image_test"], check=True,
                   capture_output=True, timeout=60)
