#!/usr/bin/env python3
"""Writes seeds for the fuzzer of the reader into a folder: the golden traces, with short headers and in pieces.

    make_corpus.py FOLDER TESTDATA
"""
import glob
import json
import os
import sys

KEPT_PREDEFINED = 12
DIVIDER = "---\n"


def shortened(line):
    """A header without most of the predefined types, which would be most of the bytes."""
    if not line.endswith("\n"):  # of a process that was killed
        return line
    header = json.loads(line)
    if header["record"] != "header":
        return line
    pairs = [part[0] for type in header["predefined"] for part in type["parts"] or []]
    kept = [type for type in header["predefined"] if type["kind"] != "basic" or type["name"] in pairs]
    kept += [type for type in header["predefined"] if type not in kept][:KEPT_PREDEFINED]
    header["predefined"] = kept
    header["library"]["version"] = header["library"]["version"][:40]
    return json.dumps(header, separators=(",", ":")) + "\n"


def names_in(line, names):
    return all(name in names for name in json.loads(line).get("contents", {}).get("datatypes", [])
               if isinstance(name, str))


def main():
    folder, testdata = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for trace in sorted(glob.glob(os.path.join(testdata, "v*", "*"))):
        files = []
        for path in sorted(glob.glob(os.path.join(trace, "*.jsonl"))):
            with open(path, encoding="utf-8") as file:
                files.append([shortened(line) for line in file])
        for path in sorted(glob.glob(os.path.join(trace, "*.counters"))):
            with open(path, "rb") as file, open(os.path.join(folder, os.path.basename(trace) + "-counted"), "wb") as out:
                out.write("".join(files[0]).encode() + DIVIDER.encode() + file.read())
        with open(os.path.join(folder, os.path.basename(trace)), "w", encoding="utf-8") as out:
            out.write(DIVIDER.join("".join(lines) for lines in files))
        # Some definitions alone: a small input is soon changed in many ways.
        header, lines = files[0][0], files[0][1:]
        names = {type["name"] for type in json.loads(header)["predefined"]}
        alone = [line for line in lines if '"record":"definition"' in line and line.endswith("\n")]
        for i, line in enumerate(alone):
            definition = json.loads(line)
            if all(isinstance(type, str) for type in definition["contents"]["datatypes"]) and names_in(line, names):
                definition.update(id=0, site=None)
                with open(os.path.join(folder, f"{os.path.basename(trace)}-{i}"), "w", encoding="utf-8") as out:
                    out.write(header + json.dumps(definition, separators=(",", ":")) + "\n")


main()
