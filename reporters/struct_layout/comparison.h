// A datatype held against a struct of the source, member by member.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/findings/findings.h"
#include "reporters/source/struct_scalars.h"

namespace ddtscope::reporters {

/// Whether a program says by the basic type nothing but that there are bytes.
bool is_bytes(std::string_view basic);

/// An entry of a typemap.
struct BasicEntry {
  std::string_view basic;  // the basic type by MPI's name
  std::int64_t displacement = 0;
  std::int64_t size = 0;  // bytes
};

enum class Verdict : std::uint8_t {
  fits,
  same_bytes,     // as long for long long: another name, the same representation
  left_out,       // a member of which the datatype has nothing
  sends_padding,  // as bytes
  sign,           // signed against unsigned
  in_padding,     // an entry where no member is
  pointer,        // in place of what it points to
  other_kind,     // floating against integer
  other_place,    // not at the member's beginning
  other_size,
  beyond,  // behind the end of the struct
};
std::optional<Severity> severity_of(Verdict verdict);  // none for what fits
std::string_view text_of(Verdict verdict);             // "another size"; empty for what fits

struct ComparedPart {
  Verdict verdict = Verdict::fits;
  std::optional<BasicEntry> entry;     // none for what is left out
  std::optional<StructScalar> member;  // none for what is in no member
};

/// All entries and all members that none of them touches, by their place in memory. Bytes that follow each other within
/// one member, or within one gap, are one entry.
///
/// MPI_BYTE, MPI_PACKED, and basic types of characters are bytes: they may be anything. Enumerations, booleans and
/// characters are integers. A complex number may be sent as its two parts, and the other way round. Of a union's
/// alternatives the one that fits best counts. Pointers and bit-fields are never said to be left out.
std::vector<ComparedPart> compare(const std::vector<BasicEntry>& entries, const StructScalars& scalars,
                                  std::int64_t struct_size);

std::optional<Severity> worst_of(const std::vector<ComparedPart>& parts);

}  // namespace ddtscope::reporters
