"""Reads files of JSON lines into columns, in blocks.

A million lines as dictionaries need gigabytes; here a block of lines at a time
becomes arrays: numbers as float64 (null as NaN), everything else as codes into
the list of different values, so that the 16 digits of a cell's name are in
memory once.
"""
import json

import numpy as np
import pandas as pd

BLOCK = 1 << 23  # bytes read at a time


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
        rows = json.loads(b"[" + b",".join(lines) + b"]")
        if len(rows) == len(lines) and all(type(r) is dict for r in rows):
            return rows, 0
    except ValueError:
        pass
    rows = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows, len(lines) - len(rows)


def flatten(row):
    """Objects inside an object become columns `outer.inner`."""
    if not any(type(v) in (dict, list) for v in row.values()):
        return row
    flat = {}
    for name, value in row.items():
        if isinstance(value, dict):
            for inner, number in value.items():
                flat[f"{name}.{inner}"] = number
        else:
            flat[name] = value
    return {name: json.dumps(v) if isinstance(v, (dict, list)) else v
            for name, v in flat.items()}


class Column:
    """One column, grown block by block."""

    def __init__(self):
        self.parts = []      # (rows before, array)
        self.codes = {}      # value -> code, of what is not a number
        self.is_text = False

    def add(self, first, values):
        if not self.is_text:
            try:
                array = np.array(values, dtype=float)
                texts = any(type(v) in (str, bool) for v in values)
            except (TypeError, ValueError):
                texts = True
            if not texts:
                self.parts.append((first, array))
                return
            self._become_text()
        codes = self.codes
        self.parts.append((first, np.array(
            [-1 if v is None else codes.setdefault((type(v), v), len(codes))
             for v in values], dtype=np.int32)))

    def _become_text(self):
        numbers, self.parts, self.is_text = self.parts, [], True
        for first, array in numbers:
            self.add(first, [None if np.isnan(v) else v for v in array])

    def finish(self, count):
        """The whole column; rows that had none of it are null."""
        if self.is_text:
            whole = np.full(count, -1, dtype=np.int32)
        else:
            whole = np.full(count, np.nan)
        for first, array in self.parts:
            whole[first:first + len(array)] = array
        self.parts = []
        if not self.is_text:
            return whole
        names = pd.Index([value for _, value in self.codes], dtype=object)
        if names.is_unique:
            return pd.Categorical.from_codes(whole, names)
        # 1 and true, or 1 and "1", are one category to pandas.
        values = np.append(names.astype(str).to_numpy(dtype=object), None)
        return pd.Categorical(values[whole])


class Table:
    """Rows of many files, as columns."""

    def __init__(self, leave_out=()):
        self.columns = {}
        self.count = 0
        self.leave_out = set(leave_out)
        self.bad = []   # (path, torn lines, other lines that are no object)

    def read(self, path):
        torn = bad = 0
        for lines, last in blocks(path):
            rows, wrong = parse(lines)
            torn += wrong if last else 0
            bad += 0 if last else wrong
            self._add([flatten(row) for row in rows])
        if torn or bad:
            self.bad.append((path, torn, bad))

    def _add(self, rows):
        names = {name for row in rows for name in row} - self.leave_out
        for name in sorted(names):
            column = self.columns.setdefault(name, Column())
            column.add(self.count, [row.get(name) for row in rows])
        self.count += len(rows)

    def frame(self):
        frame = pd.DataFrame(index=pd.RangeIndex(self.count))
        data = {name: column.finish(self.count)
                for name, column in sorted(self.columns.items())}
        self.columns = {}
        return frame.assign(**data) if data else frame
