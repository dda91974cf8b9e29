#!/usr/bin/env python3
"""A library that says it is a release which nobody has modelled, older or newer, or says nothing that is known: all is
recorded and verified as ever, and what the bounds of other libraries rest on is said.

RELEASE is the module that plays it (other_release.c)."""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, expect_same, fail, failures  # noqa: E402

# What the library says, and what is said of it.
RELEASES = {
    "openmpi": {
        "Open MPI v9.1.0, package: Open MPI of another year": r"Open MPI 9\.1\.0 is newer than what ddtscope models",
        "Open MPI v3.1.6, package: Open MPI of long ago": r"Open MPI 3\.1\.6 is older than what ddtscope models",
        "Open MPI v4.99.0, package: Open MPI between two": r"Open MPI 4\.99\.0 is not among the releases",
        "another MPI 1.0": r'"another MPI 1\.0" is no release that ddtscope models',
    },
    "mpich": {
        "MPICH Version:\t9.1\nMPICH Release date:\tone day\n": r"MPICH 9\.1 is newer than what ddtscope models",
        "MPICH Version:\t3.4.3\nMPICH Release date:\tlong ago\n": r"MPICH 3\.4\.3 is older than what ddtscope models",
        "MPICH Version:\t4.1.99\nMPICH Release date:\tonce\n": r"MPICH 4\.1\.99 is not among the releases",
        "another MPI 1.0": r'"another MPI 1\.0" is no release that ddtscope models',
    },
}


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--release", required=True, help="libother_release of this library")
    args = script.options_of(parser)

    def ask(*verb):
        result = subprocess.run([args.ddtscope, *verb], stdout=subprocess.PIPE, text=True, check=False)
        if result.returncode > 1:
            fail(f"ddtscope {' '.join(verb)} leaves with {result.returncode}")
        return result.stdout

    def run(name, *preload, **environment):
        env = base_environment()
        trace = os.path.join(args.work, name)
        env.update(environment, DDTSCOPE_OUTPUT=trace, DDTSCOPE_VERIFY="1", DDTSCOPE_QUIET="1", LD_PRELOAD=":".join(preload))
        result = subprocess.run([args.program], env=env, capture_output=True, text=True, timeout=60)
        return result, trace

    def recorded(trace):
        """All that is known of each definition but what other releases make of it."""
        types = json.loads(ask("types", "--json", trace))
        for one in types:
            one.pop("bounds_versions", None)
        return types

    native, _ = run("native")
    _, trace = run("own", args.plugin)
    expected = recorded(trace)
    if len(expected) < 10:
        fail(f"the program makes {len(expected)} definitions, which is hardly a test")
    for number, (text, said) in enumerate(RELEASES[args.library].items()):
        result, trace = run(f"release-{number}", args.plugin, args.release, OTHER_RELEASE=text)
        expect_same(result, native, repr(text))
        if recorded(trace) != expected:
            fail(f"{text!r}: other definitions are recorded than with the library's own word")
        check = json.loads(ask("check", "--json", trace))
        if (check["verified"], check["differences"]) != (True, []):
            fail(f"{text!r}: verified: {check['verified']}, differences: {check['differences']}")
        if not re.search(said, check["unmodelled"] or ""):
            fail(f"{text!r}: unmodelled is {check['unmodelled']!r}")
        if not re.search(said, " ".join(ask("check", trace).split())):
            fail(f"{text!r}: check does not say it to people")
    print(f"{len(RELEASES[args.library])} releases played")
    return 1 if failures else 0


sys.exit(main())
