#!/usr/bin/env python3
"""A rank ends the job by MPI_Abort: the trace tells which one, where and with what, and of the others what they waited for. They
do not wait for what never comes: it would have come."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402


def main():
    arguments = script.parser(__doc__)
    arguments.add_argument("--fortran", help="the same in Fortran")
    options = script.options_of(arguments)

    def run(program, how, **environment):
        return subprocess.run([*options.launcher.split(), "-n", "2", *program, how], cwd=options.work, stdin=subprocess.DEVNULL,
                              env={**script.base_environment(), **environment}, capture_output=True, text=True, check=False,
                              timeout=120)

    def ask(*words):
        return subprocess.run([options.ddtscope, *words], capture_output=True, text=True, check=False, timeout=60)

    def judge(program, how, code, caller, **environment):
        what = f"{os.path.basename(program)} {how} {environment}"
        trace = os.path.join(options.work, "-".join([os.path.basename(program), how, *environment]))
        job = run([options.ddtscope, "exec", "--mpi", options.abi, "-o", trace, "--", program], how, **environment)
        natively = run([program], how)
        if script.status_of(job) != script.status_of(natively):
            fail(what, f"ends with {job.returncode}, natively {natively.returncode}: {job.stdout}{job.stderr}")
        ended = {rank["rank"]: rank["ended"] for rank in json.loads(ask("summary", trace, "--json").stdout)["ranks"]}
        if ended.get(1) != "MPI_Abort" or ended.get(0) not in (None, "exit without MPI_Finalize"):
            fail(what, f"the ranks ended by {ended}")
        pending = ask("pending", trace).stdout
        if "never comes" in pending:
            fail(what, f"rank 0 would have got its message:\n{pending}")
        if "DDTSCOPE_USES" in environment:
            if "Rank 1 has called MPI_Abort." not in pending:
                fail(what, f"pending:\n{pending}")
            return
        check = ask("check", trace, "--json")
        found = [finding for finding in json.loads(check.stdout)["findings"] if finding["id"] == "job-aborted"]
        if check.returncode != 1 or len(found) != 1:
            fail(what, f"check ends with {check.returncode}: {check.stdout}")
            return
        finding, = found
        if finding["ranks"] != [[1, 1]] or finding["severity"] != "warning" or f"with error code {code}." not in finding["message"]:
            fail(what, f"found: {finding}")
        line = next((line for line in pending.split("\n") if line.startswith("Rank 1, ")), "")
        if caller not in line or f"with error code {code}." not in line:
            fail(what, f"pending:\n{pending}")

    judge(options.program, "call", 7, "stop_all (aborts.c:")
    judge(options.program, "handler", 8, "stop_all (aborts.c:")
    judge(options.program, "call", 7, "", DDTSCOPE_USES="off")
    if options.fortran:
        judge(options.fortran, "f08", 7, "stop_all_ (aborts_fortran.F90:")
        judge(options.fortran, "mpi", 7, "stop_all_mpi_ (aborts_fortran.F90:")
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
