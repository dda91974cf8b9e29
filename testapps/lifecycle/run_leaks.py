#!/usr/bin/env python3
"""What `ddtscope check` says of types that were left behind: by the caller that left them, by severity, as the filters
want it, and while the job runs. The numbers are those of leaks.c: 40 types of which 4 are freed, a third of 7 rows."""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, fail  # noqa: E402


def main():
    args = script.options_of(script.parser(__doc__))

    def check(trace, *words, status):
        result = subprocess.run([args.ddtscope, "check", *words, trace], capture_output=True, text=True, check=False)
        if result.returncode != status:
            fail(f"check {' '.join(words)}: leaves with {result.returncode}, not {status}: {result.stdout}{result.stderr}")
        return json.loads(result.stdout) if "--json" in words else result.stdout

    def expect(what, found, wanted):
        if found != wanted:
            fail(what, f"{found}, should be {wanted}")

    def environment(trace):
        return {**base_environment(), "DDTSCOPE_OUTPUT": trace, "DDTSCOPE_QUIET": "1", "LD_PRELOAD": args.plugin}

    def suppressions(*lines):
        path = os.path.join(args.work, "suppressions")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    trace = os.path.join(args.work, "trace")
    subprocess.run([args.program], env=environment(trace), check=True, timeout=60)
    report = check(trace, "--json", status=1)
    leaks = [finding for finding in report["findings"] if finding["id"] == "never-freed"]
    expect("findings of leaks", [(leak["severity"], leak["count"], leak["called"], leak["ranks"], leak["aliases"])
                                 for leak in leaks], [("warning", 36, "MPI_Type_vector", [[0, 0]], ["MUST_ERROR_LEAK_DATATYPE"])])
    expect("the call site", [frame["function"] for frame in leaks[0]["call_site"][:2]], ["make_column", "leaky"])
    expect("the most frequent type", leaks[0]["call"], "MPI_Type_vector(8, 1, 10, MPI_DOUBLE)")
    expect("never committed", [finding["id"] for finding in report["findings"] if finding["id"] == "never-committed"], [])
    expect("churn", [(finding["severity"], finding["count"]) for finding in report["findings"] if finding["id"] == "churn"],
           [("note", 150)])
    expect("left out", report["left_out"], {"ignored": 0, "suppressed": 0})
    text = check(trace, status=1)
    if not re.search(r"^warning: .*\n    36 of the 40 types made here were never freed; 4 were freed\. .*\n.*\n    made in "
                     r"make_column \(leaks\.c:15\), called from leaky \(leaks\.c:30\)", text, re.MULTILINE):
        fail(f"check does not tell the leaking caller:\n{text}")
    if re.search(r"never-freed", text.split("note:")[0].replace("explain never-freed", "", 1)):
        fail(f"one call site is told more than once:\n{text}")

    check(trace, "--fail-on", "error", status=0)
    check(trace, "--fail-on", "note", status=1)
    ignored = check(trace, "--json", "--ignore", "never-freed", status=0)
    expect("ignored", ignored["left_out"]["ignored"], 1)
    expect("what is ignored", [finding["id"] for finding in ignored["findings"]].count("never-freed"), 0)
    check(trace, "--ignore", "never-freed", "--fail-on", "note", status=1)
    check(trace, "--ignore", "never-freed,churn", "--ignore", "simpler-type", "--fail-on", "note", status=0)
    for pattern, status in (("leaky", 0), ("*.c", 0), (os.path.basename(args.program), 0), ("tidy", 1), ("leak", 1)):
        check(trace, "--suppressions", suppressions("# known", "", f"never-freed {pattern}"), status=status)
    suppressed = check(trace, "--json", "--suppressions", suppressions("* leaky"), status=0)
    expect("suppressed", suppressed["left_out"]["suppressed"], 1)
    if "1 finding was left out" not in check(trace, "--suppressions", suppressions("* leaky"), status=0):
        fail("check does not say that a finding was left out")
    check(trace, "--suppressions", "system-libraries.supp", status=1)  # installed beside the command
    check(trace, "--suppressions", suppressions("no-such-id *"), status=2)
    check(trace, "--suppressions", suppressions("never-freed"), status=2)
    check(trace, "--suppressions", os.path.join(args.work, "missing"), status=2)
    check(trace, "--ignore", "no-such-id", status=2)
    check(trace, "--fail-on", "fatal", status=2)

    running = os.path.join(args.work, "running")
    with subprocess.Popen([args.program, "running"], env=environment(running), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        text = check(running, status=3)
        if "36 of the 40 types made here are live now; 4 were freed." not in text:
            fail(f"check of a running job does not say what is live now:\n{text}")
        process.communicate("\n", timeout=60)
    check(running, status=1)


if __name__ == "__main__":
    main()
    sys.exit(script.outcome())
