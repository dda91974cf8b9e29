"""How many buffers are known to be the variables that they are, by compiler, level and kind of place: each variable of the
test programs is observed with another type than its own, alone in a trace, and what is told must name it.

    buffers_table.py DDTSCOPE [LEVELS]     -O0,-O2 unless told

Variables that are observed with their own type alone are in no share: memory that nothing which is recorded tells apart
(lent as a void *), and such as lie behind several pointers. Of how many of those a
variable is known stands under "besides".

Fails where a wrong variable is named, where one is accused that is what it is said to be, and where less is known of all
the buffers of a level than 98 % at -O0 or 93 % at -O2.
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "testing"))
import observed

PROGRAMS = {
    "gcc": ["variables.c", "more_variables.c"], "clang": ["variables.c", "more_variables.c"],
    "g++": ["variables.cpp", "more_variables.cpp"], "clang++": ["variables.cpp", "more_variables.cpp"],
    "gfortran": ["variables.f90", "more_variables.f90"],
}
KINDS = ("static", "thread", "stack", "heap", "none")
COLUMNS = (*KINDS, "besides")
LIMITS = {"-O0": 98, "-O2": 93}


class Counts:
    def __init__(self):
        self.known, self.all = dict.fromkeys(COLUMNS, 0), dict.fromkeys(COLUMNS, 0)

    def add(self, other):
        for kind in COLUMNS:
            self.known[kind] += other.known[kind]
            self.all[kind] += other.all[kind]

    def text(self, kind):
        return f"{self.known[kind]} of {self.all[kind]}" if self.all[kind] else ""

    def share(self):
        return 100.0 * sum(self.known[kind] for kind in KINDS) / max(sum(self.all[kind] for kind in KINDS), 1)

    def row(self, name, unknown):
        kinds = "".join(f"{self.text(kind):>12}" for kind in ("static", "thread", "stack", "heap"))
        return f"{name:15}{kinds}{self.share():8.1f}%{self.text('besides'):>11}  {', '.join(sorted(unknown))}"


def count(ddtscope, compiler, source, flags, counts):
    """Adds to the counts; returns what was answered wrong and what is not known, in words."""
    wrong, unknown = [], set()
    more = ["-std=c++20"] if source.endswith(".cpp") else []
    with tempfile.TemporaryDirectory() as folder:
        program = observed.built(compiler, source, [*flags, *more], folder)
        answers = list(observed.answers_one_by_one(ddtscope, program, folder))
        with_another = {name[1:] for name, *_ in answers if name[0] == "-"}
        for name, kind, place, told, is_known in answers:
            mark, name = name[0], name[1:]
            # "?" is a variable of which nothing can be known: it must not be taken for another one.
            if mark in "+?":
                if name not in with_another:
                    counts.all["besides"] += 1
                    counts.known["besides"] += is_known
                wrong += [f"{name} is {kind}, but: {message}" for message in told]
                continue
            counts.all[place] += 1
            if any(f"`{one}`" in message for one in observed.names_of(name) for message in told):
                counts.known[place] += 1
            elif told:
                wrong += [f"{name} is another one in: {message}" for message in told]
            else:
                unknown.add(f"{name} ({place})")
    return wrong, unknown


def main():
    ddtscope = sys.argv[1]
    levels = (sys.argv[2] if len(sys.argv) > 2 else "-O0,-O2").split(",")
    failures = []
    print(f"{'':15}{'static':>12}{'thread':>12}{'stack':>12}{'heap':>12}{'all':>9}{'besides':>11}  not known")
    for level in levels:
        of_level = Counts()
        for compiler, sources in PROGRAMS.items():
            if shutil.which(compiler) is None:
                continue
            counts, unknown = Counts(), set()
            for source in sources:
                wrong, without = count(ddtscope, compiler, source, [level, "-g"], counts)
                failures += [f"{compiler} {level} {source}: {one}" for one in wrong]
                unknown |= without
            print(counts.row(f"{compiler} {level}", unknown), flush=True)
            of_level.add(counts)
        print(of_level.row(f"all {level}", []), flush=True)
        if of_level.share() < LIMITS.get(level, 0):
            failures.append(f"{level}: {of_level.share():.1f} % are known, not {LIMITS[level]} %")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
