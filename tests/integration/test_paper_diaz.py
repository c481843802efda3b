"""make paper-diaz, with a fit that is given and two seeds."""
import json
import os
import subprocess
import sys

from conftest import ROOT, environment
from paper_files import PAPERS, check_values, module, rows, run

# The suite's schemes for the paper's.
SCHEMES = {"css": "css", "gss": "gss", "tss-taylor": "tss", "fss": "fss",
           "qss": "qss"}

FIT = {"flop_per_cycle_pentium": 0.03, "flop_per_cycle_opteron": 0.03,
       "chore_spain_s": 5, "chore_mexico_s": 300, "fitted": ["css", "gss"],
       "off": 0, "load_sigma": 0, "load_apart_s": 0, "loads": [1.0, 2.0],
       "left_out": {"css": {"chore_spain_s": 7, "chore_mexico_s": 200,
                            "off": 0.25}}}


def test_tables_and_claims_beside_the_printed_ones(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "fit.json").write_text(json.dumps(FIT))
    done = subprocess.run(
        [sys.executable, PAPERS / "run_papers.py", ROOT / "build/dlsbench",
         f"diaz={out}"], capture_output=True, text=True, timeout=200,
        check=False, env={**environment(tmp_path), "PYTHON": sys.executable})
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
    # With two seeds no order of two schemes can be told.
    assert {c["claim"]: c["holds"] for c in claims}[
        "GSS performs better than FSS in all cases"] == ""
    assert all(c["why"] for c in claims if c["holds"] != "1")
    assert check_values("diaz", out) == (51, 51, 21)
    assert os.path.exists(out / "figure_3.csv")
    assert "left out of the fit, that column is off by CSS 25.0 %" \
        in done.stdout
    (left_out,) = [r for r in rows(out / "assumptions.csv")
                   if r["value"] == "5 and 300 s"]
    assert left_out["other"] == "7 and 200 s: fitted without CSS"
    # The tables are first, and no list of fastest schemes is before them.
    page = (out / "report.html").read_text()
    assert page.index("Table 3") < page.index("paper&#39;s claims")
    holding = sum(c["holds"] == "1" for c in claims)
    assert page.count("class=answer") == 1 and (
        f"Our simulation confirms {holding} of the paper&#39;s {len(claims)} "
        "claims") in page
    assert "<h1>A Quadratic Self-Scheduling Algorithm for" in page
    assert "J. D\u00edaz, S. Reyes" in page
    assert "The paper prints 51 values. We compare all; 21 of these" in page
    assert "cannot be told" in page and "measured" not in page
    # A campaign with a part of the tests has no report, and that is said.
    for path in out.glob("*/runs-*.jsonl"):
        path.write_text("".join(
            line for line in path.read_text().splitlines(keepends=True)
            if json.loads(line).get("scheme", "").partition(":")[0] != "css"))
    done = subprocess.run(
        [sys.executable, PAPERS / "report_paper.py", "diaz", out], text=True,
        capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"report_paper.py: {out}: of the paper's 31 tests 4 have no complete "
        "cell, such as 2000/20 css: its report needs all of them\n")


def test_the_fit_has_the_papers_chunks():
    """As many as table 3 has, and of the sizes that the suite hands out."""
    chores = module("diaz", "chores")
    for row in rows(PAPERS / "diaz/table_3.csv"):
        tasks, processors = int(row["tasks"]), int(row["processors"])
        for ours, scheme in SCHEMES.items():
            sizes = chores.chunks(scheme, tasks, processors)
            assert len(sizes) == int(row[scheme])
            told = run("build/dlsbench", "chunks", "--scheme", ours,
                       "--iterations", tasks, "--workers", processors,
                       "--format", "csv")
            assert sizes == [int(line.split(",")[3])
                             for line in told.splitlines()[1:]]


def test_the_list_schedule_takes_the_first_free_processor():
    """Half of a chore's cost passes before a processor takes a chunk, half
    after that.  The first takes one at 1 s, computes until 6 s and takes the
    third at 7 s; the second computes until 12 s.  Both hear at 16 s that
    nothing is left."""
    chores = module("diaz", "chores")
    assert chores.test([2, 2, 3], [(2, 2), (4, 4)]) == 16


def test_a_grid_has_the_processors_of_a_test(tmp_path):
    diaz = module("diaz", "campaigns")
    path = tmp_path / "grid.xml"
    diaz.write_grid(path, 25, [0.03, 0.02, 4, 300], 2)
    text = path.read_text()
    assert [text.count(f'host id="0{i}-') for i in range(4)] == [1, 10, 10, 3]
    assert text.count('core="2"') == 2
    assert 'id="atlantic"' in text and 'latency="300s"' in text
    assert 'latency="2s"' in text and 'speed="0.0332Gf"' in text


def test_a_claim_needs_more_than_half_of_the_seeds():
    """The sign test: 23 of 30 seeds are enough for one test, 20 or the
    larger medians are not; 7 of 30 are enough against it."""
    diaz = module("diaz", "claims")
    for good, tests, verdict in ((23, 1, True), (23, 16, None), (20, 1, None),
                                 (7, 1, False), (7, 3, False), (30, 16, True)):
        truth = [True] * good + [False] * (30 - good)
        assert diaz.sign(truth, tests)[0] is verdict
