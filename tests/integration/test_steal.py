"""Work stealing: who steals from whom, natively and simulated, and what it
refuses.  That every iteration runs once under it stands in test_matrix."""
import collections

import pytest

from conftest import assert_same_digits

STEAL = ("--transport", "steal", "--trace")
ONCE = ("--repetitions", 1, "--repetitions-max", 1, "--oversubscribe")


@pytest.fixture
def costs(tmp_path):
    def write(seconds):
        path = tmp_path / "costs.txt"
        path.write_text("".join(f"{s!r}\n" for s in seconds))
        return f"trace:file={path}"
    return write


def only(result):
    assert result.code == 0, result.err[-2000:]
    (row,) = result.runs()
    return row


def check(result):
    """Steals add up, and every chunk says whose share it was in."""
    row = only(result)
    workers = result.lines("workers")
    for name in "steals", "steals_failed", "stolen", "iterations", "chunks":
        assert sum(w[name] for w in workers) == row[name]
    assert row["victim"] in ("random", "near") and row["collect"] == "local"
    chunks = result.lines("chunks")
    homes = [c["home"] for c in sorted(chunks, key=lambda c: c["start"])]
    assert homes == sorted(homes)
    away = sum(c["size"] for c in chunks if c["home"] != c["worker"])
    # What is stolen twice counts twice; some comes home again.
    assert away <= row["stolen"] and (away > 0) <= (row["steals"] > 0)
    return row, chunks


@pytest.mark.parametrize("layout", ["--threads 2", "--ranks 2",
                                    "--ranks 2 --threads 2", "--ranks 5"])
def test_who_has_all_the_work_is_robbed(dlsbench, costs, layout):
    """All that takes long is in the share of worker 0, and others run some of
    it; how much depends on what else this machine does."""
    many = [1e-3] * 60 + [1e-7] * (60 * 5)
    result = dlsbench("run", "--kernel", costs(many), "--scheme", "ss",
                      *layout.split(), *STEAL, *ONCE)
    row, chunks = check(result)
    assert row["verified"] is True
    away = [c for c in chunks if c["start"] < 60 and c["worker"] > 0]
    assert away
    assert all(c["home"] == 0 for c in away if "2" in layout[:11])


@pytest.mark.cross
@pytest.mark.parametrize("layout", ["--threads 6", "--ranks 6",
                                    "--ranks 3 --threads 2"])
@pytest.mark.parametrize("size", [1, 4])
def test_fewer_iterations_than_workers(dlsbench, layout, size):
    result = dlsbench("run", "--kernel", f"mandelbrot:size={size}",
                      "--scheme", "css:chunk=2", *layout.split(), *STEAL,
                      *ONCE)
    row, _ = check(result)
    assert row["verified"] is True and row["iterations"] == size


def test_powers_share_out(dlsbench, costs):
    """Powers of 1 and 3, and nobody to rob: a quarter and the rest."""
    result = dlsbench("run", "--kernel", costs([1e-7] * 400), "--scheme",
                      "css:chunk=400", "--power", "1,3", "--threads", 2,
                      *STEAL, *ONCE)
    _, chunks = check(result)
    homes = collections.Counter()
    for c in chunks:
        homes[c["home"]] += c["size"]
    assert homes == {0: 100, 1: 300}


def test_auto_tries_what_can_be_stolen(dlsbench):
    """Of the usual schemes those whose sizes do not depend on who asks."""
    result = dlsbench("run", "--kernel", "mandelbrot:size=64", "--scheme",
                      "auto:by=trial", "--transport", "steal", "--threads", 2,
                      "--repetitions", 60, "--repetitions-max", 60,
                      "--oversubscribe")
    assert result.code == 0, result.err[-2000:]
    tried = {x["chosen_scheme"].split(":")[0] for x in result.runs()}
    assert tried == {"ss", "mfsc", "gss", "fss", "tss"}


# ---- simulated: 4 hosts of 4 cores ----

def test_thieves_do_not_rob_each_other_for_ever(sim):
    """Of a last iteration that takes no time."""
    row, _ = check(sim("--kernel", "null:size=100000", "--scheme", "gss",
                       "--threads", 2, *STEAL))
    assert row["time_s"] < 1e-3


@pytest.mark.parametrize("victim", ["random", "near"])
@pytest.mark.parametrize("layout", [
    "--threads 4", "--ranks 16", "--ranks 4 --threads 4", "--ranks 5",
    "--ranks 6 --threads 2"])
def test_simulated_iterations_are_handed_out_once(sim, costs, layout, victim):
    uneven = [1e-3 * (i % 50) for i in range(500)]
    row, _ = check(sim("--kernel", costs(uneven), "--scheme", "css:chunk=3",
                       "--victim", victim, *layout.split(), *STEAL))
    assert row["verified"] == "handed out"
    # The bound is list scheduling; what stealing adds are some messages, and
    # at the end at most a piece.
    assert row["time_s"] < row["bound_s"] + 0.15


@pytest.mark.parametrize("layout", ["--threads 2", "--ranks 2"])
def test_half_of_what_one_has_is_robbed(sim, costs, layout):
    """Where nothing else runs, of two workers each does half."""
    many = [1e-3] * 60 + [1e-7] * 60
    _, chunks = check(sim("--kernel", costs(many), "--scheme", "ss",
                          *layout.split(), *STEAL))
    away = [c for c in chunks if c["start"] < 60 and c["worker"] > 0]
    assert len(away) == pytest.approx(30, abs=1)


def test_a_slow_worker_is_robbed_of_what_it_cannot_do(sim, costs):
    """Half as fast as the other: a third."""
    for layout in "--threads 2", "--ranks 2":
        result = sim("--kernel", costs([1e-3] * 900), "--scheme", "ss",
                     "--load", "w0:1", *layout.split(), *STEAL,
                     out=layout.replace(" ", ""))
        row, _ = check(result)
        assert row["time_s"] == pytest.approx(0.6, rel=0.01)
        assert result.lines("workers")[0]["iterations"] == pytest.approx(
            300, abs=4)


def test_near_victims_are_on_the_same_node(sim, costs):
    """Worker w is on host w // 4, and the first of each has the work."""
    near = {}
    uneven = [1e-3 if i // 100 % 4 == 0 else 1e-5 for i in range(1600)]
    for victim in "random", "near":
        result = sim("--kernel", costs(uneven), "--scheme", "ss", "--ranks",
                     16, "--victim", victim, *STEAL, out=victim)
        _, chunks = check(result)
        away = [c for c in chunks if c["home"] != c["worker"]]
        near[victim] = sum(c["home"] // 4 == c["worker"] // 4
                           for c in away) / len(away)
    assert near["near"] > 0.8 > 0.7 > near["random"]


def test_seeds_decide_who_is_robbed(sim, costs, campaign):
    path = campaign(f"""
name: seeds
transport: steal
cells:
  - kernel: "{costs([1e-3 * (i % 50) for i in range(500)])}"
    scheme: ss
    layout: 4x4
""")
    first, same, other = (
        sim(path, "--set", f"seed={seed}", "--trace", out=name)
        for seed, name in ((1, "first"), (1, "same"), (2, "other")))
    assert_same_digits(first, same)
    assert ([c["worker"] for c in first.lines("chunks")]
            != [c["worker"] for c in other.lines("chunks")])


@pytest.mark.parametrize("options,part", [
    ("--scheme static", "use one of ss, css, gss, fss"),
    ("--scheme wf --power 1,2", "use one of ss, css, gss, fss"),
    ("--scheme awf-b", "use one of ss, css, gss, fss"),
    ("--scheme gss --ranks 2 --hierarchy 2", "use flat"),
    ("--scheme gss/ss --ranks 2 --hierarchy 2", "use flat"),
    ("--scheme gss --collect master", "no master to collect"),
    ("--scheme gss --kernel heat:rows=20,cols=20", "use transport shared"),
    ("--scheme lp-adaptive", "transport steal has no master"),
    ("--scheme gss --victim neer", "did you mean 'near'?")])
def test_what_cannot_be_stolen_is_said(dlsbench, options, part):
    result = dlsbench("run", "--kernel", "matmul:tasks=9,min=5,max=9",
                      "--transport", "steal", "--threads", 2,
                      *options.split())
    assert result.code == 2
    assert part in result.err, result.err
