"""The models' predictions: cells whose sync interval a model chose before the
launch (sync_choice auto, andronikos or chen-xue) next to the given ones."""
from . import labels

GIVEN = "given"
OURS = "auto"


def chosen(part):
    """The cells whose interval a model chose."""
    if "sync_choice" not in part:
        return part.iloc[:0]
    known = part["sync_choice"].notna() & (part["sync_choice"] != GIVEN)
    return part[known & part["interval"].notna()]


def words(interval, choice):
    """An interval as tables name it: `457 (auto)`, `64`, or nothing."""
    if not labels.known(interval):
        return ""
    by = f" ({choice})" if labels.known(choice) and choice != GIVEN else ""
    return f"{interval:g}{by}"


def optima(part):
    """[(row of the cell at the model's interval, row of the fastest cell)]
    for each scheme of one kernel, setup and number of workers."""
    ours = chosen(part)
    ours = ours[ours["sync_choice"] == OURS] if len(ours) else ours
    found = []
    for row in ours.to_dict("records"):
        same = part[part["scheme"] == row["scheme"]]
        best = same.loc[same["time_s"].idxmin()].to_dict()
        found.append((row, best))
    return found
