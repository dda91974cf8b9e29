// Which struct of the program a datatype stands for, and where the two differ. The program's file must be on this
// machine, compiled with -g, and of the build that ran.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reporters/model/job.h"
#include "reporters/model/job_findings.h"
#include "reporters/source/source_type.h"
#include "reporters/struct_layout/comparison.h"

namespace ddtscope::reporters {

struct StructLayout {
  TypeNumber type;
  NamedRecord record;
  std::vector<ComparedPart> parts;
  Exact extent;                   // of the datatype, bytes
  std::uint64_t most_copies = 0;  // that one call used, as far as uses were recorded
  /// The program gave the type the struct's name; else no other struct fits, and this one fits in all.
  bool is_by_name = false;

  bool has_wrong_extent() const { return most_copies > 1 && extent != Exact(record.type->size); }
};
/// The worst of its parts and of its extent; none where all fits.
std::optional<Severity> severity_of(const StructLayout& layout);

/// Whether it is made by MPI_Type_create_struct, resized or not, and has no more entries than can be held against a
/// struct.
bool is_struct_like(const Job& job, TypeNumber type);

/// Those of the types that are struct-like and for which a struct is known, by type. Files with more bytes of debugging
/// information are left out.
/// `why_not`, where it is not null, gets why nothing is known of the others' files, a sentence each.
std::vector<StructLayout> struct_layouts(const Job& job, std::span<const TypeNumber> types,
                                         std::vector<std::string>* why_not = nullptr);

/// `struct-layout` of all types of the job.
std::vector<JobFinding> findings_of_structs(const Job& job);

}  // namespace ddtscope::reporters
