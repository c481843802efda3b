"""dlsbench omp --record: what the iterations of a program's loops take, as
traces that dlsbench run reads; --on: what schemes would do with them."""
import heapq
import html
import json
import os
import re
import subprocess

import pytest

from conftest import ROOT

DLSBENCH = ROOT / "build/dlsbench"
SOURCE = ROOT / "tests/omp/recordable.c"
LINES = [number + 2 for number, line
         in enumerate(SOURCE.read_text().splitlines())
         if "#pragma omp parallel for" in line]
SUM = "3900\n"


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch, tmp_path_factory):
    """The user's may be of another version, which is said."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "recorded"
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", SOURCE, "-o", path],
                   check=True)
    return path


def run(*words, cwd):
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive",
           "XDG_CACHE_HOME": f"{cwd}-cache"}  # not the user's calibration
    return subprocess.run([str(x) for x in (DLSBENCH, *words)], cwd=cwd,
                          env=env, timeout=60, capture_output=True, text=True,
                          check=False)


def costs(path):
    found = []
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            *times, cost = line.split(":")
            found += [float(cost)] * (int(times[0]) if times else 1)
    return found


def test_each_visit_becomes_a_trace(program, tmp_path):
    done = run("omp", "--record", "costs", "--", program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, SUM)
    assert "the loops run under dynamic,1" in done.stderr
    name = f"main-recordable.c-{LINES[0]}"
    files = sorted((tmp_path / "costs").iterdir())
    assert [x.name for x in files] == [f"{name}-visit1.txt",
                                       f"{name}-visit2.txt"]
    for path in files:
        found = costs(path)
        assert len(found) == 40 and min(found) > 0
        assert min(found[:4]) >= 0.004
    for line, why in ((LINES[1], "monotonic: "), (LINES[2], "its order"),
                      (LINES[3], "--loops dynamic adds")):
        assert re.search(rf"main recordable.c:{line} is not recorded: {why}",
                         done.stderr)
    trace = f"trace:file=costs/{files[0].name}"
    done = run("run", "--kernel", trace, "--scheme", "binlpt", "--repetitions",
               1, "--oversubscribe", "--out", "out/", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # The commands of the manual take it, too.
    text = (ROOT / "docs/reference/omp.md").read_text()
    written = re.findall(r"^    dlsbench (.*[ =]costs/.*)$", text, re.M)
    assert len(written) == 3
    for words in written:
        words = words.replace("main-solver.c-120-visit1.txt", files[0].name)
        words = words.replace("...", "--kernel null:size=40").split()
        if words[0] == "run":
            words += ["--dry-run"]
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0, (words, done.stderr)


def test_instances_of_a_template_are_told_apart(tmp_path):
    source, made = tmp_path / "box.cpp", tmp_path / "box"
    source.write_text("""template <class T> struct Box {
    T sum;
    void fill(int n) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < n; i++)
            sum = i;
    }
};
int main(int n, char **) {
    Box<double> a;
    Box<float> b;
    a.fill(10 * n);
    b.fill(10 * n);
}
""")
    subprocess.run(["g++", "-g", "-fopenmp", source, "-o", made], check=True)
    done = run("omp", "--record", "costs", "--on", 4, "--", made,
               cwd=tmp_path)
    files = sorted(x.name for x in (tmp_path / "costs").iterdir())
    assert len(files) == 2
    for name, kind in zip(files, ("double", "float")):
        assert re.fullmatch(rf"Box-{kind}---fill-box.cpp-\d-visit1.txt", name)
        assert re.search(rf"^Box<{kind}>::fill box.cpp:\d$", done.stderr, re.M)


def test_chunks_share_their_time(program, tmp_path):
    done = run("omp", "--record", "costs", "--scheme", "css:chunk=8",
               "--loops", "dynamic", "--", program, cwd=tmp_path)
    assert done.stdout == SUM
    assert "the loops run under dynamic,8" in done.stderr
    found = costs(tmp_path / f"costs/main-recordable.c-{LINES[0]}-visit1.txt")
    assert found[:8] == [found[0]] * 8 and found[0] >= 4 * 0.004 / 8
    assert len(costs(tmp_path / f"costs/main-recordable.c-{LINES[3]}"
                     "-visit1.txt")) == 40


def best(text):
    return re.findall(r"^  (\d+): (\S+), ([\d.]+) times as fast", text, re.M)


def seconds(table, scheme):
    """Of the first number of workers."""
    row = rf"^  {re.escape(scheme)} +\*? *([\d.]+) (\w+)"
    value, unit = re.search(row, table, re.M).groups()
    return float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]


def finish(found, workers):
    """Single iterations, each to whoever is free first."""
    free = [0.0] * workers
    for cost in found:
        heapq.heapreplace(free, free[0] + cost)
    return max(free)


def test_records_are_replayed_on_more_threads(program, tmp_path):
    done = run("omp", "--record", "costs", "--on", "4,64", "--", program,
               cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, SUM)
    table = done.stderr[done.stderr.index("recorded with threads: 2"):]
    # A part beside the loops is named if it took more than 1 % of the run.
    table = re.sub(r"^dlsbench: .*\n", "", table, flags=re.M)
    assert "iterations of a visit: 40, workers: 64" in table
    # Without results nobody would read it.
    done = run("omp", "--record", "costs", "--on", "4,64", "--out", "./out",
               cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "--out ./out: no results are here" in done.stderr
    assert not (tmp_path / "out").exists()
    run("omp", "--out", "./out", "--", program, cwd=tmp_path)
    again = run("omp", "--record", "costs", "--on", "4,64", "--out", "./out",
                cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout[again.stdout.index("recorded with"):] == table
    visits = [costs(x) for x in (tmp_path / "costs").iterdir()]
    ss = sum(finish(x, 4) for x in visits)
    static = sum(max(sum(x[i:i + 10]) for i in range(0, 40, 10))
                 for x in visits)
    assert seconds(table, "ss") == pytest.approx(ss, rel=0.01)
    assert seconds(table, "static") == pytest.approx(static, rel=0.01)
    kept = json.loads((tmp_path / "out/outlook.json").read_text())
    assert kept["workers"] == [4, 64] and len(kept["loops"]) == 1
    assert {x["scheme"]: x["time_s"][0] for x in kept["loops"][0]["schemes"]}[
        "ss"] == pytest.approx(ss, rel=0.01)
    (few, _, gain), (many, *_) = best(table)
    assert (few, many) == ("4", "64")
    assert float(gain) >= 0.99 * sum(map(sum, visits)) / ss


def test_records_need_no_folder(program, tmp_path):
    done = run("omp", "--on", 8, "--", program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, SUM)
    assert [x[0] for x in best(done.stderr)] == ["8"]
    assert "visit1.txt" not in done.stderr and not list(tmp_path.iterdir())


def test_without_a_loop_nothing_is_left_and_the_command_fails(tmp_path):
    (tmp_path / "there").mkdir()
    for words, option in ((["--record", "costs"], "record"),
                          (["--record", "there"], "record"),
                          (["--on", "4"], "on")):
        done = run("omp", *words, "--", "/bin/true", cwd=tmp_path)
        assert done.returncode == 1
        assert f"--{option}: no loop was recorded" in done.stderr
    assert [x.name for x in tmp_path.iterdir()] == ["there"]
    done = run("omp", "--on", 4, "--", "sh", "-c", "exit 5", cwd=tmp_path)
    assert done.returncode == 5


def test_on_says_what_it_saw_in_place_of_a_loop(tmp_path):
    """And which command answers for it."""
    (tmp_path / "s.c").write_text(
        "#include <unistd.h>\nint a[64];\nint main(void)\n{\n"
        "#pragma omp parallel for\n"
        "    for (int i = 0; i < 64; i++)\n        usleep(100 * (a[i] = i));\n"
        "#pragma omp parallel\n#pragma omp single\n    usleep(50000);\n}\n")
    subprocess.run(["gcc", "-g", "-O2", "-fopenmp", "s.c", "-o", "s"],
                   cwd=tmp_path, check=True)
    done = run("omp", "--on", 4, "--", "./s", cwd=tmp_path)
    assert done.returncode == 1
    said = done.stderr[done.stderr.index("Answer:"):]
    assert re.search(r"main s.c:\d+ is not recorded: a static loop, .* shows "
                     r"no single iterations; instead, see the next line\n"
                     r"  dlsbench omp --suggest \S*s.c \| patch -p0", said)
    assert re.search(r"s.c:\d+ is not recorded: .* \(single\)\n", said)


def test_a_long_iteration_is_named_where_no_schedule_helps(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/loop-visit1.txt").write_text("# loop\n5e-2\n"
                                                   + "1e-3\n" * 99)
    done = run("omp", "--on", "2,64", "--record", "full", cwd=tmp_path)
    (line,) = re.findall("^  (.*) no schedule is faster, because the longest "
                         r"iteration .* ([\d.]+) ms$", done.stdout, re.M)
    assert line[0] == "64:" and float(line[1]) == pytest.approx(149 / 64,
                                                                rel=0.01)


@pytest.mark.parametrize("clause,others,named", [
    ("static", 0, True), ("guided,1", 0, True), ("static (runtime)", 0, True),
    ("dynamic,1", 0, False), ("static", 0.9, False), ("static", 1, False),
    ("static,4", 0, None)])
def test_a_scheme_is_named_where_it_beats_the_loop_as_it_is(
        tmp_path, clause, others, named):
    """A triangle that falls: the first of equal blocks takes longest."""
    found = [1e-3 * (100 - i) for i in range(100)]
    (tmp_path / "full").mkdir()
    (tmp_path / "full/loop-visit1.txt").write_text(
        "# loop\n# of x\n# visit 1 of 1: 100 iterations, 2 threads, "
        "css:chunk=1; seconds, each with a reading of the clock\n"
        f"# as it is: {clause}; {finish(found, 2)} s a visit in this run, "
        f"others {others}\n" + "".join(f"{x}\n" for x in found))
    done = run("omp", "--on", "2", "--record", "full", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if named is None:
        assert "the loop as it is" not in done.stdout
        return
    own = {"static": sum(found[:50]), "dynamic,1": finish(found, 2)}
    kind = clause.split(" ")[0]
    if kind in own:
        assert seconds(done.stdout, f"as it is ({clause})") == pytest.approx(
            own[kind], rel=0.01)
    if others == 1:
        assert "so that no scheme is proposed\n" in done.stdout
        assert "--try" not in done.stdout
        return
    if not named:
        assert re.search(r"2: no scheme gains more .* may err: "
                         rf"{max(1, 100 * others):.1f} %", done.stdout)
        return
    scheme, gain, told = re.search(
        r"^  2: (\S+) takes ([\d.]+) % less than the loop as it is .*"
        r"runs tell: --try (.*)$", done.stdout, re.M).groups()
    assert told.split(",")[0] == scheme \
        + " --loops dynamic" * ("runtime" not in clause)
    as_it_is = seconds(done.stdout, f"as it is ({clause})")
    assert float(gain) == pytest.approx(
        100 - 100 * seconds(done.stdout, scheme) / as_it_is, abs=1)


@pytest.mark.parametrize("others", [0, 0.5])
def test_one_interrupted_iteration_names_no_scheme(tmp_path, others):
    """Where its first block is longer for that alone, static is not slower.
    It is no cause either, where others had the cores."""
    found = [1e-3] * 100
    found[10] = 30e-3
    (tmp_path / "full").mkdir()
    (tmp_path / "full/loop-visit1.txt").write_text(
        "# loop\n# of x\n# visit 1 of 1: 100 iterations, 2 threads, "
        "css:chunk=1; seconds, each with a reading of the clock\n"
        f"# as it is: static; {finish(found, 2)} s a visit in this run, "
        f"others {others}\n" + "".join(f"{x}\n" for x in found))
    done = run("omp", "--on", "2,64", "--record", "full", cwd=tmp_path)
    assert "2: no scheme gains more over the loop as it is" in done.stdout
    assert "A chunk takes 10.00 ns at its worker, and 0.000 ns" in done.stdout
    cause = "64: no schedule is faster, because the longest iteration" \
        in done.stdout
    assert cause == (others == 0)
    assert (f"its threads had no core for {100 * others:.0f} % of the "
            "recording; record again" in done.stdout) != cause


def test_what_is_no_record_is_one_line(program, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/loop-visit1.txt").write_text("# loop\n-1\n")
    for words, text in (
            (["--on", 4], "a program is missing"),
            (["--on", "4,", "--record", "full"], "--on: '' is not a whole"),
            (["--on", 0, "--record", "full"], "allowed is 1 to 65536"),
            (["--on", 4, "--record", "empty"], "has no records"),
            (["--on", 4, "--record", "full"], "visit1.txt:2: the cost -1"),
            (["--on", 4, "--record", "full", "--scheme", "ss"],
             "--scheme and --loops were for their"),
            (["--on", 4, "--record", "full", "--loops", "dynamic"],
             "--scheme and --loops were for their"),
            (["--on", 4, "full"], "records are read by --record DIR"),
            (["--on", 4, "--record", "full", "--", program], "leave out the"),
            (["--on", 4, "--scheme", "fss", "--", program], "css:chunk=K")):
        done = run("omp", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1 and text in done.stderr


def test_bad_input_is_one_line(program, tmp_path):
    for words, text in (
            (["--record", "costs", "--scheme", "fss"], "css:chunk=K"),
            (["--record", ".", "--"], "it is not empty"),
            (["--record", "costs", "--try", "ss", "--out", "x"], "one run"),
            (["--record", "/proc/none"], "/proc/none")):
        (tmp_path / "there").touch()
        done = run("omp", *words, *["--"][:"--" not in words], program,
                   cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1 and text in done.stderr


def test_all_readers_say_the_answer_of_the_report(program, tmp_path):
    done = run("omp", "--out", "out/", "--record", "costs/", "--", program,
               cwd=tmp_path)
    assert "out\n" in done.stderr and "//" not in done.stderr
    (answer,) = re.findall("^Answer: (.*)$", done.stderr, re.M)
    said = " ".join(run("summary", "out", cwd=tmp_path).stdout.split())
    assert f"Answers {' '.join(answer.split())} " in said
    assert run("report", "out", cwd=tmp_path).returncode == 0
    page = html.unescape((tmp_path / "out/report.html").read_text())
    assert f"This run: {answer}"[:60] in page
