"""Values of a program as gdb has them: expressions, addresses, handles, arrays, in C, C++ and Fortran."""
import codecs
import re

import gdb

from ddtscope_debug import Problem

INTEGERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR)
# Of which the place alone is asked for.
PLACED = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_STRING)
# Classes whose elements do not stand where the object does.
CONTAINERS = (r"^std::(?:\w+::)*(vector|valarray|basic_string|deque|list|forward_list|map|multimap|set|multiset"
              r"|unordered_\w+|unique_ptr|shared_ptr|span|basic_string_view)<")


class NoCalls:
    """Within it, gdb refuses to call functions of the program."""

    def __enter__(self):
        self.before = gdb.parameter("may-call-functions")
        if self.before:
            gdb.execute("set may-call-functions off", to_string=True)

    def __exit__(self, *_):
        if self.before:
            gdb.execute("set may-call-functions on", to_string=True)


def evaluated(text):
    try:
        with NoCalls():
            value = gdb.parse_and_eval(text)
            # Without its bytes: arrays may be longer than what gdb fetches (max-value-size).
            if value.type.strip_typedefs().code in PLACED and value.address is not None:
                return value
            value.fetch_lazy()
            if value.is_optimized_out:
                raise Problem(f"{text} has been optimized out here; `mpitype list` shows all types.")
            return value
    except gdb.MemoryError:
        raise Problem(f"{text} stands in memory that cannot be read.")
    except gdb.error as error:
        raise Problem(f"{text} cannot be evaluated: {str(error).rstrip('.')}.")


def encodable(text):
    """gdb encodes values and errors when they have left the script, and fails where its charset, such as that of the C
    locale, lacks a letter."""
    try:
        charset = codecs.lookup(gdb.target_charset()).name
    except LookupError:  # Python has not all that gdb has
        charset = "ascii"
    return text.encode(charset, "backslashreplace").decode(charset)


def block_of_function(block):
    """The outermost block of a function, in which its arguments stand; None outside of functions."""
    while block and not block.function:
        block = block.superblock
    return block


def plain(value):
    """Without references and typedefs."""
    kind = value.type.strip_typedefs()
    while kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
        kind = value.type.strip_typedefs()
    return value.cast(kind.unqualified()) if kind.code in INTEGERS + (gdb.TYPE_CODE_PTR,) else value


def fortran_member(value):
    """The INTEGER in a type(MPI_Datatype), which gfortran writes in lower case; None for all else."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT or (kind.name or "").lower() != "mpi_datatype":
        return None
    return next((int(value[field]) for field in kind.fields() if (field.name or "").lower() == "mpi_val"), None)


def is_datatype(kind):
    """MPI_Datatype in all its disguises: references, const, a user's own typedefs, Fortran's derived type."""
    for _ in range(20):
        if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            kind = kind.target()
        elif kind.code == gdb.TYPE_CODE_TYPEDEF:
            if kind.name == "MPI_Datatype":
                return True
            kind = kind.target()
        else:
            break
    if kind.code == gdb.TYPE_CODE_PTR:
        return kind.target().strip_typedefs().unqualified().tag == "ompi_datatype_t"
    return kind.code == gdb.TYPE_CODE_STRUCT and (kind.name or "").lower() == "mpi_datatype"


def handle_of_value(value):
    """The number in a handle of any kind, and whether it is Fortran's."""
    value = plain(value)
    integer = fortran_member(value)
    if integer is not None:
        return integer, True
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR and is_datatype(kind.target()):
        raise Problem(f"a value of type {value.type} is no MPI_Datatype, but points to one: put * in front.")
    if kind.code == gdb.TYPE_CODE_PTR or kind.code in INTEGERS:
        return int(value), False
    holds_some = kind.code == gdb.TYPE_CODE_ARRAY and is_datatype(kind.target())
    raise Problem(f"a value of type {value.type} is no MPI_Datatype{', but each of its elements is' * holds_some}.")


def address_of_value(value):
    """What stands for an address: pointers and integers do by their value, all else by its place."""
    value = plain(value)
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR or kind.code in INTEGERS:
        return int(value)
    container = re.match(CONTAINERS, kind.name or "")
    if container:
        raise Problem(f"a std::{container[1]} keeps its elements elsewhere; give the address of the first one.")
    if value.address is None:
        raise Problem(f"a value of type {value.type} has no address.")
    return int(value.address)


def place_of_value(value):
    """What stands for an address in Fortran, where arguments are passed by their place."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
        kind = value.type.strip_typedefs()
    is_placed = kind.code != gdb.TYPE_CODE_PTR and value.address is not None
    return int(value.address) if is_placed else address_of_value(value)


def is_fortran_spoken():
    return "fortran" in gdb.execute("show language", to_string=True)


# A variable or a member, with or without indices: &u[1][0], domain.tile, (u).
ELEMENT = r"\(?\s*&?\s*([A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*)\s*((?:\[[^\[\]]*\]\s*)*)\)?"


def array_of_value(name, value):
    """What ddtscope_debug.Session.set_array takes of an array of C's, or of a pointer to elements; None for all else."""
    kind = value.type.strip_typedefs()
    is_array = kind.code == gdb.TYPE_CODE_ARRAY
    if not is_array and kind.code != gdb.TYPE_CODE_PTR:
        return None
    address, sizes = (int(value.address), []) if is_array else (int(value), [0])
    kind = kind if is_array else kind.target().strip_typedefs()
    while kind.code == gdb.TYPE_CODE_ARRAY:
        sizes.append(kind.range()[1] - kind.range()[0] + 1)
        kind = kind.target().strip_typedefs()
    is_element = kind.code not in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC) and kind.sizeof > 0
    return (name, address & 0xFFFFFFFFFFFFFFFF, kind.sizeof, sizes) if is_element and min(sizes[1:], default=1) > 0 else None
