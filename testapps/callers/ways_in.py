#!/usr/bin/env python3
"""The README's table of what is seen: by which name, of which function, with which library. Made from the traces of
every_name, so that it says what was seen and not what should be; a test fails where the README says otherwise, and
--write mends it."""
import argparse
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from expect import UNNAMED  # noqa: E402
from namings import CONSTRUCTORS, OTHERS, REMOVED, namings  # noqa: E402

BEGIN = "<!-- Written by testapps/callers/ways_in.py. -->\n"
END = "<!-- End of what testapps/callers/ways_in.py writes. -->\n"
COLUMNS = {"c": "C, C++", "pmpi": "C, `PMPI_`", "mpif.h": "`mpif.h`, `use mpi`", "mpif.h pmpi": "the same, `PMPI_`",
           "mpi_f08": "`mpi_f08`", "mpi_f08 pmpi": "the same, `PMPI_`"}


def column_of(naming):
    if naming.patterns[0].startswith(("MPI_", "PMPI_")) and naming.letters is str:
        return naming.binding
    return ("mpi_f08" if "f08" in naming.patterns[0] else "mpif.h") + (" pmpi" if naming.binding == "pmpi" else "")


def functions_seen(naming, definitions):
    """The functions whose every call, by this naming, is in the trace. `definitions` are those that it named."""
    seen = set()
    made = collections.Counter()
    for definition in definitions:
        for instances in definition["instances"]:
            made[instances["called"], instances["binding"]] += instances["created"] + instances["adopted"]
    seen = {f for f in [*CONSTRUCTORS, *REMOVED, *OTHERS] if naming.has(f) and made[naming.name(f), naming.binding] == 1}
    totals = collections.Counter()
    for instances in (i for d in definitions for i in d["instances"] if d["combiner"] not in UNNAMED):
        for what in ("created", "adopted", "committed", "freed"):
            totals[what] += instances[what]
    alive = totals["created"] + totals["adopted"]
    # The large forms have none of these: they are called by the naming's small one.
    if alive and not naming.large:
        seen |= {"Type_set_name"}
        seen |= {"Type_commit"} if totals["committed"] == alive else set()
        seen |= {"Type_free"} if totals["freed"] == alive else set()
    return seen


def read(ddtscope, program, trace):
    """(column, function) -> how many of its namings, of how many that exist, are seen; small and large apart."""
    result = subprocess.run([ddtscope, "types", trace, "--json"], capture_output=True, text=True, check=True,
                            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    definitions = json.loads(result.stdout)
    unnamed = [d for d in definitions if d["combiner"] in UNNAMED]
    cells = collections.defaultdict(collections.Counter)
    for k, naming in namings(program).items():
        seen = functions_seen(naming, [*unnamed, *(d for d in definitions if d["names"] == [f"naming {k}"])])
        for function in [*CONSTRUCTORS, *REMOVED, *OTHERS]:
            if naming.has(function):
                cell = cells[column_of(naming), function]
                cell["large" if naming.large else "small"] += 1
                cell["large seen" if naming.large else "small seen"] += function in seen
    return cells


def words(said):
    """Of all libraries that have the function; None where none has."""
    unseen = [library for library, cell in said.items()
              if cell["small seen"] < cell["small"] or cell["large seen"] < cell["large"]]
    if unseen:
        return "not all seen: " + ", ".join(unseen)
    if not any(cell["small"] for cell in said.values()):
        return None
    return "yes (c)" if any(cell["large"] for cell in said.values()) else "yes"


def table(tables, found):
    """`found` is the README's: what no library has here stays as it is there, because a newer one has it."""
    cells_before = {}
    for line in found.splitlines()[2:]:
        name, *cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        cells_before.update({(column, name): cell for column, cell in zip(COLUMNS, cells)})
    lines = ["| | " + " | ".join(COLUMNS.values()) + " |", "| --- " * (len(COLUMNS) + 1) + "|"]
    for function in [*CONSTRUCTORS, *REMOVED, *OTHERS]:
        row = []
        for column in COLUMNS:
            said = words({library: cells[column, function] for library, cells in tables.items()})
            row.append(cells_before.get((column, f"`MPI_{function}`"), "") if said is None else said)
        lines.append(f"| `MPI_{function}` | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ddtscope", required=True)
    parser.add_argument("--library", nargs=3, action="append", metavar=("NAME", "PROGRAM", "TRACE"), required=True,
                        help="every_name of a library, and its trace")
    parser.add_argument("--readme", required=True)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    with open(args.readme, encoding="utf-8") as source:
        text = source.read()
    before, rest = text.split(BEGIN)
    found, after = rest.split(END)
    wanted = table({name: read(args.ddtscope, program, trace) for name, program, trace in args.library}, found)
    if found == wanted:
        print("the README says what was seen")
        return 0
    if args.write:
        with open(args.readme, "w", encoding="utf-8") as out:
            out.write(before + BEGIN + wanted + END + after)
        return 0
    print("the README does not say what was seen, which is:\n\n" + wanted)
    return 1


if __name__ == "__main__":
    sys.exit(main())
