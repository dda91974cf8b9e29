// Where types were made: the table of call sites, and the trees of frames of which the script makes flame graphs, of
// lives and of bytes.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reporters/html/sections.h"
#include "reporters/html/type_data.h"
#include "reporters/model/uses.h"
#include "reporters/text/style.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_call_site_rows = 200;
constexpr std::size_t name_columns = 120;
// One in another, in a tree. The plugin records no stack that is as deep.
constexpr std::ptrdiff_t most_functions = 1024;
// Frames that hold less than this share of all lives, or bytes, are told together.
constexpr Int128 smallest_share = 1000;

struct OfSite {
  std::uint64_t made = 0;
  std::int64_t live = 0;
  bool is_whole = true;  // the counters of all processes are known
  std::set<TypeNumber> types;
  TypeNumber most;
  std::uint64_t most_made = 0;

  /// What was made at another call site, or of another type at this one, was made here.
  void join(const OfSite& other) {
    made += other.made;
    live += other.live;
    is_whole = is_whole && other.is_whole;
    types.insert(other.types.begin(), other.types.end());
    if (!most.valid() || other.most_made > most_made) {
      most = other.most;
      most_made = other.most_made;
    }
  }
};

/// By call site; lives whose place is unknown are none of them.
std::map<FrameIndex, OfSite> sites_of(const Job& job) {
  std::map<FrameIndex, OfSite> sites;
  for (const JobType& type : job.types) {
    const Combiner combiner = job.store[type.definition].call.combiner;
    for (const Instances& part : job.instances.of(type.number)) {
      if (!part.site) continue;
      const std::uint64_t made = part.counters ? part.counters->created + part.counters->adopted : 0;
      sites[*part.site].join({.made = made,
                              .live = part.counters ? live(*part.counters, combiner) : 0,
                              .is_whole = part.counters.has_value(),
                              .types = {type.number},
                              .most = type.number,
                              .most_made = made});
    }
  }
  return sites;
}

/// Sites that read the same, because their stacks differ further out, are one here.
std::vector<std::pair<std::string, OfSite>> places_of(const ReportContext& context) {
  std::map<std::string, OfSite> places;
  for (const auto& [frame, of_site] : sites_of(context.job)) {
    places[place_of(context.job, frame, context.symbols)].join(of_site);
  }
  std::vector<std::pair<std::string, OfSite>> sorted(places.begin(), places.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second.made > b.second.made; });
  return sorted;
}

struct Frame {
  Int128 weight = 0;  // of what was called below it
  std::map<std::string, std::unique_ptr<Frame>> callees;
};

/// The functions of a frame, wherever in them the call stands, the outermost of those that were inlined into it first;
/// where no name is known, the address.
std::vector<std::string> functions_of(const ReportContext& context, FrameIndex index) {
  const JobFrame& frame = context.job.frame(index);
  if (frame.module) {
    const ModuleRecord& module = context.job.module(*frame.module);
    const SourceLocation& location = context.symbols.resolve(module, frame.offset);
    if (location.function) {
      std::vector<std::string> functions(location.inlined_into.rbegin(), location.inlined_into.rend());
      functions.push_back(*location.function);
      return functions;
    }
  }
  return {place_of_frame(context.job, index, context.symbols)};
}

/// The frames of many call sites, the outermost first.
class CallTree {
 public:
  /// What a call site weighs; more than once adds up. What does not fit has no width, and is left out.
  void add(const ReportContext& context, FrameIndex site, Exact weight);
  /// [name, weight, [children]], the heaviest first.
  Json json(TypeData& texts) const { return json_of("all", root_, texts); }

 private:
  Json json_of(const std::string& name, const Frame& frame, TypeData& texts) const;

  Frame root_;
};

void CallTree::add(const ReportContext& context, FrameIndex site, Exact weight) {
  const Job& job = context.job;
  if (!(Exact(root_.weight) + weight).fits() || weight.value() <= 0) return;
  std::vector<FrameIndex> stack = job.stack(site);
  // What stands outside of main() is the C library's.
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (is_outermost(job, stack[i], context.symbols)) stack.resize(i + 1);
  }
  std::vector<std::string> functions;
  for (std::size_t i = stack.size(); i-- > 0;) {
    for (std::string& function : functions_of(context, stack[i])) functions.push_back(std::move(function));
  }
  if (std::ssize(functions) > most_functions) {
    functions.erase(functions.begin(), functions.end() - most_functions);
    functions.front() = "...";
  }
  Frame* frame = &root_;
  root_.weight += weight.value();
  for (const std::string& function : functions) {
    std::unique_ptr<Frame>& callee = frame->callees[function];
    if (!callee) callee = std::make_unique<Frame>();
    frame = callee.get();
    frame->weight += weight.value();
  }
}

Json CallTree::json_of(const std::string& name, const Frame& frame, TypeData& texts) const {
  std::vector<const std::pair<const std::string, std::unique_ptr<Frame>>*> callees;
  Int128 small = 0;
  for (const auto& callee : frame.callees) {
    if (callee.second->weight >= root_.weight / smallest_share) {
      callees.push_back(&callee);
    } else {
      small += callee.second->weight;
    }
  }
  std::stable_sort(callees.begin(), callees.end(),
                   [](auto* a, auto* b) { return a->second->weight > b->second->weight; });
  Json children = Json::array();
  for (const auto* callee : callees) children.push_back(json_of(callee->first, *callee->second, texts));
  if (small != 0) children.push_back(Json::array({texts.text("..."), json_integer(Exact(small)), Json::array()}));
  return Json::array(
      {texts.text(cut_to(printable(name), name_columns)), json_integer(Exact(frame.weight)), std::move(children)});
}

Exact moved_bytes(const Job& job, const TypeUse& use) { return bytes_of(job, use.type, moved_counts(use).elements); }

bool moved_somewhere(const Job& job, const TypeUse& use) {
  const Exact bytes = moved_bytes(job, use);
  return use.site && bytes.fits() && bytes.value() > 0;
}

}  // namespace

bool has_call_sites(const SectionInput& input) {
  const Job& job = input.context.job;
  return input.summary.call_sites != 0 ||
         std::any_of(job.uses.begin(), job.uses.end(), [&](const TypeUse& use) { return moved_somewhere(job, use); });
}

Json call_trees_json(const ReportContext& context, TypeData& texts) {
  const Job& job = context.job;
  CallTree lives, bytes;
  for (const auto& [site, of_site] : sites_of(job)) {
    lives.add(context, site, Exact(static_cast<Int128>(of_site.made)));
  }
  for (const TypeUse& use : job.uses) {
    if (moved_somewhere(job, use)) bytes.add(context, *use.site, moved_bytes(job, use));
  }
  return {{"lives", lives.json(texts)}, {"bytes", bytes.json(texts)}};
}

void write_call_sites(std::ostream& out, const SectionInput& input) {
  const ReportContext& context = input.context;
  const std::vector<std::pair<std::string, OfSite>> sites = places_of(context);
  out << "<div id=\"flame\"></div>\n";
  if (sites.empty()) return;
  begin_table(out, "sites", "Call sites",
              {{"Called in"},
               {"Made", Cells::numbers},
               {"Live", Cells::numbers},
               {"Definitions", Cells::numbers},
               {"Made most often there"}});
  const std::size_t shown = std::min(most_call_site_rows, sites.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [site, of_site] = sites[i];
    out << "<tr><th scope=\"row\">" << Text{site} << "</th><td class=\"n\">"
        << made_text(of_site.made, of_site.is_whole) << "</td><td class=\"n\">"
        << live_text(of_site.live, of_site.is_whole) << "</td><td class=\"n\">"
        << grouped(static_cast<std::uint64_t>(of_site.types.size())) << "</td><td>";
    write_type(out, input, of_site.most);
    out << " ";
    write_call(out, context.job, of_site.most);
    out << "</td></tr>\n";
  }
  end_table(out);
  write_more(out, sites.size() - shown, "`ddtscope summary --json` and `ddtscope types --json` have all");
}

}  // namespace ddtscope::reporters
