"""What the model of Andronikos et al. predicted for a cell, where a run line
says so: columns with `predicted` in their name, seconds if they end in `_s`,
else the interval."""


def column(frame, seconds):
    for name in frame.columns:
        if "predicted" in name and not name.endswith(("_low", "_high")) \
                and name.endswith("_s") == seconds \
                and frame[name].notna().any():
            return name
    return None


def interval(group):
    """The predicted best interval of these cells; None if not known."""
    name = column(group, seconds=False)
    return None if name is None else float(group[name].median())


def times(group):
    """A frame of interval and time_s, by interval; None if not known."""
    name = column(group, seconds=True)
    if name is None or interval(group) is None:
        return None
    curve = group.groupby("interval")[name].median().dropna()
    return curve.rename("time_s").reset_index() if len(curve) > 1 else None
