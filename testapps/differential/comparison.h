// What the library makes of a definition, held against what the decoder says of it: envelope and contents, bounds under
// the library's own rule, and the order and places of the packed bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/layout/layout.h"
#include "testapps/differential/mpi_library.h"

namespace ddtscope::differential {

/// What was asked of the library when the answer differed, or when the process died.
enum class Aspect : std::uint8_t {
  construct,
  int_envelope,
  contents,
  size,
  lb,
  extent,
  true_lb,
  true_extent,
  commit,
  pack,
  free,
};
inline constexpr int aspect_count = 11;
std::string_view text_of(Aspect aspect);

struct Difference {
  enum class Kind : std::uint8_t { answer, crash, hang };

  Aspect aspect;
  Kind kind = Kind::answer;
  std::string expected = {}, got = {};
  /// Of a pack whose bytes differ: where each packed byte came from, relative to the buffer, and of how many copies.
  std::vector<std::int64_t> origins = {};
  int copies = 1;
};
/// The origin of a byte that the library has not written.
inline constexpr std::int64_t no_origin = INT64_MIN;
/// "true_lb", "pack, crash": what two differences must share to be the same one.
std::string text_of_kind(const Difference& difference);

/// The definition and all that it is made of, oldtypes first.
std::vector<DefinitionId> reached_definitions(const DefinitionStore& store, DefinitionId id);

/// Where each byte of `copies` packed copies of a type comes from, relative to the buffer.
std::vector<std::int64_t> packed_origins(const Layouts& layouts, DefinitionId id, int copies);

/// One basic element of a packed copy.
struct PackedEntry {
  const PredefinedType& type;
  std::int64_t displacement;              // where it should come from, relative to the buffer
  std::span<const std::int64_t> origins;  // where its bytes come from
};
/// Whether each byte comes from where it should; padding, which is no data, may be left out.
bool is_right(const PackedEntry& entry);
/// Of a 16-byte number that the library copies as a long double: whether all is right but that the bytes behind the
/// long double's tenth are not written.
bool is_cut_to_long_double(const PackedEntry& entry);
/// Whether the packed bytes are those of so many copies of a type, entry by entry as `is_accepted` has it.
bool is_packed_from(const Layouts& layouts, DefinitionId id, const Difference& difference,
                    bool (*is_accepted)(const PackedEntry& entry));

/// The definitions of one store and the library's types for them.
class Comparison {
 public:
  /// `stage` is told what is being asked of the library.
  Comparison(test::TestStore& types, std::atomic<Aspect>& stage);
  ~Comparison();
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  enum class Packing : std::uint8_t { mostly_one, up_to_three };  // copies
  /// The differences of one definition; types for its oldtypes are made where they are missing.
  std::vector<Difference> compare(DefinitionId id, Packing packing);

  /// Where the bounds are not those of the rule. The definition has been compared before.
  std::vector<Difference> bounds_differences(DefinitionId id, RuleLayouts& rule);

  test::TestStore& types() { return types_; }
  /// Laid out with the extents that the library reports.
  const Layouts& observed_layouts(DefinitionId id);
  /// For a definition that no type is made of: types made of it are laid out with the bounds of another one.
  void observe_as(DefinitionId id, DefinitionId like);
  RuleLayouts& library_rule() { return library_rule_; }
  RuleLayouts& standard_rule() { return standard_rule_; }
  bool was_packed() const { return was_packed_; }

 private:
  /// Null where the library refuses; then `error_` says why.
  MPI_Datatype handle(DefinitionId id);
  void compare_contents(DefinitionId id, std::vector<Difference>& differences);
  void compare_int_envelope(DefinitionId id, std::vector<Difference>& differences);
  void compare_pack(DefinitionId id, int copies, std::vector<Difference>& differences);
  bool is_leaf(DefinitionId id) const;

  test::TestStore& types_;
  std::atomic<Aspect>& stage_;
  RuleLayouts library_rule_;
  RuleLayouts standard_rule_;
  Layouts observed_layouts_;
  std::vector<MPI_Datatype> handles_;  // by DefinitionId
  int error_ = MPI_SUCCESS;
  bool was_packed_ = false;
};

}  // namespace ddtscope::differential
