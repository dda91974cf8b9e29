"""`mpitype frame`: the buffers and types of the MPI call that the process is in, in C and Fortran."""
import os
import re
import shutil
import subprocess

from harness import START, clean, contains, expect, gdb, options, rows, work


def check_frames():
    """What `mpitype frame` takes from the source is said to be from there, and is never another call's."""
    commands = ["break debugged.cpp:share", "run", "break PMPI_Bcast", "break PMPI_Allreduce"]
    for _ in range(4):
        commands += ["continue", "mpitype frame", "stepi 25", "mpitype frame"]
    answers, errors = gdb(commands, "--", options.program, trace=work / "frames")
    entered, inside = answers[5::4], answers[7::4]
    for answer, words in zip(entered, (["T2 =", "1 copy of T2"], "1 copy of T1", "1 copy of T1", ["send buffer: MPI_IN_PLACE", "1 copy of MPI_INT"])):
        contains(answer, words, f"frame at entry {errors}")
        expect("by the source" not in answer, "frame at entry is not by the source:\n" + answer)
    unknown = "its arguments are not known"
    for answer, words in zip(inside, (unknown, ["by the source, debugged.cpp:", "1 copy of T1"], unknown,
                                      ["by the source, debugged.cpp:", "send buffer: MPI_IN_PLACE", "1 copy of MPI_INT"])):
        contains(answer, words, f"frame by the source {errors}")
        expect((words == unknown) == ("copy of" not in answer), "frame by the source:\n" + answer)


def check_wrong_buffers():
    """A buffer is held against what gdb knows of it, by the caller's line."""
    commands = ["break here", "run", "break PMPI_Bcast", *["continue", "mpitype frame"] * 3]
    answers, errors = gdb(commands, "--", options.program, "wrong", trace=work / "wrong")
    for right in (answers[4], answers[6]):
        contains(right, "4 copies of MPI_DOUBLE", f"frame of a right buffer {errors}")
        expect("Note: " not in right, "frame of a right buffer:\n" + right)
    contains(answers[8], ["2 copies of MPI_DOUBLE", "    Note: MPI_DOUBLE at numbers[0] of type int: floating against integer."],
             f"frame of a wrong buffer {errors}")


def check_elsewhere():
    """An array of more bytes than gdb fetches, by the caller's line; arguments of a function that waits in a block of its own."""
    commands = ["break here", "run", "break send_from_elsewhere", "continue", "break PMPI_Bcast", "continue", "stepi 25", "mpitype frame",
                "break wait_within", "continue", "mpitype frame"]
    answers, errors = gdb(commands, "--", options.program, "wrong", trace=work / "elsewhere")
    contains(answers[7], ["by the source, debugged.cpp:", "1 copy of T1", "10 entries of 80 bytes"], f"frame of a large array {errors}")
    contains(answers[10], ["MPI_Rsend\n  buffer: T1", "1 copy of T1"], f"frame within a block {errors}")
    expect("by the source" not in answers[10], f"frame within a block:\n{answers[10]}")


def check_exchange():
    """Calls that have a part for each rank or neighbour."""
    calls = ["Alltoallw", "Alltoallv", "Gatherv", "Allgather", "Reduce_scatter"]
    commands = [f"break MPI_{name}" for name in [*calls, "Neighbor_alltoallw"]] + ["run"]
    for _ in calls:
        commands += ["mpitype frame", "continue"] * 2  # in the plugin's function, and in the library's
    words = ["mpitype frame", "mpitype frame --ranks 2", "mpitype frame --ranks 2 --limit 1", "mpitype frame --ranks 1000000",
             "mpitype frame --ranks 100000000", "stepi 20", "mpitype frame --ranks 2", "frame function exchange", "mpitype values MPI_INT received"]
    answers, errors = gdb([*commands, *words], "--", options.program, "exchange", trace=work / "exchange")
    said = dict(zip(calls, answers[len(calls) + 2::4]))
    for name, within in zip(calls, answers[len(calls) + 4::4]):
        expect(within == said[name], f"frame of MPI_{name} in the library:\n{within}\n{errors}")
    buffers = {name: re.findall(r"^  (\w+ buffer): (.*)$", text, re.MULTILINE) for name, text in said.items()}
    for name in ("Alltoallw", "Alltoallv"):
        expect(buffers[name] == [("send buffer", "parts for 1 of 1 rank"), ("receive buffer", "parts from 1 of 1 rank")],
               f"frame of MPI_{name}:\n{said[name]}\n{errors}")
    contains(said["Alltoallw"], ["rank 0: 1 copy of T7", "(bytes 16 to 19 of the buffer)"], "displacements in bytes")
    contains(said["Alltoallv"], ["rank 0: 1 copy of T7", "(bytes 24 to 27 of the buffer)", "(bytes 12 to 15 of the buffer)"],
             "displacements in extents")
    contains(said["Gatherv"], ["2 copies of MPI_INT", "rank 0: 2 copies of T7", "(bytes 128 to 139 of the buffer)"], "MPI_Gatherv")
    contains(said["Allgather"], "2 for each of 1 rank:\n    2 copies of MPI_INT", "MPI_Allgather")
    expect(said["Reduce_scatter"].count("    2 copies of MPI_INT") == 2, f"MPI_Reduce_scatter:\n{said['Reduce_scatter']}")
    unknown, known, limited, unreadable, too_long, _, inside, _, container = answers[-len(words):]
    expect(unknown.count("of which the number is not known") == 2 and "copy" not in unknown, f"neighbours:\n{unknown}")
    contains(known, ["parts for 2 of 2 neighbours\n    T3 = ", "neighbour 0: 1 copy of T3", "(bytes 0 to 19 of the buffer)",
                     "neighbour 1: 3 copies of MPI_INT", "(bytes 20 to 31 of the buffer)", "(bytes 64 to 75 of the buffer)"],
             "2 neighbours")
    contains(limited, "    neighbour 0: 1 copy of T3", "1 of 2 neighbours")
    expect("neighbour 1" not in limited and limited.count("... 1 more") == 2, f"1 of 2 neighbours:\n{limited}")
    contains(unreadable, "stands in memory that cannot be read", "too many neighbours")
    contains(too_long, "too long to be looked at", "far too many neighbours")
    contains(inside, ["by the source, debugged.cpp:", "neighbour 1: 3 copies of MPI_INT", "`received.data()` is not evaluated"],
             "neighbours by the source")
    contains(errors, "a std::vector keeps its elements elsewhere", f"a vector as a buffer: {container}")

    # Two ranks, each under a gdb of its own.
    folder = work / "exchange-ranks"
    folder.mkdir()
    words = [options.launcher, "-n", "2", "sh", "-c", 'exec "$@" >$$.out 2>&1', "sh", options.ddtscope, "gdb", "-nx", "-batch"]
    for command in [*START, *(f"break MPI_{name}" for name in calls), "run", *["mpitype frame", "continue", "continue"] * len(calls)]:
        words += ["-ex", command]
    result = subprocess.run([*words, "--", options.program, "exchange"], capture_output=True, text=True, cwd=folder, timeout=200,
                            env={**clean, "DDTSCOPE_OUTPUT": str(work / "exchange-trace")}, stdin=subprocess.DEVNULL)
    # Each rank sends to the other; the root alone gathers.
    ranks = sorted((text.read_text() for text in folder.glob("*.out")), key=lambda text: "the root, has one" in text)
    expect(len(ranks) == 2, f"two ranks: {result.stderr}")
    for rank, text in enumerate(ranks):
        contains(text, ["MPI_Alltoallw\n  send buffer: parts for 1 of 2 ranks\n    T7", f"    rank {1 - rank}: 1 copy of T7",
                        "(bytes 16 to 19 of the buffer)", "2 for each of 2 ranks:\n    4 copies of MPI_INT",
                        "MPI_Reduce_scatter\n  send buffer: MPI_INT\n    4 copies of MPI_INT",
                        "  receive buffer: rank 0, the root, has one" if rank else "receive buffer: parts from 2 of 2 ranks"],
                 f"rank {rank} of 2")
        expect(f"    rank {rank}: 1 copy" not in text, f"rank {rank} of 2: a part of no bytes is shown")


def check_newer_source():
    old = work / "old"
    shutil.copy(options.program, old)
    os.utime(old, (0, 0))
    for program, said in ((options.program, False), (old, True)):
        commands = ["break MPI_Allreduce", "run", "stepi 25", "mpitype frame"]
        answers, errors = gdb(commands, "--", program, trace=work / "old-trace")
        contains(answers[-1], "by the source, debugged.cpp:", f"frame by the source {errors}")
        expect((", which is newer than the program:" in answers[-1]) == said, f"whether the source of {program} is newer:\n{answers[-1]}")


def check_fortran():
    if options.debugged_f08:
        answers, errors = gdb(["break here", "run", "print row", "mpitype show row", "mpitype values row values"],
                              "--", options.debugged_f08, trace=work / "f08")
        contains(answers[2], 'T1 "row of tile"', "type(MPI_Datatype)")
        contains(answers[3], "MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION)", "show of type(MPI_Datatype)")
        # What follows a variable of a COMMON block, or a caller's element, is the program's, too.
        in_main = ["frame function MAIN__", "mpitype values block shared", "mpitype values MPI_INTEGER shared", "mpitype values MPI_DOUBLE_PRECISION tile 12",
                   "mpitype values MPI_DOUBLE_PRECISION large 2"]
        in_part = ["break of_part", "continue", "mpitype values MPI_DOUBLE_PRECISION old_style 8", "mpitype values MPI_INTEGER old_style 2"]
        asked = ["break here", "run", *in_main, *in_part]
        answers_of_notes, errors_of_notes = gdb(asked, "--", options.debugged_f08, trace=work / "f08-notes")
        said = dict(zip(asked, answers_of_notes))
        for command in (in_main[1], in_main[3], in_part[2]):
            expect("MPI_DOUBLE_PRECISION" in said[command] and "Note: " not in said[command], f"{command}:\n{said[command]}\n{errors_of_notes}")
        expect([row[2] for row in rows(said[in_main[4]])] == ["0.5"] * 2, f"values of a large array:\n{said[in_main[4]]}\n{errors_of_notes}")
        for command, variable in ((in_main[2], "shared(1)"), (in_part[3], "old_style(1)")):
            contains(said[command], f"Note: MPI_INTEGER at {variable} of type real(kind=8): floating against integer.", command)
        # In Fortran, gdb takes a name for others in upper or lower case, too.
        commands = ["break here", "run", "set language c", "break PMPI_Sendrecv", "break PMPI_Alltoallw", "break PMPI_Bcast", "set language auto"]
        for _ in range(6):  # in the plugin's function, and in the library's
            commands += ["continue", "mpitype frame", "stepi 25", "mpitype frame"]
        answers_of_calls, errors_of_calls = gdb(commands, "--", options.debugged_f08, trace=work / "f08-frame")
        wanted = {"MPI_Sendrecv": ["send buffer: T1", "receive buffer: T1"],
                  "MPI_Bcast": ["buffer: T1", "1 copy of T1"],
                  "MPI_Alltoallw": ["send buffer: parts for 1 of 1 rank\n    T1", "(bytes 8 to 79 of the buffer)"]}
        entered, inside = ([text for text in answers_of_calls[at::4] if text.startswith("MPI_")] for at in (8, 10))
        for by_source, texts in ((False, entered), (True, inside)):
            expect({text.split("\n")[0] for text in texts} == set(wanted), f"frames in f08: {texts} {errors_of_calls}")
            for text in texts:
                contains(text, wanted[text.split("\n")[0]], f"frame in f08: {errors_of_calls}")
                expect(("by the source, debugged_f08.F90:" in text) == by_source, f"frame in f08:\n{text}")
        expect(rows(answers[4]) == [("0", "MPI_DOUBLE_PRECISION", "1"), ("32", "MPI_DOUBLE_PRECISION", "5"),
                                    ("64", "MPI_DOUBLE_PRECISION", "9")], f"values in Fortran:\n{answers[4]}\n{errors}")
    if options.debugged_mpif:
        answers, errors = gdb(["break here", "run", "mpitype show row --fortran", "mpitype values row values --fortran"],
                              "--", options.debugged_mpif, trace=work / "mpif")
        contains(answers[2], "MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION)", "an INTEGER handle")
        expect([row[2] for row in rows(answers[3])] == ["2.5"] * 3, f"values by INTEGER:\n{answers[3]}\n{errors}")
        answers, errors = gdb(["python DEBUGGER.ranges = lambda: gdb.write('SEARCHED') and [] or []", "break mpi_bcast_", "run",
                               "mpitype frame", "frame function MAIN__", "mpitype values MPI_INTEGER steps"],
                              "--", options.debugged_mpif, trace=work / "mpif-frame")
        place = re.search(r"MPI_INTEGER at 0x([0-9a-f]+) ", answers[3])
        expect(place is not None and int(place[1], 16) > 4096, f"frame of a Fortran scalar:\n{answers[3]}\n{errors}")
        contains(answers[3], ["by the source, debugged_mpif.f:", "1 copy of MPI_INTEGER"], "frame in Fortran")
        expect([row[2] for row in rows(answers[5])] == ["100"], f"a Fortran scalar's value:\n{answers[5]}\n{errors}")
        expect("SEARCHED" not in "".join(answers), "in Fortran the symbol is not found")
