// Who takes of a trace's file nothing but what is known at its end: for tests.
#pragma once

#include <string>
#include <utility>

#include "reporters/trace/read/reader.h"

namespace ddtscope {

/// What is known at a file's end, kept.
struct FileAtItsEnd : TraceSink {
  FileEnd known;
  void header(HeaderRecord&&) override {}
  void predefined(const PredefinedType&) override {}
  void module(ModuleRecord&&) override {}
  void frame(const FrameRecord&) override {}
  void definition(DefinitionRecord&) override {}
  void name(NameRecord&&) override {}
  void difference(DifferenceRecord&&) override {}
  void process(ProcessRecord&&) override {}
  void note(std::string&&) override {}
  void end(FileEnd&& end) override { known = std::move(end); }
};

}  // namespace ddtscope
