"""A ReFrame test of this machine: dlsbench runs one loop under each scheme.

    reframe -c packaging/reframe_dlsbench.py -r
    reframe -c packaging/reframe_dlsbench.py -r -S dlsbench=/opt/bin/dlsbench

It passes if all results verify.  The median time of each cell is a performance
variable.  It ran under ReFrame 4.11; Debian has none, so that no test runs it.
"""
import json

try:
    import reframe as rfm
    import reframe.utility.sanity as sn
except ImportError:     # the functions below need none
    rfm = None


# What dlsbench run says where each cell ran and each result is right.
ALL_RIGHT = (r"^\d+ cells? ok, 0 failed"
             r"(, \d+ impossible combinations? skipped)?$")


def times_of(text):
    """{cell's name: median in seconds} of dlsbench summary --format bencher"""
    return {name: cell["latency"]["value"] / 1e9
            for name, cell in json.loads(text).items()}


if rfm:
    @rfm.simple_test
    class LoopScheduling(rfm.RunOnlyRegressionTest):
        descr = "times of loops under each scheme (DLSBench)"
        valid_systems = ["*"]
        valid_prog_environs = ["*"]
        dlsbench = variable(str, value="dlsbench")          # noqa: F821
        kernel = variable(str, value="mandelbrot")          # noqa: F821
        schemes = variable(str, value="static,ss,gss,fss")  # noqa: F821
        num_tasks = 1
        local = True    # dlsbench starts the ranks itself

        @run_after("init")                                  # noqa: F821
        def set_command(self):
            self.executable = self.dlsbench
            self.executable_opts = ["run", "--kernel", self.kernel,
                                    "--scheme", self.schemes, "--out", "./out"]
            self.postrun_cmds = [f"{self.dlsbench} summary ./out "
                                 "--format bencher > times.json"]
            self.keep_files = ["times.json"]

        @sanity_function                                    # noqa: F821
        def all_cells_are_verified(self):
            return sn.assert_found(ALL_RIGHT, self.stdout)

        @run_before("performance")                          # noqa: F821
        def set_times(self):
            with open(f"{self.stagedir}/times.json") as file:
                found = times_of(file.read())
            # ReFrame takes what is before a colon for the system.
            self.perf_variables = {
                name.replace(":", " "): sn.make_performance_function(
                    sn.defer(seconds), "s") for name, seconds in found.items()}
