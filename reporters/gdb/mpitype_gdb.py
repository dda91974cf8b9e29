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
from ddtscope_debug import FREED, NOT_COMMITTED, UNKNOWN, Problem  # noqa: E402
from mpitype_gdb_agreement import disagreement_of  # noqa: E402
from mpitype_gdb_call import Call, is_of_plugin  # noqa: E402
from mpitype_gdb_values import (ELEMENT, INTEGERS, NoCalls, address_of_value, array_of_value,  # noqa: E402
                                block_of_function, encodable, evaluated, handle_of_value, is_datatype,
                                is_fortran_spoken, place_of_value, plain)


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
            session = ddtscope_debug.Session(
                lambda at, size: inferior.read_memory(at, size), address if symbol is None else symbol,
                self.ranges if may_search else None, f"process {inferior.pid}", self.target() == "core")
            session.place_of = self.place_of
            return session

        return self.kept.get((inferior.num, inferior.pid), may_search, make)

    @staticmethod
    def symbol(name):
        try:
            with NoCalls():
                return int(gdb.parse_and_eval(f"&{name}"))  # without a cast: languages write them differently
        except gdb.error:
            return None

    @staticmethod
    def place_of(address):
        """"setup (freed.c:4)", as far as gdb knows it."""
        block = block_of_function(gdb.block_for_pc(address))
        symbol = gdb.execute(f"info symbol {address:#x}", to_string=True)
        known = block.function.print_name if block else symbol.split(" ")[0] if " in section " in symbol else f"{address:#x}"
        line = gdb.find_pc_line(address)
        return f"{known} ({os.path.basename(line.symtab.filename)}:{line.line})" if line.symtab and line.line else known

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
    def disagreement(text, entries, address):
        return disagreement_of(text, entries, address)

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
        while at and (ddtscope_calls.mpi_name(at.name()) or ddtscope_calls.is_within_library(at.name())
                      or is_of_plugin(at)):
            outer = at if ddtscope_calls.mpi_name(at.name()) else outer
            at = at.older()
        return Call(self, inner, outer)


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
            raise gdb.GdbError(encodable(str(problem)))
        except gdb.error as error:
            raise gdb.GdbError(encodable(f"gdb could not do that: {error}"))
        except Exception as error:  # a mistake of this script is told in a sentence, too
            raise gdb.GdbError(encodable(f"this could not be answered ({type(error).__name__}: {error})."))

    def complete(self, text, word):
        if text.strip().count(" ") == 0 and not text.endswith(" "):
            return [verb for verb in ddtscope_command.USAGE if verb.startswith(word)]
        return gdb.COMPLETE_EXPRESSION


class Printer:
    """One line; the bare handle where nothing is known."""

    def __init__(self, handle, is_fortran, found):
        self.handle, self.is_fortran, self.found = handle, is_fortran, found

    def to_string(self):
        raw = str(self.handle) if self.is_fortran else f"{self.handle & 0xFFFFFFFFFFFFFFFF:#x}"
        try:
            session = DEBUGGER.session(may_search=False)
            raw = session.handle_text(self.handle, self.is_fortran)
            return raw if self.found.state == UNKNOWN else encodable(f"{raw} {session.line(self.found)}")
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
        raise gdb.GdbError(encodable(str(problem)))


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
    Function("committed", "1 where it is committed, or may be used without a commit that was seen; 0 where not, where it "
             "was freed, and where it is no datatype",
             lambda _, found: int(found.is_committed != NOT_COMMITTED and found.state not in (FREED, UNKNOWN)))
    Function("id", 'its number as text, "T9"; "" where it is no datatype',
             lambda session, found: session.names(found)[0] if found.is_known else "")
    Function("name", 'the name that the program gave it; "" where it gave none',
             lambda session, found: encodable(session.names(found)[1]) if found.is_known else "")
    gdb.pretty_printers.append(printer)


if not hasattr(gdb, "ddtscope_is_loaded"):  # by the plugin's file, or by hand, or both
    gdb.ddtscope_is_loaded = True
    register()
