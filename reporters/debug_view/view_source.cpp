#include "reporters/debug_view/view_source.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "decoder/definition/envelope.h"
#include "decoder/definition/observed_bounds.h"
#include "reporters/trace/read/counter_reader.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t problems_told = 10;
// A damaged number must not take all memory.
constexpr std::uint64_t longest_gap = 1 << 16;

/// What all lines but those of definitions say. Definitions keep the numbers of the trace file in names and
/// differences; some of them are no longer in memory.
class LineSink : public TraceSink {
 public:
  LineSink(TraceSink& sink, const std::unordered_map<std::uint32_t, std::uint32_t>& numbers)
      : sink_(sink), numbers_(numbers) {}

  void header(HeaderRecord&& record) override {
    for (const PredefinedType& type : record.predefined) predefined_.push_back(type.name);
    // The view has none of these, so nothing may be concluded from there being none.
    record.uses = record.messages = record.sources = false;
    sink_.header(std::move(record));
  }
  /// One that the library has made since.
  void predefined(const PredefinedType& type) override {
    sink_.predefined(type);
    predefined_.push_back(type.name);
  }
  void module(ModuleRecord&& record) override { sink_.module(std::move(record)); }
  void frame(const FrameRecord& record) override { sink_.frame(record); }
  void definition(DefinitionRecord&) override {}
  void name(NameRecord&& record) override {
    if (renumber(record.definition)) sink_.name(std::move(record));
  }
  void difference(DifferenceRecord&& record) override {
    if (renumber(record.definition)) sink_.difference(std::move(record));
  }
  void process(ProcessRecord&&) override {}
  void note(std::string&&) override {}
  void end(FileEnd&&) override {}

  /// In the order of the trace.
  const std::vector<std::string>& predefined_names() const { return predefined_; }

 private:
  bool renumber(DefinitionNumber& number) const {
    const auto found = numbers_.find(number.value);
    if (found != numbers_.end()) number.value = found->second;
    return found != numbers_.end();
  }

  TraceSink& sink_;
  const std::unordered_map<std::uint32_t, std::uint32_t>& numbers_;
  std::vector<std::string> predefined_;
};

/// Takes the header alone.
class HeaderSink : public TraceSink {
 public:
  std::optional<HeaderRecord> found;

  void header(HeaderRecord&& record) override { found = std::move(record); }
  void predefined(const PredefinedType&) override {}
  void module(ModuleRecord&&) override {}
  void frame(const FrameRecord&) override {}
  void definition(DefinitionRecord&) override {}
  void name(NameRecord&&) override {}
  void difference(DifferenceRecord&&) override {}
  void process(ProcessRecord&&) override {}
  void note(std::string&&) override {}
  void end(FileEnd&&) override {}
};

/// One reading of a view.
class Telling {
 public:
  Telling(const ViewContents& contents, TraceSink& sink) : contents_(contents), sink_(sink) {}

  void tell(const std::vector<std::string_view>& lines) {
    order_definitions();
    LineSink line_sink(sink_, numbers_);
    TraceLineReader reader(line_sink);
    bool are_told = false;
    const auto tell_all_definitions = [&] {
      describe_predefined(line_sink.predefined_names());
      tell_definitions(reader.frames());
    };
    for (const std::string_view line : lines) {
      const TraceLineReader::Place place = reader.place_of(line).value_or(TraceLineReader::Place{});
      if (place.kind == TraceLineReader::Kind::other && !are_told) {
        tell_all_definitions();
        are_told = true;
        reader.set_definitions(UINT32_MAX);
      }
      fill_gap(place, reader);
      if (const auto problem = reader.read(line))
        problems_.push_back("A line in the memory is left out: " + *problem + ".");
    }
    if (!are_told) tell_all_definitions();
    predefined_ = line_sink.predefined_names();
    tell_damages();
    tell_end();
  }

 private:
  /// Modules and frames whose lines are damaged must not leave others without theirs: something unknown stands for
  /// them.
  void fill_gap(TraceLineReader::Place place, TraceLineReader& reader) {
    if (place.kind == TraceLineReader::Kind::module) {
      if (place.number > reader.modules() + longest_gap) return;
      while (reader.modules() < place.number) {
        reader.read("{\"record\":\"module\",\"id\":" + std::to_string(reader.modules()) +
                    ",\"path\":\"(not in the memory)\",\"build_id\":null}");
      }
    } else if (place.kind == TraceLineReader::Kind::frames) {
      if (place.number > reader.frames() + longest_gap) return;
      while (reader.frames() < place.number) {
        reader.read("{\"record\":\"frames\",\"first\":" + std::to_string(reader.frames()) +
                    ",\"parent\":null,\"frames\":[[null,0]]}");
      }
    }
  }

  /// As they stand in the trace file, so that oldtypes come first.
  void order_definitions() {
    for (const auto& [number, definition] : contents_.definitions) {
      order_.emplace_back(definition.fixed.line, number);
    }
    std::sort(order_.begin(), order_.end());
    for (const auto& [line, number] : order_) places_.try_emplace(number, UINT32_MAX);
  }

  /// A definition tells the name alone: what the type is stands in a line, which may have been left out.
  void describe_predefined(const std::vector<std::string>& told) {
    const std::set<std::string_view> names(told.begin(), told.end());
    for (const auto& [number, name] : contents_.predefined) {
      if (names.contains(name)) described_.emplace(number, name);
    }
  }

  void tell_definitions(std::size_t frames) {
    frames_ = frames;
    std::uint32_t told = 0;
    for (const auto& [line, number] : order_) {
      if (tell(contents_.definitions.at(number))) {
        if (line != trace::debug_view_none) numbers_.try_emplace(line, told);
        places_[number] = told++;
      } else {
        problems_.push_back("The definition with key " + key_text(contents_.definitions.at(number).fixed.key) +
                            " is left out, because it is made of one that is not in the memory.");
      }
    }
  }

  bool tell(const ViewDefinition& definition) {
    const trace::DebugDefinition& fixed = definition.fixed;
    DefinitionRecord record;
    record.line = 1;
    record.key = fixed.key;
    record.site = site_of(fixed.site);
    if (const auto entry = contents_.entries.find(fixed.entry); entry != contents_.entries.end()) {
      record.called = entry->second.name;
    }
    record.adopted = fixed.adopted != 0;
    record.combiner = definition.combiner;
    record.form = fixed.large != 0 ? Form::large_counts : Form::int_counts;
    CallArguments arguments;
    std::copy(std::begin(fixed.scalars), std::end(fixed.scalars), arguments.scalars.begin());
    for (std::size_t i = 0; i < arguments.arrays.size(); ++i) {
      for (std::size_t k = 0; k < definition.arrays[i].length; ++k) {
        arguments.arrays[i].push_back(definition.arrays[i][k]);
      }
    }
    for (std::size_t i = 0; i < definition.datatypes.length; ++i) {
      const auto number = static_cast<ViewNumber>(definition.datatypes[i]);
      if (const auto named = described_.find(number); named != described_.end()) {
        record.oldtypes.emplace_back(named->second);
      } else if (const auto place = places_.find(number); place != places_.end() && place->second != UINT32_MAX) {
        record.oldtypes.emplace_back(DefinitionNumber{place->second});
      } else {
        return false;
      }
    }
    record.contents = contents_of(record.combiner, record.form, arguments);
    for (std::size_t i = 0; i < std::size(observed_bounds); ++i) {
      if ((fixed.undefined >> i & 1) == 0) record.observed.*observed_bounds[i] = fixed.observed[i];
    }
    sink_.definition(record);
    return true;
  }

  FrameNumber site_of(std::uint32_t site) const { return site < frames_ ? FrameNumber{site} : FrameNumber{}; }

  void tell_damages() {
    if (contents_.view.state == static_cast<std::uint32_t>(trace::DebugViewState::stopped)) {
      note("ddtscope had stopped recording in this process: datatypes are told as they were then.");
    }
    if (contents_.view.state == static_cast<std::uint32_t>(trace::DebugViewState::forked)) {
      note("This process was forked from one that ddtscope records: datatypes are told as they were then.");
    }
    if (contents_.lines_left_out) {
      note(
          "Lines found no room in the process's memory (DDTSCOPE_MAX_MEMORY): call sites, names and differences that "
          "are missing here are in its trace file.");
    }
    for (const std::string& damage : contents_.damages) note(damage);
    if (contents_.damage_count > contents_.damages.size()) {
      note(std::to_string(contents_.damage_count - contents_.damages.size()) + " more places are damaged.");
    }
    for (std::size_t i = 0; i < std::min(problems_.size(), problems_told); ++i) note(problems_[i]);
    if (problems_.size() > problems_told) {
      note(std::to_string(problems_.size() - problems_told) + " more lines and definitions are left out.");
    }
    if (!contents_.evicted.empty()) {
      const auto gone = std::count_if(
          contents_.evicted.begin(), contents_.evicted.end(),
          [&](const trace::DebugEvicted& evicted) { return evicted.key != 0 && !numbers_.contains(evicted.line); });
      if (gone != 0) {
        note(std::to_string(gone) +
             " definitions without instances had made room in the process's memory: they are in its trace file, in "
             "which types have other numbers.");
      }
    }
  }
  void note(std::string text) { sink_.note(std::move(text)); }

  void tell_end() {
    FileEnd end;
    end.counted = true;
    for (const ViewCounter& counter : contents_.counters) {
      if (counter.fixed.counts == 0) continue;  // free: its definition has made room
      const auto entry = contents_.entries.find(counter.fixed.entry);
      const std::string_view called = entry != contents_.entries.end() ? entry->second.name : std::string_view();
      const std::string_view binding = entry != contents_.entries.end() ? entry->second.binding : std::string_view();
      const auto place = places_.find(counter.fixed.definition);
      const bool is_told = place != places_.end() && place->second != UINT32_MAX;
      if (!counter.counts) {
        end.counted = false;
        if (is_told) {
          end.instances.push_back({{place->second}, site_of(counter.fixed.site), called, {}, 0, 0, 0, 0, false, 0, 0});
        }
        continue;
      }
      const trace::CounterRecord& counts = *counter.counts;
      if (is_told) {
        end.instances.push_back({{place->second},
                                 site_of(counter.fixed.site),
                                 called,
                                 binding,
                                 counts.created,
                                 counts.adopted,
                                 counts.committed,
                                 counts.freed,
                                 true,
                                 0,
                                 0});
      } else if (const std::uint64_t lost = counts.created + counts.adopted; lost != 0) {
        const bool was_recorded = counter.fixed.definition != trace::debug_view_none;
        end.unrecorded.push_back({std::string(called),
                                  lost,
                                  was_recorded ? "its definition is not in the memory" : "it could not be recorded",
                                  site_of(counter.fixed.site),
                                  {}});
      }
    }
    if (!end.counted) note_live_types();
    if (contents_.pending) end.pending = pending();
    for (const trace::DebugWindow& window : contents_.windows) {
      each_event(window, [&](const trace::DebugWindowEvent& event) { end.window_calls.push_back(call_of(event)); });
    }
    sink_.end(std::move(end));
  }

  /// By its number in the trace file, or its place among the header's predefined types.
  std::optional<OldtypeRecord> type_of(std::uint32_t definition, std::uint32_t predefined) const {
    if (const auto place = numbers_.find(definition); place != numbers_.end()) return DefinitionNumber{place->second};
    if (predefined < predefined_.size()) return std::string_view(predefined_[predefined]);
    return std::nullopt;
  }

  OperationRecord call_of(const trace::DebugWindowEvent& event) const {
    OperationRecord call;
    if (const auto entry = contents_.entries.find(event.entry); entry != contents_.entries.end()) {
      call.called = entry->second.name;
      call.binding = entry->second.binding;
    }
    call.type = type_of(event.definition, event.predefined);
    call.elements = event.elements;
    call.site = site_of(event.site);
    return call;
  }

  PendingRecord pending() {
    PendingRecord record{{}, *contents_.pending, {}};
    for (const trace::PendingOperation& operation : record.file.operations) {
      OperationRecord known;
      known.called = words_.emplace_back(text_of_field(operation.called));
      known.binding = words_.emplace_back(text_of_field(operation.binding));
      known.elements = operation.elements;
      known.site = site_of(operation.site);
      if (operation.parameter != 0 && operation.parameter <= UINT8_MAX) {
        known.parameter = static_cast<trace::UseParameter>(operation.parameter);
        known.type = type_of(operation.definition, operation.predefined);
      }
      record.operations.push_back(known);
    }
    return record;
  }

  /// Without counters, the handles still tell how many types there were.
  void note_live_types() {
    std::uint64_t live = 0;
    each_live(contents_, [&](const LiveType& life) { live += life.is_predefined ? 0 : 1; });
    note(why_without_counts() + ": how many types were made is not known. " + std::to_string(live) +
         (live == 1 ? " derived datatype was live." : " derived datatypes were live."));
  }

  std::string why_without_counts() const {
    switch (contents_.without_counts) {
      case WithoutCounts::do_not_fit:
        return "The counters in their file do not fit the handles in the memory, as where the process went on after "
               "its core was written";
      case WithoutCounts::of_another_job:
        return "The counters are not in the memory, and where their file was there is now another job's";
      case WithoutCounts::of_parent:
        return "The counters are those of the process that this one was forked from";
      case WithoutCounts::not_there:
        break;
    }
    return "The counters are not in the memory, and their file is gone";
  }

  const ViewContents& contents_;
  TraceSink& sink_;
  std::vector<std::pair<std::uint32_t, ViewNumber>> order_;   // by line
  std::unordered_map<ViewNumber, std::uint32_t> places_;      // among those that were told
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // the same, by line
  std::vector<std::string> problems_;
  std::map<ViewNumber, std::string_view> described_;  // predefined types
  std::vector<std::string> predefined_;               // names, in the order of the trace
  std::deque<std::string> words_;                     // that were told, until the end
  std::size_t frames_ = 0;
};

}  // namespace

ViewSource::ViewSource(const ViewContents& contents, std::filesystem::path name)
    : contents_(contents), name_(std::move(name)) {
  HeaderSink unused;
  TraceLineReader reader(unused);
  std::vector<std::tuple<TraceLineReader::Place, std::size_t, std::string_view>> order;
  for (const std::string& line : contents.lines) {
    order.emplace_back(reader.place_of(line).value_or(TraceLineReader::Place{}), order.size(), line);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [place, number, line] : order) lines_.push_back(line);
}

std::variant<HeaderRecord, TraceProblem> ViewSource::header() {
  HeaderSink sink;
  TraceLineReader reader(sink);
  // What the rest of a newer one means is not known.
  const auto place = lines_.empty() ? std::nullopt : reader.place_of(lines_.front());
  if (place && place->kind == TraceLineReader::Kind::header && std::cmp_greater(place->number, trace::format_version)) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        name_.string() + ": the trace in the memory " + newer_format(place->number)};
  }
  const std::optional<std::string> problem =
      lines_.empty() ? std::optional<std::string>("it is not there") : reader.read(lines_.front());
  if (!sink.found) {
    return TraceProblem{TraceProblem::Kind::unreadable, name_.string() + ": the header in the memory is damaged" +
                                                            (problem ? " (" + *problem + ")" : "") +
                                                            ", so nothing can be said about the datatypes."};
  }
  return std::move(*sink.found);
}

std::optional<TraceProblem> ViewSource::read(TraceSink& sink) {
  try {
    Telling(contents_, sink).tell(lines_);
  } catch (const TraceRefused& refused) {
    return TraceProblem{TraceProblem::Kind::unreadable, refused.sentence};
  }
  return std::nullopt;
}

}  // namespace ddtscope::reporters
