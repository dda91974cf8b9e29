// The rewrites of the normal form: each turns one constructor call into another that should mean the same. Whether it
// does, and whether it is simpler, is the caller's to check.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "decoder/definition/envelope.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

/// What a definition is rewritten to: another definition of its store, or a call that may not be there yet.
struct NewCall {
  Combiner combiner = Combiner::named;
  CallArguments arguments;
};
using Rewritten = std::variant<DefinitionId, NewCall>;

/// A call whose oldtypes are in normal form.
struct RewriteSubject {
  const DefinitionStore& store;
  const Layouts& layouts;  // of the same store, with the extents in use
  const ConstructorCall& call;
};

struct Rewrite {
  std::string_view name;
  std::optional<Rewritten> (*apply)(const RewriteSubject& subject);  // empty where it does not fit
};

/// In the order in which they are tried.
std::span<const Rewrite> rewrites();

}  // namespace ddtscope
