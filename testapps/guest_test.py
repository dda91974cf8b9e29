#!/usr/bin/env python3
"""What a plugin shows of itself to the process that it is loaded into, and what it wants from it.

    guest_test.py PLUGIN
"""
import re
import subprocess
import sys

# The functions that it wraps, by their names in C and Fortran, and its own.
MAY_EXPORT = re.compile(r"(P?MPI_\w+|p?mpi_\w+|pmpir_\w+|ddtscope_\w+)")
# What every process has: with an MPI library or an unwinder among them, processes without MPI would load those too.
MAY_NEED = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux[-\w]*)\.so\.\d+")
MUST_NOT_WANT = re.compile(r"p?mpi|ompi|_?unw", re.IGNORECASE)


def symbols(plugin, which):
    """(kind, name) as nm says them, versions cut off."""
    output = subprocess.run(["nm", "-D", which, plugin], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [(fields[-2], fields[-1].split("@")[0]) for fields in map(str.split, output.splitlines())]


def main():
    plugin = sys.argv[1]
    failures = []
    exported = symbols(plugin, "--defined-only")
    for kind, name in exported:
        if not MAY_EXPORT.fullmatch(name) and kind != "A":  # a version's own name is absolute
            failures.append(f"{name} is visible to the program")
    for wanted in ["MPI_Type_vector", "PMPI_Type_vector", "mpi_type_vector_", "ddtscope_on_free"]:
        if wanted not in [name for _, name in exported]:
            failures.append(f"{wanted} is not exported")
    for kind, name in symbols(plugin, "--undefined-only"):
        if MUST_NOT_WANT.match(name) and kind not in "wv":
            failures.append(f"{name} must be there when the plugin is loaded")
    dynamic = subprocess.run(["readelf", "-d", plugin], check=True, stdout=subprocess.PIPE, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    for name in needed:
        if not MAY_NEED.fullmatch(name):
            failures.append(f"{name} is loaded into every process that the plugin is preloaded into")
    if not needed or "TEXTREL" in dynamic:
        failures.append("no list of needed libraries, or relocations in the code")
    for failure in failures:
        print("FAIL:", failure)
    print(f"{len(exported)} names exported, {', '.join(needed)} needed")
    return 1 if failures else 0


sys.exit(main())
