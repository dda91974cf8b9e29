#!/usr/bin/env python3
"""What a Fortran program does with types is counted by the names and the bindings that it calls, each call once."""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402

# Of each module: calls, elements, smallest and largest count.
PLAN = {
    ("isend", "datatype", "T1"): (1, 2, 2, 2),
    ("recv", "datatype", "T1"): (2, 6, 2, 4),
    ("send", "datatype", "T1"): (1, 0, 0, 0),
    ("allreduce", "datatype", "MPI_INTEGER"): (1, 5, 5, 5),
    ("allgather", "recvtype", "MPI_INTEGER"): (1, 6, 6, 6),
    ("send_init", "datatype", "T1"): (1, 0, 0, 0),
    ("start", "datatype", "T1"): (1, 4, 4, 4),
}
# Of mpi_f08 alone: sections of arrays, as the program gives them.
SECTIONS = {
    ("mpi_f08", "sendrecv", "sendtype", "MPI_DOUBLE_PRECISION"): [3, 24, 8, 8],
    ("mpi_f08", "sendrecv", "recvtype", "MPI_DOUBLE_PRECISION"): [3, 24, 8, 8],
}


def main():
    options = script.options_of(script.parser(__doc__))
    environment = {**script.base_environment(), "DDTSCOPE_QUIET": "1"}
    folder = os.path.join(options.work, "t")
    result = subprocess.run([options.launcher, "-n", "1", options.ddtscope, "exec", "-o", folder, "--", options.program],
                            cwd=options.work, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        fail(f"ends with {result.returncode}: {result.stderr}")
        return 1
    read = subprocess.run([options.ddtscope, "uses", folder, "--json"], capture_output=True, text=True, check=True)
    found = collections.defaultdict(lambda: [0, 0, 1 << 62, 0])
    for use in json.loads(read.stdout):
        function = re.fullmatch(r"mpi_(\w+?)(_f08(ts)?_|_+)", use["called"], re.IGNORECASE)
        if not function:
            fail(f"called by the name {use['called']}")
            continue
        total = found[use["binding"], function[1].lower(), use["argument"], use["type"]]
        total[0] += use["calls"]
        total[1] += use["elements"]
        total[2] = min(total[2], use["smallest_count"])
        total[3] = max(total[3], use["largest_count"])
    wanted = {(binding, *key): list(amounts) for key, amounts in PLAN.items() for binding in ("mpif.h", "mpi_f08")}
    wanted.update(SECTIONS)
    for key in wanted.keys() | found.keys():
        if wanted.get(key) != found.get(key):
            fail(f"{key}: {found.get(key)}, should be {wanted.get(key)}")
    check = subprocess.run([options.ddtscope, "check", folder, "--json"], capture_output=True, text=True, check=False)
    made = subprocess.run([options.ddtscope, "types", folder, "--json"], capture_output=True, text=True, check=True)
    if json.loads(check.stdout)["findings"] or len(json.loads(made.stdout)) != 1:
        fail("check", check.stdout)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
