// The table of the kinds of findings, with what `ddtscope explain` says of each.
#include "decoder/findings/finding_kinds.h"

#include <array>
#include <cstddef>

namespace ddtscope {
namespace {

struct Row {
  FindingId id;
  FindingKind text;
};

constexpr std::array<Row, finding_kind_count> rows = {{
    {FindingId::exceeds_int,
     {"exceeds-int", Severity::error, "too large for an int, or for any MPI integer",
      R"(The type's size, its number of entries or its extent is larger than an int can hold. The type is legal and can be sent. But the calls that answer in an int cannot tell the truth about it: MPI_Type_size, MPI_Get_elements and MPI_Pack_size set their result to MPI_UNDEFINED, a negative number (MPI-4.1 5.1.5, 5.1.11, 5.2). A program that multiplies with it allocates nonsense.

The extent is an MPI_Aint and is right. It goes wrong where the program keeps it in an int.

It is an error where a value does not even fit MPI_Count, 63 bits: no memory holds such a type, and a library may wrap the value silently.)",
      R"(int size;
MPI_Type_size(matrix, &size);        /* MPI_UNDEFINED for 3 GiB */
char* copy = malloc(size);

/* Mended (MPI-4.0; MPI_Type_size_x before that): */
MPI_Count size;
MPI_Type_size_c(matrix, &size);
char* copy = malloc((size_t)size);
)"}},
    {FindingId::copies_overlap,
     {"copies-overlap", Severity::warning, "copies at the type's extent touch the same bytes",
      R"(Copy k of a type begins k times the extent after the first one. Here the data of one copy is longer than the extent, so that copies lie over each other. A receive with a count greater than one then writes some bytes twice: that is erroneous, and what stands there afterwards is undefined (MPI-4.1 5.1.7, 5.1.11). A buffer of count times the extent is too small, and what lies behind it is overwritten.

It is a warning where neighbouring copies overlap: the usual reason is a wrong number in MPI_Type_create_resized, or a struct that inherited its bounds from a resized member.

It is a note where only copies further apart meet, and where the extent was chosen as a unit to count displacements in: a matrix column resized to one element, a tile resized to one element or to its own width. Such types are right as long as copies that overlap are not received in one call, as in MPI_Scatterv with counts of 1.

`ddtscope show --count N` says how much memory N copies need (MPI-4.1 5.1.8).)",
      R"(struct Particle { double position[3]; int cell; };      /* 32 bytes */
MPI_Type_create_resized(members, 0, sizeof(int), &particle);
MPI_Recv(particles, 100, particle, ...);                 /* copies stand 4 bytes apart */

/* Mended: */
MPI_Type_create_resized(members, 0, sizeof(struct Particle), &particle);
)"}},
    {FindingId::entries_overlap,
     {"entries-overlap", Severity::warning, "one copy touches some byte twice",
      R"(Two entries of the typemap share bytes. Such a type may be sent. To receive with it is erroneous, even with a count of one: each entry must go to a place of its own (MPI-4.1 5.1.11). It is erroneous as a file view that is written with, too (MPI-4.1 14.3).

The usual reasons are a stride that is smaller than the block, displacements counted in elements where bytes are wanted (or the other way round), and too many copies of a type with a small extent, such as more columns than the matrix has.

It is harmless in a type that is only ever sent: a stride of 0 that repeats one value, or windows that overlap.)",
      R"(/* Rows of 4 ints, every 2 ints: */
MPI_Type_vector(3, 4, 2, MPI_INT, &rows);

/* Mended: the stride is counted in elements, from the start of one block to the next. */
MPI_Type_vector(3, 4, 4 + 2, MPI_INT, &rows);
)"}},
    {FindingId::missing_resize,
     {"missing-resize", Severity::warning, "the extent is less than the C struct's size",
      R"(The members' displacements look like those of a C struct, but the type's extent is less than the size that such a struct has. One copy is right. In an array the second element is looked for at the wrong place, and every later one is further off.

The reason is mostly a member that was resized itself: its bounds are explicit markers, and a struct takes its lower and upper bound from its members' markers alone (MPI-4.1 5.1.6, 5.1.7). Members that have none then lie outside the bounds. Open MPI does as the standard says, MPICH 4.0.2 does not.

It is harmless where only single structs are sent.)",
      R"(struct Outer { int id; struct Inner inner; };
MPI_Datatype types[] = {MPI_INT, inner};                 /* inner was resized */
MPI_Type_create_struct(2, lengths, displacements, types, &outer);   /* lb is inner's, not 0 */

/* Mended: */
MPI_Type_create_struct(2, lengths, displacements, types, &members);
MPI_Type_create_resized(members, 0, sizeof(struct Outer), &outer);
)"}},
    {FindingId::misaligned_members,
     {"misaligned-members", Severity::warning, "entries, or the extent, off their alignment",
      R"(An entry's displacement, or the extent, is no multiple of the alignment that the entry's basic type has in C. MPI allows that, and the library copies such data rightly. A C compiler places members so only in a packed struct; anywhere else the displacement is probably wrong: taken from another struct, or counted without the padding.

It is a warning where the members can only be those of a packed struct and the extent was not set. The standard rounds the extent up to the largest alignment (MPI-4.1 5.1.7); a packed struct has no such padding, so that in an array the second element is looked for too far on.

It is a note otherwise: right for a packed struct with its extent set to sizeof, for separate variables whose displacements are counted from one of them, for Fortran SEQUENCE types, and for bytes of a message that were laid out by hand. Members and blocks are counted from 0, as in the constructor's arrays.)",
      R"(struct __attribute__((packed)) Header { char kind; double time; char flag; int step; };  /* 14 bytes */
MPI_Type_create_struct(4, lengths, displacements, types, &header);      /* extent 16 */
MPI_Send(headers, 10, header, ...);

/* Mended: */
MPI_Type_create_struct(4, lengths, displacements, types, &members);
MPI_Type_create_resized(members, 0, sizeof(struct Header), &header);
)"}},
    {FindingId::not_portable,
     {"not-portable", Severity::warning, "another MPI library gives the type other bounds",
      R"(The same constructor calls give a type with other bounds, or with entries at other places, under another library: MPI-4.1 by its text, and the releases of Open MPI (4.1 to 6.0) and MPICH (4.0 to 5.0) that ddtscope models are compared. The libraries differ in whether explicit bounds of a member reach the type made of it (MPI-4.1 5.1.6), in when they round an extent up to the alignment (MPI-4.1 5.1.7), and in a few faults of their own.

It is a warning where the lower bound, the extent or the entries differ: more than one copy, or a type made of this one, then touches other bytes, and a program that is right here corrupts memory there. It is a note where only the true bounds differ, where nothing is touched at all, and for bounds that nobody uses: those of a type that the program resizes, or of a struct with members on both sides of the buffer's address.

MPI_Type_create_resized as the last step makes the bounds the same everywhere.

That does not help where Open MPI takes a stride of -1 byte for the extent of a block: then the entries stand elsewhere, and a constructor with a displacement for each block is the way out.)",
      R"(/* struct Outer { int id; struct Inner inner; }, where inner was resized: its bounds become those of
   the whole in Open MPI, as the standard says; MPICH counts the int as well. */
MPI_Type_create_struct(2, lengths, displacements, (MPI_Datatype[]){MPI_INT, inner}, &outer);

/* Mended: */
MPI_Type_create_struct(2, lengths, displacements, (MPI_Datatype[]){MPI_INT, inner}, &members);
MPI_Type_create_resized(members, 0, sizeof(struct Outer), &outer);
)"}},
    {FindingId::library_disagrees,
     {"library-disagrees", Severity::warning, "the library's bounds are not the standard's",
      R"(While the program ran, ddtscope asked the library for the type's size, extent and true extent. The answers are not what MPI-4.1 5.1.5 to 5.1.8 says of this type, given the extents that the library reported for its oldtypes. The data was laid out as the library has it.

It is a note where the answers are those of the library's known ways (see not-portable). It is a warning where they are not even that: the library has a fault that ddtscope does not know, or another version of it behaves otherwise, and the bytes that it touches may not be those that ddtscope shows.

Compare with MPI_Pack of marked bytes, and tell the library's developers.)",
      R"(MPI_Aint lb, extent;
MPI_Type_get_extent(type, &lb, &extent);      /* not what the standard says */

/* Mended: bounds that do not depend on the library. */
MPI_Type_create_resized(type, 0, sizeof(struct Element), &element);
)"}},
    {FindingId::absolute_addresses,
     {"absolute-addresses", Severity::warning, "displacements that look like addresses",
      R"(The displacements are as large as addresses of a 64-bit process: the results of MPI_Get_address, put into the type as they are. Such a type is right with MPI_BOTTOM as the buffer and with no other (MPI-4.1 2.5.4, 5.1.5, 5.1.12). With any other buffer the two addresses add up and the call reads or writes far away. It must be made anew whenever a variable moves, and it means nothing in another process.

It is a warning where addresses stand beside small displacements: no buffer is right for both, so that a base was probably subtracted in one place and forgotten in another. Variables of one program can be so far apart by themselves; then nothing is wrong.)",
      R"(MPI_Get_address(&particle.mass, &displacements[0]);
MPI_Get_address(&particle.position, &displacements[1]);
MPI_Type_create_struct(2, lengths, displacements, types, &type);
MPI_Send(&particle, 1, type, ...);

/* Mended: */
MPI_Send(MPI_BOTTOM, 1, type, ...);

/* Or relative to the buffer, so that the type serves every particle: */
MPI_Get_address(&particle, &base);
for (int i = 0; i < 2; ++i) displacements[i] = MPI_Aint_diff(displacements[i], base);
)"}},
    {FindingId::beyond_bounds,
     {"beyond-bounds", Severity::note, "data outside the bounds",
      R"(Entries lie before the lower bound or beyond the upper one. Copies do not touch each other's bytes: they interleave. But a buffer of count times the extent is too small, and what lies before or behind it is overwritten.

n copies span the true extent plus (n - 1) times the extent, from the true lower bound on: MPI_Type_get_true_extent tells both (MPI-4.1 5.1.8), and so does `ddtscope show --count N`.)",
      R"(MPI_Type_get_extent(type, &lb, &extent);
char* buffer = malloc(count * extent);

/* Mended: */
MPI_Type_get_extent(type, &lb, &extent);
MPI_Type_get_true_extent(type, &true_lb, &true_extent);
char* memory = malloc(true_extent + (count - 1) * extent);
char* buffer = memory - true_lb;
)"}},
    {FindingId::negative_lb,
     {"negative-lb", Severity::note, "begins before the buffer's address",
      R"(The lower bound is negative, or data lies at negative displacements: before the address that is given as the buffer. That is legal, as long as the memory there belongs to the same array (MPI-4.1 5.1.12). A program that gives the beginning of its array as the buffer reads, or overwrites, what stands before it.

It is harmless where the buffer's address is that of an element in the middle, such as the last one of a row that is taken backwards. So it is for separate variables whose displacements are counted from one of them.

A negative lower bound alone, without data there, touches nothing.)",
      R"(MPI_Type_vector(10, 1, -1, MPI_DOUBLE, &backwards);
MPI_Recv(row, 1, backwards, ...);             /* writes before row[0] */

/* Mended: */
MPI_Recv(&row[9], 1, backwards, ...);
)"}},
    {FindingId::gap_before_lb,
     {"gap-before-lb", Severity::note, "the lower bound is behind the buffer's address",
      R"(The lower bound is greater than 0: the bytes before it are not part of the extent. Copy k still begins k times the extent after the buffer's address, so that copies stand closer together than a struct or row that begins at displacement 0 is long (MPI-4.1 5.1.7).

It is harmless for a single copy, such as the lower part of a matrix or a list of ghost cells. A type that takes only the later members of a struct needs its bounds set before it is used for an array.)",
      R"(struct Cell { int id; double value; };        /* 16 bytes */
MPI_Aint at = offsetof(struct Cell, value);
MPI_Type_create_hindexed_block(1, 1, &at, MPI_DOUBLE, &value);      /* extent 8 */
MPI_Send(cells, 100, value, ...);

/* Mended: */
MPI_Type_create_resized(value, 0, sizeof(struct Cell), &value_of_cell);
)"}},
    {FindingId::negative_extent,
     {"negative-extent", Severity::note, "copies lead to lower addresses",
      R"(The upper bound lies below the lower one, so that the extent is negative. Copy k begins k times that many bytes before the buffer's address (MPI-4.1 5.1.7). With a count greater than one, the buffer's address must be that of the highest copy.

Programs that allocate count times the extent, and some collective algorithms of the libraries, do not expect it.)",
      R"(MPI_Type_create_resized(MPI_DOUBLE, 0, -8, &backwards);
MPI_Send(row, 10, backwards, ...);            /* row[0], row[-1], ... */

/* Mended: */
MPI_Send(&row[9], 10, backwards, ...);
)"}},
    {FindingId::empty_type,
     {"empty-type", Severity::note, "no entries",
      R"(The typemap is empty: a count or all blocklengths are 0, or the process owns no part of a distributed array. Nothing is sent or received with it. That is legal and often meant, for the processes at the edge of a grid.

Its bounds are a matter of opinion between the libraries: do not compute with them.)",
      R"(MPI_Type_vector(rows_to_send, 1, stride, MPI_DOUBLE, &column);      /* rows_to_send is 0 */

/* Where it is not meant: */
MPI_Type_vector(rows, 1, stride, MPI_DOUBLE, &column);
)"}},
    {FindingId::empty_blocks,
     {"empty-blocks", Severity::note, "some blocks have length 0",
      R"(Some of the blocks have length 0. They add nothing to the typemap, and their displacements do not count for the bounds (MPI-4.1 5.1.2). The type is right.

A library keeps them and may look at them in every communication; MPICH lets empty blocks take part in the bounds in some cases. Leaving them out costs nothing.)",
      R"(int lengths[] = {4, 0, 2};
int displacements[] = {0, 10, 20};
MPI_Type_indexed(3, lengths, displacements, MPI_INT, &type);

/* Without them: */
MPI_Type_indexed(2, (int[]){4, 2}, (int[]){0, 20}, MPI_INT, &type);
)"}},
    {FindingId::removed_markers,
     {"removed-markers", Severity::note, "MPI_LB and MPI_UB are no longer part of MPI",
      R"(The type sets its bounds with MPI_LB or MPI_UB as members. Both were removed in MPI-3.0 (MPI-4.1 chapter 17): a library of today need not have them.

MPI_Type_create_resized sets the bounds (MPI-4.1 5.1.7), and, unlike the markers, it can also make a type smaller that has them already.)",
      R"(MPI_Datatype types[] = {MPI_DOUBLE, MPI_UB};
MPI_Aint displacements[] = {0, 32};
MPI_Type_struct(2, lengths, displacements, types, &element);

/* Mended: */
MPI_Type_create_resized(MPI_DOUBLE, 0, 32, &element);
)"}},
    {FindingId::simpler_type,
     {"simpler-type", Severity::note, "a simpler constructor makes the same type",
      R"(There is a simpler constructor call that gives the same entries in the same order and the same bounds. Nothing is wrong with the type.

Where the simpler type is the oldtype itself there is mostly nothing to do: a count happens to be 1 in this run, or a resize makes sure of bounds that are right already.

A library that does not simplify types by itself may handle the simpler one faster, and it takes less memory: a long array of displacements becomes three numbers. A reader sees at once what it is.)",
      R"(int displacements[] = {0, 10, 20, 30};
MPI_Type_create_indexed_block(4, 1, displacements, MPI_DOUBLE, &column);

/* Simpler: */
MPI_Type_vector(4, 1, 10, MPI_DOUBLE, &column);
)"}},
}};

constexpr bool rows_stand_in_enum_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].id) != i) return false;
  }
  return true;
}
static_assert(rows_stand_in_enum_order());

constexpr std::array<FindingKind, finding_kind_count> texts = [] {
  std::array<FindingKind, finding_kind_count> result;
  for (std::size_t i = 0; i < rows.size(); ++i) result[i] = rows[i].text;
  return result;
}();

}  // namespace

const FindingKind& kind_of(FindingId id) { return texts[static_cast<std::size_t>(id)]; }

std::span<const FindingKind> finding_kinds() { return texts; }

const FindingKind* find_finding_kind(std::string_view id) {
  for (const FindingKind& kind : texts) {
    if (kind.id == id) return &kind;
  }
  return nullptr;
}

std::string_view text_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

}  // namespace ddtscope
