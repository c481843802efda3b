"""The same sources with Open MPI: transports, windows and dependence loops
verify, and a rank that dies costs its cell only."""
import os

import pytest

from test_faults import SLOW, kill_one_rank

# make exports what is set on its command line.
pytestmark = pytest.mark.skipif(
    os.environ.get("MPI", "mpich") != "mpich",
    reason="all the other tests run with this MPI")


def test_every_transport_verifies(dlsbench, campaign, openmpi):
    result = dlsbench("run", campaign("""
name: openmpi
repetitions: 1
repetitions_max: 1
kernel: "adjoint:size=12"
scheme: [static, css, gss, dtss]
cells:
  - layout: 1x3
  - layout: 3x2
    transport: master
    master: [computing, dedicated]
    hierarchy: [flat, "2", node]
    collect: [master, local]
  - layout: 3x1
    transport: window
    window: [shared, rma]
  - layout: [1x3, 3x1, 2x2]
    kernel: "heat:rows=30,cols=40,steps=2"
    sync_interval: 9
    placement: [sticky, replan]
"""), "--oversubscribe", program=openmpi)
    assert result.code == 0, result.err
    assert len(result.done()) == 76
    assert all(run["verified"] is True for run in result.runs())
    text = next(result.directory.glob("manifest-*.json")).read_text()
    assert "Open MPI" in text


def test_a_rank_that_dies_costs_its_cell_only(tmp_path, campaign, lasting,
                                              openmpi):
    slow = campaign(SLOW.replace("KERNEL", lasting(0.05)))
    kill_one_rank(tmp_path, slow, openmpi)
