#!/usr/bin/env python3
"""A plugin for another binary interface than that of the library that comes in late, and a process that wants two MPI
libraries: the program does not notice, and the user is told.

MODULE is opened by late_local.c; each --other is a binary interface, its plugin, and a module that is linked for it."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import PRODUCTS, base_environment, expect_same, fail, failures  # noqa: E402

def run(command, *preload, **environment):
    env = base_environment()
    env.update(environment, LD_PRELOAD=":".join(preload))
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--other", action="append", nargs=3, default=[], metavar=("NAME", "PLUGIN", "MODULE"))
    parser.add_argument("--late", nargs=2, metavar=("PROGRAM", "MODULE"))
    args = script.options_of(parser)
    os.chdir(args.work)
    for other, plugin, module in args.other:
        native = run(args.late)
        result = run(args.late, plugin, DDTSCOPE_OUTPUT=f"late-{other}")
        expect_same(result, native, f"a library of {args.abi} that comes late, under the plugin for {other}")
        for words in [f"runs {PRODUCTS[args.abi]}", f"for {PRODUCTS[other]};", f"libddtscope-{args.abi}.so"]:
            if words not in result.stderr:
                fail(f"late, under the plugin for {other}: nothing says {words!r}: {result.stderr[:500]}")
        if os.path.exists(f"late-{other}"):
            fail(f"late: the plugin for {other} wrote a trace")

        native = run([args.program], module)
        trace = f"two-{other}"
        result = run([args.program], args.plugin, module, DDTSCOPE_OUTPUT=trace)
        expect_same(result, native, f"a module for {other} beside the program's {args.abi}")
        said = f"the trace is of {PRODUCTS[args.abi]}, but {os.path.basename(module)} needs lib"
        summary = subprocess.run([args.ddtscope, "summary", "--json", trace], stdout=subprocess.PIPE, text=True, check=True)
        report = json.loads(summary.stdout)
        if not any(said in note for note in report["notes"]):
            fail(f"no note says {said!r}: {report['notes']}")
        if said not in result.stderr:
            fail(f"the plugin does not say {said!r}: {result.stderr[:500]}")
        if report["library"]["abi"] != args.abi or report["library"]["name"] != args.library:
            fail(f"the trace's library is {report['library']}")
    print(f"{len(args.other)} others")
    return 1 if failures or not args.other else 0


sys.exit(main())
