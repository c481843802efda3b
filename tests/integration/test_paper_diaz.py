"""make paper-diaz, with a fit that is given and two seeds."""
import json
import os
import subprocess
import sys

from conftest import ROOT, environment
from paper_files import module, rows

FIT = {"flop_per_cycle_pentium": 0.03, "flop_per_cycle_opteron": 0.03,
       "chore_spain_s": 5, "chore_mexico_s": 300, "fitted": ["css", "gss"],
       "off": 0, "load_sigma": 0, "load_apart_s": 0, "loads": [1.0, 2.0]}


def test_tables_and_claims_beside_the_printed_ones(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "fit.json").write_text(json.dumps(FIT))
    done = subprocess.run(
        ["sh", ROOT / "bench/papers/run.sh", "diaz", ROOT / "build/dlsbench",
         out], capture_output=True, text=True, timeout=200, check=False,
        env={**environment(tmp_path), "PYTHON": sys.executable})
    assert done.returncode == 0, done.stderr
    assert "2 seeds." in done.stdout
    chores = rows(out / "table_3.csv")
    assert len(chores) == 20
    assert {float(r["difference"]) for r in chores} == {0.0}
    assert [r["delta"] for r in rows(out / "tables_1_2.csv")] == [
        "1/3", "1/2", *map(str, range(1, 10))]
    times = {(r["test"], r["scheme"]): float(r["ours"])
             for r in rows(out / "table_4.csv")}
    assert len(times) == 20
    # 100 tasks on the slowest processor, of 3.67 Gflop in the mean, and what
    # its one chore costs: 300 or 600 s.
    assert 7000 < times["2000/20", "css"] < 8800
    claims = rows(out / "claims.csv")
    assert len(claims) == 13 and all(c["holds"] in "01" for c in claims)
    assert os.path.exists(out / "figure_3.csv")


def test_a_grid_has_the_processors_of_a_test(tmp_path):
    diaz = module("diaz", "campaigns")
    path = tmp_path / "grid.xml"
    diaz.write_grid(path, 25, [0.03, 0.02, 4, 300], 2)
    text = path.read_text()
    assert [text.count(f'host id="0{i}-') for i in range(4)] == [1, 10, 10, 3]
    assert text.count('core="2"') == 2
    assert 'id="atlantic"' in text and 'latency="300s"' in text
    assert 'latency="2s"' in text and 'speed="0.0332Gf"' in text
