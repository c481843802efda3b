"""Stored results as DataFrames, for programs of others."""
import functools
import re

import pandas as pd

from . import cells, loader, program, tables

# The manual of result files: beside the package where that is installed.
MANUALS = ["columns.md", "../results/README.md",
           "../../doc/dlsbench/results/README.md"]
# A column that only frames of this section have.
SECTIONS = [("step", "chunks"), ("worker", "workers"), ("label", "cells.csv")]
UNITS = [("_per_s", "1/s"), ("_s", "s"), ("bytes", "bytes")]
ENDS = {"_low": "Lower end of the 95 % interval of {}.",
        "_high": "Upper end of the 95 % interval of {}.",
        "_is_significant": "True: the 95 % interval of {} does not hold 1."}


class Stored:
    """What load() found.

    cells      a row for each cell, measured and simulated apart: cells.csv
    runs       a row for each repetition that counts
    workers    a row for each worker of each of these repetitions
    chunks     a row for each chunk of those that were traced
    manifests  dictionaries: each launch's machine, policy and versions
    notes      a sentence each: what was left out, and what looks odd
    """

    def __init__(self, results):
        self.runs, self.manifests = results.runs, results.manifests
        self.notes = results.notes
        self._results = results

    @functools.cached_property
    def cells(self):
        frame = cells.summarize(self._results)
        return frame if frame.empty else tables.wide(
            self._results, frame, list(tables.TABLES))

    @property
    def workers(self):
        return self._results.workers

    @property
    def chunks(self):
        return self._results.chunks


def load(path, *more):
    """Reads a result directory, or all that lie directly below a folder; of
    several paths all together.  Raises LoadError, with a sentence, where there
    are no results."""
    return Stored(loader.load(path, *more))


def columns(frame=None):
    """A row for each column of the frame: name, unit, meaning.  Without a
    frame: all columns of results/README.md.  A count with the name of its
    event lacks a meaning there."""
    sections = described(manual())
    known = {}
    for names in [sections[section_of(frame)], *sections.values()]:
        for name, words in names.items():
            known.setdefault(name, words)
    return pd.DataFrame([{"name": name, "unit": unit(name),
                          "meaning": meaning(name, known)}
                         for name in (known if frame is None else frame)])


def section_of(frame):
    """The section of results/README.md for this frame, because other files
    share some column names."""
    if frame is None:
        return "runs"
    return next((section for column, section in SECTIONS if column in frame),
                "runs")


def meaning(name, known):
    for end, words in ENDS.items():
        if name.endswith(end) and name not in known:
            return words.format(name[:-len(end)])
    return known.get(name) or known.get(name.partition(".")[0], "")


def manual():
    found = program.beside(*MANUALS)
    if not found:
        raise loader.LoadError("results/README.md was not installed")
    return found


def described(path):
    """{section: {column: meaning}}"""
    with open(path, encoding="utf-8") as file:
        _, *sections = re.split(r"^###? ", file.read(), flags=re.M)
    return {text.partition("\n")[0]: {
        name: meaning
        for names, meaning in re.findall(
            r"^\| ([a-z][^|]*) \| ([^|]+) \|$", text, re.M)
        if names != "column" for name in re.findall(r"[a-z][a-z_0-9]*", names)}
        for text in sections}


def unit(name):
    for end in ENDS:
        name = name.removesuffix(end)
    return next((of for end, of in UNITS if name.endswith(end)), "")
