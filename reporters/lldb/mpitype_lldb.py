"""ddtscope in lldb: the command `mpitype` and summaries for MPI_Datatype. What datatypes mean is told by
libddtscope-debug (ddtscope_debug.py beside this file); here bytes are fetched, expressions looked up and text is
printed. No function of the program is ever called."""
import os
import re
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import ddtscope_command  # noqa: E402
import ddtscope_debug  # noqa: E402
from ddtscope_debug import UNKNOWN, Problem  # noqa: E402

def plain(value):
    """Without references."""
    kind = value.GetType().GetCanonicalType()
    return value.Dereference() if kind.IsReferenceType() else value


def fortran_member(value):
    """The INTEGER in a type(MPI_Datatype); None for all else."""
    kind = value.GetType().GetCanonicalType()
    if (kind.GetUnqualifiedType().GetName() or "").lower() not in ("mpi_datatype", "type(mpi_datatype)"):
        return None
    for name in ("mpi_val", "MPI_VAL"):
        member = value.GetChildMemberWithName(name)
        if member.IsValid():
            return member.GetValueAsSigned()
    return None


def handle_of_value(value):
    value = plain(value)
    integer = fortran_member(value)
    if integer is not None:
        return integer, True
    if value.GetValue() is None:
        raise Problem(f"a value of type {value.GetType().GetName()} is no MPI_Datatype.")
    return value.GetValueAsUnsigned(), False


def address_of_value(value):
    """What stands for an address: pointers and integers do by their value, all else by its place."""
    value = plain(value)
    kind = value.GetType().GetCanonicalType()
    basic = kind.GetBasicType()
    is_real = basic in (lldb.eBasicTypeFloat, lldb.eBasicTypeDouble, lldb.eBasicTypeLongDouble)
    if value.GetValue() is not None and not is_real and not kind.IsArrayType():
        return value.GetValueAsSigned() if not kind.IsPointerType() else value.GetValueAsUnsigned()
    address = value.GetLoadAddress()
    if address == lldb.LLDB_INVALID_ADDRESS:
        raise Problem(f"a value of type {kind.GetName()} has no address.")
    return address


class Debugger:
    """lldb as ddtscope_debug.Command wants it."""

    def __init__(self):
        self.kept = ddtscope_debug.Kept()
        self.result, self.debugger = None, None

    @property
    def target(self):
        return (self.debugger or lldb.debugger).GetSelectedTarget()

    def session(self, may_search=True):
        """What is printed by the way may not search: it would at each stop of a program without the plugin."""
        process = self.target.GetProcess()
        if not process.IsValid() or process.GetState() not in (lldb.eStateStopped, lldb.eStateCrashed,
                                                               lldb.eStateSuspended):
            raise Problem("no process that stands still, and no core, is being debugged.")
        def read(address, size):
            error = lldb.SBError()
            data = process.ReadMemory(address, size, error)
            return data if error.Success() else None

        def make(address):
            symbol = self.symbol(ddtscope_debug.SYMBOL)
            session = ddtscope_debug.Session(read, address if symbol is None else symbol,
                                             self.ranges if may_search else None, f"process {process.GetProcessID()}",
                                             process.GetPluginName() == "elf-core")
            session.place_of = self.place_of
            return session

        return self.kept.get((process.GetUniqueID(), process.GetStopID(True)), may_search, make)

    def place_of(self, address):
        """"setup (freed.c:4)", as far as lldb knows it."""
        place = self.target.ResolveLoadAddress(address)
        context = self.target.ResolveSymbolContextForAddress(place, lldb.eSymbolContextEverything)
        known = context.GetBlock().GetInlinedName() or context.GetFunction().GetName() or context.GetSymbol().GetName()
        line = context.GetLineEntry()
        known = known or f"{address:#x}"
        return f"{known} ({line.GetFileSpec().GetFilename()}:{line.GetLine()})" if line.IsValid() else known

    def symbol(self, name):
        for context in self.target.FindSymbols(name):
            address = context.GetSymbol().GetStartAddress().GetLoadAddress(self.target)
            if address != lldb.LLDB_INVALID_ADDRESS:
                return address
        return None

    def ranges(self):
        """What the process may write, small ones first."""
        regions = self.target.GetProcess().GetMemoryRegions()
        found = []
        for i in range(regions.GetSize()):
            region = lldb.SBMemoryRegionInfo()
            regions.GetMemoryRegionAtIndex(i, region)
            if region.IsReadable() and region.IsWritable():
                found.append((region.GetRegionBase(), region.GetRegionEnd()))
        return sorted((b for b in found if b[1] - b[0] <= 1 << 32), key=lambda b: b[1] - b[0])

    def evaluated(self, text):
        frame = self.target.GetProcess().GetSelectedThread().GetSelectedFrame()
        if re.fullmatch(r"[+-]?(0x[0-9a-fA-F]+|0|[1-9][0-9]*)", text):
            return int(text, 0)
        options = lldb.SBExpressionOptions()
        options.SetAllowJIT(False)  # nothing of the program runs
        options.SetIgnoreBreakpoints(True)
        options.SetSuppressPersistentResult(True)
        value = frame.GetValueForVariablePath(text)
        if not value.IsValid() or value.GetError().Fail():
            value = frame.EvaluateExpression(text, options) if frame.IsValid() else self.target.EvaluateExpression(
                text, options)
        if value.GetError().Fail():
            lines = (value.GetError().GetCString() or "").strip().split("\n")
            why = re.sub(r"^.*error: ", "", next((line for line in lines[1:] if "error:" in line), lines[0]))
            raise Problem(f"{text} cannot be evaluated: {why.rstrip('.')}.")
        return value

    def address_of(self, text):
        value = self.evaluated(text)
        return value if isinstance(value, int) else address_of_value(value)

    def integer_of(self, text):
        value = self.evaluated(text)
        if isinstance(value, int):
            return value
        value = plain(value)
        if not value.GetType().GetCanonicalType().GetTypeFlags() & lldb.eTypeIsInteger:
            raise Problem(f"{text}, of type {value.GetType().GetName()}, is no integer.")
        return value.GetValueAsSigned()

    def handle_of(self, text):
        value = self.evaluated(text)
        return (value, False) if isinstance(value, int) else handle_of_value(value)

    def print(self, text):
        self.result.AppendMessage(text.rstrip("\n"))

    def mpi_call(self):
        raise Problem("`mpitype frame` is there in gdb alone; in lldb, give values and where the buffer and the type.")


DEBUGGER = Debugger()
COMMAND = ddtscope_command.Command(DEBUGGER)


def mpitype(debugger, text, result, _):
    DEBUGGER.debugger, DEBUGGER.result = debugger, result
    try:
        COMMAND.run(text)
    except Problem as problem:
        result.SetError(str(problem))
    except Exception as error:  # a mistake of this script is told in a sentence, too
        result.SetError(f"this could not be answered ({type(error).__name__}: {error}).")


mpitype.__doc__ = ddtscope_command.HELP


def summary(value, _):
    """One line; the bare handle where nothing is known."""
    raw = value.GetValue()
    try:
        DEBUGGER.debugger = value.GetTarget().GetDebugger()
        handle, is_fortran = handle_of_value(value.GetNonSyntheticValue())
        session = DEBUGGER.session(may_search=False)
        found = session.type_of_fortran(handle) if is_fortran else session.type_of_handle(handle)
        return "" if found.state == UNKNOWN else session.line(found)
    except Exception:  # whatever the value is, lldb prints it as it would have
        return "" if raw is not None else None


def __lldb_init_module(debugger, _):
    debugger.HandleCommand("command script add -f mpitype_lldb.mpitype mpitype")
    # -C: a user's own typedefs, too.
    for name in ("MPI_Datatype", "ompi_datatype_t *", "mpi_datatype"):
        debugger.HandleCommand(f'type summary add -C true -F mpitype_lldb.summary "{name}"')
