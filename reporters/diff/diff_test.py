"""`ddtscope diff` of golden traces and of copies in which one thing was changed: that it says, and nothing else."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import expect, failures, finish

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
validator = jsonschema.Draft202012Validator(json.loads((reporters / "json/diff.schema.json").read_text()))
hand = reporters / "trace/testdata/v1/hand"


def run(*arguments):
    return subprocess.run([command, "diff", *map(str, arguments)], capture_output=True, text=True, timeout=60)


def diff(old, new, *options, status):
    result = run(old, new, "--json", *options)
    expect(result.returncode == status, f"{old} {new} {options}: status {result.returncode}, not {status}: {result.stderr}")
    document = json.loads(result.stdout)
    for error in list(validator.iter_errors(document))[:5]:
        failures.append(f"{old} {new}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    return document


def kinds(document):
    return sorted(change["kind"] for change in document["changes"])


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)

    def changed(label, *edits, of=hand):
        """A copy in which (file, what, by what) is replaced; each must be there."""
        folder = here / label
        shutil.copytree(of, folder)
        for file, piece, replacement in edits:
            text = (folder / file).read_text()
            assert piece in text, (label, piece)
            (folder / file).write_text(text.replace(piece, replacement))
        return folder

    for folder in sorted(path for path in (reporters / "trace/testdata").glob("v*/*") if path.is_dir()):
        document = diff(folder, folder, status=0)
        told = json.loads(subprocess.run([command, "summary", folder, "--json"], capture_output=True).stdout)
        expect(document["same"] and document["joined"]["same"] == told["definitions"], f"{folder}: differs from itself: {document}")
        plain = run(folder, folder)
        expect("No difference." in plain.stdout, f"{folder}: {plain.stdout}")

    # Numbers, orders, times, hosts and the places of modules mean nothing.
    lines = (hand / "rank-0.jsonl").read_text()
    renamed = changed("renamed", ("rank-0.jsonl", '"host":"node0"', '"host":"node9"'), ("rank-0.jsonl", '"pid":100', '"pid":4711'),
                      ("rank-0.jsonl", "2026-11-21T06:00:00", "2027-01-01T00:00:00"))
    expect(diff(hand, renamed, status=0)["same"], "another host and time are a difference")

    more = changed("more", ("rank-0.jsonl", "[[1,10,0,10,10]", "[[1,25,0,25,25]"))
    document = diff(hand, more, status=1)
    expect(kinds(document) == ["count"] and not document["leaks"] and not document["findings"], f"made more often: {kinds(document)}")
    expect(document["changes"][0]["new"]["made"] - document["changes"][0]["old"]["made"] == 15, f"15 more: {document['changes']}")
    expect(run(hand, more, "--fail-on", "count").returncode == 1, "--fail-on count")
    expect(run(hand, more, "--fail-on", "new-leak,new-error,new-warning").returncode == 0, "--fail-on others")

    leaky = changed("leaky", ("rank-0.jsonl", "[[1,10,0,10,10]", "[[1,10,0,10,7]"))
    document = diff(hand, leaky, status=1)
    expect(not document["changes"] and [leak["is_new"] for leak in document["leaks"]] == [True], f"a new leak: {document}")
    before, after = document["leaks"][0]["old"], document["leaks"][0]["new"]
    expect(after["live"] - before["live"] == 3 and "vector" in after["call"], f"of 3: {document['leaks']}")
    expect(run(hand, leaky, "--fail-on", "new-leak").returncode == 1 and run(leaky, hand, "--fail-on", "new-leak").returncode == 0, "--fail-on new-leak")
    expect(diff(leaky, hand, status=1)["leaks"][0]["is_new"] is False, "a leak that was mended is none")

    # Another argument in the same place: the types are joined, and what is new of it is told.
    vector, wide, narrow = '"integers":[3,2,5]', '"integers":[3,2,9]', '"integers":[3,2,1]'
    files = ("rank-0.jsonl", "rank-1.jsonl", "rank-2.jsonl")
    # The key goes with the arguments.
    key = "3142eb0e52d0b02c"
    wider = changed("wider", *[edit for file in files for edit in ((file, vector, wide), (file, key, "1" * 16))])
    document = diff(hand, wider, status=1)
    pair = [(change["old"]["call"], change["new"]["call"]) for change in document["changes"] if change["kind"] == "arguments"]
    expect(("MPI_Type_vector(3, 2, 5, MPI_DOUBLE)", "MPI_Type_vector(3, 2, 9, MPI_DOUBLE)") in pair, f"other arguments: {pair}")
    expect(document["joined"]["only_old"] == document["joined"]["only_new"] == 0, f"all are joined: {document['joined']}")
    expect("added" not in kinds(document) and "removed" not in kinds(document), f"nothing is new or gone: {kinds(document)}")
    narrower = changed("narrower", *[edit for file in files for edit in ((file, vector, narrow), (file, key, "2" * 16))])
    document = diff(hand, narrower, status=1)
    expect(any(f["is_new"] and f["id"] == "entries-overlap" for f in document["findings"]), f"blocks that overlap: {document['findings']}")
    severities = {f["severity"] for f in document["findings"] if f["is_new"]}
    for word, severity in (("new-warning", "warning"), ("new-error", "error")):
        expect(run(hand, narrower, "--fail-on", word).returncode == (1 if severity in severities else 0), f"--fail-on {word}")
    expect(any(not f["is_new"] and f["id"] == "entries-overlap" for f in diff(narrower, hand, status=1)["findings"]), "and is gone when mended")

    # Another call for the same bytes.
    halo = reporters / "trace/testdata/v1/demo_halo_openmpi"
    respelt = here / "respelt"
    shutil.copytree(halo, respelt)
    column, = [t["key"] for t in json.loads(subprocess.run([command, "types", halo, "--json"], capture_output=True).stdout)
               if t["combiner"] == "MPI_COMBINER_VECTOR"]
    for file in respelt.glob("*.jsonl"):
        text = file.read_text().replace(column, "3" * 16)
        text = re.sub(r'"combiner":"MPI_COMBINER_VECTOR","constructor":"MPI_Type_vector"(.*?)"num_integers":3,"num_addresses":0(.*?)"integers":\[(\d+),1,(\d+)\],"addresses":\[\]',
                      lambda m: f'"combiner":"MPI_COMBINER_HVECTOR","constructor":"MPI_Type_create_hvector"{m[1]}"num_integers":2,"num_addresses":1{m[2]}"integers":[{m[3]},1],"addresses":[{int(m[4]) * 8}]', text)
        file.write_text(text)
    document = diff(halo, respelt, status=1)
    expect(kinds(document) == ["construction"], f"the same column by hvector: {document['changes']}")

    # Made elsewhere, at another address of the program.
    moved = changed("moved", ("rank-0.jsonl", '"frames":[[0,100],[0,200]]', '"frames":[[0,100],[0,999]]'))
    expect("moved" in kinds(diff(hand, moved, status=1)), "made elsewhere")
    expect(set(kinds(diff(hand, moved, status=1))) <= {"moved", "count"}, "and nothing else")

    # In one place more, or less: more often in all, though nowhere more often than before.
    lives = next(line for line in (hand / "rank-0.jsonl").read_text().splitlines() if '"record":"instances"' in line)
    there = json.loads(lives)
    site, *counts = there["counts"][0]
    there["counts"].append([3, *counts])
    frames = '{"record":"frames","first":3,"parent":0,"frames":[[0,999]]}'
    spread = changed("in_one_place_more", ("rank-0.jsonl", lives, frames + "\n" + json.dumps(there, separators=(",", ":"))))
    for old, new in ((hand, spread), (spread, hand)):
        document = diff(old, new, status=1)
        expect(kinds(document) == ["moved"] and counts[0] > 0, f"in one place more: {document['changes']}")
        expect(run(old, new, "--fail-on", "count").returncode == 1, "which is more often")
    expect(run(spread, spread, "--fail-on", "count").returncode == 0, "as often")
    expect(run("--fail-on", "count,new-error", spread, hand, "--json").returncode == 1, "options may stand in front")

    # Two of one layout, both made by other calls elsewhere: each has its counterpart.
    def four_integers(label, offset, *vectors):
        """The trace with vectors that are four MPI_INT in a row, each made once in a place of their own."""
        added = [{"record": "frames", "first": 3, "parent": 0, "frames": [[0, offset]]}]
        counted = []
        for number, integers in enumerate(vectors, start=4):
            text = "".join(map(str, integers))
            added.append({"record": "definition", "id": number, "key": text.rjust(16, "0"), "site": 3, "called": "MPI_Type_vector", "adopted": False,
                          "combiner": "MPI_COMBINER_VECTOR", "constructor": "MPI_Type_vector", "call": f"MPI_Type_vector({', '.join(map(str, integers))}, MPI_INT)",
                          "envelope": {"num_integers": 3, "num_addresses": 0, "num_large_counts": 0, "num_datatypes": 1},
                          "contents": {"integers": integers, "addresses": [], "large_counts": [], "datatypes": ["MPI_INT"]},
                          "size": 16, "lb": 0, "ub": 16, "extent": 16, "true_lb": 0, "true_ub": 16, "true_extent": 16, "undefined": []})
            counted.append({"record": "instances", "definition": number, "called": "MPI_Type_vector", "binding": "c", "counts": [[3, 1, 0, 1, 1]]})
        end = '{"record":"end"'
        return changed(label, ("rank-0.jsonl", end, "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in added + counted) + end))

    once = four_integers("once", 400, [1, 4, 4], [2, 2, 2])
    elsewhere = four_integers("elsewhere", 500, [4, 1, 1], [1, 4, 5])
    document = diff(once, elsewhere, status=1)
    expect(document["joined"]["by_layout"] == 2 and document["joined"]["only_old"] == document["joined"]["only_new"] == 0, f"two of one layout: {document['joined']}")
    expect(kinds(document) == ["moved", "moved"], f"and nothing else: {document['changes']}")
    plain = run(hand, once).stdout
    expect("  MPI_Type_vector(1, 4, 4, MPI_INT), once\n" in plain, f"made once: {plain}")

    # Different programs say so; so do traces that are not whole.
    constructors = reporters / "trace/testdata/v1/constructors_mpich"
    other = run(halo, constructors)
    expect(other.returncode == 1 and "different programs" in other.stdout and "only old" in other.stdout, f"different programs: {other.stdout[:500]}")
    killed = run(reporters / "trace/testdata/v1/killed_openmpi", halo)
    expect("The old trace is incomplete" in killed.stdout.split("\n")[0], f"an incomplete trace: {killed.stdout[:300]}")

    # Uses: more calls and bytes at one place, told with both numbers; and they are a status of their own.
    uses = reporters / "trace/testdata/v5/uses_openmpi"
    first = next(json.loads(line) for line in (uses / "rank-0.jsonl").read_text().splitlines() if '"record":"uses"' in line
                 and '"MPI_Send"' in line)
    site, calls, elements, smallest, largest = first["counts"][0]

    def used(label, *counts):
        def text_of(numbers):
            return json.dumps({"counts": [numbers, *first["counts"][1:]]}, separators=(",", ":"))[1:-1]
        line = next(line for line in (uses / "rank-0.jsonl").read_text().splitlines() if text_of(first["counts"][0]) in line
                    and f'"called":"{first["called"]}"' in line and '"record":"uses"' in line)
        return changed(label, ("rank-0.jsonl", line, line.replace(text_of(first["counts"][0]), text_of([site, *counts]))), of=uses)

    busier = used("busier", calls + 4, elements, smallest, largest)
    document = diff(uses, busier, status=1)
    pairs = [(change["old"]["calls"], change["new"]["calls"], change["new"]["called"]) for change in document["uses"]]
    expect([(new - old, called) for old, new, called in pairs] == [(4, "MPI_Send")], f"4 calls more: {pairs}")
    expect(not document["changes"] and not document["same"] and document["compares_uses"], f"and nothing else: {document['changes']}")
    expect(run(uses, busier, "--fail-on", "count").returncode == 1 and run(uses, busier, "--fail-on", "bytes").returncode == 0, "calls alone")
    heavier = used("heavier", calls, elements + 1000, smallest, largest)
    change, = diff(uses, heavier, status=1)["uses"]
    size = (change["new"]["bytes"] - change["old"]["bytes"]) / 1000
    expect(change["new"]["elements"] - change["old"]["elements"] == 1000 and size >= 1, f"1000 elements more: {change}")
    expect(run(uses, heavier, "--fail-on", "bytes").returncode == 1 and run(uses, heavier, "--fail-on", "count").returncode == 0, "bytes alone")
    plain = run(uses, heavier).stdout
    expect("Used more or less often, or with other amounts: 1\n" in plain and "MPI_Send datatype" in plain
           and f"{change['old']['bytes']:,} -> {change['new']['bytes']:,} bytes" in plain, f"in words: {plain}")
    # One that is left is one call.
    line = next(line for line in (uses / "rank-0.jsonl").read_text().splitlines(keepends=True) if '"record":"uses"' in line and '"MPI_Send"' in line)
    fewer = changed("fewer", ("rank-0.jsonl", line, ""), of=uses)
    told = run(uses, fewer).stdout, run(fewer, uses).stdout
    expect(": 2 -> 1 call, " in told[0] and ": 1 -> 2 calls, " in told[1], f"one call: {told}")
    page = run(uses, heavier, "-o", here / "uses.html")
    expect(page.returncode == 1 and 'id="changed-uses"' in (here / "uses.html").read_text(), f"a page of uses: {page}")
    document = diff(hand, hand, status=0)
    expect(not document["compares_uses"] and "bytes" in run(hand, hand, "--fail-on", "bytes").stderr, "traces without uses say nothing of bytes")

    # Findings about calls: a new error is one, a mended one is gone, by function, argument and place.
    judged = reporters / "trace/testdata/v6/judged_openmpi"
    lines = [json.loads(line) for line in (judged / "rank-0.jsonl").read_text().splitlines()]
    error = next(line for line in lines if line["record"] == "finding")
    mended = here / "mended"
    shutil.copytree(judged, mended)
    for file in mended.glob("*.jsonl"):
        kept = [line for line in file.read_text().splitlines() if '"record":"finding' not in line and '"failed_calls"' not in line]
        file.write_text("\n".join(kept) + "\n")
    document = diff(mended, judged, status=1)
    # Where calls say what is wrong, the note that the type was never committed is left out.
    found = {f["id"]: f for f in document["findings"]}
    expect({name: f["is_new"] for name, f in found.items()} == {error["finding"]: True, "failed-call": True, "never-committed": False},
           f"a new error: {document['findings']}")
    one = found[error["finding"]]
    expect((one["severity"], one["called"], one["argument"]) == ("error", error["called"], error["argument"])
           and one["message"].startswith(error["message"]) and one["type"].startswith("T") and one["call_site"], f"and what it is about: {one}")
    expect(not document["changes"] and not document["uses"], f"and nothing else: {document['changes']} {document['uses']}")
    expect(run(mended, judged, "--fail-on", "new-error").returncode == 1, "--fail-on new-error, of a call")
    expect(run(judged, mended, "--fail-on", "new-error,new-warning").returncode == 0, "a mended error is none")
    expect({f["id"]: f["is_new"] for f in diff(judged, mended, status=1)["findings"]} == {name: not f["is_new"] for name, f in found.items()}, "it is gone")
    plain = run(mended, judged).stdout
    expect(f"error {error['finding']}: T1" in plain and f"    {error['message']} It does so 6 times.\n    called in " in plain, f"in words: {plain}")
    expect(run(mended, judged, "-o", here / "calls.html").returncode == 1 and error["message"] in (here / "calls.html").read_text()
           and "called in " in (here / "calls.html").read_text(), "and on the page")
    # One about no type.
    null = here / "null"
    shutil.copytree(judged, null)
    for file in null.glob("*.jsonl"):
        file.write_text(file.read_text().replace('"finding":"uncommitted-type","severity":"error","type":0', '"finding":"null-type","severity":"error","type":null'))
    added = [f for f in diff(mended, null, status=1)["findings"] if f["id"] == "null-type"]
    expect([(f["type"], f["key"], f["names"], f["call"]) for f in added] == [(None, None, [], None)], f"of no type: {added}")
    expect("error null-type: MPI_Pack\n" in run(mended, null).stdout, "is told by its function")

    # A page.
    page = run(hand, narrower, "-o", here / "diff.html")
    expect(page.returncode == 1 and page.stdout == "" and "entries-overlap" in (here / "diff.html").read_text(), f"a page: {page}")

    # What cannot be asked.
    for arguments, status, words in (((hand,), 2, "NEW"), ((hand, hand, "--fail-on", "new-moon"), 2, "new-moon"),
                                     ((hand, here / "none"), 3, "none"), ((hand, hand, "-o", here / "no/where.html"), 2, "where.html"),
                                     ((hand, hand, "--json", "-o", here / "x.html"), 2, "--json")):
        result = run(*arguments)
        expect(result.returncode == status and words in result.stderr and result.stderr.count("\n") == 1 and not result.stdout, f"{arguments}: {result}")

finish()
