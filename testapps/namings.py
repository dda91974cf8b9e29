"""The names that an MPI library exports for its functions, and what programs that call each function by one of them
leave in a trace."""

CONSTRUCTORS = [
    "Type_contiguous", "Type_vector", "Type_create_hvector", "Type_indexed", "Type_create_hindexed",
    "Type_create_indexed_block", "Type_create_hindexed_block", "Type_create_struct", "Type_create_subarray",
    "Type_create_darray", "Type_create_resized", "Type_dup", "Type_create_f90_real", "Type_create_f90_complex",
    "Type_create_f90_integer"]
REMOVED = ["Type_hvector", "Type_hindexed", "Type_struct"]
OTHERS = ["Type_commit", "Type_free", "Type_set_name", "Type_get_envelope", "Type_get_contents", "File_get_view"]
NO_LARGE_FORM = {"Type_dup", "Type_create_f90_real", "Type_create_f90_complex", "Type_create_f90_integer", "Type_commit",
                 "Type_free", "Type_set_name", "File_get_view", *REMOVED}


class Naming:
    def __init__(self, pattern, letters, binding, large=False):
        self.pattern, self.letters, self.binding, self.large = pattern, letters, binding, large
        self.lacks = set()  # constructors that the binding does not have

    def name(self, function):
        return self.pattern % self.letters(function)

    def has(self, function):
        if function in self.lacks:
            return False
        if self.large:
            # MPICH 4.0.2's module mpi_f08 has no large form of this one.
            return function not in NO_LARGE_FORM and not ("f08" in self.pattern and function == "Type_create_resized")
        return function not in REMOVED or "f08" not in self.pattern


def namings(library):
    """All of them: the list of every_name.c, in its order."""
    profiling = "pmpi" if library == "openmpi" else "pmpir"
    both = [
        Naming("MPI_%s", str, "c"), Naming("PMPI_%s", str, "pmpi"),
        Naming("MPI_%s_c", str, "c", True), Naming("PMPI_%s_c", str, "pmpi", True),
        Naming("mpi_%s", str.lower, "mpif.h"), Naming("mpi_%s_", str.lower, "mpif.h"),
        Naming("mpi_%s__", str.lower, "mpif.h"), Naming("MPI_%s", str.upper, "mpif.h"),
        Naming("pmpi_%s", str.lower, "pmpi"), Naming("pmpi_%s_", str.lower, "pmpi"),
        Naming("pmpi_%s__", str.lower, "pmpi"), Naming("PMPI_%s", str.upper, "pmpi"),
        Naming("mpi_%s_f08_", str.lower, "mpi_f08"), Naming(profiling + "_%s_f08_", str.lower, "pmpi"),
        Naming("mpi_%s_f08_large_", str.lower, "mpi_f08", True),
        Naming(profiling + "_%s_f08_large_", str.lower, "pmpi", True)]
    return [n for n in both if library == "mpich" or not n.large]


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
