// The questions that are asked of types, and what must hold of the answers.
#pragma once

#include "decoder/fuzz/session.h"

namespace ddtscope::fuzz {

/// Entries, blocks, signature, span and bytes of some copies: against each other, and for few entries one by one.
void ask_typemap(Session& session);
void ask_bounds(Session& session);
void ask_path(Session& session);
/// The accessors of 1995, from which the type is made again.
void ask_elements(Session& session);
void ask_contents(Session& session);

void ask_fingerprints(Session& session);
void ask_match(Session& session);
void ask_overlap(Session& session);
void ask_findings(Session& session);
void ask_portability(Session& session);
void ask_normal_form(Session& session);

void ask_texts(Session& session);
void ask_notation(Session& session);
void ask_without_context(Session& session);

}  // namespace ddtscope::fuzz
