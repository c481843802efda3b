#!/usr/bin/env python3
"""The report on a paper: its tables beside ours, and its claims.

    bench/papers/report_paper.py NAME DIR

Lets bench/papers/NAME/claims.py read what a run of the paper (make paper-NAME)
left in DIR, prints the report and stores it there.  Exit codes: 0; 2 when
there is nothing to report on.
"""
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def names():
    return sorted(name for name in os.listdir(HERE) if os.path.exists(
        os.path.join(HERE, name, "claims.py")))


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} NAME DIR")
    _, name, directory = sys.argv
    if name not in names():
        print(f"report_paper.py: there is no paper '{name}', allowed: "
              f"{', '.join(names())}", file=sys.stderr)
        sys.exit(2)
    sys.path[:0] = [os.path.join(HERE, name),
                    os.path.join(HERE, "..", "..", "analysis")]
    importlib.import_module("need")  # may start another Python
    importlib.import_module("claims").main(directory)


main()
