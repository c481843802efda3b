"""The tables of loops with dependences, printed and stored."""
import csv


def test_they_are_printed_and_stored(dlsbench, campaign):
    result = dlsbench("run", campaign("""
repetitions: 1
repetitions_max: 1
kernel: ["heat:rows=40,cols=60", "floyd-steinberg:rows=40,cols=60", "null"]
cells:
  - layout: [1x1, 1x2]
    scheme: [css, tss]
    sync_interval: [10, 20]
  - {layout: 1x2, scheme: tss, sync_interval: 10, load: w1}
"""))
    assert result.code == 0, result.err
    title = "parallel time by synchronization interval, scheme and number"
    assert result.out.count(title) == 2
    text = (result.directory / "sync-tables.txt").read_text()
    assert text in result.out
    with open(result.directory / "sync-tables.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = {x["cell"]: x for x in result.runs() if x["sync_interval"]}
    assert len(rows) == len(cells) == 18
    times = {x["time_s"] for x in cells.values()}
    for row in rows:
        assert min(abs(float(row["time_s"]) / t - 1) for t in times) < 1e-6
        loaded = row["load"] != ""
        assert row["mode"] == ("non-dedicated" if loaded else "dedicated")
        assert float(row["total_power"]) == int(row["workers"]) - loaded / 2
    shown = dlsbench("summary", result.directory)
    assert shown.code == 0 and text in shown.out
