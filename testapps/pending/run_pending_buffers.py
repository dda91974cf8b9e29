#!/usr/bin/env python3
"""Buffers that two operations share are found, and nothing where they share none; and types of one call that do not
fit each other: the cases of pending_buffers.c, by MPI-4.1 3.3.1, 3.7.2, 6.2, 12.7 and 14.3. The bytes are counted on
paper."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

# case: {(function, argument, the other function, its argument): (how often at each call site, byte of the first one,
# byte of the other)}
PLAN = {
    "overlapping_halos": {("MPI_Irecv", "datatype", "MPI_Irecv", "datatype"): (1, 0, 72)},
    "halos_side_by_side": {},
    "columns": {},
    "shifted_columns": {("MPI_Irecv", "datatype", "MPI_Irecv", "datatype"): (1, 0, 4)},
    "send_while_received": {("MPI_Send", "datatype", "MPI_Irecv", "datatype"): (1, 0, 24)},
    "sent_twice": {},
    "one_after_the_other": {},
    "moved_requests": {},
    "persistent_overlap": {("MPI_Startall", "datatype", "MPI_Startall", "datatype"): (3, 0, 24)},
    "persistent_apart": {},
    "persistent_in_turn": {},
    "persistent_buffered": {},
    "freed_request": {},
    "sendrecv_overlap": {("MPI_Sendrecv", "sendtype", "MPI_Sendrecv", "recvtype"): (1, 16, 0)},
    "sendrecv_columns": {},
    "collectives": {},
    "alltoallv_overlap": {("MPI_Alltoallv", "sendtype", "MPI_Alltoallv", "recvtype"): (1, 16, 0)},
    "allreduce_overlap": {("MPI_Allreduce", "datatype", "MPI_Allreduce", "datatype"): (1, 8, 0)},
    "pending_collective": {("MPI_Bcast", "datatype", "MPI_Iallreduce", "datatype"): (1, 0, 24)},
    "one_sided_overlap": {("MPI_Get", "origin_datatype", "MPI_Put", "origin_datatype"): (1, 0, 8)},
    "one_sided_in_turn": {},
    "request_overlap": {("MPI_Sendrecv", "recvtype", "MPI_Rget", "origin_datatype"): (1, 0, 24),
                        ("MPI_Sendrecv", "recvtype", "MPI_Rput", "origin_datatype"): (1, 0, 8)},
    "request_in_turn": {},
    "request_flushed": {},
    "partition_in_turn": {},
    "partition_overlap": {("MPI_Sendrecv", "recvtype", "MPI_Pready_range", "datatype"): (2, 0, 16)},
    "partition_overlap_of_receive": {("MPI_Sendrecv", "recvtype", "MPI_Start", "datatype"): (2, 0, 16)},
    "partition_that_arrived": {},
    "split_overlap": {("MPI_Sendrecv", "recvtype", "MPI_File_read_at_all_begin", "datatype"): (1, 0, 16)},
    "split_in_turn": {},
    "many_apart": {},
    "one_of_many": {("MPI_Irecv", "datatype", "MPI_Irecv", "datatype"): (1, 0, 0)},
}
# case: {(function, argument, the other one): (severity, end of the message)}
MISMATCHES = {
    "gather_of_floats": {("MPI_Gather", "sendtype", "recvtype"):
                         ("error", "entry 0 is MPI_INT in sendtype and is MPI_FLOAT in recvtype.")},
    "gather_too_much": {("MPI_Gather", "sendtype", "recvtype"):
                        ("error", "entry 3 is MPI_INT in sendtype and is not there in recvtype.")},
    "gather_by_other_name": {("MPI_Gather", "sendtype", "recvtype"):
                             ("warning", "entry 0 is MPI_LONG in sendtype and is MPI_INT64_T in recvtype.")},
    "gather_of_bytes": {("MPI_Gather", "sendtype", "recvtype"):
                        ("warning", "entry 0 is MPI_DOUBLE in sendtype and is MPI_BYTE in recvtype.")},
    "gather_of_columns": {},
    "view_of_ints": {("MPI_File_set_view", "etype", "filetype"):
                     ("error", "entry 0 is MPI_DOUBLE in etype and is MPI_INT in filetype.")},
    "view_of_bytes": {("MPI_File_set_view", "etype", "filetype"):
                      ("note", "entry 0 is MPI_BYTE in etype and is MPI_INT in filetype.")},
    "view_that_fits": {},
    "collectives": {},
}


class Runs:
    def __init__(self, options):
        self.options = options
        self.environment = script.base_environment()

    def launch(self, command, settings=None):
        return subprocess.run([self.options.launcher, "-n", "1", *command], cwd=self.options.work,
                              env={**self.environment, **(settings or {})}, capture_output=True, text=True, check=False,
                              timeout=120)

    def job(self, case, name, settings=None):
        folder = os.path.join(self.options.work, name)
        return folder, self.launch([self.options.ddtscope, "exec", "-o", folder, "--", self.options.program, case], settings)

    def read(self, *arguments):
        return subprocess.run([self.options.ddtscope, *arguments], capture_output=True, text=True, check=False)

    def findings(self, folder, kind="buffers-overlap"):
        checked = self.read("check", folder, "--json")
        if checked.returncode not in (0, 1):
            fail(folder, f"check ends with {checked.returncode}: {checked.stderr}")
            return []
        return [each for each in json.loads(checked.stdout)["findings"] if each["id"] == kind]


def bytes_of(message):
    words = message.split("byte that both touch is byte ")[-1].split()
    return int(words[0]), int(words[words.index("byte", 1) + 1])


def check_plan(runs):
    for case, wanted in PLAN.items():
        native = runs.launch([runs.options.program, case])
        if "without partitions" in native.stdout or script.may_lack_windows(native, runs.environment):
            wanted = {}
        folder, result = runs.job(case, case)
        script.expect_same(result, native, case)
        found = {}
        for finding in runs.findings(folder):
            other = finding["other"]
            key = (finding["called"], finding["argument"], other["called"], other["argument"])
            found[key] = (finding["count"], *bytes_of(finding["message"]))
            for site in (finding["call_site"], other["call_site"]):
                if not site or site[0]["function"] is None:
                    fail(case, f"no call site of {key}")
            if finding["severity"] != "error":
                fail(case, f"{key} is a {finding['severity']}")
        if found != wanted:
            fail(case, f"found {found}, should be {wanted}")
        name = next(name for name in sorted(os.listdir(folder)) if name.endswith(".jsonl"))
        with open(os.path.join(folder, name), encoding="utf-8") as trace:
            notes = [json.loads(line) for line in trace if '"record":"note"' in line]
        if any("compared" in json.dumps(note) for note in notes):
            fail(case, f"{notes}")


def check_mismatches(runs):
    for case, wanted in MISMATCHES.items():
        folder, result = runs.job(case, case + "-types")
        found = {}
        for finding in runs.findings(folder, "local-mismatch"):
            key = (finding["called"], finding["argument"], finding["other"]["argument"])
            found[key] = (finding["severity"], finding["message"].split(": ")[-1])
        if found != wanted:
            fail(case, f"found {found}, should be {wanted}; {result.stderr[-800:]}")


def check_moved(runs):
    """Open MPI gives a buffered send another handle when it is started before what it sent last has gone."""
    folder, _ = runs.job("persistent_buffered", "moved")
    if found := [each for each in json.loads(runs.read("check", folder, "--json").stdout)["findings"] if each["severity"] == "error"]:
        fail("moved", f"{found}")
    uses = json.loads(runs.read("uses", folder, "--json").stdout)
    starts = [use["calls"] for use in uses if use["called"] == "MPI_Start"]
    if starts != [4]:
        fail("moved", f"{starts} starts in {uses}")


def check_told(runs):
    """Of basic types the process itself is sure, and says so before it goes on."""
    _, result = runs.job("overlapping_halos", "told")
    told = [line for line in result.stderr.splitlines() if "[buffers-overlap]" in line]
    if len(told) != 1 or "MPI_Irecv writes memory that the pending MPI_Irecv writes" not in told[0]:
        fail("told", result.stderr)
    _, result = runs.job("columns", "not-told")
    if "[buffers-overlap]" in result.stderr:
        fail("not told", result.stderr)


def check_merged(runs):
    """Whoever joins the ranks' traces, and however they are read, the finding is the same."""
    told = set()
    for how, settings in (("joined", {}), ("apart", {"DDTSCOPE_MERGE": "off"})):
        folder, _ = runs.job("overlapping_halos", how, settings)
        merged = os.path.join(runs.options.work, how + "-merged")
        if (result := runs.read("merge", folder, "-o", merged)).returncode != 0:
            fail("merge", result.stderr)
            continue
        for trace in (folder, merged):
            told.update(finding["message"] for finding in runs.findings(trace))
    if len(told) != 1:
        fail("merged", f"{told}")


def main():
    runs = Runs(script.options_of(script.parser(__doc__)))
    check_plan(runs)
    check_mismatches(runs)
    check_moved(runs)
    check_told(runs)
    check_merged(runs)
    folder, _ = runs.job("overlapping_halos", "off", {"DDTSCOPE_USES": "off"})
    if runs.findings(folder):
        fail("off", "something was found")
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
