"""`source-type` and `buffer-too-small`: the buffers of buffers.c, held against the program's debugging information. What is
wrong with each variable stands there by its name; nothing is told of the others. With --portable, where nothing is taken for granted of the processor, that of static ones alone."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail

OF_SOURCES = ("source-type", "buffer-too-small", "struct-layout")
# By variable: id, severity, words of the message, and the call where it is not MPI_Bcast.
WANTED = {
    "static_doubles": ("source-type", "error", "10 x MPI_INT at `static_doubles` (double static_doubles[8], buffers.c:"),
    "wrong_doubles": ("source-type", "error", "MPI_INT at wrong_doubles[0] of type double: floating against integer; 40 of 64 bytes"),
    "wrong_particle": ("source-type", "error", "MPI_INT at wrong_particle.id of type long int: another size"),
    "wrong_ten": ("buffer-too-small", "error", "4 bytes beyond its end: bytes 0 to 43 are touched, and it has 40."),
    # Of the two calls the one that writes.
    "wrong_tile": ("buffer-too-small", "error", ": 8 bytes beyond its end: bytes 16 to 167 are touched, and it has 160.", "MPI_Recv"),
    "wrong_pointer": ("source-type", "error", "a pointer, in place of what it points to"),
    "wrong_floats": ("source-type", "error", "MPI_DOUBLE at wrong_floats[0] of type float: another size"),
    "wrong_short_block": ("buffer-too-small", "error", "797,200 bytes beyond its end: bytes 0 to 1,599,999 are touched, and it has 802,800, all that was allocated."),
    "wrong_grid->cells": ("source-type", "error", "MPI_LONG at wrong_grid->cells[0] of type double: floating against integer"),
    "wrong_global": ("source-type", "error", "MPI_LONG at wrong_global[0] of type double: floating against integer"),
    "wrong_sign": ("source-type", "warning", "MPI_INT at wrong_sign[0] of type unsigned int: signed against unsigned"),
    "swapped_table": ("source-type", "warning", "the sizes of the subarray are those of the array in another order"),
    "wrong_rows": ("source-type", "warning", "the stride is 6, but from one row to the next there are 9 elements"),
}
STATIC = ("static_doubles", "swapped_table", "wrong_tile")


def stays_with_the_trace(args, call, program, trace, wanted):
    """The program is gone: what its debugging information said is there, also in a merged trace and in the summary."""
    said = call(args.ddtscope, "resolve", trace).stdout
    if "sources.json: " not in said or f"{len([one for one in wanted if one['id'] in OF_SOURCES])} findings" not in said:
        fail("resolve", said)
    if "\n  2 not known, in a function's frame, " not in said or said.count(" not known, ") != 1:
        fail("resolve", f"of what is not known: {said}")
    os.remove(program)
    old, merged = (os.path.join(args.work, name) for name in ("old", "merged"))
    if call(args.ddtscope, "merge", trace, "-o", merged).returncode != 0:
        fail("merge", "does not succeed")
    for folder in (trace, merged):
        if json.loads(call(args.ddtscope, "check", folder, "--json").stdout)["findings"] != wanted:
            fail(folder, "says something else where the program is gone")
        summary = json.loads(call(args.ddtscope, "summary", folder, "--json").stdout)
        if summary["findings"]["errors"] != sum(one["severity"] == "error" for one in wanted):
            fail(folder, f"the summary counts {summary['findings']}")
    call(args.ddtscope, "resolve", trace)  # which finds less now
    if json.loads(call(args.ddtscope, "check", trace, "--json").stdout)["findings"] != wanted:
        fail("resolve", "without the program writes over what is known")
    shutil.copytree(trace, old)
    with open(os.path.join(old, "sources.json")) as file:
        kept = json.load(file)
    kept["records"] = [one for one in kept["records"] if "wrong_ten`" not in one.get("message", "")]
    with open(os.path.join(old, "sources.json"), "w") as file:
        json.dump(kept, file)
    changed = call(args.ddtscope, "diff", old, trace).stdout
    if "it has 40." not in changed or "wrong_doubles" in changed:
        fail("diff", changed)
    os.remove(os.path.join(merged, "sources.json"))
    if any(one["id"] == "source-type" for one in json.loads(call(args.ddtscope, "check", merged, "--json").stdout)["findings"]):
        fail("merged", "findings come from elsewhere than sources.json: this test tests nothing")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--portable", action="store_true")
    args = script.options_of(parser)
    trace = os.path.join(args.work, "trace")
    env = base_environment()
    expected = WANTED
    if args.portable:
        expected = {name: WANTED[name] for name in STATIC}
        env["DDTSCOPE_PORTABLE"] = "1"

    def call(*words):
        return subprocess.run(list(map(str, words)), env=env, capture_output=True, text=True, timeout=120)

    program = shutil.copy(args.program, os.path.join(args.work, "app"))
    ran = call(args.launcher, "-n", "1", args.ddtscope, "exec", "-o", trace, "--", program)
    if ("where buffers lie is told of static ones alone" in ran.stderr) != args.portable:
        fail("the job", f"says of what is not told: {ran.stderr}")
    if ran.returncode != 0:
        fail("the job", f"{ran.returncode} {ran.stderr[-2000:]}")
        return script.outcome()
    answer = json.loads(call(args.ddtscope, "check", trace, "--json").stdout)
    told = [one for one in answer["findings"] if one["id"] in OF_SOURCES]
    met = set()
    for finding in told:
        name = finding["message"].split("`")[1] if "`" in finding["message"] else finding["message"]
        met.add(name)
        wanted = expected.get(name)
        if wanted is None:
            fail(name, f"is told: {finding['message']}")
        elif (finding["id"], finding["severity"]) != wanted[:2] or wanted[2] not in finding["message"]:
            fail(name, f"{finding['id']} {finding['severity']}: {finding['message']}")
        elif finding["called"] != (wanted[3] if len(wanted) > 3 else "MPI_Bcast") or finding["argument"] != "datatype" or finding["other"] is not None:
            fail(name, f"{finding['called']} {finding['argument']} {finding['other']}")
    for name in sorted(set(expected) - met):
        fail(name, "is not told")
    if args.portable:
        return script.outcome()
    shown = call(args.ddtscope, "check", trace).stdout
    if "wrong_ten` (int wrong_ten[10], buffers.c:" not in shown:
        fail("check", shown[-3000:])
    if "lie in allocated memory whose end is not known: whether they are long enough was not judged." not in shown:
        fail("check", f"does not say what was not judged: {shown[-3000:]}")
    stays_with_the_trace(args, call, program, trace, answer["findings"])
    # The job itself keeps it, too.
    env["DDTSCOPE_SYMBOLS"] = "on"
    kept = os.path.join(args.work, "kept")
    call(args.launcher, "-n", "1", args.ddtscope, "exec", "--quiet", "-o", kept, "--", args.program)
    if not os.path.exists(os.path.join(kept, "sources.json")):
        fail("the end of the job", f"leaves {os.listdir(kept)}")
    return script.outcome()


sys.exit(main())
