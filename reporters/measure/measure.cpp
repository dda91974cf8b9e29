#include "reporters/measure/measure.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <variant>

#include "decoder/base/joined.h"
#include "reporters/measure/interruption.h"
#include "reporters/measure/program.h"
#include "reporters/measure/run_command.h"
#include "reporters/measure/subject.h"
#include "reporters/measure/temporary_folder.h"

namespace ddtscope::reporters {
namespace {

namespace fs = std::filesystem;

/// One program after the other, in one folder.
class Measuring {
 public:
  Measuring(const MeasureSettings& settings, fs::path folder) : settings_(settings), folder_(std::move(folder)) {}

  /// Adds the type to what was measured; a sentence where nothing can be measured at all.
  std::string add(MeasureResult& result, const std::variant<MeasureSubject, std::string>& subject, TypeNumber number) {
    MeasuredType& type = result.measurement.types.emplace_back();
    type.type = number;
    if (const auto* why = std::get_if<std::string>(&subject)) {
      type.why_not = *why;
      return {};
    }
    const MeasureSubject& of = std::get<MeasureSubject>(subject);
    if (!write(folder_ / "measure.c", program_of(of)) || !write(folder_ / "table", table_of(of))) {
      result.has_failed = true;
      return "the program that measures could not be written into " + folder_.string() + "; is the disk full?";
    }
    const CommandResult compiled = run(compilation());
    if (!compiled.is_fine()) {
      return failed(type, {"the compiler " + joined(settings_.compiler, " "), "give another with --compiler", {}},
                    compiled);
    }
    const CommandResult ran = run(start());
    ProgramAnswers answers = answers_of(of, ran.output);
    type = std::move(answers.type);
    if (!answers.library.empty()) take_place(result.measurement, answers);
    return ran.is_fine() ? std::string() : failed(type, starter(answers), ran);
  }

 private:
  /// Who may have failed, what to do where it could not be started, and what else may be the cause of its status.
  struct Party {
    std::string name, advice, cause;
  };

  Party starter(const ProgramAnswers& answers) const {
    if (settings_.launcher.empty()) {
      return {"the program that measures", "set TMPDIR to a folder from which programs may be run", {}};
    }
    const bool has_run = !answers.library.empty();
    return {"the program that measures, started by " + joined(settings_.launcher, " ") + ",",
            "give another with --launcher",
            has_run ? "" : "; TMPDIR must be a folder that is the same on the node where it is started"};
  }

  void take_place(Measurement& measurement, const ProgramAnswers& answers) {
    measurement.library = answers.library;
    if (answers.host.empty() || std::find(hosts_.begin(), hosts_.end(), answers.host) != hosts_.end()) return;
    hosts_.push_back(answers.host);
    measurement.host = joined(hosts_, ", ");
  }

  static bool write(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    return static_cast<bool>(out);
  }

  std::vector<std::string> compilation() const {
    std::vector<std::string> words = settings_.compiler;
    words.insert(words.end(), {"-O2", "-o", (folder_ / "measure").string(), (folder_ / "measure.c").string()});
    return words;
  }

  std::vector<std::string> start() const {
    std::vector<std::string> words = settings_.launcher;
    words.insert(words.end(), {(folder_ / "measure").string(), (folder_ / "table").string()});
    return words;
  }

  CommandResult run(std::vector<std::string> words) const {
    return run_command({std::move(words), folder_, settings_.limit});
  }

  std::string failed(MeasuredType& type, const Party& party, const CommandResult& result) const {
    const std::string what = party.name + " " + how_it_ended(result, settings_.limit);
    if (result.end == CommandEnd::not_started) return what + "; " + party.advice + ".";
    type.has_failed = true;
    type.why_not = what + (result.end == CommandEnd::status ? party.cause : "") + ".";
    type.last_lines = result.errors;
    return {};
  }

  const MeasureSettings& settings_;
  fs::path folder_;
  std::vector<std::string> hosts_;
};

}  // namespace

MeasureResult measure_types(const Job& job, const std::vector<TypeNumber>& types, const MeasureSettings& settings) {
  const Interruption interruption;  // before the folder: that is gone when the process ends
  const TemporaryFolder folder;
  MeasureResult result;
  result.measurement.compiler = joined(settings.compiler, " ");
  if (folder.path().empty()) {
    result.problem = "no temporary folder can be made (" + folder.error() + "); set TMPDIR to one that can be written.";
    return result;
  }
  Measuring measuring(settings, folder.path());
  for (const TypeNumber type : types) {
    if (!result.problem.empty() || Interruption::has_come()) break;
    result.problem = measuring.add(result, subject_of(job, type, settings.copies), type);
    if (!result.problem.empty()) result.measurement.types.pop_back();
  }
  return result;
}

}  // namespace ddtscope::reporters
