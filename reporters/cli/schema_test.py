"""Golden traces and what `ddtscope --json` prints, against the published schemas, by an independent validator."""
import json
import pathlib
import subprocess
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testapps" / "harness"))
from trace_schema import TraceSchema  # noqa: E402

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
failures = []


def schema(path):
    document = json.loads((reporters / path).read_text())
    jsonschema.Draft202012Validator.check_schema(document)
    return document


def check(validator, value, what):
    for error in list(validator.iter_errors(value))[:5]:
        failures.append(f"{what}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")


def run(*arguments, expected=0):
    """What it prints; any status where none is expected."""
    global status
    result = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    status = result.returncode
    if expected is not None and status != expected:
        failures.append(f"{' '.join(map(str, arguments))}: status {status}, not {expected}: {result.stderr}")
        return None
    return json.loads(result.stdout)


SEVERITIES = ["note", "warning", "error"]


def check_severities(findings, what):
    """Each has one of those that `explain` names."""
    for finding in findings:
        kind = findings_explained[finding["id"]]
        least, most = SEVERITIES.index(kind["least_severity"]), SEVERITIES.index(kind["severity"])
        if not least <= SEVERITIES.index(finding["severity"]) <= most:
            failures.append(f"{what}: {finding['id']} is told as {finding['severity']}, which explain does not say")


findings_explained = {kind["id"]: kind for kind in run("explain", "--json")}
schema("trace/format/trace.schema.json")
trace = TraceSchema(reporters / "trace/format/trace.schema.json")
types_schema = schema("json/types.schema.json")
types = jsonschema.Draft202012Validator(types_schema)
one_type = jsonschema.Draft202012Validator({"$ref": "#/$defs/type", "$defs": types_schema["$defs"]})
groups = jsonschema.Draft202012Validator(schema("json/groups.schema.json"))
uses = jsonschema.Draft202012Validator(schema("json/uses.schema.json"))
traffic = jsonschema.Draft202012Validator(schema("json/traffic.schema.json"))
files = jsonschema.Draft202012Validator(schema("json/files.schema.json"))
windows = jsonschema.Draft202012Validator(schema("json/windows.schema.json"))
summary = jsonschema.Draft202012Validator(schema("json/summary.schema.json"))
check_schema = jsonschema.Draft202012Validator(schema("json/check.schema.json"))

folders = sorted(path for path in (reporters / "trace/testdata").glob("v*/*") if path.is_dir())
assert folders, "no golden traces"
lines = 0

def is_optional(record, member):
    if record["record"] == "finding" and member in ("access", "count", "elements", "freed", "other"):
        return True
    if record["record"] == "process" and member in ("program", "arguments"):  # as in the header, where they are left out
        return True
    if record["record"] == "channels" and member in ("partitioned", "rank", "undecided", "unordered"):
        return True
    return member in ("cvars", "launcher_job", "messages", "ranks", "uses", "without_facts", "worlds")


for folder in folders:
    kinds = set()
    for file in sorted(folder.glob("*.jsonl")):
        whole = file.read_text().split("\n")[:-1]  # a last line without its line feed was cut
        for number, line in enumerate(whole, 1):
            record = json.loads(line)
            kinds.add(record["record"])
            if problem := trace.problem_of(record):
                failures.append(f"{file}:{number}: {problem}")
            lines += 1
            # A schema that accepts everything would pass so far: without any one member it must not.
            if number <= 40:
                for member in record:
                    rest = {key: value for key, value in record.items() if key != member}
                    if not is_optional(record, member) and trace.is_valid(rest):
                        failures.append(f"{file}:{number}: valid without {member}")
                    elif member not in ("computed", "library") and trace.is_valid({**record, member: {"wrong": 1}}):
                        failures.append(f"{file}:{number}: valid with a wrong {member}")
                if not trace.is_valid({**record, "later_member": 1}):
                    failures.append(f"{file}:{number}: refuses an extra member")

    listed = run("types", folder, "--json")
    if listed is not None:
        check(types, listed, f"types {folder}")
        for entry in listed[:20]:
            shown = run("show", folder, entry["id"], "--json", "--typemap", "--count", "3", "--bnf")
            if shown is not None:
                check(one_type, shown, f"show {folder} {entry['id']}")
                asked = ("typemap", "typemap_truncated", "span", "bnf")
                if not set(asked) <= set(shown):
                    failures.append(f"show {folder} {entry['id']} lacks one of {asked}")
                plain = {key: value for key, value in shown.items() if key not in asked}
                if plain != entry:
                    failures.append(f"show {folder} {entry['id']} differs from types")
    used = run("uses", folder, "--json")
    if used is not None:
        check(uses, used, f"uses {folder}")
    for by in ("pair", "comm"):
        sent = run("uses", folder, "--by", by, "--json")
        if sent is not None:
            check(traffic, sent, f"uses --by {by} {folder}")
    opened = run("uses", folder, "--by", "file", "--json")
    if opened is not None:
        check(files, opened, f"uses --by file {folder}")
    reached = run("uses", folder, "--by", "window", "--json")
    if reached is not None:
        check(windows, reached, f"uses --by window {folder}")
    grouped = run("types", folder, "--group-by", "layout", "--json")
    if grouped is not None:
        check(groups, grouped, f"types --group-by layout {folder}")
        if sorted(t for group in grouped for t in group["types"]) != sorted(entry["id"] for entry in listed or []):
            failures.append(f"types --group-by layout {folder}: not every type stands in one group")
    alarming = any(finding["severity"] != "note" for entry in listed or [] for finding in entry["findings"])
    # What the library is known to answer otherwise is no alarm.
    differences = [line for file in folder.glob("*.jsonl") for line in file.open() if '"difference"' in line]
    explained = folder.name == "known_bounds_mpich"
    checked = run("check", folder, "--json", expected=None)
    # What calls returned, and leaks, are an alarm as well; a trace that lacks something is never fine.
    found = (differences and not explained) or alarming or any(
        finding["severity"] != "note" for finding in (checked or {}).get("findings", []))
    wanted = 1 if found else 0 if checked and checked["complete"] else 3
    if status != wanted:
        failures.append(f"check {folder}: status {status}, not {wanted}")
    if checked is not None:
        check(check_schema, checked, f"check {folder}")
        check_severities([*checked["findings"], *(finding for entry in listed or [] for finding in entry["findings"])], f"check {folder}")
        if {difference["explained"] for difference in checked["differences"]} != (
                {"MPICH 4.0.2"} if explained else {None} if differences else set()):
            failures.append(f"check {folder}: wrong differences are explained")
    summed = run("summary", folder, "--json")
    if summed is not None:
        check(summary, summed, f"summary {folder}")

for failure in failures:
    print("FAILED", failure)
print(f"{len(folders)} golden traces, {lines} lines, {len(failures)} failures")
sys.exit(bool(failures))
