"""An MPI call that a process is in, and its arguments, as gdb finds them."""
import os
import re
import sys

import gdb

import ddtscope_calls
import ddtscope_source
from ddtscope_debug import Problem
from mpitype_gdb_agreement import disagreement_of
from mpitype_gdb_values import (address_of_value, block_of_function, evaluated, handle_of_value, place_of_value,
                                plain)

ARGUMENT_REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
# By the names of their lower 32, 16 and 8 bits.
WHOLE = {"edi": "rdi", "di": "rdi", "dil": "rdi", "esi": "rsi", "si": "rsi", "sil": "rsi", "edx": "rdx", "dx": "rdx",
         "dl": "rdx", "ecx": "rcx", "cx": "rcx", "cl": "rcx",
         **{f"r{number}{part}": f"r{number}" for number in (8, 9) for part in "dwb"}}
NEWER = ", which is newer than the program"  # a source file
LONGEST_PROLOGUE = 128  # bytes


class Selected:
    """Within it, a frame is the selected one."""

    def __init__(self, frame):
        self.frame = frame

    def __enter__(self):
        self.before = gdb.selected_frame()
        self.frame.select()

    def __exit__(self, *_):
        self.before.select()


def newest_function():
    """The newest frame that is a function of its own: code of others, inlined into it, has frames above it."""
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def is_of_plugin(frame):
    """Whether its function is the plugin's, which calls the library's."""
    return os.path.basename(gdb.solib_name(frame.pc()) or "").startswith("libddtscope-")


def registers_written(frame):
    """Registers that a function of x86-64 has written since it was entered; None where it did more than to save
    registers and to make room on the stack."""
    offset = re.search(r" \+ (\d+) in ", gdb.execute(f"info symbol {frame.pc():#x}", to_string=True))
    start = frame.pc() - (int(offset[1]) if offset else 0)
    if frame.pc() - start > LONGEST_PROLOGUE or not frame.older():
        return None
    written = set()
    for instruction in frame.architecture().disassemble(start, frame.pc() - 1) if start < frame.pc() else []:
        words = re.fullmatch(r"(endbr64|push|mov|add|sub)\s*([^()\[\]]*)", instruction["asm"].strip())
        if not words:
            return None
        operands = words[2].split(",")
        # The destination is the last by AT&T's syntax, the first by Intel's.
        target = operands[-1] if "%" in words[2] else operands[0]
        if words[1] in ("mov", "add", "sub"):  # room on the stack is made by the shorter one
            target = target.strip().lstrip("%")
            written.add(WHOLE.get(target, target))
    return written


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
        # Where the library waits, it may be in a block within the function's.
        arguments = [symbol for symbol in block_of_function(self.inner.block()) if symbol.is_argument]
        if position >= len(arguments):
            return None
        value = plain(arguments[position].value(self.inner))
        return None if value.is_optimized_out else int(value)

    def from_registers(self, position):
        """Where the function has just been entered: at its first instruction, or where gdb breaks, behind instructions
        that save registers."""
        frame = self.inner
        if frame != newest_function() or not self.is_c_within or frame.architecture().name() != "i386:x86-64":
            return None
        written = registers_written(frame)
        if written is None:
            return None
        if position < len(ARGUMENT_REGISTERS):
            register = ARGUMENT_REGISTERS[position]
            return None if register in written else int(frame.read_register(register)) & 0xFFFFFFFFFFFFFFFF
        # The caller's stack, above the return address.
        place = (int(frame.older().read_register("rsp")) & 0xFFFFFFFFFFFFFFFF) + 8 * (position - len(ARGUMENT_REGISTERS))
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

    def disagreement(self, position, entries, address):
        """Where what the source has for a buffer is something else than what the datatype says; None where it is not, and
        where the source's line does not say."""
        source, place = self.source, self.place
        arguments = self.arguments_in_source()
        is_old = NEWER in self.place
        self.source, self.place = source, place  # nothing that is printed besides comes from there
        text = arguments[position] if position < len(arguments) else ""
        if is_old or not text or not ddtscope_source.is_harmless(text, self.is_fortran):
            return None
        with Selected(self.outer.older()):
            return disagreement_of(text, entries, address)

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
                self.place += NEWER
        return arguments or []


def is_newer(source, program):
    try:
        return os.path.getmtime(source) > os.path.getmtime(program)
    except (OSError, TypeError):
        return False
