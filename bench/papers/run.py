#!/usr/bin/env python3
"""Papers on simulated clusters: their campaigns, and their reports.

    bench/papers/run.py DLSBENCH NAME=OUT... [-- option...]
                                        (make papers, make paper-NAME)

All that a paper has is in bench/papers/NAME/.  Of this, what is there:
  campaigns.py OUT               first; writes campaigns to OUT/campaigns/
  *.yaml, OUT/campaigns/*.yaml   each runs into OUT/CAMPAIGN/; options are of
                                 dlsbench sim
  also.sh DLSBENCH OUT [option]  runs what is no campaign
Then bench/papers/report.py lets claims.py report on OUT, and
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
import subprocess
import sys
import threading

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

    def run(self, order, *words):
        """Its exit code and what it printed."""
        self.enter(order)
        try:
            if self.stopped:
                return 1, ""
            process = subprocess.Popen([str(x) for x in words], cwd=ROOT,
                                       text=True, stdout=subprocess.PIPE)
            self.running.add(process)
            out, _ = process.communicate()
            self.running.discard(process)
        finally:
            self.leave()
        return process.returncode, out

    def stop(self):
        self.stopped = True
        for process in list(self.running):
            process.terminate()


def together(calls):
    """What these functions return, each called by a thread of its own."""
    out = [None] * len(calls)

    def take(i):
        out[i] = calls[i]()
    threads = [threading.Thread(target=take, args=[i])
               for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


class Paper:
    def __init__(self, order, name, out, alone, dlsbench, options, slots):
        self.order, self.alone, self.slots = order, alone, slots
        self.there, self.out = PAPERS / name, pathlib.Path(out).absolute()
        self.dlsbench, self.options = dlsbench, options
        self.code, self.said = 0, ""
        self.thread = threading.Thread(target=self.run)

    def keep(self, code):
        self.code = self.code or code
        return code == 0

    def say(self, *words):
        """Runs a command whose words are the paper's."""
        code, out = self.slots.run(self.order, *words)
        self.said += out
        return self.keep(code)

    def campaign(self, path, shards):
        into = self.out / path.stem
        words = [self.dlsbench, "sim", path, *self.options, "--out", into]
        if self.keep(self.slots.run(self.order, *words, "--prepare")[0]):
            together([lambda part=part: self.keep(self.slots.run(
                self.order, *words, "--resume", "--shard",
                f"{part}/{shards}")[0]) for part in range(shards)])

    def also(self):
        return self.say("sh", self.there / "also.sh", self.dlsbench, self.out,
                        *self.options)

    def run(self):
        if (self.there / "claims.py").exists() and not self.run_all():
            return
        if self.say(PYTHON, PAPERS / "report.py", self.there.name, self.out):
            self.say(PYTHON, ROOT / "analysis/report.py", self.out)

    def run_all(self):
        """Whether there is something to report on."""
        self.out.mkdir(parents=True, exist_ok=True)
        if (self.there / "campaigns.py").exists() and not self.say(
                PYTHON, self.there / "campaigns.py", self.out):
            return False
        campaigns = [*sorted(self.there.glob("*.yaml")),
                     *sorted(self.out.glob("campaigns/*.yaml"))]
        also = (self.there / "also.sh").exists()
        shards = 2 if self.alone and len(campaigns) == 1 else 1
        calls = [self.also] * also + [
            lambda path=path: self.campaign(path, shards)
            for path in campaigns]
        return together(calls)[0] is not False


def main():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    pairs = [word.partition("=") for word in words[1:at]]
    if not pairs or not all(name and out for name, _, out in pairs):
        sys.exit(f"usage: {sys.argv[0]} DLSBENCH NAME=OUT... [-- option...]")
    slots = Slots(len(os.sched_getaffinity(0)))
    papers = [Paper(order, name, out, len(pairs) == 1,
                    os.path.abspath(words[0]), words[at + 1:], slots)
              for order, (name, _, out) in enumerate(pairs)]
    try:
        for paper in papers:
            paper.thread.start()
        for paper in papers:
            paper.thread.join()
            print(end=paper.said, flush=True)
    except KeyboardInterrupt:
        slots.stop()
        sys.exit(130)
    sys.exit(next((x.code for x in papers if x.code), 0))


main()
