"""Whether a basic type of MPI's stands for a number of the source's: the rules of reporters/struct_layout/comparison.cpp,
but for signs. A table of cases is held against both (reporters/struct_layout/testdata/verdicts.csv)."""

FLOATING, COMPLEX, INTEGER, POINTER = "floating", "complex", "integer", "a pointer"
# They may stand for anything, and so may memory of them.
BYTES = {"MPI_BYTE", "MPI_PACKED", "MPI_CHAR", "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_UINT8_T", "MPI_INT8_T", "MPI_CHARACTER"}


def kind_of_basic(name):
    if "COMPLEX" in name:
        return COMPLEX
    return FLOATING if any(word in name for word in ("FLOAT", "DOUBLE", "REAL")) else INTEGER


def verdict_on(basic, size, own, own_size, within):
    """Why an entry of a basic type, so many bytes behind the beginning of a number of the kind `own`, is another thing;
    "" where it is none."""
    given = kind_of_basic(basic)
    if own == COMPLEX and given == FLOATING and 2 * size == own_size and within % size == 0:
        return ""
    if own == FLOATING and given == COMPLEX and size == 2 * own_size and within == 0:
        return ""
    if own == POINTER:
        is_address = given == INTEGER and size == own_size and within == 0
        return "" if is_address else "a pointer, in place of what it points to"
    if (given == INTEGER) != (own == INTEGER):
        return "floating against integer" if COMPLEX not in (given, own) else f"{given} against {own}"
    if size != own_size:
        return "another size"
    if within != 0:
        return "not at its beginning"
    return "" if given == own else f"{given} against {own}"
