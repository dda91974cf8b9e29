// A type of a program's source, as its debugging information has it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ddtscope::reporters {

enum class SourceLanguage : std::uint8_t { c, cxx, fortran, other };
std::string_view text_of(SourceLanguage language);  // "C", "C++", "Fortran", "another language"

enum class ScalarKind : std::uint8_t {
  signed_integer,
  unsigned_integer,
  character,
  boolean,
  floating,
  complex,
  enumeration,
  pointer,     // references, too, and Fortran's descriptors of what is allocatable or a pointer
  bit_fields,  // the bytes that one is in
  unknown,
};

struct SourceType;
using SourceTypePtr = std::shared_ptr<const SourceType>;

struct SourceScalar {
  ScalarKind kind = ScalarKind::unknown;
  std::string_view basic;  // the basic type by MPI's name (MPI-4.1 3.2.2); empty where MPI has none
};

struct SourceArray {
  struct Dimension {
    std::int64_t lower = 0;
    std::optional<std::int64_t> length;  // none: not known, as of a flexible array member
  };
  SourceTypePtr element;
  std::vector<Dimension> dimensions;  // in the language's order
  bool is_column_major = false;       // the first index runs fastest
  /// Elements; none where a length is not known, or where there are more than 2^62.
  std::optional<std::int64_t> length() const;
};

struct SourceMember {
  std::string name;         // empty where it has none: an anonymous struct, or a base class
  std::int64_t offset = 0;  // bytes from the record's beginning
  SourceTypePtr type;       // never null
};

/// A struct, class, union or derived type.
struct SourceRecord {
  std::vector<SourceMember> members;  // as they stand in the source; of a class without those that are static
  bool is_union = false;
  /// Members that offsetof must not, or cannot, name: private ones, and those of base classes.
  bool hides_members = false;
  /// Where a part of it lies is told at run time only (a virtual base).
  bool has_unknown_places = false;
};

struct SourceType {
  std::string name;       // "long int", "int32_t", "particle"; empty where it has none
  std::int64_t size = 0;  // bytes; 0 where it is not known
  std::variant<SourceScalar, SourceArray, SourceRecord> form;

  const SourceScalar* scalar() const { return std::get_if<SourceScalar>(&form); }
  const SourceArray* array() const { return std::get_if<SourceArray>(&form); }
  const SourceRecord* record() const { return std::get_if<SourceRecord>(&form); }
};

/// A record that has a name.
struct NamedRecord {
  std::string name;      // with its namespaces, "halo::particle"
  std::string spelling;  // as a declaration has it: "struct particle", "particle"
  std::string module;    // Fortran's, in which it is defined
  std::string file;      // empty where it is not known
  std::optional<int> line;
  SourceLanguage language = SourceLanguage::other;
  SourceTypePtr type;  // a record

  /// "struct particle (particle.h:7)"
  std::string text() const;
  /// "particle.h:7", without the folders
  std::string place() const;
};

/// Whether two are the same, defined in two units.
bool is_same(const NamedRecord& one, const NamedRecord& other);
bool is_same(const SourceType& one, const SourceType& other);

}  // namespace ddtscope::reporters
