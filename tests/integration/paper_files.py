"""Runs parts of the papers' campaigns and reads what their reports store."""
import csv
import importlib.util
import subprocess
import sys

from conftest import ROOT

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


def written(name, out):
    """The report on a paper, which is printed and stored."""
    text = run("/usr/bin/python3", "bench/papers/report.py", name, out)
    assert (out / "report.txt").read_text() == text
    return text
