// What others see of a process while it runs, hangs, or after it was killed: the file beside its trace.
#include <cerrno>
#include <cstring>

#include "plugin/session/session.h"

namespace ddtscope::plugin {

void Session::start_in_flight() {
  std::string path = file_;
  path.replace(path.rfind('.'), std::string::npos, trace::pending_file_extension);
  int thread_level = MPI_THREAD_MULTIPLE;
  mpi_.Query_thread(&thread_level);
  const bool is_one = thread_level == MPI_THREAD_SINGLE || thread_level == MPI_THREAD_FUNNELED;
  if (pending_file_.create(path, is_one ? PendingFile::Threads::one_calls : PendingFile::Threads::all_may_call)) {
    const MPI_Request none = null_request();
    pending_file_.leave_out_request(handle_in_memory(&none, 0, sizeof none));
    showing_in_flight_ = &pending_file_;
    show_to_debuggers(trace::DebugFileKind::pending, pending_file_.path(),
                      {static_cast<const std::byte*>(pending_file_.memory()), PendingFile::bytes()});
    return;
  }
  const std::string why = std::strerror(errno);
  if (rank_ <= 0)
    log_->warn("`ddtscope pending` will have nothing to tell, because " + path + " cannot be made (" + why + ")");
}

void Session::show_to_debuggers(trace::DebugFileKind kind, const std::string& path, std::span<const std::byte> mapped) {
  trace::DebugFile entry{};
  entry.address = reinterpret_cast<std::uintptr_t>(mapped.data());
  entry.bytes = mapped.size();
  entry.kind = static_cast<std::uint32_t>(kind);
  if (path.size() < sizeof entry.path) path.copy(entry.path, sizeof entry.path);
  constexpr auto table = trace::DebugTableKind::files;
  constexpr std::size_t files = 2;
  if (!debug_files_) {
    debug_files_ = std::make_unique<DebugTable<trace::DebugFile>>(debug_memory_.table(table), table, files);
  }
  debug_files_->push_back(entry);
}

std::uint32_t Session::operation_in_flight(const EntryPoint& called, const ReturnPlace& place) noexcept {
  CallSiteId site;
  if (recall(place, site)) [[likely]] {
    const std::uint32_t known = pending_file_.find_operation(called, site);
    if (known != trace::pending_none) return known;
  }
  return new_operation_in_flight(called, place);
}

std::uint32_t Session::new_operation_in_flight(const EntryPoint& called, const ReturnPlace& place) noexcept {
  const CallSiteId site = take_site({nullptr, place, false});
  std::uint32_t number = trace::pending_none;
  guarded([&](Registry& registry) { registry.beside([&] { number = pending_file_.operation_of(called, site); }); });
  return number;
}

}  // namespace ddtscope::plugin
