"""Reads files of JSON lines into columns, in blocks.

A million lines as dictionaries would need gigabytes.  Here a block of lines at
a time becomes arrays: numbers as float64 (null as NaN), everything else as
codes into the list of different values.  So the 16 digits of a cell's name are
in memory once.
"""
import json
import os
from itertools import chain

import numpy as np
import pandas as pd

from . import columns, parallel

BLOCK = 1 << 23  # bytes read at a time
WORTH_FORKING = 1 << 21  # bytes; less is read before a process has begun
NUMBERS = {int, float, type(None)}


def blocks(path, start, end):
    """Lists of the whole lines that begin from `start` on and before `end`;
    last the torn one, without its newline."""
    with open(path, "rb") as file:
        if start:
            file.seek(start - 1)
            file.readline()
        while (at := file.tell()) < end:
            data = file.read(min(BLOCK, end - at) - 1) + file.readline()
            *lines, torn = data.split(b"\n")
            yield lines, False
            if torn.strip():
                yield [torn], True
            if not data:
                break


def parse(lines):
    """The objects in the lines, and how many lines are not one."""
    lines = [line for line in lines if line.strip()]
    try:
        rows = json.loads(b"[" + b",".join(lines) + b"]")
        if len(rows) == len(lines) and set(map(type, rows)) <= {dict}:
            return rows, 0
    except (ValueError, RecursionError):
        pass
    rows = list(objects(lines))
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


def columns_of(rows):
    """(name, values) of rows that have the same names.  Objects inside them
    become columns `outer.inner`."""
    for name, values in zip(rows[0], zip(*map(dict.values, rows))):
        types = set(map(type, values))
        if dict in types:
            inside = [v if isinstance(v, dict) else {} for v in values]
            for inner in dict.fromkeys(chain.from_iterable(inside)):
                yield f"{name}.{inner}", flat([v.get(inner) for v in inside])
            values = [None if isinstance(v, dict) else v for v in values]
        if types != {dict}:
            yield name, flat(values)


def flat(values):
    return [json.dumps(v) if isinstance(v, (dict, list)) else v for v in
            values] if {dict, list} & set(map(type, values)) else values


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
        pairs, codes = list(zip(map(type, values), values)), self.codes
        code_of = {pair: -1 if pair[1] is None or pair[1] != pair[1]
                   else codes.setdefault(pair, len(codes))
                   for pair in dict.fromkeys(pairs)}  # null, or no number: -1
        self.parts.append((first, np.array(
            list(map(code_of.__getitem__, pairs)), dtype=np.int32)))

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
        self.bad = {}   # path -> torn lines, other lines without an object
        self.unread = {}    # path -> why
        self.lost = {}  # column -> number of values of another type

    def read(self, path, start, end):
        counts = np.zeros(2, dtype=int)
        try:
            for lines, last in blocks(path, start, end):
                rows, wrong = parse(lines)
                counts[0 if last else 1] += wrong
                self._add(rows)
        except OSError as error:
            self.unread[path] = error.strerror
        if counts.any():
            self.bad[path] = counts
        return self

    def _add(self, rows):
        kinds, found = {}, {}
        for at, row in enumerate(rows):
            kinds.setdefault(tuple(row), []).append(at)
        for of in kinds.values():
            for name, values in columns_of([rows[at] for at in of]):
                column = found.setdefault(name, [None] * len(rows))
                for at, value in zip(of, values):
                    column[at] = value
        for name in sorted(found.keys() - self.leave_out):
            self.columns.setdefault(columns.printable(name), Column()).add(
                self.count, found[name])
        self.count += len(rows)

    def append(self, other):
        """The rows of another table after those of this one."""
        for name, column in other.columns.items():
            self.columns.setdefault(name, Column()).append(self.count, column)
        self.count += other.count
        self.unread.update(other.unread)
        for path, counts in other.bad.items():
            self.bad[path] = self.bad.get(path, 0) + counts

    def frame(self):
        frame = pd.DataFrame(index=pd.RangeIndex(self.count))
        data = {}
        for name, column in sorted(self.columns.items()):
            data[name], lost = column.finish(self.count, name)
            if lost:
                self.lost[name] = lost
        self.columns = {}
        return frame.assign(**data) if data else frame


def read(paths, leave_out=()):
    """One Table of all files; parts of large ones are read at once."""
    sizes = [os.path.exists(p) and os.path.getsize(p) for p in paths]
    parts = [(path, at, min(at + BLOCK, size))
             for path, size in zip(paths, sizes)
             for at in range(0, size or 1, BLOCK)]
    small = sum(sizes) < WORTH_FORKING
    whole = Table()
    for table in (map if small else parallel.map_forked)(
            lambda part: Table(leave_out).read(*part), parts):
        whole.append(table)
    return whole
