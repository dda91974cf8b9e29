// The list of the verbs.
#include "reporters/cli/verb_arguments.h"

namespace ddtscope::reporters {
namespace {

constexpr Verb all[] = {
    {"exec", "run a program and record its datatypes: ddtscope exec [options] PROGRAM ARGS", declare_exec},
    {"summary", "what the job did with datatypes, on a page", declare_summary},
    {"types", "all definitions, a line each", declare_types},
    {"show", "one type in full, with a picture: ddtscope show TRACE TYPE, or ddtscope show 'MPI_Type_vector(...)'",
     declare_show},
    {"check", "what is wrong with types, calls, buffers, messages and windows, worst first, and what to do about it",
     declare_check},
    {"uses", "what was done with the types, by which calls, and how many bytes that was", declare_uses},
    {"match", "whether what is sent as one type may be received as another: ddtscope match TRACE TYPE TYPE",
     declare_match},
    {"pending",
     "what a job that runs, hangs, was killed or aborted is in the middle of, and which ranks wait for each other",
     declare_pending},
    {"code", "the calls that make a type, as source text: ddtscope code TRACE TYPE --language c|fortran|python",
     declare_code},
    {"measure", "what types cost with the MPI library at hand, against a plain copy: ddtscope measure TRACE [TYPE]",
     declare_measure},
    {"report", "a page for the browser, in one file: ddtscope report TRACE -o FILE.html", declare_report},
    {"diff", "what changed from one job to another: ddtscope diff OLD NEW", declare_diff},
    {"merge", "one file of a job's many: ddtscope merge TRACE -o DIR", declare_merge},
    {"resolve", "functions and lines of the call sites, kept with the trace: ddtscope resolve TRACE", declare_resolve},
    {"recover", "a trace from core files, or from processes: ddtscope recover CORE -o DIR", declare_recover},
    {"gdb", "gdb with the command `mpitype`: ddtscope gdb [--pid PID | --core CORE] [-- PROGRAM ARGS]", declare_gdb},
    {"lldb", "lldb with the command `mpitype`: ddtscope lldb [--pid PID | --core CORE] [-- PROGRAM ARGS]",
     declare_lldb},
    {"explain", "what a finding means, with an example: ddtscope explain [ID]", declare_explain},
};

}  // namespace

std::span<const Verb> verbs() { return all; }

}  // namespace ddtscope::reporters
