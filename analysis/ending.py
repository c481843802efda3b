"""The tables of dlsbench run below its summary, and the files that it stores
in the result directory (results/README.md)."""
import csv
import io
import os

from . import counters, files, grid, regret, sweep, sync

# Name -> (columns and rows of a CSV file, or the tables of a text).
FILES = {"sync-tables.txt": sync.tables, "sync-tables.csv": sync,
         "sync-interval.txt": sweep.tables, "sync-interval.csv": sweep,
         "auto.csv": regret}


def names(results):
    """The tables; counted events only where a run named some."""
    return ["flexibility", "sync-tables", "sweep", "regret", "unequal",
            "classes",
            *["counters"] * counters.asked(results)]


def store(directory, results, frame):
    for name, source in FILES.items():
        text = table_text(source, results, frame) if callable(source) \
            else csv_text(source, results, frame)
        if text:
            files.write(os.path.join(directory, name), text)


def table_text(tables, results, frame):
    return "".join("\n" + grid.text(table)
                   for table in tables(results, frame))


def csv_text(source, results, frame):
    rows = source.lines(results, frame)
    if not rows:
        return ""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(source.COLUMNS)
    writer.writerows([[words(value) for value in row] for row in rows])
    return file.getvalue()


def words(value):
    """Nine digits of a number; nothing of what is not known."""
    if value is None or value != value:
        return ""
    if value is True or value is False:
        return str(int(value))
    return f"{value:.9g}" if isinstance(value, float) else str(value)
