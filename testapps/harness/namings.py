"""The names that an MPI library exports for its functions, and what programs that call each function by one of them
leave in a trace."""
import expect
from expect import exports_of

CONSTRUCTORS = [name.removeprefix("MPI_") for name in expect.CONSTRUCTORS.values()]
REMOVED = ["Type_hvector", "Type_hindexed", "Type_struct"]
OTHERS = ["Type_commit", "Type_free", "Type_set_name", "Type_get_envelope", "Type_get_contents", "File_get_view"]
NO_LARGE_FORM = {"Type_dup", "Type_create_f90_real", "Type_create_f90_complex", "Type_create_f90_integer",
                 "Type_get_value_index", "Type_commit", "Type_free", "Type_set_name", "File_get_view", *REMOVED}
# Where a library has a function since a version of its own, or in some of the bindings: the others must be there.
MAY_LACK = {"Type_get_value_index", "Type_create_resized"}


class Naming:
    """One way to call all functions. The versions of a library differ in how they spell it: the first pattern that a
    function's name has in this one is its. `exports` are the library's names; without them it has all."""

    def __init__(self, patterns, letters, binding, large=False):
        self.patterns, self.letters, self.binding, self.large = patterns, letters, binding, large
        self.exports = None
        self.lacks = set()  # functions that the binding does not have

    def name(self, function):
        names = [pattern % self.letters(function) for pattern in self.patterns]
        return names[0] if self.exports is None else next((n for n in names if n in self.exports), None)

    def has(self, function):
        if self.large and function in NO_LARGE_FORM:
            return False
        if function in REMOVED and "f08" in self.patterns[0]:
            return False
        return function not in self.lacks and self.name(function) is not None

    @property
    def exists(self):
        return self.name("Type_vector") is not None


def namings(program):
    """Those that the MPI library of `program` has, of the list of every_name.c, by their numbers there."""
    exports = exports_of(program)
    every = [
        Naming(["MPI_%s"], str, "c"), Naming(["PMPI_%s"], str, "pmpi"),
        Naming(["MPI_%s_c"], str, "c", True), Naming(["PMPI_%s_c"], str, "pmpi", True),
        Naming(["mpi_%s"], str.lower, "mpif.h"), Naming(["mpi_%s_"], str.lower, "mpif.h"),
        Naming(["mpi_%s__"], str.lower, "mpif.h"), Naming(["MPI_%s"], str.upper, "mpif.h"),
        Naming(["pmpi_%s"], str.lower, "pmpi"), Naming(["pmpi_%s_"], str.lower, "pmpi"),
        Naming(["pmpi_%s__"], str.lower, "pmpi"), Naming(["PMPI_%s"], str.upper, "pmpi"),
        Naming(["mpi_%s_f08_"], str.lower, "mpi_f08"),
        Naming(["pmpi_%s_f08_", "pmpir_%s_f08_"], str.lower, "pmpi"),
        Naming(["mpi_%s_f08_large_", "mpi_%s_c_f08_", "mpi_%s_f08_c_"], str.lower, "mpi_f08", True),
        Naming(["pmpir_%s_f08_large_", "pmpir_%s_c_f08_", "pmpi_%s_c_f08_", "pmpi_%s_f08_c_"], str.lower, "pmpi", True)]
    has_fortran = "mpi_type_vector_" in exports  # not behind the standard ABI, which has none, nor what MPI-3.0 removed
    result = {}
    for k, naming in enumerate(every, start=2):
        naming.exports = exports
        if naming.exists:
            result[k] = naming
    for naming in result.values():
        has_removed = has_fortran and "f08" not in naming.patterns[0]
        for function in [*CONSTRUCTORS, *OTHERS, *(REMOVED if has_removed else [])]:
            wanted = not (naming.large and function in NO_LARGE_FORM) and function not in MAY_LACK
            assert not wanted or naming.has(function), f"the library has no {function} as {naming.patterns}"
    # Compilers that are common call these.
    assert ({2, 3, 7, 14} if has_fortran else {2, 3}) <= result.keys(), f"the library has no more than {[n.patterns for n in result.values()]}"
    return result


F90_TYPES = {"REAL": (6, 30), "COMPLEX": (6, 30), "INTEGER": (9,)}


def expect_one_of_each(e, naming, k, old="MPI_INT", pair="MPI_DOUBLE", **others):
    """One type of each constructor, with the number k in its arguments and its name, all of them committed, named and
    freed; `others` is what else all definitions have. Returns the names by which F90 types were made, as `made_by` has
    them."""
    def made(tree, *functions):
        e.definition(tree, created=len(functions), adopted=0, committed=len(functions), freed=len(functions), live=0,
                     names=[f"naming {k}"], made_by={(naming.name(f), naming.binding): 1 for f in functions}, **others)
        return tree

    large = naming.large
    vector = made(e.vector(k, 1, 2, old, large), "Type_vector", "Type_get_contents")
    made(e.contiguous(k, vector, large), "Type_contiguous")
    made(e.hvector(k, 1, 16, old, large), "Type_create_hvector")
    made(e.indexed([1, k], [0, 4], old, large), "Type_indexed")
    made(e.hindexed([1, k], [0, 16], old, large), "Type_create_hindexed")
    made(e.indexed_block(k, [0, 100], old, large), "Type_create_indexed_block")
    if naming.has("Type_create_hindexed_block"):
        made(e.hindexed_block(k, [0, 400], old, large), "Type_create_hindexed_block")
    made(e.struct([1, k], [0, 16], [old, pair], large), "Type_create_struct")
    made(e.subarray([k + 2, 3], [k, 2], [1, 1], "FORTRAN", old, large), "Type_create_subarray")
    made(e.darray(1, 0, [k + 4], ["BLOCK"], ["DFLT_DARG"], [1], "FORTRAN", old, large), "Type_create_darray")
    if naming.has("Type_create_resized"):
        resized = made(e.resized(old, 0, 4 * k, large), "Type_create_resized")
    if naming.has("Type_dup"):
        made(e.dup(resized), "Type_dup")
    f90 = {kind: "Type_create_f90_" + kind.lower() for kind in F90_TYPES}
    return {kind: {(naming.name(f), naming.binding): 1} for kind, f in f90.items() if naming.has(f)}


def expect_removed(e, naming, k, old="MPI_INT", pair="MPI_DOUBLE", **others):
    """As expect_one_of_each(), of the constructors that MPI-3.0 removed."""
    for name, tree in [("Type_hvector", e.hvector(k, 1, 20, old)), ("Type_hindexed", e.hindexed([1, k], [0, 20], old)),
                       ("Type_struct", e.struct([1, k], [0, 24], [old, pair]))]:
        e.definition(tree, created=1, adopted=0, committed=1, freed=1, live=0, names=[f"naming {k}"],
                     made_by={(naming.name(name), naming.binding): 1}, **others)


def expect_f90(e, made_by):
    for kind, values in F90_TYPES.items():
        e.definition(e.f90(kind, *values), live=0, made_by=made_by[kind])
