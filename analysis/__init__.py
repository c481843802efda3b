"""DLSBench in Python: results as DataFrames, and the schemes of libdls.

    import dlsbench                     # in a checkout: import analysis

    results = dlsbench.load("results/2026-05-04")
    results.cells                       # a row for each cell, as cells.csv
    results.runs                        # a row for each repetition that counts
    dlsbench.columns()                  # the meaning and unit of each column

    dlsbench.schemes("fss", 1000, 4)    # the chunks, in their order
    with dlsbench.Loop("fss", 1000, workers=4) as loop:
        for begin, end in loop.chunks(worker=0):
            ...
"""
from .libdls import Loop, schemes
from .loader import LoadError
from .stored import columns, load

__all__ = ["LoadError", "Loop", "columns", "load", "schemes"]
