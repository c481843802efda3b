"""Figures in the form that the papers have, for anybody's results, and
analysis/figures.py, which draws one of them."""
import csv
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import ROOT
from result_files import Directory, analysis

from analysis import cells, loader, stored_paper
from analysis.figure_kinds import (andronikos_intervals, beaumont_heuristics,
                                   ciorba_powers, diaz_delta, han_masters,
                                   scaling)

HIERARCHIES = ["flat", "2", "4", "8", "16"]
WORKERS = [256, 512, 1024]


def under_masters(path, campaign="mine"):
    """T = 1000 / masters / workers under two schemes, with an alternative to a
    number of the simulation."""
    made = Directory(path)
    for launch, cost in (campaign, 2e-6), ("other", 2e-5):
        made.manifest(launch, campaign=launch)
        for scheme in "dtss", "dgss":
            for h in HIERARCHIES:
                for workers in WORKERS:
                    made.cell(
                        [1e3 / han_masters.masters(h) / workers], launch,
                        kernel="adjoint:size=8", scheme=scheme, hierarchy=h,
                        transport="master", ranks=workers, threads=1,
                        request_cost=cost, platform="p.xml", run={
                            "simulated": True, "workers": workers,
                            "overhead_mean_s": 1.0 / han_masters.masters(h)})
    return loader.load(str(path))


def lines_of(ax):
    return {line.get_label(): list(line.get_ydata()) for line in ax.lines}


@pytest.mark.parametrize("campaign, names", [
    ("han", ["han-4", "han-6", "han-8"]),
    ("mine", [f"{w}-masters-adjoint-simulated"
              for w in ("time", "overhead", "speedup")])])
def test_a_line_for_each_number_of_masters(tmp_path, campaign, names):
    """16 masters are not cut, an alternative is in axes of its own."""
    found = under_masters(tmp_path, campaign)
    frame = cells.summarize(found)
    drawings = list(han_masters.draw(found, frame))
    assert [d.name for d in drawings[:3]] == names
    assert [d.detail for d in drawings] == 3 * [False] + 3 * [True]
    assert not list(scaling.draw(found, frame))
    for drawing in drawings:
        assert len(drawing.figure.axes) == 2
        for ax in drawing.figure.axes:
            assert {"Single master", "2 masters", "16 masters"} \
                <= set(lines_of(ax))
    speedup = lines_of(drawings[2].figure.axes[0])
    assert speedup["16 masters"] == pytest.approx([16, 32, 64])
    assert speedup["ideal"] == pytest.approx([1, 2, 4])
    ticks = drawings[2].figure.axes[0].get_xticklabels()
    assert [t.get_text() for t in ticks] == ["8", "9", "10"]


def test_an_alternative_is_never_in_the_papers_axes(tmp_path):
    """Another scheme of the same name, and another loop of it."""
    made = Directory(tmp_path)
    for launch, more, scheme in (
            ("han", ",axis=im", "dgss"), ("han-alternatives", ",axis=im",
                                          "dgss:alpha=2"),
            ("han-alternatives", ",axis=re", "dgss")):
        if not os.path.exists(tmp_path / f"manifest-{launch}.json"):
            made.manifest(launch, campaign=launch)
        for h in HIERARCHIES:
            for workers in WORKERS:
                made.cell([1e3 / workers], launch, scheme=scheme, hierarchy=h,
                          kernel="mandelbrot:size=8" + more, ranks=workers,
                          transport="master", threads=1, run={
                              "workers": workers, "overhead_mean_s": 1.0})
    found = loader.load(str(tmp_path))
    frame = cells.summarize(found)
    drawn = [d for _, part in frame.groupby("kernel", sort=False)
             for d in han_masters.draw(found, part)]
    assert [(d.name, d.detail) for d in drawn if d.name[:5] == "han-3"] == [
        ("han-3", False), ("han-3-dgss-alpha-2", True),
        ("han-3-axis-re", True)]
    for drawing in drawn:
        for line in drawing.figure.axes[0].lines:
            assert len(set(line.get_xdata())) == len(line.get_xdata())


def test_speedup_over_the_sum_of_powers(tmp_path):
    """At one interval; the ideal is that sum over the largest power."""
    made = Directory(tmp_path)
    made.manifest()
    for h, slower in (10, 1.0), (50, 1.5):
        for load in "", "w1:1":
            for power in "1.5,0.5,1.5", "1.5,0.5,1.5,0.5", "1.5,0.5,1.5,1.5":
                total = sum(map(float, power.split(",")))
                made.cell([slower * 10 / total], scheme="tss", load=load,
                          threads=power.count(",") + 1, power=power,
                          kernel="heat:rows=9,cols=90", sync_interval=h,
                          run={"simulated": True, "alone_s": 6.0,
                               "serial_s": 18.0})
    found = loader.load(str(tmp_path))
    frame = cells.summarize(found)
    (drawing,) = ciorba_powers.draw(found, frame)
    assert "interval 10" in drawing.title
    dedicated, loaded = drawing.figure.axes
    assert loaded.get_title(loc="left") == "Non-dedicated"
    (line,) = [x for x in dedicated.lines if x.get_label() == "DMPS(TSS)"]
    assert list(line.get_xdata()) == [3.5, 4, 5]
    assert list(line.get_ydata()) == pytest.approx([2.1, 2.4, 3.0])
    assert lines_of(dedicated)["ideal"] == pytest.approx(
        [3.5 / 1.5, 4 / 1.5, 5 / 1.5])
    assert not list(scaling.draw(found, frame))


def test_the_theoretical_curve_is_drawn(tmp_path):
    """On linear axes, a panel for each scheme."""
    made = Directory(tmp_path)
    made.manifest()
    lines = []
    for scheme in "static", "tss":
        for h, time in (10, 2.0), (50, 1.0), (100, 1.6):
            made.cell([time] * 3, kernel="heat:rows=10,cols=1000",
                      scheme=scheme, sync_interval=h, sync_choice="given")
            lines.append([list(made.cells.values())[-1], time + 0.1])
    with open(tmp_path / "sync-model.csv", "w", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["cell", *loader.MODEL])
        writer.writerows([cell, 1, 0, 1000, t, t, 50, 1, 50, 50, 50]
                         for cell, t in lines)
    found = loader.load(str(tmp_path))
    (drawing,) = andronikos_intervals.draw(found, cells.summarize(found))
    assert len(drawing.figure.axes) == 2
    for ax in drawing.figure.axes:
        assert ax.get_xscale() == ax.get_yscale() == "linear"
        assert lines_of(ax)["theoretical"] == pytest.approx([2.1, 1.1, 1.7])
        assert lines_of(ax)["measured"] == pytest.approx([2.0, 1.0, 1.6])


def test_the_quadratic_curve_has_its_ends():
    """Its area is that of all tasks, below and above the border."""
    for d in 1.5, 2, 3:
        points = diaz_delta.curve(d)
        area = sum((a[1] + b[1]) / 2 * (b[0] - a[0])
                   for a, b in zip(points, points[1:]))
        assert points[0][1] == pytest.approx(50)
        assert points[-1][1] == pytest.approx(1)
        assert area == pytest.approx(2000, rel=1e-3)
    ends = [diaz_delta.curve(d)[-1][0] for d in (1.5, 2, 3)]
    assert ends == sorted(ends)


def test_a_closer_look_has_m_i_2_to_5_alone(tmp_path):
    names = ["lp-fixed", "lp-sqrt", "lp-adaptive",
             *(f"mi-{n}" for n in range(1, 9))]
    with open(tmp_path / "figures.csv", "w", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["figure", "workers", "platform", "latency",
                         "unit_mflop", "load", "heuristic", "time_s",
                         "ratio"])
        writer.writerows(["8, 9", 5, "random", 0, 1000, load, name, 10, 1.1]
                         for load in (100, 200) for name in names)
    drawings = {d.name: lines_of(d.figure.axes[0])
                for d in beaumont_heuristics.draw(str(tmp_path))}
    assert len(drawings["beaumont-8"]) == 11
    assert set(drawings["beaumont-9"]) == {
        "L.P. with fixed square-root period", "L.P. with adaptive period",
        "M.I.2", "M.I.3", "M.I.4", "M.I.5"}


def file_of(directory, figure, file, *args):
    """The bytes of a figure."""
    code, out, err = analysis("figures", directory, "--figure", figure,
                              "--out", file, *args)
    assert (code, err) == (0, ""), err
    assert out.startswith(f"{file}: ")
    return file.read_bytes()


def test_one_figure_goes_to_a_file(tmp_path):
    """The same figure has the same bytes."""
    under_masters(tmp_path / "d", "han")
    code, out, _ = analysis("figures", tmp_path / "d")
    assert code == 0 and "han-8  " in out and "Figure 8" in out
    for ending, head in ("pdf", b"%PDF"), ("svg", b"<?xml"):
        first, again = (file_of(tmp_path / "d", "han-8",
                                tmp_path / f"{i}.{ending}") for i in (1, 2))
        assert first.startswith(head) and first == again
        assert b"Date>" not in first and b"CreationDate" not in first
    assert "Single master" in words(first)
    assert b"<text" not in first    # fonts are inside
    assert b"/FontFile2" in (tmp_path / "1.pdf").read_bytes()
    code, _, err = analysis("figures", tmp_path / "d", "--figure", "han8")
    assert code == 2 and "did you mean han-8?" in err


def three_schemes(path):
    """On one and two workers; one of them has = in its name."""
    made = Directory(path)
    made.manifest()
    for threads in 1, 2:
        for scheme, time in ("ss", 3), ("css:chunk=8", 2), ("tss", 1):
            made.cell([time / threads] * 3, scheme=scheme, threads=threads)
    return path


def root_of(svg):
    return xml.etree.ElementTree.fromstring(svg)


def words(svg):
    """A comment says what the outlines of a text are."""
    return re.findall("<!-- (.*?) -->", svg.decode())


@pytest.mark.parametrize("width, points", [
    ("3.5in", 252), ("8.89cm", 252), ("88.9 mm", 252), ("252.945pt", 252)])
@pytest.mark.parametrize("figure", ["schemes-adjoint", "time-adjoint"])
def test_a_figure_has_the_width_of_a_column(tmp_path, width, points, figure):
    svg = file_of(three_schemes(tmp_path / "d"), figure, tmp_path / "f.svg",
                  "--width", width, "--size", "7", "--font", "dejavu serif")
    assert float(root_of(svg).get("width")[:-2]) == pytest.approx(points)
    assert b"#DejaVuSerif-" in svg and b"#DejaVuSans-" not in svg
    assert b"scale(0.07 -0.07)" in svg


@pytest.mark.parametrize("figure", ["schemes-adjoint", "time-adjoint"])
def test_labels_are_those_of_the_user(tmp_path, figure):
    """All at once: a swap is none of its own; ss is not replaced in css."""
    d = three_schemes(tmp_path / "d")
    before = words(file_of(d, figure, tmp_path / "a.svg"))
    svg = file_of(d, figure, tmp_path / "b.svg", "--label", "ss=tss",
                  "--label", "tss:last=1=ss" if "tss:last=1" in before
                  else "tss=ss", "--label", "css:chunk=8=fixed (chunk=8)",
                  "--label", "time=T")
    after = words(svg)
    names = ["ss", "css:chunk=8", "tss"]
    assert [w for w in before if w in names] == names
    assert [w for w in after if w in ("tss", "fixed (chunk=8)", "ss")] == [
        "tss", "fixed (chunk=8)", "ss"]
    assert "time, s" in before and "T, s" in after
    assert "time, s" not in after and "css:chunk=8" not in after


@pytest.mark.parametrize("figure, begin, text", [
    ("schemes-adjoint", "0", "0.0"), ("schemes-adjoint", "x=0.2", "0.2"),
    ("time-adjoint", "0.1", "0.1"), ("time-adjoint", "y=0.1", "0.1")])
def test_an_axis_begins_where_the_user_says(tmp_path, figure, begin, text):
    d = three_schemes(tmp_path / "d")
    assert not any(w.startswith(text)
                   for w in words(file_of(d, figure, tmp_path / "a.svg")))
    after = words(file_of(d, figure, tmp_path / "b.svg", "--from", begin))
    assert any(w.startswith(text) for w in after), after


@pytest.mark.parametrize("args, says", [
    (["--out", "f.gif"], "must end in .pdf, .svg or .pgf"),
    (["--out", "f"], "must end in .pdf, .svg or .pgf"),
    (["--width", "3.5"], "--width: '3.5' is not a number with a unit"),
    (["--width", "3.5ft"], "such as 3.5in, 8.9cm or 89mm"),
    (["--width", "0in"], "--width: 0in is not in 1.5 to 40 in"),
    (["--size", "8in"], "--size: '8in' is not a number of points"),
    (["--size", "400"], "--size: 400 is not in 4 to 40 pt"),
    (["--font", "DejaVu Sanz"], "did you mean 'DejaVu Sans'?"),
    (["--label", "ss"], "is not OLD=NEW"), (["--label", "ss="], "OLD=NEW"),
    (["--label", "ss=_x"], "is not OLD=NEW"),
    (["--label", "ss=$\\foo$"], "'$\\foo$' is no formula: Unknown symbol"),
    (["--label", "q=x"], "the figure shows no 'q'"),
    (["--label", "css:chunk=9=x"], "did you mean 'css:chunk=8'?"),
    (["--label", "ss=tss"], "two things would have the name 'tss'"),
    (["--from", "z=1"], "--from: 'z=1' is not a number"),
    (["--from", "nan"], "is not a number"),
    (["--from", "9e9"], "before 9e+09"),
    (["--from", "y=1"], "names stand at the y axis"),
    (["--size", "20", "--width", "1.5in"], "take a larger --width"),
    (["--label", "ss=" + 90 * "w", "--width", "3in"], "take a larger --width"),
])
def test_what_cannot_be_drawn_is_one_line(tmp_path, args, says, monkeypatch):
    d = three_schemes(tmp_path / "d")
    monkeypatch.chdir(tmp_path)
    code, out, err = analysis("figures", d, "--figure", "schemes-adjoint",
                              *args)
    assert (code, out) == (2, "") and says in err, err
    assert err.startswith("figures: ") and err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == [d]
    code, _, err = analysis("figures", d, *args)
    assert code == 2 and f"{args[-2]} needs --figure NAME" in err


def test_the_caption_says_where_the_axis_begins(tmp_path):
    d = three_schemes(tmp_path / "d")
    said = [analysis("figures", d, "--figure", "schemes-adjoint", "--out",
                     tmp_path / "f.svg", *args)[1] for args in
            ([], ["--from", "0"])]
    assert ["not begin at 0" in text for text in said] == [True, False]


def test_an_axis_with_powers_begins_above_zero(tmp_path):
    code, _, err = analysis(
        "figures", three_schemes(tmp_path / "d"), "--figure", "time-adjoint",
        "--out", tmp_path / "f.svg", "--from", "0")
    assert code == 2 and "the y axis is logarithmic" in err


def test_pgf_is_for_latex(tmp_path, monkeypatch):
    """Without LaTeX one line says what is missing."""
    d, file = three_schemes(tmp_path / "d"), tmp_path / "f.pgf"
    if shutil.which("pdflatex"):
        text = file_of(d, "time-adjoint", file, "--width", "3.5in")
        assert b"pgfpicture" in text and b"3.500000in" in text
        assert text == file_of(d, "time-adjoint", file, "--width", "3.5in")
        (tmp_path / "d.tex").write_text(
            "\\documentclass{article}\\usepackage{pgf}\n"
            "\\begin{document}\\input{f.pgf}\\end{document}\n")
        subprocess.run(["pdflatex", "-interaction=batchmode", "d.tex"],
                       cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
        file.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    for args, debs in ([], "texlive-latex-base texlive-pictures"), (
            ["--font", "DejaVu Sans"], "texlive-xetex"):
        code, _, err = analysis("figures", d, "--figure", "time-adjoint",
                                "--out", file, *args)
        assert code == 2 and err.count("\n") == 1
        assert f"apt-get install {debs}, or write PDF" in err
        assert not file.exists()


def test_programs_of_the_manual_can_be_started():
    for name in ("figures", "tables", "report", "compare", "advise"):
        assert os.access(ROOT / f"analysis/{name}.py", os.X_OK), name


def grid_of(tmp_path, header, *lines):
    with open(tmp_path / "table_9.csv", "w", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *lines])
    (table,) = stored_paper.beside(str(tmp_path))
    return stored_paper.table(table)


def test_printed_values_are_above_ours(tmp_path):
    """The last key across; many of its values in one cell."""
    grid = grid_of(
        tmp_path, ["test", "scheme", "printed", "ours", "low", "high",
                   "difference_percent", "fitted"],
        ["a", "css", 100, 110, 105, 115, 10, 0],
        ["a", "gss", 200, 150, 140, 160, -25, 1],
        ["b", "css", "", 7, 6, 8, "", 0])
    assert grid.header == ["test", "", "css", "gss"]
    assert grid.rows == [["a", "printed", "100", "200"],
                         ["", "ours", "110 (105 to 115)",
                          "150 (140 to 160)*"],
                         ["b", "printed", "-", "-"],
                         ["", "ours", "7 (6 to 8)", "-"]]
    assert "by 10 % in the median, by 10 % at most" in grid.caption
    assert "* ours was fitted" in grid.caption
    grid = grid_of(tmp_path, ["scheme", "step", "printed", "ours"],
                   *(["tss", i, 20 - i, "" if i == 13 else 19 - i]
                     for i in range(14)))
    assert grid.rows[0][:2] == ["tss", "printed"] and len(grid.rows[0]) == 3
    assert grid.rows[0][2].split() == [str(20 - i) for i in range(14)]
    assert len(grid.rows[1][2].split()) == 13
