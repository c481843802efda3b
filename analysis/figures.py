#!/usr/bin/env python3
"""Draws one figure of a result directory, as PDF or SVG by the file's ending.

    analysis/figures.py DIR                             names the figures
    analysis/figures.py DIR --figure NAME --out FILE

Papers' figures have their names: han-3 to han-8, ciorba-6, andronikos-7,
diaz-2, beaumont-9.  Exit codes: 0, or 2 when there is no such figure.
"""
import argparse
import difflib
import sys

import need  # noqa: F401  (first: may start another Python)

import cells
import files
import loader
import paper_page
import svg
import traces
from figures import kinds


def drawings(directories):
    """Every figure, as soon as it is drawn."""
    try:
        results = loader.load(*directories)
    except loader.LoadError:
        if not paper_page.exist(directories[0]):
            raise
        tasks = kinds.of_papers(directories[0])
    else:
        frame = cells.summarize(results)
        tasks = kinds.tasks(results, frame, traces.traces(results, frame),
                            frame["kernel"].nunique())
    for task in tasks:
        yield from task()


def write(drawing, out):
    data = svg.text_of(drawing.figure, fonts=True).encode() \
        if out.endswith(".svg") else svg.pdf_of(drawing.figure)
    with files.new(out, "wb") as file:
        file.write(data)
    print(f"{out}: {drawing.title}\n{drawing.caption}")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog=__doc__.split("\n\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", nargs="+")
    parser.add_argument("--figure", metavar="NAME", help="which one")
    parser.add_argument("--out", metavar="FILE",
                        help="NAME.pdf by default; FILE.svg has its fonts "
                        "inside")
    args = parser.parse_args()
    if args.out and not args.figure:
        parser.error("--out needs --figure NAME")
    if args.out and not args.out.endswith((".pdf", ".svg")):
        parser.error("--out: the file's name must end in .pdf or .svg")
    return args


def main():
    args, names = arguments(), []
    try:
        for drawing in drawings(args.directory):
            if drawing.name == args.figure:
                write(drawing, args.out or drawing.name + ".pdf")
                return 0
            names.append(drawing.name)
            if not args.figure:
                print(f"{drawing.name:28} {drawing.title}")
        if args.figure or not names:
            near = difflib.get_close_matches(args.figure or "", names, 1)
            raise loader.LoadError(
                f"{args.directory[0]} has no figure {args.figure or 'at all'}"
                + (f": did you mean {near[0]}?" if near else
                   f"; it has {', '.join(names)}" if names else ""))
        return 0
    except (loader.LoadError, OSError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
