#include "reporters/resolve/kept_sources.h"

#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "reporters/json/kept_document.h"
#include "reporters/model/types_by_key.h"

namespace ddtscope::reporters {
namespace {

constexpr KeptDocument of_sources{
    .file = sources_file_name,
    .format = "ddtscope-sources",
    .version = 1,
    .list = "records",
    .what = "file of what the sources say",
    .advice = "; the program's files are looked at instead, `ddtscope resolve` writes it anew."};

Json ranges_json(const RankRanges& ranks) {
  Json ranges = Json::array();
  for (const RankRange& range : ranks.ranges()) ranges.push_back({range.world.value, range.first, range.last});
  return ranges;
}

RankRanges ranges_of(const Json& stored) {
  RankRanges ranks;
  for (const Json& range : stored) {
    const RankRange one{range.at(1).get<std::int64_t>(), range.at(2).get<std::int64_t>(),
                        WorldNumber{range.at(0).get<std::int64_t>()}};
    if (one.first < 0 || one.last > INT32_MAX) throw std::out_of_range("a rank that no process has");
    ranks.add(one);
  }
  return ranks;
}

/// Which part of which job it is of: not another one's, nor one of fewer processes.
Json subject_json(const Job& job) {
  RankRanges ranks;
  std::size_t without_rank = 0;
  for (const JobRank& rank : job.ranks) {
    if (rank.header.rank) {
      ranks.add(*rank.header.rank);
    } else {
      ++without_rank;
    }
  }
  return {{"job", job.header().job},
          {"ranks", ranges_json(ranks)},
          {"processes_without_rank", without_rank},
          {"types", job.types.size()},
          {"buffers", job.buffers.size()}};
}

Json type_json(const Job& job, DefinitionId type) {
  const TypeNumber number = job.number_of(type);
  return number.valid() ? Json{{"key", key_text(job.type(number).key)}} : Json{{"predefined", job.name_of(type)}};
}

DefinitionId type_of(const Job& job, TypesByKey& types, const Json& stored) {
  if (stored.contains("predefined"))
    return job.store.find_predefined(stored.at("predefined").get<std::string>()).value();
  return job.type(types.find(stored.at("key").get<std::string>()).value()).definition;
}

/// Call sites in words that another reading of the same trace understands: the frames, outermost first.
class Sites {
 public:
  explicit Sites(const Job& job) : job_(job) {}

  Json json_of(std::optional<FrameIndex> site) const {
    if (!site) return nullptr;
    Json frames = Json::array();
    const std::vector<FrameIndex> stack = job_.stack(*site);
    for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
      const JobFrame& one = job_.frame(*frame);
      frames.push_back({one.module ? Json(job_.module(*one.module).path) : Json(nullptr), json_count(one.offset)});
    }
    return frames;
  }

  /// Throws where the trace has no such frames.
  std::optional<FrameIndex> site_of(const Json& stored) {
    if (stored.is_null()) return std::nullopt;
    if (frames_.empty()) index();
    std::optional<FrameIndex> frame;
    for (const Json& one : stored) {
      const std::string module = one.at(0).is_null() ? std::string() : one.at(0).get<std::string>();
      frame = frames_.at(Place(frame ? frame->value : outermost, module, count_of_json(one.at(1))));
    }
    return frame.value();
  }

 private:
  static constexpr std::uint32_t outermost = UINT32_MAX;
  using Place = std::tuple<std::uint32_t, std::string, std::uint64_t>;  // caller, module, offset

  void index() {
    for (std::uint32_t i = 0; i < job_.frames.size(); ++i) {
      const JobFrame& frame = job_.frames[i];
      frames_.emplace(Place(frame.caller ? frame.caller->value : outermost,
                            frame.module ? job_.module(*frame.module).path : std::string(), frame.offset),
                      FrameIndex{i});
    }
  }

  const Job& job_;
  std::map<Place, FrameIndex> frames_;
};

Json finding_json(const Job& job, const Sites& sites, const JobFinding& finding) {
  Json places = Json::array();
  for (const auto& site : finding.sites) places.push_back(sites.json_of(site));
  return {{"record", "finding"},
          {"id", finding.kind->id},
          {"severity", text_of(finding.severity)},
          {"message", finding.message},
          {"advice", finding.advice},
          {"type", finding.type ? type_json(job, *finding.type) : Json(nullptr)},
          {"called", finding.called},
          {"argument", finding.argument},
          {"ranks", ranges_json(finding.ranks)},
          {"count", json_count(finding.count)},
          {"sites", std::move(places)}};
}

JobFinding finding_of(Job& job, Sites& sites, TypesByKey& types, const Json& stored) {
  JobFinding finding{};
  finding.kind = find_finding_kind(stored.at("id").get<std::string>());
  const auto severity = severity_of_text(stored.at("severity").get<std::string>());
  if (finding.kind == nullptr || !severity) throw std::out_of_range("a finding of a newer version");
  finding.severity = *severity;
  finding.message = stored.at("message").get<std::string>();
  finding.advice = stored.at("advice").get<std::string>();
  if (!stored.at("type").is_null()) finding.type = type_of(job, types, stored.at("type"));
  finding.called = job.word(stored.at("called").get<std::string>());
  finding.argument = job.word(stored.at("argument").get<std::string>());
  finding.ranks = ranges_of(stored.at("ranks"));
  finding.count = count_of_json(stored.at("count"));
  for (const Json& site : stored.at("sites")) finding.sites.push_back(sites.site_of(site));
  return finding;
}

Json buffers_json(const std::optional<KnownBuffers>& buffers) {
  return buffers ? Json{{"recorded", json_count(buffers->recorded)}, {"known", json_count(buffers->known)}}
                 : Json(nullptr);
}

}  // namespace

std::optional<std::string> read_kept_sources(const std::filesystem::path& folder, Job& job,
                                             std::optional<DrawnFindings>& kept) {
  DrawnFindings drawn;
  Sites sites(job);
  TypesByKey types(job);
  bool is_of_job = false;
  auto problem = read_kept_document(folder, of_sources, [&](const Json& stored) {
    if (stored.at("record") == "subject") {
      is_of_job = stored.at("of") == subject_json(job);
      drawn.remarks = stored.at("remarks").get<std::vector<std::string>>();
      if (const Json& buffers = stored.at("buffers"); !buffers.is_null()) {
        drawn.buffers = KnownBuffers{count_of_json(buffers.at("recorded")), count_of_json(buffers.at("known"))};
      }
    } else if (is_of_job) {
      drawn.findings.push_back(finding_of(job, sites, types, stored));
    }
  });
  if (!problem && is_of_job) kept = std::move(drawn);
  return problem;
}

bool is_worth_keeping(const DrawnFindings& drawn) {
  return !drawn.findings.empty() || (drawn.buffers && drawn.buffers->known != 0);
}

std::optional<TraceProblem> write_kept_sources(const std::filesystem::path& folder, const Job& job,
                                               const DrawnFindings& drawn) {
  const Sites sites(job);
  std::vector<Json> records = {{{"record", "subject"},
                                {"of", subject_json(job)},
                                {"buffers", buffers_json(drawn.buffers)},
                                {"remarks", drawn.remarks}}};
  for (const JobFinding& finding : drawn.findings) records.push_back(finding_json(job, sites, finding));
  return write_kept_document(folder, of_sources, job, records);
}

}  // namespace ddtscope::reporters
