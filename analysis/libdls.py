"""libdls by ctypes: loops whose workers are threads, and a scheme's chunks.

dls/dls.h says what each function does.  A call of the library lets other
threads of Python run.
"""
import ctypes
import functools
import operator

import pandas as pd

from . import program

# In a checkout, beside an installed dlsbench, and wherever the loader looks.
PLACES = ["../build/lib/libdls.so", "../../../lib/libdls.so.1"]
ANYWHERE = "libdls.so.1"
INT = ctypes.c_int64


class Options(ctypes.Structure):
    """struct dls_options"""
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("text", ctypes.c_char_p),
                ("power", ctypes.POINTER(ctypes.c_double)),
                ("context", ctypes.c_void_p),
                ("costs", ctypes.POINTER(ctypes.c_double))]


@functools.cache
def library():
    """Raises OSError where libdls is not installed."""
    try:
        dls = ctypes.CDLL(program.beside(*PLACES) or ANYWHERE)
    except OSError as error:
        raise OSError(f"libdls cannot be loaded: {error}: make lib, or "
                      "apt-get install libdls1") from None
    dls.dls_error.restype = dls.dls_scheme_of.restype = ctypes.c_char_p
    dls.dls_unfinished.restype = INT
    for function in (dls.dls_error, dls.dls_scheme_of, dls.dls_unfinished):
        function.argtypes = [ctypes.c_void_p]
    dls.dls_open.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p,
                             INT, ctypes.c_int, ctypes.POINTER(Options)]
    dls.dls_next.argtypes = [ctypes.c_void_p, ctypes.c_int,
                             ctypes.POINTER(INT), ctypes.POINTER(INT)]
    dls.dls_leave.argtypes = [ctypes.c_void_p, ctypes.c_int]
    dls.dls_again.argtypes = [ctypes.c_void_p, INT]
    dls.dls_close.argtypes = [ctypes.c_void_p, ctypes.POINTER(INT)]
    return dls


def whole(value, kind, name):
    """ctypes would cut a number to the size of its type."""
    found = kind(operator.index(value))
    if found.value != value:
        raise ValueError(f"{name}: {value} is too large")
    return found


def numbers(values, count, name):
    if values is None:
        return None
    values = list(values)
    if len(values) != count:
        raise ValueError(f"{name}: {len(values)} numbers, must be {count}")
    return (ctypes.c_double * count)(*values)


class Loop:
    """A loop of `iterations`, shared by workers 0 to workers - 1.  power: the
    relative speed of each worker; costs: what each iteration costs, for the
    schemes that count with them.  A worker belongs to one thread at a time.
    Raises ValueError, with the library's sentence."""

    def __init__(self, scheme, iterations, workers, power=None, costs=None,
                 name=None, min_chunk=1):
        self._dls, self._loop = library(), ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), name and name.encode(),
                          f"min-chunk={min_chunk}".encode(),
                          numbers(power, workers, "power"), None,
                          numbers(costs, iterations, "costs"))
        try:
            self._call(self._dls.dls_open(
                ctypes.byref(self._loop), scheme.encode(),
                whole(iterations, INT, "iterations"),
                whole(workers, ctypes.c_int, "workers"),
                ctypes.byref(options)))
        except ValueError:
            self.close()
            raise

    @property
    def _handle(self):
        if not self._loop:
            raise ValueError("this loop is closed")
        return self._loop

    def _call(self, code):
        if code < 0:
            raise ValueError(self._dls.dls_error(self._loop).decode())
        return code

    def next(self, worker):
        """The next chunk of a worker, (begin, end); None: there is none."""
        begin, end = INT(), INT()
        found = self._call(self._dls.dls_next(
            self._handle, whole(worker, ctypes.c_int, "worker"),
            ctypes.byref(begin), ctypes.byref(end)))
        return (begin.value, end.value) if found else None

    def chunks(self, worker):
        """All chunks of a worker, each when the one before is finished."""
        return iter(lambda: self.next(worker), None)

    def leave(self, worker):
        self._call(self._dls.dls_leave(
            self._handle, whole(worker, ctypes.c_int, "worker")))

    def again(self, iterations):
        """The next visit of the loop, when all of this one is finished."""
        self._call(self._dls.dls_again(
            self._handle, whole(iterations, INT, "iterations")))

    @property
    def unfinished(self):
        return self._dls.dls_unfinished(self._handle)

    @property
    def scheme(self):
        """With all its keys."""
        return self._dls.dls_scheme_of(self._handle).decode()

    def close(self):
        self._dls.dls_close(self._loop, None)
        self._loop = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def schemes(scheme, iterations, workers, power=None, costs=None, min_chunk=1):
    """The chunks of a scheme where the workers ask in turns: a DataFrame with
    step, worker, begin, size."""
    rows = []
    with Loop(scheme, iterations, workers, power, costs,
              min_chunk=min_chunk) as loop:
        asking = list(range(workers))
        while asking:
            for worker in list(asking):
                chunk = loop.next(worker)
                if chunk is None:
                    asking.remove(worker)
                else:
                    rows.append((len(rows), worker, chunk[0],
                                 chunk[1] - chunk[0]))
    return pd.DataFrame(rows, columns=["step", "worker", "begin", "size"])
