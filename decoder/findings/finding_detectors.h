// The findings, one function each: a draft where the type has it.
#pragma once

#include "decoder/findings/finding_subject.h"

namespace ddtscope::findings {

MaybeDraft exceeds_int(const Subject& s);
MaybeDraft missing_resize(const Subject& s);
MaybeDraft beyond_bounds(const Subject& s);
MaybeDraft negative_lb(const Subject& s);
MaybeDraft gap_before_lb(const Subject& s);
MaybeDraft negative_extent(const Subject& s);

MaybeDraft copies_overlap(const Subject& s);
MaybeDraft entries_overlap(const Subject& s);

MaybeDraft misaligned_members(const Subject& s);
MaybeDraft absolute_addresses(const Subject& s);
MaybeDraft empty_type(const Subject& s);
MaybeDraft empty_blocks(const Subject& s);
MaybeDraft removed_markers(const Subject& s);
MaybeDraft simpler_type(const Subject& s);

MaybeDraft not_portable(const Subject& s);
MaybeDraft library_disagrees(const Subject& s);

}  // namespace ddtscope::findings
