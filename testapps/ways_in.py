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

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from namings import CONSTRUCTORS, OTHERS, REMOVED, namings  # noqa: E402

BEGIN = "<!-- Written by testapps/ways_in.py. -->\n"
END = "<!-- End of what testapps/ways_in.py writes. -->\n"
COLUMNS = {"c": "C, C++", "pmpi": "C, `PMPI_`", "mpif.h": "`mpif.h`, `use mpi`", "mpif.h pmpi": "the same, `PMPI_`",
           "mpi_f08": "`mpi_f08`", "mpi_f08 pmpi": "the same, `PMPI_`"}


def column_of(naming):
    if naming.pattern.startswith(("MPI_", "PMPI_")) and naming.letters is str:
        return naming.binding
    return ("mpi_f08" if "f08" in naming.pattern else "mpif.h") + (" pmpi" if naming.binding == "pmpi" else "")


def functions_seen(naming, definitions):
    """The functions whose every call, by this naming, is in the trace. `definitions` are those that it named."""
    seen = set()
    made = collections.Counter()
    for definition in definitions:
        for instances in definition["instances"]:
            made[instances["called"], instances["binding"]] += instances["created"] + instances["adopted"]
    seen = {f for f in [*CONSTRUCTORS, *REMOVED, *OTHERS] if naming.has(f) and made[naming.name(f), naming.binding] == 1}
    totals = collections.Counter()
    for instances in (i for d in definitions for i in d["instances"] if "F90" not in d["combiner"]):
        for what in ("created", "adopted", "committed", "freed"):
            totals[what] += instances[what]
    alive = totals["created"] + totals["adopted"]
    # The large forms have none of these: they are called by the naming's small one.
    if alive and not naming.large:
        seen |= {"Type_set_name"}
        seen |= {"Type_commit"} if totals["committed"] == alive else set()
        seen |= {"Type_free"} if totals["freed"] == alive else set()
    return seen


def read(ddtscope, library, trace):
    """(column, function) -> how many of its namings, of how many that exist, are seen; small and large apart."""
    result = subprocess.run([ddtscope, "types", trace, "--json"], capture_output=True, text=True, check=True,
                            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    definitions = json.loads(result.stdout)
    f90 = [d for d in definitions if "F90" in d["combiner"]]
    cells = collections.defaultdict(collections.Counter)
    for k, naming in enumerate(namings(library), start=2):
        seen = functions_seen(naming, [*f90, *(d for d in definitions if d["names"] == [f"naming {k}"])])
        for function in [*CONSTRUCTORS, *REMOVED, *OTHERS]:
            if naming.has(function):
                cell = cells[column_of(naming), function]
                cell["large" if naming.large else "small"] += 1
                cell["large seen" if naming.large else "small seen"] += function in seen
    return cells


def words(cell):
    if not cell["small"]:
        return None
    if cell["small seen"] < cell["small"]:
        return "not seen" if not cell["small seen"] else "in part"
    if cell["large"] and cell["large seen"] < cell["large"]:
        return "yes, large not seen"
    return "yes, large" if cell["large"] else "yes"


def table(tables):
    lines = ["| | " + " | ".join(COLUMNS.values()) + " |", "| --- " * (len(COLUMNS) + 1) + "|"]
    for function in [*CONSTRUCTORS, *REMOVED, *OTHERS]:
        row = []
        for column in COLUMNS:
            said = [words(cells[column, function]) for cells in tables.values()]
            if not any(said):
                row.append("")
            elif said[0] == said[1]:
                row.append(said[0])
            elif said == ["yes", "yes, large"]:
                row.append("yes (c)")
            else:
                row.append("; ".join(f"{library}: {word}" for library, word in zip(tables, said)))
        lines.append(f"| `MPI_{function}` | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ddtscope", required=True)
    parser.add_argument("--openmpi", required=True, help="trace of every_name")
    parser.add_argument("--mpich", required=True)
    parser.add_argument("--readme", required=True)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    wanted = table({"openmpi": read(args.ddtscope, "openmpi", args.openmpi),
                    "mpich": read(args.ddtscope, "mpich", args.mpich)})
    with open(args.readme, encoding="utf-8") as source:
        text = source.read()
    before, rest = text.split(BEGIN)
    found, after = rest.split(END)
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
