"""Panels with a row for each scheme.

A panel has no empty rows for schemes that it did not run.  Panels with many
rows come first, so that panels of one height are side by side."""
from .. import labels
from . import style


class Rows:
    """setups    the panels, in the order of their axes
    of        setup -> its schemes from top to bottom; row i is at y = i
    """

    def __init__(self, part, column, most_setups, most_schemes):
        schemes = sorted(part["scheme"].unique(), key=lambda s:
                         labels.position(s, labels.SCHEMES))[:most_schemes]
        setups = list(part[column].unique())[:most_setups]
        ran = {setup: set(part.loc[part[column] == setup, "scheme"])
               for setup in setups}
        self.of = {setup: [s for s in schemes if s in ran[setup]]
                   for setup in setups}
        self.setups = sorted(setups, key=lambda s: -len(self.of[s]))

    def grid(self, pitch, around=0.8):
        """(figure, axes): `pitch` inches for a row, `around` for what a panel
        has above and below its rows."""
        columns = style.columns(len(self.setups))
        most = [max(1, len(self.of[setup]))
                for setup in self.setups[::columns]]
        figure, axes = style.grid(
            self.setups, [around + pitch * n for n in most], sharex=True)
        for i, (ax, setup) in enumerate(zip(axes, self.setups)):
            own = self.of[setup]
            ax.set_yticks(range(len(own)), own)
            ax.set_ylim(most[i // columns] - 0.4, -0.6)
            ax.set_title(ax.get_title("left"), y=1.0)
            ax.yaxis.set_label_coords(0, 0.5)
            ax.xaxis.set_tick_params(labelbottom=True)
        return figure, axes
