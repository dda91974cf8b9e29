#!/usr/bin/env python3
"""Call sites in Python: its functions and lines, innermost first, in the place of the interpreter's frames, whichever way
its calls come to MPI; and that the other readers of the trace say the same. Leaves with 77 where the system does not let
a process look at its memory, and the trace says so."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from script import base_environment, fail, options_of, outcome, parser  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "python_frames.py")
CANNOT = 77


def lines_of_program():
    """By what their comments say."""
    with open(PROGRAM, encoding="utf-8") as source:
        return {line.rpartition("# ")[2].strip(): number for number, line in enumerate(source, 1) if "  # " in line}


class Job:
    """The program with what is preloaded."""

    def __init__(self, options, way, words):
        self.options, self.way, self.words = options, way, words

    def run(self, name, ranks=0, **settings):
        """The trace's folder."""
        folder = os.path.join(self.options.work, f"{self.way}-{name}")
        env = dict(base_environment(), PYTHONDONTWRITEBYTECODE="1")
        command = [self.options.program, PROGRAM] + self.words
        if ranks:
            command = [self.options.launcher, "-n", str(ranks)] + command
        env.update(settings, LD_PRELOAD=self.options.plugin, DDTSCOPE_OUTPUT=folder, DDTSCOPE_QUIET="1")
        result = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                                timeout=240)
        if result.returncode != 0 or result.stdout or "ddtscope" in result.stderr:
            fail(self.way, name, f"ends with {result.returncode}: {result.stdout}{result.stderr}")
        return folder

    def tell(self, *words):
        result = subprocess.run([self.options.ddtscope, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                check=False)
        if result.returncode not in (0, 1):
            fail(self.way, " ".join(words), result.stderr)
        return result.stdout

    def sites(self, folder):
        """{count of the vector: [(created, frames)]}"""
        sites = {}
        for datatype in json.loads(self.tell("types", folder, "--json")):
            count = datatype["contents"]["integers"][0]
            sites[count] = sorted(((made["created"], made["call_site"]) for made in datatype["instances"]),
                                  key=lambda site: json.dumps(site))
        return sites


def in_python(frames):
    """(function, line) of the frames in Python code, which stand together."""
    return [(f["function"], f["line"]) for f in frames or [] if f["module"] == f["file"] and f["file"]]


def expect(job, what, found, wanted):
    if found != wanted:
        fail(job.way, f"{what}: {found}, should be {wanted}")


def is_forbidden(job, folder):
    """Whether a note says that the frames may not be read; then none are."""
    notes = json.loads(job.tell("summary", folder, "--json"))["notes"]
    if not any("does not let a process look at its memory" in note for note in notes):
        return False
    expect(job, "frames that may not be read", [in_python(frames) for _, frames in job.sites(folder)[3]], [[]])
    return True


def expect_places(job, sites, depth):
    at = lines_of_program()
    binding = {"mpi4py": "Mpi4py"}.get(job.way, "Ctypes")
    vector = (f"{binding}.vector", at["mpi4py"] if job.way == "mpi4py" else at["by ctypes"])
    module = "<module>"
    expect(job, "edge", [(n, in_python(frames)) for n, frames in sites[3]],
           [(3, [vector, ("edge", at[f"edge, {which}"]), (module, at["loop"])][:depth]) for which in ("first", "second")])
    expect(job, "generator", [(n, in_python(frames)) for n, frames in sites[5]],
           [(2, [vector, ("Grid.cells", at["generator"]), (module, at["cells"])][:depth])])
    deep = [vector, ("down", at["deep"])] + [("down", at["down"])] * 100 + [(module, at["down from here"])]
    expect(job, "deep", [in_python(frames) for _, frames in sites[7]], [deep[:depth]])
    expect(job, "callback", in_python(sites[9][0][1]),
           [vector, ("called_back", at["called back"]), ("callback", at["sort"]), (module, at["callback from here"])])
    expect(job, "thread", in_python(sites[11][0][1])[:2], [vector, ("in_thread", at["thread"])])
    expect(job, "exec", in_python(sites[13][0][1]), [vector, (module, 1), (module, at["exec"])][:depth])
    expect(job, "file", sites[13][0][1][1]["file"], "not_a_file\u00e9<b>.py")
    for of_count in sites.values():
        for _, frames in of_count:
            expect(job, "innermost frame", in_python(frames[:1]), [vector])
            expect(job, "number of frames", len(frames) <= depth, True)
            expect(job, "frames outside of Python", [frame for frame in frames if not in_python([frame])], [])


def expect_other_readers(job, folder):
    at = lines_of_program()
    uses = [use for use in json.loads(job.tell("uses", folder, "--json")) if use["called"] == "MPI_Pack"]
    expect(job, "uses", [(use["calls"], in_python(use["call_site"])[1]) for use in uses], [(2, ("<module>", at["pack"]))])
    text = job.tell("show", folder, "T1")
    for line in (f"by edge (python_frames.py:{at['edge, first']})", f"by edge (python_frames.py:{at['edge, second']})"):
        expect(job, line, line in text, True)
    sarif = json.loads(job.tell("check", folder, "--sarif"))
    expect(job, "lines in SARIF", f"\"startLine\": {at['edge, first']}" in json.dumps(sarif), True)
    page = os.path.join(job.options.work, f"{job.way}.html")
    job.tell("report", folder, "-o", page)
    with open(page, encoding="utf-8") as html:
        expect(job, "markup of the trace in the page", "<b>.py" in html.read(), False)
    if "0 only old, 0 only new" not in job.tell("diff", folder, folder):
        fail(job.way, "a trace differs from itself")
    before = job.sites(folder)
    job.tell("resolve", folder)
    expect(job, "places with kept symbols", {n: [in_python(frames) for _, frames in sites] for n, sites in job.sites(folder).items()},
           {n: [in_python(frames) for _, frames in sites] for n, sites in before.items()})
    with open(os.path.join(folder, "symbols.json"), encoding="utf-8") as symbols:
        paths = [module["path"] for module in json.load(symbols)["modules"]]
    expect(job, "Python among the kept symbols", [path for path in paths if path.endswith(".py")], [])


def of_two_ranks(job):
    """Joined by the ranks, and by the command."""
    joined = job.run("joined", ranks=2)
    apart = job.run("apart", ranks=2, DDTSCOPE_MERGE="off")
    expect(job, "files", sorted(name for name in os.listdir(joined) if name.endswith("l")), ["trace.jsonl"])
    merged = os.path.join(job.options.work, f"{job.way}-merged.jsonl")
    job.tell("merge", apart, "-o", merged)
    for trace in (apart, merged):
        expect(job, trace, job.sites(trace), job.sites(joined))
    expect(job, "of two ranks", [n for n, _ in job.sites(joined)[3]], [6, 6])


def main():
    script = parser(__doc__)
    script.add_argument("--mpi4py", action="store_true", help="it is there, for this library")
    script.add_argument("--mpi-file", required=True, help="the MPI library's")
    options = options_of(script)
    jobs = [Job(options, "ctypes", [options.library, options.mpi_file])]
    if options.mpi4py:
        jobs.append(Job(options, "mpi4py", ["mpi4py"]))
    for job in jobs:
        trace = job.run("plain")
        if is_forbidden(job, trace):
            return outcome() or CANNOT
        expect_places(job, job.sites(trace), 16)
        expect_other_readers(job, trace)
        expect_places(job, job.sites(job.run("deep", DDTSCOPE_STACK="64")), 64)
        for depth in (1, 2):
            sites = job.sites(job.run(f"depth-{depth}", DDTSCOPE_STACK=str(depth)))
            expect(job, f"sites of edge at depth {depth}", [n for n, _ in sites[3]], [6] if depth == 1 else [3, 3])
        off = job.sites(job.run("off", DDTSCOPE_STACK="0"))
        expect(job, "without stacks", off[3], [(6, [])])
        portable = job.sites(job.run("portable", DDTSCOPE_PORTABLE="1"))
        # One place in the interpreter or several: it has its own instructions for calls that it has seen often.
        expect(job, "with nothing assumed", {tuple(in_python(frames)) for _, frames in portable[3]}, {()})
        of_two_ranks(job)
    return outcome()


sys.exit(main())
