#!/usr/bin/env python3
"""A spawned process, where the launcher gives it the plugin, leaves a trace of its own beside its parent's, and neither
notices the plugin.

    run_spawn.py --launcher MPIRUN --plugin PLUGIN --ddtscope DDTSCOPE --work FOLDER PROGRAM
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_case import base_environment  # noqa: E402

# What each makes beside the vector: constructor's integers, and how many of it are alive in the end.
EXPECTED = {"parent": {(3, 1, 2): 0, (11,): 1}, "child": {(3, 1, 2): 0, (12,): 1}}


def run(options, settings):
    words = [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
    return subprocess.run([options.launcher, *words, "-n", "1", options.program], env=base_environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def types_of(options, trace):
    result = subprocess.run([options.ddtscope, "types", "--json", trace], capture_output=True, text=True, check=False,
                            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    if result.returncode != 0:
        return result.stderr
    return {tuple(t["contents"]["integers"]): sum(i["live"] for i in t["instances"]) for t in json.loads(result.stdout)}


def main():
    parser = argparse.ArgumentParser()
    for name in ["launcher", "plugin", "ddtscope", "work"]:
        parser.add_argument("--" + name, required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    trace = os.path.join(options.work, "trace")
    preload = ":".join(filter(None, [os.environ.get("DDTSCOPE_TEST_PRELOAD"), options.plugin]))
    native = run(options, {})
    recorded = run(options, {"LD_PRELOAD": preload, "DDTSCOPE_OUTPUT": trace, "ASAN_OPTIONS": "detect_leaks=0"})
    failures = []
    if (native.returncode, native.stdout) != (recorded.returncode, recorded.stdout) or native.returncode != 0:
        failures.append(f"natively {native.returncode}, {native.stdout!r}; with the plugin {recorded.returncode}, "
                        f"{recorded.stdout!r}\n{recorded.stderr[-2000:]}")
    beside = glob.glob(trace + "-*")
    if len(beside) != 1:
        failures.append(f"beside the parent's trace there are {beside}, should be one")
    # Either may be the first to make its folder: the types tell whose it is.
    found = [types_of(options, folder) for folder in [trace, *beside]]
    if sorted(map(str, found)) != sorted(map(str, EXPECTED.values())):
        failures.append(f"the traces tell of {found}, should be {list(EXPECTED.values())}")
    for failure in failures:
        print("FAIL:", failure)
    print("failed" if failures else "passed")
    return 1 if failures else 0


sys.exit(main())
