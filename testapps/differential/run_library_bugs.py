#!/usr/bin/env python3
"""Runs the reproducers of the listed bugs, and checks that library_bugs.md tells of the same bugs by the same programs.
Bugs that have a program of their own, in library_bugs, have a test of their own too; here only their names are checked.

    run_library_bugs.py PROGRAM PREFIX LIBRARY_BUGS_MD
"""
import os
import re
import subprocess
import sys


def listed_programs(text, prefix):
    """The C fragment of each section whose id begins with the prefix."""
    sections = re.findall(r"^### (\S+)\n\n```c\n(.*?)```", text, re.M | re.S)
    return {name: program.splitlines() for name, program in sections if name.startswith(prefix)}


def own_programs(text, prefix):
    """The ids of the sections that name a program of their own, and all such programs."""
    named = re.findall(r"^### (\S+)\n\nProgram: `(.*?)\.c`\n", text, re.M)
    return {name for name, _ in named if name.startswith(prefix)}, {program for _, program in named}


def run_programs(output):
    """The C fragment of each bug that the program has tried."""
    programs = {}
    for line in output.splitlines():
        if line.startswith("bug "):
            lines = programs[line.split()[1].rstrip(":")] = []
        elif programs and line.startswith("MPI_"):
            lines.append(line)
    return programs


def main():
    program, prefix, path = sys.argv[1:]
    result = subprocess.run([program, "--bugs"], stdout=subprocess.PIPE, text=True, check=False)
    print(result.stdout)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    listed = listed_programs(text, prefix)
    tried = run_programs(result.stdout)
    failures = 0
    folder = os.path.dirname(path)
    told, programs_told = own_programs(text, prefix)
    for name in {file.removesuffix(".c") for file in os.listdir(folder) if file.endswith(".c")} ^ programs_told:
        print(f"FAIL: {name} is a program or is told of in {path}, but not both")
        failures += 1
    for name in re.findall(rf"^### ({prefix}\S+)", text, re.M):
        if name not in listed and name not in told:
            print(f"FAIL: {name} in {path} has no reproducer")
            failures += 1
    for name in sorted(listed.keys() | tried.keys()):
        if name not in tried:
            print(f"FAIL: {name} is told of, but nothing in code is called so")
        elif name not in listed:
            print(f"FAIL: {name} is not told of in {path}")
        elif listed[name] != tried[name]:
            print(f"FAIL: {name} has another reproducer in {path}")
        else:
            continue
        failures += 1
    return 1 if failures or result.returncode != 0 else 0


sys.exit(main())
