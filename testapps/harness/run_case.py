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
from expect import CONSTANTS, CONSTRUCTORS, UNNAMED, Expectation, TypeTable, combiners_of
from script import base_environment, fail
from trace_schema import TraceSchema

SCHEMA_SAMPLE = 400  # lines validated at each end of a long trace

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


def check_line(schema, line, place):
    """Against the schema."""
    problem = schema.problem_of(line)
    if problem:
        fail(f"{place}: not valid: {problem}")
    return not problem


def read_trace(trace, case):
    """Lines of each file, validated."""
    expectation = case.expectation
    if not os.path.isdir(trace):
        fail(f"no trace at {trace}")
        return {}
    names = sorted(n for n in os.listdir(trace) if n.endswith(".jsonl"))
    if len(names) != expectation.trace_files:
        fail(f"trace has the files {names}, expected {expectation.trace_files}")
    if not expectation.rankless:
        wanted = sorted(f"rank-{r}.jsonl" for r in range(expectation.trace_files))
        if names != wanted:
            fail(f"trace has the files {names}, expected {wanted}")
    schema = case.schema
    if combiners_of(schema.whole) != {"MPI_COMBINER_" + name for name in CONSTRUCTORS}:
        fail("the schema has other combiners than CONSTRUCTORS of expect.py")
    files = {}
    for name in names:
        with open(os.path.join(trace, name), encoding="utf-8") as source:
            text = source.read()
        if not text.endswith("\n"):
            fail(f"{name}: the last line is cut")
        lines = [json.loads(line) for line in text.splitlines()]
        files[name] = lines
        sample = range(len(lines))
        if len(lines) > 2 * SCHEMA_SAMPLE:
            sample = [*range(SCHEMA_SAMPLE), *range(len(lines) - SCHEMA_SAMPLE, len(lines))]
        for i in sample:
            if not check_line(schema, lines[i], f"{name}:{i + 1}"):
                break
        if not lines or lines[0].get("record") != "header":
            fail(f"{name}: the first line is no header")
        if expectation.complete != (lines[-1].get("record") == "end" and lines[-1].get("complete") is True):
            fail(f"{name}: complete should be {expectation.complete}; the last line is {str(lines[-1])[:200]}")
        elif lines[-1].get("record") == "end":
            unrecorded = {(i["called"], i["why"]): i["count"] for i in lines[-1]["unrecorded"]}
            if unrecorded != expectation.unrecorded:
                fail(f"{name}: unrecorded {unrecorded}, should be {expectation.unrecorded}")
    return files


def check_facts(name, lines, types):
    """A whole trace says of each definition what is derived of it, once, as `ddtscope types` does; `types` by key."""
    end = lines[-1]
    if end.get("record") != "end" or not end["complete"]:
        return
    definitions = [line for line in lines if line["record"] == "definition"]
    facts = [line for line in lines if line["record"] == "facts" or line["record"] == "definition" and "signature" in line]
    described = [line.get("definition", line.get("id")) for line in facts]
    if len(set(described)) != len(described) or len(definitions) - len(described) != end["without_facts"]:
        fail(f"{name}: facts of {described[:20]} of {len(definitions)} definitions, {end['without_facts']} said to be without")
    if end["without_facts"] != 0 and len(definitions) < 200:
        fail(f"{name}: {end['without_facts']} of {len(definitions)} definitions are without facts")
    keys = {line["id"]: line["key"] for line in definitions}
    for line, definition in zip(facts, described):
        known = types.get(line["key"])
        if line["key"] != keys.get(definition) or known is None:
            fail(f"{name}: facts of {line['key']}, which is not definition {definition}'s")
            continue
        for member in ("alignment", "entries", "blocks", "diagnosis"):
            if line[member] != known[member]:
                fail(f"{name}: {member} of definition {definition} is {line[member]}, in types --json {known[member]}")
        if line["signature"] != known["signature"][:64]:
            fail(f"{name}: the signature of definition {definition} is {line['signature']}")


def number(value):
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d+", value) else value


def numbers(values):
    return [number(v) for v in values]


def intern_types(types, table):
    """Tree numbers of `ddtscope types --json`; an oldtype must stand before the types made of it."""
    by_id = {}
    for definition in types:
        contents = definition["contents"]
        datatypes = []
        for old in contents["datatypes"]:
            if re.fullmatch(r"T\d+", old):
                if old not in by_id:
                    fail(f"{definition['id']} is made of {old}, which does not stand before it")
                    return {}
                old = by_id[old]
            datatypes.append(old)
        large = definition["constructor"].endswith("_c")
        integers, addresses, large_counts = (numbers(contents[k]) for k in ("integers", "addresses", "large_counts"))
        tree = table.add(definition["combiner"], large, integers, addresses, large_counts, datatypes)
        if tree in by_id.values() and list(by_id.values()).count(tree) > 0 and len(types) < 1000:
            fail(f"{definition['id']}: {table.describe(tree)} stands there twice")
        by_id[definition["id"]] = tree
        wanted = {"num_integers": len(integers), "num_addresses": len(addresses),
                  "num_large_counts": len(large_counts), "num_datatypes": len(datatypes)}
        if definition["envelope"] != wanted:
            fail(f"{definition['id']}: envelope {definition['envelope']}, contents say {wanted}")
        constructor = CONSTRUCTORS[definition["combiner"].removeprefix("MPI_COMBINER_")] + ("_c" if large else "")
        if definition["constructor"] != constructor:
            fail(f"{definition['id']}: constructor {definition['constructor']}, should be {constructor}")
    return by_id


def member(definition, name):
    instances = definition["instances"]
    if name in ("created", "adopted", "committed", "freed", "live"):
        return sum(number(i[name] or 0) for i in instances)  # null in the trace of a process that was killed
    if name == "sites":
        return len(instances)
    if name == "functions":
        return {i["call_site"][0]["function"] if i["call_site"] else None for i in instances}
    if name == "made_by":
        made = collections.Counter()
        for i in instances:
            made[i["called"], i["binding"]] += number(i["created"]) + number(i["adopted"])
        return dict(made)
    if name == "called":
        return {i["called"] for i in instances}
    if name == "ranks":
        return {r for i in instances for first, last in i["ranks"] for r in range(first, last + 1)}
    value = definition.get(name, "<missing>")
    return [[a, number(b)] for a, b in value] if name == "signature" else number(value)


def check_types(case, table, types):
    by_tree = {}
    ids = intern_types(types, table)
    for definition in types:
        by_tree[ids.get(definition["id"])] = definition
    expected = set()
    for tree, members in case.expectation.definitions:
        expected.add(tree)
        definition = by_tree.get(tree)
        if not definition:
            fail(f"no definition {table.describe(tree)}")
            continue
        for name, wanted in members.items():
            got = member(definition, name)
            if got != wanted:
                fail(f"{definition['id']} {table.describe(tree)}: {name} is {got}, should be {wanted}")
    others = by_tree.keys() - expected - {None}
    if not case.expectation.others_allowed and len(others) != case.expectation.unpredictable:
        fail(f"{len(others)} definitions that are not listed, should be {case.expectation.unpredictable}: "
             f"{[table.describe(tree) for tree in others]}")
    return by_tree


BOUNDS = ("size", "lb", "ub", "extent", "true_lb", "true_ub", "true_extent")


def check_rules(case, definitions):
    """The rule of the library that ran must predict what it reported."""
    for definition in definitions:
        predicted = definition["bounds"][case.args.library]
        for name in (*BOUNDS, "undefined"):
            if predicted[name] != definition[name]:
                fail(f"{definition['id']}: the library reported the {name} {definition[name]}, "
                     f"its rule says {predicted[name]}")


def alarming(definition):
    return {finding["id"] for finding in definition["findings"] if finding["severity"] != "note"}


def check_findings(case, table, definitions, by_tree):
    """Errors and warnings: exactly the expected ones. A correct program has none."""
    expectation = case.expectation
    if expectation.any_findings:
        return
    for tree, definition in by_tree.items():
        wanted = {kind for where, kind in expectation.findings if where == tree}
        found = alarming(definition)
        if found != wanted:
            fail(f"{definition['id']} {table.describe(tree)}: findings {sorted(found)}, should be {sorted(wanted)}")
    for tree, kind in expectation.findings:
        if tree not in by_tree:
            fail(f"no definition {table.describe(tree)}, which should have the finding {kind}")


def ranks_of(ranges):
    return {(str(first).rpartition(".")[0], rank) for first, last in ranges
            for rank in range(*(int(str(end).rpartition(".")[2]) + plus for end, plus in ((first, 0), (last, 1))))}


def lives_by_site(definitions):
    """Of each call site: how many types that were made there live at the end, and on which ranks."""
    sites = collections.defaultdict(lambda: [0, set()])
    for definition in definitions:
        for part in definition["instances"] if definition["combiner"] not in UNNAMED else ():
            if number(part["live"] or 0) > 0:
                site = sites[json.dumps(part["call_site"])]
                site[0] += number(part["live"])
                site[1] |= ranks_of(part["ranks"])
    return sites


def never_committed(definitions):
    """No commit is needed by unnamed predefined types, by types that others are made of, nor by copies of committed ones."""
    parts = {old for d in definitions for old in d["contents"]["datatypes"]}
    committed = {d["id"] for d in definitions if member(d, "committed") + member(d, "adopted") or d["combiner"] in UNNAMED}
    for definition in definitions:  # oldtypes first
        oldtypes = definition["contents"]["datatypes"]
        if definition["combiner"] == "MPI_COMBINER_DUP" and (oldtypes[0] in committed or not oldtypes[0].startswith("T")):
            committed.add(definition["id"])
            parts.add(definition["id"])
    return {d["id"] for d in definitions if d["id"] not in parts and d["combiner"] not in UNNAMED
            and member(d, "created") > member(d, "committed")}


def check_left_behind(definitions, report, text):
    """What was never freed or committed is what `ddtscope check` tells, by the counts of `types --json`."""
    found = [finding for finding in report["findings"] if finding["id"] == "never-freed"]
    told = {json.dumps(finding["call_site"]): (number(finding["count"]), ranks_of(finding["ranks"])) for finding in found}
    wanted = {site: tuple(lives) for site, lives in lives_by_site(definitions).items()}
    if told != wanted or len(found) != len(told):
        fail(f"check --json tells as never freed {told}, should be {wanted}")
    words = "never freed" if report["complete"] else "live now"
    if wanted and not re.search(rf"(was|were|is|are) {words}; \d+ (was|were) freed", text):
        fail(f"check does not say what is {words}:\n{text[:1500]}")
    found = {finding["type"] for finding in report["findings"] if finding["id"] == "never-committed"}
    if found != never_committed(definitions):
        fail(f"check tells as never committed {sorted(found)}, should be {sorted(never_committed(definitions))}")


def status_of_check(case, definitions, report):
    """1 where there is an alarm, by the calls, the types, the lives at the end and the failed calls; 3 where an incomplete trace has
    none. A set: whether ten of a site's lives are on one rank, a trace of several ranks may not tell."""
    provoked = {"TRUNCATE", "PENDING", "FILE", "NOT_SAME", "AMODE", "UNSUPPORTED_DATAREP", "UNSUPPORTED_OPERATION", "NO_SUCH_FILE",
                "FILE_EXISTS", "BAD_FILE", "ACCESS", "NO_SPACE", "QUOTA", "READ_ONLY", "FILE_IN_USE", "DUP_DATAREP", "CONVERSION", "IO"}
    none = 0 if report["complete"] else 3
    overlapping = [finding for finding in report["findings"] if finding["id"] == "buffers-overlap"]
    for finding in overlapping:
        function = finding["call_site"][0]["function"] if finding["call_site"] else None
        if function not in case.expectation.shares_buffers:
            fail(f"buffers-overlap in {function}: {finding['message']}")
    if overlapping or case.expectation.wrong_calls or any(alarming(definition) for definition in definitions):
        return {1}
    if any((call["error_class"] or "").removeprefix("MPI_ERR_") not in provoked for call in report["failed_calls"]):
        return {1}
    sites = lives_by_site(definitions).values() if report["complete"] else ()
    if any(lives > 9 * max(1, len(ranks)) for lives, ranks in sites):
        return {1}
    return {1, none} if any(lives > 9 for lives, _ in sites) else {none}


def check_counts(case, files):
    """Against the independent counter that ran in the same job."""
    prefix = os.path.join(case.args.work, "preloaded-count")
    counted = []
    for path in glob.glob(prefix + ".*"):
        with open(path) as source:
            counted.append({name: int(count) for name, count in (line.split() for line in source)})
    if len(counted) != case.args.ranks:
        fail(f"the counter wrote {len(counted)} files for {case.args.ranks} ranks")
    traced = []
    for lines in files.values():
        counts = collections.Counter()
        for line in lines:
            if line["record"] == "instances":
                for _, created, _, committed, freed in line["counts"]:
                    counts[line["called"]] += created
                    counts["MPI_Type_free"] += freed
                    counts["MPI_Type_commit"] += committed
        traced.append(counts)

    def comparable(counts):
        ignored = set() if case.expectation.commits_once else {"MPI_Type_commit"}
        return tuple(sorted((k, v) for k, v in counts.items() if v and k not in ignored))

    if sorted(map(comparable, counted)) != sorted(map(comparable, traced)):
        fail(f"counts differ:\n counter {sorted(map(comparable, counted))}\n trace   {sorted(map(comparable, traced))}")
    print("counted", sum(sum(c.values()) for c in counted), "calls")


def check_failed_calls(expectation, report):
    found = collections.Counter()
    for call in report["failed_calls"]:
        function = call["call_site"][0]["function"] if call["call_site"] else None
        found[call["called"], call["error_class"], function] += number(call["count"])
    if found != expectation.failed_calls:
        fail(f"failed calls {dict(found)}, should be {expectation.failed_calls}")


def check_totals(expectation, summary, trace):
    if expectation.total_types is not None:
        recorded = number(summary["created"])
        unrecorded = sum(number(item["count"]) for item in summary["unrecorded"])
        print(f"{recorded} types recorded, {unrecorded} counted only")
        if recorded + unrecorded != expectation.total_types or not recorded or not unrecorded:
            fail(f"{recorded} types recorded and {unrecorded} not, should be {expectation.total_types} together")
    if expectation.largest_trace_bytes is not None:
        largest = max(os.path.getsize(path) for path in glob.glob(os.path.join(trace, "*.jsonl")))
        if largest > expectation.largest_trace_bytes:
            fail(f"the trace has {largest} bytes, its limit is {expectation.largest_trace_bytes}")


def contents_by_the_standard(node, expectation):
    """The integers of an answer of MPI_Type_get_contents. Open MPI's library of the standard ABI returns its own numbers of
    constants (library_bugs.md, ompi-abi-contents)."""
    integers = node["integers"]
    combiner = node["combiner"].removeprefix("MPI_COMBINER_")
    if (expectation.abi, expectation.library) != ("mpi_abi", "openmpi") or combiner not in ("SUBARRAY", "DARRAY"):
        return integers
    own, standard = CONSTANTS["openmpi"], CONSTANTS["mpi_abi"]

    def translated(values, *names):
        names_of = {own[name]: name for name in names}
        return [standard[names_of[value]] if value in names_of else value for value in values]

    if combiner == "DARRAY":
        dimensions = integers[2]
        begin = 3 if node["large_counts"] else 3 + dimensions
        middle, end = begin + dimensions, begin + 2 * dimensions
        integers = [*integers[:begin], *translated(integers[begin:middle], "BLOCK", "CYCLIC", "NONE"),
                    *translated(integers[middle:end], "DFLT_DARG"), *integers[end:]]
    return integers[:-1] + translated(integers[-1:], "ORDER_C", "ORDER_FORTRAN")


def check_oracle(path, table, by_tree, expectation):
    """Against the library's own answers, written by the program."""
    if not os.path.exists(path):
        fail(f"the program wrote no {path}")
        return
    compared = 0

    def visit(node):
        nonlocal compared
        if isinstance(node, str):
            return node
        tree = table.add(node["combiner"], bool(node["large_counts"]), contents_by_the_standard(node, expectation), node["addresses"],
                         node["large_counts"], [visit(d) for d in node["datatypes"]])
        definition = by_tree.get(tree)
        if not definition:
            fail(f"the library knows {table.describe(tree)}, the trace does not")
            return tree
        for name in ("size", "lb", "extent", "true_lb", "true_extent"):
            if number(definition[name]) != node[name]:
                fail(f"{table.describe(tree)}: {name} is {definition[name]}, the library says {node[name]}")
        compared += 1
        return tree

    with open(path) as source:
        for line in source:
            visit(json.loads(line))
    if not compared:
        fail("the program wrote no answers of the library")
    print("compared", compared, "types with the library's answers")


def check_explanations(case, differences, by_tree):
    """Bounds that the library is known to answer otherwise are told apart: its rule predicts all (check_rules)."""
    product = script.PRODUCTS[case.args.library]
    versions = {f"{product} {definition['bounds_versions'][case.args.library]}" for definition in by_tree.values()}
    if differences and len(versions) != 1:
        fail(f"types --json names {len(versions)} versions of the library that ran")
    version = next(iter(versions), None)
    for difference in differences:
        wanted = version if difference["subject"] in BOUNDS else None
        if difference["explained"] != wanted:
            fail(f"check --json: {difference} should be explained by {wanted}")
    if case.expectation.known_differences is not None:
        trees = {definition["id"]: tree for tree, definition in by_tree.items()}
        found = [(trees[d["id"]], d["subject"], number(d["computed"]), number(d["library"])) for d in differences]
        if sorted(found) != sorted(case.expectation.known_differences):
            fail(f"differences {found}, should be {case.expectation.known_differences}")


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
