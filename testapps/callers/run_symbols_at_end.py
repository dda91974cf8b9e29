#!/usr/bin/env python3
"""Functions and lines are written into the trace at the end of the job, once, by the process that wrote the trace; the
program does not notice, whatever becomes of the command that does it."""
import json
import os
import shutil
import subprocess
import sys
import time

import jsonschema

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, expect_same, fail  # noqa: E402

KEPT_APART = "functions and lines are not kept with the trace"


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True, help="symbols.schema.json")
    parser.add_argument("--children", required=True, help="a program with children of its own")
    parser.add_argument("--forks", required=True)
    parser.add_argument("--no-finalize", required=True)
    parser.add_argument("--sessions", help="a program that has sessions alone")
    parser.add_argument("--spawns", help="a program that spawns others")
    return script.options_of(parser)


class Jobs:
    def __init__(self, options):
        self.options = options
        self.started = os.path.join(options.work, "started")

    def command(self, name, text):
        return script.shell_script(self.options.work, name, text)

    def counting(self):
        """A command that is the true one, and says each time that it was started."""
        if os.path.exists(self.started):
            os.remove(self.started)
        return self.command("counting", f"echo started >> '{self.started}'\nexec '{self.options.ddtscope}' \"$@\"\n")

    def starts(self):
        if not os.path.exists(self.started):
            return 0
        with open(self.started, encoding="utf-8") as source:
            return len(source.readlines())

    def run(self, name, program, *words, ranks=1, preload=True, **settings):
        """The result, and the trace's folder."""
        trace = os.path.join(self.options.work, name)
        env = base_environment()
        del env["DDTSCOPE_SYMBOLS"]
        env.update({"DDTSCOPE_" + key: value for key, value in settings.items()})
        recording = [self.options.ddtscope, "exec", "--mpi", self.options.abi, "-o", trace, "--"] if preload else []
        result = subprocess.run([self.options.launcher, "-n", str(ranks), *recording, program, *words], env=env, cwd=self.options.work,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        return result, trace

    def sites(self, folder, program):
        """Of the program itself."""
        types = subprocess.run([self.options.ddtscope, "types", "--json", folder], capture_output=True, text=True, check=True)
        return sorted({(frame["function"], frame["file"] and os.path.basename(frame["file"]), frame["line"])
                       for one in json.loads(types.stdout) for part in one["instances"] for frame in part["call_site"]
                       if frame["module"] == program}, key=str)


def of_made_by(sites):
    return {function for function, file, line in sites if file and line and function in ("make", "make_and_keep", "main")}


def check_moved_program(jobs):
    """The program is built anew, or gone: its call sites are what they were."""
    options = jobs.options
    for name, settings in (("joined", {}), ("apart", {"MERGE": "off"})):
        program = os.path.join(options.work, name + "-app")
        shutil.copy(options.program, program)
        result, trace = jobs.run(name, program, ranks=2, COMMAND=jobs.counting(), **settings)
        if result.returncode != 0 or KEPT_APART in result.stderr:
            fail(name, f"status {result.returncode}, {result.stderr}")
        if jobs.starts() != 1:
            fail(name, f"the command was started {jobs.starts()} times")
        before = jobs.sites(trace, program)
        shutil.copy(options.ddtscope, program)
        rebuilt = jobs.sites(trace, program)
        os.remove(program)
        if of_made_by(before) != {"make", "make_and_keep", "main"} or rebuilt != before or jobs.sites(trace, program) != before:
            fail(name, f"call sites {before}, behind another build {rebuilt}, without the program {jobs.sites(trace, program)}")
        with open(os.path.join(trace, "symbols.json"), encoding="utf-8") as source, open(options.schema, encoding="utf-8") as schema:
            jsonschema.Draft202012Validator(json.load(schema)).validate(json.load(source))
        os.remove(os.path.join(trace, "symbols.json"))
        if of_made_by(jobs.sites(trace, program)):
            fail(name, "functions come from elsewhere than symbols.json: this test tests nothing")


def check_commands(jobs, native):
    """Whatever the command does, the program ends as ever, in time, and one line says what is missing."""
    none = os.path.join(jobs.options.work, "nowhere")
    for name, command, why in [("missing", none, "cannot be run: No such file or directory"),
                               ("crashes", jobs.command("crash", "kill -SEGV $$\n"), "ended early"),
                               ("hangs", jobs.command("hang", "exec sleep 100\n"), "it took longer than 1 s"),
                               ("refuses", jobs.command("refuse", "echo 'There is no room.'; exit 3\n"), "There is no room")]:
        begun = time.monotonic()
        result, trace = jobs.run(name, jobs.options.program, COMMAND=command,
                                 SYMBOLS_TIMEOUT="1" if name == "hangs" else "30")
        expect_same(result, native, name)
        lines = [line for line in result.stderr.splitlines() if KEPT_APART in line]
        if len(lines) != 1 or why not in lines[0] or f"ddtscope resolve {trace}" not in lines[0]:
            fail(name, f"the lines are {lines}")
        if time.monotonic() - begun > 60:
            fail(name, "the job waited for the command")
        if os.listdir(trace) != ["trace.jsonl"]:
            fail(name, f"the folder holds {os.listdir(trace)}")
    quiet, _ = jobs.run("quiet", jobs.options.program, COMMAND=none, QUIET="1")
    if "ddtscope" in quiet.stderr:
        fail("quiet", quiet.stderr)


def check_who_does_not(jobs):
    """Where it is not wanted, or there is nothing to look up, or the job did not end in order."""
    options = jobs.options
    for name, program, settings in [("off", options.program, {"SYMBOLS": "off"}), ("no stacks", options.program, {"STACK": "0"}),
                                    ("no finalize", options.no_finalize, {})]:
        _, trace = jobs.run(name, program, COMMAND=jobs.counting(), **settings)
        if jobs.starts() != 0 or os.path.exists(os.path.join(trace, "symbols.json")):
            fail(name, f"the command was started {jobs.starts()} times, the trace holds {os.listdir(trace)}")


def check_folder_that_cannot_be_written(jobs, native):
    """Root writes everywhere: but not over a folder."""
    os.makedirs(os.path.join(jobs.options.work, "taken", "symbols.json", "in it"))
    result, trace = jobs.run("taken", jobs.options.program)
    expect_same(result, native, "taken")
    if result.stderr.count(KEPT_APART) != 1 or "symbols.json: cannot be written" not in result.stderr:
        fail("taken", result.stderr)
    if sorted(os.listdir(trace)) != ["symbols.json", "trace.jsonl"]:
        fail("taken", f"the folder holds {os.listdir(trace)}")


def check_other_programs(jobs):
    options = jobs.options
    for way in ("handler", "ignore", "wait"):
        native, _ = jobs.run("native-" + way, options.children, way, preload=False)
        result, trace = jobs.run("children-" + way, options.children, way, COMMAND=jobs.counting())
        expect_same(result, native, way)
        if jobs.starts() != 1 or not os.path.exists(os.path.join(trace, "symbols.json")):
            fail(way, f"the command was started {jobs.starts()} times: {result.stderr}")
    programs = [("forks", options.forks, (), 2), ("sessions", options.sessions, (), 2)]
    for name, program, words, ranks in programs:
        if program is None:
            continue
        result, trace = jobs.run(name, program, *words, ranks=ranks, COMMAND=jobs.counting())
        if result.returncode != 0 or jobs.starts() != 1 or not os.path.exists(os.path.join(trace, "symbols.json")):
            fail(name, f"status {result.returncode}, the command was started {jobs.starts()} times: {result.stderr}")


def check_spawned_worlds(jobs):
    """Each world's rank 0 does it, and the last one knows the places of all."""
    options = jobs.options
    program = os.path.join(options.work, "spawning")
    shutil.copy(options.spawns, program)
    trace = os.path.join(options.work, "worlds")
    settings = {"LD_PRELOAD": options.plugin, "DDTSCOPE_OUTPUT": trace, "DDTSCOPE_COMMAND": jobs.counting(), "DDTSCOPE_SYMBOLS": "on"}
    subprocess.run([options.launcher, *(word for name, value in settings.items() for word in ("-x", f"{name}={value}")), "-n", "2",
                    program, "tree", "0", options.work], env={**base_environment(), "OMPI_MCA_btl_tcp_if_include": "lo"},
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    worlds = [name for name in os.listdir(trace) if name.endswith(".jsonl")]
    if jobs.starts() != len(worlds):
        fail("worlds", f"{len(worlds)} worlds, the command was started {jobs.starts()} times")
    before = jobs.sites(trace, program)
    os.remove(program)
    if jobs.sites(trace, program) != before or any(function is None for function, _, _ in before):
        fail("worlds", f"call sites {before}, without the program {jobs.sites(trace, program)}")


def main():
    options = arguments()
    jobs = Jobs(options)
    native, _ = jobs.run("native", options.program, preload=False)
    check_moved_program(jobs)
    check_commands(jobs, native)
    check_who_does_not(jobs)
    check_folder_that_cannot_be_written(jobs, native)
    check_other_programs(jobs)
    if options.spawns:
        check_spawned_worlds(jobs)


if __name__ == "__main__":
    main()
    sys.exit(script.outcome())
