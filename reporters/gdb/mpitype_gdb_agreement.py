"""Whether a buffer is what its datatype says, by the type that gdb knows of the expression: no recording is needed. As
far as values can tell it; what `ddtscope check` knows besides (signs, alignment, struct layouts) is left to it."""
import re

import gdb

from ddtscope_agreement import BYTES, COMPLEX, FLOATING, INTEGER, POINTER, verdict_on
from mpitype_gdb_values import CONTAINERS, NoCalls, is_fortran_spoken

WHOLE_ADDRESS = (1 << 64) - 1
KINDS = {gdb.TYPE_CODE_FLT: FLOATING, gdb.TYPE_CODE_COMPLEX: COMPLEX, gdb.TYPE_CODE_INT: INTEGER, gdb.TYPE_CODE_ENUM: INTEGER,
         gdb.TYPE_CODE_BOOL: INTEGER, gdb.TYPE_CODE_CHAR: INTEGER, gdb.TYPE_CODE_PTR: POINTER}
REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


class Scalar:
    """What lies at a place: of a type, `within` bytes behind its beginning."""

    def __init__(self, kind, path, within):
        self.kind, self.path, self.within = kind, path, within

    def verdict(self, basic, size):
        """Why an entry is another thing; "" where it is none, None where nothing is known."""
        if self.kind.code not in KINDS:
            return None
        is_byte = self.kind.sizeof == 1 and self.kind.code != gdb.TYPE_CODE_BOOL
        # Arrays of characters hold what they are made to hold.
        if is_byte and not re.search(r"\.\w+$", self.path):
            return ""
        return verdict_on(basic, size, KINDS[self.kind.code], self.kind.sizeof, self.within)


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


def innermost(kind):
    kind = stripped(kind)
    while kind.code == gdb.TYPE_CODE_ARRAY:
        kind = stripped(kind.target())
    return kind


def is_record(kind):
    return kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and not is_complex_class(kind)


def length_of(kind):
    """Of an array, of arrays the product; 0 where the source does not say."""
    length = 1
    while kind.code == gdb.TYPE_CODE_ARRAY:
        length *= max(kind.range()[1] - kind.range()[0] + 1, 0)
        kind = stripped(kind.target())
    return length


def is_open_ended(kind):
    """An array whose length is told elsewhere: what lies behind the struct is the array's (C 6.7.2.1)."""
    fields = [field for field in kind.fields() if hasattr(field, "bitpos")] if is_record(kind) else []
    if not fields:
        return False
    last = stripped(fields[-1].type)
    return is_open_ended(last) or (last.code == gdb.TYPE_CODE_ARRAY and length_of(last) <= 1)


class Object:
    """What a buffer is a part of. Of a pointee, or of what a reference stands for, the number is not known; nor does an
    open one end where its type does."""

    def __init__(self, name, value, is_pointee=False, is_lent=False, is_open=False):
        self.name, self.is_pointee, self.is_many = name, is_pointee, is_pointee or is_lent
        self.kind = stripped(value.type.target() if is_pointee else value.type)
        self.address = int(value if is_pointee else value.address) & WHOLE_ADDRESS
        self.element = innermost(self.kind)
        self.is_open = is_open or is_open_ended(self.kind)
        is_data = self.element.code not in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC) and not re.match(CONTAINERS, self.element.name or "")
        self.is_known = self.kind.sizeof > 0 and is_data

    def disagreement(self, entries, buffer):
        """The first entry that is something else than what is there, as a sentence; None where there is none."""
        begin = buffer - self.address
        size = self.kind.sizeof
        is_within = all(0 <= begin + entry.offset <= size - entry.size for entry in entries)
        # Behind the object lies something else that is the program's, too.
        if not self.is_many and self.is_open and not is_within:
            return None
        for entry in entries:
            basic = entry.basic_type.decode("utf-8", "replace")
            offset = begin + entry.offset
            if not self.is_many and not 0 <= offset <= size - entry.size:
                return f"{basic} at byte {offset:,} of {self.name}, which has {size:,} bytes."
            # Of structs the first one is known to be there: what lies behind it may be something else.
            is_unknown = self.is_many and (offset < 0 or (is_record(self.element) and offset >= self.element.sizeof))
            if basic in BYTES or is_unknown:
                continue
            has_index = self.is_pointee or offset >= size
            found = scalars_at(self.kind, offset % size, f"{self.name}[{offset // size}]" if has_index else self.name)
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
            while stripped(value.type).code in REFERENCES:
                value = value.referenced_value()
            return value
    except (gdb.error, RuntimeError):
        return None


def variable_of(name, value):
    """The variable of that name, or what it stands for."""
    try:
        with NoCalls():
            is_reference = stripped(gdb.parse_and_eval(name).type).code in REFERENCES
            symbol, is_member = gdb.lookup_symbol(name.lower() if is_fortran_spoken() else name)
    except (gdb.error, RuntimeError):
        return None
    # Behind what lies in static memory there may be the rest of a COMMON block, behind an argument the rest of the
    # caller's array (Fortran 2018 15.5.2.11), and behind a member the object's next one.
    is_local = symbol is not None and symbol.needs_frame and not symbol.is_argument
    is_open = is_member or symbol is None or (is_fortran_spoken() and not is_local)
    return Object(name, value, is_lent=is_reference, is_open=is_open)


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
    found = variable_of(name, value) if value.address is not None else None
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
    buffer &= WHOLE_ADDRESS
    try:
        one = object_of(text)
        if one is None or not one.is_known:
            return None
        # Of a section the procedure may have been given a copy.
        is_copy = is_fortran_spoken() and not one.is_many and not 0 <= buffer - one.address < one.kind.sizeof
        return None if is_copy else one.disagreement(entries, buffer)
    except (gdb.error, RuntimeError, OverflowError, ValueError):
        return None
