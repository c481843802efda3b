"""Protocol push and input data that are sent: natively over two ranks and
simulated, both families on the same loop."""
import csv
import io
import json
import re
import socket
import subprocess

import pytest

from conftest import start, ROOT

TASKS = 24
MATMUL = f"matmul:tasks={TASKS},min=40,max=40,seed=1"
PLANS = ["single-round", "lp-fixed:period=0.01", "lp-sqrt:unit=1e-4",
         "lp-adaptive", "lp-adaptive:unit=1e-6,tail=share"]
# T_p is 1.3 us where the master computes, too, else above 2 us; g is 1 us.
RAISED = "lp-sqrt:unit=1e-9"
SELF = ["static", "ss", "gss", "awf-b"]
BYTES = TASKS * 2 * 40 * 40 * 8
NATIVE = ("--repetitions", 2, "--repetitions-max", 2, "--oversubscribe",
          "--bind", "none")
# A star whose links are one way each: a message takes g + bytes / bandwidth.
SPEED, LATENCY, BANDWIDTH = [1e9, 1e9, 2e9, 5e8], 1e-5, [0, 1e8, 5e7, 2e8]


def calibration(path, kernel=MATMUL, workers=2, **change):
    """A file such as dlsbench calibrate writes, with easy numbers."""
    sizes = [{"bytes": 2.0 ** i, "one_way_s": 1e-6 * 2 ** i} for i in range(7)]
    cost = [{"worker": w, "c_p_s": 1e-4 * (1 + w), "c_b_s_per_row": 0.0,
             "r2": None, "power": 1.0, "operation_s": 1e-9,
             "start_s": 0.0} for w in range(workers)]
    kind = {"workers": [{"worker": w, "host": "h", "core": w, "power": 1.0}
                        for w in range(workers)],
            "boundaries": [], "dispatch": [], "charges": dict.fromkeys(
                ["state_s", "send_s", "receive_s", "one_way_s", "round_s"]),
            "kernels": [{"kernel": kernel, "unit": "iteration", "rows": TASKS,
                         "columns": 1, "workers": cost}],
            "transfers": [{"worker": w, "g_s": 1e-6, "G_s_per_byte": 1e-9,
                           "r2": 1.0, "sizes": sizes}
                          for w in range(1, workers)]}
    data = {"type": "dlsbench calibration", "schema": 3, "layout": 5,
            "host": socket.gethostname(), "processor": "p", "cpuset": "0",
            "mpi": "m", "version": "v", "started": "2026-01-01T00:00:00Z",
            "took_s": 1.0, "kinds": {"ranks": {**kind, **change}}}
    path.write_text(json.dumps(data))
    return path


def star(path):
    hosts = "".join(f"""
    <host id="h{i}" speed="{SPEED[i]}f"/>
    <link id="l{i}" bandwidth="{BANDWIDTH[i] or 1e12}Bps"
          latency="{LATENCY if i else 0}s" sharing_policy="SPLITDUPLEX"/>
    <host_link id="h{i}" up="l{i}_UP" down="l{i}_DOWN"/>""" for i in range(4))
    path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Cluster">{hosts}
</zone></platform>
""")
    return path


def by_cell(result):
    return {(r["scheme"].split(":")[0], r["master"], r["prefetch"],
             r["collect"], r["scheme"]): r for r in result.runs()}


def planned(table, scheme):
    """Whether a scheme's first row has a time under "planned"."""
    lines = table.splitlines()
    end = next(x.index(" planned") for x in lines if " planned" in x)
    row = next(i for i, x in enumerate(lines) if f" {scheme}" in x)
    # The numbers of a long name are in the line below it.
    below = "".join(lines[row + 1:row + 2])
    numbers = below if below.startswith(20 * " ") else lines[row]
    return numbers[:end + 8].endswith("s")


def text(kernel, schemes, more=""):
    names = ", ".join(f'"{x}"' for x in schemes)
    return f"""name: push
cells:
  - kernel: "{kernel}"
    data: sent
    ranks: 2
    bind: none
    master: [computing, dedicated]
    prefetch: [on, off]
    scheme: [{names}]
{more}"""


def test_both_families_verify_in_one_table(dlsbench, campaign, tmp_path):
    file = campaign(text(MATMUL, PLANS + SELF + ["multi-installment", RAISED],
                         "    collect: [master, local]\n"))
    result = dlsbench("run", file, "--calibration",
                      calibration(tmp_path / "c.json"), *NATIVE[:5],
                      "--set", "timing=chunk", "--trace")
    assert result.code == 0, result.err
    cells = by_cell(result)
    # multi-installment is without overlap only.
    assert len(cells) == 8 * (len(PLANS + SELF) + 1) + 4
    for (name, master, _, collect, _), row in cells.items():
        assert row["verified"] is True and row["iterations"] == TASKS
        assert row["data"] == "sent"
        assert (row["protocol"] == "push") == (name not in SELF)
        if row["protocol"] == "push":
            assert row["plan_rounds"] > 0
            short = "unit=1e-09" in row["scheme"] and master == "computing"
            assert row["plan_raised"] == short * row["plan_rounds"]
        # All input goes to a worker alone, less than all where the master
        # keeps some; results are 16 bytes an iteration.
        if master == "dedicated":
            results = 16 * TASKS if collect == "master" else 0
            assert row["bytes"] >= BYTES + results
            if row["protocol"] == "push":
                assert row["bytes"] == BYTES + results
                assert row["predicted_s"] > 1e-4 * TASKS
        elif row["protocol"] == "push":
            assert row["bytes"] <= BYTES + 16 * TASKS
    chunks = [x for x in result.lines("chunks") if x["repetition"] == 1]
    one = [x for x in chunks if x["cell"] == cells[
        "single-round", "computing", True, "local", "single-round"]["cell"]]
    # Worker 1 takes twice as long for a task, and its data take theirs.
    assert {x["worker"] for x in one} == {0, 1}
    own = sum(x["size"] for x in one if x["worker"] == 0)
    assert TASKS / 2 < own < TASKS
    # Both families stand in one group of the table.
    shown = re.sub(r"\n {4}(?=\S)", " ", result.out.split("\nAnswers\n")[0])
    groups = shown.split("2 ranks x 1 thread, master ")[1:]
    assert len(groups) == 8
    for group in groups:
        assert "data sent" in group
        # Plans' predicted makespans stand beside the times that they took.
        for scheme in ["lp-adaptive", "single-round", "gss"]:
            assert planned(group, scheme) == (scheme not in SELF)
    table = subprocess.run(
        [ROOT / "analysis/tables.py", result.directory, "--table", "time"],
        capture_output=True, text=True, check=True)
    assert "single-round" in table.stdout and "gss" in table.stdout
    for row in table.stdout.splitlines():
        assert ("(planned " in row) == ("protocol push" in row)


def test_kernels_without_input_get_empty_messages(dlsbench, tmp_path):
    kernel = "adjoint:size=20,seed=1"
    result = dlsbench("run", "--kernel", kernel, "--scheme", "single-round",
                      "--ranks", 2, "--master", "dedicated", "--collect",
                      "local", "--calibration",
                      calibration(tmp_path / "c.json", kernel), *NATIVE)
    assert result.code == 0, result.err
    assert [(r["verified"], r["messages"], r["bytes"], r["data"])
            for r in result.runs()] == 2 * [(True, 1, 0, "none")]


def test_simulated_plans_take_as_long_as_planned(dlsbench, campaign, tmp_path):
    (tmp_path / "u.txt").write_text("1200:1e-4\n")
    file = campaign(text("trace:file=u.txt,steps=1,input=2000", PLANS + SELF +
                         ["multi-installment"], "    collect: local\n"))
    result = dlsbench("sim", file, "--set", "ranks=4", "--platform",
                      star(tmp_path / "p.xml"))
    assert result.code == 0, result.err
    cells = by_cell(result)
    plans = [r for r in cells.values() if r["protocol"] == "push"]
    assert len(plans) == 4 * len(PLANS) + 2
    for row in plans:
        assert row["verified"] == "handed out"
        # A master that computes looks at its port between slices of work, and
        # with overlap a worker has room for a few chunks, not for all.
        off = row["time_s"] / row["predicted_s"] - 1
        limit = 0.1 if row["master"] == "computing" else (
            0.05 if row["prefetch"] else 5e-3)
        assert abs(off) < limit, (row["scheme"], row["master"],
                                  row["prefetch"], off)
        if row["master"] == "dedicated":
            assert row["bytes"] == 1200 * 2000
    # The one port of the master: 1200 messages of data to three workers.
    ss = cells["ss", "dedicated", False, "local", "ss"]
    assert ss["bytes"] > 1200 * 2000
    assert ss["time_s"] > 1200 * (LATENCY + 2000 / 2e8)


# The platform and the times of the golden values, a hundredth of each;
# messages are as in the plan.
AGAIN = ["lp-sqrt:unit=0.01", "lp-adaptive:unit=0.01", "lp-fixed:period=0.2"]
SLOW = "delay:worker=2,factor=4,at=0.2,period=0.001"


def alike(path):
    hosts = "".join(f"""
    <host id="h{i}" speed="1e9f"/>
    <link id="l{i}" bandwidth="{1e8 if i else 1e15}Bps"
          latency="{1e-3 if i else 0}s" sharing_policy="SPLITDUPLEX"/>
    <host_link id="h{i}" up="l{i}_UP" down="l{i}_DOWN"/>""" for i in range(4))
    path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Cluster">{hosts}
</zone></platform>
""")
    return path


def plan_s(dlsbench, scheme, overlap, perturb, replan):
    """The makespan that dlsbench plan says."""
    name, _, value = scheme.replace("=", ":").split(":")
    key = "--period" if name == "lp-fixed" else "--unit"
    run = dlsbench("plan", "--load", 300, "--workers", 3, "--g", 0.001, "--G",
                   0.001, "--w", 0.01, "--algorithm", name, key, value,
                   "--replan", replan, "--perturb", perturb, "--format",
                   "csv", *(["--overlap"] if overlap else []))
    assert run.code == 0, run.err
    return float(next(csv.DictReader(io.StringIO(run.out)))["makespan_s"])


def test_rounds_planned_anew_take_as_long_as_planned(dlsbench, campaign,
                                                     tmp_path):
    """Simulated ranks and dlsbench plan agree; with a slow worker both say
    that planning anew wins."""
    (tmp_path / "u.txt").write_text("3000:1e-3\n")
    both = AGAIN + [f"{x},replan=round" for x in AGAIN]
    file = campaign(text("trace:file=u.txt,steps=1,input=10000", both,
                         "    collect: local\n"
                         f'    perturb: [none, "{SLOW}"]\n'))
    result = dlsbench("sim", file, "--set", "ranks=4", "--set",
                      "master=dedicated", "--platform",
                      alike(tmp_path / "p.xml"))
    assert result.code == 0, result.err
    time = {(r["scheme"].replace("tail=cut,", ""), r["prefetch"],
             r["perturb"] != "none"): r["time_s"] for r in result.runs()}
    assert len(time) == 24
    for scheme in AGAIN:
        for overlap in (False, True):
            for slow in (False, True):
                again = time[f"{scheme},replan=round", overlap, slow]
                fixed = time[scheme, overlap, slow]
                said = plan_s(dlsbench, scheme, overlap,
                              SLOW if slow else "none", "round")
                assert again == pytest.approx(said, rel=0.02), scheme
                if slow:
                    assert again < 0.8 * fixed
                else:
                    # A message with the chunk's time goes to the master.
                    assert again == pytest.approx(fixed, rel=0.02)


def test_ranks_plan_anew_too(dlsbench, campaign, tmp_path):
    schemes = ["lp-fixed:period=0.001,replan=round",
               "lp-sqrt:unit=1e-4,replan=round",
               "lp-adaptive:unit=1e-5,replan=round,tail=share"]
    file = campaign(text(MATMUL, schemes, "    collect: [master, local]\n"))
    result = dlsbench("run", file, "--calibration",
                      calibration(tmp_path / "c.json", workers=3), *NATIVE[:5],
                      "--set", "ranks=3", "--set", "timing=chunk", "--trace")
    assert result.code == 0, result.err
    cells = by_cell(result)
    assert len(cells) == 3 * 8
    for row in cells.values():
        assert row["verified"] is True and row["iterations"] == TASKS
        chunks = sorted((x["start"], x["size"])
                        for x in result.lines("chunks")
                        if x["cell"] == row["cell"] and x["repetition"] == 1)
        ends = [start + size for start, size in chunks]
        assert [start for start, _ in chunks] == [0] + ends[:-1]
        assert ends[-1] == TASKS


def test_one_message_at_a_time(dlsbench, tmp_path):
    # No computing: what is sent to three workers takes the sum of all.
    (tmp_path / "u.txt").write_text("30:1e-12\n")
    result = dlsbench("sim", "--kernel", "trace:file=u.txt,steps=1,"
                      "input=1000000", "--scheme", "css:chunk=1", "--data",
                      "sent", "--ranks", 4, "--master", "dedicated",
                      "--platform", star(tmp_path / "p.xml"), "--trace")
    assert result.code == 0, result.err
    (row,) = result.runs()
    sizes = [sum(1 for x in result.lines("chunks") if x["worker"] == w)
             for w in range(3)]
    assert sum(sizes) == 30
    port = sum(n * (LATENCY + 1e6 / BANDWIDTH[w + 1])
               for w, n in enumerate(sizes))
    assert row["time_s"] == pytest.approx(port, rel=0.1)
    assert row["time_s"] >= port


@pytest.mark.parametrize("change,words", [
    ({"kernels": []}, ["what plans need", f"--kernel {MATMUL}"]),
    ({"transfers": []}, ["what plans need", "dlsbench calibrate"]),
])
def test_a_calibration_that_lacks_something(dlsbench, tmp_path, change, words):
    path = calibration(tmp_path / "c.json", **change)
    result = dlsbench("run", "--kernel", MATMUL, "--scheme", "lp-sqrt",
                      "--ranks", 2, "--calibration", path, *NATIVE)
    assert result.code == 2
    line = result.error_lines()[-1]
    for word in words:
        assert word in line, line


@pytest.mark.parametrize("args,words", [
    (("--kernel", "mandelbrot", "--scheme", "ss", "--data", "sent", "--ranks",
      2), ["mandelbrot has no input data"]),
    (("--kernel", MATMUL, "--scheme", "lp-sqrt"), ["two ranks or more"]),
    (("--kernel", MATMUL, "--scheme", "lp-squirt", "--ranks", 2),
     ["did you mean 'lp-sqrt'"]),
    (("--kernel", MATMUL, "--scheme", "gss", "--protocol", "push", "--ranks",
      2), ["push is for plans"]),
    (("--kernel", "heat", "--scheme", "lp-sqrt", "--ranks", 2),
     ["cannot be divided by plan"]),
    (("--kernel", MATMUL, "--scheme", "gss", "--data", "send", "--ranks", 2),
     ["did you mean 'sent'"]),
])
def test_wrong_use_is_one_line(dlsbench, args, words):
    result = dlsbench("run", *args)
    assert result.code == 2
    (line,) = result.error_lines()
    for word in words:
        assert word in line, line


def test_what_is_there_is_listed(tmp_path):
    process = start(ROOT / "build/dlsbench", ("list", "schemes"), tmp_path)
    out, _ = process.communicate(timeout=10)
    assert "lp-adaptive: " in out and "installments=" in out
