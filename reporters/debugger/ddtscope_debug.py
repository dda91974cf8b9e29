"""What scripts of all debuggers share of a process: libddtscope-debug through ctypes, and the one reading of its memory
that holds for a stop. Nothing here knows a debugger; nothing here knows what a datatype is."""
import ctypes
import os
import sys
import sysconfig


class Problem(Exception):
    """What the user is told: one sentence."""


class Interrupted(Problem):
    """The user had enough of it: nothing is known by that."""

    def __init__(self):
        super().__init__("interrupted.")


class Type(ctypes.Structure):
    _fields_ = [("state", ctypes.c_int), ("is_committed", ctypes.c_int), ("is_predefined", ctypes.c_int),
                ("number", ctypes.c_uint32), ("undefined", ctypes.c_uint32), ("size", ctypes.c_int64),
                ("lb", ctypes.c_int64), ("extent", ctypes.c_int64), ("true_lb", ctypes.c_int64),
                ("true_extent", ctypes.c_int64), ("handle", ctypes.c_uint64)]

    @property
    def is_known(self):
        return self.number != NO_TYPE


class Facts(ctypes.Structure):
    _fields_ = [("handle_bytes", ctypes.c_int), ("is_ended", ctypes.c_int), ("rank", ctypes.c_int64),
                ("pid", ctypes.c_int64), ("damaged", ctypes.c_uint64), ("size", ctypes.c_int64)]


class Range(ctypes.Structure):
    _fields_ = [("begin", ctypes.c_uint64), ("end", ctypes.c_uint64)]


# Handles that mpi.h has numbers for, by their bytes: MPICH's, and those of the standard ABI (MPI-5.0 A.1), which are no
# addresses. Open MPI's are addresses of objects.
COMMUNICATORS = {4: {0x44000000: "world", 0x44000001: "self"}, 8: {0x101: "world", 0x102: "self"}}
NULL_DATATYPES = {4: 0x0C000000, 8: 0x200}

UNKNOWN, LIVE, DYING, FREED, CHANGING, NAMED, DROPPED = range(7)
NOT_COMMITTED, COMMITTED, NEEDS_NO_COMMIT = range(3)
NO_TYPE = 0xFFFFFFFF
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
SYMBOL = "ddtscope_debug_view"
most_integers = 1 << 20

_library = None


class Entry(ctypes.Structure):
    """ddtscope_debug_entry"""
    _fields_ = [("offset", ctypes.c_int64), ("size", ctypes.c_int64), ("basic_type", ctypes.c_char_p)]


class Array(ctypes.Structure):
    """ddtscope_debug_array"""
    _fields_ = [("name", ctypes.c_char_p), ("address", ctypes.c_uint64), ("element_bytes", ctypes.c_int64),
                ("dimensions", ctypes.c_size_t), ("sizes", ctypes.POINTER(ctypes.c_int64))]


def library():
    """Loaded when it is first needed, from beside these scripts: build tree and installation have the same shape."""
    global _library
    if _library:
        return _library
    name = "libddtscope-debug.so.0"
    here = os.path.dirname(os.path.realpath(__file__))
    folders = [os.environ.get("DDTSCOPE_LIBRARY_DIR")]
    while here != os.path.dirname(here):
        # Distributions have lib/x86_64-linux-gnu and the like, or lib64.
        for folder in ("lib", os.path.join("lib", sysconfig.get_config_var("MULTIARCH") or ""), "lib64"):
            folders.append(os.path.join(here, folder))
        here = os.path.dirname(here)
    paths = [os.path.join(folder, name) for folder in folders if folder]
    for path in [path for path in paths if os.path.exists(path)] + [name]:
        try:
            _library = ctypes.CDLL(path)
            break
        except OSError as error:
            why = error
    else:
        raise Problem(f"{name} cannot be loaded into the debugger's Python ({why}); install ddtscope, or set "
                      "DDTSCOPE_LIBRARY_DIR to the folder that has it.")
    _library.ddtscope_debug_message.restype = ctypes.c_char_p
    return _library


def whole(text):
    return text.decode("utf-8", "replace") if text else ""


class Session:
    """One reading of a process's memory, valid until it runs."""

    place_of = None  # what the debugger calls the place of an instruction's address

    def __init__(self, read_memory, address, find_ranges, name, is_core):
        """`address` is the symbol's, or None. find_ranges() tells where to search; None: nothing is searched."""
        self.library = library()
        self.failure = None
        self.is_core = is_core
        self.read_memory = read_memory

        def read(_, address, to, size):
            if self.failure:
                return 1
            try:
                data = read_memory(address, size)
                if data is None or len(data) != size:
                    return 1
                ctypes.memmove(to, bytes(data), size)
                return 0
            except Exception:  # nothing may leave through the library
                return 1
            except BaseException as failure:  # the user's interrupt
                self.failure = failure
                return 1

        self.read = READ(read)
        self.session = ctypes.c_void_p()
        self.address = address
        # Where the symbol leads nowhere, its file may be another one than that of the process.
        if address is None or self.open(address, name):
            why = whole(self.library.ddtscope_debug_message(None)) if address is not None else (
                "ddtscope's plugin is not in this process; run the program under `ddtscope exec`, or by `ddtscope gdb -- PROGRAM`.")
            is_early = "MPI had not started" in why and not is_core
            if find_ranges is None or is_early:
                raise Problem(why)
            ranges = find_ranges()
            array = (Range * max(len(ranges), 1))(*[Range(*bounds) for bounds in ranges])
            found = ctypes.c_uint64()
            status = self.library.ddtscope_debug_find(self.read, None, array, ctypes.c_size_t(len(ranges)),
                                                      ctypes.byref(found))
            self.raise_interrupt()
            if status:
                raise Problem(why)
            self.address = found.value
            if self.open(found.value, name):
                raise Problem(whole(self.library.ddtscope_debug_message(None)))
        self.facts = Facts()
        self.call("get_facts", ctypes.byref(self.facts))

    def open(self, address, name):
        function = self.library.ddtscope_debug_open_core if self.is_core else self.library.ddtscope_debug_open
        status = function(self.read, None, ctypes.c_uint64(address), name.encode(), ctypes.byref(self.session))
        if self.failure and not status:
            self.close()  # what was not read any more is not damaged
        self.raise_interrupt()
        return status

    def raise_interrupt(self):
        if self.failure:
            self.failure = None
            raise Interrupted()

    def close(self):
        self.library.ddtscope_debug_close(ctypes.byref(self.session))

    def call(self, function, *arguments):
        status = getattr(self.library, "ddtscope_debug_" + function)(self.session, *arguments)
        self.raise_interrupt()
        if status:
            raise Problem(whole(self.library.ddtscope_debug_message(self.session)))

    def text(self, function, *arguments):
        text = ctypes.c_char_p()
        self.call(function, *arguments, ctypes.byref(text))
        return whole(text.value)

    def set_array(self, array):
        """The array that the next buffers lie in: name, address, bytes of an element, sizes; None for none."""
        if array is None:
            return self.call("set_array", None)
        name, address, element_bytes, sizes = array
        in_c = Array(name.encode(), address, element_bytes, len(sizes), (ctypes.c_int64 * len(sizes))(*sizes))
        return self.call("set_array", ctypes.byref(in_c))

    def entries(self, found, count, most):
        """The first ones of so many copies: offset from the buffer's address, bytes, basic type."""
        entries, number = (Entry * most)(), ctypes.c_size_t()
        self.call("entries", ctypes.c_uint32(found.number), ctypes.c_int64(count), ctypes.c_int64(0), ctypes.c_size_t(most),
                  entries, ctypes.byref(number))
        return entries[:number.value]

    def type_of_handle(self, handle):
        found = Type()
        self.call("find_handle", ctypes.c_uint64(self.bits_of(handle)), ctypes.byref(found))
        return found

    def is_current(self, handle):
        answer = ctypes.c_int()
        self.call("is_current", ctypes.c_uint64(self.bits_of(handle)), ctypes.byref(answer))
        return bool(answer.value)

    def type_of_fortran(self, integer):
        found = Type()
        self.call("find_fortran", ctypes.c_int64(integer), ctypes.byref(found))
        return found

    def type_of_text(self, text):
        found = Type()
        self.call("find_text", text.encode(), ctypes.byref(found))
        return found

    def line(self, found):
        line = self.text("line", ctypes.byref(found))
        place = self.freed_in(found)
        return f"freed in {place}{line.removeprefix('freed')}" if place else line

    def freed_in(self, found):
        """Where the handle's last type was freed, as the debugger says it: "setup (freed.c:4)"; None where that is not known."""
        if found.state != FREED or self.place_of is None:
            return None
        address = ctypes.c_uint64()
        self.call("freed_at", ctypes.c_uint64(found.handle), ctypes.byref(address))
        return self.place_of(address.value - 1) if address.value else None  # the call itself, not what follows

    def names(self, found):
        identity, name = ctypes.c_char_p(), ctypes.c_char_p()
        self.call("names", ctypes.c_uint32(found.number), ctypes.byref(identity), ctypes.byref(name))
        return whole(identity.value), whole(name.value)

    def notes(self):
        return self.text("notes")

    def handle_text(self, handle, is_fortran):
        return str(handle) if is_fortran else f"{self.bits_of(handle):#x}"

    def bits_of(self, handle):
        """A handle is as wide as the library's MPI_Datatype."""
        return handle & (1 << 8 * self.facts.handle_bytes) - 1

    def integers(self, address, number, width):
        """An array of the process's: signed integers of so many bytes."""
        address &= (1 << 64) - 1
        if number > most_integers:
            raise Problem(f"an array of {number:,} integers is too long to be looked at.")
        try:
            data = bytes(self.read_memory(address, number * width) or b"") if number else b""
        except Exception:  # each debugger has its own
            data = b""
        if len(data) != number * width:
            raise Problem(f"an array of {number:,} integers at {address:#x} stands in memory that cannot be read.")
        return [int.from_bytes(data[at:at + width], sys.byteorder, signed=True) for at in range(0, len(data), width)]

    @property
    def in_place(self):
        """MPI_IN_PLACE: Open MPI's handles are pointers, MPICH's are integers."""
        return 1 if self.facts.handle_bytes == 8 else (1 << 64) - 1


class Kept:
    """The session of a stop, or why there is none: both are found once, until forget()."""

    def __init__(self):
        self.key = self.session = self.problem = self.address = None
        self.was_searched = False

    def forget(self):
        if self.session:
            self.session.close()
        self.session = self.problem = None

    def get(self, key, may_search, make):
        """make(address) takes where the view was found in this process before, or None."""
        if self.key != key:
            self.forget()
            self.key, self.address = key, None
        if self.session:
            return self.session
        if self.problem and (self.was_searched or not may_search):
            raise Problem(self.problem)
        try:
            self.session = make(self.address)
        except Interrupted:
            raise
        except Problem as problem:
            self.problem, self.was_searched = str(problem), may_search
            raise
        self.problem, self.address = None, self.session.address
        return self.session
