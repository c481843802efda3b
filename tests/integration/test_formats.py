"""--format csv, json and markdown have the same cells, and stdout has nothing
else."""
import csv
import json
import subprocess

import pytest

from result_files import Directory

LOOP = ("--workers", 2, "--kernel", "mandelbrot:size=64")
COMMANDS = {
    "predict": ("predict", "--chunk-dim", 2000, "--sync-dim", 4000,
                "--workers", 3, "--cp", "1e-6", "--cd", "9e-5", "--cc",
                "6e-7", "--h", "60,80"),
    "plan": ("plan", "--algorithm", "lp-fixed", "--load", 100, "--workers", 2,
             "--g", 0.06, "--G", 0.06, "--w", 1),
    "all plans": ("plan", "--algorithm", "all", "--load", 100, "--workers", 2,
                  "--g", 0.06, "--G", 0.06, "--w", 1),
    "replay": ("replay", *LOOP, "--scheme", "ss,gss", "--cp", "1e-7"),
    "summary": ("summary", "d"),
}


def number(text):
    try:
        return float(text)
    except ValueError:
        return text or None


@pytest.mark.parametrize("name", COMMANDS)
def test_all_formats_have_the_same_cells(dlsbench, tmp_path, name):
    there = Directory(tmp_path / "d")
    there.cell([0.2, 0.21], scheme="ss", run={"serial_pass": 1})
    there.cell([0.3, 0.31], scheme='a|b"c')
    there.manifest()

    def rows(form):
        done = dlsbench(*COMMANDS[name], "--format", form)
        assert done.code == 0, done.err
        return done.out
    lines = list(csv.reader(rows("csv").splitlines()))
    read = json.loads(rows("json"))
    assert read["schema"] == 1 and len(read["rows"]) == len(lines) - 1 > 0
    heads = lines[0]
    left, right, *marked = rows("markdown").splitlines()
    assert right.count("|") == len(heads) + 1
    for line, row, mark in zip(lines[1:], read["rows"], marked):
        assert list(row) == heads
        for text, cell in zip(line, row.values()):
            if heads[-1] == "took_s" and text == line[-1]:
                continue  # how long this took
            assert (cell or "") == text if isinstance(cell, str) else \
                cell == number(text)
        assert mark.startswith("| ") and mark.endswith(" |")
        assert mark.replace("\\|", "").count("|") == len(heads) + 1
    assert left.split(" | ")[0] == "| " + heads[0]


def test_a_run_prints_its_rows_alone(dlsbench):
    result = dlsbench("run", "--kernel", "null:size=10", "--scheme", "ss,gss",
                      "--repetitions", 2, "--format", "json")
    rows = json.loads(result.out)["rows"]
    assert [row["scheme"] for row in rows] == ["ss", "gss:min=1"]
    assert {(row["status"], row["verified"]) for row in rows} == {
        ("ok", "true")}
    assert all(row["time_low_s"] <= row["time_s"] <= row["time_high_s"]
               for row in rows)


LOOPS = r"""
#include <stdio.h>
int main(void)
{
    static double a[3000];
    for (int t = 0; t < 3; t++) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 3000; i++)
            for (int k = 0; k < i; k++)
                a[i] += 1.0 / (k + 1);
#pragma omp parallel for
        for (int i = 0; i < 3000; i++)
            for (int k = 0; k < 3000 - i; k++)
                a[i] += 1.0 / (k + 1);
    }
    printf("the program's own\n");
    return a[1] < 0;
}
"""


def test_the_report_of_a_program_is_rows_with_its_answer(tmp_path, dlsbench):
    (tmp_path / "l.c").write_text(LOOPS)
    program = tmp_path / "l"
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", tmp_path / "l.c", "-o",
                    program], check=True)
    done = dlsbench("omp", "--format", "json", "--", program)
    whole, loop, part = json.loads(done.out)["rows"]
    assert done.code == 0 and "the program's own" in done.err
    said = done.err[done.err.index("\nAnswer: ") + 9:].rstrip("\n")
    assert whole["row"] == "program" and whole["verdict"] == \
        said.replace("\n", ":")
    assert (loop["row"], loop["visits"], loop["iterations"]) == (
        "loop", 3, 9000)
    assert loop["name"] == "main l.c:7" and part["row"] == "part"
    assert 0 < loop["time_s"] < whole["time_s"]
    assert 0 < loop["share"] + part["share"] <= 1
    assert f"{loop['name']}: {loop['verdict']}\n" in done.err
    head, *lines = csv.reader(dlsbench(
        "omp", "--format", "csv", "--", program).out.splitlines())
    assert head == list(whole) and [line[0] for line in lines] == [
        "program", "loop", "part"]


def test_no_loop_is_a_row_too_and_many_runs_have_none(dlsbench):
    done = dlsbench("omp", "--format", "json", "--", "/bin/true")
    (row,) = json.loads(done.out)["rows"]
    assert row["verdict"] == "no OpenMP loop was measured"
    for words in (["--try", "ss", "--", "true"], ["--suggest", "l.c"]):
        done = dlsbench("omp", "--format", "json", *words)
        assert done.code == 2 and "--format is for the report" in done.err
