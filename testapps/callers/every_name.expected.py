"""Every name of every function is seen, each call once, and what is recorded does not depend on the name."""

from namings import F90_TYPES, expect_f90, expect_one_of_each, expect_removed, namings


def expect(e):
    all_namings = namings(e.program)
    e.stdout_contains = [f"{len(all_namings)} namings"]
    pairs = {}
    made_f90 = {kind: {} for kind in F90_TYPES}
    for k, naming in all_namings.items():
        for kind, by in expect_one_of_each(e, naming, k).items():
            made_f90[kind].update(by)
        if naming.has("Type_get_value_index"):
            pairs[naming.name("Type_get_value_index"), naming.binding] = 1
        if naming.has("Type_struct"):
            expect_removed(e, naming, k)
        # Made by a call that no wrapper saw: known since its envelope was asked for.
        e.definition(e.contiguous(1000 + k, "MPI_INT"), created=0, adopted=1, committed=1, freed=1, live=0,
                     names=[f"naming {k}"], made_by={(naming.name("Type_get_envelope"), naming.binding): 1})
        if naming.has("File_get_view"):
            # The library keeps a copy of the view's type, and hands out a copy of that.
            copy = e.dup if e.views_are_dups else lambda old: e.contiguous(1, old)
            view = e.definition(e.contiguous(2000 + k, "MPI_INT"), created=1, committed=1, freed=1, names=[])
            kept = e.definition(copy(view), created=0, adopted=0)
            e.definition(copy(kept), created=0, adopted=1, committed=1, freed=1, live=0, names=[f"naming {k}"],
                         made_by={(naming.name("File_get_view"), naming.binding): 1})
    expect_f90(e, made_f90)
    if pairs:
        e.definition(e.value_index("MPI_CHAR", "MPI_CHAR"), live=0, made_by=pairs)
