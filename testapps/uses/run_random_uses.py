#!/usr/bin/env python3
"""What random_uses.c says that it has used, in calls that chance picked, is what the trace says: exactly, of both ranks together."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

SEEDS, CALLS, RANKS = range(1, 6), 400, 2


def add(sums, key, calls, elements, smallest, largest):
    known = sums.get(key)
    sums[key] = (calls, elements, smallest, largest) if known is None else (
        known[0] + calls, known[1] + elements, min(known[2], smallest), max(known[3], largest))


def main():
    options = script.options_of(script.parser(__doc__))
    environment = {**script.base_environment(), "DDTSCOPE_QUIET": "1"}
    for seed in SEEDS:
        folder = os.path.join(options.work, str(seed))
        result = subprocess.run([options.launcher, "-n", str(RANKS), options.ddtscope, "exec", "-o", folder, "--", options.program,
                                 str(seed), str(CALLS)], cwd=options.work, env=environment, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            fail(str(seed), f"ends with {result.returncode}: {result.stderr}")
            continue
        wanted, found = {}, {}
        for line in result.stdout.splitlines():
            *key, calls, elements, smallest, largest = line.split()
            add(wanted, tuple(key), int(calls), int(elements), int(smallest), int(largest))
        read = subprocess.run([options.ddtscope, "uses", folder, "--json"], capture_output=True, text=True, check=True)
        for use in json.loads(read.stdout):
            add(found, (use["called"], use["argument"], use["type"]), use["calls"], use["elements"], use["smallest_count"],
                use["largest_count"])
        if len(wanted) < 50:
            fail(str(seed), f"only {len(wanted)} kinds of uses: {result.stdout}")
        for key in wanted.keys() | found.keys():
            if wanted.get(key) != found.get(key):
                fail(str(seed), str(key), f"{found.get(key)}, should be {wanted.get(key)}")
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
