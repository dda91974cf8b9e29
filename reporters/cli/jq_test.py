"""The lines for jq that README.md and FORMAT.md give: they say of golden traces what `ddtscope types` says."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
failures = []


def lines_for_jq(document):
    return re.findall(r"^jq .*$", document.read_text(), re.MULTILINE)


def run(line, trace):
    """What the line prints where the trace's folder is `t`."""
    with tempfile.TemporaryDirectory() as here:
        os.symlink(trace, os.path.join(here, "t"))
        result = subprocess.run(["bash", "-c", line], cwd=here, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        failures.append(f"{trace.name}: {line}: {result.stderr}")
    return result.stdout.splitlines()


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found}, should be {wanted}")


of_readme = lines_for_jq(reporters.parent / "README.md")
of_format = lines_for_jq(reporters / "trace/format/FORMAT.md")
expect("lines for jq", (len(of_readme), len(of_format)), (1, 2))
checked = 0
for trace in sorted((reporters / "trace/testdata").glob("v[45]/*")):
    types = json.loads(subprocess.run([command, "types", trace, "--json"], capture_output=True, check=True).stdout)
    overlapping = {t["key"] for t in types if {t["diagnosis"][m] for m in ("entries_overlap", "copies_overlap")} != {"no"}}
    checked += len(overlapping)
    expect(f"{trace.name}: overlapping", {json.loads(line)[1] for line in run(of_format[0], trace)}, overlapping)
    # Of files of single ranks, too: each definition as often as there are ways to write its call.
    sizes = {tuple(str(n) if n is not None else "null" for n in (t["size"], t["extent"])) for t in types}
    lines = run(of_readme[0], trace)
    expect(f"{trace.name}: sizes", {tuple(line.split()[:2]) for line in lines}, sizes)
    if (trace / "trace.jsonl").exists():
        expect(f"{trace.name}: definitions", len(lines), len(types))
        expect(f"{trace.name}: signatures", sorted(json.loads(re.search(r" (\[\[.*|\[\])$", line)[1]) for line in run(of_format[1], trace)),
               sorted(t["signature"] for t in types))
expect("types that overlap, somewhere", checked > 0, True)
for failure in failures:
    print("FAILED", failure)
sys.exit(bool(failures))
