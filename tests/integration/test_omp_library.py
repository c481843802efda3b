"""libdls-omp.so: what a program may do to it, and the runtime, the disk and
the loader below it."""
import os
import pathlib
import select
import shutil
import socket
import subprocess
import time

import pytest

from conftest import ROOT
from test_omp import rows

DLSBENCH = ROOT / "build/dlsbench"
LIBRARY = ROOT / "build/lib/libdls-omp.so"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Programs of tests/omp, each compiled once."""
    folder = tmp_path_factory.mktemp("programs")

    def program(source, *flags, compiler="gcc", name=None):
        path = folder / f"{compiler}-{name or source}"
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        if not path.exists():
            subprocess.run([compiler, "-g", "-O1", "-fopenmp",
                            ROOT / "tests/omp" / source, *flags, "-o", path],
                           check=True)
        return path
    return program


def run(*words, preload=True, **variables):
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive",
           **variables}
    if preload:
        env["LD_PRELOAD"] = str(LIBRARY)
    return subprocess.run([str(x) for x in words], env=env, timeout=60,
                          capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("scheme", ["ss", "css:chunk=7", "fsc", "mfsc", "gss",
                                    "static", "hss", "awf-c", "steal"])
def test_a_visit_without_iterations_runs_none(compiled, compiler, scheme):
    done = run(compiled("visits.c", compiler=compiler), *["100", "0", "0"] * 5,
               "64", "0", "100", DLS_SCHEDULE=scheme)
    assert (done.returncode, done.stdout) == (0, "664 664\n"), done.stderr


def test_a_library_at_the_place_of_another_keeps_its_promise(compiled):
    """Chunks of `monotonic` ascend, those of `steal` need not.  The runtime's
    thread, which spins in its code, goes on where the runtime was."""
    flags = "-shared", "-fPIC"
    first, second = (compiled("module.c", *flags, f"-DKIND={kind}", name=name)
                     for kind, name in (("runtime", "first.so"),
                                        ("monotonic:runtime", "second.so")))
    for _ in range(20):  # the loader may put it elsewhere
        done = run(compiled("closed.c"), first, second, DLS_SCHEDULE="steal",
                   OMP_WAIT_POLICY="active")
        assert done.returncode == 0, done.stderr
        assert done.stdout in ("1 1\n1 0\n", "1 1\n0 0\n")
        if "1 0" in done.stdout:
            return
    pytest.fail("no library was at the place of another")


def test_loops_without_room_run_as_they_are_and_it_is_said(compiled):
    program = compiled("many.c", "-w")
    done = run(program, DLS_SCHEDULE="fss")
    assert (done.returncode, done.stdout) == (0, "4950\n")
    assert len(done.stderr.splitlines()) == 1
    assert "no room for more than 1024 loops" in done.stderr
    done = run(DLSBENCH, "omp", "--scheme", "fss", "--", program,
               preload=False)
    assert (done.returncode, done.stdout) == (0, "4950\n")
    assert done.stderr.count("no room for more than 1024 loops") == 1


def test_a_wrong_word_for_the_loops_is_refused(compiled):
    """As the command refuses it for --loops."""
    words = compiled("visits.c"), 100, 100
    done = run(*words, DLS_SCHEDULE="fss", DLS_OMP_LOOPS="bogus")
    assert (done.returncode, done.stdout) == (0, "200 200\n")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "DLS_OMP_LOOPS=bogus: allowed: runtime, dynamic" in done.stderr
    done = run(*words, DLS_OMP_LOOPS="bogus")
    assert (done.stdout, done.stderr) == ("200 200\n", "")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_regions_that_end_take_nothing_from_others(compiled, compiler):
    """libomp says that a nested region is over when its team may be another
    thread's next region already."""
    done = run(compiled("nested.c", compiler=compiler), DLS_SCHEDULE="ss",
               OMP_NUM_THREADS="4", OMP_MAX_ACTIVE_LEVELS="2")
    assert (done.returncode, done.stdout) == (0, "48000 of 48000\n"), \
        done.stderr


def fill_pipe():
    """(end to read, end to write) of a pipe in which there is no room."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(write, b"x" * 512)
    os.set_blocking(write, True)
    return read, write


def states(pid):
    """Of its threads, as in ps."""
    return [(task / "stat").read_text().rsplit(")", 1)[1].split()[0]
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]


def test_a_child_is_not_left_with_a_lock(compiled):
    """A thread says that its scheme does not exist, under the lock, and waits
    for room on stderr, when another one forks."""
    read, write = fill_pipe()
    with subprocess.Popen(
            [compiled("forks.c")], stdin=subprocess.PIPE, stderr=write,
            stdout=subprocess.PIPE,
            env={**os.environ, "LD_PRELOAD": str(LIBRARY),
                 "DLS_SCHEDULE": "nonsense"}) as child:
        os.close(write)
        while states(child.pid) != ["S", "S"]:
            time.sleep(0.01)
        child.stdin.write(b"go\n")
        child.stdin.flush()
        # A child that is there so early has the lock of the thread.
        select.select([child.stdout], [], [], 0.5)
        text = b""
        while part := os.read(read, 65536):
            text += part
        assert child.wait(60) == 0
    os.close(read)
    assert text.lstrip(b"x").startswith(b"libdls-omp: ")
    assert text.count(b"nonsense") == 1


OPENED = "-shared", "-fPIC"


@pytest.fixture(scope="module")
def opener(compiled):
    """Opens libraries; linked with a compiler's runtime, or (bare) none."""
    flags = {"gcc": [], "clang": [], "bare": ["-fno-openmp"]}
    return {name: compiled("closed.c", "-Wl,--no-as-needed", *more,
                           compiler="clang" if name == "clang" else "gcc",
                           name=f"closed-{name}")
            for name, more in flags.items()}


@pytest.mark.parametrize("program", ["gcc", "clang", "bare"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_constructor_of_an_opened_library_may_have_loops(compiled, opener,
                                                           compiler, program):
    """Its thread has the loader's lock, and waits for its team."""
    library = compiled("opened.c", *OPENED, compiler=compiler,
                       name="opened.so")
    for variables in {}, {"DLS_SCHEDULE": "ss"}:
        done = run("timeout", 20, opener[program], library, **variables)
        assert (done.returncode, done.stdout) == (0, "1 0\n"), done.stderr


@pytest.mark.parametrize("program", ["gcc", "clang", "bare"])
def test_a_constructor_may_have_loops_without_a_tool(compiled, opener,
                                                     program):
    """Nobody says then which runtime begins a region."""
    library = compiled("opened.c", *OPENED, compiler="clang",
                       name="opened.so")
    for variables in {}, {"DLS_SCHEDULE": "ss"}:
        done = run("timeout", 20, opener[program], library,
                   OMP_TOOL="disabled", **variables)
        assert (done.returncode, done.stdout) == (0, "1 0\n"), done.stderr


@pytest.mark.parametrize("scheme", [None, "ss"])
def test_a_library_may_bring_another_runtime_than_the_programs(compiled,
                                                               opener, scheme):
    """LLVM's beside libgomp, of which all modules know the entries."""
    library = compiled("module.c", *OPENED, "-DKIND=runtime", compiler="clang",
                       name="runtime.so")
    variables = {"DLS_SCHEDULE": scheme} if scheme else {}
    done = run(opener["gcc"], library, OMP_SCHEDULE="dynamic", **variables)
    assert (done.returncode, done.stdout) == (0, "1 0\n"), done.stderr


def test_a_constructor_does_not_wait_for_another_threads_loop(compiled,
                                                              tmp_path):
    """A thread asks for its loop's names when another one opens a library,
    whose constructor asks for those of its own."""
    place, rules = tmp_path / "lookup", tmp_path / "rules"
    rules.write_text("* = ss\n")
    library = compiled("opened.c", *OPENED, name="opened.so")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as lookup:
        lookup.bind(str(place))
        lookup.listen()
        lookup.settimeout(30)
        with subprocess.Popen(
                [compiled("opens.c"), library], stdin=subprocess.PIPE,
                env={**os.environ, "LD_PRELOAD": str(LIBRARY),
                     "DLS_SCHEDULE": f"@{rules}",
                     "DLS_OMP_LOOKUP": str(place)}) as child:
            asks = [lookup.accept()[0]]
            asks[0].recv(1000)
            child.stdin.write(b"go\n")
            child.stdin.flush()
            # If the first held a lock meanwhile, the second would not come.
            ready, _, _ = select.select([lookup], [], [], 10)
            assert ready
            while ready or asks:
                for one in asks:
                    one.send(b"\t")
                    one.close()
                ready, _, _ = select.select([lookup], [], [], 1)
                asks = [lookup.accept()[0] for _ in ready]
            assert child.wait(60) == 0


LARGE = 2 ** 32
REFUSED = [("tss:last=30", 100, 50, "first chunk"),
           ("steal", LARGE, LARGE // 4, str(LARGE)),
           ("hss", 5 * 2 ** 20, 2 ** 20, "4194304")]


def report(*words, **variables):
    """(the only row of the report, the library's lines)"""
    done = run(DLSBENCH, "omp", *words, preload=False, **variables)
    assert done.returncode == 0, done.stderr
    found = rows(done.stderr).values()
    said = [x for x in done.stderr.splitlines() if x.startswith("libdls-omp")]
    assert len(found) == 1, done.stderr
    return next(iter(found)), said, done.stdout


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("scheme, size, chunk, why", REFUSED)
def test_what_a_scheme_refuses_runs_as_without_it(compiled, compiler, scheme,
                                                  size, chunk, why):
    program = compiled("visits.c", "-O2", compiler=compiler, name="fast")
    row, said, out = report("--scheme", scheme, "--", program, size, size,
                            OMP_SCHEDULE=f"dynamic,{chunk}")
    assert out == f"{2 * size} {2 * size}\n"
    assert row[1] == "its own schedule"
    assert row[3:6] == ["2", str(2 * size), str(2 * size // chunk)]
    assert len(said) == 1 and why in said[0], said


def test_a_scheme_that_refuses_some_visits_has_the_others(compiled):
    row, said, out = report("--scheme", "tss:last=30", "--",
                            compiled("visits.c"), 100, 1000, 60)
    assert out == "1160 1160\n"
    assert row[1].startswith("tss:last=30") and row[3] == "3"
    assert len(said) == 1


def find_libomp():
    done = subprocess.run(["clang", "-print-file-name=libomp.so.5"],
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("scheme, sizes", [
    ("tss:last=30", [100, 1000, 60, 0]), ("steal", [LARGE, 100]),
    ("dtss-acp", [100, 1, 0])])
def test_programs_of_gcc_on_libomp_run_what_is_refused(compiled, scheme,
                                                       sizes):
    done = run(compiled("visits.c", "-O2", name="fast"), *sizes,
               DLS_SCHEDULE=scheme,
               OMP_SCHEDULE=f"dynamic,{max(sizes) // 4 + 1}",
               LD_PRELOAD=f"{LIBRARY} {find_libomp()}", preload=False)
    assert done.returncode == 0
    assert done.stdout == f"{sum(sizes)} {sum(sizes)}\n"
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_no_scheme_is_claimed_for_loops_that_are_not_seen(compiled, tmp_path):
    """LLVM's runtime in the place of libgomp, without its OMPT."""
    (tmp_path / "libgomp.so.1").symlink_to(find_libomp())
    row, said, out = report("--scheme", "fss", "--", compiled("visits.c"), 100,
                            LD_LIBRARY_PATH=str(tmp_path),
                            OMP_TOOL="disabled")
    assert out == "100 100\n" and row[1] == "its own schedule", row
    assert len(said) == 1 and "OMP_TOOL=disabled" in said[0]
    done = run(DLSBENCH, "omp", "--scheme", "fss", "--",
               compiled("visits.c", compiler="clang"), 100, preload=False,
               OMP_TOOL="disabled")
    assert (done.returncode, done.stdout) == (0, "100 100\n")
    said = done.stderr.splitlines()
    assert "OMP_TOOL=disabled" in said[0] and "1 left alone" in said[1]


def test_no_room_for_the_counters_ends_no_program(compiled, tmp_path):
    """Neither a limit of the size of files, nor a full disk."""
    program = compiled("visits.c")
    limited = f"ulimit -f 8; exec {program} 100"
    full = (f"mount -t tmpfs -o size=64k none {tmp_path} && "
            f"exec env LD_PRELOAD={LIBRARY} {program} 100")
    done = [run("bash", "-c", limited, DLS_OMP_COUNTERS=str(tmp_path))]
    if run("unshare", "-rm", "mount", "-t", "tmpfs", "none", tmp_path,
           preload=False).returncode == 0:
        done.append(run("unshare", "-rm", "sh", "-c", full, preload=False,
                        DLS_OMP_COUNTERS=str(tmp_path)))
    for one in done:
        assert (one.returncode, one.stdout) == (0, "100 100\n"), one.stderr
        assert len(one.stderr.splitlines()) == 1
        assert "counters cannot be written here" in one.stderr
    assert not list(tmp_path.glob("*.loops"))


@pytest.mark.parametrize("scheme", [None, "fss", "steal"])
def test_loops_of_an_old_compiler_are_left_alone(compiled, scheme):
    """Their _next and _end are those of other loops."""
    variables = {"DLS_SCHEDULE": scheme} if scheme else {}
    done = run(compiled("legacy.c", "-w"), DLS_OMP_LOOPS="dynamic",
               **variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "332833495\n" * 10


def test_the_end_of_a_loop_that_newer_compilers_call(compiled):
    """A runtime that has none does not lose a program of theirs."""
    program = compiled("deinit.c", compiler="clang")
    assert run(program, preload=False).stdout == "0 166650\n"
    for scheme in "ss", "fss", "steal":
        done = run(program, DLS_SCHEDULE=scheme, DLS_OMP_LOOPS="dynamic",
                   OMP_MAX_ACTIVE_LEVELS="2")
        assert (done.returncode, done.stdout) == (0, "1 166650\n")
        assert done.stderr == ""


def test_another_tool_of_ompt_is_kept_and_it_is_said(compiled, tmp_path):
    """In the program, in a library of its, and named by the environment; also
    where LLVM's runtime runs programs of gcc's."""
    library = compiled("tool.c", "-shared", "-fPIC", compiler="clang",
                       name="libtool.so")
    inside = compiled("tool.c", "-DPROGRAM", "-rdynamic", compiler="clang")
    linked = compiled("visits.c", "-Wl,--no-as-needed", library,
                      compiler="clang", name="linked")
    plain = compiled("visits.c", compiler="clang")
    (tmp_path / "libgomp.so.1").symlink_to(find_libomp())
    named = {"OMP_TOOL_LIBRARIES": str(library)}
    by_gcc = {"LD_LIBRARY_PATH": str(tmp_path)}
    for words, out, variables in [
            ([inside], "4950\n", {}),
            ([linked, 100], "100 100\n", {}),
            ([plain, 100], "100 100\n", named),
            ([compiled("tool.c", "-DPROGRAM", "-rdynamic")], "4950\n", by_gcc),
            ([compiled("visits.c"), 100], "100 100\n", named | by_gcc)]:
        done = run(*words, DLS_SCHEDULE="fss", **variables)
        assert (done.returncode, done.stdout) == (0, f"tool\n{out}")
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert "OMPT tool" in done.stderr and "left alone" in done.stderr
        assert run(*words, **variables).stderr == ""


def make_runtime(folder):
    """A libgomp under another name, as Python packages bring one."""
    done = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"],
                          capture_output=True, text=True, check=True)
    with open(done.stdout.strip(), "rb") as file:
        runtime = file.read()
    path = folder / "libgomq.so.1"
    path.write_bytes(runtime.replace(b"libgomp.so.1\0", b"libgomq.so.1\0"))
    return path


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("scheme", ["static:by=cost", "hss", "binlpt"])
def test_the_costs_of_the_last_visit_count(compiled, compiler, scheme):
    """The first tenth has nearly all of them.  A thread that is held up in
    a visit spoils the next, not all."""
    done = run(compiled("bycost.c", compiler=compiler), 5, DLS_SCHEDULE=scheme)
    assert (done.returncode, done.stderr) == (0, "")
    visits = [line.split() for line in done.stdout.splitlines()]
    assert [last for _, last in visits] == ["1"] * 5
    if scheme == "static:by=cost":  # 50 without
        assert min(int(had) for had, _ in visits[1:]) < 20, done.stdout


def test_each_of_several_runtimes_knows_its_own_teams(compiled, tmp_path):
    """Modules with libgomp, another libgomp and LLVM's, local symbols all."""
    flags = "-shared", "-fPIC", "-DKIND=runtime"
    modules = [compiled("module.c", *flags, name="first.so"),
               compiled("module.c", *flags, compiler="clang", name="llvm.so"),
               tmp_path / "other.so"]
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "-c", *flags[1:],
                    ROOT / "tests/omp/module.c", "-o", tmp_path / "module.o"],
                   check=True)
    subprocess.run(["gcc", "-shared", tmp_path / "module.o",
                    make_runtime(tmp_path), "-Wl,-rpath," + str(tmp_path),
                    "-o", modules[2]], check=True)
    done = run(DLSBENCH, "omp", "--scheme", "ss", "--", compiled("closed.c"),
               *modules, *modules, preload=False)
    assert done.returncode == 0, done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["0"] * 6
    loops = [line.split() for line in done.stderr.splitlines()
             if " module.c:" in line and " ss " in line]
    assert sum(int(words[words.index("ss") + 2]) for words in loops) == 6
    assert sum(int(words[words.index("ss") + 4]) for words in loops) == 600
