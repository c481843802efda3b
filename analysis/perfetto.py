"""A traced run as Chrome trace events, for chrome://tracing and Perfetto:
a process for each rank, a thread for each worker, an event for each chunk."""
import json

from . import files


def events(trace):
    ranks = {r["worker"]: int(r.get("rank") or 0)
             for r in trace.workers.to_dict("records")}
    for worker in sorted(set(trace.chunks["worker"])):
        place = {"pid": ranks.get(worker, 0), "tid": int(worker)}
        yield {"ph": "M", "name": "process_name", **place,
               "args": {"name": f"rank {place['pid']}"}}
        yield {"ph": "M", "name": "thread_name", **place,
               "args": {"name": f"worker {worker:.0f}"}}
    for c in trace.chunks.to_dict("records"):
        yield {"ph": "X", "name": f"{c['start']:.0f} +{c['size']:.0f}",
               "cat": "chunk", "pid": ranks.get(c["worker"], 0),
               "tid": int(c["worker"]), "ts": c["begin_s"] * 1e6,
               "dur": (c["end_s"] - c["begin_s"]) * 1e6,
               "args": {"step": int(c["step"]), "start": int(c["start"]),
                        "size": int(c["size"])}}


def write(trace, path):
    cell = trace.cell
    data = {"traceEvents": list(events(trace)), "displayTimeUnit": "ns",
            "otherData": {"kernel": cell["kernel"], "scheme": cell["scheme"],
                          "setup": cell["label"], "launch": trace.launch,
                          "repetition": trace.repetition,
                          "time_s": trace.time_s}}
    with files.new(path, encoding="utf-8") as file:
        json.dump(data, file)
