#!/usr/bin/env python3
"""Every function of the MPI library that makes, frees, names, decodes or uses a datatype, makes a communicator or a window, opens a file, or begins or ends MPI, is wrapped by
the plugin, by each name that the library exports for it: a name that a newer library brings is told here.

The program is linked with all parts of the library."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from expect import exports_of  # noqa: E402

# By whatever binding: MPI_Type_vector_c, mpi_type_vector__, pmpir_type_vector_c_f08_.
CONCERNS_TYPES = re.compile(r"p?mpi[rx]?_(?P<function>(type_|file_get_view|pcontrol|session_init|session_fin|init|finalize)\w*)",
                            re.IGNORECASE)
SUFFIXES = re.compile(r"(_c|_large|_f08|_f08ts|_)+$")
# They ask, convert handles and deal with attributes: no datatype is made, freed, named or decoded.
NOT_WRAPPED = re.compile(
    r"(initialize|finalize)d|type_(size|lb|ub|extent|get_extent|get_true_extent|get_name|match_size|iov|iov_len|fromint|toint"
    r"|f2c|f082c|c2f|c2f08|f082f|f2f08|create_keyval|free_keyval|set_attr|get_attr|delete_attr|(dup|null_copy"
    r"|null_delete)_fn)(_x)?")
# Functions that use datatypes, make communicators or windows, or are collective without either, in lower case, without MPI_: what the plugin's tables say.
USES = set()
for table_name in ("uses.def", "communicators.def", "collectives.def", "windows.def"):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plugin", "call", table_name), encoding="utf-8") as table:
        USES |= {name.lower() for name in re.findall(r"^DDTSCOPE_(?:USES|COMMUNICATOR|COLLECTIVE|WINDOW)\w*\(\d+, MPI_(\w+),", table.read(), re.MULTILINE)}
USES.add("file_open")
LIFETIMES = {"init", "init_thread", "finalize", "session_init", "session_finalize"}


def is_wanted(name):
    """Whether the plugin must wrap the name."""
    any_function = re.fullmatch(r"p?mpir?_(\w+)", name, re.IGNORECASE)
    if any_function and SUFFIXES.sub("", any_function[1].lower()) in USES:
        # Open MPI's other names, of C (MPI_Send_f) and of Fortran.
        return not re.search(r"_f(08)?$", name) or name.islower()
    match = CONCERNS_TYPES.fullmatch(name)
    if not match:
        return False
    function = match["function"]
    is_of_c = not function.islower() and not function.isupper()
    # Open MPI's other names of its Fortran procedures (MPI_Type_vector_f08), which no compiler's modules have.
    if is_of_c and re.search(r"_f(08)?$", function):
        return False
    base = SUFFIXES.sub("", function.lower())
    if base in LIFETIMES:  # Fortran's procedures reach the C function
        return is_of_c
    return not NOT_WRAPPED.fullmatch(base)


def main():
    options = script.options_of(script.parser(__doc__))
    plugin, program = options.plugin, options.program
    output = subprocess.run(["nm", "-D", "--defined-only", plugin], capture_output=True, text=True, check=True).stdout
    wrapped = {line.split()[-1].split("@")[0] for line in output.splitlines()}
    wanted = set(filter(is_wanted, exports_of(program)))
    missing = sorted(wanted - wrapped)
    for name in missing:
        print("FAIL: not wrapped:", name)
    # What the plugin makes with new, aligned or not, is on a heap of its own.
    taken = subprocess.run(["nm", "-D", "--undefined-only", plugin], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"\b(aligned_alloc|posix_memalign|memalign)\b", taken):
        print("FAIL: taken from the program's heap:", name)
        missing.append(name)
    # The end of the process finds the plugin's static objects as they were: no destructor of theirs is registered.
    for name in re.findall(r"\b(?:__cxa_)?atexit\b", taken):
        print("FAIL: static objects of the plugin are destroyed before the plugin's end, by", name)
        missing.append(name)
    # Were the library's files not found, nothing would be missing either.
    fortran = [] if options.abi == "mpi_abi" else ["MPI_Pcontrol", "mpi_type_vector_", "mpi_type_vector_f08_", "mpi_alltoallw_"]
    for name in ["MPI_Type_vector", "PMPI_Type_vector", "MPI_Init", "MPI_Send", *fortran]:
        if name not in wanted:
            missing.append(name)
            print("FAIL: not found in the library:", name)
    print(f"{len(wanted)} names of the library, {len(wrapped)} of the plugin")
    return 1 if missing else 0


sys.exit(main())
