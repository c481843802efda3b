"""Runs parts of the papers' campaigns and reads what their reports store."""
import csv
import subprocess

from conftest import ROOT


def run(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def written(name, out):
    """The text of paper_<name>.py, which it prints and stores."""
    text = run("/usr/bin/python3", f"analysis/paper_{name}.py", out)
    assert (out / "report.txt").read_text() == text
    return text
