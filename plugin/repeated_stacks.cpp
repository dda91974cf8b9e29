// The watched unwinder is libunwind's generic one, which reads registers and memory through functions that one gives
// it.
#include "plugin/repeated_stacks.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>

namespace ddtscope::plugin {

#ifdef __x86_64__

namespace {

constexpr const char* generic_libunwind_soname = "libunwind-x86_64.so.8";
// More words than this for a frame are not worth their reading.
constexpr std::size_t most_words_of_frame = 4;

/// One unwinding, and what is read for it.
struct Walk {
  struct Constant {
    std::uintptr_t begin, end;
  };
  Walk(const ReturnPlace& from, std::size_t frames) : place(from), most_words(frames * most_words_of_frame) {
    words.reserve(most_words);
    dl_iterate_phdr(find_constants, this);
  }
  static int find_constants(dl_phdr_info* info, std::size_t, void* data);

  const ReturnPlace& place;
  std::vector<Constant> constants;  // of modules: code, the tables for unwinding, and what these point to
  std::vector<StackWord> words;
  std::size_t most_words;
  bool needs_frame_pointer = false;
  bool is_known = true;  // nothing else was read

  bool is_constant(std::uintptr_t address) const {
    return std::any_of(constants.begin(), constants.end(), [&](const Constant& part) {
      return address >= part.begin && address + sizeof(std::uintptr_t) <= part.end;
    });
  }
};

int Walk::find_constants(dl_phdr_info* info, std::size_t, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    const auto frame = reinterpret_cast<std::uintptr_t>(walk.place.frame);
    if (frame >= begin && frame - begin < segment.p_memsz) continue;  // a program may have stacks of its own there
    try {
      walk.constants.push_back({begin, begin + segment.p_memsz});
    } catch (const std::exception&) {  // the loader's own frames stand between
      return 1;
    }
  }
  return 0;
}

/// Memory that may not be there.
bool read_word(const std::uintptr_t* place, std::uintptr_t& word) {
  const iovec here{&word, sizeof word};
  const iovec there{const_cast<std::uintptr_t*>(place), sizeof word};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof word);
}

int access_memory(unw_addr_space_t, unw_word_t address, unw_word_t* word, int is_write, void* argument) noexcept {
  Walk& walk = *static_cast<Walk*>(argument);
  if (is_write != 0) return -UNW_EINVAL;
  if (walk.is_constant(address)) {
    std::memcpy(word, reinterpret_cast<const void*>(address), sizeof *word);
    return 0;
  }
  const auto* place = reinterpret_cast<const std::uintptr_t*>(address);
  // Some are read more than once.
  auto known =
      std::find_if(walk.words.begin(), walk.words.end(), [&](const StackWord& of) { return of.place == place; });
  if (known == walk.words.end()) {
    std::uintptr_t value = 0;
    if (walk.words.size() == walk.most_words || !read_word(place, value)) {
      walk.is_known = false;
      return -UNW_EINVAL;
    }
    known = walk.words.insert(known, {place, value});  // there is room
  }
  *word = known->value;
  return 0;
}

int access_register(unw_addr_space_t, unw_regnum_t number, unw_word_t* value, int is_write, void* argument) noexcept {
  Walk& walk = *static_cast<Walk*>(argument);
  if (is_write != 0) return -UNW_EREADONLYREG;
  switch (number) {
    case UNW_X86_64_RIP:
      // Within the call instruction: what stands behind it may be another function.
      *value = reinterpret_cast<std::uintptr_t>(walk.place.address) - 1;
      return 0;
    case UNW_X86_64_RSP:
      *value = reinterpret_cast<std::uintptr_t>(walk.place.frame + 2);
      return 0;
    case UNW_X86_64_RBP:
      walk.needs_frame_pointer = true;
      *value = walk.place.frame[0];
      return 0;
    default:
      walk.is_known = false;
      return -UNW_EBADREG;
  }
}

int access_float_register(unw_addr_space_t, unw_regnum_t, unw_fpreg_t*, int, void* argument) noexcept {
  static_cast<Walk*>(argument)->is_known = false;
  return -UNW_EBADREG;
}

int find_generated_code(unw_addr_space_t, unw_word_t*, void*) noexcept { return -UNW_ENOINFO; }

}  // namespace

class RepeatedStacks::Unwinder {
 public:
  ~Unwinder() {
    if (space_ != nullptr) destroy_(space_);
  }
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  /// None where the library is missing.
  static std::unique_ptr<Unwinder> open() {
    auto unwinder = std::unique_ptr<Unwinder>(new Unwinder);
    // Local scope, as CallSites has it.
    void* library = dlopen(generic_libunwind_soname, RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](const char* name, auto& function) {
      void* address = library != nullptr ? dlsym(library, name) : nullptr;
      std::memcpy(&function, &address, sizeof function);
      return address != nullptr;
    };
    unw_accessors_t* (*get_accessors)(unw_addr_space_t);
    unw_addr_space_t (*create)(unw_accessors_t*, int);
    unw_addr_space_t* local;
    if (!find("_Ux86_64_get_accessors", get_accessors) || !find("_Ux86_64_create_addr_space", create) ||
        !find("_Ux86_64_local_addr_space", local) || !find("_Ux86_64_destroy_addr_space", unwinder->destroy_) ||
        !find("_Ux86_64_init_remote", unwinder->begin_) || !find("_Ux86_64_step", unwinder->step_) ||
        !find("_Ux86_64_get_reg", unwinder->get_register_)) {
      return nullptr;
    }
    // A later library's may be longer.
    union {
      char room[4 * sizeof(unw_accessors_t)];
      unw_accessors_t known;
    } accessors{};
    accessors.known = *get_accessors(*local);
    accessors.known.access_mem = access_memory;
    accessors.known.access_reg = access_register;
    accessors.known.access_fpreg = access_float_register;
    accessors.known.get_dyn_info_list_addr = find_generated_code;
    unwinder->space_ = create(&accessors.known, 0);
    if (unwinder->space_ == nullptr) return nullptr;
    // It prepares itself in its first walk, which threads should not meet in.
    const ReturnPlace here = DDTSCOPE_RETURN_PLACE;
    Walk first(here, 2);
    unwinder->walk(first, {}, 2);
    return unwinder;
  }

  /// Goes to the stack's end, or by `depth` frames; false where they are not `addresses`.
  bool walk(Walk& walk, std::span<void* const> addresses, std::size_t depth) {
    unw_cursor_t cursor;
    if (begin_(&cursor, space_, &walk) < 0) return false;
    std::size_t found = 1;  // the caller
    for (; found < depth && step_(&cursor) > 0; ++found) {
      unw_word_t address = 0;
      unw_word_t stack = 0;
      if (get_register_(&cursor, UNW_REG_IP, &address) < 0) return false;
      if (get_register_(&cursor, UNW_REG_SP, &stack) < 0 || walk.is_constant(stack)) return false;
      if (address == 0) break;
      if (found >= addresses.size() || reinterpret_cast<void*>(address) != addresses[found]) return false;
    }
    return found == addresses.size() && walk.is_known;
  }

 private:
  Unwinder() = default;

  unw_addr_space_t space_ = nullptr;
  void (*destroy_)(unw_addr_space_t);
  int (*begin_)(unw_cursor_t*, unw_addr_space_t, void*);
  int (*step_)(unw_cursor_t*);
  int (*get_register_)(unw_cursor_t*, int, unw_word_t*);
};

#else

class RepeatedStacks::Unwinder {};

#endif

RepeatedStacks::RepeatedStacks(int depth) : depth_(static_cast<std::size_t>(depth)) {
#ifdef __x86_64__
  unwinder_ = Unwinder::open();
  if (unwinder_) entries_ = std::vector<Entry>(std::size_t{1} << entries_bits);
#endif
}

RepeatedStacks::~RepeatedStacks() = default;

RepeatedStacks::Entry& RepeatedStacks::entry_of(const ReturnPlace& place) {
  const std::uintptr_t words = reinterpret_cast<std::uintptr_t>(place.address) * 31 +  // odd: no bit is lost
                               reinterpret_cast<std::uintptr_t>(place.frame);
  return entries_[(words * 0x9E3779B97F4A7C15u) >> (64 - entries_bits)];
}

bool RepeatedStacks::recall(Stack& stack, const ReturnPlace& place) {
  if (!unwinder_ || place.frame == nullptr) return false;
  Entry& entry = entry_of(place);
  if (entry.is_taken.exchange(true, std::memory_order_acquire)) return false;
  const Recording* recording = entry.place == place ? entry.recording.get() : nullptr;
  const bool is_same = recording != nullptr && recording->is_repeated(place);
  if (is_same) {
    entry.strangers = 0;
    stack.first = 0;
    stack.count = static_cast<std::uint32_t>(recording->addresses.size());
    stack.hash = recording->hash;
    std::copy(recording->addresses.begin(), recording->addresses.end(), stack.frames.begin());
  }
  entry.is_taken.store(false, std::memory_order_release);
  return is_same;
}

bool RepeatedStacks::Recording::is_repeated(const ReturnPlace& place) const {
  if (frame_pointer && *frame_pointer != place.frame[0]) return false;
  return std::all_of(words.begin(), words.end(), [](const StackWord& word) { return *word.place == word.value; });
}

void RepeatedStacks::unwound(const Stack& stack, const ReturnPlace& place) noexcept {
  if (!unwinder_ || place.frame == nullptr) return;
  Entry& entry = entry_of(place);
  if (entry.is_taken.exchange(true, std::memory_order_acquire)) return;
  if (entry.place != place) {
    if (!entry.recording || ++entry.strangers == most_strangers) {
      entry.place = place;
      entry.recording = nullptr;
      entry.unwound = 1;
      entry.strangers = 0;
    }
  } else if (++entry.unwound >= entry.patience) {
    entry.unwound = 0;
    entry.patience = std::min(2 * entry.patience, most_patience);
    try {
      entry.recording = record(stack, place);
    } catch (const std::exception&) {  // no memory: as before
    }
  }
  entry.is_taken.store(false, std::memory_order_release);
}

std::unique_ptr<const RepeatedStacks::Recording> RepeatedStacks::record(const Stack& stack, const ReturnPlace& place) {
#ifdef __x86_64__
  Walk walk(place, depth_);
  if (!unwinder_->walk(walk, stack.addresses(), depth_)) return nullptr;
  auto recording = std::make_unique<Recording>();
  if (walk.needs_frame_pointer) recording->frame_pointer = place.frame[0];
  recording->words = std::move(walk.words);
  recording->words.shrink_to_fit();
  recording->addresses.assign(stack.addresses().begin(), stack.addresses().end());
  recording->hash = stack.hash;
  return recording;
#else
  static_cast<void>(stack), static_cast<void>(place);
  return nullptr;
#endif
}

}  // namespace ddtscope::plugin
