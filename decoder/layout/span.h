// How much memory copies of a type need, and where it begins: what a temporary buffer must hold (MPI-4.1 5.1.8).
#pragma once

#include "decoder/layout/layout.h"

namespace ddtscope {

/// The bytes from the first touched one to the last, relative to the buffer's address: a program that allocates
/// `length()` bytes passes the address of the allocation less `first`.
struct Span {
  Exact first;  // the first byte
  Exact end;    // the byte after the last one
  Exact length() const { return end - first; }
  friend bool operator==(const Span&, const Span&) = default;
};

/// Of `count` >= 0 copies, one extent in use (observed where known) apart; a negative extent leads to lower
/// addresses. No copies, or an empty type, need nothing: [0, 0). A value that does not fit 128 bits says so.
Span span_of(const Layouts& layouts, DefinitionId id, Exact count);
/// Of `count` copies of what `facts` says, `extent` apart; none, or one of an empty type, need nothing.
Span span_of(const LayoutFacts& facts, Exact extent, Exact count);

}  // namespace ddtscope
