"""Datatypes that `ddtscope code --struct` writes for structs of a program (structs/): compiled with these, sent to itself they
carry each member and no byte more, and their extent is sizeof. The program does the comparing."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail, failures

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "structs")
# Source, and the types that it has, each with what must be said of it.
SOURCES = {
    "structs.c": {"plain": "", "unnamed": "", "struct nested": "", "rows": "", "large": "", "type": "", "types": "", "places": "", "type1": "",
                  "various": r"left out: elsewhere \(a pointer\)\s+left out: other \(a pointer\)\s+left out: rest \(an array whose length"},
    "classes.cpp": {"halo::particle": "", "open": "", "pair<int>": "", "two<int, double>": "", "grid": "", "types": "", "pair<types>": "", "tagged<int*, -1>": ""},
    "derived.F90": {"cell": r"left out: elsewhere \(a pointer\)", "sample": "", "type": "",
                    "outermost_of_many_that_have_names_as_long_as_fortran_allows_for": ""},
}


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx")
    parser.add_argument("--fc")
    return script.options_of(parser)


class Tried:
    def __init__(self, args):
        self.args, self.env = args, base_environment()

    def run(self, *words):
        return subprocess.run(list(map(str, words)), env=self.env, capture_output=True, text=True, timeout=300)

    def compiled(self, compiler, source, place, *options):
        folder = os.path.dirname(place)
        modules = [f"-J{folder}"] if source.endswith("F90") else []  # for others run beside this one, with their own
        built = self.run(compiler, "-g", f"-I{folder}", *modules, *options, os.path.join(HERE, source), "-o", place)
        return built.returncode == 0 or fail(source, place, built.stderr[:3000])

    def generated(self, source, program, folder):
        text = ""
        for name, said in SOURCES[source].items():
            code = self.run(self.args.ddtscope, "code", "--struct", name, program)
            if code.returncode != 0 or code.stderr:
                fail(source, name, code.stderr)
            if not re.search(said, code.stdout.replace("\n", " ")):
                fail(source, name, f"does not say {said!r}: {code.stdout}")
            text += code.stdout
        with open(os.path.join(folder, "generated.h"), "w") as out:
            out.write(text)

    def check(self, compiler, source, level):
        folder = os.path.join(self.args.work, source + level)
        os.makedirs(folder)
        plain = os.path.join(folder, "plain")
        if not self.compiled(compiler, source, plain, level):
            return
        self.generated(source, plain, folder)
        place = os.path.join(folder, "checked")
        warnings = [] if source.endswith("F90") else ["-Wall", "-Wextra", "-Werror", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
        if not self.compiled(compiler, source, place, "-DGENERATED", *warnings):
            return
        ran = self.run(self.args.launcher, "-n", "1", place)
        lines = ran.stdout.splitlines()
        if ran.returncode != 0 or len(lines) != len(SOURCES[source]) or not all(": fine" in line for line in lines):
            fail(source, level, f"ends with {ran.returncode}: {ran.stdout} {ran.stderr[-1000:]}")

    def variants(self, compiler):
        """The same text, whatever the debugging information looks like."""
        plain = os.path.join(self.args.work, "structs.c-O0", "plain")
        wanted = [self.run(self.args.ddtscope, "code", "--struct", name, plain).stdout for name in SOURCES["structs.c"]]
        for options in (["-gdwarf-2"], ["-gdwarf-3"], ["-gdwarf-4", "-fdebug-types-section"], ["-gdwarf-5"],
                        ["-gsplit-dwarf"], ["-O2", "-flto"], ["clang"]):
            place = os.path.join(self.args.work, "_".join(options), "plain")
            os.makedirs(os.path.dirname(place))
            if options == ["clang"]:
                if not shutil.which("clang"):
                    continue
                self.env.update(OMPI_CC="clang", MPICH_CC="clang")
            if self.compiled(compiler, "structs.c", place, *[word for word in options if word != "clang"]):
                for name, text in zip(SOURCES["structs.c"], wanted):
                    code = self.run(self.args.ddtscope, "code", "--struct", name, place)
                    if code.stdout != text:
                        fail(" ".join(options), name, code.stderr + code.stdout)

    def refusals(self, compiler):
        """What cannot be had, in words, and nothing on stdout."""
        program = os.path.join(self.args.work, "structs.c-O0", "plain")
        stripped = os.path.join(self.args.work, "stripped")
        if not self.compiled(compiler, "structs.c", stripped, "-g0", "-s"):
            return
        for words, status, said in ((("--struct", "nothing", program), 2, 'has no struct, class or derived type "nothing"'),
                                    (("--struct", "plain", stripped), 3, "no debugging information: compile it with -g"),
                                    (("--struct", "plain", program + "-"), 3, "the file is missing"),
                                    (("--struct", "plain", os.path.join(HERE, "structs.c")), 3, "the file is not an ELF file"),
                                    (("--struct", "plain", "--language", "fortran", program), 2, "is C's: ask for --language c"),
                                    (("--struct", "plain", "--language", "python", program), 2, "in C or in Fortran, not in Python"),
                                    (("--struct", "plain", "--program", program), 2, "--program is of a type"),
                                    (("--struct", "plain"), 2, "TRACE is required")):
            result = self.run(self.args.ddtscope, "code", *words)
            if result.returncode != status or said not in result.stderr or result.stdout:
                fail("refusal", " ".join(words), f"{result.returncode} {result.stdout} {result.stderr}")
        by_line = self.run(self.args.ddtscope, "code", "--struct", "structs.h:7", program)
        if by_line.returncode != 0 or "struct plain (structs.h:7)" not in by_line.stdout:
            fail("by line", by_line.stderr)


def main():
    args = arguments()
    tried = Tried(args)
    for compiler, source in ((args.cc, "structs.c"), (args.cxx, "classes.cpp"), (args.fc, "derived.F90")):
        for level in ("-O0", "-O2"):
            if compiler:
                tried.check(compiler, source, level)
    tried.refusals(args.cc)
    tried.variants(args.cc)
    return 1 if failures else 0


sys.exit(main())
