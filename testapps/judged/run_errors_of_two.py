#!/usr/bin/env python3
"""What is wrong with calls of two processes is found, and nothing in their twins that are right: the cases of errors_of_two.c,
by the text of MPI-4.1. Whatever the library makes of them, which may end the job in the call."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

ERROR, NOTE = "error", "note"
BOTH, FIRST, SECOND = [[0, 1]], [[0, 0]], [[1, 1]]
OVERLAP, NULL, OPERATION = "receive-overlap", "null-buffer", "op-type"

# case: {(id, severity, function, argument): (how often, on which ranks, words of the message)}
PLAN = {
    "gathered_twice": {(OVERLAP, ERROR, "MPI_Gatherv", "recvtype"): (1, FIRST, "the first byte that both touch is byte 0 from the address of its own buffer, byte 16 from")},
    "gathered_side_by_side": {},
    "gathered_backwards": {},
    "scattered_twice": {(OVERLAP, NOTE, "MPI_Scatterv", "sendtype"): (1, FIRST, "MPI_Scatterv reads")},
    "scattered_side_by_side": {},
    "columns_that_meet": {(OVERLAP, ERROR, "MPI_Alltoallw", "recvtypes"): (2, BOTH, "byte 0 from the address of its own buffer, byte 4 from")},
    "columns_side_by_side": {},
    "copies_that_overlap": {(OVERLAP, ERROR, "MPI_Allgather", "recvtype"): (2, BOTH, "up to 2 copies of a type at once")},
    "sent_copies_that_overlap": {},
    "broadcast_overlap": {(OVERLAP, ERROR, "MPI_Bcast", "datatype"): (2, SECOND, "MPI_Bcast writes 1 x T1, which touch some byte twice")},
    "broadcast_of_root": {},
    "persistent_overlap": {(OVERLAP, ERROR, "MPI_Recv_init", "datatype"): (2, BOTH, "with a type that touches some byte twice")},
    "persistent_apart": {},
    "written_view": {(OVERLAP, ERROR, "MPI_File_set_view", "filetype"): (2, BOTH, "in a file that is open for writing, as")},
    "view_of_nothing": {(OVERLAP, ERROR, "MPI_File_set_view", "filetype"): (2, BOTH, "in a file that is open for writing, as")},
    "view_to_read": {},
    "view_side_by_side": {},
    "null_result_of_root": {(NULL, ERROR, "MPI_Reduce", "datatype"): (1, FIRST, "as the buffer of its result, 3 elements of datatype")},
    "null_result_of_first_call": {(NULL, ERROR, "MPI_Reduce", "datatype"): (1, FIRST, "as the buffer of its result, 3 elements of datatype")},
    "null_result_of_all": {(NULL, ERROR, "MPI_Allreduce", "datatype"): (2, BOTH, "as the buffer of its result")},
    "null_blocks": {(NULL, ERROR, "MPI_Gatherv", "recvtype"): (1, FIRST, "as the buffer of 6 elements of recvtype")},
    "null_blocks_of_types": {(NULL, ERROR, "MPI_Alltoallw", "recvtypes"): (4, BOTH, "as the buffer of 1 element of recvtypes[0]")},
    "null_results_of_nobody": {},
    "sum_of_several": {(OPERATION, ERROR, "MPI_Accumulate", "origin_datatype"): (2, BOTH, "MPI_SUM, which is not defined for a type of several basic types")},
    "bits_of_doubles": {(OPERATION, ERROR, "MPI_Accumulate", "origin_datatype"): (2, BOTH, "MPI_BAND, which is not defined for a type of MPI_DOUBLE")},
    "replacement_of_several": {(OPERATION, ERROR, "MPI_Accumulate", "origin_datatype"): (2, BOTH, "MPI_REPLACE, which is not defined for a type of several")},
    "sums_of_one": {},
    "operation_of_our_own": {(OPERATION, ERROR, "MPI_Accumulate", "origin_datatype"): (2, BOTH, "an operation that is not predefined")},
    "sum_of_what_was_accumulated": {(OPERATION, ERROR, "MPI_Allreduce", "datatype"): (2, BOTH, "MPI_SUM, which is not defined for a derived type")},
    "sum_of_a_copy": {(OPERATION, ERROR, "MPI_Allreduce", "datatype"): (2, BOTH, "MPI_SUM, which is not defined for a derived type")},
}
# Told on stderr before the call: what is certain then. Whether copies share bytes is so where they have no gaps.
TOLD = {case: kind for case, wanted in PLAN.items() for kind, *_ in wanted if kind in (NULL, OPERATION)} | {"gathered_twice": OVERLAP}


def main():
    options = script.options_of(script.parser(__doc__))
    environment = script.base_environment()

    def job(*command):
        return subprocess.run([options.launcher, "-n", "2", *command], cwd=options.work, env=environment, capture_output=True,
                              text=True, check=False, timeout=60)
    for case, wanted in PLAN.items():
        folder = os.path.join(options.work, case)
        # Into a file: a launcher whose job is ended in the call may drop what it has not passed on.
        told = folder + ".stderr"
        result = job("sh", "-c", 'exec "$@" 2>>"$0"', told, options.ddtscope, "exec", "-o", folder, "--", options.program, case)
        if script.may_lack_windows(result, environment):
            continue
        read = subprocess.run([options.ddtscope, "check", folder, "--json"], capture_output=True, text=True, check=False)
        if read.returncode not in (0, 1, 3) or not read.stdout:
            fail(case, f"check ends with {read.returncode}: {read.stderr}; the job with {result.returncode}: {result.stderr[-600:]}")
            continue
        found = {}
        for finding in json.loads(read.stdout)["findings"]:
            key = (finding["id"], finding["severity"], finding["called"], finding["argument"])
            if key[0] not in (OVERLAP, NULL, OPERATION):
                continue
            if key in found:
                fail(case, f"{key} twice")
            found[key] = finding
            if not finding["call_site"] or finding["call_site"][0]["function"] is None:
                fail(case, f"no call site of {key}")
        if found.keys() != wanted.keys():
            fail(case, f"found {found.keys()}, should be {wanted.keys()}; {result.stderr[-600:]}")
        for key, (count, ranks, words) in wanted.items():
            finding = found.get(key, {"count": 0, "ranks": [], "message": ""})
            # A process may end the other one's before its call.
            is_short = result.returncode != 0 and 0 < finding["count"] < count
            if (finding["count"], finding["ranks"]) != (count, ranks) and not is_short:
                fail(case, f"{key}: {finding['count']} times on ranks {finding['ranks']}, should be {count} on {ranks}")
            if words not in finding["message"]:
                fail(case, f"{key}: {finding['message']}")
        if not wanted and result.returncode != 0:
            fail(case, f"ends with {result.returncode}: {result.stderr}")
        with open(told, errors="replace") as lines:
            at_once = set(re.findall(r"^ddtscope: rank \d+: .*\[([\w-]+)\]$", lines.read(), re.MULTILINE))
        if at_once != ({TOLD[case]} if case in TOLD else set()):
            fail(case, f"told: {at_once}")
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
