"""Schemes that learn, in simulation, where nothing disturbs their times: what
they make of workers 1, 2 and 4 times as slow as others (--load), of which they
were told something else, at every level of a hierarchy."""
import pytest

ITERATIONS = 200000
# A worker that is said to be faster than it is may not come back before most
# of the loop is handed out.
SLOW = ("--load", "w1:1,w3:3", "--power", "1,1,1,0.125")
SPEED = (1, 1 / 2, 1, 1 / 4)


@pytest.fixture
def chunks(sim, tmp_path):
    """Runs a loop of equal iterations; its chunks in the order of the loop,
    with what was left when each was taken."""
    path = tmp_path / "costs.txt"
    path.write_text("1e-4\n" * ITERATIONS)

    def run(scheme, *where):
        result = sim("--kernel", f"trace:file={path}", "--scheme", scheme,
                     *(where if "--load" in where else SLOW + where),
                     "--trace")
        assert result.code == 0, result.err
        found = sorted(result.lines("chunks"), key=lambda x: x["start"])
        for x in found:
            x["left"] = ITERATIONS - x["start"]
        return found
    return run


def near(value, expected):
    return value == pytest.approx(expected, rel=0.05)


FLAT = [("--ranks", 1, "--threads", 4),
        ("--ranks", 4, "--transport", "window", "--window", "shared"),
        ("--ranks", 5, "--master", "dedicated", "--prefetch", "off"),
        ("--ranks", 5, "--master", "dedicated")]


def shares(scheme, found):
    """A chunk is half of a share of what was left at its request or, in awf-b
    and awf-d, when its stage of four requests began."""
    staged = scheme in ("awf", "awf-b", "awf-d")
    for i, x in enumerate(found):
        left = found[i // 4 * 4]["left"] if staged else x["left"]
        x["share"] = 2 * x["size"] / left
    return [x for x in found if x["size"] >= 40]


# With prefetch a time is told one request later: too late for the weights of a
# stage in a loop as short as this one.
@pytest.mark.parametrize("scheme,where", [
    (s, w) for s in ("awf-b", "awf-c", "awf-d", "awf-e") for w in FLAT
    if s in ("awf-c", "awf-e") or w != FLAT[3]])
def test_shares_are_the_speeds(chunks, scheme, where):
    last = {x["worker"]: x["share"]
            for x in shares(scheme, chunks(scheme, *where))}
    for worker, speed in enumerate(SPEED):
        assert near(last[worker], speed / sum(SPEED)), last


@pytest.mark.parametrize("where", FLAT)
def test_af_sizes_are_the_speeds(chunks, where):
    """Equal iterations have no deviation: every worker gets its share of all
    that is left as soon as all four are known."""
    last = {}
    for x in chunks("af", *where):
        if x["size"] >= 40:
            last[x["worker"]] = x["size"] / x["left"]
    for worker, speed in enumerate(SPEED):
        assert near(last[worker], speed / sum(SPEED)), last


@pytest.mark.parametrize("where", FLAT)
def test_awf_knows_the_speeds_in_the_second_step(chunks, where):
    found = chunks("awf", "--repetitions", 2, *where)
    for step in (1, 2):
        last = {x["worker"]: x["share"] for x in shares(
            "awf", [y for y in found if y["repetition"] == step])}
        for worker, speed in enumerate(SPEED):
            said = 1 if worker < 3 else 1 / 8
            wanted = speed / sum(SPEED) if step == 2 else said / 3.125
            assert near(last[worker], wanted), (step, last)


# A chunk goes to whoever of a pool is free, and a worker four times as slow as
# the one that it was meant for is at it until the loop ends; with prefetch one
# twice as slow may have two of the first chunks, and is at them as long.
TWICE = ("--load", "w1:1")  # speeds 1, 1/2, 1, 1


@pytest.mark.parametrize("where", [
    ("--ranks", 1, "--threads", 4, "--hierarchy", "2"),
    ("--ranks", 2, "--threads", 2, "--hierarchy", "node"),
    ("--ranks", 2, "--threads", 2, "--hierarchy", "node", "--transport",
     "window", "--window", "shared"),
    ("--ranks", 7, "--master", "dedicated", "--hierarchy", "2",
     "--prefetch", "off"),
    ("--ranks", 9, "--master", "dedicated", "--hierarchy", "2x1")])
def test_times_reach_the_supermaster(chunks, where):
    """A master asks for one chunk for each of its two workers, whoever of them
    runs it."""
    found = shares("awf-c", chunks("awf-c", *TWICE, *where))
    late = found[len(found) // 4 * 2:]
    first = [x["share"] for x in late[::2]]
    second = sorted(x["share"] for x in late[1::2])
    assert all(near(x, 2 / 7) for x in first), first
    assert near(second[0], 1 / 7) and near(second[-1], 2 / 7), second


@pytest.mark.parametrize("where", [
    ("--ranks", 1, "--threads", 4, "--hierarchy", "2"),
    ("--ranks", 7, "--master", "dedicated", "--hierarchy", "2")])
def test_both_of_two_schemes_learn(chunks, where):
    """Ranges are as the masters' workers together, 3/2 and 2; in them chunks
    are as the workers."""
    found = chunks("awf-c/awf-c", *TWICE, *where)
    ranges = []
    for x in found:
        unit = x["worker"] // 2
        if not ranges or ranges[-1]["unit"] != unit:
            ranges.append({"unit": unit, "left": x["left"], "chunks": []})
        ranges[-1]["chunks"].append(x)
    # Two ranges of one master in turn look like one of nearly twice the size.
    for unit, share in ((0, 3 / 7), (1, 4 / 7)):
        late = [r for r in ranges if r["unit"] == unit and r["left"] > 300][3:]
        assert any(near(2 * sum(x["size"] for x in r["chunks"]) / r["left"],
                        share) for r in late), late
        # A chunk and the next: what is left shrinks by the first, 1/3 or 1/4.
        for a, b in zip(late[0]["chunks"], late[0]["chunks"][1:]):
            faster = 2 if unit == 0 else 1
            ratio = b["size"] / a["size"]
            same = a["worker"] == b["worker"]
            wanted = ([2 / 3, 5 / 6] if same else [1 / 3, 5 / 3]) \
                if faster == 2 else [3 / 4]
            if a["size"] > 200:
                assert any(near(ratio, x) for x in wanted), late
