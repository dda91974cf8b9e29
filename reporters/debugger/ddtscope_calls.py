"""MPI calls with buffers: where these stand among the arguments, and what they touch. A debugger gives the
arguments."""
import ctypes
import re
from typing import NamedTuple, Optional

from ddtscope_debug import Interrupted, Problem, Type

# What a buffer's count says.
most_entries = 4096  # that are held against what a buffer is
ONE = "one"  # of this many copies
EACH = "each"  # so many copies for each rank, one behind the other
EXTENTS = "extents"  # an array of counts, and one of displacements in extents of the datatype
BYTES = "bytes"  # arrays of counts, displacements in bytes, and datatypes
ALL = "all"  # an array of counts: their sum
OWN = "own"  # an array of counts: this rank's
PARTITIONS = "partitions"  # of this many copies in each partition, an MPI_Count in calls without _c, too


class Buffer(NamedTuple):
    """Positions among the arguments, from 0."""
    what: str
    place: int
    count: Optional[int]  # None: of one copy
    type: int
    form: str = ONE
    displacements: Optional[int] = None
    root: Optional[int] = None  # of the rank that alone has this buffer
    partitions: Optional[int] = None  # of how many there are

    @property
    def arrays(self):
        """Positions of what is passed by its place, as buffers are."""
        counts = [] if self.form in (ONE, EACH, PARTITIONS) else [self.count]
        displacements = [self.displacements] if self.displacements else []
        return counts + displacements + ([self.type] if self.form == BYTES else [])


class Layout(NamedTuple):
    buffers: tuple
    communicator: Optional[int] = None  # position of what tells how many ranks there are


def _two(first, second):
    return Buffer("send buffer", *first), Buffer("receive buffer", *second)


_ROWS = [
    (Layout((Buffer("buffer", 0, 1, 2),)),
     "Send Recv Bsend Ssend Rsend Isend Irecv Ibsend Issend Irsend Send_init Recv_init Bsend_init Ssend_init "
     "Rsend_init +Bcast Mrecv Imrecv Sendrecv_replace Isendrecv_replace Put Get Accumulate Rput Rget Raccumulate"),
    (Layout((Buffer("buffer", 0, 2, 3, PARTITIONS, partitions=1),)), "Psend_init Precv_init"),
    (Layout((Buffer("origin buffer", 0, 1, 2), Buffer("result buffer", 3, 4, 5))), "Get_accumulate Rget_accumulate"),
    (Layout((Buffer("origin buffer", 0, None, 2), Buffer("result buffer", 1, None, 2))), "Fetch_and_op"),
    (Layout((Buffer("origin buffer", 0, None, 3), Buffer("compare buffer", 1, None, 3), Buffer("result buffer", 2, None, 3))),
     "Compare_and_swap"),
    (Layout(_two((0, 1, 2), (5, 6, 7))), "Sendrecv Isendrecv"),
    (Layout(_two((0, 1, 2), (3, 4, 5, EACH)), 6), "+Allgather +Neighbor_allgather"),
    (Layout(_two((0, 1, 2, EACH), (3, 4, 5, EACH)), 6), "+Alltoall +Neighbor_alltoall"),
    (Layout(_two((0, 1, 2), (3, 4, 5, EACH, None, 6)), 7), "+Gather"),
    (Layout(_two((0, 1, 2, EACH, None, 6), (3, 4, 5)), 7), "+Scatter"),
    (Layout(_two((0, 1, 2), (3, 4, 6, EXTENTS, 5)), 7), "+Allgatherv +Neighbor_allgatherv"),
    (Layout(_two((0, 1, 2), (3, 4, 6, EXTENTS, 5, 7)), 8), "+Gatherv"),
    (Layout(_two((0, 1, 3, EXTENTS, 2, 7), (4, 5, 6)), 8), "+Scatterv"),
    (Layout(_two((0, 1, 3, EXTENTS, 2), (4, 5, 7, EXTENTS, 6)), 8), "+Alltoallv +Neighbor_alltoallv"),
    (Layout(_two((0, 1, 3, BYTES, 2), (4, 5, 7, BYTES, 6)), 8), "+Alltoallw +Neighbor_alltoallw"),
    (Layout(_two((0, 2, 3), (1, 2, 3))), "+Allreduce +Scan +Exscan"),
    (Layout(_two((0, 2, 3), (1, 2, 3, ONE, None, 5)), 6), "+Reduce"),
    (Layout(_two((0, 2, 3, EACH), (1, 2, 3)), 5), "+Reduce_scatter_block"),
    (Layout(_two((0, 2, 3, ALL), (1, 2, 3, OWN)), 5), "+Reduce_scatter"),
    (Layout((Buffer("input buffer", 0, 2, 3), Buffer("input and output buffer", 1, 2, 3))), "Reduce_local"),
    (Layout((Buffer("send buffer", 0, 1, 2),)), "Pack"),
    (Layout((Buffer("send buffer", 1, 2, 3),)), "Pack_external"),
    (Layout((Buffer("receive buffer", 3, 4, 5),)), "Unpack"),
    (Layout((Buffer("receive buffer", 4, 5, 6),)), "Unpack_external"),
    (Layout((Buffer("buffer", 1, 2, 3),)),
     "File_read File_write File_read_all File_write_all File_iread File_iwrite File_iread_all File_iwrite_all "
     "File_read_shared File_write_shared File_iread_shared File_iwrite_shared File_read_ordered File_write_ordered "
     "File_read_all_begin File_write_all_begin File_read_ordered_begin File_write_ordered_begin"),
    (Layout((Buffer("buffer", 2, 3, 4),)),
     "File_read_at File_write_at File_read_at_all File_write_at_all File_iread_at File_iwrite_at File_iread_at_all "
     "File_iwrite_at_all File_read_at_all_begin File_write_at_all_begin"),
]


def _names(word):
    """+Bcast: the nonblocking one and the persistent one, too."""
    name = word.lstrip("+")
    return [name, "I" + name[0].lower() + name[1:], name + "_init"] if word != name else [name]


CALLS = {f"MPI_{name}{suffix}": layout
         for layout, words in _ROWS for word in words.split() for name in _names(word) for suffix in ("", "_c")}
_BY_LOWER_NAME = {name.lower(): name for name in CALLS}


def mpi_name(function):
    """The MPI function with buffers that a function is, and whether it is a Fortran procedure; None for others."""
    # Of the plugin's functions some debuggers say the name in its source, not that of the symbol.
    name = (function or "").split("@")[0].removeprefix("wrapped_")
    is_fortran = re.fullmatch(r"p?mpi_[a-z0-9_]*_|P?MPI_[A-Z0-9_]*[A-Z0-9]_?", name) is not None
    if is_fortran:
        name = re.sub(r"_(f08_?|f08ts_?)?$", "", name.rstrip("_") + "_").lower()
        name = _BY_LOWER_NAME.get(name[1:] if name.startswith("pmpi_") else name)
    elif name.startswith("PMPI_"):
        name = name[1:]
    return (name, is_fortran) if name in CALLS else None


def is_within_library(function):
    """Whether a function, or one without a name, may stand between a Fortran procedure and the C function: Open MPI 6's
    ompi_sendrecv_wrapper_f08, say."""
    return not function or re.fullmatch(r"ompi_\w+_f(08)?", function) is not None


def text_of_call(session, call, ranks, limit):
    """`call` has name, argument(position) -> an integer, a Type, or why it is not known, is_fortran_array(position),
    communicator(position) -> "world", "self" or None, and place. `ranks`: of its communicator, where the user says
    it."""
    answer = _Answer(session, call, ranks, limit)
    lines = []
    for buffer in CALLS[call.name].buffers:
        try:
            lines += answer.lines_of(buffer)
        except Interrupted:
            raise
        except Problem as why:
            lines.append(f"  {buffer.what}: {why}")
    place = [f"  by the source, {call.place}:"] if call.place else []
    return "\n".join([call.name, *place, *lines]) + "\n"


def first_entries(session, found, count):
    """As many as are looked at to tell whether a buffer is what its datatype says; none where they cannot be told."""
    try:
        return session.entries(found, count, most_entries)
    except Interrupted:
        raise
    except Problem:
        return []


class _Answer:
    def __init__(self, session, call, ranks, limit):
        self.session, self.call, self.limit = session, call, limit
        self.is_large = call.name.endswith("_c")
        self.is_neighbourly = "eighbor_" in call.name
        position = CALLS[call.name].communicator
        known = call.communicator(position) if position is not None else None
        self.own_rank = {"world": session.facts.rank, "self": 0}.get(known)
        size = {"world": session.facts.size, "self": 1}.get(known, -1)
        # A communicator does not tell how many neighbours there are in its topology.
        self.parts = ranks if self.is_neighbourly or size == -1 else size
        if ranks not in (None, self.parts):
            raise Problem(f"MPI_COMM_{known.upper()} has {size:,} rank{'s' if size != 1 else ''}, not {ranks:,}: --ranks is for "
                          "communicators whose size is not known.")

    def argument(self, position):
        value = self.call.argument(position)
        if isinstance(value, str):
            raise Problem(value)
        return value

    def type_of(self, value):
        return value if isinstance(value, Type) else self.session.type_of_handle(value)

    def int_of(self, position):
        return ctypes.c_int32(self.argument(position) & 0xFFFFFFFF).value

    def count_of(self, buffer):
        """Of a buffer that has one, not an array."""
        if buffer.count is None:
            return 1
        is_large = self.is_large or buffer.form == PARTITIONS
        return self.argument(buffer.count) if is_large else self.int_of(buffer.count)

    def others(self, number=2):
        return ("neighbour" if self.is_neighbourly else "rank") + ("s" if number != 1 else "")

    def lines_of(self, buffer):
        place = self.argument(buffer.place)
        if place & 0xFFFFFFFFFFFFFFFF == self.session.in_place:
            return [f"  {buffer.what}: MPI_IN_PLACE"]
        if place == 0 and buffer.count is None:  # one element of a predefined type is not at MPI_BOTTOM
            return [f"  {buffer.what}: a null pointer"]
        note = ""
        if buffer.root is not None:
            root = self.int_of(buffer.root)
            if self.own_rank is not None and self.own_rank != root:
                return [f"  {buffer.what}: rank {root}, the root, has one"]
            # Between two groups MPI_ROOT and MPI_PROC_NULL are no ranks (MPI-4.1 6.2.3).
            the_root = f"rank {root}, the root," if root >= 0 else "the root"
            note = "" if self.own_rank is not None else f", which {the_root} has alone"
        lines_of = self.lines_by_rank if buffer.form in (EXTENTS, BYTES) else self.lines_of_one
        lines = lines_of(buffer, place)
        return [f"  {buffer.what}{note}: {lines[0]}", *("    " + line for line in [*lines[1:], *self.disagreements(buffer, place)])]

    def disagreements(self, buffer, place):
        """Where what the caller's source has for the buffer is something else than what the datatype says: a line, or none."""
        judge = getattr(self.call, "disagreement", None)
        if judge is None or place == 0 or buffer.form not in (ONE, EACH, PARTITIONS):
            return []
        found, count = self.type_of(self.argument(buffer.type)), self.count_of(buffer)
        if not found.is_known or count <= 0:
            return []
        told = judge(buffer.place, first_entries(self.session, found, count), place)
        return [f"Note: {told}"] if told else []

    def touched(self, found, place, count, displacement=0):
        try:
            if not -1 << 63 <= displacement < 1 << 63 or count >= 1 << 63:
                raise Problem("its bytes do not fit 64 bits.")
            return self.session.text("touched", ctypes.c_uint32(found.number), ctypes.c_uint64(place & (1 << 64) - 1),
                                     ctypes.c_int64(displacement), ctypes.c_int64(count))
        except Interrupted:
            raise
        except Problem as why:
            return str(why)

    def lines_of_one(self, buffer, place):
        """A buffer of copies of one type, one behind the other."""
        found = self.type_of(self.argument(buffer.type))
        lines = [self.session.line(found)]
        if not found.is_known:
            return lines
        unknown = "of which the number is not known: `mpitype frame --ranks N` says it"
        if buffer.form == ONE:
            return lines + [self.touched(found, place, self.count_of(buffer))]
        if buffer.form == PARTITIONS:
            each, partitions = self.count_of(buffer), self.int_of(buffer.partitions)
            return lines + [f"{each:,} in each of {partitions:,} partition{'s' if partitions != 1 else ''}:",
                            self.touched(found, place, each * partitions)]
        if buffer.form == EACH:
            each = self.count_of(buffer)
            if self.parts is None:
                return lines + [f"One behind the other for each of the {self.others()}, {unknown}. For the first:",
                                self.touched(found, place, each)]
            return lines + [f"{each:,} for each of {self.parts:,} {self.others(self.parts)}:",
                            self.touched(found, place, each * self.parts)]
        if self.parts is None:
            return lines + [f"A count for each of the ranks, {unknown}."]
        if buffer.form == OWN and self.own_rank is None:
            return lines + ["As many as is this rank's count; which of the ranks it is is not known."]
        counts = self.integers(buffer.count, self.parts, 8 if self.is_large else 4)
        return lines + [self.touched(found, place, counts[self.own_rank] if buffer.form == OWN else sum(counts))]

    def integers(self, position, number, width):
        return self.session.integers(self.argument(position), number, width)

    def lines_by_rank(self, buffer, place):
        """A part for each rank, at a place of its own."""
        side = "for" if buffer.what.startswith("send") else "from"
        if self.parts is None:
            return [f"parts {side} each of the {self.others()}, of which the number is not known: `mpitype frame "
                    "--ranks N` shows those of the first N"]
        wide = self.is_large or (buffer.form == BYTES and self.is_neighbourly)
        counts = self.integers(buffer.count, self.parts, 8 if self.is_large else 4)
        displacements = self.integers(buffer.displacements, self.parts, 8 if wide else 4)
        shown = [i for i, count in enumerate(counts) if count != 0]
        lines = [f"parts {side} {f'{len(shown):,}' if shown else 'none'} of {self.parts:,} {self.others(self.parts)}"]
        types = self.types_by_rank(buffer, shown[:self.limit])
        lines += dict.fromkeys(text for text, _ in types)  # each once
        for i, (_, found) in zip(shown, types):
            if found.is_known:
                unit = found.extent if buffer.form == EXTENTS else 1
                if buffer.form == EXTENTS and found.undefined >> 2 & 1:
                    raise Problem("the library says that its datatype's extent is MPI_UNDEFINED.")
                text = self.touched(found, place, counts[i], displacements[i] * unit)
            else:
                text = f"{counts[i]:,} of that, {displacements[i]:,} bytes from the buffer's address."
            lines.append(f"{self.others(1)} {i}: {text}")
        if len(shown) > self.limit:
            lines.append(f"... {len(shown) - self.limit:,} more; --limit N shows more.")
        return lines

    def types_by_rank(self, buffer, ranks):
        """A line and a Type for each."""
        if not ranks:
            return []
        if buffer.form == EXTENTS:
            found = self.type_of(self.argument(buffer.type))
            return [(self.session.line(found), found)] * len(ranks)
        is_fortran = self.call.is_fortran_array(buffer.type)
        width = 4 if is_fortran else self.session.facts.handle_bytes
        handles = self.integers(buffer.type, max(ranks) + 1, width)
        types = {}
        for handle in {handles[rank] for rank in ranks}:
            found = self.session.type_of_fortran(handle) if is_fortran else self.session.type_of_handle(handle)
            text = self.session.line(found)
            number = "" if found.is_known else self.session.handle_text(handle, is_fortran) + ": "
            types[handle] = (number + text, found)
        return [types[handles[rank]] for rank in ranks]
