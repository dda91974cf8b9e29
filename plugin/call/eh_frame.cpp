// Finds a function's entries: by the sorted table of its module, then in .eh_frame itself.
#include "plugin/call/eh_frame.h"

#include <array>
#include <string_view>

#include "plugin/base/loaded_module.h"

namespace ddtscope::plugin::eh_frame {

#ifdef __x86_64__

namespace {

// How addresses are written (LSB, DWARF exception header encoding).
constexpr std::uint8_t encoding_absolute = 0x00;
constexpr std::uint8_t encoding_unsigned_4 = 0x03;
constexpr std::uint8_t encoding_pc_relative_signed_4 = 0x1B;
constexpr std::uint8_t encoding_header_relative_signed_4 = 0x3B;

/// Where a module says how its functions' frames are.
struct Tables {
  std::uintptr_t address;             // that is looked for
  std::uintptr_t header = 0;          // .eh_frame_hdr
  std::uintptr_t begin = 0, end = 0;  // of the segment in which it lies, and .eh_frame with it
};

int find_tables(dl_phdr_info* info, std::size_t, void* data) {
  auto& tables = *static_cast<Tables*>(data);
  if (!segment_of(*info, tables.address)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_EH_FRAME) continue;
    tables.header = info->dlpi_addr + header.p_vaddr;
    const ElfW(Phdr)* segment = segment_of(*info, tables.header, header.p_memsz);
    if (!segment) break;
    tables.begin = info->dlpi_addr + segment->p_vaddr;
    tables.end = tables.begin + segment->p_filesz;
  }
  return 1;
}

/// The entry of the function that covers the address, by the sorted table; it may be that of one before, if there is a
/// gap.
std::optional<std::uintptr_t> find_entry(const Tables& tables) {
  Bytes header(tables.header, tables.end);
  const auto version = header.take<std::uint8_t>();
  const auto frame_encoding = header.take<std::uint8_t>();
  const auto count_encoding = header.take<std::uint8_t>();
  const auto table_encoding = header.take<std::uint8_t>();
  if (version != 1 || frame_encoding != encoding_pc_relative_signed_4 || count_encoding != encoding_unsigned_4 ||
      table_encoding != encoding_header_relative_signed_4) {
    return std::nullopt;  // no linker writes anything else
  }
  header.take<std::int32_t>();
  const auto count = header.take<std::uint32_t>();
  struct Row {
    std::int32_t function, entry;
  };
  const std::uintptr_t rows = header.at();
  if (!header.is_good() || count == 0 || (header.end() - rows) / sizeof(Row) < count) return std::nullopt;
  const auto row = [&](std::size_t index) {
    Row found;
    std::memcpy(&found, reinterpret_cast<const void*>(rows + index * sizeof found), sizeof found);
    return found;
  };
  const auto absolute = [&](std::int32_t offset) {
    return tables.header + static_cast<std::uintptr_t>(std::intptr_t{offset});
  };
  std::size_t first = 0;
  std::size_t behind = count;
  while (behind - first > 1) {
    const std::size_t middle = first + (behind - first) / 2;
    (absolute(row(middle).function) <= tables.address ? first : behind) = middle;
  }
  const Row found = row(first);
  if (absolute(found.function) > tables.address) return std::nullopt;
  return absolute(found.entry);
}

/// Reads the length at the beginning of an entry; nothing where it has none.
std::optional<Bytes> entry_at(std::uintptr_t address, const Tables& tables) {
  if (address < tables.begin || address >= tables.end) return std::nullopt;
  Bytes bytes(address, tables.end);
  const auto length = bytes.take<std::uint32_t>();
  constexpr std::uint32_t is_64_bit_format = 0xFFFFFFFF;
  if (length == 0 || length == is_64_bit_format) return std::nullopt;
  const Bytes entry = bytes.part(length);
  if (!bytes.is_good()) return std::nullopt;
  return entry;
}

std::optional<std::uintptr_t> take_address(Bytes& bytes, std::uint8_t encoding) {
  const std::uintptr_t here = bytes.at();
  if (encoding == encoding_pc_relative_signed_4) {
    return here + static_cast<std::uintptr_t>(std::intptr_t{bytes.take<std::int32_t>()});
  }
  if (encoding == encoding_absolute) return bytes.take<std::uintptr_t>();
  return std::nullopt;
}

/// What the letters of a CIE's augmentation, behind its 'z', say stands in its data. False where one is not known; 'S'
/// among them: the frame of a signal's handler, which nobody called.
bool take_augmentation(std::string_view letters, Bytes data, Common& common) {
  for (const char letter : letters) {
    if (letter == 'R') {
      common.address_encoding = data.take<std::uint8_t>();
    } else if (letter == 'L') {
      data.take<std::uint8_t>();
    } else if (letter == 'P') {
      const unsigned format = data.take<std::uint8_t>() & 0x0Fu;
      if (format == 0x0B || format == 0x03) {
        data.skip(4);
      } else if (format == 0x00 || format == 0x0C || format == 0x04) {
        data.skip(8);
      } else {
        return false;
      }
    } else {
      return false;
    }
  }
  return data.is_good();
}

std::optional<Common> common_at(std::uintptr_t address, const Tables& tables) {
  std::optional<Bytes> entry = entry_at(address, tables);
  if (!entry || entry->take<std::uint32_t>() != 0) return std::nullopt;
  const auto version = entry->take<std::uint8_t>();
  if (version != 1 && version != 3) return std::nullopt;
  std::array<char, 8> augmentation{};
  std::size_t letters = 0;
  while (const char letter = static_cast<char>(entry->take<std::uint8_t>())) {
    if (letters == augmentation.size()) return std::nullopt;
    augmentation[letters++] = letter;
  }
  Common common{.code_alignment = entry->take_uleb128(),
                .data_alignment = entry->take_sleb128(),
                .address_encoding = encoding_absolute,
                .instructions = {0, 0}};
  const std::uint64_t return_column = version == 1 ? entry->take<std::uint8_t>() : entry->take_uleb128();
  if (return_column != return_address_register) return std::nullopt;
  if (letters > 0 && augmentation[0] != 'z') return std::nullopt;
  common.has_augmentation = letters > 0;
  if (common.has_augmentation) {
    const Bytes data = entry->part(entry->take_uleb128());
    if (!take_augmentation({augmentation.data() + 1, letters - 1}, data, common)) return std::nullopt;
  }
  if (!entry->is_good()) return std::nullopt;
  common.instructions = *entry;
  return common;
}

}  // namespace

std::optional<Function> find_function(std::uintptr_t address) noexcept {
  Tables tables{.address = address};
  if (each_loaded_module(find_tables, &tables) == 0 || tables.end == 0) return std::nullopt;
  const std::optional<std::uintptr_t> place = find_entry(tables);
  std::optional<Bytes> entry = place ? entry_at(*place, tables) : std::nullopt;
  if (!entry) return std::nullopt;
  const std::uintptr_t here = entry->at();
  const auto back = entry->take<std::uint32_t>();
  if (back == 0 || back > here - tables.begin) return std::nullopt;
  const std::optional<Common> common = common_at(here - back, tables);
  if (!common) return std::nullopt;
  const std::optional<std::uintptr_t> begin = take_address(*entry, common->address_encoding);
  // The length is written as the address is, but says itself what it is.
  const std::uint64_t length =
      common->address_encoding == encoding_absolute ? entry->take<std::uint64_t>() : entry->take<std::uint32_t>();
  if (common->has_augmentation) entry->skip(entry->take_uleb128());
  if (!begin || !entry->is_good() || address < *begin || address - *begin >= length) return std::nullopt;
  return Function{*common, *begin, *entry};
}

#else

std::optional<Function> find_function(std::uintptr_t) noexcept { return std::nullopt; }

#endif

}  // namespace ddtscope::plugin::eh_frame
