// Numbers of the records of one trace file: each kind has its own, in the order of lines, from 0 on.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace ddtscope {

struct PredefinedType;
struct ModuleRecord;
struct FrameRecord;
struct DefinitionRecord;
struct CallFindingRecord;
struct SwitchRecord;
struct CommunicatorRecord;
struct OperationRecord;
struct SequenceRecord;
struct CollectiveRecord;
struct BufferRecord;
struct WindowRecord;
struct OpenedFileRecord;
struct WindowEventRecord;

/// The number of a record among those of its kind in one file; without a value that of no record. There is no
/// arithmetic with it: whoever numbers records counts them.
template <class Record>
struct FileNumber {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t value = none;
  constexpr bool valid() const { return value != none; }
  friend constexpr auto operator<=>(FileNumber, FileNumber) = default;
};

/// Of a predefined type: its place in the header's list, or behind it where it has a line of its own.
using PredefinedNumber = FileNumber<PredefinedType>;
using ModuleNumber = FileNumber<ModuleRecord>;
/// Of a frame; of the innermost one of a call site it says, with all that called it, which site it is.
using FrameNumber = FileNumber<FrameRecord>;
using DefinitionNumber = FileNumber<DefinitionRecord>;
/// Of what was found wrong with a call.
using FindingNumber = FileNumber<CallFindingRecord>;
/// Of a place where the recording was stopped, or started again.
using SwitchNumber = FileNumber<SwitchRecord>;
using CommunicatorNumber = FileNumber<CommunicatorRecord>;
/// Of one side of a message: what was sent or received at one place.
using OperationNumber = FileNumber<OperationRecord>;
/// Of operations in the order of a channel, or collective ones in that of a communicator.
using SequenceNumber = FileNumber<SequenceRecord>;
/// Of a call of a collective operation, as a process made it.
using CollectiveNumber = FileNumber<CollectiveRecord>;
/// Of what says where a buffer was.
using BufferNumber = FileNumber<BufferRecord>;
using WindowNumber = FileNumber<WindowRecord>;
/// Of a file that a process opened.
using OpenedFileNumber = FileNumber<OpenedFileRecord>;
/// Of something that was done about a window.
using WindowEventNumber = FileNumber<WindowEventRecord>;

}  // namespace ddtscope

template <class Record>
struct std::hash<ddtscope::FileNumber<Record>> {
  std::size_t operator()(ddtscope::FileNumber<Record> number) const noexcept {
    return std::hash<std::uint32_t>()(number.value);
  }
};
