"""Combines powers and loads of one machine.  With more workers their text gets
longer (`1.5,0.5` and `1.5,0.5,1.5`), so each number of workers would become a
separate setup.  The longest text names all texts that it begins with."""
from . import machine

COLUMNS = ["power", "load"]


def lists(row):
    """The texts' value for each worker; None where they cannot be read."""
    if row["power"] == machine.MEASURED or \
            row["workers"] > machine.WORKERS_MOST:
        return None
    try:
        found = [], []
        if row["power"]:
            found[0].extend(machine.given(row["power"], int(row["workers"])))
        if row["load"]:
            found[1].extend(machine.loads(row["load"], int(row["workers"])))
        return tuple(map(tuple, found))
    except ValueError:
        return None


def begins(short, long):
    """Powers or loads in only one of the two mean another machine."""
    return all(bool(a) == bool(b) and a == b[:len(a)]
               for a, b in zip(short, long))


def text(value):
    return value if isinstance(value, str) else ""


def longest(rows):
    """(power, load, workers) -> (power, load) by which tables call it."""
    names, chains = {}, []
    for row in sorted(rows, key=lambda r: -r["workers"]):
        key = row["power"], row["load"], row["workers"]
        if key in names:
            continue
        own = lists(row)
        chain = next((c for c in chains if own is not None and row["workers"]
                      < c["least"] and begins(own, c["lists"])), None)
        if chain is None:
            chain = {"lists": own or ((), ()), "name": key[:2],
                     "least": row["workers"] if own and any(own) else 0}
            chains.append(chain)
        elif any(own):
            chain["least"] = row["workers"]
        names[key] = chain["name"]
    return names


def setups(frame):
    """{column: the texts that tables use}, for the existing columns."""
    here = [n for n in COLUMNS if n in frame]
    rows = [{"workers": w, **{n: "" for n in COLUMNS}, **{
        n: text(v) for n, v in zip(here, values)}}
        for w, *values in zip(frame["workers"], *(frame[n] for n in here))]
    if not here or not all(r["workers"] == r["workers"] for r in rows):
        return {n: list(frame[n]) for n in here}
    groups = {}
    for kernel, row in zip(frame["kernel"], rows):
        groups.setdefault(kernel, []).append(row)
    names = {kernel: longest(group) for kernel, group in groups.items()}
    found = [names[kernel][row["power"], row["load"], row["workers"]]
             for kernel, row in zip(frame["kernel"], rows)]
    return {n: [f[COLUMNS.index(n)] if isinstance(v, str) else v
                for f, v in zip(found, frame[n])] for n in here}
