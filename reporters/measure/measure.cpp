#include "reporters/measure/measure.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>
#include <variant>

#include "reporters/measure/interruption.h"
#include "reporters/measure/program.h"
#include "reporters/measure/run_command.h"
#include "reporters/measure/subject.h"
#include "reporters/measure/temporary_folder.h"

namespace ddtscope {
namespace {

namespace fs = std::filesystem;

std::string name_of_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

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
      return "the program that measures could not be written into " + folder_.string() + "; is the disk full?";
    }
    const CommandResult compiled = run(compilation());
    if (!compiled.is_fine()) {
      return failed(type, {"the compiler " + joined(settings_.compiler), "give another with --compiler"}, compiled);
    }
    const CommandResult ran = run(start());
    ProgramAnswers answers = answers_of(of, ran.output);
    type = std::move(answers.type);
    if (!answers.library.empty()) result.measurement.library = answers.library;
    if (ran.is_fine()) return {};
    if (settings_.launcher.empty()) {
      return failed(type, {"the program that measures", "set TMPDIR to a folder from which programs may be run"}, ran);
    }
    const std::string launcher = ", started by " + joined(settings_.launcher) + ",";
    return failed(type, {"the program that measures" + launcher, "give another with --launcher"}, ran);
  }

 private:
  struct Party {
    std::string name, advice;
  };

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
    type.why_not = what + ".";
    type.last_lines = result.errors;
    return {};
  }

  const MeasureSettings& settings_;
  fs::path folder_;
};

}  // namespace

MeasureResult measure_types(const Job& job, const std::vector<TypeNumber>& types, const MeasureSettings& settings) {
  const Interruption interruption;  // before the folder: that is gone when the process ends
  const TemporaryFolder folder;
  MeasureResult result{{name_of_host(), {}, joined(settings.compiler), {}}, {}};
  if (folder.path().empty()) {
    result.problem = "no temporary folder can be made (" + folder.error() + "); set TMPDIR to one that can be written.";
    return result;
  }
  Measuring measuring(settings, folder.path());
  for (const TypeNumber type : types) {
    if (!result.problem.empty() || Interruption::has_come()) break;
    result.problem = measuring.add(result, subject_of(job, type, settings.copies), type);
  }
  return result;
}

}  // namespace ddtscope
