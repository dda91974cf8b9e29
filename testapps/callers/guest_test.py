#!/usr/bin/env python3
"""What a plugin shows of itself to the process that it is loaded into, and what it wants from it."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402

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
    plugin = script.options_of(script.parser(__doc__)).plugin
    exported = symbols(plugin, "--defined-only")
    for kind, name in exported:
        if not MAY_EXPORT.fullmatch(name) and kind != "A":  # a version's own name is absolute
            fail(f"{name} is visible to the program")
    for wanted in ["MPI_Type_vector", "PMPI_Type_vector", "mpi_type_vector_", "ddtscope_on_free"]:
        if wanted not in [name for _, name in exported]:
            fail(f"{wanted} is not exported")
    for kind, name in symbols(plugin, "--undefined-only"):
        if MUST_NOT_WANT.match(name) and kind not in "wv":
            fail(f"{name} must be there when the plugin is loaded")
    dynamic = subprocess.run(["readelf", "-d", plugin], check=True, stdout=subprocess.PIPE, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    for name in needed:
        if not MAY_NEED.fullmatch(name):
            fail(f"{name} is loaded into every process that the plugin is preloaded into")
    if not needed or "TEXTREL" in dynamic:
        fail("no list of needed libraries, or relocations in the code")
    print(f"{len(exported)} names exported, {', '.join(needed)} needed")
    return 1 if failures else 0


sys.exit(main())
