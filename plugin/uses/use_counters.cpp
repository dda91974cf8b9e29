#include "plugin/uses/use_counters.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

namespace ddtscope::plugin {

UseCounters::UseCounters(const Options& options, Registry& registry, CounterPages& pages, CommunicatorQueries& library)
    : options_(options),
      registry_(registry),
      types_(registry.types_in_use()),
      pages_(pages),
      library_(library),
      amounts_(options.constants) {}

std::uint64_t UseCounters::hash_of(const Key& key) {
  const std::uint64_t type = (std::uint64_t{key.type.predefined.value} << 32) | key.type.number.value;
  std::uint64_t hash = type * 0x9E3779B97F4A7C15u;
  hash ^= reinterpret_cast<std::uintptr_t>(key.called) * 0xC2B2AE3D27D4EB4Fu;
  hash ^= ((std::uint64_t{key.site.value} << 8) | static_cast<std::uint64_t>(key.parameter)) * 0x165667B19E3779F9u;
  return hash ^ (hash >> 29);
}

/// With a count of 0, or at no process, the library may not have looked at a handle.
bool UseCounters::may_adopt(const UseAmount& amount) const {
  const bool is_view = amount.parameter == UseParameter::etype || amount.parameter == UseParameter::filetype;
  return amount.type != options_.null_type && (amount.elements != 0 || is_view);
}

/// Fills `found_`, and with handles that are not known `unknown_`. False where the communicator is not known.
bool UseCounters::find_types(const UsingCall& call) {
  found_.clear();
  unknown_.clear();
  is_suspicious_ = true;
  const HandleBits wanted = amounts_.wanted_communicator(call.arguments);
  const Communicator* const communicator =
      wanted != 0 ? communicators_.find(wanted) : amounts_.of_result(call.arguments, communicators_);
  if (wanted != 0 && communicator == nullptr) return false;
  HandleBits last = 0;
  TypeInUse type;
  is_suspicious_ = false;
  std::size_t first_entry = 0;
  UseParameter entries_of = UseParameter::none;
  for (const UseAmount& amount : amounts_.of(call.arguments, communicator)) {
    if (amount.type != last || amount.type == 0) type = types_.find(amount.type);
    last = amount.type;
    if (type.state == TypeInUse::State::unknown && may_adopt(amount)) unknown_.push_back(amount.type);
    if (type.state != TypeInUse::State::known || type.lacks_commit || amount.is_negative || amount.has_null_buffer ||
        amount.null_result != 0) {
      is_suspicious_ = true;
    }
    if (call.arguments.row.uses.op >= 0 && has_new_operation(type, call.arguments)) is_suspicious_ = true;
    if (amount.is_entry && amount.parameter != entries_of) {
      if (entries_of != UseParameter::none) join_entries(first_entry);
      first_entry = found_.size();
      entries_of = amount.parameter;
    }
    if (type.state != TypeInUse::State::known) continue;
    const bool is_sent = call.arguments.row.sends(amount.which);
    found_.push_back({type, amount.parameter, amount.elements, amount.smallest, amount.largest, is_sent});
  }
  if (entries_of != UseParameter::none) join_entries(first_entry);
  return true;
}

/// Entries of one array, from `first` on, that name the same type are one use.
void UseCounters::join_entries(std::size_t first) {
  const auto by_type = [](const Counted& a, const Counted& b) {
    return std::tuple(a.type.number, a.type.predefined) < std::tuple(b.type.number, b.type.predefined);
  };
  const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(begin, found_.end(), by_type)) std::sort(begin, found_.end(), by_type);
  std::size_t last = first;
  for (std::size_t i = first + 1; i < found_.size(); ++i) {
    Counted& joined = found_[last];
    if (found_[i].type != joined.type) {
      found_[++last] = found_[i];
      continue;
    }
    if (__builtin_add_overflow(joined.elements, found_[i].elements, &joined.elements)) {
      joined.elements = std::numeric_limits<std::uint64_t>::max();
    }
    joined.smallest = std::min(joined.smallest, found_[i].smallest);
    joined.largest = std::max(joined.largest, found_[i].largest);
  }
  if (found_.size() > first) found_.resize(last + 1);
}

/// Whether a call that has an operation is not known to be right with it.
bool UseCounters::has_new_operation(const TypeInUse& type, const UseCall& call) const {
  return options_.judge != nullptr && !options_.judge->knows_operation(call, type);
}

/// Of one with one type and count.
bool UseCounters::is_reduction_suspicious(const TypeInUse& type, const UseCall& call) const {
  const bool has_null_result = call.row.result_buffer >= 0 && call.words[call.row.result_buffer] == 0;
  return has_null_result || has_new_operation(type, call);
}

/// A call of which one look does not tell that it is right and what it is.
[[gnu::noinline]] UseCounters::Known UseCounters::begin_otherwise(UsingCall call, Plainly plainly) {
  Known known = Known::all;
  bool is_suspicious = plainly == Plainly::suspicious;
  if (plainly == Plainly::unknown) {
    registry_.beside([&] {
      known = count_before(call);
      is_suspicious = is_suspicious_;
    });
  }
  if (is_suspicious && options_.judge != nullptr) [[unlikely]]
    options_.judge->judge(call, communicators_);
  return known;
}

/// False where there is no memory to count such a call.
[[gnu::noinline]] bool UseCounters::remember(RecentCall& recent, UsingCall call, PlainUse plain) {
  trace::CounterRecord* const record =
      record_of({call.called, types_.find(plain.type), plain.site, call.arguments.row.uses.first.parameter});
  if (record == nullptr) {
    ++not_recorded_[call.called];
    return false;
  }
  recent = {call.called, plain.key, plain.site, record};
  return true;
}

[[gnu::noinline]] bool UseCounters::find_again(RecentCall& recent, UsingCall call, PlainUse plain) const {
  trace::CounterRecord* const record =
      find_record({call.called, types_.find(plain.type), plain.site, call.arguments.row.uses.first.parameter});
  if (record == nullptr) return false;
  recent = {call.called, plain.key, plain.site, record};
  return true;
}

UseCounters::Known UseCounters::count_before(const UsingCall& call) {
  if (!find_types(call) || !unknown_.empty()) return Known::too_few;
  count(found_, call, Sign::add);
  return Known::all;
}

void UseCounters::end(const UsingCall& call, Known known, CallOutcome outcome) {
  if (known == Known::all && outcome == CallOutcome::failed) {
    registry_.beside([&] {
      if (find_types(call)) count(found_, call, Sign::give_back);
    });
  }
  if (known == Known::too_few && options_.judge != nullptr) options_.judge->settle(call, outcome);
  if (outcome == CallOutcome::failed) return;
  if (known == Known::too_few) {
    if (const HandleBits wanted = amounts_.wanted_communicator(call.arguments)) communicator_is_alive(wanted);
    adopt_unknown(call);
    registry_.beside([&] {
      if (find_types(call)) count(found_, call, Sign::add);
    });
  }
  if (call.arguments.row.uses.request >= 0) registry_.beside([&] { remember_request(call); });
}

void UseCounters::adopt_unknown(const UsingCall& call) {
  std::vector<HandleBits> unknown;
  registry_.beside([&] {
    find_types(call);
    unknown = unknown_;
  });
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  for (const HandleBits handle : unknown) registry_.adopt_used(handle, *call.called, *call.stack);
}

void UseCounters::count(std::span<const Counted> uses, const UsingCall& call, Sign sign) {
  if (uses.empty()) return;
  const CallSiteId site = types_.site_of(*call.stack);
  const bool only_prepares = call.arguments.row.uses.request >= 0;
  for (Counted use : uses) {
    if (only_prepares) use.elements = use.smallest = use.largest = 0;
    count_one(use, {call.called, use.type, site, use.parameter}, sign);
  }
}

/// Null where there is no memory for it.
trace::CounterRecord* UseCounters::recent_record_of(const Key& key) {
  Record& recent = recent_[hash_of(key) % most_recent];
  if (recent.record != nullptr && recent.key == key) [[likely]]
    return recent.record;
  trace::CounterRecord* const record = record_of(key);
  if (record != nullptr) recent = {key, record};
  return record;
}

void UseCounters::count_one(const Counted& use, const Key& key, Sign sign) {
  trace::CounterRecord* const record = recent_record_of(key);
  if (record == nullptr) {
    if (sign == Sign::add) ++not_recorded_[key.called];
    return;
  }
  trace::UseRecord& counts = trace::use_record_of(*record);
  if (sign == Sign::give_back) {
    counts.elements -= std::min(counts.elements, use.elements);
    if (use.is_sent) counts.sent_elements -= std::min(counts.sent_elements, use.elements);
    return;
  }
  add(counts, use);
  if (!use.is_sent) return;
  ++counts.sent_calls;
  trace::add_up(counts.sent_elements, use.elements);
}

void UseCounters::arrived(const Arrived& use) {
  Key key{use.called, {}, use.site, use.parameter};
  key.type.state = TypeInUse::State::known;
  key.type.number = use.number;
  key.type.predefined = use.predefined;
  if (trace::CounterRecord* const record = known_record_of(key)) arrived(*record, use.bytes);
}

void UseCounters::arrived(const UsingCall& call, const PlainUse& plain, std::uint64_t bytes) {
  const Use& use = *call.arguments.row.uses.all()[call.arguments.row.receives];
  registry_.beside([&] {
    if (plain.record != nullptr) return arrived(*plain.record, bytes);
    const TypeInUse type = types_.find(call.arguments.handle(use.type, options_.constants));
    if (type.state != TypeInUse::State::known) return;
    const CallSiteId site = plain.key != 0 ? plain.site : types_.site_of(*call.stack);
    arrived({call.called, type.number, type.predefined, site, use.parameter, bytes});
  });
}

trace::CounterRecord* UseCounters::find_record(const Key& key) const {
  const std::uint32_t found =
      numbers_.find(hash_of(key), [&](std::uint32_t number) { return records_[number].key == key; });
  return found == IndexTable::none ? nullptr : records_[found].record;
}

/// Null where it was not counted yet.
trace::CounterRecord* UseCounters::known_record_of(Key key) const {
  const Record& recent = recent_[hash_of(key) % most_recent];
  if (recent.record != nullptr && recent.key == key) return recent.record;
  trace::CounterRecord* const known = find_record(key);
  if (known != nullptr || records_.size() * bytes_of_record < options_.most_bytes) return known;
  key.site = types_.site_not_recorded();
  return find_record(key);
}

/// Beyond their share of the memory, new call sites are counted together, and then not at all.
trace::CounterRecord* UseCounters::record_of(Key key) {
  if (trace::CounterRecord* const known = known_record_of(key)) return known;
  const std::size_t bytes = records_.size() * bytes_of_record;
  if (bytes >= options_.most_bytes) {
    key.site = types_.site_not_recorded();
    if (bytes >= options_.most_bytes + options_.most_bytes / 2) return nullptr;
  }
  trace::CounterRecord& record = pages_.add({.definition = key.type.number,
                                             .site = key.site,
                                             .called = key.called->name,
                                             .binding = key.called->binding,
                                             .parameter = key.parameter,
                                             .predefined = types_.place_in_trace(key.type)});
  records_.push_back({key, &record});
  numbers_.insert(hash_of(key), static_cast<std::uint32_t>(records_.size() - 1));
  return &record;
}

void UseCounters::remember_request(const UsingCall& call) {
  const auto* const request = reinterpret_cast<const void*>(call.arguments.words[call.arguments.row.uses.request]);
  if (request == nullptr || !find_types(call)) return;
  if (requests_.size() * (bytes_of_record + sizeof(Counted)) >= options_.most_bytes) {
    not_recorded_[call.called] += found_.size();
    return;
  }
  requests_[handle_in_memory(request, 0, options_.constants.handle_bytes)] = found_;
}

void UseCounters::start(const StartingCall& call) {
  registry_.beside([&] { count_started(call, Sign::add); });
}

void UseCounters::starting_failed(const StartingCall& call) {
  registry_.beside([&] { count_started(call, Sign::give_back); });
}

void UseCounters::count_started(const StartingCall& call, Sign sign) {
  const CallSiteId site = types_.site_of(*call.stack);
  for (const HandleBits request : call.requests) {
    const auto found = requests_.find(request);
    if (found == requests_.end()) continue;
    for (const Counted& use : found->second) count_one(use, {call.called, use.type, site, use.parameter}, sign);
  }
}

void UseCounters::request_moved(const MovedRequest& request) {
  registry_.beside([&] { move_entry(requests_, request); });
}

void UseCounters::request_freed(HandleBits request) {
  registry_.beside([&] { requests_.erase(request); });
}

void UseCounters::communicator_is_alive(HandleBits communicator) {
  bool is_new = false;
  registry_.beside([&] { is_new = communicators_.find(communicator) == nullptr; });
  if (!is_new) return;
  const Communicator described = library_.describe(communicator);  // without the lock
  registry_.beside([&] { communicators_.learn(communicator, described); });
}

void UseCounters::communicator_freed(HandleBits communicator) {
  registry_.beside([&] { communicators_.forget(communicator); });
}

void UseCounters::write(trace::Writer& writer, UnrecordedCalls& unrecorded) {
  const auto line_of = [](const Key& key) {
    return std::tuple(key.type.predefined, key.type.number, std::string_view(key.called->name),
                      std::string_view(key.called->binding), key.parameter);
  };
  std::vector<Record> all = records_;
  std::sort(all.begin(), all.end(), [&](const Record& a, const Record& b) {
    return std::tuple(line_of(a.key), a.key.site) < std::tuple(line_of(b.key), b.key.site);
  });
  std::vector<trace::SiteUses> sites;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Key& key = all[i].key;
    sites.push_back({key.site, trace::use_counts_of(*all[i].record), {}});
    if (i + 1 < all.size() && line_of(all[i + 1].key) == line_of(key)) continue;
    writer.uses({.definition = key.type.number,
                 .predefined = types_.predefined_name(key.type),
                 .called = key.called->name,
                 .binding = key.called->binding,
                 .parameter = key.parameter,
                 .sites = sites});
    sites.clear();
  }
  for (const auto& [called, number] : not_recorded_) unrecorded.count(*called, trace::no_memory_for_uses, number);
}

}  // namespace ddtscope::plugin
