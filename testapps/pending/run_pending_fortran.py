#!/usr/bin/env python3
"""Buffers that two calls share are found in Fortran, by both of its bindings, and nothing where they share none."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402


def name_of(function):
    return rf"mpi_{function}(_f08(ts)?_|_*)"


def main():
    options = script.options_of(script.parser(__doc__))
    for how, wanted in (("wrong", {("mpi", 3), ("mpi_f08", 3), ("in place", 1)}), ("right", set())):
        folder = os.path.join(options.work, how)
        command = [options.launcher, "-n", "1", options.ddtscope, "exec", "-o", folder, "--", options.program, how]
        result = subprocess.run(command, cwd=options.work, env=script.base_environment(), capture_output=True, text=True,
                                check=False)
        if result.returncode != 0:
            fail(how, result.stderr)
        read = subprocess.run([options.ddtscope, "check", folder, "--json"], capture_output=True, text=True, check=False)
        found = set()
        for finding in json.loads(read.stdout)["findings"]:
            if finding["id"] != "buffers-overlap":
                continue
            later, earlier = finding["called"], finding["other"]["called"]
            is_gathered = re.fullmatch(name_of("allgather"), later, re.IGNORECASE)
            if not re.fullmatch(name_of("irecv"), earlier, re.IGNORECASE) or not (is_gathered or later == earlier):
                fail(how, f"called by the names {later} and {earlier}")
            distance = 0 if is_gathered else 24
            if f"the first byte that both touch is byte 0 from the address of its own buffer, byte {distance} from" not in finding["message"]:
                fail(how, finding["message"])
            found.add(("in place" if is_gathered else "mpi_f08" if "f08" in later else "mpi", finding["count"]))
        if found != wanted:
            fail(how, f"found {found}, should be {wanted}; {result.stderr[-600:]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
