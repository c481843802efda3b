"""analysis/report.py in a browser, and the tables and files beside it."""
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT
from result_files import Directory, analysis

from analysis import grid, page as pages, report, tables

CHROMIUM = shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
         "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--enable-logging=stderr"]
# Opens what is folded, and writes the size of every figure into the page.
PROBE = """<script>
for (const d of document.querySelectorAll("details")) d.open = true;
const found = [...document.querySelectorAll("figure")].map(f => {
  const s = f.querySelector("svg").getBoundingClientRect();
  const g = f.querySelector("svg g").getBBox();
  return [f.querySelector("h3").textContent, s.width, s.height,
          g.width, g.height];
});
document.body.setAttribute("data-found", JSON.stringify({figures: found,
  wide: document.documentElement.scrollWidth, ids:
  [...document.querySelectorAll("[id]")].map(e => e.id)}));
</script></body>"""
TRACED = """
name: traced
repetitions: 6
repetitions_max: 6
timing: chunk
layout: 1x2
cells:
  - kernel: "mandelbrot:size=128,maxiter=200"
    scheme: [static, "css:chunk=16", gss, tss]
    layout: [1x1, 1x2, 2x1]
  - kernel: "heat:rows=200,cols=400"
    scheme: [css, tss]
    sync_interval: [10, 50, 400]
"""


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A real, traced campaign with its report."""
    from conftest import start
    path = tmp_path_factory.mktemp("traced")
    (path / "c.yaml").write_text(TRACED)
    process = start(ROOT / "build/dlsbench",
                    ["run", path / "c.yaml", "--trace", "--oversubscribe",
                     "--out", f"{path}/out/"], path)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, out + err
    code, _, err = analysis("report", path / "out", limit=240)
    assert code == 0, err
    return path / "out"


def browse(page, tmp_path, *more):
    """(stdout, lines of the console) of the browser on a page."""
    if CHROMIUM is None:
        pytest.skip("no chromium")
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path}/profile", *more,
         page.as_uri()], capture_output=True, text=True, timeout=120,
        # With the slow clocks of FASTER its threads spin without an end.
        env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
    return done.stdout, [line for line in done.stderr.splitlines()
                         if "CONSOLE" in line]


def probe(page, tmp_path, *more):
    """What PROBE finds in a page, and the console."""
    copy = tmp_path / "probe.html"
    copy.write_text(page.read_text().replace("</body>", PROBE))
    dom, console = browse(copy, tmp_path, "--dump-dom", *more)
    text = re.search('data-found="([^"]*)"', dom).group(1)
    return json.loads(text.replace("&quot;", '"')
                      .replace("&amp;", "&")), console


def test_every_figure_has_a_size_and_the_console_is_silent(traced, tmp_path):
    found, console = probe(traced / "report.html", tmp_path,
                           "--window-size=1100,900")
    assert console == []
    titles = [f[0] for f in found["figures"]]
    for kind in ("Time of each scheme: mandelbrot", "Time against workers",
                 "Speedup against workers", "Overhead against workers",
                 "Time against the sync interval: heat",
                 "Chunk size against step", "Who did what: mandelbrot, gss",
                 "Who did what: heat", "Load balance: heat"):
        assert any(t.startswith(kind) for t in titles), kind
    for title, width, height, inner_width, inner_height in found["figures"]:
        assert min(width, inner_width) > 200, title
        assert min(height, inner_height) > 80, title
    assert len(set(found["ids"])) == len(found["ids"])
    assert found["wide"] <= 1100


def test_wide_things_scroll_by_themselves_on_a_narrow_screen(traced, tmp_path):
    found, _ = probe(traced / "report.html", tmp_path,
                     "--window-size=500,900")
    assert found["wide"] <= 500


def test_the_browser_test_notices_errors(tmp_path):
    page = tmp_path / "bad.html"
    page.write_text("<body><script>undefined_function()</script></body>")
    assert browse(page, tmp_path, "--dump-dom")[1]


def test_a_screenshot_shows_something(traced, tmp_path):
    picture = tmp_path / "page.png"
    browse(traced / "report.html", tmp_path, "--window-size=1000,2500",
           f"--screenshot={picture}")
    from matplotlib.image import imread
    pixels = imread(picture)
    assert pixels.shape[:2] == (2500, 1000)
    rows = (pixels[:, :, :3] < 0.7).any(axis=(1, 2))
    # Below the first screen most is folded.
    assert rows[:1250].sum() > 300 and rows[1250:].sum() > 50
    if "SCREENSHOTS" in os.environ:
        shutil.copy(picture, os.environ["SCREENSHOTS"])


def test_a_long_table_says_what_is_left_out():
    long = grid.Grid("Time", ["cell"], [["a"]] * 600, "In seconds.")
    assert "In seconds. (the first 500 of 600 rows; all are in cells.csv)" \
        in pages.table(report.shortened(long))


def test_the_page_needs_nothing_else(traced):
    text = (traced / "report.html").read_text()
    sources = re.findall(r'(?:src|href)="?([^"\s>]+)', text)
    assert sources and all(s.startswith(("#", "data:")) for s in sources)
    assert "<script" not in text and "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert not re.search("(fill|stroke): #(?!fff)", text)


def test_the_page_opens_with_the_answer_and_ends_with_the_environment(traced):
    text = re.sub("<[^>]*>", "\n", (traced / "report.html").read_text())
    answer = re.search("is the fastest of|are equally fast|may be the fastest"
                       "|no difference was seen|these runs cannot tell"
                       "|these runs are too few",
                       text).start()
    assert text.index("DLSBench: traced") < answer < text.index("Time of each")
    assert text.index("Environment", answer) < text.rindex("instruction set")
    assert "significant" in text or "too few samples to say" in text \
        or "the simplest is " in text or "these runs are too few" in text \
        or "the simplest of those within 5 % of the shortest time is " in text


def plain(page):
    return re.sub("<[^>]*>", "\n", page.read_text()).replace("&#39;", "'")


def test_the_first_screen_has_the_cores_and_what_to_type(tmp_path):
    """Of a loop with two choices that differ, and of one whose do not."""
    for name, factor in (("far", 1.5), ("near", 1.01)):
        there = Directory(tmp_path / name)
        for scheme, times in (("ss", 1.0), ("static", factor)):
            there.cell([times * (1 + i / 1000) for i in range(8)],
                       scheme=scheme, run={"serial_s": 1.9})
        there.manifest()
        assert analysis("report", there.path, "--no-files")[0] == 0
    said = plain(tmp_path / "far/report.html")
    first = said[:said.index("Time of each scheme")]
    assert "Words: 1x2 is 1 rank (MPI's processes) with 2 threads" in first
    assert "What each core did: adjoint" in first
    assert "static over" in first and "ss over" in first
    assert "dlsbench omp --try ss -- ./your-program" in first
    page = (tmp_path / "far/report.html").read_text()
    assert page.count("<section><details open>") == 1
    assert "What each core did" not in plain(tmp_path / "near/report.html")


def page_of(there):
    there.manifest()
    assert analysis("report", there.path, "--no-files")[0] == 0
    said = plain(there.path / "report.html")
    return said[:said.index("Time of each scheme")]


def test_what_ran_with_reissue_has_an_answer_of_its_own(tmp_path):
    """As in dlsbench summary."""
    there = Directory(tmp_path / "d")
    for scheme, slower, reissue in (("ss", 1, None), ("static", 3, None),
                                    ("ss", 6, 3.0), ("static", 2, 3.0)):
        there.cell([slower * (1 + i / 1000) for i in range(8)],
                   scheme=scheme, reissue=reissue)
    first = page_of(there)
    assert re.search(r"^adjoint, 2 workers: ss ", first, re.M)
    assert re.search(r"^adjoint, 2 workers, reissue 3: static ", first, re.M)


def test_a_busy_machine_is_said_first(tmp_path):
    """What no loop could tell, or what was told all the same."""
    there = Directory(tmp_path / "busy")
    for scheme, load in (("ss", ""), ("static", ""), ("ss", "w1:1"),
                         ("static", "w1:1")):
        there.cell([time * (1 + 0.2 * (scheme == "ss"))
                    for time in (1.0, 2.0, 1.1, 1.9, 1.2, 1.8)],
                   scheme=scheme, load=load,
                   run={"serial_s": 1.9, "others": 0.54})
    first = page_of(there)
    assert "This machine was too busy to compare schedules: other processes " \
        "had 54 % of the cores." in first
    loaded = first.index("adjoint, 2 workers, non-dedicated, load w1:1: ")
    assert first.index("\nOther processes had 54 % of the cores.\n") < loaded
    assert first.count("had 54 %") == 2     # a load was asked for
    assert "\ndlsbench doctor " in first and "omp --try" not in first

    there = Directory(tmp_path / "told")
    for scheme, time in (("dtss-acp", 1.0), ("static", 3.0)):
        there.cell([time * (1 + i / 1000) for i in range(8)], scheme=scheme,
                   run={"serial_s": 1.9, "others": 0.54})
    first = page_of(there)
    assert "Other processes had 54 % of the cores while this ran." in first
    assert "too busy" not in first and "dlsbench doctor" not in first
    # No program of others can have it.
    assert "dtss-acp over" in first and "omp --try" not in first


def check_trace(text):
    """By the Trace Event Format: an array of complete events, which do not
    overlap on a thread, and names of processes and threads.  Returns the
    iterations of all chunks."""
    def no_number(word):
        raise AssertionError(word)
    data = json.loads(text, parse_constant=no_number)
    assert data["displayTimeUnit"] in ("ms", "ns")
    named, chunks, total = set(), {}, 0
    for e in data["traceEvents"]:
        assert type(e["pid"]) is int and type(e["tid"]) is int
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name")
            assert type(e["args"]["name"]) is str
            named.add((e["name"], e["pid"], e["tid"]))
        else:
            assert e["ph"] == "X" and type(e["name"]) is str
            assert e["ts"] >= 0 and e["dur"] >= 0
            chunks.setdefault((e["pid"], e["tid"]), []).append(
                (e["ts"], e["ts"] + e["dur"]))
            total += e["args"]["size"]
    for place, spans in chunks.items():
        assert {("process_name", *place), ("thread_name", *place)} <= named
        spans.sort()
        assert all(a[1] <= b[0] + 1e-3 for a, b in zip(spans, spans[1:]))
    return total


def test_figures_and_traces_are_files_too(traced):
    files = traced / "report-files"
    drawn = {p.stem for p in files.glob("*.svg")}
    assert drawn == {p.stem for p in files.glob("*.pdf")} and len(drawn) > 10
    assert all(p.read_bytes().startswith(b"%PDF")
               for p in files.glob("*.pdf"))
    traces = list(files.glob("trace-*.json"))
    assert len(traces) == 4 * 3 + 2 * 3
    for path in traces:
        assert check_trace(path.read_text()) in (128, 200)
    lines = (files / "cells.csv").read_text().splitlines()
    assert len(lines) == 1 + 18
    assert undescribed(lines[0].split(",")) == []


def undescribed(columns):
    """Those that results/README.md does not have."""
    text = (ROOT / "results/README.md").read_text()
    names = set(re.findall(r"[a-z][a-z_0-9]*", " ".join(
        re.findall(r"^\| ([^|]+) \|", text, re.M))))
    return [name for name in columns
            if re.sub("_(low|high)$", "", name) not in names]


NEEDS = {"counters": "counters", "flexibility": "without a perturbation",
         "regret": "no cell of scheme auto",
         "sync-tables": "no loop with dependences",
         "sweep": "three given sync intervals",
         "efficiency": "several numbers of workers",
         "foretold": "both measured and simulated",
         "unequal": "several lists of powers",
         "classes": "classes of loops"}


@pytest.mark.cross(part=6)
@pytest.mark.parametrize("form", grid.FORMATS)
@pytest.mark.parametrize("name", tables.TABLES)
def test_every_table_has_every_form(traced, name, form):
    code, out, err = analysis("tables", traced, "--table", name,
                              "--format", form)
    if name in NEEDS and code == 2:    # nothing of it in these data
        assert NEEDS[name] in err
        return
    assert code == 0 and "Traceback" not in err
    # It names the fastest scheme of each way only, which is chance here.
    text = "static|css|gss|tss" if name == "efficiency" else "css"
    assert re.search({"text": text, "csv": "kernel,scheme,",
                      "markdown": re.escape("| --: |"),
                      "latex": re.escape(r"\end{tabular}")}[form], out)


# What grid.py may write, besides plain characters: our tables as a grammar,
# checked even where there is no LaTeX.
TABLE = re.compile(r"""\\begin\{table\}\[htbp\]
\\centering\\(?:footnotesize|scriptsize)
\\setlength\{\\tabcolsep\}\{3pt\}
\\caption\{(?P<caption>.*)\}
\\begin\{tabular\}\{(?P<columns>l*r+)\}
\\hline
(?P<header>.*) \\\\
\\hline
(?P<rows>(?:.* \\\\\n)*)\\hline
\\end\{tabular\}
\\end\{table\}
""")
WORD = r"(?:[^\\{}&%$#_~^<>|\x80-\uffff]|[\u00c0-\u00ff]|\\[&%$#_{}]|" \
    r"\\text(?:backslash|asciitilde|asciicircum|less|greater|bar){})*"


def check_latex(text):
    """The number of tables in `text`, all of them well formed."""
    found = list(TABLE.finditer(text))
    assert "".join(m.group(0) for m in found) == re.sub("\n{2,}", "\n", text)
    for table in found:
        assert re.fullmatch(WORD, table["caption"])
        count = len(table["columns"])
        rows = [table["header"], *(row.removesuffix(r" \\") for row in
                                   table["rows"].splitlines())]
        for row in rows:
            above = re.fullmatch(r"\\multicolumn\{%d\}\{l\}"
                                 r"\{\\textit\{(.*)\}\}" % count, row)
            words = [above[1]] if above else \
                re.split(r"(?<!\\) & ", row.removeprefix("{}"))
            assert len(words) == (1 if above else count), row
            assert all(re.fullmatch(WORD, word) for word in words), row
            assert row[0] not in "[*"
    return len(found)


def compile_latex(text, folder):
    """Through pdflatex where it is: nothing stands over the page's edge."""
    if shutil.which("pdflatex") is None:
        return
    (folder / "t.tex").write_text(
        "\\documentclass[a4paper]{article}\n\\begin{document}\n"
        + text + "\\end{document}\n")
    done = subprocess.run(["pdflatex", "-halt-on-error", "t.tex"],
                          cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout and "too large" not in done.stdout


def test_latex_is_well_formed_and_compiles(traced, tmp_path):
    text = analysis("tables", traced, "--format", "latex")[1]
    assert check_latex(text) > 10
    compile_latex(text, tmp_path)


def test_odd_names_and_wide_tables_compile(tmp_path):
    names = ["<b>&_%$#{}~^\\|\"'`", "[x]", "*", "größe µ \u65e5\u672c",
             "\t,--"]
    there = Directory(tmp_path / "d")
    for name in [*names, *(f"css:chunk={n}" for n in range(11))]:
        for h in (10, 100):
            there.cell([1, 1.1, 1.2], scheme=name, sync_interval=h,
                       kernel="heat:rows=10,cols=1000", load=name)
    there.manifest(campaign="%")
    for table in ("time", "sync-interval"):
        text = analysis("tables", there.path, "--table", table, "--format",
                        "latex")[1]
        assert check_latex(text) >= 1
        compile_latex(text, tmp_path)
    wide = grid.latex(grid.Grid("t", ["", *"abcdefgh"],
                                [["row"] + ["123456789 ms"] * 8] * 50))
    assert check_latex(wide) == 4
    compile_latex(wide, tmp_path)


@pytest.mark.cross(group="pages", part=2)
def test_each_directory_of_a_folder_has_a_line(tmp_path):
    for name in "1", "2":
        directory = Directory(tmp_path / "before" / name)
        directory.manifest(name)
        directory.cell([1, 1.1, 1.2], name, scheme="ss")
    directory.cell([], name, scheme="gss:min=1", status="failed")
    code, out, err = analysis("report", tmp_path / "before", "--no-files")
    assert code == 0, err
    assert out.splitlines() == [
        f"    1 ok   0 not  {tmp_path}/before/1",
        f"    1 ok   1 not  {tmp_path}/before/2",
        f"report: {tmp_path}/before/report.html"]


def test_odd_names_stay_words(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell([1, 1.1, 1.2], scheme="<b>&_%$#{}~^\\|")
    there.cell([1, 1.1, 1.2], scheme="other")
    there.manifest(campaign="<script>alert(1)</script>")
    assert analysis("report", there.path, "--no-files")[0] == 0
    text = (there.path / "report.html").read_text()
    assert "<script" not in text and "<b>&_" not in text
    latex = analysis("tables", there.path, "--format", "latex")[1]
    assert r"\textless{}b\textgreater{}\&\_\%\$\#\{\}" in latex
    assert check_latex(latex) > 3


def test_printed_values_stand_beside_ours(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell([1, 1.1], scheme="css", ranks=20, threads=1,
               run={"iterations": 2000, "chunks": 20})
    there.cell([1, 1.1], scheme="qss:delta=3", ranks=20, threads=1,
               run={"iterations": 2000, "chunks": 80})
    there.manifest(campaign="paper-diaz")
    chunks = analysis("tables", there.path, "--table", "chunks")[1]
    assert "20 (printed 20)" in chunks and "80 (printed 81)" in chunks
    times = analysis("tables", there.path, "--table", "time")[1]
    assert "1.050 s (printed 4035 s)" in times


def test_printed_optima_of_the_sync_interval(tmp_path):
    there = Directory(tmp_path / "d")
    for chunk in (1000, 250):
        for h, time in ((30, 14), (55, 13), (100, 15)):
            there.cell([time] * 3, sync_interval=h, ranks=10, threads=1,
                       kernel="floyd-steinberg:rows=10000,cols=20000",
                       scheme=f"css:chunk={chunk}")
    there.manifest(campaign="paper-andronikos")
    out = analysis("tables", there.path, "--table", "sync-interval")[1]
    assert ("css:chunk=1000: printed predicted 30, fastest 30, 12.48 s; "
            "css:chunk=250: printed predicted 60, fastest 55, 12.66 s") in out


@pytest.mark.cross(group="pages", part=2)
def test_what_make_papers_found_comes_first(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell([1, 1.1], run={"simulated": True})
    there.manifest()
    (there.path / "claims.csv").write_text(
        "claim,where,read_as,holds,found,why,excludes,further\n"
        'one master is worst,figure 7,least speedup,1,"1.2, 3.4",,,0\n'
        "four are best,figure 8,most,0,16 are,four wait,that 16 are,0\n"
        "16 are best,figure 8,most,0,none,,that four are,0\n"
        "two are best,figure 9,most,0,one is,,,1\n")
    (there.path / "assumptions.csv").write_text(
        "assumption,value,why,other,effect\n"
        "axis,im,the text has it,re,1 of 3\n"
        "axis,im,the text has it,both,0 of 3\n")
    (there.path / "table_4.csv").write_text(
        "scheme,workers,printed,ours,difference_percent\n"
        "css,20,10,12,20\ngss,20,20,18.5,-7.5\ngss,40,5,,\n")
    (there.path / "report.txt").write_text("Words <of> the report\n")
    assert analysis("report", there.path, "--no-files")[0] == 0
    text = (there.path / "report.html").read_text()
    words = re.sub("<[^>]*>", " ", text)
    assert words.index("1 of 3 hold; at most 2 can") \
        < words.index("0 of 1 hold") < words.index("leaves open") \
        < words.rindex("Load balance")
    assert re.search(r"axis +im +the text has it +re: 1 of 3\s+both: 0 of 3",
                     words)
    assert "four wait. Excludes: that 16 are" in words
    assert re.search("2 +16 are +most", words)
    assert "The paper prints 3 values. We compare 2. We have no value for " \
        "the other one (Table 4)." in words
    assert "Our simulation confirms 1 of the paper&#39;s 3 claims; each of " \
        "the 2 that do not hold has its reason below." in words
    assert re.search(r"gss +printed +20 +5\s+ours +18.5 +- ", words)
    assert "Words &lt;of&gt; the report" in text
    (there.path / "runs-l1.jsonl").unlink()
    assert analysis("report", there.path, "--no-files")[0] == 0
    assert "1 of 3 hold" in (there.path / "report.html").read_text()


@pytest.mark.cross(group="pages", part=2)
def test_counters_appear_where_they_are(tmp_path):
    there = Directory(tmp_path / "d")
    for scheme, cycles in (("ss", 4000), ("gss:min=1", 2000)):
        there.cell([1, 1.1], scheme=scheme, workers=lambda r, w: {
            "counters_compute": {"PAPI_TOT_CYC": cycles,
                                 "PAPI_TOT_INS": 8000, "PAPI_L2_TCM": 80,
                                 "PAPI_L3_TCM": None},
            "counters_wait": {"PAPI_TOT_CYC": 500, "PAPI_TOT_INS": 0,
                              "PAPI_L2_TCM": 0, "PAPI_L3_TCM": None},
            "readings": 5, "finish_s": 1.0, "faults_minor": 7})
    there.manifest(counters={"counted": ["PAPI_TOT_CYC"], "reading_s": 1e-3,
                             "missing": {"PAPI_L3_TCM": "no such counter"}})
    out = analysis("tables", there.path, "--table", "counters")[1]
    # TOT_CYC, TOT_INS, L2_TCM, IPC, misses of 1000, waiting's TOT_CYC
    assert re.search(r"ss +2 +0.16 +8 +16 +2 +10 +1\n", out)
    assert re.search(r"gss:min=1 +2 +0.16 +4 +16 +4 +10 +1\n", out)
    assert "reading them took 0.5 % of" in out
    assert "not counted: PAPI_L3_TCM: no such counter" in out
    assert re.search(r"gss:min=1 +2 +14\n", out)  # faults
    assert analysis("report", there.path, "--no-files")[0] == 0
    assert "Counters per iteration" in (there.path / "report.html").read_text()


@pytest.mark.parametrize("counts, words", [
    ((1, 1), "One run each, so there is no confidence interval;"),
    ((3, 3), "Median and the range of the runs, too few for a confidence"),
    ((9, 3), "Median and its 95 % confidence interval, or the range of fewer"),
    ((9, 9), "Median and its 95 % confidence interval;")])
def test_a_caption_promises_no_interval_that_is_not_drawn(tmp_path, counts,
                                                          words):
    there = Directory(tmp_path / "d")
    for scheme, count in zip(("ss", "static"), counts):
        there.cell([1 + i / 99 for i in range(count)], scheme=scheme)
    there.manifest()
    assert analysis("report", there.path, "--no-files")[0] == 0
    captions = re.findall("<figcaption>(.*?)</", (
        there.path / "report.html").read_text())
    assert captions[0].startswith(words)


@pytest.mark.cross(group="pages", part=2)
def test_simulation_stands_beside_reality(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell([1.0, 1.1, 1.2])
    there.cell([1.21], launch="l2", run={"simulated": True},
               platform="this-machine")
    there.cell([9.0], launch="l2", run={"simulated": True}, ranks=2,
               threads=1)
    there.manifest()
    assert analysis("report", there.path, "--no-files")[0] == 0
    text = (there.path / "report.html").read_text()
    assert "1 cell ran both ways; the simulated time is off by 10.0 %" in text
    other = Directory(tmp_path / "e")
    other.cell([1.32], run={"simulated": True}, platform="this-machine")
    other.manifest()
    native = Directory(tmp_path / "f")
    native.cell([1.0, 1.1, 1.2])
    assert analysis("report", native.path, other.path, "--no-files")[0] == 0
    assert "off by 20.0 %" in (native.path / "report.html").read_text()


@pytest.mark.cross(group="pages", part=2)
def test_the_predicted_optimum_is_marked(tmp_path):
    there = Directory(tmp_path / "d")
    for h, time, choice in ((10, 2.0, "given"), (50, 1.0, "given"),
                            (100, 1.6, "given"), (90, 1.5, "auto")):
        there.cell([time] * 3, kernel="heat:rows=10,cols=1000",
                   sync_interval=h, sync_choice=choice,
                   run={"predicted_s": 1.4 if choice == "auto" else None})
    there.manifest()
    assert analysis("report", there.path, "--no-files")[0] == 0
    text = (there.path / "report.html").read_text()
    assert "predicted optimum" in text and "predicted time" in text
    assert "predicted 90, fastest 50, 50.0 % lost" in text
    table = analysis("tables", there.path, "--table", "sync-interval")[1]
    assert "90 (auto)" in table and "lost 50.0 %" in table


def test_no_link_in_the_directory_is_followed(tmp_path):
    """Others may write to it."""
    there = Directory(tmp_path / "d")
    there.cell([1.0, 1.1, 1.2])
    there.manifest()
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "precious").write_text("here")
    (there.path / "report.html").symlink_to(theirs / "precious")
    assert analysis("report", there.path, "--no-files")[0] == 0
    assert "<title>" in (there.path / "report.html").read_text()
    (there.path / "report-files").symlink_to(theirs)
    code, _, err = analysis("report", there.path)
    assert code == 2 and "report-files: it is a symbolic link" in err
    assert os.listdir(theirs) == ["precious"]
    assert (theirs / "precious").read_text() == "here"
