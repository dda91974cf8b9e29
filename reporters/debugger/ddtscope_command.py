"""The command `mpitype`: its words, and what it asks of a process. Nothing here knows a debugger."""
import ctypes
import os
import re

import ddtscope_calls
from ddtscope_debug import FREED, UNKNOWN, Problem


USAGE = {
    "list": ("mpitype list [--live|--freed] [--name RE] [--site RE] [--limit N]",
             "All derived datatypes of the process, a line each: how many are live now, size and extent, a handle,\n"
             "the constructor call, the name that the program gave, and where it was made. --name and --site take\n"
             "POSIX extended regular expressions."),
    "show": ("mpitype show TYPE [--view rows|grid|runs|tree] [--limit N] [--fortran]",
             "One datatype in full, with a picture: what `ddtscope show` prints. --limit adds the first N entries of\n"
             "the typemap."),
    "values": ("mpitype values TYPE BUF [COUNT] [--limit N] [--holes] [--fortran]",
               "Each entry of a buffer: offset, address, basic type, and the value that stands there now. BUF is an\n"
               "address, COUNT copies follow each other (1). 0 is MPI_BOTTOM. --holes shows what lies between the\n"
               "entries. gdb adds a note where BUF is a variable of which the datatype says something else."),
    "where": ("mpitype where ADDR BUF TYPE [COUNT] [--fortran]",
              "Which entry of the buffer covers the byte at ADDR, and by which constructors, or which gap it lies in."),
    "frame": ("mpitype frame [--ranks N] [--limit N]",
              "The nearest MPI call on the stack: its buffers, counts and datatypes, and which memory they touch.\n"
              "Where a call has a part for each rank, a line for each that is not empty, at most 20. How many ranks\n"
              "there are is known of MPI_COMM_WORLD; --ranks says it of other communicators, and how many neighbours\n"
              "one has."),
    "code": ("mpitype code TYPE [--fortran]", "The constructor calls that make the datatype, as C."),
    "check": ("mpitype check", "What is wrong with the process's datatypes: what `ddtscope check` prints of the types themselves. What is\n"
              "wrong with calls, buffers and messages is in the trace."),
    "messages": ("mpitype messages",
                 "What the process is in the middle of: the call that each thread is in, operations that are started\n"
                 "and not complete, with type, count, peer, tag and place, and how many each channel has had."),
    "windows": ("mpitype windows",
                "The windows that are alive: name, memory, displacement unit and communicator of each, which epochs are\n"
                "open and since which call, and which one-sided calls are not known to be complete."),
    "save": ("mpitype save FILE", "Writes a trace that `ddtscope` reads."),
}

HELP = """What the MPI datatypes of a program are that runs under ddtscope, in a process or a core. No function of the
program is called.

""" + "\n\n".join(usage + "\n" + text for usage, text in USAGE.values()) + """

A TYPE is an expression whose value is an MPI_Datatype (a Fortran type(MPI_Datatype), too); with --fortran, an INTEGER
handle; or an id (T9), a key, a predefined type's name, or the name that the program gave, in quotes where it has
blanks.
Expressions with blanks, or with -- in front, stand in parentheses. MPI_BOTTOM may be given as BUF.

$mpitype_size(TYPE), _lb, _extent, _true_lb, _true_extent, _committed, _id and _name are for gdb's expressions and the
conditions of its breakpoints.

Examples:
  mpitype list --live                             what is alive now
  mpitype list --site exchange_halo               what a function of the program made
  mpitype show column                             a variable of the program's, as all below
  mpitype show "upper triangle" --view grid       a name that the program gave
  mpitype show T9 --limit 20                      with the first 20 entries
  mpitype show newtype --fortran                  an INTEGER handle
  mpitype values column &tile[0][1] 2             2 copies from an element on
  mpitype values record MPI_BOTTOM                a datatype of absolute addresses
  mpitype where &tile[3][4] tile column           who writes this element?
  mpitype frame                                   what the MPI call that the program is in touches
  mpitype frame --ranks 4                         the same, with 4 neighbours
  mpitype code column                             as C, to try it elsewhere
  mpitype check                                   what is wrong
  mpitype messages                                what it waits for, and what is started
  mpitype windows                                 which epochs are open, and what is not complete
  mpitype save t.jsonl                            then: ddtscope summary t.jsonl
  break MPI_Send if $mpitype_committed($rdx) == 0
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
            option, is_joined, value = word.partition("=")
            if word in flags:
                self.flags.add(word)
            elif option in values:
                if not is_joined and not words:
                    self.refuse(f"{option} needs a value")
                self.values[option] = unquoted(value if is_joined else words.pop(0))
            elif re.match(r"--[A-Za-z_]", word):  # as an expression it would change a variable
                self.refuse(f"there is no option {word}")
            else:
                self.positions.append(word)
        least, most = positions
        if not least <= len(self.positions) <= most:
            wanted = str(least or "no") if least == most else f"{least} or {most}"
            self.refuse(f"`mpitype {verb}` takes {wanted} argument{'s' if most > 1 else ''}, here "
                        f"{'is' if len(self.positions) == 1 else 'are'} {len(self.positions) or 'none'} "
                        "(what has blanks stands in parentheses, a name in quotes)")

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
    """`mpitype`, over a debugger, which has session(), address_of(text) and integer_of(text) -> integer,
    handle_of(text) -> (integer, whether it is Fortran's), mpi_call() -> what ddtscope_calls asks, or None, and
    print(text)."""

    def __init__(self, debugger):
        self.debugger = debugger
        self.noted = None

    def run(self, text):
        verb, rest = (*text.split(None, 1), "", "")[:2]
        if verb in ("", "help", "--help", "-h"):
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
        if name == "MPI_DATATYPE_NULL":
            raise Problem("MPI_DATATYPE_NULL is no datatype.")
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
                self.debugger.print("Note: this handle was freed; what follows is what it stood for last.\n")
            return found
        if found.state == UNKNOWN:
            raise Problem(f"{word} ({session.handle_text(value, is_fortran)}) is no datatype that ddtscope knows: "
                          "uninitialised, MPI_DATATYPE_NULL, or never seen.")
        raise Problem(f"{word}: {session.line(found)}.")

    def address(self, word):
        """In quotes, too: what a string of the debugger's own would have, an address in the process, is not made."""
        word = unquoted(word)
        is_bottom = word.upper() == "MPI_BOTTOM"
        return ctypes.c_uint64(0 if is_bottom else self.debugger.address_of(word) & 0xFFFFFFFFFFFFFFFF)

    def name_elements(self, word):
        """The buffer's array, where the debugger can tell it: values and places in it are named by its elements."""
        find = getattr(self.debugger, "array_of", None)
        array = find(unquoted(word)) if find and unquoted(word).upper() != "MPI_BOTTOM" else None
        self.debugger.session().set_array(array)

    def disagreement(self, word, found, address, count):
        """Where the buffer is something else than what its datatype says, by the expression's own type, as a sentence;
        None where it is not, and where the debugger cannot tell."""
        judge = getattr(self.debugger, "disagreement", None)
        if judge is None or address == 0 or count <= 0:
            return None
        return judge(unquoted(word), ddtscope_calls.first_entries(self.debugger.session(), found, count), address)

    def count(self, words):
        value = self.debugger.integer_of(unquoted(words[0])) if words else 1
        if not -1 << 63 <= value < 1 << 63:
            raise Problem(f"a count of {value} does not fit 64 bits.")
        return ctypes.c_int64(value)

    def ask(self, function, *arguments):
        """All that is evaluated is so before: it may be that this ends the session that was read before."""
        self.debugger.print(self.debugger.session().text(function, *arguments))

    def list(self, rest):
        arguments = Arguments("list", rest, (0, 0), ("--live", "--freed"), ("--name", "--site", "--limit"))
        if {"--live", "--freed"} <= arguments.flags:
            arguments.refuse("--live and --freed exclude each other")
        which = 1 if "--live" in arguments.flags else 2 if "--freed" in arguments.flags else 0
        name, site = (arguments.values[key].encode() if key in arguments.values else None
                      for key in ("--name", "--site"))
        self.ask("list", which, name, site, ctypes.c_size_t(arguments.number("--limit", 1000)))

    def show(self, rest):
        arguments = Arguments("show", rest, (1, 1), ("--fortran",), ("--view", "--limit"))
        found = self.found_type(arguments, arguments.positions[0])
        view = arguments.values.get("--view")
        self.ask("show", ctypes.c_uint32(found.number), view.encode() if view else None,
                 ctypes.c_size_t(arguments.number("--limit", 0)))

    def values(self, rest):
        arguments = Arguments("values", rest, (2, 3), ("--fortran", "--holes"), ("--limit",))
        found = self.found_type(arguments, arguments.positions[0])
        address, count = self.address(arguments.positions[1]), self.count(arguments.positions[2:])
        self.name_elements(arguments.positions[1])
        self.ask("values", ctypes.c_uint32(found.number), address, count,
                 ctypes.c_size_t(arguments.number("--limit", 100)), int("--holes" in arguments.flags))
        told = self.disagreement(arguments.positions[1], found, address.value, count.value)
        self.debugger.print(f"Note: {told}\n" if told else "")

    def where(self, rest):
        arguments = Arguments("where", rest, (3, 4), ("--fortran",))
        place, buffer, word = arguments.positions[:3]
        found = self.found_type(arguments, word)
        address, count, byte = self.address(buffer), self.count(arguments.positions[3:]), self.address(place)
        self.name_elements(buffer)
        self.ask("where", ctypes.c_uint32(found.number), address, count, byte)

    def code(self, rest):
        arguments = Arguments("code", rest, (1, 1), ("--fortran",))
        found = self.found_type(arguments, arguments.positions[0])
        self.ask("code", ctypes.c_uint32(found.number))

    def check(self, rest):
        Arguments("check", rest, (0, 0))
        self.ask("check")

    def messages(self, rest):
        Arguments("messages", rest, (0, 0))
        self.ask("messages")

    def windows(self, rest):
        Arguments("windows", rest, (0, 0))
        self.ask("windows")

    def save(self, rest):
        arguments = Arguments("save", rest, (1, 1))
        file = os.path.expanduser(unquoted(arguments.positions[0]))
        self.debugger.session().call("save", file.encode())
        self.debugger.print(f"Written to {file}.\n")

    def frame(self, rest):
        arguments = Arguments("frame", rest, (0, 0), (), ("--ranks", "--limit"))
        ranks, limit = arguments.number("--ranks", None), arguments.number("--limit", 20)
        call = self.debugger.mpi_call()
        if call is None:
            raise Problem("no MPI call with buffers is on the stack of this thread.")
        self.debugger.print(ddtscope_calls.text_of_call(self.debugger.session(), call, ranks, limit))
