"""Where workers are bound: asked for, shown before, observed and recorded."""
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, environment, quota
from result_files import analysis

CORES = sorted(os.sched_getaffinity(0))
needs_two = pytest.mark.skipif(len(CORES) < 2, reason="one processor only")
CELL = ("run", "--kernel", "heat:rows=400,cols=400", "--scheme", "ss",
        "--repetitions", 1)


def workers(done):
    assert done.code == 0, done.err
    lines = done.lines("workers")
    return {x["worker"]: x for x in lines}


def shown_in(text):
    rows = re.findall(r"^ +(\d+) +\d+ +\d+ +(\d+)", text, re.M)
    return {int(worker): int(processor) for worker, processor in rows}


def shown(dlsbench, *words, code=0):
    """Worker -> processor, as `dlsbench topo` says."""
    done = dlsbench("topo", *words)
    assert done.code == code, done.err
    return shown_in(done.out)


@needs_two
@pytest.mark.parametrize("memory", ["touch", "bind"])
def test_a_list_is_followed_as_shown_before(dlsbench, memory):
    """Of a list that is longer than needed, the first ones."""
    spots = CORES[1::-1]
    how = ("--bind", f"{spots[0]},{spots[1]},{spots[0]}")
    before = shown(dlsbench, "--threads", 2, *how)
    assert before == dict(enumerate(spots))
    done = dlsbench(*CELL, "--threads", 2, *how, "--memory", memory)
    after = workers(done)
    assert {w: x["processor"] for w, x in after.items()} == before
    assert all(x["bound"] for x in after.values())
    # What the workers wrote lies on their own node, wherever rank 0 was when
    # it measured the serial time.
    assert all(x["memory_numa"] == str(x["numa"]) for x in after.values())
    (run,) = done.runs()
    assert run["memory"] == memory and run["bind"] == how[1]
    assert run["verified"] is True
    (manifest,) = done.directory.glob("manifest-*.json")
    assert 1e-9 < json.loads(manifest.read_text())["handover_s"] < 1e-2


@needs_two
@pytest.mark.parametrize("shape", [(1, 2), (2, 1)])
def test_repetitions_know_the_hand_over_between_cores(dlsbench, shape):
    done = dlsbench("run", "--kernel", "adjoint:size=30", "--scheme", "ss",
                    "--ranks", shape[0], "--threads", shape[1],
                    "--repetitions", 3, "--oversubscribe")
    rows = done.runs()
    assert len(rows) >= 3
    for row in rows:
        assert 1e-9 < row["handover_before_s"] < 1e-2
        assert 1e-9 < row["handover_after_s"] < 1e-2
        own = [w["core_probe_s"] for w in done.lines("workers")
               if w["repetition"] == row["repetition"]]
        assert len(own) == 2 and 1e-7 < min(own)
        assert row["core_probe_s"] == pytest.approx(max(own))


@needs_two
def test_a_rank_for_each_domain(dlsbench):
    room = len(shown(dlsbench))
    done = dlsbench(*CELL, "--rank-per", "node")
    (run,) = done.runs()
    assert (run["ranks"], run["threads"]) == (1, room)
    done = dlsbench("run", *CELL[1:], "--rank-per", "numa", "--smt",
                    "--dry-run", out="other")
    assert " smt=on rank_per=numa" in done.out


TWO_DOMAINS = {"HWLOC_SYNTHETIC": "pack:1 numa:2 core:1 pu:1",
               "HWLOC_THISSYSTEM": "1"}
NODE_1 = "/sys/devices/system/node/node1"


@pytest.mark.skipif(CORES[:2] != [0, 1],
                    reason="processors 0 and 1 are needed")
@pytest.mark.parametrize("memory", ["touch", "bind"])
def test_two_levels_by_numa_domain(dlsbench, monkeypatch, memory):
    """Two cores that are said to be NUMA domains: one scheme cuts ranges for
    them, another the ranges for the workers inside."""
    for name, value in TWO_DOMAINS.items():
        monkeypatch.setenv(name, value)
    done = dlsbench("run", "--kernel", "adjoint:size=20", "--scheme", "fss/ss",
                    "--rank-per", "numa", "--hierarchy", "node", "--memory",
                    memory, "--repetitions", 1, "--repetitions-max", 1,
                    "--trace")
    if memory == "bind" and not os.path.exists(NODE_1):
        # In truth they are not: what cannot be bound is said.
        assert done.code == 1
        assert "does not bind memory to NUMA node 1" in done.err + done.out
        return
    found = workers(done)
    assert {w: (x["rank"], x["processor"], x["numa"], x["bound"])
            for w, x in found.items()} == {0: (0, 0, 0, True),
                                           1: (1, 1, 1, True)}
    (run,) = done.runs()
    assert run["verified"] is True and run["rank_per"] == "numa"
    assert (run["ranks"], run["threads"]) == (2, 1)
    chunks = sorted(done.lines("chunks"), key=lambda x: x["start"])
    assert {x["size"] for x in chunks} == {1} and len(chunks) == 400
    # The first ranges of fss: a quarter of the loop for each domain.
    owners = [x["worker"] for x in chunks]
    for quarter in owners[:100], owners[100:200]:
        assert len(set(quarter)) == 1
    assert owners[200:250] == owners[200:201] * 50


@needs_two
def test_shared_cores_are_refused_before_and_after(dlsbench):
    how = ("--bind", f"{CORES[0]},{CORES[0]}", "--threads", 2)
    before = dlsbench("topo", *how)
    assert before.code == 1
    assert "shares its core with worker 0" in before.out
    assert "a run refuses it without --oversubscribe" in before.err
    for wrong, says in ((how[1], f"workers 0 and 1 share core {CORES[0]}"),
                        (CORES[0], f"workers 0 and 1 share core {CORES[0]}"),
                        ("60000", "processor 60000 is not among those")):
        done = dlsbench(*CELL, "--bind", wrong, "--threads", 2)
        assert done.code == 2 and says in done.err
        assert len(done.err.splitlines()) == 1
    done = dlsbench(*CELL, *how, "--oversubscribe", out="again")
    assert {x["processor"] for x in workers(done).values()} == {CORES[0]}
    assert done.runs()[0]["oversubscribed"] is True


@needs_two
def test_a_master_on_a_workers_core_is_recorded_and_not_ranked(dlsbench):
    """As many workers as cores, and one less."""
    for workers in len(CORES), len(CORES) - 1:
        done = dlsbench("run", "--kernel", "null:size=1000", "--scheme",
                        "gss", "--ranks", workers + 1, "--master", "dedicated",
                        "--repetitions", 2,
                        "--repetitions-max", 2, out=f"w{workers}")
        assert done.code == 0, done.err
        shared = workers == len(CORES)
        for run in done.runs():
            assert run["oversubscribed"] is False
            assert run["shared_masters"] == shared
        text = " ".join(done.out.split())  # headings are wrapped
        assert ("; a master on a worker's core, not ranked" in text) == shared
        assert ("* gss" in done.out) != shared
        code, text, err = analysis("advise", done.directory)
        assert ("no ranked cell" in err) == shared, (code, text, err)
        assert ("a waiting master was on a worker's core" in err) == shared


def test_a_campaign_chooses_shapes_by_the_nodes_topology(dlsbench, campaign):
    path = campaign("""
rank_per: [node, socket, numa]
nodes: [1, 2]
kernel: "null:size=1000"
scheme: ss
cells:
  - smt: [off, on]
  - master: dedicated
    transport: master
    rank_per: socket
  - layout: 4x2
    rank_per: numa
""")
    done = dlsbench("run", path, "--dry-run", "--format", "csv", "--topology",
                    "pack:2 numa:2 core:4 pu:2")
    assert done.code == 0, done.err
    layouts = sorted(x.split(",")[1] for x in done.out.splitlines()[1:])
    assert layouts == sorted(
        ["1x16", "2x8", "4x4", "2x16", "4x8", "8x4"]       # cores
        + ["1x32", "2x16", "4x8", "2x32", "4x16", "8x8"]   # hardware threads
        + ["3x8", "5x8"]                # a master beside 2 or 4 sockets
        + ["4x2"])                      # given, in a NUMA domain each
    done = dlsbench("run", path, "--dry-run", "--cores", 8)
    assert done.code == 2
    assert "give --topology" in done.err and len(done.error_lines()) == 1


@pytest.mark.parametrize("words,says", [
    (("--bind", "0-3:"), "bind: '0-3:' must be processors"),
    (("--bind", "99999"), "bind: '99999' must be processors"),
    (("--bind", "60000"), "processor 60000 is not among those"),
    (("--rank-per", "sokcet"), "did you mean 'socket'"),
    (("--cpuset", "60000"), "cpuset: '60000' must be processors of"),
    (("--topology", "pack:0"), "'pack:0' is neither a file"),
    (("--topology", "/etc/hostname"), "/etc/hostname is no XML file"),
    (("--workers", "2", "--ranks", "2"), "--workers is one rank"),
])
def test_wrong_words_are_one_line(dlsbench, words, says):
    done = dlsbench("topo", *words)
    assert done.code == 2 and says in done.err
    assert len(done.err.splitlines()) == 1


@needs_two
def test_a_quota_is_like_fewer_cores(tmp_path):
    """No worker has a core for itself below a quota of fewer cores."""
    def start(inside, *words):
        done = subprocess.run(
            [*inside, ROOT / "build/dlsbench", *map(str, words)],
            env=environment(tmp_path), capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    few = ("--repetitions", 1, "--repetitions-max", 1)
    with quota(1) as inside:
        code, text = start(inside, "topo")
        assert code == 1 and re.search(r"^CPU quota: 1 \(/", text, re.M), text
        assert "2 workers have a CPU quota of 1: a run refuses it" in text
        assert start(inside, "topo", "--threads", 1)[0] == 0
        code, text = start(inside, *CELL, "--threads", 2, "--out",
                           tmp_path / "refused")
        assert code == 2 and "2 workers have a CPU quota of 1" in text
        code, text = start(inside, *CELL[:-2], *few, "--threads", 2,
                           "--oversubscribe", "--out", tmp_path / "tagged")
        assert code == 0 and "its workers shared cores: nothing is ranked" \
            in text, text
        code, text = start(inside, *CELL[:-2], *few, "--threads", 1, "--out",
                           tmp_path / "alone")
        assert code == 0 and "oversubscribed" not in text, text
    place = json.loads(next((tmp_path / "tagged").glob("manifest-*"))
                       .read_text())["places"][0]
    assert place["cpu_quota"] == 1 and place["quota_of"].startswith("/")


def fake(tmp_path, **variables):
    """A run of two threads with variables of hwloc."""
    done = subprocess.run(
        [ROOT / "build/dlsbench", *map(str, CELL), "--repetitions-max", "1",
         "--threads", "2", "--out",
         str(tmp_path / "out-") + os.urandom(4).hex()],
        env=environment(tmp_path) | variables, capture_output=True, text=True)
    return done.returncode, done.stderr


@needs_two
@pytest.mark.parametrize("machine", ["pack:1 core:4 pu:1",
                                     "pack:1 core:2 pu:1",
                                     "pack:1 core:1 pu:1", "node:2 pu:3"])
def test_hwlocs_variables_are_the_reason(tmp_path, machine):
    code, text = fake(tmp_path, HWLOC_SYNTHETIC=machine)
    assert code == 2 and text.startswith(
        "dlsbench: HWLOC_SYNTHETIC is set: hwloc shows another machine"), text
    assert len(text.splitlines()) == 1
    if machine != "pack:1 core:2 pu:1":
        code, text = fake(tmp_path, HWLOC_SYNTHETIC=machine,
                          HWLOC_THISSYSTEM="1")
        assert code == 2 and "HWLOC_SYNTHETIC is set" in text, text


@needs_two
def test_a_file_of_this_machine_is_taken(tmp_path):
    """As Flux gives it, and with kinds of cores that hwloc does not see."""
    if not shutil.which("lstopo-no-graphics"):
        pytest.skip("no lstopo")
    whole, kinds = tmp_path / "whole.xml", tmp_path / "kinds.xml"
    subprocess.run(["lstopo-no-graphics", whole], check=True)
    code, text = fake(tmp_path, HWLOC_XMLFILE=str(whole))
    assert code == 2 and "HWLOC_XMLFILE is set" in text
    assert "or set HWLOC_THISSYSTEM=1 if" in text
    true = {"HWLOC_THISSYSTEM": "1"}
    assert fake(tmp_path, HWLOC_XMLFILE=str(whole), **true)[0] == 0
    text = re.sub(r"<cpukind [^>]*(/>|>.*?</cpukind>)", "",
                  whole.read_text(), flags=re.S)
    first, second = CORES[:2]
    masks = [f"0x{1 << (core % 32):08x}" + ",0x00000000" * (core // 32)
             for core in (first, second)]
    kinds.write_text(text.replace("</topology>", "".join(
        f'<cpukind cpuset="{mask}" forced_efficiency="{i}"/>\n'
        for i, mask in enumerate(masks)) + "</topology>"))
    variables = true | {"HWLOC_XMLFILE": str(kinds)}

    def start(*words):
        done = subprocess.run(
            [ROOT / "build/dlsbench", *map(str, words)],
            env=environment(tmp_path) | variables, capture_output=True,
            text=True)
        return done.returncode, done.stdout, done.stderr

    code, text, err = start("topo", "--threads", 1)
    assert f"kind 1: processors {second}, the most powerful" in text
    assert "warning" not in text and shown_in(text) == {0: second}
    assert "warn kinds of cores: 2: the fastest are taken first; --bind " \
        "kind=N" in start("doctor")[1]
    code, text, err = start("topo", "--threads", 1, "--bind", "all")
    assert "1 of 1 worker would get slower cores" in text
    (tmp_path / "kinds.yaml").write_text("""
name: kinds
repetitions: 1
repetitions_max: 1
cells:
  - kernel: adjoint:size=10
    scheme: ss
    layout: 1x1
    bind: [fast, "kind=0", all, "kind=7"]
""")
    code, text, err = start("run", tmp_path / "kinds.yaml", "--out",
                            tmp_path / "kinds/")
    assert code == 1 and "no core here is of kind 7" in text + err
    assert "warning: bind all: 1 of 1 worker would get slower" in err
    files = tmp_path / "kinds"
    cells = {row["cell"]: row["bind"] for row in read(files, "runs")
             if row["type"] == "run"}
    assert {cells[row["cell"]]: row["processor"]
            for row in read(files, "workers")} == {
        "compact": second, "kind=0": first, "all": first}
    manifest = json.loads(next(files.glob("manifest-*")).read_text())
    assert len(manifest["machine"]["kinds"]) == 2


def read(folder, what):
    return [json.loads(line) for file in sorted(folder.glob(f"{what}-*"))
            for line in file.read_text().splitlines()]
