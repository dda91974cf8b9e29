#!/usr/bin/env python3
"""Writes seeds for the fuzzer of options into a folder, one for each line of a list of command lines.

    make_options_corpus.py FOLDER LIST
"""
import os
import shlex
import sys

folder, listed = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
with open(listed) as lines:
    for number, line in enumerate(lines):
        words = shlex.split(line)
        with open(os.path.join(folder, f"line-{number}"), "wb") as seed:
            seed.write(b"".join(word.encode() + b"\0" for word in words))
