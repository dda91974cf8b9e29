#!/usr/bin/env python3
"""What is read from and written to files stands in the trace exactly as files.c does it, and what a file's mode forbids is
found before the library gets the call, by the text of MPI-4.1 14.2.1, 14.4.2 and 14.4.3: whatever the library makes of it."""
import json
import os
import subprocess
import sys

import jsonschema

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402
from trace_schema import TraceSchema  # noqa: E402

RANKS = 2
MODES = {"shared.data": ["MPI_MODE_RDWR | MPI_MODE_CREATE"], "own": ["MPI_MODE_WRONLY | MPI_MODE_CREATE"],
         "copy.data": ["MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE"]}
# name: (ranks, calls, read, written, functions, {type: (calls, read, written)}), as both processes do it
SHARED = ([[0, 1]], 12, 160, 272, {"MPI_File_write_at_all", "MPI_File_read_all", "MPI_File_iwrite_at", "MPI_File_read_at_all_begin"},
          {"MPI_DOUBLE": (10, 80, 272), "five": (2, 80, 0)})
# site: (severity, function, words of the message)
JUDGED = {
    "writes": ("error", "MPI_File_write_at", 'writes to "judged.data", which was opened with MPI_MODE_RDONLY.', 1),
    "reads": ("error", "MPI_File_read", 'reads from "judged.data", which was opened with MPI_MODE_WRONLY.', 3),
    "at_offset": ("error", "MPI_File_read_at", 'accesses an offset of "judged.data", which was opened with MPI_MODE_SEQUENTIAL', 1),
    "at_own_pointer": ("error", "MPI_File_read_all", 'uses the individual file pointer of "judged.data", which', 1),
    "writes_nothing": ("warning", "MPI_File_write", "Its count is 0, so that nothing moves.", 1),
}


def job(options, folder, words, ranks=1, **settings):
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    run = subprocess.run([options.launcher, *more, "-n", str(ranks), options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--", *words],
                         cwd=options.work, env={**script.base_environment(), **settings}, capture_output=True, text=True, check=False, timeout=120)
    if run.returncode != 0:
        fail(folder, f"ends with {run.returncode}: {run.stderr}")
    return run


def read(options, *words):
    run = subprocess.run([options.ddtscope, *words], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        fail(words, f"ends with {run.returncode}: {run.stderr}")
    return run.stdout


def files_of(options, trace, *more):
    files = json.loads(read(options, "uses", trace, "--by", "file", "--json", *more))
    with open(options.files_schema, encoding="utf-8") as schema:
        jsonschema.Draft202012Validator(json.load(schema)).validate(files)
    return files


def check_lines(options, folder):
    """Each line is as the schema wants it; a loop of opens is one line, and a communicator is told by its name."""
    schema = TraceSchema(options.trace_schema)
    with open(os.path.join(folder, "trace.jsonl"), encoding="utf-8") as trace:
        lines = [json.loads(line) for line in trace]
    for line in lines:
        schema.validate(line)
    opened = {line["name"]: line for line in lines if line["record"] == "file"}
    names = sum(line["record"] == "file" for line in lines)
    if names != 4 or set(opened) != {"shared.data", "copy.data", "own.0.data", "own.1.data"}:
        fail("lines", f"{names} of {opened}")
        return
    communicator = next(line for line in lines if line["record"] == "communicator" and line["called"] == "MPI_Comm_dup")
    told = [opened[name]["communicator"] for name in ("shared.data", "own.0.data", "copy.data")]
    if told != ["MPI_COMM_WORLD", "MPI_COMM_SELF", communicator["name"]]:
        fail("lines", f"the communicators are {told}")


def check_amounts(options):
    folder = os.path.join(options.work, "amounts")
    job(options, folder, [options.program, "amounts"], RANKS)
    check_lines(options, folder)
    files = files_of(options, folder)
    names = {row["id"]: row["names"][0] for row in json.loads(read(options, "types", folder, "--json"))}
    found = {row["name"]: (row["ranks"], row["calls"], row["read_bytes"], row["written_bytes"], set(row["called"]),
                           {names.get(one["type"], one["type"]): (one["calls"], one["read_bytes"], one["written_bytes"]) for one in row["types"]})
             for row in files}
    own = [([[rank, rank]], 2, 0, 24, {"MPI_File_write"}, {"MPI_INT": (2, 0, 24)}) for rank in range(RANKS)]
    wanted = {"shared.data": SHARED, "own.0.data": own[0], "own.1.data": own[1], "copy.data": ([[0, 1]], 0, 0, 0, set(), {})}
    if found != wanted:
        fail("amounts", f"tells {found}, should {wanted}")
    for row in files:
        modes = MODES["own" if row["name"].startswith("own") else row["name"]]
        if row["modes"] != modes:
            fail("amounts", f"{row['name']} is opened with {row['modes']}")
    views = [(view["etype"], names.get(view["filetype"]), view["datarep"], view["lowest_displacement"], view["highest_displacement"], view["calls"])
             for row in files for view in row["views"]]
    if views != [("MPI_DOUBLE", "every", "native", 0, 8, 2)]:
        fail("amounts", f"has the views {views}")
    text = read(options, "uses", folder, "--by", "file")
    if 'shared.data seen as T1 "every" of MPI_DOUBLE, from bytes 0 to 8 on, native  (2 calls)' not in text:
        fail("text", text)
    if "Files: 4 opened, 320 B written, 160 B read" not in read(options, "summary", folder):
        fail("summary", read(options, "summary", folder))
    some = [row["name"] for row in files_of(options, folder, "--filter", "own.*")]
    if some != ["own.0.data", "own.1.data"]:
        fail("filter", f"leaves {some}")
    if [row["name"] for row in files_of(options, folder, "--filter", "five")] != ["shared.data"]:
        fail("filter", "of a type leaves others")
    # Of a type that files are viewed by, the views alone; of a call that opens files, the files and all that is theirs.
    viewed = [(row["name"], row["calls"], [view["filetype"] for view in row["views"]]) for row in files_of(options, folder, "--filter", "every")]
    if viewed != [("shared.data", 0, [next(type for type, name in names.items() if name == "every")])]:
        fail("filter", f"of a filetype leaves {viewed}")
    for pattern in ("MPI_File_open", "main"):
        if files_of(options, folder, "--filter", pattern) != files:
            fail("filter", f"{pattern} leaves {files_of(options, folder, '--filter', pattern)}")
    csv = read(options, "uses", folder, "--by", "file", "--csv").splitlines()
    if csv[1:2] != ['"shared.data","MPI_DOUBLE",,10,272,80'] or len(csv) != 5:
        fail("csv", str(csv))
    # Ranks that do not join their traces, and `ddtscope merge`, say the same.
    apart = os.path.join(options.work, "apart")
    job(options, apart, [options.program, "amounts"], RANKS, DDTSCOPE_MERGE="off")
    merged = os.path.join(options.work, "merged.jsonl")
    read(options, "merge", apart, "-o", merged)
    for trace in (apart, merged):
        if files_of(options, trace) != files:
            fail(trace, f"tells {files_of(options, trace)}, joined by the ranks it is {files}")
    off = os.path.join(options.work, "off")
    job(options, off, [options.program, "amounts"], RANKS, DDTSCOPE_USES="off")
    if files_of(options, off):
        fail("off", f"tells {files_of(options, off)}")


def findings_of(options, folder):
    return [one for one in json.loads(read(options, "check", folder, "--json"))["findings"] if one["id"] == "bad-argument"]


def check_judged(options):
    for how in ("right", "wrong"):
        folder = os.path.join(options.work, how)
        run = job(options, folder, [options.program, how])
        found = {one["call_site"][0]["function"]: one for one in findings_of(options, folder)}
        wanted = JUDGED if how == "wrong" else {}
        if set(found) != set(wanted):
            fail(how, f"finds {found}")
            continue
        for site, (severity, called, words, count) in wanted.items():
            one = found[site]
            if (one["severity"], one["called"], one["count"], one["type"], one["argument"]) != (severity, called, count, "MPI_DOUBLE", "datatype") \
                    or words not in one["message"]:
                fail(how, f"{site}: finds {one}")
        told = [line for line in run.stderr.splitlines() if line.startswith("ddtscope: ") and line.endswith("[bad-argument]")]
        if len(told) != sum(one[0] == "error" for one in wanted.values()):
            fail(how, f"tells {told}")
    # What failed is a call that moved nothing.
    files = files_of(options, os.path.join(options.work, "right"))
    if [(row["name"], row["written_bytes"]) for row in files] != [("judged.data", 128 + 32)]:
        fail("right", f"tells {files}")


def check_fortran(options):
    for how in ("right", "wrong"):
        folder = os.path.join(options.work, "fortran_" + how)
        job(options, folder, [options.fortran, how])
        found = sorted((one["called"].replace("_f08ts_", "_f08_"), one["severity"], one["type"]) for one in findings_of(options, folder))
        wanted = [(name, "error", "MPI_DOUBLE_PRECISION") for name in ("mpi_file_write_", "mpi_file_write_f08_")]
        if found != (wanted if how == "wrong" else []):
            fail("fortran", f"{how}: finds {found}")
        files = {row["name"]: row for row in files_of(options, folder)}
        if set(files) != {"fortran.data", "f08.data"}:
            fail("fortran", f"{how}: tells {files}")
            continue
        for row in files.values():
            views = [(one["etype"], one["lowest_displacement"], one["calls"]) for one in row["views"]]
            if row["calls"] != 2 or views != [("MPI_DOUBLE_PRECISION", 16, 1)] or (how == "right" and row["written_bytes"] != 80):
                fail("fortran", f"{how}: tells {row}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--trace-schema", required=True)
    parser.add_argument("--files-schema", required=True)
    parser.add_argument("--fortran", help="the same in Fortran: another program")
    options = script.options_of(parser)
    check_amounts(options)
    check_judged(options)
    if options.fortran:
        check_fortran(options)
    return script.outcome()


sys.exit(main())
