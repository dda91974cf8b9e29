// The queries over the library's own PMPI functions.
#pragma once

#include "plugin/library/library.h"
#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

class MpiQueries : public LibraryQueries {
 public:
  explicit MpiQueries(const MpiFunctions& mpi) : mpi_(mpi) {}
  ObservedBounds bounds(HandleBits type) override;
  std::optional<DecodedType> decode(HandleBits type, std::string& problem) override;
  std::optional<Envelope> envelope(HandleBits type) override;
  std::string name(HandleBits type) override;
  void release(HandleBits type) override;

 private:
  bool has_large_counts() const { return mpi_.Type_get_envelope_c && mpi_.Type_get_contents_c; }

  const MpiFunctions& mpi_;
};

}  // namespace ddtscope::plugin
