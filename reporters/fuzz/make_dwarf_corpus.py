#!/usr/bin/env python3
"""Writes seeds for the fuzzer of debugging information into a folder: small programs by every compiler that is there.

    make_dwarf_corpus.py FOLDER REPOSITORY
"""
import os
import shutil
import subprocess
import sys

folder, root = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
here = os.path.join(root, "reporters/buffers/testing")
WAYS = [
    ("gcc", "variables.c", ["-O0", "-gdwarf-5"]),
    ("gcc", "variables.c", ["-O2", "-gdwarf-4", "-fdebug-types-section"]),
    ("clang", "variables.c", ["-O2", "-gdwarf-5"]),
    ("clang", "variables.c", ["-O0", "-gdwarf-4"]),
    ("g++", "small.cpp", ["-O1", "-gdwarf-5"]),
    ("clang++", "small.cpp", ["-O1", "-gdwarf-4"]),
    ("gfortran", "variables.f90", ["-O0", "-gdwarf-5"]),
]
for compiler, source, flags in WAYS:
    if shutil.which(compiler) is None:
        continue
    program = os.path.join(folder, compiler + "".join(flags))
    more = ["-J" + folder] if compiler == "gfortran" else ["-std=c++20"] if "++" in compiler else []
    # What a program of its own would need besides is nothing that is looked at.
    subprocess.run([compiler, *flags, *more, "-fPIC", "-shared", "-nostdlib", "-I", root, os.path.join(here, source), "-o", program], check=True)
for name in os.listdir(folder):
    if name.endswith(".mod"):
        os.remove(os.path.join(folder, name))
