// Stacks by rules and by libunwind's unw_backtrace, and the tree of frames.
#include "plugin/call/call_site.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "plugin/base/call_instruction.h"
#include "plugin/base/kept_errno.h"
#include "plugin/base/loaded_module.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::plugin {
namespace {

// unw_backtrace is a symbol of its own in every build of libunwind 1.x for Linux.
constexpr const char* libunwind_soname = "libunwind.so.8";

}  // namespace

CallSites::CallSites(int depth, std::function<bool(std::string_view)> is_library_module, std::size_t most_bytes)
    : most_bytes_(most_bytes) {
  if (depth <= 0) return;
  depth_ = std::min(depth, trace::largest_stack_depth);
  rules_ = std::make_unique<FrameRules>();
  python_ = PythonFrames::of_process();
  judged_ = std::vector<std::atomic<std::uint64_t>>(most_judged);
  // Local scope, and never a needed library: libunwind exports _Unwind_*, and a program's exceptions must
  // stay with the runtime that they were compiled for.
  try_ways(dlopen(libunwind_soname, RTLD_NOW | RTLD_LOCAL));
  modules_ = std::make_unique<ModuleTable>(std::move(is_library_module));
  has_lost_modules();
  unloaded_at_start_ = unloaded_;
  sites_are_stale_ = false;
}

namespace {

/// A stack that is known: who called whom is what compilers say of themselves.
struct KnownStack {
  static constexpr std::size_t functions = 3;
  std::array<void*, functions> returns;  // innermost first
  ReturnPlace place;                     // of the innermost
  int (*backtrace)(void**, int);
  FrameRules& rules;
  bool is_unwound = false, is_walked = false;
  std::uintptr_t short_by = 0;  // of the unwound addresses
};

void lengthen(std::span<void*> addresses, std::uintptr_t by) {
  for (void*& address : addresses) address = static_cast<std::byte*>(address) + by;
}

[[gnu::noinline]] void look_at_known(KnownStack& known) {
  known.returns[0] = __builtin_return_address(0);
  known.place = DDTSCOPE_RETURN_PLACE;
  const auto begins_with_known = [&](std::span<void* const> frames) {
    return frames.size() >= known.returns.size() &&
           std::equal(known.returns.begin(), known.returns.end(), frames.begin());
  };
  Stack stack;
  known.is_walked = walk_stack(known.rules, known.place, known.returns.size() + 1, stack) == Walk::whole &&
                    begins_with_known(stack.addresses());
  constexpr int most = 2 * KnownStack::functions + 2;
  const int found = known.backtrace != nullptr ? known.backtrace(stack.frames.data(), most) : 0;
  if (found <= 0 || found > most) return;
  const std::span<void*> frames(stack.frames.data(), static_cast<std::size_t>(found));
  // libunwind 1.6 for arm64 gives the call instruction's last byte in place of the return address.
  for (known.short_by = 0; known.short_by <= 1; ++known.short_by, lengthen(frames, 1)) {
    for (std::size_t own = 0; own < frames.size(); ++own) {
      known.is_unwound = known.is_unwound || begins_with_known(frames.subspan(own));
    }
    if (known.is_unwound) return;
  }
}
[[gnu::noinline]] void call_look(KnownStack& known) {
  known.returns[1] = __builtin_return_address(0);
  look_at_known(known);
  __asm__ volatile("");  // no tail call: the frame must be there
}
[[gnu::noinline]] void call_call_look(KnownStack& known) {
  known.returns[2] = __builtin_return_address(0);
  call_look(known);
  __asm__ volatile("");
}

/// The walk that found what one from here would find; nullptr where none is remembered.
[[gnu::always_inline]] inline const RecentWalk* known_walk(RecentWalks& walks, const ReturnPlace& place,
                                                           std::uint64_t python, std::uint64_t rules) {
  for (const RecentWalk& walk : walks.slots_of(place, python, last_stack)) {
    if (walk.python == python && is_repeated(walk, rules, place)) return &walk;
  }
  return nullptr;
}

/// The slot of a walk that is about to be made: where it is remembered without a site already, or where there is room.
RecentWalk& slot_for(RecentWalks& walks, const ReturnPlace& place, std::uint64_t python, std::uint64_t rules) {
  const RecentWalks::Slots slots = walks.slots_of(place, python, last_stack);
  bool is_apart = false;
  for (RecentWalk& walk : slots) {
    if (walk.python != python || !reads_the_same(walk, rules, place)) continue;
    const std::uintptr_t* const difference = walk.words.first_difference();
    if (difference == nullptr) return walk;
    is_apart = walks.tell_apart(place, python, last_stack, difference) || is_apart;
  }
  return walks.slot_to_take(is_apart ? walks.slots_of(place, python, last_stack) : slots, rules);
}

}  // namespace

void CallSites::try_ways(void* libunwind) {
  const std::string opened(libunwind_soname);
  if (libunwind) backtrace_ = reinterpret_cast<int (*)(void**, int)>(dlsym(libunwind, "unw_backtrace"));
  KnownStack known{.returns = {}, .place = {}, .backtrace = backtrace_, .rules = *rules_};
  call_call_look(known);
  if (is_portable_wanted()) known.is_walked = false;
  may_walk_ = known.is_walked;
  short_by_ = known.short_by;
  if (known.is_unwound) return;
  problem_ = backtrace_ == nullptr ? opened + " with unw_backtrace could not be opened: "
                                   : opened + " does not unwind a stack that is known: ";
  backtrace_ = nullptr;
  problem_ += known.is_walked ? "call sites end where a module has no tables for unwinding"
                              : "call sites are their innermost frame alone";
}

void CallSites::capture_some(Stack& stack, const ReturnPlace& place, Path path) const {
  stack.caller = place.address;
  // Of the rules as they were before the walk: what is learnt by others is not known again.
  const std::uint64_t rules = rules_->generation();
  RecentWalks* const walks = RecentWalks::of_this_thread();
  // Calls from two lines of Python have one stack: that of the interpreter.
  stack.python = python_position();
  if (const RecentWalk* const known = walks != nullptr ? known_walk(*walks, place, stack.python, rules) : nullptr) {
    stack.hash = known->hash;
    stack.site = known->site;
    return;
  }
  RecentWalk* const recent = walks != nullptr ? &slot_for(*walks, place, stack.python, rules) : nullptr;
  stack.site = {};
  stack.recent = recent;
  if (recent != nullptr) recent->begin(place, stack.python);
  const Walk walk = this->walk(stack, place);
  const bool is_right = (walk == Walk::whole && is_judged(stack.hash)) || judge(stack, place, {walk, path});
  if (!is_right) [[unlikely]] {
    stack.recent = nullptr;
  } else if (recent != nullptr && recent->words.has_all()) {
    keep_walk(*recent, rules, stack.hash);
  }
}

const RecentWalk* CallSites::recall_some(ReturnPlace place) const {
  RecentWalks* const walks = RecentWalks::of_this_thread();
  if (walks == nullptr) [[unlikely]]
    return nullptr;
  return known_walk(*walks, place, python_position(), rules_->generation());
}

std::uint64_t CallSites::python_position() const {
  return python_ != nullptr ? python_->position(static_cast<std::size_t>(depth_)) : 0;
}

bool CallSites::judge(Stack& stack, const ReturnPlace& place, Taken taken) const {
  if (has_lost_modules()) taken.walk = walk(stack, place);
  if (taken.walk == Walk::broken) return false;  // nor would libunwind know where the stack goes on
  if (taken.walk == Walk::impossible) {
    backtrace_ != nullptr ? unwind(stack, place.address, taken.path) : take_alone(stack, place.address);
    return false;
  }
  // libunwind remembers code by its address, for each thread, and takes what replaces it for the same.
  const bool has_judge = backtrace_ != nullptr && unloaded_.load(std::memory_order_relaxed) == unloaded_at_start_;
  Stack unwound;
  if (has_judge) unwind(unwound, place.address, taken.path);
  if (!has_judge || std::ranges::equal(stack.addresses(), unwound.addresses())) {
    judged_[stack.hash % judged_.size()].store(stack.hash, std::memory_order_relaxed);
    return true;
  }
  unwound.caller = stack.caller;
  unwound.python = stack.python;
  stack = unwound;
  rules_->forget();
  if (disagreements_.fetch_add(1, std::memory_order_relaxed) == most_disagreements) may_walk_ = false;
  return false;
}

bool CallSites::has_lost_modules() const {
  unsigned long long unloaded = 0;
  each_loaded_module(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<unsigned long long*>(data) = info->dlpi_subs;
        return 1;
      },
      &unloaded);
  if (unloaded_.exchange(unloaded, std::memory_order_relaxed) == unloaded) return false;
  rules_->forget();
  for (std::atomic<std::uint64_t>& hash : judged_) hash.store(0, std::memory_order_relaxed);
  sites_are_stale_ = true;
  return true;
}

int CallSites::backtrace(Stack& stack, int most) const {
  const KeptErrno kept;  // libunwind looks for files of debug information
  const int found = backtrace_(stack.frames.data(), most);
  if (short_by_ != 0 && found > 0) {
    lengthen(std::span(stack.frames).first(static_cast<std::size_t>(std::min(found, most))), short_by_);
  }
  return found;
}

void CallSites::unwind(Stack& stack, void* caller, Path path) const {
  // Frames of the plugin and of the library's Fortran layer come first: ask for as many more as were ever seen.
  const int expected = own_frames_[static_cast<std::size_t>(path)].load(std::memory_order_relaxed);
  const int found = backtrace(stack, depth_ + expected);
  if (!start_at_caller(stack, found, caller, expected)) [[unlikely]]
    find_own_frames(stack, caller, path);
}

bool CallSites::start_at_caller(Stack& stack, int found, void* caller, int own_frames) const {
  const int last = std::min(found - 1, own_frames);
  int first = 0;
  while (first <= last && stack.frames[static_cast<std::size_t>(first)] != caller) ++first;
  if (first > last) return false;
  stack.first = static_cast<std::uint32_t>(first);
  stack.count = static_cast<std::uint32_t>(std::min(found - first, depth_));
  stack.hash = XXH3_64bits(stack.frames.data() + first, stack.count * sizeof(void*));
  return true;
}

void CallSites::find_own_frames(Stack& stack, void* caller, Path path) const {
  constexpr int most = static_cast<int>(most_own_frames);
  const int found = backtrace(stack, depth_ + most);
  if (start_at_caller(stack, found, caller, most)) {
    std::atomic<int>& own_frames = own_frames_[static_cast<std::size_t>(path)];
    const int seen = static_cast<int>(stack.first);
    if (seen > own_frames.load(std::memory_order_relaxed)) own_frames.store(seen, std::memory_order_relaxed);
    return;
  }
  // The unwinder does not come by the caller (code without unwind tables).
  take_alone(stack, caller);
}

void CallSites::take_alone(Stack& stack, void* caller) const {
  stack.frames[0] = caller;
  start_at_caller(stack, 1, caller, 0);
}

CallSiteId CallSites::intern_frames(const Stack& stack, trace::Writer& writer) {
  if (sites_are_stale_.load(std::memory_order_relaxed)) [[unlikely]]
    forget_sites_of_lost_modules();
  const Site* known = find(hash_of(stack), stack.addresses(), stack.python);
  if (known == nullptr) return add(stack, writer);
  const RecentWalks* const walks = stack.recent != nullptr ? RecentWalks::of_this_thread() : nullptr;
  if (walks != nullptr && walks->has(stack.recent) && stack.recent->hash == stack.hash &&
      stack.recent->python == stack.python) {
    stack.recent->site = known->id;
  }
  return known->id;
}

const CallSites::Site* CallSites::find(std::uint64_t hash, std::span<void* const> addresses,
                                       std::uint64_t python) const {
  const std::uint32_t found = table_.find(hash, [&](std::uint32_t number) {
    const Site& site = sites_[number];
    return site.hash == hash && site.python == python && site.count == addresses.size() &&
           std::memcmp(&addresses_[site.first_address], addresses.data(), addresses.size_bytes()) == 0;
  });
  return found == IndexTable::none ? nullptr : &sites_[found];
}

CallSiteId CallSites::add(const Stack& stack, trace::Writer& writer) {
  tell_of_python(writer);
  const std::vector<FramePlace> places = places_of(stack, writer);
  if (bytes() >= most_bytes_) return add_without_callers(places.front(), writer);
  const CallSiteId site = add_frames(places, {}, writer);
  keep(stack, site);
  return site;
}

void CallSites::tell_of_python(trace::Writer& writer) {
  if (python_ == nullptr || has_told_of_python_) return;
  const std::string problem = python_->problem();
  if (problem.empty()) return;
  writer.note(problem);
  has_told_of_python_ = true;
}

std::vector<CallSites::FramePlace> CallSites::places_of(const Stack& stack, trace::Writer& writer) {
  std::vector<FramePlace> places;
  for (void* const address : stack.addresses()) {
    // The return address less one lies within the call instruction.
    places.push_back({reinterpret_cast<std::uintptr_t>(address) - 1, {}});
  }
  places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(library_frames(stack.addresses())));
  return stack.python != 0 ? with_python(places, stack, writer) : places;
}

std::size_t CallSites::library_frames(std::span<void* const> addresses) {
  std::size_t innermost = 0;
  const auto is_library_frame = [&](void* address) {
    const Module* const module = modules_->at(reinterpret_cast<std::uintptr_t>(address) - 1);
    return module && module->is_library;
  };
  while (innermost + 1 < addresses.size() && is_library_frame(addresses[innermost])) ++innermost;
  return innermost;
}

CallSiteId CallSites::known_site(std::span<void* const> addresses) const {
  if (sites_are_stale_.load(std::memory_order_relaxed)) return {};
  const Site* const site = find(XXH3_64bits(addresses.data(), addresses.size_bytes()), addresses, 0);
  return site != nullptr ? site->id : CallSiteId{};
}

std::optional<trace::Frame> CallSites::place_in_module(std::uintptr_t address, trace::Writer& writer) {
  if (modules_ == nullptr) return std::nullopt;
  // Memory may have been allocated where a module was.
  has_lost_modules();
  if (sites_are_stale_.load(std::memory_order_relaxed)) forget_sites_of_lost_modules();
  if (modules_->at(address) == nullptr) return std::nullopt;
  return frame_of({address, {}}, writer);
}

namespace {

/// What lies between a program in Python and the C functions that it calls: it says nothing of the program.
bool is_python_binding(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return path.find("/mpi4py/") != std::string_view::npos || file.starts_with("_ctypes.") ||
         file.starts_with("libffi.") || file.starts_with("_cffi_backend.");
}

}  // namespace

bool CallSites::lies_in(const FramePlace& place, std::uintptr_t module) {
  const Module* found = modules_->at(place.address);
  return found && found->begin == module;
}

std::vector<CallSites::FramePlace> CallSites::with_python(std::span<const FramePlace> places, const Stack& stack,
                                                          trace::Writer& writer) {
  const std::vector<FramePlace> of_python = places_in_python(stack, writer);
  const Module* module = modules_->at(python_->interpreter_address());
  if (of_python.empty() || module == nullptr) return {places.begin(), places.end()};
  const auto is_of_interpreter = [&, begin = module->begin](const FramePlace& place) { return lies_in(place, begin); };
  const auto is_of_binding = [&](const FramePlace& place) {
    const Module* found = modules_->at(place.address);
    return found && is_python_binding(found->path);
  };
  const auto first = std::find_if(places.begin(), places.end(), is_of_interpreter);
  std::vector<FramePlace> all(std::find_if_not(places.begin(), first, is_of_binding), first);
  // What lies behind its first frame is left out: how many frames an interpreter needs for the same code, and so what
  // else there is within the depth, changes while it learns which code is run often.
  all.insert(all.end(), of_python.begin(), of_python.end());
  all.resize(std::min(all.size(), static_cast<std::size_t>(depth_)));
  return all;
}

std::vector<CallSites::FramePlace> CallSites::places_in_python(const Stack& stack, trace::Writer& writer) {
  const auto depth = static_cast<std::size_t>(depth_);
  std::vector<FramePlace> places;
  if (python_->position(depth) != stack.python) return places;  // the call is over
  for (const PythonPlace& place : python_->places(depth)) {
    const ModuleNumber function = python_function(place, writer);
    if (!function.valid()) return {};
    places.push_back({place.line, function});
  }
  return places;
}

ModuleNumber CallSites::python_function(const PythonPlace& place, trace::Writer& writer) {
  const auto known = python_functions_.find({place.file, place.function});
  if (known != python_functions_.end()) return known->second;
  if (is_full()) return {};
  const ModuleNumber number{next_module_++};
  python_functions_.emplace(std::pair(place.file, place.function), number);
  bytes_ += bytes_of_python_function + place.file.size() + place.function.size();
  writer.module(number, place.file, {}, place.function);
  return number;
}

CallSiteId CallSites::without_callers(void* address, trace::Writer& writer) {
  Stack stack;
  if (depth_ == 0 || address == nullptr) return {};
  stack.frames[0] = address;
  stack.count = 1;
  stack.hash = XXH3_64bits(&address, sizeof address);
  return intern(stack, writer);
}

CallSiteId CallSites::add_without_callers(const FramePlace& place, trace::Writer& writer) {
  const CallSiteId unknown = not_recorded(writer);
  if (const auto known = frames_.find(FrameKey{place, unknown}); known != frames_.end()) return known->second;
  // Code that is made at run time has ever new addresses, too.
  return is_full() ? unknown : add_frames({&place, 1}, unknown, writer);
}

CallSiteId CallSites::not_recorded(trace::Writer& writer) {
  if (!not_recorded_.valid()) {
    writer.note(
        "A process has more call sites than it can remember (DDTSCOPE_MAX_MEMORY): what is called from further ones is "
        "counted by the innermost frame alone, or without a call site.");
    not_recorded_ = {next_frame_++};
    const trace::Frame frame{{}, 0};
    writer.frames(not_recorded_, {}, {&frame, 1});
  }
  return not_recorded_;
}

CallSiteId CallSites::add_frames(std::span<const FramePlace> places, CallSiteId caller, trace::Writer& writer) {
  // Outermost first, so that a parent stands above its children in the trace. Known frames first; once a frame is new,
  // all that it calls are new: they make one line.
  CallSiteId parent = caller;
  CallSiteId parent_of_new;
  std::vector<trace::Frame> new_frames;
  for (std::size_t i = places.size(); i-- > 0;) {
    const auto [frame, is_new] = frames_.try_emplace(FrameKey{places[i], parent}, CallSiteId{next_frame_});
    if (is_new) {
      if (new_frames.empty()) parent_of_new = parent;
      new_frames.push_back(frame_of(places[i], writer));
      ++next_frame_;
      bytes_ += bytes_of_frame;
    }
    parent = frame->second;
  }
  if (!new_frames.empty()) {
    const CallSiteId first{next_frame_ - static_cast<std::uint32_t>(new_frames.size())};
    writer.frames(first, parent_of_new, new_frames);
  }
  return parent;
}

trace::Frame CallSites::frame_of(const FramePlace& place, trace::Writer& writer) {
  if (place.python_function.valid()) return {place.python_function, place.address};
  Module* module = modules_->at(place.address);
  if (module == nullptr) return {{}, place.address};
  if (!module->number.valid()) {
    module->number = {next_module_++};
    writer.module(module->number, module->path, module->build_id);
  }
  return {module->number, place.address - module->bias};
}

void CallSites::keep(const Stack& stack, CallSiteId id) {
  const std::span<void* const> addresses = stack.addresses();
  const auto site = static_cast<std::uint32_t>(sites_.size());
  sites_.push_back({hash_of(stack), static_cast<std::uint32_t>(addresses_.size()),
                    static_cast<std::uint32_t>(addresses.size()), id, stack.python});
  addresses_.insert(addresses_.end(), addresses.begin(), addresses.end());
  bytes_ += bytes_of_site + addresses.size_bytes();
  table_.insert(hash_of(stack), site);
}

void CallSites::forget_sites_of_lost_modules() {
  sites_are_stale_ = false;
  const std::vector<Module> lost = modules_->take_lost();
  const auto is_lost = [&](std::uintptr_t address) {
    return std::ranges::any_of(lost,
                               [&](const Module& module) { return address >= module.begin && address < module.end; });
  };
  std::erase_if(frames_, [&](const auto& frame) {
    const FramePlace& place = frame.first.place;
    return !place.python_function.valid() && is_lost(place.address);
  });
  table_.clear();
  for (std::uint32_t i = 0; i < sites_.size(); ++i) {
    const std::span<void* const> addresses(&addresses_[sites_[i].first_address], sites_[i].count);
    const bool is_through_lost = std::ranges::any_of(
        addresses, [&](void* address) { return is_lost(reinterpret_cast<std::uintptr_t>(address) - 1); });
    if (!is_through_lost) table_.insert(sites_[i].hash, i);
  }
}

}  // namespace ddtscope::plugin
