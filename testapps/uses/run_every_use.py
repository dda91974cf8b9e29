#!/usr/bin/env python3
"""Every row of plugin/call/uses.def is called by every_use.c, by each name that it has in C, and counted as the standard has it:
two elements a buffer, of one process, or of a ring of one, which is its own neighbour on both sides."""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

COUNT, PARTITIONS, NEIGHBOURS = 2, 3, 2


def plan_of(function):
    """{argument: elements} of a function's own name, as if it were no `_init`."""
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
        return {"sendtype": COUNT, "recvtype": COUNT * NEIGHBOURS}
    if re.fullmatch(r"Neighbor_alltoallv?", base):
        return {"sendtype": COUNT * NEIGHBOURS, "recvtype": COUNT * NEIGHBOURS}
    if base == "Neighbor_alltoallw":
        return {"sendtypes": COUNT * NEIGHBOURS, "recvtypes": COUNT * NEIGHBOURS}
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


def wanted_uses(has_mpi_4):
    """{(called, binding, argument): [calls, elements]}"""
    wanted = collections.defaultdict(lambda: [0, 0])

    def add(called, binding, plan):
        for argument, elements in plan.items():
            use = wanted[called, binding, argument]
            use[0] += 1
            use[1] += elements

    for function, has_large_form in rows().items():
        if is_of_mpi_4(function) and not has_mpi_4:
            continue
        plan = plan_of(function)
        for prefix, binding in (("MPI_", "c"), ("PMPI_", "pmpi")):
            for large in (False, True) if has_mpi_4 else (False,):
                called = prefix + function + ("_c" if large and has_large_form else "")
                is_persistent = function.endswith("_init")
                add(called, binding, {argument: 0 if is_persistent else n for argument, n in plan.items()})
                if is_persistent:
                    add("MPI_Start", "c", plan)
    return dict(wanted)


def main():
    options = script.options_of(script.parser(__doc__))
    folder = os.path.join(options.work, "t")
    environment = {**script.base_environment(), "DDTSCOPE_QUIET": "1"}

    def run(*command):
        return subprocess.run([options.launcher, "-n", "1", *command, options.program], cwd=options.work, env=environment,
                              capture_output=True, text=True, check=False, timeout=120)
    native = run()
    script.expect_same(run(options.ddtscope, "exec", "-o", folder, "--"), native, "every use")
    if native.returncode != 0:
        fail("every use", native.stderr)
    wanted = wanted_uses("MPI-4" in native.stdout)
    read = subprocess.run([options.ddtscope, "uses", folder, "--json"], capture_output=True, text=True, check=True)
    found = collections.defaultdict(lambda: [0, 0])
    for use in json.loads(read.stdout):
        if use["type"] == "MPI_PACKED":
            continue
        if use["type"] != "MPI_INT":
            fail(use["called"], f"uses {use['type']}")
        total = found[use["called"], use["binding"], use["argument"]]
        total[0] += use["calls"]
        total[1] += use["elements"]
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
