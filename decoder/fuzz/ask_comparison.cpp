// Questions about two types, or a type and its copies: what equal answers must come with.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "decoder/fuzz/exact_values.h"
#include "decoder/fuzz/questions.h"
#include "decoder/fuzz/text.h"

namespace ddtscope::fuzz {
namespace {

constexpr std::size_t most_entries = 128;
constexpr int library_rules = 3;  // the standard and the libraries: what was observed is apart

bool is_same(const ddtscope_bounds& a, const ddtscope_bounds& b) {
  return is_equal(a.size, b.size) && is_equal(a.lb, b.lb) && is_equal(a.ub, b.ub) && is_equal(a.extent, b.extent) &&
         is_equal(a.true_lb, b.true_lb) && is_equal(a.true_ub, b.true_ub) && is_equal(a.true_extent, b.true_extent);
}

bool have_equal_bounds(Session& s, ddtscope_datatype a, ddtscope_datatype b, int rule) {
  ddtscope_bounds of_a{}, of_b{};
  FUZZ_CHECK(s, s.succeeded(ddtscope_get_bounds(s.context, a, rule, &of_a)));
  FUZZ_CHECK(s, s.succeeded(ddtscope_get_bounds(s.context, b, rule, &of_b)));
  return is_same(of_a, of_b);
}

bool is_same(const ddtscope_fingerprint& a, const ddtscope_fingerprint& b) {
  return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

/// Equal typemaps, or neither fits.
bool have_equal_layouts(Session& s, ddtscope_datatype a, ddtscope_datatype b, int rule) {
  ddtscope_fingerprint of_a{}, of_b{};
  const bool fits = s.succeeded(ddtscope_layout_fingerprint(s.context, a, rule, &of_a));
  if (fits != s.succeeded(ddtscope_layout_fingerprint(s.context, b, rule, &of_b))) return false;
  return !fits || is_same(of_a, of_b);
}

/// The entries of so many copies; empty too where they are many or do not fit.
std::vector<ddtscope_entry> few_entries(Session& s, ddtscope_datatype type, int rule, std::int64_t count) {
  std::vector<ddtscope_entry> all(most_entries + 1);
  std::size_t number = 0;
  const int status =
      ddtscope_get_entries(s.context, type, rule, count, ddtscope_integer_of(0), all.size(), all.data(), &number);
  all.resize(s.succeeded(status) && number <= most_entries ? number : 0);
  return all;
}

}  // namespace

void ask_fingerprints(Session& s) {
  const ddtscope_datatype a = s.any_type();
  const ddtscope_datatype b = s.any_type();
  const int rule = s.any_rule();
  ddtscope_fingerprint layout_a{}, layout_b{}, signature_a{}, signature_b{};
  if (!s.succeeded(ddtscope_layout_fingerprint(s.context, a, rule, &layout_a)) ||
      !s.succeeded(ddtscope_layout_fingerprint(s.context, b, rule, &layout_b))) {
    return;
  }
  FUZZ_CHECK(s, s.succeeded(ddtscope_signature_fingerprint(s.context, a, &signature_a)));
  FUZZ_CHECK(s, s.succeeded(ddtscope_signature_fingerprint(s.context, b, &signature_b)));
  if (is_same(layout_a, layout_b)) FUZZ_CHECK(s, is_same(signature_a, signature_b));
  const std::vector<ddtscope_entry> of_a = few_entries(s, a, rule, 1);
  const std::vector<ddtscope_entry> of_b = few_entries(s, b, rule, 1);
  if (of_a.empty() || of_b.empty()) return;
  const auto is_same_type = [](const ddtscope_entry& x, const ddtscope_entry& y) {
    return std::strcmp(x.basic_type, y.basic_type) == 0;
  };
  const auto is_same_entry = [&](const ddtscope_entry& x, const ddtscope_entry& y) {
    return is_same_type(x, y) && x.displacement == y.displacement;
  };
  const bool same_layout = std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), is_same_entry);
  const bool same_signature = std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), is_same_type);
  FUZZ_CHECK(s, same_layout == is_same(layout_a, layout_b));
  FUZZ_CHECK(s, same_signature == is_same(signature_a, signature_b));
}

void ask_match(Session& s) {
  const ddtscope_datatype send = s.any_type();
  const ddtscope_datatype receive = s.input.one_in(3) ? send : s.any_type();
  const std::int64_t n = s.input.count();
  const std::int64_t m = s.input.one_in(3) ? n : s.input.count();
  const int rule = s.any_rule();
  ddtscope_match match{};
  if (!s.succeeded(ddtscope_get_match(s.context, send, n, receive, m, rule, &match))) return;
  FUZZ_CHECK(s, match.result >= DDTSCOPE_MATCH_EQUAL && match.result <= DDTSCOPE_MATCH_UNDECIDED);
  FUZZ_CHECK(s, match.is_allowed == (match.result <= DDTSCOPE_MATCH_PACKED ? 1 : 0));
  FUZZ_CHECK(s, match.has_difference == 0 || match.result >= DDTSCOPE_MATCH_SEND_LONGER);
  if (send == receive && match.result != DDTSCOPE_MATCH_UNDECIDED && match.result != DDTSCOPE_MATCH_PACKED) {
    ddtscope_typemap map{};
    FUZZ_CHECK(s, s.succeeded(ddtscope_get_typemap(s.context, send, rule, 1, &map)));
    const bool is_empty = value_of(map.entries) == Wide{0};
    const int expected = n == m || is_empty ? DDTSCOPE_MATCH_EQUAL
                         : n < m            ? DDTSCOPE_MATCH_RECEIVE_LONGER
                                            : DDTSCOPE_MATCH_SEND_LONGER;
    FUZZ_CHECK(s, match.result == expected);
  }
  ddtscope_match back{};
  FUZZ_CHECK(s, s.succeeded(ddtscope_get_match(s.context, receive, m, send, n, rule, &back)));
  FUZZ_CHECK(s, (match.result == DDTSCOPE_MATCH_EQUAL) == (back.result == DDTSCOPE_MATCH_EQUAL));
  if (match.result == DDTSCOPE_MATCH_DIFFERENT_TYPES || match.result == DDTSCOPE_MATCH_BYTES_AND_TYPES) {
    FUZZ_CHECK(s, back.result == match.result && is_equal(back.entry, match.entry));
  }
  const std::vector<ddtscope_entry> sent = few_entries(s, send, rule, n);
  const std::vector<ddtscope_entry> received = few_entries(s, receive, rule, m);
  // Packed data is compared by bytes.
  const auto is_packed = [](const ddtscope_entry& entry) { return std::strcmp(entry.basic_type, "MPI_PACKED") == 0; };
  if (!sent.empty() && !received.empty() && std::none_of(sent.begin(), sent.end(), is_packed) &&
      std::none_of(received.begin(), received.end(), is_packed)) {
    std::size_t same = 0;
    while (same < sent.size() && same < received.size() &&
           std::strcmp(sent[same].basic_type, received[same].basic_type) == 0) {
      ++same;
    }
    FUZZ_CHECK(s, (match.result == DDTSCOPE_MATCH_EQUAL) == (same == sent.size() && same == received.size()));
    if (match.has_difference != 0) {
      FUZZ_CHECK(s, value_of(match.entry) == static_cast<Wide>(same));
      FUZZ_CHECK(s, value_of(match.send_displacement) == Wide{sent[same].displacement});
    }
  }
  const std::string text = text_of(s, [&](char* buffer, std::size_t size, std::size_t* length) {
    return ddtscope_match_text(s.context, send, n, receive, m, rule, buffer, size, length);
  });
  FUZZ_CHECK(s, !text.empty());
}

void ask_overlap(Session& s) {
  const ddtscope_datatype type = s.any_type();
  const int rule = s.any_rule();
  const std::int64_t count = s.input.count();
  ddtscope_overlap overlap{};
  if (!s.succeeded(ddtscope_get_overlap(s.context, type, rule, count, &overlap))) return;
  const std::vector<ddtscope_entry> all = few_entries(s, type, rule, count);
  if (all.empty()) return;
  const std::size_t per_copy = all.size() / static_cast<std::size_t>(count);
  bool within = false, anywhere = false;
  std::size_t nearest = SIZE_MAX;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (Wide{all[i].displacement} + all[i].size <= Wide{all[k].displacement} ||
          Wide{all[k].displacement} + all[k].size <= Wide{all[i].displacement}) {
        continue;
      }
      anywhere = true;
      const std::size_t apart = k / per_copy - i / per_copy;
      if (apart == 0) within = true;
      if (apart != 0) nearest = std::min(nearest, apart);
    }
  }
  const auto is = [](int answer, bool expected) {
    return answer == DDTSCOPE_UNDECIDED || answer == (expected ? DDTSCOPE_YES : DDTSCOPE_NO);
  };
  FUZZ_CHECK(s, is(overlap.within, within) && is(overlap.of_count, anywhere));
  if (nearest == SIZE_MAX) {
    // Copies may still meet farther away.
    const std::optional<Wide> copies = value_of(overlap.nearest_copies);
    if (overlap.copies == DDTSCOPE_YES && copies) FUZZ_CHECK(s, *copies >= count);
    return;
  }
  FUZZ_CHECK(s, is(overlap.copies, true));
  if (overlap.nearest_copies.bits != 0) FUZZ_CHECK(s, value_of(overlap.nearest_copies) == static_cast<Wide>(nearest));
}

void ask_findings(Session& s) {
  const ddtscope_datatype type = s.any_type();
  const int rule = s.any_rule();
  std::vector<ddtscope_finding> findings(s.input.choice(20));
  std::size_t number = 0;
  if (!s.succeeded(ddtscope_get_findings(s.context, type, rule, findings.size(), findings.data(), &number))) return;
  findings.resize(std::min(number, findings.size()));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const ddtscope_finding& finding = findings[i];
    FUZZ_CHECK(s, finding.kind != nullptr && finding.severity >= 0 && finding.severity <= finding.kind->severity);
    FUZZ_CHECK(s, *finding.message != '\0' && *finding.advice != '\0');
    FUZZ_CHECK(s, i == 0 || finding.severity <= findings[i - 1].severity);
  }
}

void ask_portability(Session& s) {
  const ddtscope_datatype type = s.any_type();
  ddtscope_portability portability{};
  std::vector<const char*> reasons(s.input.choice(10));
  std::size_t number = 0;
  if (!s.succeeded(ddtscope_get_portability(s.context, type, &portability, reasons.size(), reasons.data(), &number))) {
    return;
  }
  FUZZ_CHECK(s, (portability.is_portable != 0) == (number == 0));
  for (std::size_t i = 0; i < std::min(number, reasons.size()); ++i) FUZZ_CHECK(s, *reasons[i] != '\0');
  FUZZ_CHECK(s, portability.moves_entries == 0 || portability.moves_data != 0);
  FUZZ_CHECK(s, portability.is_portable == 0 || portability.moves_data == 0);
  if (portability.moves_entries != 0) return;
  ddtscope_fingerprint first{};
  const bool fits = s.succeeded(ddtscope_layout_fingerprint(s.context, type, 0, &first));
  for (int rule = 1; rule < library_rules; ++rule) {
    ddtscope_fingerprint other{};
    FUZZ_CHECK(s, s.succeeded(ddtscope_layout_fingerprint(s.context, type, rule, &other)) == fits);
    FUZZ_CHECK(s, !fits || is_same(first, other));
  }
}

void ask_normal_form(Session& s) {
  const ddtscope_datatype type = s.any_type();
  const int rule = s.any_rule();
  ddtscope_datatype normal = DDTSCOPE_DATATYPE_NULL;
  if (!s.succeeded(ddtscope_type_normal_form(s.context, type, rule, &normal))) return;
  const std::string simpler = text_of(s, [&](char* buffer, std::size_t size, std::size_t* length) {
    return ddtscope_simpler_text(s.context, type, rule, buffer, size, length);
  });
  FUZZ_CHECK(s, simpler.empty() || normal != type);
  if (normal == type) return;
  for (int each = 0; each < library_rules; ++each) {
    FUZZ_CHECK(s, have_equal_bounds(s, type, normal, each));
    FUZZ_CHECK(s, have_equal_layouts(s, type, normal, each));
  }
  if (!s.is_observed) FUZZ_CHECK(s, have_equal_layouts(s, type, normal, DDTSCOPE_RULE_OBSERVED));
}

void ask_elements(Session& s) {
  const ddtscope_datatype type = s.any_type();
  std::int64_t count = 0;
  if (!s.succeeded(ddtscope_type_count(s.context, type, &count))) return;
  int combiner = 0;
  const bool is_vector_like = count > 64;
  std::int64_t room = is_vector_like ? 1 : count;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(room)), at(static_cast<std::size_t>(room));
  std::vector<ddtscope_datatype> types(static_cast<std::size_t>(room));
  if (!s.succeeded(
          ddtscope_type_elements(s.context, type, &room, &combiner, lengths.data(), at.data(), types.data()))) {
    return;
  }
  FUZZ_CHECK(s, room == std::min<std::int64_t>(count, static_cast<std::int64_t>(types.size())));
  ddtscope_datatype again = DDTSCOPE_DATATYPE_NULL;
  int status = DDTSCOPE_SUCCESS;
  switch (combiner) {
    case DDTSCOPE_CONTIG:
      status = ddtscope_type_contiguous_c(s.context, lengths[0], types[0], &again);
      break;
    case DDTSCOPE_VECTOR:
    case DDTSCOPE_HVECTOR:
      if (count == 0) return;
      status = combiner == DDTSCOPE_VECTOR
                   ? ddtscope_type_vector_c(s.context, count, lengths[0], at[0], types[0], &again)
                   : ddtscope_type_create_hvector_c(s.context, count, lengths[0], at[0], types[0], &again);
      break;
    case DDTSCOPE_INDEXED:
    case DDTSCOPE_HINDEXED:
      if (is_vector_like || count == 0) return;
      status = combiner == DDTSCOPE_INDEXED
                   ? ddtscope_type_indexed_c(s.context, count, lengths.data(), at.data(), types[0], &again)
                   : ddtscope_type_create_hindexed_c(s.context, count, lengths.data(), at.data(), types[0], &again);
      break;
    case DDTSCOPE_STRUCT:
      if (is_vector_like) return;
      status = ddtscope_type_create_struct_c(s.context, count, lengths.data(), at.data(), types.data(), &again);
      break;
    case DDTSCOPE_RESIZED: {
      FUZZ_CHECK(s, count == 3);
      const Wide extent = Wide{at[2]} - at[0];
      if (extent != static_cast<std::int64_t>(extent)) return;
      status = ddtscope_type_create_resized_c(s.context, types[1], at[0], static_cast<std::int64_t>(extent), &again);
      break;
    }
    default:
      FUZZ_CHECK(s, combiner == DDTSCOPE_BASIC && count == 1 && types[0] == type);
      return;
  }
  FUZZ_CHECK(s, s.succeeded(status));
  FUZZ_CHECK(s, have_equal_bounds(s, type, again, DDTSCOPE_RULE_STANDARD));
  FUZZ_CHECK(s, have_equal_layouts(s, type, again, DDTSCOPE_RULE_STANDARD));
}

void ask_contents(Session& s) {
  const ddtscope_datatype type = s.any_type();
  int integers = 0, addresses = 0, datatypes = 0, combiner = 0;
  if (!s.succeeded(ddtscope_type_get_envelope(s.context, type, &integers, &addresses, &datatypes, &combiner))) return;
  // More room than is needed, just enough, or less.
  const auto room = [&](int needed) {
    return needed + static_cast<int>(s.input.choice(8)) / 3 - (s.input.one_in(16) ? 1 : 0);
  };
  const int most_integers = room(integers), most_addresses = room(addresses), most_datatypes = room(datatypes);
  std::vector<int> i(static_cast<std::size_t>(std::max(most_integers, 0)));
  std::vector<std::int64_t> a(static_cast<std::size_t>(std::max(most_addresses, 0)));
  std::vector<ddtscope_datatype> d(static_cast<std::size_t>(std::max(most_datatypes, 0)));
  const int status = ddtscope_type_get_contents(s.context, type, most_integers, most_addresses, most_datatypes,
                                                i.data(), a.data(), d.data());
  const bool is_enough = most_integers >= integers && most_addresses >= addresses && most_datatypes >= datatypes;
  FUZZ_CHECK(s, s.succeeded(status) == (is_enough && combiner != DDTSCOPE_COMBINER_NAMED));
}

}  // namespace ddtscope::fuzz
