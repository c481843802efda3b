"""Parts of a campaign: launch shapes, shards, and what jobs go on with."""
import pytest

TEXT = """
name: "x; rm -rf ~"
repetitions: 1
repetitions_max: 1
oversubscribe: on
kernel: "null:size=100"
layout: [1x2, 2x1]
cells:
  - scheme: [static, ss, css, gss, fss, tss, qss]
"""
HEADER = "cell,layout,place,status,seconds,estimate,kernel,scheme"


@pytest.fixture
def cells(dlsbench, campaign):
    """The lines of --dry-run --format csv, without the specs."""
    path = campaign(TEXT)

    def call(*words):
        done = dlsbench("run", path, "--dry-run", "--format", "csv", *words)
        assert done.code == 0, done.err
        header, *lines = done.out.splitlines()
        assert header == HEADER
        return [x.split(",")[:6] for x in lines]
    return call


def test_shapes_and_shards_make_up_the_campaign(cells):
    whole = cells()
    assert len(whole) == 14 and {x[3] for x in whole} == {"missing"}
    assert {x[4] for x in whole} == {"60"}
    assert {x[5] for x in whole} == {"limit"}
    for shape in "1x2", "2x1":
        mine = [x for x in whole if x[1] == shape]
        assert [int(x[2]) for x in mine] == list(range(7))
        for shard in range(3):
            part = cells("--shape", shape, "--shard", f"{shard}/3", "--out",
                         "none/")
            assert {x[0] for x in part} == {
                x[0] for x in mine if int(x[2]) % 3 == shard}


def test_a_prepared_directory_is_gone_on_with_part_by_part(
        dlsbench, campaign, cells, tmp_path):
    path = campaign(TEXT)
    for _ in range(2):  # the second finds it there
        made = dlsbench("run", path, "--prepare")
        assert made.code == 0, made.err
        assert made.out == f"{tmp_path}/out\nx; rm -rf ~\n"
    stored = made.directory / "campaign.yaml"
    assert [x.name for x in made.directory.iterdir()] == [stored.name]
    for shard in range(2):
        part = dlsbench("run", stored, "--resume", "--shape", "2x1",
                        "--shard", f"{shard}/2")
        assert part.code == 0, part.err
        found = {(x[1], x[3]) for x in cells("--out", "out/")
                 if x[1] == "1x2" or int(x[2]) % 2 <= shard}
        assert found == {("1x2", "missing"), ("2x1", "ok")}
    good = [x["cell"] for x in part.done() if x["status"] == "ok"]
    assert len(good) == len(set(good)) == 7


def test_only_own_directories_are_prepared(dlsbench, campaign, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("")
    refused = dlsbench("run", campaign(TEXT), "--prepare")
    assert refused.code == 2 and "but no campaign.yaml" in refused.err
    assert [x.name for x in (tmp_path / "out").iterdir()] == ["mine"]


def test_cores_stand_for_what_is_given(dlsbench, campaign):
    done = dlsbench("run", campaign(TEXT.replace("[1x2, 2x1]", "1xcores")),
                    "--dry-run", "--format", "csv", "--cores", 96)
    assert {x.split(",")[1] for x in done.out.splitlines()[1:]} == {"1x96"}


@pytest.mark.parametrize("words,says", [
    (["--shape", "9x9"], "no cells of layout 9x9, one that it has is 1x2"),
    (["--shape", "2"], "'2' must be RANKSxTHREADS"),
    (["--shard", "4/4", "--out", "o"], "'4/4' must be I/N"),
    (["--format", "json"], "--dry-run has no --format json: use table or csv"),
    (["--cores", "0"], "--cores"),
])
def test_wrong_parts_are_refused(dlsbench, campaign, words, says):
    done = dlsbench("run", campaign(TEXT), "--dry-run", *words)
    assert done.code == 2 and len(done.error_lines()) == 1
    assert says in done.err


@pytest.mark.parametrize("name", ["a/b", ".hidden", "", "tab\\t", "x" * 64])
def test_a_name_must_name_a_folder(dlsbench, campaign, name):
    done = dlsbench("run", campaign(TEXT.replace("x; rm -rf ~", name)),
                    "--dry-run")
    assert done.code == 2 and "cannot name a folder" in done.err


def test_what_ran_before_tells_how_long_it_takes(dlsbench, campaign, measured):
    path = campaign("""
repetitions: 2
repetitions_max: 4
kernel: ["adjoint:size=60", "matmul:tasks=8,min=8,max=9", "null:size=50"]
layout: 1x1
cells:
  - scheme: [ss, gss]
""")
    ran = dlsbench("run", path, "--set", "scheme=ss", "--set",
                   "kernel=adjoint:size=60", out="first")
    assert ran.code == 0, ran.err
    time = sorted(x["time_s"] for x in ran.runs())
    count = len(time)
    median = (time[count // 2] + time[(count - 1) // 2]) / 2
    serial = [x["serial_s"] for x in ran.runs()]

    def estimates(*words):
        done = dlsbench("run", path, "--dry-run", "--format", "csv", *words)
        assert done.code == 0, done.err
        rows = [x.split('"') for x in done.out.splitlines()[1:]]
        return {(x[1].split(":")[0], x[3].split(":")[0]):
                (float(x[0].split(",")[4]), x[0].split(",")[5])
                for x in rows}
    found = estimates("--from", "first/", "--calibration", measured[0])
    seconds, by = found["adjoint", "ss"]
    # Six serial passes, a warm-up and at most four repetitions.
    assert by == "measured"
    assert 6 * min(serial) < seconds - 5 * median < 6.01 * max(serial)
    assert found["adjoint", "gss"][1] == "alike"
    assert found["adjoint", "gss"][0] == pytest.approx(seconds, rel=0.01)
    assert found["null", "ss"] == (60, "limit")
    assert found["matmul", "ss"][1] == "model"
    assert 0 < found["matmul", "ss"][0] < 5
    missing = dlsbench("run", path, "--dry-run", "--format", "csv", "--from",
                       "nowhere")
    assert missing.code == 2 and "--from: " in missing.err
    alone = dlsbench("run", path, "--from", "first/")
    assert alone.code == 2 and "--from goes with --dry-run" in alone.err
