"""What tests/pin.py pins: campaigns, simulations, native cells, commands."""
import pathlib

CALIBRATION = pathlib.Path(__file__).resolve().parent / \
    "pinned/calibration.json"

# Every campaign of the tree and the command that runs it.
CAMPAIGNS = {
    "auto": "run", "divisible": "run", "robustness": "run", "smoke": "run",
    "sync-interval": "run", "workstation": "run", "cluster": "run",
    "sparse": "run", "real-cluster": "run", "real-link": "run",
    "dependences": "run", "dependences-held": "run",
    "irregular": "run", "unequal": "run", "classes": "run",
    "unequal-sim": "sim", "classes-sim": "sim",
    "divisible-sim": "sim", "robustness-sim": "sim", "andronikos-1": "sim",
    "andronikos-2": "sim", "andronikos-3": "sim",
    "ciorba-floyd-steinberg": "sim", "ciorba-heat": "sim",
    "ciorba-table-1": "sim", "ciorba-alternatives": "sim",
    "ciorba-loads": "sim", "han": "sim",
    "han-alternatives": "sim", "han-beyond": "sim"}


def both(size):
    """Floyd and Steinberg's loop as it is and as the papers cut it."""
    return 'kernel=["floyd-steinberg:{0},shape=paper",' \
           '"floyd-steinberg:{0},shape=exact"]'.format(size)


SMALL = 'kernel=["mandelbrot:size=300,maxiter=100","adjoint:size=16"]'
WAVES = [both("rows=2000,cols=200"), "sync_interval=[20,50]"]
CLUSTER = ["--platform", "files/ranger.xml"]
MACHINE = ["--platform", "this-machine", "--calibration", CALIBRATION,
           "--cores", 2]
# Simulations: a name, the campaign, options, and values that reduce it.
REDUCED = [
    ("robustness-sim", "robustness-sim", [],
     ["kernel=mandelbrot:size=256,maxiter=200", "workers=16"]),
    ("divisible-sim", "divisible-sim", [], []),
    ("andronikos-1", "andronikos-1", [], WAVES),
    ("andronikos-2", "andronikos-2", [], WAVES),
    ("andronikos-3", "andronikos-3", [], WAVES),
    ("ciorba-floyd-steinberg", "ciorba-floyd-steinberg", [],
     [both("rows=2000,cols=300"), "sync_interval=100"]),
    ("ciorba-heat", "ciorba-heat", [],
     ["kernel=heat:rows=2000,cols=300", "sync_interval=100"]),
    ("ciorba-table-1", "ciorba-table-1", [],
     ["kernel=heat:rows=5000,cols=300"]),
    ("ciorba-alternatives", "ciorba-alternatives", [],
     [both("rows=2000,cols=300"), "sync_interval=100"]),
    ("han", "han", [], [SMALL, "workers=32"]),
    ("han-alternatives", "han-alternatives", [], [SMALL, "workers=32"]),
    ("han-beyond", "han-beyond", [], [SMALL, "workers=72"]),
    ("smoke-on-a-cluster", "smoke", CLUSTER, ["kernel=null:size=500"]),
    ("workstation-on-a-cluster", "workstation", CLUSTER, []),
    ("workstation-on-this-machine", "workstation", MACHINE, []),
]
# With every transport: in each slice of `make test`.
EVERY = "workstation-on-a-cluster"
# Of Ranger's 4,352 nodes 12 are enough here.
FEWER = [("0-4351", "0-11"), ("2;16,272;1,16;1,1", "2;4,3;1,4;1,1")]
SMALLER = {"ranger.xml": FEWER, "ranger-processors.xml": FEWER}
# make paper-diaz fits these first; here they are given.
DIAZ = {"flop_per_cycle_pentium": 0.03, "flop_per_cycle_opteron": 0.03,
        "chore_spain_s": 5, "chore_mexico_s": 300, "fitted": ["css", "gss"],
        "off": 0, "load_sigma": 0, "load_apart_s": 0, "loads": [1.0, 2.0]}
# Columns of a simulated run written in full; two checksums cover all others.
DIGITS = ["chunks", "time_s", "overhead_mean_s", "messages", "bytes"]
# Columns that depend on the day, the machine and the build.
CHANGING = {"launch", "started", "wall_s"}

NATIVE = """
name: pinned
repetitions: 2
repetitions_max: 2
oversubscribe: true
events: none
trace: true
bind: none
kernel: "mandelbrot:size=32,maxiter=50"
cells:
  - {layout: 1x2, transport: [shared, steal], scheme: ss}
  - {layout: 1x2, transport: openmp, scheme: static}
  - {layout: 2x1, transport: [master, window, steal], scheme: ss}
  - {layout: 4x1, transport: master, hierarchy: 2, scheme: gss}
  - {layout: 2x1, transport: master, scheme: ss, prefetch: off, reissue: true,
     perturb: ["delay:worker=1,factor=2"]}
  - {layout: [1x2, 2x1], kernel: "heat:rows=24,cols=48", scheme: static,
     sync_interval: [16, auto], protocol: [dmps, subproblem]}
  - {layout: 2x1, kernel: "matmul:tasks=8,min=10,max=20", data: sent,
     scheme: [gss, single-round]}
  - {layout: 1x2, scheme: "auto:by=trial,schemes=ss+gss"}
"""

GROUPS = ["--chunk-dim", 10000, "--sync-dim", 20000, "--cd", "99e-6",
          "--cc", "0.69e-6"]
KIDS = [*GROUPS, "--workers", 10, "--cp", "0.526e-6"]
MIXED = [*GROUPS, "--workers", "5:1,5:0.63", "--cp", "0.319e-6,0.526e-6"]
STAR = ["plan", "--load", 1000, "--workers", 5, "--g", 0.06, "--G", 0.06,
        "--z", 0.1, "--w", "3:9,2:20"]
MEASURED = ["--calibration", CALIBRATION]
NODE = ["topo", "--topology", "pack:2 numa:2 core:4 pu:2"]
COMMANDS = [
    ["list", "schemes"], ["list", "kernels"], ["list", "perturbations"],
    ["list", "transports"],
    ["chunks", "--scheme", "gss", "--iterations", 100, "--workers", 4],
    ["chunks", "--scheme", "tss", "--iterations", 100, "--workers", 4,
     "--format", "csv"],
    ["predict", *KIDS, "--csched", "500e-6", "--tms", "1.253e-3"],
    ["predict", *KIDS, "--k", 8, "--h", "60,80,100", "--format", "csv"],
    ["predict", *KIDS, "--k", 4, "--stream", "--skew", 1],
    ["predict", *KIDS, "--model", "chen-xue"],
    ["predict", *MIXED, "--csched", "650e-6"],
    ["predict", *MEASURED, "--kernel", "heat:rows=2000,cols=4000"],
    ["predict", *MEASURED, "--kernel", "floyd-steinberg", "--layout", "2x1",
     "--scheme", "tss", "--protocol", "subproblem", "--format", "csv"],
    [*STAR, "--algorithm", "all"],
    [*STAR, "--algorithm", "all", "--overlap", "--format", "csv"],
    [*STAR, "--algorithm", "single-round"],
    [*STAR, "--algorithm", "single-round", "--order", "4,2,0,1,3"],
    [*STAR, "--algorithm", "lp-adaptive", "--tail", "share"],
    [*STAR, "--algorithm", "lp-sqrt", "--format", "csv"],
    [*STAR, "--algorithm", "lp-fixed", "--period", 500, "--format", "gantt"],
    [*STAR, "--algorithm", "multi-installment", "--installments", 3],
    ["plan", *MEASURED, "--algorithm", "all", "--load", 100, "--workers", 2,
     "--kernel", "matmul:tasks=100", "--unit", "1e-3"],
    NODE,
    [*NODE, "--rank-per", "numa", "--smt"],
    [*NODE, "--rank-per", "socket"],
    [*NODE, "--workers", 6, "--bind", "scatter"],
    [*NODE, "--ranks", 2, "--threads", 2, "--bind", "0,2,4,6"],
    [*NODE, "--ranks", 2, "--threads", 12, "--oversubscribe"],
    [*NODE, "--cpuset", "0-7"],
]
CHUNKS = [["--iterations", 300, "--workers", 4],
          ["--iterations", 777, "--workers", 3, "--min-chunk", 5,
           "--power", "1,2,4", "--order", "2,1,2,0"]]
