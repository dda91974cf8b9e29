"""No text of a trace acts on the terminal that a report is read on: every text that a reader takes as it is gets an escape
sequence at its end, and no verb gives it out.

    escapes_test.py DDTSCOPE REPORTERS
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import expect, finish

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
ESCAPE = "\x1b]0;owned\x07"
CALL = '"binding":"c","site":null'

# What no golden trace has: of a window and of a file, with a predefined type.
MORE = "\n".join([
    '{"record":"window","id":0,"name":"00ff00ff00ff00ff","flavour":"create","size":800,"displacement_unit":8,"called":"MPI_Win_create",' + CALL + '}',
    '{"record":"window_name","window":0,"name":"halo"}',
    '{"record":"accesses","window":0,"target":1,"type":"MPI_DOUBLE","elements":4,"argument":"target_datatype","lowest":0,"highest":8,"count":7,'
    '"called":"MPI_Put",' + CALL + '}',
    '{"record":"file","id":0,"name":"out.bin","communicator":"MPI_COMM_WORLD","mode":"MPI_MODE_RDWR","called":"MPI_File_open",' + CALL + '}',
    '{"record":"view","file":0,"etype":"MPI_INT","filetype":"MPI_DOUBLE","datarep":"native","lowest":0,"highest":0,"count":1,'
    '"called":"MPI_File_set_view",' + CALL + '}'])


def run(*arguments):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, timeout=60)


def record_of(line):
    """None where the rank was killed in the middle of it."""
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None


def texts_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_of(inner)


def changed(value, evil):
    if isinstance(value, str):
        return value + ESCAPE if value in evil else value
    if isinstance(value, list):
        return [changed(inner, evil) for inner in value]
    if isinstance(value, dict):
        # A record that is not known is left out.
        return {name: inner if name == "record" else changed(inner, evil) for name, inner in value.items()}
    return value


def write(folder, files, evil):
    for name, records in files.items():
        (folder / name).write_text("".join(json.dumps(changed(record, evil)) + "\n" for record in records))


def check(golden, more, place):
    files = {}
    for path in sorted(golden.glob("*.jsonl")):
        lines = path.read_text().removesuffix("\n").split("\n")
        if path.name == "rank-0.jsonl":
            lines[-1:-1] = more.split("\n") if more else []
        files[path.name] = list(filter(None, map(record_of, lines)))
    folder = place / golden.name
    folder.mkdir()
    for path in golden.iterdir():  # what is beside them
        if path.is_file() and path.suffix != ".jsonl":
            (folder / path.name).write_bytes(path.read_bytes())
    write(folder, files, ())
    plain = run("summary", folder)
    expect(plain.returncode == 0, f"{golden}: {plain.stderr}")
    evil = set()
    for text in sorted(set(texts_of(list(files.values())))):
        write(folder, files, evil | {text})
        if run("summary", folder).returncode == 0:
            evil.add(text)
    write(folder, files, evil)
    types = json.loads(run("types", folder, "--json").stdout)
    verbs = [("summary",), ("types",), ("check",), ("pending",)]
    verbs += [("uses", "--by", by) for by in ("bytes", "calls", "type", "site", "pair", "comm", "file", "window")]
    verbs += [("show", entry["id"], "--view", view) for entry in types[:4] for view in ("runs", "rows", "tree", "grid")]
    said = b""
    for verb, *options in verbs:
        result = run(verb, folder, *options)
        what = f"{golden.name}: {verb} {' '.join(options)}"
        expect(result.returncode in (0, 1) or verb == "pending", f"{what}: {result.stderr[-300:]}")
        expect(b"\x1b" not in result.stdout + result.stderr, f"{what}: {result.stdout}")
        said += result.stdout
    expect(b"owned" in said, f"{golden}: no changed text is told at all")
    return evil


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    taken = set()
    for golden, more in (("v1/hand", ""), ("v7/pending_openmpi", ""), ("v9/mismatches_openmpi", MORE)):
        taken |= check(reporters / "trace/testdata" / golden, more, place)
    for text in ("MPI_DOUBLE", "MPI_Win_create", "halo", "out.bin", "particle"):
        expect(text in taken, f"{text!r} is nowhere taken as it is")
finish()
