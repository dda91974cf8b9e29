#include "reporters/model/analysis.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "decoder/definition/sub_store.h"
#include "decoder/findings/finding_memory.h"
#include "decoder/notation/bnf.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

std::optional<BoundsRule> library_of(const Job& job) {
  return job.ranks.empty() ? std::nullopt : bounds_rule_of_text(job.header().library_name);
}

/// A value as verification writes it: outside of 53 bits a decimal string (RFC 7493), undefined null.
bool is_json_of(const std::string& json, std::optional<std::int64_t> value) {
  if (!value) return json == "null";
  const std::string digits = std::to_string(*value);
  return json == digits || json == '"' + digits + '"';
}

/// The bounds that verification compares, as the trace names them.
constexpr std::pair<std::string_view, std::optional<std::int64_t> ObservedBounds::*> compared_bounds[] = {
    {"size", &ObservedBounds::size},
    {"lb", &ObservedBounds::lb},
    {"extent", &ObservedBounds::extent},
    {"true_lb", &ObservedBounds::true_lb},
    {"true_extent", &ObservedBounds::true_extent}};

}  // namespace

std::uint64_t& FindingCounts::of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return errors;
    case Severity::warning:
      return warnings;
    case Severity::note:
      break;
  }
  return notes;
}

/// Definitions of the job and what they are made of, with the answers about them.
class Analysis::Window {
 public:
  struct Library {
    std::optional<BoundsRule> rule;
    const ChosenReleases& releases;
  };
  Window(const Job& job, const Library& library, const AskWhole& is_held, const AskWhole& is_resized,
         const AskWhole& is_only_read)
      : sub_store_(job.store, job.observed_bounds),
        name_oldtype_([this, &job](DefinitionId local) { return job.name_of(sub_store_.to_global({local})); }),
        layouts_(sub_store_.store(), sub_store_),
        rules_(sub_store_.store(), library.releases),
        fingerprints_(layouts_),
        simplifier_(sub_store_.store(), layouts_, of_local(is_held)),
        sources_{layouts_,
                 rules_,
                 fingerprints_,
                 simplifier_,
                 name_oldtype_,
                 library.rule,
                 make_finding_memory(),
                 of_local(is_resized),
                 of_local(is_only_read)} {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void add(std::span<const DefinitionId> ids) {
    sub_store_.add(ids);
    if (size_of_first_ == 0) size_of_first_ = size();
  }
  std::size_t size() const { return sub_store_.store().size(); }
  /// After the first addition.
  std::size_t size_of_first() const { return size_of_first_; }
  LocalDefinitionId to_local(DefinitionId global) const { return sub_store_.to_local(global); }

  Place place(LocalDefinitionId local) { return {local.in_store, layouts_, rules_, fingerprints_}; }
  const std::optional<Simpler>& simpler(LocalDefinitionId local) {
    const auto [found, is_new] = simpler_.try_emplace(local.in_store.value);
    if (is_new) found->second = simplifier_.simpler(local.in_store, name_oldtype_);
    return found->second;
  }
  const Portability& portability(LocalDefinitionId local) {
    const auto [found, is_new] = portability_.try_emplace(local.in_store.value);
    if (is_new) found->second = portability_of(sources_, local.in_store);
    return found->second;
  }
  Diagnosis diagnosis(LocalDefinitionId local) {
    FindingMemory& known = *sources_.memory;
    const DefinitionId id = local.in_store;
    return diagnose(layouts_, id, {known.entries_overlap(layouts_, id), known.copies_overlap(layouts_, id)});
  }
  const std::vector<Finding>& findings(LocalDefinitionId local) {
    const auto [found, is_new] = findings_.try_emplace(local.in_store.value);
    if (is_new) found->second = findings_of(sources_, local.in_store);
    return found->second;
  }
  /// The job's definitions that types of the window hold.
  std::vector<DefinitionId> held() {
    std::vector<DefinitionId> ids;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (simplifier_.is_held(DefinitionId{i})) ids.push_back(sub_store_.to_global({DefinitionId{i}}));
    }
    return ids;
  }

 private:
  AskWhole of_local(AskWhole ask) const {
    if (!ask) return {};
    return [this, ask = std::move(ask)](DefinitionId local) { return ask(sub_store_.to_global({local})); };
  }

  SubStore sub_store_;
  std::size_t size_of_first_ = 0;
  NameOldtype name_oldtype_;
  Layouts layouts_;
  AllRules rules_;
  Fingerprints fingerprints_;
  Simplifier simplifier_;
  FindingSources sources_;
  // By local id.
  std::unordered_map<std::uint32_t, std::optional<Simpler>> simpler_;
  std::unordered_map<std::uint32_t, Portability> portability_;
  std::unordered_map<std::uint32_t, std::vector<Finding>> findings_;
};

Analysis::Analysis(const Job& job, const Windows& windows) : job_(job), windows_(windows), library_(library_of(job)) {
  if (!library_) return;
  TakenRelease taken = release_taken_for(*library_, job.header().library_version);
  releases_.choose(*taken.release);
  remark_on_release_ = std::move(taken.remark);
}

Analysis::Analysis(const Analysis& other)
    : job_(other.job_),
      windows_(other.windows_),
      library_(other.library_),
      releases_(other.releases_),
      remark_on_release_(other.remark_on_release_),
      resized_(other.resized_),
      held_(other.held_),
      only_read_(other.only_read_),
      surveyed_(other.surveyed_),
      asked_(other.asked_) {}

Analysis::~Analysis() = default;

std::size_t Analysis::types_of_window() const {
  return is_one_window() ? windows_.types_of_one : windows_.types_of_several;
}

/// The types of the window that a type is in where all are looked at in their own order.
std::vector<DefinitionId> Analysis::definitions_beside(TypeNumber number) const {
  const std::size_t most = types_of_window();
  std::vector<DefinitionId> ids;
  for (const JobType& type : piece_of(std::span(job_.types), (number.value - 1) / most, most)) {
    ids.push_back(type.definition);
  }
  return ids;
}

/// No more definitions are brought into a window, unless those that it has are made of so many others that each window
/// would be made of the same ones again and again. Then windows grow together, up to twice what the first needed.
bool Analysis::is_full(const Window& window) const {
  const bool is_mostly_oldtypes = window.size_of_first() > 2 * types_of_window();
  return !is_mostly_oldtypes || window.size() > 2 * window.size_of_first();
}

/// Brings definitions into `window`, or into a new one.
void Analysis::move_to(std::span<const DefinitionId> ids, std::unique_ptr<Window>& window) {
  if (window && is_full(*window)) window.reset();
  if (!window) window = make_window();
  window->add(ids);
}

std::unique_ptr<Analysis::Window> Analysis::make_window() {
  const Window::Library library = {library_, releases_};
  const auto is_read = [this](DefinitionId id) { return is_only_read(id); };
  if (is_one_window()) return std::make_unique<Window>(job_, library, AskWhole(), AskWhole(), is_read);
  return std::make_unique<Window>(
      job_, library, [this](DefinitionId id) { return is_held(id); },
      [this](DefinitionId id) { return is_resized(id); }, is_read);
}

Analysis::Window& Analysis::window_with(TypeNumber number) {
  if (!window_ || !window_->to_local(job_.type(number).definition).valid()) {
    move_to(definitions_beside(number), window_);
  }
  return *window_;
}

void Analysis::look_at(std::span<const TypeNumber> types) {
  if (is_one_window()) return;
  std::vector<DefinitionId> ids;
  for (const TypeNumber number : types) ids.push_back(job_.type(number).definition);
  move_to(ids, window_);
}

const std::vector<bool>& Analysis::resized() {
  if (resized_.empty()) {
    resized_.resize(job_.store.size());
    for (const JobType& type : job_.types) {
      const ConstructorCall& call = job_.store[type.definition].call;
      if (call.combiner == Combiner::resized) resized_[call.datatypes[0].value] = true;
    }
  }
  return resized_;
}

bool Analysis::is_only_read(DefinitionId id) {
  if (only_read_.empty()) only_read_ = definitions_only_read(job_);
  return only_read_[id.value];
}

/// Of a type that has a simpler form.
bool Analysis::is_held(DefinitionId id) {
  const bool is_known = surveyed_ == Surveyed::all || (surveyed_ == Surveyed::one && id == asked_);
  if (!is_known) survey(id);
  return held_[id.value];
}

/// Looks for types that others hold. Only what is made of a type may hold it: where one is asked for, those few are
/// looked at; where a second one is, all.
void Analysis::survey(DefinitionId asked) {
  if (surveyed_ != Surveyed::none) {
    survey_all();
    return;
  }
  std::vector<bool> contains(job_.store.size());
  contains[asked.value] = true;
  std::vector<DefinitionId> ids;
  for (const JobType& type : job_.types) {
    const auto& oldtypes = job_.store[type.definition].call.datatypes;
    if (std::none_of(oldtypes.begin(), oldtypes.end(), [&](DefinitionId id) { return contains[id.value]; })) continue;
    contains[type.definition.value] = true;
    ids.push_back(type.definition);
  }
  mark_held_by(ids);
  surveyed_ = Surveyed::one;
  asked_ = asked;
}

/// All that only the whole job tells of a type.
void Analysis::survey_all() {
  resized();
  if (surveyed_ == Surveyed::all) return;
  // What is made of basic types alone holds none that the program made.
  std::vector<DefinitionId> ids;
  for (const JobType& type : job_.types) {
    const auto& oldtypes = job_.store[type.definition].call.datatypes;
    const auto is_made = [&](DefinitionId id) { return job_.store[id].call.combiner != Combiner::named; };
    if (std::any_of(oldtypes.begin(), oldtypes.end(), is_made)) ids.push_back(type.definition);
  }
  mark_held_by(ids);
  surveyed_ = Surveyed::all;
}

void Analysis::mark_held_by(std::span<const DefinitionId> ids) {
  held_.resize(job_.store.size());
  const auto mark = [&](const std::vector<DefinitionId>& held) {
    for (const DefinitionId id : held) held_[id.value] = true;
  };
  std::unique_ptr<Window> windows[lanes];
  const std::size_t most = types_of_window();
  ordered_parallel_for(
      pieces_of(ids.size(), most),
      [&](std::size_t lane, std::size_t piece) {
        std::unique_ptr<Window>& window = windows[lane];
        std::vector<DefinitionId> held;
        if (window && is_full(*window)) held = window->held();
        move_to(piece_of(ids, piece, most), window);
        return held;
      },
      [&](std::size_t, const std::vector<DefinitionId>& held) { mark(held); });
  for (const std::unique_ptr<Window>& window : windows) {
    if (window) mark(window->held());
  }
}

Analysis::Place Analysis::place(TypeNumber number) {
  Window& window = window_with(number);
  return window.place(window.to_local(job_.type(number).definition));
}

const std::optional<Simpler>& Analysis::simpler(TypeNumber number) {
  Window& window = window_with(number);
  return window.simpler(window.to_local(job_.type(number).definition));
}

const Portability& Analysis::portability(TypeNumber number) {
  Window& window = window_with(number);
  return window.portability(window.to_local(job_.type(number).definition));
}

const std::vector<Finding>& Analysis::findings(TypeNumber number) {
  Window& window = window_with(number);
  return window.findings(window.to_local(job_.type(number).definition));
}

Diagnosis Analysis::diagnosis(TypeNumber number) {
  Window& window = window_with(number);
  return window.diagnosis(window.to_local(job_.type(number).definition));
}

void Analysis::each_finding(const SeeFinding& see) {
  using Found = std::vector<std::pair<TypeNumber, Finding>>;
  in_windows(
      job_.type_numbers(),
      [](std::size_t, Analysis& analysis, std::span<const TypeNumber> window) {
        Found found;
        for (const TypeNumber number : window) {
          for (const Finding& finding : analysis.findings(number)) found.emplace_back(number, finding);
        }
        return found;
      },
      [&](const Found& found) {
        for (const auto& [number, finding] : found) see(number, finding);
      });
}

/// Differences stand in any order: only what each is about is looked at.
Analysis::Place Analysis::place_of_difference(TypeNumber number) {
  if (is_one_window()) return place(number);
  const DefinitionId ids[] = {job_.type(number).definition};
  if (scattered_ && scattered_->size() > std::max(windows_.types_of_several, 2 * scattered_->size_of_first())) {
    scattered_.reset();
  }
  if (!scattered_) scattered_ = make_window();
  scattered_->add(ids);
  return scattered_->place(scattered_->to_local(ids[0]));
}

std::optional<BoundsRule> Analysis::explanation(const JobDifference& difference) {
  if (!library_) return std::nullopt;
  for (const auto& [subject, value] : compared_bounds) {
    if (subject != difference.subject) continue;
    const Place place = place_of_difference(difference.type);
    // What the plugin computed must be what the definition gives here, too: else ddtscope is what errs.
    const ObservedBounds computed = as_answered(place.layouts.computed(place.definition));
    const ObservedBounds modelled = as_answered(place.rules[*library_].bounds(place.definition));
    const bool is_explained =
        is_json_of(difference.computed, computed.*value) && is_json_of(difference.library, modelled.*value);
    return is_explained ? library_ : std::nullopt;
  }
  return std::nullopt;
}

SortedDifferences Analysis::differences() {
  SortedDifferences sorted;
  for (const JobDifference& difference : job_.differences) {
    (explanation(difference) ? sorted.explained : sorted.unexplained).push_back(&difference);
  }
  return sorted;
}

std::string bnf_of(const Job& job, TypeNumber number) {
  return bnf_text(job.store, job.type(number).definition,
                  [&](DefinitionId id) { return std::uint64_t{job.number_of(id).value}; });
}

const CollectiveComparison& Analysis::collectives() {
  if (!collectives_) collectives_ = compare_collectives(job_);
  return *collectives_;
}

const MessageComparison& Analysis::messages() {
  if (!messages_) messages_ = compare_messages(job_);
  return *messages_;
}

}  // namespace ddtscope::reporters
