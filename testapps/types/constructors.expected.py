"""One type of each constructor, none freed."""


def expect(e):
    kept = dict(created=1, committed=0, freed=0, live=1, sites=1)
    for large in [False, True] if e.has_large_counts else [False]:
        suffix, function = ("_c", "large_count_constructors") if large else ("", "int_constructors")

        def made(name, tree, bounds, signature, entries, blocks, constructor):
            e.definition(tree, names=[name.replace(",", suffix + ",", 1) if "," in name else name + suffix],
                         bounds=bounds, signature=signature, entries=entries, blocks=blocks, functions={function},
                         called={constructor + suffix}, **kept)
            return tree

        vector = made("vector", e.vector(3, 2, 4, "MPI_INT", large), (24, 0, 40, 0, 40), [["MPI_INT", 6]], 6, 3,
                      "MPI_Type_vector")
        made("contiguous", e.contiguous(5, "MPI_DOUBLE", large), (40, 0, 40, 0, 40), [["MPI_DOUBLE", 5]], 5, 1,
             "MPI_Type_contiguous")
        made("hvector", e.hvector(3, 2, 20, "MPI_SHORT", large), (12, 0, 44, 0, 44), [["MPI_SHORT", 6]], 6, 3,
             "MPI_Type_create_hvector")
        made("indexed", e.indexed([2, 1, 3], [0, 5, 8], "MPI_INT", large), (24, 0, 44, 0, 44), [["MPI_INT", 6]], 6, 3,
             "MPI_Type_indexed")
        made("hindexed", e.hindexed([1, 2], [4, 16], "MPI_FLOAT", large), (12, 4, 20, 4, 20), [["MPI_FLOAT", 3]], 3, 2,
             "MPI_Type_create_hindexed")
        made("indexed_block", e.indexed_block(2, [1, 4, 9], "MPI_INT", large), (24, 4, 40, 4, 40), [["MPI_INT", 6]], 6,
             3, "MPI_Type_create_indexed_block")
        made("hindexed_block", e.hindexed_block(3, [0, 32], "MPI_CHAR", large), (6, 0, 35, 0, 35), [["MPI_CHAR", 6]],
             6, 2, "MPI_Type_create_hindexed_block")
        made("struct", e.struct([1, 2, 1], [0, 8, 24], ["MPI_CHAR", "MPI_DOUBLE", vector], large),
             (41, 0, 64, 0, 64), [["MPI_CHAR", 1], ["MPI_DOUBLE", 2], ["MPI_INT", 6]], 9, 4, "MPI_Type_create_struct")
        made("subarray" if large else "subarray, C",
             e.subarray([4, 6], [2, 3], [1, 2], "C", "MPI_DOUBLE", large), (48, 0, 192, 64, 72), [["MPI_DOUBLE", 6]],
             6, 2, "MPI_Type_create_subarray")
        # Rank 1 of a 2 x 2 grid: rows 0 to 3, columns 1, 3 and 5.
        made("darray", e.darray(4, 1, [8, 6], ["BLOCK", "CYCLIC"], ["DFLT_DARG", 1], [2, 2], "C", "MPI_INT", large),
             (48, 0, 192, 4, 92), [["MPI_INT", 12]], 12, 12, "MPI_Type_create_darray")
        made("resized", e.resized("MPI_INT", -4, 16, large), (4, -4, 16, 0, 4), [["MPI_INT", 1]], 1, 1,
             "MPI_Type_create_resized")
        if large:
            size = 8 * 3 * 2**31
            e.definition(e.contiguous(3 * 2**31, "MPI_DOUBLE", True), names=["contiguous_c beyond int"],
                         bounds=(size, 0, size, 0, size), signature=[["MPI_DOUBLE", 3 * 2**31]], entries=3 * 2**31,
                         blocks=1, **kept)
            continue
        e.definition(e.dup(vector), names=["dup"], bounds=(24, 0, 40, 0, 40), entries=6, blocks=3, **kept)
        e.definition(e.subarray([4, 6], [2, 3], [1, 2], "FORTRAN", "MPI_DOUBLE"), names=["subarray, Fortran"],
                     bounds=(48, 0, 192, 72, 80), entries=6, blocks=3, **kept)
        e.definition(e.contiguous(2, "MPI_DOUBLE_INT"), names=["pairs"], bounds=(24, 0, 32, 0, 28), entries=4, blocks=2,
                     signature=[["MPI_DOUBLE", 1], ["MPI_INT", 1], ["MPI_DOUBLE", 1], ["MPI_INT", 1]], **kept)
        e.definition(e.contiguous(2, "MPI_LONG_LONG_INT"), names=["synonym"], bounds=(16, 0, 16, 0, 16), entries=2,
                     signature=[["MPI_LONG_LONG_INT", 2]], **kept)
        # Unnamed predefined types: never freed, never alive.
        for kind, values, size in [("REAL", (15, 307), 8), ("COMPLEX", (6, 37), 8), ("INTEGER", (9,), 4)]:
            name = f"F90_{kind}({','.join(map(str, values))})"
            e.definition(e.f90(kind, *values), bounds=(size, 0, size, 0, size), entries=1, blocks=1, created=1, live=0,
                         names=[], signature=[[name, 1]])
