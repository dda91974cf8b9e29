"""What a trace and the command's JSON must say of one job: the checks of run_case.py, each against what the scenario expects.

`case` is a run_case.Case; what is wrong is told with script.fail and goes on.
"""
import collections
import glob
import json
import os
import re

import script
from expect import CONSTANTS, CONSTRUCTORS, UNNAMED, combiners_of
from script import fail

SCHEMA_SAMPLE = 400  # lines validated at each end of a long trace


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
