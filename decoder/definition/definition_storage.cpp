// Many short blocks share a chunk.
#include "decoder/definition/definition_storage.h"

#include "decoder/definition/definition.h"

namespace ddtscope {
namespace {

constexpr std::size_t chunk_bytes = 64 * 1024;

}  // namespace

std::byte* ChunkStorage::allocate(DefinitionId, std::size_t bytes) {
  bytes = (bytes + 7) & ~std::size_t{7};
  if (bytes > chunk_bytes / 4) {
    // A long block has a chunk of its own, put below the one being filled.
    auto own = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::byte* block = own.get();
    chunks_.insert(chunks_.empty() ? chunks_.end() : chunks_.end() - 1, std::move(own));
    return block;
  }
  if (chunks_.empty() || size_ - used_ < bytes) {
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes));
    size_ = chunk_bytes;
    used_ = 0;
  }
  std::byte* block = chunks_.back().get() + used_;
  used_ += bytes;
  return block;
}

void ChunkStorage::release(std::byte*, std::size_t) {}

}  // namespace ddtscope
