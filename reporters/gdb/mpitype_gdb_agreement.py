"""Whether a buffer is what its datatype says, by the type that gdb knows of the expression: no recording is needed. As
far as values can tell it; what `ddtscope check` knows besides (signs, alignment, struct layouts) is left to it."""
import re

import gdb

from mpitype_gdb_values import CONTAINERS, NoCalls, is_fortran_spoken

WHOLE_ADDRESS = (1 << 64) - 1
# They may stand for anything, and so may memory of them.
BYTES = {"MPI_BYTE", "MPI_PACKED", "MPI_CHAR", "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_UINT8_T", "MPI_INT8_T", "MPI_CHARACTER"}
FLOATING, COMPLEX, INTEGER, POINTER = "floating", "complex", "integer", "a pointer"
KINDS = {gdb.TYPE_CODE_FLT: FLOATING, gdb.TYPE_CODE_COMPLEX: COMPLEX, gdb.TYPE_CODE_INT: INTEGER, gdb.TYPE_CODE_ENUM: INTEGER,
         gdb.TYPE_CODE_BOOL: INTEGER, gdb.TYPE_CODE_CHAR: INTEGER, gdb.TYPE_CODE_PTR: POINTER}


def kind_of_basic(name):
    if "COMPLEX" in name:
        return COMPLEX
    return FLOATING if any(word in name for word in ("FLOAT", "DOUBLE", "REAL")) else INTEGER


class Scalar:
    """What lies at a place: of a type, `within` bytes behind its beginning."""

    def __init__(self, kind, path, within):
        self.kind, self.path, self.within = kind, path, within
        self.code, self.size = kind.code, kind.sizeof

    def verdict(self, basic, size):
        """Why an entry is another thing; "" where it is none, None where nothing is known."""
        if self.code not in KINDS:
            return None
        if self.size == 1:
            return ""
        own, given = KINDS[self.code], kind_of_basic(basic)
        if own == COMPLEX and given == FLOATING and size * 2 == self.size:
            return "" if self.within % size == 0 else "not at its beginning"
        if own == POINTER:
            return "" if given == INTEGER and size == self.size and basic in ("MPI_AINT", "MPI_LONG", "MPI_UNSIGNED_LONG") else "a pointer, in place of what it points to"
        if own != given:
            pair = {own, given}
            return "floating against integer" if pair == {FLOATING, INTEGER} else f"{given} against {own}"
        if self.size != size:
            return "another size"
        return "" if self.within == 0 else "not at its beginning"


def stripped(kind):
    return kind.strip_typedefs().unqualified()


def is_complex_class(kind):
    return (kind.name or "").startswith("std::complex<") and kind.sizeof > 0


def scalars_at(kind, offset, path):
    """What lies so many bytes behind the beginning of an object: of unions each of what may be there."""
    kind = stripped(kind)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        element = stripped(kind.target())
        if element.sizeof <= 0:
            return []
        first = kind.range()[0] if kind.range()[1] >= kind.range()[0] else 0
        return scalars_at(element, offset % element.sizeof, f"{path}[{first + offset // element.sizeof}]")
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        if is_complex_class(kind):
            members = [field.type for field in kind.fields() if hasattr(field, "bitpos")]
            return [Scalar(stripped(members[0]), path, offset)] if len(members) == 1 else []
        found = []
        for field in kind.fields():
            if not hasattr(field, "bitpos"):  # static
                continue
            begin = field.bitpos // 8
            if field.bitsize:
                if begin <= offset < (field.bitpos + field.bitsize + 7) // 8:
                    return []  # bit-fields are not judged
                continue
            if begin <= offset < begin + field.type.sizeof:
                name = path if field.is_base_class or not field.name else f"{path}.{field.name}"
                found += scalars_at(field.type, offset - begin, name)
        return found
    return [Scalar(kind, path, offset)]


class Object:
    """A variable of the program's, or what a pointer points to, whose number is not known."""

    def __init__(self, name, value, is_pointee):
        self.name, self.is_pointee = name, is_pointee
        self.kind = stripped(value.type.target() if is_pointee else value.type)
        self.address = int(value if is_pointee else value.address) & WHOLE_ADDRESS
        element = self.kind
        while element.code == gdb.TYPE_CODE_ARRAY:
            element = stripped(element.target())
        is_data = element.code not in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC) and not re.match(CONTAINERS, element.name or "")
        self.is_known = self.kind.sizeof > 0 and is_data

    def disagreement(self, entries, buffer):
        """The first entry that is something else than what is there, as a sentence; None where there is none."""
        begin = buffer - self.address
        size = self.kind.sizeof
        for entry in entries:
            basic = entry.basic_type.decode("utf-8", "replace")
            offset = begin + entry.offset
            if not self.is_pointee and not 0 <= offset <= size - entry.size:
                return f"{basic} at byte {offset:,} of {self.name}, which has {size:,} bytes."
            if basic in BYTES or offset < 0:
                continue
            path = f"{self.name}[{offset // size}]" if self.is_pointee else self.name
            found = scalars_at(self.kind, offset % size, path)
            verdicts = [one.verdict(basic, entry.size) for one in found]
            if not verdicts or any(verdict in (None, "") for verdict in verdicts):
                continue
            place = in_fortran(found[0].path) if is_fortran_spoken() else found[0].path
            within = f"byte {found[0].within} of " if found[0].within else ""
            return f"{basic} at {within}{place} of type {found[0].kind}: {verdicts[0]}."
        return None


def in_fortran(path):
    """Fortran's last index is the one that gdb's types have first."""
    indices = lambda found: "(" + ",".join(reversed(found[0][1:-1].split("]["))) + ")"
    return re.sub(r"\[[^\[\]]*\](?:\[[^\[\]]*\])*", indices, path).replace(".", "%")


def value_of(text):
    """Without its bytes: arrays may be long. None where gdb does not know it."""
    try:
        with NoCalls():
            value = gdb.parse_and_eval(text)
            while stripped(value.type).code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                value = value.referenced_value()
            return value
    except (gdb.error, RuntimeError):
        return None


# What an expression goes through from a variable on: members and indices, in C and in Fortran.
STEP = re.compile(r"\s*(?:(?P<member>\.|->|%)\s*[A-Za-z_]\w*|\[[^\[\]]*\]|\([^()]*\))")


def object_of(text):
    """What an expression such as &u[1][0], &s->x[2], p or p + 2 is about: a whole variable, or what the last pointer in
    it points to. None where gdb cannot say."""
    text = text.strip()
    path = text.lstrip("&( ") if text.startswith(("&", "(")) else text
    path = path.rstrip(") ") if path.count(")") > path.count("(") else path
    variable = re.match(r"[A-Za-z_]\w*", path)
    name, end = (path[:variable.end()], variable.end()) if variable else ("", 0)
    value = value_of(name) if name else None
    if value is None:
        return None
    found = Object(name, value, is_pointee=False) if value.address is not None else None
    while end < len(path):
        step = STEP.match(path, end)
        if not step:  # p + 2
            value = value_of(text) if "&" not in text else None
            is_pointer = value is not None and stripped(value.type).code == gdb.TYPE_CODE_PTR
            return Object(text if text.startswith("(") else f"({text})", value, is_pointee=True) if is_pointer else None
        if stripped(value.type).code == gdb.TYPE_CODE_PTR:
            found = Object(path[:end], value, is_pointee=True)
        end = step.end()
        value = value_of(path[:end])
        if value is None:
            return None
    if "&" not in text and stripped(value.type).code == gdb.TYPE_CODE_PTR:
        return Object(path, value, is_pointee=True)
    return found


def disagreement_of(text, entries, buffer):
    """Where a buffer is something else than what the datatype's entries say; None where it is not, and where gdb does
    not know what it is. `buffer` is the address that the expression stands for."""
    try:
        one = object_of(text)
        return one.disagreement(entries, buffer & WHOLE_ADDRESS) if one is not None and one.is_known else None
    except (gdb.error, RuntimeError, OverflowError, ValueError):
        return None
