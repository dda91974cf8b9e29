#!/usr/bin/env python3
"""What is wrong with a call is found before the library gets it, and nothing in calls that are right: the cases of
errors_in_calls.c, by the text of MPI-4.1. Whatever the library makes of them, which may end the job in the call."""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402

COLUMN = "MPI_Type_vector(4, 1, 6, MPI_DOUBLE)"
ERROR, WARNING, NOTE = "error", "warning", "note"

# case: {(id, severity, function, argument, call of the type or its name): how often}
PLAN = {
    "null_type": {("null-type", ERROR, "MPI_Send", "datatype", None): 1},
    "null_type_of_nothing": {("null-type", WARNING, "MPI_Send", "datatype", None): 1,
                             ("null-type", WARNING, "MPI_Recv", "datatype", None): 1},
    "null_entry_of_nothing": {},
    "null_entry": {("null-type", ERROR, "MPI_Alltoallw", "sendtypes", None): 1},
    "freed_type": {("freed-type", ERROR, "MPI_Pack", "datatype", COLUMN): 1},
    "freed_while_pending": {},
    "uncommitted_type": {("uncommitted-type", ERROR, "MPI_Pack", "datatype", COLUMN): 3},
    "uncommitted_in_collective": {("uncommitted-type", ERROR, "MPI_Gather", "sendtype", COLUMN): 1,
                                  ("uncommitted-type", ERROR, "MPI_Gather", "recvtype", COLUMN): 1},
    "committed_duplicate": {},
    "uncommitted_duplicate": {("uncommitted-type", ERROR, "MPI_Pack", "datatype", "MPI_Type_dup(T1)"): 1},
    "negative_count": {("negative-count", ERROR, "MPI_Send", "datatype", "MPI_DOUBLE"): 1},
    "negative_entry": {("negative-count", ERROR, "MPI_Alltoallv", "recvtype", "MPI_DOUBLE"): 1},
    "null_buffer": {("null-buffer", ERROR, "MPI_Pack", "datatype", "MPI_DOUBLE"): 1},
    "null_receive_buffer": {("null-buffer", ERROR, "MPI_Sendrecv", "recvtype", "MPI_DOUBLE"): 1},
    "bottom": {},
    "bottom_of_partitions": {("bad-argument", ERROR, "MPI_Psend_init", "datatype", "MPI_Type_create_struct(1, {1}, {ADDRESS}, {MPI_DOUBLE})"): 1},
    "negative_partitions": {("bad-argument", ERROR, "MPI_Psend_init", "datatype", "MPI_DOUBLE"): 1},
    "bitwise_and_of_doubles": {("op-type", ERROR, "MPI_Allreduce", "datatype", "MPI_DOUBLE"): 1},
    "sum_of_columns": {("op-type", ERROR, "MPI_Allreduce", "datatype", COLUMN): 1},
    "sum_of_characters": {("op-type", WARNING, "MPI_Allreduce", "datatype", "MPI_CHAR"): 1},
    "most_of_pairs": {("op-type", ERROR, "MPI_Allreduce", "datatype", "MPI_DOUBLE_INT"): 1},
    "operations": {},
    "receive_overlap": {("receive-overlap", ERROR, "MPI_Sendrecv", "recvtype", "MPI_Type_vector(3, 4, 2, MPI_INT)"): 1},
    "sent_overlap": {},
    "negative_count_of_constructor": {("negative-count", ERROR, "MPI_Type_contiguous", "count", None): 1},
    "negative_blocklength": {("bad-argument", ERROR, "MPI_Type_indexed", "array_of_blocklengths", None): 1},
    "null_oldtype": {("null-type", ERROR, "MPI_Type_vector", "oldtype", None): 1},
    "null_member": {("null-type", ERROR, "MPI_Type_create_struct", "array_of_types", None): 1},
    "subarray_beyond_array": {("bad-argument", ERROR, "MPI_Type_create_subarray", "array_of_starts", None): 1},
    "commit_of_null": {("null-type", ERROR, "MPI_Type_commit", "datatype", None): 1},
    "free_of_null": {("null-type", ERROR, "MPI_Type_free", "datatype", None): 1},
    "free_of_predefined": {("bad-argument", ERROR, "MPI_Type_free", "datatype", "MPI_DOUBLE"): 1},
    "constructors": {("unused-type", NOTE, "MPI_Type_dup", None, "MPI_Type_dup(T7)"): 1},
    "small_blocks": {("small-blocks", NOTE, "MPI_Sendrecv", "sendtype", "MPI_Type_vector(2, 1, 6, MPI_DOUBLE)"): 500,
                     ("unused-type", NOTE, "MPI_Type_contiguous", None, "MPI_Type_contiguous(17, MPI_INT)"): 1},
}
# Findings about types in themselves, and what the library's answers or the end in a call bring along, are others' tests.
JUDGED = {"bad-argument", "null-type", "freed-type", "uncommitted-type", "negative-count", "null-buffer", "op-type", "receive-overlap",
          "small-blocks", "unused-type", "over-2gib"}


class Runs:
    def __init__(self, options):
        self.options = options
        self.environment = script.base_environment()

    def job(self, case, name, ranks=1, arguments=(), settings=None):
        folder = os.path.join(self.options.work, name)
        # Into a file: a launcher whose job is ended in the call may drop what it has not passed on.
        told = folder + ".stderr"
        command = [self.options.launcher, "-n", str(ranks), "sh", "-c", 'exec "$@" 2>>"$0"', told, self.options.ddtscope,
                   "exec", "-o", folder, "--", self.options.program, case, *arguments]
        result = subprocess.run(command, cwd=self.options.work, env={**self.environment, **(settings or {})},
                                capture_output=True, text=True, check=False, timeout=60)
        with open(told, errors="replace") as lines:
            result.stderr = lines.read() + result.stderr
        return folder, result

    def read(self, *arguments):
        return subprocess.run([self.options.ddtscope, *arguments], capture_output=True, text=True, check=False)

    def findings(self, folder):
        checked = self.read("check", folder, "--json")
        found = {}
        for finding in json.loads(checked.stdout)["findings"]:
            if finding["id"] not in JUDGED:
                continue
            key = (finding["id"], finding["severity"], finding["called"], finding["argument"],
                   re.sub(r"\d{9,}", "ADDRESS", finding["call"] or finding["type"] or "") or None)
            found[key] = found.get(key, 0) + finding["count"]
            site = finding["call_site"]
            if finding["id"] != "small-blocks" and (not site or site[0]["function"] is None):
                fail(folder, f"no call site of {key}")
        return found, checked.returncode


def check_plan(runs, arguments, suffix):
    for case, wanted in PLAN.items():
        folder, result = runs.job(case, case + suffix, arguments=arguments)
        found, status = runs.findings(folder)
        if "without partitions" in result.stderr:
            wanted = {}
        if found != wanted:
            fail(case + suffix, f"found {found}, should be {wanted}; {result.stderr[-800:]}")
        if any(key[1] == ERROR for key in wanted) and status != 1:
            fail(case + suffix, f"check ends with {status}")
        told = [line for line in result.stderr.splitlines() if line.startswith("ddtscope: rank 0:")]
        before = {key[0] for key in wanted if key[1] == ERROR and key[0] != "receive-overlap"}
        if {line[line.rindex("[") + 1:-1] for line in told} != before:
            fail(case + suffix, f"told {told}, should tell of {before}")


def check_insignificant(runs):
    folder, result = runs.job("not_significant", "not_significant", ranks=2)
    found, _ = runs.findings(folder)
    if found or result.returncode != 0:
        fail("not_significant", f"found {found}; {result.stderr}")


def check_forms(runs):
    """The words for people and for other programs say what the JSON says."""
    freed = os.path.join(runs.options.work, "freed_type")
    text = runs.read("check", freed).stdout
    for words in ("MPI_Pack uses a type that was freed before, as datatype.", "freed in freed_type (errors_in_calls.c:", "; was T1",
                  "called in freed_type (errors_in_calls.c:"):
        if words not in text:
            fail("text", f"{words!r} is not in:\n{text}")
    finding = next(each for each in json.loads(runs.read("check", freed, "--json").stdout)["findings"]
                   if each["id"] == "freed-type")
    other = finding["other"]
    if not other or other["called"] != "MPI_Type_free" or other["call_site"][0]["function"] != "freed_type":
        fail("freed_type", f"freed by {other}")
    sarif = json.loads(runs.read("check", freed, "--sarif").stdout)
    if "freed-type" not in {result["ruleId"] for result in sarif["runs"][0]["results"]}:
        fail("sarif", "nothing of freed-type")
    page = os.path.join(runs.options.work, "report.html")
    runs.read("report", freed, "-o", page)
    with open(page, encoding="utf-8") as file:
        if "MPI_Pack uses a type that was freed before" not in file.read():
            fail("report", "nothing of freed-type")


def check_merged(runs):
    """What ranks find alike is one finding, whoever joins their traces."""
    told = set()
    for how, settings in (("joined", {}), ("apart", {"DDTSCOPE_MERGE": "off"})):
        folder, _ = runs.job("uncommitted_type", how, ranks=2, arguments=["return"], settings=settings)
        merged = os.path.join(runs.options.work, how + "-merged")
        if (result := runs.read("merge", folder, "-o", merged)).returncode != 0:
            fail("merge", result.stderr)
            continue
        for trace in (folder, merged):
            for finding in json.loads(runs.read("check", trace, "--json").stdout)["findings"]:
                if finding["id"] == "uncommitted-type":
                    told.add((finding["count"], json.dumps(finding["ranks"]), finding["severity"]))
    if told != {(6, "[[0, 1]]", ERROR)}:
        fail("merged", f"{told}")


def check_killed(runs):
    """What was found is in the trace, and at least half of how often."""
    folder, _ = runs.job("killed", "killed", arguments=["return"])
    found, status = runs.findings(folder)
    if found != {("uncommitted-type", ERROR, "MPI_Pack", "datatype", COLUMN): 4} or status != 1:
        fail("killed", f"found {found}; check ends with {status}")
    if "It does so at least 4 times." not in runs.read("check", folder).stdout:
        fail("killed", "the text does not say that there may be more")


def check_stopped(runs):
    """DDTSCOPE_ON_ERROR=stop: the process stands still in front of the call, and what is wrong with it is in the trace."""
    options = runs.options
    folder, place = os.path.join(options.work, "stopped"), os.path.join(options.work, "stopped.pid")
    command = [options.launcher, "-n", "1", "sh", "-c", 'echo $$ > "$0"; exec "$@"', place, options.ddtscope, "exec", "-o", folder, "--",
               options.program, "uncommitted_type", "return"]
    job = subprocess.Popen(command, cwd=options.work, env={**runs.environment, "DDTSCOPE_ON_ERROR": "stop"},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def state():
        try:
            with open(place) as pid, open(f"/proc/{int(pid.read())}/stat") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0]
        except (OSError, ValueError):  # not yet
            return None
    deadline = time.monotonic() + 40
    while state() != "T" and job.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    if state() != "T":
        fail("stopped", f"the process is in state {state()}")
        job.kill()
        return
    found, _ = runs.findings(folder)
    if found != {("uncommitted-type", ERROR, "MPI_Pack", "datatype", COLUMN): 1}:
        fail("stopped", f"found {found} before the call")
    with open(place) as pid:
        os.kill(int(pid.read()), signal.SIGCONT)
    if job.wait(timeout=40) != 0 or runs.findings(folder)[0] != PLAN["uncommitted_type"]:
        fail("stopped", f"ends with {job.returncode}; found {runs.findings(folder)[0]}")


def check_quiet(runs):
    _, result = runs.job("null_type", "quiet", arguments=["return"], settings={"DDTSCOPE_QUIET": "1"})
    if "[null-type]" in result.stderr:
        fail("quiet", result.stderr)
    folder, _ = runs.job("null_type", "off", arguments=["return"], settings={"DDTSCOPE_USES": "off"})
    if runs.findings(folder)[0]:
        fail("off", "something was found")


def main():
    options = script.options_of(script.parser(__doc__))
    runs = Runs(options)
    check_plan(runs, ["return"], "")
    check_insignificant(runs)
    check_forms(runs)
    check_merged(runs)
    check_killed(runs)
    check_quiet(runs)
    check_stopped(runs)
    # Where the library ends the job in the call.
    for case in ("null_type", "negative_count", "negative_blocklength"):
        folder, result = runs.job(case, case + "-fatal")
        found, _ = runs.findings(folder)
        if found != PLAN[case] or result.returncode == 0:
            fail(case + "-fatal", f"found {found}; ends with {result.returncode}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
