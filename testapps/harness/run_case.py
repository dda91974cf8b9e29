#!/usr/bin/env python3
"""Runs one test program natively and under the plugin, and checks what the trace says of it.

The program must not notice the plugin: same output, same exit status. Every line of the trace must be valid against
the published schema, and `ddtscope types --json` must give the definitions that <scenario>.expected.py lists.
"""
import collections
import glob
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import script
from expect import Expectation, TypeTable
from script import base_environment, fail
from trace_checks import (SCHEMA_SAMPLE, check_counts, check_explanations, check_facts, check_failed_calls, check_findings,
                          check_left_behind, check_line, check_oracle, check_rules, check_totals, check_types, read_trace,
                          status_of_check)
from trace_schema import TraceSchema


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--no-launcher", action="store_true", help="start the program itself")
    parser.add_argument("--counter", help="libcount_calls of this library")
    parser.add_argument("--tool", choices=["before", "behind"], help="preload the counter there, as another tool")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="in the preloaded runs' environment")
    parser.add_argument("--schema", required=True)
    parser.add_argument("--expect", required=True)
    parser.add_argument("arguments", nargs="*")
    return script.options_of(parser)


def load_expectation(args, table):
    spec = importlib.util.spec_from_file_location("expected", args.expect)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    expectation = Expectation(args.library, args.abi, args.ranks, table, args.program)
    expectation.program_folder = os.path.dirname(args.program)
    expectation.environment = dict(setting.split("=", 1) for setting in args.set)
    module.expect(expectation)
    return expectation


class Case:
    def __init__(self, args, expectation):
        self.args = args
        self.expectation = expectation
        self.schema = TraceSchema(args.schema)
        self.sanitizer = os.environ.get("DDTSCOPE_TEST_PRELOAD", "")

    def launch(self, folder, prefix, env, trace=None):
        """Runs the program in a folder of its own; `prefix` stands between launcher and program."""
        result = self.launch_once(folder, prefix, env)
        for _ in range(1, self.expectation.tries):
            if result.returncode not in (-signal.SIGABRT, 128 + signal.SIGABRT):
                break
            for left_over in filter(None, [folder, trace]):
                shutil.rmtree(left_over, ignore_errors=True)
            result = self.launch_once(folder, prefix, env)
        return result

    def launch_once(self, folder, prefix, env):
        os.makedirs(folder)
        for pattern in self.expectation.copies:
            for path in glob.glob(pattern) or [pattern]:
                shutil.copy(path, folder)
        command = [*prefix, self.args.program, *self.args.arguments]
        if not self.args.no_launcher:
            command = [self.args.launcher, "-n", str(self.args.ranks), *command]
        result = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                errors="replace", timeout=600)
        # Open MPI 5's launcher puts one into the output of a job that ends by an error, or not, as it happens.
        result.stdout = result.stdout.replace("\0", "")
        with open(os.path.join(folder, "stderr.txt"), "w") as out:
            out.write(result.stderr)
        return result

    def native(self):
        return self.launch(os.path.join(self.args.work, "native"), [], base_environment())

    def preloaded(self, name, **settings):
        """With the plugin; DDTSCOPE_* settings as arguments. The ranks' own files are what is looked at, if not said
        otherwise. A sanitizer's run time must be the first library of the
        program, which `ddtscope exec` cannot know, and it puts the plugin before other tools: for another order the
        environment is set by hand."""
        folder = os.path.join(self.args.work, name)
        trace = os.path.join(self.args.work, name + "-trace")
        env = base_environment()
        env.update(self.expectation.environment)
        env.update({"DDTSCOPE_" + key: value for key, value in {"MERGE": "off", **settings}.items()})
        preload = []
        if self.args.counter and (self.expectation.counted or self.args.tool):
            env["COUNT_CALLS"] = os.path.join(self.args.work, name + "-count")
            preload = [self.args.counter]
        if self.sanitizer or self.args.tool == "before":
            env.setdefault("ASAN_OPTIONS", "detect_leaks=0")
            env["DDTSCOPE_OUTPUT"] = trace
            behind = [self.args.plugin, *preload]  # as `ddtscope exec` puts them
            order = behind[::-1] if self.args.tool == "before" else behind
            libraries = ":".join([*filter(None, [self.sanitizer]), *order])
            prefix = ["/usr/bin/env", "LD_PRELOAD=" + libraries]
        else:
            prefix = [self.args.ddtscope, "exec", "--mpi", self.args.abi, "-o", trace, "--"]
            if preload:
                prefix = ["/usr/bin/env", "LD_PRELOAD=" + preload[0], *prefix]
        return self.launch(folder, prefix, env, trace), trace

    def command(self, *words):
        env = base_environment()
        env.setdefault("ASAN_OPTIONS", "detect_leaks=0")
        return subprocess.run([self.args.ddtscope, *words], env=env, capture_output=True, text=True, errors="replace",
                              timeout=300)


def stable_lines(text, expectation):
    """Output without what no two runs share: the order of ranks, process numbers, timings."""
    text = re.sub(r"PID \d+", "PID", text)
    text = re.sub(r"\[\[\d+,\d+\],\d+\]", "[[job]]", text)
    lines = []
    for line in text.splitlines():
        if any(re.search(pattern, line) for pattern in expectation.unstable_lines):
            continue
        if expectation.unstable_numbers:
            line = re.sub(r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+", "#", line)
            line = re.sub(r"\s+", " ", line)
        lines.append(line)
    return sorted(lines)


def compare_behaviour(case, native, native_folder, run, run_folder, what):
    if native.returncode != run.returncode:
        fail(f"{what}: exit status {run.returncode}, natively {native.returncode}\n{run.stderr[-2000:]}")
    report = run.stderr.find("WARNING: ThreadSanitizer")  # the exit status may be the launcher's
    if report >= 0:
        fail(f"{what}: {run.stderr[report:report + 3000]}")
    outputs = [("stdout", native.stdout, run.stdout)]
    for name in case.expectation.output_files:
        texts = []
        for folder in (native_folder, run_folder):
            path = os.path.join(folder, name)
            texts.append(open(path, errors="replace").read() if os.path.exists(path) else f"no {name}")
        outputs.append((name, *texts))
    for name, expected, got in outputs:
        expected_lines = stable_lines(expected, case.expectation)
        got_lines = stable_lines(got, case.expectation)
        if expected_lines != got_lines:
            missing = list((collections.Counter(expected_lines) - collections.Counter(got_lines)).elements())
            extra = list((collections.Counter(got_lines) - collections.Counter(expected_lines)).elements())
            fail(f"{what}: {name} differs from the native run's; missing {missing[:5]}, extra {extra[:5]}")
    for text in case.expectation.stdout_contains:
        if text not in run.stdout:
            fail(f"{what}: the program did not print {text!r}")


def check_verification(case, trace, by_tree):
    files = read_trace(trace, case)
    found = 0
    known = {subject for _, subject, *_ in case.expectation.known_differences or ()}
    for name, lines in files.items():
        definitions = {line["id"]: line for line in lines if line["record"] == "definition"}
        for line in lines:
            if line["record"] != "difference":
                continue
            found += 1
            if line["subject"] not in case.expectation.allowed_differences | known:
                call = definitions.get(line["definition"], {}).get("call", "?")
                fail(f"{name}: {call}: {line['subject']} computed {line['computed']}, library {line['library']}")
    print("differences found by verification:", found)
    result = case.command("check", trace, "--json")
    report = json.loads(result.stdout)
    differences = report["differences"]
    check_explanations(case, differences, by_tree)
    unexplained = sum(difference["explained"] is None for difference in differences)
    if result.returncode not in ({1} if unexplained else status_of_check(case, by_tree.values(), report)):
        fail(f"check left with {result.returncode}; the trace has {unexplained} differences without explanation")


def comparable(report):
    """What two runs of a program have in common: not their processes, nor their times."""
    if isinstance(report, list):
        return [comparable(element) for element in report]
    if isinstance(report, dict):
        own = {"file", "files", "pid", "started", "ended", "job"}
        return {key: comparable(value) for key, value in report.items() if key not in own}
    return report


def check_merged(case, native, native_folder, apart):
    """The ranks join their traces at the end: what is told of the job is the same, and one file says it."""
    merged_whole = case.expectation.complete and not case.expectation.rankless
    # Where a processor is emulated no process can be made as the plugin makes its helper (ci/emulated).
    keeps_symbols = not script.IS_EMULATED
    run, trace = case.preloaded("merged", MERGE="on", SYMBOLS="on" if keeps_symbols else "off")
    compare_behaviour(case, native, native_folder, run, os.path.join(case.args.work, "merged"), "merged")
    names = sorted(name for name in os.listdir(trace) if not name.endswith(".txt") and name not in ("symbols.json", "sources.json"))
    kept = sorted(os.listdir(apart))
    if case.expectation.rankless:  # named by their processes
        names, kept = len(names), len(kept)
    if names != (["trace.jsonl"] if merged_whole else kept):
        fail(f"the trace of a run that merges has the files {names}")
    if not merged_whole:
        return
    with open(os.path.join(trace, "trace.jsonl"), encoding="utf-8") as source:
        lines = [json.loads(line) for line in source]
    for i, line in enumerate(lines[:2 * SCHEMA_SAMPLE]):
        if not check_line(case.schema, line, f"trace.jsonl:{i + 1}"):
            break
    has_places = any(module is not None for line in lines if line["record"] == "frames" for module, _ in line["frames"])
    if (has_places and keeps_symbols) != os.path.exists(os.path.join(trace, "symbols.json")):
        fail(f"functions and lines should {'' if has_places and keeps_symbols else 'not '}be kept with the trace: {run.stderr[-500:]}")
    types = json.loads(case.command("types", "--json", trace).stdout)
    check_facts("trace.jsonl", lines, {definition["key"]: definition for definition in types})
    if not case.expectation.repeatable:
        return
    for verb in ("types", "summary"):
        reports = [json.loads(case.command(verb, "--json", folder).stdout) for folder in (apart, trace)]
        if comparable(reports[0]) != comparable(reports[1]):
            fail(f"{verb} --json differs between merged and separate traces, see {apart} and {trace}")


def main():
    args = arguments()
    table = TypeTable()
    expectation = load_expectation(args, table)
    args.arguments = [a.replace("@WORK@", args.work) for a in args.arguments]
    case = Case(args, expectation)

    native = case.native()
    run, trace = case.preloaded("preloaded")
    folders = [os.path.join(args.work, name) for name in ("native", "preloaded")]
    compare_behaviour(case, native, folders[0], run, folders[1], "preloaded")
    if not expectation.makes_trace:
        if os.path.exists(trace):
            fail(f"there is a trace of a program that made none: {os.listdir(trace)}")
        return
    files = read_trace(trace, case)
    if expectation.counted:
        check_counts(case, files)
    check_merged(case, native, folders[0], trace)

    result = case.command("types", trace, "--json")
    if result.returncode != 0:
        fail(f"types --json left with {result.returncode}: {result.stderr[:500]}")
        return
    definitions = json.loads(result.stdout)
    for name, lines in files.items():
        check_facts(name, lines, {definition["key"]: definition for definition in definitions})
    by_tree = check_types(case, table, definitions)
    check_rules(case, definitions)
    check_findings(case, table, definitions, by_tree)
    checked = json.loads(case.command("check", "--json", trace).stdout)

    for words in (("summary",), ("summary", "--json"), ("types",), ("check",), ("check", "--json")):
        result = case.command(*words, trace)
        if result.returncode not in (status_of_check(case, definitions, checked) if words[0] == "check" else {0}):
            fail(f"{' '.join(words)} left with {result.returncode}: {result.stderr[:500]}")
        if words == ("check",):
            check_left_behind(definitions, checked, result.stdout)
        if "--json" in words:
            report = json.loads(result.stdout)
            check_failed_calls(expectation, report)
            if words[0] == "summary":
                check_totals(expectation, report, trace)
        elif not result.stdout.strip() and words[0] != "types":
            fail(f"{words[0]} printed nothing")
        if words == ("summary",):
            for text in expectation.summary_contains:
                if text not in result.stdout:
                    fail(f"summary does not say {text!r}:\n{result.stdout[:1500]}")

    if expectation.answers:
        check_oracle(os.path.join(args.work, expectation.answers), table, by_tree, expectation)
    if expectation.verify:
        run, trace = case.preloaded("verified", VERIFY="1")
        compare_behaviour(case, native, folders[0], run, os.path.join(args.work, "verified"), "with verification")
        check_verification(case, trace, by_tree)


if __name__ == "__main__":
    main()
    sys.exit(script.outcome())
