"""What scripts of all debuggers share: libddtscope-debug through ctypes, the words of the command `mpitype`, and which
MPI calls have which buffers. Nothing here knows a debugger; nothing here knows what a datatype is.

A debugger gives a Process: how to read memory, where the view may be, and how to evaluate an expression."""
import ctypes
import os
import re
import shlex


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
                ("pid", ctypes.c_int64), ("damaged", ctypes.c_uint64)]


class Range(ctypes.Structure):
    _fields_ = [("begin", ctypes.c_uint64), ("end", ctypes.c_uint64)]


UNKNOWN, LIVE, DYING, FREED, CHANGING, NAMED = range(6)
NO_TYPE = 0xFFFFFFFF
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
SYMBOL = "ddtscope_debug_view"

_library = None


def library():
    """Loaded when it is first needed, from beside these scripts: build tree and installation have the same shape."""
    global _library
    if _library:
        return _library
    name = "libddtscope-debug.so.0"
    here = os.path.dirname(os.path.realpath(__file__))
    folders = [os.environ.get("DDTSCOPE_LIBRARY_DIR")]
    while here != os.path.dirname(here):
        folders.append(os.path.join(here, "lib"))
        multiarch = os.path.join(here, "lib", "x86_64-linux-gnu")
        folders.append(multiarch)
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

    def __init__(self, read_memory, address, find_ranges, name, is_core):
        """`address` is the symbol's, or None. find_ranges() tells where to search; None: nothing is searched."""
        self.library = library()
        self.failure = None
        self.is_core = is_core

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
                "ddtscope's plugin is not in this process; run the program under `ddtscope exec`, or `ddtscope gdb`.")
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
            raise Problem(whole(self.library.ddtscope_debug_message(self.session)) or "there is not enough memory.")

    def text(self, function, *arguments):
        text = ctypes.c_char_p()
        self.call(function, *arguments, ctypes.byref(text))
        return whole(text.value)

    def type_of_handle(self, handle):
        found = Type()
        mask = (1 << 8 * self.facts.handle_bytes) - 1
        self.call("find_handle", ctypes.c_uint64(handle & mask), ctypes.byref(found))
        return found

    def is_current(self, handle):
        answer = ctypes.c_int()
        mask = (1 << 8 * self.facts.handle_bytes) - 1
        self.call("is_current", ctypes.c_uint64(handle & mask), ctypes.byref(answer))
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
        return self.text("line", ctypes.byref(found))

    def names(self, found):
        identity, name = ctypes.c_char_p(), ctypes.c_char_p()
        self.call("names", ctypes.c_uint32(found.number), ctypes.byref(identity), ctypes.byref(name))
        return whole(identity.value), whole(name.value)

    def notes(self):
        return self.text("notes")

    def handle_text(self, handle, is_fortran):
        return str(handle) if is_fortran else f"{handle & ((1 << 8 * self.facts.handle_bytes) - 1):#x}"

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


# ---------------------------------------------------------------------------------------------------------------------
# The command

USAGE = {
    "list": ("mpitype list [--live|--freed] [--name RE] [--site RE] [--limit N]",
             "All derived datatypes of the process, a line each: how many are live now, size and extent, a handle, the\n"
             "constructor call, the name that the program gave, and where it was made. --name and --site take regular\n"
             "expressions."),
    "show": ("mpitype show TYPE [--view rows|grid|runs|tree] [--limit N] [--fortran]",
             "One datatype in full, with a picture: what `ddtscope show` prints. --limit adds the first N entries of the\n"
             "typemap."),
    "values": ("mpitype values TYPE BUF [COUNT] [--limit N] [--holes] [--fortran]",
               "Each entry of a buffer: offset, address, basic type, and the value that stands there now. BUF is an address,\n"
               "COUNT copies follow each other (1). 0 is MPI_BOTTOM. --holes shows what lies between the entries."),
    "where": ("mpitype where ADDR BUF TYPE [COUNT] [--fortran]",
              "Which entry of the buffer covers the byte at ADDR, and by which constructors, or which gap it lies in."),
    "frame": ("mpitype frame",
              "The nearest MPI call on the stack: its buffers, counts and datatypes, and which memory they touch."),
    "code": ("mpitype code TYPE [--fortran]", "The constructor calls that make the datatype, as C."),
    "check": ("mpitype check", "What is wrong with the process's datatypes: what `ddtscope check` prints."),
    "save": ("mpitype save FILE", "Writes a trace that `ddtscope` reads."),
}

HELP = """What the MPI datatypes of a program are that runs under ddtscope, in a process or a core. No function of the
program is called.

""" + "\n\n".join(usage + "\n" + text for usage, text in USAGE.values()) + """

A TYPE is an expression whose value is an MPI_Datatype (a Fortran type(MPI_Datatype), too); with --fortran, an INTEGER
handle; or an id (T9), a key, a predefined type's name, or the name that the program gave, in quotes where it has blanks.
Expressions with blanks stand in quotes or parentheses.

Examples:
  mpitype list --live
  mpitype show column
  mpitype show "upper triangle" --view grid
  mpitype values column &tile[0][1] 2
  mpitype where &tile[3][4] tile column
"""


def words_of(text):
    """Words as a shell has them, but that what stands in brackets stays together: &tile[0, 1], f(a, b)."""
    words, word, depth, quote = [], "", 0, None
    for c in text:
        if quote:
            quote = None if c == quote else quote
            word += c
        elif c in "\"'":
            quote = c
            word += c
        elif c.isspace() and depth <= 0:
            if word:
                words.append(word)
            word = ""
        else:
            depth += (c in "([{") - (c in ")]}")
            word += c
    if quote:
        raise Problem(f"a quotation mark ({quote}) is not closed.")
    return words + [word] if word else words


def unquoted(word):
    """A word in double quotes that holds more than a C string could mean here: the name of a type."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


class Arguments:
    """Options and positions of one subcommand."""

    def __init__(self, verb, text, positions, flags=(), values=()):
        self.verb, self.positions, self.flags, self.values = verb, [], set(), {}
        words = words_of(text)
        while words:
            word = words.pop(0)
            if word in flags:
                self.flags.add(word)
            elif word in values:
                if not words:
                    self.refuse(f"{word} needs a value")
                self.values[word] = unquoted(words.pop(0))
            elif word.startswith("--") and re.fullmatch(r"--[a-z][a-z-]*", word):
                self.refuse(f"there is no option {word}")
            else:
                self.positions.append(word)
        if not positions[0] <= len(self.positions) <= positions[1]:
            self.refuse("it is given otherwise")

    def refuse(self, why):
        raise Problem(f"{why}: {USAGE[self.verb][0]}")

    def number(self, option, default):
        if option not in self.values:
            return default
        try:
            value = int(self.values[option], 0)
        except ValueError:
            value = -1
        if value < 0 or value >= 1 << 62:
            self.refuse(f"{option} takes a number")
        return value


class Command:
    """`mpitype`, over a debugger, which has session(), address_of(text) and integer_of(text) -> integer, handle_of(text) ->
    (integer, whether it is Fortran's), mpi_call() -> (name, call with argument(position) and place), and print(text)."""

    def __init__(self, debugger):
        self.debugger = debugger
        self.noted = None

    def run(self, text):
        verb, _, rest = text.strip().partition(" ")
        if not verb:
            self.debugger.print(HELP)
            return
        if verb not in USAGE:
            raise Problem(f"there is no `mpitype {verb}`; there are {', '.join(USAGE)}.")
        self.note_oddities()
        getattr(self, verb)(rest)

    def note_oddities(self):
        session = self.debugger.session()
        notes = session.notes()
        if notes and self.noted != notes:
            self.noted = notes
            head = "parts of what ddtscope kept are damaged and left out.\n" if session.facts.damaged else ""
            self.debugger.print("Note: " + head + notes)

    def found_type(self, arguments, word):
        """The type that a word of the command names; never one of which nothing is known."""
        session = self.debugger.session()
        name = unquoted(word)
        if name != word or re.fullmatch(r"T[0-9]+|[0-9a-f]{16}|MPI_[A-Z0-9_]+", word):
            try:
                return session.type_of_text(name)
            except Problem:
                if name != word or not word.startswith("MPI_"):
                    raise
        try:
            value, is_fortran = self.debugger.handle_of(word)
        except Problem as why:
            try:  # the name that the program gave needs no quotation marks
                return session.type_of_text(name)
            except Problem:
                raise why
        is_fortran = is_fortran or "--fortran" in arguments.flags
        found = session.type_of_fortran(value) if is_fortran else session.type_of_handle(value)
        if found.is_known:
            if found.state == FREED:
                self.debugger.print(f"Note: this handle was freed; what follows is what it stood for last.\n")
            return found
        if found.state == UNKNOWN:
            raise Problem(f"{word} ({session.handle_text(value, is_fortran)}) is no datatype that ddtscope knows: uninitialised, MPI_DATATYPE_NULL, or "
                          "never seen.")
        raise Problem(f"{word}: {session.line(found)}.")

    def address(self, word):
        return self.debugger.address_of(word) & 0xFFFFFFFFFFFFFFFF

    def count(self, words):
        return ctypes.c_int64(self.debugger.integer_of(words[0]) if words else 1)

    def list(self, rest):
        arguments = Arguments("list", rest, (0, 0), ("--live", "--freed"), ("--name", "--site", "--limit"))
        which = 1 if "--live" in arguments.flags else 2 if "--freed" in arguments.flags else 0
        name, site = (arguments.values[key].encode() if key in arguments.values else None for key in ("--name", "--site"))
        self.debugger.print(self.debugger.session().text(
            "list", which, name, site, ctypes.c_size_t(arguments.number("--limit", 1000))))

    def show(self, rest):
        arguments = Arguments("show", rest, (1, 1), ("--fortran",), ("--view", "--limit"))
        found = self.found_type(arguments, arguments.positions[0])
        view = arguments.values.get("--view")
        self.debugger.print(self.debugger.session().text(
            "show", ctypes.c_uint32(found.number), view.encode() if view else None,
            ctypes.c_size_t(arguments.number("--limit", 0))))

    def values(self, rest):
        arguments = Arguments("values", rest, (2, 3), ("--fortran", "--holes"), ("--limit",))
        found = self.found_type(arguments, arguments.positions[0])
        self.debugger.print(self.debugger.session().text(
            "values", ctypes.c_uint32(found.number), ctypes.c_uint64(self.address(arguments.positions[1])),
            self.count(arguments.positions[2:]), ctypes.c_size_t(arguments.number("--limit", 100)),
            int("--holes" in arguments.flags)))

    def where(self, rest):
        arguments = Arguments("where", rest, (3, 4), ("--fortran",))
        place, buffer, word = arguments.positions[:3]
        found = self.found_type(arguments, word)
        self.debugger.print(self.debugger.session().text(
            "where", ctypes.c_uint32(found.number), ctypes.c_uint64(self.address(buffer)),
            self.count(arguments.positions[3:]), ctypes.c_uint64(self.address(place))))

    def code(self, rest):
        arguments = Arguments("code", rest, (1, 1), ("--fortran",))
        found = self.found_type(arguments, arguments.positions[0])
        self.debugger.print(self.debugger.session().text("code", ctypes.c_uint32(found.number)))

    def check(self, rest):
        Arguments("check", rest, (0, 0))
        self.debugger.print(self.debugger.session().text("check"))

    def save(self, rest):
        arguments = Arguments("save", rest, (1, 1))
        file = os.path.expanduser(unquoted(arguments.positions[0]))
        self.debugger.session().call("save", file.encode())
        self.debugger.print(f"Written to {file}.\n")

    def frame(self, rest):
        Arguments("frame", rest, (0, 0))
        call = self.debugger.mpi_call()
        if call is None:
            raise Problem("no MPI call with buffers is on the stack of this thread.")
        name, arguments = call
        lines = []
        for what, *positions in BUFFERS[name]:
            try:
                lines += self.buffer_lines(name, what, [arguments.argument(position) for position in positions])
            except Problem as why:
                lines.append(f"  {what}: {why}")
        place = [f"  by the source, {arguments.place}:"] if arguments.place else []
        self.debugger.print("\n".join([name, *place, *lines]) + "\n")

    def buffer_lines(self, name, what, values):
        session = self.debugger.session()
        address, number, handle = values
        if isinstance(address, int) and address & 0xFFFFFFFFFFFFFFFF == session.in_place:
            return [f"  {what}: MPI_IN_PLACE"]
        unknown = next((value for value in values if isinstance(value, str)), None)
        if unknown is not None:
            return [f"  {what}: {unknown}"]
        found = handle if isinstance(handle, Type) else session.type_of_handle(handle)
        lines = [f"  {what}: {session.line(found)}"]
        if found.is_known:
            signed = ctypes.c_int32(number & 0xFFFFFFFF).value if not name.endswith("_c") else number
            try:
                lines.append("    " + session.text("touched", ctypes.c_uint32(found.number), ctypes.c_uint64(address),
                                                   ctypes.c_int64(signed)))
            except Interrupted:
                raise
            except Problem as why:
                lines.append(f"    {why}")
        return lines


# Where a call's buffers stand among its arguments: buffer, count, datatype. Counts per rank are not listed.
_ONE = [("buffer", 0, 1, 2)]
_TWO = [("send buffer", 0, 1, 2), ("receive buffer", 3, 4, 5)]
_REDUCE = [("send buffer", 0, 2, 3), ("receive buffer", 1, 2, 3)]
_FILE = [("buffer", 1, 2, 3)]
_FILE_AT = [("buffer", 2, 3, 4)]
_ROWS = [
    (_ONE, "Send Recv Bsend Ssend Rsend Isend Irecv Ibsend Issend Irsend Send_init Recv_init Bsend_init Ssend_init "
           "Rsend_init Bcast Ibcast Mrecv Imrecv Sendrecv_replace Put Get Accumulate Rput Rget Raccumulate"),
    ([("send buffer", 0, 1, 2), ("receive buffer", 5, 6, 7)], "Sendrecv Isendrecv"),
    (_TWO, "Gather Allgather Scatter Alltoall Igather Iallgather Iscatter Ialltoall Neighbor_allgather "
           "Neighbor_alltoall Ineighbor_allgather Ineighbor_alltoall"),
    (_REDUCE, "Reduce Allreduce Scan Exscan Ireduce Iallreduce Iscan Iexscan Reduce_scatter_block "
              "Ireduce_scatter_block"),
    ([("send buffer", 0, 1, 2)], "Gatherv Allgatherv Igatherv Iallgatherv Pack"),
    ([("receive buffer", 4, 5, 6)], "Scatterv Iscatterv"),
    ([("receive buffer", 3, 4, 5)], "Unpack"),
    (_FILE, "File_read File_write File_read_all File_write_all File_iread File_iwrite File_read_shared "
            "File_write_shared File_read_ordered File_write_ordered"),
    (_FILE_AT, "File_read_at File_write_at File_read_at_all File_write_at_all File_iread_at File_iwrite_at"),
]
BUFFERS = {"MPI_" + name: row for row, names in _ROWS for name in names.split()}
BUFFERS.update({name + "_c": row for name, row in list(BUFFERS.items())})


_BY_LOWER_NAME = {name.lower(): name for name in BUFFERS}


def mpi_name(function):
    """The MPI function with buffers that a function is, and whether it is a Fortran procedure; None for others."""
    name = (function or "").split("@")[0]
    is_fortran = re.fullmatch(r"p?mpi_[a-z0-9_]*_|P?MPI_[A-Z0-9_]*[A-Z0-9]_?", name) is not None
    if is_fortran:
        name = re.sub(r"_(f08_?|f08ts_?)?$", "", name.rstrip("_") + "_").lower()
        name = _BY_LOWER_NAME.get(name[1:] if name.startswith("pmpi_") else name)
    elif name.startswith("PMPI_"):
        name = name[1:]
    return (name, is_fortran) if name in BUFFERS else None


def without_remarks(text, is_fortran, is_fixed):
    """Source of the same length twice: blank where comments and directives are, and without what literals say."""
    if is_fortran:
        tokens = (r"(^[Cc*][^\n]*|" if is_fixed else "(") + r"![^\n]*)|('[^'\n]*'|\"[^\"\n]*\")"
    else:
        tokens = (r"(//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*#(?:[^\\\n]|\\.)*)|"
                  r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')")

    def blank(found):
        return re.sub(r"[^\n]", " ", found)

    code = re.sub(tokens, lambda m: blank(m[0]) if m[1] else m[0], text, flags=re.DOTALL | re.MULTILINE)
    bare = re.sub(tokens, lambda m: blank(m[0]) if m[1] else re.sub(r"[^\n]", "'", m[0]), text, flags=re.DOTALL | re.MULTILINE)
    return code, bare


def fortran_statement(lines, at, is_fixed):
    """The statement around a line, its continuation lines joined."""
    def goes_on(upper):
        if is_fixed:
            return re.match(r" {5}[^ 0]", lines[upper + 1]) is not None
        return lines[upper].rstrip().endswith("&")

    # Between its lines, comments may stand.
    at = sum(1 for line in lines[:at] if line.strip())
    lines = [line for line in lines if line.strip()]
    first = last = min(at, len(lines) - 1)
    while first > 0 and goes_on(first - 1):
        first -= 1
    while last + 1 < len(lines) and goes_on(last):
        last += 1
    if is_fixed:
        return lines[first] + "".join(line[6:] for line in lines[first + 1:last + 1])
    return " ".join(re.sub(r"^\s*&", "", line).rstrip().removesuffix("&") for line in lines[first:last + 1])


def call_in_source(text, line, name, file=""):
    """The arguments of a call as the source has them: the only call of that name on a line (from 1), and in the rest of
    the statements that stand on it. None where that is not one, such as where a macro makes it."""
    is_fortran = re.search(r"\.(f|for|ftn|f77|f9\d|f[01]\d)$", file, re.IGNORECASE) is not None
    if not 1 <= line <= text.count("\n") + 1:
        return None
    is_fixed = re.search(r"\.(f|for|ftn|f77)$", file, re.IGNORECASE) is not None
    code, bare = without_remarks(text, is_fortran, is_fixed)
    if is_fortran:
        if not code.split("\n")[line - 1].strip():
            return None
        code, bare = (fortran_statement(each.split("\n"), line - 1, is_fixed) for each in (code, bare))
    else:
        start = sum(len(each) + 1 for each in bare.split("\n")[:line - 1])
        end = start + len(bare.split("\n")[line - 1])
        # Where the line itself begins, and where it ends, a statement may be open.
        begin = max(bare.rfind(mark, 0, start) for mark in ";{}") + 1
        if not bare[start:end].rstrip().endswith((";", "{", "}")):
            ends = [at for at in (bare.find(mark, end) for mark in ";{}") if at >= 0]
            end = min(ends, default=len(bare))
        code, bare = code[begin:end], bare[begin:end]
    found = list(re.finditer(r"\bP?" + re.escape(name) + r"\s*\(", bare, re.IGNORECASE if is_fortran else 0))
    if len(found) != 1:
        return None
    arguments, begin, depth = [], found[0].end(), 0
    for at in range(begin, len(bare)):
        c = bare[at]
        if depth == 0 and c in ",)":
            arguments.append(code[begin:at].strip())
            begin = at + 1
            if c == ")":
                return arguments
        depth += (c in "([{") - (c in ")]}")
    return None


def is_harmless(expression):
    """Whether evaluating it changes nothing and calls nothing."""
    return not re.search(r"\+\+|--|<<=|>>=|(?<![=!<>])=(?!=)|[A-Za-z_0-9\]\)]\s*\(", re.sub(r"\bsizeof\s*\(", "(", expression))
