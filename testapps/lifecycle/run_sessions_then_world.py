#!/usr/bin/env python3
"""Some processes of a job, or all, open a session before MPI_Init: their traces are without a rank, the others' have theirs, and
what the ranks agree on when their world begins meets nothing of the program's."""
import glob
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

RANKS = 3


def main():
    options = script.options_of(script.parser(__doc__))

    def hangs_by_itself(who):
        """As MPICH 4.2.1 does where rank 0 alone opens a session."""
        with subprocess.Popen([*options.launcher.split(), "-n", str(RANKS), options.program, who], env=script.base_environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
            try:
                job.wait(timeout=30)
                return False
            except subprocess.TimeoutExpired:
                job.terminate()  # the launcher ends the ranks
                return True

    def judge(who, ranks_apart):
        if hangs_by_itself(who):
            print(f"{who}: left out, such a job hangs without ddtscope")
            return
        trace = os.path.join(options.work, who)
        job = subprocess.run([*options.launcher.split(), "-n", str(RANKS), options.ddtscope, "exec", "--mpi", options.abi, "-o", trace, "--",
                              options.program, who], cwd=options.work, env=script.base_environment(), stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False, timeout=120)
        wanted = [f"{rank}:{RANKS * (RANKS + 1) // 2}" for rank in range(RANKS)]
        said = [line for line in job.stdout.split("\n") if re.fullmatch(r"\d+:\d+", line)]  # UCX writes its warnings there, too
        if job.returncode != 0 or sorted(said) != wanted:
            fail(who, f"ends with {job.returncode}: {job.stdout}{job.stderr}")
            return
        # Rank 0 finds the trace of a process there, and does not know whose it is.
        folders = [trace] if who != "1" else [trace, *glob.glob(trace + "-*")]
        files = {os.path.basename(file): file for folder in folders for file in glob.glob(os.path.join(folder, "*.jsonl"))}
        with_rank = [f"rank-{rank}.jsonl" for rank in ranks_apart]
        if sorted(name for name in files if name.startswith("rank-")) != with_rank or len(files) != RANKS:
            fail(who, f"{sorted(files.values())}, not {with_rank} and those of processes")
        for name, file in files.items():
            with open(file) as lines:
                records = [json.loads(line) for line in lines]
            if records[0].get("rank") != (int(name[5:-6]) if name in with_rank else None):
                fail(who, f"{name} is of rank {records[0].get('rank')}")
            if [record["record"] for record in records].count("definition") != 1 or records[-1]["record"] != "end":
                fail(who, f"{name}: {records}")
        check = subprocess.run([options.ddtscope, "check", folders[-1]], capture_output=True, text=True, check=False, timeout=60)
        if check.returncode != (3 if ranks_apart else 0) or (ranks_apart and f"rank {who} left nothing to read" not in check.stdout):
            fail(who, f"check says {check.returncode}: {check.stdout}{check.stderr}")
        # Of those that could have been joined, rank 0 says why they were not.
        if ("a process opened an MPI session before MPI_Init" in job.stderr) != (0 in ranks_apart):
            fail(who, f"said: {job.stderr}")

    judge("all", [])
    judge("0", [1, 2])
    judge("1", [0, 2])
    return script.outcome()


sys.exit(main())
