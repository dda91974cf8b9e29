#!/usr/bin/env python3
"""How many bytes were received stands with the uses whose statuses the program has asked for, and what persistent
requests send is among the bytes that were moved."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402

COLUMN = "T1"
# (function, argument, type): elements that were posted, bytes that were told
IN_C = {
    ("MPI_Irecv", "datatype", "MPI_INT"): (20, 40), ("MPI_Irecv", "datatype", "MPI_FLOAT"): (20, 40),
    ("MPI_Irecv", "datatype", "MPI_DOUBLE"): (20, 80), ("MPI_Irecv", "datatype", "MPI_LONG"): (20, 80),
    ("MPI_Irecv", "datatype", "MPI_SHORT"): (20, 20), ("MPI_Irecv", "datatype", "MPI_CHAR"): (20, 10),
    ("MPI_Irecv", "datatype", "MPI_UNSIGNED"): (20, 40), ("MPI_Irecv", "datatype", "MPI_UNSIGNED_CHAR"): (20, 10),
    ("MPI_Irecv", "datatype", "MPI_UNSIGNED_LONG"): (20, 80), ("MPI_Irecv", "datatype", "MPI_UNSIGNED_SHORT"): (40, None),
    ("MPI_Irecv", "datatype", "MPI_INT8_T"): (400, 120),
    ("MPI_Recv", "datatype", "MPI_INT"): (10, 12), ("MPI_Recv", "datatype", "MPI_DOUBLE"): (10, None),
    ("MPI_Recv", "datatype", "MPI_SHORT"): (0, 0),
    ("MPI_Sendrecv", "sendtype", "MPI_INT"): (2, None), ("MPI_Sendrecv", "recvtype", "MPI_INT"): (10, 8),
    ("MPI_Sendrecv_replace", "datatype", "MPI_INT"): (5, 20),
    ("MPI_Mrecv", "datatype", "MPI_INT"): (10, 16), ("MPI_Imrecv", "datatype", "MPI_INT"): (10, 16),
    ("MPI_Iallreduce", "datatype", "MPI_INT"): (2, None),
    ("MPI_Irecv", "datatype", "MPI_INT16_T"): (10, 0), ("MPI_Irecv", "datatype", "MPI_INT32_T"): (10, None),
    ("MPI_Start", "datatype", "MPI_UINT8_T"): (10, 3), ("MPI_Irecv", "datatype", "MPI_INT64_T"): (60, 3 * (16 + 8)),
    ("MPI_Irecv", "datatype", "MPI_UINT32_T"): (2, 8),
    ("MPI_Startall", "datatype", COLUMN): (3 * (2 + 1), 3 * 32),
    ("MPI_File_write", "datatype", "MPI_DOUBLE"): (3, None), ("MPI_File_read_at", "datatype", "MPI_DOUBLE"): (10, 24),
    ("MPI_File_iread_at", "datatype", "MPI_DOUBLE"): (2, 16),
}
# By each of the two modules. Where the program ignores the status, a library's Fortran layer may ask for it all the same.
IN_FORTRAN = {("irecv", "datatype", "MPI_INTEGER"): (10, 16), ("irecv", "datatype", "MPI_REAL"): (10, 16),
              ("irecv", "datatype", "MPI_CHARACTER"): (10, None), ("sendrecv", "recvtype", "MPI_INTEGER"): (10, 8)}


def read(options, *arguments):
    result = subprocess.run([options.ddtscope, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        fail(" ".join(arguments), f"status {result.returncode}: {result.stderr}")
    return result.stdout


def record(options, name, ranks, *words, tool=None, **settings):
    folder = os.path.join(options.work, name)
    preload = ["/usr/bin/env", "LD_PRELOAD=" + tool] if tool else []
    command = [options.launcher, "-n", str(ranks), *preload, options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--",
               options.program, os.path.join(options.work, name + ".data"), *words]
    result = subprocess.run(command, cwd=options.work, env={**script.base_environment(), **settings}, capture_output=True,
                            text=True, check=False)
    if result.returncode != 0:
        fail(name, f"ends with {result.returncode}: {result.stderr[-800:]}")
    return folder


def sums(uses, ranks):
    found = {}
    for use in uses:
        elements, received = found.get((use["called"], use["argument"], use["type"]), (0, None))
        told = use["received_bytes"]
        received = received if told is None else (received or 0) + told
        found[use["called"], use["argument"], use["type"]] = (elements + use["elements"], received)
    return {key: (elements // ranks, received if received is None else received // ranks)
            for key, (elements, received) in found.items()}


def log_of(folder):
    return "".join(open(os.path.join(folder, name), encoding="utf-8").read() for name in os.listdir(folder) if name.startswith("log-"))


def check_threads(options):
    found = sums(json.loads(read(options, "uses", record(options, "threads", 1, "threads"), "--json")), 1)
    wanted = (8 * 500 * 2 * 16, 8 * 500 * (3 + 4))
    if found.get(("MPI_Irecv", "datatype", "MPI_BYTE")) != wanted:
        fail("threads", f"{found}, should be {wanted}")


def check_c(options):
    check_threads(options)
    logged = {"DDTSCOPE_LOG": "file", "DDTSCOPE_LOG_LEVEL": "debug"}
    folders = [("joined", record(options, "joined", 1, **logged))]
    # The standard ABI leaves open what a status has in its fields.
    if ("PMPI_Get_elements_x" in log_of(folders[0][1])) != (options.abi == "mpi_abi"):
        fail("joined", "whether the library is asked: " + log_of(folders[0][1]))
    if options.tool:
        folders.append(("asked", record(options, "asked", 1, tool=options.tool, **logged)))
        if "PMPI_Get_elements_x" not in log_of(folders[1][1]):
            fail("asked", "not a word that the library is asked: " + log_of(folders[1][1]))
    apart = record(options, "apart", 1, DDTSCOPE_MERGE="off")
    merged = os.path.join(options.work, "merged.jsonl")
    read(options, "merge", apart, "-o", merged)
    for name, folder in (*folders, ("apart", apart), ("merged", merged)):
        uses = json.loads(read(options, "uses", folder, "--json"))
        found = sums(uses, 1)
        for key, wanted in IN_C.items():
            if found.get(key) != wanted:
                fail(name, f"{key}: {found.get(key)}, should be {wanted}")
        truncated = found.pop(("MPI_Irecv", "datatype", "MPI_UINT16_T"), None)
        if truncated not in ((4, None), (4, 8)):  # where the library returns an error nothing is told
            fail(name, f"truncated: {truncated}")
        told = {key for key, (_, received) in found.items() if received is not None}
        if told - IN_C.keys():
            fail(name, f"received bytes of {told - IN_C.keys()}")
        summary = read(options, "summary", folder)
        # 3 columns of 32 bytes were sent; those that were received are not counted once more.
        moved = re.search(r"Bytes moved by derived types: (.*)\n.*?(\d+ B) in (\d+) calls", summary)
        if not moved or moved.groups() != ("96 B", "96 B", "3"):
            fail(name, f"moved {moved and moved.groups()}: {summary}")
        text = read(options, "uses", folder, "--filter", "MPI_Mrecv")
        if "16 B received" not in text:
            fail(name, text)
        rows = read(options, "uses", folder, "--csv", "--filter", "MPI_Mrecv").splitlines()
        column = rows[0].split(",").index("received_bytes")
        if rows[1].split(",")[column] != "16":
            fail(name, "\n".join(rows))


def check_fortran(options):
    for name, ranks in (("one", 1), ("two", 2)):
        folder = record(options, name, ranks)
        uses = json.loads(read(options, "uses", folder, "--json"))
        for module, marks in (("mpi", ("mpif.h",)), ("mpi_f08", ("mpi_f08",))):
            of_module = [dict(use, called=re.sub(r"_(f08|f08ts)?_*$", "", use["called"].lower()).removeprefix("mpi_"))
                         for use in uses if use["binding"] in marks]
            found = sums(of_module, ranks)
            for key, wanted in IN_FORTRAN.items():
                may_be = {wanted, (wanted[0], 4)} if wanted[1] is None else {wanted}
                if found.get(key) not in may_be:
                    fail(name, module, f"{key}: {found.get(key)}, should be {wanted}; {found}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--tool", help="a module with which nobody can find out what is in a status's fields")
    options = script.options_of(parser)
    check_fortran(options) if "fortran" in os.path.basename(options.program) else check_c(options)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
