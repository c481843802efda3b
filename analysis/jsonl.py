"""Reads files of JSON lines into columns, in blocks.

A million lines as dictionaries would need gigabytes.  Here a block of lines at
a time becomes arrays: numbers as float64 (null as NaN), everything else as
codes into the list of different values.  So the 16 digits of a cell's name are
in memory once.
"""
import json
import os

import numpy as np
import pandas as pd

from . import columns, parallel

BLOCK = 1 << 23  # bytes read at a time
WORTH_FORKING = 1 << 21  # bytes; less is read before a process has begun
NUMBERS = {int, float, type(None)}


def blocks(path):
    """Lists of whole lines, and last the torn one (without its newline)."""
    rest = b""
    with open(path, "rb") as file:
        while True:
            data = file.read(BLOCK)
            if not data:
                break
            head, newline, tail = data.rpartition(b"\n")
            if not newline:
                rest += data
                continue
            yield (rest + head).split(b"\n"), False
            rest = tail
    if rest.strip():
        yield [rest], True


def parse(lines):
    """The objects in the lines, and how many lines are not one."""
    lines = [line for line in lines if line.strip()]
    try:
        text = b"[" + b",".join(lines) + b"]"
        rows = json.loads(text)
        if len(rows) == len(lines) and set(map(type, rows)) <= {dict}:
            flat = text.count(b"{") == len(rows) and text.count(b"[") == 1
            return rows if flat else [flatten(row) for row in rows], 0
    except (ValueError, RecursionError):
        pass
    rows = [flatten(row) for row in objects(lines)]
    return rows, len(lines) - len(rows)


def objects(lines):
    """The lines that hold an object."""
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def flatten(row):
    """Objects inside an object become columns `outer.inner`."""
    flat = {}
    for name, value in row.items():
        if isinstance(value, dict):
            for inner, number in value.items():
                flat[f"{name}.{inner}"] = number
        else:
            flat[name] = value
    return {name: json.dumps(v) if isinstance(v, (dict, list)) else v
            for name, v in flat.items()}


def numbers_of(values):
    try:
        return np.array(values, dtype=float)
    except OverflowError:
        return np.array([columns.finite(v) for v in values])


class Column:
    """One column, grown block by block."""

    def __init__(self):
        self.parts = []      # (rows before, array)
        self.codes = {}      # value -> code, of what is not a number
        self.is_text = False

    def add(self, first, values):
        if not self.is_text:
            if set(map(type, values)) <= NUMBERS:
                self.parts.append((first, numbers_of(values)))
                return
            self._become_text()
        codes = self.codes
        self.parts.append((first, np.array(
            [-1 if v is None or v != v     # null, or no number
             else codes.setdefault((type(v), v), len(codes))
             for v in values], dtype=np.int32)))

    def _become_text(self):
        numbers, self.parts, self.is_text = self.parts, [], True
        for first, array in numbers:
            self.add(first, array.tolist())

    def append(self, first, other):
        """The rows of another column after those before `first`."""
        if other.is_text and not self.is_text:
            self._become_text()
        elif self.is_text and not other.is_text:
            other._become_text()
        parts = other.parts
        if self.is_text:
            codes = self.codes
            new = np.array([codes.setdefault(value, len(codes))
                            for value in other.codes] + [-1], dtype=np.int32)
            parts = [(at, new[array]) for at, array in parts]
        self.parts += [(first + at, array) for at, array in parts]

    def finish(self, count, name):
        """The whole column, with the type for this name, and the number of
        values of other types; rows without a value are null."""
        whole = self._join(count)
        self.parts = []
        convert = columns.converter(name)
        if not self.is_text:
            if convert is columns.words and not np.isnan(whole).all():
                return as_words(whole), 0
            if convert is columns.flag:
                return np.full(count, None), int((~np.isnan(whole)).sum())
            whole[~np.isfinite(whole)] = np.nan
            return whole, 0
        values = [value for _, value in self.codes]
        if convert is None:
            return categories(whole, [columns.printable(v)
                                      if isinstance(v, str) else v
                                      for v in values]), 0
        wrong = [not isinstance(v, float) for v in values] + [False]
        values = [convert(v) for v in values]
        found = np.append(np.array(values, dtype=float), np.nan)[whole] \
            if convert is columns.finite else categories(whole, values)
        return found, int((pd.isna(found) & np.array(wrong)[whole]).sum())

    def _join(self, count):
        if self.is_text:
            whole = np.full(count, -1, dtype=np.int32)
        else:
            whole = np.full(count, np.nan)
        for first, array in self.parts:
            whole[first:first + len(array)] = array
        return whole


def categories(codes, values):
    """Codes into values, which may contain duplicates or null."""
    names = pd.Index(values, dtype=object)
    if names.is_unique and not names.hasnans:
        return pd.Categorical.from_codes(codes, names)
    values = np.append(names.to_numpy(dtype=object), None)
    if len({type(v) for v in values if v is not None}) > 1:
        # 1 and true are one category to pandas.
        values = np.array([None if v is None else str(v) for v in values],
                          dtype=object)
    return pd.Categorical(values[codes])


def as_words(numbers):
    values = np.unique(numbers[~np.isnan(numbers)])
    codes = np.where(np.isnan(numbers), -1, np.searchsorted(values, numbers))
    return categories(codes, [columns.words(float(v)) for v in values])


class Table:
    """Rows of many files, as columns."""

    def __init__(self, leave_out=()):
        self.columns = {}
        self.count = 0
        self.leave_out = set(leave_out)
        self.bad = []   # (path, torn lines, other lines without an object)
        self.unread = []    # (path, why)
        self.lost = {}  # column -> number of values of another type

    def read(self, path):
        torn = bad = 0
        try:
            for lines, last in blocks(path):
                rows, wrong = parse(lines)
                torn += wrong if last else 0
                bad += 0 if last else wrong
                self._add(rows)
        except OSError as error:
            self.unread.append((path, error.strerror))
        if torn or bad:
            self.bad.append((path, torn, bad))

    def _add(self, rows):
        names = set().union(*rows) - self.leave_out
        for name in sorted(names):
            column = self.columns.setdefault(columns.printable(name),
                                             Column())
            column.add(self.count, [row.get(name) for row in rows])
        self.count += len(rows)

    def append(self, other):
        """The rows of another table after those of this one."""
        for name, column in other.columns.items():
            self.columns.setdefault(name, Column()).append(self.count, column)
        self.count += other.count
        self.bad += other.bad
        self.unread += other.unread

    def frame(self):
        frame = pd.DataFrame(index=pd.RangeIndex(self.count))
        data = {}
        for name, column in sorted(self.columns.items()):
            data[name], lost = column.finish(self.count, name)
            if lost:
                self.lost[name] = lost
        self.columns = {}
        return frame.assign(**data) if data else frame


def size_of(path):
    try:
        return os.path.getsize(path)
    except OSError:     # table.unread will say why
        return 0


def read(paths, leave_out=()):
    """One Table of all files; several large ones are read at once."""
    def table_of(path):
        table = Table(leave_out)
        table.read(path)
        return table
    small = sum(map(size_of, paths)) < WORTH_FORKING
    whole = Table()
    for table in (map if small else parallel.map_forked)(table_of, paths):
        whole.append(table)
    return whole
