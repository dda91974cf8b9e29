"""`check --sarif` against the findings of `check --json`, and against SARIF's published schema where that is at hand.

    sarif_test.py DDTSCOPE REPORTERS [SCHEMA]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import expect, failures, finish

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
schema = json.loads(pathlib.Path(sys.argv[3]).read_text()) if len(sys.argv) > 3 and os.path.exists(sys.argv[3]) else None


parties, placed = [], []


def run(*arguments, cwd=None):
    result = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    expect(result.returncode in (0, 1, 3), f"{arguments}: {result.returncode} {result.stderr}")
    return result.returncode, json.loads(result.stdout)


def plain(message):
    """A message without what SARIF 2.1.0 (3.11.5, 3.11.6) asks for: no argument and no link stands in it."""
    text = message["text"]
    expect(re.fullmatch(r"(?:[^][{}\\]|\{\{|\}\}|\\[][\\])*", text), f"placeholders or links: {text}")
    return re.sub(r"\{\{|\}\}|\\[][\\]", lambda pair: pair[0][1], text)


def check(folder, cwd=None):
    status, log = run("check", folder, "--sarif", cwd=cwd)
    if schema is not None:
        for error in list(jsonschema.Draft7Validator(schema).iter_errors(log))[:5]:
            failures.append(f"{folder}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    told, found = run("check", folder, "--json")
    run_of, = log["runs"]
    rules, results = run_of["tool"]["driver"]["rules"], run_of["results"]
    explained = {kind["id"]: kind for kind in run("explain", "--json")[1]}
    expect(status == told, f"{folder}: status {status}, without --sarif {told}")
    expect([rule["id"] for rule in rules] == list(explained), f"{folder}: the rules are not those of explain")
    for rule in rules:
        expect(explained[rule["id"]]["explanation"] in rule["help"]["markdown"], f"{rule['id']}: no explanation")
    expect(len(results) == len(found["findings"]), f"{folder}: {len(results)} results of {len(found['findings'])} findings")
    for result, finding in zip(results, found["findings"]):
        what = f"{folder} {finding['id']} of {finding['type']}"
        expect(result["ruleId"] == finding["id"] == rules[result["ruleIndex"]]["id"], f"{what}: rule {result['ruleId']}")
        expect(result["level"] == finding["severity"], f"{what}: level {result['level']}")
        expect(finding["advice"] in plain(result["message"]), f"{what}: {result['message']}")
        lines = [(frame["file"], frame["line"]) for frame in finding["call_site"] if frame["file"]]
        if lines:
            physical = result["locations"][0]["physicalLocation"]
            placed.append(physical)
            uri = physical["artifactLocation"]["uri"]
            base = run_of["originalUriBaseIds"]["SRCROOT"]["uri"] if "uriBaseId" in physical["artifactLocation"] else ""
            path = urllib.parse.unquote(urllib.parse.urlparse(urllib.parse.urljoin(base, uri)).path)
            expect(path == lines[0][0], f"{what}: at {uri} of {base!r}, not {lines[0][0]}")
            expect(physical.get("region", {}).get("startLine") == lines[0][1], f"{what}: line {physical}")
        if finding["other"] and finding["other"]["call_site"]:
            parties.append(finding["other"])
            told = [plain(place["message"]) for place in result.get("relatedLocations", [])]
            expect(any(text.startswith(finding["other"]["called"] + ": ") for text in told), f"{what}: the other party is not in {told}")
        if finding["call_site"] and not lines:
            expect(len(result["locations"]) == 1, f"{what}: no location")
    prints = [result["partialFingerprints"]["ddtscopeFinding/v1"] for result in results]
    expect(len(set(prints)) == len(prints), f"{folder}: fingerprints that are alike")
    expect(found["complete"] == ("toolExecutionNotifications" not in run_of["invocations"][0]), f"{folder}: completeness is not told")
    return prints, results


folders = sorted(path for path in (reporters / "trace/testdata").glob("v*/*") if path.is_dir())
assert folders
found = 0
for folder in folders:
    found += len(check(folder)[0])
assert found > 10 and parties

with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    # A job in another place, of another build: the same findings, the same fingerprints.
    original = reporters / "trace/testdata/v1/demo_halo_openmpi"
    for folder in (reporters / "trace/testdata/v1/constructors_mpich", reporters / "trace/testdata/v1/hand"):
        moved = here / folder.name
        moved.mkdir()
        for file in folder.glob("*.jsonl"):
            text = file.read_text()
            (moved / file.name).write_text(re.sub(r'"(started|pid|host|job)":("[^"]*"|\d+)', lambda m: f'"{m[1]}":' + ('77' if m[1] == "pid" else '"other"'), text))
        expect(check(moved)[0] == check(folder)[0], f"{folder}: fingerprints change from run to run")
    # Places with files and lines, in the working directory and elsewhere.
    lined = here / "lined"
    lined.mkdir()
    for file in original.glob("*.jsonl"):
        shutil.copy(file, lined)
    header, *lines = map(json.loads, (lined / "rank-0.jsonl").read_text().splitlines())
    modules = [line for line in lines if line["record"] == "module"]
    offsets = {frame[1] for line in lines if line["record"] == "frames" for frame in line["frames"]}
    for source in (here / "with a blank/halo#1.c", pathlib.Path("/nowhere/halo.c")):
        locations = [{"offset": offset, "function": "exchange", "inlined_into": [], "file": str(source), "line": 12} for offset in sorted(offsets)]
        (lined / "symbols.json").write_text(json.dumps({"format": "ddtscope-symbols", "version": 1, "job": header["job"], "modules": [
            {"path": module["path"], "build_id": module["build_id"], "locations": locations} for module in modules]}))
        before = len(placed)
        check(lined, cwd=here)
        is_relative = ["uriBaseId" in place["artifactLocation"] for place in placed[before:]]
        expect(is_relative and all(told == source.is_relative_to(here) for told in is_relative), f"places in {source}: {placed[before:]}")
    # A name that looks like an argument and a link.
    named = here / "named"
    named.mkdir()
    for file in (reporters / "trace/testdata/v1/demo_halo_openmpi").glob("*.jsonl"):
        (named / file.name).write_text(re.sub(r'("record":"name","definition":\d+,"name":)"[^"]*"', r'\1"{0} [see](https://example.org) \\\\"', file.read_text()))
    told = [plain(result["message"]) for result in check(named)[1]]
    expect(any("\"{0} [see](https://example.org) \\\"" in text for text in told), f"no finding has the name: {told[:3]}")
    # Paths that look like something else, in the working directory and elsewhere.
    for number, evil in enumerate(["/nowhere/a b%20c/<script>\"'.so", str(here / "in here/app?#x"), "relative/../app", "https://example.org/x"]):
        trace = here / f"evil{number}"
        trace.mkdir()
        for file in (reporters / "trace/testdata/v1/hand").glob("*.jsonl"):
            (trace / file.name).write_text(file.read_text().replace('"/nowhere/app"', json.dumps(evil)).replace('"/nowhere/else/app"', json.dumps(evil)))
        for result in check(trace, cwd=here)[1]:
            for place in result["locations"] + result.get("relatedLocations", []):
                if "physicalLocation" not in place:
                    continue
                artifact = place["physicalLocation"]["artifactLocation"]
                expect(re.fullmatch(r"(file://)?[A-Za-z0-9._~/%-]*", artifact["uri"]), f"{evil}: uri {artifact['uri']}")
                if evil.startswith(str(here)):
                    expect("uriBaseId" in artifact or not urllib.parse.unquote(artifact["uri"]).endswith("app?#x"), f"{evil}: not relative: {artifact}")

finish(f"{len(folders)} golden traces, {found} findings, "
       + ("with SARIF's schema; " if schema else "SARIF's schema is not here; "))
