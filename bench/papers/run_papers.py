#!/usr/bin/env python3
"""Papers on simulated clusters: their campaigns, and their reports.

    bench/papers/run_papers.py DLSBENCH NAME=OUT... [-- option...]
                                        (make papers, make paper-NAME)

All that a paper has is in bench/papers/NAME/.  Of this, what is there:
  campaigns.py OUT               first; writes campaigns to OUT/campaigns/
  *.yaml, OUT/campaigns/*.yaml   each runs into OUT/CAMPAIGN/; options are of
                                 dlsbench sim
  also.sh DLSBENCH OUT [option]  runs what is no campaign
Then bench/papers/report_paper.py lets claims.py report on OUT, and
analysis/report.py makes the page OUT/report.html.  What is complete in OUT
already does not run again.  Paths in the campaigns are relative to the folder
that holds bench/.

As many commands run at a time as this process has cores, of all papers
together, those of the first paper first.  A campaign is one command,
because each shard would start SimGrid anew for its part of the cells, but two
where nothing else would run beside it.  The words of each paper are printed
when all of it is done, in the order given.  The exit code is that of the first
command that failed.
"""
import os
import pathlib
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPERS = ROOT / "bench/papers"
PYTHON = os.environ.get("PYTHON") or "/usr/bin/python3"


class Slots:
    """Commands of all papers, so many at a time, by their papers' order."""

    def __init__(self, count):
        self.free, self.waiting = count, []
        self.changed = threading.Condition()
        self.running, self.stopped = set(), False

    def enter(self, order):
        with self.changed:
            self.waiting.append(order)
            self.changed.wait_for(
                lambda: self.free > 0 and min(self.waiting) >= order)
            self.waiting.remove(order)
            self.free -= 1
            self.changed.notify_all()

    def leave(self):
        with self.changed:
            self.free += 1
            self.changed.notify_all()

    def start(self, words):
        with self.changed:
            if self.stopped:
                return None
            process = subprocess.Popen([str(x) for x in words], cwd=ROOT,
                                       text=True, stdout=subprocess.PIPE)
            self.running.add(process)
            return process

    def run(self, order, *words):
        """Its exit code and what it printed."""
        self.enter(order)
        try:
            process = self.start(words)
            if process is None:
                return 1, ""
            out, _ = process.communicate()
            with self.changed:
                self.running.discard(process)
        finally:
            self.leave()
        return process.returncode, out

    def stop(self):
        with self.changed:
            self.stopped = True
            for process in self.running:
                process.terminate()


def together(calls):
    """The results of these functions, each called by a separate thread."""
    if not calls:
        return []
    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(lambda call: call(), calls))


class Paper:
    def __init__(self, order, name, out, alone, dlsbench, options, slots):
        self.order, self.alone, self.slots = order, alone, slots
        self.there, self.out = PAPERS / name, pathlib.Path(out).absolute()
        self.dlsbench, self.options = dlsbench, options
        self.code, self.said = 0, ""

    def keep(self, code):
        self.code = self.code or code
        return code == 0

    def say(self, *words):
        """Runs a command whose words are the paper's."""
        code, out = self.slots.run(self.order, *words)
        self.said += out
        return self.keep(code)

    def campaign(self, path, shards):
        """Whether it could begin."""
        into = self.out / path.stem
        words = [self.dlsbench, "sim", path, *self.options, "--out", into]
        if not self.keep(self.slots.run(self.order, *words, "--prepare")[0]):
            return False
        together([lambda part=part: self.keep(self.slots.run(
            self.order, *words, "--resume", "--shard",
            f"{part}/{shards}")[0]) for part in range(shards)])
        return True

    def also(self):
        return self.say("sh", self.there / "also.sh", self.dlsbench, self.out,
                        *self.options)

    def run(self):
        if (self.there / "campaigns.py").exists() and not self.say(
                PYTHON, self.there / "campaigns.py", self.out):
            return
        campaigns = [*sorted(self.there.glob("*.yaml")),
                     *sorted(self.out.glob("campaigns/*.yaml"))]
        shards = 2 if self.alone and len(campaigns) == 1 else 1
        calls = [lambda path=path: self.campaign(path, shards)
                 for path in campaigns]
        if (self.there / "also.sh").exists():
            calls.append(self.also)
        if all(together(calls)):
            self.say(PYTHON, PAPERS / "report_paper.py", self.there.name,
                     self.out)
            self.say(PYTHON, ROOT / "analysis/report.py", self.out,
                     "--no-files")


def interrupt(number, _):
    raise KeyboardInterrupt(number)


def check(dlsbench, pairs):
    """Whatever is wrong is said before anything runs."""
    if not pairs or not all(name and out for name, _, out in pairs):
        sys.exit(f"usage: {sys.argv[0]} DLSBENCH NAME=OUT... [-- option...]")
    if not os.access(dlsbench, os.X_OK):
        sys.exit(f"run_papers.py: {dlsbench}: it cannot be run")
    for name, _, out in pairs:
        if not (PAPERS / name / "claims.py").exists():
            sys.exit(subprocess.call(
                [PYTHON, PAPERS / "report_paper.py", name, out]))
        try:
            os.makedirs(out, exist_ok=True)
        except OSError as error:
            sys.exit(f"run_papers.py: {out}: it cannot be made: "
                     f"{error.strerror}")


def main():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    pairs = [word.partition("=") for word in words[1:at]]
    dlsbench = os.path.abspath(words[0] if words else "")
    check(dlsbench, pairs)
    slots = Slots(len(os.sched_getaffinity(0)))
    papers = [Paper(order, name, out, len(pairs) == 1, dlsbench,
                    words[at + 1:], slots)
              for order, (name, _, out) in enumerate(pairs)]
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
    with ThreadPoolExecutor(len(papers)) as threads:
        try:
            running = [threads.submit(paper.run) for paper in papers]
            for paper, run in zip(papers, running):
                run.result()
                print(end=paper.said, flush=True)
        except BaseException as error:
            slots.stop()
            if isinstance(error, KeyboardInterrupt):
                sys.exit(128 + error.args[0])
            raise
    sys.exit(next((x.code for x in papers if x.code), 0))


main()
