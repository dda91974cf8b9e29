#!/usr/bin/env python3
"""Functions and lines stay with a trace that `ddtscope resolve` has seen: the program is then gone, or built anew, and the
trace may be elsewhere, apart or merged."""
import json
import os
import shutil
import subprocess
import sys

import jsonschema

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, fail  # noqa: E402


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True, help="symbols.schema.json")
    args = script.options_of(parser)
    program, trace, moved = (os.path.join(args.work, name) for name in ("app", "trace", "moved"))
    shutil.copy(args.program, program)

    def ddtscope(*words, status=0):
        result = subprocess.run([args.ddtscope, *words], capture_output=True, text=True, check=False)
        if result.returncode != status:
            fail(f"ddtscope {' '.join(words)} leaves with {result.returncode}, not {status}: {result.stderr}")
        return result

    def places(folder):
        """Of the program itself: of libraries, there is on any machine what there is."""
        return [[(frame["function"], frame["file"], frame["line"]) for frame in part["call_site"] if frame["module"] == program]
                for one in json.loads(ddtscope("types", "--json", folder).stdout) for part in one["instances"]]

    env = {**base_environment(), "DDTSCOPE_OUTPUT": trace, "DDTSCOPE_QUIET": "1", "LD_PRELOAD": args.plugin}
    subprocess.run([program], env=env, check=True, stdout=subprocess.DEVNULL, timeout=60)
    wanted = places(trace)
    if not any(function and line for site in wanted for function, _, line in site):
        fail("no call site of the program has a function and a line in the first place")
    lines_before = sorted(os.listdir(trace))

    said = ddtscope("resolve", trace).stdout
    if "with a file and line" not in said:
        fail(f"resolve says {said!r}")
    with open(os.path.join(trace, "symbols.json"), encoding="utf-8") as source, open(args.schema, encoding="utf-8") as schema:
        jsonschema.Draft202012Validator(json.load(schema)).validate(json.load(source))
    if sorted(os.listdir(trace)) != sorted([*lines_before, "symbols.json"]):
        fail(f"resolve leaves {os.listdir(trace)}")

    os.remove(program)
    os.rename(trace, moved)
    if places(moved) != wanted:
        fail(f"without the program the call sites are {places(moved)}, not {wanted}")
    shutil.copy(args.ddtscope, program)  # another build in its place
    if places(moved) != wanted:
        fail(f"with another program in its place the call sites are {places(moved)}, not {wanted}")
    os.remove(program)
    ddtscope("resolve", moved)  # keeps what it can find no more
    merged = os.path.join(args.work, "merged")
    ddtscope("merge", moved, "-o", merged)
    for folder in (moved, merged):
        if places(folder) != wanted:
            fail(f"{folder}: the call sites are {places(folder)}, not {wanted}")
    os.remove(os.path.join(moved, "symbols.json"))
    if any(function for site in places(moved) for function, _, _ in site):
        fail("functions of a program that is gone come from elsewhere than symbols.json: this test tests nothing")
    ddtscope("resolve", os.path.join(args.work, "nowhere"), status=3)


if __name__ == "__main__":
    main()
    sys.exit(script.outcome())
