#!/usr/bin/env python3
"""Processes that use sessions alone have no ranks by which they would know each other: nothing is found in their messages, and
it is told why nothing is known of them."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402


def main():
    options = script.options_of(script.parser(__doc__))
    trace = os.path.join(options.work, "trace")
    job = subprocess.run([options.launcher, "-n", "2", options.ddtscope, "exec", "--mpi", options.abi, "-o", trace, "--", options.program],
                         cwd=options.work, env=script.base_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                         timeout=120)
    if job.returncode != 0 or job.stdout.split() != ["1", "1"]:
        fail("job", f"ends with {job.returncode}: {job.stdout}{job.stderr}")

    def told(*words):
        return subprocess.run([options.ddtscope, *words, trace], capture_output=True, text=True, check=False, timeout=60)
    check = told("check", "--json")
    if check.returncode != 0 or json.loads(check.stdout)["findings"]:
        fail("check", f"status {check.returncode}: {check.stdout[:2000]}{check.stderr}")
    why = "the processes use MPI sessions alone"
    for verb, status in (("summary", 0), ("check", 0), ("pending", 3)):
        run = told(verb)
        if run.returncode != status or why not in run.stdout + run.stderr:
            fail(verb, f"status {run.returncode}: {run.stdout}{run.stderr}")
    return script.outcome()


sys.exit(main())
