"""Runs parts of the papers' campaigns and reads what their reports store."""
import csv
import importlib.util
import subprocess
import sys

from conftest import ROOT

sys.path.append(str(ROOT))
from analysis import stored_paper as page  # noqa: E402

PAPERS = ROOT / "bench/papers"


def run(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def module(paper, name):
    """A module of a paper's folder; several have the same names."""
    for folder in (ROOT / "analysis", PAPERS / paper):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location(
        f"{paper}_{name}", PAPERS / paper / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Of printed tables: what names a value, and what our runs are given.
KEYS = {"experiment", "k", "tasks", "processors", "delta", "kernel", "mode",
        "sync_interval", "scheme", "slaves", "model", "v_twin", "v_kid"}
GIVEN = {PAPERS / "andronikos/table_1.csv"}


def paper_values(name):
    """The results that a paper prints, each once."""
    return sorted(
        float(word) for path in (PAPERS / name).glob("*.csv")
        if path not in GIVEN for row in rows(path)
        for column, words in row.items() if column not in KEYS
        for word in words.split())


def check_values(name, out):
    """The page has each printed value once, and says how many there are."""
    tables = page.beside(str(out))
    shown = sorted(float(row["printed"]) for table in tables if table.own
                   for row in table.rows if row["printed"])
    assert shown == paper_values(name)
    assert page.counted(tables)[0] == len(shown)
    return page.counted(tables)


def written(name, out):
    """The report on a paper, which is printed and stored."""
    text = run("/usr/bin/python3", "bench/papers/report_paper.py", name, out)
    assert (out / "report.txt").read_text() == text
    return text
