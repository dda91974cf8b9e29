#include "reporters/trace/read/pending_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "reporters/trace/format/counter_file.h"

namespace ddtscope {
namespace {

using trace::PendingChannel;
using trace::PendingFileHeader;
using trace::PendingOperation;
using trace::PendingStarted;
using trace::PendingThread;

TraceProblem problem_in_pending(const std::filesystem::path& file, const std::string& sentence) {
  return {TraceProblem::Kind::unreadable, file.string() + ": " + sentence};
}

constexpr const char* damaged_pending =
    "is damaged; remove it, the trace is read without what its process was in the middle of then.";

std::uint64_t bytes_of_tables(const PendingFileHeader& header) {
  return std::uint64_t{header.threads} * sizeof(PendingThread) +
         std::uint64_t{header.operations} * sizeof(PendingOperation) +
         std::uint64_t{header.channels} * sizeof(PendingChannel) +
         std::uint64_t{header.started} * sizeof(PendingStarted);
}

/// The first ones of a table that is read on from where the stream is.
template <class Record>
bool read_table(std::istream& stream, std::uint32_t size, std::uint32_t used, std::vector<Record>& records) {
  records.resize(used);
  const auto bytes = static_cast<std::streamsize>(used * sizeof(Record));
  if (!stream.read(reinterpret_cast<char*>(records.data()), bytes)) return false;
  return static_cast<bool>(stream.seekg(static_cast<std::streamoff>(sizeof(Record)) * (size - used), std::ios::cur));
}

bool read_tables(std::istream& stream, PendingFile& file) {
  stream.clear();
  const PendingFileHeader& header = file.header;
  return stream.seekg(sizeof header) && read_table(stream, header.threads, header.threads_used, file.threads) &&
         read_table(stream, header.operations, header.operations_used, file.operations) &&
         read_table(stream, header.channels, header.channels_used, file.channels) &&
         read_table(stream, header.started, header.started, file.started);
}

template <class Record>
bool is_same(const Record& one, const Record& other) {
  return std::memcmp(&one, &other, sizeof one) == 0;
}

/// A number of a record that there is, or none.
bool is_number(std::uint32_t number, std::size_t size) { return number == trace::pending_none || number < size; }

/// What is not whole, or has changed from one reading to the next, is left out. False where it cannot be.
bool keep_whole(PendingFile& file, const PendingFile& again) {
  for (std::size_t i = 0; i < file.threads.size(); ++i) {
    PendingThread& thread = file.threads[i];
    if (thread.sequence % 2 != 0 || !is_same(thread, again.threads[i])) thread.call = 0;
    if (thread.call > static_cast<std::uint32_t>(trace::PendingCall::finalize)) return false;
    if (thread.call == 0) continue;
    for (const std::uint32_t channel : thread.channel) {
      if (!is_number(channel, file.channels.size())) return false;
    }
    if (!is_number(thread.operation, file.operations.size())) return false;
  }
  std::vector<PendingStarted> whole;
  for (std::size_t i = 0; i < file.started.size(); ++i) {
    const PendingStarted& started = file.started[i];
    const bool is_there = started.request != 0 && started.request != trace::pending_being_written;
    if (!is_there || started.sequence % 2 != 0 || !is_same(started, again.started[i])) continue;
    if (started.operation >= file.operations.size() || !is_number(started.channel, file.channels.size())) return false;
    whole.push_back(started);
  }
  file.started = std::move(whole);
  return std::all_of(file.channels.begin(), file.channels.end(), [](const PendingChannel& channel) {
    return channel.predefined <= 2 && channel.direction <= static_cast<std::uint32_t>(trace::PendingDirection::probe);
  });
}

/// The header, and all tables as they stand there: the file, none where its process has just begun or was stopped
/// there, or what is wrong as a sentence. `size` is that of all of it.
std::variant<std::optional<PendingFile>, std::string> read_once(std::istream& stream, std::uint64_t size) {
  PendingFile file;
  PendingFileHeader& header = file.header;
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) {
    if (stream.gcount() == 0) return std::nullopt;  // it is being made
    return damaged_pending;
  }
  if (std::memcmp(header.magic, trace::pending_file_magic, sizeof header.magic) != 0) {
    const bool is_untouched =
        std::all_of(std::begin(header.magic), std::end(header.magic), [](char c) { return c == 0; });
    if (is_untouched) return std::nullopt;
    return damaged_pending;
  }
  if (header.byte_order != trace::counter_file_byte_order) {
    return "was written on a machine of the other byte order; read it on one like that.";
  }
  if (header.version > trace::pending_file_version) {
    return "has version " + std::to_string(header.version) + ", but this ddtscope reads versions up to " +
           std::to_string(trace::pending_file_version) + "; use the ddtscope that wrote it, or a newer one.";
  }
  const bool fits = size >= sizeof header && bytes_of_tables(header) <= size - sizeof header &&
                    header.threads_used <= header.threads && header.operations_used <= header.operations &&
                    header.channels_used <= header.channels &&
                    header.state <= static_cast<std::uint32_t>(trace::PendingState::ended);
  if (!fits || !read_tables(stream, file)) return damaged_pending;
  return file;
}

}  // namespace

std::variant<std::optional<PendingFile>, TraceProblem> read_pending_file(const std::filesystem::path& trace_file) {
  std::filesystem::path path = trace_file;
  path.replace_extension(trace::pending_file_extension);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return problem_in_pending(path,
                              "cannot be read (" + std::string(std::strerror(errno)) + "); check its permissions.");
  const std::uint64_t size = std::filesystem::file_size(path, error);
  auto read = read_once(stream, error ? 0 : size);
  if (const auto* sentence = std::get_if<std::string>(&read)) return problem_in_pending(path, *sentence);
  auto& file = std::get<std::optional<PendingFile>>(read);
  if (!file) return std::nullopt;
  PendingFile again;
  again.header = file->header;
  stream.close();  // what it has read ahead is old
  stream.open(path, std::ios::binary);
  if (!stream && !std::filesystem::exists(path, error)) return std::nullopt;  // its process has just ended
  if (!read_tables(stream, again) || !keep_whole(*file, again)) return problem_in_pending(path, damaged_pending);
  return std::move(file);
}

std::variant<std::optional<PendingFile>, std::string> pending_of_memory(std::string bytes) {
  const std::uint64_t size = bytes.size();
  std::istringstream stream(std::move(bytes));
  auto read = read_once(stream, size);
  auto* const file = std::get_if<std::optional<PendingFile>>(&read);
  if (file == nullptr || !*file) return read;
  const PendingFile again = **file;
  if (!keep_whole(**file, again)) return damaged_pending;
  return read;
}

}  // namespace ddtscope
