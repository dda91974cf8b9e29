#!/usr/bin/env python3
"""Every row of plugin/call/uses.def is called by every_use.c, by each name that it has in C, and with --language fortran by
every_use_fortran.F90 through mpi and mpi_f08; and counted as the standard has it: two elements a buffer, of one process, which
is its own neighbour: in C on both sides."""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

COUNT, PARTITIONS = 2, 3


def plan_of(function, neighbours):
    """{argument: elements} of a function, as if it were no `_init`."""
    base = re.sub(r"^I(?=[a-z])", "", function.removesuffix("_init"))
    base = base[0].upper() + base[1:]
    if re.fullmatch(r"P(send|recv)", base):
        return {"datatype": PARTITIONS * COUNT}
    if base in ("Put", "Get", "Accumulate", "Rput", "Rget", "Raccumulate"):
        return {"origin_datatype": COUNT, "target_datatype": COUNT}
    if base in ("Get_accumulate", "Rget_accumulate"):
        return {"origin_datatype": COUNT, "result_datatype": COUNT, "target_datatype": COUNT}
    if base in ("Fetch_and_op", "Compare_and_swap"):
        return {"datatype": 1}
    if base == "File_set_view":
        return {"etype": 0, "filetype": 0}
    if re.fullmatch(r"Neighbor_allgatherv?", base):
        return {"sendtype": COUNT, "recvtype": COUNT * neighbours}
    if re.fullmatch(r"Neighbor_alltoallv?", base):
        return {"sendtype": COUNT * neighbours, "recvtype": COUNT * neighbours}
    if base == "Neighbor_alltoallw":
        return {"sendtypes": COUNT * neighbours, "recvtypes": COUNT * neighbours}
    if base == "Alltoallw":
        return {"sendtypes": COUNT, "recvtypes": COUNT}
    if re.fullmatch(r"(All)?gatherv?|Scatterv?|Alltoallv?|Sendrecv", base, re.IGNORECASE):
        return {"sendtype": COUNT, "recvtype": COUNT}
    return {"datatype": COUNT}


def is_of_mpi_4(function):
    is_persistent_collective = function.endswith("_init") and not re.fullmatch(r"([BRS]?[Ss]end|Recv)_init", function)
    return is_persistent_collective or function.startswith("Isendrecv")


def rows():
    """The functions of the table, and whether each has a large form."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plugin", "call", "uses.def")
    with open(source, encoding="utf-8") as table:
        found = re.findall(r"^DDTSCOPE_USES(_ALONE)?\(\d+, MPI_(\w+),", table.read(), re.MULTILINE)
    return {function: not alone for alone, function in found}


class Wanted:
    """What each language's program must use: {(function, binding, argument): [calls, elements]}"""

    def __init__(self, has_mpi_4, neighbours):
        self.functions = {f: large for f, large in rows().items() if has_mpi_4 or not is_of_mpi_4(f)}
        self.neighbours = neighbours
        self.uses = collections.defaultdict(lambda: [0, 0])

    def add(self, called, binding, plan):
        for argument, elements in plan.items():
            use = self.uses[called, binding, argument]
            use[0] += 1
            use[1] += elements

    def add_each(self, binding, name, start):
        """By a binding's names, name(function, whether it has a large form)."""
        for function, has_large_form in self.functions.items():
            called = name(function, has_large_form)
            if called is None:
                continue
            plan = plan_of(function, self.neighbours)
            is_persistent = function.endswith("_init")
            self.add(called, binding, {argument: 0 if is_persistent else n for argument, n in plan.items()})
            if is_persistent:
                self.add(*start, plan)


def wanted_in_c(has_mpi_4):
    wanted = Wanted(has_mpi_4, neighbours=2)
    for prefix, binding in (("MPI_", "c"), ("PMPI_", "pmpi")):
        wanted.add_each(binding, lambda function, _, prefix=prefix: prefix + function, ("MPI_Start", "c"))
        if has_mpi_4:
            wanted.add_each(binding, lambda function, large, prefix=prefix: prefix + function + ("_c" if large else ""),
                            ("MPI_Start", "c"))
    return dict(wanted.uses)


def wanted_in_fortran(has_mpi_4):
    wanted = Wanted(has_mpi_4, neighbours=1)
    for binding in ("mpif.h", "mpi_f08"):
        wanted.add_each(binding, lambda function, _: function.lower(), ("start", binding))
    if has_mpi_4:
        def name(function, large):
            return None if function.startswith("File_") else function.lower() + ("_c" if large else "")
        wanted.add_each("mpi_f08", name, ("start", "mpi_f08"))
    return dict(wanted.uses)


def function_in_fortran(called):
    """Without what libraries and compilers add: "send", "send_c"."""
    name = re.fullmatch(r"mpi_(\w+?)(_f08(ts)?|_c_f08(ts)?)?(_large)?_*", called.lower())
    return name[1] + ("_c" if "large" in called or "_c_f08" in called else "")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--language", choices=["c", "fortran"], default="c")
    options = script.options_of(parser)
    is_fortran = options.language == "fortran"
    folder = os.path.join(options.work, "t")
    environment = {**script.base_environment(), "DDTSCOPE_QUIET": "1"}

    def run(*command):
        return subprocess.run([options.launcher, "-n", "1", *command, options.program], cwd=options.work, env=environment,
                              capture_output=True, text=True, check=False, timeout=120)
    native = run()
    script.expect_same(run(options.ddtscope, "exec", "-o", folder, "--"), native, "every use")
    if native.returncode != 0:
        fail("every use", native.stderr)
    wanted = (wanted_in_fortran if is_fortran else wanted_in_c)("MPI-4" in native.stdout)
    read = subprocess.run([options.ddtscope, "uses", folder, "--json"], capture_output=True, text=True, check=True)
    found = collections.defaultdict(lambda: [0, 0])
    for use in json.loads(read.stdout):
        if use["type"] == "MPI_PACKED":
            continue
        if use["type"] != ("MPI_INTEGER" if is_fortran else "MPI_INT"):
            fail(use["called"], f"uses {use['type']}")
        called = function_in_fortran(use["called"]) if is_fortran else use["called"]
        total = found[called, use["binding"], use["argument"]]
        total[0] += use["calls"]
        total[1] += use["elements"]
    if is_fortran and "v6.0.0rc2" in script.library_of(options, folder):
        # Its MPI_Gather of large counts calls the C function of others, which none does that the program calls.
        for argument in ("sendtype", "recvtype"):
            del wanted["gather_c", "mpi_f08", argument]
    for key in wanted.keys() | found.keys():
        if wanted.get(key) != found.get(key):
            fail(*key, f"{found.get(key)}, should be {wanted.get(key)}")
    checked = subprocess.run([options.ddtscope, "check", folder, "--json"], capture_output=True, text=True, check=False)
    findings = json.loads(checked.stdout)["findings"]
    if findings:
        fail("check", str(findings))
    print(f"{len(wanted)} uses by name and argument")
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
