#!/usr/bin/env python3
"""A start costs one collective operation: what the ranks agree on when MPI begins is agreed on in one. Each more is a
wait of all ranks for the slowest, and takes seconds where many poll on few processors.

PROGRAM does one itself. COUNTER is what counts them, preloaded behind the plugin (counts_collectives.c)."""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, fail  # noqa: E402

RANKS = 3


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--counter", required=True)
    args = script.options_of(parser)

    def counted(name, *preload, **settings):
        env = {**base_environment(), **settings, "DDTSCOPE_OUTPUT": os.path.join(args.work, name), "DDTSCOPE_QUIET": "1"}
        result = subprocess.run([*args.launcher.split(), "-n", str(RANKS), "env", "LD_PRELOAD=" + ":".join(preload), args.program],
                                env=env, capture_output=True, text=True, timeout=120, check=False)
        counts = [int(count) for count in re.findall(r"(\d+) collective operations", result.stderr)]
        if len(counts) != RANKS or len(set(counts)) != 1:
            fail(name, f"{counts} from {RANKS} ranks: {result.stderr[:600]}")
        return counts[0] if counts else None

    native = counted("native", args.counter)
    if native != 1:
        fail(f"natively {native} are counted: it is the program's one")
    for name, settings in [("merged", {}), ("apart", {"DDTSCOPE_MERGE": "off"})]:
        with_it = counted(name, args.plugin, args.counter, **settings)
        if with_it != native + 1:
            fail(name, f"{with_it} collective operations until MPI_Finalize, {native} of them the program's")
    return script.outcome()


sys.exit(main())
