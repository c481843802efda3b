#!/usr/bin/python3
"""Kills parts of runs at moments of their own, resumes, and looks.

    tests/kills.py [--rounds N] [--seed S] [--only SCENARIO] [--keep]

A round starts a campaign, sends a signal to one of its processes (driver,
reaper, launcher, proxy, rank, slurmstepd), resumes it until it is complete,
perhaps with more kills, and then proves: every cell is there exactly once and
verified; nothing runs on; and nothing of ours is left in TMPDIR and /dev/shm.
What MPI, UCX and SimGrid leave there is counted.  Scenario, victim, moment and
signal follow from the seed and the number of the round.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import kills_scenarios

# A reaper gives a launcher 5 s.
LEAVE_S = 10
SIGNALS = ["KILL", "KILL", "KILL", "TERM", "INT", "HUP", "SEGV", "ABRT",
           "STOP"]
# By others: names that MPICH, UCX, hwloc and SimGrid give their files.
FOREIGN = ("mpich", "ucx", "smpi", "simgrid", "hydra", "hwloc", "psm", "xpmem")


class Fault(Exception):
    """A fault that a round found."""


def wait_for(condition, limit):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class Round:
    """One campaign, until it is complete."""

    def __init__(self, scenario, rng, folder):
        self.scenario, self.rng, self.folder = scenario, rng, folder
        self.mark = f"DLSBENCH_KILLS={folder}"
        self.kills = []

    def start(self, resume):
        env = {**self.scenario.env, "DLSBENCH_KILLS": str(self.folder),
               "TMPDIR": str(self.folder / "tmp")}
        log = open(self.folder / "log", "a", encoding="utf-8")
        with log:
            log.write(f"== resume={resume} {time.time():.3f}\n")
            log.flush()
            return subprocess.Popen(
                self.scenario.command(self.folder, resume), env=env,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.folder)

    def processes(self):
        """What this round has started and what that has started."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                marked = self.mark.encode() in (
                    entry / "environ").read_bytes().split(b"\0")
                words = (entry / "cmdline").read_bytes().decode(
                    errors="replace").split("\0")
                stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            pid = int(entry.name)
            if self.scenario.is_ours(pid, words, marked) and stat[0] != "Z":
                found.append((pid, int(stat[1]), words))
        return found

    def victims(self, role, driver):
        return [pid for pid, parent, words in self.processes()
                if self.scenario.role(pid, parent, words, driver) == role]

    def kill(self, driver):
        """Sends a signal, unless all is over before."""
        role = self.rng.choice(self.scenario.roles)
        name = self.rng.choice(SIGNALS)
        moment = self.rng.uniform(0, 1.05) * self.scenario.seconds
        found = []

        def there():
            found[:] = self.victims(role, driver.pid)
            return found or driver.poll() is not None
        if self.scenario.remote:
            wait_for(lambda: driver.poll() is not None or
                     self.victims("driver", driver.pid), 60)
        wait_for(lambda: driver.poll() is not None, moment)
        wait_for(there, 60)
        self.kills.append(f"{role} {name} at {moment:.2f} s"
                          + ("" if found else " (over)"))
        if not found:
            return None
        pid = self.rng.choice(found)
        try:
            os.kill(pid, signal.Signals["SIG" + name])
            if name == "STOP":
                time.sleep(0.3)
                os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
        return f"{role} {name}"

    def run(self, resume, kill):
        """Returns the driver's exit code and what was done to it."""
        driver = self.start(resume)
        done = self.kill(driver) if kill else None
        try:
            code = driver.wait(timeout=600)
        except subprocess.TimeoutExpired:
            raise Fault("the driver does not end") from None
        # Only a driver that was killed may leave others for a moment, in which
        # it may be resumed already.
        killed = code < 0 or self.scenario.remote
        if killed and self.rng.random() < 0.5 and not self.scenario.remote:
            return code, done
        if not wait_for(lambda: not self.processes(),
                        LEAVE_S if killed else 0.1):
            raise Fault("left running: " + "; ".join(
                f"{pid} {' '.join(words)[:80]}"
                for pid, _, words in self.processes()))
        return code, done

    def end(self):
        """Nothing of a round that has failed runs on."""
        for pid, _, words in self.processes():
            with contextlib.suppress(ProcessLookupError):
                if not words[0].startswith("slurmstepd"):
                    os.kill(pid, signal.SIGKILL)

    def complete(self):
        """Kills and resumes; returns what was done."""
        code, done = self.run(False, True)
        all_done = [done]
        for attempt in range(8):
            if code == 0:
                return [x for x in all_done if x]
            more = attempt < 2 and self.rng.random() < 0.4
            code, done = self.run(self.scenario.exists(self.folder), more)
            all_done.append(done)
            if code == 2:
                raise Fault("the resumed run was refused")
        raise Fault(f"it is not complete after 8 attempts, exit code {code}")

    def check_left(self, shared_before):
        left = collections.Counter()
        new = [self.folder / "tmp" / x
               for x in os.listdir(self.folder / "tmp")]
        new += [pathlib.Path("/dev/shm") / x for x in
                set(os.listdir("/dev/shm")) - shared_before]
        for path in new:
            maker = [x for x in FOREIGN if x in path.name.lower()]
            if not maker:
                raise Fault(f"left: {path}")
            left[maker[0]] += 1
            if str(path).startswith(str(self.folder)) or OWN_SHM:
                path.unlink() if path.is_file() else shutil.rmtree(path)
        return left


# /dev/shm is of this process and its children only.
OWN_SHM = os.environ.get("DLSBENCH_KILLS_SHM") == "own"


def with_own_shm():
    """Starts this program again with a private /dev/shm, if permitted."""
    if OWN_SHM or os.geteuid() != 0 or shutil.which("unshare") is None:
        return
    env = {**os.environ, "DLSBENCH_KILLS_SHM": "own"}
    inner = 'mount -t tmpfs tmpfs /dev/shm && exec "$@"'
    probe = ["unshare", "--mount", "sh", "-c", inner, "sh"]
    if subprocess.run([*probe, "true"], check=False,
                      stderr=subprocess.DEVNULL).returncode == 0:
        os.execvpe("unshare", [*probe, sys.executable, *sys.argv], env)


def one_round(number, options, scenarios, folder):
    rng = random.Random(f"{options.seed}-{number}")
    names = [x for x in scenarios for _ in range(scenarios[x].share)]
    drawn = random.Random(f"{options.seed}-{number}-scenario").choice(names)
    scenario = scenarios[options.only or drawn]
    folder.mkdir()
    (folder / "tmp").mkdir()
    scenario.prepare(folder)
    this = Round(scenario, rng, folder)
    shared = set(os.listdir("/dev/shm"))
    try:
        done = this.complete()
        scenario.check(folder)
        left = this.check_left(shared if OWN_SHM else
                               set(os.listdir("/dev/shm")))
    except (Fault, kills_scenarios.Wrong) as fault:
        print(f"round {number} ({scenario.name}; {', '.join(this.kills)}): "
              f"{fault}; see {folder}; to repeat it: tests/kills.py --seed "
              f"{options.seed} --first {number} --rounds 1 --only "
              f"{scenario.name}", flush=True)
        return None
    finally:
        this.end()
    if not options.keep:
        shutil.rmtree(folder)
    return [f"{scenario.name} {x}" for x in done], left


class Tally:
    """The results of all rounds so far."""

    def __init__(self):
        self.start = time.monotonic()
        self.kills, self.left = collections.Counter(), collections.Counter()
        self.rounds = self.failed = 0

    def add(self, result):
        self.rounds += 1
        if result is None:
            self.failed += 1
            return
        self.kills.update(result[0])
        self.left.update(result[1])

    def seconds(self):
        return time.monotonic() - self.start

    def print(self, seed):
        for name, count in sorted(self.kills.items()):
            print(f"  {count:4d}  {name}")
        for name, count in sorted(self.left.items()):
            print(f"  {count:4d}  files left by {name}"
                  + ("" if OWN_SHM else " (in TMPDIR)"))
        print(f"kills: {self.rounds} rounds with {self.kills.total()} kills "
              f"in {self.seconds():.0f} s, seed {seed}: {self.failed} failed",
              flush=True)


def run_rounds(options, tally, folder):
    with kills_scenarios.make(folder, options) as scenarios:
        for number in range(options.first, options.first + options.rounds):
            if tally.seconds() > options.minutes * 60:
                return
            tally.add(one_round(number, options, scenarios,
                                folder / str(number)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0,
                        help="number of the first round")
    parser.add_argument("--minutes", type=float, default=1e9,
                        help="no round begins after that many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only",
                        help="one of native, sim, auto, calibrate, slurm")
    parser.add_argument("--program", type=pathlib.Path,
                        default=kills_scenarios.PROGRAM)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    with_own_shm()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tally = Tally()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dlsbench-kills-"))
    try:
        run_rounds(options, tally, folder)
    finally:
        tally.print(options.seed)
    if tally.failed == 0 and not options.keep:
        shutil.rmtree(folder)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
