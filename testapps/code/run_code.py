"""Programs that `ddtscope code` writes of random types: built and run under ddtscope they make the same definition (key and
layout), free all that they make, and pack the bytes that the typemap tells, in its order."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from expect import CONSTRUCTORS
from script import base_environment, fail, failures

SIZES = {"MPI_CHAR": 1, "MPI_SHORT": 2, "MPI_INT": 4, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG_DOUBLE": 16,
         "MPI_C_DOUBLE_COMPLEX": 16, "MPI_INTEGER": 4, "MPI_DOUBLE_PRECISION": 8}
TOO_NEW = {"MPI_Type_get_value_index"}  # of MPI-4.1: not every library that is supported has it
# One of each other constructor, whatever the random ones are.
EACH = [
    "MPI_Type_dup(MPI_INT)",
    "MPI_Type_contiguous(3, MPI_INT)",
    "MPI_Type_vector(3, 1, -2, MPI_DOUBLE)",
    "MPI_Type_create_hvector(3, 2, 40, MPI_SHORT)",
    "MPI_Type_indexed(3, {1, 0, 2}, {8, -3, 0}, MPI_FLOAT)",
    "MPI_Type_create_hindexed(2, {1, 2}, {4096, 0}, MPI_INT)",
    "MPI_Type_create_indexed_block(2, 2, {5, -5}, MPI_CHAR)",
    "MPI_Type_create_hindexed_block(2, 2, {0, 24}, MPI_DOUBLE)",
    "MPI_Type_create_struct(3, {1, 1, 2}, {0, 8, 16}, {MPI_CHAR, MPI_DOUBLE, MPI_Type_contiguous(2, MPI_SHORT)})",
    "MPI_Type_create_subarray(2, {6, 5}, {2, 3}, {4, 1}, MPI_ORDER_FORTRAN, MPI_INT)",
    "MPI_Type_create_darray(6, 4, 2, {7, 9}, {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, {2, MPI_DISTRIBUTE_DFLT_DARG}, "
    "{2, 3}, MPI_ORDER_C, MPI_INT)",
    "MPI_Type_create_resized(MPI_INTEGER, -4, 16)",
    "MPI_Type_create_hindexed(1, {1}, {100000000}, MPI_INT)",  # small, and far from the buffer
    "MPI_Type_create_f90_integer(9)",
    "MPI_Type_create_hvector(2, 1, 100, MPI_Type_create_f90_real(15, MPI_UNDEFINED))",
    "MPI_Type_create_f90_complex(6, MPI_UNDEFINED)",
    # Parts that stand in it several times are made once; empty arrays; an array that is too long for the stack.
    "MPI_Type_vector(2, 1, 3, MPI_INT, t) MPI_Type_create_struct(3, {1, 1, 0}, {0, 64, 128}, {t, t, MPI_INT}, u) "
    "MPI_Type_dup(u)",
    "MPI_Type_indexed(0, {}, {}, MPI_INT)",
    "MPI_Type_create_struct(0, {}, {}, {})",
    "MPI_Type_create_indexed_block(1500, 1, {%s}, MPI_CHAR)" % ", ".join(str(3 * i) for i in range(1500)),
]
LARGE = [
    "MPI_Type_contiguous_c(3, MPI_INT)",
    "MPI_Type_create_struct_c(2, {1, 2}, {0, 8}, {MPI_INT, MPI_Type_indexed_c(2, {1, 1}, {3, 0}, MPI_CHAR)})",
    "MPI_Type_vector_c(3000000000, 1, 2, MPI_DOUBLE)",
]


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--cc", help="compiler wrapper for C")
    parser.add_argument("--fc", help="compiler wrapper for Fortran")
    parser.add_argument("--fc-large", action="store_true", help="its mpi_f08 has large counts")
    parser.add_argument("--c-large", action="store_true", help="the library has large counts")
    parser.add_argument("--python", help="an interpreter that has mpi4py for the library")
    parser.add_argument("--count", type=int, default=6, help="random types for each language")
    parser.add_argument("--seed", type=int, default=1)
    return script.options_of(parser)


class Tried:
    """One language."""

    def __init__(self, args, language, compiler):
        self.args, self.language, self.compiler = args, language, compiler
        self.env = base_environment()

    def run(self, *words, **options):
        return subprocess.run(list(map(str, words)), env=self.env, capture_output=True, text=True, timeout=300, **options)

    def ddtscope(self, *words):
        return self.run(self.args.ddtscope, *words)

    def program(self, text, place):
        """What runs it, or None after a failure."""
        code = self.ddtscope("code", text, "--language", self.language, "--program")
        if code.returncode != 0:
            return fail(self.language, text, code.stderr)
        source = place + {"c": ".c", "fortran": ".f90", "python": ".py"}[self.language]
        with open(source, "w") as out:
            out.write(code.stdout)
        if self.language == "python":
            return [self.compiler, source]
        warnings = ["-Wall", "-Wextra", "-Werror"] if self.language == "c" else []
        built = self.run(self.compiler, *warnings, source, "-o", place)
        return [place] if built.returncode == 0 else fail(self.language, text, built.stderr[:2000])

    def check(self, number, text):
        place = os.path.join(self.args.work, f"{self.language}-{number}")
        command = self.program(text, place)
        if command is None:
            return
        ran = self.run(self.args.launcher, "-n", "1", self.args.ddtscope, "exec", "--mpi", self.args.abi, "--quiet", "-o",
                       place + "-trace", "--", *command)
        if ran.returncode != 0:
            return fail(self.language, text, f"ends with {ran.returncode}: {ran.stdout[-300:]} {ran.stderr[-1000:]}")
        wanted = self.shown(text)
        self.check_trace(text, place + "-trace", wanted)
        self.check_output(text, ran.stdout, wanted)

    def shown(self, text):
        return json.loads(self.ddtscope("show", text, "--mpi", self.args.library, "--typemap", "100000", "--json").stdout)

    def check_trace(self, text, trace, wanted):
        types = json.loads(self.ddtscope("types", trace, "--json").stdout)
        if self.language == "python" and any("_c(" in made["call"] for made in types):
            # Where the library has MPI-4's constructors of large counts, mpi4py calls these.
            wanted = self.shown(re.sub(r"(MPI_Type_(?!dup|create_f90)\w*?)(_c)?\(", r"\1_c(", text))
        found = [made for made in types if made["key"] == wanted["key"]]
        if not found:
            return fail(self.language, text, f"key {wanted['key']} is not among {[made['call'] for made in types]}")
        for member in ("fingerprint", "size", "extent", "true_lb", "true_extent", "signature"):
            if found[0][member] != wanted[member]:
                fail(self.language, text, f"{member}: {found[0][member]}, not {wanted[member]}")
        for made in types:
            for lives in made["instances"]:
                if lives["live"] != 0:
                    fail(self.language, text, f"{made['call']}: {lives['live']} live at the end")
                if lives["created"] != 1:
                    fail(self.language, text, f"{made['call']}: made {lives['created']} times")
        unnamed = found[0]["combiner"].startswith("MPI_COMBINER_F90")
        if not unnamed and not any(lives["committed"] == 1 for lives in found[0]["instances"]):
            fail(self.language, text, "was not committed")

    def check_output(self, text, output, wanted):
        lines = output.splitlines()
        bounds = dict(line.rsplit(" ", 1) for line in lines[:5])
        for name, member in (("size", "size"), ("lb", "lb"), ("extent", "extent"), ("true lb", "true_lb"),
                             ("true extent", "true_extent")):
            if bounds.get(name) != str(wanted[member]):
                fail(self.language, text, f"prints {name} {bounds.get(name)}, not {wanted[member]}")
        if lines[5].startswith("not packed"):
            is_far = self.language == "fortran" and max(-wanted["true_lb"], wanted["true_lb"] + wanted["true_extent"]) > 2**24
            if wanted["size"] < 2**24 and wanted["true_extent"] < 2**24 and not (is_far and "as far from the buffer" in lines[5]):
                fail(self.language, text, lines[5])
            return
        packed = []
        for line in lines[6:]:
            if line.endswith("padding"):
                first, last = line.strip()[1:].split(")")[0].split(", ")
                packed += [None] * (int(last) - int(first))
                continue
            source = line.split("from [")[1].rstrip(")").split(", ")
            packed += range(int(source[0]), int(source[1]))
        if any(basic not in SIZES for basic, _ in wanted["typemap"]):
            return  # an F90 type
        expected = [at + byte for basic, at in wanted["typemap"] for byte in range(SIZES[basic])]
        # MPICH copies the 10 bytes that an extended number has: the others may be anything.
        is_padding = [basic == "MPI_LONG_DOUBLE" and byte > 9
                      for basic, _ in wanted["typemap"] for byte in range(SIZES[basic])]
        packed = [expected[i] if i < len(expected) and is_padding[i] else byte for i, byte in enumerate(packed)]
        # Where a library's bounds are not the standard's, what it packs is not, either: Open MPI 4.1.4 takes a stride of -1 byte
        # for another one.
        if packed != expected and wanted["portable"]["value"]:
            first = next((i for i, pair in enumerate(zip(packed, expected)) if pair[0] != pair[1]), "missing")
            fail(self.language, text, f"packs {len(packed)} bytes, not {len(expected)}; the first that differs is {first}")


def main():
    args = arguments()
    drawn = subprocess.run([args.program, str(args.seed), str(30 * args.count)], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines()
    for constructor in set(CONSTRUCTORS.values()) - TOO_NEW:
        if not any(constructor + "(" in text for text in EACH):
            fail(constructor, "is not tried")
    tried = 0
    for offset, (language, compiler, large) in enumerate([("c", args.cc, args.c_large), ("fortran", args.fc, args.fc_large),
                                                          ("python", args.python, False)]):
        if not compiler:
            continue
        # MPI_Type_create_resized_c has no name in Fortran.
        possible = [text for text in drawn[offset * 10 * args.count:]
                    if (large or "_c(" not in text) and (language != "fortran" or "resized_c(" not in text)]
        one = Tried(args, language, compiler)
        for number, text in enumerate(EACH + (LARGE if large else []) + possible[:args.count]):
            one.check(number, text)
            tried += 1
    print(f"{tried} programs built and run")
    if tried == 0:
        fail("no language was tried")
    return 1 if failures else 0


sys.exit(main())
