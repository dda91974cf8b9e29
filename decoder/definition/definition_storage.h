// Where a store of definitions keeps what its constructor calls point to.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ddtscope {

struct DefinitionId;

/// One block per definition: its datatypes (DefinitionIds), then its arrays in order, each aligned to 8 bytes.
class DefinitionStorage {
 public:
  virtual ~DefinitionStorage() = default;
  /// A block for the definition that will have this id, aligned to 8 bytes; `bytes` may be 0. Never a null pointer:
  /// throws std::bad_alloc.
  virtual std::byte* allocate(DefinitionId id, std::size_t bytes) = 0;
  /// The definition is gone from its store.
  virtual void release(std::byte* block, std::size_t bytes) = 0;
};

/// Blocks on the heap that live as long as the storage.
class ChunkStorage final : public DefinitionStorage {
 public:
  std::byte* allocate(DefinitionId id, std::size_t bytes) override;
  void release(std::byte* block, std::size_t bytes) override;

 private:
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t used_ = 0;  // of the last chunk
  std::size_t size_ = 0;
};

}  // namespace ddtscope
