"""The types of the columns of result files (results/README.md): words, finite
numbers, flags.  Damaged files are converted too."""
import math

WORDS = {"launch", "cell", "kernel", "scheme", "type", "status", "hierarchy",
         "transport", "master", "window", "openmp", "victim", "collect",
         "answer", "bind", "timing", "protocol", "data", "placement", "power",
         "load", "perturb", "rank_per", "memory", "costs", "platform",
         "sync_choice", "reason", "started", "chosen_scheme",
         "chosen_hierarchy", "by", "candidate", "bandwidth", "clause",
         "tried", "output"}
NUMBERS = {"schema", "ranks", "threads", "workers", "repetition",
           "repetitions", "iterations", "chunks", "messages", "bytes",
           "imbalance", "cv", "min_chunk", "sync_interval", "reissue", "cp",
           "request_cost", "result_bytes", "boundary_bytes", "chosen_interval",
           "plan_rounds", "plan_raised", "reissued", "dropped", "steals",
           "steals_failed", "stolen", "worker", "rank", "queue", "available",
           "readings", "switches_voluntary", "switches_involuntary",
           "faults_minor", "faults_major", "start", "size", "step",
           "time_step", "home", "shared_masters", "gflop_per_s", "gbyte_per_s",
           "visits", "chunk_cv", "ahead", "serial_pass", "serial_others",
           "others", "displaced", "round", "seed", "preempted"}
FLAGS = {"prefetch", "smt", "simulated", "oversubscribed", "trial", "chosen",
         "replayed"}
COUNTED = ("counters_compute.", "counters_wait.")


def is_number(name):
    return name in NUMBERS or name.endswith("_s") or name.startswith(COUNTED)


def finite(value):
    """The value as a float; NaN if it is not a finite number."""
    if isinstance(value, bool):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def printable(text):
    """In one line, and with nothing that cannot be written."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "?" for c in text)


def words(value):
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)[:40]


def flag(value):
    return value if isinstance(value, bool) else None


def converter(name):
    """Makes a value of this column what it should be; None: as it is."""
    if name in WORDS:
        return words
    if is_number(name):
        return finite
    return flag if name in FLAGS else None
