"""ddtscope in gdb: the command `mpitype`, printers for MPI_Datatype, functions for conditions. What datatypes mean is
told by libddtscope-debug (ddtscope_debug.py beside this file); here bytes are fetched, expressions evaluated and text
is printed. No function of the program is ever called."""
import os
import re
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import ddtscope_calls  # noqa: E402
import ddtscope_command  # noqa: E402
import ddtscope_debug  # noqa: E402
import ddtscope_source  # noqa: E402
from ddtscope_debug import FREED, UNKNOWN, Problem  # noqa: E402

INTEGERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR)
ARGUMENT_REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
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
            value.fetch_lazy()
            if value.is_optimized_out:
                raise Problem(f"{text} has been optimized out here; `mpitype list` shows all types.")
            return value
    except gdb.MemoryError:
        raise Problem(f"{text} stands in memory that cannot be read.")
    except gdb.error as error:
        raise Problem(f"{text} cannot be evaluated: {str(error).rstrip('.')}.")


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


class Debugger:
    """gdb as ddtscope_debug.Command wants it."""

    def __init__(self):
        self.kept = ddtscope_debug.Kept()
        for event in (gdb.events.cont, gdb.events.exited, gdb.events.stop, gdb.events.new_objfile,
                      gdb.events.inferior_call):
            event.connect(lambda _: self.forget())

    def forget(self):
        self.kept.forget()

    def session(self, may_search=True):
        """What is printed by the way may not search: it would at each stop of a program without the plugin."""
        inferior = gdb.selected_inferior()
        if not inferior.pid:
            raise Problem("no process and no core is being debugged; start the program, or give a core.")

        # The rest of the process runs on while a thread is looked at.
        if may_search and any(thread.is_running() for thread in inferior.threads()):
            self.forget()

        def make(address):
            symbol = self.symbol(ddtscope_debug.SYMBOL)
            return ddtscope_debug.Session(
                lambda at, size: inferior.read_memory(at, size), address if symbol is None else symbol,
                self.ranges if may_search else None, f"process {inferior.pid}", self.target() == "core")

        return self.kept.get((inferior.num, inferior.pid), may_search, make)

    @staticmethod
    def symbol(name):
        try:
            with NoCalls():
                return int(gdb.parse_and_eval(f"&{name}"))  # without a cast: languages write them differently
        except gdb.error:
            return None

    def communicator_of(self, handle):
        """"world", "self", or None for others."""
        size = self.session().facts.handle_bytes
        number = ddtscope_debug.COMMUNICATORS[size].get(handle & ((1 << 8 * size) - 1))
        return number or next((name for name in ("world", "self") if handle == self.symbol("ompi_mpi_comm_" + name)), None)

    @staticmethod
    def target():
        """"native", "core", or what else gdb calls it."""
        inferior = gdb.selected_inferior()
        if hasattr(inferior, "connection"):
            return inferior.connection.type if inferior.connection else ""
        return "core" if "Local core dump file:" in gdb.execute("info target", to_string=True) else "native"

    def ranges(self):
        """What a process may write, or a core holds: from the likely to the rest."""
        found = []
        if self.target() == "native":
            try:
                with open(f"/proc/{gdb.selected_inferior().pid}/maps", encoding="utf-8") as maps:
                    found = [re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line) for line in maps]
            except OSError:
                pass
        # Of a core, and of what the loader knows of it.
        listed = re.finditer(r"0x([0-9a-f]+) - 0x([0-9a-f]+) is load", gdb.execute("info files", to_string=True))
        bounds = [(int(m[1], 16), int(m[2], 16)) for m in [*found, *listed] if m]
        return sorted((b for b in bounds if b[1] - b[0] <= 1 << 32), key=lambda b: b[1] - b[0])

    @staticmethod
    def address_of(text):
        value = evaluated(text)
        return place_of_value(value) if is_fortran_spoken() else address_of_value(value)

    @staticmethod
    def array_of(text):
        """The array that an expression such as &u[1][0] is about; None where it is none, or is Fortran's."""
        found = re.fullmatch(ELEMENT, text.strip())
        if found is None or is_fortran_spoken():
            return None
        try:
            return array_of_value(found[1], plain(evaluated(found[1])))
        except (Problem, gdb.error, RuntimeError):  # only the names are lacking then
            return None

    @staticmethod
    def integer_of(text):
        value = plain(evaluated(text))
        if value.type.strip_typedefs().code not in INTEGERS:
            raise Problem(f"{text}, of type {value.type}, is no integer.")
        return int(value)

    @staticmethod
    def handle_of(text):
        return handle_of_value(evaluated(text))

    @staticmethod
    def print(text):
        gdb.write(text)

    def mpi_call(self):
        """The nearest MPI call with buffers on this thread's stack."""
        try:
            frame = gdb.newest_frame()
        except gdb.error:
            raise Problem("no thread is selected that has a stack.")
        while frame and not ddtscope_calls.mpi_name(frame.name()):
            frame = frame.older()
        if not frame:
            return None
        # MPI_X may call PMPI_X, a Fortran procedure the C function: the outermost is the program's call.
        inner = frame
        outer = frame
        at = frame.older()
        while at and (ddtscope_calls.mpi_name(at.name()) or ddtscope_calls.is_within_library(at.name())):
            outer = at if ddtscope_calls.mpi_name(at.name()) else outer
            at = at.older()
        return Call(self, inner, outer)


class Selected:
    """Within it, a frame is the selected one."""

    def __init__(self, frame):
        self.frame = frame

    def __enter__(self):
        self.before = gdb.selected_frame()
        self.frame.select()

    def __exit__(self, *_):
        self.before.select()


class Call:
    """An MPI call on the stack, whose arguments are known from the library's debugging information, from registers
    where it has just been entered, or from the line of source that made it."""

    def __init__(self, debugger, inner, outer):
        self.debugger, self.inner, self.outer = debugger, inner, outer
        self.name, self.is_fortran = ddtscope_calls.mpi_name(outer.name())
        # Within MPI_File_write_all, say, another call may be made: its arguments are not the program's.
        self.is_c_within = ddtscope_calls.mpi_name(inner.name()) == (self.name, False)
        self.source = None
        self.place = ""  # of the source, where that was asked

    def argument(self, position):
        """An integer, a Type, or why it is not known."""
        try:
            for way in (self.from_symbols, self.from_registers, self.from_source):
                value = way(position)
                if value is not None:
                    return value
        except (Problem, gdb.error, gdb.MemoryError) as why:
            return str(why)
        return ("its arguments are not known: the MPI library has no debugging information, the call is not at its "
                "first instruction, and the caller's source is not there, or its line does not hold just this call.")

    @property
    def buffers(self):
        return ddtscope_calls.CALLS[self.name].buffers

    def is_array(self, position):
        return any(position in buffer.arrays for buffer in self.buffers)

    def is_datatype(self, position):
        return any(position == buffer.type for buffer in self.buffers) and not self.is_array(position)

    def is_buffer(self, position):
        return any(position == buffer.place for buffer in self.buffers)

    def is_fortran_array(self, position):
        """Whether its elements are Fortran's: so it is unless the C function's own argument is known."""
        return self.is_fortran and self.from_symbols(position) is None and self.from_registers(position) is None

    def communicator(self, position):
        """"world", "self", or None for others."""
        try:
            value = self.from_symbols(position)
            value = self.from_registers(position) if value is None else value
            if value is None:
                return self.communicator_in_source(position)
            return self.debugger.communicator_of(value)
        except (Problem, gdb.error):
            return None

    def communicator_in_source(self, position):
        arguments = self.arguments_in_source()
        text = arguments[position] if position < len(arguments) else ""
        name = text.upper() if self.is_fortran else text
        if name in ("MPI_COMM_WORLD", "MPI_COMM_SELF"):
            return name[len("MPI_COMM_"):].lower()
        if self.is_fortran or not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", text):
            return None
        with Selected(self.outer.older()):
            return self.debugger.communicator_of(int(plain(evaluated(text))))

    def from_symbols(self, position):
        function = self.inner.function()
        if not function or not self.is_c_within:
            return None
        arguments = [symbol for symbol in self.inner.block() if symbol.is_argument]
        if position >= len(arguments):
            return None
        value = plain(arguments[position].value(self.inner))
        return None if value.is_optimized_out else int(value)

    def from_registers(self, position):
        start = gdb.execute(f"info symbol {self.inner.pc():#x}", to_string=True)
        is_entered = self.inner == gdb.newest_frame() and self.is_c_within and " + " not in start
        if not is_entered or self.inner.architecture().name() != "i386:x86-64":
            return None
        if position < len(ARGUMENT_REGISTERS):
            return int(self.inner.read_register(ARGUMENT_REGISTERS[position])) & 0xFFFFFFFFFFFFFFFF
        place = (int(self.inner.read_register("rsp")) & 0xFFFFFFFFFFFFFFFF) + 8 * (position - 5)
        data = bytes(gdb.selected_inferior().read_memory(place, 8))
        return int.from_bytes(data, sys.byteorder)

    def from_source(self, position):
        arguments = self.arguments_in_source()
        if position >= len(arguments):
            return None
        text = arguments[position]
        if not ddtscope_source.is_harmless(text, self.is_fortran):
            return f"`{text}` is not evaluated, because that could change the program."
        name = text.upper() if self.is_fortran else text
        if self.is_buffer(position) and name == "MPI_IN_PLACE":
            return self.debugger.session().in_place
        if self.is_datatype(position) and re.fullmatch(r"MPI_[A-Za-z0-9_]+", name):
            try:
                return self.debugger.session().type_of_text(name)
            except Problem:
                pass  # a variable of the program's
        if self.is_buffer(position) and name == "MPI_BOTTOM":
            return 0
        with Selected(self.outer.older()):
            value = evaluated(text)
            if not self.is_datatype(position):
                is_place = self.is_fortran and (self.is_buffer(position) or self.is_array(position))
                return place_of_value(value) if is_place else address_of_value(value)
            handle, is_fortran = handle_of_value(value)
        session = self.debugger.session()
        return session.type_of_fortran(handle) if is_fortran or self.is_fortran else session.type_of_handle(handle)

    def arguments_in_source(self):
        if self.source is None:
            self.source = self.call_in_source(self.outer.older())
        return self.source

    def call_in_source(self, caller):
        if not caller:
            return []
        place = caller.find_sal()
        if not place or not place.symtab or not place.line:
            return []
        try:
            with open(place.symtab.fullname(), encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            return []
        arguments = ddtscope_source.call_in_source(text, place.line, self.name, place.symtab.filename)
        if arguments:
            self.place = f"{os.path.basename(place.symtab.filename)}:{place.line}"
            if is_newer(place.symtab.fullname(), place.symtab.objfile.filename):
                self.place += ", which is newer than the program"
        return arguments or []


def is_newer(source, program):
    try:
        return os.path.getmtime(source) > os.path.getmtime(program)
    except (OSError, TypeError):
        return False


DEBUGGER = Debugger()
COMMAND = ddtscope_command.Command(DEBUGGER)


class MpiType(gdb.Command):
    __doc__ = ddtscope_command.HELP

    def __init__(self):
        super().__init__("mpitype", gdb.COMMAND_DATA)

    def invoke(self, text, _):
        self.dont_repeat()
        try:
            with NoCalls():
                COMMAND.run(text)
        except Problem as problem:
            raise gdb.GdbError(str(problem))
        except gdb.error as error:
            raise gdb.GdbError(f"gdb could not do that: {error}")
        except Exception as error:  # a mistake of this script is told in a sentence, too
            raise gdb.GdbError(f"this could not be answered ({type(error).__name__}: {error}).")

    def complete(self, text, word):
        if text.strip().count(" ") == 0 and not text.endswith(" "):
            return [verb for verb in ddtscope_command.USAGE if verb.startswith(word)]
        return gdb.COMPLETE_EXPRESSION


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


class Printer:
    """One line; the bare handle where nothing is known."""

    def __init__(self, handle, is_fortran, found):
        self.handle, self.is_fortran, self.found = handle, is_fortran, found

    def to_string(self):
        raw = str(self.handle) if self.is_fortran else f"{self.handle & 0xFFFFFFFFFFFFFFFF:#x}"
        try:
            session = DEBUGGER.session(may_search=False)
            raw = session.handle_text(self.handle, self.is_fortran)
            return raw if self.found.state == UNKNOWN else f"{raw} {session.line(self.found)}"
        except Exception:
            return raw


def is_null(handle, session):
    size = session.facts.handle_bytes
    if handle & ((1 << 8 * size) - 1) == ddtscope_debug.NULL_DATATYPES[size]:
        return True
    return size == 8 and handle == Debugger.symbol("ompi_mpi_datatype_null")


class NullPrinter:
    def to_string(self):
        return "MPI_DATATYPE_NULL"


def printer(value):
    try:
        if not is_datatype(value.type):
            return None
        handle, is_fortran = handle_of_value(value)
        session = DEBUGGER.session(may_search=False)
        if not is_fortran and is_null(handle, session):
            return NullPrinter()
        found = session.type_of_fortran(handle) if is_fortran else session.type_of_handle(handle)
        return Printer(handle, is_fortran, found)
    except Exception:  # whatever the value is, gdb prints it as it would have
        return None


def found_for_condition(value):
    """The type as it is now: conditions are asked between two stops, when what was read before may be old."""
    try:
        handle, is_fortran = handle_of_value(value)
        session = DEBUGGER.session()
        if is_fortran or not session.is_current(handle):
            DEBUGGER.forget()
            session = DEBUGGER.session()
        return session, session.type_of_fortran(handle) if is_fortran else session.type_of_handle(handle)
    except Problem as problem:
        raise gdb.GdbError(str(problem))


class Function(gdb.Function):
    """A fact about a datatype, for expressions and the conditions of breakpoints."""

    def __init__(self, name, what, fact):
        self.__doc__ = f"$mpitype_{name}(TYPE): {what}."
        super().__init__("mpitype_" + name)
        self.fact = fact

    def invoke(self, value):
        with NoCalls():
            session, found = found_for_condition(value)
            return self.fact(session, found)


def bound(name, bit):
    def fact(_, found):
        if not found.is_known:
            raise gdb.GdbError("this is no datatype that ddtscope knows.")
        if found.undefined >> bit & 1:
            raise gdb.GdbError("the library calls this value MPI_UNDEFINED.")
        return getattr(found, name)
    return fact


def register():
    MpiType()
    for name, bit, what in (("size", 0, "bytes of data in one copy"), ("lb", 1, "its lower bound"),
                            ("extent", 2, "distance of two copies"),
                            ("true_lb", 3, "where its first byte is"),
                            ("true_extent", 4, "bytes from the first to the last")):
        Function(name, what, bound(name, bit))
    Function("committed", "1 where it is committed; 0 where not, where it was freed, and where it is no datatype",
             lambda _, found: int(found.is_committed and found.state not in (FREED, UNKNOWN)))
    Function("id", 'its number as text, "T9"; "" where it is no datatype',
             lambda session, found: session.names(found)[0] if found.is_known else "")
    Function("name", 'the name that the program gave it; "" where it gave none',
             lambda session, found: session.names(found)[1] if found.is_known else "")
    gdb.pretty_printers.append(printer)


if not hasattr(gdb, "ddtscope_is_loaded"):  # by the plugin's file, or by hand, or both
    gdb.ddtscope_is_loaded = True
    register()
