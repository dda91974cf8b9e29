#!/usr/bin/env python3
"""Every constant of the tests' own header of the standard ABI has the value, and every function the type, that they have in a
real one.

    header_test.py C_COMPILER OWN_FOLDER REAL_FOLDER WORK_FOLDER"""
import os
import re
import subprocess
import sys


def program(own):
    """Prints each constant. Declares each function again, which a compiler takes with the same type only."""
    text = open(os.path.join(own, "mpi.h"), encoding="utf-8").read()
    names = re.findall(r"^#define (MPI_\w+) ", text, re.M)
    for group in re.findall(r"enum \{(.*?)\}", text, re.S):
        names += re.findall(r"(MPI_\w+) =", group)
    lines = ["#include <mpi.h>", "#include <stddef.h>", "#include <stdio.h>",
             "#define DDTSCOPE_ABI_FUNCTION(n, result, name, ...) result MPI_##name(__VA_ARGS__); result PMPI_##name(__VA_ARGS__);",
             f'#include "{own}/functions.def"', "int main(void) {"]
    lines += [f'  printf("{name} %lld\\n", (long long)({name}));' for name in names]
    lines += [f'  printf("{member} %zu\\n", offsetof(MPI_Status, {member}));' for member in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")]
    lines += [f'  printf("{kind} %zu\\n", sizeof({kind}));' for kind in ("MPI_Status", "MPI_Aint", "MPI_Count", "MPI_Offset")]
    return "\n".join([*lines, "}", ""]), len(names)


def values(compiler, source, folder):
    built = f"{source}-{os.path.basename(os.path.dirname(folder.rstrip('/')))}"
    subprocess.run([compiler, "-Werror=implicit-function-declaration", f"-I{folder}", "-o", built, source], check=True)
    return subprocess.run([built], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def main():
    compiler, own, real, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    text, number = program(os.path.abspath(own))
    source = os.path.join(work, "constants.c")
    with open(source, "w", encoding="utf-8") as out:
        out.write(text)
    differences = [pair for pair in zip(values(compiler, source, own), values(compiler, source, real)) if pair[0] != pair[1]]
    for mine, theirs in differences:
        print(f"FAIL: {mine}, by the real header {theirs}")
    print(f"{number} constants")
    return 1 if differences or number < 150 else 0


sys.exit(main())
