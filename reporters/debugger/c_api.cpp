// The C API over a session (ddtscope_debug.h).
#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "decoder/base/of_thread.h"
#include "decoder/definition/observed_bounds.h"
#include "reporters/debugger/ddtscope_debug.h"
#include "reporters/debugger/session.h"
#include "reporters/merge/merge.h"
#include "reporters/text/words.h"

struct ddtscope_debug {
  /// What was wrong with the last call. Where memory was lacking, there may be none for a sentence.
  struct Message {
    std::string sentence;
    bool lacks_memory = false;

    const char* text() const { return lacks_memory ? "there is not enough memory." : sentence.c_str(); }
  };

  std::unique_ptr<ddtscope::reporters::DebugSession> session;
  Message message;
  std::string text, second_text;
};

namespace ddtscope::reporters {
namespace {

/// Where there is no session.
ddtscope_debug::Message& last_message() { return OfThread<ddtscope_debug::Message>::get(); }

struct Problem {
  int error;
  std::string sentence;
};

/// Turns whatever goes wrong into an error and its sentence.
template <class Act>
int guarded(ddtscope_debug::Message& message, Act act) {
  try {
    message = {};
    act();
    return DDTSCOPE_SUCCESS;
  } catch (const Problem& problem) {
    message.sentence = problem.sentence;
    return problem.error;
  } catch (const std::invalid_argument& error) {
    message.sentence = error.what();
    return DDTSCOPE_ERR_ARG;
  } catch (const std::bad_alloc&) {
    message.lacks_memory = true;
    return DDTSCOPE_ERR_NO_MEM;
  } catch (const std::exception& error) {
    message.sentence = error.what();
    return DDTSCOPE_ERR_INTERN;
  } catch (...) {
    return DDTSCOPE_ERR_INTERN;
  }
}

template <class Act>
int call(ddtscope_debug* debug, Act act) {
  if (debug == nullptr) {
    last_message() = {"no session was given.", false};
    return DDTSCOPE_ERR_ARG;
  }
  return guarded(debug->message, [&] { act(*debug->session); });
}

template <class Act>
int text_call(ddtscope_debug* debug, const char** text, Act act) {
  return call(debug, [&](DebugSession& session) {
    if (text == nullptr) throw std::invalid_argument("no place for the text was given.");
    debug->text = act(session);
    *text = debug->text.c_str();
  });
}

DefinitionId definition_of(const DebugSession& session, std::uint32_t number) {
  if (number >= session.job().layouts.size()) throw Problem{DDTSCOPE_ERR_TYPE, "this is no datatype."};
  return DefinitionId{number};
}

int state_of(FoundType::State state) {
  switch (state) {
    case FoundType::State::unknown:
      return DDTSCOPE_DEBUG_UNKNOWN;
    case FoundType::State::live:
      return DDTSCOPE_DEBUG_LIVE;
    case FoundType::State::dying:
      return DDTSCOPE_DEBUG_DYING;
    case FoundType::State::freed:
      return DDTSCOPE_DEBUG_FREED;
    case FoundType::State::dropped:
      return DDTSCOPE_DEBUG_DROPPED;
    case FoundType::State::changing:
      return DDTSCOPE_DEBUG_CHANGING;
    case FoundType::State::named:
      return DDTSCOPE_DEBUG_NAMED;
  }
  return DDTSCOPE_DEBUG_UNKNOWN;
}

FoundType::State state_of(int state) {
  for (const FoundType::State known :
       {FoundType::State::live, FoundType::State::dying, FoundType::State::freed, FoundType::State::dropped,
        FoundType::State::changing, FoundType::State::named}) {
    if (state_of(known) == state) return known;
  }
  return FoundType::State::unknown;
}

int commit_of(FoundType::Commit commit) {
  switch (commit) {
    case FoundType::Commit::none:
      return DDTSCOPE_DEBUG_NOT_COMMITTED;
    case FoundType::Commit::seen:
      return DDTSCOPE_DEBUG_COMMITTED;
    case FoundType::Commit::not_needed:
      return DDTSCOPE_DEBUG_NEEDS_NO_COMMIT;
  }
  return DDTSCOPE_DEBUG_NOT_COMMITTED;
}

FoundType::Commit commit_of(int commit) {
  for (const FoundType::Commit known : {FoundType::Commit::seen, FoundType::Commit::not_needed}) {
    if (commit_of(known) == commit) return known;
  }
  return FoundType::Commit::none;
}

ddtscope_debug_type public_type(const DebugSession& session, const FoundType& found) {
  ddtscope_debug_type type{};
  type.state = state_of(found.state);
  type.is_committed = commit_of(found.commit);
  type.is_predefined = found.is_predefined ? 1 : 0;
  type.number = found.definition.valid() ? found.definition.value : DDTSCOPE_DEBUG_NO_TYPE;
  type.handle = found.handle;
  std::int64_t* const places[] = {&type.size, &type.lb, &type.extent, &type.true_lb, &type.true_extent};
  ObservedBounds bounds;
  if (found.definition.valid()) {
    const Layouts& layouts = session.job().layouts;
    if (const auto observed = layouts.observed(found.definition)) {
      bounds = *observed;
    } else {
      const Bounds& computed = layouts.computed(found.definition);
      bounds = {computed.size.to_int64(), computed.lb.to_int64(), computed.extent.to_int64(),
                computed.true_lb.to_int64(), computed.true_extent.to_int64()};
    }
  }
  for (std::size_t i = 0; i < std::size(places); ++i) {
    const std::optional<std::int64_t>& value = bounds.*observed_bounds[i];
    *places[i] = value.value_or(DDTSCOPE_UNDEFINED);
    if (!value) type.undefined |= std::uint32_t{1} << i;
  }
  return type;
}

void check_limit(std::size_t limit) {
  if (limit <= DDTSCOPE_DEBUG_HIGHEST_LIMIT) return;
  throw std::invalid_argument("a limit of " + grouped(limit) + " is too much to print; the highest is " +
                              grouped(std::uint64_t{DDTSCOPE_DEBUG_HIGHEST_LIMIT}) + ".");
}

template <class Find>
int find_call(ddtscope_debug* debug, ddtscope_debug_type* type, Find find) {
  return call(debug, [&](DebugSession& session) {
    if (type == nullptr) throw std::invalid_argument("no place for the type was given.");
    *type = public_type(session, find(session));
  });
}

ReadMemory reader_of(ddtscope_debug_read read, void* user) {
  if (read == nullptr) throw std::invalid_argument("no function that reads memory was given.");
  return
      [read, user](std::uint64_t address, void* to, std::size_t bytes) { return read(user, address, to, bytes) == 0; };
}

}  // namespace
}  // namespace ddtscope::reporters

using namespace ddtscope;
using namespace ddtscope::reporters;

int ddtscope_debug_find(ddtscope_debug_read read, void* user, const ddtscope_debug_range ranges[], size_t number,
                        uint64_t* address) {
  return guarded(last_message(), [&] {
    if (address == nullptr || (ranges == nullptr && number != 0)) throw std::invalid_argument("no ranges were given.");
    std::vector<MemoryRange> searched;
    for (size_t i = 0; i < number; ++i) searched.push_back({ranges[i].begin, ranges[i].end});
    const auto found = find_debug_view(reader_of(read, user), searched);
    if (!found) throw Problem{DDTSCOPE_ERR_OTHER, "no view of ddtscope's is in the memory."};
    *address = *found;
  });
}

namespace {

/// Where a view is, and who reads it.
struct ViewPlace {
  ddtscope_debug_read read;
  void* user;
  uint64_t address;
  const char* name;
};

int open_session(const ViewPlace& place, Instant instant, ddtscope_debug** session) {
  return guarded(last_message(), [&] {
    if (session == nullptr) throw std::invalid_argument("no place for the session was given.");
    auto opened = DebugSession::open(reader_of(place.read, place.user), place.address,
                                     place.name != nullptr ? place.name : "the process", instant);
    if (auto* sentence = std::get_if<std::string>(&opened)) {
      throw Problem{DDTSCOPE_ERR_OTHER, std::move(*sentence)};
    }
    auto debug = std::make_unique<ddtscope_debug>();
    debug->session = std::move(std::get<std::unique_ptr<DebugSession>>(opened));
    *session = debug.release();
  });
}

}  // namespace

int ddtscope_debug_open(ddtscope_debug_read read, void* user, uint64_t address, const char* name,
                        ddtscope_debug** session) {
  return open_session({read, user, address, name}, Instant::now, session);
}

int ddtscope_debug_open_core(ddtscope_debug_read read, void* user, uint64_t address, const char* name,
                             ddtscope_debug** session) {
  return open_session({read, user, address, name}, Instant::past, session);
}

void ddtscope_debug_close(ddtscope_debug** session) {
  if (session == nullptr) return;
  delete *session;
  *session = nullptr;
}

const char* ddtscope_debug_message(const ddtscope_debug* debug) {
  return (debug != nullptr ? debug->message : last_message()).text();
}

int ddtscope_debug_get_facts(ddtscope_debug* debug, ddtscope_debug_facts* facts) {
  return call(debug, [&](DebugSession& session) {
    if (facts == nullptr) throw std::invalid_argument("no place for the facts was given.");
    const trace::DebugView& view = session.view().view;
    *facts = {static_cast<int>(view.mpi_datatype_bytes),
              view.state == static_cast<std::uint32_t>(trace::DebugViewState::ended) ? 1 : 0,
              view.rank,
              view.pid,
              session.view().damage_count,
              view.size};
  });
}

int ddtscope_debug_notes(ddtscope_debug* debug, const char** text) {
  return text_call(debug, text, [](DebugSession& session) {
    std::string notes;
    for (const std::string& note : session.job().notes) notes += printable(note) + "\n";
    return notes;
  });
}

int ddtscope_debug_find_handle(ddtscope_debug* debug, uint64_t handle, ddtscope_debug_type* type) {
  return find_call(debug, type, [&](DebugSession& session) { return session.find_handle(handle); });
}

int ddtscope_debug_is_current(ddtscope_debug* debug, uint64_t handle, int* is_current) {
  return call(debug, [&](DebugSession& session) {
    if (is_current == nullptr) throw std::invalid_argument("no place for the answer was given.");
    *is_current = session.is_current(handle) ? 1 : 0;
  });
}

int ddtscope_debug_find_fortran(ddtscope_debug* debug, int64_t integer, ddtscope_debug_type* type) {
  return find_call(debug, type, [&](DebugSession& session) { return session.find_fortran(integer); });
}

int ddtscope_debug_freed_at(ddtscope_debug* debug, uint64_t handle, uint64_t* address) {
  return call(debug, [&](DebugSession& session) {
    if (address == nullptr) throw std::invalid_argument("no place for the address was given.");
    const bool is_freed = session.find_handle(handle).state == FoundType::State::freed;
    *address = is_freed ? session.freed_at(handle) : 0;
  });
}

int ddtscope_debug_find_text(ddtscope_debug* debug, const char* text, ddtscope_debug_type* type) {
  return find_call(debug, type, [&](DebugSession& session) {
    auto found = session.find_text(text != nullptr ? text : "");
    if (auto* sentence = std::get_if<std::string>(&found)) throw Problem{DDTSCOPE_ERR_TYPE, std::move(*sentence)};
    return std::get<FoundType>(found);
  });
}

int ddtscope_debug_line(ddtscope_debug* debug, const ddtscope_debug_type* type, const char** text) {
  return text_call(debug, text, [&](DebugSession& session) {
    if (type == nullptr) throw std::invalid_argument("no type was given.");
    FoundType found;
    found.state = state_of(type->state);
    found.commit = commit_of(type->is_committed);
    found.is_predefined = type->is_predefined != 0;
    found.handle = type->handle;
    if (type->number != DDTSCOPE_DEBUG_NO_TYPE) found.definition = definition_of(session, type->number);
    return one_line_of(session, found);
  });
}

int ddtscope_debug_names(ddtscope_debug* debug, uint32_t type, const char** id, const char** name) {
  return call(debug, [&](DebugSession& session) {
    if (id == nullptr || name == nullptr) throw std::invalid_argument("no place for the names was given.");
    const DefinitionId definition = definition_of(session, type);
    const Job& job = session.job();
    const TypeNumber number = job.number_of(definition);
    debug->text = printable(job.name_of(definition));
    debug->second_text = number.valid() && !job.names(number).empty() ? printable(job.names(number).front()) : "";
    *id = debug->text.c_str();
    *name = debug->second_text.c_str();
  });
}

int ddtscope_debug_list(ddtscope_debug* debug, int which, const char* name, const char* site, size_t limit,
                        const char** text) {
  return text_call(debug, text, [&](DebugSession& session) {
    if (which < DDTSCOPE_DEBUG_ALL || which > DDTSCOPE_DEBUG_FREED_ONLY) {
      throw std::invalid_argument("which types are wanted is not said by a number from 0 to 2.");
    }
    check_limit(limit);
    constexpr ListOptions::Which choices[] = {ListOptions::Which::all, ListOptions::Which::live,
                                              ListOptions::Which::freed};
    return list_of_types(session, {choices[which], name != nullptr ? name : "", site != nullptr ? site : "", limit});
  });
}

int ddtscope_debug_show(ddtscope_debug* debug, uint32_t type, const char* view, size_t entries, const char** text) {
  return text_call(debug, text, [&](DebugSession& session) {
    check_limit(entries);
    const auto wanted = view != nullptr ? view_of_text(view) : std::nullopt;
    if (view != nullptr && !wanted) throw std::invalid_argument("a view is rows, grid, runs or tree.");
    return show_type(session, definition_of(session, type), wanted,
                     entries != 0 ? std::optional(entries) : std::nullopt);
  });
}

int ddtscope_debug_code(ddtscope_debug* debug, uint32_t type, const char** text) {
  return text_call(debug, text,
                   [&](DebugSession& session) { return code_of_type(session, definition_of(session, type)); });
}

int ddtscope_debug_check(ddtscope_debug* debug, const char** text) {
  return text_call(debug, text, [](DebugSession& session) { return check_types(session); });
}

int ddtscope_debug_messages(ddtscope_debug* debug, const char** text) {
  return text_call(debug, text, [](DebugSession& session) { return messages_under_way(session); });
}

int ddtscope_debug_windows(ddtscope_debug* debug, const char** text) {
  return text_call(debug, text, [](DebugSession& session) { return windows_under_way(session); });
}

int ddtscope_debug_set_array(ddtscope_debug* debug, const ddtscope_debug_array* array) {
  return call(debug, [&](DebugSession& session) {
    session.array.reset();
    if (array == nullptr) return;
    constexpr std::size_t most_dimensions = 8;
    if (array->name == nullptr || array->sizes == nullptr || array->dimensions < 1 ||
        array->dimensions > most_dimensions || array->element_bytes < 1) {
      throw std::invalid_argument("an array has a name, 1 to 8 sizes, and elements of some bytes.");
    }
    const std::vector<std::int64_t> sizes(array->sizes, array->sizes + array->dimensions);
    if (sizes.front() < 0 || std::any_of(sizes.begin() + 1, sizes.end(), [](std::int64_t size) { return size < 1; })) {
      throw std::invalid_argument("an array's sizes are positive; only the first may be 0, where it is not known.");
    }
    session.array = NamedArray{array->name, array->address, array->element_bytes, sizes};
  });
}

int ddtscope_debug_values(ddtscope_debug* debug, uint32_t type, uint64_t buffer, int64_t count, size_t limit,
                          int with_holes, const char** text) {
  return text_call(debug, text, [&](DebugSession& session) {
    check_limit(limit);
    return values_in_buffer(session, {definition_of(session, type), buffer, count}, {limit, with_holes != 0});
  });
}

int ddtscope_debug_where(ddtscope_debug* debug, uint32_t type, uint64_t buffer, int64_t count, uint64_t address,
                         const char** text) {
  return text_call(debug, text, [&](DebugSession& session) {
    return where_in_buffer(session, {definition_of(session, type), buffer, count}, address);
  });
}

int ddtscope_debug_touched(ddtscope_debug* debug, uint32_t type, uint64_t buffer, int64_t displacement, int64_t count,
                           const char** text) {
  return text_call(debug, text, [&](DebugSession& session) {
    return touched_by_buffer(session, {definition_of(session, type), buffer, count}, displacement);
  });
}

int ddtscope_debug_entries(ddtscope_debug* debug, uint32_t type, int64_t count, int64_t first, size_t max_entries,
                           ddtscope_debug_entry entries[], size_t* number) {
  return call(debug, [&](DebugSession& session) {
    if (number == nullptr || (entries == nullptr && max_entries != 0)) {
      throw std::invalid_argument("no place for the entries was given.");
    }
    if (count < 0 || first < 0) throw Problem{DDTSCOPE_ERR_COUNT, "a count or a first entry is negative."};
    const DefinitionId id = definition_of(session, type);
    const Layouts& layouts = session.job().layouts;
    TypemapCursor cursor(session.index(), layouts.root(id), {count, layouts.extent(id)});
    std::size_t got = 0;
    if (first == 0 || cursor.seek(first)) {
      for (TypemapEntry entry; got < max_entries && cursor.next(entry); ++got) {
        const PredefinedType& basic = session.job().store.predefined()[entry.type];
        const auto offset = entry.displacement.to_int64();
        if (!offset) throw Problem{DDTSCOPE_ERR_VALUE_TOO_LARGE, "an offset does not fit 64 bits."};
        entries[got] = {*offset, basic.size, basic.name.c_str()};
      }
    }
    *number = got;
  });
}

int ddtscope_debug_save(ddtscope_debug* debug, const char* file) {
  return call(debug, [&](DebugSession& session) {
    if (file == nullptr || *file == '\0') throw std::invalid_argument("no file was given.");
    if (auto problem = write_merged(session.job(), file)) {
      throw Problem{DDTSCOPE_ERR_OTHER, std::move(problem->sentence)};
    }
  });
}
