"""The rows of a frame as objects like dictionaries.  Only columns that are
read become Python values, each once: a summary has a hundred."""


class Row:
    __slots__ = ("at", "columns")

    def __init__(self, at, columns):
        self.at, self.columns = at, columns

    def __getitem__(self, name):
        return self.columns[name][self.at]

    def __contains__(self, name):
        return name in self.columns.frame

    def get(self, name, default=None):
        return self[name] if name in self else default


class Columns(dict):
    """name -> list of the column's values."""

    def __init__(self, frame):
        super().__init__()
        self.frame = frame

    def __missing__(self, name):
        self[name] = values = self.frame[name].tolist()
        return values


def of(frame):
    columns = Columns(frame)
    return [Row(at, columns) for at in range(len(frame))]
