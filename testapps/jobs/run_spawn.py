#!/usr/bin/env python3
"""Spawned processes, where the launcher gives them the plugin, write into their parent's folder; nobody notices the plugin.

Leaves with 77 where the library alone, without the plugin, cannot do it."""
import glob
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from expect import exports_of  # noqa: E402
import script  # noqa: E402
from script import base_environment  # noqa: E402

# The worlds of each way: generation, processes, and the world that spawned it. The first one has two processes.
FIRST = (0, 2, None)
WORLDS = {
    "tree": [FIRST, (1, 2, 1), (2, 1, 2)],
    "in_turn": [FIRST, (1, 1, 1), (1, 2, 1)],
    "at_once": [FIRST, (1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1)],
    "two_programs": [FIRST, (1, 3, 1)],
    "elsewhere": [FIRST, (1, 2, 1)],
    "orphans": [FIRST, (1, 1, 1), (2, 1, 2)],
    "killed": [FIRST, (1, 2, 1)],
    "waits": [FIRST, (1, 2, 1)],
    "each_alone": [FIRST, (1, 2, None), (2, 1, None)],
}
CANNOT = 77
# Debian's MPICH before 5 spawns nothing; the launcher of Open MPI 5.0.7 crashes over two programs.
MAY_FAIL_NATIVELY = {"each_alone", "two_programs"}


class Run:
    """One job in a folder of its own."""

    def __init__(self, options, name):
        self.options = options
        self.folder = os.path.join(options.work, name)
        self.elsewhere = os.path.join(self.folder, "elsewhere")
        self.other_program = os.path.join(self.folder, "other_program")
        self.make_folder()
        self.failures = []

    def make_folder(self):
        os.makedirs(self.elsewhere)
        shutil.copy(self.options.program, self.other_program)

    def command(self, settings, before_program=()):
        argument = {"two_programs": self.other_program, "waits": "go_on"}.get(self.options.way, self.elsewhere)
        if self.options.library == "openmpi":
            words = [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
        else:
            words = [word for name, value in settings.items() for word in ("-genv", name, value)]
        way = "tree" if self.options.way == "each_alone" else self.options.way
        return [self.options.launcher, *words, "-n", "2", *before_program, self.options.program, way, "0", argument]

    def environment(self, settings):
        """The launcher's own. Since Open MPI 5 what is spawned has this, and not what `-x` gives to the first world; and
        worlds of one machine reach each other by its loopback alone."""
        env = {**base_environment(), "OMPI_MCA_btl_tcp_if_include": "lo"}
        return {**env, **settings} if "MPI_Session_init" in exports_of(self.options.program) else env

    def launch(self, settings, before_program=()):
        """Open MPI 4.1.4 alone, without the plugin, now and then never ends where orphans spawn: the launcher does not answer
        PMIx_Init of what they spawn. So these are started anew, in an empty folder, twice at most."""
        seconds = 40 if self.options.way == "orphans" else 120
        for attempts_left in (2, 1, 0) if self.options.way == "orphans" else (0,):
            try:
                self.result = subprocess.run(
                    self.command(settings, before_program), cwd=self.folder, env=self.environment(settings), stdin=subprocess.DEVNULL,
                    capture_output=True, text=True, timeout=seconds, check=False)
                break
            except subprocess.TimeoutExpired:
                if attempts_left == 0:
                    raise
                shutil.rmtree(self.folder)
                self.make_folder()
        # Who prints first is chance.
        self.output = sorted(self.result.stdout.splitlines())
        return self

    def record(self, before_program=(), **settings):
        return self.launch({**self.recording(), **settings}, before_program)

    def recording(self):
        preload = ":".join(filter(None, [os.environ.get("DDTSCOPE_TEST_PRELOAD"), self.options.plugin]))
        return {"LD_PRELOAD": preload, "DDTSCOPE_VERIFY": "1", "ASAN_OPTIONS": "detect_leaks=0"}

    def expect(self, what, found, wanted):
        if found != wanted:
            self.failures.append(f"{os.path.basename(self.folder)}: {what}: {found}, should be {wanted}")

    def expect_no_findings_of_messages(self, trace):
        """What worlds say to each other is on no channel that both know: that is told, and nothing is found in it."""
        run = subprocess.run([self.options.ddtscope, "check", "--json", os.path.join(self.folder, trace)], capture_output=True, text=True,
                             check=False)
        found = [finding["id"] for finding in json.loads(run.stdout)["findings"]
                 if finding["id"] in ("signature-mismatch", "collective-mismatch", "truncated-message", "unmatched-send", "unmatched-receive")]
        self.expect("findings of messages", found, [])
        summary = subprocess.run([self.options.ddtscope, "summary", os.path.join(self.folder, trace)], capture_output=True, text=True, check=False)
        self.expect("the summary tells that messages are undecided: " + summary.stdout, "has no name" in summary.stdout, True)

    def files(self, trace):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.folder, trace, "*")))

    def headers(self, trace):
        headers = {}
        for name in self.files(trace):
            with open(os.path.join(self.folder, trace, name), encoding="utf-8") as file:
                headers[name] = json.loads(file.readline())
        return headers

    def check_headers(self, trace, worlds):
        for name, header in self.headers(trace).items():
            joined = name.startswith("trace")
            number = int(name[6:-6] or 1) if joined else int(name[5:-6].split(".")[0]) if name.count(".") == 2 else 1
            self.expect(f"{name}: version", header["version"], 9)
            self.expect(f"{name}: merged", header.get("merged", False), joined)
            self.expect(f"{name}: world", (header.get("world", 1), header.get("spawned_by"), header["size"]),
                        (number, worlds[number - 1][2], worlds[number - 1][1]))

    def traces(self):
        """The folders with traces in them, wherever they are."""
        return sorted({os.path.relpath(os.path.dirname(path), self.folder)
                       for path in glob.glob(os.path.join(self.folder, "**", "*.jsonl"), recursive=True)})

    def read(self, *words, statuses=(0, 1)):
        result = subprocess.run([self.options.ddtscope, *words, "--json"], cwd=self.folder, capture_output=True,
                                text=True, check=False, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        if result.returncode not in statuses:
            self.failures.append(f"{os.path.basename(self.folder)}: {words}: status {result.returncode}, {result.stderr}")
            return None
        return json.loads(result.stdout) if result.stdout else None

    def check_reports(self, trace, worlds, unfinished=False):
        """The trace has these worlds, and each process made what it should."""
        types = self.read("types", trace)
        if types is None:
            return
        self.expect("types", seen(types), expected_types(worlds, unfinished))
        summary = self.read("summary", trace)
        ranks = [written(number, rank) for number, (_, size, _) in enumerate(worlds, 1) for rank in range(size)]
        self.expect("ranks", [rank["rank"] for rank in summary["ranks"]], ranks)
        self.expect("missing ranks", summary["missing_ranks"], [])
        if len(worlds) == 1:
            self.expect("worlds", "worlds" in summary, False)
        else:
            self.expect("worlds", [(w["world"], w["size"], w["spawned_by"]) for w in summary["worlds"]],
                        [(number, size, by) for number, (_, size, by) in enumerate(worlds, 1)])
        if unfinished:
            self.expect("complete", (summary["complete"], summary["worlds"][1]["complete"]), (False, False))
        else:
            self.expect("complete", [summary["complete"], *(w["complete"] for w in summary.get("worlds", []))],
                        [True] * (1 + len(summary.get("worlds", []))))
        # Nothing is found; of an incomplete trace that is not fine.
        check = self.read("check", trace, statuses=(3,) if unfinished else (0,))
        self.expect("check", (check["verified"], check["differences"]), (True, []))
        return summary


def written(world, rank):
    return rank if world == 1 else f"{world}.{rank}"


def expected_types(worlds, unfinished):
    """By constructor's integers: created and freed by which ranks."""
    ranges = [[written(number, 0), written(number, size - 1)] for number, (_, size, _) in enumerate(worlds, 1)]
    processes = sum(size for _, size, _ in worlds)
    types = {(3, 1, 2): [processes, 0 if unfinished else processes, ranges]}
    for number, (generation, size, _) in enumerate(worlds, 1):
        for rank in range(size):
            own = types.setdefault((100 * generation + rank + 1,), [0, 0, []])
            own[0] += 1
            own[2].append([written(number, rank), written(number, rank)])
    return types


def seen(types):
    found = {}
    for one in types:
        counts = found.setdefault(tuple(one["contents"]["integers"]), [0, 0, []])
        for instances in one["instances"]:
            counts[0] += instances["created"]
            counts[1] += instances["freed"]
            counts[2] += instances["ranks"]
    return found


def joined_files(worlds):
    return sorted("trace.jsonl" if number == 1 else f"trace-{number}.jsonl" for number in range(1, len(worlds) + 1))


def files_of_ranks(worlds):
    return sorted(f"rank-{written(number, rank)}.jsonl"
                  for number, (_, size, _) in enumerate(worlds, 1) for rank in range(size))


def without_files(summary):
    return {**summary, "ranks": [{**rank, "file": None} for rank in summary["ranks"]]}


def check_way(options, native):
    """The worlds of one job, joined by each and by `ddtscope merge`."""
    runs = []
    worlds = WORLDS[options.way]
    joined = Run(options, "joined")
    runs.append(joined.record(DDTSCOPE_OUTPUT=os.path.join(joined.folder, "trace")))
    joined.expect("output", (joined.result.returncode, joined.output), (native.result.returncode, native.output))
    joined.expect("traces", joined.traces(), ["trace"])
    joined.expect("files", joined.files("trace"), joined_files(worlds))
    joined.check_headers("trace", worlds)
    summary = joined.check_reports("trace", worlds)
    if options.way == "tree":
        joined.expect_no_findings_of_messages("trace")
    if options.way == "two_programs":
        joined.expect("programs", [world["programs"] for world in summary["worlds"]],
                      [[options.program], [options.program, joined.other_program]])

    apart = Run(options, "apart")
    runs.append(apart.record(DDTSCOPE_MERGE="off", DDTSCOPE_OUTPUT="trace" if options.way != "elsewhere" else
                             os.path.join(apart.folder, "trace")))
    apart.expect("traces", apart.traces(), ["trace"])
    apart.expect("files", apart.files("trace"), files_of_ranks(worlds))
    apart.check_headers("trace", worlds)
    summary = apart.check_reports("trace", worlds)
    if options.way == "two_programs":
        apart.expect("programs", [world["programs"] for world in summary["worlds"]],
                     [[options.program], [options.program, apart.other_program]])
    # What `ddtscope merge` makes of the ranks' files and of the worlds' says the same.
    for run in runs:
        subprocess.run([options.ddtscope, "merge", "trace", "-o", "merged"], cwd=run.folder, check=True,
                       env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        run.expect("merged files", run.files("merged"), ["trace.jsonl"])
        merged = run.check_reports("merged", worlds)
        run.expect("merged types", run.read("types", "merged"), run.read("types", "trace"))
        run.expect("merged summary", without_files(merged), without_files(run.read("summary", "trace")))
    return runs


def check_without_folder(options):
    """The folder that has the job's id in its name, where the children run in the same folder."""
    run = Run(options, "by_default").record()
    traces = run.traces()
    run.expect("traces", len(traces), 1)
    run.expect("begins", all(trace.startswith("ddtscope-") for trace in traces), True)
    run.check_reports(traces[0], WORLDS[options.way])
    return run


def check_taken_folder(options):
    """The parent's trace goes beside a folder that another job has: so do the children's."""
    run = Run(options, "taken")
    os.makedirs(os.path.join(run.folder, "trace"))
    with open(os.path.join(run.folder, "trace", "rank-0.jsonl"), "w", encoding="ascii") as other:
        other.write('{"record":"header","job":"another"}\n')
    run.record(DDTSCOPE_OUTPUT="trace", DDTSCOPE_JOB="mine")
    run.expect("traces", run.traces(), ["trace", "trace-mine"])
    run.check_reports("trace-mine", WORLDS[options.way])
    return run


def check_parent_without(options):
    """The launcher gives the plugin to the children alone: theirs is a trace of its own, and the grandchildren join it."""
    run = Run(options, "parent_without").record(["env", "-u", "LD_PRELOAD"], DDTSCOPE_OUTPUT="trace")
    run.expect("traces", run.traces(), ["trace"])
    types = run.read("types", "trace")
    summary = run.read("summary", "trace")
    if types is not None:
        run.expect("types", {key: counts[2] for key, counts in seen(types).items()},
                   {(3, 1, 2): [[0, 1], ["3.0", "3.0"]], (101,): [[0, 0]], (102,): [[1, 1]], (201,): [["3.0", "3.0"]]})
        run.expect("worlds", [(w["world"], w["size"], w["spawned_by"]) for w in summary["worlds"]], [(1, 2, None), (3, 1, 1)])
    return run


def check_children_without(options):
    """The plugin is in the parent's processes alone."""
    run = Run(options, "children_without")
    settings = [f"{name}={value}" for name, value in run.recording().items()]
    run.launch({}, ["env", *settings, "DDTSCOPE_OUTPUT=trace"])
    run.expect("traces", run.traces(), ["trace"])
    run.check_reports("trace", [FIRST])
    return run


def check_elsewhere(options):
    """Children in another folder cannot know where a relative name leads: their trace is one of their own."""
    run = Run(options, "relative").record(DDTSCOPE_OUTPUT="trace")
    run.expect("traces", run.traces(), ["elsewhere/trace", "trace"])
    run.check_reports("trace", [FIRST])
    run.check_reports("elsewhere/trace", [(1, 2, None)])
    return run


def natively(options):
    native = Run(options, "native").launch({})
    if native.result.returncode != 0 and options.way in MAY_FAIL_NATIVELY:
        print(f"{options.library} cannot do this: status {native.result.returncode} {native.result.stderr[-1000:]}")
        sys.exit(CANNOT)
    native.expect("status", native.result.returncode, 0)
    return native


def check_each_alone(options):
    """Where the launcher does not say who spawned whom, each world has a whole trace of its own."""
    native = natively(options)
    run = Run(options, "each_alone").record(DDTSCOPE_OUTPUT="trace")
    run.expect("output", (run.result.returncode, run.output), (native.result.returncode, native.output))
    traces = run.traces()
    run.expect("begin", [trace.startswith("trace") for trace in traces], [True] * len(WORLDS["each_alone"]))
    # By what the worlds made: their folders have the times of their starts in their names.
    found = sorted(sorted(seen(run.read("types", trace)).items()) for trace in traces)
    run.expect("types", found, sorted(sorted(expected_types([world], False).items()) for world in WORLDS["each_alone"]))
    for trace in traces:
        run.expect("files", run.files(trace), ["trace.jsonl"])
        check = run.read("check", trace)
        run.expect("check", (check["verified"], check["differences"]), (True, []))
        run.expect("complete", run.read("summary", trace)["complete"], True)
    return run


def check_killed(options):
    """The launcher ends the whole job: what each had done is there, and the worlds are incomplete."""
    run = Run(options, "killed").record(DDTSCOPE_OUTPUT="trace")
    run.expect("traces", run.traces(), ["trace"])
    run.check_reports("trace", WORLDS["killed"], unfinished=True)
    text = subprocess.run([options.ddtscope, "summary", "trace"], cwd=run.folder, capture_output=True, text=True,
                          check=False, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}).stdout.splitlines()
    run.expect("first line", text[0], "trace    incomplete: ranks 0-1, 2.0-2.1 did not end MPI (still running, or killed)")
    return run


def check_waits(options):
    """A running job is read; and a trace is recovered from the memory of its processes, in any order of worlds."""
    run = Run(options, "waits")
    settings = {**run.recording(), "DDTSCOPE_OUTPUT": "trace"}
    with subprocess.Popen(run.command(settings), cwd=run.folder, env=run.environment(settings), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        lines = [job.stdout.readline() for _ in range(4)]  # each says when its types are made
        run.expect("output", sorted(lines), [f"generation {g}, rank {r}\n" for g in (0, 1) for r in (0, 1)])
        summary = run.check_reports("trace", WORLDS["waits"], unfinished=True)
        if not script.IS_EMULATED:  # which has no ptrace
            words = [word for rank in reversed(summary["ranks"]) for word in ("--pid", str(rank["pid"]))]
            subprocess.run([options.ddtscope, "recover", *words, "-o", "recovered"], cwd=run.folder, check=True,
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
            run.check_reports("recovered", WORLDS["waits"], unfinished=True)
        with open(os.path.join(run.folder, "go_on"), "w", encoding="ascii"):
            pass
        output, errors = job.communicate(timeout=60)
        run.result = subprocess.CompletedProcess(job.args, job.returncode, output, errors)
    run.check_reports("trace", WORLDS["waits"])
    return run


def main():
    parser = script.parser(__doc__)
    parser.add_argument("way", choices=WORLDS)
    options = script.options_of(parser)
    alone = {"killed": check_killed, "waits": check_waits, "each_alone": check_each_alone}.get(options.way)
    if alone is not None:
        runs = [alone(options)]
    else:
        native = natively(options)
        runs = [native, *check_way(options, native)]
    if options.way == "tree":
        runs += [check_without_folder(options), check_taken_folder(options), check_parent_without(options),
                 check_children_without(options)]
    if options.way == "elsewhere":
        runs.append(check_elsewhere(options))
    failures = [failure for run in runs for failure in run.failures]
    for failure in failures:
        print("FAIL:", failure)
    if failures:
        for run in runs:
            print(f"{os.path.basename(run.folder)}: status {run.result.returncode}\n{run.result.stderr[-1500:]}")
    print("failed" if failures else "passed")
    return 1 if failures else 0


sys.exit(main())
