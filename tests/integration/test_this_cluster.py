"""The platform this-cluster: nodes like the calibrated one, and what a second
calibration says lies between two."""
import json

import pytest

from conftest import ROOT

PINNED = ROOT / "tests/pinned/calibration.json"
CELL = ("--platform", "this-cluster", "--transport", "master", "--scheme",
        "ss", "--kernel", "null:size=200")


@pytest.fixture
def node(tmp_path):
    """A calibration of a node of two cores."""
    path = tmp_path / "node.json"
    path.write_text(PINNED.read_text())
    return path


def between(node, one_way_s, byte_s=1e-9):
    """What lies between nodes: so much for every message."""
    data = json.loads(PINNED.read_text())
    data["kinds"] = {"ranks": data["kinds"]["ranks"]}
    data["kinds"]["ranks"]["charges"]["one_way_s"] = one_way_s
    for pair in data["kinds"]["ranks"]["boundaries"]:
        pair["c_c_s_per_byte"] = byte_s
    path = node.with_name("node-between.json")
    path.write_text(json.dumps(data))


def time_of(dlsbench, node, ranks, out, *more):
    result = dlsbench("sim", *CELL, "--calibration", node, "--ranks", ranks,
                      *more, out=out)
    assert result.code == 0, result.err
    return result.runs()[0]["time_s"], result


def test_messages_between_nodes_take_what_was_measured(dlsbench, node,
                                                       tmp_path):
    """Two ranks are on one node; of six, four are on two others."""
    times = {}
    for one_way_s in 1e-5, 1e-3:
        between(node, one_way_s)
        for ranks in 2, 6:
            times[one_way_s, ranks], result = time_of(
                dlsbench, node, ranks, tmp_path / f"{one_way_s}-{ranks}")
    assert times[1e-5, 2] == times[1e-3, 2]
    assert times[1e-3, 6] > 1e-3 > 10 * times[1e-5, 2] / 200
    platform = (result.directory / "platform.xml").read_text()
    assert 'radical="0-3"' in platform and 'core="2"' in platform
    assert 'bw="1e+09Bps"' in platform
    # It goes on with its own files.
    node.unlink()
    again = dlsbench("sim", *CELL, "--calibration", node, "--ranks", 6,
                     "--resume", out=result.directory)
    assert again.code == 0, again.err


def test_a_node_with_one_worker_is_known_by_ranks_of_two(dlsbench, node,
                                                         tmp_path):
    """What a message keeps its ends for is charged, and no copying of its
    bytes, which the network carries; kernels cost what they do there."""
    between(node, 1.5e-3, byte_s=1e-6)
    data = json.loads(node.read_text())
    for kind in data["kinds"].values():
        for part in kind, *kind["kernels"]:
            part["workers"] = part["workers"][:1]
        kind["boundaries"] = []
    node.write_text(json.dumps(data))
    path = node.with_name("node-between.json")
    data = json.loads(path.read_text())
    ranks = data["kinds"]["ranks"]
    times = []
    for send_s in 0.0, 1.4e-3:
        ranks["charges"]["send_s"] = send_s
        path.write_text(json.dumps(data))
        time_s, result = time_of(dlsbench, node, 6, tmp_path / f"{send_s}",
                                 "--master", "dedicated")
        times.append(time_s)
        platform = (result.directory / "platform.xml").read_text()
        assert 'core="1"' in platform and 'radical="0-7"' in platform
    # 40 round trips of each worker; 200 answers of one master.
    assert 0.11 < times[0] < 0.14 and 0.28 < times[1] < 0.31
    ranks["kernels"] = []
    path.write_text(json.dumps(data))
    assert time_of(dlsbench, node, 6, tmp_path / "none", "--master",
                   "dedicated")[0] < 0.14


def test_without_what_lies_between_it_says_how_to_get_it(dlsbench, node):
    result = dlsbench("sim", *CELL, "--calibration", node, "--ranks", 2)
    assert result.code == 2
    (line,) = [x for x in result.error_lines() if "warning" not in x]
    assert "node-between.json" in line and "calibrate --nodes 2" in line


def test_another_launcher_is_refused(dlsbench):
    result = dlsbench("calibrate", "--nodes", 2, "--launcher",
                      "env -u X {ranks}")
    assert result.code == 2 and "srun, mpiexec or mpirun" in result.err
