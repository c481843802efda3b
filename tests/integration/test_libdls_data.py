"""Data of loops over ranks, as programs get them (libdls-mpich in an empty
prefix): input of chunks, and results that are collected."""
import pytest

from test_libdls_mpi import SOURCES, compiled, launch

FORMS = ["", "window=shared,hierarchy=node", "window=rma",
         "window=rma,hierarchy=node", "transport=master",
         "transport=master,hierarchy=node", "transport=steal"]


@pytest.fixture(scope="module")
def data(installed):
    return compiled(installed, SOURCES / "data.c", installed / "data")


@pytest.mark.cross(part=7)
@pytest.mark.parametrize("way", ["shared", "rma"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("threads", ["1", "21", "12"])
def test_every_byte_is_right(data, form, way, threads):
    text = f"{form},input={way}".lstrip(",")
    done = launch(2, data, text, threads, "0")
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


@pytest.mark.parametrize("text", ["input=rma", "transport=master"])
def test_ranks_that_leave(data, text):
    """What they ran is collected, and what they leave others run."""
    done = launch(2, data, text, "1", "1")
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def test_one_rank_and_a_dedicated_master(data):
    for ranks, text, threads in ((1, "", "2"), (
            2, "transport=master,master=dedicated,input=rma", "02")):
        done = launch(ranks, data, text, threads, "0")
        assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def without_memory(installed, tmp_path):
    """A program in which each allocation of the library fails once."""
    wrap = ",".join(f"--wrap={name}" for name in (
        "malloc calloc realloc aligned_alloc posix_memalign").split())
    return compiled(installed, SOURCES / "no_memory.c", tmp_path / "memory",
                    f"-Wl,{wrap}", static=True)


@pytest.mark.cross(part=5)
@pytest.mark.parametrize("text", ["", "window=rma,input=rma",
                                  "transport=master", "transport=steal",
                                  "transport=master,hierarchy=node"])
def test_memory_that_is_not_there_is_an_error(installed, tmp_path, text):
    """In whichever rank: all get it, or none."""
    done = launch(2, without_memory(installed, tmp_path), text, "gss")
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split()[0]) > 40


def test_misuse_is_an_error(data):
    done = launch(2, data, "misuse")
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def test_packed_particles(installed, tmp_path):
    program = compiled(
        installed, installed / "share/doc/dls/examples/particles.c",
        tmp_path / "particles", "-lm", compiler="mpicc.mpich -std=c11")
    outputs = set()
    for ranks, scheme in (1, "static"), (2, "gss"), (3, "ss"):
        done = launch(ranks, program, scheme)
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1 and "particles" in outputs.pop()
