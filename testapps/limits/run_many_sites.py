#!/usr/bin/env python3
"""A program that makes types from ever new call stacks: the memory of its process stays bounded, and each type is counted."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402

CALLS = 200000
MIB = 1024  # in the unit of getrusage


def run(options, trace=None, **settings):
    """What the program prints, and the largest resident set of its process in KiB."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DDTSCOPE_")}
    figure = os.path.join(options.work, "rss")
    environment["MAX_RSS_FILE"] = figure
    if trace:
        environment.update(DDTSCOPE_OUTPUT=trace, DDTSCOPE_QUIET="1", LD_PRELOAD=options.plugin)
        environment.update({"DDTSCOPE_" + key: value for key, value in settings.items()})
    done = subprocess.run([options.max_rss, options.program, str(CALLS)], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or done.stderr.decode().count("ddtscope"):
        fail(f"left with {done.returncode}: {done.stderr.decode()[-300:]}")
    with open(figure) as text:
        largest = int(text.read())
    os.remove(figure)
    return done.stdout.decode(), largest


def check(options, native, settings, most_growth):
    name = settings.get("MAX_MEMORY", "default")
    trace = os.path.join(options.work, name)
    output, largest = run(options, trace, **settings)
    if output != native[0]:
        fail(f"{name}: the program prints {output!r}, natively {native[0]!r}")
    vectors, contiguous, refused = map(int, output.split())
    reports = {}
    for verb in ("types", "summary"):
        read = subprocess.run([options.ddtscope, verb, "--json", trace], stdout=subprocess.PIPE, check=True)
        reports[verb] = json.loads(read.stdout)
    made = {"MPI_Type_vector": 0, "MPI_Type_contiguous": 0}
    for definition in reports["types"]:
        for part in definition["instances"]:
            made[part["called"]] += part["created"]
    failed = sum(part["count"] for part in reports["summary"]["failed_calls"])
    if (made["MPI_Type_vector"], made["MPI_Type_contiguous"], failed) != (vectors, contiguous, refused):
        fail(f"{name}: {vectors} vectors, {contiguous} contiguous types and {refused} failed calls, "
             f"but counted are {made} and {failed}")
    without = reports["summary"]["without_callers"]
    growth = (largest - native[1]) / MIB
    bytes_on_disk = sum(os.path.getsize(os.path.join(trace, file)) for file in os.listdir(trace))
    print(f"{name}: {growth:.1f} MiB more than natively, {reports['summary']['call_sites']} call sites, {without} of "
          f"{vectors + contiguous} types without callers, trace of {bytes_on_disk / 1e6:.1f} MB")
    if not reports["summary"]["complete"]:
        fail(f"{name}: the trace is not complete")
    if not 0 < without <= vectors + contiguous:
        fail(f"{name}: {without} types are said to be without callers")
    if not any("more call sites than it can remember" in note for note in reports["summary"]["notes"]):
        fail(f"{name}: the trace does not say that there were too many call sites")
    if growth > most_growth and not script.IS_EMULATED:  # whose own memory, for each piece of code, is in it
        fail(f"{name}: the process grew by {growth:.1f} MiB, more than {most_growth}")
    text = subprocess.run([options.ddtscope, "summary", trace], stdout=subprocess.PIPE, check=True).stdout.decode()
    if "without their callers" not in text:
        fail(f"{name}: the summary does not say so: {text}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--max-rss", required=True, help="the program max_rss")
    options = script.options_of(parser)
    native = run(options)
    check(options, native, {}, 64)
    check(options, native, {"MAX_MEMORY": "2M"}, 16)
    return 1 if failures else 0


sys.exit(main())
